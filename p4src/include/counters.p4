// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// What happened to packets, per egress port. Global: some of it happens in ingress, some in egress.

#ifndef QUENCH_COUNTERS_P4
#define QUENCH_COUNTERS_P4

#include "types.p4"

@id(0x12000001) @name(".port_seen")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_seen;

@id(0x12000002) @name(".port_marked")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_marked;

@id(0x12000003) @name(".port_dropped_early")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_dropped_early;

@id(0x12000004) @name(".port_dropped_forced")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_dropped_forced;

@id(0x12000005) @name(".port_cloned")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_cloned;

#endif
