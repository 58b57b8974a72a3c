/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "link.h"
#include "netns.h"
#include "objects.h"
#include "report.h"
#include "tcfilter.h"

static void list_values(const struct q_cc_param_info *info, char *text, size_t size)
{
	size_t used = 0;

	if (!info->value_names) {
		char low[Q_CC_PARAM_TEXT_BYTES], high[Q_CC_PARAM_TEXT_BYTES];

		q_cc_param_format(info, info->min, low);
		q_cc_param_format(info, info->max, high);
		snprintf(text, size, "a number from %s to %s", low, high);
		return;
	}
	for (q_u32 i = info->min; i <= info->max && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i == info->min ? "" : ", ",
					 info->value_names[i - info->min]);
}

static int bad_setting(const char *setting, const char *name)
{
	const struct q_cc_param_info *info;
	char text[512] = "";
	size_t used = 0;

	for (q_u32 i = 0; (info = q_cc_param_at(i)) != NULL; i++) {
		if (!strcmp(info->name, name)) {
			list_values(info, text, sizeof(text));
			return fail("--set %s: %s takes %s", setting, name, text);
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "", info->name);
	}
	return fail("--set %s: no such parameter; there are %s", setting, text);
}

static int apply_settings(const struct enable_request *request, struct q_cc_params *params)
{
	for (size_t i = 0; i < request->setting_count; i++) {
		const char *setting = request->settings[i];
		const char *equals = strchr(setting, '=');
		char name[64];

		if (!equals || equals == setting || (size_t)(equals - setting) >= sizeof(name))
			return fail("--set %s: write it as param=value", setting);
		snprintf(name, sizeof(name), "%.*s", (int)(equals - setting), setting);
		if (q_cc_param_set(params, name, equals + 1))
			return bad_setting(setting, name);
	}
	return 0;
}

/* Find the algorithm by its name. Returns NULL after a message. */
static const struct algo *wanted_algo(const char *name)
{
	const struct algo *algo = algo_find(name);
	char names[128] = "";
	size_t used = 0;

	if (algo)
		return algo;
	for (size_t i = 0; (algo = algo_at(i)) != NULL; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", algo->name);
	fail("--algo %s: no such algorithm; choose one of %s", name, names);
	return NULL;
}

static int check_request(const struct enable_request *request, const struct algo *algo, const struct host_state *state,
			 int known)
{
	uint32_t header_bytes;

	if (!if_nametoindex(request->device))
		return fail("--dev %s: no such device in this network namespace; see `ip link`", request->device);
	if (!algo->elf_bytes && request->setting_count)
		return fail("--set %s: %s has no parameters; leave --set out", request->settings[0], algo->name);
	if (!algo->elf_bytes && isq_request_any(&request->isq))
		return fail("--isq-...: %s takes no notice of ISQs; leave it out", algo->name);
	if (algo->elf_bytes && link_header_bytes(request->device, &header_bytes))
		return -1;
	if (known && state->algo != algo)
		return fail("this namespace already runs %s on %s: run `quench-host disable --dev %s` first",
			    state->algo->name, state->devices[0].name, state->devices[0].name);
	if (known && state->paper != request->paper)
		return fail("this namespace already runs %s %s --paper: run `quench-host disable --dev %s` first",
			    state->algo->name, state->paper ? "with" : "without", state->devices[0].name);
	return 0;
}

static int set_sysctls(const struct host_state *state)
{
	struct sysctl wanted[MAX_SYSCTLS];
	size_t count = sysctls_wanted(state->algo, state->paper, wanted);

	for (size_t i = 0; i < count; i++)
		if (sysctl_write(&wanted[i]))
			return fail("cannot set net.ipv4.%s to %s: %s", wanted[i].name, wanted[i].value,
				    strerror(errno));
	return 0;
}

static int remember_sysctls(struct host_state *state)
{
	state->sysctl_count = sysctls_wanted(state->algo, state->paper, state->sysctls);
	if (state->sysctl_count < 2)
		return fail("cannot read net.ipv4.tcp_congestion_control and tcp_ecn: mount /proc");
	for (size_t i = 0; i < state->sysctl_count; i++)
		if (sysctl_read(&state->sysctls[i]))
			return fail("cannot read net.ipv4.%s: %s", state->sysctls[i].name, strerror(errno));
	return 0;
}

struct wanted {
	struct q_cc_params params;
	struct q_isq_rules isq_rules;
};

/* What is to be: what is in force, or the defaults, with what the request names. Returns 0, or -1 after a message. */
static int find_wanted(const struct enable_request *request, uint64_t cookie, struct wanted *wanted)
{
	const char *problem;
	struct q_host host;

	q_cc_params_default(&wanted->params);
	isq_rules_default(&wanted->isq_rules);
	if (objects_host_read(cookie, &host) == 0)
		*wanted = (struct wanted){host.params, host.isq_rules};
	if (apply_settings(request, &wanted->params) || isq_rules_apply(&request->isq, &wanted->isq_rules))
		return -1;
	problem = q_cc_params_problem(&wanted->params);
	return problem ? fail("--set: %s", problem) : 0;
}

/* Returns the device's entry in the state, or NULL after a message. */
static struct device_state *note_device(struct host_state *state, const char *name)
{
	struct device_state *device = state_device(state, name);

	if (device)
		return device;
	if (state->device_count == MAX_DEVICES) {
		fail("--dev %s: at most %d devices in a namespace", name, MAX_DEVICES);
		return NULL;
	}
	device = &state->devices[state->device_count++];
	*device = (struct device_state){0};
	snprintf(device->name, sizeof(device->name), "%s", name);
	if (state->algo->elf_bytes)
		tcfilter_plan(device);
	return device;
}

/* Make the kernel what the state says. Returns 0, or -1 after a message. */
static int bring_up(struct host_state *state, struct device_state *device, const struct wanted *wanted)
{
	/* On disk before the first change, so that a crash in between leaves nothing unknown. */
	if (state_save(state))
		return -1;
	if (state->algo->elf_bytes && (objects_register(state->algo) ||
				       objects_host_configure(state->cookie, &wanted->params, &wanted->isq_rules) ||
				       tcfilter_attach(device, state->algo, state->cookie) || state_save(state)))
		return -1;
	return set_sysctls(state);
}

static int enable_first(struct host_state *state, const char *name, const struct wanted *wanted)
{
	if (remember_sysctls(state))
		return -1;
	if (bring_up(state, note_device(state, name), wanted)) {
		host_withdraw(state);
		return -1;
	}
	return 0;
}

static int enable_again(struct host_state *state, const char *name, const struct wanted *wanted)
{
	size_t count_before = state->device_count;
	struct device_state *device = note_device(state, name);

	if (!device)
		return -1;
	if (bring_up(state, device, wanted)) {
		if (state->device_count > count_before) {
			tcfilter_detach(device);
			state->device_count = count_before;
			state_save(state);
		}
		return -1;
	}
	return 0;
}

int command_enable(const struct enable_request *request)
{
	const struct algo *algo = wanted_algo(request->algo);
	struct host_state state;
	struct wanted wanted;
	uint64_t cookie;
	int known;

	if (!algo || state_lock())
		return -1;
	if (netns_cookie(&cookie))
		return fail("cannot tell the network namespace apart: %s; needs Linux 5.14 or later", strerror(errno));
	host_sweep();
	known = state_load(cookie, &state);
	/* Before anything changes. */
	if (find_wanted(request, cookie, &wanted))
		return -1;
	if (known < 0 || check_request(request, algo, &state, known))
		return -1;
	if (known)
		return enable_again(&state, request->device, &wanted);
	state.algo = algo;
	state.paper = request->paper;
	state.netns_inode = netns_inode();
	return enable_first(&state, request->device, &wanted);
}
