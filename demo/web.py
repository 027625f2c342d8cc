"""Work in a page in a browser: entering orders fluently, and five ways of getting stuck in a web form."""

from demo.user import DemoUser
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.local_page import Browser, LocalPage
from demo.work import DATA, ScriptedWork
from storage.records import Box

_PAGE = LocalPage(file="orders.html", title="Orders", header="#274b6d")


class WebWork(ScriptedWork):
    """The orders of a small shop."""

    app = "web"

    def __init__(self, user: DemoUser, browser: Browser = "chromium") -> None:
        """Let `user` do it; what they get wrong is drawn once."""
        super().__init__(user)
        self._browser = browser
        code = self.acts.fill("{letters}{letters}{1-9} {1-9}{letters}{letters}")
        wrong = [code.lower(), code.replace(" ", ""), f"{code[:2]} {code[2]} {code[4:]}", f"{code} GB"]
        self.acts.lists["wrong"] = self._rng.sample(wrong, len(wrong))
        self.acts.lists["words"] = self._rng.sample(self.acts.lists["jams"], 3)

    def open(self, desktop: VirtualDesktop) -> None:
        """Start the browser on the page and wait until it is there."""
        box = Box(self._rng.randint(40, 300), self._rng.randint(40, 110), 1200, 900)
        x, y = _PAGE.open(desktop, (DATA / "form.html").read_text(), self._browser, box, self._hands)
        self.acts.box = Box(x, y, box.w, box.h)
