/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* SYNs and SYN-ACKs in a tc program: their socket, their key in the maps, and ECN as the kernel negotiates it. */
#ifndef QUENCH_Q_HANDSHAKE_BPF_H
#define QUENCH_Q_HANDSHAKE_BPF_H

#include "q_attach.bpf.h"
#include "q_segment.bpf.h"

/* The ECN flags of RFC 3168. */
#define Q_ECN_FLAGS (Q_TCP_CWR | Q_TCP_ECE)

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

#endif /* QUENCH_Q_HANDSHAKE_BPF_H */
