/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Numbers in what a program printed: which are found, which are refused, and at what cost. */

#include "check.h"

#include <opevo/memory.h>

#include <string.h>
#include <time.h>

#include "result_reader_internal.h"

enum { MEBIBYTE = 1 << 20 };

typedef struct found {
    bool good;
    double *values;
    size_t count, capacity;
    opevo_text why;
} found;

static found read_from(const char *text, const char *output)
{
    found all = {0};
    opevo_i_wire_result_reader reading;

    CHECK_OK(opevo_i_wire_result_reader_parse(text, &reading, &err));
    all.good = opevo_i_wire_result_reader_apply(&reading, output, 0.5, &all.values, &all.count,
                                                &all.capacity, &all.why);
    opevo_i_wire_result_reader_clear(&reading);
    return all;
}

static void release(found *all)
{
    opevo_free(all->values);
    opevo_text_free(&all->why);
}

static void check_refused(const char *text, const char *output, const char *why)
{
    found all = read_from(text, output);

    if (all.good || !strstr(opevo_text_string(&all.why), why))
        fail_msg("%s of \"%.40s\": \"%s\" lacks \"%s\"", text, output, opevo_text_string(&all.why),
                 why);
    release(&all);
}

static void check_found(const char *text, const char *output, size_t count, double last)
{
    found all = read_from(text, output);

    if (!all.good || all.count != count)
        fail_msg("%s of \"%.40s\": %zu values (%s)", text, output, all.count,
                 opevo_text_string(&all.why));
    CHECK_CLOSE(all.values[count - 1] / last, 1, 1e-12);
    release(&all);
}

/* `length` bytes of `piece` again and again, then `tail`. */
static char *repeat(const char *piece, size_t length, const char *tail)
{
    char *text = opevo_malloc(length + strlen(tail) + 1, 1);
    size_t period = strlen(piece);

    assert_non_null(text);
    for (size_t i = 0; i < length; i++)
        text[i] = piece[i % period];
    strcpy(text + length, tail);
    return text;
}

static void overlay(char *text, const char *piece)
{
    for (size_t i = 0; piece[i]; i++)
        text[i] = piece[i];
}

CHECK_TEST(test_places)
{
    check_found("s:wall", "", 1, 0.5);
    check_found("ms:/took ([0-9.]+)/", "took 1\nand took 2.5", 2, 0.0025);
    check_found("gflops:/[0-9]+/", "1 2 3", 3, 3);
    check_found("score:/^([0-9]+)$/", "x7\n8\n9x\n10", 2, 10);
    check_found("score:json:a.1", "noise\n{\"a\": [1, 2]}\n", 1, 2);
    check_found("score:json:a", "{\"a\": [1, 2]}", 2, 2);
    check_refused("score:/[0-9]/", "", "no match");
    check_refused("score:/[a-z]+/", "abc", "\"abc\", which is not a number");
    check_refused("ms:json:b", "{\"a\": 1}", "no number at b");
    check_refused("ms:json:a", "{\"a\": [1, null]}",
                  "a.1 of the JSON that it printed is not a number");
    check_refused("ms:json:a", "{\"a\": [\"1\"]}", "a.0 of the JSON");
    /* What Python writes for floats elsewhere does no harm; as the result it is malformed. */
    check_found("score:json:a", "{\"loss\": NaN, \"a\": 3, \"b\": [-Infinity, Infinity]}", 1, 3);
    check_found("score:json:a", "NaN is {\n{\"s\": \"a \\\"NaN\", \"a\": 4, \"n\": NaN}\n", 1, 4);
    check_refused("score:json:n", "{\"a\": 4, \"n\": NaN}", "no number at n");
    check_refused("score:json:n", "{\"a\": 4, \"n\": [1, NaN]}", "n.1 of the JSON");
    check_refused("score:json:a", "{\"a\": nan}", "is JSON");
}

/* Where a search is cut into pieces, nothing is lost: neither a match that lies across, nor an
 * anchor, nor the rest of a line. */
/* At the ends of each range a number counts; beyond them the program is wrong, and so it is with
 * what no double holds. */
CHECK_TEST(test_ranges)
{
    static const struct {
        const char *unit;
        double least, most;
        double divisor;
    } cases[] = {
        {"s", 1e-12, 1e9, 1},       {"ms", 1e-9, 1e12, 1e3},      {"ns", 1e-3, 1e18, 1e9},
        {"gflops", 1e-12, 1e12, 1}, {"tflops", 1e-15, 1e9, 1e-3}, {"score", 1e-100, 1e100, 1},
    };
    static const char *const odd[] = {"1e-310", "1e308", "0", "-1", "4.9e-324"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char place[64];
        char output[64];

        snprintf(place, sizeof place, "%s:/[0-9.e+-]+/", cases[i].unit);
        for (int end = 0; end < 2; end++) {
            double value = end ? cases[i].most * 0.999 : cases[i].least * 1.001;

            snprintf(output, sizeof output, "%.17g", value);
            check_found(place, output, 1, value / cases[i].divisor);
            snprintf(output, sizeof output, "%.17g", end ? value * 1.01 : value * 0.99);
            check_refused(place, output, "which is not from");
        }
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
            check_refused(place, odd[k], "which is not");
        check_refused(place, "1e999", "which is not a number");
    }
    check_refused("ms:json:a", "{\"a\": 1e-310}",
                  "it printed 1e-310, which is not from 1e-12 to 1e+09 s");
    check_refused("ms:json:a", "{\"a\": 1e999}", "is JSON");
}

CHECK_TEST(test_pieces)
{
    char *text = NULL;

    for (size_t length = 1000; length < 2100; length++) {
        text = repeat("x", length, "took 12345\nend");
        check_found("score:/took ([0-9]+)$/", text, 1, 12345);
        opevo_free(text);
    }
    text = repeat("x", 5000, "");
    overlay(text, "took 3 ");
    overlay(text + 4000, " took 4 ");
    check_found("score:/took ([0-9]+).*/", text, 1, 3);
    check_found("score:/took ([0-9]+)/", text, 2, 4);
    opevo_free(text);
}

/* {"a": [1, 1, ...]} */
static char *array_of(size_t count)
{
    opevo_text text = {0};

    opevo_text_add(&text, "{\"a\": [1");
    for (size_t i = 1; i < count; i++)
        opevo_text_add(&text, ", 1");
    opevo_text_add(&text, "]}");
    assert_false(text.failed);
    return text.data;
}

CHECK_TEST(test_bounded)
{
    char *ones = repeat("1", MEBIBYTE, "");
    char *lines = repeat("took 7\n", 7 * (OPEVO_I_SAMPLES_LIMIT + 1), "");
    char *most = array_of(OPEVO_I_SAMPLES_LIMIT);
    char *more = array_of(OPEVO_I_SAMPLES_LIMIT + 1);
    double start_s = (double)clock() / CLOCKS_PER_SEC;

    check_refused("ms:/([0-9]+)x/", ones, "took more than 2 s");
    check_refused("ms:/took ([0-9]+)/", lines, "more than 10000 results");
    check_found("ms:json:a", most, OPEVO_I_SAMPLES_LIMIT, 0.001);
    check_refused("ms:json:a", more, "more than 10000 results");
    assert_true((double)clock() / CLOCKS_PER_SEC - start_s < 30);
    opevo_free(ones);
    opevo_free(lines);
    opevo_free(most);
    opevo_free(more);
}

/* Letters a and b without a period, of which a search cannot reuse what it found out before. */
static char *letters_of(size_t length)
{
    char *text = repeat("a", length, "");
    uint32_t state = 1;

    for (size_t i = 0; i < length; i++) {
        state = state * 1664525 + 1013904223;
        text[i] += (char)(state >> 31);
    }
    return text;
}

/* Within one match the time is bounded as well; a search in a child finds what one here does. */
CHECK_TEST(test_one_match)
{
    char *letters = letters_of(4096);
    char *padding = repeat("x", MEBIBYTE, "took 1\ntook 2.5\n");
    char *words = repeat("x", MEBIBYTE, "took long");
    double start_s = (double)clock() / CLOCKS_PER_SEC;

    check_refused("ms:/(a|b)*a(a|b){100}c/", letters, "took more than 2 s");
    assert_true((double)clock() / CLOCKS_PER_SEC - start_s < 2);
    check_found("ms:/took ([0-9.]+)/", padding, 2, 0.0025);
    check_refused("ms:/took ([a-z]+)/", words, "\"long\", which is not a number");
    check_refused("ms:/TOOK/", padding, "no match");
    opevo_free(letters);
    opevo_free(padding);
    opevo_free(words);
}

static void check_expression(const char *text, const char *why)
{
    opevo_i_wire_result_reader reading;
    opevo_error err = {OPEVO_OK, ""};
    opevo_status status = opevo_i_wire_result_reader_parse(text, &reading, &err);

    assert_int_equal(status, why ? OPEVO_INVALID : OPEVO_OK);
    if (status == OPEVO_OK)
        opevo_i_wire_result_reader_clear(&reading);
    else if (why && !strstr(err.message, why))
        fail_msg("%.60s: \"%s\" lacks \"%s\"", text, err.message, why);
}

/* What would take the C library memory or time without bound is refused before it is compiled. */
CHECK_TEST(test_expressions)
{
    static const char long_ones[] = "is longer than 1000 characters";
    static const char empty[] = "repeats an expression that can be empty";
    static const char copies[] = "more than 1000 characters when its repetitions";
    char *lengthy = repeat("ms:/aaaaaaaaaaaa", 1010, "/");

    check_expression(lengthy, long_ones);
    check_expression("ms:/^([0-9].++++++++++++++++++++++++++++++++)/", copies);
    check_expression("ms:/((((a+)+)+)+)+b((((((((((a+)+)+)+)+)+)+)+)+)+/", copies);
    check_expression("ms:/a{1001}/", copies);
    check_expression("ms:/a{1,99999999999999999999}/", copies);
    check_expression("ms:/((a{11}){11}){11}/", copies);
    check_expression("ms:/([]+{]{11}){11}[[:digit:]{]{990}/", copies);
    check_expression("ms:/(.*)\\1/", "refers back to a group");
    check_expression("ms:/^#++*+++++++#/", empty);
    check_expression("ms:/^((a*)+){20}x/", empty);
    check_expression("ms:/(^|(b|(a?)c?)*)/", empty);
    check_expression("ms:/(x|)*/", empty);
    check_expression("ms:/x(\\b){3}/", empty);
    check_expression("ms:/(^|a)(b?)?(c|d*e)+([)*]|f){2}/", NULL);
    check_expression("ms:/took ([0-9]+(\\.[0-9]+)?(e[+-]?[0-9]{1,3})?) ms, [^0-9+]{1,200}/", NULL);
    check_expression("ms:/[]+{+]+[[:space:]]+\\++a{900}/", NULL);
    check_expression("ms:/\\\\1 ([0-9]+)/", NULL);
    opevo_free(lengthy);
}
