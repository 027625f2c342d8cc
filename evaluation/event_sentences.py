"""Does an event sentence call for help? Word counts and cues into a logistic regression, for one benchmark alone.

The detector that runs on a desktop never sees text, so nothing here is part of it: this measures how far words alone
carry on ProactiveBench. Counting words looks at no label and at no other moment, so it is done once for all of them;
which words are known and how rare they are is learned from the training traces alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression

from evaluation.metrics import Bools, Floats, Ints
from evaluation.proactivebench import Moment, Sentence

RECENT = 5
"""Events that are looked at, the last one included."""

_CUES = {
    "searches": r"search|google|bing|\bquer(?:y|ies)",
    "goes wrong": r"error|exception|\bbug|fail|debug|traceback|\bissue|problem|crash",
    "asks": r"\?|\bhow (?:to|do|can)\b|\bwhat is\b|\bwhy\b",
    "types": r"\btyp(?:e|es|ed|ing)\b|\bwrit(?:e|es|ing)\b|\bwrote\b|\benter(?:s|ed|ing)?\b",
    "clicks": r"click|select",
    "scrolls": r"scroll",
    "switches": r"switch|\breturn|\bback to\b",
    "opens": r"\bopen|\bnew tab\b|launch|\bcreat",
    "copies": r"\bcop(?:y|ies|ied|ying)\b|\bpast(?:e|es|ed|ing)\b",
    "saves": r"\bsav(?:e|es|ed|ing)\b",
    "runs": r"\brun(?:s|ning)?\b|\bran\b|execut|compil|terminal|command",
    "reads": r"\bread|\bview|brows|review|\blook",
    "looks up": r"tutorial|documentation|stack ?overflow|\bdocs?\b|guide|article|\bblog|forum",
    "chats": r"\bchat|deepseek|gpt|assistant",
    "codes": r"\bcod(?:e|ing)\b|function|script|visual studio",
    "edits": r"\bedit|delet|backspace|\bundo|modif|\bchang",
    "rests": r"\bidle|\bafk|inactiv|no specific|\bpause",
}
_PATTERNS = [re.compile(pattern, re.IGNORECASE) for pattern in _CUES.values()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One setting to choose from.

    `c` is the inverse strength of regularization, `traces` the number of traces in which a word must occur, `weight`
    what cues count beside the words, whose rows have length one.
    """

    c: float
    traces: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """How often each word occurs at each moment, and in which trace it occurs at all."""

    counts: sparse.csr_matrix
    in_trace: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Moments as numbers: words and pairs of words of the last event and of the recent ones, and cues."""

    traces: Ints
    texts: tuple[Words, ...]
    cues: Floats


def count(moments: Sequence[Moment]) -> Counted:
    """Count words and cues at each moment."""
    traces = np.array([moment.trace for moment in moments], np.int64)
    texts = (
        [moment.history[-1].event for moment in moments],
        [" ".join(sentence.event for sentence in moment.history[-RECENT:]) for moment in moments],
    )
    return Counted(
        traces=traces,
        texts=tuple(_words(text, traces) for text in texts),
        cues=np.array([cues(moment.history) for moment in moments], np.float64),
    )


def cues(history: Sequence[Sentence]) -> list[float]:
    """Return what stands out: cues now and of late, length, likeness to the event before, and the time since it.

    All lie between 0 and about 1, so that none outweighs the others by its unit. The time is 0 where the trace was written and not recorded ("Day 1, 8:00 PM"), which is a cue of its own.
    """
    recent = history[-RECENT:]
    now = [float(bool(pattern.search(history[-1].event))) for pattern in _PATTERNS]
    late = [sum(bool(pattern.search(one.event)) for one in recent) / len(recent) for pattern in _PATTERNS]
    words = _vocabulary(history[-1])
    before = _vocabulary(history[-2]) if len(history) > 1 else set()
    alike = len(words & before) / max(1, len(words | before))
    times = [_seconds(one) for one in history[-2:]]
    since = [0.0 if time is None else time for time in times]
    gap_s = max(0.0, since[-1] - since[0])
    return [*now, *late, float(np.log1p(len(words))) / 4, alike, float(np.log1p(gap_s)) / 8, float(times[-1] is None)]


def fitted_scores(counted: Counted, need: Bools, train: Ints, test: Ints, candidates: Sequence[Candidate]) -> Floats:
    """Learn from whole training traces with each candidate; return probabilities at the others, a column for each."""
    scores = np.zeros((len(test), len(candidates)))
    for known, weight in {(candidate.traces, candidate.weight) for candidate in candidates}:
        learned_from, asked = _seen(counted, train, test, known, weight)
        for column, candidate in enumerate(candidates):
            if (candidate.traces, candidate.weight) == (known, weight):
                model = LogisticRegression(C=candidate.c, class_weight="balanced", solver="liblinear")
                scores[:, column] = model.fit(learned_from, need[train]).predict_proba(asked)[:, 1]
    return scores


def _seen(
    counted: Counted, train: Ints, test: Ints, known: int, weight: float
) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Return both parts as a model sees them; a word that only few training traces use says nothing of others."""
    seen, asked = ([sparse.csr_matrix(weight * counted.cues[rows])] for rows in (train, test))
    among = np.unique(counted.traces[train])
    for words in counted.texts:
        columns = np.flatnonzero(words.in_trace[among].sum(axis=0) >= known)
        weights = TfidfTransformer(sublinear_tf=True).fit(words.counts[train][:, columns])
        seen.append(weights.transform(words.counts[train][:, columns]))
        asked.append(weights.transform(words.counts[test][:, columns]))
    return sparse.hstack(seen).tocsr(), sparse.hstack(asked).tocsr()


def _words(texts: Sequence[str], traces: Ints) -> Words:
    counts = CountVectorizer(ngram_range=(1, 2)).fit_transform(texts).tocsr()
    rows = [counts[traces == trace].max(axis=0).toarray()[0] > 0 for trace in range(int(traces.max()) + 1)]
    return Words(counts=counts, in_trace=np.array(rows, np.int64))


def _vocabulary(sentence: Sentence) -> set[str]:
    return set(re.findall(r"\w+", sentence.event.lower()))


def _seconds(sentence: Sentence) -> float | None:
    try:
        return float(sentence.time)
    except ValueError:
        return None
