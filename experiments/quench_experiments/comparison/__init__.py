# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulation beside other implementations: ns-2, and the kernel's TCP over the embedded switch.

In: the cases of ``cases``. Out: the tables of docs/validation/. Begin with ``cases`` and ``side_by_side``;
``one_flow`` and ``kernel`` are comparisons of their own.
"""
