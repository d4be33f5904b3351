/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels in C of a user: right ones in all the ways in which a harness says what is right, and
 * each planted fault in its class. */

#include "own_fixture.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

#define BUFFERS                                                                                    \
    "\"buffers\": {\"a\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, "     \
    "1]}},"                                                                                        \
    " \"b\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, 1]}},"             \
    " \"c\": {\"type\": \"f32\", \"count\": \"n\"}},"
#define STEPS                                                                                      \
    "\"steps\": [{\"call\": \"add\", \"arguments\": [\"a\", \"b\", \"c\", {\"i32\": \"n\"}]}],"
#define OUTPUTS "\"outputs\": {\"c\": {\"relative\": 1e-5, \"floor\": 1e-3}},"
#define TUNE "\"tune\": {\"sizes\": {\"n\": 1003}}"
#define HARNESS(more) "{" BUFFERS STEPS OUTPUTS more TUNE "}"
#define SPACE(values) "{\"p\": {\"_type\": \"discrete\", \"_value\": [" values "]}}"

/* ---- Faults ---- */

static const char faults[] =
    "static int calls;\n"
    "void add(const float *a, const float *b, float *c, int n)\n{\n"
    "    int last = n - (p == 1);\n"
    "    if (p == 2) c[n] = 1;\n"
    "    if (p == 3) c[-1] = 1;\n"
    "    if (p == 4) ((float *)a)[n + 5] = 1;\n"
    "    if (p == 5) *(volatile int *)0 = 1;\n"
    "    if (p == 6) for (volatile int i = 0; i >= 0;) {}\n"
    "#if p == 7\n#error planted\n#endif\n"
    "    if (p == 8 && calls++) return;\n"
    "    for (int i = 0; i < last; i++)\n"
    "        c[i] = a[i] + b[i + (p == 9)];\n"
    "    if (p == 10) c[n / 2] += 1e-3f;\n"
    "    if (p == 11) c[7] = __builtin_nanf(\"\");\n"
    "    if (p == 12) for (int i = n; i < n + 9; i++) c[i] = a[i] + b[i];\n"
    "}\n";

CHECK_TEST(test_faults)
{
    static const own_expected expected[] = {
        {OPEVO_OUTCOME_OK, NULL},
        {OPEVO_OUTCOME_WRONG, "Element 1002 of c"},
        {OPEVO_OUTCOME_WRONG, "outside c"},
        {OPEVO_OUTCOME_WRONG, "outside c"},
        {OPEVO_OUTCOME_WRONG, "outside a"},
        {OPEVO_OUTCOME_CRASHED, "signal 11"},
        {OPEVO_OUTCOME_TIMEOUT, NULL},
        {OPEVO_OUTCOME_BUILD_ERROR, "planted"},
        {OPEVO_OUTCOME_WRONG, NULL},
        {OPEVO_OUTCOME_WRONG, NULL},
        {OPEVO_OUTCOME_WRONG, "Element 501 of c"},
        {OPEVO_OUTCOME_WRONG, "Element 7 of c is not finite"},
        {OPEVO_OUTCOME_WRONG, "outside c"},
    };
    opevo_objective *objective = NULL;

    CHECK_OK(own_open("cpu", "faults.c", faults, HARNESS("\"flop\": \"n\","),
                      SPACE("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"), &objective, &err));
    assert_string_equal(objective->unit, "GFLOP/s");
    CHECK_CLOSE(objective->flop, 1003, 0);
    own_check("faults", objective, expected, COUNT(expected));
    opevo_objective_destroy(objective);
}

/* ---- How often results are checked ---- */

/* 0 is right; 1 is wrong and faster; 2 is wrong and slower. */
static const char seldom[] =
    "void add(const float *a, const float *b, float *c, int n)\n{\n"
    "    volatile float sink = 0;\n"
    "    for (int k = 0; k < (p == 1 ? 1 : p == 2 ? 3000 : 300); k++)\n"
    "        for (int i = 0; i < n; i++) sink += a[i];\n"
    "    for (int i = 0; i < n; i++) c[i] = a[i] + b[i] + (p == 1 || p == 2);\n"
    "}\n";

/* What becomes of points 0, 1 and 2 where point 0 is known to be the best so far. */
static void check_seldom(const char *device, const char *name, const char *source,
                         const char *harness, uint64_t every, const own_expected *expected)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_maker *maker = NULL;
    opevo_objective *objective = NULL;
    opevo_index point = 0;
    opevo_outcome outcome;

    CHECK_OK(own_maker(name, source, harness, SPACE("0, 1, 2"), &maker, &err));
    options.device = device;
    options.repeat_s = 0.01;
    options.slower = 0; /* point 2 is measured to its end */
    options.check_every = every;
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
    objective->ops->note_best(objective, outcome.fitness);
    own_check(device, objective, expected, 3);
    opevo_objective_destroy(objective);
}

CHECK_TEST(test_seldom)
{
    static const own_expected never[] = {
        {OPEVO_OUTCOME_OK, NULL}, {OPEVO_OUTCOME_WRONG, NULL}, {OPEVO_OUTCOME_OK, "not checked"}};
    static const own_expected always[] = {
        {OPEVO_OUTCOME_OK, NULL}, {OPEVO_OUTCOME_WRONG, NULL}, {OPEVO_OUTCOME_WRONG, NULL}};
    const char *harness = HARNESS("\"default\": {\"p\": 0},");

    check_seldom("cpu", "seldom.c", seldom, harness, 0, never);
    check_seldom("cpu", "seldom.c", seldom, harness, 1000000, never);
    check_seldom("cpu", "seldom.c", seldom, harness, 1, always);
}

/* A kernel that is executed only once, as that takes as long as all samples may. */
CHECK_TEST(test_slow_on_other_inputs)
{
    static const char slow[] =
        "void add(const float *a, const float *b, float *c, int n)\n{\n"
        "    static int calls;\n"
        "    volatile float sink = 0;\n"
        "    for (int k = 0; k < 20000; k++) for (int i = 0; i < n; i++) sink += a[i];\n"
        "    for (int i = 0; i < n; i++) c[i] = a[i] + b[i] + (p && calls);\n"
        "    calls++;\n"
        "}\n";
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "on other inputs"}};
    opevo_objective *objective = NULL;

    CHECK_OK(own_open("cpu", "slow.c", slow,
                      HARNESS("\"reference\": {\"computation\": \"c[i:1003] = a[i] + b[i]\"},"),
                      SPACE("0, 1"), &objective, &err));
    own_check("slow", objective, expected, COUNT(expected));
    opevo_objective_destroy(objective);
}

/* The error of results is a criterion; drivers tell nothing here. */
CHECK_TEST(test_error)
{
    static const char source[] = "void add(const float *a, const float *b, float *c, int n)\n{\n"
                                 "    for (int i = 0; i < n; i++)\n"
                                 "        c[i] = a[i] + b[i] + (i == 9 ? p / 1024.0f : 0);\n}\n";
    static const char harness[] =
        "{" BUFFERS STEPS "\"outputs\": {\"c\": {\"absolute\": 1}}," TUNE "}";
    static const char *const criteria[] = {"error"}, *const none[] = {"registers"};
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_maker *maker = NULL;
    opevo_objective *objective = NULL;
    opevo_index points[] = {0, 1};
    opevo_outcome outcomes[2];

    options.criterion_count = 1;
    options.criteria = none;
    CHECK_OK(own_maker("error.c", source, harness, SPACE("0, 1"), &maker, &err));
    CHECK_FAILS(OPEVO_INVALID, "told by drivers of GPUs, not by cpu",
                opevo_live_open(maker, &options, &objective, &err));
    options.criteria = criteria;
    CHECK_OK(own_maker("error.c", source, harness, SPACE("0, 1"), &maker, &err));
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    CHECK_OK(opevo_objective_evaluate(objective, points, 2, outcomes, &err));
    CHECK_CLOSE(outcomes[0].more[0], 0, 0);
    CHECK_CLOSE(outcomes[1].more[0], 1.0 / 1024, 1e-6);
    opevo_objective_destroy(objective);
}

/* ---- References ---- */

/* The parameter names what is computed: only p == 0 is a sum. */
static const char variants[] = "#include \"part.h\"\n"
                               "void add(const float *a, const float *b, float *c, int n)\n{\n"
                               "    for (int i = 0; i < n; i++)\n"
                               "        c[i] = PART(a[i], b[i]);\n}\n";
static const char part[] = "#pragma once\n#include \"part.h\"\n"
                           "#define PART(x, y) (p == 0 ? (x) + (y) : (x) - (y))\n";

CHECK_TEST(test_references)
{
    static const struct {
        const char *name, *harness;
        bool noted; /* that the user said nothing */
    } references[] = {
        {"itself", HARNESS(""), true},
        {"default", HARNESS("\"default\": {\"p\": 0},"), true},
        {"computation", HARNESS("\"reference\": {\"computation\": \"c[i:1003] = a[i] + b[i]\"},"),
         false},
        {"source", HARNESS("\"reference\": {\"file\": \"sum.c\"},"), false},
        {"steps",
         HARNESS("\"reference\": {\"file\": \"sum.c\", \"steps\": [{\"call\": \"half\", "
                 "\"arguments\": [\"a\", \"b\", \"c\", {\"i64\": \"0\"}, {\"i64\": \"n / 2\"}]}, "
                 "{\"call\": \"half\", \"arguments\": [\"a\", \"b\", \"c\", {\"i64\": \"n / 2\"}, "
                 "{\"i64\": \"n\"}]}]},"),
         false}};
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "instead of"}};

    own_write("part.h", part);
    own_write(
        "sum.c",
        "void half(const float *x, const float *y, float *z, long from, long to)\n{\n"
        "    for (long i = from; i < to; i++)\n        z[i] = x[i] + y[i];\n}\n"
        "void add(const float *x, const float *y, float *z, int n) { half(x, y, z, 0, n); }\n");
    for (size_t i = 0; i < COUNT(references); i++) {
        opevo_objective *objective = NULL;
        opevo_text said = {0};

        CHECK_OK(own_open("cpu", "variants.c", variants, references[i].harness, SPACE("0, 1"),
                          &objective, &err));
        assert_string_equal(objective->unit, "ms");
        own_check(references[i].name, objective, expected, 2);
        opevo_live_print_reference(objective, &said);
        assert_int_equal(strstr(opevo_text_string(&said), "default configuration, p=0") != NULL,
                         references[i].noted);
        opevo_text_free(&said);
        opevo_objective_destroy(objective);
    }
}

/* A computation over buffers of doubles is computed in double precision, also between its
 * definitions and from an input of floats; single precision anywhere is too far off. */
CHECK_TEST(test_doubles)
{
    static const char source[] =
        "void norm(const double *m, const float *v, double *out, double *sums)\n{\n"
        "    for (int i = 0; i < 37; i++) {\n"
        "        TYPE sum = 0;\n"
        "        for (int k = 0; k < 53; k++)\n"
        "            sum += (FACTOR)m[i * 53 + k] * v[k];\n"
        "        sums[i] = sum;\n"
        "        out[i] = TENTH * __builtin_sqrt(sum * sum + 0.1);\n"
        "    }\n}\n";
    static const char harness[] =
        "{\"buffers\": {\"m\": {\"type\": \"f64\", \"count\": \"37 * 53\", \"fill\": "
        "{\"uniform\": [-1, 1]}}, \"v\": {\"type\": \"f32\", \"count\": 53, \"fill\": "
        "{\"uniform\": [0, 1]}}, \"out\": {\"type\": \"f64\", \"count\": 37}, \"sums\": "
        "{\"type\": \"f64\", \"count\": 37}}, \"steps\": [{\"call\": \"norm\", "
        "\"arguments\": [\"m\", \"v\", \"out\", \"sums\"]}], \"outputs\": {\"out\": "
        "{\"relative\": 1e-13}, \"sums\": {\"absolute\": 1e-13}}, \"compiler\": [{\"if\": "
        "\"p == 1\", \"then\": [\"-DTYPE=float\"]}, {\"if\": \"p != 1\", \"then\": "
        "[\"-DTYPE=double\"]}, {\"if\": \"p == 2\", \"then\": [\"-DTENTH=0.1f\"]}, "
        "{\"if\": \"p != 2\", \"then\": [\"-DTENTH=0.1\"]}, {\"if\": \"p == 3\", "
        "\"then\": [\"-DFACTOR=float\"]}, {\"if\": \"p != 3\", \"then\": "
        "[\"-DFACTOR=double\"]}], \"reference\": {\"computation\": \"sums[i:37] = sum(k:53) "
        "m[i, k] * v[k]; out[i] = 0.1 * sqrt(sums[i] * sums[i] + 0.1)\"}, \"tune\": {\"sizes\": "
        "{}}}";
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_WRONG, "instead of"},
                                            {OPEVO_OUTCOME_WRONG, "of out"},
                                            {OPEVO_OUTCOME_WRONG, "instead of"}};
    opevo_objective *objective = NULL;
    opevo_index point = 0;
    opevo_outcome outcome;
    char text[sizeof harness];

    CHECK_OK(own_open("cpu", "norm.c", source, harness, SPACE("0, 1, 2, 3"), &objective, &err));
    own_check("doubles", objective, expected, COUNT(expected));
    opevo_objective_destroy(objective);
    /* An output of which the computation says nothing. */
    memcpy(text, harness, sizeof text);
    for (char *at = strstr(text, "sums[i"); at; at = strstr(at, "sums[i"))
        memcpy(at, "part", 4);
    CHECK_OK(own_open("cpu", "norm.c", source, text, SPACE("0"), &objective, &err));
    CHECK_FAILS(OPEVO_IO, "defines no tensor for the output sums",
                opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    opevo_objective_destroy(objective);
}

/* A reference that does not compile, and one whose result is not finite, are told with the words of
 * the compiler and the element. */
CHECK_TEST(test_bad_references)
{
    static const char *const sources[] = {"#error planted\n",
                                          "void add(const float *x, const float *y, float *z, "
                                          "int n) { for (int i = 0; i < n - 1; i++) z[i] = x[i]; }",
                                          "void add(const float *x, const float *y, float *z, "
                                          "int n) { *(volatile int *)0 = 0; }"};
    static const char *const words[] = {"error planted", "Element 1002 of c is not finite",
                                        "The reference kernel fails"};

    own_write("part.h", part);
    for (size_t i = 0; i < COUNT(sources); i++) {
        opevo_objective *objective = NULL;
        opevo_index point = 0;
        opevo_outcome outcome;

        own_write("bad.c", sources[i]);
        CHECK_OK(own_open("cpu", "variants.c", variants,
                          HARNESS("\"reference\": {\"file\": \"bad.c\"},"), SPACE("0, 1"),
                          &objective, &err));
        CHECK_FAILS(OPEVO_IO, words[i],
                    opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        opevo_objective_destroy(objective);
    }
}

/* Files give both the inputs and what is right. */
CHECK_TEST(test_files)
{
    static const char harness[] =
        "{\"buffers\": {\"a\": {\"type\": \"i32\", \"count\": 4, \"fill\": {\"file\": \"a.txt\"}},"
        "\"c\": {\"type\": \"i32\", \"count\": 4}},"
        "\"steps\": [{\"call\": \"f\", \"arguments\": [\"a\", \"c\"]}],"
        "\"outputs\": {\"c\": \"exact\"}, \"reference\": {\"files\": {\"c\": \"c.raw\"}},"
        "\"tune\": {\"sizes\": {}}}";
    static const int32_t wanted[] = {2, -4, 6, 8};
    static const own_expected expected[] = {{OPEVO_OUTCOME_WRONG, NULL}, {OPEVO_OUTCOME_OK, NULL}};
    opevo_objective *objective = NULL;

    own_write("a.txt", "1, -2\n3 4\n");
    CHECK_OK(opevo_file_write(own_path("c.raw"), (const char *)wanted, sizeof wanted, &err));
    CHECK_OK(own_open("cpu", "files.c",
                      "void f(const int *a, int *c) { for (int i = 0; i < 4; i++) c[i] = p * a[i]; "
                      "}",
                      harness, SPACE("1, 2"), &objective, &err));
    own_check("files", objective, expected, 2);
    opevo_objective_destroy(objective);
}

/* ---- What a source is told ---- */

/* Components, texts, truth values and conditional words reach the source; buffers that nothing
 * fills follow the parameters; loops and zeroes are steps; what is read and written starts anew. */
CHECK_TEST(test_macros)
{
    static const char source[] =
        "void init(TYPE *total, int rows) { for (int i = 0; i < rows; i++) total[i] += 1; }\n"
        "void step(const float *a, TYPE *total, float *part, int at, double scale)\n{\n"
        "    for (int i = 0; i < t_0 * t_1; i++) part[i] = a[at * 8 + i] * scale;\n"
        "    for (int i = 0; i < t_0 * t_1; i++) total[at] += part[i];\n"
        "#ifdef WIDE\n    if (t_0 < 4) total[at] = 0;\n#else\n    if (t_0 >= 4) total[at] = "
        "0;\n#endif\n"
        "    if (!check) total[0] = -1;\n}\n";
    static const char harness[] =
        "{\"derived\": {\"size\": \"t_0 * t_1\"},"
        "\"buffers\": {\"a\": {\"type\": \"f32\", \"count\": \"8 * rows\", \"fill\": {\"uniform\": "
        "[0, 1]}},"
        "\"total\": {\"type\": \"f32\", \"count\": \"rows\", \"fill\": {\"constant\": 3}},"
        "\"gone\": {\"type\": \"f32\", \"count\": \"rows\", \"fill\": {\"constant\": 3}},"
        "\"part\": {\"type\": \"f32\", \"count\": \"t_0 * t_1 * check\"}},"
        "\"steps\": [{\"zero\": \"gone\"}, {\"call\": \"init\", \"arguments\": [\"total\", "
        "{\"i32\": "
        "\"max(rows, 1)\"}]}, {\"repeat\": \"row\", \"count\": \"ceil(2 * rows, 2)\", \"steps\": "
        "[{\"call\": \"step\", \"arguments\": [\"a\", \"total\", \"part\", {\"i32\": \"row\"}, "
        "{\"f64\": 0.5}]}]}],"
        "\"outputs\": {\"total\": {\"relative\": 1e-5}, \"gone\": \"exact\"},"
        "\"compiler\": [\"-O1\", {\"if\": \"t_0 >= 4\", \"then\": [\"-DWIDE\"]}, "
        "\"-DSIZE={size}\"],"
        "\"reference\": {\"computation\": \"total[i:9] = 4 + 0.5 * a[i]\"},"
        "\"tune\": {\"sizes\": {\"rows\": 10}, \"seeds\": [3, 4, 5]}}";
    static const char space[] = "{\"t\": {\"_type\": \"factor\", \"_value\": [8, 2]},"
                                "\"TYPE\": {\"_type\": \"choice\", \"_value\": [\"float\"]},"
                                "\"check\": {\"_type\": \"choice\", \"_value\": [true]}}";
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_OK, NULL}};
    opevo_objective *objective = NULL;
    opevo_index point = 0;
    opevo_outcome outcome;
    char text[sizeof harness];
    char *reference = NULL;

    /* A computation that does not fit the buffers is told; without it the kernel is right. */
    CHECK_OK(own_open("cpu", "macros.c", source, harness, space, &objective, &err));
    CHECK_FAILS(OPEVO_IO, "reference.computation",
                opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    opevo_objective_destroy(objective);
    objective = NULL;
    memcpy(text, harness, sizeof text);
    reference = strstr(text, "\"reference\"");
    memmove(reference, strstr(reference, "\"tune\""), strlen(strstr(reference, "\"tune\"")) + 1);
    CHECK_OK(own_open("cpu", "macros.c", source, text, space, &objective, &err));
    own_check("macros", objective, expected, 4);
    opevo_objective_destroy(objective);
}

/* ---- What is refused ---- */

CHECK_TEST(test_refused)
{
    static const struct {
        const char *harness, *words;
    } refused[] = {
        {"{" BUFFERS STEPS OUTPUTS "\"tune\": {\"sizes\": {\"n\": 3}, \"seeds\": [1]}}",
         "tune.seeds: An array of at least two seeds"},
        {"{" BUFFERS STEPS OUTPUTS "\"sets\": {\"search\": [{\"sizes\": [{\"n\": 3}], \"seeds\": "
         "[1]}], \"selection\": [{\"sizes\": [{\"n\": 4}], \"seeds\": [1]}], \"final\": "
         "[{\"sizes\": [{\"n\": 5}], \"seeds\": [1]}]}}",
         "\"tune\" is missing"},
        {"{" BUFFERS
         "\"steps\": [{\"launch\": \"add\", \"grid\": 1, \"block\": 1, \"arguments\": []}]," OUTPUTS
             TUNE "}",
         "steps[0]: A launch with a grid needs a device"},
        {HARNESS("\"flop\": \"n * q\","), "flop: \"n * q\" has no value: unknown name \"q\""},
        {HARNESS("\"flop\": 1, \"bytes\": 2,"), "not both"},
        {HARNESS("\"default\": {\"p\": 7},"), "default: p has no such value"},
        {HARNESS("\"default\": {\"q\": 7},"), "default: no parameter is named \"q\""},
        {HARNESS("\"reference\": \"k.ll\","), "a module is for evolve"},
        {HARNESS("\"compiler\": [{\"if\": \"p\"}],"), "compiler: Entry 0"},
    };

    for (size_t i = 0; i < COUNT(refused); i++) {
        opevo_kernel_maker *maker = NULL;

        CHECK_FAILS(OPEVO_INVALID, refused[i].words,
                    own_maker("refused.c", "void add() {}", refused[i].harness, SPACE("0, 1"),
                              &maker, &err));
    }
}

/* Where an expression has no value at a point, there is no kernel. */
CHECK_TEST(test_rejected)
{
    static const own_expected expected[] = {{OPEVO_OUTCOME_OK, NULL},
                                            {OPEVO_OUTCOME_REJECTED, "division by 0"}};
    opevo_objective *objective = NULL;

    CHECK_OK(own_open("cpu", "rejected.c",
                      "void add(float *a, float *b, float *c, int n) { for (int i = 0; i < n; i++) "
                      "c[i] = a[i] + b[i]; }",
                      "{\"derived\": {\"x\": \"12 / (1 - p)\"}," BUFFERS STEPS OUTPUTS TUNE "}",
                      SPACE("0, 1"), &objective, &err));
    own_check("rejected", objective, expected, 2);
    opevo_objective_destroy(objective);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
