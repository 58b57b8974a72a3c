/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <stdio.h>
#include <string.h>

#include "algorithms.h"
#include "algos.h"
#include "q_shared.h"

/* The skeletons name types of q_shared.h. */
#include "programs.skel.h"

#define BUILT_IN(name, id, congestion_control) {name, congestion_control, "0", NULL, false, false, false, NULL},
#define PROGRAM(name, id, program, second, ecn, ect, obeys_isq)                                                        \
	{name, #program, "1", second, (ecn) == Q_ECN_MECN, (ecn) == Q_ECN_ACCECN, obeys_isq, program##_bpf__elf_bytes},

static const struct algo algos[] = {Q_ALGORITHMS(BUILT_IN, PROGRAM)};

const struct algo *algo_at(size_t index)
{
	return index < sizeof(algos) / sizeof(algos[0]) ? &algos[index] : NULL;
}

const struct algo *algo_find(const char *name)
{
	const struct algo *algo;

	for (size_t i = 0; (algo = algo_at(i)) != NULL; i++)
		if (!strcmp(algo->name, name))
			return algo;
	return NULL;
}

void algo_names(char *text, size_t size, const char *separator)
{
	const struct algo *algo;
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; used < size && (algo = algo_at(i)) != NULL; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? separator : "", algo->name);
}
