"""A plain collector, run as `python -m tests.fakes.delivery.collector STUDY FILE`: commits, then signs."""

import asyncio
import signal
import sqlite3
import ssl
import sys
from pathlib import Path
from typing import Any

import msgspec
from aiomqtt import Client, MqttError, ProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from sqlite_utils import Database

from storage.errors import KairosError
from studies.collector.store import SCHEMA
from studies.keys import SIGNING_KIND, SigningKey, parse_public, read_signing_key
from studies.parcel import Sender, digest_of, read_header, read_parcel
from studies.plan import parse_plan
from studies.researcher.folder import Participant
from studies.signed import Kind
from studies.statements import DeletionReceipt, Receipt, ranges_of, read_withdrawal, write_statement
from tests.fakes.delivery.broker import COLLECTOR, COLLECTOR_PASSWORD


class Collecting:
    """One run of it."""

    def __init__(self, study: Path, file: Path) -> None:
        self.plan = parse_plan((study / "study.toml").read_text())
        self.receipts: SigningKey = read_signing_key(study / "keys" / "receipts.key")
        lines = (study / "participants.jsonl").read_bytes().splitlines()
        self.people = {one.participant: one for one in (msgspec.json.decode(line, type=Participant) for line in lines)}
        self.database = sqlite3.connect(file)
        SCHEMA.apply(Database(self.database, execute_plugins=False))
        self.database.commit()
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")

    def take(self, participant: str, raw: bytes) -> bytes | None:
        """Store a parcel or a withdrawal; return the answer."""
        invited = self.people[participant]
        known = self.database.execute("SELECT key FROM participants WHERE participant = ?", (participant,)).fetchone()
        key = None if known is None else known[0]
        if raw.startswith(Kind.WITHDRAWAL.line):
            return self._forget(participant, raw, key)
        sender = Sender(
            study=self.plan.name,
            participant=participant,
            join_key=parse_public(SIGNING_KIND, invited.join_key),
            key=key,
        )
        n = read_header(raw).n
        _, key = read_parcel(raw, sender)
        self.database.execute("INSERT OR IGNORE INTO participants (participant, key) VALUES (?, ?)", (participant, key))
        self.database.execute(
            "INSERT OR IGNORE INTO parcels (participant, n, digest, raw, arrived_wall_ns) VALUES (?, ?, ?, ?, 0)",
            (participant, n, digest_of(raw), raw),
        )
        self.database.commit()
        receipt = Receipt(study=self.plan.name, participant=participant, ranges=((n, n),), last=digest_of(raw))
        return write_statement(receipt, self.receipts)

    def _forget(self, participant: str, raw: bytes, key: Any) -> bytes:
        read_withdrawal(raw, study=self.plan.name, participant=participant, key=key)
        rows = self.database.execute("SELECT n, digest FROM parcels WHERE participant = ? ORDER BY n", (participant,))
        found = rows.fetchall()
        deletion = DeletionReceipt(
            study=self.plan.name,
            participant=participant,
            withdrawal=digest_of(raw),
            ranges=ranges_of(n for n, _ in found),
            last=found[-1][1] if found else bytes(32),
            destroyed_key=bytes(32),
            exports=(),
        )
        self.database.execute("DELETE FROM parcels WHERE participant = ?", (participant,))
        self.database.commit()
        return write_statement(deletion, self.receipts)


async def collect(study: Path, file: Path) -> None:
    """Collect until killed; connect again whenever the broker is gone."""
    one = Collecting(study, file)
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho has no types here
    properties.SessionExpiryInterval = 3600
    while True:
        try:
            async with Client(
                one.plan.broker.host,
                one.plan.broker.port,
                username=COLLECTOR,
                password=COLLECTOR_PASSWORD,
                identifier="collector",
                protocol=ProtocolVersion.V5,
                clean_start=False,
                properties=properties,
                tls_context=ssl.create_default_context(cadata=one.plan.broker.ca) if one.plan.broker.ca else None,
            ) as client:
                await client.subscribe(f"kairos/v1/{one.plan.name}/up/#", qos=1)
                print("collecting", flush=True)
                async for message in client.messages:
                    participant = str(message.topic).rpartition("/")[2]
                    try:
                        answer = one.take(participant, bytes(message.payload))
                    except KairosError:
                        continue
                    if answer is not None:
                        await client.publish(f"kairos/v1/{one.plan.name}/down/{participant}", answer, qos=1)
        except MqttError:
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    asyncio.run(collect(Path(sys.argv[1]), Path(sys.argv[2])))
