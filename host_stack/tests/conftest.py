# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Namespaces that end with their test."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

# The suite may be collected from any directory and in any import mode.
sys.path.insert(0, str(Path(__file__).parent))

from hostlab.hosts import NewNamespace, Pair, quench_host, status
from hostlab.netns import Namespace, exclusive

_numbers = itertools.count()


@pytest.fixture(scope="session", autouse=True)
def _one_suite_at_a_time() -> Iterator[None]:
    """Congestion controls are shared by the machine, so tests of two builds must not run at the same time."""
    with exclusive():
        yield


@pytest.fixture
def new_namespace() -> Iterator[NewNamespace]:
    """Make namespaces that end with the test, even if something is enabled in them."""

    def disable_all(ns: Namespace) -> None:
        for device in status(ns)["devices"]:
            quench_host(ns, "disable", "--dev", device["dev"])

    # A failure in one namespace does not keep the others from ending.
    with ExitStack() as stack:

        def make() -> Namespace:
            ns = Namespace(f"qhost-{os.getpid()}-{next(_numbers)}")
            stack.callback(ns.delete)
            stack.callback(disable_all, ns)
            return ns

        yield make


@pytest.fixture
def pair(new_namespace: NewNamespace) -> Iterator[Pair]:
    made = Pair(new_namespace)
    yield made
    made.close()
