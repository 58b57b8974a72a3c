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
from quench.service.agent import SwitchAgent
from quench.service.answers import StatsRow
from quench.service.metrics import Metrics
from quench.service.port_metrics import PortMetrics
from quench_switch import RealtimeSwitch, compile_p4
from quench_switch.p4runtime.grpc_server import GrpcServer
from quench_switch.p4runtime.server import P4RuntimeServer

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
    native = RealtimeSwitch(cpu_port=510)
    native.start()
    server = GrpcServer()
    p4runtime = P4RuntimeServer(native, device_id=0, cpu_port=510)
    p4runtime.register(server)
    address = server.listen("127.0.0.1:0")
    await server.start()
    p4runtime.start()
    switch = {
        "name": "s1",
        "address": address,
        "pipeline": with_counters(tmp_path),
        "router_address": "10.0.0.254",
        "ports": {2: {"rate": "10Mbps", "profile": {"scheme": "ecn"}}},
    }
    config = Config.model_validate({"switches": [switch]})
    metrics = Metrics()
    agent = SwitchAgent(config, config.switches[0], metrics)
    running = asyncio.create_task(agent.run())
    try:
        async with asyncio.timeout(HANG_S):
            while not agent.ready:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            assert agent._session is not None
            own = fy.P4CounterEntry("own_marks", index=2, data=fy.P4CounterData(byte_count=1500, packet_count=3))
            await agent._session.write([~own])
            row = TypeAdapter(StatsRow).validate_json(json.dumps(await agent.stats()))
            registry = CollectorRegistry()
            PortMetrics([agent], asyncio.get_running_loop()).register(registry)
            text = (await asyncio.to_thread(generate_latest, registry)).decode()
    finally:
        running.cancel()
        await asyncio.wait([running])
        await p4runtime.stop()
        await server.stop()
        native.stop()
    assert row["ports"]["2"]["own_marks"] == {"packets": 3, "bytes": 1500}  # type: ignore[typeddict-item]
    assert "few" not in row["ports"]["2"], "it has no cell for each port"
    assert 'quench_program_counter_packets_total{counter="own_marks",port="2",switch="s1"} 3.0' in text
    assert 'quench_program_counter_bytes_total{counter="own_marks",port="2",switch="s1"} 1500.0' in text
    assert 'quench_port_marked_packets_total{port="2",switch="s1"} 0.0' in text
