/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Harness files: what is read, what is refused and where, what cases contain, the order of steps,
 * and the judging of results, with a launcher that computes in C. */

#include "check.h"

#include <opevo/memory.h>

#include <stdlib.h>

#include "kernel_harness_internal.h"

#define STEPS                                                                                      \
    "{\"launch\": \"double\", \"grid\": \"ceil(n, 4)\", \"block\": 4, \"arguments\": [\"x\", "     \
    "\"y\", {\"i32\": \"n - 1\"}, {\"f32\": 0.5}]}"
#define SETS                                                                                       \
    "{\"search\": [{\"sizes\": [{\"n\": 5}, {\"n\": 6}], \"seeds\": [1, 2]}], "                    \
    "\"selection\": [{\"sizes\": [{\"n\": 5}], \"seeds\": [3]}], "                                 \
    "\"final\": [{\"sizes\": [{\"n\": 9}], \"seeds\": [1]}]}"
#define BUFFERS                                                                                    \
    "{\"x\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [1, 2]}}, "             \
    "\"y\": {\"type\": \"f32\", \"count\": \"n\"}}"
#define OUTPUTS "{\"y\": {\"relative\": 0.01, \"floor\": 1}}"

static opevo_status parse(const char *buffers, const char *steps, const char *outputs,
                          const char *sets, opevo_harness **out, opevo_error *err)
{
    char text[8192];

    snprintf(text, sizeof text, "{\"buffers\": %s, \"steps\": [%s], \"outputs\": %s, \"sets\": %s}",
             buffers, steps, outputs, sets);
    return opevo_harness_parse("k.json", text, strlen(text), out, err);
}

static void refused(const char *words, const char *buffers, const char *steps, const char *outputs,
                    const char *sets)
{
    opevo_harness *harness = NULL;
    int64_t alive = opevo_memory_live();

    CHECK_FAILS(OPEVO_INVALID, words, parse(buffers, steps, outputs, sets, &harness, &err));
    assert_null(harness);
    assert_int_equal(opevo_memory_live(), alive);
}

/* A launch of `arguments`. */
#define WITH(arguments)                                                                            \
    "{\"launch\": \"double\", \"grid\": 1, \"block\": 4, \"arguments\": [" arguments "]}"

CHECK_TEST(faults_are_named_with_file_and_key)
{
    refused("k.json: steps[0].arguments[1]: The structs of a launch have 1 to 64 members", BUFFERS,
            WITH("\"x\", {\"struct\": []}"), OUTPUTS, SETS);
    refused("k.json: steps[0].arguments[0]: No buffer is named \"z\"", BUFFERS,
            WITH("{\"struct\": [{\"i32\": 1}, \"z\"]}"), OUTPUTS, SETS);
    refused("k.json: steps[0].arguments[0]: The name of a buffer, a scalar", BUFFERS,
            WITH("{\"struct\": [{\"struct\": [\"x\"]}]}"), OUTPUTS, SETS);
    refused("k.json: steps[0].arguments: \"m\" has no value: unknown name \"m\"", BUFFERS,
            WITH("{\"struct\": [{\"i32\": \"m\"}]}"), OUTPUTS, SETS);
    refused("k.json: buffers.x.type: ", "{\"x\": {\"type\": \"f8\"}}", STEPS, OUTPUTS, SETS);
    refused("k.json: buffers.x.count: \"n +\" has no value: it ends too early",
            "{\"x\": {\"type\": \"f32\", \"count\": \"n +\"}, \"y\": {\"type\": \"f32\", "
            "\"count\": 1}}",
            STEPS, OUTPUTS, SETS);
    refused(
        "k.json: buffers.x.count: \"m\" has no value: unknown name \"m\"",
        "{\"x\": {\"type\": \"f32\", \"count\": \"m\"}, \"y\": {\"type\": \"f32\", \"count\": 1}}",
        STEPS, OUTPUTS, SETS);
    refused("k.json: buffers.x.count: The value 0 is not between",
            "{\"x\": {\"type\": \"f32\", \"count\": \"n - n\"}, \"y\": {\"type\": \"f32\", "
            "\"count\": 1}}",
            STEPS, OUTPUTS, SETS);
    refused("k.json: buffers.x.fill: Integers cannot be uniform",
            "{\"x\": {\"type\": \"i32\", \"count\": 1, \"fill\": {\"uniform\": [0, 1]}}}", STEPS,
            OUTPUTS, SETS);
    refused("k.json: buffers.x.fill.integers[1]: 300 does not fit into u8",
            "{\"x\": {\"type\": \"u8\", \"count\": 1, \"fill\": {\"integers\": [0, 300]}}}", STEPS,
            OUTPUTS, SETS);
    refused("k.json: buffers.x.fil: unknown key; did you mean \"fill\"?",
            "{\"x\": {\"type\": \"u8\", \"count\": 1, \"fil\": \"zero\"}}", STEPS, OUTPUTS, SETS);
    refused("k.json: steps[0].arguments[0]: No buffer is named \"z\"", BUFFERS,
            "{\"launch\": \"k\", \"grid\": 1, \"block\": 1, \"arguments\": [\"z\"]}", OUTPUTS,
            SETS);
    refused("k.json: steps[0].block: The value 1025 is not between 1 and 1024", BUFFERS,
            "{\"launch\": \"k\", \"grid\": 1, \"block\": 1025, \"arguments\": []}", OUTPUTS, SETS);
    refused("k.json: steps[0]: A block of 2048 work items exceeds 1024", BUFFERS,
            "{\"launch\": \"k\", \"grid\": 1, \"block\": [1024, 2], \"arguments\": []}", OUTPUTS,
            SETS);
    refused("k.json: steps[0].steps[0].arguments: \"i\" has no value: unknown name \"i\"", BUFFERS,
            "{\"repeat\": \"j\", \"count\": 2, \"steps\": [{\"launch\": \"k\", \"grid\": 1, "
            "\"block\": 1, "
            "\"arguments\": [{\"i32\": \"i\"}]}]}",
            OUTPUTS, SETS);
    refused("k.json: steps[0]: An object with \"launch\"", BUFFERS, "{\"start\": 1}", OUTPUTS,
            SETS);
    refused("k.json: outputs.z: No buffer has this name", BUFFERS, STEPS, "{\"z\": \"exact\"}",
            SETS);
    refused("k.json: outputs.y: \"exact\", ", BUFFERS, STEPS, "{\"y\": 3}", SETS);
    refused("k.json: sets.final: An array", BUFFERS, STEPS, OUTPUTS,
            "{\"search\": [{\"sizes\": [{\"n\": 5}], \"seeds\": [1]}], \"selection\": [{\"sizes\": "
            "[{\"n\": "
            "5}], \"seeds\": [2]}]}");
    refused("in the set \"search\" already", BUFFERS, STEPS, OUTPUTS,
            "{\"search\": [{\"sizes\": [{\"n\": 5}], \"seeds\": [1]}], \"selection\": [{\"sizes\": "
            "[{\"n\": "
            "5}], \"seeds\": [2]}], \"final\": [{\"sizes\": [{\"n\": 5}], \"seeds\": [3, 1]}]}");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses" /* they are what is tested */
CHECK_TEST(expressions_follow_c)
{
    enum { n = 10 };
#define AS_IN_C(expression)                                                                        \
    {                                                                                              \
#expression, expression                                                                    \
    }
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {AS_IN_C(1 << n >> 3),
                AS_IN_C(1 << (n - 2) < 300),
                AS_IN_C(2 + 1 << 3 - 1),
                AS_IN_C(n & 6 | n ^ 3),
                AS_IN_C(n & 3 == 3),
                AS_IN_C(n | 4 ^ 12 & 7),
                AS_IN_C(~n + 1),
                AS_IN_C(n & 1 || n & 2 && 0),
                AS_IN_C(-9 >> 1),
                {"1 + 2 * 3", 7},
                {"(1 + 2) * 3", 9},
                {"7 / 2 - 7 % 4", 0},
                {"-7 / 2", -3},
                {"ceil(9, 4)", 3},
                {"ceil(-9, 4)", -2},
                {"min(n, 3)", 3},
                {"max(n, 3)", 10},
                {"n < 3 ? 1 : n == 10 ? 2 : 3", 2},
                {"n >= 10 && !(n > 10)", 1},
                {"n != 10 || 0", 0},
                {" 2*n ", 20}};
    const opevo_i_harness_size_names names = {.name = {"n"}, .value = {10}, .count = 1};
    int64_t value = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_OK(opevo_i_harness_size_evaluate(rows[i].text, &names, "k", &value, &err));
        if (value != rows[i].value)
            fail_msg("%s = %lld", rows[i].text, (long long)value);
    }
    CHECK_FAILS(OPEVO_INVALID, "division by 0",
                opevo_i_harness_size_evaluate("1 / (n - n)", &names, "k", &value, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "too large",
        opevo_i_harness_size_evaluate("9223372036854775807 + 1", &names, "k", &value, &err));
    CHECK_FAILS(OPEVO_INVALID, "too large",
                opevo_i_harness_size_evaluate("3 << 62", &names, "k", &value, &err));
    CHECK_FAILS(OPEVO_INVALID, "by 0 to 62 bits",
                opevo_i_harness_size_evaluate("1 << n * 7", &names, "k", &value, &err));
    CHECK_FAILS(OPEVO_INVALID, "by 0 to 62 bits",
                opevo_i_harness_size_evaluate("-1 << 1", &names, "k", &value, &err));
    CHECK_FAILS(OPEVO_INVALID, "something follows",
                opevo_i_harness_size_evaluate("1 2", &names, "k", &value, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "nested too deeply",
        opevo_i_harness_size_evaluate(
            "((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))",
            &names, "k", &value, &err));
}
#pragma GCC diagnostic pop

/* y = 2 x, or with a fault at the last element. */
typedef struct doubler {
    opevo_launcher super;
    double factor, last;
    unsigned launches;
} doubler;

static opevo_status launch(void *context, const opevo_grid_launch *launched, opevo_evaluation *out,
                           opevo_error *err)
{
    (void)launched, (void)out, (void)err;
    ((doubler *)context)->launches++;
    return OPEVO_OK;
}

static opevo_status run(opevo_launcher *super, opevo_case *what, opevo_evaluation *out,
                        opevo_error *err)
{
    doubler *self = (doubler *)super;
    const opevo_player player = {.context = self, .launch = launch};
    size_t count = 0;
    opevo_buffer *buffers = opevo_case_buffers(what, &count);
    float *x = buffers[0].data, *y = buffers[1].data;
    opevo_status status = opevo_case_play(what, &player, out, err);

    for (size_t i = 0; i < buffers[0].count; i++)
        y[i] = (float)(self->factor * (double)x[i]);
    y[buffers[1].count - 1] = (float)((double)y[buffers[1].count - 1] * self->last);
    out->cost = (double)count;
    return status;
}

static void stay(opevo_launcher *super)
{
}

static const opevo_launcher_ops ops = {"fake", run, stay};

CHECK_TEST(results_are_judged_by_the_largest_error)
{
    doubler reference = {{&ops}, 2, 1, 0}, near = {{&ops}, 2.002, 1, 0}, far = {{&ops}, 2, 1.02, 0};
    doubler infinite = {{&ops}, 2, INFINITY, 0}, none = {{&ops}, 2, NAN, 0};
    opevo_harness *harness = NULL;
    opevo_golden *golden = NULL;
    opevo_evaluation out;

    CHECK_OK(parse(BUFFERS, STEPS, OUTPUTS, SETS, &harness, &err));
    assert_int_equal(opevo_harness_case_count(harness, OPEVO_SET_SEARCH), 4);
    assert_int_equal(opevo_harness_case_count(harness, OPEVO_SET_FINAL), 1);
    CHECK_OK(opevo_golden_create(harness, &reference.super, &golden, &err));
    CHECK_OK(
        opevo_harness_evaluate(harness, OPEVO_SET_SEARCH, &reference.super, golden, &out, &err));
    assert_int_equal(out.verdict, OPEVO_VERDICT_OK);
    CHECK_CLOSE(out.error, 0, 0);
    CHECK_CLOSE(out.cost, 8, 0);
    assert_int_equal(reference.launches, 8);
    CHECK_OK(opevo_harness_evaluate(harness, OPEVO_SET_SEARCH, &near.super, golden, &out, &err));
    assert_int_equal(out.verdict, OPEVO_VERDICT_OK);
    CHECK_CLOSE(out.error, 0.001, 1e-6);
    CHECK_OK(opevo_harness_evaluate(harness, OPEVO_SET_SEARCH, &far.super, golden, &out, &err));
    assert_int_equal(out.verdict, OPEVO_VERDICT_WRONG);
    assert_int_equal(out.cases, 1);
    CHECK_CLOSE(out.error, 0.02, 1e-6);
    assert_non_null(strstr(out.message, "Element 4 of y is "));
    assert_non_null(strstr(out.message, "case n=5 seed=1 of the set search"));
    CHECK_OK(opevo_harness_evaluate(harness, OPEVO_SET_FINAL, &infinite.super, golden, &out, &err));
    assert_int_equal(out.verdict, OPEVO_VERDICT_WRONG);
    CHECK_OK(opevo_harness_evaluate(harness, OPEVO_SET_FINAL, &none.super, golden, &out, &err));
    assert_int_equal(out.verdict, OPEVO_VERDICT_WRONG);
    opevo_golden_destroy(golden);
    CHECK_OK(opevo_golden_create(harness, &none.super, &golden, &err));
    CHECK_FAILS(
        OPEVO_MISMATCH, "The reference kernel fails in case n=5 seed=3",
        opevo_harness_evaluate(harness, OPEVO_SET_SELECTION, &near.super, golden, &out, &err));
    opevo_golden_destroy(golden);
    opevo_harness_destroy(harness);
}

/* Notes each launch; the flag falls after three rounds. */
typedef struct recorder {
    char text[256];
    opevo_buffer *buffers;
    int rounds;
} recorder;

static opevo_status note(void *context, const opevo_grid_launch *launched, opevo_evaluation *out,
                         opevo_error *err)
{
    recorder *self = context;
    size_t length = strlen(self->text);

    (void)out, (void)err;
    snprintf(self->text + length, sizeof self->text - length, "%s[%u,%u]%lld ", launched->kernel,
             launched->grid[0], launched->block[0], (long long)launched->arguments[0].bits);
    if (launched->kernel[0] == 'w')
        *(int32_t *)self->buffers[0].data = ++self->rounds < 3;
    return OPEVO_OK;
}

static void play(const char *limit, recorder *self, opevo_evaluation *out)
{
    opevo_harness *harness = NULL;
    opevo_case *what = NULL;
    const opevo_player player = {.context = self, .launch = note};
    char steps[1024];
    size_t count = 0;

    snprintf(
        steps, sizeof steps,
        "{\"repeat\": \"i\", \"count\": \"n\", \"steps\": [{\"launch\": \"r\", \"grid\": \"i\", "
        "\"block\": 2, \"arguments\": [{\"i32\": \"n - i\"}]}]}, {\"while\": \"flag\", \"limit\": "
        "%s, "
        "\"steps\": [{\"zero\": \"flag\"}, {\"launch\": \"w\", \"grid\": 1, \"block\": 1, "
        "\"arguments\": [{\"i8\": -1}]}]}",
        limit);
    CHECK_OK(parse(
        "{\"flag\": {\"type\": \"i32\", \"count\": 1, \"fill\": \"zero\"}}", steps,
        "{\"flag\": \"exact\"}",
        "{\"search\": [{\"sizes\": [{\"n\": 3}], \"seeds\": [1]}], \"selection\": [{\"sizes\": "
        "[{\"n\": 3}], \"seeds\": [2]}], \"final\": [{\"sizes\": [{\"n\": 3}], \"seeds\": [3]}]}",
        &harness, &err));
    CHECK_OK(opevo_case_open(harness, OPEVO_SET_SEARCH, 0, &what, &err));
    self->buffers = opevo_case_buffers(what, &count);
    CHECK_OK(opevo_case_play(what, &player, out, &err));
    opevo_case_close(what);
    opevo_harness_destroy(harness);
}

CHECK_TEST(steps_repeat_and_end_by_flags)
{
    recorder complete = {.rounds = 0}, cut = {.rounds = 0};
    opevo_evaluation out = {0};

    play("5", &complete, &out);
    assert_int_equal(out.verdict, OPEVO_VERDICT_OK);
    /* A grid without blocks launches nothing. */
    assert_string_equal(complete.text, "r[1,2]2 r[2,2]1 w[1,1]255 w[1,1]255 w[1,1]255 ");
    play("2", &cut, &out);
    assert_int_equal(out.verdict, OPEVO_VERDICT_LIMIT);
    assert_int_equal(cut.rounds, 2);
}

/* Local memory as an argument goes to players that take it, with its bytes; for others the kernel
 * is unsupported. Elements by an expression of their index follow the sizes. */
CHECK_TEST(local_memory_is_for_opencl)
{
    for (int takes = 0; takes < 2; takes++) {
        recorder self = {.rounds = 0};
        const opevo_player player = {.context = &self, .launch = note, .takes_local = takes};
        opevo_harness *harness = NULL;
        opevo_evaluation out = {0};
        opevo_case *what = NULL;
        size_t count = 0;

        CHECK_OK(parse("{\"x\": {\"type\": \"i32\", \"count\": \"n\", \"fill\": {\"expression\": "
                       "\"n * i - 1\"}}}",
                       "{\"launch\": \"r\", \"grid\": 1, \"block\": 2, \"arguments\": [{\"local\": "
                       "\"4 * n\"}, \"x\"]}",
                       "{\"x\": \"exact\"}",
                       "{\"search\": [{\"sizes\": [{\"n\": 3}], \"seeds\": [1]}], \"selection\": "
                       "[{\"sizes\": [{\"n\": 3}], \"seeds\": [2]}], \"final\": [{\"sizes\": "
                       "[{\"n\": 3}], \"seeds\": [3]}]}",
                       &harness, &err));
        CHECK_OK(opevo_case_open(harness, OPEVO_SET_SEARCH, 0, &what, &err));
        self.buffers = opevo_case_buffers(what, &count);
        for (int i = 0; i < 3; i++)
            assert_int_equal(((const int32_t *)self.buffers[0].data)[i], 3 * i - 1);
        CHECK_OK(opevo_case_play(what, &player, &out, &err));
        assert_int_equal(out.verdict, takes ? OPEVO_VERDICT_OK : OPEVO_VERDICT_UNSUPPORTED);
        assert_string_equal(takes ? self.text : out.message,
                            takes ? "r[1,2]12 "
                                  : "r takes local memory as an argument, which only OpenCL "
                                    "passes; give \"shared\" bytes.");
        opevo_case_close(what);
        opevo_harness_destroy(harness);
    }
}

static const void *filled(opevo_harness **harness, opevo_case **what, const char *type,
                          const char *count, const char *fill)
{
    char buffers[512];
    size_t ignored = 0;

    snprintf(
        buffers, sizeof buffers,
        "{\"x\": {\"type\": \"%s\", \"count\": \"%s\", \"fill\": %s}, \"y\": {\"type\": \"f32\", "
        "\"count\": \"n\"}}",
        type, count, fill);
    CHECK_OK(parse(
        buffers, STEPS, OUTPUTS,
        "{\"search\": [{\"sizes\": [{\"n\": 50}], \"seeds\": [1]}], \"selection\": [{\"sizes\": "
        "[{\"n\": 50}], \"seeds\": [2]}], \"final\": [{\"sizes\": [{\"n\": 50}], \"seeds\": [3]}]}",
        harness, &err));
    CHECK_OK(opevo_case_open(*harness, OPEVO_SET_SEARCH, 0, what, &err));
    return opevo_case_buffers(*what, &ignored)[0].data;
}

static void release(opevo_harness *harness, opevo_case *what)
{
    opevo_case_close(what);
    opevo_harness_destroy(harness);
}

CHECK_TEST(fills_have_their_ranges)
{
    opevo_harness *harness = NULL;
    opevo_case *what = NULL;
    const float *real;
    const int32_t *integer;
    int seen[50] = {0};

    real = filled(&harness, &what, "f32", "n", "{\"uniform\": [-3, -2]}");
    for (int i = 0; i < 50; i++)
        assert_true(real[i] >= -3 && real[i] <= -2);
    release(harness, what);
    integer = filled(&harness, &what, "i32", "n", "{\"integers\": [-2, 2]}");
    for (int i = 0; i < 50; i++)
        assert_true(integer[i] >= -2 && integer[i] <= 2);
    release(harness, what);
    integer = filled(&harness, &what, "i32", "n", "\"permutation\"");
    for (int i = 0; i < 50; i++)
        seen[integer[i]]++;
    for (int i = 0; i < 50; i++)
        assert_int_equal(seen[i], 1);
    release(harness, what);
    real = filled(&harness, &what, "f32", "n * n", "{\"dominant\": \"n\"}");
    for (int i = 0; i < 50; i++) {
        double sum = 0;

        for (int j = 0; j < 50; j++)
            sum += j == i ? 0 : fabs((double)real[i * 50 + j]);
        assert_true((double)real[i * 50 + i] >= 49 && (double)real[i * 50 + i] > sum);
    }
    release(harness, what);
    real = filled(&harness, &what, "f32", "n", "{\"choice\": [-1, 1]}");
    for (int i = 0; i < 50; i++)
        assert_true(fabsf(real[i]) == 1);
    release(harness, what);
}

/* Halves are the nearest to the doubles of the same seed, by the compiler's type. */
CHECK_TEST(halves_are_rounded_once)
{
    static const char *const fills[] = {"{\"uniform\": [-3, 1]}", "{\"normal\": [0, 1e-5]}",
                                        "{\"integers\": [-2048, 2048]}"};
    opevo_harness *harness[2] = {NULL};
    opevo_case *what[2] = {NULL};

    for (size_t f = 0; f < sizeof fills / sizeof *fills; f++) {
        const double *exact = filled(&harness[0], &what[0], "f64", "n", fills[f]);
        const uint16_t *bits = filled(&harness[1], &what[1], "f16", "n", fills[f]);

        for (size_t i = 0; i < 50; i++) {
            __extension__ _Float16 half = (_Float16)exact[i];

            assert_memory_equal(&bits[i], &half, 2);
            CHECK_CLOSE(opevo_kernel_element_get(OPEVO_KERNEL_ELEMENT_F16, bits, i), (double)half,
                        0);
        }
        release(harness[0], what[0]);
        release(harness[1], what[1]);
    }
    refused("k.json: buffers.x.fill.uniform[1]: 65520 does not fit into f16.",
            "{\"x\": {\"type\": \"f16\", \"count\": 1, \"fill\": {\"uniform\": [1, 65520]}}}",
            STEPS, OUTPUTS, SETS);
    refused("k.json: steps[0].arguments: 65520 does not fit into f16.", BUFFERS,
            WITH("{\"f16\": 65520}"), OUTPUTS, SETS);
    refused("k.json: steps[0].arguments: 1.0000000000000001e+300 does not fit into f32.", BUFFERS,
            WITH("{\"struct\": [{\"f32\": 1e300}]}"), OUTPUTS, SETS);
}

CHECK_TEST(graphs_are_reached_from_node_0)
{
    opevo_harness *harness = NULL;
    opevo_case *what = NULL;
    opevo_buffer *buffers;
    size_t count = 0, reached = 0;
    const int32_t *offsets, *targets;
    int level[50] = {1};

    CHECK_OK(parse(
        "{\"o\": {\"type\": \"i32\", \"count\": \"n + 1\", \"fill\": {\"graph\": \"offsets\", "
        "\"nodes\": \"n\", \"edges\": \"2 * n\"}}, \"t\": {\"type\": \"i32\", \"count\": \"2 * "
        "n\", "
        "\"fill\": {\"graph\": \"targets\", \"nodes\": \"n\", \"edges\": \"2 * n\"}}}",
        "{\"zero\": \"o\"}", "{\"o\": \"exact\"}",
        "{\"search\": [{\"sizes\": [{\"n\": 50}], \"seeds\": [1]}], \"selection\": [{\"sizes\": "
        "[{\"n\": 50}], \"seeds\": [2]}], \"final\": [{\"sizes\": [{\"n\": 50}], \"seeds\": [3]}]}",
        &harness, &err));
    CHECK_OK(opevo_case_open(harness, OPEVO_SET_SEARCH, 0, &what, &err));
    buffers = opevo_case_buffers(what, &count);
    offsets = buffers[0].data;
    targets = buffers[1].data;
    assert_int_equal(offsets[0], 0);
    assert_int_equal(offsets[50], 100);
    for (int round = 0; round < 50; round++) {
        for (int v = 0; v < 50; v++) {
            for (int e = offsets[v]; e < offsets[v + 1]; e++)
                level[targets[e]] |= level[v];
        }
    }
    for (int v = 0; v < 50; v++)
        reached += (size_t)level[v];
    assert_int_equal(reached, 50);
    release(harness, what);
}

CHECK_TEST(seeds_give_the_bytes)
{
    opevo_harness *harness = NULL;
    opevo_case *a = NULL, *b = NULL, *c = NULL;
    size_t count = 0;

    CHECK_OK(parse(BUFFERS, STEPS, OUTPUTS, SETS, &harness, &err));
    CHECK_OK(opevo_case_open(harness, OPEVO_SET_SEARCH, 0, &a, &err));
    CHECK_OK(opevo_case_open(harness, OPEVO_SET_SEARCH, 0, &b, &err));
    CHECK_OK(opevo_case_open(harness, OPEVO_SET_SEARCH, 1, &c, &err));
    assert_string_equal(opevo_case_label(c), "n=5 seed=2");
    assert_memory_equal(opevo_case_buffers(a, &count)[0].data,
                        opevo_case_buffers(b, &count)[0].data, 20);
    assert_memory_not_equal(opevo_case_buffers(a, &count)[0].data,
                            opevo_case_buffers(c, &count)[0].data, 20);
    assert_false(opevo_case_buffers(a, &count)[1].initialised);
    opevo_case_close(a);
    opevo_case_close(b);
    opevo_case_close(c);
    opevo_harness_destroy(harness);
}

/* Contents that are kept are those that are drawn anew, with and without room for them, and what a
 * kernel did to a buffer does not come back. */
CHECK_TEST(kept_contents_are_the_drawn_ones)
{
    static const char *const fills[] = {"{\"uniform\": [-3, 2]}", "{\"normal\": [0, 1]}",
                                        "{\"choice\": [1, 2]}", "{\"constant\": 4}",
                                        "{\"dominant\": \"n\"}"};

    for (size_t f = 0; f < sizeof fills / sizeof *fills; f++) {
        for (size_t room = 0; room <= 1000; room += 110) { /* of buffers of 100 and 144 bytes */
            char buffers[400];
            opevo_harness *plain = NULL, *keeping = NULL;
            size_t count = 0;

            snprintf(buffers, sizeof buffers,
                     "{\"x\": {\"type\": \"f32\", \"count\": \"n * n\", \"fill\": %s, \"set\": "
                     "[[\"n\", 7]]}, \"y\": {\"type\": \"f32\", \"count\": \"n\"}}",
                     fills[f]);
            CHECK_OK(parse(buffers, STEPS, OUTPUTS, SETS, &plain, &err));
            CHECK_OK(parse(buffers, STEPS, OUTPUTS, SETS, &keeping, &err));
            CHECK_OK(opevo_harness_remember(keeping, room, &err));
            for (size_t i = 0; i < 12; i++) { /* three times the four cases */
                opevo_case *a = NULL, *b = NULL;
                opevo_buffer drawn, kept;

                CHECK_OK(opevo_case_open(plain, OPEVO_SET_SEARCH, i % 4, &a, &err));
                CHECK_OK(opevo_case_open(keeping, OPEVO_SET_SEARCH, i % 4, &b, &err));
                drawn = opevo_case_buffers(a, &count)[0];
                kept = opevo_case_buffers(b, &count)[0];
                assert_int_equal(drawn.size_bytes, kept.size_bytes);
                assert_memory_equal(drawn.data, kept.data, drawn.size_bytes);
                memset(kept.data, 1, kept.size_bytes);
                opevo_case_close(a);
                opevo_case_close(b);
            }
            opevo_harness_destroy(plain);
            opevo_harness_destroy(keeping);
        }
    }
}

CHECK_TEST(every_allocation_may_fail)
{
    int64_t alive = opevo_memory_live();
    opevo_status status = OPEVO_NOMEM;

    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_harness *harness = NULL;
        opevo_case *what = NULL;

        opevo_memory_fail_at(n);
        status = parse(BUFFERS, STEPS, OUTPUTS, SETS, &harness, NULL);
        if (status == OPEVO_OK)
            status = opevo_harness_remember(harness, 1000, NULL);
        if (status == OPEVO_OK)
            status = opevo_case_open(harness, OPEVO_SET_SEARCH, 0, &what, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        opevo_case_close(what);
        opevo_harness_destroy(harness);
        assert_int_equal(opevo_memory_live(), alive);
    }
}

CHECK_TEST(harnesses_are_found_beside_kernels)
{
    char *path = NULL;

    CHECK_OK(opevo_harness_path(OPEVO_TEST_KERNELS "/planted-store.ll", &path, &err));
    assert_string_equal(path, OPEVO_TEST_KERNELS "/planted.json");
    opevo_free(path);
    CHECK_FAILS(OPEVO_IO, "name one by --harness", opevo_harness_path("/none/k.ll", &path, &err));
    setenv("OPEVO_KERNELS", OPEVO_TEST_KERNELS, 1);
    CHECK_OK(opevo_kernel_path("nw.ll", &path, &err));
    assert_string_equal(path, OPEVO_TEST_KERNELS "/nw.ll");
    opevo_free(path);
    CHECK_FAILS(OPEVO_IO, "No such file", opevo_kernel_path("absent.ll", &path, &err));
}
