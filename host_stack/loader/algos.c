/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <string.h>

#include "algos.h"
#include "q_becn.skel.h"
#include "q_ecn.skel.h"
#include "q_ecnbecn.skel.h"
#include "q_ecnmod.skel.h"
#include "q_mecn.skel.h"

static const struct algo algos[] = {
	{"plain", "reno", "0", NULL, false, false, NULL},
	{"ecn", "q_ecn", "1", NULL, false, false, q_ecn_bpf__elf_bytes},
	{"becn", "q_becn", "1", NULL, false, true, q_becn_bpf__elf_bytes},
	{"ecn-becn", "q_ecnbecn", "1", NULL, false, true, q_ecnbecn_bpf__elf_bytes},
	{"mecn", "q_mecn", "1", NULL, true, false, q_mecn_bpf__elf_bytes},
	{"ecn-mod", "q_ecnmod", "1", "q_ecnmod_echo", false, false, q_ecnmod_bpf__elf_bytes},
};

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
