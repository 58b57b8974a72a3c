// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The updates of the server, for ever: a connection that ends is made again.

import { token } from "./api.js";

const RETRY_MS = 1000;

/** The protocol, and the token as a further one: a WebSocket has no other place for it. */
function protocols() {
  const bytes = [...new TextEncoder().encode(token())];
  const hexadecimal = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return ["quench", ...(hexadecimal === "" ? [] : [`quench-token-${hexadecimal}`])];
}

/** `opened()` before each first update, `update(update)`, and `closed(reason)` when the server is gone. */
export function watch({ opened, update, closed }) {
  const socket = new WebSocket(new URL("updates", location.href.replace(/^http/, "ws")), protocols());
  socket.addEventListener("open", opened);
  socket.addEventListener("message", ({ data }) => update(JSON.parse(data)));
  socket.addEventListener("close", ({ reason }) => {
    closed(reason);
    setTimeout(() => watch({ opened, update, closed }), RETRY_MS);
  });
}
