# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Experiments by their keys, and options that several commands share."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from quench import places
from quench.cli.completed import YAML, files
from quench.errors import ConfigError, ControllerError
from quench_switch.cli.output import complain

from quench_experiments.errors import ExperimentError, SimulationError
from quench_experiments.known import DEFAULT_FOLDER, MAX_SEEDS
from quench_experiments.known import keys as known_keys

if TYPE_CHECKING:
    from quench_experiments.definition import Experiment

OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the results are kept.")]
ProgramOption = Annotated[
    Path,
    typer.Option(
        "--program",
        metavar="FILE",
        help="The compiled P4 program; its P4Info is beside it.",
        show_default="build/quench.json",
    ),
]
SeedsOption = Annotated[
    int | None,
    typer.Option(
        "--seeds", metavar="SEEDS", min=1, max=MAX_SEEDS, help="Seeds from 1 to this.", show_default="by experiment"
    ),
]
OUT, PROGRAM = DEFAULT_FOLDER, places.PROGRAM


ALL = "all"
HELP = f"Such as P1.A; P1 stands for all of that paper's, '{ALL}' for everything; or a YAML file of your own."


def complete(incomplete: str) -> list[str]:
    """The keys that begin so, else files: for the shell."""
    found = [key for key in (*known_keys(), ALL) if key.lower().startswith(incomplete.lower())]
    return found or files(*YAML)(incomplete)


KeysArgument = Annotated[list[str], typer.Argument(metavar="KEY...", help=HELP, autocompletion=complete)]
KeyArgument = Annotated[
    str, typer.Argument(metavar="KEY", help="Such as P1.A, or a YAML file.", autocompletion=complete)
]


def chosen(words: Sequence[str]) -> "list[Experiment]":
    """The experiments of keys and files, each once, Quench's own first. Raises ExperimentError and ConfigError."""
    from quench_experiments.definition import load

    own = [word for word in words if not _is_file(word)]
    files = [Path(word) for word in words if _is_file(word)]
    wanted = {key for word in own for key in _keys_of(word)}
    found = [load(key) for key in known_keys() if key in wanted]
    for path in dict.fromkeys(files):
        experiment = load(path)
        if experiment.key in known_keys():
            raise ExperimentError(f"{path}: {experiment.key} is one of Quench's own: name the file otherwise")
        found.append(experiment)
    return found


def one(word: str) -> "Experiment":
    """The experiment of this key or file. Raises ExperimentError and ConfigError."""
    found = chosen([word])
    if len(found) > 1:
        raise ExperimentError(f"{word} stands for several: choose {', '.join(each.key for each in found)}")
    return found[0]


def file_of(experiment: "Experiment") -> str | None:
    """The absolute path of an experiment's file; None for one of Quench's own."""
    return None if experiment.ships_with_quench else str(experiment.path.resolve())


def _is_file(word: str) -> bool:
    return word.endswith((".yaml", ".yml"))


def _keys_of(word: str) -> list[str]:
    known = known_keys()
    lower = word.lower()
    found = [key for key in known if lower in (ALL, key.lower()) or key.lower().startswith(f"{lower}.")]
    if not found:
        raise ExperimentError(f"there is no experiment {word}: choose {', '.join(known)}, {ALL}, or a file")
    return found


@contextmanager
def faults_in_one_line(command: str) -> Iterator[None]:
    """An error whose cause is outside of the program ends the command with one line and status 1."""
    try:
        yield
    except (ExperimentError, SimulationError, ConfigError, ControllerError, OSError) as error:
        complain(f"quench experiment {command}", error)
        raise typer.Exit(1) from None
