/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The congestion controls that a host can run, and what each needs of the kernel: from the list in algorithms.h. */
#ifndef QUENCH_ALGOS_H
#define QUENCH_ALGOS_H

#include <stdbool.h>
#include <stddef.h>

struct algo {
	/* The name on the command line. */
	const char *name;
	/* The name in net.ipv4.tcp_congestion_control. */
	const char *cc_name;
	/* Value for net.ipv4.tcp_ecn. */
	const char *tcp_ecn;
	/* A second congestion control of the same BPF object, to which the first may hand connections over; or NULL. */
	const char *second_cc_name;
	/* It uses Multilevel ECN, for which a device needs two tc programs. */
	bool multilevel;
	/* It uses Accurate ECN and ECT(1), for which a device needs two tc programs. */
	bool accecn;
	/* It reacts to ISQs, for which a device needs a tc program that sets identifications. */
	bool obeys_isq;
	/* The BPF object that registers cc_name; NULL if the kernel has it built in. */
	const void *(*elf_bytes)(size_t *size);
};

/* The algorithm of that name, or NULL. */
const struct algo *algo_find(const char *name);

/* The algorithms by index; NULL past the last. */
const struct algo *algo_at(size_t index);

/* Bytes in which the names of all algorithms have room. */
#define ALGO_NAMES_BYTES 256

/* Write the names of all algorithms; what has no room in size bytes is cut off. */
void algo_names(char *text, size_t size, const char *separator);

#endif
