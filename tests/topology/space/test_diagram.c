/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Compiled spaces against enumeration and closed forms. */

#include "random_systems.h"
#include "space_checks.h"

#include <opevo/diagram_box.h>
#include <opevo/diagram_components.h>
#include <opevo/diagram_cursor.h>

#include "diagram_internal.h"
#include "fit.h"
#include "space_internal.h"

enum { SYSTEMS = 300, WIDTH_MOST = 32 };

static opevo_diagram *compile(const opevo_space *space)
{
    opevo_diagram *diagram = NULL;

    CHECK_OK(opevo_diagram_create(space, NULL, &diagram, &err));
    return diagram;
}

static void check_count(const opevo_space *space, const char *digits)
{
    opevo_diagram *diagram = compile(space);
    opevo_text text = {0};

    opevo_diagram_print_count(diagram, &text);
    assert_string_equal(opevo_text_string(&text), digits);
    opevo_text_free(&text);
    opevo_diagram_destroy(diagram);
}

/* ---- Random systems ---- */

/* Whether the diagram allows the points that the constraints, evaluated, allow, numbers these
 * without gaps, and finds the points of the numbers. */
static bool agrees(const opevo_space *space, const opevo_diagram *diagram)
{
    opevo_index size = opevo_space_size(space), count = 0, met_count = 0;
    bool *met = opevo_calloc((size_t)size, sizeof *met);
    bool good = opevo_diagram_count(diagram, &count) && count <= size;

    assert_non_null(met);
    for (opevo_index point = 0; point < size && good; point++) {
        opevo_index vertices[WIDTH_MOST], again[WIDTH_MOST], rank = 0;
        bool allows = opevo_space_allows(space, point);

        opevo_space_decode(space, point, vertices);
        good = opevo_diagram_allows(diagram, vertices) == allows &&
               opevo_diagram_rank(diagram, vertices, &rank) == allows;
        if (!allows || !good)
            continue;
        good = rank < count && !met[(size_t)rank];
        if (!good)
            break;
        met[(size_t)rank] = true;
        met_count++;
        opevo_diagram_unrank(diagram, rank, again);
        good = opevo_space_encode(space, again) == point &&
               memcmp(vertices, again, opevo_space_parameter_count(space) * sizeof *vertices) == 0;
    }
    opevo_free(met);
    return good && met_count == count;
}

/* The p-value of uniform draws over the allowed points, 100 for each. A point that is drawn half as
 * often as it should is found with probability .999 at a level of 1e-6 in a system of 50 points. */
static double fit_draws(const opevo_space *space, const opevo_diagram *diagram, size_t count,
                        uint64_t seed)
{
    uint64_t *drawn = opevo_calloc(count, sizeof *drawn);
    double *expected = opevo_calloc(count, sizeof *expected), p = 0;

    assert_true(drawn && expected);
    for (size_t i = 0; i < 100 * count; i++) {
        opevo_index vertices[WIDTH_MOST], rank = 0;

        opevo_diagram_draw(diagram, random_bits, &seed, vertices);
        assert_true(opevo_space_allows(space, opevo_space_encode(space, vertices)));
        assert_true(opevo_diagram_rank(diagram, vertices, &rank));
        drawn[(size_t)rank]++;
    }
    for (size_t i = 0; i < count; i++)
        expected[i] = 1 / (double)count;
    p = fit_p(drawn, expected, count, 100 * count);
    opevo_free(drawn);
    opevo_free(expected);
    return p;
}

CHECK_TEST(test_random_systems)
{
    size_t systems = 0, branched = 0, listed = 0;
    double least = 1;

    for (uint64_t n = 0; systems < SYSTEMS; n++) {
        opevo_text text = {0};
        opevo_space *space = random_system(n, &text);
        opevo_diagram *diagram = space ? compile(space) : NULL;
        opevo_index count = 0;

        if (space) {
            if (!opevo_diagram_is_sound(diagram) || !agrees(space, diagram))
                fail_msg("%s", opevo_text_string(&text));
            assert_true(opevo_diagram_count(diagram, &count) && count > 0);
            least = fmin(least, count < 200 ? fit_draws(space, diagram, (size_t)count, n) : 1);
            systems++;
            branched += opevo_space_has_branches(space);
            listed += n % 5 == 0;
        }
        opevo_diagram_destroy(diagram);
        opevo_space_destroy(space);
        opevo_text_free(&text);
    }
    assert_true(branched > SYSTEMS / 5 && listed > SYSTEMS / 20);
    assert_true(least > 1e-6);
}

/* One arc with another vertex, count or target, or one node with another count or another set of
 * vertices behind it, is found. */
static void spoil(opevo_diagram *diagram, system_source *source)
{
    opevo_i_topology_group *group = NULL;
    opevo_i_topology_level *level = NULL;
    opevo_i_topology_arc *arc = NULL;
    size_t known = 0;

    do {
        group = &diagram->groups[pick(source, (unsigned)diagram->group_count)];
    } while (group->depth == 0);
    level = &group->levels[pick(source, (unsigned)group->depth)];
    arc = &level->arcs[pick(source, (unsigned)level->arc_count)];
    known = opevo_i_topology_reach(group, (size_t)(level - group->levels));
    switch (pick(source, 4)) {
    case 0:
        arc->count += 1;
        break;
    case 1:
        level->reach[pick(source, (unsigned)(level->node_count * known))] ^= UINT64_C(1)
                                                                             << pick(source, 64);
        break;
    case 2:
        arc->first = arc->first == OPEVO_I_ARC_INACTIVE ? 0 : OPEVO_I_ARC_INACTIVE;
        break;
    default:
        if (level->node_count == 1 || level + 1 == group->levels + group->depth ||
            level[1].node_count == 1)
            level->counts[0]++;
        else
            arc->node = (arc->node + 1) % level[1].node_count;
    }
}

static double distance_to(const opevo_index *a, const opevo_index *b, size_t width)
{
    double sum = 0;

    for (size_t i = 0; i < width; i++)
        sum += a[i] == OPEVO_INACTIVE ? 0 : fabs((double)a[i] - (double)b[i]);
    return sum;
}

/* Whether a point is in a box of up to four vertices of each parameter, or all. */
static bool is_inside(const opevo_box *box, const opevo_index *vertices, size_t width)
{
    size_t inside = 0;

    for (size_t i = 0; i < width; i++) {
        bool all = box->counts[i] == OPEVO_BOX_ALL;

        inside += all;
        for (unsigned k = 0; !all && k < box->counts[i]; k++)
            inside += box->vertices[4 * i + k] == vertices[i];
    }
    return inside == width;
}

/* A random box against enumeration: how many allowed points are in it, draws from it, and which is
 * nearest to its first corner. */
static void check_box(const opevo_space *space, const opevo_diagram *diagram, uint64_t *seed)
{
    size_t width = opevo_space_parameter_count(space), wanted = 0;
    opevo_index values[4 * WIDTH_MOST], corner[WIDTH_MOST], vertices[WIDTH_MOST];
    unsigned counts[WIDTH_MOST];
    opevo_box box = {values, counts, 4};
    opevo_diagram_box *boxes = NULL;
    double least = INFINITY;

    for (size_t i = 0; i < width; i++) {
        uint64_t size = (uint64_t)opevo_parameter_size(opevo_space_parameter(space, i));
        uint64_t first = random_bits(seed) % size;

        counts[i] = (unsigned)(1 + random_bits(seed) % (size < 3 ? size : 3));
        for (unsigned k = 0; k < counts[i]; k++)
            values[4 * i + k] = (first + k) % size;
        corner[i] = first;
        if (opevo_space_activation(space, i).parent != OPEVO_NO_PARENT && random_bits(seed) % 4)
            values[4 * i + counts[i]++] = OPEVO_INACTIVE;
        if (random_bits(seed) % 4 == 0)
            counts[i] = OPEVO_BOX_ALL;
    }
    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        if (!opevo_space_allows(space, point))
            continue;
        opevo_space_decode(space, point, vertices);
        wanted += is_inside(&box, vertices, width);
        least = fmin(least, distance_to(vertices, corner, width));
    }
    CHECK_OK(opevo_diagram_box_create(diagram, &boxes, &err));
    assert_true(opevo_diagram_box_count(boxes, &box) == (double)wanted);
    for (int i = 0; i < 20 && wanted > 0; i++) {
        opevo_diagram_box_draw(boxes, &box, random_bits, seed, vertices);
        assert_true(is_inside(&box, vertices, width) &&
                    opevo_space_allows(space, opevo_space_encode(space, vertices)));
    }
    assert_true(opevo_diagram_nearest(diagram, corner, vertices));
    assert_true(opevo_space_allows(space, opevo_space_encode(space, vertices)));
    assert_true(distance_to(vertices, corner, width) == least);
    opevo_diagram_box_destroy(boxes);
}

CHECK_TEST(test_boxes)
{
    uint64_t seed = 1;

    for (uint64_t n = 0; n < SYSTEMS; n++) {
        opevo_text text = {0};
        opevo_space *space = random_system(n, &text);
        opevo_diagram *diagram = space ? compile(space) : NULL;

        for (int i = 0; i < 5 && diagram; i++)
            check_box(space, diagram, &seed);
        opevo_text_free(&text);
        opevo_diagram_destroy(diagram);
        opevo_space_destroy(space);
    }
}

/* Three points of which two are allowed: each is drawn half of the time, within five standard
 * deviations. */
CHECK_TEST(test_box_draws)
{
    static const opevo_index values[] = {1, 0, 0, 3, 0, 2};
    static const unsigned counts[] = {1, 3};
    opevo_box box = {values, counts, 3};
    opevo_space *space = NULL;
    opevo_diagram *diagram = NULL;
    opevo_diagram_box *boxes = NULL;
    size_t drawn[4] = {0};
    uint64_t seed = 1;

    CHECK_OK(opevo_space_parse("{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2]}, \"b\":"
                               " {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3]},"
                               " \"_constraints\": [\"(a + b) % 4 != 3\"]}",
                               "a test", NULL, &space, &err));
    diagram = compile(space);
    CHECK_OK(opevo_diagram_box_create(diagram, &boxes, &err));
    assert_true(opevo_diagram_box_count(boxes, &box) == 2);
    for (int i = 0; i < 10000; i++) {
        opevo_index vertices[2];

        opevo_diagram_box_draw(boxes, &box, random_bits, &seed, vertices);
        drawn[(size_t)vertices[1]]++;
    }
    assert_true(drawn[0] + drawn[3] == 10000 && fabs((double)drawn[0] - 5000) < 250);
    opevo_diagram_box_destroy(boxes);
    opevo_diagram_destroy(diagram);
    opevo_space_destroy(space);
}

/* Mark the allowed points that steps between allowed neighbours lead to from one. */
static void flood(const opevo_space *space, opevo_index from, bool *met)
{
    opevo_index *stack = opevo_malloc((size_t)opevo_space_size(space), sizeof *stack);
    size_t height = 0;

    assert_non_null(stack);
    stack[height++] = from;
    met[(size_t)from] = true;
    while (height > 0) {
        opevo_index vertices[WIDTH_MOST], point = stack[--height];

        opevo_space_decode(space, point, vertices);
        for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
            const opevo_parameter *parameter = opevo_space_parameter(space, i);
            opevo_index vertex = vertices[i];

            for (opevo_index k = 0; k < opevo_parameter_degree(parameter, vertex); k++) {
                opevo_index next = 0;

                vertices[i] = opevo_parameter_neighbour(parameter, vertex, k);
                next = opevo_space_encode(space, vertices);
                if (!met[(size_t)next] && opevo_space_allows(space, next)) {
                    met[(size_t)next] = true;
                    stack[height++] = next;
                }
            }
            vertices[i] = vertex;
        }
    }
    opevo_free(stack);
}

/* Components against flooding; with little work the answer is withheld, never wrong. */
static void check_components(const opevo_space *space, size_t *connected, size_t *parts)
{
    opevo_diagram *diagram = compile(space);
    bool *met = opevo_calloc((size_t)opevo_space_size(space), sizeof *met), decided = false;
    opevo_index wanted = 0, count = 0;

    assert_non_null(met);
    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        if (met[(size_t)point] || !opevo_space_allows(space, point))
            continue;
        flood(space, point, met);
        wanted++;
    }
    CHECK_OK(opevo_diagram_components(diagram, 0, &decided, &count, &err));
    assert_true(decided && count == wanted);
    *connected += count == 1;
    *parts += count > 1;
    for (uint64_t work = 1; work < 1000; work *= 3) {
        CHECK_OK(opevo_diagram_components(diagram, work, &decided, &count, &err));
        assert_true(!decided || count == wanted);
    }
    opevo_free(met);
    opevo_diagram_destroy(diagram);
}

CHECK_TEST(test_components)
{
    size_t connected = 0, parts = 0;

    for (uint64_t n = 0; connected + parts < SYSTEMS; n++) {
        opevo_text text = {0};
        opevo_space *space = random_system(n, &text);

        opevo_text_free(&text);
        if (space && !opevo_space_has_branches(space))
            check_components(space, &connected, &parts);
        opevo_space_destroy(space);
    }
    assert_true(connected > 50 && parts > 20);
}

/* The cursor meets the allowed points in the order of their numbers, and no others. */
CHECK_TEST(test_cursor)
{
    for (uint64_t n = 0; n < SYSTEMS; n++) {
        opevo_text text = {0};
        opevo_space *space = random_system(n, &text);
        opevo_diagram *diagram = space ? compile(space) : NULL;
        opevo_diagram_cursor *cursor = NULL;
        const opevo_index *vertices = NULL;

        opevo_text_free(&text);
        if (!space)
            continue;
        CHECK_OK(opevo_diagram_cursor_create(diagram, &cursor, &err));
        for (opevo_index point = 0; point < opevo_space_size(space); point++) {
            if (!opevo_space_allows(space, point))
                continue;
            assert_true(opevo_diagram_cursor_next(cursor, &vertices));
            assert_true(opevo_space_encode(space, vertices) == point);
        }
        assert_false(opevo_diagram_cursor_next(cursor, &vertices));
        assert_false(opevo_diagram_cursor_next(cursor, &vertices));
        opevo_diagram_cursor_destroy(cursor);
        opevo_diagram_destroy(diagram);
        opevo_space_destroy(space);
    }
}

/* Whether a constraint excludes a point that all others allow. */
static bool excludes(const opevo_space *space, size_t constraint)
{
    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        opevo_index vertices[WIDTH_MOST];
        size_t failing = 0;

        opevo_space_decode(space, point, vertices);
        for (size_t i = 0; i < space->constraint_count; i++)
            failing += !opevo_i_topology_constraint_holds(space, &space->constraints[i], vertices);
        if (failing == 1 &&
            !opevo_i_topology_constraint_holds(space, &space->constraints[constraint], vertices))
            return true;
    }
    return false;
}

CHECK_TEST(test_useless_constraints_of_random_systems)
{
    size_t useful = 0, others = 0;

    for (uint64_t n = 9000; n < 9000 + SYSTEMS; n++) {
        opevo_text text = {0};
        opevo_space *space = random_system(n, &text);
        bool useless[64];

        for (size_t i = 0; space && !space->ranges && i < space->constraint_count; i++) {
            assert_true(space->constraint_count <= 64);
            if (i == 0)
                CHECK_OK(opevo_space_find_useless(space, useless, &err));
            assert_int_equal(useless[i], !excludes(space, i));
            useful += !useless[i];
            others += useless[i];
        }
        opevo_text_free(&text);
        opevo_space_destroy(space);
    }
    assert_true(useful > SYSTEMS / 4 && others > SYSTEMS / 20);
}

CHECK_TEST(test_spoilt_diagrams)
{
    size_t spoilt = 0, found = 0;

    for (uint64_t n = 0; spoilt < SYSTEMS; n++) {
        opevo_text text = {0};
        opevo_space *space = random_system(n, &text);
        system_source source = {.state = n};

        if (space) {
            opevo_diagram *diagram = compile(space);

            spoil(diagram, &source);
            found += !opevo_diagram_is_sound(diagram) || !agrees(space, diagram);
            spoilt++;
            opevo_diagram_destroy(diagram);
        }
        opevo_space_destroy(space);
        opevo_text_free(&text);
    }
    assert_int_equal(found, spoilt);
}

/* ---- Known counts ---- */

static void add_range(opevo_text *json, const char *name, int most)
{
    opevo_text_printf(json, "\"%s\": {\"_type\": \"discrete\", \"_value\": [1", name);
    for (int value = 2; value <= most; value++)
        opevo_text_printf(json, ", %d", value);
    opevo_text_add(json, "]}, ");
}

/* The tiles of a direct GEMM, as CLBlast and ATF have them; counted by loops over divisors
 * elsewhere. */
static opevo_space *gemm(int most)
{
    opevo_text json = {0};
    opevo_space *space = NULL;

    opevo_text_add(&json, "{");
    add_range(&json, "WGD", most);
    add_range(&json, "MDIMCD", most);
    add_range(&json, "NDIMCD", most);
    add_range(&json, "MDIMAD", most);
    add_range(&json, "NDIMBD", most);
    add_range(&json, "KWID", most);
    opevo_text_add(
        &json, "\"VWMD\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8]},"
               "\"VWND\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8]},"
               "\"PADA\": {\"_type\": \"discrete\", \"_value\": [0, 1]},"
               "\"PADB\": {\"_type\": \"discrete\", \"_value\": [0, 1]}, \"_constraints\": ["
               "\"WGD % KWID == 0\", \"WGD % (MDIMCD*VWMD) == 0\", \"WGD % (NDIMCD*VWND) == 0\","
               "\"WGD % (MDIMAD*VWMD) == 0\", \"WGD % (NDIMBD*VWND) == 0\","
               "\"(MDIMCD*NDIMCD) % MDIMAD == 0 && WGD % ((MDIMCD*NDIMCD)/MDIMAD) == 0\","
               "\"(MDIMCD*NDIMCD) % NDIMBD == 0 && WGD % ((MDIMCD*NDIMCD)/NDIMBD) == 0\"]}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "gemm.json", NULL, &space, &err));
    opevo_text_free(&json);
    return space;
}

CHECK_TEST(test_gemm)
{
    static const struct {
        int most;
        const char *count;
    } sizes[] = {{64, "2880920"}, {256, "72048552"}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        opevo_space *space = gemm(sizes[i].most);

        check_count(space, sizes[i].count);
        opevo_space_destroy(space);
    }
}

/* 9 products of two of 8 powers of two that are 128: 8^9 points. */
CHECK_TEST(test_pairs)
{
    opevo_text json = {0};
    opevo_space *space = NULL;

    opevo_text_add(&json, "{");
    for (int i = 0; i < 18; i++)
        opevo_text_printf(&json,
                          "\"p%d\": {\"_type\": \"discrete\", \"_value\": "
                          "[1, 2, 4, 8, 16, 32, 64, 128]}, ",
                          i);
    opevo_text_add(&json, "\"_constraints\": [\"p0 * p1 == 128\"");
    for (int i = 1; i < 9; i++)
        opevo_text_printf(&json, ", \"p%d * p%d == 128\"", 2 * i, 2 * i + 1);
    opevo_text_add(&json, "]}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "pairs.json", NULL, &space, &err));
    check_count(space, "134217728");
    opevo_text_free(&json);
    opevo_space_destroy(space);
}

/* Sums of 30 values below 3 that are at most 30. By symmetry as many are at least 30, so they are
 * half of 3^30 + c, with the central trinomial coefficient c = 18252025766941. */
CHECK_TEST(test_sum)
{
    opevo_text json = {0};
    opevo_space *space = NULL;

    opevo_text_add(&json, "{");
    for (int i = 0; i < 30; i++)
        opevo_text_printf(&json, "\"p%d\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2]}, ", i);
    opevo_text_add(&json, "\"_constraints\": [\"30 >= p0");
    for (int i = 1; i < 30; i++)
        opevo_text_printf(&json, " + p%d", i);
    opevo_text_add(&json, "\"]}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&json), "sum.json", NULL, &space, &err));
    check_count(space, "112071578930795");
    opevo_text_free(&json);
    opevo_space_destroy(space);
}

/* ---- Limits and failures ---- */

CHECK_TEST(test_limits)
{
    opevo_space *space = gemm(64);
    opevo_diagram *diagram = NULL;

    CHECK_FAILS(OPEVO_LIMIT, "The diagram of the parameters WGD, ",
                opevo_diagram_create(space,
                                     &(opevo_diagram_limits){1000000, OPEVO_DIAGRAM_BYTES_MOST},
                                     &diagram, &err));
    CHECK_FAILS(OPEVO_LIMIT, "takes more than 1e+05 bytes",
                opevo_diagram_create(space,
                                     &(opevo_diagram_limits){OPEVO_DIAGRAM_WORK_MOST, 100000},
                                     &diagram, &err));
    assert_null(diagram);
    opevo_space_destroy(space);
}

CHECK_TEST(test_every_allocation_fails)
{
    size_t systems = 0;

    for (uint64_t seed = 0; systems < 6; seed++) {
        opevo_text text = {0};
        opevo_space *space = random_system(seed, &text);
        opevo_status status = OPEVO_NOMEM;
        int64_t live = opevo_memory_live();

        for (int64_t n = 1; space && status != OPEVO_OK; n++) {
            opevo_diagram *diagram = NULL;

            opevo_memory_fail_at(n);
            status = opevo_diagram_create(space, NULL, &diagram, NULL);
            opevo_memory_fail_at(0);
            assert_true(status == OPEVO_OK || (status == OPEVO_NOMEM && !diagram));
            if (diagram)
                assert_true(agrees(space, diagram));
            opevo_diagram_destroy(diagram);
            assert_int_equal(opevo_memory_live(), live);
        }
        systems += space != NULL;
        opevo_space_destroy(space);
        opevo_text_free(&text);
    }
}
