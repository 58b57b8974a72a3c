# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A counter that a user adds to the program shows up in the statistics and in the metrics."""

import asyncio
import json
from pathlib import Path
from shutil import copytree

import finsy as fy
from prometheus_client import CollectorRegistry, generate_latest
from pydantic import TypeAdapter
from quench.config.model import Config
from quench.service.answers import StatsRow
from quench.service.port_metrics import PortMetrics
from quench_switch import compile_p4
from sessions import controlled, embedded

ROOT = Path(__file__).resolve().parents[3]
HANG_S = 60.0
MARK = "port_marked.count(port);"


def with_counters(folder: Path) -> dict[str, str]:
    """quench.p4 with a counter by port and one of another size, compiled."""
    source = Path(copytree(ROOT / "p4src", folder / "p4src"))
    declared = source / "v1model" / "counters.p4"
    text = declared.read_text()
    own = "counter(MAX_PORTS, CounterType.packets_and_bytes) own_marks;\ncounter(4, CounterType.packets) few;\n"
    declared.write_text(text.replace("#endif", f"{own}#endif"))
    for name in ("egress.p4", "ingress.p4"):
        program = source / "v1model" / name
        assert MARK in program.read_text()
        program.write_text(program.read_text().replace(MARK, f"{MARK} own_marks.count(port); few.count(0);"))
    output = compile_p4(str(source / "quench.p4"))
    (folder / "own.p4info.txtpb").write_text(output.p4info_text)
    (folder / "own.json").write_text(output.json)
    return {"p4info": str(folder / "own.p4info.txtpb"), "json": str(folder / "own.json")}


async def test_it_is_found_in_the_p4info(tmp_path: Path) -> None:
    switch = {
        "name": "s1",
        "pipeline": with_counters(tmp_path),
        "router_address": "10.0.0.254",
        "ports": {2: {"rate": "10Mbps", "profile": {"scheme": "ecn"}}},
    }
    async with embedded() as (_, address), asyncio.timeout(HANG_S):
        config = Config.model_validate({"switches": [{**switch, "address": address}]})
        async with controlled(config) as agent:
            assert agent._session is not None
            own = fy.P4CounterEntry("own_marks", index=2, data=fy.P4CounterData(byte_count=1500, packet_count=3))
            await agent._session.write([~own])
            row = TypeAdapter(StatsRow).validate_json(json.dumps(await agent.stats()))
            registry = CollectorRegistry()
            PortMetrics([agent], asyncio.get_running_loop()).register(registry)
            text = (await asyncio.to_thread(generate_latest, registry)).decode()
    assert row["ports"]["2"]["own_marks"] == {"packets": 3, "bytes": 1500}  # type: ignore[typeddict-item]
    assert "few" not in row["ports"]["2"], "it has no cell for each port"
    assert 'quench_program_counter_packets_total{counter="own_marks",port="2",switch="s1"} 3.0' in text
    assert 'quench_program_counter_bytes_total{counter="own_marks",port="2",switch="s1"} 1500.0' in text
    assert 'quench_port_marked_packets_total{port="2",switch="s1"} 0.0' in text
