# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands, and the text of their help: options with units, defaults and limits in words, commands under headings."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum, StrEnum
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

# It takes the place of parts that are Typer's own business: where another version has none, commands start later.
with suppress(ImportError):
    from quench_switch.cli import late_adapters

    late_adapters.install()

MAX_WIDTH: Final = 100
"""Columns of the help in a terminal that is wider."""
_MOST_SHOWN: Final = 1_000_000
"""Upper limits that are shown. Those above come from the width of a field, and no user meets them."""
_MOST_NAMES: Final = 26
"""Characters of names beside which there is text."""
_LEAST_TEXT: Final = 20
_VALUE: Final = "VALUE"


IncludeOption = Annotated[
    list[Path] | None, typer.Option("-I", metavar="DIR", help="Where to look for included files. Repeatable.")
]
DefineOption = Annotated[
    list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro. Repeatable.")
]


class Panel(StrEnum):
    """The headings under which a program lists its commands, in this order."""

    NETWORK = "Network"
    SWITCH = "Switch"
    PROGRAM = "Program"
    MEASURE = "Measure"
    INSTALL = "Install"


class HelpCommand(TyperCommand):
    """A command whose help is this module's."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words of the line of usage."""
        return _usage(self, ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options."""
        _write_options(self, ctx, formatter)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write all of the help, to the width of the terminal."""
        super().format_help(ctx, _widened(ctx, formatter))


class HelpGroup(TyperGroup):
    """A group whose help is this module's."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under their headings, then the options."""
        listed = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        shown = [(name, command) for name, command in listed if command is not None and not command.hidden]
        tables = {
            heading or "Commands": [(name, _about(command)) for name, command in shown if _panel(command) == heading]
            for heading in (*Panel, None)
        }
        _write_tables(formatter, tables)
        _write_options(self, ctx, formatter)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write all of the help, to the width of the terminal."""
        super().format_help(ctx, _widened(ctx, formatter))


class Commands(typer.Typer):
    """A program or a group of commands. A group without arguments shows its help."""

    def __init__(self, help: str | None = None) -> None:  # noqa: A002
        super().__init__(
            cls=HelpGroup,
            help=help,
            no_args_is_help=help is not None,
            add_completion=False,
            rich_markup_mode=None,
            pretty_exceptions_enable=False,
        )

    def command(self, *args: Any, **settings: Any) -> Callable[[Any], Any]:
        """Typer's, for commands with this help."""
        return super().command(*args, **{"cls": HelpCommand, **settings})


def record(parameter: Any, context: Any) -> tuple[str, str] | None:
    """The names of an option or an argument with what it takes, and its text; None: it is hidden."""
    if getattr(parameter, "hidden", False):
        return None
    if parameter.param_type_name == "argument":
        names = _argument(parameter)
    else:
        names = ", ".join(sorted(parameter.opts, key=lambda name: name.startswith("--")))
        if parameter.secondary_opts:
            names += f" / {', '.join(parameter.secondary_opts)}"
        if not parameter.is_flag and not parameter.count:
            names += f" {parameter.metavar or _choices(parameter)}"
    extra = list(_extra(parameter, context))
    text = " ".join([*filter(None, [parameter.help]), *([f"[{'; '.join(extra)}]"] if extra else [])])
    return names, " ".join(text.split())


def _argument(parameter: Any) -> str:
    """An argument's name, in brackets where it may be left out."""
    name = parameter.metavar or _choices(parameter)
    if not parameter.required and not name.startswith("["):
        name = f"[{name}]"
    return f"{name}..." if parameter.nargs != 1 and not name.endswith("...") else name


def _usage(command: Any, context: Any) -> list[str]:
    arguments = (each for each in command.get_params(context) if each.param_type_name == "argument")
    return ["[OPTIONS]", *map(_argument, arguments)]


def _choices(parameter: Any) -> str:
    """The values of an enumeration."""
    described = getattr(parameter, "type_descriptor", None) or parameter.type
    return "|".join(map(_shown, getattr(described, "choices", None) or ())) or _VALUE


def _extra(parameter: Any, context: Any) -> Iterator[str]:
    if parameter.envvar is not None:
        yield f"env var: {parameter.envvar}"
    if parameter.required and parameter.param_type_name == "option":
        yield "required"
    default = _default(parameter, context)
    if default:
        yield f"default: {default}"
    limits = _limits(getattr(parameter, "min", None), getattr(parameter, "max", None))
    if limits:
        yield limits


def _default(parameter: Any, context: Any) -> str:
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    value = parameter.get_default(context, call=False)
    if not parameter.show_default or value is None or value is False or parameter.required:
        return ""
    if parameter.secondary_opts:
        return str(parameter.opts[0]).lstrip("-")
    if value is True:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    return _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _limits(low: float | None, high: float | None) -> str:
    """Limits in words; none where nobody would go beyond them."""
    if high is not None and high <= _MOST_SHOWN:
        return f"at most {high:g}" if low is None else f"{low:g} to {high:g}"
    return f"at least {low:g}" if low else ""


def _write_options(command: Any, context: Any, formatter: Any) -> None:
    tables = {}
    for kind, heading in (("argument", "Arguments"), ("option", "Options")):
        parameters = [each for each in command.get_params(context) if each.param_type_name == kind]
        tables[heading] = [row for row in (record(each, context) for each in parameters) if row is not None]
    _write_tables(formatter, tables)


def _write_tables(formatter: Any, tables: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """Names and texts under headings. All tables have the same columns; a longer name has a line of its own."""
    widths = [len(names) for rows in tables.values() for names, _ in rows]
    column = max((width for width in widths if width <= _MOST_NAMES), default=0) + 4
    for heading, rows in tables.items():
        if not rows:
            continue
        formatter.write(f"\n{_styled(f'{heading}:', bold=True)}\n")
        for names, text in rows:
            # A name in a text, such as that of a scheme or a file, is not broken at its hyphens.
            lines = wrap(text, max(formatter.width - column, _LEAST_TEXT), break_on_hyphens=False) or [""]
            if len(names) + 4 > column:
                lines.insert(0, "")
            first = f"  {_styled(names, fg='cyan')}{' ' * (column - 2 - len(names))}{lines[0]}"
            formatter.write("\n".join([first.rstrip(), *(" " * column + line for line in lines[1:])]) + "\n")


def _styled(text: str, **style: Any) -> str:
    """The text with its style, which typer takes out again where it goes to no terminal."""
    return text if os.environ.get("NO_COLOR") else typer.style(text, **style)


def _about(command: Any) -> str:
    """The first paragraph of a command's help."""
    return " ".join((command.help or "").split("\n\n")[0].split())


def _panel(command: Any) -> str | None:
    panel = getattr(command, "rich_help_panel", None)
    return panel if isinstance(panel, str) else None


def _widened(context: Any, formatter: Any) -> Any:
    """A formatter that is written to has the width of the terminal, up to MAX_WIDTH."""
    context.max_content_width = MAX_WIDTH
    formatter.width = context.make_formatter().width
    return formatter
