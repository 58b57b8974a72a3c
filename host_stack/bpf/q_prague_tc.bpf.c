/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * Accurate ECN (RFC 9768) and ECT(1) on the wire for sockets that run q_prague, around a kernel that negotiates RFC
 * 3168.
 *
 * q_prague_out, on packets that leave: asks for Accurate ECN in a SYN in which the kernel asks for ECN, grants it in
 * the SYN-ACK, answers the SYN-ACK with the handshake's code, and turns ECT(0) into ECT(1) (RFC 9331 section 4.1).
 *
 * q_prague_in, on packets that arrive: reads the handshake, and gives the kernel the flags of RFC 3168.
 *
 * The checksum of TCP does not cover the ECN field.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "q_handshake.bpf.h"
#include "q_prague.bpf.h"

char _license[] SEC("license") = "GPL";

#define TC_ACT_SHOT 2
#define ECN_NOT_ECT 0
#define ECN_ECT1 1
#define ECN_ECT0 2
#define ECN_CE 3

/* In skb->tc_index: a device below has passed on a SYN or SYN-ACK that was read there. */
#define READ_BELOW 0x5143

#define ALL_FLAGS (Q_TCP_AE | Q_ECN_FLAGS)
/* The codes of RFC 9768, tables 2 to 4, as AE, CWR, ECE. */
#define CODE_NOT_ECT Q_TCP_CWR
#define CODE_ECT1 Q_ECN_FLAGS
#define CODE_ECT0 Q_TCP_AE
#define CODE_CE (Q_TCP_AE | Q_TCP_CWR)
#define CODE_UNCHANGED (Q_TCP_AE | Q_TCP_ECE)

static __always_inline int is_prague(const char name[sizeof(Q_PRAGUE_NAME)])
{
	const char prague[] = Q_PRAGUE_NAME;

	for (__u32 i = 0; i < sizeof(prague); i++)
		if (name[i] != prague[i])
			return 0;
	return 1;
}

/* Does the socket run q_prague, in a kernel that has Accurate ECN? */
static __always_inline int runs_prague(const struct tcp_sock *tp)
{
	char name[sizeof(Q_PRAGUE_NAME)] = "";

	if (!bpf_core_field_exists(tp->received_ecn_bytes))
		return 0;
	BPF_CORE_READ_INTO(&name, tp, inet_conn.icsk_ca_ops, name);
	return is_prague(name);
}

/*
 * Will a socket that this listener accepts run q_prague? It inherits what a process chose for the listener, and
 * otherwise has the default of that moment, not that of the moment at which the listener was made.
 */
static __always_inline int accepts_with_prague(const struct tcp_sock *tp)
{
	const struct net *net = tp->inet_conn.icsk_inet.sk.__sk_common.skc_net.net;
	char name[sizeof(Q_PRAGUE_NAME)] = "";

	if (BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_setsockopt))
		return runs_prague(tp);
	if (!bpf_core_field_exists(tp->received_ecn_bytes))
		return 0;
	BPF_CORE_READ_INTO(&name, net, ipv4.tcp_congestion_control, name);
	return is_prague(name);
}

static __always_inline __u16 code_of(__u32 ecn)
{
	return ecn == ECN_CE ? CODE_CE : ecn == ECN_ECT0 ? CODE_ECT0 : ecn == ECN_ECT1 ? CODE_ECT1 : CODE_NOT_ECT;
}

/* Does the code say that a SYN or SYN-ACK of ours, which left as not ECN-capable, arrived as another? */
static __always_inline int shows_a_change(__u16 code)
{
	return code == CODE_ECT1 || code == CODE_ECT0 || code == CODE_CE;
}

/* ---------------------------------------------------------------------------------------------------- handshake */

/* A SYN leaves: ask for Accurate ECN, if the kernel asks for ECN. */
static __always_inline void ask_on_syn(struct __sk_buff *skb, struct q_segment *segment, const struct tcp_sock *tp)
{
	struct q_open_key key;

	/* An earlier connection, which the peer opened, may have left an entry. */
	q_open_key_of(&key, segment, 1);
	bpf_map_delete_elem(&q_accecn_opens, &key);
	if (tp && runs_prague(tp) && q_asks_for_ecn(segment))
		q_segment_write_flags(skb, segment, segment->flags | Q_TCP_AE);
}

static __always_inline __u32 asked_by(const struct q_segment *segment)
{
	__u16 flags = segment->flags & ALL_FLAGS;

	/* Other combinations count as those of Accurate ECN (section 3.1.3). */
	return !flags ? Q_ASKED_PLAIN : flags == Q_ECN_FLAGS ? Q_ASKED_RFC3168 : Q_ASKED_ACCECN;
}

/*
 * A SYN arrives: record it, and give the kernel one of RFC 3168. The first SYN decides (section 3.1.5). Returns 0 if a
 * repeated SYN asks for RFC 3168 and another one for Accurate ECN: neither end could know what was agreed on.
 * `listens`: it is for a listener, and not for a handshake that has begun.
 */
static __always_inline int record_syn(struct __sk_buff *skb, struct q_segment *segment, int listens)
{
	struct q_accecn_open fresh = {.isn = bpf_ntohl(segment->tcp.seq), .asked = asked_by(segment)};
	struct q_accecn_open *open;
	struct q_open_key key;

	q_open_key_of(&key, segment, 0);
	open = bpf_map_lookup_elem(&q_accecn_opens, &key);
	if (open && open->isn == fresh.isn) {
		if (open->asked + fresh.asked == Q_ASKED_RFC3168 + Q_ASKED_ACCECN && open->asked && fresh.asked)
			return 0;
		open->arrived_ecn = segment->ecn;
		open->no_ect |= !fresh.asked;
	} else if (!listens) {
		return 1;
	} else {
		fresh.arrived_ecn = segment->ecn;
		bpf_map_update_elem(&q_accecn_opens, &key, &fresh, BPF_ANY);
	}
	if (fresh.asked != Q_ASKED_ACCECN)
		return 1;
	q_segment_write_flags(skb, segment, (segment->flags & ~ALL_FLAGS) | Q_ECN_FLAGS);
	/* The kernel refuses ECN to a SYN that is ECN-capable. */
	if (segment->ecn != ECN_NOT_ECT)
		q_segment_write_ecn(skb, segment, ECN_NOT_ECT);
	return 1;
}

/* A SYN-ACK leaves: grant Accurate ECN, if the kernel grants ECN. */
static __always_inline void grant_on_syn_ack(struct __sk_buff *skb, struct q_segment *segment)
{
	struct q_accecn_open *open;
	struct q_open_key key;

	q_open_key_of(&key, segment, 1);
	open = bpf_map_lookup_elem(&q_accecn_opens, &key);
	if (!open || open->asked != Q_ASKED_ACCECN || open->isn + 1 != bpf_ntohl(segment->tcp.ack_seq) ||
	    !q_grants_ecn(segment))
		return;
	open->agreed = 1;
	q_segment_write_flags(skb, segment, (segment->flags & ~ALL_FLAGS) | code_of(open->arrived_ecn));
}

/*
 * The code of the ACK of a SYN-ACK. Where that had CE, the client would count it, which the kernel does not: the unused
 * code then leaves both counts as they are (section 3.2.2.1).
 */
static __always_inline __u16 answer_to(const struct q_segment *segment)
{
	return segment->ecn == ECN_CE ? CODE_UNCHANGED : code_of(segment->ecn);
}

/* A SYN-ACK arrives before the kernel has taken one: record what it grants, and give the kernel one of RFC 3168. */
static __always_inline void read_grant(struct __sk_buff *skb, struct q_segment *segment)
{
	__u16 code = segment->flags & ALL_FLAGS;
	struct q_accecn_open fresh = {
		.isn = bpf_ntohl(segment->tcp.seq),
		.agreed = 1,
		.no_ect = shows_a_change(code),
		.answer = answer_to(segment),
	};
	struct q_open_key key;

	q_open_key_of(&key, segment, 0);
	/* Granted by RFC 3168, not granted, or the SYN's flags sent back: the kernel knows these. It may have refused a
	 * SYN-ACK before, such as one with a wrong checksum. */
	if (code == Q_TCP_ECE || !code || code == ALL_FLAGS) {
		bpf_map_delete_elem(&q_accecn_opens, &key);
		return;
	}
	bpf_map_update_elem(&q_accecn_opens, &key, &fresh, BPF_ANY);
	q_segment_write_flags(skb, segment, (segment->flags & ~ALL_FLAGS) | Q_TCP_ECE);
}

static __always_inline void on_syn_ack(struct __sk_buff *skb, struct q_segment *segment, struct bpf_sock *sk)
{
	struct bpf_tcp_sock *known = bpf_tcp_sock(sk);
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	struct q_accecn_end *end;

	if (!known || !tp)
		return;
	if (sk->state == BPF_TCP_SYN_SENT) {
		if (runs_prague(tp) && q_answers_syn(segment, known))
			read_grant(skb, segment);
		return;
	}
	end = bpf_sk_storage_get(&q_accecn_ends, known, 0, 0);
	if (end)
		end->answer = answer_to(segment);
}

/*
 * The entry of this handshake was evicted, as by a flood of SYNs. The kernel then knows only RFC 3168, and would take
 * the peer's counter for ECE. A client sets a flag in the ACK of a SYN-ACK only if that granted Accurate ECN.
 */
static __always_inline struct q_accecn_open *restore_open(struct __sk_buff *skb, const struct q_segment *segment,
							  const struct q_open_key *key)
{
	struct q_accecn_open fresh = {.isn = bpf_ntohl(segment->tcp.seq) - 1, .asked = Q_ASKED_ACCECN, .agreed = 1};
	struct bpf_sock *sk = q_socket_of(skb, segment);
	struct tcp_sock *tp;

	if (!sk)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	/* With a SYN cookie there is only the listener. */
	if (sk->state == BPF_TCP_NEW_SYN_RECV || (sk->state == BPF_TCP_LISTEN && tp && accepts_with_prague(tp)))
		bpf_map_update_elem(&q_accecn_opens, key, &fresh, BPF_ANY);
	bpf_sk_release(sk);
	return bpf_map_lookup_elem(&q_accecn_opens, key);
}

/* The ACK of our SYN-ACK arrives, before there is a socket: what does it say of the SYN-ACK? */
static __always_inline void read_third_ack(struct __sk_buff *skb, const struct q_segment *segment)
{
	__u16 code = segment->flags & ALL_FLAGS;
	struct q_accecn_open *open;
	struct q_open_key key;

	q_open_key_of(&key, segment, 0);
	open = bpf_map_lookup_elem(&q_accecn_opens, &key);
	if (!open && code)
		open = restore_open(skb, segment, &key);
	if (!open || !open->agreed || open->isn + 1 != bpf_ntohl(segment->tcp.seq))
		return;
	open->no_ect |= !code || shows_a_change(code);
	open->deaf |= !code;
}

SEC("tc")
int q_prague_in(struct __sk_buff *skb)
{
	struct q_segment segment = {};
	struct tcp_sock *tp;
	struct bpf_sock *sk;
	int passes = 1;

	if (!q_segment_read(skb, &segment, q_attach.link_header_bytes) || (segment.flags & Q_TCP_RST))
		return TC_ACT_UNSPEC;
	if (!(segment.flags & Q_TCP_SYN)) {
		/* Without SACK blocks it has no options but a timestamp (section 3.2.2.1). */
		if (!segment.payload_bytes && segment.tcp_bytes <= Q_TCP_MIN_BYTES + Q_TCP_TIMESTAMP_BYTES)
			read_third_ack(skb, &segment);
		return TC_ACT_UNSPEC;
	}
	/* A bridge or a VLAN's device, where the device below is enabled too: the flags are the kernel's by now. */
	sk = skb->tc_index == READ_BELOW ? 0 : q_socket_of(skb, &segment);
	if (!sk)
		return TC_ACT_UNSPEC;
	skb->tc_index = READ_BELOW;
	if (segment.flags & Q_TCP_ACK) {
		on_syn_ack(skb, &segment, sk);
	} else if (sk->state == BPF_TCP_NEW_SYN_RECV) {
		passes = record_syn(skb, &segment, 0);
	} else if (sk->state == BPF_TCP_LISTEN) {
		tp = bpf_skc_to_tcp_sock(sk);
		if (tp && accepts_with_prague(tp))
			passes = record_syn(skb, &segment, 1);
	}
	bpf_sk_release(sk);
	return passes ? TC_ACT_UNSPEC : TC_ACT_SHOT;
}

/* ------------------------------------------------------------------------------------------------- after the SYNs */

/*
 * The ACK of a SYN-ACK has the handshake's code in place of the counter. Once data has arrived, the peer reads the
 * counter in every ACK, also in one that answers a late or forged SYN-ACK.
 */
static __always_inline void answer_syn_ack(struct __sk_buff *skb, struct q_segment *segment, const struct tcp_sock *tp,
					   struct q_accecn_end *end)
{
	if (!end->answer || segment->payload_bytes)
		return;
	if (!tp->bytes_received)
		q_segment_write_flags(skb, segment, (segment->flags & ~ALL_FLAGS) | end->answer);
	end->answer = 0;
}

SEC("tc")
int q_prague_out(struct __sk_buff *skb)
{
	struct bpf_sock *sk = skb->sk;
	struct tcp_sock *tp = sk ? bpf_skc_to_tcp_sock(sk) : 0;
	struct q_segment segment = {};
	struct q_accecn_end *end;

	if (!q_segment_read(skb, &segment, q_attach.link_header_bytes) || (segment.flags & Q_TCP_RST))
		return TC_ACT_UNSPEC;
	if (segment.flags & Q_TCP_SYN) {
		if (segment.flags & Q_TCP_ACK)
			grant_on_syn_ack(skb, &segment);
		else
			ask_on_syn(skb, &segment, tp);
		return TC_ACT_UNSPEC;
	}
	sk = sk ? bpf_sk_fullsock(sk) : 0;
	end = sk && tp ? bpf_sk_storage_get(&q_accecn_ends, sk, 0, 0) : 0;
	if (!end || q_ecn_mode(tp) != TCP_ECN_MODE_ACCECN)
		return TC_ACT_UNSPEC;
	answer_syn_ack(skb, &segment, tp, end);
	if (segment.ecn == ECN_ECT0)
		q_segment_write_ecn(skb, &segment, end->no_ect ? ECN_NOT_ECT : ECN_ECT1);
	return TC_ACT_UNSPEC;
}
