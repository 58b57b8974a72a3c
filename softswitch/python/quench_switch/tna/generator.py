# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Applications of TNA's packet generator, as text: ``1:periodic=10ms,packets=2,bytes=0011223344``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NotRequired, TypedDict

from quench_switch.outside.units import UnitError, parse_count, parse_duration_ns

APPLICATIONS: Final = 8
MAX_PACKET_BYTES: Final = 16 << 10
_MAX_NS: Final = (1 << 32) - 1
_NUMBERS: Final = {"batches": ("batches", 1 << 16), "packets": ("packets", 1 << 16), "port": ("source_port", 127)}
_GAPS: Final = {"batch-gap": "batch_gap_ns", "packet-gap": "packet_gap_ns"}
_TRIGGERS: Final = ("one-shot", "periodic", "port-down", "recirculated")
_FLAGS: Final = ("port-down", "next-port")
_KEYS: Final = (*_TRIGGERS, "bytes", *_NUMBERS, *_GAPS, "next-port")


class GeneratorApp(TypedDict):
    """An application of TNA's packet generator. Times are those of the chip's clock."""

    trigger: tuple[str, *tuple[int, ...]]
    """``("one_shot", NS)``, ``("periodic", NS)``, ``("port_down",)`` or ``("recirculated", VALUE, MASK)``."""
    packet: bytes
    """The bytes behind the generator's header."""
    batches: NotRequired[int]
    """Batches of a trigger, 1 to 65536; 1 by default."""
    packets: NotRequired[int]
    """Packets of a batch, 1 to 65536; 1 by default."""
    batch_gap_ns: NotRequired[int]
    """The time from the start of a batch to that of the next one; 0 by default."""
    packet_gap_ns: NotRequired[int]
    """The time from the start of a packet to that of the next one in its batch; 0 by default."""
    source_port: NotRequired[int]
    """The ingress port that the program sees; 68 by default."""
    increments_port: NotRequired[bool]
    """Each packet of a batch has the port behind that of the packet before."""


def parse_generator(text: str) -> tuple[int, GeneratorApp]:
    """The number and settings of an application: ``APP:KEY=VALUE,...``. Raises UnitError."""
    number, colon, options = text.partition(":")
    if not colon:
        raise UnitError(f"{text[:40]!r} is not APP:KEY=VALUE,...")
    return parse_application(number), parse_settings(options.split(","))


def parse_application(text: str) -> int:
    """The number of an application, 0 to 7. Raises UnitError."""
    try:
        return parse_count(text.strip(), 0, APPLICATIONS - 1)
    except UnitError as error:
        raise UnitError(f"application of the packet generator: {error}") from None


def parse_settings(items: Iterable[str]) -> GeneratorApp:
    """The settings of an application from ``KEY=VALUE`` and flags. Raises UnitError."""
    given: dict[str, str] = {}
    for item in items:
        key, equals, value = item.strip().partition("=")
        if key not in _KEYS:
            raise UnitError(f"{key[:40]!r} is not {', '.join(_KEYS)}")
        if key in given:
            raise UnitError(f"{key} is given twice")
        if bool(equals) == (key in _FLAGS):
            raise UnitError(f"{key} stands alone" if equals else f"{key} needs a value: {key}=VALUE")
        given[key] = value
    triggers = [key for key in _TRIGGERS if key in given]
    if len(triggers) != 1:
        raise UnitError(f"give one of {', '.join(_TRIGGERS)}, not {' and '.join(triggers) or 'none'}")
    if "bytes" not in given:
        raise UnitError("bytes is missing: bytes=HEX is what follows the generator's header")
    found: Any = {}
    for key, value in given.items():
        try:
            if key in _TRIGGERS:
                found["trigger"] = _trigger(key, value)
            elif key in _GAPS:
                found[_GAPS[key]] = _nanoseconds(value)
            elif key in _NUMBERS:
                name, most = _NUMBERS[key]
                found[name] = parse_count(value, 0 if key == "port" else 1, most)
            elif key == "bytes":
                found["packet"] = _bytes(value)
            else:
                found["increments_port"] = True
        except UnitError as error:
            raise UnitError(f"{key}: {error}") from None
    settings: GeneratorApp = found
    return settings


def _trigger(key: str, value: str) -> tuple[str, *tuple[int, ...]]:
    if key == "port-down":
        return ("port_down",)
    if key == "recirculated":
        return ("recirculated", *_pattern(value))
    return (key.replace("-", "_"), _nanoseconds(value))


def _nanoseconds(text: str) -> int:
    time_ns = parse_duration_ns(text)
    if time_ns > _MAX_NS:
        raise UnitError(f"{text[:40]!r} is more than {_MAX_NS} ns, which is the chip's longest time")
    return time_ns


def _pattern(text: str) -> tuple[int, int]:
    """``0xVALUE/0xMASK``, of four bytes each."""
    match = re.fullmatch(r"0x([0-9a-fA-F]{1,8})/0x([0-9a-fA-F]{1,8})", text)
    if match is None:
        raise UnitError(f"{text[:40]!r} is not 0xVALUE/0xMASK, of four bytes each")
    return int(match[1], 16), int(match[2], 16)


def _bytes(text: str) -> bytes:
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})+", text):
        raise UnitError(f"{text[:40]!r} is not a whole number of bytes in hex digits")
    if len(text) > 2 * MAX_PACKET_BYTES:
        raise UnitError(f"{len(text) // 2} bytes: {MAX_PACKET_BYTES} are the most")
    return bytes.fromhex(text)
