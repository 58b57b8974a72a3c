/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sysctls.h"

#define CONGESTION_CONTROL "tcp_congestion_control"
#define ECN "tcp_ecn"

/*
 * The papers' TCP: NewReno with an ACK for each packet and loss detection by three duplicate ACKs, without later
 * extensions. Settings that the kernel lacks are left out: tcp_rto_min_us came with Linux 6.11, tcp_backlog_ack_defer
 * with 6.7.
 */
static const struct sysctl paper_settings[] = {
	/* ACKs have 40 bytes: no SACK and timestamp options. */
	{"tcp_sack", "0"},
	{"tcp_dsack", "0"},
	{"tcp_timestamps", "0"},
	/* No RACK, TLP, F-RTO, and no adaptive threshold of duplicate ACKs. */
	{"tcp_recovery", "0"},
	{"tcp_early_retrans", "0"},
	{"tcp_frto", "0"},
	{"tcp_reordering", "3"},
	{"tcp_max_reordering", "3"},
	/* The RTO is at least one second, and doubles with each timeout. */
	{"tcp_rto_min_us", "1000000"},
	{"tcp_thin_linear_timeouts", "0"},
	/* No common ACK for all packets in the socket's backlog, which would be a delayed ACK. */
	{"tcp_backlog_ack_defer", "0"},
	/* The receive window is never the limit. */
	{"tcp_rmem", "4096 1048576 6291456"},
	/* Packets are not combined or split when they are sent again. */
	{"tcp_fastopen", "0"},
	{"tcp_mtu_probing", "0"},
	{"tcp_retrans_collapse", "0"},
	/* A connection keeps ECN after a lost SYN. The papers' simulations have no SYNs. */
	{"tcp_ecn_fallback", "0"},
	/* No metrics are kept for later connections. */
	{"tcp_no_metrics_save", "1"},
};

static void add(struct sysctl *wanted, size_t *count, const char *name, const char *value)
{
	struct sysctl *setting = &wanted[*count];
	struct sysctl probe;

	snprintf(setting->name, sizeof(setting->name), "%s", name);
	snprintf(setting->value, sizeof(setting->value), "%s", value);
	probe = *setting;
	if (sysctl_read(&probe) == 0)
		(*count)++;
}

size_t sysctls_wanted(const struct algo *algo, bool paper, struct sysctl wanted[MAX_SYSCTLS])
{
	size_t count = 0;

	add(wanted, &count, CONGESTION_CONTROL, algo->cc_name);
	add(wanted, &count, ECN, algo->tcp_ecn);
	if (paper)
		for (size_t i = 0; i < sizeof(paper_settings) / sizeof(paper_settings[0]); i++)
			add(wanted, &count, paper_settings[i].name, paper_settings[i].value);
	return count;
}

bool sysctl_is_managed(const char *name)
{
	if (!strcmp(name, CONGESTION_CONTROL) || !strcmp(name, ECN))
		return true;
	for (size_t i = 0; i < sizeof(paper_settings) / sizeof(paper_settings[0]); i++)
		if (!strcmp(name, paper_settings[i].name))
			return true;
	return false;
}

static int open_setting(const struct sysctl *setting, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/%s", setting->name);
	return open(path, flags | O_CLOEXEC);
}

int sysctl_read(struct sysctl *setting)
{
	int fd = open_setting(setting, O_RDONLY);
	ssize_t bytes;

	if (fd < 0)
		return -1;
	bytes = read(fd, setting->value, sizeof(setting->value) - 1);
	close(fd);
	if (bytes <= 0)
		return -1;
	setting->value[bytes] = '\0';
	setting->value[strcspn(setting->value, "\n")] = '\0';
	return 0;
}

int sysctl_write(const struct sysctl *setting)
{
	int fd = open_setting(setting, O_WRONLY);
	size_t bytes = strlen(setting->value);
	ssize_t written;
	int saved;

	if (fd < 0)
		return -1;
	written = write(fd, setting->value, bytes);
	saved = errno;
	close(fd);
	errno = saved;
	return written == (ssize_t)bytes ? 0 : -1;
}
