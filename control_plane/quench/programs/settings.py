# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of a queue that a description names: how people write them, and the numbers that the program gets."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from quench_switch.outside.units import (
    MAX_VALUE,
    Depth,
    RelativeDepth,
    parse_number,
    parse_rate_bps,
    parse_seconds,
    parse_threshold,
    quoted,
)

from quench.profiles.settings import fault_at
from quench.programs.templates import Part

QueueSettings = Mapping[str, Any]
"""Settings of a queue by name, as people write them: ``target: 15ms``."""
Unit = Literal["ns", "us", "ms", "s", "bytes", "pkts", "bps", "number", "switch"]
SettingName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
"""Small letters, digits and ``_``."""
_BOUND_NAME: Final = re.compile(r"\$[a-z][a-z0-9_]{0,63}")


def _bound(value: object) -> object:
    """Here, because of a union pydantic has a fault for each branch."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if not is_number and not (isinstance(value, str) and _BOUND_NAME.fullmatch(value)):
        raise ValueError(f"{quoted(value)} is no bound: write a whole number from 0 on, or $NAME")
    return value


def _scalar(value: object) -> object:
    if not isinstance(value, bool | int | float | str):
        raise ValueError(f"{quoted(value)} is no value of a setting: write one, such as 15ms or 20")
    return value


Bound = Annotated[int | str, BeforeValidator(_bound)]
"""A number, or ``$NAME`` of another setting or of what is known of the port."""
BUFFER: Final = "buffer"
"""The most that a queue of the port holds."""
CLOCK_STEP: Final = "clock_step"
"""The bytes that the port sends in one step of the program's clock."""
PORT_BOUNDS: Final = {BUFFER: "the port's buffer", CLOCK_STEP: "what the port sends in a step of the program's clock"}
"""The bounds that a port has, in bytes, by the name behind ``$``."""
_PER_SECOND: Final = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
_SWITCH: Final = {"on": 1, "off": 0}


@dataclass(frozen=True, slots=True)
class ManagedPort:
    """A port whose queue is managed, as far as it is known."""

    rate_bps: int
    buffer: Depth | None = None
    """The most that a queue holds, where it is known."""
    clock_step_ns: int = 1
    """The steps in which the program's clock goes."""


class Setting(Part):
    """A setting of a queue: how it is written, and the number that the program gets."""

    unit: Unit
    """The program's unit. People write times, depths and rates with units of their own, a ``switch`` as ``on`` or
    ``off``; ``number`` has none."""
    default: Annotated[bool | int | float | str, BeforeValidator(_scalar)]
    """The default value as people write it."""
    scale: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    """The program gets the value in ``unit`` times this, rounded: 2^32 for a probability in 2^-32."""
    least: tuple[Bound, ...] = Field(default=(), max_length=8)
    """The program's number is none of these, or larger: numbers, other settings, ``$clock_step``."""
    most: tuple[Bound, ...] = Field(default=(), max_length=8)
    """The program's number is none of these, or smaller: numbers, other settings, ``$buffer``."""
    description: str = Field(default="", max_length=500)
    """The meaning, for people."""

    @model_validator(mode="after")
    def _has_a_default(self) -> Self:
        try:
            self.value(self.default, mean_packet_bytes=1000)
        except ValueError as error:
            raise fault_at(str(error), "default") from error
        return self

    @model_validator(mode="after")
    def _has_values(self) -> Self:
        least, most = ([each for each in bounds if isinstance(each, int)] for bounds in (self.least, self.most))
        if least and most and max(least) > min(most):
            raise fault_at(f"{min(most)} is less than {max(least)}, the least: no value is within", "most")
        return self

    def value(self, given: object, mean_packet_bytes: int, port: ManagedPort | None = None) -> int:
        """The program's number. A depth that depends on the port is 0 where there is none. Raises ValueError."""
        number = self._in_unit(given, mean_packet_bytes, port) * self.scale
        if not 0 <= number <= MAX_VALUE:
            raise ValueError(f"{quoted(given)} is too large")
        return round(number)

    def _in_unit(self, given: object, mean_packet_bytes: int, port: ManagedPort | None) -> float:
        if self.unit == "bps":
            return parse_rate_bps(given)
        if self.unit in _PER_SECOND:
            return parse_seconds(given) * _PER_SECOND[self.unit]
        if self.unit == "number":
            return parse_number(str(given), 0, MAX_VALUE)
        if self.unit == "switch":
            # YAML 1.1 reads them as booleans.
            if isinstance(given, bool):
                return int(given)
            if not isinstance(given, str) or given not in _SWITCH:
                raise ValueError(f"{quoted(given)} is no switch: write on or off")
            return _SWITCH[given]
        depth = parse_threshold(given)
        if isinstance(depth, RelativeDepth):
            if port is None:
                return 0
            depth = depth.at_port(port.rate_bps, port.buffer)
        pkts = depth.in_pkts(mean_packet_bytes)
        return pkts if self.unit == "pkts" else pkts * mean_packet_bytes

    def depends_on_port(self, given: object) -> bool:
        """Whether the number of a value is another one at another port."""
        return self.unit in ("bytes", "pkts") and isinstance(parse_threshold(given), RelativeDepth)

    def bounds(self) -> set[str]:
        """The names behind ``$``."""
        return {each[1:] for each in (*self.least, *self.most) if isinstance(each, str)}


def numbers(
    settings: Mapping[str, Setting], given: QueueSettings, mean_packet_bytes: int, port: ManagedPort | None
) -> dict[str, int]:
    """The program's numbers for all settings, the defaults for those that are not given. Raises ValueError.

    Without a port, bounds and depths that depend on it are not looked at.
    """
    found: dict[str, int] = {}
    for name, setting in settings.items():
        try:
            found[name] = setting.value(given.get(name, setting.default), mean_packet_bytes, port)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    for name, fault in out_of_bounds(settings, given, found, mean_packet_bytes, port):
        raise ValueError(f"{name}: {fault}")
    return found


def out_of_bounds(
    settings: Mapping[str, Setting],
    given: QueueSettings,
    found: Mapping[str, int],
    mean_packet_bytes: int,
    port: ManagedPort | None,
) -> Iterator[tuple[str, str]]:
    """The settings whose numbers are beyond a bound that is known, each with a sentence."""
    written = {name: given.get(name, setting.default) for name, setting in settings.items()}
    known = {
        name: number
        for name, number in found.items()
        if port is not None or not settings[name].depends_on_port(written[name])
    }
    bounds = known if port is None else known | _of_port(port, mean_packet_bytes)
    for name, own in known.items():
        for bound, number in _known(settings[name].least, bounds):
            if own < number:
                yield name, f"{written[name]} is {own}, less than {_named(bound, number)}"
        for bound, number in _known(settings[name].most, bounds):
            if own > number:
                yield name, f"{written[name]} is {own}, more than {_named(bound, number)}"


def _of_port(port: ManagedPort, mean_packet_bytes: int) -> dict[str, int]:
    """The bounds that are known of a port, in bytes."""
    found = {}
    if port.clock_step_ns > 1:
        found[CLOCK_STEP] = port.rate_bps * port.clock_step_ns // (8 * 10**9)
    if port.buffer is not None:
        found[BUFFER] = int(port.buffer.in_pkts(mean_packet_bytes) * mean_packet_bytes)
    return found


def _known(bounds: tuple[Bound, ...], known: Mapping[str, int]) -> list[tuple[Bound, int]]:
    """Each bound with its number; what is not known of a port bounds nothing."""
    pairs = [(each, each if isinstance(each, int) else known.get(each[1:])) for each in bounds]
    return [(bound, number) for bound, number in pairs if number is not None]


def _named(bound: Bound, number: int) -> str:
    if isinstance(bound, int):
        return str(number)
    return f"{PORT_BOUNDS.get(bound[1:], bound[1:])}, {number}"
