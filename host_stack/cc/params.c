/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Parameters by name, with their ranges. */
#include <stddef.h>

#include "q_cc.h"
#include "text.h"

static const char *const off_on[] = {"off", "on"};
static const char *const hold_rules[] = {"none", "srtt", "first-new", "old-window"};
static const char *const cwr_rules[] = {"never", "isq-marked", "isq-any"};
static const char *const echo_rules[] = {"once", "until-reduced"};

#define MAX_PKTS (1U << 20)
#define NUMBER(field, low, high)                                                                                       \
	{                                                                                                              \
#field, offsetof(struct q_cc_params, field), low, high, 0, NULL                                        \
	}
#define CHOICE(field, names)                                                                                           \
	{                                                                                                              \
#field, offsetof(struct q_cc_params, field), 0, sizeof(names) / sizeof((names)[0]) - 1, 0, names       \
	}
#define FRACTION(name, low_q16, high_q16)                                                                              \
	{                                                                                                              \
#name, offsetof(struct q_cc_params, name##_q16), low_q16, high_q16, Q_FRACTION_BITS, NULL              \
	}

static const struct q_cc_param_info infos[] = {
	NUMBER(min_cwnd_pkts, 1, MAX_PKTS),
	NUMBER(min_ssthresh_pkts, 1, MAX_PKTS),
	NUMBER(max_cwnd_pkts, 0, MAX_PKTS),
	NUMBER(initial_cwnd_pkts, 0, MAX_PKTS),
	CHOICE(integer_cut, off_on),
	CHOICE(hold_rule, hold_rules),
	CHOICE(cwr_rule, cwr_rules),
	CHOICE(ece_opens_after_isq, off_on),
	CHOICE(ece_guard_srtt, off_on),
	CHOICE(isq_levels, off_on),
	FRACTION(isq_cut_min, 0, Q_FRACTION_ONE),
	FRACTION(isq_cut_max, 0, Q_FRACTION_ONE),
	FRACTION(alpha, 0, 2 * Q_FRACTION_ONE),
	FRACTION(beta, 0, 2 * Q_FRACTION_ONE),
	FRACTION(c1, 1, 4 * Q_FRACTION_ONE),
	FRACTION(c2, 1, 4 * Q_FRACTION_ONE),
	CHOICE(initial_slow_start, off_on),
	NUMBER(beta1_percent, 1, 99),
	NUMBER(beta2_percent, 1, 99),
	NUMBER(beta3_percent, 1, 99),
	CHOICE(echo_rule, echo_rules),
	FRACTION(g, 1, Q_FRACTION_ONE),
	NUMBER(virtual_rtt_us, 0, 1000000),
	NUMBER(virtual_rtt_rounds, 0, 65535),
};

void q_cc_params_default(struct q_cc_params *params)
{
	*params = (struct q_cc_params)Q_CC_PARAMS_DEFAULT;
}

const struct q_cc_param_info *q_cc_param_at(q_u32 index)
{
	return index < sizeof(infos) / sizeof(infos[0]) ? &infos[index] : NULL;
}

q_u32 q_cc_param_get(const struct q_cc_params *params, const struct q_cc_param_info *info)
{
	return *(const q_u32 *)((const char *)params + info->offset);
}

static int parse(const struct q_cc_param_info *info, const char *text, q_u32 *value)
{
	if (info->value_names)
		for (q_u32 i = info->min; i <= info->max; i++)
			if (q_text_equal(info->value_names[i - info->min], text)) {
				*value = i;
				return 0;
			}
	return q_text_decimal(text, info->fraction_bits, value) || *value < info->min || *value > info->max ? -1 : 0;
}

int q_cc_param_set(struct q_cc_params *params, const char *name, const char *value)
{
	const struct q_cc_param_info *info;

	for (q_u32 i = 0; (info = q_cc_param_at(i)) != NULL; i++) {
		q_u32 number;

		if (!q_text_equal(info->name, name))
			continue;
		if (parse(info, value, &number))
			return -2;
		*(q_u32 *)((char *)params + info->offset) = number;
		return 0;
	}
	return -1;
}

void q_cc_param_format(const struct q_cc_param_info *info, q_u32 value, char text[Q_CC_PARAM_TEXT_BYTES])
{
	const char *name = info->value_names ? info->value_names[value - info->min] : NULL;
	q_u32 i = 0;

	if (!name) {
		q_text_format(value, info->fraction_bits, text);
		return;
	}
	for (; name[i] && i + 1 < Q_CC_PARAM_TEXT_BYTES; i++)
		text[i] = name[i];
	text[i] = '\0';
}

const char *q_cc_params_problem(const struct q_cc_params *params)
{
	if (params->alpha_q16 >= params->beta_q16)
		return "alpha must be less than beta, or the window has no bound";
	if (params->isq_cut_min_q16 > params->isq_cut_max_q16)
		return "isq_cut_min must not be more than isq_cut_max";
	if (params->beta1_percent > params->beta2_percent || params->beta2_percent > params->beta3_percent)
		return "beta1_percent must not be more than beta2_percent, nor that more than beta3_percent";
	return NULL;
}
