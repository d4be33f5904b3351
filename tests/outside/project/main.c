/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A program of someone else: random search on the recorded landscape that the library brings. */

#include <opevo/landscape.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include <stdio.h>

static int failed(opevo_objective *objective, const opevo_error *err)
{
    fprintf(stderr, "outside: %s\n", err->message);
    if (objective)
        opevo_objective_destroy(objective);
    return 1;
}

int main(void)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_objective *objective = NULL;
    opevo_run_options options = {.seed = 1, .budget = {.trials = 20}};
    opevo_run_result result;

    if (opevo_recorded_open("", NULL, &objective, &err) != OPEVO_OK ||
        opevo_tuner_find("random", &options.tuner, &err) != OPEVO_OK ||
        opevo_run(objective, &options, &result, &err) != OPEVO_OK)
        return failed(objective, &err);
    printf("best of %d trials: %g %s\n", (int)result.trials, result.best.outcome.fitness,
           objective->unit);
    opevo_objective_destroy(objective);
    return result.trials == 20 && result.best.number > 0 ? 0 : 1;
}
