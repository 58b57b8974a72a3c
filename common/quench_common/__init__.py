# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller and the embedded switch share these modules; neither package needs the other.

``units`` parses quantities such as ``10Mbps``, ``files`` reads files from outside within limits, ``text`` makes text
from outside fit for terminals and logs, and ``log_limit`` and ``peers`` limit what strangers can take. Nothing but
Python's own library is needed.
"""
