# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""TLS and mutual TLS towards a switch: a plain gRPC server, with certificates of openssl's."""

import asyncio
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import finsy as fy
import grpc
import pytest
from finsy.proto import p4r_grpc
from quench.client.session import Session, SessionError, Target
from quench.client.tls import credentials
from quench.config import load_config
from quench.config.model import TlsConfig
from quench.errors import ConfigError, ControllerError
from quench.profiles import ProfileSettings, parse_settings
from quench.service.direct import DirectSwitch, ProfileChange
from sessions import Recorder, running, until
from test_hostile_switch import SCHEMA, Server, agent_of

HANG_S = 60


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority, and what it signed: switch and controller; and a stranger's certificate that it did not."""
    folder = tmp_path_factory.mktemp("pki")
    new = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    for name in ("ca", "stranger"):
        openssl(folder, *new, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
    for name in ("switch", "controller"):
        signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "subjectAltName=DNS:switch.test,IP:127.0.0.1"]
        openssl(folder, *new, *signed, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
    return folder


@asynccontextmanager
async def served(pki: Path, *, mutual: bool) -> AsyncIterator[str]:
    server = grpc.aio.server()
    p4r_grpc.add_P4RuntimeServicer_to_server(Server(), server)
    pair = (pki / "switch.key").read_bytes(), (pki / "switch.pem").read_bytes()
    asked = {"root_certificates": (pki / "ca.pem").read_bytes(), "require_client_auth": True} if mutual else {}
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair], **asked))
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


async def connects(address: str, tls: fy.GRPCCredentialsTLS | None) -> bool:
    session = Session(Target(address, 1, tls), SCHEMA, 10)
    async with running(session) as recorder, asyncio.timeout(HANG_S):
        await recorder.is_primary.wait()
    return True


async def test_the_authority_must_have_signed_the_switchs_certificate(pki: Path) -> None:
    async with served(pki, mutual=False) as address:
        assert await connects(address, credentials(TlsConfig(ca=pki / "ca.pem")))
        for tls in (TlsConfig(ca=pki / "stranger.pem"), None):
            with pytest.raises(SessionError):
                await Session(Target(address, 1, credentials(tls)), SCHEMA, 10).run(Recorder())


async def test_the_name_in_the_certificate_counts(pki: Path) -> None:
    async with served(pki, mutual=False) as address:
        assert await connects(address, credentials(TlsConfig(ca=pki / "ca.pem", server_name="switch.test")))
        wrong = credentials(TlsConfig(ca=pki / "ca.pem", server_name="other.test"))
        with pytest.raises(SessionError):
            await Session(Target(address, 1, wrong), SCHEMA, 10).run(Recorder())


async def test_a_switch_may_ask_for_a_certificate(pki: Path) -> None:
    async with served(pki, mutual=True) as address:
        own = {"cert": pki / "controller.pem", "key": pki / "controller.key"}
        assert await connects(address, credentials(TlsConfig(ca=pki / "ca.pem", **own)))
        foreign = {"cert": pki / "stranger.pem", "key": pki / "stranger.key"}
        for given in ({}, foreign):
            with pytest.raises(SessionError):
                await Session(Target(address, 1, credentials(TlsConfig(ca=pki / "ca.pem", **given))), SCHEMA, 10).run(
                    Recorder()
                )


async def test_the_controller_speaks_as_its_configuration_says(pki: Path, tmp_path: Path) -> None:
    async with served(pki, mutual=True) as address:
        files = ", ".join(f"{name}: {pki / file}.pem" for name, file in (("ca", "ca"), ("cert", "controller")))
        agent, _ = agent_of(tmp_path, address, f"    tls: {{{files}, key: {pki}/controller.key}}\n")
        task = asyncio.create_task(agent.run())
        await until(lambda: agent.ready)
        task.cancel()
        await asyncio.wait([task])


async def test_without_a_controller_too(pki: Path) -> None:
    """It connects; that this server runs no program is another matter."""
    async with served(pki, mutual=True) as address:
        own = TlsConfig(ca=pki / "ca.pem", cert=pki / "controller.pem", key=pki / "controller.key")
        reached = DirectSwitch(address, 1, own)
        with pytest.raises(ControllerError, match="runs no program"):
            await asyncio.to_thread(reached.change, ProfileChange(1, 0, 10_000_000, taildrop()))


def taildrop() -> ProfileSettings:
    return parse_settings({"scheme": "taildrop"})


CONFIG = """\
switches:
  - name: s1
    address: 127.0.0.1:9559
    pipeline: {p4info: a, json: b}
    router_address: 10.0.0.254
    tls: %s
"""


@pytest.mark.parametrize(
    ("tls", "sentence"),
    [
        ("{cert: a.pem}", "switches.0.tls: 'cert' and 'key' belong together: give both or none"),
        ("{ca: 1}", "switches.0.tls.ca: Input is not a valid path"),
        ("{authority: a.pem}", "switches.0.tls.authority: Extra inputs are not permitted"),
    ],
)
def test_a_bad_configuration_is_one_line(tmp_path: Path, tls: str, sentence: str) -> None:
    path = tmp_path / "net.yaml"
    path.write_text(CONFIG % tls)
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        load_config(path)


def test_files_are_seen_from_the_configuration(tmp_path: Path, pki: Path) -> None:
    path = tmp_path / "net.yaml"
    path.write_text(CONFIG % "{ca: absent.pem}")
    (switch,) = load_config(path).switches
    with pytest.raises(ConfigError, match=re.escape(f"{tmp_path}/absent.pem: tls.ca cannot be read: No such file")):
        credentials(switch.tls)
    (tmp_path / "absent.pem").write_text("no certificate")
    with pytest.raises(ConfigError, match="is not in PEM"):
        credentials(switch.tls)
