/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "objects.h"
#include "report.h"

/* enum bpf_struct_ops_state of the kernel. */
#define STRUCT_OPS_IN_USE 1

struct wanted_map {
	const char *name;
	uint32_t type;
	uint32_t value_bytes;
};

static const struct wanted_map shared_maps[] = {
	{"q_hosts", BPF_MAP_TYPE_HASH, sizeof(struct q_host)},
	{"q_mailboxes", BPF_MAP_TYPE_SK_STORAGE, sizeof(struct q_mailbox)},
	{"q_mecn_ends", BPF_MAP_TYPE_SK_STORAGE, sizeof(struct q_mecn_end)},
	{"q_mecn_opens", BPF_MAP_TYPE_LRU_HASH, sizeof(struct q_open)},
	{"q_csig_ends", BPF_MAP_TYPE_SK_STORAGE, sizeof(struct q_csig_end)},
	{"q_csig_opens", BPF_MAP_TYPE_LRU_HASH, sizeof(struct q_open)},
	{"q_accecn_ends", BPF_MAP_TYPE_SK_STORAGE, sizeof(struct q_accecn_end)},
	{"q_accecn_opens", BPF_MAP_TYPE_LRU_HASH, sizeof(struct q_accecn_open)},
};

/* Next map after *id with that name and type; *id is updated. Returns its file descriptor, or -1. */
static int next_map(const char *name, uint32_t type, uint32_t *id, struct bpf_map_info *info)
{
	while (bpf_map_get_next_id(*id, id) == 0) {
		uint32_t bytes = sizeof(*info);
		int fd = bpf_map_get_fd_by_id(*id);

		if (fd < 0)
			continue;
		memset(info, 0, sizeof(*info));
		if (bpf_obj_get_info_by_fd(fd, info, &bytes) == 0 && info->type == type && !strcmp(info->name, name))
			return fd;
		close(fd);
	}
	return -1;
}

static bool struct_ops_in_use(int fd, const struct bpf_map_info *info)
{
	uint32_t zero = 0, state = 0;
	char *value = calloc(1, info->value_size);

	/* The value begins with the kernel's reference count and state. */
	if (value && bpf_map_lookup_elem(fd, &zero, value) == 0)
		memcpy(&state, value + sizeof(uint32_t), sizeof(state));
	free(value);
	return state == STRUCT_OPS_IN_USE;
}

/* File descriptor of the registered congestion control of that name after *id, or -1. */
static int next_registered(const char *cc_name, uint32_t *id)
{
	struct bpf_map_info info;
	int fd;

	while ((fd = next_map(cc_name, BPF_MAP_TYPE_STRUCT_OPS, id, &info)) >= 0) {
		if (struct_ops_in_use(fd, &info))
			return fd;
		close(fd);
	}
	return -1;
}

static bool registered(const char *cc_name)
{
	uint32_t id = 0;
	int fd = next_registered(cc_name, &id);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool objects_registered(const struct algo *algo)
{
	return !algo->elf_bytes ||
	       (registered(algo->cc_name) && (!algo->second_cc_name || registered(algo->second_cc_name)));
}

bool objects_any_registered(const struct algo *algo)
{
	return registered(algo->cc_name) || (algo->second_cc_name && registered(algo->second_cc_name));
}

static int shared_map(const struct wanted_map *wanted)
{
	struct bpf_map_info info;
	uint32_t id = 0;
	int fd;

	while ((fd = next_map(wanted->name, wanted->type, &id, &info)) >= 0) {
		if (info.value_size == wanted->value_bytes)
			return fd;
		close(fd);
	}
	return -1;
}

int objects_hosts_map(void)
{
	return shared_map(&shared_maps[0]);
}

/* Make the object use the shared maps that are in the kernel. Returns 0, or -1 after a message. */
static int reuse_maps(struct bpf_object *object)
{
	for (size_t i = 0; i < sizeof(shared_maps) / sizeof(shared_maps[0]); i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object, shared_maps[i].name);
		int fd = map ? shared_map(&shared_maps[i]) : -1;
		int error;

		if (fd < 0)
			continue;
		error = bpf_map__reuse_fd(map, fd);
		close(fd);
		if (error)
			return fail("cannot share the map %s: %s", shared_maps[i].name, strerror(-error));
	}
	return 0;
}

/* Fail if programs of a build with another map layout are loaded. Returns 0, or -1 after a message. */
static int refuse_mixed_versions(void)
{
	int fd = objects_hosts_map();
	const struct algo *algo;

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	for (size_t i = 0; (algo = algo_at(i)) != NULL; i++)
		if (algo->elf_bytes && objects_registered(algo))
			return fail("%s of another version of Quench is loaded: run `quench-host purge`",
				    algo->cc_name);
	return 0;
}

static int load_failed(const char *what, int error)
{
	if (error == -EPERM)
		return fail("cannot load %s: not permitted; run as root", what);
	return fail("cannot load %s: %s; this kernel may lack BPF struct_ops or BTF (see --verbose)", what,
		    strerror(-error));
}

/* Register one congestion control of a loaded object. Returns 0, or -1 after a message. */
static int register_one(const struct algo *algo, struct bpf_object *object, const char *cc_name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, cc_name);
	struct bpf_link *link;

	if (!map)
		return fail("the BPF object of %s holds no %s: rebuild with `make -C host_stack`", algo->name, cc_name);
	link = bpf_map__attach_struct_ops(map);
	if (!link)
		return errno == EEXIST
			       ? fail("a congestion control named %s exists that is not ours: unregister it", cc_name)
			       : fail("cannot register %s: %s", cc_name, strerror(errno));
	/* The registration remains when this process ends. */
	bpf_link__disconnect(link);
	bpf_link__destroy(link);
	return 0;
}

static int load_and_register(const struct algo *algo, struct bpf_object *object)
{
	int error;

	if (reuse_maps(object))
		return -1;
	error = bpf_object__load(object);
	if (error)
		return load_failed(algo->cc_name, error);
	/* The second one first, because connections can begin, and be handed over, once the first is registered. */
	if (algo->second_cc_name && register_one(algo, object, algo->second_cc_name))
		return -1;
	if (register_one(algo, object, algo->cc_name)) {
		objects_unregister(algo);
		return -1;
	}
	return 0;
}

int objects_register(const struct algo *algo)
{
	struct bpf_object *object;
	const void *bytes;
	size_t size;
	int result;

	if (objects_registered(algo))
		return refuse_mixed_versions();
	if (refuse_mixed_versions())
		return -1;
	/* One of the two may be left after the other was unregistered by hand. */
	objects_unregister(algo);
	bytes = algo->elf_bytes(&size);
	object = bpf_object__open_mem(bytes, size, NULL);
	if (!object)
		return load_failed(algo->cc_name, -errno);
	result = load_and_register(algo, object);
	bpf_object__close(object);
	return result;
}

/* Returns how many of that name were unregistered. */
static int unregister(const char *cc_name)
{
	uint32_t id = 0, zero = 0;
	int count = 0, fd;

	while ((fd = next_registered(cc_name, &id)) >= 0) {
		if (bpf_map_delete_elem(fd, &zero) == 0)
			count++;
		close(fd);
	}
	return count;
}

int objects_unregister(const struct algo *algo)
{
	if (!algo->elf_bytes)
		return 0;
	return unregister(algo->cc_name) + (algo->second_cc_name ? unregister(algo->second_cc_name) : 0);
}

int objects_host_read(uint64_t cookie, struct q_host *host)
{
	int fd = objects_hosts_map();
	int result = fd < 0 ? -1 : bpf_map_lookup_elem(fd, &cookie, host);

	if (fd >= 0)
		close(fd);
	return result ? -1 : 0;
}

int objects_host_write(uint64_t cookie, const struct q_host *host)
{
	int fd = objects_hosts_map();
	int result = fd < 0 ? -1 : bpf_map_update_elem(fd, &cookie, host, BPF_ANY);

	if (fd >= 0)
		close(fd);
	return result ? -1 : 0;
}

int objects_host_delete(uint64_t cookie)
{
	int fd = objects_hosts_map();
	int result = fd < 0 ? -1 : bpf_map_delete_elem(fd, &cookie);

	if (fd >= 0)
		close(fd);
	return result ? -1 : 0;
}

int objects_host_configure(uint64_t cookie, const struct q_cc_params *params, const struct q_isq_rules *rules)
{
	struct q_host host = {0};

	/* Counts between the two calls are lost, which is acceptable because parameters change rarely. */
	if (objects_host_read(cookie, &host))
		memset(&host, 0, sizeof(host));
	host.params = *params;
	host.isq_rules = *rules;
	return objects_host_write(cookie, &host) ? fail("cannot write the map q_hosts: %s", strerror(errno)) : 0;
}

/* Load one program of an opened object. Returns its file descriptor, or -1 after a message. */
static int load_program(struct bpf_object *object, const char *name, const struct q_attach *attach)
{
	struct bpf_program *wanted = bpf_object__find_program_by_name(object, name), *program;
	struct bpf_map *attach_map = bpf_object__find_map_by_name(object, Q_ATTACH_SECTION);
	int error;

	if (!wanted || (attach && (!attach_map || bpf_map__set_initial_value(attach_map, attach, sizeof(*attach)))))
		return fail("the BPF object of %s lacks a part: rebuild with `make -C host_stack`", name);
	bpf_object__for_each_program(program, object)
	{
		bpf_program__set_autoload(program, program == wanted);
	}
	if (reuse_maps(object))
		return -1;
	error = bpf_object__load(object);
	return error ? load_failed(name, error) : dup(bpf_program__fd(wanted));
}

int objects_load_program(const void *(*elf_bytes)(size_t *size), const char *name, const struct q_attach *attach)
{
	struct bpf_object *object;
	const void *bytes;
	size_t size;
	int fd;

	bytes = elf_bytes(&size);
	object = bpf_object__open_mem(bytes, size, NULL);
	if (!object)
		return load_failed(name, -errno);
	fd = load_program(object, name, attach);
	bpf_object__close(object);
	return fd;
}

bool objects_prog_is(uint32_t prog_id, const char *name)
{
	struct bpf_prog_info info = {0};
	uint32_t bytes = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(prog_id);
	bool exists;

	if (fd < 0)
		return false;
	exists = bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0 && !strcmp(info.name, name);
	close(fd);
	return exists;
}
