# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The command line ``quench``.

In: words and options. Out: calls of the other packages, text or JSON on stdout, errors as one line on stderr. Begin
with ``app``, which lists the commands; each has a module ``NAME_cmd``.
"""
