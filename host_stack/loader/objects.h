/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * The BPF objects of Quench on this machine: a congestion control for each algorithm, and the maps that all programs
 * share. Nothing is pinned. A registered congestion control keeps its programs and maps alive in the kernel, and the
 * loader finds them by name and layout (docs/decisions/0011-no-pins.md).
 */
#ifndef QUENCH_OBJECTS_H
#define QUENCH_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "algos.h"
#include "q_shared.h"

/* Is the algorithm's congestion control registered? Always true for an algorithm that the kernel has built in. */
bool objects_registered(const struct algo *algo);

/* Is one of the algorithm's two congestion controls registered? */
bool objects_any_registered(const struct algo *algo);

/* Load and register the algorithm's congestion control, unless it is registered. Returns 0, or -1 after a message. */
int objects_register(const struct algo *algo);

/* Unregister the algorithm's congestion control. Sockets that use it keep it. Returns the number of congestion controls
 * unregistered. */
int objects_unregister(const struct algo *algo);

/* File descriptor of the map q_hosts, or -1 if nothing of Quench is loaded. */
int objects_hosts_map(void);

/* Read, write (creating) or delete the entry of a namespace in q_hosts. Return 0, or -1 if there is none. */
int objects_host_read(uint64_t cookie, struct q_host *host);
int objects_host_write(uint64_t cookie, const struct q_host *host);
int objects_host_delete(uint64_t cookie);

/* Set a namespace's parameters and rules and leave its counters. Returns 0, or -1 after a message. */
int objects_host_configure(uint64_t cookie, const struct q_cc_params *params, const struct q_isq_rules *rules);

/* Load a program of a BPF object. `attach` is for a tc program, or NULL. Returns its file descriptor, or -1 after a
 * message. */
int objects_load_program(const void *(*elf_bytes)(size_t *size), const char *name, const struct q_attach *attach);

/* Is there a program with that id and that name? */
bool objects_prog_is(uint32_t prog_id, const char *name);

#endif
