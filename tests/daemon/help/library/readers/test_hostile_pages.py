"""Pages made to harm: nothing is expanded, markup never survives, and time grows no faster than the page."""

import gzip
import random

import pytest

from daemon.help.library.pages import index_page
from daemon.help.library.readers.formats import MAX_BYTES, read_page
from daemon.help.library.readers.markup import MAX_DEPTH
from daemon.help.library.readers.parsed import UnreadablePage, fast_plain, plain
from tests.fakes.help.documentation import PAGES

BOMB = (
    '<!DOCTYPE page [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><page><title>&b;Bomb</title><p>&b; &b; text</p></page>'
)
EXTERNAL = '<!DOCTYPE page [<!ENTITY x SYSTEM "file:///etc/passwd">]><page><title>Out</title><p>&x;in</p></page>'


@pytest.mark.parametrize("text", [BOMB, EXTERNAL])
@pytest.mark.parametrize("name", ["a.page", "a.docbook", "a.html"])
def test_declared_entities_are_never_expanded(name: str, text: str) -> None:
    page = index_page(read_page(name, text.replace("page>", "article>").replace("<p>", "<p><para>").encode()))
    everything = f"{page.title} {page.body}"
    assert "lol" not in everything
    assert "root:" not in everything


def test_nothing_that_a_script_or_style_holds_survives() -> None:
    text = "<h1>A</h1><SCRIPT>bad()</SCRIPT><style>bad</style><p onclick='bad()'>good</p><iframe>bad</iframe>"
    text += "<svg>bad</svg>"
    page = read_page("a.html", text.encode())
    assert [block.text for block in page.blocks] == ["good"]


def test_escaped_markup_stays_text_without_brackets_of_tags() -> None:
    page = read_page("a.html", b"<h1>A</h1><p>&lt;script&gt;x&lt;/script&gt; &#0;&#x202e;b</p>")
    text = page.blocks[0].text
    assert "<" not in text
    assert text.isprintable()


@pytest.mark.parametrize("tag", ["div", "span", "ul", "b", "section"])
def test_elements_nested_too_deep_are_refused(tag: str) -> None:
    with pytest.raises(UnreadablePage, match="nested too deep"):
        read_page("a.html", f"<h1>A</h1>{f'<{tag}>' * (MAX_DEPTH + 1)}x".encode())


@pytest.mark.parametrize(
    "piece",
    ["<!--", "<a ", "<![CDATA[", "</", '<a b="', "<", "&", "&#", "<script>", "<ul><li>", "\\f(", "[", "](", "**"],
)
@pytest.mark.parametrize("name", ["a.html", "a.page", "a.docbook", "a.md", "a.1"])
def test_a_page_of_one_piece_a_million_times_is_read_or_refused(name: str, piece: str) -> None:
    text = (".TH A 1\n" if name == "a.1" else "# A\n" if name == "a.md" else "<h1>A</h1><p>b</p>") + "b\n"
    content = (text + piece * (1_000_000 // len(piece))).encode()
    try:
        page = index_page(read_page(name, content))
    except UnreadablePage:
        return
    assert len(page.body) <= 1_000_000


@pytest.mark.parametrize("piece", ["word ", "a\N{NO-BREAK SPACE}b\n", "tail\x07 ", "x", "\N{ZERO WIDTH SPACE}y, "])
def test_a_long_text_is_cut_the_same_without_a_look_at_each_character(piece: str) -> None:
    for count in (1, 99):
        assert fast_plain(piece * count, 50) == plain(piece * count, 50)
        assert len(fast_plain(piece * count, 50)) <= 50


@pytest.mark.parametrize("name", ["a.html", "a.page", "a.docbook"])
def test_a_tag_of_a_hundred_thousand_attributes_is_read(name: str) -> None:
    """Libraries of HTML and XML take minutes for one: they compare each name with all before."""
    attributes = " ".join(f"a{number}='x'" for number in range(100_000))
    assert (
        read_page(name, f"<article><title>A</title><p {attributes}>b</p><para>c</para></article>".encode()).title == "A"
    )


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.html", b"", "no title"),
        ("a.html", b"<h1>A</h1>", "no text"),
        ("a.html", b"<p>b</p>", "no title"),
        ("a.html", b"\0\1\2\3 binary", "no text"),
        ("a.html", b"x" * (MAX_BYTES + 1), "too large"),
        ("a.1.gz", b"no gzip", "damaged"),
        ("a.1.gz", gzip.compress(b"x" * 100, mtime=0)[:-12], "damaged"),
        ("a.1.gz", gzip.compress(b"\0" * (MAX_BYTES + 1), mtime=0), "too large"),
        ("a.exe", b"MZ", "format"),
    ],
)
def test_what_is_no_page_is_refused_with_a_reason(name: str, content: bytes, why: str) -> None:
    with pytest.raises(UnreadablePage, match=why):
        read_page(name, content)


@pytest.mark.parametrize("name", sorted(PAGES))
def test_damaged_pages_are_read_or_refused(name: str) -> None:
    rng = random.Random(name)
    read = 0
    for _ in range(300):
        content = bytearray(PAGES[name].encode())
        for _ in range(rng.randrange(1, 30)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        try:
            page = index_page(read_page(name, bytes(content[: rng.randrange(1, len(content) + 1)])))
        except UnreadablePage:
            continue
        read += 1
        assert all(step.text.isprintable() for step in page.steps)
    assert read > 30
