/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "algos.h"
#include "commands.h"
#include "report.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2

/* The names of the algorithms stand in for %s. */
static const char usage_format[] =
	"usage: quench-host enable --algo %s --dev IFACE [--paper] [--set PARAM=VALUE]...\n"
	"                          [--isq-from PREFIX]... [--isq-ttl-min N] [--isq-identification check|ignore]\n"
	"                          [--csig compact|wide]\n"
	"       quench-host disable --dev IFACE\n"
	"       quench-host status [--json]\n"
	"       quench-host purge\n"
	"\n"
	"Makes Linux TCP in the current network namespace react to ECN and ICMP source quench (ISQ).\n"
	"\n"
	"enable   choose the algorithm for new connections and receive ISQs on IFACE\n"
	"disable  undo enable for IFACE; with the last IFACE the namespace is as it was before\n"
	"status   show the algorithm, parameters and counters of the namespace\n"
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
	"  --csig compact|wide\n"
	"                     put tags of congestion signalling into packets, and return those that arrive\n"
	"  --json             print JSON, for programs\n"
	"  --verbose          also print messages of libbpf and of the kernel's verifier\n";

enum option_key {
	OPTION_ALGO = 256,
	OPTION_DEV,
	OPTION_PAPER,
	OPTION_SET,
	OPTION_ISQ_FROM,
	OPTION_ISQ_TTL_MIN,
	OPTION_ISQ_IDENTIFICATION,
	OPTION_CSIG,
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
	{"csig", required_argument, NULL, OPTION_CSIG},
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

static void print_usage(void)
{
	char names[ALGO_NAMES_BYTES];

	algo_names(names, sizeof(names), "|");
	printf(usage_format, names);
}

/* Report a wrong command line. Returns the exit status. */
static int usage(const char *problem)
{
	fail("%s; see quench-host --help", problem);
	return EXIT_USAGE;
}

/* Read the options. Returns 0, or the exit status of a wrong command line. */
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
		case OPTION_CSIG:
			arguments->request.csig = optarg;
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
			/* getopt_long() has printed a message. */
			return EXIT_USAGE;
		}
	}
	return 0;
}

static int run_enable(const struct arguments *arguments)
{
	return command_enable(&arguments->request);
}

static int run_disable(const struct arguments *arguments)
{
	return command_disable(arguments->request.device);
}

static int run_status(const struct arguments *arguments)
{
	return command_status(arguments->json);
}

static int run_purge(const struct arguments *arguments)
{
	(void)arguments;
	return command_purge();
}

static const struct command {
	const char *name;
	int (*run)(const struct arguments *arguments);
	bool needs_algo;
	bool needs_device;
	/* The message if one of them is missing. */
	const char *needs;
} commands[] = {
	{"enable", run_enable, true, true, "enable needs --algo and --dev"},
	{"disable", run_disable, false, true, "disable needs --dev"},
	{"status", run_status, false, false, NULL},
	{"purge", run_purge, false, false, NULL},
};

/* Returns the exit status. */
static int run(const char *name, const struct arguments *arguments)
{
	const struct enable_request *request = &arguments->request;
	const struct command *command = NULL;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(name, commands[i].name))
			command = &commands[i];
	if ((!command || command->run != run_enable) && (request->algo || request->paper || request->setting_count ||
							 isq_request_any(&request->isq) || request->csig))
		return usage("--algo, --paper, --set, --isq-... and --csig belong to enable");
	if ((!command || command->run != run_status) && arguments->json)
		return usage("--json belongs to status");
	if (!command)
		return usage("no such command");
	if ((command->needs_algo && !request->algo) || (command->needs_device && !request->device))
		return usage(command->needs);
	return command->run(arguments) ? EXIT_FAILED : 0;
}

/* Flush stdout. Returns `status`, or a failure if stdout could not be written, for instance to a full disk. */
static int flush_stdout(int status)
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
		print_usage();
		return flush_stdout(0);
	}
	if (optind != argc - 1)
		return usage(optind == argc ? "a command is missing" : "one command at a time");
	report_libbpf(arguments.verbose);
	return flush_stdout(run(argv[optind], &arguments));
}
