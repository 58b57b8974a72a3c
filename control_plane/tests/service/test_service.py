# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller and the embedded switch together: real processes, real interfaces."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from lab import GRPC, METRICS, QUENCH, Lab, lab, wait_until
from quench.errors import ControllerError
from test_isq import ICMP, ipv4

ECT0 = 0b10
CE = 0b11
MACS = bytes.fromhex("000000000101 000000000102")
N1 = {"minth": "15KB", "maxth": "45KB"}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("service")) as made:
        made.start_switch()
        made.start_controller()
        wait_until(made.connected, 60)
        yield made


def ect_packet(source: str = "10.0.1.1") -> bytes:
    return ipv4(payload=bytes(980), source=source, tos=ECT0, macs=MACS)


def test_a_marked_packet_goes_on_and_its_source_is_quenched(network: Lab) -> None:
    network.send(ect_packet())
    arrived = network.receive(2)
    assert arrived is not None
    assert arrived[15] & 0b11 == CE
    isq = network.receive(1)
    assert isq is not None
    assert isq[23] == ICMP
    assert (isq[34], isq[38]) == (4, 0x80)
    assert isq[30:34] == bytes([10, 0, 1, 1])


def test_a_limit_is_counted(network: Lab) -> None:
    before = network.client.call("stats", switch="s1")[0]
    for _ in range(20):
        network.send(ect_packet("10.0.1.77"))
    suppressed = wait_until(lambda: network.client.call("stats", switch="s1")[0]["isqs_limited"].get("source", 0) >= 15)
    assert suppressed
    after = network.client.call("stats", switch="s1")[0]
    assert after["isqs_sent"]["marked"] - before["isqs_sent"].get("marked", 0) == 5
    assert after["ports"]["2"]["port_marked"]["packets"] - before["ports"]["2"]["port_marked"]["packets"] == 20


def test_thresholds_change_live(network: Lab) -> None:
    answer = network.client.call("thresholds.set", switch="s1", port=2, settings={"scheme": "ecn", **N1})
    (row,) = network.client.call("thresholds.show", switch="s1")
    assert row["settings"]["scheme"] == "ecn"
    again = network.client.call("thresholds.set", switch="s1", port=2, settings={"scheme": "taildrop"})
    assert again["profile"] != answer["profile"]
    while network.receive(2, 0.3) is not None:
        pass
    network.send(ect_packet())
    arrived = network.receive(2)
    assert arrived is not None
    assert arrived[15] & 0b11 == ECT0


def test_a_change_keeps_what_it_does_not_name(network: Lab) -> None:
    def change(**params: object) -> dict[str, Any]:
        answer: dict[str, Any] = network.client.call("thresholds.set", switch="s1", port=2, **params)
        return answer["settings"] | {"defaults": answer["defaults"]}

    first = change(settings={"scheme": "ecn", "maxp": 0.2, "wq": 0.01})
    assert (first["minth"], first["maxth"], first["defaults"]) == ("15KB", "45KB", ["minth", "maxth"])
    (row,) = network.client.call("thresholds.show", switch="s1")
    assert row["settings"]["minth"] == "15KB"
    patched = change(changes={"minth": "5KB"})
    assert patched == first | {"minth": "5KB", "defaults": ["maxth"]}
    other = change(changes={"scheme": "mecn"})
    assert (other["scheme"], other["midth"], other["maxp"], other["wq"]) == ("mecn", "25KB", 0.2, 0.01)
    assert change(unset=["minth", "maxp"])["defaults"] == ["minth", "maxth", "midth"]
    assert change(rate="100Mbps")["maxth"] == "450KB"
    change(rate="10Mbps")
    in_parts = change(changes={"minth": "10%", "maxth": "40ms"}, buffer="90KB")
    assert (in_parts["minth"], in_parts["maxth"]) == ("9KB", "50KB")
    faster = change(rate="20Mbps")
    assert (faster["minth"], faster["maxth"]) == ("9KB", "100KB"), "the buffer of the last change"
    change(rate="10Mbps", unset=["minth", "maxth"])


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"switch": "s9", "port": 2, "settings": {"scheme": "taildrop"}}, "there is no switch 's9'"),
        ({"switch": "s1", "port": 1, "settings": {"scheme": "taildrop"}}, "has no known rate: give --rate"),
        (
            {"switch": "s1", "port": 9, "settings": {"scheme": "taildrop"}},
            "no port 9: routes and profiles lead to 1, 2",
        ),
        (
            {"switch": "s1", "port": 2, "queue": 5, "changes": {"scheme": "taildrop"}},
            "port 2 has no queue 5: classes and profiles lead to 0",
        ),
        ({"switch": "s1", "port": 2, "changes": {"scheme": "ecn", "midth": "9KB"}}, "midth is no setting of ecn"),
        ({"switch": "s1", "port": 2, "unset": ["scheme"]}, "scheme cannot be unset"),
        ({"switch": "s1", "port": 2, "changes": {"scheme": "ecn", "minth": 15}}, "minth: 15 has no unit"),
        (
            {"switch": "s1", "port": 2, "settings": {"scheme": "ecn-becn", "becnthresh": "9KB", **N1}},
            "must lie between",
        ),
        ({"switch": "s1", "port": 2, "settings": {"scheme": "wred"}}, "wred"),
    ],
)
def test_a_bad_request_is_refused_and_changes_nothing(network: Lab, params: dict[str, object], sentence: str) -> None:
    before = network.client.call("thresholds.show")
    with pytest.raises(ControllerError, match=sentence):
        network.client.call("thresholds.set", **params)
    assert network.client.call("thresholds.show") == before


def test_changes_at_the_same_time_are_all_kept(network: Lab) -> None:
    network.client.call("thresholds.set", switch="s1", port=2, settings={"scheme": "ecn"})
    changes = [{"maxp": 0.5}, {"wq": 0.25}, {"minth": "1KB"}, {"maxth": "99KB"}, {"gentle": False}]

    def change(each: dict[str, object]) -> None:
        network.client.call("thresholds.set", switch="s1", port=2, changes=each)

    with ThreadPoolExecutor(len(changes)) as clients:
        list(clients.map(change, changes))
    (row,) = network.client.call("thresholds.show", switch="s1")
    for each in changes:
        assert each.items() <= row["settings"].items()


def quench_in(network: Lab, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = ["ip", "netns", "exec", network.name, QUENCH, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


def test_the_command_line(network: Lab) -> None:
    def quench(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return quench_in(network, *arguments)

    socket = ["--socket", str(network.folder / "ctl.sock")]
    done = quench(
        "thresholds", "set", "s1", "--port", "2", "--scheme", "ecn", "--minth", "15KB", "--maxth", "45KB", *socket
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("s1 port 2 queue 0 at 10Mbps: ecn, minth 15KB, maxth 45KB, profile ")
    bad = ["--scheme", "ecn-becn", "--minth", "15KB", "--becnthresh", "50KB", "--maxth", "45KB"]
    done = quench("thresholds", "set", "s1", "--port", "2", *bad, *socket)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "quench: port 2 queue 0 of 's1': becnthresh (50KB) must lie between minth (15KB) and maxth (45KB)"
    )
    done = quench("thresholds", "set", "s1", "--port", "2", "--unset", "maxth", "--maxp", "0.2", *socket)
    assert done.stdout.startswith("s1 port 2 queue 0 at 10Mbps: ecn, minth 15KB, maxth 45KB, maxp 0.2 (default: maxth)")
    done = quench("thresholds", "set", "s1", "--port", "2", *socket)
    assert (done.returncode, done.stderr) == (
        1,
        "quench: nothing to change: give a setting, --scheme, --unset, --rate or --file\n",
    )
    assert quench("thresholds", "show", *socket).returncode == 0
    assert quench("stats", *socket).returncode == 0
    fetch = f"import urllib.request as u; print(u.urlopen('http://{METRICS}/metrics').read().decode())"
    fetching = ["ip", "netns", "exec", network.name, sys.executable, "-c", fetch]
    done = subprocess.run(fetching, check=True, capture_output=True, text=True)
    assert 'quench_connected{switch="s1"} 1.0' in done.stdout
    assert 'quench_queue_maxth_pkts{port="2",queue="0",switch="s1"} 45.0' in done.stdout
    quench("thresholds", "set", "s1", "--port", "2", "--scheme", "taildrop", *socket)
    assert "quench_queue_maxth_pkts{" not in subprocess.run(fetching, check=True, capture_output=True, text=True).stdout
    quench("thresholds", "set", "s1", "--port", "2", "--scheme", "ecn", *socket)


def test_a_second_controller_is_refused(network: Lab) -> None:
    process = network.start_controller()
    assert process.wait(30) == 1
    assert network.connected()


def test_a_restarted_switch_is_programmed_again(network: Lab) -> None:
    switch = network.processes[0]
    network.end(switch)
    wait_until(lambda: not network.connected())
    with pytest.raises(ControllerError, match="is not connected"):
        network.client.call("thresholds.set", switch="s1", port=2, settings={"scheme": "taildrop"})
    network.start_switch()
    wait_until(network.connected, 60)
    (row,) = network.client.call("thresholds.show", switch="s1")
    assert row["settings"]["scheme"] == "ecn"
    while network.receive(2, 0.3) is not None:
        pass
    network.send(ect_packet())
    assert network.receive(2) is not None


def test_a_restarted_controller_disturbs_nothing(network: Lab) -> None:
    controller = network.processes[1]
    assert network.end(controller) == 0
    network.send(ect_packet())
    assert network.receive(2) is not None
    network.start_controller()
    wait_until(network.connected, 60)
    network.send(ect_packet("10.0.1.99"))
    arrived, isq = network.receive(2), network.receive(1)
    assert arrived is not None
    assert arrived[15] & 0b11 == CE
    assert isq is not None


def test_straight_to_a_switch_without_a_controller(network: Lab) -> None:
    network.end(network.processes[-1])
    scheme = ["thresholds", "set", "s1", "--port", "2", "--scheme", "taildrop", "--address", GRPC]
    done = quench_in(network, *scheme)
    assert done.returncode == 1
    assert done.stderr.startswith("quench: --address needs --rate")
    done = quench_in(network, *scheme, "--rate", "10Mbps")
    assert (done.returncode, done.stderr) == (0, "")
    while network.receive(2, 0.3) is not None:
        pass
    network.send(ect_packet())
    arrived = network.receive(2)
    assert arrived is not None
    assert arrived[15] & 0b11 == ECT0
    rate = ["--rate", "10Mbps"]
    for more, sentence in (
        (["--device-id", "7"], f"quench: {GRPC}: no device has id 7: this switch is device 0\n"),
        (["--port", "9"], f"quench: {GRPC}: port 9 queue 0: there is no port 9: routes and profiles lead to 1, 2\n"),
        (["--queue", "3"], f"quench: {GRPC}: port 2 queue 3: port 2 has no queue 3: classes and profiles lead to 0\n"),
    ):
        done = quench_in(network, *scheme, *rate, *more)
        assert (done.returncode, done.stderr) == (1, sentence)
    direct = ["--address", GRPC, *rate]
    done = quench_in(network, *scheme[:5], "--scheme", "ecn", "--maxp", "0.2", *direct)
    assert done.stdout.startswith("s1 port 2 queue 0 at 10Mbps: ecn, minth 15KB, maxth 45KB, maxp 0.2 (defaults: ")
    done = quench_in(network, *scheme[:5], "--minth", "5KB", *direct)
    assert done.stdout.startswith("s1 port 2 queue 0 at 10Mbps: ecn, minth 5KB, maxth 45pkts, profile ")
    done = quench_in(network, *scheme[:-1], "127.0.0.1:1", "--rate", "10Mbps")
    assert done.returncode == 1
    assert done.stderr.startswith("quench: 127.0.0.1:1: ")
    assert done.stderr.count("\n") == 1
