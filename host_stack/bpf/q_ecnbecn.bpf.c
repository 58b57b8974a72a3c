/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* q_ecnbecn: ecn-becn for the kernel's TCP. Negotiates ECN as q_ecn does, because it needs the receiver's ECE. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "ecn_becn.c"

#define Q_ALGORITHM ecn_becn
#include "q_tcp.bpf.h"

Q_STRUCT_OPS(q_ecnbecn, 0);
