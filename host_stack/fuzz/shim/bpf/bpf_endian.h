/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* libbpf's header of that name, for a native build. */
#ifndef FUZZ_BPF_ENDIAN_H
#define FUZZ_BPF_ENDIAN_H

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the harnesses are written for little-endian machines");

#define bpf_htons(x) ((__u16)__builtin_bswap16(x))
#define bpf_ntohs(x) ((__u16)__builtin_bswap16(x))
#define bpf_htonl(x) ((__u32)__builtin_bswap32(x))
#define bpf_ntohl(x) ((__u32)__builtin_bswap32(x))

#endif
