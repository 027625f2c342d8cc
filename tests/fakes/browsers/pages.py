"""A web server on this machine for pages that are painted in one colour each and do on a click what a test says.

A page takes its colour, title and act from the server; every act, key and change of title is reported back to the
server, so that a test waits for what happened and not for a time.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np

from demo.virtual_desktop.windows import poll

_PAGE = """<!doctype html><meta charset="utf-8"><title></title>
<body style="margin:0;height:100vh"><div id="block" style="position:fixed;left:60px;top:60px;width:256px;height:128px">
</div><input type="file" hidden><script>
const wanted = @WANTED@;
document.title = wanted.title;
document.body.style.background = wanted.colour;
const did = what => fetch("/did?" + new URLSearchParams({name: wanted.name, what}), {cache: "no-store"});
const block = document.getElementById("block");
const acts = {
  none: () => {},
  popup: () => open(wanted.then, "", "popup,left=700,top=80,width=320,height=240"),
  print: () => print(),
  file: () => document.querySelector("input").click(),
  alert: () => setTimeout(() => alert(wanted.title), 0),
  video: () => document.querySelector("video").requestPictureInPicture().then(() => did("pip"), e => did("no " + e)),
  document: async () => {
    const inner = await documentPictureInPicture.requestWindow({width: 320, height: 240});
    inner.document.title = wanted.title;
    inner.document.body.style = "margin:0;background:" + wanted.then;
    did("pip");
  },
  full: () => document.documentElement.requestFullscreen().then(() => did("full"), e => did("no full " + e)),
};
let at = 0, presses = 0;
addEventListener("click", () => { acts[wanted.act](); did("click"); });
addEventListener("keydown", event => {
  if (event.key.length > 1 || event.ctrlKey || event.altKey) return;
  presses += 1;
  block.style.background = presses % 2 ? wanted.shade : wanted.colour;
  if (event.key === "t" && at < wanted.titles.length) document.title = wanted.titles[at++];
  requestAnimationFrame(() => requestAnimationFrame(() => did("key " + presses)));
});
if (wanted.act === "video") {
  const video = document.createElement("video");
  Object.assign(video, {src: "/video.webm?" + wanted.then.slice(1), muted: true, loop: true, controls: true});
  video.style = "position:fixed;left:60px;top:220px;width:256px";
  document.body.append(video);
  const play = () => video.play().then(() => did("playing"), e => { did("no video " + e); setTimeout(play, 500); });
  play();
}
addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(() => did("shown"))));
</script>"""


class PageServer:
    """Serves pages and notes what they report."""

    def __init__(self) -> None:
        self._happened: list[tuple[str, str]] = []
        self._wanted: dict[str, str] = {}
        self._videos: dict[str, bytes] = {}
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                place = urlsplit(self.path)
                if place.path == "/page":
                    wanted = owner._wanted[parse_qs(place.query)["name"][0]]
                    self._send(_PAGE.replace("@WANTED@", wanted).encode(), "text/html")
                elif place.path == "/video.webm":
                    self._send(owner._video(place.query), "video/webm")
                elif place.path == "/did":
                    facts = parse_qs(place.query)
                    owner._happened.append((facts["name"][0], facts["what"][0]))
                    self._send(b"", "text/plain")
                else:
                    self.send_error(404)

            def _send(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="pages", daemon=True)
        self._thread.start()

    def url(
        self,
        name: str,
        colour: int,
        title: str,
        *,
        act: str = "none",
        then: "str | int" = "",
        titles: Sequence[str] = (),
        host: str = "127.0.0.1",
    ) -> str:
        """Return the address of a page; `then` is the address or the colour that its `act` opens."""
        page = {
            "name": name,
            "colour": f"#{colour:06x}",
            "shade": f"#{_shade(colour):06x}",
            "title": title,
            "act": act,
            "then": f"#{then:06x}" if isinstance(then, int) else then,
            "titles": list(titles),
        }
        if act == "video" and isinstance(then, int):
            self._video(f"{then:06x}")  # before anybody waits for it
        port = self._server.server_address[1]
        self._wanted[name] = json.dumps(page)
        return f"http://{host}:{port}/page?" + urlencode({"name": name})

    def count(self, name: str, what: str) -> int:
        return self._happened.count((name, what))

    def wait(self, name: str, what: str, *, timeout_s: float = 60.0) -> None:
        """Wait until a page has reported something.

        Raises:
            EnvironmentFault: it did not within `timeout_s`.
        """
        poll(lambda: self.count(name, what), what=f'"{what}" of page {name}', timeout_s=timeout_s)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def _video(self, colour: str) -> bytes:
        if colour not in self._videos:
            self._videos[colour] = plain_video(int(colour, 16))
        return self._videos[colour]


@contextmanager
def serving() -> Iterator[PageServer]:
    server = PageServer()
    try:
        yield server
    finally:
        server.close()


def plain_video(colour: int, seconds: int = 20) -> bytes:
    """Return a WebM video of one colour, in which a stripe moves so that something is painted."""
    import av

    file = BytesIO()
    with av.open(file, "w", format="webm") as container:
        stream = container.add_stream("libvpx", rate=10)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        stream.time_base = Fraction(1, 10)
        for number in range(10 * seconds):
            pixels = np.empty((240, 320, 3), np.uint8)
            pixels[...] = (colour >> 16, colour >> 8 & 255, colour & 255)
            at = 8 * (number % 40)
            pixels[-8:, at : at + 8] = 255
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return file.getvalue()


def _shade(colour: int) -> int:
    return sum((colour >> shift & 255) * 15 // 16 << shift for shift in (16, 8, 0))
