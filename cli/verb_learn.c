/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Learn: train a cost model on the loop trees of runs and recordings, and store it. */

#include "earlier_of_call_internal.h"
#include "options_internal.h"
#include "terminal_internal.h"

#include <opevo/json.h>
#include <opevo/learn.h>

#include <string.h>

static const opevo_option options[] = {
    {"out", "FILE", "where to write the model; tune reads it with --learn FILE", false},
    {"model", "NAME", "treegru-context (default) or treegru", false},
    {"loss", "NAME", "rank (default), as autotvm, or reg, as ansor and autotvm with loss=reg",
     false},
    {"hidden", "N", "numbers of a state (default 128)", false},
    {"passes", "N", "over all loop trees (default 20)", false},
    {"seed", "N", "of the first weights and of the order (default 1)", false},
    {"json", NULL, "print one JSON object", false},
};

static opevo_status read_plan(const opevo_call *call, opevo_learn_plan *out, opevo_error *err)
{
    const char *kind = opevo_i_cli_option(call, "model"), *loss = opevo_i_cli_option(call, "loss");
    uint64_t hidden = 0, passes = 0;
    opevo_status status = OPEVO_OK;

    out->kind = kind ? kind : "treegru-context";
    out->loss = loss ? loss : "rank";
    OPEVO_TRY(
        opevo_i_cli_option_count(call, "hidden", 128, 1, OPEVO_COST_MODEL_HIDDEN, &hidden, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "passes", 20, 1, 10000, &passes, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 1, 0, UINT64_MAX, &out->seed, err));
    out->hidden = (size_t)hidden;
    out->passes = (size_t)passes;
cleanup:
    return status;
}

static opevo_status read_trees(const opevo_call *call, opevo_earlier *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < call->argument_count && status == OPEVO_OK; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(call->arguments[i], call->arguments[k]))
                return OPEVO_FAIL(err, OPEVO_INVALID,
                                  "%.200s is given twice: its trials would count twice.",
                                  call->arguments[i]);
        }
        status = opevo_i_cli_earlier_add_trees(out, call->arguments[i], err);
    }
    return status;
}

static void print(const opevo_call *call, const opevo_cost_model *model, const char *target,
                  opevo_text *out)
{
    if (!opevo_i_cli_flag(call, "json")) {
        opevo_text_printf(out, "%s learned from %llu loop trees, %zu weights; written to %s\n",
                          model->kind, (unsigned long long)model->trees, model->weight_count,
                          target);
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_string(out, "model", model->kind);
    opevo_json_string(out, "loss", model->loss);
    opevo_json_index(out, "hidden", model->hidden);
    opevo_json_index(out, "trees", model->trees);
    opevo_json_index(out, "weights", model->weight_count);
    opevo_json_string(out, "file", target);
    opevo_text_add(out, "}\n");
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *target = opevo_i_cli_option(call, "out");
    opevo_cost_model *model = NULL;
    opevo_earlier earlier = {.trials = NULL};
    opevo_status status = OPEVO_OK;
    opevo_learn_plan plan = {0};

    (void)exit_code;
    if (!target)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Name the file to write with --out.");
    OPEVO_TRY(read_plan(call, &plan, err));
    OPEVO_TRY(read_trees(call, &earlier, err));
    OPEVO_TRY(opevo_cost_model_learn(&plan, earlier.trees, earlier.tree_count, &model, err));
    OPEVO_TRY(opevo_cost_model_write(model, target, err));
    print(call, model, target, out);
cleanup:
    opevo_cost_model_destroy(model);
    opevo_earlier_free(&earlier);
    return status;
}

const opevo_verb opevo_i_cli_verb_learn = {
    .name = "learn",
    .arguments = "STORE:RUN|recorded:FILE...",
    .arguments_min = 1,
    .arguments_max = SIZE_MAX,
    .summary = "Train a cost model on the loop trees of runs and recordings, and store it.",
    .details = "Labels are fitness over the best fitness of the run or recording, so that several\n"
               "operators and devices can be learned from together. The same call writes the\n"
               "same file on one machine.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
