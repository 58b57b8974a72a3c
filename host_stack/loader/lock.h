/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* One quench-host at a time changes the machine. */
#ifndef QUENCH_LOCK_H
#define QUENCH_LOCK_H

/* Keep other loaders out until this process ends. Waits for another one, but not for ever. Returns 0, or -1 after a
 * message. */
int lock_take(void);

#endif
