/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Network namespaces. */
#ifndef QUENCH_NETNS_H
#define QUENCH_NETNS_H

#include <stdbool.h>
#include <stdint.h>

/* The cookie of the current namespace: the kernel's identifier, never used again until reboot. Returns 0, or -1 after a
 * message. */
int netns_cookie(uint64_t *cookie);

/* Inode of the current namespace's file in /proc; 0 if it cannot be read. Another namespace may get the same inode when
 * this one has ended. */
uint64_t netns_inode(void);

/* Does a process run in the namespace, hold it open, or have it mounted in its mount namespace? Sockets do not count.
 */
bool netns_is_reachable(uint64_t inode);

/*
 * Call `visit` once inside every namespace in which a process runs or that /run/netns names, from another thread.
 * Namespaces that cannot be entered are left out. Returns 0, or -1 after a message.
 */
int netns_for_each(void (*visit)(uint64_t cookie, void *context), void *context);

#endif
