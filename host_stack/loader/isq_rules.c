/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isq_rules.h"
#include "report.h"

/* RFC 1918, RFC 6598, and RFC 2544, whose addresses the switches of topologies/ have. */
static const char *const private_networks[] = {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10",
					       "198.18.0.0/15"};

/* Returns 0, or -1 if the text is no whole number up to `most`. */
static int parse_number(const char *text, unsigned int most, unsigned int *number)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > 3 || text[digits])
		return -1;
	*number = (unsigned int)strtoul(text, NULL, 10);
	return *number <= most ? 0 : -1;
}

static int parse_prefix(const char *text, struct q_prefix *prefix)
{
	char address[INET_ADDRSTRLEN];
	size_t address_bytes = strcspn(text, "/");
	unsigned int bits = 32;
	struct in_addr parsed;

	if (!strcmp(text, "any")) {
		*prefix = (struct q_prefix){0};
		return 0;
	}
	if (address_bytes >= sizeof(address))
		return -1;
	snprintf(address, sizeof(address), "%.*s", (int)address_bytes, text);
	if (inet_pton(AF_INET, address, &parsed) != 1 ||
	    (text[address_bytes] && parse_number(text + address_bytes + 1, 32, &bits)))
		return -1;
	prefix->mask = bits ? htonl(0xffffffffU << (32 - bits)) : 0;
	prefix->bits = parsed.s_addr;
	return prefix->bits & ~prefix->mask ? -1 : 0;
}

void isq_rules_default(struct q_isq_rules *rules)
{
	*rules = (struct q_isq_rules){.check_identification = 1};
	for (size_t i = 0; i < sizeof(private_networks) / sizeof(private_networks[0]); i++)
		parse_prefix(private_networks[i], &rules->from[rules->from_count++]);
}

bool isq_request_any(const struct isq_request *request)
{
	return request->from_count || request->ttl_min || request->identification;
}

int isq_rules_apply(const struct isq_request *request, struct q_isq_rules *rules)
{
	unsigned int ttl_min;

	if (request->from_count) {
		memset(rules->from, 0, sizeof(rules->from));
		for (size_t i = 0; i < request->from_count; i++)
			if (parse_prefix(request->from[i], &rules->from[i]))
				return fail("--isq-from %s: write an IPv4 address, a prefix such as 10.1.0.0/16 "
					    "without bits behind its length, or any",
					    request->from[i]);
		rules->from_count = (q_u32)request->from_count;
	}
	if (request->ttl_min) {
		if (parse_number(request->ttl_min, 255, &ttl_min))
			return fail("--isq-ttl-min %s: it takes a number from 0 to 255", request->ttl_min);
		rules->ttl_min = ttl_min;
	}
	if (request->identification) {
		bool check = !strcmp(request->identification, "check");

		if (!check && strcmp(request->identification, "ignore"))
			return fail("--isq-identification %s: it takes check or ignore", request->identification);
		rules->check_identification = check;
	}
	return 0;
}

void isq_prefix_format(const struct q_prefix *prefix, char text[ISQ_PREFIX_TEXT_BYTES])
{
	const struct in_addr address = {prefix->bits};
	char written[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &address, written, sizeof(written));
	snprintf(text, ISQ_PREFIX_TEXT_BYTES, "%s/%d", written, __builtin_popcount(prefix->mask));
}
