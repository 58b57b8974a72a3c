/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * q_csig_options: returns tags of CSIG in a TCP option, and reads the tags that the peer returns. It also lets TCP make
 * its segments shorter, by a tag and by an option, so that both fit into the MTU.
 *
 * It is attached to the root cgroup, so it runs for the sockets of all namespaces. It does nothing for a connection
 * that has not agreed on CSIG (q_csig_tc.bpf.c).
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "q_address.bpf.h"
#include "q_csig.bpf.h"

char _license[] SEC("license") = "GPL";

/* Preprocessor constants of the kernel, which its BTF does not carry. */
#define AF_INET 2
#define ENOSPC 28
#define OPTION_EXPERIMENT 253

/* Kind, length and experiment identifier (RFC 6994), then the tag. */
struct option {
	__u8 kind;
	__u8 bytes;
	__be16 exid;
	__u8 content[CSIG_WIDE_CONTENT_BYTES];
};
#define OPTION_START_BYTES 4

static __always_inline __u32 option_bytes(__u32 form)
{
	return OPTION_START_BYTES + csig_content_bytes(form);
}

/* With padding, as the kernel makes options. */
static __always_inline __u32 padded_bytes(__u32 form)
{
	return (option_bytes(form) + 3) / 4 * 4;
}

static __always_inline struct q_host *host_of(struct bpf_sock_ops *ctx)
{
	__u64 cookie = bpf_get_netns_cookie(ctx);

	return bpf_map_lookup_elem(&q_hosts, &cookie);
}

static __always_inline void key_of(struct bpf_sock_ops *ctx, struct q_open_key *key)
{
	key->cookie = bpf_get_netns_cookie(ctx);
	if (ctx->family == AF_INET) {
		q_map_ipv4(key->local, ctx->local_ip4);
		q_map_ipv4(key->remote, ctx->remote_ip4);
	} else {
		key->local[0] = ctx->local_ip6[0];
		key->local[1] = ctx->local_ip6[1];
		key->local[2] = ctx->local_ip6[2];
		key->local[3] = ctx->local_ip6[3];
		key->remote[0] = ctx->remote_ip6[0];
		key->remote[1] = ctx->remote_ip6[1];
		key->remote[2] = ctx->remote_ip6[2];
		key->remote[3] = ctx->remote_ip6[3];
	}
	key->local_port = bpf_htons(ctx->local_port);
	key->remote_port = bpf_htons(bpf_ntohl(ctx->remote_port));
}

/* The storage of a connection that the peer has opened, from the handshake's; NULL if it has not agreed on CSIG. */
static __always_inline struct q_csig_end *accepted_end(struct bpf_sock_ops *ctx, struct bpf_sock *sk)
{
	struct q_open_key key = {};
	struct q_csig_end *end;
	struct q_open *open;

	key_of(ctx, &key);
	open = bpf_map_lookup_elem(&q_csig_opens, &key);
	if (!open || !open->agreed)
		return 0;
	end = bpf_sk_storage_get(&q_csig_ends, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (end) {
		end->form = open->agreed;
		end->state = Q_CSIG_ON;
		bpf_map_delete_elem(&q_csig_opens, &key);
	}
	return end;
}

/* A connection is established. Only if it has agreed on CSIG the kernel calls this program for its packets. */
static __always_inline void begin(struct bpf_sock_ops *ctx, struct bpf_sock *sk, struct q_csig_end *end)
{
	if (ctx->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB)
		end = accepted_end(ctx, sk);
	if (!end || end->state != Q_CSIG_ON)
		return;
	/* So the first packet asks alone. */
	end->unanswered = 1;
	q_count(host_of(ctx), Q_COUNTER_csig_negotiated);
	bpf_sock_ops_cb_flags_set(ctx, ctx->bpf_sock_ops_cb_flags | BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG |
					       BPF_SOCK_OPS_PARSE_UNKNOWN_HDR_OPT_CB_FLAG);
}

/* The type of the tag that is returned next: the types take turns. Returns Q_CSIG_TYPES if no tag waits. */
static __always_inline __u32 waiting_type(const struct q_csig_end *end)
{
	for (__u32 i = 0; i < Q_CSIG_TYPES; i++) {
		__u32 type = (end->turn + i) % Q_CSIG_TYPES;

		if (end->to_return[type])
			return type;
	}
	return Q_CSIG_TYPES;
}

/* Does the packet stay within the MTU with an option of `bytes`? TCP's segments are so long as the options were when
 * it cut them, which may have been before the first tag. */
static __always_inline int has_room(struct bpf_sock_ops *ctx, struct bpf_sock *sk, __u32 bytes)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);

	if (!ctx->skb_len)
		return 1;
	return tp && ctx->skb_len + bytes <= ctx->mss_cache && !tp->rx_opt.num_sacks &&
	       !BPF_CORE_READ_BITFIELD(tp, rx_opt.dsack);
}

/* TCP asks how many bytes of options to leave room for: in its segments, or in a packet. */
static __always_inline void reserve(struct bpf_sock_ops *ctx, struct bpf_sock *sk, const struct q_csig_end *end)
{
	__u32 type = waiting_type(end);

	if (ctx->args[0] == BPF_WRITE_HDR_TCP_CURRENT_MSS) {
		__u32 tag_bytes = csig_asks(end) ? csig_tag_bytes(end->form) : 0;

		bpf_reserve_hdr_opt(ctx, tag_bytes + (end->arrived_form ? padded_bytes(end->arrived_form) : 0), 0);
	} else if (type < Q_CSIG_TYPES && has_room(ctx, sk, padded_bytes(end->arrived_form))) {
		bpf_reserve_hdr_opt(ctx, option_bytes(end->arrived_form), 0);
	}
}

static __always_inline void write(struct bpf_sock_ops *ctx, struct q_csig_end *end)
{
	struct option option = {.kind = OPTION_EXPERIMENT, .exid = bpf_htons(CSIG_EXID)};
	__u32 type = waiting_type(end);
	struct q_csig_tag tag;
	__u64 word;

	if (type >= Q_CSIG_TYPES)
		return;
	word = __sync_lock_test_and_set(&end->to_return[type], 0);
	__builtin_memcpy(&tag, &word, sizeof(tag));
	__builtin_memcpy(option.content, tag.content, sizeof(option.content));
	end->turn = type + 1;
	option.bytes = option_bytes(tag.form);
	/* The kernel reads no more than option.bytes. */
	if (!bpf_store_hdr_opt(ctx, &option, sizeof(option), 0))
		q_count(host_of(ctx), Q_COUNTER_csig_returned);
}

/* Is the ACK for data in flight? The kernel checks that only after it has called this program. */
static __always_inline int ack_is_acceptable(struct bpf_sock_ops *ctx)
{
	const struct tcphdr *tcp = (const struct tcphdr *)(long)ctx->skb_data;
	__u32 ack;

	if ((const void *)(tcp + 1) > (const void *)(long)ctx->skb_data_end)
		return 0;
	ack = bpf_ntohl(tcp->ack_seq);
	return (__s32)(ack - ctx->snd_una) >= 0 && (__s32)(ack - ctx->snd_nxt) <= 0;
}

/* Does the option answer what this end asks? `bytes`: what bpf_load_hdr_opt() has returned. */
static __always_inline int read_answer(const struct option *option, int bytes, __u32 form, struct q_csig_tag *tag)
{
	if (bytes != (int)option_bytes(form))
		return 0;
	tag->form = form;
	__builtin_memcpy(tag->content, option->content, sizeof(tag->content));
	return csig_type(tag) == CSIG_TYPE_DELAY || csig_type(tag) == CSIG_TYPE_BANDWIDTH;
}

/* A packet has arrived with an option that the kernel does not know. */
static __always_inline void parse(struct bpf_sock_ops *ctx, struct q_csig_end *end)
{
	/* Kind, length and identifier are what it looks for. */
	struct option option = {OPTION_EXPERIMENT, OPTION_START_BYTES, bpf_htons(CSIG_EXID), {}};
	int bytes = bpf_load_hdr_opt(ctx, &option, sizeof(option), 0);
	struct q_host *host = host_of(ctx);
	struct q_csig_tag tag = {};
	__u64 answer;

	/* -ENOSPC: an option that is too long. */
	if (bytes < 0 && bytes != -ENOSPC)
		return;
	if (!read_answer(&option, bytes, end->form, &tag) || !ack_is_acceptable(ctx)) {
		q_count(host, Q_COUNTER_csig_refused);
		return;
	}
	answer = Q_CSIG_ANSWER(csig_number(&tag), csig_locator(&tag));
	if (csig_type(&tag) == CSIG_TYPE_DELAY) {
		end->answers[Q_CSIG_DELAY] = answer;
		if (host)
			host->csig_answers[Q_CSIG_DELAY] = answer;
	} else {
		end->answers[Q_CSIG_BANDWIDTH] = answer;
		if (host)
			host->csig_answers[Q_CSIG_BANDWIDTH] = answer;
	}
	end->unanswered = 0;
	end->is_asking = 0;
	q_count(host, Q_COUNTER_csig_reported);
}

/* Other programs may run for the same event, so that the reply is left to them. */
SEC("sockops")
int q_csig_options(struct bpf_sock_ops *ctx)
{
	struct bpf_sock *sk = ctx->sk;
	struct q_csig_end *end;

	switch (ctx->op) {
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
	case BPF_SOCK_OPS_HDR_OPT_LEN_CB:
	case BPF_SOCK_OPS_WRITE_HDR_OPT_CB:
	case BPF_SOCK_OPS_PARSE_HDR_OPT_CB:
		break;
	default:
		return 1;
	}
	if (!sk)
		return 1;
	end = bpf_sk_storage_get(&q_csig_ends, sk, 0, 0);
	if (ctx->op == BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB || ctx->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB)
		begin(ctx, sk, end);
	else if (!end || end->state != Q_CSIG_ON)
		return 1;
	else if (ctx->op == BPF_SOCK_OPS_HDR_OPT_LEN_CB)
		reserve(ctx, sk, end);
	else if (ctx->op == BPF_SOCK_OPS_WRITE_HDR_OPT_CB)
		write(ctx, end);
	else
		parse(ctx, end);
	return 1;
}
