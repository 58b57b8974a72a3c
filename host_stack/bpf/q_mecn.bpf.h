/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* What the tc programs and the congestion control of Multilevel ECN share: which connections use it. */
#ifndef QUENCH_Q_MECN_BPF_H
#define QUENCH_Q_MECN_BPF_H

#include "q_maps.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct q_mecn_end);
} q_mecn_ends SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, Q_MAX_MECN_OPENS);
	__type(key, struct q_mecn_open_key);
	__type(value, struct q_mecn_open);
} q_mecn_opens SEC(".maps");

/* An IPv4 address as IPv6 writes it (RFC 4291 2.5.5.2). All in network byte order. */
static __always_inline void q_map_ipv4(__u32 mapped[4], __be32 address)
{
	mapped[0] = 0;
	mapped[1] = 0;
	mapped[2] = bpf_htonl(0xffff);
	mapped[3] = address;
}

#endif /* QUENCH_Q_MECN_BPF_H */
