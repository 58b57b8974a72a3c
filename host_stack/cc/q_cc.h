/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * Window algorithms of a TCP sender that obeys ECN and ICMP source quench (ISQ).
 *
 * The same source is compiled into BPF for the kernel's TCP (../bpf/q_tcp.bpf.h), and natively for simulated TCP
 * (simulator/src/cc). So it is freestanding C: no libc, no allocation, no floating point, plain structs. The
 * caller owns all memory.
 *
 * In: struct q_cc_event, an ACK with the signals of congestion since the ACK before. Out: the window in struct q_cc,
 * and struct q_cc_action. Begin with becn.c, one algorithm, then newreno.h, which all algorithms share.
 *
 * A window is in packets, as an unsigned 64-bit fixed-point number with 24 fractional bits ("q24").
 * Sequence numbers are TCP's: 32 bits, bytes, modulo 2^32. Times are in microseconds of any monotonic clock.
 */
#ifndef QUENCH_Q_CC_H
#define QUENCH_Q_CC_H

/* The BPF build gets the fixed-width types from vmlinux.h, which cannot be mixed with stdint.h. */
#ifdef __bpf__
typedef __u8 q_u8;
typedef __u16 q_u16;
typedef __u32 q_u32;
typedef __u64 q_u64;
#define Q_CC_FN static __always_inline
/* A global BPF function, which the verifier checks once for all arguments, instead of at each call. */
#define Q_CC_SUBPROGRAM __noinline
#else
#include <stdint.h>
typedef uint8_t q_u8;
typedef uint16_t q_u16;
typedef uint32_t q_u32;
typedef uint64_t q_u64;
#define Q_CC_FN
#define Q_CC_SUBPROGRAM static inline
#endif

/* Raised whenever a struct of this header changes its layout or meaning. */
#define Q_CC_ABI 6

#define Q_CWND_SHIFT 24
#define Q_CWND_ONE (1ULL << Q_CWND_SHIFT)

/* Fractions among the parameters: 32 bits, 16 of them fractional ("q16"). */
#define Q_FRACTION_BITS 16
#define Q_FRACTION_ONE (1U << Q_FRACTION_BITS)

/* The largest congestion level of an ISQ. */
#define Q_ISQ_LEVEL_MAX 127U

/* The fate of the packet that an ISQ quotes. */
enum q_isq_kind {
	Q_ISQ_NONE = 0,
	Q_ISQ_MARKED = 1,
	Q_ISQ_DROPPED = 2,
};

/* Mark level echoed by the receiver in this ACK. RFC 3168 knows one level, ECE; Multilevel ECN knows two. */
enum q_mark_level {
	Q_MARK_NONE = 0,
	Q_MARK_ECE = 1,
	Q_MARK_INCIPIENT = 2,
	Q_MARK_MODERATE = 3,
};

/* Congestion signals, as bits. */
enum q_signal {
	Q_SIG_ISQ_MARKED = 1 << 0,
	Q_SIG_ISQ_DROPPED = 1 << 1,
	Q_SIG_ECE = 1 << 2,
	Q_SIG_LOSS = 1 << 3,
	Q_SIG_RTO = 1 << 4,
	Q_SIG_INCIPIENT = 1 << 5,
	Q_SIG_MODERATE = 1 << 6,
};

/* State of the connection when an ACK is processed, as bits of q_cc_event.flags. */
enum q_event_flag {
	/* Duplicate ACKs (or SACK) have just shown a loss: fast recovery begins with this ACK. */
	Q_EV_LOSS = 1 << 0,
	/* The connection is in fast recovery: the window does not grow. */
	Q_EV_IN_RECOVERY = 1 << 1,
	/* The window, not the application, limits what is sent: it may grow (RFC 7661). */
	Q_EV_CWND_LIMITED = 1 << 2,
	/* Accurate ECN is in use: marked_pkts is the receiver's count (RFC 9768). */
	Q_EV_ACCECN = 1 << 3,
};

/* The time for which the window does not grow after ISQ(marked). */
enum q_hold_rule {
	Q_HOLD_NONE = 0,
	/* For one smoothed RTT, measured by the clock. */
	Q_HOLD_SRTT = 1,
	/* The window does not grow until the first packet sent after the reduction is acknowledged. */
	Q_HOLD_FIRST_NEW = 2,
	/* The window does not grow until everything sent before the reduction is acknowledged. */
	Q_HOLD_OLD_WINDOW = 3,
};

/* The reductions, besides those for ECE and loss, after which the next new segment carries CWR. */
enum q_cwr_rule {
	Q_CWR_NEVER = 0,
	Q_CWR_ISQ_MARKED = 1,
	Q_CWR_ISQ_ANY = 2,
};

/* The packets in which a Multilevel ECN receiver echoes the level of a mark. */
enum q_echo_rule {
	/* The first packet that it sends after the marked packet arrived. */
	Q_ECHO_ONCE = 0,
	/* All packets until the sender reports a reduced window, as in RFC 3168. */
	Q_ECHO_UNTIL_REDUCED = 1,
};

/* The form of ECN that both ends must agree on when the connection begins. */
enum q_ecn {
	/* Nothing: the receiver takes no part. */
	Q_ECN_OFF,
	Q_ECN_RFC3168,
	/* Multilevel ECN, else RFC 3168. */
	Q_ECN_MECN,
	/* RFC 3168; the receiver then echoes each packet's mark (RFC 8257 section 3.2). */
	Q_ECN_ACCURATE,
	/* Accurate ECN (RFC 9768), else RFC 3168. */
	Q_ECN_ACCECN,
};

/* The packets of an algorithm's connections that are ECN-capable. */
enum q_ect {
	/* New data, once ECN is agreed on (RFC 3168). */
	Q_ECT_NEW_DATA,
	/* All packets, once ECN is agreed on. */
	Q_ECT_ALL,
	/* All packets, whether ECN is agreed on or not. */
	Q_ECT_UNAGREED,
	/* With Accurate ECN all packets, as ECT(1) (RFC 9331 section 4.1); with RFC 3168 new data, as ECT(0). */
	Q_ECT_L4S,
};

/* Parameters of an algorithm. The defaults, q_cc_params_default(), are those of the papers. */
struct q_cc_params {
	/* Least window after a reduction, in packets. */
	q_u32 min_cwnd_pkts;
	/* Least slow-start threshold after a reduction, in packets. */
	q_u32 min_ssthresh_pkts;
	/* Largest window, in packets; 0: no limit but Q_MAX_CWND_PKTS. */
	q_u32 max_cwnd_pkts;
	/* Window of a new connection, in packets; 0: the window that the caller passes to q_cc_init(). */
	q_u32 initial_cwnd_pkts;
	/* 1: a reduced window is rounded down to whole packets, as Linux and the ns-2 of 2001 do; 0: kept exact. */
	q_u32 integer_cut;
	/* enum q_hold_rule. */
	q_u32 hold_rule;
	/* enum q_cwr_rule. */
	q_u32 cwr_rule;
	/* 1: ACKs with ECE open the window if the last reduction was for an ISQ; 0: ACKs with ECE never do. */
	q_u32 ece_opens_after_isq;
	/* 1: no reaction to ECE within one smoothed RTT by the clock after any reduction; 0: only the window rule
	 * counts. */
	q_u32 ece_guard_srtt;
	/* 1: the cut for ISQ(marked) grows with the ISQ's level, straight from isq_cut_min at level 0 to isq_cut_max at
	 * Q_ISQ_LEVEL_MAX; 0: every ISQ halves. */
	q_u32 isq_levels;
	/* The cut, as a share of the window, for the lowest and the highest level. */
	q_u32 isq_cut_min_q16;
	q_u32 isq_cut_max_q16;
	/* ecn-mod: an unmarked packet adds c1 * cwnd^alpha packets, a marked one takes c2 * cwnd^beta; alpha < beta. */
	q_u32 alpha_q16;
	q_u32 beta_q16;
	q_u32 c1_q16;
	q_u32 c2_q16;
	/* ecn-mod: 1: a new connection begins with TCP's slow start; 0: it grows by c1 and alpha from the first ACK. */
	q_u32 initial_slow_start;
	/* mecn: what incipient congestion, moderate congestion and a loss take from the window, in percent. */
	q_u32 beta1_percent;
	q_u32 beta2_percent;
	q_u32 beta3_percent;
	/* mecn: enum q_echo_rule, of this end as a receiver. */
	q_u32 echo_rule;
	/* dctcp, prague: the weight of one window of data in the estimate of the marked share; above 0, at most 1. */
	q_u32 g_q16;
	/* prague: a shorter round trip counts as one of this length; 0: each counts as it is. */
	q_u32 virtual_rtt_us;
	/* prague: the windows of observation after slow start from which on it does. */
	q_u32 virtual_rtt_rounds;
};

/* The defaults, as an initialiser. */
#define Q_CC_PARAMS_DEFAULT                                                                                            \
	{                                                                                                              \
		.min_cwnd_pkts = 1, .min_ssthresh_pkts = 2, .integer_cut = 1, .hold_rule = Q_HOLD_SRTT,                \
		.cwr_rule = Q_CWR_ISQ_MARKED, .isq_cut_min_q16 = Q_FRACTION_ONE / 8,                                   \
		.isq_cut_max_q16 = Q_FRACTION_ONE / 2, .beta_q16 = Q_FRACTION_ONE, .c1_q16 = Q_FRACTION_ONE / 16,      \
		.c2_q16 = Q_FRACTION_ONE / 4, .initial_slow_start = 1, .beta1_percent = 20, .beta2_percent = 40,       \
		.beta3_percent = 50, .g_q16 = Q_FRACTION_ONE / 16, .virtual_rtt_us = 25000, .virtual_rtt_rounds = 500, \
	}

/* State of one connection. The caller reads cwnd_q24 and ssthresh_q24 after each call; the rest is private. */
struct q_cc {
	q_u64 cwnd_q24;
	q_u64 ssthresh_q24;
	/* Window before the last reduction for a loss; 0 when there is nothing that may be undone. */
	q_u64 undo_cwnd_q24;
	/* dctcp and prague never hold, for ISQs do not reach them. The kernel has room for 104 bytes of a connection,
	 * all told. */
	union {
		q_u64 hold_until_us;
		/* All that was delivered in this window of observation, and the marked part: for dctcp in bytes that
		 * were acknowledged, for prague in packets. */
		struct {
			q_u32 all;
			q_u32 marked;
		} seen;
	};
	q_u64 ece_guard_until_us;
	/* snd_nxt at the last reduction. */
	q_u32 cut_seq;
	/* snd_una at the last retransmission timeout. */
	q_u32 rto_seq;
	/* enum q_cc_flag, private. */
	q_u16 flags;
	/* prague: windows of observation after slow start, up to 65535. */
	q_u16 rounds;
	/* dctcp, prague: the estimate of the share that is marked, with 24 fractional bits. */
	q_u32 alpha_q24;
	/* dctcp, prague: snd_nxt when this window of observation began. */
	q_u32 window_end;
	/* prague: when it began, modulo 2^32. */
	q_u32 window_began_us;
};

/* An ACK that reached the sender, and the signals that arrived since the ACK before. */
struct q_cc_event {
	q_u64 now_us;
	/* Smoothed RTT; 0 before the first sample. */
	q_u32 srtt_us;
	/* After this ACK. */
	q_u32 snd_una;
	q_u32 snd_nxt;
	/* Packets that this ACK newly acknowledges; 0 if it does not move snd_una. */
	q_u32 acked_pkts;
	/* Bytes by which this ACK moves snd_una; SACK does not count (RFC 8257 section 3.3). */
	q_u32 acked_bytes;
	/* Packets that this ACK reports as delivered with a mark, including those beyond a gap. Exact only if the
	 * receiver counts them (Q_EV_ACCECN) or echoes each packet's mark (RFC 8257 section 3.2). */
	q_u32 marked_pkts;
	/* Packets that this ACK is the first to report as delivered, including those beyond a gap. */
	q_u32 delivered_pkts;
	/* enum q_isq_kind: the first ISQ that arrived since the last ACK. */
	q_u8 isq_kind;
	/* Congestion level of that ISQ, 0..127; 0 where the network does not use levels. */
	q_u8 isq_level;
	/* enum q_mark_level. */
	q_u8 mark_level;
	/* enum q_event_flag. */
	q_u8 flags;
};

/* The reaction of one call. */
struct q_cc_action {
	/* The q_signal that reduced the window, or 0. In ecn-mod, where marks count besides losses, there may be two.
	 */
	q_u32 reacted;
	/* q_signals that arrived but reduced nothing: one reaction per window. */
	q_u32 suppressed;
	/* 1: set CWR in the next new segment. */
	q_u32 queue_cwr;
};

#ifndef __bpf__
#ifdef __cplusplus
extern "C" {
#endif

/* One window algorithm; algorithms.h has them all. */
struct q_cc_ops {
	/* The name on the command line. */
	const char *name;
	/* Process one ACK. Sets *action. */
	void (*on_ack)(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
		       struct q_cc_action *action);
	/* A q_ecn. */
	q_u32 ecn;
	/* A q_ect. */
	q_u32 ect;
	/* 1: source quenches reach it. */
	q_u32 obeys_isq;
};

/* One settable parameter, for command lines and configuration files. */
struct q_cc_param_info {
	const char *name;
	/* Byte offset of the q_u32 in struct q_cc_params. */
	q_u32 offset;
	/* The limits are in units of 2^-fraction_bits. */
	q_u32 min;
	q_u32 max;
	/* 0 for whole numbers. */
	q_u32 fraction_bits;
	/* Names of the values min, min + 1, ...; NULL for a plain number. */
	const char *const *value_names;
};

/* Q_CC_ABI of the library, to be compared with that of the caller's header. */
q_u32 q_cc_abi(void);

/* The algorithm of that name, or NULL. */
const struct q_cc_ops *q_cc_find(const char *name);

/* The algorithms by index; NULL past the last. */
const struct q_cc_ops *q_cc_at(q_u32 index);

/* Set all parameters to the defaults. */
void q_cc_params_default(struct q_cc_params *params);

/* The parameters by index; NULL past the last. */
const struct q_cc_param_info *q_cc_param_at(q_u32 index);

/* Value of one parameter of params. */
q_u32 q_cc_param_get(const struct q_cc_params *params, const struct q_cc_param_info *info);

/*
 * Set a parameter from text (a decimal number, or the name of a value). Fractions are rounded to the nearest q16.
 * Returns 0; -1: no such parameter; -2: not a value that it can take.
 */
int q_cc_param_set(struct q_cc_params *params, const char *name, const char *value);

/* Bytes that q_cc_param_format() writes at most. */
#define Q_CC_PARAM_TEXT_BYTES 32

/* Write a value of that parameter as q_cc_param_set() takes it. */
void q_cc_param_format(const struct q_cc_param_info *info, q_u32 value, char text[Q_CC_PARAM_TEXT_BYTES]);

/* Check parameters that depend on each other. Returns the problem in one line, or NULL. */
const char *q_cc_params_problem(const struct q_cc_params *params);

/* A new connection that may send cwnd_pkts packets and has no slow-start threshold yet. */
void q_cc_init(struct q_cc *cc, const struct q_cc_params *params, q_u32 cwnd_pkts);

/* The retransmission timer has fired: the window becomes one packet. Sets *action. */
void q_cc_on_rto(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
		 struct q_cc_action *action);

/* The last reduction for a loss turned out to be needless: restore the window. Returns 1 if something was restored. */
int q_cc_undo(struct q_cc *cc);

/* Nothing was sent for idle_rtos retransmission timeouts: shrink to no less than restart_pkts (RFC 5681 section 4.1).
 */
void q_cc_on_idle(struct q_cc *cc, q_u32 idle_rtos, q_u32 restart_pkts);

#ifdef __cplusplus
}
#endif
#endif /* !__bpf__ */

#endif /* QUENCH_Q_CC_H */
