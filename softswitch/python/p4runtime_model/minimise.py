# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Drop steps of a failing sequence as long as it still fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from finsy.proto import p4r

from .player import Disagreement, Player
from .process import SwitchProcess
from .steps import Step

Item = TypeVar("Item")


def replay(steps: Sequence[Step], folder: Path) -> str | None:
    """Play a sequence on a fresh switch: what went wrong, None if nothing did."""
    with SwitchProcess(folder) as switch:
        player = Player(switch.address)
        try:
            for step in steps:
                player.play(step)
        except Disagreement as disagreement:
            return str(disagreement)
        finally:
            player.close()
        return None


def minimise(steps: Sequence[Step], fails: Callable[[Sequence[Step]], bool], seconds: float) -> list[Step]:
    """The shortest failing sequence that is found in a time: whole steps first, then updates of the writes."""
    deadline = time.monotonic() + seconds
    shortest = _without(list(steps), fails, deadline)
    for place, step in enumerate(shortest):
        if step.kind == "write":
            before, after = shortest[:place], shortest[place + 1 :]
            shortest = [*before, _smaller_write(step, before, after, fails, deadline), *after]
    return shortest


def _smaller_write(
    step: Step,
    before: Sequence[Step],
    after: Sequence[Step],
    fails: Callable[[Sequence[Step]], bool],
    deadline: float,
) -> Step:
    request = p4r.WriteRequest.FromString(step.message)

    def with_updates(updates: Sequence[p4r.Update]) -> Step:
        smaller = p4r.WriteRequest()
        smaller.CopyFrom(request)
        del smaller.updates[:]
        smaller.updates.extend(updates)
        return Step("write", smaller.SerializeToString())

    def still_fails(updates: Sequence[p4r.Update]) -> bool:
        return fails([*before, with_updates(updates), *after])

    return with_updates(_without(list(request.updates), still_fails, deadline))


def _without(items: list[Item], fails: Callable[[Sequence[Item]], bool], deadline: float) -> list[Item]:
    """Fewer of the items that still fail: ever smaller parts are left out."""
    size = max(len(items) // 2, 1)
    while time.monotonic() < deadline:
        place, changed = 0, False
        while place < len(items) and time.monotonic() < deadline:
            fewer = items[:place] + items[place + size :]
            if len(fewer) < len(items) and fails(fewer):
                items, changed = fewer, True
            else:
                place += size
        if size == 1 and not changed:
            break
        size = max(size // 2, 1)
    return items
