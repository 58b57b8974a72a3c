/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * Multilevel ECN (Durresi et al.) on the wire, around a kernel that knows RFC 3168. q_mecn_out offers and accepts it on
 * SYN and SYN-ACK by an experimental TCP option, and says on every later packet in the bits (CWR, ECE) what table 2 of
 * the paper wants. q_mecn_in reads the marks of arriving data, and turns the peer's bits into what RFC 3168 would have
 * said: ECE for a level of congestion, which is kept for the congestion control, and CWR for "window reduced".
 */
#include "vmlinux.h"
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "q_mecn.bpf.h"
#include "q_place.bpf.h"
#include "q_segment.bpf.h"

char _license[] SEC("license") = "GPL";

#define SOCK_STREAM 1
#define ECN_CE 3
#define ECN_ECT1 1

/* Experiment identifier (RFC 6994) of Multilevel ECN: "ME". Not registered with IANA. */
#define MECN_EXID 0x4d45

/* (CWR, ECE): table 2. */
#define CODE_BITS (Q_TCP_CWR | Q_TCP_ECE)
#define CODE_REDUCED 0
#define CODE_NONE Q_TCP_ECE
#define CODE_INCIPIENT Q_TCP_CWR
#define CODE_MODERATE (Q_TCP_CWR | Q_TCP_ECE)

/*
 * A peer that speaks Multilevel ECN never sends a pure ACK with code 0: "reduced" comes with new data. After so many in
 * a row it has stopped, for instance by `quench-host disable`. One alone can come from a socket that is about to end.
 */
#define SILENT_ACKS 8

static __always_inline struct q_host *this_host(void)
{
	__u64 cookie = q_place.netns_cookie;

	return bpf_map_lookup_elem(&q_hosts, &cookie);
}

static __always_inline void key_of(struct q_mecn_open_key *key, const struct q_segment *segment, int outgoing)
{
	const __be32 *local = outgoing ? segment->source : segment->dest;
	const __be32 *remote = outgoing ? segment->dest : segment->source;

	__builtin_memset(key, 0, sizeof(*key));
	key->cookie = q_place.netns_cookie;
	__builtin_memcpy(key->local, local, sizeof(key->local));
	__builtin_memcpy(key->remote, remote, sizeof(key->remote));
	key->local_port = outgoing ? segment->tcp.source : segment->tcp.dest;
	key->remote_port = outgoing ? segment->tcp.dest : segment->tcp.source;
}

static __always_inline struct bpf_sock *socket_of(struct __sk_buff *skb, const struct q_segment *segment)
{
	struct bpf_sock_tuple tuple;

	if (segment->is_ipv6) {
		__builtin_memcpy(tuple.ipv6.saddr, segment->source, sizeof(tuple.ipv6.saddr));
		__builtin_memcpy(tuple.ipv6.daddr, segment->dest, sizeof(tuple.ipv6.daddr));
		tuple.ipv6.sport = segment->tcp.source;
		tuple.ipv6.dport = segment->tcp.dest;
		return bpf_skc_lookup_tcp(skb, &tuple, sizeof(tuple.ipv6), BPF_F_CURRENT_NETNS, 0);
	}
	tuple.ipv4.saddr = segment->source[3];
	tuple.ipv4.daddr = segment->dest[3];
	tuple.ipv4.sport = segment->tcp.source;
	tuple.ipv4.dport = segment->tcp.dest;
	return bpf_skc_lookup_tcp(skb, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
}

static __always_inline int asks_for_ecn(const struct q_segment *segment)
{
	return (segment->flags & (CODE_BITS | Q_TCP_AE)) == CODE_BITS;
}

static __always_inline int grants_ecn(const struct q_segment *segment)
{
	return (segment->flags & (CODE_BITS | Q_TCP_AE)) == Q_TCP_ECE;
}

/* ---------------------------------------------------------------------------------------------------- handshake */

/* A SYN leaves: offer, if the kernel asks for ECN. */
static __always_inline void offer(struct __sk_buff *skb, struct q_segment *segment)
{
	struct bpf_sock *sk = skb->sk;
	struct q_mecn_open_key key;
	struct q_mecn_end *end;

	/* What an earlier connection of the other direction left behind. */
	key_of(&key, segment, 1);
	bpf_map_delete_elem(&q_mecn_opens, &key);
	sk = sk ? bpf_sk_fullsock(sk) : 0;
	if (!sk || sk->type != SOCK_STREAM)
		return;
	end = bpf_sk_storage_get(&q_mecn_ends, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!end)
		return;
	/* A repeated SYN without ECN leaves the offer open: the first may still be answered. */
	if (asks_for_ecn(segment) && q_segment_add_experiment(skb, segment, MECN_EXID))
		end->state = Q_MECN_OFFERED;
	else if (end->state != Q_MECN_OFFERED)
		end->state = Q_MECN_OFF;
}

/* A SYN comes: note the offer for the SYN-ACK. */
static __always_inline void note_offer(struct __sk_buff *skb, struct q_segment *segment)
{
	struct q_mecn_open fresh = {.isn = bpf_ntohl(segment->tcp.seq)};
	struct q_mecn_open_key key;
	struct q_mecn_open *open;

	key_of(&key, segment, 0);
	open = bpf_map_lookup_elem(&q_mecn_opens, &key);

	if (asks_for_ecn(segment) && q_segment_has_experiment(skb, segment, MECN_EXID))
		bpf_map_update_elem(&q_mecn_opens, &key, &fresh, BPF_ANY);
	else if (open)
		bpf_map_delete_elem(&q_mecn_opens, &key);
}

/* A SYN-ACK leaves: accept the offer, if the kernel grants ECN. */
static __always_inline void accept(struct __sk_buff *skb, struct q_segment *segment)
{
	struct q_mecn_open_key key;
	struct q_mecn_open *open;

	key_of(&key, segment, 1);
	open = bpf_map_lookup_elem(&q_mecn_opens, &key);
	if (open && open->isn + 1 == bpf_ntohl(segment->tcp.ack_seq) && grants_ecn(segment) &&
	    q_segment_add_experiment(skb, segment, MECN_EXID))
		open->agreed = 1;
}

/* The ACK is about what is in flight, so that the kernel will take it, too. */
static __always_inline int ack_counts(const struct q_segment *segment, const struct bpf_tcp_sock *tp)
{
	__u32 ack = bpf_ntohl(segment->tcp.ack_seq);

	return (__s32)(ack - tp->snd_una) >= 0 && (__s32)(ack - tp->snd_nxt) <= 0;
}

/* The ACK is that of our SYN. The kernel moves snd_nxt on only after the SYN has left, and the answer may be quicker.
 */
static __always_inline int answers_syn(const struct q_segment *segment, const struct bpf_tcp_sock *tp)
{
	return bpf_ntohl(segment->tcp.ack_seq) == tp->snd_una + 1 || ack_counts(segment, tp);
}

/* A SYN-ACK comes: it has the last word about our offer. */
static __always_inline void conclude(struct __sk_buff *skb, struct q_segment *segment)
{
	struct bpf_sock *sk = socket_of(skb, segment);
	struct bpf_tcp_sock *tp;
	struct q_mecn_end *end;

	if (!sk)
		return;
	tp = bpf_tcp_sock(sk);
	end = tp && sk->state == BPF_TCP_SYN_SENT && answers_syn(segment, tp)
		      ? bpf_sk_storage_get(&q_mecn_ends, tp, 0, 0)
		      : 0;
	if (end && end->state == Q_MECN_OFFERED)
		end->state = grants_ecn(segment) && q_segment_has_experiment(skb, segment, MECN_EXID) ? Q_MECN_ON
												      : Q_MECN_OFF;
	bpf_sk_release(sk);
}

/* ------------------------------------------------------------------------------------------------- after the SYNs */

/* The mark of a data packet; 0b10 is no congestion. */
static __always_inline __u32 mark_of(const struct q_segment *segment)
{
	if (!segment->payload_bytes)
		return 0;
	return segment->ecn == ECN_CE ? Q_LEVEL_MODERATE : segment->ecn == ECN_ECT1 ? Q_LEVEL_INCIPIENT : 0;
}

/* Take in what the packet says, and return the flags that the kernel is to see. */
static __always_inline __u16 hear(const struct q_segment *segment, const struct bpf_tcp_sock *tp,
				  struct q_mecn_end *end, struct q_host *host)
{
	__u16 code = segment->flags & CODE_BITS, flags = segment->flags & ~CODE_BITS;
	__u32 mark = mark_of(segment);
	int reduced = code == CODE_REDUCED && segment->payload_bytes;

	if (reduced && host && host->params.echo_rule == Q_ECHO_UNTIL_REDUCED)
		__sync_lock_test_and_set(&end->echo, 0);
	if (mark) {
		__sync_fetch_and_or(&end->echo, mark);
		q_count(host, mark == Q_LEVEL_MODERATE ? Q_COUNTER_marks_moderate_received
						       : Q_COUNTER_marks_incipient_received);
	}
	if (reduced)
		return flags | Q_TCP_CWR;
	if ((code != CODE_INCIPIENT && code != CODE_MODERATE) || !ack_counts(segment, tp))
		return flags;
	__sync_fetch_and_or(&end->heard, code == CODE_MODERATE ? Q_LEVEL_MODERATE : Q_LEVEL_INCIPIENT);
	q_count(host, code == CODE_MODERATE ? Q_COUNTER_echoes_moderate_received : Q_COUNTER_echoes_incipient_received);
	return flags | Q_TCP_ECE;
}

/* Does the peer still speak Multilevel ECN? If not, the connection goes on by RFC 3168. */
static __always_inline int peer_speaks(const struct q_segment *segment, struct q_mecn_end *end, struct q_host *host)
{
	if ((segment->flags & CODE_BITS) != CODE_REDUCED) {
		end->silent = 0;
		return 1;
	}
	if (segment->payload_bytes || ++end->silent < SILENT_ACKS)
		return 1;
	end->state = Q_MECN_OFF;
	q_count(host, Q_COUNTER_mecn_peer_silent);
	return 0;
}

/* Storage of a socket, a struct bpf_sock or bpf_tcp_sock; NULL if it has none and its handshake agreed on nothing. */
static __always_inline struct q_mecn_end *end_of(void *sk, const struct q_mecn_open_key *key)
{
	struct q_mecn_end *end = bpf_sk_storage_get(&q_mecn_ends, sk, 0, 0);
	struct q_mecn_open *open;

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
	struct q_mecn_open_key key;
	struct q_mecn_end *end;
	struct bpf_tcp_sock *tp;
	struct bpf_sock *sk;
	__u16 flags;

	if (!q_segment_read(skb, &segment, q_place.link_header_bytes) || (segment.flags & Q_TCP_RST))
		return TC_ACT_UNSPEC;
	if (segment.flags & Q_TCP_SYN) {
		if (segment.flags & Q_TCP_ACK)
			conclude(skb, &segment);
		else
			note_offer(skb, &segment);
		return TC_ACT_UNSPEC;
	}
	/* The ACK that ends the handshake finds no socket yet, and the kernel, with nothing in flight, takes no ECE. */
	flags = segment.flags;
	key_of(&key, &segment, 0);
	sk = socket_of(skb, &segment);
	tp = sk ? bpf_tcp_sock(sk) : 0;
	if (tp && sk->state != BPF_TCP_LISTEN) {
		end = end_of(tp, &key);
		if (end && end->state == Q_MECN_ON) {
			struct q_host *host = this_host();

			if (peer_speaks(&segment, end, host))
				flags = hear(&segment, tp, end, host);
		}
	}
	if (sk)
		bpf_sk_release(sk);
	q_segment_write_flags(skb, &segment, flags);
	return TC_ACT_UNSPEC;
}

/* What the packet is to say. CWR, which the kernel sets on new data only, goes first: a level waits for the next
 * packet. */
static __always_inline __u16 code_for(const struct q_segment *segment, struct q_mecn_end *end)
{
	struct q_host *host;
	__u32 levels;

	if (segment->flags & Q_TCP_CWR)
		return CODE_REDUCED;
	if (!end->echo)
		return CODE_NONE;
	host = this_host();
	levels = host && host->params.echo_rule == Q_ECHO_UNTIL_REDUCED ? end->echo
									: __sync_lock_test_and_set(&end->echo, 0);
	return levels & Q_LEVEL_MODERATE ? CODE_MODERATE : levels ? CODE_INCIPIENT : CODE_NONE;
}

SEC("tc")
int q_mecn_out(struct __sk_buff *skb)
{
	struct q_segment segment = {};
	struct q_mecn_open_key key;
	struct q_mecn_end *end;
	struct bpf_sock *sk;

	if (!q_segment_read(skb, &segment, q_place.link_header_bytes) || (segment.flags & Q_TCP_RST))
		return TC_ACT_UNSPEC;
	if (segment.flags & Q_TCP_SYN) {
		if (segment.flags & Q_TCP_ACK)
			accept(skb, &segment);
		else
			offer(skb, &segment);
		return TC_ACT_UNSPEC;
	}
	sk = skb->sk;
	sk = sk ? bpf_sk_fullsock(sk) : 0;
	/* The kernel's own socket, which answers for connections that have none, is a raw one. */
	if (!sk || sk->type != SOCK_STREAM || sk->state == BPF_TCP_LISTEN)
		return TC_ACT_UNSPEC;
	key_of(&key, &segment, 1);
	end = end_of(sk, &key);
	if (end && end->state == Q_MECN_ON)
		q_segment_write_flags(skb, &segment, (segment.flags & ~CODE_BITS) | code_for(&segment, end));
	return TC_ACT_UNSPEC;
}
