# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled P4 program that the routers run."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import finsy as fy
from google.protobuf import text_format
from quench.client.pipelines import pipeline_of
from quench.client.program import ForeignProgramError, check_program
from quench.client.schema import read_schema
from quench.places import PROGRAM, how_to_get
from quench.programs import SwitchProgram
from quench_switch.outside.files import PROGRAM_BYTES, read_file
from quench_switch.p4runtime.errors import RequestError
from quench_switch.p4runtime.pipeline import Pipeline
from quench_switch.p4runtime.verify import verify

from quench_experiments.errors import SimulationError

DESCRIBE_IT = f"{how_to_get('p4')}, or describe another program in a YAML file (docs/how-to/add-an-aqm.md)"


@dataclass(frozen=True, slots=True)
class Program:
    """The compiler's output, ready for use."""

    path: Path
    json: str
    schema: fy.P4Schema
    pipeline: Pipeline


def load_program(path: Path | None = None) -> Program:
    """The program of a BMv2 JSON, with its P4Info beside it; None: that of ``make p4``.

    Raises SimulationError.
    """
    json_path = (path or PROGRAM).resolve()
    info_path = json_path.with_suffix(".p4info.txtpb")
    try:
        stamps = (json_path.stat().st_mtime_ns, info_path.stat().st_mtime_ns)
    except OSError as error:
        raise SimulationError(f"{error.filename}: the P4 program is not compiled: {how_to_get('p4')}") from error
    return _load(json_path, info_path, stamps)


def of_scenario(program: SwitchProgram) -> Program:
    """A scenario's own program. Raises SimulationError."""
    return _verified(Path(program.description.p4), program.json_text, program.p4info_text)


@lru_cache(maxsize=4)
def _load(json_path: Path, info_path: Path, _stamps: tuple[int, int]) -> Program:
    try:
        info, text = (read_file(path, PROGRAM_BYTES).decode() for path in (info_path, json_path))
    except OSError as error:
        raise SimulationError(f"{error.filename}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SimulationError(f"{info_path}: is not a P4Info file: {error}") from error
    program = _verified(json_path, text, info)
    try:
        check_program(program.schema)
    except ForeignProgramError as error:
        raise SimulationError(f"{json_path}: {error}: {DESCRIBE_IT}") from error
    return program


@lru_cache(maxsize=16)
def _verified(path: Path, text: str, info: str) -> Program:
    try:
        schema = read_schema(info.encode(), text.encode())
        config = schema.get_pipeline_config()
        pipeline = verify(config, pipeline_of(schema).cpu_port, interpreted=True)
    except (ValueError, text_format.ParseError) as error:
        raise SimulationError(f"{path}: it has no P4Info that can be read: {error}") from error
    except RequestError as error:
        raise SimulationError(f"{path}: {error.message}") from error
    return Program(path, text, schema, pipeline)
