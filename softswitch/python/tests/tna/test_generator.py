# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Applications of the packet generator as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench_switch.outside.units import UnitError
from quench_switch.tna.generator import parse_generator


def test_all_settings_can_be_written() -> None:
    text = "7:one-shot=1us,bytes=0aFF,batches=2,packets=65536,packet-gap=3ns,batch-gap=1ms,port=127,next-port"
    assert parse_generator(text) == (
        7,
        {
            "trigger": ("one_shot", 1000),
            "packet": b"\x0a\xff",
            "batches": 2,
            "packets": 65536,
            "packet_gap_ns": 3,
            "batch_gap_ns": 1_000_000,
            "source_port": 127,
            "increments_port": True,
        },
    )


@pytest.mark.parametrize(
    ("text", "trigger"),
    [
        ("periodic=4294967295ns", ("periodic", 2**32 - 1)),
        ("port-down", ("port_down",)),
        ("recirculated=0xAB/0xffffffff", ("recirculated", 0xAB, 0xFFFFFFFF)),
    ],
)
def test_triggers(text: str, trigger: tuple[object, ...]) -> None:
    assert parse_generator(f"0:{text},bytes=00") == (0, {"trigger": trigger, "packet": b"\0"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not APP:KEY=VALUE,..."),
        ("0:", "'' is not one-shot, periodic"),
        ("-1:port-down,bytes=00", "'-1' is not a number from 0 to 7"),
        ("0:port-down", "bytes is missing"),
        ("0:bytes=00", "not none"),
        ("0:port-down,periodic=1s,bytes=00", "not periodic and port-down"),
        ("0:port-down,bytes=00,bytes=00", "bytes is given twice"),
        ("0:port-down=1,bytes=00", "port-down stands alone"),
        ("0:port-down,bytes", "bytes needs a value"),
        ("0:port-down,bytes=0", "bytes: '0' is not a whole number of bytes"),
        ("0:port-down,bytes=" + "00" * 16385, "16385 bytes: 16384 are the most"),
        ("0:periodic=4294967296ns,bytes=00", "the chip's longest time"),
        ("0:recirculated=12/34,bytes=00", "is not 0xVALUE/0xMASK"),
        ("0:port-down,bytes=00,batches=0", "batches: '0' is not a number from 1 to 65536"),
        ("0:port-down,bytes=00,port=128", "port: '128' is not a number from 0 to 127"),
    ],
)
def test_what_is_wrong_is_one_line(text: str, message: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_generator(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=60) | st.from_regex(r"[0-9]:(port-down|periodic=\w*)(,[a-z-]*=?\w*){0,4}", fullmatch=True))
def test_any_text_is_settings_or_a_line(text: str) -> None:
    try:
        number, _ = parse_generator(text)
    except UnitError as error:
        assert "\n" not in str(error)
    else:
        assert 0 <= number < 8
