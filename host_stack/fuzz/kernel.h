/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* A model of the kernel around a tc program: one packet, one namespace, one socket. */
#ifndef FUZZ_KERNEL_H
#define FUZZ_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmlinux.h"

#include "q_shared.h"

/* Report a failure, and end the run, unless the condition holds. */
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
	/* NULL for a map of socket storage. */
	void *key;
	size_t key_bytes;
	/* The map has the entry. */
	bool *present;
};

struct kernel {
	struct __sk_buff skb;
	/* Exactly skb.len bytes, so that the sanitizer finds each access beyond them. */
	uint8_t *frame;
	struct bpf_sock sk;
	struct bpf_tcp_sock tp;
	struct tcp_sock tcp;
	/* Addresses and ports of the socket and of its peer, in network byte order. */
	uint8_t local[16], remote[16];
	uint16_t local_port, remote_port;
	bool is_ipv6;
	/* The socket is a full TCP socket, and not a request or TIME-WAIT socket. */
	bool is_full;
	int references;
	/* The device's, for IP packets. */
	uint32_t mtu_bytes;
	/* The frame of an XDP program, which kernel_begin_xdp() has made. */
	struct xdp_md xdp;
	struct kernel_map maps[8];
	size_t map_count;
};

/* The state that the BPF helpers work on. */
extern struct kernel kernel;

/* Reset the kernel, with this frame as its packet. */
void kernel_begin(const uint8_t *frame, size_t bytes);

/* Give the packet to an XDP program, too. Its frame ends where memory ends, and has `headroom` bytes before it. */
void kernel_begin_xdp(size_t headroom);

/* Declare a map. */
void kernel_add_map(struct kernel_map map);

/* End the run: the program must have released all references. */
void kernel_end(void);

/* Add up bytes as 16-bit words (RFC 1071), without the complement. */
uint32_t sum_words(const uint8_t *bytes, size_t count, uint32_t sum);

/* A folded sum, complemented: 0 over data that includes a right checksum. */
uint16_t checksum_of(uint32_t sum);

/* A number of `count` bytes, at most 4, in network byte order. */
uint32_t read_be(const uint8_t *bytes, size_t count);

#endif
