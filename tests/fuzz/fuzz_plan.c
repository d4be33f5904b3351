/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Plans of studies. */

#include "fuzz.h"

#include <opevo/study.h>

void fuzz_one(const uint8_t *data, size_t size)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_plan *plan = NULL;
    const char *path = fuzz_file("plan.json", data, size);

    if (!fuzz_accepts(opevo_plan_load(path, &plan, &err), &err))
        return;
    for (size_t i = 0; i < opevo_plan_objective_count(plan); i++)
        FUZZ_CHECK(opevo_plan_objective_get(plan, i).where != NULL);
    opevo_plan_destroy(plan);
}
