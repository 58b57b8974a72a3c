/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * Maps that the kernel programs and the loader share: names, keys and values.
 *
 * map             key                     value          content
 * q_hosts         cookie of a namespace   q_host         parameters, rules, counters
 * q_mailboxes     socket                  q_mailbox      the ISQ that waits for the next ACK
 * q_mecn_ends     socket                  q_mecn_end     Multilevel ECN of a connection
 * q_mecn_opens    q_open_key              q_open         Multilevel ECN of a handshake
 * q_accecn_ends   socket                  q_accecn_end   Accurate ECN of a connection
 * q_accecn_opens  q_open_key              q_accecn_open  Accurate ECN of a handshake
 * q_csig_ends     socket                  q_csig_end     CSIG of a connection
 * q_csig_opens    q_open_key              q_open         CSIG of a handshake
 */
#ifndef QUENCH_Q_SHARED_H
#define QUENCH_Q_SHARED_H

#include "q_cc.h"

/* Counters of one network namespace, named as in `quench-host status --json`. docs/hosts.md describes each. */
#define Q_COUNTERS(X)                                                                                                  \
	X(isq_received)                                                                                                \
	X(isq_accepted_marked)                                                                                         \
	X(isq_accepted_dropped)                                                                                        \
	X(isq_refused_vlan)                                                                                            \
	X(isq_refused_truncated)                                                                                       \
	X(isq_refused_too_long)                                                                                        \
	X(isq_refused_fragment)                                                                                        \
	X(isq_refused_bad_checksum)                                                                                    \
	X(isq_refused_ip_options)                                                                                      \
	X(isq_refused_bad_code)                                                                                        \
	X(isq_refused_bad_address)                                                                                     \
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
	X(accecn_negotiated)                                                                                           \
	X(accecn_fallback_rfc3168)                                                                                     \
	X(accecn_fallback_plain)                                                                                       \
	X(cwr_queued)                                                                                                  \
	X(reactions_undone)                                                                                            \
	X(connections)                                                                                                 \
	X(connections_echoing)                                                                                         \
	X(pkts_unmarked)                                                                                               \
	X(pkts_marked)                                                                                                 \
	X(csig_negotiated)                                                                                             \
	X(csig_tagged)                                                                                                 \
	X(csig_super_packets)                                                                                          \
	X(csig_too_long)                                                                                               \
	X(csig_received)                                                                                               \
	X(csig_unknown)                                                                                                \
	X(csig_returned)                                                                                               \
	X(csig_reported)                                                                                               \
	X(csig_refused)                                                                                                \
	X(csig_peer_silent)

#define Q_COUNTER_ENUM(name) Q_COUNTER_##name,
enum q_counter { Q_COUNTERS(Q_COUNTER_ENUM) Q_COUNTER_COUNT };
#undef Q_COUNTER_ENUM

/* A prefix of IPv4 addresses, in network byte order: an address belongs to it if (address & mask) == bits. */
struct q_prefix {
	q_u32 bits;
	q_u32 mask;
};

#define Q_MAX_ISQ_FROM 32

/* Rules of a namespace for ISQs, beyond the checks that every ISQ has to pass. */
struct q_isq_rules {
	/* Routers from which ISQs are accepted; the first from_count entries. */
	struct q_prefix from[Q_MAX_ISQ_FROM];
	q_u32 from_count;
	/* Least time to live (TTL) on arrival (RFC 5082). */
	q_u32 ttl_min;
	/* 1: the quoted identification must be the one that q_ident_out has set; 0: it is not checked. */
	q_u32 check_identification;
	q_u32 reserved;
};

/* The formats of CSIG's tags. */
enum q_csig_form {
	Q_CSIG_NONE = 0,
	Q_CSIG_COMPACT = 1,
	Q_CSIG_WIDE = 2,
};

/* Tags ask for these in turn. */
enum q_csig_question { Q_CSIG_DELAY, Q_CSIG_BANDWIDTH, Q_CSIG_QUESTIONS };

/* A number that a tag has brought back, in one word that is written at once; 0: none yet. */
#define Q_CSIG_ANSWER(number, locator) ((q_u64)1 << 63 | (q_u64)(locator) << 32 | (number))
#define Q_CSIG_NUMBER(answer) ((q_u32)(answer))
#define Q_CSIG_LOCATOR(answer) ((q_u16)((answer) >> 32))

/* Map q_hosts: an entry for each network namespace in which `quench-host enable` was called. */
struct q_host {
	struct q_cc_params params;
	struct q_isq_rules isq_rules;
	/* The newest answer to each question, of all connections. */
	q_u64 csig_answers[Q_CSIG_QUESTIONS];
	q_u64 counters[Q_COUNTER_COUNT];
};

/*
 * Map q_mailboxes: storage of each socket that obeys ISQs. The tc program q_isq puts an accepted ISQ into the mailbox
 * if it is empty; the congestion control takes it out at the next ACK.
 */
struct q_mailbox {
	/* Q_MAILBOX(kind, level), exchanged atomically; 0: empty. */
	q_u32 isq;
	/* Random number of the connection, from which q_ident_of() computes identifications. */
	q_u32 ident_secret;
};

/* kind: enum q_isq_kind. */
#define Q_MAILBOX(kind, level) ((q_u32)(kind) | (q_u32)(level) << 8)
#define Q_MAILBOX_KIND(isq) ((q_u8)((isq)&0xff))
#define Q_MAILBOX_LEVEL(isq) ((q_u8)((isq) >> 8 & 0xff))

/* Entries of q_hosts. */
#define Q_MAX_HOSTS 4096

/* The device that a copy of a tc program is attached to. The loader sets it before it loads the program. */
struct q_attach {
	/* Cookie of the network namespace. */
	q_u64 netns_cookie;
	/* Bytes in front of the IP header on the device: 14 of Ethernet, or 0. */
	q_u32 link_header_bytes;
	/* enum q_csig_form of the tags that are put into packets. */
	q_u32 csig_form;
};

#define Q_ATTACH_SECTION ".rodata.attach"

/* Levels of congestion, as bits of a word that is updated atomically, without a lock. */
enum q_level {
	Q_LEVEL_INCIPIENT = 1 << 0,
	Q_LEVEL_MODERATE = 1 << 1,
};

/* The state of Multilevel ECN in a connection. */
enum q_mecn_state {
	/* RFC 3168, or no ECN at all. */
	Q_MECN_OFF = 0,
	/* Our SYN has offered Multilevel ECN. */
	Q_MECN_OFFERED = 1,
	Q_MECN_ON = 2,
};

/* Map q_mecn_ends: storage of each socket in a namespace that runs mecn. */
struct q_mecn_end {
	/* enum q_mecn_state. */
	q_u32 state;
	/* enum q_level of marks that arrived and have to be echoed to the peer; exchanged atomically. */
	q_u32 to_echo;
	/* enum q_level that the peer has echoed, for the congestion control; exchanged atomically. */
	q_u32 echoed;
	/* Pure ACKs in a row without CWR and ECE. */
	q_u32 acks_without_code;
};

/* The key of a handshake, in maps that hold it until there is a socket. */
struct q_open_key {
	/* Cookie of the network namespace. */
	q_u64 cookie;
	/* IPv6 addresses, or IPv4 addresses mapped into them. */
	q_u32 local[4];
	q_u32 remote[4];
	/* The ports are in network byte order. */
	q_u16 local_port;
	q_u16 remote_port;
	q_u32 reserved;
};

/* Maps q_mecn_opens and q_csig_opens: handshakes in which the peer has made an offer. */
struct q_open {
	/* Sequence number of the SYN with the offer. */
	q_u32 isn;
	/* Our SYN-ACK has accepted the offer: 1, and with CSIG enum q_csig_form; 0: it has not. */
	q_u32 agreed;
};

/* Entries of the maps of handshakes, LRU maps: a new one evicts the oldest. */
#define Q_MAX_OPENS 16384

/* The request of the first SYN of a handshake. */
enum q_asked {
	Q_ASKED_PLAIN = 0,
	Q_ASKED_RFC3168 = 1,
	Q_ASKED_ACCECN = 2,
};

/* Map q_accecn_opens: handshakes with a socket that runs prague. */
struct q_accecn_open {
	/* Sequence number of the peer's SYN or SYN-ACK. */
	q_u32 isn;
	/* A server's: enum q_asked. */
	q_u32 asked;
	/* 1: both ends speak Accurate ECN. */
	q_u32 agreed;
	/* A server's: the ECN field with which the latest SYN arrived. */
	q_u32 arrived_ecn;
	/* struct q_accecn_end of the socket to come. */
	q_u32 no_ect;
	q_u32 deaf;
	q_u32 answer;
	q_u32 reserved;
};

/* Map q_accecn_ends: storage of each socket that speaks Accurate ECN. */
struct q_accecn_end {
	/* 1: its packets must not be ECN-capable. */
	q_u32 no_ect;
	/* 1: it must not obey marks that the peer reports. */
	q_u32 deaf;
	/* A client's: the ACE field of the next pure ACK, which answers a SYN-ACK; 0: its counter. */
	q_u32 answer;
	q_u32 reserved;
};

/* The state of CSIG in a connection. */
enum q_csig_state {
	Q_CSIG_OFF = 0,
	/* Our SYN has offered CSIG. */
	Q_CSIG_OFFERED = 1,
	Q_CSIG_ON = 2,
};

/* Types of tags: what the number is about. Those from 4 on are not returned. */
#define Q_CSIG_TYPES 4

/* A tag without its EtherTypes, as it was on the wire. */
struct q_csig_tag {
	/* enum q_csig_form. */
	q_u8 form;
	q_u8 reserved;
	q_u8 content[6];
};

/* Map q_csig_ends: storage of each socket in a namespace with CSIG. */
struct q_csig_end {
	/* enum q_csig_state. */
	q_u32 state;
	/* enum q_csig_form of the tags that leave. */
	q_u32 form;
	/* The newest tag of each type that has to be returned, a struct q_csig_tag, exchanged atomically; 0: none. */
	q_u64 to_return[Q_CSIG_TYPES];
	/* The type whose turn it is to be returned. */
	q_u32 turn;
	/* enum q_csig_form of the tags that have arrived; 0: none has. */
	q_u32 arrived_form;
	/* Packets that have left with a tag. */
	q_u32 tagged;
	/* A packet with a tag is in flight, and no tag has come back since it left. asked_end is the number behind it.
	 */
	q_u32 is_asking;
	q_u32 asked_end;
	/* The number of such packets in a row that were acknowledged, and no tag came back. */
	q_u32 unanswered;
	/* The newest answers of the path. */
	q_u64 answers[Q_CSIG_QUESTIONS];
};

#endif /* QUENCH_Q_SHARED_H */
