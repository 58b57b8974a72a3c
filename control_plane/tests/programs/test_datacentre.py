# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The descriptions of Bolt, HPCC and CSIG: rows from rates and settings, and what they cannot be."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import ROOT
from quench.client.entries import flow_seed_of
from quench.config.model import RouteConfig
from quench.errors import ConfigError
from quench.programs import SwitchProgram, load_program
from quench.programs.entities import ProgramError, in_order
from quench_switch import compile_p4
from quench_switch.outside.units import Depth, parse_rate_bps

HOPS = [
    {"port": port, "source_mac": "00:00:00:00:00:01", "destination_mac": f"00:00:00:00:00:0{port}"} for port in (2, 3)
]
GBPS = 10**9


@cache
def program(name: str) -> SwitchProgram:
    return load_program(ROOT / "p4src" / f"{name}.yaml")


def row(name: str, gbps: int, buffer: Depth | None = None, **settings: object) -> dict[str, int]:
    """The arguments of the row of port 7."""
    (entry,) = program(name).queue(7, 0, gbps * GBPS, settings, buffer)
    assert entry.match == {"port": 7}
    return dict(entry.action.args)


def test_a_port_of_bolts_has_its_rate_and_the_settings() -> None:
    assert row("bolt", 100) == {
        "rate_gbps": 100,
        "rate": 0b01000,
        "threshold_bytes": 3000,
        "mtu_bytes": 1500,
        "cap_bytes": 1500,
        "src": 1,
        "src_at_departure": 0,
        "pru": 1,
        "most_pru_tokens": 256,
        "sm": 1,
        "data_only": 0,
        "limit_bytes": 0,
    }
    off = {"src": False, "pru": "off", "sm": "off", "thr": "240ns", "mtu": "5KB", "cap": "10KB"}
    found = row("bolt", 400, **off)
    assert [found[each] for each in ("src", "pru", "sm", "rate_gbps", "rate")] == [0, 0, 0, 400, 0b10000]
    assert [found[each] for each in ("threshold_bytes", "mtu_bytes", "cap_bytes")] == [12_000, 5000, 10_000]
    assert row("bolt", 10, Depth(100, "pkts"), thr="10%")["threshold_bytes"] == 15_000


@pytest.mark.parametrize(
    ("gbps", "code", "shift"), [(10, 6, 0), (25, 1, 0), (40, 7, 0), (50, 2, 1), (100, 3, 2), (200, 4, 3), (400, 5, 4)]
)
def test_a_port_of_hpccs_has_the_code_and_the_units_of_its_rate(gbps: int, code: int, shift: int) -> None:
    of_rate = {"rate": code, "unit_shift": shift, "limit_bytes": 32_000_000}
    assert row("hpcc", gbps, limit="32MB") == {**of_rate, "are_acks_first": 1}
    assert row("hpcc", gbps, limit="32MB", acks_first=False) == {**of_rate, "are_acks_first": 0}


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"thr": "90KB"}, "thr: 90KB is 90000, more than the port's buffer, 60000"),
        ({"thr": "10us"}, "thr: 10us is 125000, more than the port's buffer, 60000"),
        ({"limit": "60001B"}, "limit: 60001B is 60001, more than the port's buffer, 60000"),
        ({"cap": "1499B"}, "cap: 1499B is 1499, less than mtu, 1500"),
        ({"mtu": "40B"}, "mtu: 40B is 40, less than 41"),
        ({"mtu": "64KiB", "cap": "64KiB"}, "mtu: 64KiB is 65536, more than 65535"),
        ({"most_pru": 65536}, "most_pru: 65536 is 65536, more than 65535"),
        ({"sm": "maybe"}, "sm: 'maybe' is no switch: write on or off"),
        ({"sm": 1}, "sm: 1 is no switch: write on or off"),
        ({"src": [1]}, "src: [1] is no switch: write on or off"),
        ({"src": {"on": 1}}, "src: {'on': 1} is no switch: write on or off"),
        ({"thr": 3000}, "thr: 3000 has no unit"),
        ({"threshold": "3KB"}, "Bolt has no setting 'threshold': it has thr, mtu"),
    ],
)
def test_a_setting_that_the_port_cannot_have_is_one_line(settings: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        row("bolt", 100, Depth(60_000, "bytes"), **settings)
    assert fault in str(caught.value)


def test_without_a_port_the_bounds_that_need_none_hold() -> None:
    values = program("bolt").description.values
    for settings, fault in (
        ({"cap": "1499B"}, "cap: 1499B is 1499, less than mtu, 1500"),
        ({"most_pru": 65536}, "most_pru: 65536 is 65536, more than 65535"),
    ):
        with pytest.raises(ValueError, match=f"^{fault}$"):
            values(settings)
    # Depths of the port, and the port's own bounds.
    for settings in ({"cap": "1ns"}, {"mtu": "1us", "cap": "1500B"}, {"thr": "90MB"}):
        assert values(settings)


@pytest.mark.parametrize(("name", "rates"), [("bolt", "10Gbps, 25Gbps, 40Gbps, 100Gbps"), ("hpcc", "10Gbps, 25Gbps")])
def test_a_rate_without_a_code_is_one_line(name: str, rates: str) -> None:
    with pytest.raises(ValueError, match=f"the port has 30000000000 bit/s: .* has {rates}"):
        row(name, 30)


def test_a_clock_of_microseconds_needs_a_larger_cap(tmp_path: Path) -> None:
    """The program that p4c makes for BMv2 has no nanoseconds: the supply of 1 us has to fit. It needs a limit, too."""
    source = ROOT / "p4src" / "bolt.p4"
    for undefines, step_ns in (([], 1), (["__V1MODEL_EXTENDED__"], 1000)):
        output = compile_p4(str(source), undefines=undefines)
        (tmp_path / "bolt.json").write_text(output.json)
        (tmp_path / "bolt.p4info.txtpb").write_text(output.p4info_text)
        text = source.with_suffix(".yaml").read_text().replace("p4: bolt.p4", "p4: bolt.json")
        (tmp_path / "bolt.yaml").write_text(text)
        own = load_program(tmp_path / "bolt.yaml")
        assert own.clock_step_ns == step_ns
        assert own.queue(1, 0, 100 * GBPS, {"cap": "12500B", "limit": "40KB"})
        for settings in ({}, {"cap": "12499B", "limit": "40KB"}, {"cap": "12500B"}):
            if step_ns == 1:
                assert own.queue(1, 0, 100 * GBPS, settings)
                continue
            with pytest.raises(ValueError, match="less than what the port sends in a step of the program's clock, 125"):
                own.queue(1, 0, 100 * GBPS, settings)


@pytest.mark.parametrize(("program", "step_ns"), [("queue_depth", 1000), ("time_ns", 1), ("enqueued", 1), ("tna", 1)])
def test_only_a_program_that_reads_nanoseconds_has_them_as_steps(program: str, step_ns: int) -> None:
    arch = "tna" if program == "tna" else "v1model"
    own = SwitchProgram.model_construct(
        json_text=f'{{"actions": [{{"op" : "{program}"}}]}}', p4info_text=f'pkg_info {{ arch: "{arch}" }}'
    )
    assert own.clock_step_ns == step_ns
    assert own.needs_extension == (program != "tna")


@pytest.mark.parametrize("name", ["bolt", "hpcc"])
def test_routes_share_groups_of_next_hops(name: str) -> None:
    own = program(name)
    routes = [
        RouteConfig.model_validate({"prefix": f"10.0.{number}.0/24", "next_hops": HOPS[:count]})
        for number, count in ((1, 2), (2, 1), (3, 2))
    ]
    group, *found = own.routes(routes, [1, 2, 3])
    assert group.match == {"group": 1}
    assert [(weight, action.args["port"]) for weight, action in group.action.action_set] == [(1, 2), (1, 3)]
    assert [each.action.args.get("group") for each in found] == [1, None, 1]
    assert own.takes_groups
    (seed, *_) = own.once("leaf1")
    assert seed.action.args == {"seed": flow_seed_of("leaf1")}
    for each in (group, seed, *found):
        each.encode(own.p4_schema)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "least: [$mtu,",
            "least: [$mtv,",
            r":\d+:\d+: settings\.cap: \$mtv is no bound: write a number or one of \$thr",
        ),
        ("  10Gbps: {rate_gbps: 10,", "  10Furlong: {rate_gbps: 10,", r":\d+:\d+: rates\.10Furlong: '10Furlong'"),
        ("  10Gbps: {rate_gbps: 10,", "  100000Mbps: {rate_gbps: 10,", r":\d+:\d+: rates: a rate is given twice"),
        (
            "  25Gbps: {rate_gbps: 25, rate_code: 2}",
            "  25Gbps: {rate_gbps: 25}",
            r"rates\.25Gbps: each rate has the same variables",
        ),
        ("shared_route:", "shared_rote:", r":\d+:\d+: shared_rote: Extra inputs are not permitted"),
        ("arguments: {group: $group}", "arguments: {group: $port}", r"shared_route: \$port means nothing here"),
        ("arguments: {group: $group}", "arguments: {group: 1}", r":\d+:\d+: shared_route: it names no \$group: write"),
        ("  match: {group: $group}\n", "", r":\d+:\d+: next_hops: no key is \$group: give a match with it"),
        ("  match: {group: $group}\n", "  match: {group: 1}\n", r":\d+:\d+: next_hops: no key is \$group: give"),
        (
            "  match: {group: $group}\n",
            "  match: {group: $group}\n  rates: {cir: 1, cburst: 1, pir: 1, pburst: 1}\n",
            r":\d+:\d+: next_hops\.rates: the entry of a group has no rates: leave them out",
        ),
        (
            "  action: BoltIngress.router.next_hop.use_next_hop\n"
            "  arguments: {port: $port, source_mac: $source_mac, destination_mac: $destination_mac}\n",
            "  member: $port\n",
            r":\d+:\d+: next_hops: each next hop is an action: give one in place of member or group",
        ),
        ("least: [41], most: [65535]", "least: [41], most: [40]", r":\d+:\d+: settings\.mtu\.most: 40 is less than 41"),
        ("least: [41]", "least: [-1]", r":\d+:\d+: settings\.mtu\.least\.0: -1 is no bound: write a whole number"),
        ("least: [41]", "least: [[1]]", r":\d+:\d+: settings\.mtu\.least\.0: \[1\] is no bound: write a whole"),
        ("least: [41]", "least: [true]", r":\d+:\d+: settings\.mtu\.least\.0: True is no bound: write a whole"),
        ("default: 3KB", "default: [1]", r":\d+:\d+: settings\.thr\.default: \[1\] is no value of a setting: write"),
        ("least: [41]", "least: [1501]", r":\d+:\d+: settings\.mtu\.default: 1500B is 1500, less than 1501"),
        ("least: [$mtu,", "least: [1501, $mtu,", r":\d+:\d+: settings\.cap\.default: 1500B is 1500, less than 1501"),
        ("arguments: {seed: $seed}", "arguments: {seed: [1]}", r"arguments\.seed: \[1\] is no value: write a whole"),
        ("clone_session: 100", "clone_session: -1", r"once\.1.*clone_session: -1 is no number: write a whole number"),
        ("arguments: {seed: $seed}", "arguments: {seed: $port}", r"once\.0: \$port means nothing here"),
        (
            "{clone_session: 100, ports: [510]}",
            "{clone_session: 99, ports: [510]}",
            r"it clones to session 100, which no",
        ),
        ("rate_gbps: $rate_gbps", "rate_gpbs: $rate_gbps", r"does not fit the program"),
    ],
)
def test_a_fault_in_these_parts_has_its_place(tmp_path: Path, old: str, new: str, fault: str) -> None:
    text = (ROOT / "p4src" / "bolt.yaml").read_text()
    assert old in text
    path = tmp_path / "bolt.yaml"
    path.write_text(text.replace("p4: bolt.p4", f"p4: {ROOT}/p4src/bolt.p4").replace(old, new, 1))
    with pytest.raises(ConfigError, match=fault) as caught:
        load_program(path)
    assert len(str(caught.value).splitlines()) == 1


@given(
    shift=st.integers(0, 20),
    buckets=st.integers(1, 32),
    delay=st.integers(1, (1 << 20) - 1),
    gbps=st.sampled_from([10, 100]),
)
def test_csigs_buckets_cover_each_number_once(shift: int, buckets: int, delay: int, gbps: int) -> None:
    settings = {"delay_shift": shift, "buckets": buckets, "delay_bucket": delay, "bandwidth_bucket": "8Mbps"}
    departures, *entries = program("csig").queue(7, 0, gbps * GBPS, settings)
    assert departures.action.args["delay_shift"] == shift
    for kind, width in ((0, 1), (1, 32768), (2, delay), (3, delay)):
        found = [
            # P4Runtime: a range of all values is a match that is left out.
            (entry.match.get("value", f"0...{(1 << 20) - 1}"), entry.action.args["number"])
            for entry in entries
            if entry.match["type"] == kind
        ]
        bounds = [tuple(map(int, value.split("..."))) for value, _ in found]
        assert [number for _, number in found] == list(range(len(found)))
        assert [low for low, _ in bounds] == [number * width for number in range(len(found))]
        assert [high for _, high in bounds] == [*(low - 1 for low, _ in bounds[1:]), (1 << 20) - 1]
        assert len(found) == min(buckets, -(-(1 << 20) // width))
        assert all("value" in entry.match for entry in entries) == (buckets > 1)


@pytest.mark.parametrize("other", [{"delay_bucket": 16}, {"buckets": 4}, {"part_bucket": 1}])
def test_ports_whose_buckets_contradict_each_other_are_refused(other: dict[str, int]) -> None:
    found = program("csig")

    def both(settings: dict[str, int]) -> list[Any]:
        return in_order([*found.queue(1, 0, 10 * GBPS, {}), *found.queue(2, 0, 10 * GBPS, settings)], found.p4_schema)

    assert len(both({})) == 2 + 4 * 32
    with pytest.raises(ProgramError, match=r"csig_buckets: two ranges with \d+ have two actions: give all ports of"):
        both(other)


def test_each_rate_of_csigs_has_the_time_of_a_byte() -> None:
    for rate, variables in program("csig").description.rates.items():
        bps = parse_rate_bps(rate)
        assert variables == {"byte_time": round(8 * 10**9 * 2**32 / bps), "bandwidth": bps // 8_000_000}


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("count: $buckets", "count: 1025", "count 1025 is not a number from 1 to 1024"),
        ("width: $part_bucket", "width: 0", "width 0 is not a number from 1 to"),
        ("match: {type: 1}", "match: {type: 1, value: 0...5}", "the key and the argument of ranges are not"),
        ("match: {group: $group}", "match: {group: $group}\n  ranges: {key: value, width: 1, count: 2, largest: 1, "
         "argument: number}", "next_hops.ranges: the entry of a group has no ranges: leave them out"),
        ("argument: number}\n    action", "argument: port}\n    action", "does not fit the program"),
        ("largest: 1048575, argument: number}\n  - <<: *buckets\n    match: {type: 2}", "largest: 1048576, "
         "argument: number}\n  - <<: *buckets\n    match: {type: 2}", "does not fit the program"),
    ],
)  # fmt: skip
def test_ranges_that_make_no_sense_are_refused(tmp_path: Path, old: str, new: str, fault: str) -> None:
    text = (ROOT / "p4src" / "csig.yaml").read_text()
    assert old in text
    path = tmp_path / "csig.yaml"
    path.write_text(text.replace(old, new).replace("p4: csig.p4", f"p4: {ROOT}/p4src/csig.p4"))
    with pytest.raises(ConfigError) as caught:
        load_program(path)
    assert fault in str(caught.value)
