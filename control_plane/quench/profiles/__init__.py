# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Congestion profiles: from a named scheme and its thresholds, or a drawn curve, to rows of the P4 tables.

In: settings, as a mapping. Out: ``ProfileRows``. Begin with ``schemes``, whose classes have settings and
make straight pieces of them, then ``compile`` (pieces to rows of quench.p4); ``tna`` makes the rows of
quench_tna.p4.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quench.profiles.compile import ProfileRows, compile_profile
    from quench.profiles.curve import Curve, Segment
    from quench.profiles.settings import ProfileSettings, parse_settings

__all__ = ["Curve", "ProfileRows", "ProfileSettings", "Segment", "compile_profile", "parse_settings"]
_PLACES = {
    "Curve": "curve",
    "ProfileRows": "compile",
    "ProfileSettings": "settings",
    "Segment": "curve",
    "compile_profile": "compile",
    "parse_settings": "settings",
}
"""Imported when they are used: who asks for the names of the schemes needs no pydantic."""


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
