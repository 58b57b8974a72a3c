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
#include <sys/stat.h>
#include <unistd.h>

#include "directory.h"
#include "lock.h"
#include "report.h"
#include "state.h"
#include "state_text.h"

#define NAME_BYTES 32
#define NEW_SUFFIX ".new"

static void name_of(uint64_t cookie, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "%" PRIu64, cookie);
}

/* Returns 1 and the cookie if that is the name of a state. */
static int cookie_of(const char *name, uint64_t *cookie)
{
	char canonical[NAME_BYTES];

	*cookie = strtoull(name, NULL, 10);
	name_of(*cookie, canonical);
	return !strcmp(name, canonical);
}

/* Remove the files that a process left when it was killed while it wrote a state. */
static void remove_unfinished(int directory)
{
	DIR *entries = fdopendir(dup(directory));
	struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries)) != NULL) {
		size_t bytes = strlen(entry->d_name);

		if (bytes > strlen(NEW_SUFFIX) && !strcmp(entry->d_name + bytes - strlen(NEW_SUFFIX), NEW_SUFFIX))
			unlinkat(directory, entry->d_name, 0);
	}
	closedir(entries);
}

int state_lock(void)
{
	int directory;

	if (lock_take())
		return -1;
	directory = directory_hosts();
	if (directory < 0)
		return -1;
	remove_unfinished(directory);
	close(directory);
	return 0;
}

/* Read a regular file that belongs to this user. Returns its length, or -1 with errno; EBADMSG: it cannot be a state.
 */
static ssize_t read_own(int directory, const char *name, char text[STATE_TEXT_BYTES])
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	size_t used = 0;
	struct stat stat;
	ssize_t bytes = -1;

	if (fd < 0) {
		/* A symbolic link. */
		errno = errno == ELOOP ? EBADMSG : errno;
		return -1;
	}
	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_uid == geteuid())
		while (used < STATE_TEXT_BYTES && (bytes = read(fd, text + used, STATE_TEXT_BYTES - used)) > 0)
			used += (size_t)bytes;
	close(fd);
	if (bytes) {
		errno = EBADMSG;
		return -1;
	}
	return (ssize_t)used;
}

int state_load(uint64_t cookie, struct host_state *state)
{
	char name[NAME_BYTES], text[STATE_TEXT_BYTES];
	int directory = directory_hosts();
	ssize_t bytes;
	int saved;

	*state = (struct host_state){.cookie = cookie};
	if (directory < 0)
		return -1;
	name_of(cookie, name);
	bytes = read_own(directory, name, text);
	saved = errno;
	close(directory);
	if (bytes < 0 && saved == ENOENT)
		return 0;
	if (bytes < 0 && saved != EBADMSG)
		return fail("cannot read %s/%s: %s", DIRECTORY_HOSTS, name, strerror(saved));
	if (bytes < 0 || state_parse(text, (size_t)bytes, state)) {
		*state = (struct host_state){.cookie = cookie};
		return fail("%s/%s is damaged: run `quench-host purge`, or delete it", DIRECTORY_HOSTS, name);
	}
	return 1;
}

/* Returns 0, or -1 with errno. */
static int write_new(int directory, const char *name, const char *text, size_t bytes)
{
	int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ssize_t written;
	int saved;

	if (fd < 0)
		return -1;
	errno = ENOSPC;
	written = write(fd, text, bytes);
	saved = errno;
	close(fd);
	errno = saved;
	return written == (ssize_t)bytes ? 0 : -1;
}

int state_save(const struct host_state *state)
{
	char name[NAME_BYTES], new_name[NAME_BYTES + sizeof(NEW_SUFFIX)], text[STATE_TEXT_BYTES];
	size_t bytes = state_format(state, text);
	int directory = directory_hosts();
	int result = 0;

	if (directory < 0)
		return -1;
	name_of(state->cookie, name);
	snprintf(new_name, sizeof(new_name), "%s" NEW_SUFFIX, name);
	if (!bytes || write_new(directory, new_name, text, bytes) || renameat(directory, new_name, directory, name)) {
		int saved = errno;

		unlinkat(directory, new_name, 0);
		result = fail("cannot write %s/%s: %s", DIRECTORY_HOSTS, name, strerror(saved));
	}
	close(directory);
	return result;
}

void state_remove(uint64_t cookie)
{
	int directory = directory_hosts();
	char name[NAME_BYTES];

	if (directory < 0)
		return;
	name_of(cookie, name);
	unlinkat(directory, name, 0);
	close(directory);
}

size_t state_list(uint64_t **cookies)
{
	int directory = directory_hosts();
	DIR *entries = directory < 0 ? NULL : fdopendir(directory);
	struct dirent *entry;
	size_t count = 0;

	*cookies = NULL;
	if (!entries)
		return 0;
	while ((entry = readdir(entries)) != NULL) {
		uint64_t cookie, *grown;

		if (!cookie_of(entry->d_name, &cookie))
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
