# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The P4 program and the code that runs it: they decide about a simulation's results, as its scenario does."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from quench.client.program import check_program
from quench.client.schema import read_schema
from quench.places import how_to_get
from quench.temporary import temporary_folder
from quench_switch.outside.files import PROGRAM_BYTES, read_file, write_files
from quench_switch.version import VERSION

from quench_experiments.errors import ExperimentError

NATIVE_MODULE = "quench_simulator._native"
"""It has the data plane in it. The compiler, of quench_switch, has done its part when there is a program."""
PYTHON_PARTS = (
    "quench.config",
    "quench.isq",
    "quench.profiles",
    "quench.programs",
    "quench.client",
    "quench.units",
    "quench_switch.arch",
    "quench_switch.tna.barefoot",
    "quench_switch.tna.p4info",
    "quench_switch.outside.units",
    "quench_experiments.simulation",
    "quench_switch.p4runtime",
)
"""Modules and packages that take part in a simulation: they make the tables' entries and answer packet-ins."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The code of a machine, by content (SHA-256)."""

    version: str
    native_sha256: str
    python_sha256: str


@dataclass(frozen=True, slots=True)
class Environment:
    """The code and the program."""

    engine: Engine
    program_sha256: str

    def content(self) -> dict[str, object]:
        """The values that a run's key contains."""
        return asdict(self)


def environment_of(program: Path) -> Environment:
    """Raises ExperimentError where the program or the native module has not been built."""
    digest = hashlib.sha256()
    for content in read_program(program):
        digest.update(hashlib.sha256(content).digest())
    return Environment(engine_here(), digest.hexdigest())


def read_program(program: Path) -> tuple[bytes, bytes]:
    """The program's JSON, and the P4Info beside it. Raises ExperimentError."""
    try:
        return read_file(program, PROGRAM_BYTES), read_file(info_of(program), PROGRAM_BYTES)
    except OSError as error:
        raise ExperimentError(
            f"{error.filename}: {error.strerror}: {how_to_get('p4')}, or name one with --program"
        ) from error


def info_of(program: Path) -> Path:
    """The P4Info of a program's JSON."""
    return program.with_suffix(".p4info.txtpb")


def engine_here() -> Engine:
    """The code that this process would import. Raises ExperimentError where a part is missing."""
    native = hashlib.sha256(_file_of(NATIVE_MODULE).read_bytes()).hexdigest()
    sources = hashlib.sha256()
    for part in PYTHON_PARTS:
        for name, path in _sources_of(part):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            sources.update(f"{name} {digest}\n".encode())
    return Engine(VERSION, native, sources.hexdigest())


@cache
def engine_loaded() -> Engine:
    """The code on disk at the first call, which is this process's own if the call comes before any simulation."""
    return engine_here()


@contextmanager
def snapshot_of(program: Path) -> Iterator[tuple[Path, Environment]]:
    """A copy of the program that a new 'make p4' leaves alone, and the environment with it.

    Raises ExperimentError, also where the program is not Quench's: not a run would succeed.
    """
    files = read_program(program)
    try:
        check_program(read_schema(files[1]))
    except ValueError as error:
        raise ExperimentError(
            f"{program}: {error}: run 'make p4', or describe another program in a YAML file (docs/how-to/add-an-aqm.md)"
        ) from error
    with temporary_folder("program") as folder:
        path = folder / "quench.json"
        write_files(*zip((path, info_of(path)), files, strict=True))
        yield path, environment_of(path)


def _sources_of(part: str) -> Iterator[tuple[str, Path]]:
    """A module's file, or a package's, with names that do not depend on where it is installed."""
    path = _file_of(part)
    if path.name != "__init__.py":
        yield part, path
        return
    folder = path.parent
    for each in sorted(folder.rglob("*.py")):
        yield f"{part}/{each.relative_to(folder)}", each


def _file_of(module: str) -> Path:
    try:
        spec = find_spec(module)  # imports the package that the module is in
    except ImportError as error:
        raise ExperimentError(f"{module}: {' '.join(str(error).split())}: {how_to_get('setup native')}") from error
    if spec is None or spec.origin is None:
        raise ExperimentError(f"{module} is not installed: {how_to_get('setup native')}")
    return Path(spec.origin)
