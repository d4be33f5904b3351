/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verify: draw from the samplers that tuning uses, and test against the exact laws. */

#include "options_internal.h"
#include "space_spec_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/child_sampler.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/verify.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const opevo_option options[] = {
    {"q", "Q", "probability of one more step, 0 <= q < 1 (default 0.5)", false},
    {"draws", "N", "draws for each test (default 1000000)", false},
    {"alpha", "A", "probability of rejecting any correct sampler (family-wise; default 1e-6)",
     false},
    {"seed", "N", "seed of the draws (default 1)", false},
    {"json", NULL, "print one JSON object", false},
    {"quiet", NULL, "no progress line", false},
};

/* Without WHAT: one parameter of each type, small enough to see, and a space with a constraint for
 * the child step. */
static const char showcase[] =
    "{\"tile\": {\"_type\": \"factor\", \"_value\": [8, 3]},"
    " \"order\": {\"_type\": \"permutation\", \"_value\": [4]},"
    " \"unroll\": {\"_type\": \"discrete\", \"_value\": [0, 16, 64, 125, 256, 512, 1024, 1500]},"
    " \"layout\": {\"_type\": \"choice\", \"_value\": [\"NN\", \"NT\", \"TN\", \"TT\"]}}";
static const char child_showcase[] =
    "{\"tile\": {\"_type\": \"factor\", \"_value\": [12, 3]},"
    " \"unroll\": {\"_type\": \"discrete\", \"_value\": [0, 125, 256]},"
    " \"explicit\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
    " \"_constraints\": [\"tile[2] < 12\"]}";

enum { MOST_CHILD_POINTS = 4096, STARTS = 3, PARENTS = 4 };

typedef struct test {
    char name[160];
    char start[64];
    double bound; /* of the law that was tested against */
    /* What was tested: the walk on a parameter from `vertex`, or, without one, the child step. */
    const opevo_parameter *parameter;
    opevo_index vertex;
    const opevo_space *space;
    opevo_duplicate_rule rule;
} test;

typedef struct suite {
    double q, alpha;
    uint64_t draws, seed;
    test *tests;
    opevo_fit *fits; /* one for each test */
    size_t count;
    size_t capacity;    /* of both arrays */
    bool builtin_child; /* the child step is tested on the built-in space */
    opevo_space *builtin;
    opevo_progress progress;
} suite;

static opevo_status make_room(suite *self, opevo_error *err)
{
    void *tests = self->tests;
    void *fits = self->fits;
    size_t capacity = self->capacity;

    OPEVO_NEED_OR_RETURN(opevo_reserve(&tests, &capacity, self->count + 1, sizeof *self->tests),
                         "another test");
    self->tests = tests;
    OPEVO_NEED_OR_RETURN(opevo_reserve(&fits, &self->capacity, self->count + 1, sizeof *self->fits),
                         "another test");
    self->fits = fits;
    return OPEVO_OK;
}

static void show_progress(suite *self, size_t number, const char *what, const char *name)
{
    char line[256];

    snprintf(line, sizeof line, "%s %zu: %s", what, number + 1, name);
    if (opevo_i_cli_progress_due(&self->progress))
        opevo_i_cli_progress_draw(&self->progress, 0, line);
}

/* ---- One parameter from one start ---- */

typedef struct walk {
    const opevo_walker *walker;
    opevo_index start;
} walk;

static opevo_index draw_walk(void *context, opevo_rng *rng)
{
    const walk *self = context;

    return opevo_walker_draw(self->walker, self->start, rng);
}

static opevo_status test_start(suite *self, const opevo_parameter *parameter,
                               const opevo_walker *walker, opevo_index start, opevo_error *err)
{
    opevo_status status = make_room(self, err);
    opevo_law *law = NULL;
    opevo_rng rng;
    opevo_text text = {0};
    walk context = {walker, start};
    test *entry = NULL;

    if (status != OPEVO_OK)
        return status;
    entry = &self->tests[self->count];
    snprintf(entry->name, sizeof entry->name, "%s: %s %s", opevo_parameter_name(parameter),
             opevo_parameter_text(parameter), opevo_parameter_topology(parameter));
    opevo_parameter_print(parameter, start, &text);
    snprintf(entry->start, sizeof entry->start, "%.24s%s", opevo_text_string(&text),
             text.length > 24 ? "..." : "");
    opevo_text_free(&text);
    show_progress(self, self->count, "test", entry->name);
    opevo_rng_init(&rng, self->seed, "verify", self->count);
    status = opevo_law_create(parameter, self->q, start, NULL, &law, err);
    if (status == OPEVO_TOLERANCE)
        status = OPEVO_FAIL(err, status,
                            "--q %g: the exact law cannot be certified within 1e-12 so close to 1; "
                            "give a smaller q.",
                            self->q);
    if (status != OPEVO_OK)
        return status;
    entry->bound = opevo_law_bound(law);
    entry->parameter = parameter;
    entry->vertex = start;
    OPEVO_TRY(opevo_verify_law(law, draw_walk, &context, self->draws, &rng,
                               &self->fits[self->count], err));
    self->count++;
cleanup:
    opevo_law_destroy(law);
    return status;
}

/* The first vertex, the last, and one chosen by the seed, so that different seeds try different
 * starts. */
static opevo_status test_parameter(suite *self, const opevo_parameter *parameter, opevo_error *err)
{
    opevo_index size = opevo_parameter_size(parameter);
    opevo_index starts[STARTS] = {0, size - 1, 0};
    opevo_walker *walker = NULL;
    opevo_status status = opevo_walker_create(parameter, self->q, &walker, err);
    opevo_rng rng;

    opevo_rng_init(&rng, self->seed, "verify-start", self->count);
    starts[2] = opevo_rng_below_wide(&rng, size);
    for (size_t i = 0; i < STARTS && status == OPEVO_OK; i++) {
        bool repeated = false;

        for (size_t j = 0; j < i; j++)
            repeated = repeated || starts[j] == starts[i];
        if (!repeated)
            status = test_start(self, parameter, walker, starts[i], err);
    }
    opevo_walker_destroy(walker);
    return status;
}

/* ---- The whole child step ---- */

typedef struct breeding {
    opevo_child_sampler *sampler;
    opevo_index_set *seen;
    opevo_index *vertices;
    opevo_index size;
} breeding;

static opevo_index draw_child(void *context, opevo_rng *rng)
{
    breeding *self = context;
    opevo_index point = 0;

    return opevo_child_sampler_draw(self->sampler, self->seen, rng, self->vertices, &point)
               ? point
               : self->size;
}

/* A situation in the middle of a run: distinct parents of falling fitness; they and a third of the
 * other points are seen, but one is always left. */
typedef struct situation {
    opevo_index points[PARENTS];
    double weights[PARENTS];
    size_t parent_count;
    bool *taken; /* seen or forbidden */
} situation;

static void choose_parents(const opevo_space *space, size_t size, opevo_rng *rng, situation *now)
{
    for (size_t tries = 0; now->parent_count < PARENTS && tries < 1000; tries++) {
        opevo_index point = opevo_rng_below(rng, size);

        if (now->taken[point] || !opevo_space_allows(space, point))
            continue;
        now->taken[point] = true;
        now->weights[now->parent_count] = 1.0 / (double)(1 + now->parent_count);
        now->points[now->parent_count++] = point;
    }
}

static opevo_status make_situation(const opevo_space *space, uint64_t seed, situation *now,
                                   opevo_index_set *seen, opevo_error *err)
{
    size_t size = (size_t)opevo_space_size(space);
    bool one_left = false;
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "verify-child-situation", 0);
    OPEVO_NEW_OR_RETURN(now->taken, size, "a child's test");
    choose_parents(space, size, &rng, now);
    for (size_t x = 0; x < size; x++) {
        if (!now->taken[x] && opevo_space_allows(space, x)) {
            now->taken[x] = one_left && opevo_rng_below(&rng, 3) == 0;
            one_left = true;
        }
        if (now->taken[x] && !opevo_index_set_add(seen, x))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a child's test.");
        now->taken[x] = now->taken[x] || !opevo_space_allows(space, x);
    }
    return OPEVO_OK;
}

static opevo_status set_parents(const opevo_space *space, const situation *now, breeding *breed,
                                opevo_error *err)
{
    size_t width = opevo_space_parameter_count(space);
    const opevo_index *rows[PARENTS];
    opevo_index *vertices = opevo_malloc(PARENTS, width * sizeof *vertices);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(vertices, "a child's test");
    for (size_t j = 0; j < now->parent_count; j++) {
        opevo_space_decode(space, now->points[j], vertices + j * width);
        rows[j] = vertices + j * width;
    }
    status =
        opevo_child_sampler_set_parents(breed->sampler, rows, now->weights, now->parent_count, err);
    opevo_free(vertices);
    return status;
}

/* The step of a test in the situation of the seed, which `now` holds. */
static opevo_status make_step(const suite *self, const test *entry, situation *now,
                              opevo_parents *parents, opevo_index_set *seen, opevo_child_step *step,
                              opevo_error *err)
{
    opevo_status status = make_situation(entry->space, self->seed, now, seen, err);

    *parents = (opevo_parents){now->points, now->weights, now->parent_count};
    *step = (opevo_child_step){.space = entry->space,
                               .q = self->q,
                               .rule = entry->rule,
                               .parents = parents,
                               .taken = now->taken,
                               .limits = {OPEVO_CHILD_PATIENCE, OPEVO_CHILD_TRIES}};
    return status;
}

/* In the order of opevo_duplicate_rule. */
static const char *const rule_names[] = {"continue", "redraw", "given"};

static opevo_status test_child(suite *self, const opevo_space *space, opevo_duplicate_rule rule,
                               opevo_error *err)
{
    opevo_status status = make_room(self, err);
    breeding breed = {.size = opevo_space_size(space)};
    situation now = {.parent_count = 0};
    opevo_child_step step;
    opevo_parents parents;
    opevo_rng rng;
    test *entry = NULL;

    if (status != OPEVO_OK)
        return status;
    entry = &self->tests[self->count];
    *entry = (test){.space = space, .rule = rule};
    snprintf(entry->name, sizeof entry->name, "child step, duplicates: %s", rule_names[rule]);
    show_progress(self, self->count, "test", entry->name);
    breed.seen = opevo_index_set_create();
    breed.vertices = opevo_malloc(opevo_space_parameter_count(space), sizeof *breed.vertices);
    OPEVO_NEED(breed.seen && breed.vertices, "a child's test");
    OPEVO_TRY(opevo_child_sampler_create(space, self->q, rule, &breed.sampler, err));
    OPEVO_TRY(make_step(self, entry, &now, &parents, breed.seen, &step, err));
    snprintf(entry->start, sizeof entry->start, "%zu parents", now.parent_count);
    OPEVO_TRY(set_parents(space, &now, &breed, err));
    opevo_rng_init(&rng, self->seed, "verify", self->count);
    OPEVO_TRY(opevo_verify_child(&step, draw_child, &breed, self->draws, &rng,
                                 &self->fits[self->count], &entry->bound, err));
    self->count++;
cleanup:
    opevo_free(now.taken);
    opevo_free(breed.vertices);
    opevo_index_set_destroy(breed.seen);
    opevo_child_sampler_destroy(breed.sampler);
    return status;
}

/* ---- Power ---- */

static opevo_status find_child_power(const suite *self, const test *entry, double size,
                                     opevo_fit *fit, opevo_error *err)
{
    opevo_index_set *seen = opevo_index_set_create();
    situation now = {.parent_count = 0};
    opevo_child_step step;
    opevo_parents parents;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(seen, "a child's test");
    OPEVO_TRY(make_step(self, entry, &now, &parents, seen, &step, err));
    OPEVO_TRY(opevo_verify_child_power_at(&step, self->draws, size, fit, err));
cleanup:
    opevo_free(now.taken);
    opevo_index_set_destroy(seen);
    return status;
}

/* Once the size of the family is known, with which the rule of the verdict is fixed. */
static opevo_status find_powers(suite *self, opevo_error *err)
{
    double size = opevo_verify_size(self->alpha, self->count);
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->count && status == OPEVO_OK; i++) {
        const test *entry = &self->tests[i];

        show_progress(self, i, "power of test", entry->name);
        if (entry->parameter)
            status = opevo_verify_power_at(entry->parameter, self->q, entry->vertex, self->draws,
                                           size, &self->fits[i], err);
        else
            status = find_child_power(self, entry, size, &self->fits[i], err);
    }
    return status;
}

/* ---- All of it ---- */

/* Whether the child step can be tested on this space: it can be enumerated, and holds more points
 * than parents. */
static bool breeds(const opevo_space *space)
{
    opevo_index size = opevo_space_size(space);
    size_t allowed = 0;

    for (opevo_index x = 0; size <= MOST_CHILD_POINTS && x < size; x++)
        allowed += opevo_space_allows(space, x);
    return allowed > PARENTS;
}

/* All duplicate rules on this space; or, where it does not allow that, on the built-in one. */
static opevo_status test_children(suite *self, const opevo_space *space, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (self->builtin_child) {
        status = opevo_space_parse(child_showcase, "the built-in space", NULL, &self->builtin, err);
        space = self->builtin;
    }
    for (int rule = 0; rule < 3 && status == OPEVO_OK; rule++)
        status = test_child(self, space, (opevo_duplicate_rule)rule, err);
    return status;
}

static opevo_status run_tests(suite *self, const opevo_space *space, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        OPEVO_TRY(test_parameter(self, opevo_space_parameter(space, i), err));
    /* At q = 0 nothing is mutated, and the duplicate rules have nothing to act on. */
    if (self->q > 0)
        OPEVO_TRY(test_children(self, space, err));
    opevo_verify_judge(self->fits, self->count, self->alpha);
    OPEVO_TRY(find_powers(self, err));
cleanup:
    return status;
}

static void add_json_caught(opevo_text *out, const char *key, opevo_caught caught)
{
    opevo_json_key(out, key);
    opevo_text_add(out, caught == OPEVO_CAUGHT_UNKNOWN ? "null"
                        : caught == OPEVO_CAUGHT_YES   ? "true"
                                                       : "false");
}

static void add_json_test(const test *entry, const opevo_fit *fit, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "test", entry->name);
    opevo_json_string(out, "start", entry->start);
    opevo_json_index(out, "draws", fit->draws);
    opevo_json_index(out, "cells", fit->cells);
    opevo_json_index(out, "impossible", fit->impossible);
    opevo_json_double(out, "bound", entry->bound);
    opevo_json_double(out, "degrees_of_freedom", fit->degrees_of_freedom);
    opevo_json_double(out, "chi_square", fit->chi_square);
    opevo_json_double(out, "g", fit->g);
    opevo_json_double(out, "p_chi_square", fit->p_chi_square);
    opevo_json_double(out, "p_g", fit->p_g);
    opevo_json_double(out, "p_adjusted", fit->p_adjusted);
    opevo_json_bool(out, "rejected", fit->rejected);
    opevo_json_open(out, "detectable", "{");
    opevo_json_double(out, "q", fit->detectable_q);
    opevo_json_double(out, "cut", fit->detectable_cut ? (double)fit->detectable_cut : NAN);
    opevo_json_double(out, "edges", fit->detectable_edge);
    add_json_caught(out, "other_rule", fit->detects_other_rule);
    add_json_caught(out, "duplicates", fit->detects_duplicates);
    opevo_text_add(out, "}}");
}

static void print_json(const suite *self, size_t rejected, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_double(out, "q", self->q);
    opevo_json_double(out, "alpha", self->alpha);
    opevo_json_index(out, "seed", self->seed);
    opevo_json_index(out, "rejected", rejected);
    opevo_json_double(out, "power", OPEVO_VERIFY_POWER);
    opevo_json_open(out, "tests", "[");
    for (size_t i = 0; i < self->count; i++) {
        opevo_json_next(out, "\n  ");
        add_json_test(&self->tests[i], &self->fits[i], out);
    }
    opevo_text_add(out, "\n]}\n");
}

static const char *caught_text(opevo_caught caught)
{
    static const char *const texts[] = {
        [OPEVO_CAUGHT_UNKNOWN] = "-", [OPEVO_CAUGHT_NO] = "no", [OPEVO_CAUGHT_YES] = "yes"};

    return texts[caught];
}

static void add_defect_cells(const opevo_fit *fit, opevo_table *table)
{
    if (isfinite(fit->detectable_q))
        opevo_i_cli_table_cell(table, "%.2g", fit->detectable_q);
    else
        opevo_i_cli_table_cell(table, "-");
    if (fit->detectable_cut)
        opevo_i_cli_table_cell(table, "%llu", (unsigned long long)fit->detectable_cut);
    else
        opevo_i_cli_table_cell(table, "-");
    if (isfinite(fit->detectable_edge))
        opevo_i_cli_table_cell(table, "%.0f %%", 100 * fit->detectable_edge);
    else
        opevo_i_cli_table_cell(table, "-");
    opevo_i_cli_table_cell(table, "%s", caught_text(fit->detects_other_rule));
    opevo_i_cli_table_cell(table, "%s", caught_text(fit->detects_duplicates));
}

static opevo_status print_table(const suite *self, size_t rejected, opevo_text *out,
                                opevo_error *err)
{
    char verdict[64];
    static const char *const heads[] = {"<test",  "<from", "cells", "chi2", "df",   "p",   "G", "p",
                                        "Holm p", "q +-",  "cut",   "edge", "rule", "dup", "<"};
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .compared = true};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(out, "%llu draws per test, q = %g, seed %llu, against exact laws\n\n",
                      (unsigned long long)self->draws, self->q, (unsigned long long)self->seed);
    for (size_t i = 0; i < self->count; i++) {
        const opevo_fit *fit = &self->fits[i];

        opevo_i_cli_table_cell(&table, "%s", self->tests[i].name);
        opevo_i_cli_table_cell(&table, "%s", self->tests[i].start);
        opevo_i_cli_table_cell(&table, "%zu", fit->cells);
        opevo_i_cli_table_cell(&table, "%.2f", fit->chi_square);
        opevo_i_cli_table_cell(&table, "%.0f", fit->degrees_of_freedom);
        opevo_i_cli_table_cell(&table, "%.3g", fit->p_chi_square);
        opevo_i_cli_table_cell(&table, "%.2f", fit->g);
        opevo_i_cli_table_cell(&table, "%.3g", fit->p_g);
        opevo_i_cli_table_cell(&table, "%.3g", fit->p_adjusted);
        add_defect_cells(fit, &table);
        opevo_i_cli_table_cell(&table, fit->rejected ? "REJECTED" : "ok");
    }
    status = opevo_i_cli_table_print(&table, opevo_i_cli_terminal_width(STDOUT_FILENO), out, err);
    opevo_text_printf(
        out,
        "\nchi2 and G test the draws; their p are asymptotic (estimated). A test is rejected by "
        "the smaller p, doubled, after Holm over all tests. The columns after that are the power "
        "(estimated): the defects that one of these %zu tests detects with probability %g or more "
        "at alpha = %g: q off by this much; a walk cut after this many steps; the share of edges "
        "whose loss is detected; the other duplicate rule; no duplicate rule.\n",
        self->count, OPEVO_VERIFY_POWER, self->alpha);
    snprintf(verdict, sizeof verdict, "%zu of %zu tests rejected", rejected, self->count);
    opevo_text_add(out, "\n");
    opevo_i_cli_text_add_styled(out, STDOUT_FILENO, rejected ? OPEVO_STYLE_BAD : OPEVO_STYLE_GOOD,
                                verdict);
    opevo_text_printf(out, " at alpha = %g over all tests\n", self->alpha);
    return status;
}

static opevo_status read_suite(const opevo_call *call, suite *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_option_q(call, &self->q, err));
    OPEVO_TRY(
        opevo_i_cli_option_count(call, "draws", 1000000, 100, 1000000000000, &self->draws, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 1, 0, UINT64_MAX, &self->seed, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "alpha", &self->alpha, err));
    if (self->alpha >= 1)
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "--alpha %g: give a probability below 1.", self->alpha);
    else if (self->alpha == 0)
        self->alpha = 1e-6;
cleanup:
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    suite self = {0};
    opevo_space *space = NULL;
    size_t rejected = 0;

    OPEVO_TRY(read_suite(call, &self, err));
    if (call->argument_count)
        OPEVO_TRY(opevo_i_cli_space_of(call->arguments[0], &space, err));
    else
        OPEVO_TRY(opevo_space_parse(showcase, "the built-in space", NULL, &space, err));
    self.builtin_child = !call->argument_count || !breeds(space);
    opevo_i_cli_progress_start(&self.progress, opevo_i_cli_flag(call, "quiet"));
    status = run_tests(&self, space, err);
    opevo_i_cli_progress_end(&self.progress);
    if (status != OPEVO_OK)
        goto cleanup;
    for (size_t i = 0; i < self.count; i++)
        rejected += self.fits[i].rejected;
    if (opevo_i_cli_flag(call, "json"))
        print_json(&self, rejected, out);
    else
        OPEVO_TRY(print_table(&self, rejected, out, err));
    if (call->argument_count && self.builtin_child && self.q > 0 && !opevo_i_cli_flag(call, "json"))
        opevo_text_printf(out,
                          "The child step was tested on the built-in space: this one has more than "
                          "%d points, or too few.\n",
                          MOST_CHILD_POINTS);
    *exit_code = rejected ? OPEVO_EXIT_FAILED : OPEVO_EXIT_OK;
cleanup:
    opevo_space_destroy(space);
    opevo_space_destroy(self.builtin);
    opevo_free(self.tests);
    opevo_free(self.fits);
    return status;
}

const opevo_verb opevo_i_cli_verb_verify = {
    .name = "verify",
    .arguments = "[WHAT]",
    .arguments_max = 1,
    .summary = "Test the samplers against the exact laws, and print the power of the tests.",
    .details =
        "WHAT is an operator, a space file or a parameter; without it, one parameter of each "
        "type.\n"
        "Exit status 1 when a sampler is rejected.\n\n"
        "  opevo verify\n  opevo verify mm1 --draws 10000000\n  opevo verify 'permutation(30)'",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_manifest = true,
    .run = run,
};
