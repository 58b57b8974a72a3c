/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "csig.h"
#include "link.h"
#include "objects.h"
#include "q_csig_tc.skel.h"
#include "q_ident.skel.h"
#include "q_isq.skel.h"
#include "q_mecn_tc.skel.h"
#include "q_prague_tc.skel.h"
#include "report.h"
#include "tcfilter.h"

/* High priority numbers, which other tools do not use by default, so that the user's filters run first. */
static const struct filter {
	const char *program;
	const void *(*elf_bytes)(size_t *size);
	enum bpf_tc_attach_point point;
	uint32_t priority;
} filters[TCFILTER_COUNT] = {
	[TCFILTER_ISQ] = {"q_isq", q_isq_bpf__elf_bytes, BPF_TC_INGRESS, 20821},
	[TCFILTER_IDENT_OUT] = {"q_ident_out", q_ident_bpf__elf_bytes, BPF_TC_EGRESS, 20821},
	[TCFILTER_MECN_IN] = {"q_mecn_in", q_mecn_tc_bpf__elf_bytes, BPF_TC_INGRESS, 20822},
	/* Behind q_mecn_in, which has to read the answers to its offers. */
	[TCFILTER_MECN_OUT] = {"q_mecn_out", q_mecn_tc_bpf__elf_bytes, BPF_TC_EGRESS, 20822},
	[TCFILTER_PRAGUE_IN] = {"q_prague_in", q_prague_tc_bpf__elf_bytes, BPF_TC_INGRESS, 20823},
	/* After the other direction, as above. */
	[TCFILTER_PRAGUE_OUT] = {"q_prague_out", q_prague_tc_bpf__elf_bytes, BPF_TC_EGRESS, 20823},
	[TCFILTER_CSIG_IN] = {"q_csig_in", q_csig_tc_bpf__elf_bytes, BPF_TC_INGRESS, 20824},
	/* The last for a packet, because it moves the IP header, which the others look for. */
	[TCFILTER_CSIG_OUT] = {"q_csig_out", q_csig_tc_bpf__elf_bytes, BPF_TC_EGRESS, 20824},
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
	opts.priority = filters[kind].priority;
	return opts;
}

/* With both directions, libbpf makes and removes the qdisc, and not only a filter. */
static struct bpf_tc_hook clsact_of(const char *device)
{
	return hook_of(device, BPF_TC_INGRESS | BPF_TC_EGRESS);
}

/* Does the device of a host with this algorithm have the program? */
static bool is_wanted(const struct device_state *device, const struct algo *algo, enum tcfilter_kind kind)
{
	switch (kind) {
	case TCFILTER_ISQ:
		return algo->elf_bytes != NULL;
	case TCFILTER_IDENT_OUT:
		return algo->obeys_isq;
	case TCFILTER_PRAGUE_IN:
	case TCFILTER_PRAGUE_OUT:
		return algo->accecn;
	case TCFILTER_CSIG_IN:
	case TCFILTER_CSIG_OUT:
		return device->csig != Q_CSIG_NONE;
	default:
		return algo->multilevel;
	}
}

void tcfilter_plan(struct device_state *device)
{
	device->made_clsact = !link_has_clsact(device->name);
}

static int attach_one(const struct device_state *device, enum tcfilter_kind kind, int prog_fd, uint32_t *prog_id)
{
	const struct filter *filter = &filters[kind];
	struct bpf_tc_hook hook = hook_of(device->name, filter->point), clsact = clsact_of(device->name);
	struct bpf_tc_opts opts = opts_of(kind);
	int error = bpf_tc_hook_create(&clsact);

	if (error && error != -EEXIST)
		return fail("cannot add a clsact qdisc to %s: %s; the kernel needs CONFIG_NET_SCH_INGRESS",
			    device->name, strerror(-error));
	opts.prog_fd = prog_fd;
	error = bpf_tc_attach(&hook, &opts);
	if (error == -EEXIST)
		return fail("cannot attach %s to %s: another filter sits at priority %u; remove it with tc",
			    filter->program, device->name, filter->priority);
	if (error)
		return fail("cannot attach %s to %s: %s; the kernel needs CONFIG_NET_CLS_BPF", filter->program,
			    device->name, strerror(-error));
	*prog_id = opts.prog_id;
	return 0;
}

int tcfilter_attach(struct device_state *device, const struct algo *algo, uint64_t cookie)
{
	struct q_attach attach = {.netns_cookie = cookie, .csig_form = device->csig};

	if (link_header_bytes(device->name, &attach.link_header_bytes) || (device->csig && csig_attach(device->name)))
		return -1;
	for (enum tcfilter_kind kind = 0; kind < TCFILTER_COUNT; kind++) {
		bool wanted = is_wanted(device, algo, kind);
		uint32_t prog_id = wanted ? tcfilter_query(device->name, kind) : 0;
		int fd, result = 0;

		if (wanted && !prog_id) {
			fd = objects_load_program(filters[kind].elf_bytes, filters[kind].program, &attach);
			if (fd < 0)
				return -1;
			result = attach_one(device, kind, fd, &prog_id);
			close(fd);
		}
		if (result)
			return -1;
		if (kind == TCFILTER_ISQ)
			device->prog_id = prog_id;
	}
	return 0;
}

uint32_t tcfilter_query(const char *device, enum tcfilter_kind kind)
{
	struct bpf_tc_hook hook = hook_of(device, filters[kind].point);
	struct bpf_tc_opts opts = opts_of(kind);

	if (!hook.ifindex || bpf_tc_query(&hook, &opts) || !objects_prog_is(opts.prog_id, filters[kind].program))
		return 0;
	return opts.prog_id;
}

int tcfilter_detach(const struct device_state *device)
{
	struct bpf_tc_hook clsact = clsact_of(device->name);
	int count = 0;

	for (enum tcfilter_kind kind = 0; kind < TCFILTER_COUNT; kind++) {
		struct bpf_tc_hook hook = hook_of(device->name, filters[kind].point);
		struct bpf_tc_opts opts = opts_of(kind);

		if (tcfilter_query(device->name, kind) && bpf_tc_detach(&hook, &opts) == 0)
			count++;
	}
	count += csig_detach(device->name);
	if (device->made_clsact)
		bpf_tc_hook_destroy(&clsact);
	return count;
}
