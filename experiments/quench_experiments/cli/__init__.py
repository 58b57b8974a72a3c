# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment``.

In: words and options. Out: calls of the other packages, and text or JSON. Begin with ``app``, which lists the
commands.
"""
