# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The modules of a Rust crate import in one direction: that of the table in the crate's ``lib.rs``, if it has one.

Imports are all paths from ``crate``, ``super``, ``self`` or a child module; they lead to the file that they name.
Declarations of modules are none, nor does test code count: it may load whole programs.
"""

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from quench_docs.programs import ROOT

ORDERED = ["softswitch/dataplane", "softswitch/p4-backend", "softswitch/p4-frontend", "simulator"]
LIBRARIES = [*ROOT.glob("softswitch/*/src/lib.rs"), *ROOT.glob("simulator/**/src/lib.rs")]
CRATES = sorted(str(library.parents[1].relative_to(ROOT)) for library in LIBRARIES)
Module = tuple[str, ...]

ROOM = re.compile(r"^//! \| `(\w+)` \|", re.MULTILINE)
NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|\bb?r(#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^\\'])'""", re.DOTALL)
TEST = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*[^;{]*(;|\{)")
CHILD = re.compile(r"\bmod\s+(\w+)\s*;")
USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"(?<![\w:.])\w+(?:::\w+)+")


class Crate:
    """The files of a crate, by their modules, and what each imports."""

    def __init__(self, source: Path) -> None:
        library = (source / "lib.rs").read_text(encoding="utf-8")
        self.rooms = ROOM.findall(library)
        self.code: dict[Module, str] = {}
        self._read((), source / "lib.rs")
        self.imports = {module: set(self._imports_of(module)) for module in self.code}

    def _read(self, module: Module, file: Path) -> None:
        code = self.code[module] = without_tests(NO_CODE.sub(" ", file.read_text(encoding="utf-8")))
        folder = file.parent if file.name in {"lib.rs", "mod.rs"} else file.with_suffix("")
        for name in CHILD.findall(code):
            child = folder / f"{name}.rs"
            self._read((*module, name), child if child.is_file() else folder / name / "mod.rs")

    def _imports_of(self, module: Module) -> Iterator[Module]:
        code = self.code[module]
        used = [path for tree in USE.findall(code) for path in paths(tree)]
        for path in used + [path.split("::") for path in PATH.findall(USE.sub("", code))]:
            imported = self._file(module, path)
            if imported is not None and imported != module:
                yield imported

    def _file(self, module: Module, path: list[str]) -> Module | None:
        """The module that has a file of its own and that a path leads to; none outside the crate."""
        match path[0]:
            case "crate":
                found: Module = ()
            case "self":
                found = module
            case "super":
                return self._file(module[:-1], ["self", *path[1:]] if path[1:2] != ["super"] else path[1:])
            case child if (*module, child) in self.code:
                return self._file(module, ["self", *path])
            case _:
                return None
        for name in path[1:]:
            if (*found, name) not in self.code:
                break
            found = (*found, name)
        return found

    def against_the_order(self) -> list[str]:
        """Imports of a module from one that is not above it in the table."""
        rank = {room: place for place, room in enumerate(self.rooms)}
        return [
            f"{'/'.join(module)} imports {'/'.join(imported) or 'lib'}"
            for module, imports in sorted(self.imports.items())
            for imported in sorted(imports)
            if module and (not imported or rank[imported[0]] > rank[module[0]])
        ]

    def circle(self) -> list[str]:
        """Files, or else folders, that import each other, if there are any."""
        folders = {module[:depth] for module in self.code for depth in range(len(module))}
        for imports in [self.imports, *(self._imports_inside(folder) for folder in sorted(folders))]:
            try:
                TopologicalSorter(imports).prepare()
            except CycleError as error:
                return ["/".join(module) or "lib" for module in error.args[1]]
        return []

    def _imports_inside(self, folder: Module) -> dict[Module, set[Module]]:
        """The imports of each file and folder in a folder from the others there."""
        depth = len(folder) + 1
        inside: dict[Module, set[Module]] = {}
        for module, imports in self.imports.items():
            if module[: depth - 1] == folder and len(module) >= depth:
                others = {other[:depth] for other in imports if other[: depth - 1] == folder and len(other) >= depth}
                inside.setdefault(module[:depth], set()).update(others - {module[:depth]})
        return inside


def without_tests(code: str) -> str:
    while test := TEST.search(code):
        end = test.end()
        depth = int(test[1] == "{")
        while depth:
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        code = code[: test.start()] + code[end:]
    return code


def paths(tree: str) -> Iterator[list[str]]:
    """The paths of a ``use``: ``a::{b, c::d}`` has two."""
    prefix, brace, rest = tree.partition("{")
    before = [name.strip() for name in prefix.partition(" as ")[0].split("::") if name.strip()]
    if not brace:
        yield before
        return
    depth, start = 0, 0
    for place, letter in enumerate(rest):
        if letter in ",}" and depth == 0:
            if rest[start:place].strip():
                yield from (before + path for path in paths(rest[start:place].strip()))
            start = place + 1
        depth += {"{": 1, "}": -1}.get(letter, 0)


@pytest.mark.parametrize("name", ORDERED)
def test_modules_import_those_above_them_in_the_table(name: str) -> None:
    crate = Crate(ROOT / name / "src")
    assert sorted(crate.rooms) == sorted(module[0] for module in crate.code if len(module) == 1)
    assert crate.against_the_order() == []


@pytest.mark.parametrize("name", CRATES)
def test_no_file_or_folder_imports_one_that_imports_it(name: str) -> None:
    assert Crate(ROOT / name / "src").circle() == []


ROOMS = [("tcp", "stacks"), ("fixed_window", "stacks"), ("paced", "stacks"), ("dcqcn", "stacks"), ("cc", "tcp")]


@pytest.mark.parametrize(("room", "user"), ROOMS)
def test_the_simulator_knows_its_transports_in_one_place(room: str, user: str) -> None:
    crate = Crate(ROOT / "simulator" / "src")
    users = {module[0] for module, imports in crate.imports.items() for each in imports if module and each[0] == room}
    assert users - {room} == {user}
    names = re.compile(rf"\b({room}\b|{room.title().replace('_', '')}[A-Z])")
    assert {module[0] for module, code in crate.code.items() if module and names.search(code)} - {room} == {user}


def crate_of(folder: Path, **files: str) -> Crate:
    rows = "".join(f"//! | `{room}` | |\n" for room in ("low", "high"))
    for name, text in {"lib": f"{rows}mod low; mod high;", **files}.items():
        file = folder / f"{name.replace('__', '/')}.rs"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return Crate(folder)


@pytest.mark.parametrize(
    "low",
    [
        "use crate::high::Thing;",
        "use crate::{low::{a, b}, high::{Thing, other::Name as Alias}};",
        "fn f() -> crate::high::Thing { super::high::make('\"') }",
        "pub(crate) use super::high;",
    ],
)
def test_an_import_from_a_higher_module_is_found(tmp_path: Path, low: str) -> None:
    assert crate_of(tmp_path, low=low, high="").against_the_order() == ["low imports high"]


@pytest.mark.parametrize(
    "low",
    [
        "// use crate::high::Thing;\nuse std::fmt;",
        'const A: &str = "crate::high::Thing";',
        "#[cfg(test)]\nmod tests { use crate::high::Thing; fn f() { if true {} } }",
        "#[cfg(test)] use crate::high::Thing;",
        "fn f() { outside::high::make() }",
    ],
)
def test_tests_text_and_other_crates_are_no_imports(tmp_path: Path, low: str) -> None:
    assert crate_of(tmp_path, low=low, high="use crate::low::Thing;").against_the_order() == []


def test_circles_of_files_are_found(tmp_path: Path) -> None:
    crate = crate_of(tmp_path, low="", high="mod a; mod b; use a::A;", high__a="use super::b::B;", high__b="")
    assert crate.circle() == []
    crate = crate_of(tmp_path, low="", high="mod a; mod b;", high__a="use super::b::B;", high__b="use super::a::A;")
    assert sorted(set(crate.circle())) == ["high/a", "high/b"]


def test_circles_of_folders_are_found(tmp_path: Path) -> None:
    files = {"high__mod": "mod a; mod b;", "high__a": "use crate::low::b::B;", "high__b": ""}
    crate = crate_of(tmp_path, low__mod="mod a; mod b;", low__a="use crate::high::b::B;", low__b="", **files)
    assert sorted(set(crate.circle())) == ["high", "low"]
