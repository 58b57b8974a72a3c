/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * A receiver that echoes each packet's mark (RFC 8257 section 3.2): an ACK has ECE if the newest data packet had CE.
 * ACKs may be delayed while the mark stays the same. When it changes, the packets before are acknowledged first, with
 * the old ECE. The ECE flag is set anew for each data packet, so it does not matter that the kernel clears it on CWR
 * (RFC 3168).
 */
#ifndef QUENCH_Q_ECHO_BPF_H
#define QUENCH_Q_ECHO_BPF_H

/* Preprocessor constants of the kernel, which its BTF does not carry. */
#define TCP_ECN_DEMAND_CWR 4

static __always_inline void q_echo_set_ece(struct tcp_sock *tp, __u32 ce)
{
	if (ce)
		tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
	else
		tp->ecn_flags &= ~TCP_ECN_DEMAND_CWR;
}

/* State of the receiver, a part of struct q_tcp. */
struct q_echo {
	/* rcv_nxt after the newest data packet, and whether that packet had CE. */
	__u32 rcv_nxt;
	__u32 ce;
	/* rcv_nxt when an ACK with the old ECE was last sent. The kernel assumes that it acknowledged everything. */
	__u32 old_ece_rcv_nxt;
};

static __always_inline void q_echo_init(struct q_echo *echo, const struct tcp_sock *tp)
{
	echo->rcv_nxt = tp->rcv_nxt;
	echo->ce = 0;
	echo->old_ece_rcv_nxt = tp->rcv_nxt - 1;
}

/*
 * Is an ACK pending for data before the packet that is being received? The delayed-ACK timer does not show it: while a
 * process uses the socket, the kernel also defers ACKs that are due at once (net.ipv4.tcp_backlog_ack_defer).
 */
static __always_inline int q_echo_ack_pending(const struct inet_connection_sock *icsk, const struct tcp_sock *tp,
					      const struct q_echo *echo)
{
	if (echo->rcv_nxt == echo->old_ece_rcv_nxt)
		return icsk->icsk_ack.pending & ICSK_ACK_NOW;
	return (__s32)(echo->rcv_nxt - tp->rcv_wup) > 0;
}

static __always_inline void q_echo_on_event(struct sock *sk, enum tcp_ca_event ca_event, struct q_echo *echo)
{
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 ce = ca_event == CA_EVENT_ECN_IS_CE;

	if (ca_event != CA_EVENT_ECN_IS_CE && ca_event != CA_EVENT_ECN_NO_CE)
		return;
	if (echo->ce != ce) {
		if (q_echo_ack_pending(icsk, tp, echo)) {
			q_echo_set_ece(tp, echo->ce);
			bpf_tcp_send_ack(tp, echo->rcv_nxt);
			echo->old_ece_rcv_nxt = tp->rcv_nxt;
		}
		icsk->icsk_ack.pending |= ICSK_ACK_NOW;
	}
	echo->rcv_nxt = tp->rcv_nxt;
	echo->ce = ce;
	q_echo_set_ece(tp, ce);
}

#endif /* QUENCH_Q_ECHO_BPF_H */
