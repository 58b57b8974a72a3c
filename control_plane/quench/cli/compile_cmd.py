# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench compile``: P4-16 to BMv2 JSON and P4Info; checks of programs for Tofino."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from quench_common.text import printable_lines

from quench.cli.lazy import NATIVE_MISSING
from quench.errors import ControllerError

if TYPE_CHECKING:
    from quench_switch._native import CompileOutput


class Standard(StrEnum):
    """The language's version."""

    P4_16 = "p4-16"


class InfoFormat(StrEnum):
    """How P4Info is written."""

    BINARY = "binary"
    JSON = "json"
    TEXT = "text"


_FORMAT_BY_SUFFIX = {".txtpb": InfoFormat.TEXT, ".txt": InfoFormat.TEXT, ".json": InfoFormat.JSON}


class Arch(StrEnum):
    """The architecture that a program is written for."""

    V1MODEL = "v1model"
    TNA = "tna"


def compile_program(
    source: Annotated[Path, typer.Argument(metavar="PROGRAM.p4", help="The program's main file.", show_default=False)],
    output: Annotated[
        Path, typer.Option("-o", metavar="DIR|FILE.json", help="A folder for both files, or the JSON file.")
    ] = Path(),
    include: Annotated[
        list[Path] | None, typer.Option("-I", metavar="DIR", help="Where to look for included files. Repeatable.")
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro. Repeatable.")
    ] = None,
    undefine: Annotated[
        list[str] | None, typer.Option("-U", metavar="NAME", help="Undefine a macro. Repeatable.")
    ] = None,
    std: Annotated[Standard, typer.Option("--std", help="Language version.")] = Standard.P4_16,
    arch: Annotated[
        Arch, typer.Option("--arch", help="Architecture; tna (Tofino 1) only with --check.")
    ] = Arch.V1MODEL,
    check: Annotated[bool, typer.Option("--check", help="Only find errors; nothing is written.")] = False,
    p4runtime_files: Annotated[
        list[Path] | None,
        typer.Option(
            "--p4runtime-files",
            metavar="FILE",
            help="File for P4Info: text for .txtpb and .txt, JSON for .json, else binary. Repeatable.",
        ),
    ] = None,
    p4runtime_format: Annotated[
        InfoFormat | None, typer.Option("--p4runtime-format", help="Format of P4Info, whatever its file's name.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json-file", metavar="FILE", help="The JSON's file, whatever its name.")
    ] = None,
    preprocess_only: Annotated[
        bool, typer.Option("-E", help="Print the preprocessed program, and compile nothing.")
    ] = False,
) -> None:
    """Compile a program for v1model to DIR/NAME.json and DIR/NAME.p4info.txtpb, or check one for Tofino."""
    if arch is Arch.TNA and not (check or preprocess_only):
        typer.echo(
            "quench compile: --arch tna needs --check: p4c makes the code for Tofino (p4c --target tofino)",
            err=True,
        )
        raise typer.Exit(1)
    # Here, because the rest of the command line works without the compiled module.
    try:
        from quench_switch import _native
    except ImportError:
        raise ControllerError(NATIVE_MISSING) from None

    includes = [str(path) for path in include or ()]
    try:
        if preprocess_only:
            typer.echo(_native.preprocess_p4(str(source), includes, define or [], undefine or [], arch.value), nl=False)
            return
        if check:
            for warning in _native.check_p4(str(source), includes, define or [], undefine or [], std.value, arch.value):
                typer.echo(printable_lines(warning), err=True)
            return
        result = _native.compile_p4(str(source), includes, define or [], undefine or [], std.value)
    except _native.CompileError as error:
        for diagnostic in error.diagnostics:
            typer.echo(printable_lines(diagnostic), err=True)
        raise typer.Exit(1) from None
    for warning in result.warnings:
        typer.echo(printable_lines(warning), err=True)

    json_path = json_file or (output if output.suffix == ".json" else output / f"{source.stem}.json")
    p4infos = p4runtime_files or [json_path.with_suffix(".p4info.txtpb")]
    try:
        for path in (json_path, *p4infos):
            path.parent.mkdir(parents=True, exist_ok=True)
        for path in p4infos:
            path.write_bytes(_p4info(result, p4runtime_format or _FORMAT_BY_SUFFIX.get(path.suffix, InfoFormat.BINARY)))
        json_path.write_text(result.json)
    except OSError as error:
        typer.echo(f"quench compile: {error.filename}: cannot be written: {error.strerror}", err=True)
        raise typer.Exit(1) from None


def _p4info(result: "CompileOutput", kind: InfoFormat) -> bytes:
    if kind is InfoFormat.TEXT:
        return result.p4info_text.encode()
    if kind is InfoFormat.BINARY:
        return result.p4info_binary
    # Here, because they take long to import.
    from finsy.proto import p4i
    from google.protobuf import json_format

    return json_format.MessageToJson(p4i.P4Info.FromString(result.p4info_binary)).encode()
