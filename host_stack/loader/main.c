/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "report.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2

static const char usage_text[] =
	"usage: quench-host enable --algo plain|ecn|becn|ecn-becn|mecn|ecn-mod --dev IFACE [--paper] [--set "
	"PARAM=VALUE]...\n"
	"                          [--isq-from PREFIX]... [--isq-ttl-min N] [--isq-identification check|ignore]\n"
	"       quench-host disable --dev IFACE\n"
	"       quench-host status [--json]\n"
	"       quench-host purge\n"
	"\n"
	"Makes Linux TCP in the current network namespace react to ECN and ICMP source quench (ISQ).\n"
	"\n"
	"enable   choose the algorithm for new connections and receive ISQs on IFACE\n"
	"disable  undo enable for IFACE; with the last IFACE the namespace is as it was before\n"
	"status   what runs here, and what was counted\n"
	"purge    undo every enable on this machine, also after a crash\n"
	"\n"
	"  --algo ALGO        window algorithm; plain is the kernel's NewReno without ECN\n"
	"  --dev IFACE        device that faces the network\n"
	"  --paper            NewReno as in 2001: no SACK, RACK, TLP, F-RTO or timestamps, RTO of at least 1 s\n"
	"  --set PARAM=VALUE  parameter of the algorithm (docs/hosts.md)\n"
	"  --isq-from PREFIX  routers that may send ISQs; replaces the default, which is private networks\n"
	"  --isq-ttl-min N    least time to live of an ISQ on arrival; Quench's routers send 255\n"
	"  --isq-identification check|ignore\n"
	"                     whether an ISQ must quote the identification that the packet was sent with\n"
	"  --json             for programs\n"
	"  --verbose          also what libbpf and the kernel's verifier say\n";

enum option_key {
	OPTION_ALGO = 256,
	OPTION_DEV,
	OPTION_PAPER,
	OPTION_SET,
	OPTION_ISQ_FROM,
	OPTION_ISQ_TTL_MIN,
	OPTION_ISQ_IDENTIFICATION,
	OPTION_JSON,
	OPTION_VERBOSE,
	OPTION_HELP,
};

static const struct option options[] = {
	{"algo", required_argument, NULL, OPTION_ALGO},
	{"dev", required_argument, NULL, OPTION_DEV},
	{"paper", no_argument, NULL, OPTION_PAPER},
	{"set", required_argument, NULL, OPTION_SET},
	{"isq-from", required_argument, NULL, OPTION_ISQ_FROM},
	{"isq-ttl-min", required_argument, NULL, OPTION_ISQ_TTL_MIN},
	{"isq-identification", required_argument, NULL, OPTION_ISQ_IDENTIFICATION},
	{"json", no_argument, NULL, OPTION_JSON},
	{"verbose", no_argument, NULL, OPTION_VERBOSE},
	{"help", no_argument, NULL, OPTION_HELP},
	{NULL, 0, NULL, 0},
};

struct arguments {
	struct enable_request request;
	bool json;
	bool verbose;
	bool help;
};

static int usage(const char *problem)
{
	fail("%s; see quench-host --help", problem);
	return EXIT_USAGE;
}

static int parse(int argc, char **argv, struct arguments *arguments)
{
	struct isq_request *isq = &arguments->request.isq;
	int key;

	while ((key = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (key) {
		case OPTION_ALGO:
			arguments->request.algo = optarg;
			break;
		case OPTION_DEV:
			arguments->request.device = optarg;
			break;
		case OPTION_PAPER:
			arguments->request.paper = true;
			break;
		case OPTION_SET:
			if (arguments->request.setting_count == MAX_SETTINGS)
				return usage("too many --set");
			arguments->request.settings[arguments->request.setting_count++] = optarg;
			break;
		case OPTION_ISQ_FROM:
			if (isq->from_count == Q_MAX_ISQ_FROM)
				return usage("too many --isq-from");
			isq->from[isq->from_count++] = optarg;
			break;
		case OPTION_ISQ_TTL_MIN:
			isq->ttl_min = optarg;
			break;
		case OPTION_ISQ_IDENTIFICATION:
			isq->identification = optarg;
			break;
		case OPTION_JSON:
			arguments->json = true;
			break;
		case OPTION_VERBOSE:
			arguments->verbose = true;
			break;
		case OPTION_HELP:
			arguments->help = true;
			break;
		default:
			/* getopt has printed what is wrong. */
			return EXIT_USAGE;
		}
	}
	return 0;
}

static int run(const char *command, const struct arguments *arguments)
{
	const struct enable_request *request = &arguments->request;
	bool enable = !strcmp(command, "enable");
	int result;

	if (!enable && (request->algo || request->paper || request->setting_count || isq_request_any(&request->isq)))
		return usage("--algo, --paper, --set and --isq-... belong to enable");
	if (arguments->json && strcmp(command, "status"))
		return usage("--json belongs to status");
	if (enable) {
		if (!request->algo || !request->device)
			return usage("enable needs --algo and --dev");
		result = command_enable(request);
	} else if (!strcmp(command, "disable")) {
		if (!request->device)
			return usage("disable needs --dev");
		result = command_disable(request->device);
	} else if (!strcmp(command, "status")) {
		result = command_status(arguments->json);
	} else if (!strcmp(command, "purge")) {
		result = command_purge();
	} else {
		return usage("no such command");
	}
	return result ? EXIT_FAILED : 0;
}

/* A full disk behind stdout shows when the buffer is written, at the latest now. */
static int written(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		fail("stdout: %s", strerror(errno));
		return status ? status : EXIT_FAILED;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {0};
	int error = parse(argc, argv, &arguments);

	if (error)
		return error;
	if (arguments.help) {
		fputs(usage_text, stdout);
		return written(0);
	}
	if (optind != argc - 1)
		return usage(optind == argc ? "say what to do" : "one command at a time");
	report_libbpf(arguments.verbose);
	return written(run(argv[optind], &arguments));
}
