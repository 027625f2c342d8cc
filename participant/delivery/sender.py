"""One delivery: connect, publish what is due, await the collector's receipts, leave.

MQTT 5 over TLS 1.3. That the broker acknowledges a parcel proves nothing, and neither does a granted subscription: only
a signed receipt counts, and without one the parcel goes again later. aiomqtt does not reconnect, which suits a process
that ends.
"""

import argparse
import asyncio
import json
import logging
import os
import random
import signal
import ssl
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

from aiomqtt import Client, MqttError, ProtocolVersion
from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from participant.delivery.answers import MAX_ANSWER_BYTES, Answers
from participant.delivery.outbox import WITHDRAWAL, BrokerAddress, Outbox
from participant.documents.statements import DeletionReceipt, Receipt
from storage.clock import Clock, SystemClock
from storage.errors import BadFile, EnvironmentFault, KairosError

RECEIPT_S = 20.0
"""How long to wait for the next receipt."""

NOTICE_S = 2.0
"""How long to listen where nothing is to be sent: what the broker keeps for everybody comes at once."""

FIRST_NOTICE_S = 1.0
"""How long parcels wait for the notice of a newer study, where the broker has not sent one with the subscription."""

ANSWER_S = 10.0
"""How long the broker may take to answer a packet."""

LONGEST_S = 300.0
"""How long a delivery may take in all; the rest goes in the next."""

BATCH = 256
AT_ONCE = 10
"""Parcels on the way to the broker at a time; aiomqtt warns above ten."""

MAX_QUEUED = 4096
_PACKET_OVERHEAD = 1024


@dataclass(slots=True, kw_only=True)
class Delivery(Answers):
    """What came of one delivery.

    `sent` parcels went to the broker, `received` of them were signed for. `withdrawal_sent`: so did the withdrawal.
    `unreachable` says why the broker was not reached, or lost.
    """

    sent: int = 0
    withdrawal_sent: bool = False
    unreachable: str | None = None

    @property
    def complete(self) -> bool:
        """Whether all that was to be sent went out and was answered."""
        answered = self.sent == self.received and (self.deleted or not self.withdrawal_sent)
        return answered and self.unreachable is None


class _Session:
    """What is under way on one connection."""

    def __init__(
        self, outbox: Outbox, address: BrokerAddress, clock: Clock, rng: random.Random, client: Client
    ) -> None:
        self._outbox = outbox
        self._address = address
        self._topics = address.topics
        self._clock = clock
        self._rng = rng
        self._client = client
        self._awaited: set[int] = set()
        self._awaits_deletion = False
        self._noticed = False

    async def run(self, result: Delivery) -> None:
        """Do all of it; what has happened so far is always in `result`."""
        for topic in (*reversed(self._topics.announced), self._topics.down(self._address.participant)):
            await self._client.subscribe(topic, qos=1)
        left = self._outbox.statement(WITHDRAWAL)
        if left is not None:  # who left sends no more parcels
            if left[1]:  # a later receipt may say that the key was destroyed
                await self._listen(NOTICE_S, result, until_silent=True)
            else:
                await self._withdraw(left[0], result)
            return
        await self._read_notice(result)
        batch = self._outbox.due(self._clock.wall_ns(), most=BATCH)
        if not batch:
            await self._listen(NOTICE_S, result, until_silent=True)
        while batch or (batch := self._outbox.due(self._clock.wall_ns(), most=BATCH)):
            before = result.received
            await self._publish([(parcel.n, parcel.raw) for parcel in batch], result)
            await self._listen(RECEIPT_S, result)
            if result.received == before:
                return
            batch = []

    async def _read_notice(self, result: Delivery) -> None:
        """Take in what the broker keeps for everybody, before any parcel goes: a newer study stops all of them.

        mosquitto answers packets in their order, so the notice is here with the answer to the second subscription; it
        is waited for all the same, since MQTT 5 (3.8.4) does not promise that order.
        """
        deadline = asyncio.get_running_loop().time() + FIRST_NOTICE_S
        while not self._noticed or len(self._client.messages):
            try:
                async with asyncio.timeout_at(deadline):
                    message = await anext(self._client.messages)
            except TimeoutError:
                return
            self._take(str(message.topic), message.payload, result)

    async def _withdraw(self, raw: bytes, result: Delivery) -> None:
        self._awaits_deletion = True
        await self._client.publish(self._topics.up(self._address.participant), raw, qos=1)
        result.withdrawal_sent = True
        await self._listen(RECEIPT_S, result)

    async def _publish(self, parcels: Sequence[tuple[int, bytes]], result: Delivery) -> None:
        """Publish parcels in order; each counts as sent before it is, so none is thought to be unsent that went out."""
        self._outbox.mark_tried([n for n, _ in parcels], self._clock.wall_ns(), self._rng)
        self._awaited.update(n for n, _ in parcels)
        topic = self._topics.up(self._address.participant)
        for start in range(0, len(parcels), AT_ONCE):
            part = parcels[start : start + AT_ONCE]
            await asyncio.gather(*(self._client.publish(topic, raw, qos=1) for _, raw in part))
            result.sent += len(part)

    async def _listen(self, wait_s: float, result: Delivery, *, until_silent: bool = False) -> None:
        """Take messages until nothing is awaited, or for `wait_s` seconds none that was; forged ones do not count."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait_s
        while self._awaited or self._awaits_deletion or until_silent or len(self._client.messages):
            try:
                async with asyncio.timeout_at(deadline):
                    message = await anext(self._client.messages)
            except TimeoutError:
                return
            if self._take(str(message.topic), message.payload, result):
                deadline = loop.time() + wait_s

    def _take(self, topic: str, payload: object, result: Delivery) -> bool:
        """Store one message; return whether it answers something that was awaited."""
        raw = bytes(payload) if isinstance(payload, bytes | bytearray) else b""
        self._noticed = self._noticed or topic == self._topics.notice
        received = result.received
        answer = result.take(raw, self._outbox, self._address)
        if isinstance(answer, Receipt):  # what counts here is what was sent on this connection
            covered = {n for n in self._awaited if answer.covers(n)}
            self._awaited -= covered
            result.received = received + len(covered)
            return bool(covered)
        if isinstance(answer, DeletionReceipt):
            self._awaits_deletion = False
        return isinstance(answer, DeletionReceipt)


async def deliver(outbox: Outbox, address: BrokerAddress, *, clock: Clock, rng: random.Random) -> Delivery:
    """Send what is due and take in what comes back.

    Returns:
        What came of it; a broker that cannot be reached is no error, and everything that was sent before stays so.

    Raises:
        EnvironmentFault: the broker's certificate, its protocol or our login does not fit, or the outbox cannot be
            written.
        BadFile: the outbox is damaged, or the certificate of the study's authority is.
    """
    result = Delivery()
    outbox.begin_attempt(clock.wall_ns(), rng)
    try:
        async with asyncio.timeout(LONGEST_S), _client(address) as client:
            await _Session(outbox, address, clock, rng, client).run(result)
    except TimeoutError:
        result.unreachable = "it took too long"
    except MqttError as error:
        fault = sort_error(error, address)
        if not isinstance(fault, UnreachableError):
            raise fault from error
        result.unreachable = str(fault)
    else:
        if not (result.withdrawal_sent and not result.deleted):
            outbox.end_attempts()
    return result


def _client(address: BrokerAddress) -> Client:
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho has no types here
    properties.MaximumPacketSize = MAX_ANSWER_BYTES + _PACKET_OVERHEAD
    quiet = logging.getLogger("kairos.study.send")
    quiet.disabled = True  # its messages hold the address, and say nothing that the result does not
    return Client(
        address.host,
        address.port,
        username=address.participant,
        password=address.password,
        protocol=ProtocolVersion.V5,
        tls_context=_tls(address),
        timeout=ANSWER_S,
        max_queued_incoming_messages=MAX_QUEUED,
        properties=properties,
        logger=quiet,
    )


def _tls(address: BrokerAddress) -> ssl.SSLContext:
    """Return TLS 1.3 with checked host name, by the study's own authority or else by those of the system."""
    try:
        context = ssl.create_default_context(cadata=address.ca)
    except ssl.SSLError:
        raise BadFile("the certificate of the study's authority is damaged", remedy="leave the study") from None
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


_REFUSED_LOGIN = frozenset({134, 135, 138, 140})
"""MQTT 5, 3.2.2.2: bad user name or password, not authorized, banned, bad authentication method."""


class UnreachableError(Exception):
    """The broker cannot be reached now, or does not answer; says how, in a few words."""


def sort_error(error: MqttError, address: BrokerAddress) -> Exception:
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
            f"the broker {where} does not speak TLS 1.3: {cause.reason}", remedy="nothing was sent; ask the researcher"
        )
    if isinstance(cause, OSError) and not isinstance(cause, TimeoutError):
        return UnreachableError(f"the broker {where} cannot be reached: {cause.strerror or type(cause).__name__}")
    return UnreachableError(f"the broker {where} does not answer")


NOT_YET = 1
GIVE_UP_S = 360
"""After which a look-up of names or a handshake that never ends is ended with the process."""


def main() -> int:
    """Deliver from one outbox."""
    parser = argparse.ArgumentParser(
        prog="python -m participant.delivery.sender", description="Deliver from one outbox."
    )
    parser.add_argument("outbox", type=Path, help="the outbox of a joined study")
    parser.add_argument("--all", action="store_true", help="everything that is ready, not only what is due")
    arguments = parser.parse_args()
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(GIVE_UP_S)
    try:
        return _run(arguments.outbox, everything=arguments.all)
    except KairosError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def _run(path: Path, *, everything: bool) -> int:
    clock = SystemClock()
    with Outbox(path, create=False) as outbox:
        if everything:
            outbox.send_now()
        result = asyncio.run(deliver(outbox, outbox.address(), clock=clock, rng=random.SystemRandom()))
        next_wall_ns = outbox.next_send_wall_ns(clock.wall_ns())
    print(json.dumps({**asdict(result), "next_wall_ns": next_wall_ns}))
    return 0 if result.complete else NOT_YET


def _give_up(number: int, frame: FrameType | None) -> NoReturn:
    """End at once: nothing is lost, since the outbox changes in transactions alone."""
    del number, frame
    os._exit(NOT_YET)


if __name__ == "__main__":
    sys.exit(main())
