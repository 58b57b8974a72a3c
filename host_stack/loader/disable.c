/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <string.h>

#include "commands.h"
#include "netns.h"
#include "report.h"
#include "tcfilter.h"

int command_disable(const char *name)
{
	struct device_state *device;
	struct host_state state;
	uint64_t cookie;
	int known;

	if (state_lock())
		return -1;
	if (netns_cookie(&cookie))
		return -1;
	known = state_load(cookie, &state);
	if (known < 0)
		return -1;
	device = known ? state_device(&state, name) : NULL;
	/* A device that is not enabled needs no change. */
	if (!device)
		return 0;
	if (state.device_count == 1)
		return host_withdraw(&state);
	tcfilter_detach(device);
	*device = state.devices[--state.device_count];
	if (state_save(&state))
		return -1;
	host_release_csig();
	return 0;
}
