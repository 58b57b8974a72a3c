/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "netns.h"
#include "objects.h"
#include "report.h"
#include "tcfilter.h"

void host_release_algo(const struct algo *algo)
{
	struct host_state state;
	uint64_t *cookies;
	size_t count = state_list(&cookies);
	bool used = false;

	for (size_t i = 0; i < count; i++)
		used = used || (state_load(cookies[i], &state) > 0 && state.algo == algo);
	free(cookies);
	if (!used)
		objects_unregister(algo);
}

int host_withdraw(struct host_state *state)
{
	int result = 0;

	for (size_t i = 0; i < state->device_count; i++)
		tcfilter_detach(&state->devices[i]);
	for (size_t i = state->sysctl_count; i-- > 0;)
		if (sysctl_write(&state->sysctls[i]))
			result = fail("cannot set net.ipv4.%s back to \"%s\": %s", state->sysctls[i].name,
				      state->sysctls[i].value, strerror(errno));
	objects_host_delete(state->cookie);
	state_remove(state->cookie);
	host_release_algo(state->algo);
	return result;
}

struct live_cookies {
	uint64_t *cookies;
	size_t count;
	bool *live;
};

static void mark_live(uint64_t cookie, void *context)
{
	struct live_cookies *known = context;

	for (size_t i = 0; i < known->count; i++)
		if (known->cookies[i] == cookie)
			known->live[i] = true;
}

/*
 * Proof that a namespace ended: its programs are gone with its devices. Not to be seen is none by itself, since a
 * namespace may be held by a file descriptor, or by a name in a mount namespace that is not ours, as Mininet's hosts
 * have. Without programs there is no proof, but nothing on the machine to set free either.
 */
static bool programs_are_gone(const struct host_state *state)
{
	bool had_any = false;

	for (size_t i = 0; i < state->device_count; i++) {
		if (!state->devices[i].prog_id)
			continue;
		if (objects_prog_is(state->devices[i].prog_id, "q_isq"))
			return false;
		had_any = true;
	}
	return had_any;
}

void host_collect_dead(void)
{
	struct live_cookies known = {0};
	struct host_state state;

	known.count = state_list(&known.cookies);
	known.live = calloc(known.count + 1, sizeof(*known.live));
	if (known.live && known.count && netns_for_each(mark_live, &known) == 0)
		for (size_t i = 0; i < known.count; i++) {
			if (known.live[i] || state_load(known.cookies[i], &state) <= 0 || !programs_are_gone(&state))
				continue;
			objects_host_delete(state.cookie);
			state_remove(state.cookie);
			host_release_algo(state.algo);
		}
	free(known.live);
	free(known.cookies);
}
