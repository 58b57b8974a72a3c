/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * A congestion control whose receiver echoes each packet's mark. A program defines Q_ALGORITHM and Q_ECHO_NAME,
 * and includes this header instead of q_tcp.bpf.h.
 *
 * It consists of two congestion controls. The kernel reports CE only to a congestion
 * control with the flag TCP_CONG_NEEDS_ECN. But that flag also sets ECT on the SYN, and a standard receiver answers
 * such a SYN by refusing ECN. So a connection begins with the first, which lacks the flag and negotiates ECN by RFC
 * 3168. Once ECN is negotiated, the connection goes on with the second, which has the flag
 * (docs/decisions/0013-two-for-ecn-mod.md).
 */
#ifndef QUENCH_Q_ACCURATE_BPF_H
#define QUENCH_Q_ACCURATE_BPF_H

#define Q_INIT_HOOK(sk, host) q_accurate_hand_over(sk, host)
#define Q_CWND_EVENT_HOOK(sk, q, ca_event) q_echo_on_event(sk, ca_event, &(q)->echo)
#define Q_ACK_HOOK(host, event) q_count_pkts(host, event)

struct q_host;
static int q_accurate_hand_over(struct sock *sk, struct q_host *host);

#include "q_tcp.bpf.h"

#define SOL_TCP 6
#define TCP_CONGESTION 13
#define TCP_ECN_OK 1

/* Returns 1 if the connection goes on with the second congestion control, which is initialised by the change. */
static __always_inline int q_accurate_hand_over(struct sock *sk, struct q_host *host)
{
	char echo[] = Q_ECHO_NAME;

	if (q_icsk(sk)->icsk_ca_ops->flags & TCP_CONG_NEEDS_ECN) {
		q_count(host, Q_COUNTER_connections_echoing);
		return 0;
	}
	if (!(q_tcp_sk(sk)->ecn_flags & TCP_ECN_OK))
		return 0;
	return bpf_setsockopt(sk, SOL_TCP, TCP_CONGESTION, echo, sizeof(echo)) == 0;
}

#define Q_ACCURATE_STRUCT_OPS(algo)                                                                                    \
	Q_STRUCT_OPS(algo, 0);                                                                                         \
	Q_STRUCT_OPS(algo##_echo, TCP_CONG_NEEDS_ECN)

#endif /* QUENCH_Q_ACCURATE_BPF_H */
