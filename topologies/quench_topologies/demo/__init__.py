# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo: the schemes one after the other over the same bottleneck, with TCP of the Linux kernel.

In: options. Out: out/demo with report.html, figures and summary.json. Begin with ``setting`` (flows and times),
``runner`` (one scheme), then ``summary`` (a recording to numbers), ``bars``, ``timeline`` and ``report``.
"""

DEFAULT_MIX = 0.5
"""Share of the other flows in a mixed run."""
DEFAULT_REVERSE_LOSS = 0.05
DEFAULT_SCHEDULER = "scfq"
