/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Offloads of a device. If they are on, a software switch gets segments of 64 KB and unfinished checksums. */
#ifndef QUENCH_OFFLOAD_H
#define QUENCH_OFFLOAD_H

#include <stddef.h>

#define MAX_OFFLOADS 8

/* Names (as ethtool -K takes them) of the offloads that are on. Returns their number. */
size_t offloads_on(const char *device, const char *names[MAX_OFFLOADS]);

#endif
