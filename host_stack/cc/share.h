/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The estimate of the share that is marked (RFC 8257 section 3.3): alpha, once per window of observation. */
#ifndef QUENCH_SHARE_H
#define QUENCH_SHARE_H

#include "newreno.h"

#define Q_ALPHA_BITS 24

/* No window has 4 GiB, since sequence numbers in flight are less than 2^31 apart. */
static inline void q_share_count(struct q_cc *cc, q_u32 all, q_u32 marked)
{
	cc->seen.all += all;
	cc->seen.marked += marked;
}

/* The first window ends with the first ACK. */
static inline int q_share_window_is_over(const struct q_cc *cc, const struct q_cc_event *event)
{
	return !(cc->flags & Q_CC_OBSERVES) || q_seq_after(event->snd_una, cc->window_end);
}

/* alpha = (1 - g) * alpha + g * share. */
static inline void q_share_estimate(struct q_cc *cc, q_u32 g_q16)
{
	q_u64 share_q24 = cc->seen.all ? ((q_u64)cc->seen.marked << Q_ALPHA_BITS) / cc->seen.all : 0;

	cc->alpha_q24 =
		(q_u32)((cc->alpha_q24 * (q_u64)(Q_FRACTION_ONE - g_q16) + share_q24 * g_q16) >> Q_FRACTION_BITS);
}

static inline void q_share_open_window(struct q_cc *cc, const struct q_cc_event *event)
{
	cc->seen.all = 0;
	cc->seen.marked = 0;
	cc->window_end = event->snd_nxt;
	cc->flags |= Q_CC_OBSERVES;
}

/* Half of the estimate, the cut for a mark, in q16. */
static inline q_u32 q_share_half(const struct q_cc *cc)
{
	return cc->alpha_q24 >> (Q_ALPHA_BITS - Q_FRACTION_BITS + 1);
}

#endif /* QUENCH_SHARE_H */
