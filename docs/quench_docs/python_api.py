# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Reference pages of the Python packages, from their sources by griffe."""

from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

import griffe

from quench_docs.programs import ROOT

_FOLDER = PurePosixPath("reference/python")
_SOURCES = tuple(
    ROOT / name
    for name in ("common", "control_plane", "simulator/python", "softswitch/python", "topologies", "experiments")
)
MODULES = (
    "quench.profiles",
    "quench.profiles.compile",
    "quench.profiles.curve",
    "quench.profiles.scheme",
    "quench.profiles.segment",
    "quench.profiles.settings",
    "quench.profiles.tna",
    "quench.config",
    "quench.isq",
    "quench.udp",
    "quench.units",
    "quench_switch.tna.p4info",
    "quench_switch.outside.units",
    "quench_simulator",
    "quench_switch",
    "quench_switch.ports_client",
    "quench_switch.stf.runner",
    "quench_switch.trace.offline",
    "quench_topologies.papers.dumbbell",
    "quench_topologies.network",
    "quench_topologies.plan",
    "quench_topologies.program",
    "quench_topologies.plan_file",
    "quench_experiments.definition",
    "quench_experiments.live.networks",
    "quench_experiments.simulation.run",
    "quench_experiments.simulation.running",
    "quench_experiments.simulation.result",
    "quench_experiments.simulation.scenario",
)
"""The modules that users' programs import. The others are for Quench's own parts."""
_LINE = 88


@cache
def package(name: str) -> griffe.Module:
    """A package's sources, parsed; the compiled module's is its ``.pyi``."""
    loaded = griffe.load(name, search_paths=[str(path) for path in _SOURCES], allow_inspection=False)
    assert isinstance(loaded, griffe.Module)
    return loaded


def find(name: str) -> griffe.Object:
    """A module, class or function by its full name. Raises KeyError."""
    top, _, rest = name.partition(".")
    found = package(top)[rest] if rest else package(top)
    return found.final_target if isinstance(found, griffe.Alias) else found


def imported(module: griffe.Module, name: str) -> griffe.Object | None:
    """The object that a name means in a module; None for objects that are not Quench's."""
    member = module.members.get(name)
    if not isinstance(member, griffe.Alias):
        return member
    return find(member.target_path) if member.target_path.startswith("quench") else None


def pages() -> dict[PurePosixPath, str]:
    """Markdown by path: a page a module."""
    return {_FOLDER / f"{name}.md": "\n".join(_module(name)) for name in MODULES}


def _module(name: str) -> Iterator[str]:
    module = find(name)
    yield f"# {name}\n"
    yield from _docstring(module)
    for member in public_members(module):
        yield from _member(member)


def public_members(module: griffe.Object) -> list[griffe.Object]:
    """The names in a module's ``__all__``; without that, its documented definitions without an underscore."""
    exported = getattr(module, "exports", None)
    if exported is not None:
        members = [module.members[str(name)] for name in exported]
        return [find(each.target_path) if isinstance(each, griffe.Alias) else each for each in members]
    return [each for each in _own(module) if each.has_docstring]


def _own(owner: griffe.Object) -> list[griffe.Object]:
    return [
        each
        for name, each in owner.members.items()
        if not name.startswith("_") and isinstance(each, griffe.Object) and not isinstance(each, griffe.Module)
    ]


def _member(member: griffe.Object) -> Iterator[str]:
    if isinstance(member, griffe.Class):
        yield from _class(member)
    elif isinstance(member, griffe.Function):
        yield f"## {member.name}()\n"
        yield f"```python\n{signature(member)}\n```\n"
        yield from _docstring(member)
    elif isinstance(member, griffe.Attribute):
        yield f"## {member.name}\n"
        yield f"```python\n{_assignment(member)}\n```\n"
        yield from _docstring(member)


def _class(owner: griffe.Class) -> Iterator[str]:
    yield f"## {owner.name}\n"
    bases = ", ".join(str(base) for base in owner.bases)
    yield f"```python\nclass {owner.name}{f'({bases})' if bases else ''}\n```\n"
    yield from _docstring(owner)
    rows = [
        f"| `{each.name}` | {_code(each.annotation)} | {_code(each.value)} | {_line(each)} |"
        for each in _own(owner)
        if isinstance(each, griffe.Attribute)
    ]
    if rows:
        yield "\n".join(["| attribute | type | value | |", "|---|---|---|---|", *rows, ""])
    for each in _own(owner):
        if isinstance(each, griffe.Function):
            yield f"### {owner.name}.{each.name}()\n"
            yield f"```python\n{signature(each)}\n```\n"
            yield from _docstring(each)


def signature(function: griffe.Function) -> str:
    """The signature as in the source; one parameter a line where it is long."""
    parameters: list[str] = []
    keyword_only = False
    for each in function.parameters:
        if each.name in ("self", "cls"):
            continue
        if each.kind is griffe.ParameterKind.keyword_only and not keyword_only:
            keyword_only = True
            if not any(part.startswith("*") for part in parameters):
                parameters.append("*")
        star = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(each.kind, "")
        keyword_only = keyword_only or star == "*"
        text = star + each.name + (f": {each.annotation}" if each.annotation is not None else "")
        if each.default is not None and not star:
            text += f" = {each.default}" if each.annotation is not None else f"={each.default}"
        parameters.append(text)
    result = f" -> {function.returns}" if function.returns is not None else ""
    line = f"{function.name}({', '.join(parameters)}){result}"
    if len(line) <= _LINE:
        return line
    return "\n".join([f"{function.name}(", *(f"    {each}," for each in parameters), f"){result}"])


def _assignment(attribute: griffe.Attribute) -> str:
    annotation = f": {attribute.annotation}" if attribute.annotation is not None else ""
    value = str(attribute.value) if attribute.value is not None else ""
    return f"{attribute.name}{annotation}" + (f" = {value}" if value and len(value) <= _LINE else "")


def _code(expression: object) -> str:
    text = " ".join(str(expression).split()) if expression is not None else ""
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def _line(owner: griffe.Object) -> str:
    return " ".join("".join(_docstring(owner)).split()).replace("|", "\\|")


def _docstring(owner: griffe.Object) -> Iterator[str]:
    if owner.docstring is not None:
        yield f"{owner.docstring.value.strip()}\n"
