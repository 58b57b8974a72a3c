/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * q_ecn: ecn for the kernel's TCP. ECN is negotiated by net.ipv4.tcp_ecn alone: TCP_CONG_NEEDS_ECN would set ECT on the
 * SYN too, which a standard receiver answers by refusing ECN (docs/decisions/0010-who-sets-ect.md).
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "ecn.c"

#define Q_ALGORITHM ecn
#include "q_tcp.bpf.h"

Q_STRUCT_OPS(q_ecn, 0);
