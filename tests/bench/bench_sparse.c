/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Time of a trial and memory of each tuner where 10^5 listed points are allowed out of 10^12. */

#include "bench.h"

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/tuners.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { ROWS = 100000, PARAMETERS = 12, AT_ONCE = 8 };

static opevo_space *make_space(bool listed)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_text text = {0};
    opevo_space *space = NULL;
    opevo_index *points = malloc(ROWS * sizeof *points);
    opevo_rng rng;

    for (int i = 0; i < PARAMETERS; i++)
        opevo_text_printf(
            &text, "%s\"p%d\": {\"_type\": \"discrete\", \"_value\": [1,2,3,4,5,6,7,8,9,10]}",
            i ? ", " : "{", i);
    opevo_text_add(&text, "}");
    opevo_rng_init(&rng, 1, "rows", 0);
    for (size_t i = 0; i < ROWS; i++)
        points[i] = opevo_rng_below_wide(&rng, 1000000000000);
    if (opevo_space_parse(text.data, "bench", NULL, &space, &err) != OPEVO_OK ||
        (listed && opevo_space_restrict(space, points, ROWS, &err) != OPEVO_OK)) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    opevo_text_free(&text);
    free(points);
    return space;
}

/* The sum of the vertices, which any neighbour changes a little. */
static double fitness_of(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[PARAMETERS];
    double sum = 1;

    opevo_space_decode(space, point, vertices);
    for (int i = 0; i < PARAMETERS; i++)
        sum += (double)vertices[i];
    return sum;
}

static size_t run(const opevo_tuner_ops *ops, const opevo_space *space, size_t trials_wanted)
{
    opevo_setting_value values[32];
    opevo_tuner *tuner = NULL;
    size_t made = 0, count = 1;

    opevo_settings_default(ops, values);
    if (opevo_tuner_create(ops, space, values, 1, &tuner, NULL) != OPEVO_OK)
        return 0;
    while (made < trials_wanted && count > 0) {
        opevo_proposal proposals[AT_ONCE];
        opevo_trial trials[AT_ONCE];

        if (opevo_tuner_ask(tuner, proposals, AT_ONCE, &count, NULL) != OPEVO_OK)
            break;
        for (size_t i = 0; i < count; i++) {
            double fitness = fitness_of(space, proposals[i].point);

            trials[i] = (opevo_trial){.number = made + i + 1, .proposal = proposals[i]};
            trials[i].outcome = (opevo_outcome){
                .kind = OPEVO_OUTCOME_OK, .fitness = fitness, .time_s = 1 / fitness};
        }
        opevo_tuner_tell(tuner, trials, count, NULL);
        made += count;
    }
    opevo_tuner_destroy(tuner);
    return made;
}

static double ms_of_trial(const opevo_tuner_ops *ops, const opevo_space *space, size_t trials)
{
    double start = opevo_clock_process_s();
    size_t made = run(ops, space, trials);

    return made < trials ? INFINITY : 1e3 * (opevo_clock_process_s() - start) / (double)made;
}

/* Tuners that train a model take most of their time for it, on any space. */
static bool has_model(const char *name)
{
    static const char *const names[] = {"ansor", "ansor-knobs", "autotvm", "qgp"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    bench self = {0};
    opevo_space *sparse = make_space(true), *whole = make_space(false);
    struct rusage before, after;

    bench_title("trials on 100,000 listed points of 10^12 (with a model: beyond the whole space)");
    getrusage(RUSAGE_SELF, &before);
    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);
        size_t trials = strcmp(ops->name, "qgp") == 0 ? 60 : 1000;
        double ms = 0;

        if (argc > 1 && strcmp(argv[1], ops->name) != 0)
            continue;
        ms = ms_of_trial(ops, sparse, trials);
        if (has_model(ops->name)) {
            bench_note(ops->name, ms, "ms");
            ms -= ms_of_trial(ops, whole, trials);
        }
        bench_at_most(&self, ops->name, ms, strcmp(ops->name, "qgp") == 0 ? 5 : 1, "ms");
    }
    getrusage(RUSAGE_SELF, &after);
    bench_at_most(&self, "memory more than the rows and the largest model",
                  (double)(after.ru_maxrss - before.ru_maxrss) / 1024, 100, "MB");
    opevo_space_destroy(sparse);
    opevo_space_destroy(whole);
    return self.missed > 0;
}
