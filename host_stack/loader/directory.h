/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* /run/quench, where quench-host keeps its files. They belong to the superuser, and no symbolic link is followed. */
#ifndef QUENCH_DIRECTORY_H
#define QUENCH_DIRECTORY_H

#define DIRECTORY_PARENT "/run/quench"
#define DIRECTORY_HOSTS DIRECTORY_PARENT "/hosts"
#define DIRECTORY_LOCK DIRECTORY_PARENT "/lock"

/* File descriptor of /run/quench, made if it is not there. Returns -1 after a message. */
int directory_parent(void);

/* The same of /run/quench/hosts. */
int directory_hosts(void);

#endif
