# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The settings of a profile as options: one list of them for every command that takes a profile."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from quench.profiles import ProfileSettings, parse_settings
from quench.service.protocol import ControllerError

SCHEME_HELP = "taildrop, red, ecn, becn, ecn-becn, mecn or ecn-mod."


def _options(
    minth: Annotated[str | None, typer.Option(metavar="DEPTH", help="Such as 15KB or 15pkts.")] = None,
    midth: Annotated[str | None, typer.Option(metavar="DEPTH", help="Of mecn: where the second level begins.")] = None,
    becnthresh: Annotated[
        str | None, typer.Option(metavar="DEPTH", help="Of ecn-becn: where source quenches begin.")
    ] = None,
    maxth: Annotated[str | None, typer.Option(metavar="DEPTH", help="Where the probability is maxp.")] = None,
    maxp: Annotated[float | None, typer.Option(help="Probability at maxth.")] = None,
    c1: Annotated[float | None, typer.Option(help="Of ecn-mod: increase per unmarked ACK, in packets.")] = None,
    c2: Annotated[float | None, typer.Option(help="Of ecn-mod: decrease per marked ACK, of the window.")] = None,
    wq: Annotated[float | None, typer.Option(help="Weight of one sample in the average.")] = None,
    gentle: Annotated[bool | None, typer.Option(help="Gentle RED above maxth.")] = None,
    wait: Annotated[bool | None, typer.Option(help="At least 1/p packets between two chosen.")] = None,
    byte_mode: Annotated[bool | None, typer.Option(help="Probability in proportion to the packet's size.")] = None,
    mark_at: Annotated[str | None, typer.Option(help="head or tail.")] = None,
    spare_empty: Annotated[
        bool | None, typer.Option(help="Nothing is chosen on arrival while nobody waits, as in ns-2.")
    ] = None,
    isq_levels: Annotated[bool | None, typer.Option(help="Source quenches carry a level, 0 to 127.")] = None,
    once_per_path: Annotated[bool | None, typer.Option(help="No source quench for what was told upstream.")] = None,
    mean_packet_bytes: Annotated[int | None, typer.Option(help="Mean IP packet, in bytes.")] = None,
    report_interval: Annotated[
        str | None, typer.Option(metavar="TIME", help="Shortest time between two queue reports; 0: none.")
    ] = None,
) -> None:
    """Only its parameters matter."""


def takes_profile(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options behind its ``scheme``; those that are used reach it as a dictionary, ``given``."""
    own = inspect.signature(command).parameters
    options = inspect.signature(_options).parameters

    @wraps(command)
    def run(**arguments: Any) -> None:
        given = {name: arguments.pop(name) for name in options}
        command(given={name: value for name, value in given.items() if value is not None}, **arguments)

    parameters: list[inspect.Parameter] = []
    for name, parameter in own.items():
        parameters.extend([parameter] if name != "given" else [])
        parameters.extend(options.values() if name == "scheme" else [])
    keyword_only = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    run.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword_only}
    return run


def settings_of(values: dict[str, Any]) -> ProfileSettings:
    """The settings that options say. Raises ControllerError."""
    try:
        return parse_settings(values)
    except ValidationError as error:
        raise ControllerError(sentences(error)) from error


def sentences(error: ValidationError) -> str:
    """What is wrong with options, a line each."""
    return "\n".join(_sentence(fault) for fault in error.errors())


def _sentence(fault: Any) -> str:
    names = [str(part) for part in fault["loc"][1:]]
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "missing" and names == ["points"]:
        return "a curve's points go into a file: name that instead of --scheme, as docs/schemes/curve.md shows"
    if fault["type"] == "missing":
        return f"--{names[-1].replace('_', '-')} is needed by this scheme"
    if fault["type"] == "extra_forbidden":
        return f"--{names[-1].replace('_', '-')} does not belong to this scheme"
    return f"{'.'.join(names)}: {message}" if names else message
