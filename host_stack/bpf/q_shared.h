/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* What the kernel programs and the loader share: the layout and the names of the maps. */
#ifndef QUENCH_Q_SHARED_H
#define QUENCH_Q_SHARED_H

#include "q_cc.h"

/*
 * Counters of one network namespace. Names are those of `quench-host status --json`; docs/hosts.md says what each
 * counts.
 */
#define Q_COUNTERS(X)                                                                                                  \
	X(isq_received)                                                                                                \
	X(isq_accepted_marked)                                                                                         \
	X(isq_accepted_dropped)                                                                                        \
	X(isq_refused_truncated)                                                                                       \
	X(isq_refused_too_long)                                                                                        \
	X(isq_refused_fragment)                                                                                        \
	X(isq_refused_bad_checksum)                                                                                    \
	X(isq_refused_bad_code)                                                                                        \
	X(isq_refused_unknown_router)                                                                                  \
	X(isq_refused_ttl)                                                                                             \
	X(isq_refused_bad_quote)                                                                                       \
	X(isq_refused_not_tcp)                                                                                         \
	X(isq_refused_wrong_source)                                                                                    \
	X(isq_refused_no_socket)                                                                                       \
	X(isq_refused_not_listening)                                                                                   \
	X(isq_refused_not_in_flight)                                                                                   \
	X(isq_refused_identification)                                                                                  \
	X(isq_refused_acknowledgment)                                                                                  \
	X(reactions_isq_marked)                                                                                        \
	X(reactions_isq_dropped)                                                                                       \
	X(reactions_ece)                                                                                               \
	X(reactions_loss)                                                                                              \
	X(reactions_rto)                                                                                               \
	X(suppressed_isq)                                                                                              \
	X(suppressed_ece)                                                                                              \
	X(suppressed_loss)                                                                                             \
	X(marks_incipient_received)                                                                                    \
	X(marks_moderate_received)                                                                                     \
	X(echoes_incipient_received)                                                                                   \
	X(echoes_moderate_received)                                                                                    \
	X(reactions_incipient)                                                                                         \
	X(reactions_moderate)                                                                                          \
	X(suppressed_incipient)                                                                                        \
	X(suppressed_moderate)                                                                                         \
	X(mecn_negotiated)                                                                                             \
	X(mecn_fallback_rfc3168)                                                                                       \
	X(mecn_fallback_plain)                                                                                         \
	X(mecn_peer_silent)                                                                                            \
	X(cwr_queued)                                                                                                  \
	X(reactions_undone)                                                                                            \
	X(connections)                                                                                                 \
	X(connections_echoing)                                                                                         \
	X(pkts_unmarked)                                                                                               \
	X(pkts_marked)

#define Q_COUNTER_ENUM(name) Q_COUNTER_##name,
enum q_counter { Q_COUNTERS(Q_COUNTER_ENUM) Q_COUNTER_COUNT };
#undef Q_COUNTER_ENUM

/* Addresses, in network byte order: all of which the bits of the mask are those of `bits`. */
struct q_prefix {
	q_u32 bits;
	q_u32 mask;
};

#define Q_MAX_ISQ_FROM 32

/* The ISQs that a namespace takes, beyond what every ISQ has to be. */
struct q_isq_rules {
	/* The routers that may send one. */
	struct q_prefix from[Q_MAX_ISQ_FROM];
	q_u32 from_count;
	/* Least time to live on arrival (RFC 5082). */
	q_u32 ttl_min;
	/* 1: the quoted identification must be that with which q_ident_out sent the packet; 0: any. */
	q_u32 check_identification;
	q_u32 reserved;
};

/* Map q_hosts: one entry per network namespace in which `enable` was called, by the namespace's cookie. */
struct q_host {
	struct q_cc_params params;
	q_u32 reserved;
	struct q_isq_rules isq_rules;
	q_u64 counters[Q_COUNTER_COUNT];
};

/*
 * Map q_mailboxes: storage of each socket that obeys ISQs. The tc program puts an ISQ into the empty mailbox, the
 * congestion control takes it out at the next ACK. One word, exchanged atomically; 0 is empty.
 */
struct q_mailbox {
	q_u32 isq;
	/* Secret of the connection, from which its packets' identifications follow. */
	q_u32 ident_secret;
};

#define Q_MAILBOX(kind, level) ((q_u32)(kind) | (q_u32)(level) << 8)
#define Q_MAILBOX_KIND(isq) ((q_u8)((isq)&0xff))
#define Q_MAILBOX_LEVEL(isq) ((q_u8)((isq) >> 8 & 0xff))

#define Q_MAX_HOSTS 4096

/* Where a copy of a tc program works; set when it is loaded. */
struct q_place {
	/* Cookie of the network namespace. */
	q_u64 netns_cookie;
	/* What precedes the IP header on the device: 14 bytes of Ethernet, or nothing. */
	q_u32 link_header_bytes;
	q_u32 reserved;
};

#define Q_PLACE_SECTION ".rodata.place"

/* Levels of congestion, as bits, so that several can be gathered in a word without a lock. */
enum q_level {
	Q_LEVEL_INCIPIENT = 1 << 0,
	Q_LEVEL_MODERATE = 1 << 1,
};

/* What a connection has agreed on. */
enum q_mecn_state {
	/* RFC 3168, or no ECN at all. */
	Q_MECN_OFF = 0,
	/* Our SYN has offered Multilevel ECN. */
	Q_MECN_OFFERED = 1,
	Q_MECN_ON = 2,
};

/*
 * Map q_mecn_ends: storage of each socket in a namespace that runs mecn. The words echo and heard hold enum q_level and
 * are exchanged atomically.
 */
struct q_mecn_end {
	/* enum q_mecn_state. */
	q_u32 state;
	/* Levels that arrived and are to be told to the peer. */
	q_u32 echo;
	/* Levels that the peer told, for the congestion control. */
	q_u32 heard;
	/* Pure ACKs in a row that told nothing. */
	q_u32 silent;
};

/* Map q_mecn_opens: handshakes in which the peer offered Multilevel ECN, until there is a socket. */
struct q_mecn_open_key {
	/* Cookie of the network namespace. */
	q_u64 cookie;
	/* IPv6 addresses, or IPv4 addresses mapped into them. */
	q_u32 local[4];
	q_u32 remote[4];
	/* As in the packet. */
	q_u16 local_port;
	q_u16 remote_port;
	q_u32 reserved;
};

struct q_mecn_open {
	/* Sequence number of the SYN that offered. */
	q_u32 isn;
	/* 1: our SYN-ACK has accepted. */
	q_u32 agreed;
};

/* Handshakes under way; when there are more, the oldest are forgotten. */
#define Q_MAX_MECN_OPENS 16384

#endif /* QUENCH_Q_SHARED_H */
