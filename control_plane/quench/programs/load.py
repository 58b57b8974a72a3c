# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A program from its YAML file: read, compiled and checked."""

from pathlib import Path

from pydantic import ValidationError
from quench_switch.outside.files import PROGRAM_BYTES, read_file
from quench_switch.outside.text import one_line

from quench.config.yaml_file import YamlFile
from quench.errors import ConfigError
from quench.programs.description import Description
from quench.programs.entities import ProgramError
from quench.programs.program import SwitchProgram


def load_program(path: Path) -> SwitchProgram:
    """The program of a description, compiled. Raises ConfigError: faults are found here, before a run."""
    file = YamlFile(path)
    try:
        description = Description.model_validate(file.values)
    except ValidationError as error:
        raise ConfigError(file.sentences(error)) from error
    source = path.resolve().parent / description.p4
    try:
        json_text, p4info_text = _compiled(source)
        program = SwitchProgram(description=description, json_text=json_text, p4info_text=p4info_text)
        program.check()
    except OSError as error:
        raise ConfigError(f"{file.place(('p4',))}: {error.filename}: {error.strerror}") from error
    except ProgramError as error:
        raise ConfigError(f"{path}: {one_line(str(error))}") from error
    except ValueError as error:
        raise ConfigError(f"{file.place(('p4',))}: {source}: {one_line(str(error))}") from error
    return program


def _compiled(source: Path) -> tuple[str, str]:
    """BMv2 JSON and P4Info. Raises OSError, ValueError and ConfigError."""
    if source.suffix == ".json":
        info = source.with_suffix(".p4info.txtpb")
        return read_file(source, PROGRAM_BYTES).decode(), read_file(info, PROGRAM_BYTES).decode()
    # Here, because a controller of programs that are compiled already needs no compiler.
    from quench_switch import CompileError, compile_p4
    from quench_switch.stf.tofino import guess_architecture

    source.stat()
    try:
        output = compile_p4(str(source), [], [], arch=guess_architecture(source, [], []))
    except CompileError as error:
        raise ConfigError("\n".join(error.diagnostics)) from error
    return output.json, output.p4info_text
