/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The lock by which only one quench-host at a time changes the machine. */
#ifndef QUENCH_LOCK_H
#define QUENCH_LOCK_H

/* Take the lock, which is held until this process ends. Waits up to 10 s for another process. Returns 0, or -1 after a
 * message. */
int lock_take(void);

#endif
