/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "offload.h"

static const struct {
	const char *name;
	unsigned int command;
} offloads[] = {
	{"rx", ETHTOOL_GRXCSUM}, {"tx", ETHTOOL_GTXCSUM}, {"sg", ETHTOOL_GSG},
	{"tso", ETHTOOL_GTSO},   {"gso", ETHTOOL_GGSO},   {"gro", ETHTOOL_GGRO},
};

size_t offloads_on(const char *device, const char *names[MAX_OFFLOADS])
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	size_t count = 0;

	if (fd < 0)
		return 0;
	for (size_t i = 0; i < sizeof(offloads) / sizeof(offloads[0]); i++) {
		struct ethtool_value value = {.cmd = offloads[i].command};
		struct ifreq request = {0};

		snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
		request.ifr_data = (char *)&value;
		if (ioctl(fd, SIOCETHTOOL, &request) == 0 && value.data)
			names[count++] = offloads[i].name;
	}
	close(fd);
	return count;
}
