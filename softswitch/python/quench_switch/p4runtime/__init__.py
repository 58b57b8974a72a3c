# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""P4Runtime server of the embedded switch.

In: requests and streams by gRPC. Out: control calls of the data plane, answers, packet-ins and digests. Begin with
``server``, then ``device`` (the pipeline of a device) and ``entities`` (reads and writes, one module for each kind of
entity).
"""
