/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The namespace's TCP settings, under /proc/sys/net/ipv4. */
#ifndef QUENCH_SYSCTLS_H
#define QUENCH_SYSCTLS_H

#include <stdbool.h>
#include <stddef.h>

#include "algos.h"

#define SYSCTL_NAME_BYTES 48
#define SYSCTL_VALUE_BYTES 64
#define MAX_SYSCTLS 24

/* One setting of the current namespace. */
struct sysctl {
	char name[SYSCTL_NAME_BYTES];
	char value[SYSCTL_VALUE_BYTES];
};

/* The settings that `algo` needs, with `paper` also those for the NewReno of the papers. Returns their number. */
size_t sysctls_wanted(const struct algo *algo, bool paper, struct sysctl wanted[MAX_SYSCTLS]);

/* Is it a setting that `enable` changes? */
bool sysctl_is_managed(const char *name);

/* Fill in the value of the setting. Returns 0, or -1 if the kernel does not have it. */
int sysctl_read(struct sysctl *setting);

/* Returns 0, or -1 with errno. */
int sysctl_write(const struct sysctl *setting);

#endif
