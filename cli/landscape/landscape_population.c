/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The population whose next generation is looked at: points of a file, or random ones. */

#include "landscape_internal.h"
#include "options_internal.h"
#include "text_lines_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/space.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_BYTES_MAX ((size_t)64 << 20)
enum { SEEN_MAX = 100000, RHO_MAX = 1000, Q_MAX = 1000 };

/* ---- q ---- */

static opevo_status read_q(const opevo_call *call, opevo_i_cli_landscape_analysis *self,
                           opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, "q");

    self->q = opevo_malloc(Q_MAX, sizeof *self->q);
    OPEVO_NEED_OR_RETURN(self->q, "the values of q");
    for (int i = 1; !text && i < 20; i++)
        self->q[self->q_count++] = i / 20.0;
    while (text) {
        size_t length = strcspn(text, ",");
        char number[64];
        double q = 0;

        snprintf(number, sizeof number, "%.*s", length < sizeof number ? (int)length : 0, text);
        if (!opevo_parse_double(number, &q) || !(q >= 0 && q < 1) || self->q_count == Q_MAX)
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "--q %.200s: q is the probability of one more step; give numbers 0 <= "
                "q < 1, separated by commas.",
                opevo_i_cli_option(call, "q"));
        self->q[self->q_count++] = q;
        text = text[length] ? text + length + 1 : NULL;
    }
    return OPEVO_OK;
}

/* ---- The points ---- */

/* `count` different allowed points, each set of them equally probable. */
static opevo_status draw_points(opevo_i_cli_landscape_analysis *self, uint64_t count,
                                opevo_error *err)
{
    const opevo_landscape_table *table = self->table;
    uint32_t *allowed = NULL;
    opevo_rng rng;

    if (count > table->allowed)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--population %llu: the landscape has only %zu points.",
                          (unsigned long long)count, table->allowed);
    allowed = opevo_malloc(table->allowed, sizeof *allowed);
    OPEVO_NEED_OR_RETURN(allowed, "a population");
    for (size_t point = 0, i = 0; point < table->size; point++) {
        if (table->state[point] != OPEVO_POINT_FORBIDDEN)
            allowed[i++] = (uint32_t)point;
    }
    opevo_rng_init(&rng, self->seed, "landscape-population", 0);
    opevo_rng_choose(&rng, allowed, table->allowed, count, sizeof *allowed);
    for (size_t i = 0; i < count; i++)
        self->seen[self->seen_count++] = allowed[i];
    opevo_free(allowed);
    return OPEVO_OK;
}

/* One line of the file, terminated. */
static opevo_status read_line(void *context, const char *path, size_t number, const char *line,
                              opevo_error *err)
{
    opevo_i_cli_landscape_analysis *self = context;
    opevo_index point = 0;
    opevo_error inner = {OPEVO_OK, ""};

    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return OPEVO_OK;
    if (self->seen_count == SEEN_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s:%zu: a population has at most %d points.", path,
                          number, SEEN_MAX);
    if (opevo_space_read(self->objective->space, line, &point, &inner) != OPEVO_OK)
        return OPEVO_FAIL(err, inner.status, "%s:%zu: %.900s", path, number, inner.message);
    if (self->table->state[(size_t)point] == OPEVO_POINT_FORBIDDEN)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: a constraint forbids this point; remove it.",
                          path, number);
    for (size_t i = 0; i < self->seen_count; i++) {
        if (self->seen[i] == point)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: duplicate point.", path, number);
    }
    self->seen[self->seen_count++] = point;
    return OPEVO_OK;
}

static opevo_status read_points(opevo_i_cli_landscape_analysis *self, const char *path,
                                opevo_error *err)
{
    opevo_status status = opevo_i_cli_each_line(path, POINTS_BYTES_MAX, read_line, self, err);

    if (status == OPEVO_OK && self->seen_count == 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: no point; write one configuration on each line.", path);
    return status;
}

/* ---- The parents ---- */

typedef struct ranked {
    opevo_index point;
    double fitness;
    size_t place;
} ranked;

static int fittest_first(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;

    if (x->fitness != y->fitness)
        return x->fitness < y->fitness ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

static opevo_status choose_parents(opevo_i_cli_landscape_analysis *self, size_t lambda,
                                   opevo_error *err)
{
    size_t count = self->seen_count < lambda ? self->seen_count : lambda;
    ranked *list = opevo_malloc(self->seen_count, sizeof *list);

    self->parents = opevo_malloc(count, sizeof *self->parents);
    self->weights = opevo_malloc(count, sizeof *self->weights);
    if (!list || !self->parents || !self->weights) {
        opevo_free(list);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a population.");
    }
    for (size_t i = 0; i < self->seen_count; i++)
        list[i] = (ranked){self->seen[i], self->table->fitness[(size_t)self->seen[i]], i};
    qsort(list, self->seen_count, sizeof *list, fittest_first);
    for (size_t i = 0; i < count; i++) {
        self->parents[i] = list[i].point;
        self->weights[i] = list[i].fitness;
    }
    opevo_free(list);
    if (!(self->weights[0] > 0))
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "--population %.200s: none of its points succeeded, so it has no parents; "
            "give more points or another --seed.",
            self->population);
    self->generation.parents = (opevo_parents){self->parents, self->weights, count};
    return OPEVO_OK;
}

opevo_status opevo_i_cli_landscape_population(const opevo_call *call,
                                              opevo_i_cli_landscape_analysis *self,
                                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const char *rule = opevo_i_cli_option(call, "duplicates");
    uint64_t lambda = 0, rho = 0, count = 0;

    self->population = opevo_i_cli_option(call, "population");
    OPEVO_TRY(opevo_i_cli_option_count(call, "lambda", 8, 1, SEEN_MAX, &lambda, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "rho", 8, 1, RHO_MAX, &rho, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 1, 0, UINT64_MAX, &self->seed, err));
    if (rule && strcmp(rule, "continue") != 0 && strcmp(rule, "redraw") != 0) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "--duplicates %s: give continue or redraw.", rule);
        goto cleanup;
    }
    OPEVO_TRY(read_q(call, self, err));
    self->seen = opevo_malloc(SEEN_MAX, sizeof *self->seen);
    OPEVO_NEED(self->seen, "a population");
    if (!opevo_parse_u64(self->population, &count))
        OPEVO_TRY(read_points(self, self->population, err));
    else if (count >= 1 && count <= SEEN_MAX)
        OPEVO_TRY(draw_points(self, count, err));
    else
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--population %s: give a number of points from 1 to %d, or a file.",
                            self->population, SEEN_MAX);
    if (status != OPEVO_OK)
        goto cleanup;
    self->generation.seen = self->seen;
    self->generation.seen_count = self->seen_count;
    self->generation.children = (size_t)rho;
    self->generation.rule =
        rule && *rule == 'r' ? OPEVO_DUPLICATE_REDRAW : OPEVO_DUPLICATE_CONTINUE;
    OPEVO_TRY(choose_parents(self, (size_t)lambda, err));
cleanup:
    return status;
}
