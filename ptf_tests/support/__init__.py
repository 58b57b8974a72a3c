# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The environment of the PTF tests: a namespace, a switch in it, a P4Runtime client.

Begin with ``base``, the class of all tests; ``targets`` starts the embedded switch or BMv2, ``network`` makes the
namespace.
"""
