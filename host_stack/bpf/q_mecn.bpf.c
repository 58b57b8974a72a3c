/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * q_mecn: mecn for the kernel's TCP. The kernel negotiates ECN by RFC 3168, and q_mecn_tc.bpf.c adds Multilevel ECN on
 * the wire. On a connection with Multilevel ECN the kernel sees ECE in exactly those ACKs that echo a mark. The level
 * of the mark is in the socket's storage.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "mecn.c"
#include "q_mecn.bpf.h"
#include "q_open_key.bpf.h"

/* Preprocessor constant of the kernel, which its BTF does not carry. */
#define TCP_ECN_OK 1

/* Copy the result of the handshake into the socket's storage, before the LRU map can evict it, and count it. */
static __always_inline int q_mecn_begin(struct sock *sk, struct q_host *host)
{
	struct q_mecn_end *end = bpf_sk_storage_get(&q_mecn_ends, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	struct q_open_key key = {};
	struct q_open *open;

	q_open_key_of_socket(&key, sk);
	open = bpf_map_lookup_elem(&q_mecn_opens, &key);
	if (end && open && open->agreed) {
		end->state = Q_MECN_ON;
		bpf_map_delete_elem(&q_mecn_opens, &key);
	}
	if (end && end->state == Q_MECN_ON)
		q_count(host, Q_COUNTER_mecn_negotiated);
	else if (((struct tcp_sock *)sk)->ecn_flags & TCP_ECN_OK)
		q_count(host, Q_COUNTER_mecn_fallback_rfc3168);
	else
		q_count(host, Q_COUNTER_mecn_fallback_plain);
	return 0;
}

static __always_inline enum q_mark_level q_mecn_level(struct sock *sk, int ece)
{
	struct q_mecn_end *end = bpf_sk_storage_get(&q_mecn_ends, sk, 0, 0);
	__u32 echoed;

	if (!end || end->state != Q_MECN_ON)
		return ece ? Q_MARK_ECE : Q_MARK_NONE;
	/* The kernel may have queued the ACK with the level behind other ACKs: the level waits for it. */
	echoed = ece ? __sync_lock_test_and_set(&end->echoed, 0) : 0;
	return echoed & Q_LEVEL_MODERATE ? Q_MARK_MODERATE : echoed ? Q_MARK_INCIPIENT : Q_MARK_NONE;
}

#define Q_ALGORITHM mecn
#define Q_INIT_HOOK q_mecn_begin
#define Q_MARK_LEVEL q_mecn_level
#include "q_tcp.bpf.h"

Q_STRUCT_OPS(q_mecn, 0);
