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

// Of source quenches: made by the switch itself; refused by the meter; and those for which there is a
// reason to send none: IPv6 has no such message, a switch upstream has sent one already, the RFCs forbid it.
@id(0x12000006) @name(".port_isq_sent")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_isq_sent;

@id(0x12000007) @name(".port_isq_limited")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_isq_limited;

@id(0x12000008) @name(".port_isq_ipv6")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_isq_ipv6;

@id(0x12000009) @name(".port_isq_told")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_isq_told;

@id(0x1200000a) @name(".port_isq_refused")
counter(MAX_PORTS, CounterType.packets_and_bytes) port_isq_refused;

#endif
