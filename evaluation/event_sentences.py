"""Does an event sentence call for help? Word counts and cues into a logistic regression, for one benchmark alone.

The detector that runs on a desktop never sees text, so nothing here is part of it: this measures how far words alone
carry on ProactiveBench. Counting words looks at no label and at no other moment, so it is done once for all of them;
how rare they are is learned from the training traces alone.
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
_FREE = 3.0
"""How large a trace's own term is; the larger, the less regularization holds it back."""

_PATTERNS = [re.compile(pattern, re.IGNORECASE) for pattern in _CUES.values()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One setting to choose from.

    `c` is the inverse strength of regularization. With `own_rates` each training trace has a term of its own, so that
    how often help is needed in it does not pass for a property of its words; a trace never seen has none.
    """

    c: float
    own_rates: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Moments as numbers: words and pairs of words of the last event and of the recent ones, and cues."""

    traces: Ints
    texts: tuple[sparse.csr_matrix, ...]
    cues: Floats


def count(moments: Sequence[Moment]) -> Counted:
    """Count words and cues at each moment."""
    texts = (
        [moment.history[-1].event for moment in moments],
        [" ".join(sentence.event for sentence in moment.history[-RECENT:]) for moment in moments],
    )
    return Counted(
        traces=np.array([moment.trace for moment in moments], np.int64),
        texts=tuple(CountVectorizer(ngram_range=(1, 2)).fit_transform(text).tocsr() for text in texts),
        cues=np.array([cues(moment.history) for moment in moments], np.float64),
    )


def cues(history: Sequence[Sentence]) -> list[float]:
    """Return what stands out: cues now and of late, length, and likeness to the event before.

    All lie between 0 and about 1, so that none outweighs the others by its unit. Times are not used: some traces were
    written and not recorded ("Day 1, 8:00 PM"), and a time would tell which.
    """
    recent = history[-RECENT:]
    now = [float(bool(pattern.search(history[-1].event))) for pattern in _PATTERNS]
    late = [sum(bool(pattern.search(one.event)) for one in recent) / len(recent) for pattern in _PATTERNS]
    words = _vocabulary(history[-1])
    before = _vocabulary(history[-2]) if len(history) > 1 else set()
    alike = len(words & before) / max(1, len(words | before))
    return [*now, *late, float(np.log1p(len(words))) / 4, alike]


def fitted_scores(counted: Counted, need: Bools, train: Ints, test: Ints, candidates: Sequence[Candidate]) -> Floats:
    """Learn from whole training traces with each candidate; return probabilities at the others, a column for each."""
    scores = np.zeros((len(test), len(candidates)))
    for own_rates in {candidate.own_rates for candidate in candidates}:
        learned_from, asked = _seen(counted, train, test, own_rates=own_rates)
        for column, candidate in enumerate(candidates):
            if candidate.own_rates == own_rates:
                model = LogisticRegression(C=candidate.c, class_weight="balanced", solver="liblinear")
                scores[:, column] = model.fit(learned_from, need[train]).predict_proba(asked)[:, 1]
    return scores


def _seen(counted: Counted, train: Ints, test: Ints, *, own_rates: bool) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Return both parts as a model sees them; a word that no training moment uses is not seen."""
    seen, asked = ([sparse.csr_matrix(counted.cues[rows])] for rows in (train, test))
    for counts in counted.texts:
        known = np.flatnonzero(counts[train].getnnz(axis=0))
        weights = TfidfTransformer(sublinear_tf=True).fit(counts[train][:, known])
        seen.append(weights.transform(counts[train][:, known]))
        asked.append(weights.transform(counts[test][:, known]))
    if own_rates:
        among = np.unique(counted.traces[train])
        seen.append(sparse.csr_matrix(_FREE * (counted.traces[train][:, None] == among)))
        asked.append(sparse.csr_matrix((len(test), len(among))))
    return sparse.hstack(seen).tocsr(), sparse.hstack(asked).tocsr()


def _vocabulary(sentence: Sentence) -> set[str]:
    return set(re.findall(r"\w+", sentence.event.lower()))
