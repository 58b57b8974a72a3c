# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The running controller: its switches, its metrics, and the socket by which the command line reaches it.

In: a ``Config``, packet-ins, requests on the socket. Out: tables on the switches, source quenches, metrics, answers.
Begin with ``controller``, then ``agent`` (one switch) and ``packets`` (what becomes of a packet-in).
"""
