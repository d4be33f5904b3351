/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files of simulated devices: what is accepted gives outcomes that readers can rely on. */

#include "fuzz.h"

#include <opevo/landscape.h>

#include <math.h>

void fuzz_one(const uint8_t *data, size_t size)
{
    static const char *const operators[] = {"matmul(64,32,16)", "conv2d(2,16,9,9,8,3,3,2,1)"};
    const char *path = fuzz_file("device.json", data, size);

    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        opevo_error err = {OPEVO_OK, ""};
        opevo_operator op = {0};
        opevo_objective *objective = NULL;
        opevo_index count = 0;

        FUZZ_CHECK(opevo_operator_parse(operators[i], &op, &err) == OPEVO_OK);
        if (!fuzz_accepts(opevo_simulated_open(&op, path, &objective, &err), &err))
            continue;
        count = opevo_space_size(objective->space);
        for (opevo_index point = 0; point < count; point += count / 37 + 1) {
            opevo_outcome outcome;

            FUZZ_CHECK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err) == OPEVO_OK);
            FUZZ_CHECK((outcome.kind == OPEVO_OUTCOME_OK) == (outcome.fitness > 0));
            FUZZ_CHECK(isfinite(outcome.fitness));
        }
        opevo_objective_destroy(objective);
    }
}
