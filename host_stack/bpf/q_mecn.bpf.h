/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Maps that the tc programs and the congestion control of Multilevel ECN share: which connections use it. */
#ifndef QUENCH_Q_MECN_BPF_H
#define QUENCH_Q_MECN_BPF_H

#include "q_address.bpf.h"
#include "q_maps.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct q_mecn_end);
} q_mecn_ends SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, Q_MAX_OPENS);
	__type(key, struct q_open_key);
	__type(value, struct q_open);
} q_mecn_opens SEC(".maps");

#endif /* QUENCH_Q_MECN_BPF_H */
