"""Addresses of model servers, and whether pictures may go there: https, or plain http within private networks.

*Names and plain http.* A resolver could return a private address when the name is checked and another one when it is
connected to. So for plain http a name is resolved for each request, all its addresses must be private
(`ServerAddress.allows`), and the connection goes to one of these very addresses (`transport`). With https the
certificate proves who answers, whatever the address. "localhost" is never looked up: it is 127.0.0.1 or ::1.

*This machine.* Any user may listen on it, so without leave to send pictures elsewhere `transport` also looks whose
program listens there (`find_listener`). Linux names the user of every listening socket in `/proc/net/tcp` and `tcp6`.
Other systems, and containers whose network is elsewhere, do not tell; then it is not known.

*Proxies.* Only a server that is reached by https under a public name or address may be reached through the proxy of
the environment; the proxy learns its name and nothing else.

Link-local addresses do not count as private (cloud machines keep their credentials there), nor does the range that
providers share among customers.
"""

import ipaddress
import os
import re
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from storage.errors import UsageError
from storage.translation.sentences import translatable

_PRIVATE = tuple(map(ipaddress.ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")))
_LOOPBACK_NAMES = ("localhost",)
_PORTS = {"http": 80, "https": 443}
_PATH = re.compile(r"(/[A-Za-z0-9._~%-]+)*/?")
_HOST = re.compile(r"[A-Za-z0-9._-]+")
_REMEDY = "give an address such as http://127.0.0.1:8080/v1 or https://api.example.com/v1"


class NetworkScope(StrEnum):
    """How far a request travels, by the address."""

    LOOPBACK = "loopback"
    PRIVATE = "private"
    PUBLIC = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """A server's address that was checked."""

    url: str  # the prefix of all paths, without a slash at its end
    scheme: str  # "http" or "https"
    host: str  # a name in lower case, or an address without brackets
    port: int  # its port
    scope: NetworkScope  # how far requests travel. A name in an http URL counts as private, and is held to that.
    literal: bool  # whether the host is an IP address, so that there is nothing to resolve

    def to(self, path: str) -> str:
        """Return the URL of a path below the address."""
        if not path.startswith("/"):
            message = "a path begins with a slash"
            raise ValueError(message)
        return self.url + path

    def allows(self, resolved: str) -> bool:
        """Tell whether the host may resolve to this IP address."""
        scope = _scope_of(resolved)
        return (
            scope is NetworkScope.LOOPBACK if self.scope is NetworkScope.LOOPBACK else scope is not NetworkScope.PUBLIC
        )

    @property
    def loopback_addresses(self) -> tuple[str, ...]:
        """The addresses of "localhost"; empty for any other host."""
        return ("127.0.0.1", "::1") if self.host in _LOOPBACK_NAMES else ()


def parse_address(url: str, *, send_screens: bool) -> ServerAddress:
    """Return the address of a URL if pictures may be sent there.

    Raises:
        UsageError: they may not, or it is no address. The message never holds a user name or password from the URL.
    """
    parts = _split(url)
    host, port = (parts.hostname or "").rstrip("."), parts.port or _PORTS[parts.scheme]
    literal = _is_literal(host)
    scope = _scope(parts.scheme, host, literal)
    if scope is NetworkScope.PUBLIC and parts.scheme == "http":
        raise UsageError(
            translatable("{host} would be reached without encryption", host=host),
            remedy=translatable("use its https address"),
        )
    if scope is not NetworkScope.LOOPBACK and not send_screens:
        raise UsageError(
            translatable("{host} is not on this machine, and pictures of the screen may not leave it", host=host),
            remedy=translatable("set send_screens = true in the model's settings if you want that"),
        )
    url_host = f"[{host}]" if ":" in host else host
    return ServerAddress(
        url=f"{parts.scheme}://{url_host}:{port}{parts.path.rstrip('/')}",
        scheme=parts.scheme,
        host=host,
        port=port,
        scope=scope,
        literal=literal,
    )


def _split(url: str) -> SplitResult:
    if not (url.isascii() and url.isprintable()):
        raise UsageError(
            translatable("the model server's address holds characters that no address has"), remedy=_REMEDY
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UsageError(translatable("the model server's address cannot be read"), remedy=_REMEDY) from None
    if "@" in parts.netloc:
        raise UsageError(
            translatable("the model server's address holds a name or password"),
            remedy=translatable("use key_name for a key"),
        )
    if parts.scheme not in _PORTS:
        raise UsageError(translatable("the model server's address is neither https nor http"), remedy=_REMEDY)
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise UsageError(translatable("the model server's address goes on after its path"), remedy=_REMEDY)
    host = (parts.hostname or "").rstrip(".")
    if not (host and (_HOST.fullmatch(host) or _is_literal(host))) or port == 0 or not _PATH.fullmatch(parts.path):
        raise UsageError(translatable("the model server's address cannot be read"), remedy=_REMEDY)
    return parts


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return "%" not in host


def _scope(scheme: str, host: str, literal: bool) -> NetworkScope:
    if literal:
        return _scope_of(host)
    if host in _LOOPBACK_NAMES:
        return NetworkScope.LOOPBACK
    return NetworkScope.PRIVATE if scheme == "http" else NetworkScope.PUBLIC


def _scope_of(host: str) -> NetworkScope:
    """Return the scope of an IP address; what is neither loopback nor surely private is public."""
    address = ipaddress.ip_address(host.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.is_loopback:
        return NetworkScope.LOOPBACK
    private = any(address.version == network.version and address in network for network in _PRIVATE)
    return NetworkScope.PRIVATE if private else NetworkScope.PUBLIC


TABLES = Path("/proc/net")
ROOT = 0
_NOBODY = 65534  # the kernel writes this for any user that has no number in our namespace
_LISTENS = "0A"
_IPV6 = 6  # its sockets at every address take IPv4 as well

_IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


class PortListener(Enum):
    """Who listens at an address."""

    TRUSTED = auto()
    """This user or root."""

    STRANGER = auto()
    """Another user, among others or alone."""

    UNKNOWN = auto()
    """Nobody, or it cannot be told."""


def find_listener(host: str, port: int, *, tables: Path = TABLES, user: int | None = None) -> PortListener:
    """Return who listens at a loopback address, by the system's tables; reads files, so not for an event loop.

    Args:
        host: an IP address.
        port: its port.
        tables: the folder of the tables.
        user: who asks; by default the user of this process.
    """
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    trusted = {ROOT, os.getuid() if user is None else user} - {_NOBODY}
    try:
        lines = [*_lines(tables / "tcp"), *_lines(tables / "tcp6", optional=True)]
        users = set(_listening_users(lines, _unmapped(ipaddress.ip_address(host)), port))
    except (OSError, ValueError, IndexError, struct.error):
        return PortListener.UNKNOWN
    if not users:
        return PortListener.UNKNOWN
    return PortListener.TRUSTED if users <= trusted else PortListener.STRANGER


def _lines(table: Path, *, optional: bool = False) -> list[str]:
    """Return the rows of a table; that of IPv6 is absent where IPv6 is switched off."""
    try:
        return table.read_text(encoding="ascii").splitlines()[1:]
    except FileNotFoundError:
        if not optional:
            raise
        return []


def _listening_users(lines: Iterable[str], host: _IpAddress, port: int) -> Iterator[int]:
    """Yield the users of all sockets that listen at an address, or at every address."""
    for line in lines:
        cells = line.split()
        local, _, local_port = cells[1].partition(":")
        if cells[3] == _LISTENS and int(local_port, 16) == port:
            at = _unmapped(_address(local))
            if at == host or (at.is_unspecified and at.version in (host.version, _IPV6)):
                yield int(cells[7])


def _address(digits: str) -> _IpAddress:
    """Return the address that stands in a table as words in the machine's order of bytes."""
    words = (int(digits[start : start + 8], 16) for start in range(0, len(digits), 8))
    return ipaddress.ip_address(b"".join(struct.pack("=I", word) for word in words))


def _unmapped(address: _IpAddress) -> _IpAddress:
    return getattr(address, "ipv4_mapped", None) or address
