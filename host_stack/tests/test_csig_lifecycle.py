# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""enable --csig, disable, status and purge: the programs that they attach and detach."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hostlab.csig import csig_programs
from hostlab.hosts import QUENCH_HOST, NewNamespace, quench_host, status
from hostlab.netns import Namespace, run
from test_lifecycle import error_of, filters, host, machine_to_itself, qdiscs, settings

__all__ = ["host", "machine_to_itself"]
SHARED = "q_csig_options"


def xdp_program(ns: Namespace, device: str) -> str | None:
    """The name of the XDP program on the device."""
    (link,) = json.loads(ns.run("ip", "-j", "-d", "link", "show", "dev", device).stdout)
    program = link.get("xdp", {}).get("prog")
    return program["name"] if program else None


def enable(ns: Namespace, device: str, form: str = "compact") -> None:
    quench_host(ns, "enable", "--algo", "ecn", "--dev", device, "--csig", form)


def forms(ns: Namespace) -> list[str | None]:
    return [d["csig"] for d in status(ns)["devices"]]


@pytest.mark.parametrize("form", ["compact", "wide"])
def test_enable_attaches_and_disable_detaches(host: Namespace, form: str) -> None:
    before = settings(host)
    for _ in range(2):
        enable(host, "d0", form)
    assert forms(host) == [form]
    assert f"device  d0, receives ISQs, {form} tags of CSIG" in quench_host(host, "status").stdout
    # Repeated without it, enable leaves it as it is.
    quench_host(host, "enable", "--algo", "ecn", "--dev", "d0")
    assert forms(host) == [form]
    assert xdp_program(host, "d0") == "q_csig_strip"
    for direction, program in (("ingress", "q_csig_in"), ("egress", "q_csig_out")):
        assert filters(host, "d0", direction).count(f"handle 0x1 {program}") == 1
    assert (xdp_program(host, "d1"), filters(host, "d1")) == (None, "")
    quench_host(host, "disable", "--dev", "d0")
    assert (xdp_program(host, "d0"), qdiscs(host, "d0").count("clsact"), settings(host)) == (None, 0, before)


@pytest.mark.usefixtures("machine_to_itself")
def test_the_shared_program_goes_with_its_last_user(host: Namespace, new_namespace: NewNamespace) -> None:
    """A device of this namespace, and one of another."""
    other = new_namespace()
    other.run("ip", "link", "add", "e0", "type", "veth", "peer", "name", "e0p")
    enable(host, "d0")
    quench_host(host, "enable", "--algo", "ecn", "--dev", "d1")
    enable(other, "e0")
    assert forms(host) == ["compact", None]
    quench_host(host, "disable", "--dev", "d0")
    assert forms(other) == ["compact"]
    quench_host(other, "disable", "--dev", "e0")
    assert not csig_programs()
    assert forms(host) == [None]


def test_what_was_detached_by_hand_is_attached_again(host: Namespace) -> None:
    enable(host, "d0")
    for command in (
        ("ip", "link", "set", "dev", "d0", "xdpgeneric", "off"),
        ("tc", "filter", "del", "dev", "d0", "egress", "prio", "20824"),
    ):
        host.run(*command)
        assert forms(host) == [None]
        assert "no tags of CSIG" in quench_host(host, "status").stdout
        quench_host(host, "enable", "--algo", "ecn", "--dev", "d0")
        assert forms(host) == ["compact"]


@pytest.mark.usefixtures("machine_to_itself")
def test_a_purge_detaches_all(host: Namespace) -> None:
    enable(host, "d0")
    (Path("/run/quench/hosts") / str(status(host)["netns_cookie"])).unlink()
    assert "5 stray programs detached" in run(QUENCH_HOST, "purge").stdout
    assert (xdp_program(host, "d0"), filters(host, "d0"), csig_programs()) == (None, "", set())


def test_what_cannot_be_is_refused_in_one_line(host: Namespace) -> None:
    csig = ("--dev", "d0", "--csig")
    assert "plain leaves TCP" in error_of(host, "enable", "--algo", "plain", *csig, "wide")
    assert "compact or wide" in error_of(host, "enable", "--algo", "ecn", *csig, "narrow")
    quench_host(host, "enable", "--algo", "ecn", "--dev", "d0")
    assert "without" in error_of(host, "enable", "--algo", "ecn", *csig, "wide")
    quench_host(host, "disable", "--dev", "d0")
    enable(host, "d0")
    assert "with --csig compact" in error_of(host, "enable", "--algo", "ecn", *csig, "wide")
    assert forms(host) == ["compact"]
    assert quench_host(host, "disable", *csig, "wide", check=False).returncode == 2
    quench_host(host, "disable", "--dev", "d0")
    # Packets of a tunnel begin with the IP header.
    host.run("ip", "tuntap", "add", "t0", "mode", "tun")
    assert "no Ethernet header" in error_of(host, "enable", "--algo", "ecn", "--dev", "t0", "--csig", "wide")
    assert status(host)["enabled"] is False


def test_another_xdp_program_stays(host: Namespace, tmp_path: Path) -> None:
    before = settings(host)
    source, built = tmp_path / "pass.c", tmp_path / "pass.o"
    source.write_text('__attribute__((section("xdp"))) int pass(void *ctx) { return 2; }\n')
    run("clang-14", "-target", "bpf", "-O2", "-c", str(source), "-o", str(built))
    host.run("ip", "link", "set", "dev", "d0", "xdpgeneric", "obj", str(built), "sec", "xdp")
    assert "another XDP program" in error_of(host, "enable", "--algo", "ecn", "--dev", "d0", "--csig", "wide")
    assert (xdp_program(host, "d0"), settings(host), filters(host, "d0")) == ("pass", before, "")
    assert status(host)["enabled"] is False
