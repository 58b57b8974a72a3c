/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The maps that all programs share. The loader connects every program to the same maps. */
#ifndef QUENCH_Q_MAPS_BPF_H
#define QUENCH_Q_MAPS_BPF_H

#include "q_shared.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, Q_MAX_HOSTS);
	__type(key, __u64);
	__type(value, struct q_host);
} q_hosts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct q_mailbox);
} q_mailboxes SEC(".maps");

/* A namespace that is not enabled any more has no entry: the counts of its remaining sockets are not kept. */
static __always_inline void q_count(struct q_host *host, enum q_counter counter)
{
	if (host)
		__sync_fetch_and_add(&host->counters[counter], 1);
}

#endif /* QUENCH_Q_MAPS_BPF_H */
