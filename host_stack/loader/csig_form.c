/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <string.h>

#include "csig_form.h"

static const char *const names[] = {[Q_CSIG_NONE] = "", [Q_CSIG_COMPACT] = "compact", [Q_CSIG_WIDE] = "wide"};

int csig_form_of(const char *name, enum q_csig_form *form)
{
	for (*form = Q_CSIG_COMPACT; *form <= Q_CSIG_WIDE; ++*form)
		if (!strcmp(name, names[*form]))
			return 0;
	*form = Q_CSIG_NONE;
	return -1;
}

const char *csig_form_name(enum q_csig_form form)
{
	return names[form];
}
