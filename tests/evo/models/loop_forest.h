/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random loop trees, as rows. */

#ifndef OPEVO_TESTS_LOOP_FOREST_H
#define OPEVO_TESTS_LOOP_FOREST_H

#include "check.h"

#include <opevo/loop_tree.h>
#include <opevo/memory.h>
#include <opevo/random.h>

typedef struct loop_forest {
    size_t count, row_count;
    float *rows;
    size_t *rows_of;
} loop_forest;

/* `count` trees of 1 to `most` loops; every loop in any one before it, or a root. */
static inline loop_forest loop_forest_make(opevo_rng *rng, size_t count, size_t most)
{
    loop_forest self = {.count = count,
                        .rows = opevo_calloc(count * most, OPEVO_LOOP_COLUMNS * sizeof(float)),
                        .rows_of = opevo_calloc(count, sizeof(size_t))};

    for (size_t t = 0; t < count; t++) {
        self.rows_of[t] = 1 + (size_t)opevo_rng_below(rng, most);
        for (size_t i = 0; i < self.rows_of[t]; i++) {
            float *row = self.rows + self.row_count++ * OPEVO_LOOP_COLUMNS;

            for (size_t k = OPEVO_LOOP_EXTENT; k < OPEVO_LOOP_COLUMNS; k++)
                row[k] = (float)(10 * opevo_rng_unit(rng));
            row[OPEVO_LOOP_PARENT] = (float)opevo_rng_below(rng, i + 1);
            row[OPEVO_LOOP_NAME] = (float)opevo_rng_below(rng, 7);
            row[OPEVO_LOOP_KIND] = (float)opevo_rng_below(rng, OPEVO_LOOP_KIND_COUNT);
        }
    }
    return self;
}

static inline void loop_forest_free(loop_forest *self)
{
    opevo_free(self->rows);
    opevo_free(self->rows_of);
}

#endif
