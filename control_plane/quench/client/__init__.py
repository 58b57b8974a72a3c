# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The client of one switch: the entries that the controller writes, and the packets that come from it.

In: profile rows and routes; packet-ins. Out: P4Runtime updates; decoded copies, source quenches. Begin with
``entries`` (rows as P4Runtime entries), then ``writer`` (when they are written). ``quencher`` answers copies and
needs no connection.
"""
