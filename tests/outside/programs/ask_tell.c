/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tune a loop of one's own: opevo proposes tile and unroll factor,
 * the program says how long it took. */

#include <opevo/opevo.h>

#include <stdio.h>
#include <stdlib.h>

static const char space_text[] =
    "{\"TILE\": {\"_type\": \"factor\", \"_value\": [256, 2]},"
    " \"UNROLL\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8]}}";

/* Milliseconds of a configuration: here a formula, otherwise a measurement. */
static double run(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[2];
    opevo_value tile[2], unroll;

    opevo_space_decode(space, point, vertices);
    opevo_parameter_value(opevo_space_parameter(space, 0), vertices[0], tile);
    opevo_parameter_value(opevo_space_parameter(space, 1), vertices[1], &unroll);
    return 1 + (double)llabs(tile[0].as.integer - 16) / 4 + 8 / opevo_value_number(unroll);
}

int main(void)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_external_options loop = {.name = "my loop", .unit = "ms"};
    opevo_run_options options = {.seed = 1, .budget = {.trials = 30}};
    opevo_objective *objective = NULL;
    opevo_session *session = NULL;
    opevo_text text = {0};
    opevo_trial trial;
    size_t count = 0;

    if (opevo_space_parse(space_text, "my space", NULL, &loop.space, &err) != OPEVO_OK ||
        opevo_external_create(&loop, &objective, &err) != OPEVO_OK ||
        opevo_tuner_find("opevo", &options.tuner, &err) != OPEVO_OK ||
        opevo_session_create(objective, &options, &session, &err) != OPEVO_OK)
        goto cleanup;
    while (opevo_session_ask(session, &trial, 1, &count, &err) == OPEVO_OK && count == 1) {
        double time_ms = run(objective->space, trial.proposal.point);

        trial.outcome = opevo_outcome_of_time(time_ms / 1000);
        if (opevo_session_tell(session, &trial, 1, &err) != OPEVO_OK)
            goto cleanup;
        opevo_text_clear(&text);
        opevo_space_print(objective->space, trial.proposal.point, &text);
        printf("%d %s %g ms\n", (int)trial.number, opevo_text_string(&text), time_ms);
    }
cleanup:
    if (err.status != OPEVO_OK)
        fprintf(stderr, "ask_tell: %s\n", err.message);
    opevo_text_free(&text);
    opevo_session_end(session, NULL, NULL);
    if (objective)
        opevo_objective_destroy(objective); /* with its space */
    else
        opevo_space_destroy(loop.space);
    return err.status == OPEVO_OK ? 0 : 1;
}
