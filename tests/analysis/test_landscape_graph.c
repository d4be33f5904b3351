/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tables, graphs, products, components and distances of landscapes against their definitions. */

#include "landscape_fixture.h"

#include <opevo/landscape_profile.h>

CHECK_TEST(test_table)
{
    fake self = fake_landscape(mixed_space, 0, 3, 1);
    opevo_landscape_table *one = NULL, *many = NULL;
    size_t allowed = 0, ok = 0;

    CHECK_OK(opevo_landscape_table_create(&self.super, 1, &one, &err));
    CHECK_OK(opevo_landscape_table_create(&self.super, 3, &many, &err));
    assert_int_equal(one->size, opevo_space_size(self.space));
    assert_memory_equal(one->state, many->state, one->size);
    assert_memory_equal(one->fitness, many->fitness, one->size * sizeof(double));
    for (size_t x = 0; x < one->size; x++) {
        opevo_outcome outcome = fake_outcome(&self, x);
        bool may = opevo_space_allows(self.space, x);

        allowed += may;
        ok += may && outcome.kind == OPEVO_OUTCOME_OK;
        assert_int_equal(one->state[x], !may                               ? OPEVO_POINT_FORBIDDEN
                                        : outcome.kind == OPEVO_OUTCOME_OK ? OPEVO_POINT_OK
                                                                           : OPEVO_POINT_FAILED);
        CHECK_CLOSE(one->fitness[x], may ? outcome.fitness : 0, 0);
        assert_true(one->fitness[x] <= one->best);
    }
    assert_true(one->allowed == allowed && one->ok == ok && ok < allowed && allowed < one->size);
    opevo_landscape_table_destroy(one);
    opevo_landscape_table_destroy(many);
    opevo_space_destroy(self.space);
}

/* Products with unit vectors show every entry of the matrix. */
static void check_matrix(const small_landscape *self)
{
    size_t n = self->count;
    double *x = calloc(n, sizeof *x), *y = malloc(n * sizeof *y), edges = 0;

    assert_true(x && y);
    for (size_t v = 0; v < n; v++) {
        double degree = 0;

        x[v] = 1;
        CHECK_OK(opevo_landscape_graph_multiply(self->graph, x, y, 1 + (unsigned)(v % 3), &err));
        x[v] = 0;
        for (size_t u = 0; u < n; u++) {
            CHECK_CLOSE(y[u], self->adjacent[u * n + v], 0);
            degree += y[u];
        }
        CHECK_CLOSE(opevo_landscape_graph_degree(self->graph, v), degree, 0);
        CHECK_CLOSE(opevo_landscape_graph_fitness(self->graph, v), self->fitness[v], 0);
        edges += degree / 2;
    }
    CHECK_CLOSE(opevo_landscape_graph_edges(self->graph), edges, 0);
    free(x);
    free(y);
}

/* Distances by relaxing every edge until nothing changes; -1: no path. */
static int *distances(const small_landscape *self, const bool *source)
{
    size_t n = self->count;
    int *distance = malloc(n * sizeof *distance);

    assert_non_null(distance);
    for (size_t u = 0; u < n; u++)
        distance[u] = source[u] ? 0 : -1;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t u = 0; u < n; u++) {
            for (size_t v = 0; v < n; v++) {
                if (self->adjacent[u * n + v] && distance[u] >= 0 &&
                    (distance[v] < 0 || distance[v] > distance[u] + 1)) {
                    distance[v] = distance[u] + 1;
                    changed = true;
                }
            }
        }
    }
    return distance;
}

static void check_components(const small_landscape *self)
{
    size_t n = self->count, components = 0, largest = 0, optimum = 0, best = 0, isolated = 0;
    bool *source = calloc(n, sizeof *source), *seen = calloc(n, sizeof *seen);
    opevo_connectedness c;

    assert_true(source && seen);
    for (size_t u = 0; u < n; u++)
        best = self->fitness[u] > self->fitness[best] ? u : best;
    for (size_t u = 0; u < n; u++) {
        int *distance = NULL;
        size_t size = 0;
        bool has_best = false;

        if (seen[u])
            continue;
        source[u] = true;
        distance = distances(self, source);
        source[u] = false;
        for (size_t v = 0; v < n; v++) {
            size += distance[v] >= 0;
            seen[v] = seen[v] || distance[v] >= 0;
            has_best = has_best || (distance[v] >= 0 && v == best);
        }
        components++;
        isolated += size == 1;
        largest = size > largest ? size : largest;
        optimum = has_best ? size : optimum;
        free(distance);
    }
    CHECK_OK(opevo_landscape_connectedness(self->graph, &c, &err));
    assert_int_equal(c.components, components);
    assert_int_equal(c.largest, largest);
    assert_int_equal(c.optimum, optimum);
    assert_int_equal(c.isolated, isolated);
    free(source);
    free(seen);
}

static double brute_correlation(const double *x, const double *y, size_t n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

    for (size_t i = 0; i < n; i++) {
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return xx > 1e-9 && yy > 1e-9 ? xy / sqrt(xx * yy) : NAN;
}

static void rank_of(const double *x, double *rank, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rank[i] = 0;
        for (size_t k = 0; k < n; k++)
            rank[i] += x[k] < x[i] ? 1 : x[k] == x[i] ? 0.5 : 0;
    }
}

static void check_close_or_nan(double actual, double expected)
{
    if (isnan(expected))
        assert_true(isnan(actual));
    else
        CHECK_CLOSE(actual, expected, 1e-12);
}

static void check_distance(const small_landscape *self)
{
    size_t n = self->count, reached = 0;
    bool *source = calloc(n, sizeof *source);
    double *d = malloc(n * sizeof *d), *f = malloc(n * sizeof *f), *rank_d = malloc(n * sizeof *f),
           *rank_f = malloc(n * sizeof *f), best = 0;
    int *distance = NULL;
    opevo_fitness_distance out;

    assert_true(source && d && f && rank_d && rank_f);
    for (size_t u = 0; u < n; u++)
        best = fmax(best, self->fitness[u]);
    for (size_t u = 0; u < n; u++)
        source[u] = self->fitness[u] == best;
    distance = distances(self, source);
    CHECK_OK(opevo_landscape_fitness_distance(self->graph, OPEVO_SCALE_LINEAR, &out, &err));
    for (size_t u = 0; u < n; u++) {
        if (distance[u] < 0)
            continue;
        d[reached] = distance[u];
        f[reached++] = self->fitness[u];
    }
    assert_int_equal(out.unreachable, n - reached);
    check_close_or_nan(out.pearson, brute_correlation(d, f, reached));
    rank_of(d, rank_d, reached);
    rank_of(f, rank_f, reached);
    check_close_or_nan(out.spearman, brute_correlation(rank_d, rank_f, reached));
    for (size_t shell = 0, total = 0; shell < out.shell_count; shell++) {
        double sum = 0, squares = 0, count = 0;

        for (size_t i = 0; i < reached; i++) {
            count += d[i] == (double)shell;
            sum += d[i] == (double)shell ? f[i] : 0;
        }
        for (size_t i = 0; i < reached; i++)
            squares += d[i] == (double)shell ? pow(f[i] - sum / count, 2) : 0;
        CHECK_CLOSE((double)out.shell[shell].nodes, count, 0);
        CHECK_CLOSE(out.shell[shell].mean, sum / count, 1e-12);
        if (count > 1)
            CHECK_CLOSE(out.shell[shell].sd, sqrt(squares / (count - 1)), 1e-12);
        total += out.shell[shell].nodes;
        assert_true(shell + 1 < out.shell_count || total == reached);
    }
    opevo_fitness_distance_release(&out);
    free(source);
    free(distance);
    free(d);
    free(f);
    free(rank_d);
    free(rank_f);
}

CHECK_TEST(test_against_definition)
{
    for (size_t i = 0; i < SMALL_LANDSCAPES; i++) {
        small_landscape self = small_landscape_number(i);

        check_matrix(&self);
        check_components(&self);
        check_distance(&self);
        small_landscape_free(&self);
    }
}

/* The rows that three threads build are those of one. */
CHECK_TEST(test_threads)
{
    fake self = fake_landscape("{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]},"
                               " \"X\": {\"_type\": \"factor\", \"_value\": [512, 3]},"
                               " \"w\": {\"_type\": \"choice\", \"_value\": [1, 2, 3]}}",
                               0, 2, 5);
    opevo_landscape_table *table = NULL;
    opevo_landscape_graph *one = NULL, *many = NULL;
    double *x = NULL, *y = NULL, *z = NULL;
    size_t n = 0;

    CHECK_OK(opevo_landscape_table_create(&self.super, 3, &table, &err));
    CHECK_OK(opevo_landscape_graph_create(table, self.space, OPEVO_NODES_OK, 0, 1, &one, &err));
    CHECK_OK(opevo_landscape_graph_create(table, self.space, OPEVO_NODES_OK, 0, 3, &many, &err));
    n = opevo_landscape_graph_count(one);
    x = malloc(3 * n * sizeof *x);
    assert_non_null(x);
    y = x + n;
    z = y + n;
    for (size_t u = 0; u < n; u++)
        x[u] = opevo_landscape_graph_fitness(one, u);
    CHECK_OK(opevo_landscape_graph_multiply(one, x, y, 1, &err));
    CHECK_OK(opevo_landscape_graph_multiply(many, x, z, 3, &err));
    assert_memory_equal(y, z, n * sizeof *y);
    free(x);
    opevo_landscape_graph_destroy(one);
    opevo_landscape_graph_destroy(many);
    opevo_landscape_table_destroy(table);
    opevo_space_destroy(self.space);
}

CHECK_TEST(test_refused)
{
    fake all_fail = fake_landscape(path_space, 0, 10, 1);
    fake other = fake_landscape(full_space, 0, 0, 1);
    fake large =
        fake_landscape("{\"K\": {\"_type\": \"factor\", \"_value\": [1048576, 12]}}", 0, 0, 1);
    opevo_landscape_table *table = NULL, *untouched = NULL;
    opevo_landscape_graph *graph = NULL;
    opevo_nodes nodes = OPEVO_NODES_ALL;

    CHECK_OK(opevo_landscape_table_create(&all_fail.super, 1, &table, &err));
    assert_true(isnan(table->best) && table->ok == 0);
    CHECK_FAILS(
        OPEVO_INVALID, "no successful point",
        opevo_landscape_graph_create(table, all_fail.space, OPEVO_NODES_OK, 0, 1, &graph, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "points of the space differ",
        opevo_landscape_graph_create(table, other.space, OPEVO_NODES_OK, 0, 1, &graph, &err));
    CHECK_FAILS(OPEVO_LIMIT, "bytes",
                opevo_landscape_graph_create(table, all_fail.space, OPEVO_NODES_ALLOWED, 100, 1,
                                             &graph, &err));
    CHECK_FAILS(OPEVO_LIMIT, "every point",
                opevo_landscape_table_create(&large.super, 1, &untouched, &err));
    assert_true(!graph && !untouched);
    assert_true(opevo_nodes_parse("ok", &nodes) && nodes == OPEVO_NODES_OK);
    assert_false(opevo_nodes_parse("okay", &nodes));
    opevo_landscape_table_destroy(table);
    opevo_space_destroy(all_fail.space);
    opevo_space_destroy(other.space);
    opevo_space_destroy(large.space);
}

/* ---- Profiles and topologies ---- */

static opevo_status make_all(fake *self, opevo_error *err)
{
    opevo_landscape_table *table = NULL;
    opevo_topology_choice *choices = NULL;
    opevo_profile_options options = {.nodes = OPEVO_NODES_ALLOWED,
                                     .target = 0.9,
                                     .order_max = 2,
                                     .interactions = true,
                                     .threads = 1};
    opevo_landscape_profile profile;
    size_t count = 0;
    opevo_status status = opevo_landscape_table_create(&self->super, 1, &table, err);

    if (status == OPEVO_OK)
        status = opevo_topology_choices_create(self->space, &choices, &count, err);
    if (status == OPEVO_OK)
        status = opevo_landscape_profile_create(table, choices[0].space, &options, &profile, err);
    if (status == OPEVO_OK)
        opevo_landscape_profile_release(&profile);
    opevo_topology_choices_destroy(choices, count);
    opevo_landscape_table_destroy(table);
    return status;
}

/* Every allocation fails in turn, and nothing stays alive. */
CHECK_TEST(test_out_of_memory)
{
    fake self = fake_landscape(mixed_space, 0, 3, 1);
    int64_t live = opevo_memory_live();
    bool done = false;

    for (int64_t n = 1; !done; n++) {
        opevo_error err = {OPEVO_OK, ""};
        opevo_status status = OPEVO_OK;

        opevo_memory_fail_at(n);
        status = make_all(&self, &err);
        done = status == OPEVO_OK;
        opevo_memory_fail_at(0);
        assert_true(done || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
        assert_true(n < 100000);
    }
    opevo_space_destroy(self.space);
}

CHECK_TEST(test_choices)
{
    fake self = fake_landscape(mixed_space, 0, 3, 1);
    fake plain = fake_landscape(path_space, 0, 0, 1);
    opevo_topology_choice *choices = NULL;
    size_t count = 0, same = 0;

    /* Three of factor, four of discrete; the space itself mixes two of discrete. */
    CHECK_OK(opevo_topology_choices_create(self.space, &choices, &count, &err));
    assert_int_equal(count, 13);
    assert_string_equal(choices[0].name, "as given");
    assert_true(opevo_space_signature(choices[0].space) == opevo_space_signature(self.space));
    assert_string_equal(choices[1].name, "path, prime-move");
    assert_string_equal(opevo_parameter_topology(opevo_space_parameter(choices[2].space, 0)),
                        "any-divisor");
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(opevo_space_size(choices[i].space), opevo_space_size(self.space));
        for (opevo_index x = 0; x < opevo_space_size(self.space); x++)
            assert_true(opevo_space_allows(self.space, x) ==
                        opevo_space_allows(choices[i].space, x));
    }
    opevo_topology_choices_destroy(choices, count);
    CHECK_OK(opevo_topology_choices_create(plain.space, &choices, &count, &err));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++)
        same += opevo_space_signature(choices[i].space) == opevo_space_signature(plain.space);
    assert_int_equal(same, 1);
    opevo_topology_choices_destroy(choices, count);
    CHECK_OK(opevo_topology_choice_named(self.space, "steps(3),any-divisor", &choices, &err));
    assert_string_equal(opevo_parameter_topology(opevo_space_parameter(choices->space, 0)),
                        "any-divisor");
    assert_string_equal(opevo_parameter_topology(opevo_space_parameter(choices->space, 1)),
                        "steps(3)");
    opevo_topology_choices_destroy(choices, 1);
    CHECK_FAILS(OPEVO_INVALID, "insertion",
                opevo_topology_choice_named(self.space, "path,insertion", &choices, &err));
    CHECK_FAILS(OPEVO_INVALID, "\"\"",
                opevo_topology_choice_named(self.space, "path,", &choices, &err));
    opevo_space_destroy(self.space);
    opevo_space_destroy(plain.space);
}

/* A space of one point has a profile, too. */
CHECK_TEST(test_one_point)
{
    fake self = fake_landscape(single_space, 0, 0, 1);
    opevo_landscape_table *table = NULL;
    opevo_profile_options options = {.nodes = OPEVO_NODES_OK, .target = 1, .interactions = true};
    opevo_landscape_profile p;

    CHECK_OK(opevo_landscape_table_create(&self.super, 1, &table, &err));
    CHECK_OK(opevo_landscape_profile_create(table, self.space, &options, &p, &err));
    CHECK_CLOSE(p.descent.cost, 1, 0);
    CHECK_CLOSE(p.descent.cost_sd, 0, 0);
    CHECK_CLOSE(p.descent.optima[0].basin, 1, 0);
    CHECK_CLOSE(p.centrality[0], 1, 0);
    assert_false(p.autocorrelation.defined || p.interaction.defined);
    assert_true(isnan(p.distance.pearson) && p.ok.components == 1 && p.ok.isolated == 1);
    opevo_landscape_profile_release(&p);
    opevo_landscape_table_destroy(table);
    opevo_space_destroy(self.space);
}
