/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Network devices by the kind of link. */
#ifndef QUENCH_LINK_H
#define QUENCH_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* Length of what precedes the IP header in the device's packets: 14 bytes of Ethernet, or 0 where there is no header
 * (tun, WireGuard). Returns 0, or -1 after a message. */
int link_header_bytes(const char *device, uint32_t *bytes);

/* Has the device a qdisc where clsact sits? */
bool link_has_clsact(const char *device);

#endif
