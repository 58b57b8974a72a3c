/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * q_becn: becn for the kernel's TCP. TCP_CONG_NEEDS_ECN sets ECT on all packets, even if the receiver has not agreed to
 * ECN. BECN needs nothing of the receiver, but routers mark, and send ISQs about, ECT packets only.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "becn.c"

#define Q_ALGORITHM becn
#include "q_tcp.bpf.h"

Q_STRUCT_OPS(q_becn, TCP_CONG_NEEDS_ECN);
