# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Setting the filters of the averages, on switches that let P4Runtime do so and on others."""

import logging
from typing import Any

import finsy as fy
from finsy import GRPCStatusCode

from quench.client.pipelines import Pipeline
from quench.client.pipelines.filters import Filter, time_constant_of
from quench.client.pipelines.pipeline import QueueKey
from quench.client.session import Session, SessionError
from quench.config.model import SwitchConfig

LOGGER = logging.getLogger(__name__)

_NO_FILTERS = (GRPCStatusCode.UNIMPLEMENTED, GRPCStatusCode.INVALID_ARGUMENT, GRPCStatusCode.UNKNOWN)
"""Answers of servers that know no such entities."""


class FilterWriter:
    """The filters of one switch."""

    def __init__(self, switch: Session, pipeline: Pipeline[Any]) -> None:
        self._switch = switch
        self._pipeline = pipeline
        self._name = "the switch"
        self._goes_on = False
        self._told: dict[QueueKey, Filter] = {}

    def configure(self, switch: SwitchConfig) -> None:
        """Take what the configuration says about a switch that takes no filters."""
        self._name = switch.name
        self._goes_on = switch.tna is not None and switch.tna.filters == "tell"

    async def put(self, key: QueueKey, rows: Any) -> None:
        """Set a queue's filter for a profile, unless it is set so: setting it forgets the average.

        Raises SessionError where the switch takes no filters, unless the configuration says to go on.
        """
        wanted = self._pipeline.filter(*key, rows)
        if wanted is None:
            return
        if not self._is_listed(wanted.pattern):
            self._refused(key, wanted)
            return
        try:
            if not await self._is_set(wanted):
                await self._switch.write([~wanted.entry()])
        except fy.P4ClientError as error:
            if error.code not in _NO_FILTERS:
                raise
            LOGGER.debug("%s: %s", self._name, error)
            self._refused(key, wanted)

    async def time_constant_ns(self, port: int, queue: int) -> float | None:
        """The time constant of a queue's filter, in nanoseconds.

        None where the program has none, or the switch does not tell.
        """
        pattern = self._pipeline.filter_of(port, queue)
        if pattern is None or not self._is_listed(pattern):
            return None
        try:
            found = [time_constant_of(entry) async for entry in self._switch.read([pattern])]
        except fy.P4ClientError as error:
            if error.code not in _NO_FILTERS:
                raise
            return None
        return found[0] if found else None

    async def _is_set(self, wanted: Filter) -> bool:
        return any([wanted.is_set_by(entry) async for entry in self._switch.read([wanted.pattern])])

    def _is_listed(self, pattern: fy.P4ExternEntry) -> bool:
        """Whether P4Info has it: some forms of a TNA program's leave filters out."""
        return self._switch.p4info.externs.get((pattern.extern_type_id, pattern.extern_id)) is not None

    def _refused(self, key: QueueKey, wanted: Filter) -> None:
        port, queue = key
        what = f"port {port} queue {queue}: the switch takes no filters over P4Runtime: set {wanted} by BF-Runtime"
        if not self._goes_on:
            raise SessionError(f"{what}, and give 'tna: {{filters: tell}}' in the configuration")
        if self._told.get(key) != wanted:
            LOGGER.warning("%s: %s", self._name, what, extra={"about": self._name})
            self._told[key] = wanted
