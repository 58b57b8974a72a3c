/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The functions of the native library: algorithms by name, and the common functions. */
#include "algorithms.h"
#include "newreno.h"
#include "text.h"

/* In ECN's absence ecn is NewReno. */
#define BUILT_IN(name, id, congestion_control) {name, q_##id##_on_ack, Q_ECN_OFF, Q_ECT_NEW_DATA, 0},
#define PROGRAM(name, id, program, second, ecn, ect, obeys_isq) {name, q_##id##_on_ack, ecn, ect, obeys_isq},

static const struct q_cc_ops algorithms[] = {Q_ALGORITHMS(BUILT_IN, PROGRAM)};

q_u32 q_cc_abi(void)
{
	return Q_CC_ABI;
}

const struct q_cc_ops *q_cc_at(q_u32 index)
{
	return index < sizeof(algorithms) / sizeof(algorithms[0]) ? &algorithms[index] : 0;
}

const struct q_cc_ops *q_cc_find(const char *name)
{
	const struct q_cc_ops *ops;

	for (q_u32 i = 0; (ops = q_cc_at(i)) != 0; i++)
		if (q_text_equal(ops->name, name))
			return ops;
	return 0;
}

void q_cc_init(struct q_cc *cc, const struct q_cc_params *params, q_u32 cwnd_pkts)
{
	q_newreno_init(cc, params, cwnd_pkts);
}

void q_cc_on_rto(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
		 struct q_cc_action *action)
{
	q_newreno_on_rto(cc, params, event, action);
}

int q_cc_undo(struct q_cc *cc)
{
	return q_newreno_undo(cc);
}

void q_cc_on_idle(struct q_cc *cc, q_u32 idle_rtos, q_u32 restart_pkts)
{
	q_newreno_on_idle(cc, idle_rtos, restart_pkts);
}
