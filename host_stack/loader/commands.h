/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The commands. Every function returns 0, or -1 after a message on stderr. */
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
	/* A format of CSIG's tags, or NULL. */
	const char *csig;
};

/* Make an algorithm the current namespace's default, and receive ISQs on the device. A repeated call changes the
 * parameters and rules that it names. */
int command_enable(const struct enable_request *request);

/* Undo enable for a device. With the last device everything that enable changed in the namespace is restored. */
int command_disable(const char *device);

/* Print the algorithm, parameters, rules and counters of the current namespace. */
int command_status(bool json);

/* Undo every enable in all namespaces of this machine, and remove what a crash has left. */
int command_purge(void);

/* Undo everything that a state of the current namespace describes, and remove the state. */
int host_withdraw(struct host_state *state);

/* Detach what all namespaces with CSIG share, if there is none. */
void host_release_csig(void);

/* Remove the states of namespaces that ended without `disable`, and what no namespace uses any more. */
void host_sweep(void);

#endif
