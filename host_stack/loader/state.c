/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "state.h"

#define PARENT "/run/quench"
#define DIRECTORY PARENT "/hosts"
#define LOCK PARENT "/lock"

int state_lock(void)
{
	int fd;

	if ((mkdir(PARENT, 0755) && errno != EEXIST) || (mkdir(DIRECTORY, 0755) && errno != EEXIST))
		return fail("cannot make %s: %s; run as root", DIRECTORY, strerror(errno));
	fd = open(LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || flock(fd, LOCK_EX))
		return fail("cannot lock %s: %s; run as root", LOCK, strerror(errno));
	return 0;
}

static void path_of(uint64_t cookie, char *path, size_t size)
{
	snprintf(path, size, DIRECTORY "/%" PRIu64, cookie);
}

/* Returns 0, or -1 if the line makes no sense. */
static int parse_line(char *line, struct host_state *state)
{
	char *key = strtok(line, " ");
	char *first = strtok(NULL, " ");

	if (!key || !first)
		return -1;
	if (!strcmp(key, "algo")) {
		state->algo = algo_find(first);
		return state->algo ? 0 : -1;
	}
	if (!strcmp(key, "paper")) {
		state->paper = !strcmp(first, "1");
		return 0;
	}
	if (!strcmp(key, "device") && state->device_count < MAX_DEVICES) {
		struct device_state *device = &state->devices[state->device_count++];
		const char *prog_id = strtok(NULL, " ");
		const char *made_clsact = strtok(NULL, " ");

		if (!prog_id || !made_clsact)
			return -1;
		snprintf(device->name, sizeof(device->name), "%s", first);
		device->prog_id = (uint32_t)strtoul(prog_id, NULL, 10);
		device->made_clsact = !strcmp(made_clsact, "1");
		return 0;
	}
	if (!strcmp(key, "sysctl") && state->sysctl_count < MAX_SYSCTLS) {
		struct sysctl *setting = &state->sysctls[state->sysctl_count++];
		const char *value = strtok(NULL, "");

		snprintf(setting->name, sizeof(setting->name), "%s", first);
		snprintf(setting->value, sizeof(setting->value), "%s", value ? value : "");
		return 0;
	}
	return -1;
}

int state_load(uint64_t cookie, struct host_state *state)
{
	char path[128], line[256];
	int bad = 0;
	FILE *file;

	*state = (struct host_state){.cookie = cookie};
	path_of(cookie, path, sizeof(path));
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? 0 : fail("cannot read %s: %s", path, strerror(errno));
	while (!bad && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		bad = parse_line(line, state);
	}
	fclose(file);
	if (bad || !state->algo)
		return fail("%s is damaged: run `quench-host purge`, or delete it", path);
	return 1;
}

int state_save(const struct host_state *state)
{
	char path[128], new_path[160];
	FILE *file;
	int bad;

	path_of(state->cookie, path, sizeof(path));
	snprintf(new_path, sizeof(new_path), "%s.new", path);
	file = fopen(new_path, "we");
	if (!file)
		return fail("cannot write %s: %s", new_path, strerror(errno));
	fprintf(file, "algo %s\npaper %d\n", state->algo->name, state->paper);
	for (size_t i = 0; i < state->device_count; i++) {
		const struct device_state *device = &state->devices[i];

		fprintf(file, "device %s %" PRIu32 " %d\n", device->name, device->prog_id, device->made_clsact);
	}
	for (size_t i = 0; i < state->sysctl_count; i++)
		fprintf(file, "sysctl %s %s\n", state->sysctls[i].name, state->sysctls[i].value);
	bad = ferror(file);
	if (fclose(file) || bad || rename(new_path, path)) {
		int saved = errno;

		unlink(new_path);
		return fail("cannot write %s: %s", path, strerror(saved));
	}
	return 0;
}

void state_remove(uint64_t cookie)
{
	char path[128];

	path_of(cookie, path, sizeof(path));
	unlink(path);
}

size_t state_list(uint64_t **cookies)
{
	DIR *entries = opendir(DIRECTORY);
	struct dirent *entry;
	size_t count = 0;

	*cookies = NULL;
	if (!entries)
		return 0;
	while ((entry = readdir(entries)) != NULL) {
		char *end;
		uint64_t cookie = strtoull(entry->d_name, &end, 10);
		uint64_t *grown;

		if (end == entry->d_name || *end)
			continue;
		grown = realloc(*cookies, (count + 1) * sizeof(**cookies));
		if (!grown)
			break;
		*cookies = grown;
		grown[count++] = cookie;
	}
	closedir(entries);
	return count;
}

struct device_state *state_device(struct host_state *state, const char *name)
{
	for (size_t i = 0; i < state->device_count; i++)
		if (!strcmp(state->devices[i].name, name))
			return &state->devices[i];
	return NULL;
}
