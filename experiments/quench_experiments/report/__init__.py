# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The report: what was published beside what comes out.

In: experiments and the folder of their results. Out: one HTML file and its Markdown. Begin with ``write``, then
``gather`` (what is in a report).
"""
