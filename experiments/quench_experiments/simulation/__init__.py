# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator: a network of the P4 program's routers, hosts and traffic, in virtual time.

In: a ``Scenario``. Out: a ``Result`` with metrics and series. Begin with ``scenario``, then ``run``. ``install``
fills the routers' tables as the controller does, ``controller`` answers copies with its rules.
"""
