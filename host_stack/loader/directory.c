/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "directory.h"
#include "report.h"

/* /run/quench may also hold files of other programs, such as a controller's socket, so others may enter it. */
#define PARENT_MODE 0755
#define HOSTS_MODE 0700

/* Open a directory, made if needed, that belongs to this user and that only this user can change. */
static int open_own(int at, const char *name, const char *path, mode_t mode)
{
	struct stat stat;
	int fd;

	if (mkdirat(at, name, mode) && errno != EEXIST)
		return fail("cannot make %s: %s; run as root", path, strerror(errno));
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail("cannot open %s as a directory: %s; run as root, and remove the other file of that name",
			    path, strerror(errno));
	if (fstat(fd, &stat) || stat.st_uid != geteuid() || ((stat.st_mode & 07777 & ~mode) && fchmod(fd, mode))) {
		close(fd);
		return fail("%s is not this user's own: run as root, and remove it", path);
	}
	return fd;
}

int directory_parent(void)
{
	return open_own(AT_FDCWD, DIRECTORY_PARENT, DIRECTORY_PARENT, PARENT_MODE);
}

int directory_hosts(void)
{
	int parent = directory_parent();
	int fd;

	if (parent < 0)
		return -1;
	fd = open_own(parent, "hosts", DIRECTORY_HOSTS, HOSTS_MODE);
	close(parent);
	return fd;
}
