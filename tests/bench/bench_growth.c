/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a trial of each tuner costs, how it grows with the trials, and what diagrams of spaces cost:
 *
 *   - over 100, 1,000 and 10,000 trials on a space of eight lists, with the exponent of the growth
 *     of the time of all trials between the last two, 1 where a trial costs the same; a row ends
 *     after a few seconds, and is then the last;
 *   - on the tiles of a GEMM up to 1024, of which 1.8e-11 of the points are allowed, and on 200
 *     free parameters;
 *   - compiling that diagram, draws from it and children given that they are allowed;
 *   - on the recorded landscapes, if OPEVO_TEST_LANDSCAPES names their folder: a uniform draw from
 *     the diagram over one by rejection.
 *
 * With the name of a tuner as argument, only that one; with `growth`, only the first of all tuners;
 * with `diagrams`, only the last two. A second argument is how many seconds a row may take. */

#include "bench.h"

#include <opevo/child_given.h>
#include <opevo/hash.h>
#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/random_allowed.h>
#include <opevo/tuners.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 8, FREE = 200 };

static double seconds_most = 5; /* of one row */

static void check(opevo_status status, const opevo_error *err)
{
    if (status == OPEVO_OK)
        return;
    fprintf(stderr, "bench_growth: %s\n", err->message);
    exit(1);
}

static opevo_space *parse(opevo_text *text)
{
    opevo_space *space = NULL;
    opevo_error err;

    check(opevo_space_parse(text->data, "bench", NULL, &space, &err), &err);
    opevo_text_free(text);
    return space;
}

/* One more list of 1, 2, ..., or of powers of two. */
static void add_list(opevo_text *text, const char *name, unsigned count, bool powers)
{
    opevo_text_printf(text, "%s\"%s\": {\"_type\": \"discrete\", \"_value\": [",
                      text->length ? ", " : "{", name);
    for (unsigned v = 0; v < count; v++)
        opevo_text_printf(text, "%s%u", v ? ", " : "", powers ? 1u << v : v + 1);
    opevo_text_add(text, "]}");
}

static opevo_space *free_space(unsigned parameters, unsigned values)
{
    opevo_text text = {0};

    for (unsigned i = 0; i < parameters; i++) {
        char name[16];

        snprintf(name, sizeof name, "p%u", i);
        add_list(&text, name, values, false);
    }
    opevo_text_add(&text, "}");
    return parse(&text);
}

/* The tiles of a direct GEMM as CLBlast and ATF have them. */
static opevo_space *gemm_space(unsigned n)
{
    static const char *const tiles[] = {"WGD", "MDIMCD", "NDIMCD", "MDIMAD", "NDIMBD", "KWID"};
    opevo_text text = {0};

    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        add_list(&text, tiles[i], n, false);
    add_list(&text, "VWMD", 4, true);
    add_list(&text, "VWND", 4, true);
    add_list(&text, "PADA", 2, false);
    add_list(&text, "PADB", 2, false);
    opevo_text_add(&text,
                   ", \"_constraints\": [\"WGD % KWID == 0\", \"WGD % (MDIMCD*VWMD) == 0\","
                   " \"WGD % (NDIMCD*VWND) == 0\", \"WGD % (MDIMAD*VWMD) == 0\","
                   " \"WGD % (NDIMBD*VWND) == 0\","
                   " \"(MDIMCD*NDIMCD) % MDIMAD == 0 && WGD % ((MDIMCD*NDIMCD)/MDIMAD) == 0\","
                   " \"(MDIMCD*NDIMCD) % NDIMBD == 0 && WGD % ((MDIMCD*NDIMCD)/NDIMBD) == 0\"]}");
    return parse(&text);
}

/* ---- Tuners ---- */

/* A bowl with noise: what models learn, but not wholly. */
static opevo_outcome outcome_of(const opevo_space *space, opevo_index point, opevo_index *vertices)
{
    double noise = (double)(opevo_hash_mix((uint64_t)point) >> 11) * 0x1p-53, sum = 0;
    opevo_outcome outcome = {.kind = OPEVO_OUTCOME_OK};

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        double size = (double)opevo_parameter_size(opevo_space_parameter(space, i));
        double away = (double)vertices[i] / size - 0.6;

        sum += away * away;
    }
    outcome.fitness = 100 * exp(-sum) * (0.8 + 0.4 * noise);
    outcome.time_s = 1 / outcome.fitness;
    return outcome;
}

/* Processor seconds of `*trials` trials, without the objective, or of as many as take seconds_most;
 * INFINITY where the search ends or the tuner refuses the space. */
static double seconds_of(const opevo_tuner_ops *ops, const opevo_space *space, size_t *trials_made)
{
    size_t wanted = *trials_made;
    opevo_index *vertices = malloc(opevo_space_parameter_count(space) * sizeof *vertices);
    opevo_setting_value values[64];
    opevo_tuner *tuner = NULL;
    size_t made = 0, count = 1;
    double seconds = 0;

    opevo_settings_default(ops, values);
    if (opevo_tuner_create(ops, space, values, 1, &tuner, NULL) != OPEVO_OK)
        count = 0;
    while (made < wanted && count > 0 && seconds < seconds_most) {
        size_t capacity = wanted - made < AT_ONCE ? wanted - made : AT_ONCE;
        opevo_proposal proposals[AT_ONCE];
        opevo_trial trials[AT_ONCE];
        double start = opevo_clock_process_s();

        if (opevo_tuner_ask(tuner, proposals, capacity, &count, NULL) != OPEVO_OK)
            break;
        seconds += opevo_clock_process_s() - start;
        for (size_t i = 0; i < count; i++)
            trials[i] = (opevo_trial){.number = made + i + 1,
                                      .proposal = proposals[i],
                                      .outcome = outcome_of(space, proposals[i].point, vertices)};
        start = opevo_clock_process_s();
        opevo_tuner_tell(tuner, trials, count, NULL);
        seconds += opevo_clock_process_s() - start;
        made += count;
    }
    opevo_tuner_destroy(tuner);
    free(vertices);
    *trials_made = made;
    return made < wanted && seconds < seconds_most ? INFINITY : seconds;
}

/* The bar of docs/tuners.md, "What a trial costs": 1 ms, and for qgp what its page says. */
static double most_ms(const char *name)
{
    return strcmp(name, "qgp") == 0 ? 20 : 1;
}

static void measure_growth(const opevo_tuner_ops *ops, const opevo_space *space)
{
    char name[96];
    double before = 0, seconds = 0;
    size_t made = 0, made_before = 0;

    for (size_t trials = 100; trials <= 10000 && seconds < seconds_most; trials *= 10) {
        before = seconds;
        made_before = made;
        made = trials;
        seconds = seconds_of(ops, space, &made);
        snprintf(name, sizeof name, "%s, %zu trials", ops->name, made);
        bench_note(name, 1e3 * seconds / (double)made, "ms/trial");
    }
    if (made_before == 0 || made <= made_before)
        return; /* the first row was the last */
    snprintf(name, sizeof name, "%s: exponent", ops->name);
    bench_note(name, log(seconds / before) / log((double)made / (double)made_before), "");
}

static void measure_spaces(bench *self, const opevo_tuner_ops *ops, const opevo_space *tiles,
                           const opevo_space *independent)
{
    const size_t wanted = strcmp(ops->name, "qgp") == 0 ? 60 : 512;
    size_t trials = wanted, of_free = wanted;
    double seconds = 0;
    char name[96];

    snprintf(name, sizeof name, "%s, tiles of GEMM 1024", ops->name);
    seconds = seconds_of(ops, tiles, &trials);
    bench_at_most(self, name, 1e3 * seconds / (double)trials, most_ms(ops->name), "ms/trial");
    snprintf(name, sizeof name, "%s, %d free parameters", ops->name, FREE);
    seconds = seconds_of(ops, independent, &of_free);
    bench_at_most(self, name, 1e3 * seconds / (double)of_free, most_ms(ops->name), "ms/trial");
}

/* ---- Diagrams ---- */

static void measure_children(bench *self, const opevo_space *space, const opevo_diagram *diagram)
{
    enum { PARENTS = 8, DRAWS = 100000 };
    opevo_index points[PARENTS], vertices[16];
    double weights[PARENTS], start = 0;
    opevo_child_given *given = NULL;
    opevo_error err;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "bench", 0);
    start = opevo_clock_process_s();
    for (size_t i = 0; i < DRAWS; i++)
        points[i % PARENTS] = opevo_rng_allowed(&rng, diagram);
    bench_at_most(self, "uniform draw from the diagram",
                  1e6 * (opevo_clock_process_s() - start) / DRAWS, 10, "us");
    for (size_t i = 0; i < PARENTS; i++)
        weights[i] = 1 + (double)i;
    start = opevo_clock_process_s();
    check(opevo_child_given_create(
              space, &(opevo_parents){.points = points, .weights = weights, .count = PARENTS}, 0.5,
              &given, &err),
          &err);
    bench_note("law of children given that they are allowed",
               1e3 * (opevo_clock_process_s() - start), "ms");
    start = opevo_clock_process_s();
    for (size_t i = 0; i < DRAWS; i++)
        opevo_child_given_draw(given, &rng, vertices);
    bench_at_most(self, "a child", 1e6 * (opevo_clock_process_s() - start) / DRAWS, 50, "us");
    opevo_child_given_destroy(given);
}

static void measure_diagrams(bench *self)
{
    static const struct {
        unsigned n;
        double most; /* seconds */
    } rows[] = {{64, 0.2}, {256, 1}, {1024, 10}};

    bench_title("Diagrams of the tiles of a GEMM");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opevo_space *space = gemm_space(rows[i].n);
        const opevo_diagram *diagram = NULL;
        double start = opevo_clock_process_s();
        opevo_error err;
        char name[64];

        check(opevo_space_diagram(space, &diagram, &err), &err);
        snprintf(name, sizeof name, "compile, N = %u", rows[i].n);
        bench_at_most(self, name, opevo_clock_process_s() - start, rows[i].most, "s");
        measure_children(self, space, diagram);
        opevo_space_destroy(space);
    }
}

/* Microseconds of a uniform allowed point of the space by rejection, or from its diagram. */
static double draw_us(const opevo_space *space, const opevo_diagram *diagram)
{
    enum { DRAWS = 200000 };
    double start = opevo_clock_process_s();
    opevo_index kept = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "bench", 0);
    for (size_t i = 0; i < DRAWS; i++) {
        opevo_index point = 0;

        do {
            point = diagram ? opevo_rng_allowed(&rng, diagram)
                            : opevo_rng_below_wide(&rng, opevo_space_size(space));
        } while (!diagram && !opevo_space_allows(space, point));
        kept ^= point;
    }
    return kept == OPEVO_INDEX_MAX ? 0 : 1e6 * (opevo_clock_process_s() - start) / DRAWS;
}

static void measure_landscapes(const char *folder)
{
    static const char *const names[] = {"conv_a100",   "conv2_rtx3090",     "conv_w6600",
                                        "conv_w7800",  "coulomb_rtx2080ti", "gemm_rtx2080ti",
                                        "gemm_rtx3090"};

    bench_title("A uniform draw from the diagram over one by rejection, recorded landscapes");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        opevo_objective *objective = NULL;
        const opevo_diagram *diagram = NULL;
        opevo_text path = {0};

        opevo_text_printf(&path, "%s/%s.csv.xz", folder, names[i]);
        if (opevo_recorded_open(path.data, NULL, &objective, NULL) == OPEVO_OK &&
            opevo_space_diagram(objective->space, &diagram, NULL) == OPEVO_OK)
            bench_note(names[i],
                       draw_us(objective->space, diagram) / draw_us(objective->space, NULL), "");
        opevo_objective_destroy(objective);
        opevo_text_free(&path);
    }
}

int main(int argc, char **argv)
{
    const char *folder = getenv("OPEVO_TEST_LANDSCAPES");
    opevo_space *lists = free_space(8, 10), *tiles = gemm_space(1024);
    opevo_space *independent = free_space(FREE, 8);
    bool growth = argc > 1 && strcmp(argv[1], "growth") == 0;
    bench self = {0};

    if (argc > 2)
        seconds_most = atof(argv[2]);
    bench_title("Cost of a trial, and its growth");
    if (!growth)
        (void)opevo_space_draws_from(tiles); /* compiled once, not by the first tuner */
    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);

        if (argc > 1 && !growth && strcmp(argv[1], ops->name) != 0)
            continue;
        measure_growth(ops, lists);
        if (!growth)
            measure_spaces(&self, ops, tiles, independent);
    }
    if (argc == 1 || strcmp(argv[1], "diagrams") == 0) {
        measure_diagrams(&self);
        if (folder)
            measure_landscapes(folder);
    }
    opevo_space_destroy(lists);
    opevo_space_destroy(tiles);
    opevo_space_destroy(independent);
    return bench_end(&self);
}
