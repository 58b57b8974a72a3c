/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * The tc programs that read and change TCP segments, q_mecn_in, q_mecn_out, q_ident_out, q_prague_in, q_prague_out,
 * q_csig_in and q_csig_out, and q_csig_strip, against a second implementation that reads the packet: each program
 * changes only the bytes that it may change, right checksums stay right, an offer of Multilevel ECN or CSIG is found,
 * and a tag is put in or taken out.
 */
#include <stdlib.h>
#include <string.h>

#include "../bpf/q_mecn_tc.bpf.c"
#define _license q_ident_license
#include "../bpf/q_ident.bpf.c"
#undef _license
#define _license q_prague_license
#include "../bpf/q_prague_tc.bpf.c"
#undef _license
#define _license q_csig_license
#define offer_on_syn csig_offer_on_syn
#define read_syn_ack csig_read_syn_ack
#include "../bpf/q_csig_tc.bpf.c"

#include "kernel.h"

enum which { MECN_IN, MECN_OUT, IDENT_OUT, PRAGUE_IN, PRAGUE_OUT, CSIG_IN, CSIG_OUT, CSIG_STRIP, WHICH_COUNT };

/* The state of the kernel, at the beginning of the input; the frame follows. */
struct setup {
	uint8_t which;
	/* 1: Ethernet; 2: the checksums are made right before the run; 4: IPv6; 8: a listener; 16: SYN_SENT; 32:
	 * storage is there; 64: an offer is noted, and 128: it was accepted. */
	uint8_t flags;
	uint8_t state;
	uint8_t levels;
	uint8_t acks_without_code;
	uint8_t echo_rule;
};

/* A packet as the second implementation reads it. */
struct packet {
	bool is_tcp;
	/* The frame holds the whole IP packet, so the checksums can be verified. */
	bool is_whole;
	size_t ip, tcp, end;
	size_t tcp_bytes;
	uint16_t flags;
};

#define SECRET 0xfeedU
#define MSS_BYTES 1448U
#define SYN 0x02
#define RST 0x04
#define ACK 0x10
#define ECE 0x40
#define CWR 0x80
#define ACCURATE 0x100

static const uint8_t mecn_offer[4] = {253, 4, 'M', 'E'}, csig_offer[4] = {253, 4, 'C', 'S'};
static struct q_host host;
static struct q_mecn_end end_storage;
static struct q_csig_end csig_storage;
static struct q_open open_value;
static struct q_open_key open_key;
static struct q_mailbox mailbox;
static struct q_accecn_end accecn_end;
static struct q_accecn_open accecn_open;
static const struct tcp_congestion_ops prague = {"q_prague"}, other = {"q_pragu"};
static struct net net;
static bool has_host = true, has_end, has_open, has_mailbox, has_accecn_end, has_accecn_open;
static uint64_t cookie = 42;

static struct packet read_packet(const uint8_t *frame, size_t bytes, size_t link_bytes, bool is_ipv6)
{
	struct packet packet = {.ip = link_bytes};
	const uint8_t *ip = frame + link_bytes;
	size_t least = is_ipv6 ? 40 : 20, length;

	if (bytes < link_bytes + least)
		return packet;
	if (is_ipv6) {
		if (ip[6] != 6)
			return packet;
		packet.tcp = packet.ip + 40;
		length = read_be(ip + 4, 2) ? 40 + read_be(ip + 4, 2) : 0;
	} else {
		if (ip[0] >> 4 != 4 || (ip[0] & 15) < 5 || ip[9] != 6 || (read_be(ip + 6, 2) & 0x3fff))
			return packet;
		packet.tcp = packet.ip + (ip[0] & 15) * 4U;
		length = read_be(ip + 2, 2);
	}
	packet.is_whole = length && length <= bytes - link_bytes;
	packet.end = packet.is_whole ? link_bytes + length : bytes;
	if (packet.end < packet.tcp + 20)
		return packet;
	packet.tcp_bytes = (frame[packet.tcp + 12] >> 4) * 4U;
	packet.flags = (uint16_t)read_be(frame + packet.tcp + 12, 2);
	packet.is_tcp = packet.tcp_bytes >= 20 && packet.tcp + packet.tcp_bytes <= packet.end;
	return packet;
}

static uint16_t tcp_checksum(const uint8_t *frame, const struct packet *packet, bool is_ipv6)
{
	size_t bytes = packet->end - packet->tcp;
	uint32_t sum = sum_words(frame + packet->ip + (is_ipv6 ? 8 : 12), is_ipv6 ? 32 : 8, 6 + (uint32_t)bytes);

	return checksum_of(sum_words(frame + packet->tcp, bytes, sum));
}

static uint16_t ip_checksum(const uint8_t *frame, const struct packet *packet)
{
	return checksum_of(sum_words(frame + packet->ip, packet->tcp - packet->ip, 0));
}

static void write_be16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

static void set_checksums(uint8_t *frame, const struct packet *packet, bool is_ipv6)
{
	if (!packet->is_tcp || !packet->is_whole)
		return;
	if (!is_ipv6) {
		write_be16(frame + packet->ip + 10, 0);
		write_be16(frame + packet->ip + 10, ip_checksum(frame, packet));
	}
	write_be16(frame + packet->tcp + 16, 0);
	write_be16(frame + packet->tcp + 16, tcp_checksum(frame, packet, is_ipv6));
}

/* Does the packet have the option (RFC 9293 section 3.1)? */
static bool offers(const uint8_t *frame, const struct packet *packet, const uint8_t option[4])
{
	size_t at = packet->tcp + 20, end = packet->tcp + packet->tcp_bytes;

	while (at < end && frame[at] != 0) {
		if (frame[at] == 1) {
			at++;
			continue;
		}
		if (at + 1 >= end || frame[at + 1] < 2)
			return false;
		if (at + 4 <= end && !memcmp(frame + at, option, 4))
			return true;
		at += frame[at + 1];
	}
	return false;
}

static bool comes_in(enum which which)
{
	return which == MECN_IN || which == PRAGUE_IN || which == CSIG_IN;
}

static void set_up(const struct setup *setup, const uint8_t *frame, size_t bytes, struct packet *packet)
{
	/* CSIG is for Ethernet only. */
	enum which which = setup->which % WHICH_COUNT;
	uint32_t link_bytes = setup->flags & 1 || which >= CSIG_IN ? 14 : 0;
	bool is_ipv6 = setup->flags & 4, is_in = comes_in(which);
	uint8_t *source = is_in ? kernel.remote : kernel.local, *dest = is_in ? kernel.local : kernel.remote;

	kernel_begin(frame, bytes);
	*packet = read_packet(kernel.frame, bytes, link_bytes, is_ipv6);
	if (setup->flags & 2)
		set_checksums(kernel.frame, packet, is_ipv6);
	q_attach.netns_cookie = cookie;
	q_attach.link_header_bytes = link_bytes;
	q_attach.csig_form = setup->levels & 32 ? Q_CSIG_WIDE : Q_CSIG_COMPACT;
	kernel.skb.protocol = bpf_htons(is_ipv6 ? ETH_P_IPV6 : ETH_P_IP);
	kernel.sk.type = SOCK_STREAM;
	kernel.sk.state = setup->flags & 8    ? BPF_TCP_LISTEN
			  : setup->flags & 16 ? BPF_TCP_SYN_SENT
					      : BPF_TCP_ESTABLISHED;
	kernel.skb.sk = is_in ? NULL : &kernel.sk;
	kernel.is_full = true;
	kernel.is_ipv6 = is_ipv6;
	kernel.skb.gso_size = setup->levels & 16 ? MSS_BYTES : 0;
	kernel.mtu_bytes = 200;
	kernel.tp.snd_una = 1000;
	kernel.tp.snd_nxt = 5000;
	kernel.tp.mss_cache = MSS_BYTES;
	/* The socket is that of the packet, or the programs would not find it. */
	if (packet->is_tcp) {
		memcpy(source + (is_ipv6 ? 0 : 12), kernel.frame + packet->ip + (is_ipv6 ? 8 : 12), is_ipv6 ? 16 : 4);
		memcpy(dest + (is_ipv6 ? 0 : 12), kernel.frame + packet->ip + (is_ipv6 ? 24 : 16), is_ipv6 ? 16 : 4);
		memcpy(is_in ? &kernel.remote_port : &kernel.local_port, kernel.frame + packet->tcp, 2);
		memcpy(is_in ? &kernel.local_port : &kernel.remote_port, kernel.frame + packet->tcp + 2, 2);
	}
	if (!is_ipv6)
		for (size_t i = 10; i < 12; i++)
			kernel.local[i] = kernel.remote[i] = 0xff;

	memset(&host, 0, sizeof(host));
	host.params.echo_rule = setup->echo_rule % 2;
	end_storage = (struct q_mecn_end){setup->state % 3U, setup->levels & 3U, setup->levels >> 2 & 3U,
					  setup->acks_without_code};
	csig_storage = (struct q_csig_end){.state = setup->state % 3U,
					   .form = q_attach.csig_form,
					   .tagged = setup->levels & 1U,
					   .is_asking = setup->levels >> 1 & 1U,
					   .asked_end = 1000,
					   .unanswered = setup->acks_without_code % 10U};
	open_value = (struct q_open){.isn = 7, .agreed = setup->flags >> 7};
	memset(&open_key, 0, sizeof(open_key));
	open_key.cookie = cookie;
	memcpy(open_key.local, kernel.local, 16);
	memcpy(open_key.remote, kernel.remote, 16);
	open_key.local_port = kernel.local_port;
	open_key.remote_port = kernel.remote_port;
	mailbox = (struct q_mailbox){.ident_secret = SECRET};
	has_end = has_mailbox = setup->flags & 32;
	has_open = setup->flags & 64;
	kernel_add_map((struct kernel_map){&q_hosts, &host, sizeof(host), &cookie, sizeof(cookie), &has_host});
	kernel_add_map((struct kernel_map){&q_mailboxes, &mailbox, sizeof(mailbox), NULL, 0, &has_mailbox});
	kernel_add_map((struct kernel_map){&q_mecn_ends, &end_storage, sizeof(end_storage), NULL, 0, &has_end});
	kernel.tcp.inet_conn.icsk_ca_ops = setup->levels & 16 ? &other : &prague;
	kernel.tcp.inet_conn.icsk_ca_setsockopt = setup->levels >> 7;
	net.ipv4.tcp_congestion_control = setup->state & 4 ? &other : &prague;
	kernel.tcp.inet_conn.icsk_inet.sk.__sk_common.skc_net.net = &net;
	kernel.tcp.bytes_received = setup->state & 8;
	kernel.tcp.ecn_flags = setup->levels & 32 ? TCP_ECN_MODE_RFC3168 : TCP_ECN_MODE_ACCECN;
	accecn_end = (struct q_accecn_end){.no_ect = setup->state & 1, .answer = setup->state & 2 ? CODE_ECT0 : 0};
	accecn_open = (struct q_accecn_open){.isn = setup->levels & 64 ? 7 : (uint32_t)-1,
					     .asked = setup->acks_without_code % 3U,
					     .agreed = setup->flags >> 7,
					     .arrived_ecn = setup->echo_rule & 3};
	has_accecn_end = has_end;
	has_accecn_open = has_open;
	kernel_add_map((struct kernel_map){&q_accecn_ends, &accecn_end, sizeof(accecn_end), NULL, 0, &has_accecn_end});
	kernel_add_map((struct kernel_map){&q_accecn_opens, &accecn_open, sizeof(accecn_open), &open_key,
					   sizeof(open_key), &has_accecn_open});
	kernel_add_map((struct kernel_map){&q_csig_ends, &csig_storage, sizeof(csig_storage), NULL, 0, &has_end});
	kernel_add_map((struct kernel_map){&q_csig_opens, &open_value, sizeof(open_value), &open_key, sizeof(open_key),
					   &has_open});
	kernel_add_map((struct kernel_map){&q_mecn_opens, &open_value, sizeof(open_value), &open_key, sizeof(open_key),
					   &has_open});
}

/* Lay the packet where q_csig_in finds the tag that q_csig_strip has left, which may be nonsense, or none. */
static void set_up_tag(const struct setup *setup)
{
	struct q_csig_tag *meta;

	kernel_begin_xdp(sizeof(*meta));
	kernel.skb.data = kernel.skb.data_meta = kernel.xdp.data;
	if (!(setup->levels & 64))
		return;
	kernel.skb.data_meta -= sizeof(*meta);
	meta = (struct q_csig_tag *)(uintptr_t)kernel.skb.data_meta;
	*meta = (struct q_csig_tag){.form = setup->echo_rule % 4, .content = {setup->state, 0, setup->state}};
}

/* q_csig_in gives a tag to a connection with CSIG, by its type, and to no other. */
static void check_noted_tag(const struct setup *setup, const struct packet *packet)
{
	uint8_t form = setup->echo_rule % 4, type = form == Q_CSIG_WIDE ? setup->state >> 4 : setup->state >> 5;
	bool is_tag = setup->levels & 64 && (form == Q_CSIG_COMPACT || form == Q_CSIG_WIDE);
	bool wanted = is_tag && packet->is_tcp && packet->end > packet->tcp + packet->tcp_bytes && has_end &&
		      csig_storage.state == Q_CSIG_ON && kernel.sk.state != BPF_TCP_LISTEN && type < Q_CSIG_TYPES;

	for (uint8_t i = 0; i < Q_CSIG_TYPES; i++)
		REQUIRE(!csig_storage.to_return[i] == !(wanted && i == type));
	REQUIRE(host.counters[Q_COUNTER_csig_received] == wanted);
	REQUIRE(host.counters[Q_COUNTER_csig_unknown] == (is_tag && !wanted));
}

/* The program has changed only the bytes that it may change; `before` is the frame from before. */
static void check_bytes(enum which which, uint8_t *before, size_t bytes, const struct packet *packet, bool is_ipv6)
{
	const uint8_t *frame = kernel.frame;
	bool was_syn = packet->flags & SYN;

	if (which == IDENT_OUT) {
		if (!is_ipv6 && has_mailbox && before[packet->ip + 6] & 0x40)
			write_be16(before + packet->ip + 4,
				   (uint16_t)(SECRET + read_be(before + packet->tcp + 4, 4) / MSS_BYTES));
		if (!is_ipv6)
			memcpy(before + packet->ip + 10, frame + packet->ip + 10, 2);
	} else if (!was_syn && which != CSIG_IN && which != CSIG_OUT) {
		before[packet->tcp + 13] &= (uint8_t) ~(CWR | ECE);
		before[packet->tcp + 13] |= frame[packet->tcp + 13] & (CWR | ECE);
		memcpy(before + packet->tcp + 16, frame + packet->tcp + 16, 2);
	}
	REQUIRE(!memcmp(before, frame, bytes));
}

/*
 * q_prague_in has changed only a SYN: what the kernel gets has the flags of RFC 3168. q_prague_out has changed the
 * flags of SYNs and ACKs, and ECT(0) of others.
 */
static void check_accurate(enum which which, uint8_t *before, size_t bytes, const struct packet *packet, bool is_ipv6)
{
	const uint8_t *frame = kernel.frame;
	uint16_t flags = (uint16_t)read_be(frame + packet->tcp + 12, 2);
	uint8_t *ecn = before + packet->ip + 1, mask = is_ipv6 ? 0x30 : 3, ect0 = is_ipv6 ? 0x20 : 2;
	bool was_syn = packet->flags & SYN, has_data = packet->end > packet->tcp + packet->tcp_bytes;

	REQUIRE(kernel.skb.len == bytes);
	if (which == PRAGUE_IN && flags != packet->flags)
		REQUIRE(was_syn && (flags & (ACCURATE | CWR | ECE)) == (packet->flags & ACK ? ECE : CWR | ECE));
	if (which == PRAGUE_OUT && flags != packet->flags)
		REQUIRE(was_syn || !has_data);
	if ((frame[packet->ip + 1] ^ *ecn) & mask)
		REQUIRE(which == PRAGUE_IN ? was_syn && !(frame[packet->ip + 1] & mask)
					   : !was_syn && (*ecn & mask) == ect0);
	*ecn = (uint8_t)((*ecn & ~mask) | (frame[packet->ip + 1] & mask));
	write_be16(before + packet->tcp + 12,
		   (uint16_t)((packet->flags & ~(ACCURATE | CWR | ECE)) | (flags & (ACCURATE | CWR | ECE))));
	memcpy(before + packet->tcp + 16, frame + packet->tcp + 16, 2);
	if (!is_ipv6)
		memcpy(before + packet->ip + 10, frame + packet->ip + 10, 2);
	REQUIRE(!memcmp(before, frame, bytes));
}

/* The offer was appended to the options of a SYN. */
static void check_offer(uint8_t *before, size_t bytes, const struct packet *packet, bool is_ipv6,
			const uint8_t option[4])
{
	uint8_t *length = before + packet->ip + (is_ipv6 ? 4 : 2), *frame = kernel.frame;

	REQUIRE(kernel.skb.len == bytes + 4 && packet->flags & SYN && packet->tcp + packet->tcp_bytes == bytes);
	REQUIRE(!memcmp(frame + bytes, option, 4) && packet->tcp_bytes <= 56);
	write_be16(length, (uint16_t)(read_be(length, 2) + 4));
	before[packet->tcp + 12] += 0x10;
	memcpy(before + packet->tcp + 16, frame + packet->tcp + 16, 2);
	if (!is_ipv6)
		memcpy(before + packet->ip + 10, frame + packet->ip + 10, 2);
	REQUIRE(!memcmp(before, frame, bytes));
}

static void check_checksums(const struct setup *setup, const struct packet *packet)
{
	bool is_ipv6 = setup->flags & 4;
	struct packet now = read_packet(kernel.frame, kernel.skb.len, packet->ip, is_ipv6);

	if (!(setup->flags & 2) || !packet->is_whole)
		return;
	REQUIRE(now.is_tcp && now.is_whole);
	REQUIRE(tcp_checksum(kernel.frame, &now, is_ipv6) == 0);
	REQUIRE(is_ipv6 || ip_checksum(kernel.frame, &now) == 0);
}

/* q_csig_out has put a tag in front of the IP packet. */
static void check_tag(const uint8_t *before, size_t bytes, const struct packet *packet)
{
	bool is_wide = q_attach.csig_form == Q_CSIG_WIDE, asks_bandwidth = !(csig_storage.tagged & 1);
	static const uint8_t tags[2][2][8] = {
		{{0x99, 0x00, 0x40, 0x00}, {0x99, 0x00, 0x0f, 0x80}},
		{{0x88, 0xb5, 0, 0, 0x20, 0, 0, 0}, {0x88, 0xb5, 0, 0, 0x0f, 0xff, 0xff, 0}},
	};
	size_t tag_bytes = is_wide ? 8 : 4;
	__be16 inner = (__be16)kernel.skb.protocol;

	REQUIRE(kernel.skb.len == bytes + tag_bytes && kernel.skb.len <= kernel.mtu_bytes + 14);
	REQUIRE(!(packet->flags & SYN) && packet->end > packet->tcp + packet->tcp_bytes && !kernel.skb.gso_size);
	REQUIRE(!memcmp(kernel.frame, before, 12) &&
		!memcmp(kernel.frame + 12, tags[is_wide][asks_bandwidth], tag_bytes));
	REQUIRE(!memcmp(kernel.frame + 12 + tag_bytes, &inner, 2));
	REQUIRE(!memcmp(kernel.frame + 14 + tag_bytes, before + 14, bytes - 14));
}

/* q_csig_strip takes a tag out where there is one in front of IP, and changes nothing else. */
static void strip_and_check(const uint8_t *before, size_t bytes)
{
	uint32_t type = bytes >= 14 ? read_be(before + 12, 2) : 0, inner;
	size_t tag_bytes = type == 0x9900 ? 4 : type == 0x88b5 ? 8 : 0;
	const uint8_t *frame, *meta;

	if (bytes < 14 + tag_bytes)
		tag_bytes = 0;
	inner = tag_bytes ? read_be(before + 12 + tag_bytes, 2) : 0;
	if (inner != 0x0800 && inner != 0x86dd)
		tag_bytes = 0;
	kernel_begin_xdp(32);
	REQUIRE(q_csig_strip(&kernel.xdp) == XDP_PASS);
	frame = (const uint8_t *)(uintptr_t)kernel.xdp.data;
	meta = (const uint8_t *)(uintptr_t)kernel.xdp.data_meta;
	REQUIRE(kernel.xdp.data_end - kernel.xdp.data == bytes - tag_bytes);
	REQUIRE(frame - meta == (tag_bytes ? 8 : 0));
	if (!tag_bytes) {
		REQUIRE(!memcmp(frame, before, bytes));
		return;
	}
	REQUIRE(!memcmp(frame, before, 12) && !memcmp(frame + 12, before + 12 + tag_bytes, bytes - 12 - tag_bytes));
	REQUIRE(meta[0] == (tag_bytes == 8 ? Q_CSIG_WIDE : Q_CSIG_COMPACT) &&
		!memcmp(meta + 2, before + 14, tag_bytes - 2));
}

/* q_mecn_in or q_csig_in has recorded the offer of a SYN. */
static void check_recorded_offer(enum which which, const struct packet *packet, const uint8_t *before, bool had_open)
{
	bool asks = which == CSIG_IN || (packet->flags & (CWR | ECE | ACCURATE)) == (CWR | ECE);

	if ((which == MECN_IN && packet->flags & RST) || !(packet->flags & SYN) || packet->flags & ACK) {
		REQUIRE(!has_open || had_open);
		return;
	}
	REQUIRE(has_open == (asks && offers(before, packet, which == CSIG_IN ? csig_offer : mecn_offer)));
	REQUIRE(!has_open || (open_value.isn == read_be(before + packet->tcp + 4, 4) && !open_value.agreed));
}

static int finish(uint8_t *before)
{
	free(before);
	kernel_end();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	int (*const programs[])(struct __sk_buff *) = {q_mecn_in,    q_mecn_out, q_ident_out, q_prague_in,
						       q_prague_out, q_csig_in,  q_csig_out};
	struct setup setup;
	struct packet packet;
	enum which which;
	uint8_t *before;
	bool had_open;
	int verdict;

	if (bytes < sizeof(setup))
		return -1;
	memcpy(&setup, data, sizeof(setup));
	bytes -= sizeof(setup);
	set_up(&setup, data + sizeof(setup), bytes, &packet);
	which = setup.which % WHICH_COUNT;
	had_open = has_open;
	if (which == CSIG_IN)
		set_up_tag(&setup);
	before = malloc(bytes + 1);
	REQUIRE(before);
	memcpy(before, kernel.frame, bytes);

	if (which == CSIG_STRIP) {
		strip_and_check(before, bytes);
		return finish(before);
	}
	verdict = programs[which](&kernel.skb);
	REQUIRE(verdict == TC_ACT_UNSPEC ||
		(verdict == TC_ACT_SHOT && which == PRAGUE_IN && packet.is_tcp && (packet.flags & (SYN | ACK)) == SYN));
	if (which == CSIG_IN)
		check_noted_tag(&setup, &packet);
	if (!packet.is_tcp || (which != IDENT_OUT && which != CSIG_IN && packet.flags & RST)) {
		REQUIRE(kernel.skb.len == bytes && !memcmp(before, kernel.frame, bytes));
	} else if (which == PRAGUE_IN || which == PRAGUE_OUT) {
		check_accurate(which, before, bytes, &packet, setup.flags & 4);
		check_checksums(&setup, &packet);
	} else {
		if (which == MECN_IN || which == CSIG_IN)
			check_recorded_offer(which, &packet, before, had_open);
		if (which == CSIG_OUT && kernel.skb.len != bytes && !(packet.flags & SYN)) {
			check_tag(before, bytes, &packet);
			return finish(before);
		}
		if ((which == MECN_OUT || which == CSIG_OUT) && kernel.skb.len != bytes) {
			check_offer(before, bytes, &packet, setup.flags & 4,
				    which == CSIG_OUT ? csig_offer : mecn_offer);
		} else {
			REQUIRE(kernel.skb.len == bytes);
			check_bytes(which, before, bytes, &packet, setup.flags & 4);
		}
		check_checksums(&setup, &packet);
	}
	return finish(before);
}
