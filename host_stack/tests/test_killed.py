# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""After a loader was killed, the next one or a purge restores a consistent state."""

from __future__ import annotations

import logging
import random
import secrets
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hostlab.csig import csig_programs
from hostlab.hosts import QUENCH_HOST, NewNamespace, quench_host, status
from hostlab.netns import Namespace, run
from test_lifecycle import filters, machine_to_itself, qdiscs, registered, settings

__all__ = ["machine_to_itself"]
_log = logging.getLogger(__name__)

HOSTS = Path("/run/quench/hosts")
KILLS = 8


@pytest.fixture
def host(new_namespace: NewNamespace) -> Namespace:
    return namespace(new_namespace)


@pytest.fixture
def luck() -> random.Random:
    seed = secrets.randbits(32)
    _log.warning("seed %d", seed)
    return random.Random(seed)


def namespace(new_namespace: NewNamespace) -> Namespace:
    ns = new_namespace()
    ns.run("ip", "link", "add", "d0", "type", "veth", "peer", "name", "d0p")
    return ns


def duration_s(ns: Namespace, *arguments: str) -> float:
    """The duration of a run of the loader, which differs by a factor of ten between machines, and more under load."""
    start_s = time.monotonic()
    quench_host(ns, *arguments)
    return time.monotonic() - start_s


def kill(ns: Namespace, luck: random.Random, longest_s: float, *arguments: str) -> bool:
    """Run the loader, and kill it at a random time up to ``longest_s``. Returns whether it was still running."""
    loader = subprocess.Popen(
        ["ip", "netns", "exec", ns.name, QUENCH_HOST, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    time.sleep(luck.uniform(0, longest_s))
    loader.kill()
    loader.communicate(timeout=30)
    return loader.returncode == -signal.SIGKILL


def unfinished() -> list[Path]:
    return list(HOSTS.glob("*.new"))


@pytest.mark.usefixtures("machine_to_itself")
@pytest.mark.parametrize("options", [("becn",), ("mecn", "--csig", "wide"), ("ecn-mod",)])
def test_the_next_enable_heals(host: Namespace, luck: random.Random, options: tuple[str, ...]) -> None:
    before = settings(host)
    enable, disable = ("enable", "--dev", "d0", "--paper", "--algo", *options), ("disable", "--dev", "d0")
    enable_s, disable_s = duration_s(host, *enable), duration_s(host, *disable)
    killed = 0
    for _ in range(KILLS):
        killed += kill(host, luck, enable_s, *enable)
        quench_host(host, *enable)
        assert [d["receives_isq"] for d in status(host)["devices"]] == [True]
        assert [bool(d["csig"]) for d in status(host)["devices"]] == ["--csig" in options]
        killed += kill(host, luck, disable_s, *disable)
        quench_host(host, *disable)
        assert (settings(host), qdiscs(host, "d0").count("clsact"), unfinished()) == (before, 0, [])
        quench_host(host, "enable", "--algo", "plain", "--dev", "d0")
        quench_host(host, "disable", "--dev", "d0")
        assert not {name for name in registered() if name.startswith("q_")}
        assert not csig_programs()
    assert killed


@pytest.mark.usefixtures("machine_to_itself")
def test_a_purge_heals(host: Namespace, luck: random.Random) -> None:
    before = settings(host)
    enable = ("enable", "--algo", "becn", "--dev", "d0", "--paper", "--csig", "compact")
    enable_s = duration_s(host, *enable)
    run(QUENCH_HOST, "purge")
    for _ in range(KILLS):
        kill(host, luck, enable_s, *enable)
        run(QUENCH_HOST, "purge")
        assert (settings(host), filters(host, "d0"), filters(host, "d0", "egress")) == (before, "", "")
        assert not csig_programs()
        assert not {name for name in registered() if name.startswith("q_")}
        assert not list(HOSTS.iterdir())


@pytest.mark.usefixtures("machine_to_itself")
@pytest.mark.parametrize("algo", ["becn", "plain"])
def test_what_a_namespace_leaves_that_ended_is_swept(
    host: Namespace, new_namespace: NewNamespace, luck: random.Random, algo: str
) -> None:
    """The loader is killed at a random time, and the namespace ends without `disable`."""
    enable = ("enable", "--algo", algo, "--dev", "d0")
    enable_s = duration_s(host, *enable)
    quench_host(host, "disable", "--dev", "d0")
    for _ in range(KILLS // 2):
        dead = namespace(new_namespace)
        kill(dead, luck, enable_s, *enable)
        dead.delete()
        run("ip", "netns", "add", dead.name)
        # The kernel ends a namespace in its own time.
        deadline_s = time.monotonic() + 20
        while True:
            quench_host(host, "enable", "--algo", "plain", "--dev", "d0")
            quench_host(host, "disable", "--dev", "d0")
            if not list(HOSTS.iterdir()) and "q_becn" not in registered():
                break
            assert time.monotonic() < deadline_s
            time.sleep(0.05)


@pytest.mark.usefixtures("machine_to_itself")
def test_a_congestion_control_that_nobody_uses_goes_with_the_next_enable(
    host: Namespace, new_namespace: NewNamespace
) -> None:
    other = namespace(new_namespace)
    quench_host(host, "enable", "--algo", "becn", "--dev", "d0")
    (HOSTS / str(status(host)["netns_cookie"])).unlink()
    assert "q_becn" in registered()
    quench_host(other, "enable", "--algo", "plain", "--dev", "d0")
    assert "q_becn" not in registered()
