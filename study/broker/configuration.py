"""Certificates of a broker: those of the researcher, or an authority of the study's own, made by the openssl program.

An authority of one's own needs no domain and no outside service. Its certificate stands in the study file, so that
participants trust this broker and, on this connection, nobody else.
"""

import base64
import ipaddress
import os
import pwd
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from participant.documents.bundle import MAX_BUNDLE_BYTES
from participant.documents.parcel import MAX_PARCEL_BYTES
from participant.documents.plan import MAX_FILE_BYTES, Plan, parse_plan, read_text
from participant.documents.private_files import replace_private, write_private
from participant.documents.topics import COLLECTOR, LOGIN, Topics
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.files import PRIVATE_FILE, open_regular, private_folder
from study.researcher.folder import StudyFolder
from study.researcher.participants import hash_login, read_participants

DAYS = 1_825
"""How long the certificates are valid: five years, longer than a study."""

_CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-sha256")
_OPENSSL_S = 60.0
_MAX_PEM = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """What a broker shows: its certificate, with those between it and the authority, and its private key."""

    certificate: Path
    key: Path


def given_certificates(certificate: Path, key: Path) -> Certificates:
    """Return certificates that the researcher has.

    Raises:
        UsageError: one of the files is not there.
    """
    for path in (certificate, key):
        if not path.is_file():
            raise UsageError(f"{path} is not a file", remedy="give the certificate and its private key, both as PEM")
    return Certificates(certificate=certificate, key=key)


def own_authority(folder: Path, host: str) -> tuple[Certificates, str]:
    """Return certificates by an authority of the study's own, made if there is none yet, and that authority's (PEM).

    Args:
        folder: where they lie: ca.pem, ca.key, server.pem, server.key.
        host: the name or address that participants connect to.

    Raises:
        UsageError: there are some of them only.
        EnvironmentFault: there is no openssl, or it fails.
    """
    ca, ca_key, server, server_key = (folder / name for name in ("ca.pem", "ca.key", "server.pem", "server.key"))
    there = [path.exists() for path in (ca, ca_key, server, server_key)]
    if any(there) and not all(there):
        raise UsageError(f"{folder} holds some certificates and lacks others", remedy="remove it, or restore it whole")
    if not any(there):
        private_folder(folder)
        new = folder / "new"
        shutil.rmtree(new, ignore_errors=True)
        private_folder(new)
        _make(new, host)
        for path in (ca_key, server_key, server, ca):
            (new / path.name).chmod(PRIVATE_FILE)
            (new / path.name).rename(path)
        shutil.rmtree(new)
    with open_regular(ca) as file:
        return Certificates(certificate=server, key=server_key), file.read(_MAX_PEM).decode("ascii", "replace")


def _make(folder: Path, host: str) -> None:
    extensions = folder / "server.cnf"
    extensions.write_text(
        f"subjectAltName={_kind(host)}:{host}\nbasicConstraints=critical,CA:FALSE\n"
        "keyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\n",
        encoding="ascii",
    )
    subject = ("-subj", "/O=Kairos study/CN=")  # of a certificate's names the ones in subjectAltName count
    valid = ("-days", str(DAYS))
    _openssl(
        *("req", "-x509", *_CURVE, *valid, *subject[:1], f"{subject[1]}authority"),
        *("-keyout", f"{folder / 'ca.key'}", "-out", f"{folder / 'ca.pem'}"),
        *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
    )
    _openssl(
        *("req", *_CURVE, *subject[:1], f"{subject[1]}broker"),
        *("-keyout", f"{folder / 'server.key'}", "-out", f"{folder / 'server.csr'}"),
    )
    _openssl(
        *("x509", "-req", "-sha256", *valid, "-in", f"{folder / 'server.csr'}", "-CA", f"{folder / 'ca.pem'}"),
        *("-CAkey", f"{folder / 'ca.key'}", "-CAcreateserial", "-out", f"{folder / 'server.pem'}"),
        *("-extfile", f"{extensions}"),
    )


def _kind(host: str) -> str:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return "DNS"
    return "IP"


def _openssl(*arguments: str) -> None:
    try:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=_OPENSSL_S)
    except FileNotFoundError as error:
        raise EnvironmentFault("there is no program openssl", remedy="sudo apt install openssl") from error
    except (subprocess.SubprocessError, OSError) as error:
        raise EnvironmentFault(
            f"openssl {arguments[0]} failed", remedy="see whether openssl 3 works, and the free space"
        ) from error


def put_authority(study_file: Path, pem: str) -> bool:
    """Write an authority's certificate into a study file, as `[broker] ca`; return whether it was not there already.

    Everything else stays, comments included.

    Raises:
        UsageError: the file names another authority.
        BadFile: it is no study file.
        EnvironmentFault: it cannot be written.
    """
    text = read_text(study_file, limit=MAX_FILE_BYTES)
    before = parse_plan(text, where=str(study_file)).broker.ca
    if before is not None:
        if before.split() == pem.split():
            return False
        raise UsageError(
            f"{study_file} names another authority in [broker] ca",
            remedy="take it out, or give the broker's certificate with --certificate and --key",
        )
    lines = text.split("\n")
    headers = [number for number, line in enumerate(lines) if line.partition("#")[0].strip() == "[broker]"]
    if len(headers) != 1:
        raise BadFile(f"{study_file}: broker is no table of its own", remedy="write it as [broker]")
    lines.insert(headers[0] + 1, f'ca = """\n{pem.strip()}\n"""')
    changed = "\n".join(lines)
    if parse_plan(changed, where=str(study_file)).broker.ca is None:  # the header stands inside a text
        raise BadFile(f"{study_file}: broker is no table of its own", remedy="write it as [broker]")
    mode = study_file.stat().st_mode & 0o777
    replace_private(study_file, changed.encode())
    study_file.chmod(mode)
    return True


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
class WrittenConfiguration:
    """What was written: the configuration, how many people can log in, and which files are new or have changed."""

    conf: Path
    people: int
    changed: tuple[str, ...]


class BrokerFolder:
    """The folder with mosquitto's configuration: that itself, the hashed logins, who may write and read what."""

    def __init__(self, path: Path) -> None:
        """Take the path of the folder."""
        self.path = path
        self.conf = path / "mosquitto.conf"
        self.passwords = path / "passwords"
        self.acl = path / "acl"

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
    """Return the study in its folder, signed or not."""
    folder = StudyFolder(study)
    signed = folder.newest_bundle()
    return parse_plan(folder.plan_text(), where=str(study / "study.toml")) if signed is None else signed[0].plan


def write_configuration(
    study: Path, out: BrokerFolder, certificates: Certificates, *, port: int | None
) -> WrittenConfiguration:
    """Write all files; what has not changed stays as it is.

    `study`: the folder of the study. The collector's password is made in its keys, if there is none.
    """
    plan, files = plan_of(study), StudyFolder(study)
    private_folder(out.path)
    private_folder(out.path / "data")
    people = read_participants(study / "participants.jsonl")
    if not files.password_file.exists():
        private_folder(files.password_file.parent)
        write_private(files.password_file, f"{secrets.token_hex(_PASSWORD_BYTES)}\n".encode())
    logins = {person.participant: person.login for person in people}
    salt = _salt_of(out.passwords) or os.urandom(_SALT_BYTES)
    passwords = [
        f"{COLLECTOR}:{hash_login(files.password(), salt)}",
        *(f"{who}:{login}" for who, login in logins.items()),
    ]
    texts = {
        out.passwords: passwords,
        out.acl: access_rules(plan.name),
        out.conf: configuration(out, certificates, port=port or plan.broker.port),
    }
    changed = [path.name for path, lines in texts.items() if _write(path, "\n".join(lines) + "\n")]
    return WrittenConfiguration(conf=out.conf, people=len(people), changed=tuple(sorted(changed)))


def access_rules(study: str) -> list[str]:
    """Return the access file: whatever is not named is denied.

    `%u` is the login, so that nobody writes in another's name. mosquitto warns of the pattern without one; as a plain
    rule it would hold for nobody who logs in.
    """
    topics = Topics(study)
    return [
        f"user {COLLECTOR}",
        f"topic read {topics.up()}",
        f"topic write {topics.down()}",
        *(f"topic readwrite {topic}" for topic in topics.announced),
        f"pattern write {topics.up(LOGIN)}",
        f"pattern read {topics.down(LOGIN)}",
        *(f"pattern read {topic}" for topic in topics.announced),
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
        raise EnvironmentFault("this user has no name", remedy="add one to /etc/passwd: mosquitto needs it") from None


def _salt_of(passwords: Path) -> bytes | None:
    """Return the salt of the collector's login that is there, so that writing again changes nothing."""
    if not passwords.exists():
        return None
    with open_regular(passwords) as file:
        line = file.readline(_MAX_CONF_BYTES).decode("ascii", "replace")
    name, _, login = line.partition(":")
    parts = login.split("$")
    if name != COLLECTOR or len(parts) != 5:  # noqa: PLR2004  # "", 7, iterations, salt, hash
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
    replace_private(path, raw)
    return True
