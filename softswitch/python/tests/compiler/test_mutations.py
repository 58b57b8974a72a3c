# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Programs with random damage give diagnostics, or a program that the data plane loads; never anything else."""

from __future__ import annotations

import faulthandler
import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quench_switch import CompileError, DataPlaneError, VirtualSwitch, compile_p4

PROGRAMS = Path(__file__).parents[3] / "tests" / "programs"
SOURCES = [path.read_text() for path in sorted(PROGRAMS.glob("*/*.p4")) if path.parent.name != "include"]
TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|[0-9][0-9A-Za-z_]*|\s+|\"[^\"\n]*\"|<<|>>|\+\+|&&&|\.\.|[^\sA-Za-z_0-9]")
POOL = sorted({token for source in SOURCES for token in TOKEN.findall(source) if not token.isspace()})
ODD = ["", "\0", "\ufeff", "é", '"', "/*", "#if", "#define A A", "<<<", "999999999999999999999", "-1", "bit<0>", "`"]
# Room that one switch has and another may not.
CAPACITY = re.compile(r" \d+ (bytes of memory|entries|bytes of JSON|JSON values|members of a group); at most \d+ ")
LONGEST_S = 20.0
STUCK_S = 120.0


@pytest.fixture(autouse=True)
def _end_when_stuck() -> Iterator[None]:
    faulthandler.dump_traceback_later(STUCK_S * 5, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def damage(source: str, seed: int, times: int) -> str:
    """The source with tokens deleted, doubled, exchanged, replaced, or its end cut off."""
    chance = random.Random(seed)
    tokens = TOKEN.findall(source)
    for _ in range(times):
        if not tokens:
            break
        at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        match chance.randrange(7):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[other])
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3 | 4:
                tokens[at] = chance.choice(POOL)
            case 5:
                tokens[at] = chance.choice(ODD)
            case _:
                first, last = sorted((at, min(at + chance.randrange(20), len(tokens))))
                tokens[first:last] = tokens[first:last] * 2 if chance.random() < 0.5 else []
    return "".join(tokens)


@given(
    source=st.sampled_from(SOURCES),
    seed=st.integers(0, 2**32 - 1),
    times=st.integers(1, 6),
)
@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_damaged_programs(tmp_path: Path, source: str, seed: int, times: int) -> None:
    program = tmp_path / "damaged.p4"
    program.write_text(damage(source, seed, times), encoding="utf-8")
    started = time.monotonic()
    try:
        output = compile_p4(str(program), include_dirs=[str(PROGRAMS / "tables")])
    except CompileError as error:
        assert error.diagnostics
        assert all(re.match(r"(.*:\d+:\d+: |)(error|warning): \S", found) for found in error.diagnostics)
    else:
        json.loads(output.json)
        try:
            VirtualSwitch().load(output.json)
        except DataPlaneError as error:
            assert CAPACITY.search(str(error))
    assert time.monotonic() - started < LONGEST_S


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    program = tmp_path / "bytes.p4"
    program.write_bytes(data)
    with pytest.raises(CompileError):
        compile_p4(str(program))
