/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "csig_form.h"
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
static const struct algo *find_algo(const char *name)
{
	const struct algo *algo = algo_find(name);
	char names[ALGO_NAMES_BYTES];

	if (algo)
		return algo;
	algo_names(names, sizeof(names), ", ");
	fail("--algo %s: no such algorithm; choose one of %s", name, names);
	return NULL;
}

/* Can the device get the tags of the request? Returns 0, or -1 after a message. */
static int check_csig(const struct enable_request *request, const struct algo *algo, struct host_state *state)
{
	const struct device_state *device = state_device(state, request->device);
	enum q_csig_form form;
	uint32_t header_bytes;

	if (csig_form_of(request->csig, &form))
		return fail("--csig %s: it takes compact or wide", request->csig);
	if (!algo->elf_bytes)
		return fail("--csig %s: %s leaves TCP to the kernel; choose another algorithm", request->csig,
			    algo->name);
	if (link_header_bytes(request->device, &header_bytes))
		return -1;
	if (!header_bytes)
		return fail("--csig %s: packets of %s have no Ethernet header for a tag; leave it out", request->csig,
			    request->device);
	if (device && device->csig != form)
		return fail("--csig %s: %s is enabled %s%s: run `quench-host disable --dev %s` first", request->csig,
			    device->name, device->csig ? "with --csig " : "without", csig_form_name(device->csig),
			    device->name);
	return 0;
}

static int check_request(const struct enable_request *request, const struct algo *algo, struct host_state *state,
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
	if (request->csig && check_csig(request, algo, state))
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

/* The entry of a namespace in the map q_hosts, without its counters. */
struct host_config {
	struct q_cc_params params;
	struct q_isq_rules isq_rules;
};

/* The configuration after the request: the present one or the defaults, with the changes of the request. Returns 0, or
 * -1 after a message. */
static int make_config(const struct enable_request *request, uint64_t cookie, struct host_config *config)
{
	const char *problem;
	struct q_host host;

	q_cc_params_default(&config->params);
	isq_rules_default(&config->isq_rules);
	if (objects_host_read(cookie, &host) == 0)
		*config = (struct host_config){host.params, host.isq_rules};
	if (apply_settings(request, &config->params) || isq_rules_apply(&request->isq, &config->isq_rules))
		return -1;
	problem = q_cc_params_problem(&config->params);
	return problem ? fail("--set: %s", problem) : 0;
}

/* Returns the entry of the request's device in the state, or NULL after a message. */
static struct device_state *note_device(struct host_state *state, const struct enable_request *request)
{
	const char *name = request->device;
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
	if (request->csig)
		csig_form_of(request->csig, &device->csig);
	if (state->algo->elf_bytes)
		tcfilter_plan(device);
	return device;
}

/* Change the kernel's settings, programs and maps to those of the state. Returns 0, or -1 after a message. */
static int apply_state(struct host_state *state, struct device_state *device, const struct host_config *config)
{
	/* The state is on disk before the first change, so that every change can be undone after a crash. */
	if (state_save(state))
		return -1;
	if (state->algo->elf_bytes && (objects_register(state->algo) ||
				       objects_host_configure(state->cookie, &config->params, &config->isq_rules) ||
				       tcfilter_attach(device, state->algo, state->cookie) || state_save(state)))
		return -1;
	return set_sysctls(state);
}

static int enable_first(struct host_state *state, const struct enable_request *request,
			const struct host_config *config)
{
	if (remember_sysctls(state))
		return -1;
	if (apply_state(state, note_device(state, request), config)) {
		host_withdraw(state);
		return -1;
	}
	return 0;
}

static int enable_again(struct host_state *state, const struct enable_request *request,
			const struct host_config *config)
{
	size_t count_before = state->device_count;
	struct device_state *device = note_device(state, request);

	if (!device)
		return -1;
	if (apply_state(state, device, config)) {
		if (state->device_count > count_before) {
			tcfilter_detach(device);
			state->device_count = count_before;
			state_save(state);
			host_release_csig();
		}
		return -1;
	}
	return 0;
}

int command_enable(const struct enable_request *request)
{
	const struct algo *algo = find_algo(request->algo);
	struct host_state state;
	struct host_config config;
	uint64_t cookie;
	int known;

	if (!algo || state_lock())
		return -1;
	if (netns_cookie(&cookie))
		return -1;
	host_sweep();
	known = state_load(cookie, &state);
	/* All faults of the request are found before the first change. */
	if (make_config(request, cookie, &config))
		return -1;
	if (known < 0 || check_request(request, algo, &state, known))
		return -1;
	if (known)
		return enable_again(&state, request, &config);
	state.algo = algo;
	state.paper = request->paper;
	state.netns_inode = netns_inode();
	return enable_first(&state, request, &config);
}
