/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * q_isq: receives ICMP source quenches (ISQs, RFC 792 type 4) at tc ingress, and puts them into the mailbox of the TCP
 * socket whose packet they quote. The congestion control (q_tcp.bpf.h) takes an ISQ out of the mailbox at the next ACK.
 *
 * RFC 6633 deprecates source quench because anybody can forge one. So everything that can be checked is checked: the
 * VLAN, the addresses, the IP options, the TTL, the checksums, the quoted packet, whether its sequence number is in
 * flight (RFC 5927), and whether its identification is the one that q_ident_out has set. Refused ISQs are counted by
 * reason. The packet itself always passes on to the kernel, which ignores it. The kernel's own checks of addresses,
 * options and VLANs come after tc ingress, so q_isq cannot rely on them.
 *
 * receive() checks the outer IP header, read_isq() the ICMP message and the quote, check_connection() the ISQ against
 * the socket.
 */
#include "vmlinux.h"
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "q_attach.bpf.h"
#include "q_ident.bpf.h"
#include "q_maps.bpf.h"
#include "q_outer.bpf.h"

char _license[] SEC("license") = "GPL";

/* Preprocessor constants of the kernel, which its BTF does not carry. */
#define ICMP_SOURCE_QUENCH 4
#define TC_ACT_UNSPEC (-1)
#define PACKET_HOST 0
#define IP_MORE_FRAGMENTS_OR_OFFSET 0x3fff
#define IP_OFFSET 0x1fff
#define IP_DONT_FRAGMENT 0x4000
#define TCP_FLAG_ACK 0x10

#define ISQ_DROPPED_OR_MARKED_BIT 0x80
#define ISQ_LEVEL_MASK 0x7f

/* RFC 1812 section 4.3.2.3: an ICMP error quotes as much as fits into a datagram of 576 bytes. */
#define MAX_ICMP_BYTES 556
#define CSUM_CHUNK_BYTES 280
#define SCRATCH_BYTES (2 * CSUM_CHUNK_BYTES)
#define ICMP_BYTES 8
/* Bytes of the transport header that every ICMP error quotes (RFC 792): for TCP the ports and the sequence number. */
#define QUOTE_TRANSPORT_BYTES 8
/* The least span of acknowledgment numbers in packets in flight: a window without scaling. */
#define MIN_ACK_SPAN_BYTES 0xffffU

struct icmp_quench {
	__u8 type;
	__u8 code;
	__be16 checksum;
	/* The first octet of RFC 792's unused word: ISQ_DROPPED_OR_MARKED_BIT and the level. */
	__u8 signal;
	__u8 unused[3];
};

struct quoted_tcp {
	__be16 source;
	__be16 dest;
	__be32 seq;
};

/* The rest of the TCP header, which a router may quote besides. */
struct quoted_tcp_rest {
	__be32 ack_seq;
	__u8 data_offset;
	__u8 flags;
	__u8 window_checksum_urgent[6];
};

/* Room for the bytes of a checksum, in two halves for bpf_csum_diff(). */
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

/* Is the Internet checksum over these bytes of the packet right? IP_MIN_BYTES <= bytes <= SCRATCH_BYTES. */
static __always_inline int checksum_ok(struct __sk_buff *skb, __u32 offset, __u32 bytes)
{
	__u32 zero = 0;
	struct scratch *scratch = bpf_map_lookup_elem(&q_scratch, &zero);
	__s64 sum;

	FORGET_RANGE(bytes);
	if (!scratch || bytes < IP_MIN_BYTES || bytes > SCRATCH_BYTES)
		return 0;
	__builtin_memset(scratch, 0, sizeof(*scratch));
	if (bpf_skb_load_bytes(skb, offset, scratch->bytes, bytes))
		return 0;
	/* Older kernels add up at most 512 bytes at a time. The zeros behind the data do not change the sum. */
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

/* Has q_ident_out set the quoted identification? It sets none in packets that may be fragmented. */
static __always_inline int identification_ok(const struct iphdr *quoted, __u32 seq, const struct q_mailbox *mailbox,
					     const struct bpf_tcp_sock *tp)
{
	return (quoted->frag_off & bpf_htons(IP_DONT_FRAGMENT)) &&
	       bpf_ntohs(quoted->id) == q_ident_of(mailbox, seq, tp->mss_cache);
}

/* Is the quoted acknowledgment number rcv_nxt or at most a receive window older (RFC 5961 section 5)? */
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

/* An ISQ that has passed read_isq(). */
struct isq {
	__be32 source;
	enum q_isq_kind kind;
	__u8 level;
	/* The packet that it quotes. */
	struct iphdr ip;
	struct quoted_tcp tcp;
	/* Only if has_rest. */
	struct quoted_tcp_rest rest;
	int has_rest;
};

/* No reason to refuse the ISQ was found. */
#define PASSED Q_COUNTER_COUNT

/* Read and check the ICMP message at `offset`, which was sent to `destination`. Returns PASSED, or the counter of the
 * reason to refuse it. */
static __always_inline enum q_counter read_isq(struct __sk_buff *skb, __be32 destination, __u32 offset,
					       __u32 icmp_bytes, struct isq *isq)
{
	struct iphdr *ip = &isq->ip;
	struct icmp_quench icmp;
	__u32 ip_bytes, tcp_offset;

	if (icmp_bytes > MAX_ICMP_BYTES)
		return Q_COUNTER_isq_refused_too_long;
	if (icmp_bytes < ICMP_BYTES + IP_MIN_BYTES + QUOTE_TRANSPORT_BYTES)
		return Q_COUNTER_isq_refused_truncated;
	if (bpf_skb_load_bytes(skb, offset, &icmp, sizeof(icmp)) ||
	    bpf_skb_load_bytes(skb, offset + ICMP_BYTES, ip, sizeof(*ip)))
		return Q_COUNTER_isq_refused_truncated;
	if (!checksum_ok(skb, offset, icmp_bytes))
		return Q_COUNTER_isq_refused_bad_checksum;
	if (icmp.code)
		return Q_COUNTER_isq_refused_bad_code;

	ip_bytes = ip->ihl * 4;
	if (ip->version != 4 || ip_bytes < IP_MIN_BYTES || (ip->frag_off & bpf_htons(IP_OFFSET)) ||
	    bpf_ntohs(ip->tot_len) < ip_bytes + sizeof(struct tcphdr))
		return Q_COUNTER_isq_refused_bad_quote;
	if (ip->protocol != IPPROTO_TCP)
		return Q_COUNTER_isq_refused_not_tcp;
	if (ip->saddr != destination)
		return Q_COUNTER_isq_refused_wrong_source;

	tcp_offset = offset + ICMP_BYTES + ip_bytes;
	if (icmp_bytes < ICMP_BYTES + ip_bytes + sizeof(isq->tcp) ||
	    bpf_skb_load_bytes(skb, tcp_offset, &isq->tcp, sizeof(isq->tcp)))
		return Q_COUNTER_isq_refused_truncated;
	isq->has_rest = icmp_bytes >= ICMP_BYTES + ip_bytes + sizeof(isq->tcp) + sizeof(isq->rest);
	if (isq->has_rest && bpf_skb_load_bytes(skb, tcp_offset + sizeof(isq->tcp), &isq->rest, sizeof(isq->rest)))
		return Q_COUNTER_isq_refused_truncated;
	isq->kind = icmp.signal & ISQ_DROPPED_OR_MARKED_BIT ? Q_ISQ_MARKED : Q_ISQ_DROPPED;
	isq->level = icmp.signal & ISQ_LEVEL_MASK;
	return PASSED;
}

/* Check the quote against the socket that sent the packet. tp and mailbox are NULL if the socket has none. Returns
 * PASSED, or the counter of the reason to refuse the ISQ. */
static __always_inline enum q_counter check_connection(const struct isq *isq, struct bpf_sock *sk,
						       const struct bpf_tcp_sock *tp, const struct q_mailbox *mailbox,
						       const struct q_isq_rules *rules)
{
	__u32 seq = bpf_ntohl(isq->tcp.seq);

	if (!tp || sk->state == BPF_TCP_LISTEN)
		return Q_COUNTER_isq_refused_no_socket;
	if (!mailbox)
		return Q_COUNTER_isq_refused_not_listening;
	if (is_of_own_device(sk, isq->source))
		return Q_COUNTER_isq_refused_bad_address;
	if (!seq_in_flight(seq, tp))
		return Q_COUNTER_isq_refused_not_in_flight;
	if (rules->check_identification && !identification_ok(&isq->ip, seq, mailbox, tp))
		return Q_COUNTER_isq_refused_identification;
	if (isq->has_rest && !acknowledgment_ok(&isq->rest, sk))
		return Q_COUNTER_isq_refused_acknowledgment;
	return PASSED;
}

/* Put the ISQ into the mailbox of the socket that sent the quoted packet. Returns the counter of the result. */
static __always_inline enum q_counter deliver(struct __sk_buff *skb, const struct isq *isq, struct q_host *host)
{
	/* The source of the quoted packet is this end, its destination the peer. */
	struct bpf_sock_tuple tuple = {
		.ipv4 = {.saddr = isq->ip.daddr,
			 .daddr = isq->ip.saddr,
			 .sport = isq->tcp.dest,
			 .dport = isq->tcp.source},
	};
	struct bpf_sock *sk = bpf_skc_lookup_tcp(skb, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
	struct q_mailbox *mailbox;
	struct bpf_tcp_sock *tp;
	enum q_counter result;

	if (!sk)
		return Q_COUNTER_isq_refused_no_socket;
	tp = bpf_tcp_sock(sk);
	mailbox = tp ? bpf_sk_storage_get(&q_mailboxes, tp, 0, 0) : 0;
	result = check_connection(isq, sk, tp, mailbox, &host->isq_rules);
	if (result == PASSED && mailbox) {
		/* An ISQ that is in the mailbox is about the same window of data, so this one would reduce nothing. */
		if (__sync_val_compare_and_swap(&mailbox->isq, 0, Q_MAILBOX(isq->kind, isq->level)))
			q_count(host, Q_COUNTER_suppressed_isq);
		result = isq->kind == Q_ISQ_MARKED ? Q_COUNTER_isq_accepted_marked : Q_COUNTER_isq_accepted_dropped;
	}
	bpf_sk_release(sk);
	return result;
}

/* The counter of an ICMP source quench at `ip_offset`, with the outer header ip. */
static __always_inline enum q_counter receive(struct __sk_buff *skb, const struct iphdr *ip, __u32 ip_offset,
					      struct q_host *host)
{
	__u32 ip_bytes = ip->ihl * 4, total_bytes = bpf_ntohs(ip->tot_len);
	struct isq isq = {.source = ip->saddr};
	enum q_counter result;

	if (total_bytes < ip_bytes || ip_offset + total_bytes > skb->len)
		return Q_COUNTER_isq_refused_truncated;
	if (ip->frag_off & bpf_htons(IP_MORE_FRAGMENTS_OR_OFFSET))
		return Q_COUNTER_isq_refused_fragment;
	if (!checksum_ok(skb, ip_offset, ip_bytes))
		return Q_COUNTER_isq_refused_bad_checksum;
	if (has_bad_options(skb, ip_offset + IP_MIN_BYTES, ip_bytes - IP_MIN_BYTES))
		return Q_COUNTER_isq_refused_ip_options;
	if (is_nobodys(ip->saddr) || is_nobodys(ip->daddr) || ip->saddr == ip->daddr)
		return Q_COUNTER_isq_refused_bad_address;
	if (!from_a_router(&host->isq_rules, ip->saddr))
		return Q_COUNTER_isq_refused_unknown_router;
	/* No packet arrives with 0: a router would have dropped it (RFC 1812 5.3.1). */
	if (!ip->ttl || ip->ttl < host->isq_rules.ttl_min)
		return Q_COUNTER_isq_refused_ttl;
	result = read_isq(skb, ip->daddr, ip_offset + ip_bytes, total_bytes - ip_bytes, &isq);
	return result == PASSED ? deliver(skb, &isq, host) : result;
}

SEC("tc")
int q_isq(struct __sk_buff *skb)
{
	__u64 cookie = q_attach.netns_cookie;
	__u32 ip_offset, ip_bytes;
	struct q_host *host;
	struct iphdr ip;
	int in_vlan;
	__u8 type;

	ip_offset = find_ip(skb, &in_vlan);
	if (ip_offset == NOWHERE || skb->pkt_type != PACKET_HOST ||
	    bpf_skb_load_bytes(skb, ip_offset, &ip, sizeof(ip)) || ip.protocol != IPPROTO_ICMP)
		return TC_ACT_UNSPEC;
	ip_bytes = ip.ihl * 4;
	if (ip.version != 4 || ip_bytes < IP_MIN_BYTES || ip_bytes > IP_MAX_BYTES)
		return TC_ACT_UNSPEC;
	/* A later fragment has payload in the place of the ICMP header. */
	if ((ip.frag_off & bpf_htons(IP_OFFSET)) ||
	    bpf_skb_load_bytes(skb, ip_offset + ip_bytes, &type, sizeof(type)) || type != ICMP_SOURCE_QUENCH)
		return TC_ACT_UNSPEC;

	host = bpf_map_lookup_elem(&q_hosts, &cookie);
	if (!host)
		return TC_ACT_UNSPEC;
	q_count(host, Q_COUNTER_isq_received);
	q_count(host, in_vlan ? Q_COUNTER_isq_refused_vlan : receive(skb, &ip, ip_offset, host));
	return TC_ACT_UNSPEC;
}
