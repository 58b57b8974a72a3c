/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* libbpf's header of that name, for a native build: the helpers are functions of kernel.c. */
#ifndef FUZZ_BPF_HELPERS_H
#define FUZZ_BPF_HELPERS_H

#include "vmlinux.h"

#define SEC(name)
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

long bpf_skb_load_bytes(const struct __sk_buff *skb, __u32 offset, void *to, __u32 bytes);
long bpf_skb_store_bytes(struct __sk_buff *skb, __u32 offset, const void *from, __u32 bytes, __u64 flags);
long bpf_skb_change_tail(struct __sk_buff *skb, __u32 bytes, __u64 flags);
long bpf_skb_adjust_room(struct __sk_buff *skb, __s32 bytes, __u32 mode, __u64 flags);
long bpf_check_mtu(void *context, __u32 device, __u32 *mtu_bytes, __s32 more_bytes, __u64 flags);
long bpf_xdp_adjust_head(struct xdp_md *ctx, int bytes);
long bpf_xdp_adjust_meta(struct xdp_md *ctx, int bytes);
long bpf_l3_csum_replace(struct __sk_buff *skb, __u32 offset, __u64 from, __u64 to, __u64 size);
long bpf_l4_csum_replace(struct __sk_buff *skb, __u32 offset, __u64 from, __u64 to, __u64 flags);
__s64 bpf_csum_diff(__be32 *from, __u32 from_bytes, __be32 *to, __u32 to_bytes, __u32 seed);

void *bpf_map_lookup_elem(void *map, const void *key);
long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags);
long bpf_map_delete_elem(void *map, const void *key);
void *bpf_sk_storage_get(void *map, void *sk, void *value, __u64 flags);

struct bpf_sock *bpf_skc_lookup_tcp(void *context, struct bpf_sock_tuple *tuple, __u32 bytes, __u64 netns, __u64 flags);
long bpf_sk_release(void *sk);
struct bpf_sock *bpf_sk_fullsock(struct bpf_sock *sk);
struct bpf_tcp_sock *bpf_tcp_sock(struct bpf_sock *sk);
struct tcp_sock *bpf_skc_to_tcp_sock(void *sk);

#endif
