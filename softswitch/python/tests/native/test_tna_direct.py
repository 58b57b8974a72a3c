# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Counters and meters of entries that only actions use: the control plane finds them with the entries all the same."""

from pathlib import Path

import pytest
from quench_switch._native import VirtualSwitch, compile_p4
from quench_switch.errors import DataPlaneError

PROGRAMS = Path(__file__).parents[3] / "tests" / "tna"
TABLE = "pipe.Ingress.things"
KEY = [("exact", b"\1")]
RATES = (1000, 20, 2000, 40, 0)


@pytest.fixture
def load():
    """A switch with one of the programs, and an entry with one of its actions."""

    def made(program, action):
        switch = VirtualSwitch()
        (path,) = PROGRAMS.glob(f"*/{program}.p4")
        switch.load(compile_p4(str(path), arch="tna").json)
        switch.table_insert(TABLE, KEY, 0, ("action", f"Ingress.{action}", []))
        return switch

    return made


def test_a_direct_counter_is_read_written_and_begins_anew_with_a_new_entry(load):
    switch = load("counter_direct", "count_it")
    switch.receive(1, bytes([0, 1]) + bytes(8), 0)
    assert switch.table_get(TABLE, KEY, 0)["counter"] == (1, 14)
    switch.direct_counter_write(TABLE, KEY, 0, 5, 70)
    assert switch.table_entries(TABLE)[0]["counter"] == (5, 70)
    switch.table_delete(TABLE, KEY, 0)
    switch.table_insert(TABLE, KEY, 0, ("action", "Ingress.count_it", []))
    assert switch.table_get(TABLE, KEY, 0)["counter"] == (0, 0)


def test_a_batch_that_fails_leaves_counters_and_meters_as_they_were(load):
    counted, metered = load("counter_direct", "count_it"), load("meter_direct", "limit")
    for switch, write in (
        (counted, lambda batch: batch.direct_counter_write(TABLE, KEY, 0, 5, 70)),
        (metered, lambda batch: batch.direct_meter_write(TABLE, KEY, 0, RATES)),
    ):
        batch = switch.batch()
        write(batch)
        batch.table_insert(TABLE, KEY, 0, ("action", "NoAction", []))
        place, error = batch.apply()
        assert place == 1
        assert isinstance(error, DataPlaneError)
    assert counted.table_get(TABLE, KEY, 0)["counter"] == (0, 0)
    assert metered.table_get(TABLE, KEY, 0)["meter"] is None


def test_a_direct_meter_is_read_back_with_its_entry(load):
    switch = load("meter_direct", "limit")
    switch.direct_meter_write(TABLE, KEY, 0, RATES)
    assert switch.table_get(TABLE, KEY, 0)["meter"] == RATES
    assert switch.table_get(TABLE, KEY, 0)["counter"] is None
    with pytest.raises(DataPlaneError, match="has no direct counter"):
        switch.direct_counter_write(TABLE, KEY, 0, 1, 1)
