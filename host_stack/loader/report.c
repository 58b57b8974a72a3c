/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <stdarg.h>
#include <stdio.h>

#include <bpf/libbpf.h>

#include "report.h"

static void say(const char *kind, const char *format, va_list args)
{
	fprintf(stderr, "quench-host: %s", kind);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("", format, args);
	va_end(args);
	return -1;
}

void warn_user(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("warning: ", format, args);
	va_end(args);
}

static int print_all(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	return vfprintf(stderr, format, args);
}

void report_libbpf(int verbose)
{
	libbpf_set_print(verbose ? print_all : NULL);
}
