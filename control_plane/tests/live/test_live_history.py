# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feed's history is bounded, readers get all of it once, and nothing is made while nobody reads."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
from feeds import port_sample
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json
from quench.feed import hub as hub_module
from quench.feed.history import UPDATE_BYTES, History, Place
from quench.feed.hub import INTERNAL, Hub
from quench.feed.model import HISTORY_S, UPDATE, WHOLE_S, Event, Layout, Sample, Update
from quench.feed.rates import STALE_S, Rates
from quench.service.live_feed import pause_after_s
from sessions import until

HANG_S = 30
START = Place()
LAYOUT: Layout = {
    "title": "made up",
    "clock": "unix",
    "can_change": False,
    "changes_isq": False,
    "playing": None,
    "switches": [],
}


def sample(time_s: float, flow: str = "f") -> Sample:
    row: Any = {"flow": flow, "host": "h", "cwnd_pkts": 1.0}
    row |= {"ssthresh_pkts": None, "srtt_ms": None, "retransmitted_pkts": None, "reductions": None}
    return {"time_s": time_s, "ports": [], "flows": [row], "hosts": []}


def event(text: str) -> Event:
    return {"time_s": 1.0, "kind": "rate", "switch": "s1", "port": 1, "queue": None, "text": text}


def everything(history: History, place: Place = START) -> tuple[list[Update], Place]:
    updates = []
    while (news := history.after(place)) is not None:
        json, place = news
        updates.append(UPDATE.validate_json(json))
    return updates, place


def times(updates: list[Update]) -> list[float]:
    return [each["time_s"] for update in updates for each in update["samples"]]


def test_samples_leave_by_age() -> None:
    history = History("a", most_s=10)
    for time_s in range(30):
        history.add_sample(sample(time_s))
    assert times(everything(history)[0]) == list(range(19, 30))


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=60))
def test_samples_leave_by_bytes_and_the_newest_stays(sizes: list[int]) -> None:
    history = History("a", most_bytes=10_000)
    for number, size in enumerate(sizes):
        history.add_sample(sample(number, "x" * size))
    kept = times(everything(history)[0])
    assert kept[-1] == len(sizes) - 1
    assert sum(sizes[int(time_s)] for time_s in kept[:-1]) <= 10_000


def test_of_each_second_before_the_last_minute_one_sample_is_kept() -> None:
    history = History("a", most_s=200)
    for tenth in range(3001):
        history.add_sample(sample(tenth / 10))
    kept = times(everything(history)[0])
    assert kept == sorted(kept)
    assert [time_s for time_s in kept if time_s >= 240] == [tenth / 10 for tenth in range(2400, 3001)]
    assert [int(time_s) for time_s in kept if time_s < 240] == list(range(100, 240))


def test_a_quarter_of_an_hour_of_eight_ports_fits() -> None:
    history = History("a")
    ports: Any = [port_sample(port=port, profile=port) for port in range(1, 9)]
    for tenth in range(10 * int(HISTORY_S) + 600):
        history.add_sample({"time_s": tenth / 10, "ports": ports, "flows": [], "hosts": []})
    kept = times(everything(history)[0])
    assert kept[-1] - kept[0] > HISTORY_S - 1
    assert len(kept) < HISTORY_S - WHOLE_S + 10 * WHOLE_S + 2


async def test_changes_are_numbered_and_keep_the_numbers_that_they_have() -> None:
    made = Made()
    for change in (event("a"), {**event("b"), "kind": "connected"}, event("c"), {**event("d"), "change": 7}):
        made.hub.add_event(change)  # type: ignore[arg-type]
    made.hub.add_event(event("e"))
    news = await made.hub.after(START, 0)
    assert news is not None
    numbers = {each["text"]: each.get("change") for each in from_json(news[0])["events"]}
    assert numbers == {"a": 1, "b": None, "c": 2, "d": 7, "e": 8}
    await made.hub.close()


def test_the_feed_of_an_older_controller_is_read() -> None:
    old: Any = {key: value for key, value in port_sample().items() if key != "queues"}
    old["queues"] = [{"queue": 0, "depth_pkts": 1, "average_pkts": 1.0}]
    update: Any = {"layout": LAYOUT, "samples": [{**sample(1), "ports": [old]}], "events": [event("a")]}
    assert UPDATE.validate_python({**update, "restarted": False, "lost": None})


def test_events_are_few() -> None:
    history = History("a", most_events=3)
    for number in range(9):
        history.add_event(event(str(number)))
    assert [each["text"] for update in everything(history)[0] for each in update["events"]] == ["6", "7", "8"]


def test_a_long_history_comes_in_several_updates_without_gap_or_repetition() -> None:
    history = History("a")
    history.set_layout(LAYOUT)
    for number in range(40):
        history.add_sample(sample(number, "x" * (UPDATE_BYTES // 10)))
        history.add_event(event(str(number)))
    updates, place = everything(history)
    assert len(updates) > 3
    assert times(updates) == list(range(40))
    assert [each["text"] for update in updates for each in update["events"]] == [str(number) for number in range(40)]
    assert updates[0]["layout"] == LAYOUT
    assert all(update["layout"] is None for update in updates[1:])
    assert history.after(place) is None


def test_a_reader_of_another_beginning_starts_anew() -> None:
    history = History("b")
    history.add_sample(sample(1))
    (update,), place = everything(history, Place("a", 99))
    assert update["restarted"]
    assert times([update]) == [1]
    assert place.epoch == "b"
    assert not everything(history)[0][0]["restarted"]


def test_numbers_that_json_lacks_are_null() -> None:
    history = History("a")
    bad = sample(1)
    bad["flows"][0]["ssthresh_pkts"] = float("inf")
    history.add_sample(bad)
    news = history.after(Place())
    assert news is not None
    assert from_json(news[0])["samples"][0]["flows"][0]["ssthresh_pkts"] is None


def test_rates_are_means_over_the_window_and_begin_anew() -> None:
    rates = Rates(window_s=1.0)
    assert rates.per_s(0) == {}
    for tick in range(31):
        rates.add(tick / 10, {"marked": 5 * tick})
    assert rates.per_s(3.0) == {"marked": pytest.approx(50)}
    assert rates.per_s(3.0 + 2 * STALE_S) == {}
    rates.add(3.1, {"marked": 0})
    assert rates.per_s(3.1) == {}, "the switch was started again"
    rates.add(3.2, {"marked": 1})
    rates.add(3.2 + 2 * STALE_S, {"marked": 100})
    assert rates.per_s(3.2 + 2 * STALE_S) == {}, "nobody has watched for a while"


def test_counters_are_read_less_often_where_it_takes_long_but_rates_stay_known() -> None:
    for took_s, pause_s in ((0.0, 0.1), (0.005, 0.095), (0.02, 0.18), (0.05, 0.45), (0.3, 0.5), (1.4, 0.5)):
        assert pause_after_s(took_s) == pytest.approx(pause_s)
    rates = Rates()
    now_s = 0.0
    for reading in range(5):
        now_s += 1.4 + pause_after_s(1.4)
        rates.add(now_s, {"marked": 19 * reading})
    assert rates.per_s(now_s) == {"marked": pytest.approx(10)}


class Made:
    """A hub whose production counts itself."""

    def __init__(self, *, records: bool = False) -> None:
        self.hub = Hub(self.produce, records=records)
        self.hub.set_layout(LAYOUT)
        self.running = 0
        self.starts = 0
        self.fails = 0

    async def produce(self) -> None:
        self.starts += 1
        self.running += 1
        try:
            if self.fails:
                self.fails -= 1
                raise KeyError("nobody foresaw this")
            for number in range(10**9):
                self.hub.add_sample(sample(self.starts * 1000 + number / 100))
                await asyncio.sleep(0.01)
        finally:
            self.running -= 1


async def read(updates: AsyncIterator[Update], samples: int) -> list[Update]:
    found: list[Update] = []
    async with asyncio.timeout(HANG_S):
        async for update in updates:
            found.append(update)
            if len(times(found)) >= samples:
                return found
    raise AssertionError("the iteration ended")


async def test_samples_are_made_only_while_somebody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "LINGER_S", 0.1)
    monkeypatch.setattr(hub_module, "_CHECK_S", 0.02)
    made = Made()
    await asyncio.sleep(0.05)
    assert made.starts == 0
    async with aclosing(made.hub.updates()) as one, aclosing(made.hub.updates()) as two:
        first, second = await asyncio.gather(read(one, 5), read(two, 5))
        assert times(first)[:5] == times(second)[:5]
        assert (made.running, made.starts) == (1, 1)
    await until(lambda: made.running == 0)
    assert not made.hub.watched
    async with aclosing(made.hub.updates()) as late:
        found = times(await read(late, 1))
        assert found[0] < 2000, "the history of before is there"
        await until(lambda: made.starts == 2)
    await made.hub.close()
    assert made.running == 0


async def test_a_hub_that_records_makes_samples_before_and_after_its_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "LINGER_S", 0.0)
    monkeypatch.setattr(hub_module, "_CHECK_S", 0.01)
    made = Made(records=True)
    made.hub.record()
    await until(lambda: made.running == 1)
    assert not made.hub.watched
    await asyncio.sleep(0.05)
    async with aclosing(made.hub.updates()) as updates:
        await read(updates, 3)
    assert not made.hub.watched
    await asyncio.sleep(0.05)
    assert (made.running, made.starts) == (1, 1)
    await made.hub.close()
    assert made.running == 0


async def test_the_first_reader_ends_the_pause_of_a_hub_that_nobody_reads() -> None:
    made = Made()
    pausing = asyncio.create_task(made.hub.pause(time.monotonic() + 3600))
    await asyncio.sleep(0)
    assert not pausing.done()
    await made.hub.after(START, 0)
    async with asyncio.timeout(HANG_S):
        await pausing
    # A further reader ends none.
    pausing = asyncio.create_task(made.hub.pause(time.monotonic() + 3600))
    await asyncio.sleep(0)
    await made.hub.after(START, 0)
    await asyncio.sleep(0.01)
    assert not pausing.done()
    pausing.cancel()
    await made.hub.close()


async def test_a_reader_that_does_not_read_holds_up_nobody_and_misses_nothing_that_is_kept() -> None:
    made = Made()
    async with aclosing(made.hub.updates()) as slow, aclosing(made.hub.updates()) as quick:
        before = times(await read(slow, 1))
        seen = times(await read(quick, 20))
        caught_up = times(await read(slow, 15))
    assert (before + caught_up)[: len(seen)] == seen
    await made.hub.close()


async def test_an_unforeseen_fault_is_said_and_the_work_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(hub_module, "_RETRY_S", 0.01)
    made = Made()
    made.fails = 1
    async with aclosing(made.hub.updates()) as updates:
        found = await read(updates, 3)
    assert INTERNAL in {update["lost"] for update in found}
    assert found[-1]["lost"] is None, "the samples that came after it say so"
    assert "nobody foresaw this" in caplog.text
    await made.hub.close()


async def test_iterations_end_when_the_hub_is_closed() -> None:
    made = Made()
    updates = made.hub.updates()
    await read(updates, 1)
    await made.hub.close()
    async with asyncio.timeout(HANG_S):
        assert [update async for update in updates] == []
