/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netns.h"
#include "report.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

/* Returns 0, or -1 with errno. */
static int read_cookie(uint64_t *cookie)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t bytes = sizeof(*cookie);
	int result, saved;

	if (fd < 0)
		return -1;
	result = getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &bytes);
	saved = errno;
	close(fd);
	errno = saved;
	return result;
}

int netns_cookie(uint64_t *cookie)
{
	if (read_cookie(cookie))
		return fail("cannot read the cookie of the network namespace: %s; needs Linux 5.14 or later",
			    strerror(errno));
	return 0;
}

uint64_t netns_inode(void)
{
	struct stat stat_of;

	return stat("/proc/thread-self/ns/net", &stat_of) ? 0 : stat_of.st_ino;
}

/* Does the directory hold a symbolic link to that target? */
static bool has_link_to(const char *directory, const char *target)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;
	bool found = false;
	char link[64];

	if (!entries)
		return false;
	while (!found && (entry = readdir(entries)) != NULL) {
		ssize_t bytes = readlinkat(dirfd(entries), entry->d_name, link, sizeof(link) - 1);

		link[bytes > 0 ? bytes : 0] = '\0';
		found = !strcmp(link, target);
	}
	closedir(entries);
	return found;
}

static bool file_has(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t capacity = 0;
	bool found = false;

	if (!file)
		return false;
	while (!found && getline(&line, &capacity, file) > 0)
		found = strstr(line, text) != NULL;
	free(line);
	fclose(file);
	return found;
}

bool netns_is_reachable(uint64_t inode)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	char target[40], path[300];
	bool found = !processes;

	snprintf(target, sizeof(target), "net:[%" PRIu64 "]", inode);
	while (!found && (entry = readdir(processes)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/ns", entry->d_name);
		found = has_link_to(path, target);
		snprintf(path, sizeof(path), "/proc/%s/mountinfo", entry->d_name);
		found = found || file_has(path, target);
		snprintf(path, sizeof(path), "/proc/%s/fd", entry->d_name);
		found = found || has_link_to(path, target);
	}
	if (processes)
		closedir(processes);
	return found;
}

struct visited {
	ino_t *inodes;
	size_t count;
	size_t capacity;
};

/* Returns 1 if the inode is new, 0 if not. */
static int visited_add(struct visited *visited, ino_t inode)
{
	for (size_t i = 0; i < visited->count; i++)
		if (visited->inodes[i] == inode)
			return 0;
	if (visited->count == visited->capacity) {
		size_t capacity = visited->capacity ? visited->capacity * 2 : 64;
		ino_t *inodes = realloc(visited->inodes, capacity * sizeof(*inodes));

		if (!inodes)
			return 0;
		visited->inodes = inodes;
		visited->capacity = capacity;
	}
	visited->inodes[visited->count++] = inode;
	return 1;
}

static void visit_path(const char *path, struct visited *visited, void (*visit)(uint64_t, void *), void *context)
{
	struct stat stat;
	uint64_t cookie;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (fstat(fd, &stat) == 0 && visited_add(visited, stat.st_ino) && setns(fd, CLONE_NEWNET) == 0 &&
	    read_cookie(&cookie) == 0)
		visit(cookie, context);
	close(fd);
}

static void visit_directory(const char *directory, const char *suffix, struct visited *visited,
			    void (*visit)(uint64_t, void *), void *context)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;
	char path[512];

	if (!entries)
		return;
	while ((entry = readdir(entries)) != NULL) {
		if (entry->d_name[0] == '.' || (*suffix && !isdigit((unsigned char)entry->d_name[0])))
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", directory, entry->d_name, suffix);
		visit_path(path, visited, visit, context);
	}
	closedir(entries);
}

struct walk {
	void (*visit)(uint64_t cookie, void *context);
	void *context;
};

static void *walk(void *argument)
{
	const struct walk *walk = argument;
	struct visited visited = {0};

	visit_directory("/proc", "/ns/net", &visited, walk->visit, walk->context);
	visit_directory("/run/netns", "", &visited, walk->visit, walk->context);
	free(visited.inodes);
	return NULL;
}

/*
 * In another thread, because tools such as Mininet kill all processes whose main thread is in a namespace that they
 * end. This process must not be one of them.
 */
int netns_for_each(void (*visit)(uint64_t cookie, void *context), void *context)
{
	struct walk arguments = {visit, context};
	pthread_t thread;
	int error = pthread_create(&thread, NULL, walk, &arguments);

	if (error)
		return fail("cannot start a thread: %s", strerror(error));
	pthread_join(thread, NULL);
	return 0;
}
