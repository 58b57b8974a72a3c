# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's writes to a switch that runs the TNA program, in their order."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from ipaddress import IPv4Address
from typing import Any

import finsy as fy
import grpc
import pytest
from finsy import p4entity
from finsy.proto import p4i, p4r
from google.protobuf.struct_pb2 import Struct
from quench.client.counters import port_counters, read_counters
from quench.client.packet_in import Copy, Reason
from quench.client.pipelines import PLAIN_V1MODEL, TNA, V1MODEL, pipeline_of
from quench.client.pipelines.filters import time_constant_of
from quench.client.pipelines.pipeline import profile_of, queue_of
from quench.client.pipelines.tna import NUMBERS, QUEUE_AVERAGE, REACHES, SIZE_CLASS, STATE_LIFETIME
from quench.client.program import ForeignProgramError, check_program
from quench.client.schema import ProgramSchema
from quench.client.session import SessionError
from quench.client.writer import SwitchWriter
from quench.config.isq import IsqConfig, MeterConfig
from quench.config.model import PipelineConfig, RouteConfig, SwitchConfig, TnaConfig
from quench.profiles import parse_settings
from quench.profiles.tna import ProfileRows, number_rows, reach_rows, size_rows, state_lifetime
from tna_program import p4info, standard_p4info

RATE_BPS = 10_000_000
ISQ = IsqConfig(per_queue=MeterConfig(rate=100, burst=7))
ROUTE = RouteConfig(prefix="10.0.1.0/24", port=1, source_mac="00:00:00:00:01:01", destination_mac="00:00:00:00:01:02")
SCHEMA = ProgramSchema(p4info())
STANDARD = ProgramSchema(standard_p4info())
PROFILE_ROWS = {*TNA.parameter_tables, *TNA.curve_tables}


DECODERS: dict[str | None, Any] = {
    "table_entry": fy.P4TableEntry,
    "meter_entry": fy.P4MeterEntry,
    "extern_entry": fy.P4ExternEntry,
    "packet_replication_engine_entry": fy.P4CloneSessionEntry,
}


class Switch:
    """A session with a switch that keeps what is written, message by message, and tells it again."""

    def __init__(self, schema: ProgramSchema = SCHEMA, *, takes_filters: bool = True) -> None:
        self.p4info = schema
        self.takes_filters = takes_filters
        self.room = 100_000
        self.state: dict[tuple[Any, ...], p4r.Entity] = {}
        self.updates: list[p4r.Update] = []

    async def read(self, patterns: Iterable[Any]) -> AsyncIterator[Any]:
        for pattern in patterns:
            asked = pattern.encode(self.p4info)
            self._check_filter(asked)
            beginning = _pattern(asked)
            for key, entity in list(self.state.items()):
                if key[: len(beginning)] == beginning:
                    yield type(pattern).decode(entity, self.p4info)
            if asked.WhichOneof("entity") == "meter_entry" and _key(asked) not in self.state:
                yield fy.P4MeterEntry.decode(asked, self.p4info)

    async def write(self, updates: Iterable[Any]) -> None:
        for update in updates:
            (message,) = p4entity.encode_updates([update], self.p4info)
            self._check_filter(message.entity)
            key = _key(message.entity)
            if message.type == p4r.Update.INSERT:
                assert key not in self.state
                if len(self.state) >= self.room:
                    raise refused(grpc.StatusCode.RESOURCE_EXHAUSTED)
            if message.type == p4r.Update.DELETE:
                del self.state[key]
            else:
                self.state[key] = message.entity
            self.updates.append(message)

    @property
    def written(self) -> list[tuple[str, Any]]:
        """The updates so far, each with its kind."""
        return [
            (
                p4r.Update.Type.Name(each.type),
                DECODERS[each.entity.WhichOneof("entity")].decode(each.entity, self.p4info),
            )
            for each in self.updates
        ]

    def _check_filter(self, entity: p4r.Entity) -> None:
        if entity.WhichOneof("entity") == "extern_entry" and not self.takes_filters:
            raise refused(grpc.StatusCode.UNIMPLEMENTED)

    async def find(self, pattern: Any) -> list[Any]:
        return [entry async for entry in self.read([pattern])]

    async def profiles(self, table: str) -> set[int]:
        return {profile_of(entry) for entry in await self.find(fy.P4TableEntry(table))}

    async def pointers(self) -> dict[tuple[int, int], int]:
        return dict([queue_of(entry) for entry in await self.find(fy.P4TableEntry(TNA.queue_profile))])

    async def lifetime(self) -> int:
        (default,) = await self.find(fy.P4TableEntry(STATE_LIFETIME, is_default_action=True))
        return int(default.action.args["minus_lifetime"])

    def tables_written(self) -> list[str]:
        """The tables and externs that were written to, neighbours once."""
        names: list[str] = []
        for _, entity in self.written:
            # finsy names what it decodes by the alias.
            is_entry = isinstance(entity, fy.P4TableEntry)
            name = self.p4info.tables[entity.table_id].name if is_entry else entity.extern_id
            if names[-1:] != [name]:
                names.append(name)
        return names


def refused(code: grpc.StatusCode) -> fy.P4ClientError:
    error = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details="refused")
    return fy.P4ClientError(error, "Write")


def _pattern(entity: p4r.Entity) -> tuple[Any, ...]:
    """The beginning of the keys that an entity asks for."""
    key = _key(entity)
    match entity.WhichOneof("entity"):
        case "table_entry":
            return key[:3]
        case "packet_replication_engine_entry":
            return key[:1]
    return key


def _key(entity: p4r.Entity) -> tuple[Any, ...]:
    kind = entity.WhichOneof("entity")
    match kind:
        case "table_entry":
            entry = entity.table_entry
            matches = sorted(each.SerializeToString() for each in entry.match)
            return kind, entry.table_id, entry.is_default_action, entry.priority, *matches
        case "meter_entry":
            return kind, entity.meter_entry.meter_id, entity.meter_entry.index.index
        case "extern_entry":
            entry = fy.P4ExternEntry.decode(entity, SCHEMA)
            return kind, entry.extern_id, time_index(entry)
        case "packet_replication_engine_entry":
            return kind, entity.packet_replication_engine_entry.clone_session_entry.session_id
    raise AssertionError(kind)


def time_index(entry: fy.P4ExternEntry) -> float:
    fields = Struct()
    assert entry.entry.Unpack(fields)
    return float(fields["index"])


def rows(minth: int = 15, *, wq: float = 0.002, rate_bps: int = RATE_BPS) -> ProfileRows:
    settings = parse_settings({"scheme": "ecn", "minth": f"{minth}pkts", "maxth": "45pkts", "wq": wq})
    return TNA.compile(settings, rate_bps)


def config_of(**fields: Any) -> SwitchConfig:
    values = {"routes": (ROUTE,), "router_address": IPv4Address("10.0.0.254"), **fields}
    pipeline = PipelineConfig(p4info="quench_tna.p4info.txtpb", json="quench_tna.json")
    return SwitchConfig(name="bench", address="127.0.0.1:1", pipeline=pipeline, **values)


QUEUES = {(2, 0): rows(), (2, 1): rows(20)}


@pytest.fixture(scope="module")
def programmed() -> dict[tuple[Any, ...], p4r.Entity]:
    """All that a switch with two profiles has. No test changes the entities."""
    made = Switch()
    asyncio.run(SwitchWriter(made, TNA).program(config_of(), QUEUES, ISQ))  # type: ignore[arg-type]
    return made.state


@pytest.fixture
def switch(programmed: dict[tuple[Any, ...], p4r.Entity]) -> Switch:
    """A switch with two profiles."""
    made = Switch()
    made.state = dict(programmed)
    return made


@pytest.mark.parametrize("schema", [SCHEMA, STANDARD])
def test_the_program_is_known_by_either_form_of_its_p4info(schema: ProgramSchema) -> None:
    assert check_program(schema) is TNA
    assert set(port_counters(schema).values()) == set(port_counters(STANDARD).values())


def test_a_program_without_a_counter_is_refused() -> None:
    info = standard_p4info()
    del info.counters[0]
    with pytest.raises(ForeignProgramError, match="no counter port_seen"):
        check_program(ProgramSchema(info))


def test_the_switch_gets_p4info_as_it_was_compiled() -> None:
    assert SCHEMA.get_pipeline_config().p4info == p4info()
    assert SCHEMA.p4info != p4info()


def test_other_architectures_are_v1model() -> None:
    info = p4i.P4Info()
    info.CopyFrom(p4info())
    info.pkg_info.arch = "v1model"
    assert pipeline_of(ProgramSchema(info)) is PLAIN_V1MODEL
    info.Clear()
    assert pipeline_of(ProgramSchema(info)) is V1MODEL


async def test_tables_of_all_profiles_are_filled_once(switch: Switch) -> None:
    sizes = await switch.find(fy.P4TableEntry(SIZE_CLASS))
    assert len(sizes) == len(size_rows())
    for table in REACHES:
        found = await switch.find(fy.P4TableEntry(table))
        reaches = {entry.match["code"]: -entry.action.args["minus_reach"] & 0xFFFFFFFF for entry in found}
        assert reaches == dict(reach_rows())
    for table in NUMBERS:
        codes = {entry.action.args["code"] for entry in await switch.find(fy.P4TableEntry(table))}
        assert codes == {row.code for row in number_rows()}


async def test_sessions_are_those_of_the_how_to(switch: Switch) -> None:
    found = {each.session_id: each for each in await switch.find(fy.P4CloneSessionEntry())}
    assert set(found) == {100, 101, *range(117, 129), *range(133, 144)}
    ports = {number: list(each.replicas) for number, each in found.items()}
    assert (ports[100], ports[101], ports[117]) == ([320], [68], [68])
    assert {number: each.packet_length_bytes for number, each in found.items()} == {
        100: 132,
        101: 64,
        **{number: 68 + 4 * (number - 117) for number in range(117, 128)},
        128: 100,
        **{number: 80 + 4 * (number - 133) for number in range(133, 144)},
    }


async def test_ports_of_the_sessions_are_configured() -> None:
    made = Switch()
    config = config_of(cpu_port=192, tna=TnaConfig(recirculation_ports=(68, 196)))
    await SwitchWriter(made, TNA).program(config, {}, ISQ)  # type: ignore[arg-type]
    found = {each.session_id: list(each.replicas) for each in await made.find(fy.P4CloneSessionEntry())}
    # A session has no multicast group here: it has a replica for each pipe.
    assert (found[100], found[101], found[127]) == ([192], [68, 196], [68])


async def test_a_controller_that_starts_again_writes_nothing(switch: Switch) -> None:
    pointers = await switch.pointers()
    await SwitchWriter(switch, TNA).program(config_of(), QUEUES, ISQ)  # type: ignore[arg-type]
    assert switch.written == []
    assert await switch.pointers() == pointers


async def test_a_change_is_rows_filter_and_then_the_pointer(switch: Switch) -> None:
    writer = SwitchWriter(switch, TNA)  # type: ignore[arg-type]
    await writer.adopt()
    before = await switch.pointers()
    profile_id = await writer.set_profile(2, 0, rows(16, wq=0.01))
    assert profile_id not in before.values()
    assert switch.tables_written() == [
        *TNA.parameter_tables,
        *TNA.curve_tables,
        QUEUE_AVERAGE,
        TNA.queue_profile,
    ]
    *others, (last, pointer) = switch.written
    assert (last, queue_of(pointer)) == ("MODIFY", ((2, 0), profile_id))
    # Rows of an id in use must not change.
    assert all(kind == "INSERT" and profile_of(entry) == profile_id for kind, entry in others if is_row(entry))


def is_row(entity: Any) -> bool:
    return isinstance(entity, fy.P4TableEntry) and SCHEMA.tables[entity.table_id].name in PROFILE_ROWS


async def test_both_pipelines_have_the_same_rows(switch: Switch) -> None:
    for tables in (TNA.parameter_tables, TNA.curve_tables):
        first, second = [
            sorted((str(entry.match), str(entry.action.args)) for entry in await switch.find(fy.P4TableEntry(table)))
            for table in tables
        ]
        assert first == second != []


async def test_a_filter_that_is_right_stays_for_setting_it_forgets_the_average(switch: Switch) -> None:
    writer = SwitchWriter(switch, TNA)  # type: ignore[arg-type]
    await writer.adopt()
    await writer.set_profile(2, 0, rows(16))
    assert QUEUE_AVERAGE not in switch.tables_written()
    await writer.set_profile(2, 0, rows(16, wq=0.01))
    (entry,) = [entity for _, entity in switch.written if isinstance(entity, fy.P4ExternEntry)]
    assert (time_index(entry), time_constant_of(entry)) == (16, rows(16, wq=0.01).time_constant_ns)


async def test_rows_before_the_last_change_stay_and_older_ones_go(switch: Switch) -> None:
    writer = SwitchWriter(switch, TNA)  # type: ignore[arg-type]
    await writer.adopt()
    first = await switch.pointers()
    await writer.set_profile(2, 0, rows(16))
    second = await switch.pointers()
    await writer.set_profile(2, 0, rows(17))
    third = await switch.pointers()
    for table in PROFILE_ROWS:
        assert await switch.profiles(table) == {third[2, 0], second[2, 0], first[2, 1]}


async def test_a_change_for_which_there_is_no_room_changes_nothing(switch: Switch) -> None:
    writer = SwitchWriter(switch, TNA)  # type: ignore[arg-type]
    await writer.adopt()
    before, state = await switch.pointers(), dict(switch.state)
    switch.room = len(switch.state) + 10
    with pytest.raises(fy.P4ClientError):
        await writer.set_profile(2, 0, rows(16))
    assert await switch.pointers() == before
    assert switch.state == state


async def test_settings_are_found_again(switch: Switch) -> None:
    writer = SwitchWriter(switch, TNA)  # type: ignore[arg-type]
    await writer.adopt()
    found = await writer.found(2, 1)
    assert found is not None
    settings: Any = TNA.settings(found, RATE_BPS)
    assert (settings.scheme, str(settings.minth), str(settings.maxth)) == ("ecn", "20pkts", "45pkts")
    assert TNA.compile(settings, RATE_BPS) == QUEUES[2, 1]
    assert await writer.found(2, 5) is None


async def test_the_lifetime_of_states_does_for_all_queues(switch: Switch) -> None:
    longest = max(each.lifetime_s for each in QUEUES.values())
    assert await switch.lifetime() == state_lifetime(longest)
    writer = SwitchWriter(switch, TNA)  # type: ignore[arg-type]
    await writer.adopt()
    await writer.set_profile(2, 0, rows(rate_bps=1_000_000_000))
    assert await switch.lifetime() == state_lifetime(longest)
    slow = rows(wq=0.01, rate_bps=1_000_000)
    assert slow.lifetime_s > longest
    await writer.set_profile(2, 0, slow)
    assert await switch.lifetime() == state_lifetime(slow.lifetime_s)


async def test_a_lifetime_of_the_configuration_stays() -> None:
    made = Switch()
    writer = SwitchWriter(made, TNA)  # type: ignore[arg-type]
    await writer.program(config_of(tna=TnaConfig(state_lifetime="3s")), QUEUES, ISQ)
    await writer.set_profile(2, 0, rows(wq=0.1, rate_bps=100_000))
    assert await made.lifetime() == state_lifetime(3)


@pytest.mark.parametrize("schema", [SCHEMA, STANDARD])
async def test_a_switch_that_takes_no_filters_is_not_programmed(schema: ProgramSchema) -> None:
    made = Switch(schema, takes_filters=False)
    with pytest.raises(SessionError) as raised:
        await SwitchWriter(made, TNA).program(config_of(), QUEUES, ISQ)  # type: ignore[arg-type]
    assert str(raised.value) == (
        "port 2 queue 0: the switch takes no filters over P4Runtime: set QuenchEgress.average_queue.queue_average at "
        "16: SAMPLE, gain and decay time constants 399599866.5 ns, output scale 0 by BF-Runtime, and give "
        "'tna: {filters: tell}' in the configuration"
    )
    assert await made.pointers() == {}
    assert await made.profiles(TNA.curve_tables[0]) == set()


@pytest.mark.parametrize("schema", [SCHEMA, STANDARD])
async def test_or_the_log_says_what_to_set(schema: ProgramSchema, caplog: pytest.LogCaptureFixture) -> None:
    made = Switch(schema, takes_filters=False)
    writer = SwitchWriter(made, TNA)  # type: ignore[arg-type]
    with caplog.at_level(logging.WARNING):
        await writer.program(config_of(tna=TnaConfig(filters="tell")), QUEUES, ISQ)
    assert [line.partition(" at ")[0] for line in caplog.messages] == [
        f"bench: port 2 queue {queue}: the switch takes no filters over P4Runtime: set {QUEUE_AVERAGE}"
        for queue in (0, 1)
    ]
    assert set(await made.pointers()) == set(QUEUES)
    caplog.clear()
    await writer.set_profile(2, 0, rows(16))
    assert caplog.messages == []
    await writer.set_profile(2, 0, rows(16, wq=0.01))
    assert len(caplog.messages) == 1
    found = await writer.found(2, 0)
    assert found is not None
    assert found.time_constant_ns is None


async def test_counters_of_both_pipelines_are_summed() -> None:
    class Counting:
        async def read(self, patterns: Iterable[fy.P4CounterEntry]) -> AsyncIterator[fy.P4CounterEntry]:
            for number, pattern in enumerate(patterns, 1):
                data = fy.P4CounterData(packet_count=number, byte_count=100 * number)
                yield fy.P4CounterEntry(pattern.counter_id, index=pattern.index, data=data)

    names = port_counters(SCHEMA)
    counters = (await read_counters(Counting(), names, [7]))[7]  # type: ignore[arg-type]
    places = {alias: place for place, alias in enumerate(names, 1)}
    marked = [place for alias, place in places.items() if alias.endswith("counters.port_marked")]
    refusals = [place for alias, place in places.items() if alias.endswith("port_isq_refused")]
    assert (len(marked), len(refusals)) == (2, 3)
    assert counters["port_marked"] == {"packets": sum(marked), "bytes": 100 * sum(marked)}
    assert counters["port_isq_refused"]["packets"] == sum(refusals)
    assert counters["port_seen"]["packets"] == places["port_seen"]


async def test_ports_by_which_refused_packets_came_are_shown() -> None:
    class Refusing:
        async def read(self, patterns: Iterable[fy.P4CounterEntry]) -> AsyncIterator[fy.P4CounterEntry]:
            for pattern in patterns:
                packets = 5 if pattern.index == 3 and "vlan" in str(pattern.counter_id) else 0
                data = fy.P4CounterData(packet_count=packets, byte_count=60 * packets)
                yield fy.P4CounterEntry(pattern.counter_id, index=pattern.index, data=data)

    counters = await read_counters(Refusing(), port_counters(SCHEMA), [7], [1, 3, 7])  # type: ignore[arg-type]
    assert list(counters) == [3, 7], "port 1 has refused none"
    assert counters[3] == {
        "port_dropped_invalid": {"packets": 0, "bytes": 0},
        "port_dropped_vlan": {"packets": 5, "bytes": 300},
        "port_dropped_isq": {"packets": 0, "bytes": 0},
    }
    assert set(counters[7]) == set(port_counters(SCHEMA).values())


def test_packet_ins_have_the_units_of_all_programs() -> None:
    copy = Copy(Reason.QUEUE_REPORT, 0, 1, 2, 0, 13, 6.5, 1_000_000, 0, 0, b"")
    found = TNA.in_packets(copy, 1000)
    # 13 units of 16 cells, of which a packet of 1000 bytes takes 13; a unit of time is 1.024 us.
    assert (found.depth_pkts, found.average_pkts, found.time_us) == (16, 8.0, 1_024_000)
    assert V1MODEL.in_packets(copy, 1000) is copy
