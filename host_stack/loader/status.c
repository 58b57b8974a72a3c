/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "csig.h"
#include "csig_form.h"
#include "isq_rules.h"
#include "netns.h"
#include "objects.h"
#include "offload.h"
#include "report.h"
#include "tcfilter.h"

#define COUNTER_NAME(name) #name,
static const char *const counter_names[Q_COUNTER_COUNT] = {Q_COUNTERS(COUNTER_NAME)};
#undef COUNTER_NAME

struct status {
	uint64_t cookie;
	bool enabled;
	/* There are parameters and counters. Not so for plain, which has no BPF program. */
	bool has_host;
	struct host_state state;
	struct q_host host;
	struct sysctl congestion_control;
	struct sysctl tcp_ecn;
};

static void print_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if ((unsigned char)*text < 0x20)
			printf("\\u%04x", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

static bool receives_isq(const struct status *status, const struct device_state *device)
{
	const struct algo *algo = status->state.algo;

	return algo->elf_bytes && tcfilter_query(device->name, TCFILTER_ISQ) &&
	       (!algo->obeys_isq || tcfilter_query(device->name, TCFILTER_IDENT_OUT));
}

static bool speaks_mecn(const struct device_state *device)
{
	return tcfilter_query(device->name, TCFILTER_MECN_IN) && tcfilter_query(device->name, TCFILTER_MECN_OUT);
}

static bool speaks_accecn(const struct device_state *device)
{
	return tcfilter_query(device->name, TCFILTER_PRAGUE_IN) && tcfilter_query(device->name, TCFILTER_PRAGUE_OUT);
}

/* The format of the tags that the device's packets get; Q_CSIG_NONE if a program is missing. */
static enum q_csig_form speaks_csig(const struct device_state *device)
{
	return device->csig && tcfilter_query(device->name, TCFILTER_CSIG_IN) &&
			       tcfilter_query(device->name, TCFILTER_CSIG_OUT) && csig_is_attached(device->name)
		       ? device->csig
		       : Q_CSIG_NONE;
}

static void print_device_json(const struct status *status, const struct device_state *device)
{
	const char *offloads[MAX_OFFLOADS];
	size_t count = offloads_on(device->name, offloads);
	enum q_csig_form csig = speaks_csig(device);

	printf("    {\"dev\": ");
	print_string(device->name);
	printf(", \"present\": %s, \"receives_isq\": %s, \"speaks_mecn\": %s, \"speaks_accecn\": %s, \"csig\": ",
	       if_nametoindex(device->name) ? "true" : "false", receives_isq(status, device) ? "true" : "false",
	       speaks_mecn(device) ? "true" : "false", speaks_accecn(device) ? "true" : "false");
	if (csig)
		print_string(csig_form_name(csig));
	else
		printf("null");
	printf(", \"offloads_on\": [");
	for (size_t i = 0; i < count; i++)
		printf("%s\"%s\"", i ? ", " : "", offloads[i]);
	printf("]}");
}

static void print_params_json(const struct status *status)
{
	const struct q_cc_param_info *info;
	char text[Q_CC_PARAM_TEXT_BYTES];

	printf("  \"params\": {");
	for (q_u32 i = 0; status->has_host && (info = q_cc_param_at(i)) != NULL; i++) {
		q_cc_param_format(info, q_cc_param_get(&status->host.params, info), text);
		printf("%s\n    \"%s\": ", i ? "," : "", info->name);
		if (info->value_names)
			print_string(text);
		else
			printf("%s", text);
	}
	printf("%s},\n", status->has_host ? "\n  " : "");
}

static void print_isq_rules_json(const struct status *status)
{
	const struct q_isq_rules *rules = &status->host.isq_rules;
	char text[ISQ_PREFIX_TEXT_BYTES];

	printf("  \"isq_rules\": {");
	if (status->has_host) {
		printf("\n    \"from\": [");
		for (q_u32 i = 0; i < rules->from_count && i < Q_MAX_ISQ_FROM; i++) {
			isq_prefix_format(&rules->from[i], text);
			printf("%s\"%s\"", i ? ", " : "", text);
		}
		printf("],\n    \"ttl_min\": %u,\n    \"identification\": \"%s\"\n  ", rules->ttl_min,
		       rules->check_identification ? "check" : "ignore");
	}
	printf("},\n");
}

static const char *const question_names[Q_CSIG_QUESTIONS] = {
	[Q_CSIG_DELAY] = "delay", [Q_CSIG_BANDWIDTH] = "bandwidth"};

static void print_csig_json(const struct status *status)
{
	printf("  \"csig\": {");
	for (size_t i = 0; status->has_host && i < Q_CSIG_QUESTIONS; i++) {
		q_u64 answer = status->host.csig_answers[i];

		printf("%s\n    \"%s\": ", i ? "," : "", question_names[i]);
		if (answer)
			printf("{\"number\": %u, \"locator\": %u}", Q_CSIG_NUMBER(answer), Q_CSIG_LOCATOR(answer));
		else
			printf("null");
	}
	printf("%s},\n", status->has_host ? "\n  " : "");
}

static void print_counters_json(const struct status *status)
{
	printf("  \"counters\": {");
	for (size_t i = 0; status->has_host && i < Q_COUNTER_COUNT; i++)
		printf("%s\n    \"%s\": %" PRIu64, i ? "," : "", counter_names[i], (uint64_t)status->host.counters[i]);
	printf("%s}\n", status->has_host ? "\n  " : "");
}

static void print_json(const struct status *status)
{
	printf("{\n  \"enabled\": %s,\n  \"algo\": ", status->enabled ? "true" : "false");
	if (status->enabled)
		print_string(status->state.algo->name);
	else
		printf("null");
	printf(",\n  \"paper\": %s,\n  \"registered\": %s,\n  \"congestion_control\": ",
	       status->enabled && status->state.paper ? "true" : "false",
	       status->enabled && objects_registered(status->state.algo) ? "true" : "false");
	print_string(status->congestion_control.value);
	printf(",\n  \"tcp_ecn\": %s,\n  \"netns_cookie\": %" PRIu64 ",\n  \"devices\": [", status->tcp_ecn.value,
	       status->cookie);
	for (size_t i = 0; i < status->state.device_count; i++) {
		printf("%s\n", i ? "," : "");
		print_device_json(status, &status->state.devices[i]);
	}
	printf("%s],\n", status->state.device_count ? "\n  " : "");
	print_params_json(status);
	print_isq_rules_json(status);
	print_csig_json(status);
	print_counters_json(status);
	printf("}\n");
}

static void print_device_text(const struct status *status, const struct device_state *device)
{
	const char *offloads[MAX_OFFLOADS];
	size_t count = offloads_on(device->name, offloads);

	printf("device  %s%s", device->name, if_nametoindex(device->name) ? "" : " (gone)");
	if (status->state.algo->elf_bytes)
		printf(", %s", receives_isq(status, device) ? "receives ISQs" : "does not receive ISQs");
	if (status->state.algo->multilevel)
		printf(", %s", speaks_mecn(device) ? "speaks Multilevel ECN" : "does not speak Multilevel ECN");
	if (status->state.algo->accecn)
		printf(", %s", speaks_accecn(device) ? "speaks Accurate ECN" : "does not speak Accurate ECN");
	if (device->csig)
		printf(", %s tags of CSIG", speaks_csig(device) ? csig_form_name(device->csig) : "no");
	for (size_t i = 0; i < count; i++)
		printf("%s%s", i ? " " : ", offloads on: ", offloads[i]);
	putchar('\n');
}

static void print_isq_rules_text(const struct q_isq_rules *rules)
{
	char text[ISQ_PREFIX_TEXT_BYTES];

	printf("isq     from");
	for (q_u32 i = 0; i < rules->from_count && i < Q_MAX_ISQ_FROM; i++) {
		isq_prefix_format(&rules->from[i], text);
		printf(" %s", text);
	}
	printf(", ttl-min %u, identification %s\n", rules->ttl_min, rules->check_identification ? "check" : "ignore");
}

static void print_text(const struct status *status)
{
	const struct q_cc_param_info *info;
	char text[Q_CC_PARAM_TEXT_BYTES];

	if (!status->enabled) {
		printf("not enabled; congestion control %s, tcp_ecn %s\n", status->congestion_control.value,
		       status->tcp_ecn.value);
		return;
	}
	printf("algo    %s%s, congestion control %s, tcp_ecn %s\n", status->state.algo->name,
	       status->state.paper ? " --paper" : "", status->congestion_control.value, status->tcp_ecn.value);
	for (size_t i = 0; i < status->state.device_count; i++)
		print_device_text(status, &status->state.devices[i]);
	for (q_u32 i = 0; status->has_host && (info = q_cc_param_at(i)) != NULL; i++) {
		q_cc_param_format(info, q_cc_param_get(&status->host.params, info), text);
		printf("param   %s=%s\n", info->name, text);
	}
	if (status->has_host)
		print_isq_rules_text(&status->host.isq_rules);
	for (size_t i = 0; status->has_host && i < Q_CSIG_QUESTIONS; i++)
		if (status->host.csig_answers[i])
			printf("csig    %s %u, by %u\n", question_names[i], Q_CSIG_NUMBER(status->host.csig_answers[i]),
			       Q_CSIG_LOCATOR(status->host.csig_answers[i]));
	for (size_t i = 0; status->has_host && i < Q_COUNTER_COUNT; i++)
		if (status->host.counters[i])
			printf("count   %-28s %" PRIu64 "\n", counter_names[i], (uint64_t)status->host.counters[i]);
}

int command_status(bool json)
{
	struct status status = {.congestion_control = {.name = "tcp_congestion_control"},
				.tcp_ecn = {.name = "tcp_ecn"}};
	int known;

	if (netns_cookie(&status.cookie))
		return -1;
	known = state_load(status.cookie, &status.state);
	if (known < 0)
		return -1;
	if (sysctl_read(&status.congestion_control) || sysctl_read(&status.tcp_ecn))
		return fail("cannot read net.ipv4.tcp_congestion_control and tcp_ecn: mount /proc");
	status.enabled = known;
	status.has_host = known && status.state.algo->elf_bytes && objects_host_read(status.cookie, &status.host) == 0;
	if (json)
		print_json(&status);
	else
		print_text(&status);
	return 0;
}
