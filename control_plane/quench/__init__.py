# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The control plane of Quench: congestion profiles, ICMP source quench, and the P4Runtime controller.

Begin with ``profiles`` (from a scheme to rows), then ``switch`` (one switch) and ``service`` (the running
controller). ``isq`` makes and limits source quenches, ``config`` reads files, ``cli`` is the command ``quench``,
``udp`` a sender that obeys source quenches, ``report`` the templates of reports, ``toolchain`` the commands of p4c and
BMv2 on Quench's compiler and switch.
"""
