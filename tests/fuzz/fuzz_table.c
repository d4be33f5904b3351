/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A described table: the description, a line "----", the table. What is accepted is recorded anew,
 * and what is read back then has the same outcomes. */

#include "fuzz.h"

#include "record_internal.h"

#include <opevo/landscape.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POINTS_MAX = 1000 };

static bool is_near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fabs(a);
}

/* Whether a recording of its outcomes can be made: it consists of times. */
static bool has_times(const opevo_objective *objective)
{
    return opevo_space_size(objective->space) <= POINTS_MAX &&
           strcmp(objective->unit, "score") != 0 &&
           (strcmp(objective->unit, "GFLOP/s") != 0 || objective->flop > 0);
}

static opevo_outcome outcome_of(opevo_objective *objective, opevo_index point)
{
    opevo_outcome outcome;
    opevo_error err = {OPEVO_OK, ""};

    FUZZ_CHECK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err) == OPEVO_OK);
    return outcome;
}

/* False for a space that could not be read back. */
static bool record(opevo_objective *objective)
{
    opevo_error err = {OPEVO_OK, ""};
    const opevo_i_cli_record_share whole = {.shard = {0, 1}};
    opevo_i_cli_record copy;
    char name[128];

    unlink(fuzz_path("copy.json"));
    strcpy(name, fuzz_path("copy.csv"));
    unlink(name);
    name[strlen(name) - strlen(".csv")] = '\0';
    if (!fuzz_accepts(opevo_i_cli_record_open(name, objective, &whole, &copy, &err), &err))
        return false;
    for (opevo_index point = 0; point < opevo_space_size(objective->space); point++) {
        opevo_outcome outcome = outcome_of(objective, point);

        if (outcome.kind != OPEVO_OUTCOME_UNRECORDED)
            FUZZ_CHECK(opevo_i_cli_record_add(&copy, &point, &outcome, 1, &err) == OPEVO_OK);
    }
    FUZZ_CHECK(opevo_i_cli_record_describe(&copy, true, &err) == OPEVO_OK);
    opevo_i_cli_record_close(&copy);
    return true;
}

static void check_again(opevo_objective *objective)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_objective *again = NULL;

    if (!record(objective))
        return;
    if (opevo_recorded_open(fuzz_path("copy.csv"), NULL, &again, &err) != OPEVO_OK)
        fuzz_fail(err.message);
    FUZZ_CHECK(opevo_space_signature(again->space) == opevo_space_signature(objective->space));
    for (opevo_index point = 0; point < opevo_space_size(objective->space); point++) {
        opevo_outcome a = outcome_of(objective, point);
        opevo_outcome b = outcome_of(again, point);

        FUZZ_CHECK(a.kind == b.kind && is_near(a.fitness, b.fitness) &&
                   is_near(a.time_s, b.time_s));
    }
    opevo_objective_destroy(again);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    static const char mark[] = "----\n";
    const uint8_t *middle = memmem(data, size, mark, sizeof mark - 1);
    opevo_error err = {OPEVO_OK, ""};
    opevo_objective *objective = NULL;
    const uint8_t *table = NULL;

    if (!middle)
        return;
    table = middle + sizeof mark - 1;
    fuzz_file("table.json", data, (size_t)(middle - data));
    fuzz_file("table.csv", table, (size_t)(data + size - table));
    if (!fuzz_accepts(opevo_recorded_open(fuzz_path("table.csv"), NULL, &objective, &err), &err))
        return;
    if (has_times(objective))
        check_again(objective);
    opevo_objective_destroy(objective);
}
