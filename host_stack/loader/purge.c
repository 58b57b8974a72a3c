/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "csig.h"
#include "netns.h"
#include "objects.h"
#include "report.h"
#include "tcfilter.h"

struct purged {
	int hosts;
	int programs;
	int failures;
};

/* Detach programs whose state file was lost. */
static int detach_strays(void)
{
	struct if_nameindex *interfaces = if_nameindex();
	int count = 0;

	for (struct if_nameindex *at = interfaces; at && at->if_index; at++) {
		struct device_state device = {0};

		snprintf(device.name, sizeof(device.name), "%s", at->if_name);
		count += tcfilter_detach(&device);
	}
	if (interfaces)
		if_freenameindex(interfaces);
	return count;
}

/* Without a state, the former default congestion control is unknown. Quench's must not stay the default, because it
 * could not be unregistered then; reno always exists. */
static void reset_congestion_control(void)
{
	struct sysctl current = {.name = "tcp_congestion_control"};
	const struct sysctl reno = {.name = "tcp_congestion_control", .value = "reno"};
	const struct algo *algo;

	if (sysctl_read(&current))
		return;
	for (size_t i = 0; (algo = algo_at(i)) != NULL; i++)
		if (algo->elf_bytes && (!strcmp(current.value, algo->cc_name) ||
					(algo->second_cc_name && !strcmp(current.value, algo->second_cc_name))))
			sysctl_write(&reno);
}

static void purge_namespace(uint64_t cookie, void *context)
{
	struct purged *purged = context;
	struct host_state state;

	if (state_load(cookie, &state) > 0) {
		purged->hosts++;
		if (host_withdraw(&state))
			purged->failures++;
	}
	purged->programs += detach_strays();
	reset_congestion_control();
}

int command_purge(void)
{
	struct purged purged = {0};
	const struct algo *algo;
	uint64_t *cookies;
	int unregistered = 0;
	size_t count;

	if (state_lock())
		return -1;
	if (netns_for_each(purge_namespace, &purged))
		return -1;
	count = state_list(&cookies);
	for (size_t i = 0; i < count; i++) {
		objects_host_delete(cookies[i]);
		state_remove(cookies[i]);
	}
	free(cookies);
	purged.programs += csig_detach_shared();
	for (size_t i = 0; (algo = algo_at(i)) != NULL; i++)
		unregistered += objects_unregister(algo);
	printf("purged: %d hosts disabled, %zu ended ones forgotten, %d stray programs detached, "
	       "%d congestion controls unregistered\n",
	       purged.hosts, count, purged.programs, unregistered);
	return purged.failures ? -1 : 0;
}
