"""HTTP to one server: sends a request and returns its reply, or the reason in our words why there is none.

The libraries below log reason phrases and headers, and put pieces of a reply into exceptions. So their logs are
disabled here, no exception of theirs leaves this module, and none of their text is stored. Redirects and cookies are
not followed, replies are limited in size and not decompressed, and TLS is always verified.

Who listens at an address of this machine is looked up before connecting, so that a stranger hears nothing of us, and
again on the connection before anything is sent, because the port may have changed hands in between.
"""

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx2

from detectors.mllm.client.address import NetworkScope, PortListener, ServerAddress
from detectors.mllm.protocol import Request
from detectors.mllm.questions import FailureReason
from storage.errors import EnvironmentFault
from storage.translation.sentences import translatable

OK = 200
CONNECT_S = 2.0
KEEP_ALIVE_S, KEEP_ALIVE_PUBLIC_S = 4.0, 60.0
"""When an unused connection is closed: llama-server does so after 5 s, others later, and there TLS takes a while."""

Lookup = Callable[[str, int], Awaitable[list[str]]]
FindListener = Callable[[str, int], PortListener]
OnContent = Callable[[bytes], None]
_ABOUT_TO_SEND = ".send_request_headers.started"  # the libraries' name of that moment
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A whole reply."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpFailure:
    """No whole reply. `delivered` tells whether the server may have begun to work on the request."""

    reason: FailureReason
    delivered: bool


class _AddressRefusedError(httpx2.TransportError):
    """A name resolves to an address that is not allowed, or a stranger listens there; nothing was sent."""


class HttpTransport:
    """A client of one address. It connects when a request is sent, and to allowed addresses alone."""

    def __init__(
        self,
        address: ServerAddress,  # the server's
        headers: Mapping[str, str],  # sent with every request: the key, where there is one
        *,
        lookup: Lookup | None = None,  # resolves a name; by default the system's resolver
        # tells who listens at an address of this machine; a stranger there gets nothing. None: it does not matter,
        # because what is sent may leave this machine.
        find_listener: FindListener | None = None,
    ) -> None:
        """Prepare a client.

        Raises:
            EnvironmentFault: the proxy or the certificates that the environment names cannot be used.
        """
        _disable_library_logs()
        self.address = address
        public = address.scope is NetworkScope.PUBLIC
        self._lookup = lookup or _resolve
        self._find_listener = find_listener if address.scope is NetworkScope.LOOPBACK else None
        self._last_address = ""
        keep_alive_s = KEEP_ALIVE_PUBLIC_S if public else KEEP_ALIVE_S
        with _environment_faults():
            self._client = httpx2.AsyncClient(
                verify=_tls_verification(address.scheme),
                trust_env=public,  # a proxy is for public addresses alone
                limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=keep_alive_s),
                timeout=httpx2.Timeout(None, connect=CONNECT_S),  # all else is limited by the query's deadline
                follow_redirects=False,
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                headers={
                    "User-Agent": "kairos",
                    "Accept": "application/json",
                    "Accept-Encoding": "identity",
                    **headers,
                },
            )

    async def post(
        self, request: Request, *, limit: int, on_content: OnContent | None = None
    ) -> HttpReply | HttpFailure:
        """Send a request and return its reply, of at most `limit` bytes. Cancelling closes the connection.

        `on_content` gets the bytes of a reply of status 200 as they come.
        """
        headers = {"Content-Type": "application/json", **request.headers}
        return await self._send(
            "POST", request.path, content=bytes(request.body), headers=headers, limit=limit, on_content=on_content
        )

    async def get(self, path: str, *, limit: int) -> HttpReply | HttpFailure:
        """Request a page about the server; nothing but the key is sent."""
        return await self._send("GET", path, limit=limit)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def _send(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        limit: int,
        on_content: OnContent | None = None,
    ) -> HttpReply | HttpFailure:
        """Try the allowed addresses of the host in turn, the one that answered last first."""
        url = httpx2.URL(self.address.to(path))
        try:
            hosts = await self._hosts()
            for number, host in enumerate(hosts, start=1):
                # The Host header and TLS keep the name; the connection goes to the address that was checked.
                name = {} if host == url.host else {"Host": url.netloc.decode()}
                await self._check_listener(host)
                request = self._client.build_request(
                    method,
                    url.copy_with(host=host),
                    content=content,
                    headers={**name, **(headers or {})},
                    extensions={"sni_hostname": url.host, **self._check_when_connected(host)},
                )
                try:
                    response = await self._client.send(request, stream=True)
                except (httpx2.ConnectError, httpx2.ConnectTimeout):
                    if number == len(hosts):
                        raise
                else:
                    self._last_address = host
                    return await _read(response, limit, on_content if response.is_success else None)
            raise httpx2.ConnectError("the name has no address")
        except httpx2.TransportError as error:
            return _failure(error)

    async def _check_listener(self, host: str, *, connected: bool = False) -> None:
        """Refuse a stranger at an address of this machine; once `connected`, also somebody who is not known.

        Before, nobody may listen yet: that is a server that was not started, and is found out by connecting.
        """
        if self._find_listener is None:
            return
        listener = await asyncio.to_thread(self._find_listener, host, self.address.port)
        if listener is PortListener.STRANGER or (connected and listener is not PortListener.TRUSTED):
            whose = "of another user" if listener is PortListener.STRANGER else "of a user who cannot be told"
            _LOG.warning("port %d here is %s: nothing is sent there without send_screens", self.address.port, whose)
            raise _AddressRefusedError("not allowed")

    def _check_when_connected(self, host: str) -> dict[str, object]:
        """Return the extension of a request by which the libraries call us between connecting and sending."""
        if self._find_listener is None:
            return {}

        async def trace(event: str, info: object) -> None:  # noqa: ARG001  # their signature
            if event.endswith(_ABOUT_TO_SEND):
                await self._check_listener(host, connected=True)

        return {"trace": trace}

    async def _hosts(self) -> list[str]:
        """Return what to connect to: addresses that were checked, or the name where TLS proves who answers."""
        address = self.address
        if address.literal or address.scope is NetworkScope.PUBLIC:
            return [address.host]
        if address.loopback_addresses:
            hosts = list(address.loopback_addresses)
        else:
            try:
                async with asyncio.timeout(CONNECT_S):
                    hosts = await self._lookup(address.host, address.port)
            except (OSError, TimeoutError):
                raise httpx2.ConnectError("the name was not found") from None
            if not all(map(address.allows, hosts)):
                _LOG.warning("a model server's name resolves to a public address: nothing is sent there without https")
                raise _AddressRefusedError("not allowed")
        return sorted(hosts, key=lambda host: host != self._last_address)


@contextmanager
def _environment_faults() -> Iterator[None]:
    """Report a proxy or certificates of the environment that cannot be used, without quoting their values."""
    try:
        yield
    except (ImportError, ValueError):  # a proxy's address may hold a password
        raise EnvironmentFault(
            translatable("the proxy that HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names cannot be used"),
            remedy=translatable(
                "give it an address that begins with http:// (SOCKS is not supported), or unset the variable"
            ),
        ) from None
    except OSError:
        raise EnvironmentFault(
            translatable("the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read"),
            remedy=translatable("name a file of certificates, or unset the variable"),
        ) from None


def _tls_verification(scheme: str) -> ssl.SSLContext | bool:
    """Return how certificates are verified; for plain http, which needs none, by a context that trusts nobody."""
    return scheme == "https" or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # loading the system's takes long


async def _resolve(host: str, port: int) -> list[str]:
    addresses = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
    return list(dict.fromkeys(str(address[0]) for *_, address in addresses))


async def _read(response: httpx2.Response, limit: int, on_content: OnContent | None) -> HttpReply | HttpFailure:
    too_long = HttpFailure(reason=FailureReason.NONSENSE, delivered=True)
    async with aclosing(response):
        if int(response.headers.get("content-length", "0")) > limit:  # h11 has checked that this is a number
            return too_long
        content = bytearray()  # raw: we accept no compression, and a small compressed reply can be a huge one
        async for piece in response.aiter_raw():
            content += piece
            if len(content) > limit:
                return too_long
            if on_content is not None:
                on_content(piece)
    status = OK if response.is_success and content else response.status_code  # a proxy says 203
    return HttpReply(status=status, headers=dict(response.headers), content=bytes(content))


def _failure(error: httpx2.TransportError) -> HttpFailure:
    _LOG.info("a model server gave no whole reply: %s", type(error).__name__)
    if isinstance(error, _AddressRefusedError):
        return HttpFailure(reason=FailureReason.NOT_ALLOWED, delivered=False)
    unconnected = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError)
    return HttpFailure(reason=FailureReason.UNREACHABLE, delivered=not unconnected)


def _disable_library_logs() -> None:
    """Keep libraries from logging what servers say: httpx2 at INFO, httpcore2 at DEBUG."""
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
