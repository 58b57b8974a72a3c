# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feed as lines, for a pipe or a file: each queue with its figures and thresholds, or why there are none.

A line has the thresholds that the queue had when its sample was taken, also where they have changed since.
"""

from collections.abc import Callable
from contextlib import aclosing
from datetime import datetime

from quench_switch.outside.text import printable

from quench.feed.model import INTERVAL_S, Clock
from quench.feed.source import Source
from quench.top.drawing import NOTHING, rate
from quench.top.state import QueueKey, QueueState, State, Wanted
from quench.top.view import drops_pps


async def print_lines(
    source: Source,
    wanted: Wanted,
    interval_s: float,
    count: int,
    write: Callable[[str], None],
    say: Callable[[str], None],
    since_s: float = float("-inf"),
) -> None:
    """Write a line for each queue at most once in ``interval_s``, ``count`` in all; 0: until cancelled.

    Samples of before ``since_s``, of the feed's clock, are history and make no line. Once there was a later one the
    clock is not looked at again, because somebody may set it back. ``say`` gets a sentence when there is nothing to
    write, once for each reason. Raises ControllerError where no queue is as wanted.
    """
    state = State(wanted)
    printed_s: dict[QueueKey, float] = {}
    reasons: dict[QueueKey | None, str] = {}
    written = 0
    async with aclosing(source.updates()) as updates:  # type: ignore[type-var]  # all sources' iterators are generators
        async for update in updates:
            state.apply(update)
            state.check_wanted()
            empty = "no queue has a profile" if state.layout is not None and not state.queues else None
            _say_once(reasons, None, state.lost or empty, say)
            if state.time_s is None or state.time_s <= since_s:
                continue
            since_s = float("-inf")
            for key, queue in state.queues.items():
                reason = None if state.lost is not None else _reason(queue)
                _say_once(reasons, key, reason, say)
                if reason is not None or queue.sample is None or state.layout is None:
                    continue
                # Half a sample's time: two moments of the feed are never exactly so far apart.
                if state.time_s < printed_s.get(key, float("-inf")) + interval_s - INTERVAL_S / 2:
                    continue
                printed_s[key] = state.time_s
                write(line_of(queue, state.layout["clock"], state.time_s))
                written += 1
                if count and written >= count:
                    return


def _say_once(
    said: dict[QueueKey | None, str], key: QueueKey | None, reason: str | None, say: Callable[[str], None]
) -> None:
    if reason is None:
        said.pop(key, None)
    elif said.get(key) != reason:
        said[key] = reason
        say(f"waiting: {printable(reason)}")


def _reason(queue: QueueState) -> str | None:
    """The reason that there is nothing to show of a queue; None: there is something."""
    if not queue.connected:
        return f"{queue.key}: the switch is not connected"
    if queue.sample is None:
        return f"{queue.key}: the switch has not answered yet"
    if queue.sample["depth_pkts"] is None and queue.sample["average_pkts"] is None:
        return f"{queue.key}: no packet leaves the queue, so the switch reports none"
    return None


def line_of(queue: QueueState, clock: Clock, time_s: float) -> str:
    """A queue at a moment."""
    sample, port = queue.sample, queue.port
    depth = None if sample is None else sample["depth_pkts"]
    average = None if sample is None else sample["average_pkts"]
    marked, isqs = (None, None) if port is None else (port["marked_pps"], port["isqs_pps"])
    text = "  ".join(
        (
            moment(clock, time_s),
            str(queue.key),
            f"depth {NOTHING if depth is None else f'{depth:.0f}':>4} pkts",
            f"average {NOTHING if average is None else f'{average:.2f}':>7} pkts",
            f"marked {rate(marked):>7}/s",
            f"dropped {rate(drops_pps(queue)):>7}/s",
            f"ISQs {rate(isqs):>7}/s",
            _label(queue),
        )
    )
    return printable(text)


def _label(queue: QueueState) -> str:
    """Scheme and thresholds at the newest sample's moment; its profile's number where they are not known."""
    then = queue.sampled
    if then is None:
        return f"profile {queue.sample['profile']}" if queue.sample is not None else "no profile"
    thresholds = [f"{each['name']} {each['text']}".strip() for each in then.thresholds]
    return " ".join([then.scheme, *thresholds]).strip() or "no profile"


def moment(clock: Clock, time_s: float) -> str:
    """Date and time of day with milliseconds, or seconds of a simulation."""
    if clock == "run":
        return f"{time_s:10.3f} s"
    return datetime.fromtimestamp(time_s).astimezone().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
