/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <linux/mount.h>

#include "csig.h"
#include "objects.h"
#include "q_csig_options.skel.h"
#include "q_csig_tc.skel.h"
#include "report.h"

#define STRIP "q_csig_strip"
#define OPTIONS "q_csig_options"
/* The kernel's limit for the programs of one kind on a cgroup. */
#define MAX_CGROUP_PROGRAMS 64

/* Id of our XDP program on the device; 0 if there is none. */
static uint32_t query_strip(const char *device)
{
	int index = (int)if_nametoindex(device);
	uint32_t id = 0;

	if (!index || bpf_xdp_query_id(index, XDP_FLAGS_SKB_MODE, &id) || !objects_prog_is(id, STRIP))
		return 0;
	return id;
}

static int attach_strip(const char *device)
{
	const struct q_attach attach = {0};
	int fd, error;

	if (query_strip(device))
		return 0;
	fd = objects_load_program(q_csig_tc_bpf__elf_bytes, STRIP, &attach);
	if (fd < 0)
		return -1;
	/* In generic mode, which every device has. */
	error = bpf_xdp_attach((int)if_nametoindex(device), fd, XDP_FLAGS_SKB_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST, NULL);
	close(fd);
	if (error == -EBUSY || error == -EEXIST)
		return fail("cannot attach %s to %s: another XDP program is there; detach it", STRIP, device);
	return error ? fail("cannot attach %s to %s: %s", STRIP, device, strerror(-error)) : 0;
}

/* File descriptor of the root of cgroup v2, by a mount without a place: `ip netns exec` hides those under /sys. Returns
 * -1 with errno. */
static int open_root_cgroup(void)
{
	int context = (int)syscall(SYS_fsopen, "cgroup2", FSOPEN_CLOEXEC), root = -1, saved;

	if (context >= 0 && syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		root = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	saved = errno;
	if (context >= 0)
		close(context);
	errno = saved;
	return root;
}

/* File descriptor of our program on the root cgroup, or -1. */
static int query_options(int root)
{
	uint32_t ids[MAX_CGROUP_PROGRAMS], count = MAX_CGROUP_PROGRAMS;

	if (bpf_prog_query(root, BPF_CGROUP_SOCK_OPS, 0, NULL, ids, &count))
		return -1;
	for (uint32_t i = 0; i < count; i++)
		if (objects_prog_is(ids[i], OPTIONS))
			return bpf_prog_get_fd_by_id(ids[i]);
	return -1;
}

static int attach_new_options(int root)
{
	int fd = objects_load_program(q_csig_options_bpf__elf_bytes, OPTIONS, NULL), error;

	if (fd < 0)
		return -1;
	error = bpf_prog_attach(fd, root, BPF_CGROUP_SOCK_OPS, BPF_F_ALLOW_MULTI) ? errno : 0;
	close(fd);
	return error ? fail("cannot attach %s to the root cgroup: %s; another sock_ops program there may allow no "
			    "second one, or the kernel lacks CONFIG_CGROUP_BPF",
			    OPTIONS, strerror(error))
		     : 0;
}

static int attach_options(void)
{
	int root = open_root_cgroup(), fd, result = 0;

	if (root < 0)
		return fail("cannot open the root cgroup: %s; run as root, on a kernel with CONFIG_CGROUPS",
			    strerror(errno));
	fd = query_options(root);
	if (fd < 0)
		result = attach_new_options(root);
	else
		close(fd);
	close(root);
	return result;
}

int csig_attach(const char *device)
{
	return attach_options() || attach_strip(device) ? -1 : 0;
}

bool csig_is_attached(const char *device)
{
	int root = open_root_cgroup(), fd = root < 0 ? -1 : query_options(root);

	if (fd >= 0)
		close(fd);
	if (root >= 0)
		close(root);
	return fd >= 0 && query_strip(device);
}

int csig_detach(const char *device)
{
	return query_strip(device) && bpf_xdp_detach((int)if_nametoindex(device), XDP_FLAGS_SKB_MODE, NULL) == 0;
}

int csig_detach_shared(void)
{
	int root = open_root_cgroup(), count = 0, fd;

	if (root < 0)
		return 0;
	while ((fd = query_options(root)) >= 0) {
		int error = bpf_prog_detach2(fd, root, BPF_CGROUP_SOCK_OPS);

		close(fd);
		if (error)
			break;
		count++;
	}
	close(root);
	return count;
}
