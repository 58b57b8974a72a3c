/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* The formats of CSIG's tags by name. */
#ifndef QUENCH_CSIG_FORM_H
#define QUENCH_CSIG_FORM_H

#include "q_shared.h"

/* Returns 0, or -1 if there is no such format. */
int csig_form_of(const char *name, enum q_csig_form *form);

/* The name of a format; "" of Q_CSIG_NONE. */
const char *csig_form_name(enum q_csig_form form);

#endif
