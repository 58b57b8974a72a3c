/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * q_isq against a second implementation of the checks of an ISQ, written from docs/hosts.md: q_isq must count each
 * packet as this implementation does, and put the same ISQ into the mailbox.
 */
#include <string.h>

#include "../bpf/q_isq.bpf.c"

#include "kernel.h"

/* The state of the kernel, at the beginning of the input; the frame follows. */
struct setup {
	/* 1: Ethernet; 2: the checksums are made right before the run; 4: the namespace has no entry; 8: a listener;
	 * 16: no mailbox; 32: not a full socket; 64: identifications are ignored; 128: to another host. */
	uint8_t flags;
	uint8_t ttl_min;
	/* Bytes in flight, in units of 1024. */
	uint8_t in_flight_kb;
	uint8_t mail;
	/* The kernel has taken a tag of VLAN `vlan` - 1 out of the frame; 0: none. */
	uint8_t vlan;
	/* 1: a tag of 802.1Q is in the frame; 2: one of 802.1ad; 4: the socket has no route; 8: the device no address.
	 */
	uint8_t more;
};

static const uint8_t LOCAL[4] = {10, 9, 0, 1}, REMOTE[4] = {10, 9, 0, 2};
#define LOCAL_PORT 40000
#define REMOTE_PORT 5000
#define SND_UNA 0xfffff000U
#define SECRET 0x1234
#define MSS_BYTES 960
#define RCV_NXT 777
#define RCV_WND 1000
#define OUTER_BYTES 20

static struct q_host host;
static struct q_mailbox mailbox;
static struct scratch scratch;
static struct in_ifaddr two_addresses = {
	.ifa_local = bpf_htonl(198U << 24 | 18U << 16),
	.ifa_address = bpf_htonl(198U << 24 | 18U << 16),
	.ifa_mask = bpf_htonl(0xfffffffe),
	.ifa_prefixlen = 31,
};
static struct in_ifaddr own_address = {
	.ifa_next = &two_addresses,
	.ifa_local = bpf_htonl(10U << 24 | 9U << 16 | 1),
	.ifa_address = bpf_htonl(10U << 24 | 9U << 16 | 1),
	.ifa_mask = bpf_htonl(0xffffff00),
	.ifa_broadcast = bpf_htonl(10U << 24 | 9U << 16 | 99),
	.ifa_prefixlen = 24,
};
static struct in_device ipv4 = {&own_address};
static struct net_device device;
static struct dst_entry route = {&device};
static bool has_host, has_mailbox, has_scratch = true;
static uint64_t cookie = 42;
static uint32_t zero;

static bool sums_up(const uint8_t *bytes, size_t count)
{
	return checksum_of(sum_words(bytes, count, 0)) == 0;
}

static void write_checksum(uint8_t *bytes, size_t count, size_t at)
{
	uint16_t checksum;

	bytes[at] = bytes[at + 1] = 0;
	checksum = checksum_of(sum_words(bytes, count, 0));
	bytes[at] = (uint8_t)(checksum >> 8);
	bytes[at + 1] = (uint8_t)checksum;
}

/* The offset in bytes at which the IP header begins; it may be behind the frame's end. */
static size_t ip_offset(const struct setup *setup)
{
	return (setup->flags & 1 ? 14 : 0) + (setup->more & 3 ? 4 : 0);
}

/* Set the checksums of an ISQ to the right values, as far as the frame holds them. */
static void set_checksums(uint8_t *frame, size_t bytes, size_t offset)
{
	uint8_t *ip = frame + offset;
	size_t header_bytes, total_bytes;

	if (bytes < offset + OUTER_BYTES)
		return;
	header_bytes = (ip[0] & 15) * 4U;
	total_bytes = read_be(ip + 2, 2);
	if (header_bytes < OUTER_BYTES || offset + header_bytes > bytes)
		return;
	write_checksum(ip, header_bytes, 10);
	if (total_bytes >= header_bytes + 4 && offset + total_bytes <= bytes)
		write_checksum(ip + header_bytes, total_bytes - header_bytes, 2);
}

/* Do IP options name no route, and fill their space? */
static bool options_ok(const uint8_t *options, size_t bytes)
{
	if (!bytes || options[0] == 0)
		return true;
	if (options[0] == 1)
		return options_ok(options + 1, bytes - 1);
	if (options[0] == 131 || options[0] == 137 || bytes < 2 || options[1] < 2 || options[1] > bytes)
		return false;
	return options_ok(options + options[1], bytes - options[1]);
}

/* Can no single host on a network have the address? */
static bool belongs_to_nobody(const uint8_t *address)
{
	return address[0] == 0 || address[0] == 127 || address[0] >> 4 == 14 || read_be(address, 4) == 0xffffffff;
}

/* Is it one of the addresses of the device, with its broadcast addresses? */
static bool is_the_devices(const uint8_t *address)
{
	static const uint8_t ADDRESSES[][4] = {{10, 9, 0, 1}, {10, 9, 0, 99}, {10, 9, 0, 255}, {198, 18, 0, 0}};

	for (size_t i = 0; i < sizeof(ADDRESSES) / sizeof(ADDRESSES[0]); i++)
		if (!memcmp(address, ADDRESSES[i], 4))
			return route.dev->ip_ptr && kernel.tcp.inet_conn.icsk_inet.sk.sk_dst_cache;
	return false;
}

/* The checks that need the connection. `quote` is the quoted IPv4 packet, of which there are `bytes`. Returns the
 * counter of the reason to refuse the ISQ, or Q_COUNTER_COUNT. */
static enum q_counter check_quote(const uint8_t *source, const uint8_t *quote, size_t bytes, size_t quoted_header_bytes)
{
	const uint8_t *tcp = quote + quoted_header_bytes;
	uint32_t seq = read_be(tcp + 4, 4), acked;

	if (memcmp(quote + 16, REMOTE, 4) || read_be(tcp, 2) != LOCAL_PORT || read_be(tcp + 2, 2) != REMOTE_PORT ||
	    !kernel.is_full || kernel.sk.state == BPF_TCP_LISTEN)
		return Q_COUNTER_isq_refused_no_socket;
	if (!has_mailbox)
		return Q_COUNTER_isq_refused_not_listening;
	if (is_the_devices(source))
		return Q_COUNTER_isq_refused_bad_address;
	if (seq - kernel.tp.snd_una >= kernel.tp.snd_nxt - kernel.tp.snd_una)
		return Q_COUNTER_isq_refused_not_in_flight;
	if (host.isq_rules.check_identification &&
	    (!(quote[6] & 0x40) || read_be(quote + 4, 2) != ((SECRET + seq / MSS_BYTES) & 0xffff)))
		return Q_COUNTER_isq_refused_identification;
	if (bytes >= quoted_header_bytes + 20) {
		acked = RCV_NXT - read_be(tcp + 8, 4);
		if (!(tcp[13] & 0x10) || acked > 0xffff)
			return Q_COUNTER_isq_refused_acknowledgment;
	}
	return Q_COUNTER_COUNT;
}

/* All checks of an ISQ, with the same result. */
static enum q_counter check_isq(const uint8_t *ip, size_t bytes)
{
	size_t header_bytes = (ip[0] & 15) * 4U, total_bytes = read_be(ip + 2, 2), icmp_bytes, quoted_header_bytes;
	const uint8_t *icmp = ip + header_bytes, *quote = icmp + 8;

	if (total_bytes < header_bytes || total_bytes > bytes)
		return Q_COUNTER_isq_refused_truncated;
	if (read_be(ip + 6, 2) & 0x3fff)
		return Q_COUNTER_isq_refused_fragment;
	if (!sums_up(ip, header_bytes))
		return Q_COUNTER_isq_refused_bad_checksum;
	if (!options_ok(ip + OUTER_BYTES, header_bytes - OUTER_BYTES))
		return Q_COUNTER_isq_refused_ip_options;
	if (belongs_to_nobody(ip + 12) || belongs_to_nobody(ip + 16) || !memcmp(ip + 12, ip + 16, 4))
		return Q_COUNTER_isq_refused_bad_address;
	if (ip[12] != 10 && !(ip[12] == 198 && ip[13] == 18))
		return Q_COUNTER_isq_refused_unknown_router;
	if (ip[8] == 0 || ip[8] < host.isq_rules.ttl_min)
		return Q_COUNTER_isq_refused_ttl;
	icmp_bytes = total_bytes - header_bytes;
	if (icmp_bytes > 556)
		return Q_COUNTER_isq_refused_too_long;
	if (icmp_bytes < 8 + 28)
		return Q_COUNTER_isq_refused_truncated;
	if (!sums_up(icmp, icmp_bytes))
		return Q_COUNTER_isq_refused_bad_checksum;
	if (icmp[1])
		return Q_COUNTER_isq_refused_bad_code;
	quoted_header_bytes = (quote[0] & 15) * 4U;
	if (quote[0] >> 4 != 4 || quoted_header_bytes < 20 || (read_be(quote + 6, 2) & 0x1fff) ||
	    read_be(quote + 2, 2) < quoted_header_bytes + 20)
		return Q_COUNTER_isq_refused_bad_quote;
	if (quote[9] != 6)
		return Q_COUNTER_isq_refused_not_tcp;
	if (memcmp(quote + 12, ip + 16, 4))
		return Q_COUNTER_isq_refused_wrong_source;
	if (icmp_bytes < 8 + quoted_header_bytes + 8)
		return Q_COUNTER_isq_refused_truncated;
	/* The socket has this local address. */
	if (memcmp(quote + 12, LOCAL, 4))
		return Q_COUNTER_isq_refused_no_socket;
	return check_quote(ip + 12, quote, icmp_bytes - 8, quoted_header_bytes);
}

/* Is it an ISQ for this host, right or wrong? */
static bool is_isq(const uint8_t *ip, size_t bytes)
{
	size_t header_bytes = bytes >= OUTER_BYTES ? (ip[0] & 15) * 4U : 0;

	return kernel.skb.pkt_type == 0 && bytes >= OUTER_BYTES && ip[0] >> 4 == 4 && header_bytes >= OUTER_BYTES &&
	       ip[9] == 1 && !(read_be(ip + 6, 2) & 0x1fff) && bytes > header_bytes && ip[header_bytes] == 4;
}

static void set_up(const struct setup *setup, const uint8_t *frame, size_t bytes)
{
	kernel_begin(frame, bytes);
	if (setup->flags & 2)
		set_checksums(kernel.frame, bytes, ip_offset(setup));
	q_attach.netns_cookie = cookie;
	q_attach.link_header_bytes = setup->flags & 1 ? 14 : 0;
	kernel.skb.protocol = bpf_htons(setup->more & 1 ? 0x8100 : setup->more & 2 ? 0x88a8 : ETH_P_IP);
	kernel.skb.vlan_present = setup->vlan != 0;
	/* The tag has a priority too. */
	kernel.skb.vlan_tci = setup->vlan ? 0xe000U | (setup->vlan - 1U) : 0;
	kernel.skb.pkt_type = setup->flags & 128 ? 3 : 0;
	kernel.sk.state = setup->flags & 8 ? BPF_TCP_LISTEN : BPF_TCP_ESTABLISHED;
	kernel.is_full = !(setup->flags & 32);
	memcpy(kernel.local + 12, LOCAL, 4);
	memcpy(kernel.remote + 12, REMOTE, 4);
	kernel.local_port = bpf_htons(LOCAL_PORT);
	kernel.remote_port = bpf_htons(REMOTE_PORT);
	kernel.tp.snd_una = SND_UNA;
	kernel.tp.snd_nxt = SND_UNA + setup->in_flight_kb * 1024U;
	kernel.tp.mss_cache = MSS_BYTES;
	kernel.tcp.rcv_nxt = RCV_NXT;
	kernel.tcp.rcv_wnd = RCV_WND;
	kernel.tcp.inet_conn.icsk_inet.sk.sk_dst_cache = setup->more & 4 ? NULL : &route;
	device.ip_ptr = setup->more & 8 ? NULL : &ipv4;

	memset(&host, 0, sizeof(host));
	host.isq_rules.from_count = 2;
	host.isq_rules.from[0] = (struct q_prefix){bpf_htonl(10U << 24), bpf_htonl(0xff000000)};
	host.isq_rules.from[1] = (struct q_prefix){bpf_htonl(198U << 24 | 18U << 16), bpf_htonl(0xffff0000)};
	host.isq_rules.ttl_min = setup->ttl_min;
	host.isq_rules.check_identification = !(setup->flags & 64);
	mailbox = (struct q_mailbox){.isq = setup->mail, .ident_secret = SECRET};
	has_host = !(setup->flags & 4);
	has_mailbox = !(setup->flags & 16);
	kernel_add_map((struct kernel_map){&q_hosts, &host, sizeof(host), &cookie, sizeof(cookie), &has_host});
	kernel_add_map((struct kernel_map){&q_mailboxes, &mailbox, sizeof(mailbox), NULL, 0, &has_mailbox});
	kernel_add_map((struct kernel_map){&q_scratch, &scratch, sizeof(scratch), &zero, sizeof(zero), &has_scratch});
}

static void check(const uint8_t *ip, size_t bytes, bool in_vlan, uint32_t mail_before)
{
	uint64_t total = 0;
	enum q_counter expected;
	uint32_t mail;

	for (size_t i = 0; i < Q_COUNTER_COUNT; i++)
		total += host.counters[i];
	if (!has_host || !is_isq(ip, bytes)) {
		REQUIRE(total == 0 && mailbox.isq == mail_before);
		return;
	}
	REQUIRE(host.counters[Q_COUNTER_isq_received] == 1);
	expected = in_vlan ? Q_COUNTER_isq_refused_vlan : check_isq(ip, bytes);
	if (expected != Q_COUNTER_COUNT) {
		REQUIRE(host.counters[expected] == 1 && total == 2 && mailbox.isq == mail_before);
		return;
	}
	mail = ip[(ip[0] & 15) * 4U + 4];
	REQUIRE(host.counters[mail & 0x80 ? Q_COUNTER_isq_accepted_marked : Q_COUNTER_isq_accepted_dropped] == 1);
	if (mail_before)
		REQUIRE(host.counters[Q_COUNTER_suppressed_isq] == 1 && total == 3 && mailbox.isq == mail_before);
	else
		REQUIRE(total == 2 && mailbox.isq == ((mail & 0x80 ? 1U : 2U) | (mail & 0x7f) << 8));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct setup setup;
	bool is_ip = true, in_vlan;
	const uint8_t *ip;
	size_t offset;

	if (bytes < sizeof(setup))
		return -1;
	memcpy(&setup, data, sizeof(setup));
	set_up(&setup, data + sizeof(setup), bytes - sizeof(setup));
	REQUIRE(q_isq(&kernel.skb) == TC_ACT_UNSPEC);
	REQUIRE(kernel.skb.len == bytes - sizeof(setup));
	offset = ip_offset(&setup);
	in_vlan = setup.vlan > 1;
	ip = kernel.frame + offset;
	if (kernel.skb.len >= offset && setup.more & 3) {
		in_vlan = in_vlan || read_be(ip - 4, 2) & 0xfff;
		is_ip = read_be(ip - 2, 2) == ETH_P_IP;
	}
	if (kernel.skb.len >= offset)
		check(ip, is_ip ? kernel.skb.len - offset : 0, in_vlan, setup.mail);
	kernel_end();
	return 0;
}
