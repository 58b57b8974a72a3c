// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Requests to the server that sent the page, and the token that allows changes.

const KEY = "quench-token";

/** The token of the page's address, or the one that this tab had before. The address forgets it. */
export function token() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) {
    set_token(given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

export function set_token(text) {
  sessionStorage.setItem(KEY, text.trim());
}

/** The answer: `{ok, status, value}`, where a refusal's value is `{error}`. */
export async function request(path, body) {
  const options = { headers: { Authorization: `Bearer ${token()}` } };
  if (body !== undefined) {
    Object.assign(options, { method: "POST", body: JSON.stringify(body) });
    options.headers["Content-Type"] = "application/json";
  }
  try {
    const response = await fetch(path, options);
    return { ok: response.ok, status: response.status, value: await response.json() };
  } catch (error) {
    return { ok: false, status: 0, value: { error: `The server does not answer (${error.message})` } };
  }
}
