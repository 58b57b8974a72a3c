# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The roles of quench-bench-wire as processes: those that serve, and those that measure and end."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from quench_topologies.process import give_session_priority
from script import REPOSITORY, TARGET

END_S = 30.0


class Role:
    """A role that serves until its standard input ends."""

    def __init__(self, words: Sequence[str]) -> None:
        self._process = _process(words, stdin=subprocess.PIPE)
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"'{' '.join(words)}' did not begin: see above")
        self.pid = self._process.pid

    def counts(self) -> dict[str, Any]:
        """The counts of a forwarder until now."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        result: dict[str, Any] = json.loads(self._process.stdout.readline())
        return result

    def end(self) -> dict[str, Any]:
        """The measurement, at its end. Raises RuntimeError."""
        printed, _ = self._process.communicate(timeout=END_S)
        if self._process.returncode:
            raise RuntimeError(f"a role of quench-bench-wire ended with {self._process.returncode}: see above")
        result: dict[str, Any] = json.loads(printed)
        return result

    def kill(self) -> None:
        """End it without a result."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


class Ends:
    """Starts roles of the program."""

    def __init__(self) -> None:
        self._program = str(program())

    @contextmanager
    def serving(self, inside: Sequence[str], cores: Sequence[int], role: str, **values: object) -> Iterator[Role]:
        """A role that serves others while the block runs."""
        started = Role(self._words(inside, cores, role, values))
        try:
            yield started
        finally:
            started.kill()

    def start(
        self, inside: Sequence[str], cores: Sequence[int], role: str, **values: object
    ) -> "subprocess.Popen[str]":
        """A role that ends by itself."""
        return _process(self._words(inside, cores, role, values), stdin=subprocess.DEVNULL)

    def run(self, inside: Sequence[str], cores: Sequence[int], role: str, **values: object) -> dict[str, Any]:
        """The measurement of such a role. Raises RuntimeError."""
        return result_of(self.start(inside, cores, role, **values))

    def _words(self, inside: Sequence[str], cores: Sequence[int], role: str, values: dict[str, object]) -> list[str]:
        pinned = ["taskset", "--cpu-list", ",".join(map(str, cores))]
        # No role outlives the bench.
        bound = ["setpriv", "--pdeathsig", "KILL"]
        return [*inside, *bound, *pinned, self._program, role, *(f"{key}={value}" for key, value in values.items())]


def _process(words: Sequence[str], stdin: int) -> "subprocess.Popen[str]":
    """In a session of its own, to which the kernel gives the bench's priority."""
    process = subprocess.Popen(words, stdin=stdin, stdout=subprocess.PIPE, text=True, start_new_session=True)
    give_session_priority(process.pid)
    return process


def result_of(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """The measurement of a role that ends by itself. Raises RuntimeError."""
    printed, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"a role of quench-bench-wire ended with {process.returncode}: see above")
    result: dict[str, Any] = json.loads(printed)
    return result


@cache
def program() -> Path:
    """quench-bench-wire, which cargo builds. Raises RuntimeError."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise RuntimeError("cargo is not on the PATH: run 'make setup'")
    subprocess.run(
        [cargo, "build", "--quiet", "--locked", "--release", "-p", "quench-bench-wire"],
        cwd=REPOSITORY,
        env={**os.environ, "CARGO_TARGET_DIR": str(TARGET)},
        check=True,
    )
    return TARGET / "release" / "quench-bench-wire"
