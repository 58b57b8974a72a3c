/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The rules of a namespace for ISQs, from the command line. */
#ifndef QUENCH_ISQ_RULES_H
#define QUENCH_ISQ_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "q_shared.h"

struct isq_request {
	/* Prefixes such as "10.0.0.0/8" or "10.0.0.1", or "any". If there are none, the rule does not change. */
	size_t from_count;
	const char *from[Q_MAX_ISQ_FROM];
	/* "0" to "255", or NULL. */
	const char *ttl_min;
	/* "check", "ignore", or NULL. */
	const char *identification;
};

/* The defaults: routers in private networks, any TTL, the identification is checked. */
void isq_rules_default(struct q_isq_rules *rules);

/* Does the request change any rule? */
bool isq_request_any(const struct isq_request *request);

/* Change the rules that the request names. Returns 0, or -1 after a message. */
int isq_rules_apply(const struct isq_request *request, struct q_isq_rules *rules);

/* Bytes that isq_prefix_format() writes at most. */
#define ISQ_PREFIX_TEXT_BYTES 20

/* Write a prefix as the command line takes it. */
void isq_prefix_format(const struct q_prefix *prefix, char text[ISQ_PREFIX_TEXT_BYTES]);

#endif
