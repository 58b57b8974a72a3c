# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled P4 program and the other things that have to be built before a network can start."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from google.protobuf.text_format import ParseError
from quench.client.pipelines import PIPELINES
from quench.client.program import check_program
from quench.client.schema import read_schema
from quench.errors import ConfigError
from quench.places import HOST_LOADER, how_to_get
from quench.programs import load_program
from quench.programs.description import Description
from quench.programs.templates import EntryTemplate, MeterTemplate, RegisterTemplate, ValueSetTemplate
from quench.targets import EMBEDDED, TARGETS
from quench_switch.arch import V1MODEL
from quench_switch.outside.files import PROGRAM_BYTES, read_file

from quench_topologies.common_options import is_description
from quench_topologies.errors import TopologyError
from quench_topologies.plan import NetworkPlan, PortPlan


@dataclass(frozen=True, slots=True)
class Program:
    """Quench's program: the compiler's output files."""

    json: Path
    p4info: Path

    def pipeline(self) -> dict[str, str]:
        """The controller's key of a switch."""
        return {"p4info": str(self.p4info), "json": str(self.json)}

    def port(self, port: PortPlan) -> dict[str, Any]:
        """The controller's keys of a port with managed queues."""
        # A port of the controller has one size for all of its queues.
        one_size = port.capacity_bytes is not None and not port.queue_capacity_bytes
        buffer = {"buffer": f"{port.capacity_bytes}B"} if one_size else {}
        if not port.profiles:
            assert port.profile is not None
            return {**buffer, "profile": dict(port.profile)}
        return {**buffer, "queues": {queue: dict(profile) for queue, profile in port.queue_profiles.items()}}


@dataclass(frozen=True, slots=True)
class OwnProgram:
    """Another program, by the file that describes it."""

    path: Path
    description: Description
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings of all managed queues."""
    needs_extension: bool = False
    """Whether it calls what the embedded switch alone has."""

    def check_target(self, target: str) -> None:
        """Raise TopologyError for a target that does not run the program, or cannot have all that is described."""
        row = TARGETS[target]
        if row.architecture is not V1MODEL:
            raise TopologyError(
                f"{self.path}: it describes a program for v1model, which --target {target} cannot run: leave --target "
                "out"
            )
        if self.needs_extension and target != EMBEDDED.name:
            raise TopologyError(
                f"{self.path}: its program needs the embedded switch's extension of v1model, which --target {target} "
                "does not have: describe the JSON that p4c makes of it, or leave --target out"
            )
        if not row.takes_all_entities:
            for each in self.description.templates():
                lacking = _not_taken(each)
                if lacking is not None:
                    raise TopologyError(
                        f"{self.path}: it describes {lacking}, which BMv2 does not take over P4Runtime: leave "
                        "--target bmv2 out"
                    )

    def pipeline(self) -> dict[str, str]:
        """The controller's key of a switch."""
        return {"program": str(self.path)}

    def port(self, _port: PortPlan) -> dict[str, Any]:
        """The controller's keys of a port with managed queues, of which such a program manages the first."""
        return {"settings": dict(self.settings)}

    def scheduled(self, plan: NetworkPlan) -> NetworkPlan:
        """The plan with the program's scheduler at ports with a managed queue that have strict priority so far."""
        scheduler, weights = self.description.scheduler, dict(enumerate(self.description.weights))
        if scheduler is None:
            return plan

        def of(port: PortPlan) -> PortPlan:
            if not port.queue_profiles or port.scheduler != "strict":
                return port
            return replace(port, scheduler=scheduler, weights=weights)

        switches = (
            replace(switch, ports={number: of(port) for number, port in switch.ports.items()})
            for switch in plan.switches
        )
        return replace(plan, switches=tuple(switches))


def _not_taken(template: EntryTemplate) -> str | None:
    """The entries that BMv2's P4Runtime server refuses as UNIMPLEMENTED; None: it takes the template's."""
    match template:
        case RegisterTemplate():
            return f"the value of register {template.register_}"
        case ValueSetTemplate():
            return f"value set {template.value_set}"
        case MeterTemplate(index=None):
            return f"rates of all cells of meter {template.meter}"
    return None


def own_program(path: Path, settings: Mapping[str, Any]) -> OwnProgram:
    """The program of a description; compiles it, so that faults come before anything starts. Raises TopologyError."""
    try:
        program = load_program(path)
        program.check_v1model()
        description = program.description
        description.values(settings)
    except ConfigError as error:
        raise TopologyError(str(error)) from error
    except ValueError as error:
        raise TopologyError(f"{path}: {error}") from error
    return OwnProgram(path.resolve(), description, settings, program.needs_extension)


def find_program(given: Path | None, target: str) -> Program | OwnProgram:
    """A description's program; or quench.json and quench.p4info.txtpb of a folder, or of the target's own one.

    Those for Tofino are quench_tna.json and quench_tna.p4info.txtpb.

    Raises TopologyError, also for files of another program.
    """
    if given is not None and is_description(given):
        own = own_program(given, {})
        own.check_target(target)
        return own
    return quench_program(given, target)


def quench_program(given: Path | None, target: str) -> Program:
    """Quench's program in a folder, or in the target's own one. Raises TopologyError."""
    if given is not None and is_description(given):
        raise TopologyError(
            f"--program {given}: it is not Quench's program; the demo takes it by --scheme program:{given}"
        )
    own = TARGETS[target].program
    json = own if given is None else given.resolve() / own.name
    program = Program(json, json.with_suffix(".p4info.txtpb"))
    for path in (program.json, program.p4info):
        if not path.is_file():
            raise TopologyError(
                f"{path}: the P4 program is not compiled: {how_to_get(f'p4 TARGET={target}')}, or give the YAML file "
                "that describes another program"
            )
    try:
        pipeline = check_program(read_schema(read_file(program.p4info, PROGRAM_BYTES)))
    except (ValueError, OSError, ParseError) as error:
        raise TopologyError(f"{program.p4info}: {error}: give the YAML file that describes another program") from error
    if pipeline.arch != TARGETS[target].architecture.arch:
        raise TopologyError(
            f"{program.p4info}: it is the program for {pipeline.arch}, which --target {target} cannot run"
        )
    return program


def check_paths(plan: NetworkPlan, program: Program | OwnProgram, target: str) -> None:
    """Raise TopologyError for a network whose flows share paths, with a program that takes one next hop for a route."""
    if not plan.ecmp:
        return
    if isinstance(program, OwnProgram):
        if program.description.next_hops is None:
            raise TopologyError(f"{program.path}: it takes one next hop for each route: choose a network with one path")
        return
    if not PIPELINES[TARGETS[target].architecture.arch].takes_groups:
        raise TopologyError(
            f"--target {target}: the TNA program takes one next hop for each route: choose embedded or bmv2, or a "
            "network with one path"
        )


def find_host_loader() -> Path:
    """The program quench-host. Raises TopologyError."""
    path = Path(os.environ.get("QUENCH_HOST_LOADER", HOST_LOADER))
    if not path.is_file():
        raise TopologyError(f"{path}: the host stack is not built: {how_to_get('host')}")
    return path


def find_quench() -> Path:
    """The command line of the environment that this runs in. Raises TopologyError."""
    path = Path(sys.executable).with_name("quench")
    if not path.is_file():
        raise TopologyError(f"{path}: the command line is not installed: run 'pip install -e control_plane'")
    return path
