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

struct tcp_sock {
	__u32 rcv_nxt;
	__u32 rcv_wnd;
};

#endif
