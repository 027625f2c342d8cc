"""Certificates of a broker: those of the researcher, or an authority of the study's own, made by the openssl program.

An authority of one's own needs no domain and no outside service. Its certificate stands in the study file, so that
participants trust this broker and, on this connection, nobody else.
"""

import ipaddress
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from participant.documents.keys import write_private
from participant.documents.plan import MAX_FILE_BYTES, parse_plan, read_text
from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.paths import PRIVATE_FILE, private_folder
from storage.plain_file import open_regular

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
    new = study_file.with_name(f".{study_file.name}.new")
    new.unlink(missing_ok=True)
    write_private(new, changed.encode())
    new.chmod(study_file.stat().st_mode & 0o777)
    new.replace(study_file)
    return True
