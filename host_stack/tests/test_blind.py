# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Blind attacks, in short; docs/reliability/attacks.md has the long ones."""

from __future__ import annotations

import secrets
from contextlib import closing

from hostlab.blind import FAT, LONG, RELAXED, Target
from hostlab.hosts import NewNamespace

GUESSES = 100_000


def test_a_hundred_thousand_blind_guesses_cut_no_window(new_namespace: NewNamespace) -> None:
    """With 150 KB in flight one guess in two billion would be right: once in 20 000 runs of this test."""
    seed = secrets.randbits(31)
    with closing(Target(new_namespace, LONG)) as target:
        outcome = target.attack(GUESSES, seed)
    assert outcome.guesses >= GUESSES
    assert (outcome.accepted, outcome.windows_cut) == (0, 0), f"seed {seed}"


def test_without_the_identification_blind_guesses_cut_windows(new_namespace: NewNamespace) -> None:
    """The test above can find an accepted guess: with 12 MB in flight every 344th guess is right."""
    seed = secrets.randbits(31)
    with closing(Target(new_namespace, FAT, *RELAXED)) as target:
        outcome = target.attack(GUESSES // 5, seed)
    assert outcome.accepted > 0, f"seed {seed}"
    assert outcome.windows_cut > 0
