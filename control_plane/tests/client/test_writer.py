# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's writes to the embedded switch, in this process and without interfaces."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_network
from pathlib import Path
from typing import Any

import finsy as fy
import pytest
from quench.client import entries
from quench.client.pipelines import V1MODEL
from quench.client.pipelines.pipeline import profile_of, queue_of
from quench.client.session import Session, Target
from quench.client.writer import SwitchWriter
from quench.config.isq import IsqConfig, MeterConfig
from quench.config.model import ClassConfig, PipelineConfig, RouteConfig, SwitchConfig
from quench.profiles import ProfileRows, parse_settings
from quench_switch._native import compile_p4
from sessions import connected, embedded, written_by

ROOT = Path(__file__).resolve().parents[3]
LIMIT = MeterConfig(rate=100, burst=7)
ISQ = IsqConfig(per_queue=LIMIT)
ROUTE = RouteConfig(prefix="10.0.1.0/24", port=1, source_mac="00:00:00:00:01:01", destination_mac="00:00:00:00:01:02")


def rows(minth: int = 15, *, isq_in_dataplane: bool = False) -> ProfileRows:
    settings = parse_settings({"scheme": "ecn-mod", "minth": f"{minth}pkts", "maxth": "45pkts"})
    return V1MODEL.compile(settings, 10_000_000, isq_in_dataplane=isq_in_dataplane)


@dataclass
class Bench:
    """A switch and the updates that were written to it."""

    switch: Session
    written: list[Any]

    async def find(self, pattern: Any) -> list[Any]:
        return [entry async for entry in self.switch.read([pattern])]

    async def pointers(self) -> dict[tuple[int, int], int]:
        return dict([queue_of(entry) for entry in await self.find(fy.P4TableEntry(V1MODEL.queue_profile))])

    async def profiles(self, table: str = V1MODEL.parameter_tables[0]) -> set[int]:
        return {profile_of(entry) for entry in await self.find(fy.P4TableEntry(table))}

    async def limits(self, port: int, queue: int) -> fy.P4MeterConfig | None:
        index = port * entries.QUEUES_PER_PORT + queue
        (meter,) = await self.find(fy.P4MeterEntry(entries.ISQ_METER, index=index))
        return meter.config


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> PipelineConfig:
    output = compile_p4(str(ROOT / "p4src" / "quench.p4"), defines=["QUENCH_EXTENDED"])
    folder = tmp_path_factory.mktemp("program")
    (folder / "quench.p4info.txtpb").write_text(output.p4info_text)
    (folder / "quench.json").write_text(output.json)
    return PipelineConfig(p4info=folder / "quench.p4info.txtpb", json=folder / "quench.json")


@asynccontextmanager
async def bench(pipeline: PipelineConfig) -> AsyncIterator[Bench]:
    schema = fy.P4Schema(pipeline.p4info, pipeline.json_)
    async with (
        embedded(device_id=1) as (_, address),
        connected(Session(Target(address, 1), schema, 10)) as switch,
    ):
        await switch.set_pipeline()
        yield Bench(switch, written_by(switch))


def config_of(pipeline: PipelineConfig, **fields: Any) -> SwitchConfig:
    values = {"routes": (ROUTE,), "router_address": IPv4Address("10.0.0.254"), **fields}
    return SwitchConfig(name="bench", address="127.0.0.1:1", pipeline=pipeline, **values)


def to(prefix: str, *ports: int) -> RouteConfig:
    """A route whose next hops are the neighbours at some ports."""
    hops = [{"port": port, "source_mac": f"02:00:00:00:00:{port:02x}", "destination_mac": MAC} for port in ports]
    return RouteConfig.model_validate({"prefix": prefix, "next_hops": hops})


MAC = "00:00:00:00:01:02"
QUEUES = {(2, 0): rows(), (2, 1): rows(20)}
CLASSES = (
    ClassConfig(dscp=46, queue=1),
    ClassConfig(dscp=0b101000, mask=0b111000, queue=2),
    ClassConfig(dscp=0, mask=0, queue=3),
)


OVERLAPPING = ClassConfig(dscp=0b000010, mask=0b000010, queue=5)


async def test_a_controller_that_starts_again_writes_nothing(pipeline: PipelineConfig) -> None:
    async with bench(pipeline) as made:
        config = config_of(pipeline, classes=CLASSES)
        await SwitchWriter(made.switch, V1MODEL).program(config, QUEUES, ISQ)
        pointers = await made.pointers()
        assert set(pointers) == set(QUEUES)
        made.written.clear()
        await SwitchWriter(made.switch, V1MODEL).program(config, QUEUES, ISQ)
        assert made.written == []
        assert await made.pointers() == pointers


async def test_routes_share_groups_of_next_hops_and_a_change_never_edits_one(pipeline: PipelineConfig) -> None:
    async with bench(pipeline) as made:

        async def program(*routes: RouteConfig) -> dict[int, set[int]]:
            """The ports of each group afterwards."""
            await SwitchWriter(made.switch, V1MODEL).program(config_of(pipeline, routes=routes), QUEUES, ISQ)
            found = await made.find(fy.P4TableEntry(entries.NEXT_HOP))
            return {entries.group_of(entry): set(entries.ports_of(entry)) for entry in found}

        async def groups() -> dict[str, int]:
            """The group of each route that has one."""
            found = [each for table in entries.ROUTES for each in await made.find(fy.P4TableEntry(table))]
            return {
                str(entry.match["destination"]): entry.action.args["group"]
                for entry in found
                if "group" in entry.action.args
            }

        first = [
            ROUTE,
            to("10.0.2.0/24", 3, 4),
            to("10.0.3.0/24", 3, 4),
            to("2001:db8::/64", 3, 4, 5),
            to("10.4.0.0/16", 6),
        ]
        assert await program(*first) == {1: {3, 4}, 2: {3, 4, 5}}
        assert set((await groups()).values()) == {1, 2}
        assert len(await groups()) == 3, "a route with one next hop needs no group"
        made.written.clear()
        await program(*first)
        assert made.written == []

        assert await program(*first[:1], to("10.0.2.0/24", 3, 4), to("10.0.3.0/24", 4, 6)) == {1: {3, 4}, 3: {4, 6}}
        assert sorted((await groups()).values()) == [1, 3]
        # Inserted before a route names it, and deleted when none does any more.
        tables = [getattr(each, "entity", each).table_id for each in made.written]
        own = [number for number, table in enumerate(tables) if table.endswith("next_hop")]
        assert own == [0, len(tables) - 1]
        assert await program(ROUTE) == {}


async def test_each_switch_has_a_seed_of_its_own(pipeline: PipelineConfig) -> None:
    async with bench(pipeline) as made:
        await SwitchWriter(made.switch, V1MODEL).program(config_of(pipeline), QUEUES, ISQ)
        (entry,) = await made.find(fy.P4TableEntry(entries.FLOW_SEED, is_default_action=True))
        seed = entry.action.args["seed"]
        assert entries.flow_seed("bench").action.args["seed"] == seed
    seeds = {entries.argument_of(entries.flow_seed(f"s{number}"), "seed") for number in range(1000)}
    assert len(seeds) == 1000
    assert all(seed & 0x8000_0001 == 0x8000_0001 and seed < 1 << 32 for seed in seeds)


async def test_a_change_reads_the_switch_once_and_writes_three_times(pipeline: PipelineConfig) -> None:
    async with bench(pipeline) as made:
        writer = SwitchWriter(made.switch, V1MODEL)
        await writer.program(config_of(pipeline), QUEUES, ISQ)
        # From the second change on, the rows of the profile before the last one are deleted too.
        await writer.set_profile(2, 0, rows(16))
        requests = 0
        read, write = made.switch.read, made.switch.write

        def counted_read(patterns: Any) -> Any:
            nonlocal requests
            requests += 1
            return read(patterns)

        async def counted_write(updates: Any) -> None:
            nonlocal requests
            requests += 1
            await write(updates)

        made.switch.read = counted_read  # type: ignore[method-assign]
        made.switch.write = counted_write  # type: ignore[method-assign]
        await writer.set_profile(2, 0, rows(17))
        # On a busy machine each request waits for both processes: rows, the queue's pointer, the stale rows.
        assert requests == 4


async def test_only_what_differs_is_written(pipeline: PipelineConfig) -> None:
    async with bench(pipeline) as made:
        await SwitchWriter(made.switch, V1MODEL).program(config_of(pipeline, classes=CLASSES), QUEUES, ISQ)
        before = await made.pointers()
        changed = {**QUEUES, (2, 1): rows(30)}
        await SwitchWriter(made.switch, V1MODEL).program(config_of(pipeline, classes=CLASSES), changed, ISQ)
        after = await made.pointers()
        assert after[2, 0] == before[2, 0]
        assert after[2, 1] != before[2, 1]


async def test_the_first_class_has_the_highest_priority(pipeline: PipelineConfig) -> None:
    async with bench(pipeline) as made:
        for classes in (CLASSES, (CLASSES[1], OVERLAPPING), (OVERLAPPING, CLASSES[1]), CLASSES[1:], ()):
            await SwitchWriter(made.switch, V1MODEL).program(config_of(pipeline, classes=classes), {}, ISQ)
            found = await made.find(fy.P4TableEntry(entries.DSCP_QUEUE))
            found.sort(key=lambda entry: -entry.priority)
            assert [
                (*(entry.match["dscp"] if entry.match else (0, 0)), entry.action.args["queue"]) for entry in found
            ] == [(each.dscp, each.mask, each.queue) for each in classes]


async def test_source_quenches_come_from_the_router(pipeline: PipelineConfig) -> None:
    async with bench(pipeline) as made:
        for address in ("10.0.0.254", "10.0.0.253"):
            config = config_of(pipeline, router_address=IPv4Address(address))
            await SwitchWriter(made.switch, V1MODEL).program(config, {}, ISQ)
            (default,) = await made.find(fy.P4TableEntry(entries.ISQ_ROUTER, is_default_action=True))
            assert default.action.args["address"] == int(IPv4Address(address))


async def test_the_domain_changes_as_a_whole(pipeline: PipelineConfig) -> None:
    prefixes = [tuple(ip_network(f"10.{first + each}.0.0/16") for each in range(64)) for first in (0, 100)]
    async with bench(pipeline) as made:
        for domain in ((), *prefixes, ()):
            config = config_of(pipeline, router_address=IPv4Address("10.0.0.254"))
            await SwitchWriter(made.switch, V1MODEL).program(config, {}, IsqConfig(domain=domain))
            found = await made.find(fy.P4TableEntry(entries.IPV4_DOMAIN))
            wanted = {(int(prefix.network_address), prefix.prefixlen) for prefix in domain}
            assert {entry.match["source"] for entry in found} == wanted
            (default,) = await made.find(fy.P4TableEntry(entries.IPV4_DOMAIN, is_default_action=True))
            assert default.action.name == ("outside" if domain else "inside")


async def test_each_queue_has_the_limit(pipeline: PipelineConfig) -> None:
    async with bench(pipeline) as made:
        config = config_of(pipeline)
        writer = SwitchWriter(made.switch, V1MODEL)
        await writer.program(config, QUEUES, ISQ)
        expected = fy.P4MeterConfig(cir=100, cburst=7, pir=100, pburst=7)
        assert [await made.limits(2, queue) for queue in range(3)] == [expected, expected, None]
        await writer.set_isq_limit(None)
        assert [await made.limits(2, queue) for queue in range(3)] == [None, None, None]
        await writer.set_isq_limit(LIMIT)
        await writer.program(config, {(2, 0): QUEUES[2, 0]}, ISQ)
        assert [await made.limits(2, queue) for queue in range(3)] == [expected, None, None]
        assert set(await made.pointers()) == {(2, 0)}


async def test_the_rows_before_stay_for_packets_that_wait_in_any_queue(pipeline: PipelineConfig) -> None:
    async with bench(pipeline) as made:
        writer = SwitchWriter(made.switch, V1MODEL)
        await writer.program(config_of(pipeline), QUEUES, ISQ)
        first = await made.pointers()
        await writer.set_profile(2, 0, rows(16))
        await writer.set_profile(2, 1, rows(21))
        second = await made.pointers()
        for table in V1MODEL.profile_tables:
            assert await made.profiles(table) == {*first.values(), *second.values()}
        await writer.set_profile(2, 0, rows(17))
        third = await made.pointers()
        assert await made.profiles() == {third[2, 0], second[2, 0], second[2, 1], first[2, 1]}


async def test_who_sends_is_read_from_the_switch(pipeline: PipelineConfig) -> None:
    async with bench(pipeline) as made:
        await SwitchWriter(made.switch, V1MODEL).program(
            config_of(pipeline), {(2, 0): rows(isq_in_dataplane=True), (2, 1): rows()}, ISQ
        )
        another = SwitchWriter(made.switch, V1MODEL)
        await another.adopt()
        found = [await another.found(2, queue) for queue in range(3)]
        assert [each and each.sends_isqs for each in found] == [True, False, None]
