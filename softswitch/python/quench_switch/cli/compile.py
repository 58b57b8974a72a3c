# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench compile``: P4-16 for v1model and TNA to JSON and P4Info."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quench_switch.arch import Arch
from quench_switch.cli.commands import Commands, DefineOption, HelpCommand, IncludeOption
from quench_switch.cli.lazy import NATIVE, later
from quench_switch.cli.output import complain
from quench_switch.errors import DataPlaneError
from quench_switch.outside.files import write_files
from quench_switch.outside.text import printable_lines

if TYPE_CHECKING:
    from quench_switch import _native
else:
    _native = later(NATIVE)

_LEVELS = ("disable", "warn", "error")


class CompileCommand(HelpCommand):
    """The command line of p4c for warnings: ``--Wdisable`` alone is for all of them, as ``--Wdisable=all``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Name what p4c leaves out."""
        bare = {f"--W{level}" for level in _LEVELS}
        return super().parse_args(ctx, [f"{arg}=all" if arg in bare else arg for arg in args])


class Standard(StrEnum):
    """The language's version."""

    P4_16 = "p4-16"


class InfoFormat(StrEnum):
    """The formats of P4Info."""

    BINARY = "binary"
    JSON = "json"
    TEXT = "text"


_FORMAT_BY_SUFFIX = {".txtpb": InfoFormat.TEXT, ".txt": InfoFormat.TEXT, ".json": InfoFormat.JSON}


def compile_program(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="PROGRAM.p4", help="The program's main file.", show_default=False)],
    output: Annotated[
        Path, typer.Option("-o", metavar="DIR|FILE.json", help="A folder for both files, or the JSON file.")
    ] = Path(),
    include: IncludeOption = None,
    define: DefineOption = None,
    undefine: Annotated[
        list[str] | None, typer.Option("-U", metavar="NAME", help="Undefine a macro. Repeatable.")
    ] = None,
    std: Annotated[Standard, typer.Option("--std", help="Language version.")] = Standard.P4_16,
    arch: Annotated[Arch, typer.Option("--arch", help="Architecture; tna is that of Tofino 1.")] = Arch.V1MODEL,
    of_2021: Annotated[
        bool,
        typer.Option(
            "--v1model-2021",
            help="Take mark_to_drop(), clone3, resubmit and recirculate, which p4c took out of v1model in 2021, too.",
        ),
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Only find errors; nothing is written.")] = False,
    p4runtime_files: Annotated[
        list[Path] | None,
        typer.Option(
            "--p4runtime-files",
            metavar="FILE",
            help="File for P4Info: text for .txtpb and .txt, JSON for .json, else binary. Repeatable.",
        ),
    ] = None,
    p4runtime_entries_files: Annotated[
        list[Path] | None,
        typer.Option(
            "--p4runtime-entries-files",
            metavar="FILE",
            help="File for the program's table entries, a WriteRequest; formats as for P4Info. Repeatable.",
        ),
    ] = None,
    p4runtime_format: Annotated[
        InfoFormat | None,
        typer.Option(
            "--p4runtime-format",
            help="Format of P4Info and of the entries, whatever their files' names.",
        ),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json-file", metavar="FILE", help="The JSON's file, whatever its name.")
    ] = None,
    preprocess_only: Annotated[
        bool, typer.Option("-E", help="Print the preprocessed program, and compile nothing.")
    ] = False,
    disabled: Annotated[
        list[str] | None, typer.Option("--Wdisable", metavar="[=KIND]", help="No warnings of a kind, or of any.")
    ] = None,
    warned: Annotated[
        list[str] | None, typer.Option("--Wwarn", metavar="[=KIND]", help="Warnings of a kind after all.")
    ] = None,
    refused: Annotated[
        list[str] | None, typer.Option("--Werror", metavar="[=KIND]", help="Warnings of a kind, or all, are errors.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not say which files were written.")] = False,
) -> None:
    """Compile a program to DIR/NAME.json and DIR/NAME.p4info.txtpb."""
    name = context.command_path
    if of_2021 and arch is not Arch.V1MODEL:
        complain(name, "--v1model-2021 is for --arch v1model: leave one of them out")
        raise typer.Exit(2)
    architecture: Literal["v1model", "v1model-2021", "tna"] = "v1model-2021" if of_2021 else arch.value
    includes = [str(path) for path in include or ()]
    levels = [
        f"{level}={kind}"
        for level, kinds in zip(_LEVELS, (disabled, warned, refused), strict=True)
        for kind in kinds or ()
    ]
    try:
        if preprocess_only:
            typer.echo(
                _native.preprocess_p4(str(source), includes, define or [], undefine or [], architecture), nl=False
            )
            return
        result = _native.compile_p4(
            str(source), includes, define or [], undefine or [], std.value, arch=architecture, warnings=levels
        )
    except _native.CompileError as error:
        _show(error.diagnostics, error.error_count)
        raise typer.Exit(1) from None
    except UnicodeError:
        # An argument is no text: all commands let this error through.
        raise
    except ValueError as error:
        complain(name, error)
        raise typer.Exit(2) from None
    warnings = result.warnings
    try:
        _native.check_program_size(result.json)
    except DataPlaneError as error:
        warnings.append(
            f"{source}: warning: by the embedded switch {error.message}; "
            "give the control plane some of the constant entries"
        )
    _show(warnings)
    if check:
        return

    json_path = json_file or (output if output.suffix == ".json" else output / f"{source.stem}.json")
    p4infos = p4runtime_files or [json_path.with_suffix(".p4info.txtpb")]
    entries = p4runtime_entries_files or []
    files = [(json_path, result.json.encode())]
    for paths, encode in ((p4infos, _p4info), (entries, _entries)):
        for path in paths:
            kind = p4runtime_format or _FORMAT_BY_SUFFIX.get(path.suffix, InfoFormat.BINARY)
            files.append((path, encode(result, kind)))
    try:
        for path, _ in files:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_files(*files)
    except OSError as error:
        complain(name, f"{error.filename}: cannot be written: {error.strerror}")
        raise typer.Exit(1) from None
    if not quiet:
        for path, content in files:
            typer.echo(f"wrote {path} ({len(content)} bytes)", err=True)


def _p4info(result: "_native.CompileOutput", kind: InfoFormat) -> bytes:
    return _encoded(result.p4info_text, result.p4info_binary, "p4i", "P4Info", kind)


def _entries(result: "_native.CompileOutput", kind: InfoFormat) -> bytes:
    return _encoded(result.entries_text, result.entries_binary, "p4r", "WriteRequest", kind)


def _encoded(text: str, binary: bytes, module: str, message: str, kind: InfoFormat) -> bytes:
    """A message of P4Runtime, named by its module in ``quench_switch.messages``, in one of the formats."""
    if kind is InfoFormat.TEXT:
        return text.encode()
    if kind is InfoFormat.BINARY:
        return binary
    # Here, because they take long to import.
    from google.protobuf import json_format

    import quench_switch.tna.barefoot  # noqa: F401 (declares messages)
    from quench_switch import messages

    return json_format.MessageToJson(getattr(getattr(messages, module), message).FromString(binary)).encode()


def _show(diagnostics: list[str], error_count: int = 0) -> None:
    """Diagnostics on stderr, and how many they are."""
    for diagnostic in diagnostics:
        typer.echo(printable_lines(diagnostic), err=True)
    counts = ((error_count, "error"), (len(diagnostics) - error_count, "warning"))
    shown = [f"{count} {noun}{'s' if count > 1 else ''}" for count, noun in counts if count]
    if shown:
        typer.echo(", ".join(shown), err=True)


app = Commands()
app.command("compile", cls=CompileCommand)(compile_program)
