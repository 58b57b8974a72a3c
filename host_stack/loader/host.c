/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "csig.h"
#include "netns.h"
#include "objects.h"
#include "report.h"
#include "tcfilter.h"

static bool uses_csig(const struct host_state *state)
{
	for (size_t i = 0; i < state->device_count; i++)
		if (state->devices[i].csig)
			return true;
	return false;
}

/* Does a namespace use the algorithm, or CSIG if it is NULL? */
static bool is_used(const struct algo *algo)
{
	struct host_state state;
	uint64_t *cookies;
	size_t count = state_list(&cookies);
	bool used = false;

	for (size_t i = 0; i < count && !used; i++) {
		int known = state_load(cookies[i], &state);

		/* A damaged state may belong to a user. */
		used = known < 0 || (known && (algo ? state.algo == algo : uses_csig(&state)));
	}
	free(cookies);
	return used;
}

/* Unregister the algorithm's congestion control if no namespace uses it any more. */
static void release_algo(const struct algo *algo)
{
	if (!is_used(algo))
		objects_unregister(algo);
}

void host_release_csig(void)
{
	if (!is_used(NULL))
		csig_detach_shared();
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
	host_release_csig();
	return result;
}

/* The result of a search for a namespace that has a state, among all namespaces that can be entered. */
enum presence {
	NOT_FOUND,
	FOUND,
	/* Another namespace has its inode, so it has ended. */
	INODE_REUSED,
};

struct recorded_host {
	struct host_state state;
	enum presence presence;
};

struct recorded_hosts {
	struct recorded_host *hosts;
	size_t count;
};

/* Called in each namespace. */
static void note_presence(uint64_t cookie, void *context)
{
	const struct recorded_hosts *recorded = context;
	uint64_t inode = netns_inode();

	for (size_t i = 0; i < recorded->count; i++) {
		struct recorded_host *host = &recorded->hosts[i];

		if (host->state.cookie == cookie)
			host->presence = FOUND;
		else if (inode && host->state.netns_inode == inode)
			host->presence = INODE_REUSED;
	}
}

/*
 * Has the namespace certainly ended? That it was not found is no proof: it may have a name only in a mount namespace
 * that this process cannot see, as Mininet's hosts have. There are three proofs: another namespace has its inode, its
 * tc programs are gone together with its devices, or no process of the machine can reach it.
 */
static bool has_ended(const struct recorded_host *host)
{
	const struct host_state *state = &host->state;
	bool had_programs = false;

	if (host->presence != NOT_FOUND)
		return host->presence == INODE_REUSED;
	for (size_t i = 0; i < state->device_count; i++) {
		if (state->devices[i].prog_id && objects_prog_is(state->devices[i].prog_id, "q_isq"))
			return false;
		had_programs = had_programs || state->devices[i].prog_id;
	}
	return had_programs || (state->netns_inode && !netns_is_reachable(state->netns_inode));
}

static void remove_ended_hosts(void)
{
	struct recorded_hosts recorded = {0};
	uint64_t *cookies;
	size_t count = state_list(&cookies);

	recorded.hosts = calloc(count + 1, sizeof(*recorded.hosts));
	for (size_t i = 0; recorded.hosts && i < count; i++)
		if (state_load(cookies[i], &recorded.hosts[recorded.count].state) > 0)
			recorded.count++;
	free(cookies);
	if (recorded.count && netns_for_each(note_presence, &recorded) == 0)
		for (size_t i = 0; i < recorded.count; i++)
			if (has_ended(&recorded.hosts[i])) {
				objects_host_delete(recorded.hosts[i].state.cookie);
				state_remove(recorded.hosts[i].state.cookie);
			}
	free(recorded.hosts);
}

void host_sweep(void)
{
	const struct algo *algo;

	remove_ended_hosts();
	for (size_t i = 0; (algo = algo_at(i)) != NULL; i++)
		if (algo->elf_bytes && objects_any_registered(algo))
			release_algo(algo);
	host_release_csig();
}
