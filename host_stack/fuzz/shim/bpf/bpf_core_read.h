/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* libbpf's header of that name, for a native build: nothing is relocated, and each field exists. */
#ifndef FUZZ_BPF_CORE_READ_H
#define FUZZ_BPF_CORE_READ_H

#include <string.h>

#define BPF_CORE_READ_INTO(to, from, pointer, field) memcpy((to), (from)->pointer->field, sizeof(*(to)))
#define BPF_CORE_READ_BITFIELD(from, field) ((from)->field)
#define bpf_core_field_exists(field) (sizeof(field) > 0)

#endif
