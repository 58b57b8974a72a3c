# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Access to ``quench switch``: loopback by default, TLS, and client certificates."""

import contextlib
import re
import socket
import subprocess
import sys
import time
from datetime import datetime

import grpc
import pytest
import trustme
from finsy.proto import p4r, p4r_grpc
from quench_switch.listener import ListenError, is_local, listen
from quench_switch.p4runtime import limits
from quench_switch.p4runtime.grpc_server import GrpcServer
from quench_switch.ports_client import PortsClient, PortsError

TIMEOUT_S = 15.0


@pytest.fixture(scope="module")
def pem(tmp_path_factory):
    """Files of an authority, a server and a client, and of a stranger's authority."""
    folder = tmp_path_factory.mktemp("pem")
    authority, stranger = trustme.CA(), trustme.CA()
    for name, issuer, cert in (
        ("server", authority, authority.issue_cert("127.0.0.1")),
        ("client", authority, authority.issue_cert("client.example")),
        ("stranger", stranger, stranger.issue_cert("client.example")),
        ("expired", authority, authority.issue_cert("client.example", not_after=datetime(2020, 1, 1))),
    ):
        issuer.cert_pem.write_to_path(folder / f"{name}-ca.pem")
        cert.cert_chain_pems[0].write_to_path(folder / f"{name}.pem")
        cert.private_key_pem.write_to_path(folder / f"{name}.key")
    return folder


def credentials(pem, client=None):
    files = (f"{client}.key", f"{client}.pem") if client else ()
    own = [(pem / name).read_bytes() for name in files]
    return grpc.ssl_channel_credentials((pem / "server-ca.pem").read_bytes(), *own)


def server_options(pem):
    return [
        "--grpc-server-ssl",
        "--grpc-server-cert",
        str(pem / "server.pem"),
        "--grpc-server-key",
        str(pem / "server.key"),
    ]


def capabilities(address, given):
    channel = grpc.insecure_channel(address) if given is None else grpc.secure_channel(address, given)
    with channel:
        answer = p4r_grpc.P4RuntimeStub(channel).Capabilities(p4r.CapabilitiesRequest(), timeout=TIMEOUT_S)
        return answer.p4runtime_api_version


def is_refused(address, given):
    with pytest.raises(grpc.RpcError) as caught:
        capabilities(address, given)
    return caught.value.code() == grpc.StatusCode.UNAVAILABLE


def test_tls_needs_the_authority_and_refuses_plain_text(start, pem):
    process, address = start("--no-p4", *server_options(pem))
    assert capabilities(address, credentials(pem)) == "1.4.1"
    assert is_refused(address, None)
    wrong = grpc.ssl_channel_credentials((pem / "stranger-ca.pem").read_bytes())
    assert is_refused(address, wrong)
    with PortsClient(address, credentials=credentials(pem)) as ports:
        assert ports.set(1, rate_pps=3)["rate_pps"] == 3
    process.terminate()
    _, log = process.communicate(timeout=TIMEOUT_S)
    assert f"listening on {address} with TLS" in log


def test_mutual_tls_admits_only_clients_of_the_authority(start, pem):
    options = [
        *server_options(pem),
        "--grpc-server-with-client-auth",
        "--grpc-server-cacert",
        str(pem / "client-ca.pem"),
    ]
    _, address = start("--no-p4", *options)
    assert capabilities(address, credentials(pem, "client")) == "1.4.1"
    assert is_refused(address, credentials(pem))
    assert is_refused(address, credentials(pem, "stranger"))
    with PortsClient(address, credentials=credentials(pem, "client")) as ports:
        ports.set(1, hold=True)
    with PortsClient(address, 1.0, credentials=credentials(pem)) as ports, pytest.raises(PortsError):
        ports.get(1)


def test_strangers_at_a_port_with_mutual_tls(start, pem):
    """Half handshakes that stay open are closed in time, and nobody writes into the log past its format."""
    options = ["--grpc-server-with-client-auth", "--grpc-server-cacert", str(pem / "client-ca.pem")]
    process, address = start("--no-p4", *server_options(pem), *options)
    host, port = address.split(":")

    def strangers():
        for say in (b"GET / HTTP/1.1\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01", b""):
            sock = socket.create_connection((host, int(port)), TIMEOUT_S)
            sock.sendall(say)
            yield sock

    for sock in strangers():
        sock.settimeout(0.2)
        with contextlib.suppress(OSError):
            sock.recv(100)
        sock.close()
    assert is_refused(address, credentials(pem, "expired"))
    assert is_refused(address, credentials(pem, "stranger"))
    # More than there may be connections.
    held = [sock for _ in range(limits.CONNECTIONS // 4 + 8) for sock in strangers()]
    deadline = time.monotonic() + limits.FIRST_CALL_MS / 1000 * 6
    while True:
        try:
            assert capabilities(address, credentials(pem, "client")) == "1.4.1"
            break
        except grpc.RpcError:
            assert time.monotonic() < deadline, "strangers keep others out"
            time.sleep(0.3)
    for sock in held:
        sock.close()
    process.terminate()
    _, log = process.communicate(timeout=TIMEOUT_S)
    assert all(re.match(r"\d{4}-\d\d-\d\d [\d:,]+ [A-Z]+ quench_switch", line) for line in log.splitlines()), log
    assert len(log.splitlines()) < 10


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--grpc-server-ssl"], 2, "needs --grpc-server-cert and --grpc-server-key"),
        (["--grpc-server-cert", "x"], 2, "need --grpc-server-ssl"),
        (["--grpc-server-with-client-auth"], 2, "need --grpc-server-ssl"),
        (["PEM", "--grpc-server-with-client-auth"], 2, "need each other"),
        (["PEM", "--grpc-server-cacert", "x"], 2, "need each other"),
        (
            ["--grpc-server-ssl", "--grpc-server-cert", "/none.pem", "--grpc-server-key", "/none"],
            1,
            "/none: No such file",
        ),
        (
            ["--grpc-server-ssl", "--grpc-server-cert", "KEY", "--grpc-server-key", "KEY"],
            1,
            "not a certificate and its key",
        ),
    ],
)
def test_what_cannot_be_secured_is_one_line(pem, options, status, message):
    args = []
    for option in options:
        args += server_options(pem) if option == "PEM" else [option.replace("KEY", str(pem / "server.key"))]
    command = [sys.executable, "-m", "quench_switch.cli.switch", "--no-p4", "--grpc-server-addr", "127.0.0.1:0", *args]
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert result.returncode == status, result.stderr
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert "Traceback" not in result.stderr


def test_the_default_address_is_loopback():
    command = [sys.executable, "-m", "quench_switch.cli.switch", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, env={"COLUMNS": "200"}).stdout
    assert "127.0.0.1:9559" in text
    assert "0.0.0.0" not in text


@pytest.mark.parametrize("local", [True, False])
def test_an_open_listener_without_tls_is_warned_of(start, local):
    process, _ = start("--no-p4", "--grpc-server-addr", "127.0.0.1:0" if local else "0.0.0.0:0")
    process.terminate()
    _, log = process.communicate(timeout=TIMEOUT_S)
    assert bool(re.search("WARNING .* without TLS", log)) is not local


@pytest.mark.parametrize("kind", ["unix", "unix-abstract"])
def test_a_unix_socket_answers_our_clients(start, tmp_path, kind):
    address = f"unix:{tmp_path / 'a socket'}" if kind == "unix" else f"unix-abstract:quench-{tmp_path.name}"
    for _ in range(2):
        process, listening = start("--no-p4", "--grpc-server-addr", address)
        assert listening == address
        with PortsClient(address) as ports:
            assert ports.set(1, rate_pps=3)["rate_pps"] == 3
        # The second switch finds the socket of one that was killed.
        process.kill()
        process.wait(TIMEOUT_S)


def test_a_unix_socket_goes_with_its_switch_only(start, tmp_path):
    path = tmp_path / "socket"
    first, _ = start("--no-p4", "--grpc-server-addr", f"unix:{path}")
    path.unlink()
    second, address = start("--no-p4", "--grpc-server-addr", f"unix:{path}")
    first.terminate()
    first.wait(TIMEOUT_S)
    with PortsClient(address) as ports:
        assert ports.set(1, rate_pps=3)["rate_pps"] == 3
    second.terminate()
    second.wait(TIMEOUT_S)
    assert not path.exists()


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1:1", True),
        ("127.9.9.9:1", True),
        ("[::1]:1", True),
        ("localhost:1", True),
        ("unix:/run/x", True),
        ("0.0.0.0:1", False),
        ("[::]:1", False),
        ("192.0.2.1:1", False),
        ("localhost.example:1", False),
    ],
)
def test_what_only_this_machine_reaches(address, local):
    assert is_local(address) is local


@pytest.mark.parametrize(
    "address",
    ["", ":0", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:99999", "127.0.0.1:-1", "127.0.0.1:+1",
     "127.0.0.1:x", "127.0.0.1: 1", "127.0.0.1:0\n", "unix:", "unix-abstract:"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(ListenError, match="cannot listen on"):
        listen(GrpcServer(), address, None)
