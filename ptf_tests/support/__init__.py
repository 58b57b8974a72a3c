# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The environment of the PTF tests: a switch, what a test does with it, and the programs that it runs.

Begin with ``base``, the class of all tests. ``switch`` says what it needs of a switch. ``virtual_time`` is one in the
tests' own process. For ``real_time``, ``targets`` starts the embedded switch or BMv2, and ``network`` makes the
namespace.
"""
