# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Reading entities from a switch."""

from collections.abc import AsyncIterator, Iterable
from typing import Any, TypeVar, cast

import finsy as fy

Entity = TypeVar("Entity", fy.P4TableEntry, fy.P4CounterEntry, fy.P4CloneSessionEntry, fy.P4MeterEntry)


async def read(switch: fy.Switch, patterns: Iterable[Entity]) -> AsyncIterator[Entity]:
    """The entities that match any of the patterns."""
    # finsy declares its asynchronous generator as a coroutine.
    async for entity in cast("Any", switch).read(list(patterns)):
        yield entity
