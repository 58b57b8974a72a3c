/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "objects.h"
#include "report.h"
#include "tcfilter.h"

/* Where no other tool would look for a free place: high, so that filters of the user's come first. */
#define FILTER_PRIORITY 20821
#define FILTER_HANDLE 1

static struct bpf_tc_hook hook_of(const char *device)
{
	struct bpf_tc_hook hook;

	memset(&hook, 0, sizeof(hook));
	hook.sz = sizeof(hook);
	hook.ifindex = (int)if_nametoindex(device);
	hook.attach_point = BPF_TC_INGRESS;
	return hook;
}

static struct bpf_tc_opts our_place(void)
{
	struct bpf_tc_opts opts;

	memset(&opts, 0, sizeof(opts));
	opts.sz = sizeof(opts);
	opts.handle = FILTER_HANDLE;
	opts.priority = FILTER_PRIORITY;
	return opts;
}

static void destroy_clsact(const char *device)
{
	struct bpf_tc_hook hook = hook_of(device);

	/* With both directions named libbpf removes the qdisc. */
	hook.attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS;
	bpf_tc_hook_destroy(&hook);
}

int tcfilter_attach(struct device_state *device, int prog_fd)
{
	struct bpf_tc_hook hook = hook_of(device->name);
	struct bpf_tc_opts opts = our_place();
	int error = bpf_tc_hook_create(&hook);

	if (error && error != -EEXIST)
		return fail("cannot add a clsact qdisc to %s: %s; the kernel needs CONFIG_NET_SCH_INGRESS",
			    device->name, strerror(-error));
	device->made_clsact = device->made_clsact || !error;
	opts.prog_fd = prog_fd;
	error = bpf_tc_attach(&hook, &opts);
	if (error) {
		if (device->made_clsact)
			destroy_clsact(device->name);
		if (error == -EEXIST)
			return fail("cannot attach q_isq to %s: another filter sits at priority %d; remove it with tc",
				    device->name, FILTER_PRIORITY);
		return fail("cannot attach q_isq to %s: %s; the kernel needs CONFIG_NET_CLS_BPF", device->name,
			    strerror(-error));
	}
	device->prog_id = opts.prog_id;
	return 0;
}

uint32_t tcfilter_query(const char *device)
{
	struct bpf_tc_hook hook = hook_of(device);
	struct bpf_tc_opts opts = our_place();

	if (!hook.ifindex || bpf_tc_query(&hook, &opts) || !objects_isq_exists(opts.prog_id))
		return 0;
	return opts.prog_id;
}

int tcfilter_detach(const struct device_state *device)
{
	struct bpf_tc_hook hook = hook_of(device->name);
	struct bpf_tc_opts opts = our_place();
	int detached;

	if (!tcfilter_query(device->name))
		return 0;
	detached = bpf_tc_detach(&hook, &opts) == 0;
	if (device->made_clsact)
		destroy_clsact(device->name);
	return detached;
}
