# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The fuzzer of inputs runs, from originals that are valid."""

import os
import re
import subprocess
import sys
from pathlib import Path

import fuzz_inputs
from quench.config import load_config
from quench.config.file import load_profiles
from quench.service.requests import parse_line

SEED = os.environ.get("QUENCH_TEST_SEED", "1")


def test_the_originals_are_valid(tmp_path: Path) -> None:
    path = tmp_path / "input.yaml"
    for text in fuzz_inputs.CONFIGS:
        path.write_text(text, encoding="utf-8")
        assert load_config(path).switches
    for text in fuzz_inputs.PROFILES:
        path.write_text(text, encoding="utf-8")
        load_profiles(path, {})
    for text in fuzz_inputs.REQUESTS:
        assert parse_line(text.encode())
    assert len(fuzz_inputs.EXPERIMENTS) > 20


def test_every_mutant_is_taken_or_refused(tmp_path: Path) -> None:
    words = [sys.executable, fuzz_inputs.__file__, "--time", "2", "--seed", SEED, "--keep", tmp_path]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    for kind in ("configuration", "profile", "experiment", "request"):
        assert re.search(rf"{kind} (taken|refused) [1-9]", ended.stdout), ended.stdout
