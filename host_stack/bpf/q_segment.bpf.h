/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* TCP segments in a tc program: reading a segment, and changing its flags, options, identification or ECN field with
 * the checksums. */
#ifndef QUENCH_Q_SEGMENT_BPF_H
#define QUENCH_Q_SEGMENT_BPF_H

#include "q_address.bpf.h"

/* Preprocessor constants of the kernel, which its BTF does not carry. */
#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86dd
#define TC_ACT_UNSPEC (-1)

#define Q_IP_FRAGMENT 0x3fff
#define Q_IP_DONT_FRAGMENT 0x4000
#define Q_IPV4_MIN_BYTES 20
#define Q_IPV6_BYTES 40
#define Q_TCP_MIN_BYTES 20
#define Q_TCP_MAX_BYTES 60
#define Q_TCP_OPTIONS_MAX_BYTES 40
/* A timestamp and two NOPs (RFC 7323). */
#define Q_TCP_TIMESTAMP_BYTES 12
#define Q_TCP_MAGIC_OPTION_BYTES 4

/* Offsets in the headers. */
#define Q_IPV4_LENGTH_OFFSET 2
#define Q_IPV4_IDENTIFICATION_OFFSET 4
#define Q_IPV4_CHECKSUM_OFFSET 10
#define Q_IPV6_LENGTH_OFFSET 4
#define Q_IPV6_ECN_SHIFT 4
#define Q_TCP_FLAGS_OFFSET 12
#define Q_TCP_CHECKSUM_OFFSET 16

/* The word with data offset and flags, in host byte order. AE is the flag of Accurate ECN. */
#define Q_TCP_SYN 0x0002
#define Q_TCP_RST 0x0004
#define Q_TCP_ACK 0x0010
#define Q_TCP_ECE 0x0040
#define Q_TCP_CWR 0x0080
#define Q_TCP_AE 0x0100

/* TCP options (RFC 9293 3.1, RFC 6994). */
#define Q_OPTION_END 0
#define Q_OPTION_NOP 1
#define Q_OPTION_EXPERIMENT 253

struct q_segment {
	/* Offsets of the IP and the TCP header in the frame, which may begin with a link header. */
	__u32 ip_offset;
	__u32 tcp_offset;
	__u32 tcp_bytes;
	__u32 payload_bytes;
	/* IP's total length (IPv4) or payload length (IPv6). */
	__u16 length;
	/* Data offset and flags. */
	__u16 flags;
	/* IPv4 only. */
	__be16 identification;
	__u8 dont_fragment;
	__u8 is_ipv6;
	/* The ECN field of the IP header. */
	__u8 ecn;
	__be32 source[4];
	__be32 dest[4];
	struct tcphdr tcp;
};

/* Read the IP header. Returns the bytes of IP payload; 0 if the frame holds no TCP, or a fragment. */
static __always_inline __u32 q_segment_ip(struct __sk_buff *skb, struct q_segment *segment, __u32 link_header_bytes)
{
	__u32 frame_bytes = skb->len - link_header_bytes;

	segment->ip_offset = link_header_bytes;
	if (skb->protocol == bpf_htons(ETH_P_IP)) {
		struct iphdr ip;
		__u32 header_bytes;

		if (bpf_skb_load_bytes(skb, link_header_bytes, &ip, sizeof(ip)))
			return 0;
		header_bytes = ip.ihl * 4;
		segment->length = bpf_ntohs(ip.tot_len);
		if (ip.version != 4 || header_bytes < Q_IPV4_MIN_BYTES || ip.protocol != IPPROTO_TCP ||
		    (ip.frag_off & bpf_htons(Q_IP_FRAGMENT)))
			return 0;
		segment->ecn = ip.tos & 3;
		segment->identification = ip.id;
		segment->dont_fragment = (ip.frag_off & bpf_htons(Q_IP_DONT_FRAGMENT)) != 0;
		segment->tcp_offset = link_header_bytes + header_bytes;
		q_map_ipv4(segment->source, ip.saddr);
		q_map_ipv4(segment->dest, ip.daddr);
		if (segment->length && segment->length <= frame_bytes)
			frame_bytes = segment->length;
		return frame_bytes > header_bytes ? frame_bytes - header_bytes : 0;
	}
	if (skb->protocol == bpf_htons(ETH_P_IPV6)) {
		struct ipv6hdr ip;

		if (bpf_skb_load_bytes(skb, link_header_bytes, &ip, sizeof(ip)) || ip.nexthdr != IPPROTO_TCP)
			return 0;
		segment->is_ipv6 = 1;
		segment->length = bpf_ntohs(ip.payload_len);
		segment->ecn = ip.flow_lbl[0] >> 4 & 3;
		segment->tcp_offset = link_header_bytes + Q_IPV6_BYTES;
		for (int i = 0; i < 4; i++) {
			segment->source[i] = ip.saddr.in6_u.u6_addr32[i];
			segment->dest[i] = ip.daddr.in6_u.u6_addr32[i];
		}
		if (segment->length && segment->length + Q_IPV6_BYTES <= frame_bytes)
			return segment->length;
		return frame_bytes > Q_IPV6_BYTES ? frame_bytes - Q_IPV6_BYTES : 0;
	}
	return 0;
}

/* Read a frame. Returns 1 if it holds a whole TCP header. */
static __always_inline int q_segment_read(struct __sk_buff *skb, struct q_segment *segment, __u32 link_header_bytes)
{
	__u32 bytes = q_segment_ip(skb, segment, link_header_bytes);
	__be16 flags;

	if (bytes < Q_TCP_MIN_BYTES ||
	    bpf_skb_load_bytes(skb, segment->tcp_offset, &segment->tcp, sizeof(segment->tcp)))
		return 0;
	/* Without the bit fields of struct tcphdr, which differ between kernel versions. */
	__builtin_memcpy(&flags, (const char *)&segment->tcp + Q_TCP_FLAGS_OFFSET, sizeof(flags));
	segment->flags = bpf_ntohs(flags);
	segment->tcp_bytes = (segment->flags >> 12) * 4;
	if (segment->tcp_bytes < Q_TCP_MIN_BYTES || segment->tcp_bytes > bytes)
		return 0;
	segment->payload_bytes = bytes - segment->tcp_bytes;
	return 1;
}

/* Write data offset and flags. The helper does not change a checksum that the device will compute. */
static __always_inline void q_segment_write_flags(struct __sk_buff *skb, struct q_segment *segment, __u16 flags)
{
	__be16 before = bpf_htons(segment->flags), after = bpf_htons(flags);

	if (flags == segment->flags)
		return;
	bpf_l4_csum_replace(skb, segment->tcp_offset + Q_TCP_CHECKSUM_OFFSET, before, after, sizeof(after));
	bpf_skb_store_bytes(skb, segment->tcp_offset + Q_TCP_FLAGS_OFFSET, &after, sizeof(after), 0);
	segment->flags = flags;
}

static __always_inline void q_segment_write_identification(struct __sk_buff *skb, struct q_segment *segment,
							   __u16 identification)
{
	__be16 before = segment->identification, after = bpf_htons(identification);

	if (after == before)
		return;
	bpf_l3_csum_replace(skb, segment->ip_offset + Q_IPV4_CHECKSUM_OFFSET, before, after, sizeof(after));
	bpf_skb_store_bytes(skb, segment->ip_offset + Q_IPV4_IDENTIFICATION_OFFSET, &after, sizeof(after), 0);
	segment->identification = after;
}

/* Write the ECN field: two bits of the first 16 of the header. */
static __always_inline void q_segment_write_ecn(struct __sk_buff *skb, struct q_segment *segment, __u8 ecn)
{
	__u32 shift = segment->is_ipv6 ? Q_IPV6_ECN_SHIFT : 0;
	__be16 before, after;

	if (bpf_skb_load_bytes(skb, segment->ip_offset, &before, sizeof(before)))
		return;
	after = bpf_htons((bpf_ntohs(before) & ~(3 << shift)) | ecn << shift);
	if (!segment->is_ipv6)
		bpf_l3_csum_replace(skb, segment->ip_offset + Q_IPV4_CHECKSUM_OFFSET, before, after, sizeof(after));
	bpf_skb_store_bytes(skb, segment->ip_offset, &after, sizeof(after), 0);
	segment->ecn = ecn;
}

/*
 * Is there an experimental option with that identifier and no further content? Options are read from the packet one by
 * one. In an array on the stack the verifier would follow every offset that an option may have.
 */
static __always_inline int q_segment_has_experiment(struct __sk_buff *skb, const struct q_segment *segment, __u16 exid)
{
	__u32 at = segment->tcp_offset + Q_TCP_MIN_BYTES, end = segment->tcp_offset + segment->tcp_bytes;
	struct {
		__u8 kind;
		__u8 bytes;
		__be16 exid;
	} option;

	for (int i = 0; i < Q_TCP_OPTIONS_MAX_BYTES; i++) {
		if (at + sizeof(option) > end || bpf_skb_load_bytes(skb, at, &option, sizeof(option)))
			return 0;
		if (option.kind == Q_OPTION_NOP) {
			at++;
			continue;
		}
		if (option.kind == Q_OPTION_END || option.bytes < 2)
			return 0;
		if (option.kind == Q_OPTION_EXPERIMENT && option.bytes == sizeof(option) &&
		    option.exid == bpf_htons(exid))
			return 1;
		at += option.bytes;
	}
	return 0;
}

/*
 * Append an experimental option to a segment without payload. Returns 1, or 0 if there is no room; the segment is then
 * unchanged.
 */
static __always_inline int q_segment_add_experiment(struct __sk_buff *skb, struct q_segment *segment, __u16 exid)
{
	__be32 option = bpf_htonl((__u32)Q_OPTION_EXPERIMENT << 24 | Q_TCP_MAGIC_OPTION_BYTES << 16 | exid);
	__u32 end = segment->tcp_offset + segment->tcp_bytes, checksum = segment->tcp_offset + Q_TCP_CHECKSUM_OFFSET;
	__u16 length = segment->length + Q_TCP_MAGIC_OPTION_BYTES;
	__be16 length_before = bpf_htons(segment->length), length_after = bpf_htons(length);

	if (segment->payload_bytes || skb->len != end ||
	    segment->tcp_bytes + Q_TCP_MAGIC_OPTION_BYTES > Q_TCP_MAX_BYTES ||
	    bpf_skb_change_tail(skb, end + Q_TCP_MAGIC_OPTION_BYTES, 0))
		return 0;
	bpf_skb_store_bytes(skb, end, &option, sizeof(option), 0);
	bpf_l4_csum_replace(skb, checksum, 0, option, sizeof(option));
	/* The length in the pseudo-header is part of the checksum even if the device will compute the rest. */
	bpf_l4_csum_replace(skb, checksum, bpf_htons(segment->tcp_bytes),
			    bpf_htons(segment->tcp_bytes + Q_TCP_MAGIC_OPTION_BYTES),
			    BPF_F_PSEUDO_HDR | sizeof(__be16));
	if (segment->is_ipv6) {
		bpf_skb_store_bytes(skb, segment->ip_offset + Q_IPV6_LENGTH_OFFSET, &length_after, sizeof(length_after),
				    0);
	} else {
		bpf_l3_csum_replace(skb, segment->ip_offset + Q_IPV4_CHECKSUM_OFFSET, length_before, length_after,
				    sizeof(length_after));
		bpf_skb_store_bytes(skb, segment->ip_offset + Q_IPV4_LENGTH_OFFSET, &length_after, sizeof(length_after),
				    0);
	}
	q_segment_write_flags(skb, segment, segment->flags + (Q_TCP_MAGIC_OPTION_BYTES / 4 << 12));
	segment->tcp_bytes += Q_TCP_MAGIC_OPTION_BYTES;
	segment->length = length;
	return 1;
}

#endif /* QUENCH_Q_SEGMENT_BPF_H */
