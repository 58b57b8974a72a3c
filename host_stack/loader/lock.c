/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "directory.h"
#include "lock.h"
#include "report.h"

#define TIMEOUT_S 10
#define RETRY_NS 20000000L
#define MODE 0600

static bool is_own(const struct stat *stat)
{
	return S_ISREG(stat->st_mode) && stat->st_uid == geteuid() && !(stat->st_mode & 07777 & ~MODE) &&
	       stat->st_nlink == 1;
}

/* Is the open file still the lock's file, and not replaced? */
static bool is_current(int directory, int fd)
{
	struct stat opened, named;

	return fstat(fd, &opened) == 0 && fstatat(directory, "lock", &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/*
 * Open the lock's file. A file that other users can open (earlier versions made such a file) is replaced, because
 * another user may hold its lock. Returns -1 with errno; EAGAIN: try again.
 */
static int open_file(int directory)
{
	int fd = openat(directory, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, MODE);
	struct stat stat;

	if (fd >= 0 && fstat(fd, &stat) == 0 && is_own(&stat))
		return fd;
	if (fd < 0 && errno != ELOOP && errno != ENXIO && errno != EISDIR)
		return -1;
	if (fd >= 0) {
		/* Another process may have replaced it since it was opened. */
		bool current = is_current(directory, fd);

		close(fd);
		if (!current) {
			errno = EAGAIN;
			return -1;
		}
	}
	if (unlinkat(directory, "lock", 0) && errno != ENOENT)
		return -1;
	errno = EAGAIN;
	return -1;
}

static void note_holder(int fd)
{
	/* The message of held_by_another() names the holder. */
	if (ftruncate(fd, 0) == 0)
		dprintf(fd, "%d\n", (int)getpid());
}

static int held_by_another(int fd)
{
	char text[16] = "", path[32], name[32] = "";
	ssize_t bytes = pread(fd, text, sizeof(text) - 1, 0);
	long pid = bytes > 0 ? strtol(text, NULL, 10) : 0;
	FILE *file;

	if (pid <= 0)
		return fail("%s is held by another process, for more than %d s: end it", DIRECTORY_LOCK, TIMEOUT_S);
	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	file = fopen(path, "re");
	if (file) {
		if (!fgets(name, sizeof(name), file))
			*name = '\0';
		fclose(file);
	}
	name[strcspn(name, "\n")] = '\0';
	return fail("%s is held by process %ld (%s), for more than %d s: wait for it or end it", DIRECTORY_LOCK, pid,
		    *name ? name : "not seen from here", TIMEOUT_S);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns 1 with the lock; 0: try again; -1 after a message. */
static int try_once(int directory, bool last)
{
	int fd = open_file(directory);
	int error;

	if (fd < 0)
		return errno == EAGAIN && !last ? 0
						: fail("cannot open %s: %s; run as root, and remove the other file "
						       "of that name",
						       DIRECTORY_LOCK, strerror(errno));
	error = flock(fd, LOCK_EX | LOCK_NB) ? errno : 0;
	if (!error && is_current(directory, fd)) {
		/* The file descriptor stays open, and with it the lock, until the process ends. */
		note_holder(fd);
		return 1;
	}
	if (error == EWOULDBLOCK && last)
		held_by_another(fd);
	else if (error && error != EWOULDBLOCK)
		fail("cannot lock %s: %s", DIRECTORY_LOCK, strerror(error));
	close(fd);
	return last || (error && error != EWOULDBLOCK) ? -1 : 0;
}

int lock_take(void)
{
	const struct timespec pause = {.tv_nsec = RETRY_NS};
	double deadline_s = now_s() + TIMEOUT_S;
	int directory = directory_parent(), result;

	if (directory < 0)
		return -1;
	while ((result = try_once(directory, now_s() >= deadline_s)) == 0)
		nanosleep(&pause, NULL);
	close(directory);
	return result < 0 ? -1 : 0;
}
