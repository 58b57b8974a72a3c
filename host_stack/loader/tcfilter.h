/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The tc program on a device of the current namespace. */
#ifndef QUENCH_TCFILTER_H
#define QUENCH_TCFILTER_H

#include <stdint.h>

#include "state.h"

/* Attach the program and note its id and the qdisc's origin in *device. Returns 0, or -1 after a message. */
int tcfilter_attach(struct device_state *device, int prog_fd);

/* Id of our program on the device; 0 if there is none. */
uint32_t tcfilter_query(const char *device);

/* Take our program off the device. Returns 1 if there was one, else 0. */
int tcfilter_detach(const struct device_state *device);

#endif
