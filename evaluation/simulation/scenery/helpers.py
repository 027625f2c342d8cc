"""What else is on a simulated desktop: a browser with help pages and a brief, progress windows, a frozen program."""

from typing import Protocol


class Helpers(Protocol):
    """Means that behaviors use beside the program itself; `scenery.surroundings` implements them."""

    def open_brief(self) -> None:
        """Bring the task's brief (a page of text) to the front; the first time this starts its viewer."""
        ...

    def open_help(self) -> None:
        """Bring the help pages to the front, in a browser of their own."""
        ...

    def search_help(self) -> None:
        """Click into the help pages' search field, type a few words, press Enter and wait for the results."""
        ...

    def open_result(self) -> None:
        """Click on one of the results or links on the help page."""
        ...

    def back_to_work(self) -> None:
        """Bring the program's window to the front, by alt+Tab, the task bar or a click on it."""
        ...

    def start_progress(self, seconds: float, *, kind: str) -> None:
        """Start something that takes `seconds` and ends by itself.

        `kind` is "dialog" (a progress bar over the program), "page" (an upload in the browser), "terminal" (lines
        that appear) or "frozen" (the program does not answer).
        """
        ...

    def progress_is_over(self) -> bool:
        """Tell whether the last `start_progress` has ended and nothing of it is left on the screen."""
        ...
