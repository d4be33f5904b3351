/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The generation of `nsga2` that a run is at: who its parents are, and with which probability. */

#include "run_digest_internal.h"

#include <opevo/json.h>
#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

enum { SHOWN_PARENTS = 8, SHOWN_PARTS = 24, SHOWN_VALUES = 8 };

/* ---- From the run --------------------------------------------------------------------------- */

/* What the tuner searched by: the names behind "criteria=" among the settings. */
static opevo_status read_criteria(const opevo_i_cli_run_digest *run, const char *settings,
                                  opevo_criteria *out, opevo_error *err)
{
    const opevo_objective named = {.name = "the run",
                                   .unit = run->unit,
                                   .criteria = run->criteria,
                                   .more_count = run->criterion_count};
    const char *word = strstr(settings, "criteria=");
    char *names = NULL;
    opevo_status status = OPEVO_OK;

    *out = opevo_criteria_fitness();
    if (!word)
        return OPEVO_OK;
    word += strlen("criteria=");
    names = opevo_strndup(word, strcspn(word, " "));
    status = names ? opevo_criteria_parse(&named, names, out, err)
                   : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for criteria.");
    opevo_free(names);
    return status;
}

opevo_status opevo_i_cli_breeding_start(const opevo_i_cli_run_digest *run, const char *tuner,
                                        const char *settings, opevo_i_cli_breeding *out,
                                        opevo_error *err)
{
    opevo_criteria criteria;
    opevo_status status = OPEVO_OK;

    *out = (opevo_i_cli_breeding){.known = false};
    if (strcmp(tuner, "nsga2") != 0)
        return OPEVO_OK;
    status = read_criteria(run, settings, &criteria, err);
    if (status == OPEVO_OK)
        status = opevo_i_nsga2_replay_create(settings, &criteria, &out->replay, err);
    out->known = status == OPEVO_OK;
    return status == OPEVO_NOMEM ? status : OPEVO_OK; /* unknown criteria: no law */
}

opevo_status opevo_i_cli_breeding_add(opevo_i_cli_breeding *self, const opevo_trial *trial,
                                      opevo_error *err)
{
    return self->known ? opevo_i_nsga2_replay_add(&self->replay, trial, err) : OPEVO_OK;
}

void opevo_i_cli_breeding_free(opevo_i_cli_breeding *self)
{
    opevo_i_nsga2_replay_free(&self->replay);
}

/* ---- What is said --------------------------------------------------------------------------- */

/* A part of a candidate, or a value of a parameter, and the probability that a parent has it. */
typedef struct share {
    char *text;
    double p;
} share;

typedef struct shares {
    share *items;
    size_t count, capacity;
    bool failed; /* no memory */
} shares;

static void add_share(shares *self, const char *text, size_t length, double p)
{
    size_t i = 0;
    void *items = self->items;

    while (i < self->count &&
           (strncmp(self->items[i].text, text, length) != 0 || self->items[i].text[length] != '\0'))
        i++;
    if (i < self->count) {
        self->items[i].p += p;
        return;
    }
    self->failed = self->failed ||
                   !opevo_reserve(&items, &self->capacity, self->count + 1, sizeof *self->items);
    if (self->failed)
        return;
    self->items = items;
    self->items[i] = (share){opevo_strndup(text, length), p};
    self->failed = !self->items[i].text;
    self->count += !self->failed;
}

static int likeliest_first(const void *a, const void *b)
{
    const share *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? 1 : -1;
    return strcmp(x->text, y->text);
}

/* As members of the list being written; and release them. */
static void print_shares(shares *self, const char *key, size_t most, opevo_text *out)
{
    if (self->count)
        qsort(self->items, self->count, sizeof *self->items, likeliest_first);
    for (size_t i = 0; i < self->count && i < most; i++) {
        opevo_json_open_next(out, " ", "{");
        opevo_json_string(out, key, self->items[i].text);
        opevo_json_double(out, "p", self->items[i].p);
        opevo_text_add(out, "}");
    }
    for (size_t i = 0; i < self->count; i++)
        opevo_free(self->items[i].text);
    opevo_free(self->items);
    out->failed = out->failed || self->failed;
    *self = (shares){.items = NULL};
}

/* Each part of a candidate once: what stands between semicolons and ends of lines. "none" is a list
 * of no edits. */
static void add_parts(shares *self, const char *text, double p)
{
    shares own = {.items = NULL};

    while (*text && strcmp(text, "none") != 0) {
        size_t length = strcspn(text, ";\n"), end = length;

        while (length > 0 && text[0] == ' ')
            text++, length--, end--;
        while (length > 0 && text[length - 1] == ' ')
            length--;
        if (length > 0)
            add_share(&own, text, length, 0);
        text += end + (text[end] != '\0');
    }
    for (size_t i = 0; i < own.count; i++)
        add_share(self, own.items[i].text, strlen(own.items[i].text), p);
    for (size_t i = 0; i < own.count; i++)
        opevo_free(own.items[i].text);
    opevo_free(own.items);
    self->failed = self->failed || own.failed;
}

static void print_candidate(const opevo_i_cli_run_digest *run, opevo_store *store,
                            opevo_index candidate, opevo_text *out)
{
    if (run->space && opevo_space_has(run->space, candidate))
        opevo_space_print(run->space, candidate, out);
    else
        (void)opevo_store_candidate(store, run->run, candidate, out, NULL);
}

static void print_parents(const opevo_i_cli_run_digest *run, opevo_store *store, const double *law,
                          opevo_text *out)
{
    const opevo_i_nsga2_pool *pool = &run->evolution.replay.pool;
    shares parents = {.items = NULL}, parts = {.items = NULL};

    for (size_t i = 0; i < pool->kept; i++) {
        opevo_text text = {0};

        print_candidate(run, store, pool->individuals[i].candidate, &text);
        add_share(&parents, opevo_text_string(&text), text.length, law[i]);
        if (!run->space)
            add_parts(&parts, opevo_text_string(&text), law[i]);
        out->failed = out->failed || text.failed;
        opevo_text_free(&text);
    }
    opevo_json_open(out, "parents", "[");
    print_shares(&parents, "candidate", SHOWN_PARENTS, out);
    opevo_text_add(out, "]");
    opevo_json_open(out, "parts", "[");
    print_shares(&parts, "part", SHOWN_PARTS, out);
    opevo_text_add(out, "]");
}

static void print_parameter(const opevo_i_cli_run_digest *run, size_t which, const double *law,
                            opevo_text *out)
{
    const opevo_i_nsga2_pool *pool = &run->evolution.replay.pool;
    const opevo_parameter *parameter = opevo_space_parameter(run->space, which);
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    shares values = {.items = NULL};

    for (size_t i = 0; i < pool->kept; i++) {
        opevo_text text = {0};

        opevo_space_decode(run->space, pool->individuals[i].candidate, vertices);
        if (vertices[which] == OPEVO_INACTIVE)
            continue;
        opevo_parameter_print(parameter, vertices[which], &text);
        add_share(&values, opevo_text_string(&text), text.length, law[i]);
        opevo_text_free(&text);
    }
    if (values.count) {
        opevo_json_open_next(out, "\n ", "{");
        opevo_json_string(out, "name", opevo_parameter_name(parameter));
        opevo_json_index(out, "values", opevo_parameter_size(parameter));
        opevo_json_open(out, "likeliest", "[");
        print_shares(&values, "value", SHOWN_VALUES, out);
        opevo_text_add(out, "]}");
    }
}

opevo_status opevo_i_cli_breeding_print(const opevo_i_cli_run_digest *run, opevo_store *store,
                                        opevo_text *out, opevo_error *err)
{
    const opevo_i_nsga2_replay *replay = &run->evolution.replay;
    double *law = NULL;

    opevo_json_key(out, "evolution");
    if (!run->evolution.known || replay->generation < 2 || !replay->pool.kept) {
        opevo_text_add(out, "null");
        return OPEVO_OK;
    }
    law = opevo_malloc(replay->pool.kept, sizeof *law);
    OPEVO_NEED_OR_RETURN(law, "the law of a generation");
    opevo_i_nsga2_replay_law(replay, law);
    opevo_text_add(out, "{");
    opevo_json_index(out, "generation", replay->generation);
    opevo_json_index(out, "kept", replay->pool.kept);
    opevo_json_double(out, "crossover", replay->crossover);
    opevo_json_double(out, "mutation", replay->mutation);
    opevo_json_double(out, "q", replay->q);
    opevo_json_bool(out, "by_dominance", replay->by_dominance);
    print_parents(run, store, law, out);
    opevo_json_open(out, "parameters", "[");
    for (size_t i = 0; run->space && i < opevo_space_parameter_count(run->space); i++)
        print_parameter(run, i, law, out);
    opevo_text_add(out, "]}");
    opevo_free(law);
    return OPEVO_OK;
}
