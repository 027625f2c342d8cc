"""Tries what a broker lets through: with a mosquitto of its own on a free port, or with the one that is running.

The configuration that is tried is the one in the folder; only its port, its user and its folder for data are replaced,
and three logins are added: two people, and a watcher who sees everything. What is denied is denied silently (an access
file answers a denied subscription with "granted"), so the proof is that the watcher, or the other person, sees nothing,
while the same message on the right topic arrives.
"""

import asyncio
import contextlib
import logging
import os
import pwd
import secrets
import shutil
import socket
import ssl
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from participant.documents.parcel import MAX_PARCEL_BYTES
from participant.documents.plan import Plan
from participant.documents.topics import COLLECTOR, Topics
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from study.broker.configuration import BrokerFolder, plan_of
from study.researcher.folder import StudyFolder
from study.researcher.participants import hash_login

STARTS_S = 10.0
ANSWERS_S = 10.0

_ANNA, _BEN, _WATCHER = "annaannaannaanna", "benbenbenbenbenb", "watcher"
_PACKET_CONNECT = bytes.fromhex("100d00044d51545405020000000000")  # MQTT 5, clean start, no login
_BYTES_TOO_MANY = 8 << 20
_NO_ENTRY = (aiomqtt.exceptions.MqttConnectError,)


@dataclass(frozen=True, slots=True)
class Result:
    """A limit that was tried: whether it holds, and what was seen if not."""

    what: str
    holds: bool
    detail: str = ""


def find_mosquitto() -> str:
    """Return the path of mosquitto.

    Raises:
        EnvironmentFault: it is not installed.
    """
    found = shutil.which("mosquitto", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/usr/local/sbin")
    if found is None:
        raise EnvironmentFault("mosquitto is not installed", remedy="sudo apt install mosquitto")
    return found


def check_configuration(study: Path, out: BrokerFolder) -> tuple[Result, ...]:
    """Start a mosquitto with this configuration and try each limit."""
    plan = plan_of(study)
    password = StudyFolder(study).password()
    with tempfile.TemporaryDirectory(prefix="kairos-broker-") as folder, _started(Path(folder), out) as (port, trial):
        outside = _check_outside("127.0.0.1", port, plan, password)
        return outside + asyncio.run(_check_topics(port, plan, {**trial, COLLECTOR: password}))


def check_running(study: Path) -> tuple[Result, ...]:
    """Try TLS and logins with the broker that the study names, as it runs."""
    plan = plan_of(study)
    return _check_outside(plan.broker.host, plan.broker.port, plan, StudyFolder(study).password())


# ---------------------------------------------------------------- a mosquitto to try with


@contextlib.contextmanager
def _started(folder: Path, out: BrokerFolder) -> Iterator[tuple[int, dict[str, str]]]:
    """Run mosquitto with the configuration of `out`; yield its port and the passwords of the added logins."""
    port = free_port()
    trial = {name: secrets.token_hex(16) for name in (_ANNA, _BEN, _WATCHER)}
    hashed = [f"{name}:{hash_login(password, os.urandom(12))}" for name, password in trial.items()]
    replaced = {
        "listener": f"{port} 127.0.0.1",
        "password_file": _private(folder / "passwords", out.passwords.read_text(), hashed),
        "acl_file": _private(folder / "acl", out.acl.read_text(), [f"user {_WATCHER}", "topic read #"]),
        "persistence_location": f"{folder}/",
        "user": _user_line(out),
    }
    lines = [
        f"{name} {replaced[name]}" if (name := line.partition(" ")[0]) in replaced else line
        for line in out.conf_lines()
    ]
    conf = _private(folder / "mosquitto.conf", "\n".join(lines), [])
    with running_mosquitto(Path(conf), port, folder / "log"):
        yield port, trial


@contextlib.contextmanager
def running_mosquitto(conf: Path, port: int, log: Path) -> Iterator[None]:
    """Run mosquitto until the block is left; it begins once somebody listens on the port.

    Raises:
        EnvironmentFault: it is not installed, or does not start.
    """
    with log.open("wb") as messages:
        process = subprocess.Popen([find_mosquitto(), "-c", str(conf)], stdout=messages, stderr=messages)
    try:
        _await_port(process, port, log)
        yield
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    """Return a port of this machine that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _private(path: Path, text: str, more: list[str]) -> str:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write("\n".join([text.rstrip("\n"), *more]) + "\n")
    return str(path)


def _user_line(out: BrokerFolder) -> str:
    """Return whom mosquitto runs as: this user, who has written the folder."""
    return pwd.getpwuid(out.path.stat().st_uid).pw_name


def _await_port(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    clock = SystemClock()
    deadline_ns = clock.now_ns() + int(STARTS_S * 1e9)
    while process.poll() is None and clock.now_ns() < deadline_ns:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        clock.sleep_s(0.02)
    said = [line for line in log.read_text(errors="replace").splitlines() if "Error" in line]
    raise EnvironmentFault(
        f"mosquitto does not start with this configuration{f': {said[0]}' if said else ''}",
        remedy="see whether it may read the certificates and the folder",
    )


# ---------------------------------------------------------------- TLS and logins


def _check_outside(host: str, port: int, plan: Plan, password: str) -> tuple[Result, ...]:
    """Try TLS and logins as somebody who comes from outside."""
    name, tls = plan.broker.host, _context(plan)
    return (
        _tried(f"TLS 1.3, with a certificate for {name}", lambda: _handshake(host, port, name, tls)),
        _refused(
            "TLS 1.2 is refused",
            lambda: _handshake(host, port, name, _context(plan, older=True)),
            by=(ssl.SSLError, ConnectionResetError),
        ),
        _refused("a connection without TLS is refused", lambda: _connect_plainly(host, port), by=(ConnectionError,)),
        _refused("nobody gets in without a login", lambda: _log_in(host, port, plan, None, None), by=_NO_ENTRY),
        _refused("nor with a wrong password", lambda: _log_in(host, port, plan, COLLECTOR, "wrong"), by=_NO_ENTRY),
        _tried("the collector gets in", lambda: _log_in(host, port, plan, COLLECTOR, password)),
    )


def _context(plan: Plan, *, older: bool = False) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=plan.broker.ca)
    if older:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    else:
        context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def _tried(what: str, attempt: Callable[[], None]) -> Result:
    try:
        attempt()
    except (OSError, aiomqtt.MqttError) as error:
        return Result(what, holds=False, detail=_short(error))
    return Result(what, holds=True)


def _refused(what: str, attempt: Callable[[], None], *, by: tuple[type[Exception], ...]) -> Result:
    """Return whether an attempt fails as it does when the broker says no; that it cannot be reached proves nothing."""
    try:
        attempt()
    except ConnectionRefusedError as error:
        return Result(what, holds=False, detail=f"not tried: {_short(error)}")
    except by:
        return Result(what, holds=True)
    except (OSError, aiomqtt.MqttError) as error:
        return Result(what, holds=False, detail=f"not tried: {_short(error)}")
    return Result(what, holds=False, detail="it was let in")


def _short(error: Exception) -> str:
    return str(error)[:120] or type(error).__name__


def _handshake(host: str, port: int, name: str, context: ssl.SSLContext) -> None:
    plain = socket.create_connection((host, port), timeout=ANSWERS_S)
    with plain, context.wrap_socket(plain, server_hostname=name):
        pass


def _connect_plainly(host: str, port: int) -> None:
    """Say in MQTT who we are, without TLS; an answer in MQTT means that we were heard."""
    with socket.create_connection((host, port), timeout=ANSWERS_S) as plain:
        plain.sendall(_PACKET_CONNECT)
        answer = plain.recv(4)
    if answer[:1] != b"\x20":  # CONNACK
        raise ConnectionAbortedError("no answer in MQTT")


def _log_in(host: str, port: int, plan: Plan, login: str | None, password: str | None) -> None:
    async def connect() -> None:
        async with _client(host, port, plan, login, password):
            pass

    asyncio.run(connect())


def _client(
    host: str, port: int, plan: Plan, login: str | None, password: str | None, *, lasting: bool = False
) -> aiomqtt.Client:
    context = _context(plan)
    context.check_hostname = host == plan.broker.host  # on the loopback interface the name was checked before
    quiet = logging.getLogger("kairos.study.broker")
    quiet.disabled = True
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho has no types here
    if lasting:
        properties.SessionExpiryInterval = 60
    return aiomqtt.Client(
        host,
        port,
        username=login,
        password=password,
        protocol=aiomqtt.ProtocolVersion.V5,
        identifier=f"kairos-check-{login}" if lasting else None,
        clean_start=not lasting,
        properties=properties,
        tls_context=context,
        timeout=ANSWERS_S,
        logger=quiet,
    )


# ---------------------------------------------------------------- topics


class _Trial:
    """Four clients of one broker, and what each has seen."""

    def __init__(self, clients: dict[str, aiomqtt.Client], topics: Topics) -> None:
        self._clients = clients
        self._topics = topics
        self._seen: dict[str, set[bytes]] = {name: set() for name in clients}
        self._number = 0
        self._news = asyncio.Event()

    def listen(self) -> list["asyncio.Task[None]"]:
        """Begin to take in what arrives, until the tasks are cancelled."""
        return [asyncio.create_task(self._listen(name, client)) for name, client in self._clients.items()]

    async def _listen(self, name: str, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            self._seen[name].add(bytes(message.payload))
            self._news.set()

    async def seen_by(self, sender: str, topic: str, *, size: int = 0, retain: bool = False) -> set[str]:
        """Publish a new message and return who has seen it once a later, permitted one has reached everybody.

        The later one goes the same way after it, so what has not arrived by then was not let through.
        """
        self._number += 1
        payload = f"{self._number} ".encode().ljust(size, b"x")
        with contextlib.suppress(aiomqtt.MqttError):
            await self._clients[sender].publish(topic, payload, qos=1, retain=retain)
        await self._everybody_up_to_date()
        return {name for name, payloads in self._seen.items() if payload in payloads}

    async def _everybody_up_to_date(self) -> None:
        marks = {}
        for name in (_ANNA, _BEN):
            self._number += 1
            marks[name] = f"{self._number} mark".encode()
            await self._clients[COLLECTOR].publish(self._topics.down(name), marks[name], qos=1)
        async with asyncio.timeout(ANSWERS_S):
            while not all({mark} <= self._seen[name] & self._seen[_WATCHER] for name, mark in marks.items()):
                self._news.clear()
                await self._news.wait()


async def _check_topics(port: int, plan: Plan, passwords: dict[str, str]) -> tuple[Result, ...]:
    """Try who may write and read which topics; everybody asks for all there are."""
    async with contextlib.AsyncExitStack() as opened:
        clients = {}
        for name, password in passwords.items():
            clients[name] = await opened.enter_async_context(_client("127.0.0.1", port, plan, name, password))
            await clients[name].subscribe("#", qos=1)
        topics = Topics(plan.name)
        trial = _Trial(clients, topics)
        listening = trial.listen()
        try:
            results = [await _try_case(trial, case) for case in _cases(topics)]
        except TimeoutError:
            return (Result("answers of the collector arrive", holds=False),)
        finally:
            for task in listening:
                task.cancel()
    anna = passwords[_ANNA]
    for what, attempt in (
        ("the signed study is there for whoever comes later", _try_retained(port, plan, anna)),
        ("parcels wait while no collector is there", _try_waiting(port, plan, anna, passwords[COLLECTOR])),
        ("a message far too large is refused", _try_too_large(port, plan, anna)),
    ):
        try:
            async with asyncio.timeout(ANSWERS_S):
                results.append(Result(what, holds=await attempt))
        except (TimeoutError, aiomqtt.MqttError) as error:
            results.append(Result(what, holds=False, detail=_short(error)))
    return tuple(results)


@dataclass(frozen=True, slots=True)
class _Case:
    """A message, and everybody who is to see it beside the watcher; nobody, not even the watcher: it is denied."""

    what: str
    sender: str
    topic: str
    seen_by: frozenset[str] = frozenset()
    size: int = 0
    retain: bool = False


def _cases(topics: Topics) -> list[_Case]:
    everybody = frozenset({_ANNA, _BEN, COLLECTOR})
    return [
        _Case("a parcel reaches the collector alone", _ANNA, topics.up(_ANNA), frozenset({COLLECTOR})),
        _Case("so does the largest parcel", _ANNA, topics.up(_ANNA), frozenset({COLLECTOR}), size=MAX_PARCEL_BYTES),
        _Case("a receipt reaches one person alone", COLLECTOR, topics.down(_ANNA), frozenset({_ANNA})),
        _Case("the signed study reaches everybody", COLLECTOR, topics.notice, everybody, retain=True),
        _Case("so does its signed end", COLLECTOR, topics.closing, everybody, retain=True),
        _Case("nobody sends in another's name", _BEN, topics.up(_ANNA)),
        _Case("nobody answers in the collector's place", _BEN, topics.down(_ANNA)),
        _Case("nor writes to their own answers", _BEN, topics.down(_BEN)),
        _Case("nor changes the signed study", _BEN, topics.notice),
        _Case("nor says that it is over", _BEN, topics.closing),
        _Case("nor writes elsewhere", _BEN, Topics("elsewhere").up(_BEN)),
        _Case("nor below their own topic", _BEN, f"{topics.up(_BEN)}/more"),
        _Case("the collector sends no parcels of people", COLLECTOR, topics.up(_ANNA)),
        _Case("nor writes elsewhere", COLLECTOR, "elsewhere"),
    ]


async def _try_case(trial: _Trial, case: _Case) -> Result:
    seen = await trial.seen_by(case.sender, case.topic, size=case.size, retain=case.retain)
    expected = {*case.seen_by, _WATCHER} if case.seen_by else set()
    if seen == expected:
        return Result(case.what, holds=True)
    names = {_ANNA: "one person", _BEN: "another person", COLLECTOR: "the collector", _WATCHER: "the broker's watcher"}
    more, fewer = (sorted(names[who] for who in those) for those in (seen - expected, expected - seen))
    detail = "; ".join(
        text for text in (more and f"seen by {', '.join(more)}", fewer and f"not seen by {', '.join(fewer)}") if text
    )
    return Result(case.what, holds=False, detail=detail)


async def _try_retained(port: int, plan: Plan, password: str) -> bool:
    async with _client("127.0.0.1", port, plan, _ANNA, password) as client:
        await client.subscribe(Topics(plan.name).notice, qos=1)
        return bool((await anext(client.messages)).retain)


async def _try_waiting(port: int, plan: Plan, password: str, collectors: str) -> bool:
    topic, payload = Topics(plan.name).up(_ANNA), b"waits"
    for sends in (True, False):
        async with _client("127.0.0.1", port, plan, COLLECTOR, collectors, lasting=True) as collector:
            if sends:
                await collector.subscribe(Topics(plan.name).shared, qos=1)
            elif (await anext(collector.messages)).payload == payload:
                return True
        async with _client("127.0.0.1", port, plan, _ANNA, password) as client:
            await client.publish(topic, payload, qos=1)
    return False


async def _try_too_large(port: int, plan: Plan, password: str) -> bool:
    """Send what no limit of ours permits; the broker hangs up."""
    async with _client("127.0.0.1", port, plan, _ANNA, password) as client:
        topic = Topics(plan.name).up(_ANNA)
        sending = asyncio.ensure_future(client.publish(topic, bytes(_BYTES_TOO_MANY), qos=1))
        try:
            await anext(client.messages)
        except aiomqtt.MqttError:
            return True
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
    return False
