"""Local web pages for simulated people: the task's brief, help pages with a search, and an upload with a progress bar.

One file, no network, no animation: what moves moves in steps, as four desktops share two cores. Controls stand at
places that `Site` tells, in pixels from the page's top left corner (negative ones from its right), so that no script
has to guess. The header has a colour of its own in the middle, by which the page's top is found on the screen.
"""

import html
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.simulation.program import Point
from evaluation.stage.sample_text import heading, item, sentence

UPLOADING = "Uploading"
"""Title of the window while an upload goes on."""

_HEADERS = ("#24506b", "#5b3a29", "#2f5d3a", "#4a3c6e", "#6b2433", "#33414e")
_PAPERS = ("#ffffff", "#fbfaf5", "#f4f7fa")
_FONTS = ("sans-serif", "serif", "DejaVu Sans Mono, monospace")
_VERBS = ("Move", "Change", "Copy", "Find", "Number", "Sort", "Colour", "Align", "Print", "Undo", "Share", "Export")
_THINGS = ("a line", "a table", "a heading", "pages", "a picture", "cells", "a list", "words", "a chart", "margins")
_ARTICLES = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where the pages are and where things are on them."""

    path: Path
    header: bytes
    brief: Point
    help: Point
    upload: Point
    search: Point
    results: Sequence[Point]
    related: Sequence[Point]
    start: Point
    job: Path


def write_site(folder: Path, rng: random.Random) -> Site:
    """Write the pages into `folder`; content, colours and fonts are drawn from `rng`."""
    folder.mkdir(parents=True, exist_ok=True)
    colour = rng.choice(_HEADERS)
    names = rng.sample([f"{verb} {thing}" for verb in _VERBS for thing in _THINGS], _ARTICLES)
    facts = {
        "HEADER": colour,
        "PAPER": rng.choice(_PAPERS),
        "FONT": rng.choice(_FONTS),
        "SIZE": str(rng.randint(15, 18)),
        "BRIEF": _brief(rng),
        "ARTICLES": "".join(_article(rng, name) for name in names),
        "FILES": "".join(f"<li>{html.escape(item(rng))}.odt</li>" for _ in range(rng.randint(3, 7))),
    }
    page = _PAGE
    for name, value in facts.items():
        page = page.replace(f"@{name}@", value)
    path, job = folder / "handbook.html", folder / "job.js"
    path.write_text(page)
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return Site(
        path=path,
        header=bytes((blue, green, red)),
        brief=(64, 23),
        help=(164, 23),
        upload=(264, 23),
        search=(220, 73),
        results=[(150, 131 + 84 * number) for number in range(5)],
        related=[(-140, 175 + 36 * number) for number in range(5)],
        start=(112, 138),
        job=job,
    )


def brief_text(rng: random.Random) -> str:
    """Return the brief as plain text for viewers of text files."""
    parts = []
    for _ in range(rng.randint(7, 9)):
        parts.append(heading(rng).upper())
        parts.append("\n".join(sentence(rng) for _ in range(rng.randint(3, 5))))
        parts.append("\n".join(f"  * {item(rng)}" for _ in range(rng.randint(2, 4))))
    return "\n\n".join(parts) + "\n"


def _brief(rng: random.Random) -> str:
    parts = [f"<h1>{html.escape(heading(rng))}</h1>"]
    for _ in range(rng.randint(6, 9)):
        parts.append(f"<h2>{html.escape(heading(rng))}</h2><p>{_prose(rng, 3, 6)}</p>")
        parts.append("<ul>" + "".join(f"<li>{item(rng)}</li>" for _ in range(rng.randint(2, 5))) + "</ul>")
        parts.append(f"<p>{_prose(rng, 2, 4)}</p>")
    return "".join(parts)


def _article(rng: random.Random, name: str) -> str:
    steps = "".join(f"<li>{sentence(rng)}</li>" for _ in range(rng.randint(4, 8)))
    notes = "".join(f"<h3>{heading(rng)}</h3><p>{_prose(rng, 4, 8)}</p>" for _ in range(rng.randint(4, 6)))
    return f"<article><h2>{name}</h2><p>{_prose(rng, 2, 3)}</p><ol>{steps}</ol>{notes}</article>"


def _prose(rng: random.Random, fewest: int, most: int) -> str:
    return " ".join(sentence(rng) for _ in range(rng.randint(fewest, most)))


_PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Handbook</title><style>
body { margin: 0; background: @PAPER@; font: @SIZE@px/1.5 @FONT@; color: #222 }
header { position: fixed; z-index: 2; top: 0; left: 0; right: 0; height: 46px; background: @HEADER@ }
header a { position: absolute; top: 8px; width: 96px; line-height: 30px; text-align: center; color: #fff;
  font: 15px/30px sans-serif; cursor: pointer }
header a.now { background: #ffffff33 }
#bar { position: fixed; z-index: 1; top: 46px; left: 0; right: 0; height: 54px; background: @PAPER@;
  border-bottom: 1px solid #bbb }
#bar input { position: absolute; left: 30px; top: 11px; width: 420px; height: 30px; font: 15px sans-serif }
#bar button { position: absolute; left: 470px; top: 11px; height: 34px; font: 15px sans-serif }
section { display: none; padding: 60px 32px; max-width: 820px }
section.now { display: block }
#help { padding-top: 116px; padding-right: 300px; min-height: 500px }
#help article { display: none } #help article.now { display: block }
.hit { height: 84px; overflow: hidden; font-size: 14px; line-height: 20px }
.hit a { display: block; height: 30px; overflow: hidden; font-size: 18px; line-height: 30px; color: #1a4fa0;
  cursor: pointer; white-space: nowrap }
#related { position: fixed; right: 24px; top: 130px; width: 240px; font: 15px/36px sans-serif }
#related a { display: block; height: 36px; overflow: hidden; white-space: nowrap; color: #1a4fa0; cursor: pointer }
#related b { display: block; height: 27px; line-height: 27px }
#upload button { position: absolute; left: 32px; top: 120px; width: 160px; height: 36px; font: 15px sans-serif }
#track { display: none; position: absolute; left: 32px; top: 180px; width: 560px; height: 22px;
  border: 1px solid #777 }
#done { height: 22px; width: 0; background: @HEADER@ }
#said { position: absolute; left: 32px; top: 214px }
#upload ul { margin-top: 200px }
</style></head><body>
<header><a style="left:16px" id="to-brief">Brief</a><a style="left:116px" id="to-help">Help</a>
<a style="left:216px" id="to-upload">Upload</a></header>
<section id="brief">@BRIEF@</section>
<section id="help"><div id="bar"><input id="q" autocomplete="off" placeholder="Search"><button id="go">Search</button>
</div><div id="hits"></div>@ARTICLES@<div id="related"></div></section>
<section id="upload"><h2>Upload</h2><button id="start">Start upload</button><div id="track"><div id="done"></div></div>
<div id="said"></div><ul>@FILES@</ul></section>
<script>
const $ = id => document.getElementById(id), all = [...document.querySelectorAll('article')]
const name = article => article.querySelector('h2').textContent
function show(id) {
  for (const one of ['brief', 'help', 'upload']) {
    $(one).classList.toggle('now', one == id); $('to-' + one).classList.toggle('now', one == id)
  }
  scrollTo(0, 0); if (!busy) document.title = id[0].toUpperCase() + id.slice(1)
}
function link(article, parent) {
  const a = document.createElement('a'); a.textContent = name(article)
  a.onclick = () => open_(article); parent.append(a); return a
}
function open_(article) {
  $('hits').replaceChildren(); for (const one of all) one.classList.toggle('now', one == article)
  related(all.indexOf(article)); scrollTo(0, 0)
}
function related(from) {
  const title = document.createElement('b'); title.textContent = 'See also'
  $('related').replaceChildren(title); for (let i = 1; i < 7; i++) link(all[(from + 5 * i) % all.length], $('related'))
}
function search() {
  const words = $('q').value.toLowerCase().split(' ').filter(Boolean)
  const score = one => words.filter(word => one.textContent.toLowerCase().includes(word)).length
    + 3 * words.filter(word => name(one).toLowerCase().includes(word)).length
  for (const one of all) one.classList.remove('now')
  $('hits').replaceChildren()
  for (const one of [...all].sort((a, b) => score(b) - score(a)).slice(0, 6)) {
    const hit = document.createElement('div'); hit.className = 'hit'; link(one, hit)
    hit.append(one.querySelector('p').textContent); $('hits').append(hit)
  }
  related(words.join('').length); scrollTo(0, 0)
}
let busy = false
function run(seconds) {
  const begun = Date.now(); busy = true; document.title = 'Uploading'; $('track').style.display = 'block'
  function step() {
    const part = Math.min(1, (Date.now() - begun) / 1000 / seconds)
    $('done').style.width = Math.round(100 * part) + '%'; $('said').textContent = Math.floor(100 * part) + ' %'
    if (part < 1) return setTimeout(step, Math.min(300 + 900 * Math.random(), 1000 * seconds * (1 - part) + 20))
    busy = false; $('track').style.display = 'none'; $('said').textContent = 'All files are there.'
    document.title = 'Upload finished'
  }
  step()
}
$('start').onclick = () => {
  if (busy) return
  const job = document.createElement('script'); job.src = 'job.js?' + Date.now(); document.body.append(job)
}
$('go').onclick = search; $('q').onkeydown = event => { if (event.key == 'Enter') search() }
for (const one of ['brief', 'help', 'upload']) $('to-' + one).onclick = () => show(one)
search(); show('brief')
</script></body></html>
"""
