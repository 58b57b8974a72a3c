# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The files of Quench's program that the configuration names."""

from typing import Any

import finsy as fy
from google.protobuf import text_format
from quench_switch.outside.files import PROGRAM_BYTES, read_file

from quench.client.pipelines import Pipeline
from quench.client.program import ForeignProgramError, check_program
from quench.client.schema import read_schema
from quench.config.model import SwitchConfig
from quench.errors import ConfigError


def read_pipeline(switch: SwitchConfig) -> tuple[fy.P4Schema, Pipeline[Any]]:
    """The schema of a switch's program, and which of Quench's it is. Raises ConfigError."""
    pipeline = switch.pipeline
    assert pipeline.p4info is not None
    assert pipeline.json_ is not None
    where = f"pipeline of switch {switch.name!r}"
    try:
        info, blob = (read_file(path, PROGRAM_BYTES) for path in (pipeline.p4info, pipeline.json_))
        schema = read_schema(info, blob)
        return schema, check_program(schema)
    except FileNotFoundError as error:
        raise ConfigError(f"{error.filename}: {where} is missing: compile it with 'make p4'") from error
    except OSError as error:
        raise ConfigError(f"{error.filename}: {where}: {error.strerror}") from error
    except ForeignProgramError as error:
        raise ConfigError(f"{pipeline.p4info}: {where}: {error}") from error
    except (ValueError, text_format.ParseError) as error:
        raise ConfigError(f"{pipeline.p4info}: is not a P4Info file: {error}") from error
