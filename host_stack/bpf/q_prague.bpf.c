/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * q_prague: prague for the kernel's TCP. Linux 6.18 has Accurate ECN, but no setting that negotiates it. So the kernel
 * negotiates RFC 3168, the tc programs (q_prague_tc.bpf.c) make Accurate ECN of that on the wire, and once the
 * handshake has agreed on it the connection changes to the kernel's Accurate ECN. The kernel then counts and reports
 * CE, and decodes the peer's reports into tp->delivered_ce (docs/decisions/0152-accecn-by-tc.md).
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "prague.c"
#include "q_open_key.bpf.h"
#include "q_prague.bpf.h"

#define Q_ALGORITHM prague
#define Q_INIT_HOOK(sk, host) q_prague_begin(sk, host)
#define Q_MARKS_HOOK(sk, q, event) q_prague_read_marks(sk, q, event)
#define Q_ACK_HOOK(host, event) q_count_pkts(host, event)

struct q_tcp;
static int q_prague_begin(struct sock *sk, struct q_host *host);
static void q_prague_read_marks(struct sock *sk, struct q_tcp *q, struct q_cc_event *event);

#include "q_tcp.bpf.h"

/* Go on with the kernel's Accurate ECN. Its counts begin as those of a new socket do. */
static __always_inline void q_prague_change(struct sock *sk, const struct q_accecn_open *open)
{
	struct q_accecn_end *end = bpf_sk_storage_get(&q_accecn_ends, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	struct tcp_sock *tp = q_tcp_sk(sk);

	if (!end)
		return;
	end->no_ect = open->no_ect;
	end->deaf = open->deaf;
	end->answer = open->answer;
	tp->ecn_flags = (tp->ecn_flags & ~(TCP_ECN_MODE_RFC3168 | TCP_ECN_OF_RFC3168)) | TCP_ECN_MODE_ACCECN;
}

static __always_inline int q_prague_begin(struct sock *sk, struct q_host *host)
{
	struct tcp_sock *tp = q_tcp_sk(sk);
	struct q_open_key key = {};
	struct q_accecn_open *open;

	q_open_key_of_socket(&key, sk);
	open = bpf_map_lookup_elem(&q_accecn_opens, &key);
	/* Not an entry of a handshake that came to nothing. */
	if (open && open->agreed && open->isn + 1 == tp->rcv_nxt && q_ecn_mode(tp) == TCP_ECN_MODE_RFC3168)
		q_prague_change(sk, open);
	bpf_map_delete_elem(&q_accecn_opens, &key);
	switch (q_ecn_mode(tp)) {
	case TCP_ECN_MODE_ACCECN:
		q_count(host, Q_COUNTER_accecn_negotiated);
		break;
	case TCP_ECN_MODE_RFC3168:
		q_count(host, Q_COUNTER_accecn_fallback_rfc3168);
		break;
	default:
		q_count(host, Q_COUNTER_accecn_fallback_plain);
	}
	return 0;
}

static __always_inline void q_prague_read_marks(struct sock *sk, struct q_tcp *q, struct q_cc_event *event)
{
	struct q_accecn_end *end = bpf_sk_storage_get(&q_accecn_ends, sk, 0, 0);
	const struct tcp_sock *tp = q_tcp_sk(sk);

	if (!end || q_ecn_mode(tp) != TCP_ECN_MODE_ACCECN)
		return;
	event->marked_pkts = end->deaf ? 0 : tp->delivered_ce - q->delivered_ce;
	event->mark_level = event->marked_pkts ? Q_MARK_ECE : Q_MARK_NONE;
	event->flags |= Q_EV_ACCECN;
	q->delivered_ce = tp->delivered_ce;
}

Q_STRUCT_OPS(q_prague, 0);
