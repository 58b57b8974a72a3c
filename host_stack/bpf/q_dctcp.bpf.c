/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* q_dctcp: dctcp for the kernel's TCP, sender and receiver. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "dctcp.c"

#define Q_ALGORITHM dctcp
#define Q_ECHO_NAME "q_dctcp_echo"
#include "q_accurate.bpf.h"

Q_ACCURATE_STRUCT_OPS(q_dctcp);
