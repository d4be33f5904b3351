/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernel Tuner's cache files. */

#include "fuzz.h"

#include <opevo/landscape.h>

#include <math.h>

void fuzz_one(const uint8_t *data, size_t size)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_objective *objective = NULL;
    opevo_optimum optimum;
    const char *path = fuzz_file("cache.json", data, size);

    if (!fuzz_accepts(opevo_recorded_open(path, NULL, &objective, &err), &err))
        return;
    FUZZ_CHECK(opevo_objective_optimum(objective, &optimum, &err) == OPEVO_OK);
    FUZZ_CHECK(!optimum.known || (optimum.fitness > 0 && isfinite(optimum.fitness)));
    opevo_objective_destroy(objective);
}
