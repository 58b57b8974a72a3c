/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Messages on stderr: one line for each error. */
#ifndef QUENCH_REPORT_H
#define QUENCH_REPORT_H

/* Print "quench-host: MESSAGE" to stderr. Returns -1, so that a function can end with `return fail(...)`. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As fail(), for a problem that does not stop the command. */
void warn_user(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Send libbpf's own messages to stderr (verbose) or nowhere. */
void report_libbpf(int verbose);

#endif
