# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulation over the feed: its samples, changes under way, its player, and that it stands still unwatched."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest
from pydantic_core import to_json
from quench.errors import ControllerError
from quench.feed import hub
from quench.feed.model import UPDATE, Change, Update
from quench.feed.source import ChangeError, Player, Source
from quench_experiments.errors import SimulationError
from quench_experiments.live.source import SimulatedSource, simulated
from quench_experiments.simulation.running import RunningSimulation

HANG_S = 60.0
RAISED = {"minth": "80KB", "maxth": "85KB"}


@pytest.fixture
async def source(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SimulatedSource]:
    monkeypatch.setattr(hub, "LINGER_S", 0.0)
    made = simulated("n1", "ecn", 1, 100.0)
    yield made
    await made.close()


async def watch(source: Source, enough: Callable[[list[Update]], bool]) -> list[Update]:
    found: list[Update] = []
    async with asyncio.timeout(HANG_S), aclosing(source.updates()) as updates:  # type: ignore[type-var]
        async for update in updates:
            found.append(update)
            if enough(found):
                return found
    raise AssertionError("the iteration ended")


async def standing(source: SimulatedSource) -> float:
    """The time at which it stands still, once a step under way has ended."""
    async with asyncio.timeout(HANG_S):
        while True:
            before = source.time_s
            await asyncio.sleep(0.7)
            if source.time_s == before:
                return before


def samples(updates: list[Update]) -> list[Any]:
    return [sample for update in updates for sample in update["samples"]]


def until(time_s: float) -> Callable[[list[Update]], bool]:
    return lambda updates: any(sample["time_s"] >= time_s for sample in updates[-1]["samples"])


def change(source: SimulatedSource, **values: Any) -> Change:
    queue = source.layout["switches"][0]["ports"][0]["queues"][0]
    assert queue["profile"] is not None
    settings = {"settings": {**queue["profile"]["settings"], **values.pop("settings")}} if "settings" in values else {}
    return Change.model_validate({"switch": "r1", "port": 1, **settings, **values})


async def test_samples_have_all_that_the_feed_has(source: SimulatedSource) -> None:
    assert isinstance(source, Player)
    found = await watch(source, until(60.0))
    assert all(UPDATE.validate_json(to_json(update)) == update for update in found)
    layout = found[0]["layout"]
    assert layout is not None
    assert layout["title"].startswith("simulation n1/ecn/seed=1")
    assert (layout["clock"], layout["can_change"], layout["changes_isq"]) == ("run", True, True)
    assert layout["playing"] == {"duration_s": None, "paused": False, "speed": 100.0}
    (port,) = layout["switches"][0]["ports"]
    assert (port["port"], port["rate_bps"]) == (1, 10_000_000)
    assert (port["queues"][0].get("buffer"), port["queues"][0].get("number")) == ("90KB", 1)
    network = layout["network"]
    assert network is not None
    assert {"a": "r1", "a_port": 1, "b": "r2", "b_port": 1} in network["links"]
    assert {"a": "r1", "a_port": 2, "b": "servers1", "b_port": None} in network["links"]
    assert {end for link in network["links"] for end in (link["a"], link["b"])} == {
        *network["hosts"],
        *network["switches"],
    }
    late = [sample for sample in samples(found) if sample["time_s"] > 20]
    times_s = [sample["time_s"] for sample in late]
    assert times_s == sorted(set(times_s))
    for sample in late:
        (shown,) = sample["ports"]
        assert (shown["switch"], shown["port"], shown["queues"][0]["profile"]) == ("r1", 1, 1)
        assert 0.5 < shown["utilisation"] <= 1
        assert 0 < shown["queues"][0]["average_pkts"] < 90
        assert shown["seen_pps"] > 500
        assert len(sample["flows"]) == 20
    first, last = ({flow["flow"]: flow for flow in sample["flows"]} for sample in (late[0], late[-1]))
    assert all(last[name]["acked_bytes"] > flow["acked_bytes"] for name, flow in first.items())
    assert sum(flow["reductions"] for flow in last.values()) > sum(flow["reductions"] for flow in first.values())
    assert all(flow["srtt_ms"] > 80 and flow["cwnd_pkts"] >= 1 for flow in last.values())
    assert max(sample["ports"][0]["marked_pps"] for sample in late) > 10


async def test_a_raised_threshold_ends_the_marks_and_is_numbered(source: SimulatedSource) -> None:
    await watch(source, until(40.0))
    answer = await source.change(change(source, settings=RAISED))
    assert (answer["profile"], answer["rate_bps"], answer["isq_mode"]) == (2, 10_000_000, "cpu")
    assert answer["settings"]["minth"] == "80KB"
    answer = await source.change(change(source, rate="9Mbps", isq_mode="off"))
    assert (answer["profile"], answer["rate_bps"], answer["isq_mode"]) == (3, 9_000_000, "off")
    assert (await source.change(change(source)))["profile"] is None, "nothing is another"
    found = await watch(
        source, lambda updates: bool(events(updates)) and until(events(updates)[0]["time_s"] + 60)(updates)
    )
    texts = ["r1 port 1 queue 0: ecn: minth 80KB, maxth 85KB", "r1: source quenches: off", "r1 port 1: rate 9Mbps"]
    assert [(event["change"], event["text"]) for event in events(found)] == list(enumerate(texts, 1))
    changed_s = events(found)[-1]["time_s"]
    queues = [(sample["time_s"], sample["ports"][0]) for sample in samples(found)]
    assert max(port["marked_pps"] for time_s, port in queues if 10 < time_s <= events(found)[0]["time_s"]) > 10
    # The windows need a while, and a rate is that of the last second.
    assert {port["marked_pps"] for time_s, port in queues if time_s > changed_s + 30} == {0.0}
    assert {port["queues"][0]["profile"] for time_s, port in queues if time_s > changed_s + 2} == {3}
    assert {port["queues"][0]["profile"] for time_s, port in queues if time_s < events(found)[0]["time_s"]} == {1}


def events(updates: list[Update]) -> list[Any]:
    return [event for update in updates for event in update["events"]]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"port": 2}, "port 2 queue 0 of 'r1' has no profile"),
        ({"queue": 1}, "port 1 queue 1 of 'r1' has no profile"),
        ({"switch": "r9"}, "port 1 queue 0 of 'r9' has no profile"),
        ({"rate": "2000000Gbps"}, "must be 1 to 1e15 bits per second"),
    ],
)
async def test_an_impossible_change_is_refused(source: SimulatedSource, values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ChangeError, match=sentence):
        await source.change(Change.model_validate({"switch": "r1", "port": 1, **values}))


async def test_it_pauses_and_goes_on_but_not_back(source: SimulatedSource) -> None:
    await watch(source, until(1.0))
    source.play(paused=True)
    layout = (await watch(source, lambda _: True))[-1]["layout"]
    assert layout is not None
    assert layout["playing"] == {"duration_s": None, "paused": True, "speed": 100.0}
    before = await standing(source)
    source.play(paused=False, speed=50.0)
    await watch(source, lambda updates: any(sample["time_s"] > before for sample in updates[-1]["samples"]))
    for wrong, sentence in (({"time_s": 0.0}, "does not go back"), ({"speed": 0.0}, "a speed of 0")):
        with pytest.raises(ChangeError, match=sentence):
            source.play(**wrong)


async def test_it_stands_still_while_nobody_watches(source: SimulatedSource) -> None:
    assert source.time_s == 0
    await watch(source, until(10.0))
    before = await standing(source)
    again = await watch(source, lambda updates: any(s["time_s"] > before for s in updates[-1]["samples"]))
    assert not any(update["restarted"] for update in again)


async def test_the_loop_goes_on_while_a_step_takes_long(
    source: SimulatedSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, leave = threading.Event(), threading.Event()

    def slow(_self: RunningSimulation, _time_s: float) -> None:
        entered.set()
        assert leave.wait(HANG_S)

    monkeypatch.setattr(RunningSimulation, "run_until", slow)
    task = asyncio.create_task(watch(source, until(0.0)))
    try:
        assert await asyncio.to_thread(entered.wait, HANG_S)
        source.play(paused=True)
        assert source.layout["playing"]["paused"]  # type: ignore[index]
    finally:
        leave.set()
    await task


async def test_a_machine_that_is_too_slow_says_so(source: SimulatedSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quench_experiments.live.source.STEP_S", 0.0)

    def slow(updates: list[Update]) -> bool:
        layout = updates[-1]["layout"]
        return layout is not None and layout["title"].endswith(", at 0 of the wished 100 times")

    await watch(source, slow)
    assert source.time_s == 0


async def test_queues_of_a_program_have_its_name_and_depths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "LINGER_S", 0.0)
    source = simulated("signals.dualpi2", "dualpi2", 1, 100.0)
    try:
        found = await watch(source, until(3.0))
    finally:
        await source.close()
    layout = next(update["layout"] for update in found if update.get("layout"))
    ((port,),) = ([each["ports"] for each in layout["switches"]],)
    assert [queue["program"]["title"] for queue in port[0]["queues"]] == ["DualPI2", "DualPI2"]
    assert [queue["profile"] for queue in port[0]["queues"]] == [None, None]
    depths = [[queue["depth_pkts"] for queue in each["ports"][0]["queues"]] for each in samples(found)]
    assert all(max(of_queue) > 0 for of_queue in zip(*depths, strict=True))


async def test_a_simulation_that_fails_says_so(source: SimulatedSource, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_self: RunningSimulation, _time_s: float) -> None:
        raise SimulationError("time: the clock stands")

    monkeypatch.setattr(RunningSimulation, "run_until", fails)
    found = await watch(source, lambda updates: updates[-1]["lost"] is not None)
    assert found[-1]["lost"] == "the simulation ended at 0 s: time: the clock stands"


def test_a_program_that_is_not_compiled_is_a_fault_of_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise SimulationError("build/quench.json: the P4 program is not compiled:\nrun 'make p4'")

    monkeypatch.setattr("quench_experiments.live.source.RunningSimulation", missing)
    with pytest.raises(ControllerError, match=r"^--simulate n1: build/quench\.json: .* run 'make p4'$"):
        simulated("n1", None, None, 1.0)
