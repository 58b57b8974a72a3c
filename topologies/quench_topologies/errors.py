# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Errors for reasons outside this package."""


class TopologyError(Exception):
    """One line: what, where, what to do."""


class NodeError(TopologyError):
    """A fault of one node, whose place in a file can be told."""

    def __init__(self, node: str, what: str) -> None:
        super().__init__(what)
        self.node = node
