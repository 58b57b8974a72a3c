# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Entries of a description beyond tables: the controller makes them, leaves what is right, and removes the rest."""

import asyncio
from contextlib import AsyncExitStack
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import finsy as fy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.config.model import Config, RouteConfig
from quench.errors import ConfigError
from quench.programs import SwitchProgram, load_program
from quench.programs.entities import ProgramError
from quench.programs.program import MOST_ROUTE_ENTRIES
from quench.service.agent import SwitchAgent
from quench.service.metrics import Metrics
from quench.service.own_program import OwnProgram
from quench_switch import RealtimeSwitch
from quench_switch.p4runtime.arrays import Registers
from quench_switch.p4runtime.errors import unimplemented
from sessions import controlled, embedded, until

PROGRAMS = Path(__file__).parent
FEEDBACK = (PROGRAMS / "feedback.yaml").read_text().replace("p4: ", f"p4: {PROGRAMS}/")
HANG_S = 60.0
WAYS = "FeedbackIngress.ways"
DEPTH = "FeedbackEgress.depth"
CONGESTED = "FeedbackIngress.congested"


def described(folder: Path, *changes: tuple[str, str]) -> Path:
    text = FEEDBACK
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "feedback.yaml"
    path.write_text(text)
    return path


def configured(path: Path, address: str, depth: str = "9pkts") -> Config:
    macs = {"source_mac": "00:00:00:00:01:01", "destination_mac": "00:00:00:00:01:02"}
    switch = {
        "name": "s1",
        "address": address,
        "pipeline": {"program": str(path)},
        "router_address": "10.0.0.254",
        "ports": {2: {"rate": "10Mbps", "settings": {"depth": depth}}},
        "routes": [
            {"prefix": "10.0.1.4/31", "port": 1, **macs},
            {"prefix": "10.0.2.1/32", "port": 2, **macs},
        ],
    }
    return Config.model_validate({"switches": [switch]})


def routes(native: RealtimeSwitch) -> set[tuple[int, ...]]:
    """Ingress port and address of each entry."""
    entries = native.table_entries("FeedbackIngress.route")
    return {tuple(int.from_bytes(field[1], "big") for field in each["key"]) for each in entries}  # type: ignore[index]


async def test_the_controller_makes_all_that_is_described(tmp_path: Path) -> None:
    async with embedded() as (native, address), controlled(configured(described(tmp_path), address)):
        assert native.clone_sessions() == [(1, [(1, 0)], 0, 0), (2, [(2, 0)], 0, 0)]
        assert native.multicast_groups() == [(7, [(1, 0), (2, 5)])]
        assert [int.from_bytes(native.register_read(DEPTH, port), "big") for port in (1, 2, 3)] == [0, 9, 0]
        assert native.register_read_all("FeedbackEgress.least_ttl") == [b"\2", b"\2"]
        assert native.meter_read("FeedbackIngress.rate", 1) is None
        assert native.meter_read("FeedbackIngress.rate", 2) == (2_500_000, 65_536, 2_500_000, 65_536, 0)
        assert native.value_set_read("FeedbackParser.protocols") == [[("exact", b"\x06")], [("exact", b"\x11")]]
        assert [number for number, _ in native.members(WAYS)] == [1, 2]
        assert native.groups(WAYS) == [(3, [(1, 1, None), (2, 2, None)], 0)]
        assert {each["action"] for each in native.table_entries("FeedbackIngress.divert")} == {
            ("group", 3),
            ("member", 2),
        }
        (colored,) = native.table_entries("FeedbackIngress.class")
        assert colored["meter"] == (1000, 100, 1000, 100, 0)
        hosts = [0x0A000104, 0x0A000105, 0x0A000201]
        assert routes(native) == {(port, host) for port in (1, 2) for host in hosts}


async def test_a_new_start_writes_settings_and_removes_what_is_described_no_more(tmp_path: Path) -> None:
    async with embedded() as (native, address):
        async with controlled(configured(described(tmp_path), address)):
            pass
        native.register_write(CONGESTED, 2, b"\1")
        changed = described(
            tmp_path,
            ("  - {table: FeedbackIngress.divert, match: {dscp: 63}, group: 3}\n", ""),
            ("  - {profile: FeedbackIngress.ways, group: 3, members: [1, {member: 2, weight: 2}]}\n", ""),
            ("  - {profile: FeedbackIngress.ways, member: 1, action: to_group, arguments: {group: 7}}\n", ""),
            ("multicast_group: 7, ports: [1, {port: 2, instance: 5}]", "multicast_group: 8, ports: [2]"),
        )
        async with controlled(configured(changed, address, depth="30pkts")):
            assert native.groups(WAYS) == []
            assert [number for number, _ in native.members(WAYS)] == [2]
            assert native.multicast_groups() == [(8, [(2, 0)])]
            assert int.from_bytes(native.register_read(DEPTH, 2), "big") == 30
            # The description says nothing about it.
            assert native.register_read(CONGESTED, 2) == b"\1"


async def test_a_value_that_the_program_changed_stays_while_the_connection_comes_back(tmp_path: Path) -> None:
    async with embedded() as (native, address), controlled(configured(described(tmp_path), address)) as agent:
        native.register_write(DEPTH, 2, b"\7")
        session, own = agent._session, agent._own
        assert session is not None
        assert own is not None
        await session.write([-fy.P4CloneSessionEntry(2)])
        await own.program(session, is_new=False)
        assert int.from_bytes(native.register_read(DEPTH, 2), "big") == 7
        assert native.clone_sessions() == [(1, [(1, 0)], 0, 0), (2, [(2, 0)], 0, 0)]
        await own.program(session, is_new=True)
        assert int.from_bytes(native.register_read(DEPTH, 2), "big") == 9


async def test_an_entry_that_is_written_again_has_its_rates(tmp_path: Path) -> None:
    async with embedded() as (native, address), controlled(configured(described(tmp_path), address)) as agent:
        session, own = agent._session, agent._own
        assert session is not None
        assert own is not None
        async for entry in session.read([fy.P4TableEntry("FeedbackIngress.class")]):
            await session.write([-entry])
        await own.program(session, is_new=False)
        (colored,) = native.table_entries("FeedbackIngress.class")
        assert colored["meter"] == (1000, 100, 1000, 100, 0)


async def test_a_switch_that_starts_anew_gets_all_of_it_again(tmp_path: Path) -> None:
    async with AsyncExitStack() as both:
        async with embedded() as (first, address):
            await both.enter_async_context(controlled(configured(described(tmp_path), address)))
            before = routes(first)
        async with embedded(port=int(address.rpartition(":")[2])) as (second, _):
            await until(lambda: second.program() and routes(second) == before)
            assert int.from_bytes(second.register_read(DEPTH, 2), "big") == 9
            assert second.groups(WAYS) == [(3, [(1, 1, None), (2, 2, None)], 0)]
            assert second.clone_sessions() == [(1, [(1, 0)], 0, 0), (2, [(2, 0)], 0, 0)]


async def test_what_a_switch_does_not_take_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_self: Registers, _kind: int, _entry: Any) -> None:
        raise unimplemented("register entries")

    monkeypatch.setattr(Registers, "write", refuse)
    async with embedded() as (_, address):
        config = configured(described(tmp_path), address)
        agent = SwitchAgent(config, config.switches[0], Metrics())
        running = asyncio.create_task(agent.run())
        await until(lambda: "does not take" in caplog.text)
        assert not agent.ready
        running.cancel()
        await asyncio.wait([running])
    said = "it does not take a value of register FeedbackEgress.least_ttl over P4Runtime: trying again"
    assert f"s1: {address}: {said}" in caplog.text


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "{clone_session: $port, ports: [$port]}",
            "{clone_session: 0, ports: [$port]}",
            "clone session 0 is not a num",
        ),
        ("clone_session: $port, ports: [$port]", "clone_session: 5, ports: [1]", None),
        ("clone_session: $port, ports: [$port]", "clone_session: $queue, ports: [1]", "port.0: $queue means nothing"),
        ("ports: [$port]}", "ports: [600]}", "port 600 is not a number from 0 to 511"),
        ("ports: [$port]}", "ports: [$port], port: 1}", "port.0.[clone_session].port: Extra inputs are not permitted"),
        ("{clone_session: $port, ports: [$port]}", "{session: 1}", "port.0: it is no entry: give one of table, clone"),
        ("FeedbackEgress.least_ttl", "FeedbackEgress.ttl", "a value of register FeedbackEgress.ttl does not fit"),
        ("least_ttl, value: 2", "least_ttl, value: 256", "a value of register FeedbackEgress.least_ttl does not fit"),
        ("members: [6, 17]", "members: [6, 256]", "value set FeedbackParser.protocols does not fit the program: "),
        ("{dscp: 63}, group: 3", "{dscp: 63}, group: 3, action: away", "give one of action, member and group, not "),
        ("{dscp: 63}, group: 3", "{dscp: 62}, group: 3", "an entry of table FeedbackIngress.divert is given twice, wi"),
        ("member: 2, action: away", "member: 2, group: 5, action: away", "give either member, with its action, or gr"),
        (
            "destination: $host",
            "destination: $prefix",
            "its key destination is exact, which $prefix is not: write $hos",
        ),
        ("index: $port, value: $depth", "index: $depth, value: $port", None),
    ],
)
def test_a_fault_of_an_entry_has_its_place(tmp_path: Path, old: str, new: str, fault: str | None) -> None:
    path = described(tmp_path, (old, new))
    if fault is None:
        load_program(path)
        return
    with pytest.raises(ConfigError) as caught:
        load_program(path)
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


CLONES = "  - {clone_session: $port, ports: [$port]}\n"


def test_a_program_that_clones_needs_a_session(tmp_path: Path) -> None:
    path = described(tmp_path, (f"port:\n{CLONES}", ""))
    with pytest.raises(ConfigError, match=r"feedback\.p4:\d+: it clones to sessions, and no entry makes one"):
        load_program(path)


def test_a_session_whose_number_the_program_says_is_named(tmp_path: Path) -> None:
    (tmp_path / "fixed.p4").write_text(
        (PROGRAMS / "feedback.p4")
        .read_text()
        .replace("../../../examples", str(PROGRAMS.parents[2] / "examples"))
        .replace("(bit<32>) standard_metadata.egress_port, 1);", "33, 1);")
    )
    text = FEEDBACK.replace(f"{PROGRAMS}/feedback.p4", "fixed.p4").replace("clone_session: $port", "clone_session: 32")
    path = tmp_path / "fixed.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"fixed\.p4:\d+: it clones to session 33, which no entry makes"):
        load_program(path)
    path.write_text(text.replace("clone_session: 32", "clone_session: 33"))
    load_program(path)


@given(
    length=st.integers(min_value=20, max_value=32),
    address=st.integers(min_value=0, max_value=(1 << 32) - 1),
    ports=st.sets(st.integers(min_value=0, max_value=510), min_size=1, max_size=8),
)
def test_a_route_has_an_entry_for_each_host_and_port_or_is_refused(length: int, address: int, ports: set[int]) -> None:
    program = feedback_program()
    prefix = ip_network((address, length), strict=False)
    mac = "00:00:00:00:00:01"
    config = RouteConfig(prefix=prefix, port=1, source_mac=mac, destination_mac=mac)
    if prefix.num_addresses * len(ports) > MOST_ROUTE_ENTRIES:
        with pytest.raises(ProgramError, match="are the most; give routes to single hosts"):
            program.routes([config], sorted(ports))
        return
    matches = [entry.match for entry in program.routes([config], sorted(ports))]
    assert len(matches) == prefix.num_addresses * len(ports)
    assert {(each["ingress_port"], int(each["destination"])) for each in matches if each is not None} == {
        (port, int(prefix.network_address) + host) for port in ports for host in range(prefix.num_addresses)
    }


@cache
def feedback_program() -> SwitchProgram:
    return load_program(PROGRAMS / "feedback.yaml")


def test_a_route_to_too_many_hosts_is_refused(tmp_path: Path) -> None:
    config = configured(described(tmp_path), "127.0.0.1:1")
    (switch,) = config.switches
    wide = switch.routes[0].model_copy(update={"prefix": "10.0.0.0/8"})
    many = Config.model_validate({"switches": [{**switch.model_dump(by_alias=True), "routes": [wide.model_dump()]}]})
    with pytest.raises(ConfigError, match=r"the route to 10\.0\.0\.0/8 takes 33554432 entries, .*: 4096 are the most"):
        SwitchAgent(many, many.switches[0], Metrics())


TICKS = (PROGRAMS / "ticks.yaml").read_text().replace("p4: ", f"p4: {PROGRAMS}/")
PERIOD = "periodic=100us"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (PERIOD, "periodic=100", r"ticks\.yaml:\d+:.*periodic: '100' has no unit"),
        (PERIOD, "sometimes", r"ticks\.yaml:\d+:.*'sometimes' is not one-shot, periodic"),
        ("0:periodic", "8:periodic", r"ticks\.yaml:\d+:.*'8' is not a number from 0 to 7"),
        ("packet_generator:", "packet_generator:\n  - 0:port-down,bytes=00", "application 0 is given twice"),
    ],
)
def test_a_fault_of_an_application_has_its_place(tmp_path: Path, old: str, new: str, fault: str) -> None:
    path = tmp_path / "ticks.yaml"
    assert old in TICKS
    path.write_text(TICKS.replace(old, new))
    with pytest.raises(ConfigError, match=fault):
        load_program(path)


def test_only_a_tna_program_has_a_packet_generator(tmp_path: Path) -> None:
    path = described(tmp_path, ("title:", "packet_generator: ['0:port-down,bytes=00']\ntitle:"))
    with pytest.raises(ConfigError, match="packet_generator: only a TNA program, which includes"):
        load_program(path)


def test_no_controller_writes_a_tna_program_by_its_description() -> None:
    program = load_program(PROGRAMS / "ticks.yaml")
    assert program.description.packet_generator == ("0:periodic=100us,bytes=0000000000000000000000000000",)
    switch = configured(PROGRAMS / "ticks.yaml", "127.0.0.1:1").switches[0]
    with pytest.raises(ConfigError, match="its program is for TNA: by a description only the simulator runs it"):
        OwnProgram(PROGRAMS / "ticks.yaml", switch)
