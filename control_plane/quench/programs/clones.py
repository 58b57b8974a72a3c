# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a program clones to sessions that its description makes: a clone to another session is dropped unseen."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from quench.programs.templates import MAX_SESSION, CloneSessionTemplate, EntryTemplate

_CLONES: Final = frozenset({"clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress"})
"""BMv2's primitives."""


def missing_session(json_text: str, templates: Iterable[EntryTemplate]) -> str | None:
    """A sentence about the first clone whose session no entry makes, as far as the program alone says its number."""
    made = [each.clone_session for each in templates if isinstance(each, CloneSessionTemplate)]
    numbers = {each for each in made if isinstance(each, int)}
    for session, place in _clones(json.loads(json_text)):
        if session is None and not made:
            entry = "{clone_session: $port, ports: [$port]}"
            return f"{place}it clones to sessions, and no entry makes one, such as {entry}"
        if session is not None and len(numbers) == len(made) and session not in numbers:
            entry = f"{{clone_session: {session}, ports: [...]}}"
            return f"{place}it clones to session {session}, which no entry makes: write {entry}"
    return None


def _clones(program: Any) -> Iterator[tuple[int | None, str]]:
    """The session of each clone, None where it is computed, and the place in the source if it is known."""
    for action in program.get("actions", ()):
        for primitive in action.get("primitives", ()):
            if primitive.get("op") in _CLONES:
                session = primitive["parameters"][0]
                number = int(session["value"], 16) & MAX_SESSION if session.get("type") == "hexstr" else None
                source = primitive.get("source_info")
                yield number, "" if source is None else f"{source['filename']}:{source['line']}: "
