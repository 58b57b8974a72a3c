# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands with the names and options of p4c's and BMv2's, which run Quench's compiler and switch.

In: the arguments that users' Makefiles, Mininet scripts and test runners pass. Out: calls of ``quench compile`` and
``quench switch``. Begin with ``commands``, which writes the commands into a folder; each has a module of its own.
"""
