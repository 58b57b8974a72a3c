# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Namespaces that end with their test."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# The suite may be collected from any directory and in any import mode.
sys.path.insert(0, str(Path(__file__).parent))

from hostlab.hosts import NewNamespace, Pair, quench_host, status
from hostlab.netns import Namespace

_numbers = itertools.count()


@pytest.fixture
def new_namespace() -> Iterator[NewNamespace]:
    """Make namespaces that end with the test, whatever it left enabled in them."""
    made: list[Namespace] = []

    def make() -> Namespace:
        ns = Namespace(f"qhost-{os.getpid()}-{next(_numbers)}")
        made.append(ns)
        return ns

    yield make
    for ns in made:
        for device in status(ns)["devices"]:
            quench_host(ns, "disable", "--dev", device["dev"])
        ns.delete()


@pytest.fixture
def pair(new_namespace: NewNamespace) -> Iterator[Pair]:
    made = Pair(new_namespace)
    yield made
    made.close()
