/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Figures: well-formed, true to the law, readable. */

#include "check_memory.h"

#include <opevo/figure.h>

#include <stdlib.h>

typedef struct row {
    const char *parameter, *topology;
    double q;
} row;

/* Every layout, and the edges of what can be drawn. */
static const row rows[] = {
    {"factor(8,3)", NULL, 0.5},
    {"factor(24,3)", NULL, 0.5},
    {"factor(36,3)", NULL, 0.5},
    {"factor(1024,3)", NULL, 0.7},
    {"factor(8,4)", NULL, 0.7},
    {"factor(64,2)", NULL, 0.7},
    {"factor(1,3)", NULL, 0.7},
    {"factor(8,3)", "any-divisor", 0.5},
    {"permutation(3)", NULL, 0.5},
    {"permutation(4)", "adjacent-swap", 0.5},
    {"permutation(4)", "insertion", 0.5},
    {"discrete(1,2,3,4,5,6,7,8)", NULL, 0.5},
    {"discrete(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", NULL, 0.9},
    {"discrete(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", "cycle", 0.9},
    {"discrete(1,2)", "complete", 0},
    {"categorical(a,b,c,d,e,f)", NULL, 0.5},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static opevo_parameter *parameter_of(const row *r)
{
    opevo_parameter *parameter = NULL;

    CHECK_OK(opevo_parameter_parse("P", r->parameter, r->topology, &parameter, &err));
    return parameter;
}

static opevo_text draw(const opevo_parameter *parameter, double q, opevo_index start,
                       opevo_law **law)
{
    opevo_text svg = {0};

    CHECK_OK(opevo_law_create(parameter, q, start, NULL, law, &err));
    CHECK_OK(opevo_figure_law(*law, &svg, &err));
    return svg;
}

/* A tag's name ends at a space, a slash or the closing bracket. */
static size_t name_length(const char *name)
{
    return strcspn(name, " />\n");
}

/* Every tag is closed by its own name in the right order, attributes are quoted, and no bare '<' or
 * '&' is left in text. */
static void check_well_formed(const char *svg)
{
    const char *open[16] = {""};
    size_t depth = 0, elements = 0;
    const char *at = svg;

    assert_int_equal(strncmp(at, "<?xml ", 6), 0);
    at = strstr(at, "?>") + 2;
    for (; *at; at++) {
        if (*at == '&')
            assert_true(!strncmp(at, "&lt;", 4) || !strncmp(at, "&gt;", 4) ||
                        !strncmp(at, "&amp;", 5) || !strncmp(at, "&quot;", 6) ||
                        !strncmp(at, "&#", 2) || !strncmp(at, "&apos;", 6));
        if (*at != '<')
            continue;
        if (at[1] == '/') {
            const char *name = depth > 0 ? open[--depth] : "?";
            size_t length = name_length(at + 2);

            assert_int_equal(name_length(name), length);
            assert_int_equal(strncmp(name, at + 2, length), 0);
            at = strchr(at, '>');
        } else {
            bool quoted = false;

            assert_true(depth < 16);
            open[depth] = at + 1;
            for (at++; *at && (quoted || *at != '>'); at++) {
                assert_true(*at != '<');
                quoted ^= *at == '"';
            }
            depth += at[-1] != '/';
            elements++;
        }
        assert_true(*at == '>');
    }
    assert_int_equal(depth, 0);
    assert_true(elements > 10);
}

/* Number of the attribute in the element at `tag`. */
static double number_of(const char *tag, const char *attribute)
{
    char key[32];
    const char *place = NULL;

    snprintf(key, sizeof key, " %s=\"", attribute);
    place = strstr(tag, key);
    assert_non_null(place);
    return strtod(place + strlen(key), NULL);
}

enum { CIRCLES = 512 };

typedef struct circle {
    double x, y, r, p;
    char fill[8];
} circle;

static size_t read_circles(const char *svg, circle *out)
{
    size_t count = 0;

    for (const char *tag = strstr(svg, "<circle"); tag; tag = strstr(tag + 1, "<circle")) {
        const char *fill = strstr(tag, " fill=\"");

        assert_true(count < CIRCLES);
        out[count] = (circle){.x = number_of(tag, "cx"),
                              .y = number_of(tag, "cy"),
                              .r = number_of(tag, "r"),
                              .p = number_of(tag, "data-p")};
        memcpy(out[count].fill, fill + 7, 7);
        count++;
    }
    return count;
}

CHECK_TEST(test_every_layout_is_well_formed)
{
    for (size_t i = 0; i < ROWS; i++) {
        opevo_parameter *parameter = parameter_of(&rows[i]);
        opevo_law *law = NULL;
        opevo_text svg = draw(parameter, rows[i].q, 0, &law);

        check_well_formed(svg.data);
        opevo_text_free(&svg);
        opevo_law_destroy(law);
        opevo_parameter_destroy(parameter);
    }
}

/* The circles are the vertices in order, with the law to the last digit. */
CHECK_TEST(test_circles_carry_the_law)
{
    static circle circles[CIRCLES];

    for (size_t i = 0; i < ROWS; i++) {
        opevo_parameter *parameter = parameter_of(&rows[i]);
        size_t size = (size_t)opevo_parameter_size(parameter);
        opevo_law *law = NULL;
        opevo_text svg = draw(parameter, rows[i].q, size / 2, &law);

        assert_int_equal(read_circles(svg.data, circles), size);
        for (size_t v = 0; v < size; v++)
            CHECK_CLOSE(circles[v].p, opevo_law_probability(law, v), 0);
        opevo_text_free(&svg);
        opevo_law_destroy(law);
        opevo_parameter_destroy(parameter);
    }
}

/* Circles do not overlap and lie on the page; the ring is around the start. */
CHECK_TEST(test_places)
{
    static circle circles[CIRCLES];

    for (size_t i = 0; i < ROWS; i++) {
        opevo_parameter *parameter = parameter_of(&rows[i]);
        size_t size = (size_t)opevo_parameter_size(parameter), start = size / 2;
        opevo_law *law = NULL;
        opevo_text svg = draw(parameter, rows[i].q, start, &law);
        double width = number_of(strstr(svg.data, "<svg"), "width");
        double height = number_of(strstr(svg.data, "<svg"), "height");

        read_circles(svg.data, circles);
        for (size_t v = 0; v < size; v++) {
            circle c = circles[v];

            assert_true(c.x - c.r > 0 && c.x + c.r < width - 100);
            assert_true(c.y - c.r > 50 && c.y + c.r < height);
            for (size_t w = 0; w < v; w++)
                assert_true(hypot(c.x - circles[w].x, c.y - circles[w].y) > c.r + circles[w].r);
        }
        CHECK_CLOSE(number_of(strstr(svg.data, "<ellipse"), "cx"), circles[start].x, 0.11);
        CHECK_CLOSE(number_of(strstr(svg.data, "<ellipse"), "cy"), circles[start].y, 0.11);
        opevo_text_free(&svg);
        opevo_law_destroy(law);
        opevo_parameter_destroy(parameter);
    }
}

static double brightness(const char *fill)
{
    long rgb = strtol(fill + 1, NULL, 16);

    return 0.2126 * pow((double)(rgb >> 16) / 255, 2.2) +
           0.7152 * pow((double)(rgb >> 8 & 255) / 255, 2.2) +
           0.0722 * pow((double)(rgb & 255) / 255, 2.2);
}

/* The more probable, the darker; equally probable, the same colour. */
CHECK_TEST(test_shades_follow_the_law)
{
    static circle circles[CIRCLES];
    opevo_parameter *parameter = parameter_of(&rows[0]);
    opevo_law *law = NULL;
    opevo_text svg = draw(parameter, 0.5, 0, &law);
    size_t count = read_circles(svg.data, circles);

    for (size_t v = 0; v < count; v++)
        for (size_t w = 0; w < count; w++) {
            if (circles[v].p > circles[w].p * 1.01)
                assert_true(brightness(circles[v].fill) < brightness(circles[w].fill));
            if (fabs(circles[v].p / circles[w].p - 1) < 1e-9)
                assert_memory_equal(circles[v].fill, circles[w].fill, 7);
        }
    opevo_text_free(&svg);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
}

/* Labels as in the paper; values that are XML themselves; long ones cut; no labels above 120. */
CHECK_TEST(test_labels)
{
    opevo_parameter *parameter = NULL;
    opevo_law *law = NULL;
    opevo_text svg = {0};
    opevo_value values[] = {
        {.kind = OPEVO_VALUE_TEXT, .as = {.text = "<a&b>"}},
        {.kind = OPEVO_VALUE_TEXT, .as = {.text = "\xc3\xa4\xc3\xa4\xc3\xa4 and some more text"}}};
    opevo_parameter_spec spec = {
        .name = "P", .type = "categorical", .values = values, .value_count = 2};

    parameter = parameter_of(&rows[0]);
    svg = draw(parameter, 0.5, 0, &law);
    assert_non_null(strstr(svg.data, ">(8,1,1)</text>"));
    assert_non_null(strstr(svg.data, ">0.541</text>"));
    assert_non_null(strstr(svg.data, "q = 0.5, start (8,1,1), exact, bound "));
    assert_non_null(strstr(svg.data, "factor(8,3), topology prime-move"));
    opevo_text_free(&svg);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);

    CHECK_OK(opevo_parameter_create(&spec, &parameter, &err));
    svg = draw(parameter, 0, 0, &law);
    check_well_formed(svg.data);
    assert_non_null(strstr(svg.data, ">&lt;a&amp;b&gt;</text>"));
    assert_non_null(strstr(svg.data, ">\xc3\xa4\xc3\xa4\xc3\xa4 and some \xe2\x80\xa6</text>"));
    assert_non_null(strstr(svg.data, "stroke-dasharray")); /* out of reach at q = 0 */
    opevo_text_free(&svg);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);

    CHECK_OK(opevo_parameter_parse("P", "factor(65536,3)", NULL, &parameter, &err));
    svg = draw(parameter, 0.5, 0, &law);
    assert_null(strstr(svg.data, ">(1,1,65536)</text>"));
    assert_non_null(strstr(svg.data, "<title>(1,1,65536): "));
    opevo_text_free(&svg);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_too_large)
{
    opevo_parameter *parameter = NULL;
    opevo_law *law = NULL;
    opevo_text svg = {0};

    CHECK_OK(opevo_parameter_parse("P", "permutation(6)", NULL, &parameter, &err));
    CHECK_OK(opevo_law_create(parameter, 0.5, 0, NULL, &law, &err));
    CHECK_FAILS(OPEVO_LIMIT, "400", opevo_figure_law(law, &svg, &err));
    assert_null(svg.data);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
}

/* The same text twice: nothing random, no address in it. */
CHECK_TEST(test_repeatable)
{
    opevo_parameter *parameter = parameter_of(&rows[4]);
    opevo_law *law = NULL, *again = NULL;
    opevo_text one = draw(parameter, 0.5, 3, &law), two = draw(parameter, 0.5, 3, &again);

    assert_string_equal(one.data, two.data);
    opevo_text_free(&one);
    opevo_text_free(&two);
    opevo_law_destroy(law);
    opevo_law_destroy(again);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_failing_allocations)
{
    opevo_text svg = {0};
    opevo_law *law = NULL;

    for (size_t i = 0; i < ROWS; i += i == 7 ? 1 : 7) { /* a triangle, an igraph one, columns */
        opevo_parameter *parameter = parameter_of(&rows[i]);

        CHECK_OK(opevo_law_create(parameter, 0.5, 0, NULL, &law, &err));
        CHECK_MEMORY_OF(opevo_figure_law(law, &svg, NULL), opevo_text_free(&svg));
        opevo_law_destroy(law);
        opevo_parameter_destroy(parameter);
    }
}
