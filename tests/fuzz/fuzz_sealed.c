/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sealed landscapes: what opens has a sound log, which is then one entry longer. */

#include "fuzz.h"

#include <opevo/sealed.h>

#include <string.h>

void fuzz_one(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("fuzz.sealed", data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_sealed_log before, after;
    opevo_objective *objective = NULL;
    uint64_t look = 0;

    if (!fuzz_accepts(opevo_sealed_read_log(path, &before, &err), &err))
        return;
    FUZZ_CHECK(memchr(before.name, '\0', sizeof before.name));
    if (!fuzz_accepts(opevo_sealed_open(path, "[\"fuzz\"]", &look, &objective, &err), &err))
        return;
    FUZZ_CHECK(!before.altered && look == before.looks + 1);
    FUZZ_CHECK(opevo_sealed_read_log(path, &after, &err) == OPEVO_OK);
    FUZZ_CHECK(!after.altered && after.looks == look && strcmp(after.head, before.head) != 0);
    opevo_objective_destroy(objective);
}
