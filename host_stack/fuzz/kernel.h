/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The kernel around a tc program: one packet, one namespace, one socket. */
#ifndef FUZZ_KERNEL_H
#define FUZZ_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmlinux.h"

#include "q_shared.h"

/* Ends the run as a find unless the condition holds. */
#define REQUIRE(condition)                                                                                             \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			__builtin_trap();                                                                              \
	} while (0)

/* A map of the program, with room for one entry. */
struct kernel_map {
	const void *map;
	void *value;
	size_t value_bytes;
	/* NULL for storage of the socket. */
	void *key;
	size_t key_bytes;
	/* Whether the entry is there. */
	bool *present;
};

struct kernel {
	struct __sk_buff skb;
	/* Of exactly skb.len bytes, so that the sanitizer sees each access beyond it. */
	uint8_t *frame;
	struct bpf_sock sk;
	struct bpf_tcp_sock tp;
	struct tcp_sock tcp;
	/* Addresses and ports of the socket's end and of its peer's, as in packets. */
	uint8_t local[16], remote[16];
	uint16_t local_port, remote_port;
	bool is_ipv6;
	/* Is the socket one of TCP that is more than a request or a corpse? */
	bool is_full;
	int references;
	struct kernel_map maps[6];
	size_t map_count;
};

/* The kernel that the helpers work on. */
extern struct kernel kernel;

/* A new kernel with that frame. */
void kernel_begin(const uint8_t *frame, size_t bytes);

/* Declare a map. */
void kernel_add_map(struct kernel_map map);

/* End it. All references are given back. */
void kernel_end(void);

/* Add up bytes as 16-bit words (RFC 1071), without the complement. */
uint32_t sum_words(const uint8_t *bytes, size_t count, uint32_t sum);

/* A folded sum, complemented: 0 over what has a right checksum in it. */
uint16_t checksum_of(uint32_t sum);

#endif
