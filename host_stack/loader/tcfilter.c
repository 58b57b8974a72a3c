/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "objects.h"
#include "report.h"
#include "tcfilter.h"

/* Priorities where no other tool would look for a free place: high, so that filters of the user's come first. */
static const struct place {
	const char *program;
	enum bpf_tc_attach_point point;
	uint32_t priority;
} places[TCFILTER_COUNT] = {
	[TCFILTER_ISQ] = {"q_isq", BPF_TC_INGRESS, 20821},
	[TCFILTER_MECN_IN] = {"q_mecn_in", BPF_TC_INGRESS, 20822},
	[TCFILTER_MECN_OUT] = {"q_mecn_out", BPF_TC_EGRESS, 20822},
};
#define FILTER_HANDLE 1

static struct bpf_tc_hook hook_of(const char *device, enum bpf_tc_attach_point point)
{
	struct bpf_tc_hook hook;

	memset(&hook, 0, sizeof(hook));
	hook.sz = sizeof(hook);
	hook.ifindex = (int)if_nametoindex(device);
	hook.attach_point = point;
	return hook;
}

static struct bpf_tc_opts opts_of(enum tcfilter_kind kind)
{
	struct bpf_tc_opts opts;

	memset(&opts, 0, sizeof(opts));
	opts.sz = sizeof(opts);
	opts.handle = FILTER_HANDLE;
	opts.priority = places[kind].priority;
	return opts;
}

/* With both directions named libbpf makes and removes the qdisc itself. */
static struct bpf_tc_hook clsact_of(const char *device)
{
	return hook_of(device, BPF_TC_INGRESS | BPF_TC_EGRESS);
}

int tcfilter_attach(struct device_state *device, enum tcfilter_kind kind, int prog_fd)
{
	const struct place *place = &places[kind];
	struct bpf_tc_hook hook = hook_of(device->name, place->point), clsact = clsact_of(device->name);
	struct bpf_tc_opts opts = opts_of(kind);
	int error = bpf_tc_hook_create(&clsact);
	bool made_now = !error;

	if (error && error != -EEXIST)
		return fail("cannot add a clsact qdisc to %s: %s; the kernel needs CONFIG_NET_SCH_INGRESS",
			    device->name, strerror(-error));
	device->made_clsact = device->made_clsact || made_now;
	opts.prog_fd = prog_fd;
	error = bpf_tc_attach(&hook, &opts);
	if (error) {
		if (made_now)
			bpf_tc_hook_destroy(&clsact);
		if (error == -EEXIST)
			return fail("cannot attach %s to %s: another filter sits at priority %u; remove it with tc",
				    place->program, device->name, place->priority);
		return fail("cannot attach %s to %s: %s; the kernel needs CONFIG_NET_CLS_BPF", place->program,
			    device->name, strerror(-error));
	}
	if (kind == TCFILTER_ISQ)
		device->prog_id = opts.prog_id;
	return 0;
}

uint32_t tcfilter_query(const char *device, enum tcfilter_kind kind)
{
	struct bpf_tc_hook hook = hook_of(device, places[kind].point);
	struct bpf_tc_opts opts = opts_of(kind);

	if (!hook.ifindex || bpf_tc_query(&hook, &opts) || !objects_prog_is(opts.prog_id, places[kind].program))
		return 0;
	return opts.prog_id;
}

int tcfilter_detach(const struct device_state *device)
{
	struct bpf_tc_hook clsact = clsact_of(device->name);
	int count = 0;

	for (enum tcfilter_kind kind = 0; kind < TCFILTER_COUNT; kind++) {
		struct bpf_tc_hook hook = hook_of(device->name, places[kind].point);
		struct bpf_tc_opts opts = opts_of(kind);

		if (tcfilter_query(device->name, kind) && bpf_tc_detach(&hook, &opts) == 0)
			count++;
	}
	if (count && device->made_clsact)
		bpf_tc_hook_destroy(&clsact);
	return count;
}
