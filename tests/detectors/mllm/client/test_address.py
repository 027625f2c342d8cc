"""Where pictures may be sent, and that a name cannot lead them elsewhere."""

import shutil
import ssl
import subprocess
from pathlib import Path

import httpx2
import pytest

from detectors.mllm.client.address import NetworkScope, ServerAddress, parse_address
from detectors.mllm.client.transport import HttpFailure, HttpReply, HttpTransport
from detectors.mllm.protocol import Body, Request
from detectors.mllm.questions import FailureReason
from storage.errors import UsageError
from tests.fakes.mllm.server import FakeServer, say

pytestmark = pytest.mark.anyio

REQUEST = Request(path="/chat", body=Body(parts=(b"{}",)))


@pytest.mark.parametrize(
    ("url", "reach", "there"),
    [
        ("http://127.0.0.1:8080/v1", NetworkScope.LOOPBACK, "http://127.0.0.1:8080/v1"),
        ("http://127.9.9.9", NetworkScope.LOOPBACK, "http://127.9.9.9:80"),
        ("http://[::1]:11434/", NetworkScope.LOOPBACK, "http://[::1]:11434"),
        ("http://[::ffff:127.0.0.1]/v1", NetworkScope.LOOPBACK, "http://[::ffff:127.0.0.1]:80/v1"),
        ("HTTP://LocalHost:1/v1/", NetworkScope.LOOPBACK, "http://localhost:1/v1"),
        ("https://localhost./v1", NetworkScope.LOOPBACK, "https://localhost:443/v1"),
        ("http://192.168.1.7:8000", NetworkScope.PRIVATE, "http://192.168.1.7:8000"),
        ("http://10.0.0.1", NetworkScope.PRIVATE, "http://10.0.0.1:80"),
        ("http://172.31.0.1", NetworkScope.PRIVATE, "http://172.31.0.1:80"),
        ("http://[fd00::7]", NetworkScope.PRIVATE, "http://[fd00::7]:80"),
        ("http://box.lan:8080/v1", NetworkScope.PRIVATE, "http://box.lan:8080/v1"),
        ("http://localhost.evil.example", NetworkScope.PRIVATE, "http://localhost.evil.example:80"),
        ("http://127.1", NetworkScope.PRIVATE, "http://127.1:80"),
        ("https://api.example.com/v1beta", NetworkScope.PUBLIC, "https://api.example.com:443/v1beta"),
        ("https://93.184.216.34", NetworkScope.PUBLIC, "https://93.184.216.34:443"),
    ],
)
def test_allowed_addresses(url: str, reach: NetworkScope, there: str) -> None:
    """The scope depends on the address alone; only this machine needs no permission."""
    address = parse_address(url, send_screens=True)
    assert (address.scope, address.url) == (reach, there)
    if reach is NetworkScope.LOOPBACK:
        assert parse_address(url, send_screens=False) == address
    else:
        with pytest.raises(UsageError, match="send_screens"):
            parse_address(url, send_screens=False)


REFUSED = (
    "http://93.184.216.34/v1",
    "http://169.254.169.254/latest",
    "http://100.64.0.1",
    "http://0.0.0.0:8080",
    "http://[::]:8080",
    "http://172.32.0.1",
    "http://[2001:db8::1]",
    "http://[::ffff:93.184.216.34]",
    "http://[fe80::1%25eth0]",
    "ftp://127.0.0.1",
    "file:///etc/passwd",
    "127.0.0.1:8080",
    "",
    "http://",
    "http://:8080",
    "http://127.0.0.1:99999",
    "http://127.0.0.1:0",
    "http://me:s3cret@127.0.0.1/v1",
    "http://s3cret@127.0.0.1",
    "http://127.0.0.1\\@evil.example/",
    "http://127.0.0.1/v1?key=s3cret",
    "http://127.0.0.1/v1#s3cret",
    "http://127.0.0.1/../%00 s3cret",
    "http://127.0.0.1/\ns3cret",
    "http://exämple.lan",
    "http://evil.example/\u2026",
)


@pytest.mark.parametrize("url", REFUSED)
def test_refused_addresses(url: str) -> None:
    """Whatever is public without encryption, no address, or holds a secret is refused, and no secret repeated."""
    with pytest.raises(UsageError) as refused:
        parse_address(url, send_screens=True)
    assert "s3cret" not in str(refused.value)


def named(name: str, port: int, reach: NetworkScope = NetworkScope.PRIVATE) -> ServerAddress:
    address = parse_address(f"http://{name}:{port}", send_screens=True)
    assert address.scope is reach
    return address


async def test_a_name_that_resolves_to_a_public_address_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [["127.0.0.1"], ["93.184.216.34"], ["127.0.0.1", "93.184.216.34"], []]
    looked_up: list[str] = []

    async def lookup(host: str, port: int) -> list[str]:
        looked_up.append(host)
        return answers[len(looked_up) - 1]

    async with FakeServer(otherwise=say(b"{}")) as server:
        transport = HttpTransport(named("box.lan", server.port), {}, lookup=lookup)
        received = [await transport.post(REQUEST, limit=100) for _ in answers]
        await transport.close()
        assert [type(reply) for reply in received] == [HttpReply, HttpFailure, HttpFailure, HttpFailure]
        reasons = [reply.reason for reply in received if isinstance(reply, HttpFailure)]
        assert reasons == [FailureReason.NOT_ALLOWED] * 2 + [FailureReason.UNREACHABLE]
        assert len(server.requests) == 1
        assert server.requests[0].headers["host"] == f"box.lan:{server.port}"
        # the control: without the check it is tried
        monkeypatch.setattr(ServerAddress, "allows", lambda self, found: True)
        answers[:] = [["127.0.0.1", "93.184.216.34"]]
        looked_up.clear()
        transport = HttpTransport(named("box.lan", server.port), {}, lookup=lookup)
        assert isinstance(await transport.post(REQUEST, limit=100), HttpReply)
        await transport.close()


async def test_a_name_tries_its_addresses_in_turn() -> None:
    async def lookup(host: str, port: int) -> list[str]:
        return ["127.0.0.2", "127.0.0.1"]

    async with FakeServer(otherwise=say(b"{}")) as server:
        transport = HttpTransport(named("box.lan", server.port), {}, lookup=lookup)
        for _ in range(2):
            assert isinstance(await transport.post(REQUEST, limit=100), HttpReply)
        await transport.close()
        assert (len(server.requests), server.connections) == (2, 1)


async def test_localhost_is_never_looked_up() -> None:
    async def lookup(host: str, port: int) -> list[str]:
        raise AssertionError(host)

    async with FakeServer(otherwise=say(b"{}")) as server:
        transport = HttpTransport(named("localhost", server.port, NetworkScope.LOOPBACK), {}, lookup=lookup)
        assert isinstance(await transport.post(REQUEST, limit=100), HttpReply)
        await transport.close()


async def test_no_proxy_is_used_within_private_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy of the environment is not used for this machine and private networks; the control uses it."""

    async def lookup(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async with FakeServer(otherwise=say(b"{}")) as server, FakeServer(otherwise=say(b"{}")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("all_proxy", proxy.url)
        for url in (server.url, f"http://box.lan:{server.port}", f"http://localhost:{server.port}"):
            transport = HttpTransport(parse_address(url, send_screens=True), {}, lookup=lookup)
            assert isinstance(await transport.post(REQUEST, limit=100), HttpReply)
            await transport.close()
        assert (len(server.requests), proxy.connections) == (3, 0)
        async with httpx2.AsyncClient(trust_env=True) as client:
            await client.post("http://box.lan/", content=b"{}")
        assert proxy.connections == 1


async def test_a_proxy_learns_a_public_name_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeServer(otherwise=say(b"", status=502)) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        address = parse_address("https://api.example.com/v1", send_screens=True)
        transport = HttpTransport(address, {"Authorization": "Bearer s3cret"})
        received = await transport.post(REQUEST, limit=100)
        await transport.close()
        (connect,) = proxy.requests
    assert received == HttpFailure(reason=FailureReason.UNREACHABLE, delivered=False)
    assert connect.line == "CONNECT api.example.com:443 HTTP/1.1"
    assert "s3cret" not in str(connect.headers)
    assert connect.body == b""


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, so there is no certificate to try")
    file = tmp_path / "both.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made = ["openssl", "req", "-x509", *kind, *names, "-keyout", str(file), "-out", str(tmp_path / "one.pem")]
    subprocess.run(made, check=True, capture_output=True)
    file.write_bytes(file.read_bytes() + (tmp_path / "one.pem").read_bytes())
    return file


async def test_a_certificate_nobody_signed_is_refused(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TLS is verified; the control reaches the same server by trusting its certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    async with FakeServer(otherwise=say(b"{}"), tls=context) as server:
        address = parse_address(f"https://localhost:{server.port}", send_screens=False)
        transport = HttpTransport(address, {})
        received = await transport.post(REQUEST, limit=100)
        await transport.close()
        assert isinstance(received, HttpFailure)
        assert (received.reason, received.delivered, server.requests) == (FailureReason.UNREACHABLE, False, [])
        trusting = ssl.create_default_context(cafile=str(certificate))
        monkeypatch.setattr("detectors.mllm.client.transport._tls_verification", lambda scheme: trusting)
        transport = HttpTransport(address, {})
        assert isinstance(await transport.post(REQUEST, limit=100), HttpReply)
        await transport.close()
