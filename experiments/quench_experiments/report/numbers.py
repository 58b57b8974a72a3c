# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers with the digits that matter."""

import math

ROUNDING = 1e-12
"""The share of a value below which a spread is one of rounding: of equal samples."""


def number(value: float) -> str:
    """The value with the digits that count: 0.0716, 1.172, 43.21, 40 238."""
    if not math.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    digits = 4 if abs(value) >= 1 else 3
    return _fixed(value, digits - 1 - math.floor(math.log10(abs(value))))


def as_given(value: float) -> str:
    """The value with the digits of the file: 4.6 stays 4.6."""
    text = f"{value:.10g}"
    return text if "e" in text or abs(value) < 10_000 else f"{value:,.10g}".replace(",", "\N{NO-BREAK SPACE}")


def with_spread(value: float | None, spread: float | None, unit: str = "") -> str:
    """``12.31 ± 0.42 %``: the spread with two digits, the value with the same decimals."""
    if value is None or not math.isfinite(value):
        return "-"
    if spread is None:
        text = number(value)
    elif spread <= ROUNDING * abs(value):
        text = f"{number(value)} ± 0"
    elif not math.isfinite(spread):
        text = f"{number(value)} ± -"
    else:
        decimals = 1 - math.floor(math.log10(spread))
        text = f"{_fixed(value, decimals)} ± {_fixed(spread, decimals)}"
    return f"{text} {unit}".strip()


def _fixed(value: float, decimals: int) -> str:
    return f"{value:,.{min(max(decimals, 0), 12)}f}".replace(",", "\N{NO-BREAK SPACE}")
