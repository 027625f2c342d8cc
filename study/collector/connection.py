"""The collector's connection to the broker: batches in, answers out, and again after whatever goes wrong.

The broker keeps what arrives while a collector is away (session expiry), its share of a shared subscription included,
and hands it over again when that collector is back. So nothing is acknowledged before it is on the disk. aiomqtt
acknowledges before its messages are seen; paho's manual acknowledgement below it is turned on instead, and the window
of unacknowledged messages is what limits memory.
"""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from participant.documents.parcel import MAX_PARCEL_BYTES
from participant.documents.signed import DocumentKind
from participant.documents.topics import Topics
from storage.clock import NS_PER_S, Clock
from storage.errors import BadFile, EnvironmentFault
from study.collector.collector import Collector, Incoming, Outgoing

BATCH = 50
"""Parcels that are committed at once, at most."""

BATCH_S = 0.2
"""How long the first parcel of a batch waits for others."""

SESSION_S = 7 * 24 * 3600
"""How long the broker keeps what arrives while no collector is there."""

WINDOW = 2 * BATCH
"""Messages that the broker may hand over before one is acknowledged."""

FIRST_WAIT_S = 0.5
LAST_WAIT_S = 60.0
HELD_S = 0.2
"""How often it is looked whether a parcel that waits for its parcel 0 can be stored."""

HOUSEKEEPING_S = 60.0
"""How often it is looked for receipts of `purge`, the end of the study, deletions to be completed, and collectors that
are gone."""

LEFTOVER_S = 2.0
"""After which silence all is taken in that the broker kept for a collector that is gone."""

_PACKET_BYTES = MAX_PARCEL_BYTES + 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerLogin:
    """How a collector gets in; `name` tells collectors of one study apart and must stay the same over restarts."""

    host: str
    port: int
    ca: str | None
    username: str
    password: str
    name: str

    def __repr__(self) -> str:
        """Name the broker and nothing that is secret."""
        return f"<login at {self.host}:{self.port}>"

    def tls(self) -> ssl.SSLContext:
        """Return the TLS settings: version 1.3, the study's own authority or else the system's, the name checked.

        Raises:
            BadFile: the authority's certificate is damaged.
        """
        try:
            context = ssl.create_default_context(cadata=self.ca)
        except ssl.SSLError:
            raise BadFile("the certificate of the study's authority is damaged") from None
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        return context


class _Inbox(asyncio.Queue[aiomqtt.Message]):
    """What has come and was not looked at yet; without QoS 0, which no window limits.

    Attributes:
        holds_batch: is set once there is a batch in it.
    """

    def __init__(self, maxsize: int = 0) -> None:
        """Make an empty one."""
        super().__init__(maxsize)
        self.holds_batch = asyncio.Event()

    def put_nowait(self, item: aiomqtt.Message) -> None:
        """Add a message."""
        if item.qos > 0:
            super().put_nowait(item)
            if self.qsize() >= BATCH - 1:
                self.holds_batch.set()

    def take(self, most: int) -> list[aiomqtt.Message]:
        """Return what there is, at most so many."""
        found = [self.get_nowait() for _ in range(min(most, self.qsize()))]
        if self.qsize() < BATCH - 1:
            self.holds_batch.clear()
        return found


class Connection:
    """Serves one collector until it is told to stop."""

    def __init__(
        self,
        collector: Collector,
        login: BrokerLogin,
        clock: Clock,
        report: Callable[[str], None],
        *,
        abandoned: Callable[[], contextlib.AbstractContextManager[int | None]] = contextlib.nullcontext,
    ) -> None:
        """Take what is served.

        `abandoned`: holds the name of a collector that is gone and whose session at the broker nobody has ended.
        """
        self._abandoned = abandoned
        self._collector = collector
        self._login = login
        self._clock = clock
        self._report = report
        self._study = collector.plan.name
        self._topics = Topics(self._study)
        self._first: list[Outgoing] = []
        self._next_look_ns = 0
        self._closing: bytes | None = None
        self._closing_is_damaged = False

    async def serve(self, stop: asyncio.Event, *, first: Sequence[Outgoing] = ()) -> None:
        """Collect until `stop` is set; a broker or disk that fails is tried again, ever more rarely up to a minute."""
        self._first = list(first)
        wait_s = FIRST_WAIT_S
        while not stop.is_set():
            started_ns = self._clock.now_ns()
            try:
                await self._connected(stop)
            except aiomqtt.MqttError as error:
                self._raise_if_hopeless(error)
                self._report(f"not connected to {self._login.host}:{self._login.port}: trying again")
            except EnvironmentFault as fault:  # a full disk: what was not acknowledged comes again
                self._report(f"{fault.what}: trying again")
            if self._clock.now_ns() - started_ns > LAST_WAIT_S * 1e9:
                wait_s = FIRST_WAIT_S
            await _wait(stop, wait_s)
            wait_s = min(2 * wait_s, LAST_WAIT_S)

    async def _connected(self, stop: asyncio.Event) -> None:
        async with self._client() as client:
            await client.subscribe(self._topics.shared, qos=1)
            await client.publish(self._topics.notice, self._collector.bundle, qos=1, retain=True)
            self._report(f"collecting at {self._login.host}:{self._login.port} as collector {self._login.name}")
            self._closing = None
            await self._publish_closing(client)
            await self._publish(client, self._first)
            self._first = []
            await self._publish(client, self._collector.finish_deletions(self._clock.wall_ns()))
            await self._publish(client, self._collector.pass_on_deletions())
            self._next_look_ns = self._clock.now_ns() + round(HOUSEKEEPING_S * NS_PER_S)
            batches = _Batches(client, stop)
            try:
                while not stop.is_set():
                    if self._clock.now_ns() >= self._next_look_ns:  # be there parcels or not
                        self._next_look_ns = self._clock.now_ns() + round(HOUSEKEEPING_S * NS_PER_S)
                        await self._publish(client, self._collector.pass_on_deletions())
                        await self._publish_closing(client)
                        await self._end_abandoned_session()
                    await self._serve_batch(
                        client, await batches.next_batch(HELD_S if self._collector.is_holding else HOUSEKEEPING_S)
                    )
            finally:
                batches.close()

    async def _publish_closing(self, client: aiomqtt.Client) -> None:
        """Publish the signed end of the study, once for each connection; a damaged one ends nobody's study."""
        try:
            closing = self._collector.closing()
        except BadFile as fault:
            if not self._closing_is_damaged:
                self._closing_is_damaged = True
                self._report(f"the signed end of the study is not passed on: {fault.what}")
            return
        if closing is not None and closing != self._closing:
            await client.publish(self._topics.closing, closing, qos=1, retain=True)
            self._closing = closing
            self._report("the study is closed: passed on to everybody who takes part")

    async def _end_abandoned_session(self) -> None:
        """Take in what the broker keeps for a collector that is gone, and end its session.

        mosquitto gives a share of all parcels to every session that has subscribed, be its collector there or not.
        """
        with self._abandoned() as name:
            if name is None:
                return
            async with self._client(name=str(name), session_s=0) as client:
                await client.unsubscribe(self._topics.shared)
                batches = _Batches(client, asyncio.Event())
                try:
                    while batch := await batches.next_batch(LEFTOVER_S):
                        await self._serve_batch(client, batch)
                finally:
                    batches.close()
        self._report(f"took over from collector {name}, which is gone")

    async def _serve_batch(self, client: aiomqtt.Client, batch: Sequence[aiomqtt.Message]) -> None:
        if batch or self._collector.is_holding:
            answers = self._collector.take([_incoming(message) for message in batch], self._clock.wall_ns())
            for message in batch:
                # aiomqtt has no call for this
                client._client.ack(message.mid, message.qos)  # noqa: SLF001
        else:
            answers = self._collector.finish_deletions(self._clock.wall_ns())
        await self._publish(client, answers)

    async def _publish(self, client: aiomqtt.Client, answers: Sequence[Outgoing]) -> None:
        lasting = []
        for answer in answers:
            if answer.raw.startswith(DocumentKind.RECEIPT.line):  # QoS 0: a parcel without a receipt comes again
                await client.publish(self._topics.down(answer.participant), answer.raw, qos=0)
            else:
                lasting.append(answer)
        for start in range(0, len(lasting), BATCH):
            await asyncio.gather(
                *(
                    client.publish(self._topics.down(lasts.participant), lasts.raw, qos=1, retain=lasts.retained)
                    for lasts in lasting[start : start + BATCH]
                )
            )

    def _client(self, *, name: str | None = None, session_s: int = SESSION_S) -> aiomqtt.Client:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho has no types here
        properties.SessionExpiryInterval = session_s
        properties.ReceiveMaximum = WINDOW
        properties.MaximumPacketSize = _PACKET_BYTES
        quiet = logging.getLogger("kairos.study.collect")
        quiet.disabled = True  # its messages hold topics, and those hold participants
        client = aiomqtt.Client(
            self._login.host,
            self._login.port,
            username=self._login.username,
            password=self._login.password,
            identifier=f"{self._login.username}-{self._study}-{name or self._login.name}",
            protocol=aiomqtt.ProtocolVersion.V5,
            clean_start=False,
            properties=properties,
            tls_context=self._login.tls(),
            queue_type=_Inbox,
            logger=quiet,
        )
        client._client.manual_ack_set(on=True)  # noqa: SLF001  # aiomqtt has no setting for this
        return client

    def _raise_if_hopeless(self, error: aiomqtt.MqttError) -> None:
        """Raise where trying again cannot help: the broker knows this login not, or shows another certificate."""
        where = f"{self._login.host}:{self._login.port}"
        if isinstance(error, aiomqtt.exceptions.MqttConnectError) and "uthori" in str(error):
            raise EnvironmentFault(
                f"the broker at {where} refuses the collector's login",
                remedy="write its configuration again with kairos study broker, and reload it",
            ) from error
        if "certificate verify failed" in str(error).lower():
            raise EnvironmentFault(
                f"the broker at {where} has no certificate that fits the study", remedy="see [broker] ca in study.toml"
            ) from error


class _Batches:
    """Batches of what arrives. The wait for the next message is never cancelled: a message could be lost in it."""

    def __init__(self, client: aiomqtt.Client, stop: asyncio.Event) -> None:
        self._messages = client.messages
        inbox = client._queue  # noqa: SLF001  # a task for each message would take longer than checking one
        assert isinstance(inbox, _Inbox)  # noqa: S101  # `Connection._client` makes it so
        self._inbox = inbox
        self._ended = asyncio.ensure_future(stop.wait())
        self._next = asyncio.ensure_future(anext(self._messages))

    def close(self) -> None:
        """End both waits."""
        self._ended.cancel()
        if self._next.done() and not self._next.cancelled():
            self._next.exception()  # has been seen
        self._next.cancel()

    async def next_batch(self, wait_s: float) -> list[aiomqtt.Message]:
        """Return what comes within `BATCH_S` of the first message, at most `BATCH`; empty if none comes in `wait_s`."""
        await asyncio.wait((self._next, self._ended), timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        if not self._next.done():
            return []
        first = self._next.result()
        full = asyncio.ensure_future(self._inbox.holds_batch.wait())
        await asyncio.wait((full, self._ended), timeout=BATCH_S, return_when=asyncio.FIRST_COMPLETED)
        full.cancel()
        batch = [first, *self._inbox.take(BATCH - 1)]
        self._next = asyncio.ensure_future(anext(self._messages))
        return batch


def _incoming(message: aiomqtt.Message) -> Incoming:
    return Incoming(str(message.topic).rpartition("/")[2], bytes(message.payload))


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()
