# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from quench_switch.outside.units import (
    MAX_CHARACTERS,
    MAX_VALUE,
    Depth,
    RelativeDepth,
    UnitError,
    format_rate_bps,
    format_seconds,
    parse_capacity,
    parse_count,
    parse_depth,
    parse_duration_ns,
    parse_number,
    parse_probability,
    parse_rate,
    parse_rate_bps,
    parse_seconds,
    parse_threshold,
)

QUANTITIES = (parse_capacity, parse_depth, parse_duration_ns, parse_rate, parse_rate_bps, parse_seconds)
LONGEST_ERROR = 300


@pytest.mark.parametrize(
    "text",
    ["10Mbps", "10mbps", " 10 Mbps ", "10Mbit", "10mbit/s", "10Mb/s", "10000kbps", ".01Gbit/s", "1e7bps", "10.Mbps"],
)
def test_all_spellings_of_a_rate_are_one_rate(text):
    assert parse_rate_bps(text) == 10_000_000
    assert parse_rate(text) == ("bps", 10_000_000)


@pytest.mark.parametrize(
    ("text", "value"), [("1000pps", 1000), ("2Kpps", 2000), ("1.5kpkt/s", 1500), ("1Mpkts/s", 10**6)]
)
def test_rates_of_packets(text, value):
    assert parse_rate(text) == ("pps", value)
    with pytest.raises(UnitError, match="no known unit: write it as 10Mbps"):
        parse_rate_bps(text)


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("90KB", Depth(90_000, "bytes")),
        ("90kb", Depth(90_000, "bytes")),
        ("64KiB", Depth(65_536, "bytes")),
        ("1.5MB", Depth(1_500_000, "bytes")),
        ("1GiB", Depth(1 << 30, "bytes")),
        ("1500B", Depth(1500, "bytes")),
        ("2 bytes", Depth(2, "bytes")),
        ("64pkts", Depth(64, "pkts")),
        ("1 packet", Depth(1, "pkts")),
        ("0", Depth(0, "pkts")),
    ],
)
def test_depths(text, depth):
    assert parse_depth(text) == depth
    assert parse_capacity(text) == (depth.unit, depth.value)


def test_a_threshold_may_be_a_fraction_and_a_capacity_may_not():
    assert parse_depth("1.0625pkts") == Depth(1.0625, "pkts")
    with pytest.raises(UnitError, match=r"'1.0625pkts' is not a whole number of bytes or packets"):
        parse_capacity("1.0625pkts")


def test_a_capacity_is_exact_beyond_the_precision_of_floats():
    assert parse_capacity(f"{2**53 + 1}B") == ("bytes", 2**53 + 1)


def test_times():
    assert parse_duration_ns("40ms") == 40_000_000
    assert parse_duration_ns("2.5us") == 2500
    assert parse_seconds("40ms") == 0.04
    assert parse_seconds("1.5 S") == 1.5
    assert parse_seconds(0) == parse_seconds("0") == 0


def test_thresholds():
    assert parse_threshold("15KB") == parse_depth("15KB")
    assert parse_threshold("20pkts") == Depth(20, "pkts")
    assert parse_threshold(0) == Depth(0, "pkts")
    assert parse_threshold("20 %") == RelativeDepth(20, "%")
    assert parse_threshold("5ms") == RelativeDepth(5e6, "ns")
    # 5 ms at 10 Mb/s are 50 000 bits.
    assert parse_threshold("5ms").at_port(10**7, None) == Depth(6250, "bytes")
    assert parse_threshold("0.5 BDP") == RelativeDepth(0.5, "bdp")
    assert parse_threshold("0.5bdp").at_port(10**7, None, 0.02) == Depth(12_500, "bytes")
    assert parse_threshold("20%").at_port(10**7, Depth(90_000, "bytes")) == Depth(18_000, "bytes")
    assert parse_threshold("12.5%").at_port(1, Depth(100, "pkts")) == Depth(12.5, "pkts")
    with pytest.raises(UnitError, match=r"^0.5bdp needs the path's round trip, which is not known here: give a depth"):
        parse_threshold("0.5bdp").at_port(10**7, None)
    with pytest.raises(UnitError, match=r"^20% needs the size of the buffer, which is not known here: give it, or a"):
        parse_threshold("20%").at_port(10**7, None)


@given(
    st.one_of(
        st.builds(RelativeDepth, st.integers(0, 10**18).map(float), st.just("ns")),
        st.builds(RelativeDepth, st.floats(0, 1000, allow_subnormal=False), st.just("bdp")),
        st.builds(RelativeDepth, st.floats(0, 100, allow_subnormal=False), st.just("%")),
    )
)
def test_a_relative_threshold_is_written_as_it_is_read(depth):
    assert parse_threshold(str(depth)) == depth


def test_probabilities():
    assert parse_probability("1e-05") == 0.00001
    assert parse_probability("2%") == parse_probability("0.02") == parse_probability(0.02) == 0.02
    assert (parse_probability("100 %"), parse_probability(0), parse_probability(1)) == (1, 0, 1)


def test_numbers_without_a_unit():
    assert parse_number("0.8", 0.001, 1000) == 0.8
    assert parse_count("7", 0, 7) == 7
    for text in ("", "8", "-1", "+7", "7.0", "7pkts", "\u0667", "9" * 5000):
        with pytest.raises(UnitError, match="is not a number from 0 to 7"):
            parse_count(text, 0, 7)
        if text != "7.0":
            with pytest.raises(UnitError, match="is not a number from 0 to 7"):
                parse_number(text, 0, 7)


@pytest.mark.parametrize("parse", QUANTITIES)
@pytest.mark.parametrize("number", ["10", 10, 10.5, "10.", "1e3", 1e400, float("nan"), -1, 10**400])
def test_a_number_without_a_unit_is_refused_with_an_example(parse, number):
    with pytest.raises(UnitError, match=r"has no unit: write it as [0-9]+[a-zA-Z]+"):
        parse(number)


@pytest.mark.parametrize("text", ["10MB/s", "10MBps", "10MBPS"])
def test_a_rate_in_bytes_is_refused(text):
    for parse in (parse_rate, parse_rate_bps):
        with pytest.raises(UnitError, match="B stands for bytes, and rates are in bits: write it as 10Mbps"):
            parse(text)


@pytest.mark.parametrize(
    ("parse", "value", "message"),
    [
        (parse_rate_bps, "ten Mbps", "'ten Mbps' is not a quantity: write it as 10Mbps, 10Mbit/s or 500kb/s"),
        (parse_rate_bps, "-1Mbps", "'-1Mbps' is not a quantity"),
        (parse_rate_bps, "10Mbpsx", "'10Mbpsx' has no known unit"),
        (parse_rate_bps, "0.5bps", "'0.5bps' is not a whole number of bits per second"),
        (parse_rate_bps, "0bps", "'0bps': a rate is greater than 0"),
        (parse_rate_bps, True, "True is not a quantity"),
        (parse_rate_bps, None, "None is not a quantity"),
        (parse_rate, "1000001e12bps", "is more than Quench can count"),
        (parse_capacity, "10ms", "'10ms' has no known unit: write it as 15KB or 20pkts"),
        (parse_depth, "1e999GB", "is more than Quench can count"),
        (parse_duration_ns, "0.5ns", "'0.5ns' is not a whole number of nanoseconds"),
        (parse_duration_ns, "\u0663ms", "is not a quantity: write it as 40ms or 1.5s"),
        (parse_seconds, "40m", "'40m' has no known unit"),
        (
            parse_threshold,
            "1001bdp",
            "'1001bdp' is more than 1000bdp: write a threshold as 5KB, 9pkts, 9%, 5ms or 1bdp",
        ),
        (
            parse_threshold,
            "101%",
            "'101%' is more than the buffer: write a threshold as 5KB, 9pkts, 9%, 5ms or 1bdp",
        ),
        (parse_threshold, "0.5ns", "'0.5ns' is not a whole number of nanoseconds"),
        (parse_threshold, "5x", "'5x' has no known unit: write it as 5KB, 9pkts, 9%, 5ms or 1bdp"),
        (parse_threshold, 5, "5 has no unit: write it as 5KB, 9pkts, 9%, 5ms or 1bdp"),
        (parse_depth, "20%", "'20%' has no known unit: write it as 15KB or 20pkts"),
        (parse_probability, "1.5", "'1.5' is above 1: write a probability as 0.02 or 2%"),
        (parse_probability, "150%", "'150%' is above 1"),
        (parse_probability, "0.5s", "'0.5s' is not a probability: write it as 0.02 or 2%"),
        (parse_probability, "1e400", "'1e400' is above 1"),
        (parse_probability, 1.5, "1.5 is above 1: write a probability as 0.02 or 2%"),
        (parse_probability, 2**64, "18446744073709551616 is above 1"),
        (parse_probability, float("inf"), "inf is above 1"),
        (parse_probability, float("nan"), "nan is not a probability"),
        (parse_probability, -0.1, "-0.1 is not a probability: write it as 0.02 or 2%"),
        (parse_probability, True, "True is not a quantity: write it as 0.02 or 2%"),
    ],
)
def test_errors_say_what_to_write(parse, value, message):
    with pytest.raises(UnitError) as caught:
        parse(value)
    assert message in str(caught.value)


@given(st.integers(1, MAX_VALUE))
def test_a_rate_and_its_text(rate_bps):
    assert parse_rate_bps(format_rate_bps(rate_bps)) == rate_bps


@given(st.integers(0, MAX_VALUE))
@example(100_000_000)
def test_a_time_and_its_text(time_ns):
    seconds = float(Fraction(time_ns, 10**9))
    assert parse_seconds(format_seconds(seconds)) == seconds


@given(st.floats(0, MAX_VALUE), st.sampled_from(["bytes", "pkts"]))
@example(5e-324, "pkts")
@example(15_000.5, "bytes")
def test_a_depth_and_its_text(value, unit):
    text = str(Depth(value, unit))
    assert len(text) <= MAX_CHARACTERS
    assert parse_depth(text) == Depth(value, unit)


def test_texts_are_in_the_unit_that_people_use():
    assert format_rate_bps(10_000_000) == "10Mbps"
    assert format_rate_bps(1_500_000) == "1500kbps"
    assert format_seconds(0.1) == "100ms"
    assert format_seconds(0) == "0s"
    assert str(Depth(15_000, "bytes")) == "15KB"
    assert str(Depth(64, "pkts")) == "64pkts"
    assert str(Depth(90, "bytes")) == "90B"


@given(st.one_of(st.text(max_size=100), st.from_regex(r"\s*[0-9.]+([eE][-+]?[0-9]+)?\s*[A-Za-z/%]*\s*")))
@example("9" * 100_000)
@example("9" * 5000 + "bps")
@example("\x1b[31m10Mbps")
def test_any_text_is_a_quantity_in_bounds_or_an_error_of_one_line(text):
    for parse in (*QUANTITIES, parse_probability):
        try:
            value = parse(text)
        except UnitError as error:
            assert str(error).isprintable()
            assert len(str(error)) <= LONGEST_ERROR
            continue
        if isinstance(value, tuple):
            value = value[1]
        assert 0 <= (value.value if isinstance(value, Depth) else value) <= MAX_VALUE


@given(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.binary(), st.lists(st.integers()), st.just(10**5000)
    )
)
def test_any_value_of_yaml_or_json_is_zero_or_an_error_of_one_line(value):
    for parse in QUANTITIES:
        try:
            assert parse(value) in (0, ("bps", 0), ("pkts", 0), Depth(0, "pkts"))
        except UnitError as error:
            assert str(error).isprintable()
            assert len(str(error)) <= LONGEST_ERROR
