"""Does an event sentence call for help? Word counts and cues into a logistic regression, for one benchmark alone.

The detector that runs on a desktop never sees text, so nothing here is part of it: this measures how far words alone
carry on ProactiveBench. Counting words looks at no label and at no other moment, so it is done once for all of them;
how rare they are is learned from the training traces alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression

from daemon.figures.resampling import Floats, Ints
from lab.benchmarks.proactivebench.study import Moment, Sentence

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


_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s)\b")
_QUOTED = re.compile(r"(?<!\w)(['\"]).*?\1(?!\w)")

Part = Literal["words", "acts", "recent acts", "cues"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One setting to choose from: what is looked at, and the inverse strength of regularization."""

    parts: tuple[Part, ...]
    c: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Moments as numbers, and what is learned: `shares`, half whether all agreed and half the single verdicts.

    "words" are those of the last event, alone and in pairs; "acts" leave out what is quoted, which is about the matter
    and not about what is done with it; "recent acts" are those of the recent events together.
    """

    texts: dict[Part, sparse.csr_matrix]
    cues: sparse.csr_matrix
    shares: Floats


def count(moments: Sequence[Moment]) -> Counted:
    """Count words and cues at each moment."""
    texts: dict[Part, list[str]] = {
        "words": [stems(moment.history[-1].event) for moment in moments],
        "acts": [acts(moment.history[-1].event) for moment in moments],
        "recent acts": [" ".join(acts(one.event) for one in moment.history[-RECENT:]) for moment in moments],
    }
    return Counted(
        texts={part: CountVectorizer(ngram_range=(1, 2)).fit_transform(of).tocsr() for part, of in texts.items()},
        cues=sparse.csr_matrix(np.array([cues(moment.history) for moment in moments], np.float64)),
        shares=np.array([(moment.help_needed + moment.votes) / 2 for moment in moments], np.float64),
    )


def stems(text: str) -> str:
    """Return words without their endings: one trace says searches, another searched."""
    return _ENDING.sub("", text.lower())


def acts(text: str) -> str:
    """Return the stems of what is not quoted."""
    return stems(_QUOTED.sub(" quoted ", text))


def cues(history: Sequence[Sentence]) -> list[float]:
    """Return what stands out: cues now and of late, length, likeness to the event before, and how much is quoted.

    All lie between 0 and about 1, so that none outweighs the others by its unit. Times are not used: some traces were
    written and not recorded ("Day 1, 8:00 PM"), and a time would tell which.
    """
    recent = history[-RECENT:]
    now = [float(bool(pattern.search(history[-1].event))) for pattern in _PATTERNS]
    late = [sum(bool(pattern.search(one.event)) for one in recent) / len(recent) for pattern in _PATTERNS]
    words = _vocabulary(history[-1])
    before = _vocabulary(history[-2]) if len(history) > 1 else set()
    alike = len(words & before) / max(1, len(words | before))
    quoted = sum(len(match.group().split()) for match in _QUOTED.finditer(history[-1].event))
    return [*now, *late, float(np.log1p(len(words))) / 4, alike, float(quoted > 0), float(np.log1p(quoted)) / 3]


def fitted_scores(counted: Counted, train: Ints, test: Ints, candidates: Sequence[Candidate]) -> Floats:
    """Learn from the training moments with each candidate; return scores of the others, a column for each."""
    weighed = {part: _weighed(counts, train, test) for part, counts in counted.texts.items()}
    weighed["cues"] = counted.cues[train], counted.cues[test]
    scores = np.zeros((len(test), len(candidates)))
    for column, candidate in enumerate(candidates):
        learned_from, predicted = (
            sparse.hstack([weighed[part][side] for part in candidate.parts]).tocsr() for side in (0, 1)
        )
        scores[:, column] = _learned(learned_from, counted.shares[train], candidate.c).predict_proba(predicted)[:, 1]
    return scores


def _learned(seen: sparse.csr_matrix, shares: Floats, c: float) -> LogisticRegression:
    """Learn shares: each moment counts once for help and once against it, by its share, both kinds alike in all."""
    weights = np.concatenate([shares / shares.mean(), (1.0 - shares) / (1.0 - shares.mean())]) / 2
    kinds = np.repeat([True, False], len(shares))
    some = np.flatnonzero(weights)
    model = LogisticRegression(C=c, solver="liblinear")
    return model.fit(sparse.vstack([seen, seen]).tocsr()[some], kinds[some], sample_weight=weights[some])


def _weighed(counts: sparse.csr_matrix, train: Ints, test: Ints) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Weigh words by how rare they are among training moments; a word that is in none of them is not seen."""
    known = np.flatnonzero(counts[train].getnnz(axis=0))
    weights = TfidfTransformer(sublinear_tf=True).fit(counts[train][:, known])
    return weights.transform(counts[train][:, known]), weights.transform(counts[test][:, known])


def _vocabulary(sentence: Sentence) -> set[str]:
    return set(re.findall(r"\w+", sentence.event.lower()))
