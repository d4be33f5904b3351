/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tune a loop of one's own: the tuner proposes tile and unroll, the program says how long that took. */

#include <opevo/opevo.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char space_json[] =
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
    return 1 + fabs((double)tile[0].as.integer - 16) / 4 + 8 / opevo_value_number(unroll);
}

int main(void)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_space *space = NULL;
    opevo_tuner *tuner = NULL;
    const opevo_tuner_ops *ops = NULL;
    opevo_setting_value *settings = NULL;
    opevo_trial trial = {.number = 0};
    opevo_text text = {0};
    size_t count = 1;

    if (opevo_space_parse(space_json, "space", NULL, &space, &err) != OPEVO_OK ||
        opevo_tuner_find("opevo", &ops, &err) != OPEVO_OK)
        goto cleanup;
    settings = calloc(ops->setting_count, sizeof *settings);
    opevo_settings_default(ops, settings);
    if (opevo_tuner_create(ops, space, settings, 1, &tuner, &err) != OPEVO_OK)
        goto cleanup;
    while (trial.number < 30) {
        if (opevo_tuner_ask(tuner, &trial.proposal, 1, &count, &err) != OPEVO_OK || count == 0)
            goto cleanup;
        double time_ms = run(space, trial.proposal.point);

        trial.number++;
        trial.outcome = opevo_outcome_failed(OPEVO_OUTCOME_OK);
        trial.outcome.time_s = time_ms / 1000;
        trial.outcome.fitness = opevo_unit_fitness("ms", time_ms);
        if (opevo_tuner_tell(tuner, &trial, 1, &err) != OPEVO_OK)
            goto cleanup;
        opevo_text_clear(&text);
        opevo_space_print(space, trial.proposal.point, &text);
        printf("%d %s %g ms\n", (int)trial.number, opevo_text_string(&text), time_ms);
    }
cleanup:
    if (err.status != OPEVO_OK)
        fprintf(stderr, "ask_tell: %s\n", err.message);
    opevo_text_free(&text);
    opevo_tuner_destroy(tuner);
    free(settings);
    opevo_space_destroy(space);
    return err.status == OPEVO_OK ? 0 : 1;
}
