# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A switch under P4Runtime messages, compared with a model of its state.

The model is written from the P4Runtime specification and softswitch/docs/p4runtime.md, and shares no code with the
server: plain dictionaries, which say of every message whether it is accepted and with which codes it may be refused.
"""
