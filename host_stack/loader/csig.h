/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The programs of CSIG beside those of tc: an XDP program on a device, and a sock_ops program on the root cgroup, which
 * all namespaces share. */
#ifndef QUENCH_CSIG_H
#define QUENCH_CSIG_H

#include <stdbool.h>

/* Attach those that are missing. Returns 0, or -1 after a message. */
int csig_attach(const char *device);

/* Are both attached? */
bool csig_is_attached(const char *device);

/* Detach the device's. Returns the number of programs. */
int csig_detach(const char *device);

/* Detach the root cgroup's. Returns the number of programs. */
int csig_detach_shared(void);

#endif
