/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * The machine's BPF objects of Quench: one congestion control per algorithm and the maps that all programs share.
 * Nothing is pinned. A registered congestion control keeps its programs and maps alive in the kernel, and they are
 * found again by name and layout (docs/decisions/0011-no-pins.md).
 */
#ifndef QUENCH_OBJECTS_H
#define QUENCH_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "algos.h"
#include "q_shared.h"

/* Is the algorithm's congestion control there to be chosen? True for what the kernel has built in. */
bool objects_registered(const struct algo *algo);

/* Is any part of it there? */
bool objects_any_registered(const struct algo *algo);

/* Load the algorithm's congestion control and register it, unless it is. Returns 0, or -1 after a message. */
int objects_register(const struct algo *algo);

/* Unregister the algorithm's congestion control. Sockets that use it go on with it. Returns how many were unregistered.
 */
int objects_unregister(const struct algo *algo);

/* File descriptor of the map q_hosts, or -1 if nothing of Quench is loaded. */
int objects_hosts_map(void);

/* Read, write (creating) or delete the entry of a namespace in q_hosts. Return 0, or -1 if there is none. */
int objects_host_read(uint64_t cookie, struct q_host *host);
int objects_host_write(uint64_t cookie, const struct q_host *host);
int objects_host_delete(uint64_t cookie);

/* Set a namespace's parameters and rules and leave its counters. Returns 0, or -1 after a message. */
int objects_host_configure(uint64_t cookie, const struct q_cc_params *params, const struct q_isq_rules *rules);

/* Load a tc program of a BPF object. Returns its file descriptor, or -1 after a message. */
int objects_load_program(const void *(*elf_bytes)(size_t *size), const char *name, const struct q_place *place);

/* Does the program of that id exist and bear that name? */
bool objects_prog_is(uint32_t prog_id, const char *name);

#endif
