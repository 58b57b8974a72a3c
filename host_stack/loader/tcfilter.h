/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The tc programs on a device of the current namespace, and with them those of csig.h. */
#ifndef QUENCH_TCFILTER_H
#define QUENCH_TCFILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "state.h"

/* The programs, in the order in which they are attached. A device with any of them has q_isq. */
enum tcfilter_kind {
	TCFILTER_ISQ,
	TCFILTER_IDENT_OUT,
	TCFILTER_MECN_IN,
	TCFILTER_MECN_OUT,
	TCFILTER_PRAGUE_IN,
	TCFILTER_PRAGUE_OUT,
	TCFILTER_CSIG_IN,
	TCFILTER_CSIG_OUT,
	TCFILTER_COUNT
};

/* Set device->made_clsact: tcfilter_attach() will have to make the clsact qdisc. */
void tcfilter_plan(struct device_state *device);

/* Load and attach the programs that the algorithm and device->csig need and that are missing, and set device->prog_id.
 * Returns 0, or -1 after a message. */
int tcfilter_attach(struct device_state *device, const struct algo *algo, uint64_t cookie);

/* Id of our program on the device; 0 if there is none. */
uint32_t tcfilter_query(const char *device, enum tcfilter_kind kind);

/* Detach all our programs from the device, and remove the qdisc that was made for them. Returns the number of programs.
 */
int tcfilter_detach(const struct device_state *device);

#endif
