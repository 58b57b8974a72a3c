# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Swept values in a definition: a text that begins with ``$`` is a name (``$delay``) or arithmetic (``$n / 2``).

Either may be followed by a unit, ``$minth * 2 pkts``: the result is then a text such as ``10pkts``.
"""

import ast
import math
import operator
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from quench_switch.outside.units import quoted

_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_NEITHER = "is neither a name nor arithmetic such as $n / 2"
_UNIT = re.compile(r"(.*[\w.)])\s+([A-Za-z]+(?:/s)?)\s*", re.DOTALL)


class SubstitutionError(ValueError):
    """A ``$`` text that cannot be worked out, and where it stands."""

    def __init__(self, message: str, place: tuple[str | int, ...]) -> None:
        super().__init__(message)
        self.place = place


def substitute(value: Any, variables: Mapping[str, Any], place: tuple[str | int, ...] = ()) -> Any:
    """The value with every ``$`` text in it replaced. Raises SubstitutionError."""
    if isinstance(value, dict):
        return {key: substitute(each, variables, (*place, key)) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [substitute(each, variables, (*place, index)) for index, each in enumerate(value)]
    if isinstance(value, str) and value.startswith("$"):
        try:
            return _work_out(value[1:], variables)
        except ValueError as error:
            raise SubstitutionError(f"{quoted(value)}: {error}", place) from error
    return value


def names_in(value: Any) -> Iterator[str]:
    """The variables that a value's ``$`` texts name; none of a text that is no arithmetic."""
    if isinstance(value, dict):
        for each in value.values():
            yield from names_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from names_in(each)
    elif isinstance(value, str) and value.startswith("$"):
        try:
            tree = _parsed(_split(value[1:])[0])
        except ValueError:
            return
        yield from (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _split(text: str) -> tuple[str, str]:
    """Arithmetic, and the unit behind it or nothing. Two words in a row are no arithmetic, so the second is a unit."""
    match = _UNIT.fullmatch(text)
    return (match[1], match[2]) if match else (text, "")


def _work_out(text: str, variables: Mapping[str, Any]) -> Any:
    arithmetic, unit = _split(text)
    tree = _parsed(arithmetic)
    if unit:
        return f"{_finite(tree, variables)}{unit}"
    if isinstance(tree, ast.Name):
        return _look_up(tree.id, variables)
    return _finite(tree, variables)


def _finite(tree: ast.expr, variables: Mapping[str, Any]) -> float:
    try:
        result = _number(tree, variables)
        if math.isfinite(result):
            return int(result) if result == int(result) else result
    except ZeroDivisionError as error:
        raise ValueError("divides by 0") from error
    except RecursionError as error:
        raise ValueError(_NEITHER) from error
    except OverflowError:
        pass
    raise ValueError("has no finite value")


def _parsed(text: str) -> ast.expr:
    try:
        with warnings.catch_warnings():
            # Python warns of numbers and words without a space between them: they are faults or they are not.
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # the latter two: nested too deeply
        raise ValueError(_NEITHER) from error


def _look_up(name: str, variables: Mapping[str, Any]) -> Any:
    if name not in variables:
        raise ValueError(f"nothing is swept by the name {name!r}; there is {', '.join(variables) or 'no sweep'}")
    return variables[name]


def _number(node: ast.expr, variables: Mapping[str, Any]) -> float:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name):
            value = _look_up(name, variables)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{name} is {value!r}, not a number")
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, variables)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_number(left, variables), _number(right, variables))
    raise ValueError(_NEITHER)
