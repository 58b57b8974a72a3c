/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf_helpers.h>

#include "kernel.h"

#define CSUM_DIFF_MAX_BYTES 512
#define MAX_FRAME_BYTES 65535
#define ETH_BYTES 14
/* The place of an XDP program's frame: its addresses have 32 bits. The page behind it cannot be touched. */
#define XDP_MEMORY 0x20000000UL
#define XDP_MEMORY_BYTES 0x20000UL
#define PAGE_BYTES 0x10000UL

struct kernel kernel;

void kernel_begin(const uint8_t *frame, size_t bytes)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.frame = malloc(bytes);
	REQUIRE(kernel.frame || !bytes);
	if (bytes)
		memcpy(kernel.frame, frame, bytes);
	kernel.skb.len = (__u32)bytes;
}

void kernel_begin_xdp(size_t headroom)
{
	static uint8_t *memory;
	uint32_t end = XDP_MEMORY + XDP_MEMORY_BYTES;

	if (!memory) {
		memory = mmap((void *)XDP_MEMORY, XDP_MEMORY_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		REQUIRE(memory == (uint8_t *)XDP_MEMORY && !mprotect((void *)(uintptr_t)end, PAGE_BYTES, PROT_NONE));
	}
	REQUIRE(kernel.skb.len + headroom <= XDP_MEMORY_BYTES);
	kernel.xdp.data_end = end;
	kernel.xdp.data = kernel.xdp.data_meta = end - kernel.skb.len;
	if (kernel.skb.len)
		memcpy((void *)(uintptr_t)kernel.xdp.data, kernel.frame, kernel.skb.len);
}

long bpf_xdp_adjust_head(struct xdp_md *ctx, int bytes)
{
	REQUIRE(ctx == &kernel.xdp && bytes > 0);
	if (ctx->data + (uint32_t)bytes + ETH_BYTES > ctx->data_end)
		return -EINVAL;
	ctx->data += (uint32_t)bytes;
	ctx->data_meta = ctx->data;
	return 0;
}

long bpf_xdp_adjust_meta(struct xdp_md *ctx, int bytes)
{
	REQUIRE(ctx == &kernel.xdp && bytes < 0 && bytes >= -32 && bytes % 4 == 0);
	ctx->data_meta -= (uint32_t)-bytes;
	return 0;
}

void kernel_add_map(struct kernel_map map)
{
	REQUIRE(kernel.map_count < sizeof(kernel.maps) / sizeof(kernel.maps[0]));
	kernel.maps[kernel.map_count++] = map;
}

void kernel_end(void)
{
	REQUIRE(kernel.references == 0);
	free(kernel.frame);
	kernel.frame = NULL;
}

uint32_t sum_words(const uint8_t *bytes, size_t count, uint32_t sum)
{
	for (size_t i = 0; i < count; i++)
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
	return sum;
}

uint16_t checksum_of(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static bool is_inside(__u32 offset, __u32 bytes)
{
	return offset <= kernel.skb.len && bytes <= kernel.skb.len - offset;
}

long bpf_skb_load_bytes(const struct __sk_buff *skb, __u32 offset, void *to, __u32 bytes)
{
	REQUIRE(skb == &kernel.skb && bytes);
	if (!is_inside(offset, bytes)) {
		memset(to, 0, bytes);
		return -EFAULT;
	}
	memcpy(to, kernel.frame + offset, bytes);
	return 0;
}

long bpf_skb_store_bytes(struct __sk_buff *skb, __u32 offset, const void *from, __u32 bytes, __u64 flags)
{
	REQUIRE(skb == &kernel.skb && !flags);
	/* The programs look before they write. */
	REQUIRE(is_inside(offset, bytes));
	memcpy(kernel.frame + offset, from, bytes);
	return 0;
}

long bpf_skb_change_tail(struct __sk_buff *skb, __u32 bytes, __u64 flags)
{
	uint8_t *frame;

	REQUIRE(skb == &kernel.skb && !flags);
	if (bytes > MAX_FRAME_BYTES || !bytes)
		return -EINVAL;
	frame = calloc(1, bytes);
	REQUIRE(frame);
	memcpy(frame, kernel.frame, bytes < skb->len ? bytes : skb->len);
	free(kernel.frame);
	kernel.frame = frame;
	skb->len = bytes;
	return 0;
}

long bpf_check_mtu(void *context, __u32 device, __u32 *mtu_bytes, __s32 more_bytes, __u64 flags)
{
	REQUIRE(context == &kernel.skb && !device && !*mtu_bytes && !flags && more_bytes > 0);
	*mtu_bytes = kernel.mtu_bytes;
	return kernel.skb.len + (__u32)more_bytes > kernel.mtu_bytes + ETH_BYTES ? BPF_MTU_CHK_RET_FRAG_NEEDED : 0;
}

long bpf_skb_adjust_room(struct __sk_buff *skb, __s32 bytes, __u32 mode, __u64 flags)
{
	__u32 behind = skb->len - ETH_BYTES;

	REQUIRE(skb == &kernel.skb && bytes > 0 && mode == BPF_ADJ_ROOM_MAC && !flags && skb->len >= ETH_BYTES);
	if (bpf_skb_change_tail(skb, skb->len + (__u32)bytes, 0))
		return -EINVAL;
	memmove(kernel.frame + ETH_BYTES + bytes, kernel.frame + ETH_BYTES, behind);
	memset(kernel.frame + ETH_BYTES, 0, (size_t)bytes);
	return 0;
}

/* RFC 1624, with the words as they lie in memory. */
static void replace(__u32 offset, __u64 from, __u64 to, __u64 size)
{
	uint8_t before[4] = {0}, after[4] = {0};
	uint16_t checksum;
	uint32_t sum;

	REQUIRE((size == 2 || size == 4) && is_inside(offset, 2));
	memcpy(before, &from, size);
	memcpy(after, &to, size);
	for (size_t i = 0; i < size; i++)
		before[i] = (uint8_t)~before[i];
	sum = (uint16_t) ~(kernel.frame[offset] << 8 | kernel.frame[offset + 1]);
	checksum = checksum_of(sum_words(after, size, sum_words(before, size, sum)));
	kernel.frame[offset] = (uint8_t)(checksum >> 8);
	kernel.frame[offset + 1] = (uint8_t)checksum;
}

long bpf_l3_csum_replace(struct __sk_buff *skb, __u32 offset, __u64 from, __u64 to, __u64 size)
{
	REQUIRE(skb == &kernel.skb);
	replace(offset, from, to, size);
	return 0;
}

long bpf_l4_csum_replace(struct __sk_buff *skb, __u32 offset, __u64 from, __u64 to, __u64 flags)
{
	REQUIRE(skb == &kernel.skb && !(flags & ~(__u64)(BPF_F_PSEUDO_HDR | BPF_F_HDR_FIELD_MASK)));
	replace(offset, from, to, flags & BPF_F_HDR_FIELD_MASK);
	return 0;
}

__s64 bpf_csum_diff(__be32 *from, __u32 from_bytes, __be32 *to, __u32 to_bytes, __u32 seed)
{
	uint64_t sum = seed;

	if (from_bytes % 4 || to_bytes % 4 || from_bytes + to_bytes > CSUM_DIFF_MAX_BYTES)
		return -EINVAL;
	for (__u32 i = 0; i < from_bytes / 4; i++)
		sum += (uint32_t)~from[i];
	for (__u32 i = 0; i < to_bytes / 4; i++)
		sum += to[i];
	while (sum >> 32)
		sum = (sum & 0xffffffff) + (sum >> 32);
	return (__s64)sum;
}

static const struct kernel_map *find(const void *map)
{
	for (size_t i = 0; i < kernel.map_count; i++)
		if (kernel.maps[i].map == map)
			return &kernel.maps[i];
	REQUIRE(!"a map that the harness does not know");
	return NULL;
}

static bool is_there(const struct kernel_map *map, const void *key)
{
	return *map->present && !memcmp(key, map->key, map->key_bytes);
}

void *bpf_map_lookup_elem(void *map, const void *key)
{
	const struct kernel_map *found = find(map);

	return is_there(found, key) ? found->value : NULL;
}

long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	const struct kernel_map *found = find(map);

	REQUIRE(flags == BPF_ANY);
	memcpy(found->key, key, found->key_bytes);
	memcpy(found->value, value, found->value_bytes);
	*found->present = true;
	return 0;
}

long bpf_map_delete_elem(void *map, const void *key)
{
	const struct kernel_map *found = find(map);

	if (!is_there(found, key))
		return -ENOENT;
	*found->present = false;
	return 0;
}

void *bpf_sk_storage_get(void *map, void *sk, void *value, __u64 flags)
{
	const struct kernel_map *found = find(map);

	REQUIRE((sk == &kernel.sk || sk == &kernel.tp) && !value);
	if (!*found->present && (flags & BPF_SK_STORAGE_GET_F_CREATE)) {
		memset(found->value, 0, found->value_bytes);
		*found->present = true;
	}
	return *found->present ? found->value : NULL;
}

struct bpf_sock *bpf_skc_lookup_tcp(void *context, struct bpf_sock_tuple *tuple, __u32 bytes, __u64 netns, __u64 flags)
{
	bool matches;

	REQUIRE(context == &kernel.skb && netns == (__u64)BPF_F_CURRENT_NETNS && !flags);
	if (bytes == sizeof(tuple->ipv4))
		matches = !kernel.is_ipv6 && !memcmp(&tuple->ipv4.saddr, kernel.remote + 12, 4) &&
			  !memcmp(&tuple->ipv4.daddr, kernel.local + 12, 4) &&
			  tuple->ipv4.sport == kernel.remote_port && tuple->ipv4.dport == kernel.local_port;
	else
		matches = kernel.is_ipv6 && bytes == sizeof(tuple->ipv6) &&
			  !memcmp(tuple->ipv6.saddr, kernel.remote, 16) &&
			  !memcmp(tuple->ipv6.daddr, kernel.local, 16) && tuple->ipv6.sport == kernel.remote_port &&
			  tuple->ipv6.dport == kernel.local_port;
	if (!matches)
		return NULL;
	kernel.references++;
	return &kernel.sk;
}

long bpf_sk_release(void *sk)
{
	REQUIRE(sk == &kernel.sk && kernel.references > 0);
	kernel.references--;
	return 0;
}

struct bpf_sock *bpf_sk_fullsock(struct bpf_sock *sk)
{
	REQUIRE(sk == &kernel.sk);
	return kernel.is_full ? sk : NULL;
}

struct bpf_tcp_sock *bpf_tcp_sock(struct bpf_sock *sk)
{
	REQUIRE(sk == &kernel.sk);
	return kernel.is_full ? &kernel.tp : NULL;
}

struct tcp_sock *bpf_skc_to_tcp_sock(void *sk)
{
	REQUIRE(sk == &kernel.sk);
	return kernel.is_full ? &kernel.tcp : NULL;
}

uint32_t read_be(const uint8_t *bytes, size_t count)
{
	uint32_t value = 0;

	for (size_t i = 0; i < count; i++)
		value = value << 8 | bytes[i];
	return value;
}
