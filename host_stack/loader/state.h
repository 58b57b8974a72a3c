/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * What `enable` did in a namespace, so that `disable` can take it back: a small text file per namespace in
 * /run/quench/hosts, named by the namespace's cookie. /run is seen alike from inside `ip netns exec`, and is gone after
 * a reboot, as are the namespaces.
 */
#ifndef QUENCH_STATE_H
#define QUENCH_STATE_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algos.h"
#include "sysctls.h"

#define MAX_DEVICES 32

struct device_state {
	char name[IFNAMSIZ];
	/* The tc program on it; 0 if there is none. */
	uint32_t prog_id;
	/* We made its clsact qdisc, so we remove it. */
	bool made_clsact;
};

struct host_state {
	uint64_t cookie;
	/* Of the namespace's file in /proc; 0 if it is not known. */
	uint64_t netns_inode;
	const struct algo *algo;
	bool paper;
	size_t device_count;
	struct device_state devices[MAX_DEVICES];
	/* Values from before `enable`, in the order in which they were changed. */
	size_t sysctl_count;
	struct sysctl sysctls[MAX_SYSCTLS];
};

/* Keep other loaders out until this process ends. Returns 0, or -1 after a message. */
int state_lock(void);

/* Returns 1 if the namespace has a state, 0 if it has none, -1 after a message. */
int state_load(uint64_t cookie, struct host_state *state);

/* Write the state so that a reader sees the old one or the new one. Returns 0, or -1 after a message. */
int state_save(const struct host_state *state);

void state_remove(uint64_t cookie);

/* Cookies of all namespaces that have a state; the caller frees. Returns the count. */
size_t state_list(uint64_t **cookies);

/* The device's entry, or NULL. */
struct device_state *state_device(struct host_state *state, const char *name);

#endif
