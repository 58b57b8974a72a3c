# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A profile's settings as a user writes them: one model per scheme, chosen by the key ``scheme`` (docs/schemes.md)."""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field, TypeAdapter

from quench.profiles.scheme import AqmSettings, CommonSettings, RedSettings, fault_at
from quench.profiles.schemes import FILE_SCHEME, NAMED_SCHEMES, declared

__all__ = [
    "NAMED_SCHEMES",
    "PAPER_SCHEMES",
    "SCHEMES",
    "AqmSettings",
    "CommonSettings",
    "ProfileSettings",
    "RedSettings",
    "fault_at",
    "fields_of",
    "parse_settings",
    "scheme_of",
]

SCHEMES = (*NAMED_SCHEMES, FILE_SCHEME)
_BY_NAME: dict[str, type[CommonSettings]] = {name: declared(name) for name in SCHEMES}

if TYPE_CHECKING:
    ProfileSettings: TypeAlias = CommonSettings
else:
    ProfileSettings = Annotated[reduce(or_, _BY_NAME.values()), Field(discriminator="scheme")]

_ADAPTER: TypeAdapter[ProfileSettings] = TypeAdapter(ProfileSettings)

PAPER_SCHEMES = tuple(name for name in NAMED_SCHEMES if issubclass(_BY_NAME[name], RedSettings))
"""Those of them that the papers compare: all select packets with RED's probability."""


def parse_settings(values: dict[str, Any]) -> ProfileSettings:
    """Check settings and fill in defaults. Raises pydantic.ValidationError."""
    return _ADAPTER.validate_python(values)


def scheme_of(name: str) -> type[CommonSettings]:
    """The declaration of the scheme of that name. Raises KeyError."""
    return _BY_NAME[name]


def fields_of(scheme: str) -> frozenset[str]:
    """The names of the settings that are chosen for a scheme. Raises KeyError."""
    return frozenset(scheme_of(scheme).setting_names())
