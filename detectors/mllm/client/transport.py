"""One line to one server: sends a request, returns what came back, and says in our words why nothing did.

What surprised us: libraries below log reason phrases and headers, and put pieces of a reply into exceptions. So both
are silenced here, no exception of theirs leaves this module, and none of their text is kept. Redirects and cookies are
not followed, replies are limited in size and not unpacked, and TLS is always verified.
"""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx2

from detectors.mllm.client.address import Address, Reach
from detectors.mllm.questions import FailureReason
from detectors.mllm.wire import Request
from storage.errors import EnvironmentFault

CONNECT_S = 2.0
KEEP_S, KEEP_REMOTE_S = 4.0, 60.0
"""How long an unused connection is kept: llama-server ends it after 5 s, others later, and there TLS takes a while."""

Lookup = Callable[[str, int], Awaitable[list[str]]]
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """A whole reply."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """No whole reply. `delivered` tells whether the server may have begun to work on the request."""

    trouble: FailureReason
    delivered: bool


class AddressRefusedError(httpx2.TransportError):
    """A name stands for an address that it may not stand for; nothing was sent."""


class HttpTransport:
    """A client of one address. Its connections are opened when they are needed."""

    def __init__(self, address: Address, headers: Mapping[str, str], *, lookup: Lookup | None = None) -> None:
        """Prepare a client.

        Args:
            address: where to.
            headers: what goes with every request: the key, where there is one.
            lookup: returns the addresses of a name; by default the system's.

        Raises:
            EnvironmentFault: the proxy or the certificates that the environment names cannot be used.
        """
        _hush()
        self.address = address
        keep_s = KEEP_REMOTE_S if address.reach is Reach.PUBLIC else KEEP_S
        limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=keep_s)
        verify = _verified(address.scheme)
        transport = None
        if address.reach is not Reach.PUBLIC:
            inner = httpx2.AsyncHTTPTransport(verify=verify, trust_env=False, limits=limits)
            transport = inner if address.literal else Pinned(address, inner, lookup or _look_up)
        with _environment():
            self._client = httpx2.AsyncClient(
                transport=transport,
                verify=verify,
                trust_env=transport is None,  # a proxy is for public addresses alone
                limits=limits,
                timeout=httpx2.Timeout(None, connect=CONNECT_S),  # all else is bounded by the deadline of the ask
                follow_redirects=False,
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                headers={
                    "User-Agent": "kairos",
                    "Accept": "application/json",
                    "Accept-Encoding": "identity",
                    **headers,
                },
            )

    async def post(self, request: Request, *, limit: int) -> Arrived | Broken:
        """Send a request and return its reply, of at most `limit` bytes. Cancelling closes the connection."""
        try:
            async with self._sent("POST", request.path, bytes(request.body), request.headers) as response:
                return await _whole(response, limit)
        except httpx2.TransportError as error:
            return _broken(error)

    async def get(self, path: str, *, limit: int) -> Arrived | Broken:
        """Ask for what a server says of itself; nothing goes out but the key."""
        try:
            async with self._sent("GET", path, None, {}) as response:
                return await _whole(response, limit)
        except httpx2.TransportError as error:
            return _broken(error)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    @asynccontextmanager
    async def _sent(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]
    ) -> AsyncIterator[httpx2.Response]:
        kind = {} if content is None else {"Content-Type": "application/json"}
        url = self.address.to(path)
        async with self._client.stream(method, url, content=content, headers={**kind, **headers}) as response:
            yield response


class Pinned(httpx2.AsyncBaseTransport):
    """Connects to the very addresses of a name that were found allowed."""

    def __init__(self, address: Address, inner: httpx2.AsyncBaseTransport, lookup: Lookup) -> None:
        """Pass requests for `address` on to `inner`, with an address in place of the name."""
        self._address = address
        self._inner = inner
        self._lookup = lookup
        self._last = ""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Try the name's addresses in turn, the one that answered last first."""
        found = await self._found()
        found.sort(key=lambda one: one != self._last)
        request.extensions = {**request.extensions, "sni_hostname": self._address.host}
        for number, one in enumerate(found, start=1):
            request.url = request.url.copy_with(host=one)  # the Host header still holds the name
            try:
                response = await self._inner.handle_async_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                if number == len(found):
                    raise
            else:
                self._last = one
                return response
        raise httpx2.ConnectError("the name has no address")

    async def aclose(self) -> None:
        """Close connections."""
        await self._inner.aclose()

    async def _found(self) -> list[str]:
        address = self._address
        if address.loopback_addresses:
            return list(address.loopback_addresses)
        try:
            async with asyncio.timeout(CONNECT_S):
                found = await self._lookup(address.host, address.port)
        except (OSError, TimeoutError):
            raise httpx2.ConnectError("the name was not found") from None
        if not all(map(address.allowed, found)):
            _LOG.warning("a model server's name stands for a public address: nothing is sent there without https")
            raise AddressRefusedError("not allowed")
        return found


@contextmanager
def _environment() -> Iterator[None]:
    """Say what is wrong with the environment of a server that is reached over the internet; no value of it is told."""
    try:
        yield
    except (ImportError, ValueError):  # a proxy's address may hold a password
        raise EnvironmentFault(
            "the proxy that HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names cannot be used",
            remedy="give it an address that begins with http:// (SOCKS is not supported), or unset the variable",
        ) from None
    except OSError:
        raise EnvironmentFault(
            "the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read",
            remedy="name a file of certificates, or unset the variable",
        ) from None


def _verified(scheme: str) -> ssl.SSLContext | bool:
    """Return how certificates are verified; for plain http, which needs none, by a context that trusts nobody."""
    return scheme == "https" or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # reading the system's takes long


async def _look_up(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def _whole(response: httpx2.Response, limit: int) -> Arrived | Broken:
    nonsense = Broken(trouble=FailureReason.NONSENSE, delivered=True)
    if int(response.headers.get("content-length", "0")) > limit:  # h11 has seen to it that this is a number
        return nonsense
    content = bytearray()  # as it comes: we asked for nothing packed, and a small packed reply can be a huge one
    async for piece in response.aiter_raw():
        content += piece
        if len(content) > limit:
            return nonsense
    return Arrived(status=response.status_code, headers=dict(response.headers), content=bytes(content))


def _broken(error: httpx2.TransportError) -> Broken:
    _LOG.info("a model server gave no whole reply: %s", type(error).__name__)
    if isinstance(error, AddressRefusedError):
        return Broken(trouble=FailureReason.NOT_ALLOWED, delivered=False)
    unconnected = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError)
    return Broken(trouble=FailureReason.UNREACHABLE, delivered=not unconnected)


def _hush() -> None:
    """Keep libraries from logging what servers say: httpx2 at INFO, httpcore2 at DEBUG."""
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
