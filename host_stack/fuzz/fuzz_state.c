/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * The reader of state files: a state that it accepts names only settings and devices that `enable` can write, and stays
 * the same when it is written and read again.
 */
#include <string.h>

#include "state_text.h"

#define REQUIRE(condition)                                                                                             \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			__builtin_trap();                                                                              \
	} while (0)

/* The algorithms without their BPF objects. */
static const struct algo algos[] = {{.name = "plain", .cc_name = "reno"}, {.name = "becn", .cc_name = "q_becn"}};

const struct algo *algo_find(const char *name)
{
	for (size_t i = 0; i < sizeof(algos) / sizeof(algos[0]); i++)
		if (!strcmp(algos[i].name, name))
			return &algos[i];
	return NULL;
}

static void check_names(const struct host_state *state)
{
	REQUIRE(state->device_count >= 1 && state->device_count <= MAX_DEVICES && state->sysctl_count <= MAX_SYSCTLS);
	for (size_t i = 0; i < state->device_count; i++)
		REQUIRE(*state->devices[i].name && !strchr(state->devices[i].name, '/'));
	for (size_t i = 0; i < state->sysctl_count; i++)
		REQUIRE(!strncmp(state->sysctls[i].name, "tcp_", 4) && !strpbrk(state->sysctls[i].name, "/."));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static char text[STATE_TEXT_BYTES];
	static struct host_state state, again;
	size_t written;

	if (bytes > STATE_TEXT_BYTES || state_parse((const char *)data, bytes, &state))
		return 0;
	check_names(&state);
	written = state_format(&state, text);
	REQUIRE(written && state_parse(text, written, &again) == 0);
	REQUIRE(!memcmp(&state, &again, sizeof(state)));
	return 0;
}
