/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * The identification that the packets of a connection bear in their IPv4 headers. RFC 6864 4.1 leaves it to the sender
 * of packets that are not to be fragmented, and every ICMP error quotes it; so it can prove that an ISQ quotes a packet
 * that was sent.
 */
#ifndef QUENCH_Q_IDENT_BPF_H
#define QUENCH_Q_IDENT_BPF_H

#include "q_shared.h"

/*
 * Of the packet that begins with seq. It grows by one with each full segment, as it does where the kernel or a device
 * cuts a long packet into segments (GSO), and a packet that is sent again has the same one.
 */
static __always_inline __u16 q_ident_of(const struct q_mailbox *mailbox, __u32 seq, __u32 mss_bytes)
{
	return (__u16)(mailbox->ident_secret + (mss_bytes ? seq / mss_bytes : 0));
}

#endif /* QUENCH_Q_IDENT_BPF_H */
