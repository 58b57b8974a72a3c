# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A recording that is played back: its order, pauses, speed, and any moment of it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing

import pytest
from quench.feed.model import Change, Event, Layout, Sample, Update
from quench.feed.source import ChangeError, Player, Source
from quench.live.sources.playback import PlaybackSource

HANG_S = 30


class Made:
    """A hundred seconds, ten samples each, and an event at 50 s."""

    times_s: Sequence[float] = [number / 10 for number in range(1001)]
    events: Sequence[Event] = [
        {"time_s": 50.0, "kind": "rate", "switch": "r1", "port": 1, "queue": None, "text": "r1 port 1: rate 5Mbps"}
    ]

    def sample(self, index: int) -> Sample:
        return {"time_s": self.times_s[index], "ports": [], "flows": [], "hosts": []}

    def layout(self, time_s: float) -> Layout:
        rate_bps = 10_000_000 if time_s < 50 else 5_000_000
        port = {"port": 1, "rate_bps": rate_bps, "queues": []}
        return {
            "title": "made up",
            "clock": "run",
            "can_change": False,
            "changes_isq": False,
            "playing": None,
            "switches": [{"switch": "r1", "connected": True, "isq_mode": None, "ports": [port]}],  # type: ignore[list-item]
        }


async def play(source: PlaybackSource, enough: Callable[[list[float]], bool]) -> list[Update]:
    found: list[Update] = []
    async with asyncio.timeout(HANG_S), aclosing(source.updates()) as updates:
        async for update in updates:
            found.append(update)
            if enough(times(found)):
                return found
    raise AssertionError("the iteration ended")


def times(updates: list[Update]) -> list[float]:
    return [sample["time_s"] for update in updates for sample in update["samples"]]


async def test_all_of_it_is_shown_in_order_and_stands_still_at_the_end() -> None:
    source: Source = PlaybackSource(Made(), speed=100)
    assert isinstance(source, PlaybackSource)
    assert isinstance(source, Player)
    updates = await play(source, lambda seen: bool(seen) and seen[-1] == 100)
    seen = times(updates)
    # On a busy machine a minute may pass between two updates, and older samples are thinned.
    assert set(seen) <= set(Made.times_s)
    assert list(dict.fromkeys(int(time_s) for time_s in seen)) == list(range(101))
    assert seen == sorted(seen)
    assert [event["time_s"] for update in updates for event in update["events"]] == [50]
    layouts = [update["layout"] for update in updates if update["layout"]]
    rates = [layout["switches"][0]["ports"][0]["rate_bps"] for layout in layouts]
    # The last may come once more, when the player stands still.
    assert rates[:2] == [10_000_000, 5_000_000]
    assert set(rates[2:]) <= {5_000_000}
    assert layouts[0]["playing"] == {"duration_s": 100, "paused": False, "speed": 100}
    assert not any(update["restarted"] for update in updates)
    async with asyncio.timeout(HANG_S), aclosing(source.updates()) as again:
        async for update in again:
            if update["layout"] and update["layout"]["playing"]["paused"]:  # type: ignore[index]
                break
    assert source.paused
    assert source.time_s == 100
    source.play(paused=False)
    assert source.time_s == 0, "it begins anew"
    await source.close()


async def test_going_to_a_moment_shows_what_lies_before_it() -> None:
    source = PlaybackSource(Made())
    source.play(paused=True)
    async with asyncio.timeout(HANG_S), aclosing(source.updates()) as updates:
        assert times([await anext(updates)]) == [0]
        source.play(time_s=60.0)
        after = await anext(updates)
    assert after["restarted"]
    assert times([after]) == list(Made.times_s[:601])
    playing = {"duration_s": 100.0, "paused": True, "speed": 1.0}
    assert after["layout"] == {**Made().layout(60), "playing": playing}
    assert [event["time_s"] for event in after["events"]] == [50]
    assert source.paused
    await source.close()


async def test_the_distant_past_of_a_moment_is_thinned_before_its_samples_are_made() -> None:
    long = Made()
    long.times_s = [number / 10 for number in range(20_001)]
    made: list[int] = []
    sample = long.sample
    long.sample = lambda index: made.append(index) or sample(index)  # type: ignore[method-assign, func-returns-value]
    source = PlaybackSource(long)
    source.play(paused=True)
    made.clear()
    source.play(time_s=1500)
    (after,) = await play(source, bool)
    await source.close()
    seen = times([after])
    assert len(made) == len(seen)
    assert [time_s for time_s in seen if time_s >= 1440] == long.times_s[14_400:15_001]
    assert [int(time_s) for time_s in seen if time_s < 1440] == list(range(600, 1440))


async def test_a_pause_shows_nothing_new() -> None:
    source = PlaybackSource(Made(), speed=10)
    await play(source, lambda seen: len(seen) > 5)
    source.play(paused=True)
    before_s = source.time_s
    await asyncio.sleep(0.3)
    assert source.time_s == before_s
    source.play(paused=False, speed=100)
    await play(source, lambda seen: seen[-1] > before_s)
    await source.close()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"speed": 0.01}, "a speed of 0.01: choose from 0.1 to 100"),
        ({"speed": float("nan")}, "a speed of nan"),
        ({"time_s": -1.0}, "outside of the recording"),
        ({"time_s": 101.0, "speed": 3.0}, "outside of the recording, which has 100 s"),
    ],
)
async def test_impossible_settings_change_nothing(settings: dict[str, float], sentence: str) -> None:
    source = PlaybackSource(Made())
    with pytest.raises(ChangeError, match=sentence):
        source.play(**settings)  # type: ignore[arg-type]
    assert (source.speed, source.time_s) == (1, 0)


async def test_a_recording_cannot_be_changed() -> None:
    with pytest.raises(ChangeError, match="cannot be changed"):
        await PlaybackSource(Made()).change(Change.model_validate({"switch": "r1", "port": 1}))
