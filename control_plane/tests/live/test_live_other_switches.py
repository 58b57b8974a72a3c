# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feed of P4Runtime servers that can tell less: without registers, as BMv2, or with another program."""

from collections.abc import AsyncIterator
from typing import Any

import finsy as fy
import grpc
import pytest
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from lab import ROOT
from quench.client.pipelines import V1MODEL
from quench.live.sources.lone import LoneSource
from quench.live.sources.switch_reader import NO_REGISTERS, NOT_QUENCH
from quench.profiles import compile_profile, parse_settings
from quench_switch.p4runtime.address import DEFAULT_DEVICE_ID
from test_hostile_switch import Server, served
from test_live_feed import Watched, watch

P4INFO = text_format.Parse((ROOT / "build" / "quench.p4info.txtpb").read_text(), p4i.P4Info())
PROFILE = 7
PORT = 2
ROWS = compile_profile(parse_settings({"scheme": "ecn", "minth": "5KB", "maxth": "20KB"}), 10_000_000)
OTHER = """
counters {
  preamble { id: 301 name: "MyIngress.colours" alias: "colours" }
  spec { unit: PACKETS }
  size: 512
}
counters {
  preamble { id: 302 name: "MyIngress.few" alias: "few" }
  spec { unit: PACKETS }
  size: 4
}
"""


class Switch(Server):
    """Runs a program, counts a packet of 1000 bytes in each read, and has no registers."""

    def __init__(self, p4info: Any, tables: list[p4r.Entity]) -> None:
        super().__init__()
        self.p4info = p4info
        self.tables = tables
        self.packets = 0
        self.changes = 0

    async def GetForwardingPipelineConfig(self, *_: Any) -> Any:  # noqa: N802
        answer = p4r.GetForwardingPipelineConfigResponse()
        answer.config.p4info.CopyFrom(self.p4info)
        return answer

    async def Read(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        self.packets += 1
        answer = p4r.ReadResponse()
        for wanted in request.entities:
            match wanted.WhichOneof("entity"):
                case "register_entry":
                    await context.abort(grpc.StatusCode.UNIMPLEMENTED, "no registers here")
                case "table_entry":
                    own = [each for each in self.tables if each.table_entry.table_id == wanted.table_entry.table_id]
                    answer.entities.extend(own)
                case "counter_entry":
                    entity = answer.entities.add()
                    entity.counter_entry.CopyFrom(wanted.counter_entry)
                    if not wanted.counter_entry.HasField("index"):
                        entity.counter_entry.index.index = PORT
                    entity.counter_entry.data.packet_count = self.packets
                    entity.counter_entry.data.byte_count = 1000 * self.packets
        yield answer

    async def Write(self, *_: Any) -> Any:  # noqa: N802
        self.changes += 1
        return p4r.WriteResponse()


async def watched_at(server: Server) -> Watched:
    async with served(server) as address:
        source = LoneSource(address, DEFAULT_DEVICE_ID, rate_bps=10_000_000)
        watched = await watch(source, lambda w: w.ports and any(w.ports[-1]["counters"] or [w.ports[-1]["seen_pps"]]))
        await source.close()
    return watched


async def test_without_registers_the_depth_is_absent_and_not_0() -> None:
    schema = fy.P4Schema(P4INFO)
    made = [V1MODEL.pointer(PORT, 0, PROFILE), *V1MODEL.profile(PROFILE, ROWS)]
    server = Switch(P4INFO, [entry.encode(schema) for entry in made])
    watched = await watched_at(server)
    newest = watched.ports[-1]
    assert newest["port"] == PORT
    assert newest["seen_pps"] > 0
    assert newest["queues"] == [{"queue": 0, "depth_pkts": None, "average_pkts": None, "profile": PROFILE}]
    (queue,) = watched.layout["switches"][0]["ports"][0]["queues"]
    assert (queue["number"], queue["reason"]) == (PROFILE, NO_REGISTERS)
    assert [piece["start_pkts"] for piece in watched.profile["curve"]] == [5, 20, 40]
    assert watched.profile["curve"][0]["p1_end"] == pytest.approx(0.1, abs=1e-4)
    assert (server.streams, server.changes) == (0, 0), "it only reads"


async def test_another_program_shows_its_counters_by_port() -> None:
    watched = await watched_at(Switch(text_format.Parse(OTHER, p4i.P4Info()), []))
    newest = watched.ports[-1]
    assert newest["port"] == PORT
    assert list(newest["counters"]) == ["colours"]
    assert newest["queues"] == [{"queue": 0, "depth_pkts": None, "average_pkts": None, "profile": None}]
    assert watched.layout["switches"][0]["ports"][0]["queues"][0]["reason"] == NOT_QUENCH
    assert newest["marked_pps"] is None
    assert not watched.layout["can_change"]


async def test_a_switch_without_a_program_is_said() -> None:
    server = Server()
    async with served(server) as address:
        source = LoneSource(address, DEFAULT_DEVICE_ID)
        watched = await watch(source, lambda w: w.lost)
        await source.close()
    assert watched.lost == f"{address}: the switch runs no program"
