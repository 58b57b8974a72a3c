/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The key of a handshake in the maps, by the socket that came of it. */
#ifndef QUENCH_Q_OPEN_KEY_BPF_H
#define QUENCH_Q_OPEN_KEY_BPF_H

#include "q_address.bpf.h"
#include "q_shared.h"

/* Preprocessor constant of the kernel, which its BTF does not carry. */
#define AF_INET 2

static __always_inline void q_open_key_of_socket(struct q_open_key *key, const struct sock *sk)
{
	key->cookie = sk->__sk_common.skc_net.net->net_cookie;
	if (sk->__sk_common.skc_family == AF_INET) {
		q_map_ipv4(key->local, sk->__sk_common.skc_rcv_saddr);
		q_map_ipv4(key->remote, sk->__sk_common.skc_daddr);
	} else {
		for (int i = 0; i < 4; i++) {
			key->local[i] = sk->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[i];
			key->remote[i] = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[i];
		}
	}
	key->local_port = bpf_htons(sk->__sk_common.skc_num);
	key->remote_port = sk->__sk_common.skc_dport;
}

#endif /* QUENCH_Q_OPEN_KEY_BPF_H */
