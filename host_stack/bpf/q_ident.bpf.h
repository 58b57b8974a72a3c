/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * The IPv4 identification of the packets of a connection. RFC 6864 section 4.1 lets the sender choose it for packets
 * that must not be fragmented, and every ICMP error quotes it. So it proves that an ISQ quotes a packet that was sent.
 */
#ifndef QUENCH_Q_IDENT_BPF_H
#define QUENCH_Q_IDENT_BPF_H

#include "q_shared.h"

/*
 * The identification of the packet that begins with seq. It grows by one with each full segment, as do those that the
 * kernel or a device gives to the segments of a long packet (GSO). A retransmission has the same one.
 */
static __always_inline __u16 q_ident_of(const struct q_mailbox *mailbox, __u32 seq, __u32 mss_bytes)
{
	return (__u16)(mailbox->ident_secret + (mss_bytes ? seq / mss_bytes : 0));
}

#endif /* QUENCH_Q_IDENT_BPF_H */
