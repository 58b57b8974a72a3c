# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The TNA program on the embedded switch, programmed over P4Runtime, without interfaces."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import IPv4Address
from typing import Any

from quench.client.counters import port_counters, read_counters
from quench.client.pipelines import TNA
from quench.client.pipelines.filters import Filter
from quench.client.pipelines.tna import QUEUE_AVERAGE
from quench.client.schema import read_schema
from quench.client.session import Session, Target
from quench.client.writer import SwitchWriter
from quench.config.isq import IsqConfig, MeterConfig
from quench.config.model import PipelineConfig, RouteConfig, SwitchConfig
from quench.profiles import parse_settings
from quench.profiles.tna import ProfileRows
from quench_switch._native import RealtimeSwitch, compile_p4
from sessions import connected, embedded, written_by
from tna_program import PROGRAM

RATE_BPS = 10_000_000
ROUTE = RouteConfig(prefix="10.0.1.0/24", port=1, source_mac="00:00:00:00:01:01", destination_mac="00:00:00:00:01:02")


def rows(minth: int, **more: Any) -> ProfileRows:
    settings = parse_settings({"scheme": "ecn", "minth": f"{minth}pkts", "maxth": "45pkts", **more})
    return TNA.compile(settings, RATE_BPS)


@asynccontextmanager
async def running() -> AsyncIterator[tuple[RealtimeSwitch, Session, list[Any]]]:
    """A switch, a session with it, and the updates that are written."""
    compiled = compile_p4(str(PROGRAM), arch="tna")
    schema = read_schema(compiled.p4info_text.encode(), compiled.json.encode())
    async with (
        embedded(device_id=1, cpu_port=TNA.cpu_port) as (native, address),
        connected(Session(Target(address, 1), schema, 10)) as session,
    ):
        await session.set_pipeline()
        yield native, session, written_by(session)


async def test_it_is_programmed_changed_and_read() -> None:
    config = SwitchConfig(
        name="s1",
        address="127.0.0.1:1",
        pipeline=PipelineConfig(p4info="quench_tna.p4info.txtpb", json="quench_tna.json"),
        router_address=IPv4Address("10.0.0.254"),
        routes=(ROUTE,),
    )
    queues = {(2, 0): rows(15), (2, 1): rows(20)}
    isq = IsqConfig(per_queue=MeterConfig(rate=100, burst=7))
    async with running() as (native, session, written):
        await SwitchWriter(session, TNA).program(config, queues, isq)
        sessions = {number: (replicas, length) for number, replicas, length, _ in native.clone_sessions()}
        assert sessions[100] == ([(320, 0)], 132)
        assert sessions[127] == ([(68, 0)], 108)
        constant_ns = queues[2, 0].time_constant_ns
        cell = (f"pipe.{QUEUE_AVERAGE}", 2 * 8)
        assert native.filter_config(*cell) == ("sample", constant_ns, constant_ns, 0)

        written.clear()
        writer = SwitchWriter(session, TNA)
        await writer.program(config, queues, isq)
        assert written == []

        slower = rows(16, wq=0.001)
        await writer.set_profile(2, 0, slower)
        assert native.filter_config(*cell) == ("sample", slower.time_constant_ns, slower.time_constant_ns, 0)
        found = await writer.found(2, 0)
        assert found is not None
        settings: Any = TNA.settings(found, RATE_BPS)
        assert (str(settings.minth), settings.wq) == ("16pkts", 0.001)

        counters = await read_counters(session, port_counters(session.p4info), [2])
        assert counters[2]["port_marked"] == {"packets": 0, "bytes": 0}


async def test_a_filter_can_be_read_whole() -> None:
    async with running() as (native, session, _):
        await session.write([~Filter(QUEUE_AVERAGE, 5, 4e8).entry()])
        pattern = Filter(QUEUE_AVERAGE, 5, 4e8).pattern
        assert [Filter(QUEUE_AVERAGE, 5, 4e8).is_set_by(each) async for each in session.read([pattern])] == [True]
        pattern.entry.Clear()
        cells = [each async for each in session.read([pattern])]
        assert len(cells) == 4096
        assert [place for place, each in enumerate(cells) if Filter(QUEUE_AVERAGE, 5, 4e8).is_set_by(each)] == [5]
        assert native.filter_config(f"pipe.{QUEUE_AVERAGE}", 4) is None
