# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The fault campaign: kernel traffic over a network whose parts are broken on purpose.

In: a time and a seed. Out: a table and out/soak/summary.json. Begin with ``campaign``, then ``faults``,
``accounting`` and ``hostile``.
"""
