"""Errors of a connection to the broker, by whose fault they are.

A network that is down is none: the parcels wait. A certificate, a login or a protocol that does not fit has to be seen
to by somebody.
"""

import ssl

from aiomqtt import MqttError
from aiomqtt.exceptions import MqttConnectError

from participant.outbox import Address
from storage.errors import EnvironmentFault

_REFUSED_LOGIN = frozenset({134, 135, 138, 140})
"""MQTT 5, 3.2.2.2: bad user name or password, not authorized, banned, bad authentication method."""


class UnreachableError(Exception):
    """The broker cannot be reached now, or does not answer; says how, in a few words."""


def sort_error(error: MqttError, address: Address) -> Exception:
    """Return what a failed connection is: `UnreachableError`, or an `EnvironmentFault` that says what to do."""
    where = f"{address.host}:{address.port}"
    cause = error.__cause__ or error.__context__
    if isinstance(error, MqttConnectError):
        if getattr(error.rc, "value", None) in _REFUSED_LOGIN:
            return EnvironmentFault(
                f"the broker {where} refuses the login of this participant",
                remedy="ask the researcher whether this invitation is still valid",
            )
        return UnreachableError(f"the broker {where} refuses connections")
    if isinstance(cause, ssl.SSLCertVerificationError):
        return EnvironmentFault(
            f"the certificate of the broker {where} cannot be trusted: {cause.verify_message}",
            remedy="nothing was sent; ask the researcher, and look at the clock of this machine",
        )
    if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return EnvironmentFault(
            f"the broker {where} does not speak TLS 1.3: {cause.reason}",
            remedy="nothing was sent; ask the researcher",
        )
    if isinstance(cause, OSError) and not isinstance(cause, TimeoutError):
        return UnreachableError(f"the broker {where} cannot be reached: {cause.strerror or type(cause).__name__}")
    return UnreachableError(f"the broker {where} does not answer")
