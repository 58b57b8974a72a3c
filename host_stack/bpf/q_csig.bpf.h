/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Tags of congestion signalling (CSIG), and the maps that the programs of CSIG share. docs/signals/csig.md has the
 * formats, which are those of p4src/csig/types.p4. */
#ifndef QUENCH_Q_CSIG_BPF_H
#define QUENCH_Q_CSIG_BPF_H

#include "q_maps.bpf.h"

#define ETH_P_CSIG_COMPACT 0x9900
#define ETH_P_CSIG_WIDE 0x88b5
/* Experiment identifier (RFC 6994) of CSIG: "CS". Not registered with IANA. */
#define CSIG_EXID 0x4353

/* The types of tags that this end asks for. */
#define CSIG_TYPE_BANDWIDTH 0
#define CSIG_TYPE_DELAY 2
/* The best answers. */
#define CSIG_LEAST_DELAY 0
#define CSIG_COMPACT_MOST 0x1f
#define CSIG_WIDE_MOST 0xfffff

#define CSIG_COMPACT_CONTENT_BYTES 2
#define CSIG_WIDE_CONTENT_BYTES 6
/* The tag's EtherType takes the place of IP's, which is behind the tag. */
#define CSIG_ETHERTYPE_BYTES 2

/* A connection goes on without tags after so many answers in a row that did not come. */
#define CSIG_MAX_UNANSWERED 8

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct q_csig_end);
} q_csig_ends SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, Q_MAX_OPENS);
	__type(key, struct q_open_key);
	__type(value, struct q_open);
} q_csig_opens SEC(".maps");

static __always_inline __u32 csig_content_bytes(__u32 form)
{
	return form == Q_CSIG_WIDE ? CSIG_WIDE_CONTENT_BYTES : CSIG_COMPACT_CONTENT_BYTES;
}

static __always_inline __u32 csig_tag_bytes(__u32 form)
{
	return CSIG_ETHERTYPE_BYTES + csig_content_bytes(form);
}

static __always_inline __u32 csig_type(const struct q_csig_tag *tag)
{
	return tag->form == Q_CSIG_WIDE ? tag->content[2] >> 4 : tag->content[0] >> 5;
}

static __always_inline __u32 csig_number(const struct q_csig_tag *tag)
{
	const __u8 *at = tag->content;

	return tag->form == Q_CSIG_WIDE ? (at[2] & 0xf) << 16 | at[3] << 8 | at[4] : (at[0] & 0xf) << 1 | at[1] >> 7;
}

static __always_inline __u32 csig_locator(const struct q_csig_tag *tag)
{
	const __u8 *at = tag->content;

	return tag->form == Q_CSIG_WIDE ? at[0] << 8 | at[1] : at[1] & 0x7f;
}

/* Do packets of the connection have tags, as far as the peer goes? */
static __always_inline int csig_asks(const struct q_csig_end *end)
{
	return end->unanswered < CSIG_MAX_UNANSWERED;
}

/* The tag that asks a question, with the best answer. */
static __always_inline struct q_csig_tag csig_ask(__u32 form, enum q_csig_question question)
{
	__u32 type = question == Q_CSIG_DELAY ? CSIG_TYPE_DELAY : CSIG_TYPE_BANDWIDTH, number = CSIG_LEAST_DELAY;
	struct q_csig_tag tag = {.form = form};

	if (form == Q_CSIG_WIDE) {
		if (question == Q_CSIG_BANDWIDTH)
			number = CSIG_WIDE_MOST;
		tag.content[2] = type << 4 | number >> 16;
		tag.content[3] = number >> 8;
		tag.content[4] = number;
	} else {
		if (question == Q_CSIG_BANDWIDTH)
			number = CSIG_COMPACT_MOST;
		tag.content[0] = type << 5 | number >> 1;
		tag.content[1] = number << 7;
	}
	return tag;
}

#endif /* QUENCH_Q_CSIG_BPF_H */
