/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * q_isq: receives ICMP source quench (RFC 792, type 4 code 0) at tc ingress and hands it to the TCP socket whose packet
 * it quotes. RFC 6633 deprecates source quench because anybody can forge one; so everything that can be checked is, up
 * to the quoted sequence number being in flight (RFC 5927) and the quoted identification being that with which
 * q_ident_out sent it, and what fails is counted by reason. The packet itself always goes on to the kernel, which
 * ignores it.
 */
#include "vmlinux.h"
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "q_ident.bpf.h"
#include "q_maps.bpf.h"
#include "q_place.bpf.h"

char _license[] SEC("license") = "GPL";

/* Preprocessor constants of the kernel, which its BTF does not carry. */
#define ETH_P_IP 0x0800
#define ICMP_SOURCE_QUENCH 4
#define TC_ACT_UNSPEC (-1)
#define PACKET_HOST 0
#define IP_MORE_FRAGMENTS_OR_OFFSET 0x3fff
#define IP_OFFSET 0x1fff
#define IP_DONT_FRAGMENT 0x4000
#define TCP_FLAG_ACK 0x10

#define ISQ_DROPPED_OR_MARKED_BIT 0x80
#define ISQ_LEVEL_MASK 0x7f

/* RFC 1812 4.3.2.3: an ICMP error quotes as much as fits into a datagram of 576 bytes. */
#define MAX_ICMP_BYTES 556
#define CSUM_CHUNK_BYTES 280
#define SCRATCH_BYTES (2 * CSUM_CHUNK_BYTES)
#define IP_MIN_BYTES 20
#define IP_MAX_BYTES 60
#define ICMP_BYTES 8
/* What RFC 792 promises of the quoted transport header: for TCP the ports and the sequence number. */
#define QUOTE_TRANSPORT_BYTES 8
/* The least span of acknowledgment numbers that packets in flight may bear: a window without scale. */
#define MIN_ACK_SPAN_BYTES 0xffffU

struct icmp_quench {
	__u8 type;
	__u8 code;
	__be16 checksum;
	/* The fifth octet: first of RFC 792's unused word. */
	__u8 signal;
	__u8 unused[3];
};

struct quoted_tcp {
	__be16 source;
	__be16 dest;
	__be32 seq;
};

/* What follows in the quotes of routers that quote more than they must. */
struct quoted_tcp_rest {
	__be32 ack_seq;
	__u8 data_offset;
	__u8 flags;
	__u8 window_checksum_urgent[6];
};

struct scratch {
	__u8 bytes[SCRATCH_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} q_scratch SEC(".maps");

static __always_inline __u16 fold(__s64 sum)
{
	__u32 folded = (__u32)sum;

	folded = (folded & 0xffff) + (folded >> 16);
	folded = (folded & 0xffff) + (folded >> 16);
	return (__u16)folded;
}

/* Is the Internet checksum over these bytes of the packet right? bytes <= SCRATCH_BYTES. */
static __always_inline int checksum_ok(struct __sk_buff *skb, __u32 offset, __u32 bytes)
{
	__u32 zero = 0;
	struct scratch *scratch = bpf_map_lookup_elem(&q_scratch, &zero);
	__s64 sum;

	if (!scratch || !bytes || bytes > SCRATCH_BYTES)
		return 0;
	__builtin_memset(scratch, 0, sizeof(*scratch));
	if (bpf_skb_load_bytes(skb, offset, scratch->bytes, bytes))
		return 0;
	/* The helper takes at most 512 bytes at a time on older kernels; zeroes do not change a sum. */
	sum = bpf_csum_diff(0, 0, (__be32 *)scratch->bytes, CSUM_CHUNK_BYTES, 0);
	if (sum < 0)
		return 0;
	sum = bpf_csum_diff(0, 0, (__be32 *)(scratch->bytes + CSUM_CHUNK_BYTES), CSUM_CHUNK_BYTES, sum);
	return sum >= 0 && fold(sum) == 0xffff;
}

static __always_inline int seq_in_flight(__u32 seq, const struct bpf_tcp_sock *tp)
{
	return (__s32)(seq - tp->snd_una) >= 0 && (__s32)(seq - tp->snd_nxt) < 0;
}

static __always_inline int from_a_router(const struct q_isq_rules *rules, __be32 source)
{
	for (__u32 i = 0; i < Q_MAX_ISQ_FROM; i++) {
		if (i >= rules->from_count)
			return 0;
		if ((source & rules->from[i].mask) == rules->from[i].bits)
			return 1;
	}
	return 0;
}

/* Was the packet sent with that identification? Where it may be fragmented, another program chose it. */
static __always_inline int identification_ok(const struct iphdr *quoted, __u32 seq, const struct q_mailbox *mailbox,
					     const struct bpf_tcp_sock *tp)
{
	return (quoted->frag_off & bpf_htons(IP_DONT_FRAGMENT)) &&
	       bpf_ntohs(quoted->id) == q_ident_of(mailbox, seq, tp->mss_cache);
}

/* A packet in flight acknowledges what this end has received, or what it had a window ago (RFC 5961 5). */
static __always_inline int acknowledgment_ok(const struct quoted_tcp_rest *rest, struct bpf_sock *sk)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	__u32 span, behind;

	if (!tp)
		return 0;
	span = tp->rcv_wnd > MIN_ACK_SPAN_BYTES ? tp->rcv_wnd : MIN_ACK_SPAN_BYTES;
	behind = tp->rcv_nxt - bpf_ntohl(rest->ack_seq);
	return (rest->flags & TCP_FLAG_ACK) && behind <= span;
}

/* The counter for what becomes of the ISQ at `offset`; ip is the outer header. */
static __always_inline enum q_counter deliver(struct __sk_buff *skb, const struct iphdr *ip, __u32 offset,
					      __u32 icmp_bytes, struct q_host *host)
{
	struct icmp_quench icmp;
	struct iphdr quoted;
	struct quoted_tcp tcp;
	struct quoted_tcp_rest rest;
	struct bpf_sock_tuple tuple = {};
	struct bpf_sock *sk;
	struct bpf_tcp_sock *tp;
	struct q_mailbox *mailbox;
	enum q_counter result;
	__u32 quoted_ip_bytes, kind;
	int has_rest;

	if (icmp_bytes > MAX_ICMP_BYTES)
		return Q_COUNTER_isq_refused_too_long;
	if (icmp_bytes < ICMP_BYTES + IP_MIN_BYTES + QUOTE_TRANSPORT_BYTES)
		return Q_COUNTER_isq_refused_truncated;
	if (bpf_skb_load_bytes(skb, offset, &icmp, sizeof(icmp)) ||
	    bpf_skb_load_bytes(skb, offset + ICMP_BYTES, &quoted, sizeof(quoted)))
		return Q_COUNTER_isq_refused_truncated;
	if (!checksum_ok(skb, offset, icmp_bytes))
		return Q_COUNTER_isq_refused_bad_checksum;
	if (icmp.code)
		return Q_COUNTER_isq_refused_bad_code;

	quoted_ip_bytes = quoted.ihl * 4;
	if (quoted.version != 4 || quoted_ip_bytes < IP_MIN_BYTES || (quoted.frag_off & bpf_htons(IP_OFFSET)) ||
	    bpf_ntohs(quoted.tot_len) < quoted_ip_bytes + sizeof(struct tcphdr))
		return Q_COUNTER_isq_refused_bad_quote;
	if (quoted.protocol != IPPROTO_TCP)
		return Q_COUNTER_isq_refused_not_tcp;
	if (quoted.saddr != ip->daddr)
		return Q_COUNTER_isq_refused_wrong_source;
	if (icmp_bytes < ICMP_BYTES + quoted_ip_bytes + QUOTE_TRANSPORT_BYTES ||
	    bpf_skb_load_bytes(skb, offset + ICMP_BYTES + quoted_ip_bytes, &tcp, sizeof(tcp)))
		return Q_COUNTER_isq_refused_truncated;
	has_rest = icmp_bytes >= ICMP_BYTES + quoted_ip_bytes + sizeof(tcp) + sizeof(rest);
	if (has_rest &&
	    bpf_skb_load_bytes(skb, offset + ICMP_BYTES + quoted_ip_bytes + sizeof(tcp), &rest, sizeof(rest)))
		return Q_COUNTER_isq_refused_truncated;

	/* The quoted packet was ours, so its destination is the peer. */
	tuple.ipv4.saddr = quoted.daddr;
	tuple.ipv4.sport = tcp.dest;
	tuple.ipv4.daddr = quoted.saddr;
	tuple.ipv4.dport = tcp.source;
	sk = bpf_skc_lookup_tcp(skb, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
	if (!sk)
		return Q_COUNTER_isq_refused_no_socket;

	tp = bpf_tcp_sock(sk);
	mailbox = tp ? bpf_sk_storage_get(&q_mailboxes, tp, 0, 0) : 0;
	if (!tp || sk->state == BPF_TCP_LISTEN) {
		result = Q_COUNTER_isq_refused_no_socket;
	} else if (!mailbox) {
		result = Q_COUNTER_isq_refused_not_listening;
	} else if (!seq_in_flight(bpf_ntohl(tcp.seq), tp)) {
		result = Q_COUNTER_isq_refused_not_in_flight;
	} else if (host->isq_rules.check_identification &&
		   !identification_ok(&quoted, bpf_ntohl(tcp.seq), mailbox, tp)) {
		result = Q_COUNTER_isq_refused_identification;
	} else if (has_rest && !acknowledgment_ok(&rest, sk)) {
		result = Q_COUNTER_isq_refused_acknowledgment;
	} else {
		kind = icmp.signal & ISQ_DROPPED_OR_MARKED_BIT ? Q_ISQ_MARKED : Q_ISQ_DROPPED;
		/* One that waits already is of the same window, so this one would not count anyway. */
		if (__sync_val_compare_and_swap(&mailbox->isq, 0, Q_MAILBOX(kind, icmp.signal & ISQ_LEVEL_MASK)))
			q_count(host, Q_COUNTER_suppressed_isq);
		result = kind == Q_ISQ_MARKED ? Q_COUNTER_isq_accepted_marked : Q_COUNTER_isq_accepted_dropped;
	}
	bpf_sk_release(sk);
	return result;
}

SEC("tc")
int q_isq(struct __sk_buff *skb)
{
	__u32 ip_offset = q_place.link_header_bytes;
	__u64 cookie = q_place.netns_cookie;
	struct q_host *host;
	struct iphdr ip;
	__u32 ip_bytes, total_bytes;
	__u8 type;

	if (skb->protocol != bpf_htons(ETH_P_IP) || skb->pkt_type != PACKET_HOST ||
	    bpf_skb_load_bytes(skb, ip_offset, &ip, sizeof(ip)) || ip.protocol != IPPROTO_ICMP)
		return TC_ACT_UNSPEC;
	ip_bytes = ip.ihl * 4;
	if (ip.version != 4 || ip_bytes < IP_MIN_BYTES || ip_bytes > IP_MAX_BYTES)
		return TC_ACT_UNSPEC;
	/* Later fragments have no ICMP header: what looks like its type is payload. */
	if ((ip.frag_off & bpf_htons(IP_OFFSET)) ||
	    bpf_skb_load_bytes(skb, ip_offset + ip_bytes, &type, sizeof(type)) || type != ICMP_SOURCE_QUENCH)
		return TC_ACT_UNSPEC;

	host = bpf_map_lookup_elem(&q_hosts, &cookie);
	if (!host)
		return TC_ACT_UNSPEC;
	q_count(host, Q_COUNTER_isq_received);
	total_bytes = bpf_ntohs(ip.tot_len);
	if (total_bytes < ip_bytes || ip_offset + total_bytes > skb->len)
		q_count(host, Q_COUNTER_isq_refused_truncated);
	else if (ip.frag_off & bpf_htons(IP_MORE_FRAGMENTS_OR_OFFSET))
		q_count(host, Q_COUNTER_isq_refused_fragment);
	else if (!checksum_ok(skb, ip_offset, ip_bytes))
		q_count(host, Q_COUNTER_isq_refused_bad_checksum);
	else if (!from_a_router(&host->isq_rules, ip.saddr))
		q_count(host, Q_COUNTER_isq_refused_unknown_router);
	else if (ip.ttl < host->isq_rules.ttl_min)
		q_count(host, Q_COUNTER_isq_refused_ttl);
	else
		q_count(host, deliver(skb, &ip, ip_offset + ip_bytes, total_bytes - ip_bytes, host));
	return TC_ACT_UNSPEC;
}
