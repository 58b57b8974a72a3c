# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A change of a profile: some of its settings, or its scheme."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from quench.errors import message_of
from quench.profiles.settings import SCHEMES, ProfileSettings, fields_of, parse_settings

MOST_FAULTS = 5
"""Faults that an error names."""


def written(settings: ProfileSettings) -> dict[str, Any]:
    """The settings as they were written, without those that were left to their defaults."""
    return {"scheme": settings.scheme, **settings.model_dump(mode="json", exclude_unset=True)}


def changed_profile(
    settings: ProfileSettings | None, changes: Mapping[str, Any], unset: Iterable[str] = ()
) -> ProfileSettings:
    """The profile with these changes, and with the defaults of the settings in ``unset``; the others stay.

    If ``changes`` names another scheme, the profile keeps the settings that this scheme has. None is a queue without a
    profile. Raises ValueError, in one line.
    """
    if settings is None and "scheme" not in changes:
        raise ValueError("it has no profile that could be changed: give a scheme")
    values = {} if settings is None else settings.model_dump(mode="json", exclude_unset=True)
    running = getattr(settings, "scheme", None)
    scheme = changes.get("scheme", running)
    if scheme in SCHEMES:
        known = fields_of(scheme)
        for name in (*changes, *unset):
            if name not in known:
                raise ValueError(f"{name} is no setting of {scheme}")
        values = {name: value for name, value in values.items() if name in known}
    for name in unset:
        if name in changes or name == "scheme":
            raise ValueError(f"{name} cannot be unset: " + ("a profile has one" if name == "scheme" else "it is given"))
        values.pop(name, None)
    try:
        return parse_settings({**values, "scheme": scheme, **changes})
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[:MOST_FAULTS]
        raise ValueError("; ".join(_sentence(fault) for fault in found)) from None


def _sentence(fault: Any) -> str:
    # The first part of a place is the scheme's name, by which the model was chosen.
    place = ".".join(str(part) for part in fault["loc"][1:])
    message = " ".join(message_of(fault).split())[:500]
    return f"{place}: {message}" if place else message
