/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The kernel's types that the tc programs use, for a native build. */
#ifndef FUZZ_VMLINUX_H
#define FUZZ_VMLINUX_H

#include <stddef.h>
#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/types.h>

struct in_ifaddr {
	struct in_ifaddr *ifa_next;
	__be32 ifa_local;
	__be32 ifa_address;
	__be32 ifa_mask;
	__be32 ifa_broadcast;
	unsigned char ifa_prefixlen;
};

struct in_device {
	struct in_ifaddr *ifa_list;
};

struct net_device {
	struct in_device *ip_ptr;
};

struct dst_entry {
	struct net_device *dev;
};

struct tcp_congestion_ops {
	char name[16];
};

struct net {
	struct {
		const struct tcp_congestion_ops *tcp_congestion_control;
	} ipv4;
};

struct tcp_sock {
	struct {
		struct {
			struct {
				struct {
					struct {
						struct net *net;
					} skc_net;
				} __sk_common;
				struct dst_entry *sk_dst_cache;
			} sk;
		} icsk_inet;
		const struct tcp_congestion_ops *icsk_ca_ops;
		__u8 icsk_ca_setsockopt : 1;
	} inet_conn;
	__u32 rcv_nxt;
	__u32 rcv_wnd;
	__u64 bytes_received;
	__u32 received_ecn_bytes[3];
	__u8 ecn_flags;
};

#endif
