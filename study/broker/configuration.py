"""Writes mosquitto's configuration from a study's folder.

    mosquitto.conf   one listener with TLS 1.3, nobody anonymous, limits, and what waits kept over a restart
    passwords        hashed logins: everybody invited, and the collector
    acl              each participant writes to one topic and reads three others; the collector does the reverse
    tls/             an authority of the study's own, if it has one
    data/            what mosquitto keeps

Rewriting takes later invitations in; mosquitto reads passwords and acl again on SIGHUP. Meant for mosquitto 2.0; the
settings are those of mosquitto.conf(5).
"""

import os
import pwd
import secrets
from dataclasses import dataclass
from pathlib import Path

from participant.documents.bundle import MAX_BUNDLE_BYTES
from participant.documents.keys import write_private
from participant.documents.parcel import MAX_PARCEL_BYTES
from participant.documents.plan import Plan, parse_plan
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.paths import private_folder
from storage.plain_file import open_regular
from study.broker.certificates import Certificates
from study.collector.invited import LOGIN, CollectorFiles, read_participants
from study.researcher.folder import StudyFolder, hash_login

OVERHEAD_BYTES = 1_536
"""Room beside a payload for topic and properties."""

QUEUED_MESSAGES = 100_000
QUEUED_BYTES = 1 << 30
"""What waits for a collector that is away: of 1,000 people an hourly parcel of 4 kB, for four days."""

IN_FLIGHT = 100
SESSION_DAYS = 7

_SALT_BYTES = 12
_PASSWORD_BYTES = 16
_MAX_CONF_BYTES = 64 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was written: the configuration, how many people can log in, and which files are new or have changed."""

    conf: Path
    people: int
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BrokerFolder:
    """The folder with mosquitto's configuration."""

    path: Path

    @property
    def conf(self) -> Path:
        """The configuration."""
        return self.path / "mosquitto.conf"

    @property
    def passwords(self) -> Path:
        """The hashed logins."""
        return self.path / "passwords"

    @property
    def acl(self) -> Path:
        """Who may write and read which topics."""
        return self.path / "acl"

    def certificates(self) -> Certificates | None:
        """Return the certificates that the configuration names; None if there is no configuration."""
        settings = dict(line.partition(" ")[::2] for line in self.conf_lines())
        if "certfile" not in settings or "keyfile" not in settings:
            return None
        return Certificates(certificate=Path(settings["certfile"]), key=Path(settings["keyfile"]))

    def conf_lines(self) -> list[str]:
        """Return the configuration line by line; none if there is none.

        Raises:
            BadFile: it is too large, or not UTF-8.
        """
        if not self.conf.exists():
            return []
        with open_regular(self.conf) as file:
            raw = file.read(_MAX_CONF_BYTES)
        try:
            return raw.decode().splitlines()
        except UnicodeDecodeError:
            raise BadFile(f"{self.conf} is not UTF-8", remedy="remove it and write it again") from None


def plan_of(study: Path) -> Plan:
    """Return the study in its folder, signed or not.

    Raises:
        UsageError: this is no folder of a study.
        BadFile: the study file, or the signed bundle, is not valid.
    """
    folder = StudyFolder(study)
    signed = folder.newest_bundle()
    return parse_plan(folder.plan_text(), where=str(study / "study.toml")) if signed is None else signed[0].plan


def write_configuration(study: Path, out: BrokerFolder, certificates: Certificates, *, port: int | None) -> Written:
    """Write all files; what has not changed stays as it is.

    Args:
        study: the folder of the study. The collector's password is made in its keys, if there is none.
        out: where to write.
        certificates: what the broker shows.
        port: to listen on; None for the study's.

    Raises:
        UsageError: a path cannot stand in the configuration, or `study` is no folder of a study.
        BadFile: the study or the list of people invited is damaged.
        EnvironmentFault: a file cannot be written.
    """
    plan, files = plan_of(study), CollectorFiles(study)
    private_folder(out.path)
    private_folder(out.path / "data")
    people = read_participants(study / "participants.jsonl")
    if not files.password_file.exists():
        private_folder(files.password_file.parent)
        write_private(files.password_file, f"{secrets.token_hex(_PASSWORD_BYTES)}\n".encode())
    logins = {one.participant: one.login for one in people}
    salt = _salt_of(out.passwords) or os.urandom(_SALT_BYTES)
    passwords = [f"{LOGIN}:{hash_login(files.password(), salt)}", *(f"{who}:{login}" for who, login in logins.items())]
    texts = {
        out.passwords: passwords,
        out.acl: access_rules(plan.name),
        out.conf: configuration(out, certificates, port=port or plan.broker.port),
    }
    changed = [path.name for path, lines in texts.items() if _write(path, "\n".join(lines) + "\n")]
    return Written(conf=out.conf, people=len(people), changed=tuple(sorted(changed)))


def access_rules(study: str) -> list[str]:
    """Return the access file: whatever is not named is denied.

    `%u` is the login, so that nobody writes in another's name. mosquitto warns of the pattern without one; as a plain
    rule it would hold for nobody who logs in.
    """
    base = f"kairos/v1/{study}"
    return [
        f"user {LOGIN}",
        f"topic read {base}/up/+",
        f"topic write {base}/down/+",
        f"topic readwrite {base}/notice",
        f"topic readwrite {base}/closing",
        f"pattern write {base}/up/%u",
        f"pattern read {base}/down/%u",
        f"pattern read {base}/notice",
        f"pattern read {base}/closing",
    ]


def configuration(out: BrokerFolder, certificates: Certificates, *, port: int) -> list[str]:
    """Return mosquitto.conf.

    Raises:
        UsageError: a path holds a line break.
    """
    folder = out.path.absolute()
    paths = [folder, certificates.certificate.absolute(), certificates.key.absolute()]
    for path in paths:
        if not str(path).isprintable():
            raise UsageError(f"{str(path)!r} cannot stand in mosquitto.conf", remedy="choose a plain path")
    largest = max(MAX_PARCEL_BYTES, MAX_BUNDLE_BYTES)
    return [
        f"# Written by kairos study broker. Start: mosquitto -c {out.conf.absolute()}",
        "# Read again after new invitations: kill -HUP and mosquitto's process id",
        f"listener {port}",
        f"certfile {paths[1]}",
        f"keyfile {paths[2]}",
        "tls_version tlsv1.3",
        "allow_anonymous false",
        f"password_file {folder / 'passwords'}",
        f"acl_file {folder / 'acl'}",
        "# Started by root, mosquitto becomes this user, who must be able to read this folder.",
        f"user {_user()}",
        "# What waits for a collector outlives a crash but for the last second; what is lost is sent again.",
        "persistence true",
        f"persistence_location {folder / 'data'}/",
        "autosave_interval 1",
        f"persistent_client_expiration {SESSION_DAYS}d",
        f"# A parcel has at most {MAX_PARCEL_BYTES} bytes, the signed study {MAX_BUNDLE_BYTES}.",
        f"max_packet_size {largest + OVERHEAD_BYTES}",
        f"max_inflight_messages {IN_FLIGHT}",
        f"max_queued_messages {QUEUED_MESSAGES}",
        f"max_queued_bytes {QUEUED_BYTES}",
        "max_keepalive 3600",
        "sys_interval 0",
        "# Nobody's address is written down.",
        "connection_messages false",
        "log_dest stderr",
        "log_type error",
        "log_type warning",
    ]


def _user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container without such a user
        raise EnvironmentFault("this user has no name", remedy="add one to /etc/passwd: mosquitto wants it") from None


def _salt_of(passwords: Path) -> bytes | None:
    """Return the salt of the collector's login that is there, so that writing again changes nothing."""
    import base64

    if not passwords.exists():
        return None
    with open_regular(passwords) as file:
        line = file.readline(_MAX_CONF_BYTES).decode("ascii", "replace")
    name, _, login = line.partition(":")
    parts = login.split("$")
    if name != LOGIN or len(parts) != 5:  # noqa: PLR2004  # "", 7, iterations, salt, hash
        return None
    try:
        return base64.b64decode(parts[3], validate=True)
    except ValueError:
        return None


def _write(path: Path, text: str) -> bool:
    """Put a private file in the place of another at once; return whether it is new or has changed."""
    raw = text.encode()
    if path.exists():
        with open_regular(path) as file:
            if file.read(len(raw) + 1) == raw:
                return False
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    write_private(new, raw)
    new.replace(path)
    return True
