/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The parts that tc programs and congestion control of prague share: the kernel's Accurate ECN, and the connections
 * that use it. */
#ifndef QUENCH_Q_PRAGUE_BPF_H
#define QUENCH_Q_PRAGUE_BPF_H

#include "q_maps.bpf.h"

/* Preprocessor constants of the kernel, which its BTF does not carry: the form of ECN, in tp->ecn_flags. */
#define TCP_ECN_MODE_RFC3168 1
#define TCP_ECN_MODE_ACCECN 16
#define TCP_ECN_MODES (TCP_ECN_MODE_RFC3168 | TCP_ECN_MODE_ACCECN)
/* State of RFC 3168 there: CWR is due, ECE is due, ECT has been seen. */
#define TCP_ECN_OF_RFC3168 (2 | 4 | 8)

#define Q_PRAGUE_NAME "q_prague"

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct q_accecn_end);
} q_accecn_ends SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, Q_MAX_OPENS);
	__type(key, struct q_open_key);
	__type(value, struct q_accecn_open);
} q_accecn_opens SEC(".maps");

static __always_inline __u32 q_ecn_mode(const struct tcp_sock *tp)
{
	return tp->ecn_flags & TCP_ECN_MODES;
}

#endif /* QUENCH_Q_PRAGUE_BPF_H */
