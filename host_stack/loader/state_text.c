/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csig_form.h"
#include "state_text.h"

#define LINE_BYTES 256
#define UINT32_DIGITS 10

/* Cut off the next word. Words are divided by single spaces. Returns NULL if there is none. */
static char *next_word(char **rest)
{
	char *word = *rest;

	if (!word || !*word || *word == ' ')
		return NULL;
	*rest = strchr(word, ' ');
	if (*rest)
		*(*rest)++ = '\0';
	return word;
}

/* Returns 0, or -1 if the word is no decimal number of 32 bits. */
static int parse_u32(const char *word, uint32_t *number)
{
	size_t digits = word ? strspn(word, "0123456789") : 0;
	unsigned long long value;

	if (!digits || digits > UINT32_DIGITS || word[digits])
		return -1;
	value = strtoull(word, NULL, 10);
	*number = (uint32_t)value;
	return value <= UINT32_MAX ? 0 : -1;
}

static int parse_bool(const char *word, bool *value)
{
	if (!word || (strcmp(word, "0") && strcmp(word, "1")))
		return -1;
	*value = *word == '1';
	return 0;
}

/* The rules are those of the kernel's dev_valid_name(). */
static bool is_device_name(const char *name)
{
	size_t bytes = strlen(name);

	return bytes && bytes < IFNAMSIZ && strcmp(name, ".") && strcmp(name, "..") && !strpbrk(name, "/: \t");
}

static int parse_device(char *rest, struct host_state *state)
{
	struct device_state device = {0};
	const char *name = next_word(&rest), *prog_id = next_word(&rest), *made_clsact = next_word(&rest);
	const char *csig = rest;

	if ((csig && csig_form_of(csig, &device.csig)) || state->device_count == MAX_DEVICES || !name ||
	    !is_device_name(name) || state_device(state, name) || parse_u32(prog_id, &device.prog_id) ||
	    parse_bool(made_clsact, &device.made_clsact))
		return -1;
	snprintf(device.name, sizeof(device.name), "%s", name);
	state->devices[state->device_count++] = device;
	return 0;
}

/* Accepts only settings that `enable` changes, because `disable` writes them as root. */
static int parse_sysctl(char *rest, struct host_state *state)
{
	struct sysctl *setting = &state->sysctls[state->sysctl_count];
	const char *name = next_word(&rest);

	if (state->sysctl_count == MAX_SYSCTLS || !name || !rest || !sysctl_is_managed(name) ||
	    strlen(rest) >= sizeof(setting->value))
		return -1;
	for (size_t i = 0; i < state->sysctl_count; i++)
		if (!strcmp(state->sysctls[i].name, name))
			return -1;
	snprintf(setting->name, sizeof(setting->name), "%s", name);
	snprintf(setting->value, sizeof(setting->value), "%s", rest);
	state->sysctl_count++;
	return 0;
}

static int parse_line(char *line, struct host_state *state, bool *has_paper)
{
	char *rest = line;
	const char *key = next_word(&rest);

	if (!key || !rest)
		return -1;
	if (!strcmp(key, "device"))
		return parse_device(rest, state);
	if (!strcmp(key, "sysctl"))
		return parse_sysctl(rest, state);
	if (!strcmp(key, "algo") && !state->algo) {
		state->algo = algo_find(rest);
		return state->algo ? 0 : -1;
	}
	/* States of earlier versions have no inode. */
	if (!strcmp(key, "netns") && !state->netns_inode) {
		uint32_t inode;

		if (parse_u32(rest, &inode))
			return -1;
		state->netns_inode = inode;
		return 0;
	}
	if (!strcmp(key, "paper") && !*has_paper) {
		*has_paper = true;
		return parse_bool(rest, &state->paper);
	}
	return -1;
}

int state_parse(const char *text, size_t bytes, struct host_state *state)
{
	bool has_paper = false;
	char line[LINE_BYTES];
	size_t at = 0;

	*state = (struct host_state){.cookie = state->cookie};
	while (at < bytes) {
		const char *end = memchr(text + at, '\n', bytes - at);
		size_t line_bytes = end ? (size_t)(end - (text + at)) : 0;

		if (!end || line_bytes >= sizeof(line) || memchr(text + at, '\0', line_bytes))
			return -1;
		memcpy(line, text + at, line_bytes);
		line[line_bytes] = '\0';
		if (parse_line(line, state, &has_paper))
			return -1;
		at += line_bytes + 1;
	}
	return state->algo && has_paper && state->device_count ? 0 : -1;
}

/* Returns 0, or -1 if it does not fit. */
static int __attribute__((format(printf, 3, 4)))
append(char text[STATE_TEXT_BYTES], size_t *used, const char *format, ...)
{
	va_list args;
	int bytes;

	va_start(args, format);
	bytes = vsnprintf(text + *used, STATE_TEXT_BYTES - *used, format, args);
	va_end(args);
	if (bytes < 0 || (size_t)bytes >= STATE_TEXT_BYTES - *used)
		return -1;
	*used += (size_t)bytes;
	return 0;
}

size_t state_format(const struct host_state *state, char text[STATE_TEXT_BYTES])
{
	size_t used = 0;

	if (append(text, &used, "algo %s\npaper %d\nnetns %" PRIu64 "\n", state->algo->name, state->paper,
		   state->netns_inode))
		return 0;
	for (size_t i = 0; i < state->device_count; i++) {
		const struct device_state *device = &state->devices[i];

		if (append(text, &used, "device %s %" PRIu32 " %d%s%s\n", device->name, device->prog_id,
			   device->made_clsact, device->csig ? " " : "", csig_form_name(device->csig)))
			return 0;
	}
	for (size_t i = 0; i < state->sysctl_count; i++)
		if (append(text, &used, "sysctl %s %s\n", state->sysctls[i].name, state->sysctls[i].value))
			return 0;
	return used;
}

struct device_state *state_device(struct host_state *state, const char *name)
{
	for (size_t i = 0; i < state->device_count; i++)
		if (!strcmp(state->devices[i].name, name))
			return &state->devices[i];
	return NULL;
}
