"""A certificate authority with a certificate for 127.0.0.1, made by the openssl program."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Authority:
    """Its certificate, and certificate and key of the broker that it signed."""

    ca: Path
    certificate: Path
    key: Path

    @property
    def pem(self) -> str:
        return self.ca.read_text()


def make_authority(folder: Path, *, host: str = "IP:127.0.0.1", days: int = 7) -> Authority:
    """Make an authority, and a certificate for a host as OpenSSL names it, valid for some days from now on."""
    folder.mkdir(parents=True, exist_ok=True)
    ca_key, ca, key, request, certificate, names = (
        folder / name for name in ("ca.key", "ca.pem", "broker.key", "broker.csr", "broker.pem", "names.cnf")
    )
    signing = ["-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days", days, "-extfile", names]
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    extensions = (f"subjectAltName={host}", "basicConstraints=CA:FALSE", "subjectKeyIdentifier=hash")
    names.write_text("\n".join([*extensions, "authorityKeyIdentifier=keyid", "keyUsage=digitalSignature", ""]))
    root = ["-days", "7", "-subj", "/CN=Test authority", "-addext", "keyUsage=critical,keyCertSign"]
    for command in (
        ["req", "-x509", *new_key, "-keyout", ca_key, "-out", ca, *root],
        ["req", *new_key, "-keyout", key, "-out", request, "-subj", "/CN=broker"],
        ["x509", "-req", "-in", request, "-out", certificate, *signing],
    ):
        subprocess.run(["openssl", *map(str, command)], check=True, capture_output=True)
    return Authority(ca=ca, certificate=certificate, key=key)
