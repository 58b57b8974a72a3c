# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from quench.config import load_config
from quench.config.yaml_file import MAX_BYTES, MAX_DEPTH, MAX_NODES, YamlFile, parse_yaml
from quench.errors import ConfigError

HANG_S = 10
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)
MERGED = "m0: &m0 {a: 1, b: 2}\n" + "".join(f"m{n}: &m{n} {{<<: [*m{n - 1}, *m{n - 1}]}}\n" for n in range(1, 30))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BOMB, f"holds too much: {MAX_NODES} values are the most"),
        (MERGED, "holds too much"),
        ("a: &a [*a]", "contains itself"),
        ("a: &a {b: *a}", "contains itself"),
        ("[" * 10_000, "is nested too deeply"),
        ("{a: " * 10_000, "is nested too deeply"),
        ("\n".join(" " * n + "a:" for n in range(MAX_DEPTH + 5)), "is nested too deeply"),
        ("a: " + "1:" * 100_000 + "1", "is no int: it is too long"),
        ("a: " + "9" * 10_000, "is no int: it is too long"),
        ("a: 2024-99-99", "is no timestamp"),
        ("a: !!int x", "is no int"),
        ("x" * MAX_BYTES + "x", f"is longer than {MAX_BYTES} bytes"),
        ("a: 1\na: 2", ":2:1: 'a' is given twice"),
        ("a: !!python/object/apply:os.system [true]", "could not determine a constructor"),
        ('a: "\\e[2J"', ":1:4: holds characters that are no text"),
        ('"\\u202e": 1', ":1:1: holds characters that are no text"),
        ("a: [b, c\u2066]", "holds characters that are no text"),
        ("a: \x00", "special characters are not allowed"),
    ],
)
def test_what_explodes_is_refused_at_once(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    start = time.monotonic()
    with pytest.raises(ConfigError) as error:
        YamlFile(path)
    assert sentence in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)
    assert time.monotonic() - start < HANG_S


def test_aliases_within_the_limits_are_the_values_that_they_stand_for() -> None:
    assert parse_yaml("text", "a: &a {x: 1}\nb: [*a, *a]\nc: {<<: *a, y: 2}")["c"] == {"x": 1, "y": 2}


def test_a_place_behind_an_alias(tmp_path: Path) -> None:
    path = tmp_path / "good.yaml"
    path.write_text("a: &a {x: 1}\nb: [*a]")
    assert YamlFile(path).place(("b", 0, "x")) == f"{path}:1:11"


@given(st.text(alphabet="ab:-[]{}&*!,#|>'\"\n \t%?<~01.e", max_size=60))
@example("? {}\n: a")
@example("- !!set {a, a}")
@example("a: !!omap [{}]")
@example("a: !!pairs [1]")
@example("a: !!binary '='")
@example("<<: *a")
@example("<<: [1]")
@example("=: 1")
def test_any_text_is_values_or_one_line(text: str) -> None:
    try:
        parse_yaml("text", text)
    except ConfigError as error:
        assert "\n" not in str(error)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_configuration_or_lines(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(content)
    try:
        load_config(path)
    except ConfigError as error:
        assert str(error).startswith(str(path))
