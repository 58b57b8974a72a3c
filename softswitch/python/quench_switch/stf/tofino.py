# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The support of programs for Tofino in tests: which they are, their CPU port, filters, port metadata, generator."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quench_switch.arch import Arch, Architecture, architecture
from quench_switch.outside.units import UnitError
from quench_switch.tna.generator import parse_application, parse_settings

from .names import Handle, StfError, number
from .profiles import add_group, add_to_value_set

if TYPE_CHECKING:
    from quench_switch._native import FilterConfig, VirtualSwitch

_INCLUDED: Final = re.compile(r'^# \d+ "<p4include>/tofino1_arch\.p4"$', re.MULTILINE)
"""The preprocessor's note that a program includes tna.p4, itself or by another file."""


def architecture_of(json_text: str) -> Architecture:
    """The architecture of a program that the data plane has loaded."""
    meta = json.loads(json_text).get("__meta__")
    # The data plane also takes null, for nothing, and a list of the values.
    return architecture(meta.get("architecture") if isinstance(meta, dict) else None)


def guess_architecture(program: Path, include_dirs: Sequence[str], defines: Sequence[str]) -> Arch:
    """The architecture of the files that a P4 program includes; v1model where it is not even known what these are."""
    from quench_switch._native import CompileError, preprocess_p4

    try:
        source = preprocess_p4(str(program), include_dirs, defines, arch=Arch.TNA.value)
    except CompileError:
        return Arch.V1MODEL
    return Arch.TNA if _INCLUDED.search(source) else Arch.V1MODEL


def set_port_metadata(switch: VirtualSwitch, _program: Mapping[str, Any], args: Sequence[str]) -> None:
    """``PORT NUMBER``. Raises StfError and DataPlaneError."""
    switch.set_port_metadata(number(args[0]), number(args[1]))


def set_generator(switch: VirtualSwitch, _program: Mapping[str, Any], args: Sequence[str]) -> None:
    """``APP off`` or ``APP KEY=VALUE...``. Raises StfError and DataPlaneError."""
    try:
        number = parse_application(args[0])
        switch.set_generator(number, None if tuple(args[1:]) == ("off",) else parse_settings(args[1:]))
    except UnitError as error:
        raise StfError(str(error)) from None


OWN_COMMANDS: Final[dict[str, Callable[[VirtualSwitch, Mapping[str, Any], Sequence[str]], None]]] = {
    "port_metadata": set_port_metadata,
    "generate": set_generator,
    "port_down": lambda switch, _, args: switch.set_port_up(number(args[0]), False),
    "port_up": lambda switch, _, args: switch.set_port_up(number(args[0]), True),
    "port_clear": lambda switch, _, args: switch.clear_port_down(number(args[0])),
    "group_add": add_group,
    "value_set_add": add_to_value_set,
}
"""Commands that BMv2's CLI has not."""


def set_filter(switch: VirtualSwitch, name: str, place: Handle | int, args: Sequence[str]) -> None:
    """Set one filter of an array, or that of an entry. Raises StfError and DataPlaneError."""
    setting = filter_setting(args)
    if isinstance(place, int):
        switch.set_filter_config(name, place, setting)
    else:
        switch.set_direct_filter_config(name, place.key, place.priority, setting)


def filter_setting(args: Sequence[str]) -> FilterConfig:
    """``sample|rate RISE_NS FALL_NS SHIFT`` or ``wred TIME_NS LOWEST HIGHEST PROBABILITY``. Raises StfError."""
    match args:
        case ["wred", time_ns, lowest, highest, probability]:
            return ("wred", _decimal(time_ns), number(lowest), number(highest), _decimal(probability))
        case ["sample", rise_ns, fall_ns, shift]:
            return ("sample", _decimal(rise_ns), _decimal(fall_ns), number(shift))
        case ["rate", rise_ns, fall_ns, shift]:
            return ("rate", _decimal(rise_ns), _decimal(fall_ns), number(shift))
    raise StfError("a filter is sample or rate with 3 numbers, or wred with 4")


def _decimal(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,18})?", text):
        raise StfError(f"{text!r} is not a decimal number")
    return float(text)
