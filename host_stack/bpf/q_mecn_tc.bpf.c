/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * Multilevel ECN (Durresi et al.) on the wire, for a kernel that knows RFC 3168 only.
 *
 * q_mecn_out, on packets that leave: offers Multilevel ECN in the SYN and accepts it in the SYN-ACK, by an experimental
 * TCP option. In every later packet it replaces the flags (CWR, ECE) by a code of table 2 of the paper.
 *
 * q_mecn_in, on packets that arrive: reads the marks of data, and replaces the peer's code by the flags of RFC 3168.
 * ECE stands for a level of congestion, which it stores for the congestion control (q_mecn.bpf.c), and CWR for "window
 * reduced".
 */
#include "vmlinux.h"
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "q_handshake.bpf.h"
#include "q_mecn.bpf.h"

char _license[] SEC("license") = "GPL";

#define ECN_CE 3
#define ECN_ECT1 1

/* Experiment identifier (RFC 6994) of Multilevel ECN: "ME". Not registered with IANA. */
#define MECN_EXID 0x4d45

/* The codes of table 2: (CWR, ECE). */
#define CODE_BITS Q_ECN_FLAGS
#define CODE_REDUCED 0
#define CODE_NONE Q_TCP_ECE
#define CODE_INCIPIENT Q_TCP_CWR
#define CODE_MODERATE (Q_TCP_CWR | Q_TCP_ECE)

/*
 * A peer with Multilevel ECN never sends a pure ACK with code 0, because "window reduced" is sent with new data. After
 * so many pure ACKs with code 0 in a row the peer has stopped, for instance by `quench-host disable`. A single one can
 * come from a socket that is being closed.
 */
#define MAX_ACKS_WITHOUT_CODE 8

/* ---------------------------------------------------------------------------------------------------- handshake */

/* A SYN leaves: add the offer, if the kernel asks for ECN. */
static __always_inline void offer_on_syn(struct __sk_buff *skb, struct q_segment *segment)
{
	struct bpf_sock *sk = skb->sk;
	struct q_open_key key;
	struct q_mecn_end *end;

	/* An earlier connection, which the peer opened, may have left an entry. */
	q_open_key_of(&key, segment, 1);
	bpf_map_delete_elem(&q_mecn_opens, &key);
	sk = sk ? bpf_sk_fullsock(sk) : 0;
	if (!sk || sk->type != SOCK_STREAM)
		return;
	end = bpf_sk_storage_get(&q_mecn_ends, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!end)
		return;
	/* After a repeated SYN without ECN the offer stays open: the peer may still answer the first SYN. */
	if (q_asks_for_ecn(segment) && q_segment_add_experiment(skb, segment, MECN_EXID))
		end->state = Q_MECN_OFFERED;
	else if (end->state != Q_MECN_OFFERED)
		end->state = Q_MECN_OFF;
}

/* A SYN-ACK arrives: it accepts our offer, or not. */
static __always_inline void read_syn_ack(struct __sk_buff *skb, struct q_segment *segment)
{
	struct bpf_sock *sk = q_socket_of(skb, segment);
	struct bpf_tcp_sock *tp;
	struct q_mecn_end *end;

	if (!sk)
		return;
	tp = bpf_tcp_sock(sk);
	end = tp && sk->state == BPF_TCP_SYN_SENT && q_answers_syn(segment, tp)
		      ? bpf_sk_storage_get(&q_mecn_ends, tp, 0, 0)
		      : 0;
	if (end && end->state == Q_MECN_OFFERED)
		end->state = q_grants_ecn(segment) && q_segment_has_experiment(skb, segment, MECN_EXID) ? Q_MECN_ON
													: Q_MECN_OFF;
	bpf_sk_release(sk);
}

/* ------------------------------------------------------------------------------------------------- after the SYNs */

/* The level of the mark of a data packet; 0 without a mark. ECT(0) is no mark. */
static __always_inline __u32 mark_of(const struct q_segment *segment)
{
	if (!segment->payload_bytes)
		return 0;
	return segment->ecn == ECN_CE ? Q_LEVEL_MODERATE : segment->ecn == ECN_ECT1 ? Q_LEVEL_INCIPIENT : 0;
}

/* Read mark and code of a packet that arrives. Returns the flags for the kernel. */
static __always_inline __u16 read_code(const struct q_segment *segment, const struct bpf_tcp_sock *tp,
				       struct q_mecn_end *end, struct q_host *host)
{
	__u16 code = segment->flags & CODE_BITS, flags = segment->flags & ~CODE_BITS;
	__u32 mark = mark_of(segment);
	int reduced = code == CODE_REDUCED && segment->payload_bytes;

	if (reduced && host && host->params.echo_rule == Q_ECHO_UNTIL_REDUCED)
		__sync_lock_test_and_set(&end->to_echo, 0);
	if (mark) {
		__sync_fetch_and_or(&end->to_echo, mark);
		q_count(host, mark == Q_LEVEL_MODERATE ? Q_COUNTER_marks_moderate_received
						       : Q_COUNTER_marks_incipient_received);
	}
	if (reduced)
		return flags | Q_TCP_CWR;
	if ((code != CODE_INCIPIENT && code != CODE_MODERATE) || !q_ack_is_acceptable(segment, tp))
		return flags;
	__sync_fetch_and_or(&end->echoed, code == CODE_MODERATE ? Q_LEVEL_MODERATE : Q_LEVEL_INCIPIENT);
	q_count(host, code == CODE_MODERATE ? Q_COUNTER_echoes_moderate_received : Q_COUNTER_echoes_incipient_received);
	return flags | Q_TCP_ECE;
}

/* Does the peer still use Multilevel ECN? If not, the connection falls back to RFC 3168. */
static __always_inline int peer_uses_mecn(const struct q_segment *segment, struct q_mecn_end *end, struct q_host *host)
{
	if ((segment->flags & CODE_BITS) != CODE_REDUCED) {
		end->acks_without_code = 0;
		return 1;
	}
	if (segment->payload_bytes || ++end->acks_without_code < MAX_ACKS_WITHOUT_CODE)
		return 1;
	end->state = Q_MECN_OFF;
	q_count(host, Q_COUNTER_mecn_peer_silent);
	return 0;
}

/* The storage of a socket (struct bpf_sock or bpf_tcp_sock); NULL if it does not use Multilevel ECN. */
static __always_inline struct q_mecn_end *end_of(void *sk, const struct q_open_key *key)
{
	struct q_mecn_end *end = bpf_sk_storage_get(&q_mecn_ends, sk, 0, 0);
	struct q_open *open;

	if (end)
		return end;
	open = bpf_map_lookup_elem(&q_mecn_opens, key);
	if (!open || !open->agreed)
		return 0;
	end = bpf_sk_storage_get(&q_mecn_ends, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (end) {
		end->state = Q_MECN_ON;
		bpf_map_delete_elem(&q_mecn_opens, key);
	}
	return end;
}

SEC("tc")
int q_mecn_in(struct __sk_buff *skb)
{
	struct q_segment segment = {};
	struct q_open_key key;
	struct q_mecn_end *end;
	struct bpf_tcp_sock *tp;
	struct bpf_sock *sk;
	__u16 flags;

	if (!q_segment_read(skb, &segment, q_attach.link_header_bytes) || (segment.flags & Q_TCP_RST))
		return TC_ACT_UNSPEC;
	if (segment.flags & Q_TCP_SYN) {
		if (segment.flags & Q_TCP_ACK)
			read_syn_ack(skb, &segment);
		else
			q_record_offer(skb, &segment, &q_mecn_opens, MECN_EXID, q_asks_for_ecn(&segment));
		return TC_ACT_UNSPEC;
	}
	/* The ACK that ends the handshake finds no socket yet. Nothing is in flight then, so the kernel ignores ECE. */
	flags = segment.flags;
	q_open_key_of(&key, &segment, 0);
	sk = q_socket_of(skb, &segment);
	tp = sk ? bpf_tcp_sock(sk) : 0;
	if (tp && sk->state != BPF_TCP_LISTEN) {
		end = end_of(tp, &key);
		if (end && end->state == Q_MECN_ON) {
			struct q_host *host = q_this_host();

			if (peer_uses_mecn(&segment, end, host))
				flags = read_code(&segment, tp, end, host);
		}
	}
	if (sk)
		bpf_sk_release(sk);
	q_segment_write_flags(skb, &segment, flags);
	return TC_ACT_UNSPEC;
}

/* The code for a packet that leaves. The kernel sets CWR on new data only, so CWR has precedence, and a level waits for
 * the next packet. */
static __always_inline __u16 code_for(const struct q_segment *segment, struct q_mecn_end *end)
{
	struct q_host *host;
	__u32 levels;

	if (segment->flags & Q_TCP_CWR)
		return CODE_REDUCED;
	if (!end->to_echo)
		return CODE_NONE;
	host = q_this_host();
	levels = host && host->params.echo_rule == Q_ECHO_UNTIL_REDUCED ? end->to_echo
									: __sync_lock_test_and_set(&end->to_echo, 0);
	return levels & Q_LEVEL_MODERATE ? CODE_MODERATE : levels ? CODE_INCIPIENT : CODE_NONE;
}

SEC("tc")
int q_mecn_out(struct __sk_buff *skb)
{
	struct q_segment segment = {};
	struct q_open_key key;
	struct q_mecn_end *end;
	struct bpf_sock *sk;

	if (!q_segment_read(skb, &segment, q_attach.link_header_bytes) || (segment.flags & Q_TCP_RST))
		return TC_ACT_UNSPEC;
	if (segment.flags & Q_TCP_SYN) {
		if (segment.flags & Q_TCP_ACK)
			q_accept_offer(skb, &segment, &q_mecn_opens, MECN_EXID, 1, q_grants_ecn(&segment));
		else
			offer_on_syn(skb, &segment);
		return TC_ACT_UNSPEC;
	}
	sk = skb->sk;
	sk = sk ? bpf_sk_fullsock(sk) : 0;
	/* The kernel sends resets for unknown connections from a raw socket of its own. */
	if (!sk || sk->type != SOCK_STREAM || sk->state == BPF_TCP_LISTEN)
		return TC_ACT_UNSPEC;
	q_open_key_of(&key, &segment, 1);
	end = end_of(sk, &key);
	if (end && end->state == Q_MECN_ON)
		q_segment_write_flags(skb, &segment, (segment.flags & ~CODE_BITS) | code_for(&segment, end));
	return TC_ACT_UNSPEC;
}
