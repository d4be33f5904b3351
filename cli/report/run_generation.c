/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a run is about to try: for the tuner opevo the exact law of the next children, and for all
 * tuners what their last trials had in common. */

#include "run_digest_internal.h"

#include <opevo/child.h>
#include <opevo/json.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VERTICES = 20000, SHOWN = 8, MOST_PARENTS = 1000 };

/* ---- The generation ------------------------------------------------------------------------- */

/* The number behind "KEY=" among the settings; NAN without it. */
static double setting(const char *settings, const char *key)
{
    size_t length = strlen(key);

    for (const char *word = settings; word; word = strchr(word, ' ')) {
        word += *word == ' ';
        if (!strncmp(word, key, length) && word[length] == '=')
            return strtod(word + length + 1, NULL);
    }
    return NAN;
}

opevo_status opevo_i_cli_generation_start(const char *tuner, const char *settings,
                                          opevo_i_cli_generation *out, opevo_error *err)
{
    double lambda = setting(settings, "lambda"), rho = setting(settings, "rho");

    *out = (opevo_i_cli_generation){.q = setting(settings, "q"), .is_given = true};
    /* Earlier trials that the tuner learned from are not in the run. */
    if (strcmp(tuner, "opevo") != 0 || strstr(settings, "earlier=") ||
        !(lambda >= 1 && lambda <= (double)MOST_PARENTS && rho >= 1 && rho <= 1e6 && out->q >= 0))
        return OPEVO_OK;
    out->lambda = (size_t)lambda;
    out->rho = (size_t)rho;
    out->best = opevo_calloc(out->lambda, sizeof *out->best);
    out->parents = opevo_calloc(out->lambda, sizeof *out->parents);
    out->known = out->best && out->parents;
    return out->known ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a generation.");
}

void opevo_i_cli_generation_free(opevo_i_cli_generation *self)
{
    opevo_free(self->best);
    opevo_free(self->parents);
    *self = (opevo_i_cli_generation){.known = false};
}

/* Of equals the later one comes first, as in the population of the tuner. */
static void enter(opevo_i_cli_generation *self, const opevo_trial *trial)
{
    size_t rank = 0;

    while (rank < self->best_count && self->best[rank].outcome.fitness > trial->outcome.fitness)
        rank++;
    if (rank == self->lambda)
        return;
    if (self->best_count < self->lambda)
        self->best_count++;
    memmove(&self->best[rank + 1], &self->best[rank],
            (self->best_count - 1 - rank) * sizeof *self->best);
    self->best[rank] = *trial;
}

/* Whether the tuner proposed it. */
static bool is_proposed(const opevo_trial *trial)
{
    static const char *const origins[] = {"initial", "child", "uniform", "restart"};
    bool found = false;

    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
        found = found || strcmp(trial->proposal.origin, origins[i]) == 0;
    return found;
}

/* Those that are fittest now breed the next generation, after trial `last`. */
static void begin(opevo_i_cli_generation *self, uint64_t last)
{
    memcpy(self->parents, self->best, self->best_count * sizeof *self->parents);
    self->parent_count = self->best_count;
    self->number++;
    self->next = last + self->rho;
}

void opevo_i_cli_generation_add(opevo_i_cli_generation *self, const opevo_trial *trial)
{
    if (!self->known)
        return;
    if (self->is_given && is_proposed(trial)) {
        /* The first generation fills up what was given to lambda trials. */
        self->is_given = false;
        self->next = self->lambda;
        if (self->observed >= self->lambda)
            begin(self, trial->number - 1);
    }
    self->observed += self->is_given;
    if (trial->outcome.fitness > 0 && isfinite(trial->outcome.fitness))
        enter(self, trial);
    if (!self->is_given && trial->number == self->next)
        begin(self, trial->number);
}

/* ---- The law -------------------------------------------------------------------------------- */

typedef struct chance {
    opevo_index vertex;
    double p;
} chance;

static int likeliest_first(const void *a, const void *b)
{
    const chance *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? 1 : -1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* The likeliest values of a parameter with their probabilities. */
static void add_chances(const opevo_parameter *parameter, chance *chances, size_t count,
                        opevo_text *out)
{
    if (count == 0)
        return; /* of branches that nobody chose */
    qsort(chances, count, sizeof *chances, likeliest_first);
    opevo_json_open_next(out, "\n ", "{");
    opevo_json_string(out, "name", opevo_parameter_name(parameter));
    opevo_json_index(out, "values", opevo_parameter_size(parameter));
    opevo_json_open(out, "likeliest", "[");
    for (size_t i = 0; i < count && i < SHOWN && chances[i].p > 0; i++) {
        opevo_text value = {0};

        opevo_parameter_print(parameter, chances[i].vertex, &value);
        opevo_json_open_next(out, " ", "{");
        opevo_json_string(out, "value", opevo_text_string(&value));
        opevo_json_double(out, "p", chances[i].p);
        opevo_text_add(out, "}");
        opevo_text_free(&value);
    }
    opevo_text_add(out, "]}");
}

static opevo_status add_parameter(const opevo_parameter *parameter, const double *law,
                                  opevo_text *out, opevo_error *err)
{
    size_t size = (size_t)opevo_parameter_size(parameter);
    chance *chances = opevo_malloc(size, sizeof *chances);

    OPEVO_NEED_OR_RETURN(chances, "the law of a generation");
    for (size_t i = 0; i < size; i++)
        chances[i] = (chance){i, law[i]};
    add_chances(parameter, chances, size, out);
    opevo_free(chances);
    return OPEVO_OK;
}

static bool is_small(const opevo_space *space)
{
    opevo_index vertices = 0;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        vertices += opevo_parameter_size(opevo_space_parameter(space, i));
    return vertices <= MOST_VERTICES;
}

static opevo_status create_law(const opevo_i_cli_generation *self, const opevo_space *space,
                               opevo_child_law **out, opevo_error *err)
{
    opevo_index *points = opevo_malloc(self->parent_count, sizeof *points);
    double *weights = opevo_malloc(self->parent_count, sizeof *weights);
    opevo_parents parents = {points, weights, self->parent_count};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; points && weights && i < self->parent_count; i++) {
        points[i] = self->parents[i].proposal.point;
        weights[i] = self->parents[i].outcome.fitness;
    }
    status = points && weights
                 ? opevo_child_law_create(space, &parents, self->q,
                                          &(opevo_law_options){.tolerance = 1e-9}, out, err)
                 : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the law of a generation.");
    opevo_free(points);
    opevo_free(weights);
    return status;
}

opevo_status opevo_i_cli_generation_print(const opevo_i_cli_generation *self,
                                          const opevo_space *space, opevo_text *out,
                                          opevo_error *err)
{
    opevo_child_law *law = NULL;
    opevo_status status = OPEVO_OK;

    opevo_json_key(out, "law");
    if (!self->known || self->number == 0 || !self->parent_count || !space || !is_small(space)) {
        opevo_text_add(out, "null");
        return OPEVO_OK;
    }
    OPEVO_TRY(create_law(self, space, &law, err));
    opevo_text_add(out, "{");
    opevo_json_index(out, "generation", self->number);
    opevo_json_double(out, "q", self->q);
    opevo_json_double(out, "bound", opevo_child_law_bound(law));
    opevo_json_open(out, "parents", "[");
    for (size_t i = 0; i < self->parent_count; i++) {
        opevo_json_open_next(out, " ", "{");
        opevo_json_index(out, "trial", self->parents[i].number);
        opevo_json_double(out, "fitness", self->parents[i].outcome.fitness);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "parameters", "[");
    for (size_t i = 0; i < opevo_space_parameter_count(space) && status == OPEVO_OK; i++)
        status = add_parameter(opevo_space_parameter(space, i), opevo_child_law_marginal(law, i),
                               out, err);
    opevo_text_add(out, "]}");
cleanup:
    opevo_child_law_destroy(law);
    return status;
}

/* ---- The last trials ------------------------------------------------------------------------ */

/* How often each value of a parameter was in the last trials. */
static void add_recent_parameter(const opevo_i_cli_run_digest *self, size_t parameter, size_t count,
                                 opevo_index *vertices, opevo_text *out)
{
    chance chances[OPEVO_I_DIGEST_RECENT] = {{0}};
    size_t different = 0;

    for (size_t i = 0; i < count; i++) {
        size_t k = 0;

        opevo_space_decode(self->space, self->recent[i].proposal.point, vertices);
        if (vertices[parameter] == OPEVO_INACTIVE)
            continue;
        while (k < different && chances[k].vertex != vertices[parameter])
            k++;
        if (k == different)
            chances[different++] = (chance){vertices[parameter], 0};
        chances[k].p += 1.0 / (double)count;
    }
    add_chances(opevo_space_parameter(self->space, parameter), chances, different, out);
}

/* The edits, or other parts between semicolons, that the texts of the last candidates share. */
static void add_recent_texts(const opevo_i_cli_run_digest *self, opevo_store *store, size_t count,
                             opevo_text *out)
{
    for (size_t i = 0; i < count; i++) {
        opevo_text text = {0};

        (void)opevo_store_candidate(store, self->run, self->recent[i].proposal.point, &text, NULL);
        opevo_json_next(out, "\n ");
        opevo_text_add_json(out, opevo_text_string(&text));
        opevo_text_free(&text);
    }
}

void opevo_i_cli_recent_print(const opevo_i_cli_run_digest *self, opevo_store *store,
                              opevo_text *out)
{
    size_t count = self->read < OPEVO_I_DIGEST_RECENT ? (size_t)self->read : OPEVO_I_DIGEST_RECENT;
    size_t width = self->space ? opevo_space_parameter_count(self->space) : 0;
    opevo_index *vertices = opevo_calloc(width + 1, sizeof *vertices);

    opevo_json_open(out, "recent", "{");
    opevo_json_index(out, "trials", count);
    opevo_json_open(out, "parameters", "[");
    for (size_t i = 0; vertices && i < width && count; i++)
        add_recent_parameter(self, i, count, vertices, out);
    opevo_text_add(out, "]");
    opevo_json_open(out, "candidates", "[");
    if (!self->space)
        add_recent_texts(self, store, count, out);
    opevo_text_add(out, "]}");
    opevo_free(vertices);
}
