/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * The state of a namespace: the changes by `enable`, which `disable` undoes. It is a small text file in
 * /run/quench/hosts, named by the namespace's cookie. /run is the same inside `ip netns exec`, and is empty after a
 * reboot, as are the namespaces.
 */
#ifndef QUENCH_STATE_H
#define QUENCH_STATE_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algos.h"
#include "q_shared.h"
#include "sysctls.h"

#define MAX_DEVICES 32

struct device_state {
	char name[IFNAMSIZ];
	/* Id of q_isq on the device; 0 if there is none. */
	uint32_t prog_id;
	/* `enable` has made its clsact qdisc, so `disable` removes it. */
	bool made_clsact;
	/* Tags of CSIG that packets get. */
	enum q_csig_form csig;
};

struct host_state {
	uint64_t cookie;
	/* Inode of the namespace's file in /proc; 0 if it is not known. */
	uint64_t netns_inode;
	const struct algo *algo;
	bool paper;
	size_t device_count;
	struct device_state devices[MAX_DEVICES];
	/* Values from before `enable`, in the order in which they were changed. */
	size_t sysctl_count;
	struct sysctl sysctls[MAX_SYSCTLS];
};

/* Take the lock (lock.h), and remove unfinished files. Returns 0, or -1 after a message. */
int state_lock(void);

/* Returns 1 if the namespace has a state, 0 if it has none, -1 after a message. */
int state_load(uint64_t cookie, struct host_state *state);

/* Replace the state atomically. Returns 0, or -1 after a message. */
int state_save(const struct host_state *state);

void state_remove(uint64_t cookie);

/* Cookies of all namespaces that have a state; the caller frees. Returns the count. */
size_t state_list(uint64_t **cookies);

/* The device's entry, or NULL. */
struct device_state *state_device(struct host_state *state, const char *name);

#endif
