# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile clients of every listener: what listens answers after them, and the campaign counts what they do."""

import json
import os
import random
import secrets
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_listeners import Lab, answered, attack, lab
from quench_topologies.errors import TopologyError
from quench_topologies.isolation import clocks_apart
from quench_topologies.process import Child
from quench_topologies.soak import wires
from quench_topologies.soak.hostile import PROTOCOLS
from quench_topologies.soak.readers import Readers, Tally, listener_at

PATIENCE_S = 30.0
FUZZED_S = 2.0
EMBEDDED = os.environ.get("QUENCH_TARGET", "embedded") == "embedded"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    if not EMBEDDED:
        pytest.skip("BMv2 has neither traces nor limits")
    with lab(tmp_path_factory.mktemp("lab")) as made:
        yield made


@pytest.mark.parametrize("name", [b"", b"\0", b"\xe9", b"x" * 90])
def test_a_method_that_there_is_not_leaves_the_switch_serving(running: Lab, name: bytes) -> None:
    switch = running.listeners[0]
    host, port = switch.address.split(":")
    call = wires.half_call(b"/p4.v1.P4Runtime/" + name, 1, b"")
    with socket.create_connection((host, int(port)), PATIENCE_S) as client:
        client.sendall(call)
        assert answered(switch)
    assert answered(switch)


def test_every_listener_answers_after_a_flood_of_hostile_clients(running: Lab) -> None:
    seed = secrets.randbits(32)
    print(f"--seed {seed}")  # noqa: T201
    counts = attack(running.listeners, FUZZED_S, seed)
    assert set(counts) == {each.protocol for each in PROTOCOLS}
    assert running.faults() == [], f"seed {seed}"


def serve(server: socket.socket) -> None:
    """An HTTP server that answers everybody, whatever they send."""
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        with client:
            client.settimeout(0.5)
            try:
                if client.recv(1 << 16).startswith(b"GET /metrics HTTP/1.1\r\nHost"):
                    client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            except OSError:
                continue


def until(condition: object) -> None:
    deadline = time.monotonic() + PATIENCE_S
    assert callable(condition)
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_visits_are_counted_also_over_the_end_of_the_process(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        addresses = [f"127.0.0.1:{each.getsockname()[1]}" for each in (server, nobody)]
        readers = Readers([("metrics", [addresses[0]]), ("page", [addresses[1]])], 1, tmp_path)
        readers.start()
        try:
            until(lambda: readers.tallies()["metrics"].answered and readers.tallies()["page"].visits)
            readers.kill()
            before = readers.tallies()
            killed_s = time.monotonic()
            readers.start()
            until(lambda: readers.tallies()["page"].visits > before["page"].visits)
            assert readers.unanswered(killed_s, 0.0)[-1] == f"page at {addresses[1]}"
            until(lambda: readers.unanswered(killed_s, 0.0) == [f"page at {addresses[1]}"])
            assert readers.tallies()["page"].answered == 0
        finally:
            readers.stop()
            server.shutdown(socket.SHUT_RDWR)
    after = readers.tallies()
    assert readers.tallies() == after
    assert after["metrics"].answered > before["metrics"].answered
    assert (tmp_path / "readers.log").read_text() == ""


def test_readers_that_end_by_themselves_are_found(tmp_path: Path) -> None:
    readers = Readers([("nonsense", ["127.0.0.1:1"])], 1, tmp_path)
    readers.start()
    with pytest.raises(TopologyError, match=r"the readers ended with status 1: .* there is no protocol 'nonsense'"):
        readers.unanswered(time.monotonic(), PATIENCE_S)
    readers.stop()
    assert readers.tallies() == {"nonsense": Tally()}


def test_attacks_are_by_the_seed() -> None:
    def drawn(seed: int) -> list[bytes]:
        draw = random.Random(seed)
        made = [wires.thrift_calls(draw) + wires.http_request(draw, "h", "/") for _ in range(50)]
        return [wires.mutated(draw, each) for each in made]

    assert drawn(1) == drawn(1) != drawn(2)
    assert listener_at("traces", ["127.0.0.1:1"]).protocol == "traces"


@pytest.mark.netns
@pytest.mark.parametrize("seconds", [86_400, -1])
def test_a_child_may_live_in_another_time(tmp_path: Path, seconds: int) -> None:
    log = tmp_path / "log"

    def clocks_of_a_child() -> list[float]:
        log.unlink(missing_ok=True)
        words = "import json, time; print(json.dumps([time.monotonic(), time.clock_gettime(time.CLOCK_BOOTTIME)]))"
        child = Child("clock", [sys.executable, "-c", words], log)
        until(lambda: log.read_text().endswith("\n"))
        child.stop()
        return list(json.loads(log.read_text()))

    before_s = time.monotonic()
    with clocks_apart(seconds):
        other_s = clocks_of_a_child()
    again_s = clocks_of_a_child()
    after_s = time.monotonic()
    assert before_s + seconds < other_s[0] < after_s + seconds
    assert before_s < again_s[0] < after_s
    assert other_s[1] - again_s[1] == pytest.approx(seconds, abs=after_s - before_s)
