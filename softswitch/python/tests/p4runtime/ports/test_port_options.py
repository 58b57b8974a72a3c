# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
from quench_switch.outside.units import UnitError
from quench_switch.port_options import parse_interface_spec, parse_port_spec


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


def test_port_options_of_single_queues():
    assert parse_port_spec("1:scheduler=scfq,weights=1:0.8/0:0.2,capacity.1=25KB,capacity.0=120pkts") == (
        1,
        {
            "scheduler": "scfq",
            "weights": {1: 0.8, 0: 0.2},
            "queue_capacity_bytes": {1: 25_000, 0: 0},
            "queue_capacity_pkts": {1: 0, 0: 120},
        },
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1:scheduler=wfq", "scheduler: 'wfq' is not strict, drr or scfq"),
        ("1:weights=0.8", "weights: '0.8' is not QUEUE:WEIGHT: write weights as 1:0.8/0:0.2"),
        ("1:weights=1:0.8/1:0.2", "weights: queue 1 is given twice"),
        ("1:weights=8:1", "weights: '8' is not a number from 0 to 7"),
        ("1:weights=1:0", "weights: '0' is not a number from 0.001 to 1000"),
        ("1:weights=1:-1", "weights: '-1' is not a number from 0.001 to 1000"),
        ("1:weights=1:80%", "weights: '80%' is not a number from 0.001 to 1000"),
        ("1:capacity.8=1KB", "capacity.8: '8' is not a number from 0 to 7"),
        ("1:rate.7=10Mbps", "rate.7: '10Mbps': a queue's own rate is in packets per second, such as 500pps"),
        ("1:rate.8=10pps", "rate.8: '8' is not a number from 0 to 7"),
        ("1:capacity.1=1ms", "capacity.1: '1ms' has no known unit: write it as 15KB or 20pkts"),
    ],
)
def test_options_of_queues_that_make_no_sense_are_explained(text, message):
    with pytest.raises(UnitError) as caught:
        parse_port_spec(text)
    assert str(caught.value) == message


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


def test_queues_may_have_rates_of_their_own():
    assert parse_port_spec("1:rate=10Mbps,rate.7=500pps,rate.0=20pps") == (
        1,
        {"rate_bps": 10_000_000, "rate_pps": 0, "queue_rate_pps": {7: 500, 0: 20}},
    )
