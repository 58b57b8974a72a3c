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

/* Unregister the algorithm's congestion control if no namespace uses it any more. */
static void release_algo(const struct algo *algo)
{
	struct host_state state;
	uint64_t *cookies;
	size_t count = state_list(&cookies);
	bool used = false;

	for (size_t i = 0; i < count && !used; i++) {
		int known = state_load(cookies[i], &state);

		/* A damaged state may be of any algorithm. */
		used = known < 0 || (known && state.algo == algo);
	}
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
	release_algo(state->algo);
	return result;
}

enum sight { OUT_OF_SIGHT, IN_SIGHT, REPLACED };

/* A namespace that has a state. */
struct known {
	struct host_state state;
	enum sight sight;
};

struct all_known {
	struct known *hosts;
	size_t count;
};

static void see(uint64_t cookie, void *context)
{
	const struct all_known *all = context;
	uint64_t inode = netns_inode();

	for (size_t i = 0; i < all->count; i++) {
		struct known *known = &all->hosts[i];

		if (known->state.cookie == cookie)
			known->sight = IN_SIGHT;
		else if (inode && known->state.netns_inode == inode)
			known->sight = REPLACED;
	}
}

/*
 * Proof that a namespace ended. Not to be seen is none by itself, since a namespace may be held by a name in a mount
 * namespace that is not ours, as Mininet's hosts have. It is proof that another one has its inode, that its programs
 * are gone with its devices, or that nobody on the machine can reach it.
 */
static bool is_proved_dead(const struct known *known)
{
	const struct host_state *state = &known->state;
	bool had_programs = false;

	if (known->sight != OUT_OF_SIGHT)
		return known->sight == REPLACED;
	for (size_t i = 0; i < state->device_count; i++) {
		if (state->devices[i].prog_id && objects_prog_is(state->devices[i].prog_id, "q_isq"))
			return false;
		had_programs = had_programs || state->devices[i].prog_id;
	}
	return had_programs || (state->netns_inode && !netns_is_reachable(state->netns_inode));
}

static void forget_dead(void)
{
	struct all_known all = {0};
	uint64_t *cookies;
	size_t count = state_list(&cookies);

	all.hosts = calloc(count + 1, sizeof(*all.hosts));
	for (size_t i = 0; all.hosts && i < count; i++)
		if (state_load(cookies[i], &all.hosts[all.count].state) > 0)
			all.count++;
	free(cookies);
	if (all.count && netns_for_each(see, &all) == 0)
		for (size_t i = 0; i < all.count; i++)
			if (is_proved_dead(&all.hosts[i])) {
				objects_host_delete(all.hosts[i].state.cookie);
				state_remove(all.hosts[i].state.cookie);
			}
	free(all.hosts);
}

void host_sweep(void)
{
	const struct algo *algo;

	forget_dead();
	for (size_t i = 0; (algo = algo_at(i)) != NULL; i++)
		if (algo->elf_bytes && objects_any_registered(algo))
			release_algo(algo);
}
