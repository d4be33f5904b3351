/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An objective of one's own, which opevo calls itself. */

#include <opevo/opevo.h>

#include <stdio.h>
#include <stdlib.h>

static const char space_text[] =
    "{\"TILE\": {\"_type\": \"factor\", \"_value\": [256, 2]},"
    " \"UNROLL\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8]}}";

/* The outcomes of `count` points. Several threads may call it, as `concurrent` says below. */
static opevo_status evaluate(opevo_objective *self, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    (void)err; /* for what fails on the host; a failure of the loop is an outcome */
    for (size_t i = 0; i < count; i++) {
        opevo_index vertices[2];
        opevo_value tile[2], unroll;

        opevo_space_decode(self->space, points[i], vertices);
        opevo_parameter_value(opevo_space_parameter(self->space, 0), vertices[0], tile);
        opevo_parameter_value(opevo_space_parameter(self->space, 1), vertices[1], &unroll);
        outcomes[i] = opevo_outcome_of_time(
            (1 + (double)llabs(tile[0].as.integer - 16) / 4 + 8 / opevo_value_number(unroll)) /
            1000);
    }
    return OPEVO_OK;
}

static const opevo_objective_ops loop_ops = {.kind = "loop", .evaluate = evaluate};

/* Called after each trial. */
static void show(void *context, const opevo_trial *trial, bool resumed)
{
    const opevo_objective *loop = context;
    opevo_text text = {0};

    (void)resumed;
    opevo_space_print(loop->space, trial->proposal.point, &text);
    printf("%d %s %g ms\n", (int)trial->number, opevo_text_string(&text),
           opevo_unit_result(loop->unit, trial->outcome.fitness));
    opevo_text_free(&text);
}

int main(void)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_space *space = NULL;
    opevo_objective loop = {.ops = &loop_ops, .name = "my loop", .unit = "ms", .concurrent = true};
    opevo_run_options options = {
        .seed = 1, .budget = {.trials = 30}, .observer = show, .observer_context = &loop};
    opevo_run_result result;

    if (opevo_space_parse(space_text, "my space", NULL, &space, &err) == OPEVO_OK &&
        opevo_tuner_find("opevo", &options.tuner, &err) == OPEVO_OK) {
        loop.space = space;
        loop.signature = opevo_space_signature(space);
        opevo_run(&loop, &options, &result, &err);
    }
    if (err.status != OPEVO_OK)
        fprintf(stderr, "own_objective: %s\n", err.message);
    opevo_space_destroy(space);
    return err.status == OPEVO_OK ? 0 : 1;
}
