/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* A simulated connection for the unit tests: packets of 1000 bytes, an RTT of 100 ms, the window is always the limit.
 */
#ifndef QUENCH_CC_LAB_H
#define QUENCH_CC_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "q_cc.h"

#define PACKET_BYTES 1000U
#define RTT_US 100000U

/* The algorithms that grow as NewReno and halve for a loss; ECN-mod has its own law. */
static const char *const window_algos[] = {"ecn", "becn", "ecn-becn", "mecn", "dctcp", "prague"};

#define FOR_EACH(name, names)                                                                                          \
	for (size_t i_ = 0; i_ < sizeof(names) / sizeof((names)[0]); i_++)                                             \
		for (const char *name = (names)[i_]; name; name = NULL)

/* xorshift64* (Marsaglia, Vigna): the same numbers on every machine. */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

struct lab {
	const struct q_cc_ops *ops;
	struct q_cc_params params;
	struct q_cc cc;
	struct q_cc_event event;
	struct q_cc_action action;
};

/* A connection in congestion avoidance at `cwnd` packets, all of which are in flight; seq is that of the first byte. */
static inline void lab_start(struct lab *lab, const char *algo, q_u32 cwnd, q_u32 seq)
{
	*lab = (struct lab){.ops = q_cc_find(algo)};
	assert_non_null(lab->ops);
	q_cc_params_default(&lab->params);
	q_cc_init(&lab->cc, &lab->params, cwnd);
	lab->cc.ssthresh_q24 = lab->cc.cwnd_q24;
	lab->event.now_us = 1000000;
	lab->event.srtt_us = RTT_US;
	lab->event.snd_una = seq;
	lab->event.snd_nxt = seq + cwnd * PACKET_BYTES;
	lab->event.flags = Q_EV_CWND_LIMITED;
}

static inline q_u32 lab_cwnd(const struct lab *lab)
{
	return (q_u32)(lab->cc.cwnd_q24 >> Q_CWND_SHIFT);
}

static inline q_u32 lab_ssthresh(const struct lab *lab)
{
	return (q_u32)(lab->cc.ssthresh_q24 >> Q_CWND_SHIFT);
}

static inline q_u32 lab_in_flight(const struct lab *lab)
{
	return (lab->event.snd_nxt - lab->event.snd_una) / PACKET_BYTES;
}

/* Process the prepared event, clear its one-time signals, and send the packets that the window allows. */
static inline void lab_process(struct lab *lab)
{
	lab->ops->on_ack(&lab->cc, &lab->params, &lab->event, &lab->action);
	lab->event.isq_kind = Q_ISQ_NONE;
	lab->event.isq_level = 0;
	lab->event.mark_level = Q_MARK_NONE;
	lab->event.flags &= (q_u8)~Q_EV_LOSS;
	lab->event.acked_pkts = 0;
	lab->event.acked_bytes = 0;
	lab->event.marked_pkts = 0;
	lab->event.delivered_pkts = 0;
	if (lab_in_flight(lab) < lab_cwnd(lab))
		lab->event.snd_nxt = lab->event.snd_una + lab_cwnd(lab) * PACKET_BYTES;
}

/* An ACK of `pkts` packets, `after_us` after the event before. */
static inline void lab_ack(struct lab *lab, q_u32 pkts, q_u32 after_us)
{
	lab->event.now_us += after_us;
	lab->event.snd_una += pkts * PACKET_BYTES;
	lab->event.acked_pkts = pkts;
	lab->event.delivered_pkts = pkts;
	lab->event.acked_bytes = pkts * PACKET_BYTES;
	lab_process(lab);
}

/* One ACK for each packet that is in flight now, spread over a round trip. */
static inline void lab_round_trip(struct lab *lab)
{
	q_u32 pkts = lab_in_flight(lab);

	for (q_u32 i = 0; i < pkts; i++)
		lab_ack(lab, 1, RTT_US / pkts);
}

#endif
