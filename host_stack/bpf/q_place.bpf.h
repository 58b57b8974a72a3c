/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Where this copy of a tc program works. */
#ifndef QUENCH_Q_PLACE_BPF_H
#define QUENCH_Q_PLACE_BPF_H

#include "q_shared.h"

/* Constant once it is loaded; the native build of the fuzz targets has no loader. */
#ifdef __bpf__
#define Q_LOADED const volatile
#else
#define Q_LOADED volatile
#endif

/* In a section of its own, so that the loader finds it in every object alike. */
Q_LOADED struct q_place q_place SEC(Q_PLACE_SECTION) = {};

#endif /* QUENCH_Q_PLACE_BPF_H */
