/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Draws from the walk and from alias tables, in units of one raw 64-bit number of the same stream,
 * measured in turn in the same run. */

#include "bench.h"

#include <opevo/sampler.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 15, DRAWS = 2000000 };

typedef enum subject { RAW, WALK, ALIAS, WALK_BY_FORMULA, SUBJECTS } subject;

typedef struct sampler {
    opevo_walker *walker, *formula;
    opevo_alias *alias;
    opevo_index start, formula_start;
    opevo_rng rng;
    uint64_t sink; /* so that no draw is optimised away */
} sampler;

static void need(opevo_status status, const opevo_error *err)
{
    if (status != OPEVO_OK) {
        fprintf(stderr, "bench_sampler: %s\n", err->message);
        exit(1);
    }
}

/* Nanoseconds a draw. */
static double time_draws(sampler *self, subject what)
{
    int draws = what == WALK_BY_FORMULA ? DRAWS / 20 : DRAWS;
    opevo_rng rng = self->rng;
    uint64_t sink = 0;
    double start = opevo_clock_process_s();

    for (int i = 0; i < draws; i++) {
        switch (what) {
        case RAW:
            sink += opevo_rng_u64(&rng);
            break;
        case WALK:
            sink += (uint64_t)opevo_walker_draw(self->walker, self->start, &rng);
            break;
        case ALIAS:
            sink += opevo_alias_draw(self->alias, &rng);
            break;
        default:
            sink += (uint64_t)opevo_walker_draw(self->formula, self->formula_start, &rng);
        }
    }
    start = opevo_clock_process_s() - start;
    self->rng = rng;
    self->sink += sink;
    return start / draws * 1e9;
}

int main(void)
{
    bench self = {0};
    opevo_error err = {OPEVO_OK, ""};
    opevo_parameter *parameter = NULL, *large = NULL;
    opevo_law *law = NULL;
    sampler subjects = {.sink = 0};
    double best[SUBJECTS] = {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX};

    need(opevo_parameter_parse("x", "factor(1024,4)", NULL, &parameter, &err), &err);
    need(opevo_parameter_parse("x", "factor(1099511627776,6)", NULL, &large, &err), &err);
    need(opevo_parameter_read(parameter, "1024,1,1,1", &subjects.start, &err), &err);
    subjects.formula_start = opevo_parameter_size(large) / 2;
    need(opevo_law_create(parameter, 0.5, subjects.start, NULL, &law, &err), &err);
    need(opevo_walker_create(parameter, 0.5, &subjects.walker, &err), &err);
    need(opevo_walker_create(large, 0.5, &subjects.formula, &err), &err);
    need(opevo_alias_create_from_law(law, &subjects.alias, &err), &err);
    opevo_rng_init(&subjects.rng, 1, "bench", 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int what = RAW; what < SUBJECTS; what++)
            best[what] = fmin(best[what], time_draws(&subjects, (subject)what));
    }
    bench_title("Samplers, factor(1024,4) from (1024,1,1,1) at q = 0.5");
    bench_note("one raw 64-bit random number", best[RAW], "ns cpu");
    bench_note("one walk by tables", best[WALK], "ns cpu");
    bench_note("one alias draw", best[ALIAS], "ns cpu");
    bench_at_most(&self, "walk / raw", best[WALK] / best[RAW], 8, "times");
    bench_at_most(&self, "alias / raw", best[ALIAS] / best[RAW], 3, "times");
    bench_note("one walk by formula on factor(2^40,6)", best[WALK_BY_FORMULA], "ns cpu");
    printf("(sum of all draws: %llu)\n", (unsigned long long)subjects.sink);
    opevo_walker_destroy(subjects.walker);
    opevo_walker_destroy(subjects.formula);
    opevo_alias_destroy(subjects.alias);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
    opevo_parameter_destroy(large);
    return bench_end(&self);
}
