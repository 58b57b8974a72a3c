/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * q_ident_out: sets the IPv4 identification of packets of connections that obey ISQs to a value that an attacker cannot
 * guess. q_isq accepts an ISQ only if it quotes that identification.
 */
#include "vmlinux.h"
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "q_attach.bpf.h"
#include "q_ident.bpf.h"
#include "q_maps.bpf.h"
#include "q_segment.bpf.h"

char _license[] SEC("license") = "GPL";

SEC("tc")
int q_ident_out(struct __sk_buff *skb)
{
	struct bpf_sock *sk = skb->sk;
	struct q_segment segment = {};
	struct q_mailbox *mailbox;
	struct bpf_tcp_sock *tp;

	sk = sk ? bpf_sk_fullsock(sk) : 0;
	tp = sk ? bpf_tcp_sock(sk) : 0;
	mailbox = tp ? bpf_sk_storage_get(&q_mailboxes, tp, 0, 0) : 0;
	/* The identification of a packet that may be fragmented must be unique (RFC 6864), so it stays the kernel's. */
	if (mailbox && q_segment_read(skb, &segment, q_attach.link_header_bytes) && segment.dont_fragment)
		q_segment_write_identification(skb, &segment,
					       q_ident_of(mailbox, bpf_ntohl(segment.tcp.seq), tp->mss_cache));
	return TC_ACT_UNSPEC;
}
