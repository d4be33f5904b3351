/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A judgement: a task, its kernels, and what became of each. */

#ifndef OPEVO_JUDGE_INTERNAL_H
#define OPEVO_JUDGE_INTERNAL_H

#include <opevo/judge.h>
#include <opevo/kernel.h>
#include <opevo/kernel_harness.h>

#include "scratch_folder_internal.h"

typedef struct opevo_i_cli_judge_request {
    const char *task;           /* a harness whose reference is a computation */
    const char *on;             /* the device */
    const char *const *kernels; /* paths of sources */
    size_t kernel_count;
    const char *const *baselines; /* beside those of the task */
    size_t baseline_count;
    unsigned threads;
    uint64_t seed;          /* of the proofs and of the order of rounds; contents are never told */
    uint64_t rounds, calls; /* 0: as the task says, or the defaults */
    double timeout_s;       /* likewise */
} opevo_i_cli_judge_request;

enum { OPEVO_I_JUDGE_ROUNDS = 30, OPEVO_I_JUDGE_CALLS = 3, OPEVO_I_JUDGE_MOST = 100 };

/* One row each: enum suffix, name as printed.
 *   proved   for all inputs it is the definition's function; and measured
 *   tested   no proof decides it; all that it computed for contents it had not seen was right
 *   refused  as `why` says */
#define OPEVO_I_JUDGED_LIST(X)                                                                     \
    X(PROVED, "proved")                                                                            \
    X(TESTED, "tested")                                                                            \
    X(REFUSED, "refused")

typedef enum opevo_i_cli_judged {
#define OPEVO_I_JUDGED_ENUM(suffix, text) OPEVO_I_JUDGED_##suffix,
    OPEVO_I_JUDGED_LIST(OPEVO_I_JUDGED_ENUM)
#undef OPEVO_I_JUDGED_ENUM
} opevo_i_cli_judged;

typedef struct opevo_i_cli_contender {
    char *path;
    bool baseline;
    opevo_text text_path; /* of its text behind the preprocessor, which is proved and measured */
    opevo_text proof;     /* answer in lines of JSON; "": none */
    opevo_i_cli_judged verdict;
    opevo_text why;    /* of what is refused or tested */
    const char *class; /* of what is refused: "refuted", "impossible", or that of its outcome */
    double operations; /* of one execution, by its proof; 0: not known */
    opevo_objective *objective;
} opevo_i_cli_contender;

typedef struct opevo_i_cli_judgement {
    const opevo_i_cli_judge_request *request;
    uint64_t rounds, calls;
    double timeout_s;
    opevo_harness *harness;
    opevo_text case_label; /* of what is timed, without its seed */
    double output_bytes;   /* of that */
    opevo_kernel_dialect dialect;
    char folder[OPEVO_I_SCRATCH_PATH]; /* "": none */
    bool named_compiler;               /* OPEVO_CC is set for as long as this lasts */
    opevo_i_cli_contender *contenders;
    size_t count;
    double floors_s[OPEVO_I_JUDGE_MOST];
    double peak; /* operations a second of the device; 0: not known */
    opevo_text device;
    opevo_judge_verdict times;
} opevo_i_cli_judgement;

/* Text, proof and objective of each. Errors: those of the host. */
opevo_status opevo_i_cli_judge_prepare(opevo_i_cli_judgement *self, opevo_error *err);
/* What they come to, with a line for each and one for all. */
void opevo_i_cli_judge_print(opevo_i_cli_judgement *self, opevo_text *out, int *exit_code);

/* All of it: one JSON object a line. *exit_code: 0 all are proved, 1 one is refused, 3 neither.
 * Errors: INVALID for what does not fit together; IO without LLVM; those of measuring. */
opevo_status opevo_i_cli_judge(const opevo_i_cli_judge_request *request, opevo_text *out,
                               int *exit_code, opevo_error *err);

#endif
