# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Structured traces of packets: the parser's states, the tables' rows, the actions' values.

In: packets of a capture or of a test, or a running switch. Out: trees on the terminal, JSON, or messages of
``packet_trace.proto``. Begin with ``cli``; ``offline`` runs packets in virtual time, ``service`` and ``live`` are the
two ends of a running switch's traces, ``tree`` draws them.
"""
