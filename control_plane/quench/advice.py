# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The advice in a source quench: a reduction of the rate in percent, or a pause.

The 16 bits on the wire (``advice_t`` of p4src/common/types.p4): 0 is none; 1 to 100 is a reduction in percent; with the
first bit set, the others are a pause in microseconds.
"""

from quench_switch.outside.units import UnitError, format_seconds, parse_duration_ns, parse_probability, quoted

PAUSE_BIT = 0x8000
MAX_PAUSE_US = 0x7FFF
_NONE = "none"


def parse_advice(value: object) -> int:
    """The bits of a reduction such as ``30%``, of a pause such as ``100us``, or of ``none``. Raises UnitError."""
    text = value.strip() if isinstance(value, str) else value
    if text is None or text == _NONE:
        return 0
    try:
        bits = _percent(text) if isinstance(text, str) and text.endswith("%") else _pause(text)
    except UnitError:
        bits = 0
    if bits == 0:
        raise UnitError(
            f"{quoted(value)} is no advice: write a reduction from 1% to 100%, "
            f"a pause of whole microseconds up to {MAX_PAUSE_US}us, or {_NONE}"
        )
    return bits


def _percent(text: str) -> int:
    """0 for a percentage that is not whole."""
    percent = round(parse_probability(text) * 100, 6)
    return int(percent) if percent.is_integer() else 0


def _pause(text: object) -> int:
    pause_us, rest = divmod(parse_duration_ns(text), 1000)
    return PAUSE_BIT | pause_us if rest == 0 and 1 <= pause_us <= MAX_PAUSE_US else 0


def format_advice(bits: int) -> str:
    """The text that ``parse_advice`` reads as these bits."""
    if bits & PAUSE_BIT:
        return format_seconds((bits & MAX_PAUSE_US) * 1e-6)
    return f"{bits}%" if bits else _NONE
