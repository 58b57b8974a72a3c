# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of results: the cache, the choice of runs, and failures."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from quench_switch.outside.files import Content, read_json, write_files

from quench_experiments.errors import ExperimentError
from quench_experiments.known import MAX_SEEDS
from quench_experiments.runner.cache import Cache
from quench_experiments.runner.plan import Job
from quench_experiments.runner.work import Outcome

MAX_BYTES = 16 << 20
"""The largest file that is read."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The set that was run last of an experiment: the report shows the same runs."""

    quick: bool
    seeds: int | None = None
    """None: the experiment's own number."""
    file: str | None = None
    """The file of an experiment that is not Quench's own."""


def _choice(quick: object, seeds: object, file: object) -> Choice:
    """Raises ValueError for what `Folder.choose` does not write."""
    if not isinstance(quick, bool) or not isinstance(file, str | None):
        raise ValueError("quick is no boolean, or file is no text")
    if seeds is not None and (isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MAX_SEEDS):
        raise ValueError(f"seeds is no number from 1 to {MAX_SEEDS}")
    return Choice(quick, seeds, file)


class Folder:
    """The files that are kept of experiments."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cache = Cache(path / "cache")

    def choices(self) -> dict[str, Choice]:
        """The choice of each experiment that was run. Raises ExperimentError."""
        path = self._choices
        try:
            values = read_json(path, MAX_BYTES)
            return {key: _choice(**value) for key, value in values.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ExperimentError(f"{path}: it cannot be read ({error}): remove it and run the experiments") from error

    def choose(self, choices: dict[str, Choice]) -> None:
        """Remember how these experiments are run; others stay as they are."""
        merged = {**self.choices(), **choices}
        values = {key: asdict(choice) for key, choice in sorted(merged.items())}
        write((self._choices, json.dumps(values, indent=2) + "\n"))

    def keep_failure(self, job: Job, outcome: Outcome) -> Path:
        """Write down a failure with its scenario, to look into; returns the file."""
        path = self._failure(job.key)
        values = {
            "runs": job.names,
            "error": outcome.error,
            "traceback": outcome.traceback,
            "scenario": job.scenario.model_dump(mode="json"),
        }
        write((path, json.dumps(values, indent=2) + "\n"))
        return path

    def forget_failure(self, key: str) -> None:
        """Remove the note of a failure: the run went well now."""
        self._failure(key).unlink(missing_ok=True)

    def failure(self, key: str) -> str | None:
        """The error of a run; None where it has not been tried, or went well."""
        try:
            error = read_json(self._failure(key), MAX_BYTES)["error"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return str(error)

    @property
    def _choices(self) -> Path:
        return self.path / "runs.json"

    def _failure(self, key: str) -> Path:
        return self.path / "failures" / f"{key[:16]}.json"


def write(*files: tuple[Path, Content]) -> None:
    """Write files of results, and make their folders. Where the disk refuses, all stay as they were.

    Raises ExperimentError.
    """
    try:
        for path, _ in files:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_files(*files)
    except OSError as error:
        raise ExperimentError(f"{error.filename}: {error.strerror}") from error
