/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The exact numbers of recorded landscapes against large simulations: the cost of restarted first
 * improvement against 10^5 searches, the improvement of a child against 10^6 children. What is
 * wanted is a distance of at most 5 standard errors. And the time that an analysis takes.
 *
 *   OPEVO_TEST_LANDSCAPES=FOLDER bench_landscape */

#include <opevo/child_sampler.h>
#include <opevo/improvement.h>
#include <opevo/landscape.h>
#include <opevo/landscape_profile.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { SEARCHES = 100000, CHILDREN = 1000000, SEEN = 50, PARENTS = 8, WIDTH_MAX = 32 };

static void must(opevo_status status, const opevo_error *err)
{
    if (status == OPEVO_OK)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

typedef struct subject {
    opevo_objective *objective;
    opevo_landscape_table *table;
    const opevo_space *space;
    opevo_index point[4096]; /* neighbours of a point */
} subject;

static bool open_subject(subject *self, const char *name)
{
    const char *folder = getenv("OPEVO_TEST_LANDSCAPES");
    opevo_error err = {OPEVO_OK, ""};
    char path[1024];

    snprintf(path, sizeof path, "%s/%s.csv.xz", folder ? folder : "../shared/landscapes", name);
    if (access(path, R_OK) != 0) {
        printf("%s is not there; left out\n", path);
        return false;
    }
    must(opevo_recorded_open(path, NULL, &self->objective, &err), &err);
    must(opevo_landscape_table_create(self->objective, 0, &self->table, &err), &err);
    self->space = self->objective->space;
    return true;
}

static void close_subject(subject *self)
{
    opevo_landscape_table_destroy(self->table);
    opevo_objective_destroy(self->objective);
}

/* ---- Searches ---- */

/* Allowed neighbours of a point, by formula. */
static size_t neighbours(subject *self, const opevo_space *space, opevo_index point)
{
    opevo_index vertices[WIDTH_MAX];
    size_t count = 0;

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        opevo_index own = vertices[i], degree = opevo_parameter_degree(parameter, own);

        for (opevo_index k = 0; k < degree; k++) {
            vertices[i] = opevo_parameter_neighbour(parameter, own, k);
            self->point[count] = opevo_space_encode(space, vertices);
            count += self->table->state[(size_t)self->point[count]] != OPEVO_POINT_FORBIDDEN;
        }
        vertices[i] = own;
    }
    return count;
}

static double search(subject *self, const opevo_space *space, double threshold, opevo_rng *rng)
{
    const double *fitness = self->table->fitness;
    double trials = 0;

    for (;;) {
        size_t x = 0;

        do
            x = (size_t)opevo_rng_below(rng, self->table->size);
        while (self->table->state[x] == OPEVO_POINT_FORBIDDEN);
        trials++;
        for (bool moved = true; moved;) {
            size_t count = 0;

            if (fitness[x] >= threshold)
                return trials;
            count = neighbours(self, space, x);
            moved = false;
            for (size_t k = 0; k < count && !moved; k++) {
                size_t pick = k + (size_t)opevo_rng_below(rng, count - k);
                size_t next = (size_t)self->point[pick];

                self->point[pick] = self->point[k];
                trials++;
                moved = fitness[next] > fitness[x];
                x = moved ? next : x;
            }
        }
    }
}

static void check_cost(bench *results, subject *self, const char *name, const char *topology)
{
    opevo_profile_options options = {.nodes = OPEVO_NODES_ALLOWED, .target = 0.95};
    opevo_error err = {OPEVO_OK, ""};
    opevo_topology_choice *choice = NULL;
    opevo_landscape_profile p;
    opevo_rng rng;
    double mean = 0, started_s = opevo_clock_process_s();
    char title[128];

    must(opevo_topology_choice_named(self->space, topology, &choice, &err), &err);
    must(opevo_landscape_profile_create(self->table, choice->space, &options, &p, &err), &err);
    snprintf(title, sizeof title, "%s, %s: analysis", name, topology);
    bench_at_most(results, title, opevo_clock_process_s() - started_s, 10, "s");
    opevo_rng_init(&rng, 1, "bench-search", 0);
    for (int i = 0; i < SEARCHES; i++)
        mean += search(self, choice->space, p.threshold, &rng) / SEARCHES;
    bench_note("  exact expected trials", p.descent.cost, "trials");
    bench_note("  mean of 10^5 searches", mean, "trials");
    bench_at_most(results, "  distance in exact standard errors",
                  fabs(mean - p.descent.cost) / p.descent.cost_sd * sqrt(SEARCHES), 5, "");
    opevo_landscape_profile_release(&p);
    opevo_topology_choices_destroy(choice, 1);
}

/* ---- Children ---- */

typedef struct people {
    opevo_index seen[SEEN];
    opevo_index parents[PARENTS];
    double weights[PARENTS];
    opevo_generation generation;
} people;

static void draw_people(const subject *self, people *out, opevo_duplicate_rule rule)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "bench-people", 0);
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < SEEN;) {
        size_t x = (size_t)opevo_rng_below(&rng, self->table->size), at = PARENTS - 1;
        double fitness = self->table->fitness[x];
        bool used = self->table->state[x] == OPEVO_POINT_FORBIDDEN;

        for (size_t k = 0; k < i; k++)
            used = used || out->seen[k] == x;
        if (used)
            continue;
        out->seen[i++] = x;
        if (fitness <= out->weights[at])
            continue;
        for (; at > 0 && out->weights[at - 1] < fitness; at--) {
            out->weights[at] = out->weights[at - 1];
            out->parents[at] = out->parents[at - 1];
        }
        out->weights[at] = fitness;
        out->parents[at] = x;
    }
    out->generation = (opevo_generation){.seen = out->seen,
                                         .seen_count = SEEN,
                                         .parents = {out->parents, out->weights, PARENTS},
                                         .rule = rule,
                                         .children = 1};
}

static void check_children(bench *results, const subject *self, const char *name,
                           opevo_duplicate_rule rule, double q)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_index vertices[PARENTS][WIDTH_MAX], child[WIDTH_MAX], point = 0;
    const opevo_index *rows[PARENTS];
    opevo_child_sampler *sampler = NULL;
    opevo_index_set *seen = opevo_index_set_create();
    opevo_improvement exact;
    opevo_rng rng;
    people population;
    double better = 0, gain = 0, square = 0;
    char title[128];

    draw_people(self, &population, rule);
    must(opevo_improvement_curve(self->table, self->space, &population.generation, &q, 1, 0, &exact,
                                 &err),
         &err);
    must(opevo_child_sampler_create(self->space, q, rule, &sampler, &err), &err);
    for (size_t j = 0; j < PARENTS; j++) {
        opevo_space_decode(self->space, population.parents[j], vertices[j]);
        rows[j] = vertices[j];
    }
    must(opevo_child_sampler_set_parents(sampler, rows, population.weights, PARENTS, &err), &err);
    for (size_t i = 0; i < SEEN; i++)
        opevo_index_set_add(seen, population.seen[i]);
    opevo_rng_init(&rng, 1, "bench-children", 0);
    for (int i = 0; i < CHILDREN; i++) {
        double won = 0;

        opevo_child_sampler_draw(sampler, seen, &rng, child, &point);
        won = fmax(0, self->table->fitness[(size_t)point] - population.weights[0]);
        better += (won > 0) / (double)CHILDREN;
        gain += won / CHILDREN;
        square += won * won / CHILDREN;
    }
    snprintf(title, sizeof title, "%s, %s, q = %g: exact improvement", name,
             rule == OPEVO_DUPLICATE_REDRAW ? "redraw" : "continue", q);
    bench_note(title, exact.probability, "");
    bench_note("  share of 10^6 children", better, "");
    bench_at_most(results, "  distance in standard errors",
                  fabs(better - exact.probability) /
                      sqrt(exact.probability * (1 - exact.probability) / CHILDREN),
                  5, "");
    bench_note("  exact gain", exact.gain, "GFLOP/s");
    bench_at_most(results, "  distance of the mean gain in standard errors",
                  fabs(gain - exact.gain) / sqrt((square - gain * gain) / CHILDREN), 5, "");
    opevo_child_sampler_destroy(sampler);
    opevo_index_set_destroy(seen);
}

int main(void)
{
    static const char *const names[] = {"conv_a100", "gemm_rtx3090"};
    bench results = {0};
    static subject self;

    for (size_t i = 0; i < 2; i++) {
        if (!open_subject(&self, names[i]))
            continue;
        bench_title("Restarted first improvement to 95 % of the optimum");
        check_cost(&results, &self, names[i], "path");
        check_cost(&results, &self, names[i], "complete");
        bench_title("One child after 50 random trials");
        for (int rule = 0; rule < 2; rule++) {
            check_children(&results, &self, names[i],
                           rule ? OPEVO_DUPLICATE_REDRAW : OPEVO_DUPLICATE_CONTINUE, 0.1);
            check_children(&results, &self, names[i],
                           rule ? OPEVO_DUPLICATE_REDRAW : OPEVO_DUPLICATE_CONTINUE, 0.5);
        }
        close_subject(&self);
    }
    return bench_end(&results);
}
