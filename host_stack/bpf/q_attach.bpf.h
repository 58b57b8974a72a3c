/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The device that this copy of a tc program is attached to. */
#ifndef QUENCH_Q_ATTACH_BPF_H
#define QUENCH_Q_ATTACH_BPF_H

#include "q_shared.h"

/* The loader sets it, and then it is constant. The native build of the fuzz targets sets it itself. */
#ifdef __bpf__
#define Q_LOADED const volatile
#else
#define Q_LOADED volatile
#endif

/* In a section of its own, which the loader finds by its name in every object. */
Q_LOADED struct q_attach q_attach SEC(Q_ATTACH_SECTION) = {};

#endif /* QUENCH_Q_ATTACH_BPF_H */
