# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``make help`` against make's own list of targets."""

from quench_docs.programs import ROOT, make_help, make_targets


def test_help_lists_every_target_once() -> None:
    lines = [line.split(maxsplit=2) for line in make_help().splitlines()]
    listed = [words for words in lines if words[0] == "make"]
    assert sorted(words[1] for words in listed) == sorted(make_targets(ROOT))
    assert all(len(words) == 3 for words in listed), "each with what it does"
