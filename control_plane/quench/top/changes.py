# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Changes of a profile before they are made: thresholds that are moved, and settings that are typed."""

import json
from collections.abc import Mapping, Set
from typing import Any

from pydantic import ValidationError
from quench_switch.outside.units import Depth, parse_depth

from quench.errors import message_of
from quench.feed.model import Change, ProfileLayout
from quench.feed.source import ChangeError
from quench.profiles.settings import fields_of
from quench.top.state import QueueKey


def editable(profile: ProfileLayout | None) -> list[str]:
    """The thresholds of a profile that are settings of their own."""
    return [] if profile is None else [each["name"] for each in profile["thresholds"] if each["editable"]]


def moved(depth: Depth, steps: int, mean_packet_bytes: int) -> Depth:
    """A threshold so many packets higher or lower, in its own unit; never below 0."""
    step = mean_packet_bytes if depth.unit == "bytes" else 1
    return Depth(max(0.0, depth.value + steps * step), depth.unit)


def threshold(profile: ProfileLayout, name: str) -> Depth:
    """A threshold as it is set now. Raises KeyError."""
    for each in profile["thresholds"]:
        if each["name"] == name:
            return parse_depth(each["text"])
    raise KeyError(name)


def value_of(text: str) -> Any:
    """A setting as it was typed: a number, true, false or null by its JSON, else a text with its unit."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def text_of(value: Any) -> str:
    """The text that ``value_of`` reads as this setting."""
    return value if isinstance(value, str) else json.dumps(value)


def change_of(
    key: QueueKey,
    profile: ProfileLayout | None,
    typed: Mapping[str, Any],
    *,
    unset: Set[str] = frozenset(),
    rate: str | None = None,
    isq_mode: str | None = None,
) -> Change:
    """One change of a queue: its profile's settings with what was typed and without ``unset``. Raises ChangeError.

    With another ``scheme`` those settings stay that it knows. The profile stays where neither says anything.
    """
    values: dict[str, Any] = {"switch": key.switch, "port": key.port, "queue": key.queue}
    if typed or unset:
        old = {} if profile is None else profile["settings"]
        scheme = typed.get("scheme", old.get("scheme"))
        try:
            known = fields_of(scheme)
        except KeyError:
            raise ChangeError(f"there is no scheme {scheme!r}") from None
        values["settings"] = {name: value for name, value in old.items() if name in known - unset} | dict(typed)
    if rate is not None:
        values["rate"] = rate
    if isq_mode is not None:
        values["isq_mode"] = isq_mode
    try:
        return Change.model_validate(values)
    except ValidationError as error:
        raise ChangeError("; ".join(_sentence(fault) for fault in error.errors())) from error


def _sentence(fault: Any) -> str:
    place = [str(part) for part in fault["loc"] if part != "settings"]
    # pydantic names the scheme too, by which it has chosen the model.
    name = place[-1] if place else ""
    if fault["type"] == "missing":
        return f"{name}: this scheme needs it"
    message = message_of(fault)
    return f"{name}: {message}" if len(place) > 1 or fault["loc"][0] != "settings" else message
