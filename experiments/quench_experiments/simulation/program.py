# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled P4 program that the routers run."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import finsy as fy
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from quench_common.files import PROGRAM_BYTES, read_file
from quench_switch.p4runtime.errors import RequestError
from quench_switch.p4runtime.pipeline import Pipeline
from quench_switch.p4runtime.verify import verify

from quench_experiments.errors import SimulationError

CPU_PORT = 510
"""The controller's port, as in p4src/include/common/types.p4."""
_BUILT = Path(__file__).resolve().parents[3] / "build" / "quench.json"


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
    json_path = (path or _BUILT).resolve()
    info_path = json_path.with_suffix(".p4info.txtpb")
    try:
        stamps = (json_path.stat().st_mtime_ns, info_path.stat().st_mtime_ns)
    except OSError as error:
        raise SimulationError(f"{error.filename}: the P4 program is not compiled: run 'make p4'") from error
    return _load(json_path, info_path, stamps)


@lru_cache(maxsize=4)
def _load(json_path: Path, info_path: Path, _stamps: tuple[int, int]) -> Program:
    try:
        schema = fy.P4Schema(text_format.Parse(read_file(info_path, PROGRAM_BYTES).decode(), p4i.P4Info()))
        text = read_file(json_path, PROGRAM_BYTES).decode()
        config = p4r.ForwardingPipelineConfig(p4info=schema.p4info, p4_device_config=text.encode())
        pipeline = verify(config, CPU_PORT, interpreted=True)
    except OSError as error:
        raise SimulationError(f"{error.filename}: {error.strerror}") from error
    except (ValueError, text_format.ParseError) as error:
        raise SimulationError(f"{info_path}: is not a P4Info file: {error}") from error
    except RequestError as error:
        raise SimulationError(f"{json_path}: {error.message}") from error
    return Program(json_path, text, schema, pipeline)
