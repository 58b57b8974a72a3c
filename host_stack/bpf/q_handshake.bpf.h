/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * SYNs and SYN-ACKs in a tc program: their socket, their key in the maps, and ECN as the kernel negotiates it.
 *
 * The agreement with the peer on an extension of TCP: the SYN offers it by an experimental option without content, the
 * SYN-ACK accepts it by the same one. A map of type q_open_key to q_open has the offers of peers, from the SYN until
 * there is a socket.
 */
#ifndef QUENCH_Q_HANDSHAKE_BPF_H
#define QUENCH_Q_HANDSHAKE_BPF_H

#include "q_attach.bpf.h"
#include "q_maps.bpf.h"
#include "q_segment.bpf.h"

#define SOCK_STREAM 1

/* The ECN flags of RFC 3168. */
#define Q_ECN_FLAGS (Q_TCP_CWR | Q_TCP_ECE)

static __always_inline struct q_host *q_this_host(void)
{
	__u64 cookie = q_attach.netns_cookie;

	return bpf_map_lookup_elem(&q_hosts, &cookie);
}

static __always_inline void q_open_key_of(struct q_open_key *key, const struct q_segment *segment, int outgoing)
{
	const __be32 *local = outgoing ? segment->source : segment->dest;
	const __be32 *remote = outgoing ? segment->dest : segment->source;

	__builtin_memset(key, 0, sizeof(*key));
	key->cookie = q_attach.netns_cookie;
	__builtin_memcpy(key->local, local, sizeof(key->local));
	__builtin_memcpy(key->remote, remote, sizeof(key->remote));
	key->local_port = outgoing ? segment->tcp.source : segment->tcp.dest;
	key->remote_port = outgoing ? segment->tcp.dest : segment->tcp.source;
}

/* The socket that a packet is for; the caller releases it. */
static __always_inline struct bpf_sock *q_socket_of(struct __sk_buff *skb, const struct q_segment *segment)
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

static __always_inline int q_asks_for_ecn(const struct q_segment *segment)
{
	return (segment->flags & (Q_ECN_FLAGS | Q_TCP_AE)) == Q_ECN_FLAGS;
}

static __always_inline int q_grants_ecn(const struct q_segment *segment)
{
	return (segment->flags & (Q_ECN_FLAGS | Q_TCP_AE)) == Q_TCP_ECE;
}

/* Is the ACK for data in flight, so that the kernel will accept it? */
static __always_inline int q_ack_is_acceptable(const struct q_segment *segment, const struct bpf_tcp_sock *tp)
{
	__u32 ack = bpf_ntohl(segment->tcp.ack_seq);

	return (__s32)(ack - tp->snd_una) >= 0 && (__s32)(ack - tp->snd_nxt) <= 0;
}

/* Does the ACK acknowledge our SYN? The SYN-ACK can arrive before the kernel has advanced snd_nxt beyond the SYN. */
static __always_inline int q_answers_syn(const struct q_segment *segment, const struct bpf_tcp_sock *tp)
{
	return bpf_ntohl(segment->tcp.ack_seq) == tp->snd_una + 1 || q_ack_is_acceptable(segment, tp);
}

/* A SYN arrives: record its offer, which the SYN-ACK answers, if this end can accept it. */
static __always_inline void q_record_offer(struct __sk_buff *skb, const struct q_segment *segment, void *opens,
					   __u16 exid, int acceptable)
{
	struct q_open fresh = {.isn = bpf_ntohl(segment->tcp.seq)};
	struct q_open_key key;
	struct q_open *open;

	q_open_key_of(&key, segment, 0);
	open = bpf_map_lookup_elem(opens, &key);
	if (acceptable && q_segment_has_experiment(skb, segment, exid))
		bpf_map_update_elem(opens, &key, &fresh, BPF_ANY);
	else if (open)
		bpf_map_delete_elem(opens, &key);
}

/* A SYN-ACK leaves: accept the offer that was recorded, if this end still can. */
static __always_inline void q_accept_offer(struct __sk_buff *skb, struct q_segment *segment, void *opens, __u16 exid,
					   __u32 agreed, int acceptable)
{
	struct q_open_key key;
	struct q_open *open;

	q_open_key_of(&key, segment, 1);
	open = bpf_map_lookup_elem(opens, &key);
	if (open && open->isn + 1 == bpf_ntohl(segment->tcp.ack_seq) && acceptable &&
	    q_segment_add_experiment(skb, segment, exid))
		open->agreed = agreed;
}

#endif /* QUENCH_Q_HANDSHAKE_BPF_H */
