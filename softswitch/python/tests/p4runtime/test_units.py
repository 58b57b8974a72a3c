# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
from quench_switch.units import (
    UnitError,
    parse_capacity,
    parse_duration_ns,
    parse_interface_spec,
    parse_port_spec,
    parse_probability,
    parse_rate,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10Mbps", ("bps", 10_000_000)),
        ("1.5 kbps", ("bps", 1500)),
        ("9600bit/s", ("bps", 9600)),
        ("1000pps", ("pps", 1000)),
        ("2Kpps", ("pps", 2000)),
        ("0bps", ("bps", 0)),
    ],
)
def test_rates(text, value):
    assert parse_rate(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("90KB", ("bytes", 90_000)), ("64KiB", ("bytes", 65_536)), ("64pkts", ("pkts", 64)), ("1500B", ("bytes", 1500))],
)
def test_capacities(text, value):
    assert parse_capacity(text) == value


def test_durations_and_probabilities():
    assert parse_duration_ns("40ms") == 40_000_000
    assert parse_duration_ns("2.5us") == 2500
    assert parse_probability("1e-05") == 0.00001
    assert parse_probability("2%") == parse_probability("0.02") == 0.02


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_rate, "10"),
        (parse_rate, "ten Mbps"),
        (parse_rate, "-1Mbps"),
        (parse_rate, "10Mbpsx"),
        (parse_rate, "0.5bps"),
        (parse_capacity, "10ms"),
        (parse_duration_ns, "40"),
        (parse_duration_ns, "0.5ns"),
        (parse_probability, "1.5"),
        (parse_probability, "150%"),
        (parse_probability, "0.5s"),
    ],
)
def test_what_is_no_quantity_is_refused_with_an_example(parse, text):
    with pytest.raises(UnitError, match=r"write it as|above 1"):
        parse(text)


def test_port_options():
    assert parse_port_spec("2:rate=10Mbps,capacity=90KB,delay=40ms,loss=0.02,queues=8,hold") == (
        2,
        {
            "rate_bps": 10_000_000,
            "rate_pps": 0,
            "capacity_bytes": 90_000,
            "capacity_pkts": 0,
            "delay_ns": 40_000_000,
            "loss": 0.02,
            "queues": 8,
            "hold": True,
        },
    )
    assert parse_port_spec("1:hold=false") == (1, {"hold": False})


@pytest.mark.parametrize(
    "text",
    ["2", "x:hold", "512:hold", "2:", "2:speed=1", "2:rate", "2:queues=9", "2:queues=0", "2:hold=2", "2:hold,hold"],
)
def test_port_options_that_make_no_sense_are_refused(text):
    with pytest.raises(UnitError):
        parse_port_spec(text)


def test_interfaces():
    assert parse_interface_spec("3@veth3") == (3, "veth3")
    for text in ("veth3", "3@", "@veth3", "600@veth3"):
        with pytest.raises(UnitError):
            parse_interface_spec(text)
