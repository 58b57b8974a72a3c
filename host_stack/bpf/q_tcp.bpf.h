/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * A congestion control of the kernel's TCP that calls a window algorithm of cc/.
 *
 * Each program file defines Q_ALGORITHM, an id of algorithms.h, includes this header, and ends with Q_STRUCT_OPS.
 * An algorithm with further needs defines hooks: Q_INIT_HOOK (returns 1 if it has handed the connection over to another
 * congestion control), Q_CWND_EVENT_HOOK, Q_MARKS_HOOK, Q_ACK_HOOK and Q_MARK_LEVEL.
 *
 * The signals of an ACK are collected in q_pending by set_state and in_ack_event. cong_control, which the kernel calls
 * last for each ACK, takes them and the ISQ of the socket's mailbox, and calls the algorithm once.
 *
 * Because there is a cong_control, the kernel itself neither grows nor reduces the window; it only sets it to one
 * packet when the retransmission timer fires. So the kernel's own reaction to ECE has no effect on the window, and
 * ssthresh() returns the present threshold.
 */
#ifndef QUENCH_Q_TCP_BPF_H
#define QUENCH_Q_TCP_BPF_H

#include "q_echo.bpf.h"
#include "q_maps.bpf.h"

char _license[] SEC("license") = "GPL";

/* Preprocessor constants of the kernel, which its BTF does not carry. */
#define TCP_ECN_QUEUE_CWR 2
#define TCP_INIT_CWND 10
#define TCP_CONG_NON_RESTRICTED 0x1
#define TCP_CONG_NEEDS_ECN 0x2

#define Q_PASTE(a, b, c) a##b##c
#define Q_NAME(before, id, after) Q_PASTE(before, id, after)
#define Q_ON_ACK Q_NAME(q_, Q_ALGORITHM, _on_ack)
#define Q_OBEYS_ISQ Q_NAME(Q_OBEYS_ISQ_, Q_ALGORITHM, )

#ifndef Q_INIT_HOOK
#define Q_INIT_HOOK(sk, host) 0
#endif
#ifndef Q_CWND_EVENT_HOOK
#define Q_CWND_EVENT_HOOK(sk, q, ca_event)
#endif
/* Reads marks that the kernel has counted itself. */
#ifndef Q_MARKS_HOOK
#define Q_MARKS_HOOK(sk, q, event)
#endif
#ifndef Q_ACK_HOOK
#define Q_ACK_HOOK(host, event)
#endif
/* The q_mark_level of an ACK that the kernel saw with ECE or without. */
#ifndef Q_MARK_LEVEL
#define Q_MARK_LEVEL(sk, ece) ((ece) ? Q_MARK_ECE : Q_MARK_NONE)
#endif

enum q_pending {
	Q_PENDING_ECE = 1 << 0,
	Q_PENDING_LOSS = 1 << 1,
	Q_PENDING_TIMEOUT = 1 << 2,
};

/* Lies in the socket's private area, icsk_ca_priv. */
struct q_tcp {
	struct q_cc cc;
	/* tp->delivered and tp->snd_una at the last ACK. */
	__u32 delivered;
	__u32 snd_una;
	/* The values last written to the socket. If the socket has others, the kernel has changed them: see q_adopt().
	 */
	__u32 written_cwnd;
	__u32 written_ssthresh;
	/* enum q_pending. */
	__u32 pending;
	/* Restart window after idle time (RFC 5681 section 4.1): the initial window. */
	__u32 restart_cwnd;
	/* State of a receiver that echoes each packet's mark. */
	struct q_echo echo;
	/* tp->delivered_ce at the last ACK. */
	__u32 delivered_ce;
};

_Static_assert(sizeof(struct q_tcp) <= sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv),
	       "the state must fit into the private area");

static __always_inline struct tcp_sock *q_tcp_sk(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static __always_inline struct inet_connection_sock *q_icsk(struct sock *sk)
{
	return (struct inet_connection_sock *)sk;
}

static __always_inline struct q_tcp *q_tcp_priv(struct sock *sk)
{
	return (struct q_tcp *)q_icsk(sk)->icsk_ca_priv;
}

static __always_inline struct q_host *q_host_of(struct sock *sk)
{
	__u64 cookie = sk->__sk_common.skc_net.net->net_cookie;

	return bpf_map_lookup_elem(&q_hosts, &cookie);
}

/* A socket can choose the algorithm in a namespace that is not enabled: it gets the default parameters. */
static __always_inline void q_params_of(const struct q_host *host, struct q_cc_params *params)
{
	if (host) {
		*params = host->params;
		return;
	}
	*params = (struct q_cc_params)Q_CC_PARAMS_DEFAULT;
}

static __always_inline __u32 q_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

static __always_inline int q_cwnd_limited(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return 1;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

/* Adopt the values that the kernel wrote since the last call, for instance after an undo or a path MTU probe. */
static __always_inline void q_adopt(struct q_tcp *q, const struct tcp_sock *tp)
{
	if (tp->snd_cwnd != q->written_cwnd)
		q->cc.cwnd_q24 = q_pkts(tp->snd_cwnd);
	if (tp->snd_ssthresh != q->written_ssthresh)
		q->cc.ssthresh_q24 = q_pkts(tp->snd_ssthresh);
}

static __always_inline void q_write_back(struct q_tcp *q, struct tcp_sock *tp, __u32 cwnd_pkts)
{
	__u32 ssthresh = q->cc.ssthresh_q24 >> Q_CWND_SHIFT;

	if (!cwnd_pkts)
		cwnd_pkts = 1;
	if (cwnd_pkts > tp->snd_cwnd_clamp) {
		cwnd_pkts = tp->snd_cwnd_clamp;
		q->cc.cwnd_q24 = q_pkts(cwnd_pkts);
	}
	tp->snd_cwnd = cwnd_pkts;
	tp->snd_ssthresh = ssthresh;
	q->written_cwnd = cwnd_pkts;
	q->written_ssthresh = ssthresh;
}

/* With cong_control the kernel does not set the pacing rate. The rate limits bursts and, under fq, the sending rate. */
static __always_inline void q_set_pacing_rate(struct sock *sk, const struct tcp_sock *tp)
{
	__u64 srtt_us = tp->srtt_us >> 3;
	__u64 window_pkts = tp->snd_cwnd > tp->packets_out ? tp->snd_cwnd : tp->packets_out;
	const struct netns_ipv4 *ipv4 = &sk->__sk_common.skc_net.net->ipv4;
	__u32 percent = tp->snd_cwnd < tp->snd_ssthresh / 2 ? ipv4->sysctl_tcp_pacing_ss_ratio
							    : ipv4->sysctl_tcp_pacing_ca_ratio;
	__u64 rate;

	if (!srtt_us)
		return;
	rate = tp->mss_cache * window_pkts * percent * 10000 / srtt_us;
	sk->sk_pacing_rate = rate < sk->sk_max_pacing_rate ? rate : sk->sk_max_pacing_rate;
}

static __always_inline void q_count_action(struct q_host *host, const struct q_cc_action *action)
{
	if (action->reacted & Q_SIG_ISQ_MARKED)
		q_count(host, Q_COUNTER_reactions_isq_marked);
	if (action->reacted & Q_SIG_ISQ_DROPPED)
		q_count(host, Q_COUNTER_reactions_isq_dropped);
	if (action->reacted & Q_SIG_ECE)
		q_count(host, Q_COUNTER_reactions_ece);
	if (action->reacted & Q_SIG_LOSS)
		q_count(host, Q_COUNTER_reactions_loss);
	if (action->reacted & Q_SIG_RTO)
		q_count(host, Q_COUNTER_reactions_rto);
	if (action->reacted & Q_SIG_INCIPIENT)
		q_count(host, Q_COUNTER_reactions_incipient);
	if (action->reacted & Q_SIG_MODERATE)
		q_count(host, Q_COUNTER_reactions_moderate);
	if (action->suppressed & (Q_SIG_ISQ_MARKED | Q_SIG_ISQ_DROPPED))
		q_count(host, Q_COUNTER_suppressed_isq);
	if (action->suppressed & Q_SIG_ECE)
		q_count(host, Q_COUNTER_suppressed_ece);
	if (action->suppressed & Q_SIG_LOSS)
		q_count(host, Q_COUNTER_suppressed_loss);
	if (action->suppressed & Q_SIG_INCIPIENT)
		q_count(host, Q_COUNTER_suppressed_incipient);
	if (action->suppressed & Q_SIG_MODERATE)
		q_count(host, Q_COUNTER_suppressed_moderate);
}

static __always_inline void q_count_pkts(struct q_host *host, const struct q_cc_event *event)
{
	if (!host)
		return;
	__sync_fetch_and_add(&host->counters[Q_COUNTER_pkts_marked], event->marked_pkts);
	if (event->acked_pkts > event->marked_pkts)
		__sync_fetch_and_add(&host->counters[Q_COUNTER_pkts_unmarked], event->acked_pkts - event->marked_pkts);
}

static __always_inline void q_fill_event(struct q_cc_event *event, const struct tcp_sock *tp)
{
	event->now_us = tp->tcp_mstamp;
	event->srtt_us = tp->srtt_us >> 3;
	event->snd_una = tp->snd_una;
	event->snd_nxt = tp->snd_nxt;
}

/* Take the ISQ out of the socket's mailbox. Returns its word; 0 if the mailbox is empty. */
static __always_inline __u32 q_take_isq(struct sock *sk)
{
	struct q_mailbox *mailbox = Q_OBEYS_ISQ ? bpf_sk_storage_get(&q_mailboxes, sk, 0, 0) : 0;

	return mailbox && mailbox->isq ? __sync_lock_test_and_set(&mailbox->isq, 0) : 0;
}

static __always_inline void q_open_mailbox(struct sock *sk)
{
	struct q_mailbox *mailbox = bpf_sk_storage_get(&q_mailboxes, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);

	if (mailbox)
		mailbox->ident_secret = bpf_get_prandom_u32();
}

SEC("struct_ops/q_init")
void BPF_PROG(q_init, struct sock *sk)
{
	struct q_host *host = q_host_of(sk);
	struct tcp_sock *tp = q_tcp_sk(sk);
	struct q_tcp *q = q_tcp_priv(sk);
	struct q_cc_params params;
	int under_way = tp->bytes_acked > 1;

	if (Q_INIT_HOOK(sk, host))
		return;
	q_params_of(host, &params);
	/* A socket that changes its algorithm during the connection keeps its window. */
	if (under_way)
		params.initial_cwnd_pkts = 0;
	q_newreno_init(&q->cc, &params, tp->snd_cwnd);
	q->cc.ssthresh_q24 = q_pkts(tp->snd_ssthresh);
	q->delivered = tp->delivered;
	q->delivered_ce = tp->delivered_ce;
	q->snd_una = tp->snd_una;
	q->pending = 0;
	q_echo_init(&q->echo, tp);
	q_write_back(q, tp, q->cc.cwnd_q24 >> Q_CWND_SHIFT);
	q->restart_cwnd = under_way ? TCP_INIT_CWND : tp->snd_cwnd;
	if (Q_OBEYS_ISQ)
		q_open_mailbox(sk);
	q_count(host, Q_COUNTER_connections);
}

SEC("struct_ops/q_release")
void BPF_PROG(q_release, struct sock *sk)
{
	if (Q_OBEYS_ISQ)
		bpf_sk_storage_delete(&q_mailboxes, sk);
}

SEC("struct_ops/q_ssthresh")
__u32 BPF_PROG(q_ssthresh, struct sock *sk)
{
	return q_tcp_sk(sk)->snd_ssthresh;
}

SEC("struct_ops/q_in_ack_event")
void BPF_PROG(q_in_ack_event, struct sock *sk, __u32 flags)
{
	if (flags & CA_ACK_ECE)
		q_tcp_priv(sk)->pending |= Q_PENDING_ECE;
}

SEC("struct_ops/q_set_state")
void BPF_PROG(q_set_state, struct sock *sk, __u8 new_state)
{
	struct tcp_sock *tp = q_tcp_sk(sk);
	struct q_tcp *q = q_tcp_priv(sk);

	if (new_state == TCP_CA_Recovery) {
		q->pending |= Q_PENDING_LOSS;
	} else if (new_state == TCP_CA_CWR && !(q->pending & Q_PENDING_ECE)) {
		/* Without ECE, the reason is a full local queue: a packet was lost on this host. */
		q->pending |= Q_PENDING_LOSS;
	} else if (new_state == TCP_CA_Loss) {
		struct q_host *host = q_host_of(sk);
		struct q_cc_event event = {};
		struct q_cc_action action;
		struct q_cc_params params;

		/* The kernel has set the window to one packet; q->cc has the window from before. */
		q_params_of(host, &params);
		q_fill_event(&event, tp);
		q_newreno_on_rto(&q->cc, &params, &event, &action);
		q->pending &= ~Q_PENDING_LOSS;
		q->written_cwnd = tp->snd_cwnd;
		tp->snd_ssthresh = q->cc.ssthresh_q24 >> Q_CWND_SHIFT;
		q->written_ssthresh = tp->snd_ssthresh;
		q_count_action(host, &action);
	}
}

SEC("struct_ops/q_cwnd_event")
void BPF_PROG(q_cwnd_event, struct sock *sk, enum tcp_ca_event ca_event)
{
	struct tcp_sock *tp = q_tcp_sk(sk);
	struct q_tcp *q = q_tcp_priv(sk);
	__u32 idle_jiffies = (__u32)bpf_jiffies64() - tp->lsndtime;
	__u32 rto_jiffies = q_icsk(sk)->icsk_rto;

	Q_CWND_EVENT_HOOK(sk, q, ca_event);
	if (ca_event != CA_EVENT_TX_START || tp->packets_out || !rto_jiffies || idle_jiffies <= rto_jiffies ||
	    !sk->__sk_common.skc_net.net->ipv4.sysctl_tcp_slow_start_after_idle)
		return;
	q_adopt(q, tp);
	q_newreno_on_idle(&q->cc, idle_jiffies / rto_jiffies, q->restart_cwnd);
	q_write_back(q, tp, q->cc.cwnd_q24 >> Q_CWND_SHIFT);
}

/* The other arguments differ between kernel versions, and are not used. */
SEC("struct_ops/q_cong_control")
void BPF_PROG(q_cong_control, struct sock *sk)
{
	struct q_host *host = q_host_of(sk);
	struct tcp_sock *tp = q_tcp_sk(sk);
	struct q_tcp *q = q_tcp_priv(sk);
	int in_recovery = BPF_CORE_READ_BITFIELD(q_icsk(sk), icsk_ca_state) == TCP_CA_Recovery;
	int progress = tp->snd_una != q->snd_una;
	__u32 isq = q_take_isq(sk);
	struct q_cc_event event = {};
	struct q_cc_action action;
	struct q_cc_params params;
	__u32 window_pkts;

	/* The kernel calls this for the ACK of the SYN before it calls init. */
	if (!BPF_CORE_READ_BITFIELD(q_icsk(sk), icsk_ca_initialized))
		return;
	q_params_of(host, &params);
	q_adopt(q, tp);
	q_fill_event(&event, tp);
	event.delivered_pkts = tp->delivered - q->delivered;
	event.acked_pkts = progress ? event.delivered_pkts : 0;
	event.acked_bytes = tp->snd_una - q->snd_una;
	event.marked_pkts = q->pending & Q_PENDING_ECE ? event.delivered_pkts : 0;
	event.isq_kind = Q_MAILBOX_KIND(isq);
	event.isq_level = Q_MAILBOX_LEVEL(isq);
	event.mark_level = Q_MARK_LEVEL(sk, q->pending & Q_PENDING_ECE);
	event.flags = (q->pending & Q_PENDING_LOSS ? Q_EV_LOSS : 0) | (in_recovery ? Q_EV_IN_RECOVERY : 0) |
		      (q_cwnd_limited(tp) ? Q_EV_CWND_LIMITED : 0);
	Q_MARKS_HOOK(sk, q, &event);
	Q_ON_ACK(&q->cc, &params, &event, &action);

	window_pkts = q->cc.cwnd_q24 >> Q_CWND_SHIFT;
	/* Fast retransmit: the lost packet is sent at once, although more than the reduced window is in flight. */
	if (in_recovery && (progress || (q->pending & Q_PENDING_LOSS)) && window_pkts <= q_in_flight(tp))
		window_pkts = q_in_flight(tp) + 1;
	q_write_back(q, tp, window_pkts);
	q->delivered = tp->delivered;
	q->snd_una = tp->snd_una;
	q->pending = 0;
	if (action.queue_cwr) {
		tp->ecn_flags |= TCP_ECN_QUEUE_CWR;
		q_count(host, Q_COUNTER_cwr_queued);
	}
	q_set_pacing_rate(sk, tp);
	q_count_action(host, &action);
	Q_ACK_HOOK(host, &event);
}

SEC("struct_ops/q_undo_cwnd")
__u32 BPF_PROG(q_undo_cwnd, struct sock *sk)
{
	struct tcp_sock *tp = q_tcp_sk(sk);
	struct q_tcp *q = q_tcp_priv(sk);

	q_adopt(q, tp);
	if (q_newreno_undo(&q->cc))
		q_count(q_host_of(sk), Q_COUNTER_reactions_undone);
	q->written_cwnd = q->cc.cwnd_q24 >> Q_CWND_SHIFT;
	return q->written_cwnd;
}

#define Q_STRUCT_OPS(algo, ops_flags)                                                                                  \
	SEC(".struct_ops")                                                                                             \
	struct tcp_congestion_ops algo = {                                                                             \
		.init = (void *)q_init,                                                                                \
		.release = (void *)q_release,                                                                          \
		.ssthresh = (void *)q_ssthresh,                                                                        \
		.in_ack_event = (void *)q_in_ack_event,                                                                \
		.set_state = (void *)q_set_state,                                                                      \
		.cwnd_event = (void *)q_cwnd_event,                                                                    \
		.cong_control = (void *)q_cong_control,                                                                \
		.undo_cwnd = (void *)q_undo_cwnd,                                                                      \
		.name = #algo,                                                                                         \
		.flags = TCP_CONG_NON_RESTRICTED | (ops_flags),                                                        \
	}

#endif /* QUENCH_Q_TCP_BPF_H */
