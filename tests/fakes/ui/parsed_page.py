"""What a page of HTML holds: its elements, their ids, and where its links lead."""

from html.parser import HTMLParser


class ParsedPage(HTMLParser):
    """The elements, ids and links of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.add(value or "")
            if name in ("href", "src"):
                self.links.add(value or "")
