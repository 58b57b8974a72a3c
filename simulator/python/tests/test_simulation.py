# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator's binding: routers that can be programmed, a controller in Python, and how a run ends."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quench_simulator import Simulation
from quench_switch import DataPlaneError, compile_p4

PROGRAM = """
#include <v1model.p4>

header ethernet_t { bit<48> destination; bit<48> source; bit<16> ether_type; }
struct headers_t { ethernet_t ethernet; }
struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.ethernet); transition accept; }
}
control Verify(inout headers_t hdr, inout metadata_t meta) { apply {} }
control Compute(inout headers_t hdr, inout metadata_t meta) { apply {} }
control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action forward(bit<9> port) { sm.egress_spec = port; }
    action copy(bit<9> port) { sm.egress_spec = port; clone(CloneType.I2E, 7); }
    table egress_of {
        key = { sm.ingress_port: exact; }
        actions = { forward; copy; NoAction; }
        const default_action = NoAction;
    }
    apply { egress_of.apply(); }
}
control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.ethernet); } }
V1Switch(P(), Verify(), In(), Out(), Compute(), D()) main;
"""
CPU_PORT = 510
SECOND = 10**9
Answer = Callable[[int, int, bytes], bytes | None]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("program") / "wire.p4"
    path.write_text(PROGRAM)
    return compile_p4(str(path)).json


def scenario(**changes: Any) -> str:
    rate = {"rate_bps": 1e6}
    return json.dumps(
        {
            "duration_s": 2.0,
            "hosts": [{"name": "a", "address": "10.0.0.1"}, {"name": "b", "address": "10.0.0.2"}],
            "routers": [{"name": "r"}],
            "links": [
                {"name": "left", "a": "a", "b": "r", "delay_s": 0.001, "ab": rate, "ba": rate},
                {"name": "right", "a": "r", "b": "b", "delay_s": 0.001, "ab": rate, "ba": rate},
            ],
            "sources": [{"name": "s", "kind": "cbr", "from": "a", "to": "b", "rate_bps": 80_000, "packet_bytes": 1000}],
        }
        | changes
    )


def programmed(program: str, action: str = "In.forward", **changes: Any) -> Simulation:
    """Packets from the left go out on the right."""
    simulation = Simulation(scenario(**changes), program)
    router = simulation.router("r")
    router.clone_session_set(7, [(CPU_PORT, 0)])
    router.table_insert("In.egress_of", [("exact", b"\x01")], 0, ("action", action, [b"\x02"]))
    return simulation


def nobody(_router: int, _now_ns: int, _packet: bytes) -> None:
    raise AssertionError("there was a packet-in")


def received(simulation: Simulation) -> int:
    (source,) = simulation.results()["sources"]
    count: int = source["datagrams_received"]
    return count


def test_a_router_forwards_by_its_tables(program: str) -> None:
    simulation = programmed(program)
    simulation.run_until(2 * SECOND, nobody)
    # Ten packets a second from time 0 on; a packet takes 2 * (8 + 1) ms.
    assert (simulation.now_ns, received(simulation)) == (2 * SECOND, 20)


def test_a_router_without_entries_forwards_nothing(program: str) -> None:
    simulation = Simulation(scenario(), program)
    simulation.run_until(SECOND, nobody)
    assert received(simulation) == 0


def test_tables_can_be_changed_between_two_runs(program: str) -> None:
    simulation = programmed(program)
    simulation.run_until(SECOND - 1, nobody)
    simulation.router("r").table_delete("In.egress_of", [("exact", b"\x01")], 0)
    simulation.run_until(2 * SECOND, nobody)
    assert received(simulation) == 10


def test_the_controller_sees_router_time_and_packet(program: str) -> None:
    seen: list[tuple[int, int, bytes]] = []
    simulation = programmed(program, "In.copy")
    simulation.run_until(SECOND // 2, lambda *packet_in: seen.append(packet_in))
    # After 8 ms for 1000 bytes at 1 Mb/s and 1 ms of propagation.
    assert [(router, now_ns) for router, now_ns, _ in seen] == [(0, 9_000_000 + 100_000_000 * n) for n in range(5)]
    assert {len(packet) for *_, packet in seen} == {1014}


def test_an_answer_goes_back_after_the_controllers_latency(program: str) -> None:
    def answer(_router: int, _now_ns: int, packet: bytes) -> bytes:
        return packet

    routers = [{"name": "r", "controller_latency_s": 0.25}]
    simulation = programmed(program, "In.copy", routers=routers)
    simulation.router("r").table_insert(
        "In.egress_of", [("exact", CPU_PORT.to_bytes(2, "big"))], 0, ("action", "In.forward", [b"\x02"])
    )
    simulation.run_until(SECOND // 4, answer)
    assert received(simulation) == 3
    simulation.run_until(SECOND // 2, answer)
    assert received(simulation) == 5 + 3


def test_what_the_controller_raises_ends_the_run(program: str) -> None:
    calls = []

    def fails(_router: int, now_ns: int, _packet: bytes) -> None:
        calls.append(now_ns)
        raise LookupError("no idea")

    simulation = programmed(program, "In.copy")
    with pytest.raises(LookupError, match="no idea"):
        simulation.run_until(2 * SECOND, fails)
    assert len(calls) == 1
    assert simulation.now_ns < SECOND


def test_an_answer_has_to_be_bytes(program: str) -> None:
    with pytest.raises(TypeError):
        programmed(program, "In.copy").run_until(SECOND, lambda *_: "text")  # type: ignore[arg-type,return-value]


def test_ctrl_c_ends_a_run_that_never_comes_to_python(program: str) -> None:
    simulation = programmed(program, duration_s=1e6)

    ended = threading.Event()

    def interrupt() -> None:
        while not ended.is_set():
            try:
                _ = simulation.now_ns
            except RuntimeError:
                # It runs now.
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                return

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            simulation.run_until(10**15, nobody)
    finally:
        ended.set()
        thread.join()
    assert simulation.now_ns < 10**15


@pytest.mark.parametrize(
    "use",
    [
        lambda simulation: simulation.router("r"),
        lambda simulation: simulation.snapshot(),
        lambda simulation: simulation.set_rate("right.ab", 1e6),
        lambda simulation: simulation.forget_records(),
        lambda simulation: simulation.results(),
    ],
    ids=["router", "look", "rate", "forget", "results"],
)
def test_the_controller_cannot_use_the_simulation(program: str, use: Callable[[Simulation], object]) -> None:
    simulation = programmed(program, "In.copy")

    def meddles(_router: int, _now_ns: int, _packet: bytes) -> None:
        use(simulation)

    with pytest.raises(RuntimeError, match="the simulation is running"):
        simulation.run_until(SECOND, meddles)
    assert simulation.router("r") is not None


@pytest.mark.parametrize(
    "use",
    [
        lambda router: router.table_entries("In.egress_of"),
        lambda router: router.table_delete("In.egress_of", [("exact", b"\x01")], 0),
        lambda router: router.program(),
        lambda router: router.unload(),
        lambda router: router.stats(),
    ],
    ids=["look", "change", "program", "unload", "stats"],
)
def test_the_controller_cannot_use_a_router_that_it_has(program: str, use: Callable[[Any], object]) -> None:
    simulation = programmed(program, "In.copy")
    router = simulation.router("r")

    def answer(*_: object) -> None:
        use(router)

    with pytest.raises(RuntimeError, match=r"the simulation is running: use .* when run_until has returned") as caught:
        simulation.run_until(SECOND, answer)
    assert "\n" not in str(caught.value)
    # Nothing happened, and the router can be used again.
    assert len(router.table_entries("In.egress_of")) == 1


def test_a_snapshot_is_what_the_results_count(program: str) -> None:
    simulation = programmed(program)
    assert simulation.snapshot()["sources"] == [
        {"name": "s", "window": None, "acked_bytes": 0, "retransmitted_pkts": 0, "reactions": 0}
    ]
    simulation.run_until(SECOND, nobody)
    seen, results = simulation.snapshot(), simulation.results()
    assert seen["now_s"] == 1.0
    directions = {each["name"]: each for each in results["directions"]}
    assert [port["direction"] for port in seen["ports"]] == ["left.ba", "right.ab"], "hosts have no program"
    for port in seen["ports"]:
        assert port["tx_bytes"] == directions[port["direction"]]["tx_bytes"]
        assert port["queues"] == [{"pkts": 0, "bytes": 0, "average_pkts": None}]
    assert seen["ports"][1]["tx_bytes"] == 10_000


def test_a_rate_holds_from_then_on(program: str) -> None:
    simulation = programmed(program)
    simulation.run_until(SECOND, nobody)
    # A packet of 8000 bits takes 1 s now, and ten more arrive: one is on the link, and the others wait.
    simulation.set_rate("right.ab", 8000.0)
    simulation.run_until(2 * SECOND - 1, nobody)
    (port,) = (each for each in simulation.snapshot()["ports"] if each["direction"] == "right.ab")
    assert port["queues"][0]["pkts"] == 9


@pytest.mark.parametrize(
    ("direction", "rate_bps", "sentence"),
    [
        ("right", 1e6, "right: there is no such direction"),
        ("right.ab", 0.0, "right.ab: rate_bps: must be 1 to 1e15"),
        ("right.ab", float("nan"), "right.ab: rate_bps: must be 1 to 1e15"),
    ],
)
def test_an_impossible_rate_is_refused(program: str, direction: str, rate_bps: float, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        programmed(program).set_rate(direction, rate_bps)


def test_a_run_ends_with_the_scenario(program: str) -> None:
    simulation = programmed(program)
    simulation.run_until(10 * SECOND, nobody)
    assert simulation.now_ns == simulation.duration_ns == 2 * SECOND


def test_runs_in_pieces_are_one_run(program: str) -> None:
    whole, pieces = programmed(program), programmed(program)
    whole.run_until(2 * SECOND, nobody)
    for end in (1, 5_000_000, SECOND // 3, SECOND, 2 * SECOND):
        pieces.run_until(end, nobody)
    first, second = whole.results(), pieces.results()
    assert first["directions"] == second["directions"]
    assert first["sources"] == second["sources"]


def test_records_and_series_are_arrays(program: str) -> None:
    simulation = programmed(program, measure={"series": ["right.ab"], "series_interval_s": 0.5})
    simulation.run_until(2 * SECOND, nobody)
    results = simulation.results()
    (series,) = results["series"]
    assert (series["name"], series["values"].shape) == ("right.ab", (5, len(series["columns"])))
    assert np.array_equal(series["time_s"], [0, 0.5, 1, 1.5, 2])
    assert {name: len(table["source"]) for name, table in results["records"].items()} == {
        "objects": 0,
        "files": 0,
        "calls": 0,
        "messages": 0,
    }


def test_a_router_that_is_not_there(program: str) -> None:
    with pytest.raises(DataPlaneError, match="there is no router"):
        Simulation(scenario(), program).router("x")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"duration_s": "long"}, "duration_s: "),
        ({"hosts": [{"name": "a", "address": "10.0.0"}]}, r"hosts\[0\]\.address: "),
        ({"routers": [{"name": "r", "queues": 9}]}, "queues"),
    ],
)
def test_a_scenario_that_is_wrong(program: str, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as caught:
        Simulation(scenario(**changes), program)
    assert "\n" not in str(caught.value)


def test_a_program_that_is_none() -> None:
    with pytest.raises(ValueError, match="program"):
        Simulation(scenario(), "{}")


def test_threads_change_no_result_and_are_1_to_256(program: str) -> None:
    # A line of 16 routers between the two hosts, so that the network is cut.
    names = [f"r{number}" for number in range(16)]
    rate = {"rate_bps": 1_000_000}
    ends = ["a", *names, "b"]
    links = [
        {"name": f"l{one}{other}", "a": one, "b": other, "delay_s": 0.001, "ab": rate, "ba": rate}
        for one, other in pairwise(ends)
    ]

    def run(threads: int) -> tuple[int, list[tuple[int, int]]]:
        described = scenario(routers=[{"name": name} for name in names], links=links)
        simulation = Simulation(described, program, threads)
        assert simulation.cells == 17
        for name in names:
            router = simulation.router(name)
            router.clone_session_set(7, [(CPU_PORT, 0)])
            router.table_insert("In.egress_of", [("exact", b"\x01")], 0, ("action", "In.copy", [b"\x02"]))
        seen: list[tuple[int, int]] = []
        simulation.run_until(SECOND, lambda router, now_ns, _packet: seen.append((now_ns, router)))
        return received(simulation), seen

    count, seen = run(1)
    assert count > 5
    assert len(seen) > 16 * 5
    assert seen == sorted(seen)
    assert run(2) == run(3) == (count, seen)
    for threads in (0, 257):
        with pytest.raises(ValueError, match=f"threads: must be 1 to 256, not {threads}"):
            Simulation(scenario(), program, threads)
