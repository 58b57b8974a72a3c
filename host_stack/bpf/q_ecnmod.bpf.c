/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* q_ecnmod: ecn-mod for the kernel's TCP, sender and receiver. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "ecn_mod.c"

#define Q_ALGORITHM ecn_mod
#define Q_ECHO_NAME "q_ecnmod_echo"
#include "q_accurate.bpf.h"

Q_ACCURATE_STRUCT_OPS(q_ecnmod);
