# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Source quenches by the controller and by the switch, queues and classes: real processes, real interfaces."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab import GRPC, METRICS, QUENCH, ROOT, Lab, lab, wait_until
from quench.config import load_config
from quench.errors import ControllerError
from quench.service.controller import Controller
from quench.service.managed_queues import RequestError
from quench.service.requests import IsqSet
from test_isq import ICMP, ipv4

ECT0, CE = 0b10, 0b11
MACS = bytes.fromhex("000000000101 000000000102")
IPV6_MACS = MACS + b"\x86\xdd"
WINDOW = 20
"""Packets on their way at once: few enough for a socket's buffer."""
LEVEL = 77

CONFIG = """\
switches:
  - name: s1
    address: {grpc}
    pipeline: {{p4info: {build}/quench.p4info.txtpb, json: {build}/quench.json}}
    router_address: 10.0.0.254
    ports:
      2: {{rate: 10Mbps, queues: {{0: always, 1: taildrop, 2: quiet}}}}
    classes:
      - {{dscp: 0b101110, mask: 0b101110, queue: 1}}
      - {{dscp: 0b001000, mask: 0b001000, queue: 2}}
    routes:
      - {{prefix: 10.0.1.0/24, port: 1, source_mac: "00:00:00:00:01:01", destination_mac: "00:00:00:00:01:02"}}
      - {{prefix: 10.0.2.0/24, port: 2, source_mac: "00:00:00:00:02:01", destination_mac: "00:00:00:00:02:02"}}
      - {{prefix: "2001:db8:2::/64", port: 2, source_mac: "00:00:00:00:02:01", destination_mac: "00:00:00:00:02:02"}}
profiles:
  always: {{scheme: curve, points: [{{depth: 0, p1: 1.0, isq: true, isq_level: 77}}]}}
  quiet: {{scheme: curve, points: [{{depth: 0, p1: 1.0}}]}}
  taildrop: {{scheme: taildrop}}
isq: {{per_source: null, total: null, per_queue: null, max_age: null}}
socket: {socket}
metrics: {metrics}
"""


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("isq"), CONFIG) as made:
        made.start_switch("--priority-queues", "3")
        made.start_controller()
        wait_until(made.connected, 60)
        yield made


@pytest.fixture
def quiet(network: Lab) -> Lab:
    """The network as its file says, with nothing under way."""
    network.client.call("isq.set", mode="cpu", per_queue=None)
    network.client.call("thresholds.set", switch="s1", port=2, queue=0, settings=ALWAYS)
    network.drain()
    return network


ALWAYS: dict[str, Any] = {"scheme": "curve", "points": [{"depth": 0, "p1": 1.0, "isq": True, "isq_level": LEVEL}]}


def packet(number: int = 0, dscp: int = 0, **fields: Any) -> bytes:
    """An ECT packet whose number is in the bytes that an ISQ quotes."""
    return ipv4(payload=number.to_bytes(8, "big") + bytes(500), tos=dscp << 2 | ECT0, macs=MACS, **fields)


def number_in(frame: bytes) -> int:
    return int.from_bytes(frame[34:42], "big")


def quoted_number(isq: bytes) -> int:
    assert (isq[23], isq[34]) == (ICMP, 4)
    return int.from_bytes(isq[62:70], "big")


def counters(network: Lab) -> dict[str, int]:
    (stats,) = network.client.call("stats", switch="s1")
    return {name: counts["packets"] for name, counts in stats["ports"]["2"].items()}


def send_and_receive(network: Lab, numbers: range) -> tuple[list[int], list[int]]:
    """Numbers of the packets that came out of port 2, and of those that an ISQ quoted."""
    for number in numbers:
        network.send(packet(number))
    arrived, quoted = [], []
    for _ in numbers:
        frame, isq = network.receive(2), network.receive(1)
        assert frame is not None
        assert isq is not None
        arrived.append(number_in(frame))
        quoted.append(quoted_number(isq))
    return arrived, quoted


def test_the_switchs_isq_is_the_controllers_byte_for_byte(quiet: Lab) -> None:
    isqs = {}
    for mode in ("cpu", "dataplane"):
        quiet.client.call("isq.set", switch="s1", mode=mode)
        quiet.send(packet(7, dscp=0b110001))
        arrived = quiet.receive(2)
        assert arrived is not None
        assert arrived[15] & 0b11 == CE
        isqs[mode] = quiet.receive(1)
    assert isqs["cpu"] is not None
    assert isqs["cpu"] == isqs["dataplane"]
    assert isqs["cpu"][38] == 0x80 | LEVEL


def test_the_mode_changes_under_traffic_and_nothing_is_lost(quiet: Lab) -> None:
    changes, faults = 8, []
    done = threading.Event()

    def change() -> None:
        try:
            for turn in range(changes):
                quiet.client.call("isq.set", switch="s1", mode=("dataplane", "cpu")[turn % 2])
        except ControllerError as error:
            faults.append(error)
        finally:
            done.set()

    before = counters(quiet)
    thread = threading.Thread(target=change)
    thread.start()
    sent = 0
    while not (done.is_set() and sent):
        numbers = range(sent, sent + WINDOW)
        arrived, quoted = send_and_receive(quiet, numbers)
        assert sorted(arrived) == list(numbers)
        assert sorted(quoted) == list(numbers)
        sent += WINDOW
    thread.join()
    assert faults == []
    after = counters(quiet)
    assert after["port_marked"] - before["port_marked"] == sent
    assert after["port_cloned"] - before["port_cloned"] == sent


def test_each_mode_is_seen_in_the_counters(quiet: Lab) -> None:
    before = counters(quiet)
    (stats,) = quiet.client.call("stats", switch="s1")
    by_controller = stats["isqs_sent"].get("marked", 0)
    send_and_receive(quiet, range(WINDOW))
    quiet.client.call("isq.set", mode="dataplane")
    send_and_receive(quiet, range(WINDOW))
    (stats,) = quiet.client.call("stats", switch="s1")
    assert stats["isqs_sent"]["marked"] - by_controller == WINDOW
    assert counters(quiet)["port_isq_sent"] - before["port_isq_sent"] == WINDOW
    quiet.client.call("isq.set", mode="off")
    quiet.send(packet())
    assert quiet.receive(2) is not None
    assert quiet.receive(1, 0.5) is None


def test_the_meter_limits_what_the_switch_sends(quiet: Lab) -> None:
    quiet.client.call("isq.set", mode="dataplane", per_queue={"rate": 1, "burst": 3})
    before = counters(quiet)
    for number in range(2 * WINDOW):
        quiet.send(packet(number))
        assert quiet.receive(2) is not None, "a packet goes on with or without an ISQ about it"
    wait_until(lambda: counters(quiet)["port_cloned"] - before["port_cloned"] == 2 * WINDOW)
    after = counters(quiet)
    sent = after["port_isq_sent"] - before["port_isq_sent"]
    assert sent >= 3
    assert sent + after["port_isq_limited"] - before["port_isq_limited"] == 2 * WINDOW
    assert after["port_isq_limited"] > before["port_isq_limited"]
    quoted = [quoted_number(isq) for isq in iter(lambda: quiet.receive(1, 0.5), None)]
    assert len(quoted) == sent
    quiet.client.call("isq.set", per_queue=None)
    arrived, quoted = send_and_receive(quiet, range(WINDOW))
    assert sorted(arrived) == sorted(quoted) == list(range(WINDOW))


def test_once_per_path(quiet: Lab) -> None:
    quiet.client.call("thresholds.set", switch="s1", port=2, queue=0, settings={**ALWAYS, "once_per_path": True})
    before = counters(quiet)
    quiet.send(packet(1))
    sent = quiet.receive(2)
    assert sent is not None
    assert sent[15] >> 2 == 0b000011
    assert quiet.receive(1) is not None
    quiet.send(MACS + b"\x08\x00" + packet(2, dscp=0b000011)[14:])
    again = quiet.receive(2)
    assert again is not None
    assert again[15] & 0b11 == CE
    assert quiet.receive(1, 0.5) is None
    assert counters(quiet)["port_isq_once_per_path"] - before["port_isq_once_per_path"] == 1


def test_ipv6_and_packets_that_get_no_isq_are_counted(quiet: Lab) -> None:
    before = counters(quiet)
    source, destination = (bytes.fromhex(f"20010db8000{net}0000000000000000000{net}") for net in (1, 2))
    header = (6 << 28 | ECT0 << 20).to_bytes(4, "big") + (8).to_bytes(2, "big") + bytes([17, 64])
    quiet.send(IPV6_MACS + header + source + destination + bytes(8))
    assert quiet.receive(2) is not None
    quiet.send(packet(fragment=1))
    assert quiet.receive(2) is not None
    after = counters(quiet)
    assert after["port_isq_ipv6"] - before["port_isq_ipv6"] == 1
    assert after["port_isq_refused"] - before["port_isq_refused"] == 1
    assert after["port_marked"] - before["port_marked"] == 2


def marked(network: Lab, dscp: int) -> tuple[bool, bool]:
    """Marks and ISQs by queue: queue 0 has both, 1 none, 2 marks only."""
    network.send(packet(dscp=dscp))
    arrived = network.receive(2)
    assert arrived is not None
    return arrived[15] & 0b11 == CE, network.receive(1, 0.5) is not None


def test_classes_choose_the_queue_in_their_order(quiet: Lab) -> None:
    assert marked(quiet, 0) == (True, True)
    assert marked(quiet, 0b101110) == (False, False), "both classes fit: the first counts"
    assert marked(quiet, 0b001000) == (True, False)


def test_a_command_that_leaves_the_queue_open_is_refused(quiet: Lab) -> None:
    with pytest.raises(ControllerError, match=r"port 2 of 's1' has profiles on queues 0, 1, 2: give --queue"):
        quiet.client.call("thresholds.set", switch="s1", port=2, settings={"scheme": "taildrop"})
    with pytest.raises(ControllerError, match="mode"):
        quiet.client.call("isq.set", switch="s1", mode="both")


def test_a_queue_gets_a_profile_of_its_own(quiet: Lab) -> None:
    quiet.client.call("thresholds.set", switch="s1", port=2, queue=1, settings=ALWAYS)
    assert marked(quiet, 0b101110) == (True, True)
    quiet.client.call("thresholds.set", switch="s1", port=2, queue=1, settings={"scheme": "taildrop"})
    assert marked(quiet, 0b101110) == (False, False)
    assert marked(quiet, 0) == (True, True), "the other queue's stays"


def test_all_switches_are_changed_or_none(tmp_path: Path) -> None:
    """The first is connected, the second is not."""
    text = CONFIG.format(grpc=GRPC, build=ROOT / "build", socket=tmp_path / "ctl.sock", metrics=METRICS)
    first = text[text.index("  - name: s1") : text.index("profiles:")]
    path = tmp_path / "net.yaml"
    path.write_text(text.replace("profiles:", first.replace("s1", "s2") + "profiles:"))

    async def set_all() -> list[str]:
        controller = Controller(load_config(path))
        controller.agents["s1"].queues._connection = object(), object()  # type: ignore[assignment]
        with pytest.raises(RequestError, match="switch 's2' is not connected"):
            await controller._isq_set(IsqSet(mode="off"))
        return [agent.isq()["mode"] for agent in controller.agents.values()]

    assert asyncio.run(set_all()) == ["cpu", "cpu"]


def run(network: Lab, *command: str) -> str:
    """The output of a command inside the network."""
    done = subprocess.run(
        ["ip", "netns", "exec", network.name, *command], check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout


def test_the_command_line(quiet: Lab) -> None:
    socket = ["--socket", str(quiet.folder / "ctl.sock")]
    assert run(quiet, QUENCH, "isq", "set", "--mode", "dataplane", "--rate", "9", *socket) == (
        "s1: source quenches: dataplane\n"
    )
    (row,) = quiet.client.call("isq.show")
    assert (row["mode"], row["per_queue"]) == ("dataplane", {"rate": 9, "burst": 100})
    assert "9 per second" in run(quiet, QUENCH, "isq", "show", *socket)
    run(quiet, QUENCH, "isq", "set", "s1", "--unlimited", *socket)
    (row,) = quiet.client.call("isq.show")
    assert (row["mode"], row["per_queue"]) == ("dataplane", None)
    refused = subprocess.run([QUENCH, "isq", "set", *socket], check=False, capture_output=True, text=True)
    assert (refused.returncode, refused.stderr[:26]) == (1, "quench: nothing to change:")
    shown = run(quiet, QUENCH, "thresholds", "show", "--queue", "1", "--json", *socket)
    assert shown.count('"settings"') == 1
    assert '"taildrop"' in shown
    (stats,) = json.loads(run(quiet, QUENCH, "stats", "--port", "2", "--queue", "0", "--json", *socket))
    assert list(stats["ports"]) == ["2"]
    assert {report["queue"] for report in stats["queues"]} <= {0}
    (stats,) = json.loads(run(quiet, QUENCH, "stats", "--port", "1", "--json", *socket))
    assert (stats["ports"], stats["queues"]) == ({}, [])
    run(quiet, QUENCH, "thresholds", "set", "s1", "--port", "2", "--queue", "2", "--scheme", "taildrop", *socket)
    assert marked(quiet, 0b001000) == (False, False)


def test_the_switchs_counters_are_metrics(quiet: Lab) -> None:
    quiet.client.call("isq.set", mode="dataplane")
    send_and_receive(quiet, range(3))
    fetch = f"import urllib.request as u; print(u.urlopen('http://{METRICS}/metrics').read().decode())"
    text = run(quiet, sys.executable, "-c", fetch)
    for name, value in counters(quiet).items():
        assert f'quench_{name}_packets_total{{port="2",switch="s1"}} {float(value)}' in text
    assert counters(quiet)["port_isq_sent"] >= 3


def test_a_restarted_controller_finds_all_as_it_should_be(quiet: Lab) -> None:
    """Last: it stops the controller for a moment."""
    quiet.client.call("isq.set", mode="dataplane")
    assert quiet.end(quiet.processes[1]) == 0
    arrived, quoted = send_and_receive(quiet, range(WINDOW))
    assert sorted(arrived) == sorted(quoted) == list(range(WINDOW)), "the switch needs no controller for them"
    # A change without a controller leaves it to the switch.
    own = quiet.folder / "own.yaml"
    own.write_text("{scheme: curve, points: [{depth: 0, p1: 1.0, isq: true, isq_level: 5}]}")
    direct = ["--port", "2", "--queue", "0", "--file", str(own), "--address", GRPC, "--rate", "10Mbps"]
    run(quiet, QUENCH, "thresholds", "set", "s1", *direct)
    quiet.send(packet())
    isq = quiet.receive(1)
    assert isq is not None
    assert isq[38] == 0x80 | 5
    assert quiet.receive(2) is not None
    quiet.config = CONFIG.replace("isq: {{per", "isq: {{mode: dataplane, per")
    quiet.start_controller()
    wait_until(quiet.connected, 60)
    arrived, quoted = send_and_receive(quiet, range(WINDOW))
    assert sorted(arrived) == sorted(quoted) == list(range(WINDOW))
    (row,) = quiet.client.call("isq.show")
    assert row["mode"] == "dataplane"
