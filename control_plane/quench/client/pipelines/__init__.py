# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs that a switch can run, as the controller sees them: what differs between quench.p4 and quench_tna.p4.

In: settings, queues, entries that were read. Out: entries to write, settings that were found. Begin with ``pipeline``,
the seam; ``v1model`` and ``tna`` are its implementations. The rest of the controller knows no target.
"""

from typing import Any

import finsy as fy

from quench.client.pipelines.pipeline import Found, Pipeline, sibling
from quench.client.pipelines.tna import TNA
from quench.client.pipelines.v1model import DEPTH_PARAMETER, PLAIN_V1MODEL, V1MODEL

__all__ = ["PIPELINES", "PLAIN_V1MODEL", "TNA", "V1MODEL", "Found", "Pipeline", "pipeline_of"]

PIPELINES: dict[str, Pipeline[Any]] = {each.arch: each for each in (V1MODEL, TNA)}
"""The pipelines by the architecture's name in P4Info."""


def pipeline_of(schema: fy.P4Schema) -> Pipeline[Any]:
    """The program by the architecture that its P4Info names; ``check_program`` tells whether it is Quench's."""
    pipeline = PIPELINES.get(schema.arch, V1MODEL)
    return PLAIN_V1MODEL if pipeline is V1MODEL and _is_plain(schema) else pipeline


def _is_plain(schema: fy.P4Schema) -> bool:
    """Whether it is quench.p4 as BMv2 can have it."""
    action = schema.actions.get(sibling(V1MODEL.parameter_tables[0], "set_parameters"))
    return action is not None and action.params.get(DEPTH_PARAMETER) is None
