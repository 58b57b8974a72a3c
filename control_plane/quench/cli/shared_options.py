# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, declared once and added to each command's own."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def with_options(
    command: Callable[..., None],
    options: Iterable[inspect.Parameter],
    argument: str,
    gather: Callable[[dict[str, Any]], Any],
    *,
    after: str | None = None,
) -> Callable[..., None]:
    """The command with these options instead of its parameter ``argument``, which gets what ``gather`` makes of them.

    ``after``: the parameter of the command behind which they come; None: behind all of them.
    """
    shared = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]
    own = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, each in inspect.signature(command).parameters.items()
        if name != argument
    ]
    place = next((index for index, each in enumerate(own, 1) if each.name == after), len(own))
    parameters = [*own[:place], *shared, *own[place:]]

    @wraps(command)
    def run(**arguments: Any) -> None:
        command(**{argument: gather({option.name: arguments.pop(option.name) for option in shared})}, **arguments)

    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
