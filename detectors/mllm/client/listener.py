"""Whose program listens at an address of this machine: any user may open a port there, also while our server is down.

Linux names the user of every listening socket in `/proc/net/tcp` and `tcp6`. Other systems, and containers whose
network is elsewhere, do not tell; then it is not known.
"""

import ipaddress
import os
import struct
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from pathlib import Path

TABLES = Path("/proc/net")
ROOT = 0
_NOBODY = 65534  # the kernel writes this for any user that has no number in our namespace
_LISTENS = "0A"
_IPV6 = 6  # its sockets at every address take IPv4 as well

_IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


class Listener(Enum):
    """Who listens at an address."""

    TRUSTED = auto()
    """This user or root."""

    STRANGER = auto()
    """Another user, among others or alone."""

    UNKNOWN = auto()
    """Nobody, or it cannot be told."""


def find_listener(host: str, port: int, *, tables: Path = TABLES, user: int | None = None) -> Listener:
    """Return who listens at a loopback address, by the system's tables; reads files, so not for an event loop.

    Args:
        host: an IP address.
        port: its port.
        tables: the folder of the tables.
        user: who asks; by default the user of this process.
    """
    trusted = {ROOT, os.getuid() if user is None else user} - {_NOBODY}
    try:
        lines = [*_lines(tables / "tcp"), *_lines(tables / "tcp6", optional=True)]
        users = set(_listening_users(lines, _unmapped(ipaddress.ip_address(host)), port))
    except (OSError, ValueError, IndexError, struct.error):
        return Listener.UNKNOWN
    if not users:
        return Listener.UNKNOWN
    return Listener.TRUSTED if users <= trusted else Listener.STRANGER


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
    """Return an IPv4 address that is written as an IPv6 one as itself."""
    return getattr(address, "ipv4_mapped", None) or address
