# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""YAML from outside. This module alone reads it, within limits on bytes, depth, nodes and numbers."""

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from quench_switch.outside.files import read_file

from quench.errors import ConfigError, message_of

MAX_BYTES = 1 << 20
MAX_DEPTH = 50
MAX_NODES = 50_000
"""Each alias counts as the nodes that it stands for: a file of 400 bytes can stand for a billion."""
MAX_NUMBER_CHARACTERS = 64
"""Longest scalar that is no string: YAML 1.1 reads ``1:1:1...`` as a number to the base of 60."""
_STRING = "tag:yaml.org,2002:str"


class YamlFile:
    """The values of a YAML file, and their places. Raises ConfigError for a file that is no YAML."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._root, self.values = _parse(str(path), _text(path))

    def place(self, location: Sequence[str | int] = ()) -> str:
        """The place of the value to which these keys lead: ``FILE:LINE:COLUMN``."""
        return _place(str(self.path), _locate(self._root, location).start_mark)

    def sentences(self, error: ValidationError, within: Sequence[str | int] = ()) -> str:
        """A line for each of pydantic's faults in the value ``within`` these keys."""
        faults = error.errors()
        # A list whose items have faults also counts as too short for pydantic.
        causes = [fault for fault in faults if fault["type"] != "too_short"] or faults
        return "\n".join(self._sentence(fault, within) for fault in causes)

    def _sentence(self, fault: Any, within: Sequence[str | int]) -> str:
        location = (*within, *fault["loc"], *fault.get("ctx", {}).get("place", ()))
        keys = ".".join(str(part) for part in location)
        message = message_of(fault)
        text = f"{keys}: {message}" if keys else message
        # Names that a message repeats may have line breaks.
        return f"{self.place(location)}: {' '.join(text.split())}"


def parse_yaml(name: str, text: str) -> Any:
    """The values of a text that does not come from a file; ``name`` is for errors. Raises ConfigError."""
    return _parse(name, text)[1]


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader within limits, with a place in every error."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = self._nodes = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Raises ComposerError."""
        self._depth += 1
        self._nodes += 1
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if self._depth > MAX_DEPTH:
            raise yaml.composer.ComposerError(None, None, _TOO_DEEP, event.start_mark)
        if self._nodes > MAX_NODES:
            raise yaml.composer.ComposerError(None, None, _TOO_MANY, event.start_mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        if isinstance(node, yaml.ScalarNode) and not _is_text(node.value):
            raise yaml.composer.ComposerError(None, None, _NO_TEXT, node.start_mark)
        if isinstance(node, yaml.ScalarNode) and node.tag != _STRING and len(node.value) > MAX_NUMBER_CHARACTERS:
            kind = node.tag.rpartition(":")[2]
            raise yaml.composer.ComposerError(None, None, f"is no {kind}: it is too long", node.start_mark)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Raises ConstructorError."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, ArithmeticError) as error:
            kind = node.tag.rpartition(":")[2]
            reason = error if isinstance(error, ValueError) else repr(node.value)
            raise yaml.constructor.ConstructorError(None, None, f"is no {kind}: {reason}", node.start_mark) from error


def _is_text(value: str) -> bool:
    """Whether a terminal shows it and does nothing else: no control characters, no marks of direction."""
    return value.isprintable() or not any(
        unicodedata.category(each) in _NO_TEXT_CATEGORIES for each in value if each not in "\n\t"
    )


_NO_TEXT_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NO_TEXT = "holds characters that are no text, such as control characters or marks of direction"
_TOO_DEEP = f"is nested too deeply: {MAX_DEPTH} levels are the most"
_TOO_MANY = f"holds too much: {MAX_NODES} values are the most, each alias counted as what it stands for"


def _text(path: Path) -> str:
    try:
        return read_file(path, MAX_BYTES).decode()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text: {error.reason} at byte {error.start}") from error


def _parse(name: str, text: str) -> tuple[yaml.Node, Any]:
    """The nodes and their values. Raises ConfigError."""
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is None:
            raise ConfigError(f"{name}:1:1: the file is empty")
        _check_size(root, {}, set())
        _refuse_duplicates(name, root, set())
        return root, loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = _place(name, mark) if mark else name
        raise ConfigError(f"{where}: {' '.join(str(error.problem or error).split())}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{name}: {' '.join(str(error).split())}") from error


def _check_size(node: yaml.Node, sizes: dict[int, tuple[int, int]], above: set[int]) -> tuple[int, int]:
    """Number and depth of the nodes that a node stands for, each part visited once. Raises ComposerError."""
    known = sizes.get(id(node))
    if known is not None:
        return known
    if id(node) in above:
        raise yaml.composer.ComposerError(None, None, "contains itself", node.start_mark)
    above.add(id(node))
    nodes, height = 1, 1
    for child in _children(node):
        more, below = _check_size(child, sizes, above)
        nodes, height = nodes + more, max(height, below + 1)
        if nodes > MAX_NODES:
            raise yaml.composer.ComposerError(None, None, _TOO_MANY, node.start_mark)
        if height > MAX_DEPTH:
            raise yaml.composer.ComposerError(None, None, _TOO_DEEP, node.start_mark)
    above.discard(id(node))
    sizes[id(node)] = nodes, height
    return nodes, height


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [each for pair in node.value for each in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _place(name: str, mark: Any) -> str:
    return f"{name}:{mark.line + 1}:{mark.column + 1}"


def _locate(root: yaml.Node, location: Sequence[str | int]) -> yaml.Node:
    """The deepest node on the way to a fault: a missing key is shown at the mapping that lacks it."""
    node = root
    for part in location:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value == str(part):
                    node = value
                    break
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
    return node


def _refuse_duplicates(name: str, node: yaml.Node, seen: set[int]) -> None:
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        keys = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in keys:
                    raise ConfigError(f"{_place(name, key.start_mark)}: {key.value!r} is given twice")
                keys.add(key.value)
    for child in _children(node):
        _refuse_duplicates(name, child, seen)
