/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * Tags of congestion signalling (CSIG) between Ethernet and IP, for a kernel that knows none. q_csig_options.bpf.c
 * returns them.
 *
 * q_csig_out, on packets that leave: offers CSIG in the SYN and accepts it in the SYN-ACK, by an experimental TCP
 * option. Later it puts a tag into packets with data.
 *
 * q_csig_strip, on frames that arrive, before the kernel looks at their EtherType: removes the tag and leaves it in
 * front of the frame, as metadata. It is an XDP program because a tc program can shorten the front of IP packets only.
 *
 * q_csig_in, on packets that arrive: reads offers, and stores the tag in the socket that has to return it.
 */
#include "vmlinux.h"
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "q_csig.bpf.h"
#include "q_handshake.bpf.h"

char _license[] SEC("license") = "GPL";

#define ETH_ADDRESSES_BYTES 12
#define ETH_BYTES 14

/* ---------------------------------------------------------------------------------------------------- handshake */

/* A SYN leaves: add the offer. */
static __always_inline void offer_on_syn(struct __sk_buff *skb, struct q_segment *segment)
{
	struct bpf_sock *sk = skb->sk;
	struct q_open_key key;
	struct q_csig_end *end;

	/* An earlier connection, which the peer opened, may have left an entry. */
	q_open_key_of(&key, segment, 1);
	bpf_map_delete_elem(&q_csig_opens, &key);
	sk = sk ? bpf_sk_fullsock(sk) : 0;
	if (!sk || sk->type != SOCK_STREAM)
		return;
	end = bpf_sk_storage_get(&q_csig_ends, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!end || !q_segment_add_experiment(skb, segment, CSIG_EXID))
		return;
	end->form = q_attach.csig_form;
	end->state = Q_CSIG_OFFERED;
}

/* A SYN-ACK arrives: it accepts our offer, or not. */
static __always_inline void read_syn_ack(struct __sk_buff *skb, struct q_segment *segment)
{
	struct bpf_sock *sk = q_socket_of(skb, segment);
	struct bpf_tcp_sock *tp;
	struct q_csig_end *end;

	if (!sk)
		return;
	tp = bpf_tcp_sock(sk);
	end = tp && sk->state == BPF_TCP_SYN_SENT && q_answers_syn(segment, tp)
		      ? bpf_sk_storage_get(&q_csig_ends, tp, 0, 0)
		      : 0;
	if (end && end->state == Q_CSIG_OFFERED)
		end->state = q_segment_has_experiment(skb, segment, CSIG_EXID) ? Q_CSIG_ON : Q_CSIG_OFF;
	bpf_sk_release(sk);
}

/* ------------------------------------------------------------------------------------------------ tags that leave */

/*
 * May this packet with new data have a tag? Until a first tag has come back, and while answers fail to come, one packet
 * at a time asks: where tags get lost, so does hardly anything else. Retransmissions never have one.
 */
static __always_inline int may_ask(const struct q_segment *segment, const struct bpf_tcp_sock *tp,
				   struct q_csig_end *end, struct q_host *host)
{
	if ((__s32)(bpf_ntohl(segment->tcp.seq) - tp->snd_nxt) < 0)
		return 0;
	if (end->is_asking && (__s32)(tp->snd_una - end->asked_end) >= 0) {
		end->is_asking = 0;
		if (++end->unanswered == CSIG_MAX_UNANSWERED)
			q_count(host, Q_COUNTER_csig_peer_silent);
	}
	return csig_asks(end) && (!end->is_asking || !end->unanswered);
}

/* Put the tag in front of the IP header. Returns 1, or 0 if there is no room; the packet is then unchanged. */
static __always_inline int insert(struct __sk_buff *skb, const struct q_csig_tag *tag)
{
	struct {
		__be16 ethertype;
		__u8 content[CSIG_WIDE_CONTENT_BYTES];
	} bytes;
	__be16 inner = (__be16)skb->protocol;
	int is_wide = tag->form == Q_CSIG_WIDE;

	if (bpf_skb_adjust_room(skb, is_wide ? csig_tag_bytes(Q_CSIG_WIDE) : csig_tag_bytes(Q_CSIG_COMPACT),
				BPF_ADJ_ROOM_MAC, 0))
		return 0;
	bytes.ethertype = is_wide ? bpf_htons(ETH_P_CSIG_WIDE) : bpf_htons(ETH_P_CSIG_COMPACT);
	__builtin_memcpy(bytes.content, tag->content, sizeof(bytes.content));
	if (is_wide) {
		bpf_skb_store_bytes(skb, ETH_ADDRESSES_BYTES, &bytes, csig_tag_bytes(Q_CSIG_WIDE), 0);
		bpf_skb_store_bytes(skb, ETH_BYTES + CSIG_WIDE_CONTENT_BYTES, &inner, sizeof(inner), 0);
	} else {
		bpf_skb_store_bytes(skb, ETH_ADDRESSES_BYTES, &bytes, csig_tag_bytes(Q_CSIG_COMPACT), 0);
		bpf_skb_store_bytes(skb, ETH_BYTES + CSIG_COMPACT_CONTENT_BYTES, &inner, sizeof(inner), 0);
	}
	return 1;
}

/* A packet with data leaves. */
static __always_inline void ask(struct __sk_buff *skb, const struct q_segment *segment, const struct bpf_tcp_sock *tp,
				struct q_csig_end *end)
{
	struct q_host *host = q_this_host();
	__u32 mtu_bytes = 0;
	struct q_csig_tag tag;

	/* The kernel or the device cuts it into packets, and knows no tag that it would have to copy. */
	if (skb->gso_size) {
		q_count(host, Q_COUNTER_csig_super_packets);
		return;
	}
	if (!may_ask(segment, tp, end, host))
		return;
	tag = csig_ask(q_attach.csig_form, end->tagged % Q_CSIG_QUESTIONS);
	if (bpf_check_mtu(skb, 0, &mtu_bytes, csig_tag_bytes(tag.form), 0) || !insert(skb, &tag)) {
		q_count(host, Q_COUNTER_csig_too_long);
		return;
	}
	end->tagged++;
	if (!end->is_asking) {
		end->asked_end = bpf_ntohl(segment->tcp.seq) + segment->payload_bytes;
		end->is_asking = 1;
	}
	q_count(host, Q_COUNTER_csig_tagged);
}

SEC("tc")
int q_csig_out(struct __sk_buff *skb)
{
	struct q_segment segment = {};
	struct q_csig_end *end;
	struct bpf_tcp_sock *tp;
	struct bpf_sock *sk;

	if (!q_segment_read(skb, &segment, ETH_BYTES) || (segment.flags & Q_TCP_RST))
		return TC_ACT_UNSPEC;
	if (segment.flags & Q_TCP_SYN) {
		if (segment.flags & Q_TCP_ACK)
			q_accept_offer(skb, &segment, &q_csig_opens, CSIG_EXID, q_attach.csig_form, 1);
		else
			offer_on_syn(skb, &segment);
		return TC_ACT_UNSPEC;
	}
	sk = skb->sk;
	if (!segment.payload_bytes || !sk)
		return TC_ACT_UNSPEC;
	sk = bpf_sk_fullsock(sk);
	tp = sk ? bpf_tcp_sock(sk) : 0;
	end = tp ? bpf_sk_storage_get(&q_csig_ends, tp, 0, 0) : 0;
	if (end && end->state == Q_CSIG_ON)
		ask(skb, &segment, tp, end);
	return TC_ACT_UNSPEC;
}

/* ----------------------------------------------------------------------------------------------- tags that arrive */

/* Remove `content_bytes` and an EtherType behind the frame's addresses. */
static __always_inline int strip(struct xdp_md *ctx, __u8 form, __u32 content_bytes)
{
	__u8 *data = (__u8 *)(long)ctx->data, *data_end = (__u8 *)(long)ctx->data_end;
	__u32 tag_bytes = CSIG_ETHERTYPE_BYTES + content_bytes;
	__u8 addresses[ETH_ADDRESSES_BYTES];
	struct q_csig_tag tag = {.form = form}, *meta;
	__be16 inner;

	if (data + ETH_BYTES + tag_bytes > data_end)
		return XDP_PASS;
	__builtin_memcpy(&inner, data + ETH_ADDRESSES_BYTES + tag_bytes, sizeof(inner));
	if (inner != bpf_htons(ETH_P_IP) && inner != bpf_htons(ETH_P_IPV6))
		return XDP_PASS;
	__builtin_memcpy(addresses, data, sizeof(addresses));
	__builtin_memcpy(tag.content, data + ETH_BYTES, content_bytes);
	/* The EtherType behind the tag becomes that of the frame. */
	__builtin_memcpy(data + tag_bytes, addresses, sizeof(addresses));
	if (bpf_xdp_adjust_head(ctx, tag_bytes))
		return XDP_DROP;
	if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*meta)))
		return XDP_PASS;
	meta = (struct q_csig_tag *)(long)ctx->data_meta;
	if ((void *)(meta + 1) <= (void *)(long)ctx->data)
		*meta = tag;
	return XDP_PASS;
}

/* Not xdp.frags: with it Linux 6.18 forgets the length of the Ethernet header, which tc programs need. */
SEC("xdp")
int q_csig_strip(struct xdp_md *ctx)
{
	__u8 *data = (__u8 *)(long)ctx->data, *data_end = (__u8 *)(long)ctx->data_end;
	__be16 ethertype;

	if (data + ETH_BYTES > data_end)
		return XDP_PASS;
	__builtin_memcpy(&ethertype, data + ETH_ADDRESSES_BYTES, sizeof(ethertype));
	if (ethertype == bpf_htons(ETH_P_CSIG_COMPACT))
		return strip(ctx, Q_CSIG_COMPACT, CSIG_COMPACT_CONTENT_BYTES);
	if (ethertype == bpf_htons(ETH_P_CSIG_WIDE))
		return strip(ctx, Q_CSIG_WIDE, CSIG_WIDE_CONTENT_BYTES);
	return XDP_PASS;
}

/* Read the tag that q_csig_strip has left. Returns 1 if there is one. */
static __always_inline int read_tag(const struct __sk_buff *skb, struct q_csig_tag *tag)
{
	const struct q_csig_tag *meta = (const struct q_csig_tag *)(long)skb->data_meta;

	if ((const void *)(meta + 1) > (const void *)(long)skb->data)
		return 0;
	*tag = *meta;
	return tag->form == Q_CSIG_COMPACT || tag->form == Q_CSIG_WIDE;
}

/* Store a tag for the socket to return. Returns 1, or 0 if the connection does not use CSIG or the type is unknown. */
static __always_inline int note_tag(struct __sk_buff *skb, const struct q_segment *segment,
				    const struct q_csig_tag *tag)
{
	struct bpf_sock *sk = q_socket_of(skb, segment);
	struct bpf_tcp_sock *tp = sk ? bpf_tcp_sock(sk) : 0;
	struct q_csig_end *end = 0;
	__u32 type = csig_type(tag);
	int noted = 0;
	__u64 word;

	if (tp && sk->state != BPF_TCP_LISTEN)
		end = bpf_sk_storage_get(&q_csig_ends, tp, 0, 0);
	if (end && end->state == Q_CSIG_ON && type < Q_CSIG_TYPES) {
		__builtin_memcpy(&word, tag, sizeof(word));
		__sync_lock_test_and_set(&end->to_return[type], word);
		end->arrived_form = tag->form;
		noted = 1;
	}
	if (sk)
		bpf_sk_release(sk);
	return noted;
}

SEC("tc")
int q_csig_in(struct __sk_buff *skb)
{
	struct q_segment segment = {};
	struct q_csig_tag tag = {};
	int has_tag = read_tag(skb, &tag), is_tcp = q_segment_read(skb, &segment, ETH_BYTES);

	if (is_tcp && (segment.flags & Q_TCP_SYN)) {
		if (segment.flags & Q_TCP_ACK)
			read_syn_ack(skb, &segment);
		else
			q_record_offer(skb, &segment, &q_csig_opens, CSIG_EXID, 1);
	}
	if (has_tag)
		q_count(q_this_host(), is_tcp && segment.payload_bytes && note_tag(skb, &segment, &tag)
					       ? Q_COUNTER_csig_received
					       : Q_COUNTER_csig_unknown);
	return TC_ACT_UNSPEC;
}
