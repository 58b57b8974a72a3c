# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Imports of softswitch's Python: dependencies point one way, and none leads out of it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PYTHON = Path(__file__).parents[1]
NATIVE = "quench_switch._native"
OTHERS = ("quench", "quench_experiments", "quench_topologies")
"""Packages of this repository that stand on softswitch."""
TIMEOUT_S = 30
UNNEEDED = {"finsy", "finsy.proto", "grpc", "numpy", "pydantic"}
"""Modules that neither a compilation nor a switch that nobody has called needs; each takes long to import."""


def modules(package: str) -> dict[str, Path]:
    """The name of each module of a package, with its file."""
    paths = sorted((PYTHON / package.replace(".", "/")).rglob("*.py"))
    return {".".join(path.relative_to(PYTHON).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def imported(module: str, path: Path) -> Iterator[str]:
    """The imports at any place of a module's text: ``a.b`` for ``from a import b``, also where b is a name."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{source}.{each.name}" for each in node.names)


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with this code, where the packages of the other houses cannot be imported."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({OTHERS}))\n"
    command = [sys.executable, "-c", blocked + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)


def test_what_is_for_the_outside_needs_python_alone() -> None:
    package = "quench_switch.outside"
    assert len(modules(package)) >= 5
    wrong = [
        f"{module}: {name}"
        for module, path in modules(package).items()
        for name in imported(module, path)
        if not name.startswith(f"{package}.") and name.partition(".")[0] not in sys.stdlib_module_names
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("package", "above"),
    [("quench_switch", ("p4runtime_model", "quench_interop")), ("p4runtime_model", ("quench_interop",))],
)
def test_a_package_imports_none_that_stands_on_it(package: str, above: tuple[str, ...]) -> None:
    wrong = [
        f"{module}: {name}"
        for module, path in modules(package).items()
        for name in imported(module, path)
        if name.partition(".")[0] in (*above, *OTHERS)
    ]
    assert wrong == []


def test_the_package_alone_loads_no_native_module() -> None:
    said = f"print({NATIVE!r} in sys.modules)"
    done = run(f"import quench_switch\n{said}\nquench_switch.compile_p4\n{said}")
    assert (done.stdout.split(), done.stderr) == (["False", "True"], "")


def test_each_module_is_imported_without_the_other_houses() -> None:
    names = [name for package in ("quench_switch", "p4runtime_model") for name in modules(package)]
    assert len(names) > 100
    done = run("import importlib\nfor name in sys.argv[1:]: importlib.import_module(name)", *names)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_compilation_and_a_switch_start_without_clients_and_validators(tmp_path: Path) -> None:
    said = f"print(*sorted(set(sys.modules) & set({UNNEEDED})))"
    program = PYTHON.parent / "tests" / "programs" / "control" / "actions.p4"
    command = f"try: main()\nfinally: {said}"
    compiled = run(f"from quench_switch.cli.entry import main\n{command}", "compile", str(program), "-o", str(tmp_path))
    assert (compiled.returncode, compiled.stdout.splitlines()[-1:]) == (0, [""]), compiled.stderr
    served = run(f"import quench_switch.listener, quench_switch.realtime\n{said}")
    assert (served.stdout, served.stderr) == ("\n", "")


def test_who_imports_finsy_later_gets_all_of_it_with_the_same_messages() -> None:
    same = "print(finsy.proto.p4r is p4r, finsy.Switch.__module__)"
    done = run(f"from quench_switch.messages import p4r\nimport finsy.proto\n{same}")
    assert (done.stdout.split(), done.stderr) == (["True", "finsy.switch"], "")
    done = run(f"import finsy.proto\nfrom quench_switch.messages import p4r\n{same}")
    assert (done.stdout.split(), done.stderr) == (["True", "finsy.switch"], "")


PROGRAMS = [
    name.removesuffix(".__main__")
    for package in ("quench_switch", "p4runtime_model", "quench_interop")
    for name, path in modules(package).items()
    if '__name__ == "__main__"' in path.read_text()
]
ARGUMENTS = {"quench_switch.toolchain": ["p4c-bm2-ss", "--help"], "quench_interop.packets_out": []}
"""For programs that have no ``--help``."""
RUN = "import runpy\nrunpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_program_starts_without_the_other_houses(program: str) -> None:
    done = run(RUN, program, *ARGUMENTS.get(program, ["--help"]))
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_a_program_is_compiled_and_tested_without_the_other_houses(tmp_path: Path) -> None:
    program = PYTHON.parent / "tests" / "programs" / "control" / "actions.p4"
    compiled = run("from quench_switch.cli.entry import main; main()", "compile", str(program), "-o", str(tmp_path))
    assert compiled.returncode == 0, compiled.stderr
    assert (tmp_path / "actions.json").is_file()
    tested = run(RUN, "quench_switch.stf.cli", str(program))
    assert tested.returncode == 0, tested.stderr
