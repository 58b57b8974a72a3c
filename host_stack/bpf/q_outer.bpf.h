/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * The headers around an ICMP message: its VLAN, its IP options and its addresses. The kernel's own checks of them come
 * after tc ingress, so q_isq cannot rely on those.
 */
#ifndef QUENCH_Q_OUTER_BPF_H
#define QUENCH_Q_OUTER_BPF_H

#include "q_attach.bpf.h"

/* Preprocessor constants of the kernel, which its BTF does not carry. */
#define ETH_P_IP 0x0800
#define ETH_P_8021Q 0x8100
#define ETH_P_8021AD 0x88a8
#define IP_OPTION_END 0
#define IP_OPTION_NOP 1
#define IP_OPTION_LOOSE_SOURCE_ROUTE 131
#define IP_OPTION_STRICT_SOURCE_ROUTE 137
#define IP_BROADCAST 0xffffffff

#define IP_MIN_BYTES 20
#define IP_MAX_BYTES 60
#define IP_OPTIONS_MIN_BYTES 4
#define IP_OPTIONS_MAX_BYTES (IP_MAX_BYTES - IP_MIN_BYTES)
/* The number of a VLAN, in the control information of its tag. */
#define VLAN_ID_MASK 0x0fff
/* Addresses of a device with which a source is compared, at most. */
#define MAX_DEVICE_ADDRESSES 64
/* No offset in a frame. */
#define NOWHERE 0xffffffffU

/* The compiler leaves out a check of a range that it knows. Older verifiers (Linux 6.1) do not know it. */
#define FORGET_RANGE(number) asm volatile("" : "+r"(number))

/* A VLAN tag that is in the frame: what follows its EtherType. */
struct vlan_tag {
	__be16 control;
	__be16 protocol;
};

/*
 * The offset in the frame at which the IPv4 header begins, or NOWHERE. *in_vlan: the frame belongs to a VLAN, so the
 * kernel gives it to the VLAN's own device if there is one, and to nobody otherwise. VLAN 0 is none: its tag only has a
 * priority.
 */
static __always_inline __u32 find_ip(struct __sk_buff *skb, int *in_vlan)
{
	__u32 offset = q_attach.link_header_bytes;
	__be16 protocol = (__be16)skb->protocol;
	struct vlan_tag tag;

	/* The kernel has taken the outermost tag out of the frame. */
	*in_vlan = skb->vlan_present && (skb->vlan_tci & VLAN_ID_MASK);
	if (protocol == bpf_htons(ETH_P_8021Q) || protocol == bpf_htons(ETH_P_8021AD)) {
		if (bpf_skb_load_bytes(skb, offset, &tag, sizeof(tag)))
			return NOWHERE;
		*in_vlan |= tag.control & bpf_htons(VLAN_ID_MASK);
		protocol = tag.protocol;
		offset += sizeof(tag);
	}
	return protocol == bpf_htons(ETH_P_IP) ? offset : NOWHERE;
}

/* Do the IP options route the packet (RFC 791), or do they have lengths that cannot be? */
static __always_inline int has_bad_options(struct __sk_buff *skb, __u32 offset, __u32 bytes)
{
	__u8 options[IP_OPTIONS_MAX_BYTES] = {};
	__u32 next = 0;

	FORGET_RANGE(bytes);
	if (bytes < IP_OPTIONS_MIN_BYTES)
		return 0;
	if (bytes > sizeof(options) || bpf_skb_load_bytes(skb, offset, options, bytes))
		return 1;
	/* Through all bytes, and not from option to option, so that the verifier knows each index. */
	for (__u32 at = 0; at < sizeof(options); at++) {
		__u8 kind = options[at];
		__u32 option_bytes = 1;

		if (at >= bytes || (at == next && kind == IP_OPTION_END))
			return 0;
		if (at != next)
			continue;
		if (kind == IP_OPTION_LOOSE_SOURCE_ROUTE || kind == IP_OPTION_STRICT_SOURCE_ROUTE)
			return 1;
		if (kind != IP_OPTION_NOP) {
			option_bytes = at + 1 < bytes ? options[at + 1] : 0;
			if (option_bytes < 2 || option_bytes > bytes - at)
				return 1;
		}
		next = at + option_bytes;
	}
	return 0;
}

/* Does the address belong to no single host on a network: 0/8, 127/8, multicast, broadcast (RFC 1122 3.2.1.3)? */
static __always_inline int is_nobodys(__be32 address)
{
	__u32 first = bpf_ntohl(address) >> 24;

	return first == 0 || first == 127 || (first >= 224 && first < 240) || address == IP_BROADCAST;
}

/* Is it an own address of the device, or the broadcast address of one of its networks? */
static __always_inline int is_of_device(const struct net_device *device, __be32 address)
{
	const struct in_device *ip = device ? device->ip_ptr : 0;
	const struct in_ifaddr *own = ip ? ip->ifa_list : 0;

	for (int i = 0; i < MAX_DEVICE_ADDRESSES && own; i++) {
		/* Networks of one or two addresses have no broadcast address (RFC 3021). */
		int has_broadcast = own->ifa_prefixlen < 31;

		if (address == own->ifa_local || address == own->ifa_broadcast ||
		    (has_broadcast && address == (own->ifa_address | ~own->ifa_mask)))
			return 1;
		own = own->ifa_next;
	}
	return 0;
}

/* Is it an address of the device over which the connection sends? No address is while the socket looks for a route. */
static __always_inline int is_of_own_device(struct bpf_sock *sk, __be32 address)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	const struct dst_entry *route = tp ? tp->inet_conn.icsk_inet.sk.sk_dst_cache : 0;

	return route && is_of_device(route->dev, address);
}

#endif /* QUENCH_Q_OUTER_BPF_H */
