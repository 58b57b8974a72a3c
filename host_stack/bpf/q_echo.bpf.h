/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * A receiver that echoes each packet's mark (RFC 8257 3.2): ECE in an ACK says whether the newest data packet bore CE.
 * ACKs may be delayed while that stays the same; when it changes, what is owed is acknowledged first, with the old ECE.
 * Each data packet decides anew, so the CWR of RFC 3168, which the kernel takes for the end of ECE, changes nothing.
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

/* A data packet is being received. *prior_rcv_nxt is rcv_nxt before it, *ce whether the packet before it bore CE. */
static __always_inline void q_echo_on_data(struct sock *sk, enum tcp_ca_event ca_event, __u32 *prior_rcv_nxt, __u32 *ce)
{
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	__u32 now_ce = ca_event == CA_EVENT_ECN_IS_CE;

	if (ca_event != CA_EVENT_ECN_IS_CE && ca_event != CA_EVENT_ECN_NO_CE)
		return;
	if (*ce != now_ce) {
		if (icsk->icsk_ack.pending & ICSK_ACK_TIMER) {
			q_echo_set_ece(tp, *ce);
			bpf_tcp_send_ack(tp, *prior_rcv_nxt);
		}
		icsk->icsk_ack.pending |= ICSK_ACK_NOW;
	}
	*prior_rcv_nxt = tp->rcv_nxt;
	*ce = now_ce;
	q_echo_set_ece(tp, now_ce);
}

#endif /* QUENCH_Q_ECHO_BPF_H */
