# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quench's networks on one machine: Mininet hosts, P4 switches, the controller, and the demo.

In: a topology by name or file, and options. Out: a running network in a namespace of its own, and its end. Begin with
``plan`` (a network on paper), then ``dumbbell`` (a plan) and ``network`` (a plan that runs). ``demo`` and ``soak``
use networks.
"""
