/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The entry points of the algorithms. Each BPF program includes the source of its algorithm, and needs no declaration.
 */
#ifndef QUENCH_ALGORITHMS_H
#define QUENCH_ALGORITHMS_H

#include "q_cc.h"

#ifndef __bpf__
void q_ecn_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
		  struct q_cc_action *action);
void q_becn_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
		   struct q_cc_action *action);
void q_ecn_becn_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
		       struct q_cc_action *action);
void q_ecn_mod_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
		      struct q_cc_action *action);
void q_mecn_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,
		   struct q_cc_action *action);
#endif

#endif /* QUENCH_ALGORITHMS_H */
