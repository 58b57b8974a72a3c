# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The metrics' names as Prometheus has them, from their declarations."""

import re

from prometheus_client import Counter, Histogram
from prometheus_client.metrics import MetricWrapperBase

from quench.service.metrics import Metrics
from quench.service.port_metrics import PortMetrics


def metric_names() -> dict[str, str]:
    """The name in Prometheus of each metric, by its attribute of ``Metrics`` or by the P4 program's counter."""
    own = {name: _exposed(metric) for name, metric in vars(Metrics()).items() if isinstance(metric, MetricWrapperBase)}
    return own | {name: f"{family.name}_total" for name, family in PortMetrics.families().items()}


def named(text: str, names: dict[str, str]) -> str:
    """A query with the metrics' names in the place of their keys in braces."""
    return re.sub(r"\{(\w+)\}", lambda match: names[match[1]], text)


def _exposed(metric: MetricWrapperBase) -> str:
    (family,) = metric.describe()
    suffix = "_total" if isinstance(metric, Counter) else "_bucket" if isinstance(metric, Histogram) else ""
    return f"{family.name}{suffix}"
