/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* What the command line can ask for. Every function returns 0, or -1 after a message. */
#ifndef QUENCH_COMMANDS_H
#define QUENCH_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "isq_rules.h"
#include "state.h"

#define MAX_SETTINGS 32

struct enable_request {
	const char *algo;
	const char *device;
	bool paper;
	/* "param=value", in order. */
	size_t setting_count;
	const char *settings[MAX_SETTINGS];
	struct isq_request isq;
};

/* Make the current namespace run an algorithm and the device receive ISQs. Repeating it changes only the parameters
 * named. */
int command_enable(const struct enable_request *request);

/* Take a device out; with the last one everything that enable changed in the namespace goes back. */
int command_disable(const char *device);

/* Print what the current namespace runs and has counted. */
int command_status(bool json);

/* Remove everything of Quench's in every namespace of this machine. */
int command_purge(void);

/* Take back all that a state describes, in the namespace that is current, and forget it. Returns 0, or -1 after a
 * message. */
int host_withdraw(struct host_state *state);

/* Forget the namespaces that ended without `disable`, and unregister the congestion controls that none uses. */
void host_sweep(void);

#endif
