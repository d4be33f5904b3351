/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points from the runs of a store: the best point of each, carried over to another space. */

#include <opevo/start_list.h>

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/nearest.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXTENTS_MOST = 64 };

/* A run whose best point may be carried over. */
typedef struct source {
    int64_t run;
    uint64_t trial;  /* the best */
    double distance; /* of its extents: sum of |log2 of their ratios| */
    double fitness;
} source;

typedef struct gatherer {
    const char *name; /* of the objective */
    source *sources;
    size_t count, capacity;
    bool failed; /* no memory */
} gatherer;

/* ---- Names of objectives ----
 *
 * "cpu:cpu matmul(512,1024,1024)", or "cpu:sketch A[i:512, k:1024]; ..." for a computation that has
 * only its text. */

static bool is_in_word(const char *name, const char *at)
{
    return at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
}

/* Where the first number at or behind `at` begins; the end of the name where none does. */
static const char *find_number(const char *name, const char *at)
{
    while (*at && (!isdigit((unsigned char)*at) || is_in_word(name, at)))
        at++;
    return at;
}

/* Where what is computed begins, behind the device and what makes its kernels. */
static const char *find_form(const char *name)
{
    const char *blank = strchr(name, ' ');

    return blank ? blank + 1 : name + strlen(name);
}

static bool is_text(const char *form)
{
    return form[strcspn(form, "([")] == '[';
}

/* The numbers of what is computed, and how many. */
static size_t read_extents(const char *name, double *out)
{
    const char *at = find_number(name, find_form(name));
    size_t count = 0;

    while (*at && count < EXTENTS_MOST) {
        char *end = NULL;

        out[count++] = strtod(at, &end);
        at = find_number(name, end);
    }
    return count;
}

/* Whether two texts differ in their numbers only. */
static bool is_same_text(const char *name, const char *other)
{
    const char *a = name;
    const char *b = other;

    for (;;) {
        const char *next = find_number(name, a);
        const char *following = find_number(other, b);
        char *end = NULL;

        if (next - a != following - b || strncmp(a, b, (size_t)(next - a)) != 0)
            return false;
        if (!*next || !*following)
            return *next == *following;
        strtod(next, &end);
        a = end;
        strtod(following, &end);
        b = end;
    }
}

/* The same device and template, and the same kind of operator or the same text with other
 * extents. */
static bool is_related(const char *name, const char *other)
{
    const char *form = find_form(name);
    size_t length = (size_t)(form - name);

    if (strncmp(name, other, length) != 0 || strcmp(name, other) == 0)
        return false;
    if (is_text(form))
        return is_same_text(form, other + length);
    length = strcspn(name, "(");
    return name[length] && strncmp(name, other, length + 1) == 0;
}

static double distance_of(const char *name, const char *other)
{
    double a[EXTENTS_MOST];
    double b[EXTENTS_MOST];
    size_t count = read_extents(name, a);
    double sum = 0;

    if (read_extents(other, b) != count)
        return INFINITY;
    for (size_t i = 0; i < count; i++)
        sum += a[i] > 0 && b[i] > 0 ? fabs(log2(a[i] / b[i])) : fabs(a[i] - b[i]);
    return sum;
}

static void take(void *context, const opevo_run_info *info)
{
    source *self = context;

    *self = (source){.run = info->run, .trial = info->best_trial, .fitness = info->best_fitness};
}

static void gather(void *context, const opevo_run_info *info)
{
    gatherer *self = context;

    if (!is_related(self->name, info->objective) || self->failed)
        return;
    if (!opevo_reserve((void **)&self->sources, &self->capacity, self->count + 1,
                       sizeof *self->sources)) {
        self->failed = true;
        return;
    }
    take(&self->sources[self->count], info);
    self->sources[self->count++].distance = distance_of(self->name, info->objective);
}

/* The nearest shape first, of equals the fastest, of equals the first run. */
static int compare_sources(const void *a, const void *b)
{
    const source *x = a;
    const source *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->fitness != y->fitness)
        return x->fitness > y->fitness ? -1 : 1;
    return x->run < y->run ? -1 : x->run > y->run;
}

/* The point of `objective` that is nearest to a point of the run's space; what that does not say is
 * as in the objective's own start point. *found is false where the spaces have nothing in
 * common. */
static opevo_status carry(const opevo_objective *objective, const opevo_space *from,
                          opevo_index best, bool *found, opevo_index *point, opevo_error *err)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    *found = false;
    if (opevo_space_signature(from) == opevo_space_signature(objective->space)) {
        *found = true;
        *point = best;
        return OPEVO_OK;
    }
    opevo_space_decode(
        objective->space,
        objective->starts && objective->starts->count ? objective->starts->points[0].point : 0,
        vertices);
    if (opevo_space_carry(from, best, objective->space, vertices) == 0)
        return OPEVO_OK;
    return opevo_space_nearest_allowed(objective->space, vertices, found, point, err);
}

/* Add the best point of a run; *added says whether it is there and new. */
static opevo_status add_best(opevo_start_list *self, const opevo_objective *objective,
                             opevo_store *store, const source *from, const char *origin,
                             bool *added, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_space *space = NULL;
    opevo_trial best;
    size_t count = 0;
    opevo_index point = 0;

    *added = false;
    if (from->trial == 0)
        return OPEVO_OK;
    OPEVO_TRY(opevo_store_space(store, from->run, &space, err));
    OPEVO_TRY(opevo_store_read(store, from->run, from->trial - 1, &best, 1, &count, err));
    if (!space || count == 0 || !opevo_space_has(space, best.proposal.point))
        goto cleanup;
    OPEVO_TRY(carry(objective, space, best.proposal.point, added, &point, err));
    for (size_t i = 0; i < self->starts.count && *added; i++)
        *added = self->starts.points[i].point != point;
    if (*added)
        status = opevo_start_list_add(self, point, origin, err);
cleanup:
    opevo_space_destroy(space);
    return status;
}

static opevo_status refuse_unrelated(const char *name, const opevo_store *store, opevo_error *err)
{
    int length = is_text(find_form(name)) ? 400 : (int)strcspn(name, "(");

    return OPEVO_FAIL(err, OPEVO_MISMATCH, "%s: it has no run of %.*s with other extents.",
                      opevo_store_path(store), length, name);
}

static opevo_status list_sources(opevo_store *store, gatherer *self, opevo_error *err)
{
    opevo_status status = opevo_store_list(store, gather, self, err);

    if (status == OPEVO_OK && self->failed)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the runs of a store.");
    if (status == OPEVO_OK && self->count > 0)
        qsort(self->sources, self->count, sizeof *self->sources, compare_sources);
    return status;
}

opevo_status opevo_start_list_add_run(opevo_start_list *self, const opevo_objective *objective,
                                      opevo_store *store, int64_t run, opevo_error *err)
{
    source from = {.run = run};
    opevo_status status = OPEVO_OK;
    size_t before = self->starts.count;
    bool added = false;

    OPEVO_TRY(opevo_store_visit(store, run, take, &from, err));
    if (from.trial == 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "no trial of run %lld succeeded.", (long long)run);
    else
        status = add_best(self, objective, store, &from, "start", &added, err);
    if (status == OPEVO_OK && self->starts.count == before && before == 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "no parameter of run %lld is one of this space.",
                            (long long)run);
cleanup:
    return status;
}

opevo_status opevo_start_list_add_related(opevo_start_list *self, const opevo_objective *objective,
                                          opevo_store *store, size_t most, bool needed,
                                          opevo_error *err)
{
    gatherer runs = {.name = objective->name};
    opevo_status status = OPEVO_OK;
    size_t total = 0;

    OPEVO_TRY(list_sources(store, &runs, err));
    if (runs.count == 0 && needed)
        status = refuse_unrelated(objective->name, store, err);
    for (size_t i = 0; i < runs.count && total < most; i++) {
        bool added = false;

        OPEVO_TRY(add_best(self, objective, store, &runs.sources[i], "transfer", &added, err));
        total += added;
    }
cleanup:
    opevo_free(runs.sources);
    return status;
}
