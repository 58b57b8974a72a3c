# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
from quench_switch.stf.compare import PortTraffic, compare_packet, first_difference
from quench_switch.stf.syntax import Expect


@pytest.mark.parametrize(
    ("pattern", "exact", "packet", "problem"),
    [
        ("0102", False, "0102", None),
        ("0102", False, "010203", None),
        ("0102", True, "010203", "3 bytes are too many, 2 are expected"),
        ("010203", False, "0102", "2 bytes are too few, 3 are expected"),
        ("0*02", False, "0f02", None),
        ("0102", False, "0103", "byte 1 differs"),
        ("010203", False, "0103", "byte 1 differs, and 2 bytes are too few, 3 are expected"),
        (None, False, "00", None),
    ],
)
def test_one_packet(pattern, exact, packet, problem):
    found = compare_packet(Expect(1, pattern, exact), bytes.fromhex(packet))
    assert (found.splitlines()[0] if found else None) == problem


def test_a_difference_shows_both_packets_and_marks_the_digits():
    found = compare_packet(Expect(1, "01*2", True), bytes.fromhex("0113"))
    assert found.splitlines()[1:] == ["  expected 01*2$", "  received 0113", "              ^"]


def traffic(expected, received):
    found = PortTraffic(received=[bytes.fromhex(packet) for packet in received])
    for line, text in expected:
        found.expect(line, Expect(1, text, False))
    return found


def test_packets_are_compared_in_order_port_by_port():
    assert first_difference({1: traffic([(3, "01"), (4, "02")], ["01", "02"])}, 9) is None
    swapped = first_difference({1: traffic([(3, "01"), (4, "02")], ["02", "01"])}, 9)
    assert swapped.line == 3


def test_the_earliest_line_is_reported():
    difference = first_difference({1: traffic([(7, "01")], []), 2: traffic([(5, "02")], ["03"])}, 9)
    assert difference.line == 5
    assert "port 2" in difference.message


def test_packets_that_nobody_expects_fail():
    difference = first_difference({1: traffic([(3, "01")], ["01", "02"])}, 9)
    assert difference.message.startswith("port 1: packet 2 was not expected")


def test_missing_packets_fail():
    difference = first_difference({1: traffic([(3, "01"), (4, "02")], ["01"])}, 9)
    assert (difference.line, "nothing more came out" in difference.message) == (4, True)


def test_expect_without_data_takes_any_packets_but_wants_one():
    assert first_difference({1: traffic([(3, None)], ["01", "02", "03"])}, 9) is None
    assert first_difference({1: traffic([(3, None)], [])}, 9).line == 3
