# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs that a switch can run, as the controller sees them: what differs between quench.p4 and quench_tna.p4.

In: settings, queues, entries that were read. Out: entries to write, settings that were found. Begin with ``pipeline``,
the seam; ``v1model`` and ``tna`` are its implementations. The rest of the controller knows no target.
"""

from typing import Any

import finsy as fy

from quench.client.pipelines.pipeline import Found, Pipeline
from quench.client.pipelines.tna import TNA
from quench.client.pipelines.v1model import V1MODEL

__all__ = ["PIPELINES", "TNA", "V1MODEL", "Found", "Pipeline", "pipeline_of"]

PIPELINES: dict[str, Pipeline[Any]] = {each.arch: each for each in (V1MODEL, TNA)}
"""The pipelines by the architecture's name in P4Info."""


def pipeline_of(schema: fy.P4Schema) -> Pipeline[Any]:
    """The program by the architecture that its P4Info names; ``check_program`` tells whether it is Quench's."""
    return PIPELINES.get(schema.arch, V1MODEL)
