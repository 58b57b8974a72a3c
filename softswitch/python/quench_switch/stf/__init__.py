# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runner of tests in the format of p4c (STF).

In: a program and STF files. Out: what differed from what was expected. Begin with ``syntax``, then ``runner``.
"""
