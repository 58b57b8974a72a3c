# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables: what install writes is there when it is read back, as the control plane's own compiler made it."""

from pathlib import Path

import finsy as fy
import pytest
from finsy.proto import p4r
from quench.client import entries
from quench.client.pipelines import V1MODEL
from quench.profiles.compile import compile_profile
from quench_experiments.errors import ScenarioError, SimulationError
from quench_experiments.simulation.chip import chip_of
from quench_experiments.simulation.install import Paths, follow, install, router_address
from quench_experiments.simulation.program import load_program
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Scenario
from quench_switch import VirtualSwitch
from quench_switch.p4runtime.entities import Entities
from simulated import ECN, PROFILES, n1


class Router:
    """The first router of a scenario with its tables written."""

    def __init__(self, scenario: Scenario) -> None:
        self.program = load_program()
        self.control = VirtualSwitch(cpu_port=V1MODEL.cpu_port, priority_queues=8)
        self.control.load(self.program.json)
        router = scenario.routers[0]
        install(scenario, router, Paths(scenario).routes(router.name), chip_of(self.program), self.control)

    def read(self, pattern: fy.P4TableEntry | fy.P4MeterEntry) -> list[p4r.Entity]:
        schema = self.program.schema
        steps = Entities(self.program.pipeline, self.control).read([pattern.encode(schema)])
        found = [entity for entity in steps if entity is not None]
        return sorted(found, key=lambda entity: entity.SerializeToString(deterministic=True))

    def expects(self, *written: fy.P4TableEntry) -> list[p4r.Entity]:
        encoded = [entry.encode(self.program.schema) for entry in written]
        for entity in encoded:
            entity.table_entry.match.sort(key=lambda match: match.field_id)
        return sorted(encoded, key=lambda entity: entity.SerializeToString(deterministic=True))


@pytest.mark.parametrize("algorithm", PROFILES)
def test_a_profile_is_written_as_it_is_compiled(algorithm: str) -> None:
    scenario = Scenario.parse(n1(algorithm, flows=1))
    router = Router(scenario)
    rows = compile_profile(scenario.routers[0].profiles["bottleneck.ab"], 10_000_000)
    wanted = list(V1MODEL.profile(1, rows))
    for table in V1MODEL.profile_tables:
        assert router.read(fy.P4TableEntry(table)) == router.expects(
            *(entry for entry in wanted if entry.table_id == table)
        )
    assert router.read(fy.P4TableEntry(V1MODEL.queue_profile)) == router.expects(V1MODEL.pointer(1, 0, 1))


def test_a_profile_follows_the_rate_of_its_link() -> None:
    scenario = Scenario.parse(n1(flows=1))
    router = Router(scenario)
    profile = scenario.routers[0].profiles["bottleneck.ab"]
    chip = chip_of(router.program)
    for rate_bps in (2e6, 5e5, 1e8):
        after = scenario.at_rate("bottleneck", "ab", rate_bps)
        follow(scenario, after, scenario.routers[0].name, chip, router.control)
        scenario = after
        wanted = list(V1MODEL.profile(1, compile_profile(profile, round(rate_bps))))
        for table in V1MODEL.profile_tables:
            assert router.read(fy.P4TableEntry(table)) == router.expects(
                *(entry for entry in wanted if entry.table_id == table)
            )
        pointer = V1MODEL.pointer(1, 0, 1)
        assert router.read(fy.P4TableEntry(V1MODEL.queue_profile)) == router.expects(pointer)


def test_the_tables_need_no_room_for_two_profiles_of_a_queue() -> None:
    """Curves that take more than half of their table."""
    values = n1(flows=8)
    curve = {"scheme": "curve", "points": [{"depth": f"{10 + each}ms", "p1": each / 1000} for each in range(60)]}
    directions = ["bottleneck.ab", *(f"ls{number}.ba" for number in range(8))]
    names = [name if not queue else f"{name}.{queue}" for name in directions for queue in range(8)]
    values["routers"][0] |= {"queues": 8, "profiles": dict.fromkeys(names, curve)}
    scenario = Scenario.parse(values)
    router = Router(scenario)
    table = fy.P4TableEntry(V1MODEL.profile_tables[-1])
    before = router.read(table)
    follow(
        scenario,
        scenario.at_rate("bottleneck", "ab", 2e6),
        scenario.routers[0].name,
        chip_of(router.program),
        router.control,
    )
    after = router.read(table)
    assert len(before) == len(after) > 4096
    assert before != after


def test_a_run_follows_the_rates_of_its_links() -> None:
    change = {"at_s": 2.0, "link": "bottleneck", "direction": "ab", "rate_bps": 1e6}
    values = n1(flows=2, duration_s=4.0, changes=[change, change | {"at_s": 3.0, "rate_bps": 2e6}])
    changed = simulate(Scenario.parse(values)).link("bottleneck.ab")
    assert changed["capacity_bits"] == pytest.approx(1e7 + 1e6 + 2e6, abs=1e4)
    assert changed["utilisation"] <= 1
    change["rate_bps"] = 1.0
    with pytest.raises(SimulationError, match=r"^router 'r1': profile of bottleneck\.ab: a mean packet of 1000 bytes"):
        simulate(Scenario.parse(values | {"changes": [change]}))


def test_every_route_is_written() -> None:
    scenario = Scenario.parse(n1(flows=5))
    written = [entries.route(route) for route in Paths(scenario).routes("r1")]
    router = Router(scenario)
    assert router.read(fy.P4TableEntry(entries.IPV4_ROUTE)) == router.expects(*written)


def test_copies_go_to_the_controller() -> None:
    assert Router(Scenario.parse(n1(flows=1))).control.clone_sessions() == [
        (entries.CPU_CLONE_SESSION, [(V1MODEL.cpu_port, 0)], 0, 0)
    ]


@pytest.mark.parametrize("mode", ["cpu", "dataplane", "off"])
def test_the_sender_of_source_quenches_is_in_the_profile(mode: str) -> None:
    values = n1("becn", flows=1)
    values["routers"][0]["isq"] = {"mode": mode, "per_queue": {"rate": 500, "burst": 50}}
    router = Router(Scenario.parse(values))
    entry = fy.P4TableEntry.decode(router.read(fy.P4TableEntry(V1MODEL.parameter_tables[0]))[0], router.program.schema)
    assert V1MODEL.found(entry, ()).sends_isqs == (mode == "dataplane")
    assert router.control.meter_read(entries.ISQ_METER, entries.QUEUES_PER_PORT) == (500, 50, 500, 50, 0)


def test_source_quenches_come_from_the_routers_address() -> None:
    values = n1(flows=1)
    values["routers"][0]["address"] = "192.0.2.7"
    scenario = Scenario.parse(values)
    assert [str(router_address(scenario, router)) for router in scenario.routers] == ["192.0.2.7", "10.255.255.2"]
    default = Router(scenario).control.table_default(entries.ISQ_ROUTER)
    ipv6_address = bytes.fromhex("fd517565 6e636800 00000000") + bytes([192, 0, 2, 7])
    assert default == ("action", entries.USE_ADDRESS, [bytes([192, 0, 2, 7]), ipv6_address])


def test_queues_have_profiles_and_classes_of_their_own() -> None:
    values = n1(flows=1)
    values["routers"][0] |= {
        "queues": 2,
        "profiles": {"bottleneck.ab": ECN, "bottleneck.ab.1": {"scheme": "taildrop"}},
        "classes": [{"dscp": 46, "queue": 1}],
    }
    scenario = Scenario.parse(values)
    router = Router(scenario)
    pointers = router.expects(V1MODEL.pointer(1, 0, 1), V1MODEL.pointer(1, 1, 2))
    assert router.read(fy.P4TableEntry(V1MODEL.queue_profile)) == pointers
    assert router.read(fy.P4TableEntry(entries.DSCP_QUEUE)) == router.expects(
        *entries.classes(scenario.routers[0].classes)
    )


def test_what_the_tables_cannot_say_is_refused_by_name() -> None:
    values = n1(flows=1)
    values["routers"][0]["profiles"] = {"bottleneck.ab": ECN | {"minth": "1MB", "maxth": "900MB"}}
    with pytest.raises(ScenarioError, match=r"routers\.0\.profiles\.bottleneck\.ab\.ecn: maxth .* a queue reports"):
        Scenario.parse(values)


def test_a_program_of_another_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    built = load_program().path
    for source in (built, built.with_suffix(".p4info.txtpb")):
        text = source.read_text()
        assert '"once_per_path_mask"' in text
        (tmp_path / source.name).write_text(text.replace('"once_per_path_mask"', '"once_per_path_masks"'))
    with pytest.raises(SimulationError, match=r"quench\.json: it is not Quench's program: .*: run 'make p4'"):
        simulate(Scenario.parse(n1(flows=1)), program=tmp_path / built.name)
