/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Network namespaces. */
#ifndef QUENCH_NETNS_H
#define QUENCH_NETNS_H

#include <stdint.h>

/* The kernel's name for the current namespace, never used twice until reboot. Returns 0, or -1 with errno. */
int netns_cookie(uint64_t *cookie);

/*
 * Call `visit` inside every namespace that a process runs in or that /run/netns names, each once, in a
 * thread of its own. Returns 0, or -1 after a message. What cannot be entered is left out.
 */
int netns_for_each(void (*visit)(uint64_t cookie, void *context), void *context);

#endif
