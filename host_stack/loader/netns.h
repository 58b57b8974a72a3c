/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Network namespaces. */
#ifndef QUENCH_NETNS_H
#define QUENCH_NETNS_H

#include <stdbool.h>
#include <stdint.h>

/* The kernel's name for the current namespace, never used twice until reboot. Returns 0, or -1 with errno. */
int netns_cookie(uint64_t *cookie);

/* Inode of the current namespace's file in /proc, which may be another namespace's once this one has ended; 0 if it
 * cannot be told. */
uint64_t netns_inode(void);

/* Can the namespace be reached: does a process run in it, hold it open, or see a name of it in its mount namespace?
 * Sockets alone do not count. */
bool netns_is_reachable(uint64_t inode);

/*
 * Call `visit` inside every namespace that a process runs in or that /run/netns names, each once, in a
 * thread of its own. Returns 0, or -1 after a message. What cannot be entered is left out.
 */
int netns_for_each(void (*visit)(uint64_t cookie, void *context), void *context);

#endif
