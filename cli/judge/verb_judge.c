/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels that others wrote, before a judge. */

#include "judge_internal.h"

#include <opevo/memory.h>

#include "live_options_internal.h"
#include "options_internal.h"
#include "terminal_internal.h"

static const opevo_option options[] = {
    {"on", "DEVICE", "the device: cpu (default), cuda:N, hip:N or opencl:N", false},
    {"baseline", "KERNEL", "what they are compared with, beside the task's (may be repeated)",
     true},
    {"rounds", "N", "of side-by-side measurement (default: the task's, or 30)", false},
    {"calls", "N",
     "timed calls in a round, each on contents of its own (default: the task's, or 3)", false},
    {"timeout", "S", "time limit of a call (default: the task's, or 5 s)", false},
    OPEVO_I_KERNEL_THREADS_OPTION,
    {"seed", "N", "of the proofs and of the order in rounds (default 0)", false},
};

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *on = opevo_i_cli_option(call, "on");
    const char **baselines = NULL;
    opevo_i_cli_judge_request request = {.task = call->arguments[0],
                                         .on = on ? on : "cpu",
                                         .kernels = call->arguments + 1,
                                         .kernel_count = call->argument_count - 1};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(
        opevo_i_cli_option_count(call, "rounds", 0, 1, OPEVO_HARNESS_ROUNDS, &request.rounds, err));
    OPEVO_TRY(
        opevo_i_cli_option_count(call, "calls", 0, 1, OPEVO_HARNESS_CALLS, &request.calls, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 0, 0, INT64_MAX / 4, &request.seed, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "timeout", &request.timeout_s, err));
    OPEVO_TRY(opevo_i_cli_kernel_threads(call, 1, &request.threads, err));
    OPEVO_TRY(opevo_i_cli_option_all(call, "baseline", &baselines, &request.baseline_count, err));
    request.baselines = baselines;
    opevo_i_cli_catch_interrupts();
    status = opevo_i_cli_judge(&request, out, exit_code, err);
cleanup:
    opevo_free(baselines);
    return status;
}

const opevo_verb opevo_i_cli_verb_judge = {
    .name = "judge",
    .arguments = "TASK KERNEL...",
    .arguments_min = 2,
    .arguments_max = OPEVO_I_JUDGE_MOST + 1,
    .summary = "Prove and time kernels that others wrote, against baselines.",
    .details =
        "TASK is a harness (docs/formats/harness.md) whose reference is a computation; its member\n"
        "\"judge\" may have baselines and limits. Each KERNEL is a source NAME.c, .cu or .cl, "
        "which\n"
        "is proved where a proof decides it, then timed side by side with the others. Each timed\n"
        "call gets contents that the kernel cannot have seen, and all results are checked. One "
        "JSON\n"
        "object a line is printed, the last one about all. Exit status: 0 all are proved, 1 one "
        "is\n"
        "refused, 3 none is refused and one is only tested. What kernels try, and what is caught:\n"
        "docs/judge.md.\n\n"
        "  opevo judge matmul.json mine.c theirs.c --baseline plain.c",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints_data = true,
    .run = run,
};
