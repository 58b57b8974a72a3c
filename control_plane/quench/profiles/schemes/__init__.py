# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The schemes, in the order in which they are listed to users. The names of thresholds are those of the papers.

A new scheme is a file here and its name in ``NAMED_SCHEMES`` (docs/how-to/add-a-scheme.md).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quench.profiles.scheme import CommonSettings

NAMED_SCHEMES = ("taildrop", "red", "ecn", "becn", "ecn-becn", "mecn", "ecn-mod", "dctcp")
"""Those that thresholds are enough for. ``a-b`` is declared in the file ``a_b.py``."""
FILE_SCHEME = "curve"
"""Its points need a file."""


def declared(name: str) -> "type[CommonSettings]":
    """The class of a scheme: the one in its file that has its name."""
    for each in vars(import_module(f"{__name__}.{name.replace('-', '_')}")).values():
        fields = getattr(each, "model_fields", {})
        if isinstance(each, type) and "scheme" in fields and fields["scheme"].default == name:
            return each
    raise LookupError(name)
