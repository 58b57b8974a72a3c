/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sysctls.h"

/*
 * Not in every kernel: tcp_rto_min_us came with Linux 6.11. What a kernel lacks is left out.
 * The papers' TCP has no SACK, no timestamps, none of the later ways to find or to take back a loss, and a minimum RTO
 * of one second; nothing that a connection learnt is kept for the next.
 */
static const struct sysctl paper_settings[] = {
	{"tcp_sack", "0"}, {"tcp_dsack", "0"},      {"tcp_recovery", "0"},        {"tcp_early_retrans", "0"},
	{"tcp_frto", "0"}, {"tcp_timestamps", "0"}, {"tcp_no_metrics_save", "1"}, {"tcp_rto_min_us", "1000000"},
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

	add(wanted, &count, "tcp_congestion_control", algo->cc_name);
	add(wanted, &count, "tcp_ecn", algo->tcp_ecn);
	if (paper)
		for (size_t i = 0; i < sizeof(paper_settings) / sizeof(paper_settings[0]); i++)
			add(wanted, &count, paper_settings[i].name, paper_settings[i].value);
	return count;
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
