# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' experiments, run on the P4 program in virtual time.

Begin with ``definition`` (what an experiment is), then ``simulation`` (one run), ``runner`` (many runs) and
``report``. ``tuning`` is control theory, ``comparison`` sets the simulator beside ns-2 and the kernel, ``cli`` is
``quench experiment``.
"""
