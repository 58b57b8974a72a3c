/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The tc programs on a device of the current namespace. */
#ifndef QUENCH_TCFILTER_H
#define QUENCH_TCFILTER_H

#include <stdint.h>

#include "state.h"

/* The programs by where they sit. q_isq is on every device of a host, and the first there. */
enum tcfilter_kind { TCFILTER_ISQ, TCFILTER_MECN_IN, TCFILTER_MECN_OUT, TCFILTER_COUNT };

/* Attach a program; for q_isq note its id and the qdisc's origin in *device. Returns 0, or -1 after a message. */
int tcfilter_attach(struct device_state *device, enum tcfilter_kind kind, int prog_fd);

/* Id of our program on the device; 0 if there is none. */
uint32_t tcfilter_query(const char *device, enum tcfilter_kind kind);

/* Take all our programs off the device. Returns how many there were. */
int tcfilter_detach(const struct device_state *device);

#endif
