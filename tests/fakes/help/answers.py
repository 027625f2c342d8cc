"""What answers typed words: commands and pages as candidates."""

from typing import Any

from storage.ports import CandidateKind, HelpCandidate, HelpCandidates, HelpPage, HelpStep


def command(*path: str, keys: str = "", score: float = 0.9, in_menu: bool = True, **state: bool) -> HelpCandidate:
    step = HelpStep(text=" > ".join(path), controls=path if in_menu else ())
    page = HelpPage(page_id=f"command/{path[-1]}", title=path[-1], steps=(step,), source="2", app="3")
    return HelpCandidate(page=page, kind=CandidateKind.COMMAND, score=score, keys=keys, **state)


def page_candidate(page: HelpPage, score: float = 0.5) -> HelpCandidate:
    return HelpCandidate(page=page, kind=CandidateKind.PAGE, score=score)


def answers(words: str, *candidates: HelpCandidate, **more: Any) -> HelpCandidates:
    return HelpCandidates(
        **({"words": words, "app": "mousepad", "program": "Mousepad", "candidates": candidates} | more)
    )
