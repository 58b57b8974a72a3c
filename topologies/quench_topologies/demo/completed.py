# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Words that a shell may put behind ``quench demo --scheme``."""

from quench.cli.completed import YAML, files, listed
from quench.profiles.schemes import FILE_SCHEME, NAMED_SCHEMES

PROGRAM = "program"
_FILES = files(*YAML)
_NAMES = listed([*NAMED_SCHEMES, f"{FILE_SCHEME}:", f"{PROGRAM}:"])


def scheme_words(incomplete: str) -> list[str]:
    """The schemes, files behind ``curve:`` and ``program:``, and the hosts behind ``+``."""
    before, comma, last = incomplete.rpartition(",")
    if "+" in last:
        scheme, _, begun = last.partition("+")
        return [f"{before}{comma}{scheme}+{name}" for name in _algorithms() if name.startswith(begun)]
    kind, colon, path = last.partition(":")
    if colon:
        return [f"{before}{comma}{kind}:{each}" for each in _FILES(path)] if kind in {FILE_SCHEME, PROGRAM} else []
    return _NAMES(incomplete)


def _algorithms() -> list[str]:
    try:
        from quench_simulator import host_algorithms
    except ImportError:
        # It is not built.
        return []
    return list(host_algorithms())
