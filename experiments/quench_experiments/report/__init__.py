# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The report: published results beside ours.

In: experiments and the folder of their results. Out: one HTML file and its Markdown. Begin with ``write``, then
``gather`` (the content of a report).
"""
