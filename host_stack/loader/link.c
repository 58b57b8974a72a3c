/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "link.h"
#include "report.h"

static int link_type(const char *device, unsigned int *type)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {0};
	int result, saved;

	if (fd < 0)
		return -1;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
	result = ioctl(fd, SIOCGIFHWADDR, &request);
	saved = errno;
	close(fd);
	errno = saved;
	*type = request.ifr_hwaddr.sa_family;
	return result;
}

int link_header_bytes(const char *device, uint32_t *bytes)
{
	unsigned int type;

	if (link_type(device, &type))
		return fail("--dev %s: cannot read its type of link: %s", device, strerror(errno));
	switch (type) {
	case ARPHRD_ETHER:
	case ARPHRD_LOOPBACK:
		*bytes = ETH_HLEN;
		return 0;
	case ARPHRD_NONE:
	case ARPHRD_RAWIP:
		*bytes = 0;
		return 0;
	default:
		return fail("--dev %s: links of type %u (ARPHRD) are not supported: Ethernet and devices without link "
			    "header (tun, WireGuard) are",
			    device, type);
	}
}

/* Query the qdisc in the place of clsact. Returns the type of the first message of the kernel's answer, or 0. */
static int query_clsact(int fd, const char *device)
{
	struct {
		struct nlmsghdr header;
		struct tcmsg tc;
	} request = {
		.header = {.nlmsg_len = sizeof(request),
			   .nlmsg_type = RTM_GETQDISC,
			   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ECHO | NLM_F_ACK},
		.tc = {.tcm_family = AF_UNSPEC, .tcm_ifindex = (int)if_nametoindex(device), .tcm_parent = TC_H_CLSACT},
	};
	union {
		struct nlmsghdr header;
		char bytes[4096];
	} answer;

	if (send(fd, &request, sizeof(request), 0) != (ssize_t)sizeof(request) ||
	    recv(fd, &answer, sizeof(answer), 0) < (ssize_t)sizeof(answer.header))
		return 0;
	return answer.header.nlmsg_type;
}

bool link_has_clsact(const char *device)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	bool found;

	if (fd < 0)
		return false;
	found = query_clsact(fd, device) == RTM_NEWQDISC;
	close(fd);
	return found;
}
