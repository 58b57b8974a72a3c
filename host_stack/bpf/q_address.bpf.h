/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Addresses of either IP version in one form. */
#ifndef QUENCH_Q_ADDRESS_BPF_H
#define QUENCH_Q_ADDRESS_BPF_H

/* An IPv4 address as IPv6 writes it (RFC 4291 2.5.5.2). All in network byte order. */
static __always_inline void q_map_ipv4(__u32 mapped[4], __be32 address)
{
	mapped[0] = 0;
	mapped[1] = 0;
	mapped[2] = bpf_htonl(0xffff);
	mapped[3] = address;
}

#endif /* QUENCH_Q_ADDRESS_BPF_H */
