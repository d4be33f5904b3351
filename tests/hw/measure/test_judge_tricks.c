/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What programs that write kernels try, and what becomes of it where each call is judged on
 * contents of its own (docs/judge.md): on a CPU, and by OpenCL on the first device, which in tests
 * is PoCL. */

#include "own_fixture.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

#define TASK(step)                                                                                 \
    "{\"buffers\": {\"a\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, "    \
    "1]}}, \"b\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, 1]}},"        \
    " \"c\": {\"type\": \"f32\", \"count\": \"n\"}}, \"steps\": [" step "],"                       \
    " \"outputs\": {\"c\": {\"absolute\": 1e-5}}, \"reference\": {\"computation\": \"a[i:n]; "     \
    "b[i]; c[i] = a[i] + b[i]\"}, \"tune\": {\"sizes\": {\"n\": 65536}}}"
#define CALL "{\"call\": \"add\", \"arguments\": [\"a\", \"b\", \"c\", {\"i32\": \"n\"}]}"
#define LAUNCH                                                                                     \
    "{\"launch\": \"add_%zu\", \"grid\": \"n / 64\", \"block\": 64, \"arguments\": [\"a\", "       \
    "\"b\", "                                                                                      \
    "\"c\", {\"i32\": \"n\"}]}"

/* ---- What becomes of kernels ---- */

typedef struct trick {
    const char *what, *body;
    opevo_outcome_class kind;
    const char *words; /* of its message; NULL: any */
    double least_s;    /* that it may be said to take; 0: any */
} trick;

/* A kernel of this source is judged; where it is right, its time may not be less than what it took.
 */
static void check_trick(const char *device, const char *name, const char *source, const trick *one,
                        const char *task)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_maker *maker = NULL;
    opevo_objective *objective = NULL;
    opevo_index point = 0;
    opevo_outcome outcome;

    CHECK_OK(own_maker(name, source, task, "{\"p\": {\"_type\": \"discrete\", \"_value\": [0]}}",
                       &maker, &err));
    options.device = device;
    options.run_limit_s = 60;
    options.calls = 5;
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    if (outcome.kind != one->kind ||
        (one->words && !strstr(outcome.message ? outcome.message : "", one->words)))
        fail_msg("%s: %s (%s), expected %s", one->what, opevo_outcome_name(outcome.kind),
                 outcome.message ? outcome.message : "", opevo_outcome_name(one->kind));
    if (one->least_s > 0 && !(outcome.time_s >= one->least_s))
        fail_msg("%s: it is said to take %g s, and took %g s", one->what, outcome.time_s,
                 one->least_s);
    if (outcome.kind == OPEVO_OUTCOME_OK)
        assert_int_equal(outcome.sample_count, 5);
    opevo_objective_destroy(objective);
}

/* ---- In C ---- */

static const char head_c[] =
    "#include <string.h>\n#include <time.h>\n#include <unistd.h>\n#include <pthread.h>\n"
    "static void honest(const float *a, const float *b, float *c, int n)\n"
    "{\n    for (int i = 0; i < n; i++) c[i] = a[i] + b[i];\n}\n"
    "static double now(void)\n{\n    struct timespec t;\n"
    "    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);\n"
    "    return t.tv_sec + 1e-9 * t.tv_nsec;\n}\n"
    "static void spin(double s)\n{\n    double end = now() + s;\n"
    "    while (now() < end) ;\n}\n"
    "#define ADD void add(const float *a, const float *b, float *c, int n)\n";

static const trick tricks_c[] = {
    {"honest", "ADD { honest(a, b, c, n); }", OPEVO_OUTCOME_OK, NULL, 1e-6},
    {"nothing is computed", "ADD { }", OPEVO_OUTCOME_WRONG, "not finite", 0},
    {"an input is returned", "ADD { memcpy(c, a, 4 * n); }", OPEVO_OUTCOME_WRONG, "of c", 0},
    {"what was in the output is taken for the result",
     "ADD { for (int i = 0; i < n; i++) c[i] = "
     "c[i] + 0 * (a[i] + b[i]); }",
     OPEVO_OUTCOME_WRONG, "not finite", 0},
    {"the first result is replayed",
     "static float kept[65536]; static int have;\n"
     "ADD { if (!have) { honest(a, b, kept, n); have = 1; } memcpy(c, kept, 4 * n); }",
     OPEVO_OUTCOME_WRONG, "on inputs of seed", 0},
    {"results are kept by the addresses of operands",
     "static float kept[65536]; static const float *of;\n"
     "ADD { if (of != a) { honest(a, b, kept, n); of = a; } memcpy(c, kept, 4 * n); }",
     OPEVO_OUTCOME_WRONG, "on inputs of seed", 0},
    {"results are kept by the first words of operands",
     "static float kept[65536], of;\n"
     "ADD { if (of != a[0]) { honest(a, b, kept, n); of = a[0]; } memcpy(c, kept, 4 * n);\n"
     "    spin(1e-3); }",
     OPEVO_OUTCOME_OK, NULL, 1e-3},
    {"of calls that belong together one computes",
     "static int calls;\nADD { if (calls++ % 3 == 0) honest(a, b, c, n); }", OPEVO_OUTCOME_WRONG,
     "on inputs of seed", 0},
    {"a part of the elements is left out after some calls",
     "static int calls;\nADD { honest(a, b, c, ++calls > 4 ? n - 1 : n); }", OPEVO_OUTCOME_WRONG,
     "Element 65535", 0},
    {"a thread computes after the call",
     "static const float *x, *y; static float *z; static int m;\n"
     "static void *work(void *no) { usleep(20000); honest(x, y, z, m); return no; }\n"
     "ADD { pthread_t t; x = a; y = b; z = c; m = n; pthread_create(&t, 0, work, 0);\n"
     "    pthread_detach(t); }",
     OPEVO_OUTCOME_WRONG, NULL, 0},
    {"a thread waits for contents before the clock starts",
     "static const float *x, *y; static float kept[65536]; static int m, on;\n"
     "static volatile float seen;\n#define FIRST(p) (*(const volatile float *)(p))\n"
     "static void *work(void *no) { for (;;) if (seen != FIRST(x)) { float f = FIRST(x);\n"
     "    spin(2e-3); honest(x, y, kept, m); seen = f; } return no; }\n"
     "ADD { x = a; y = b; m = n; if (!on) { pthread_t t; pthread_create(&t, 0, work, 0); on = 1; }"
     "\n    while (seen != FIRST(a)) usleep(10); memcpy(c, kept, 4 * n); }",
     OPEVO_OUTCOME_OK, NULL, 1.5e-3},
    {"the clock of the process is forged",
     "int clock_gettime(clockid_t which, struct timespec *t) { t->tv_sec = 0; t->tv_nsec = which; "
     "return 0; }\n"
     "ADD { volatile int k; for (k = 0; k < 3000000; k++) ; honest(a, b, c, n); }",
     OPEVO_OUTCOME_OK, NULL, 5e-4},
    {"an answer is forged",
     "ADD { honest(a, b, c, n); for (int f = 3; f < 9; f++) "
     "if (write(f, \"dddddddddd\", 9)) ; }",
     OPEVO_OUTCOME_CRASHED, NULL, 0},
    {"results of the judge are looked for beside the output",
     "ADD { float s = 0; for (long k = 1; k < 1 << 20; k++) s += c[-k]; c[0] = s; }",
     OPEVO_OUTCOME_CRASHED, NULL, 0},
    {"it stops the process that measures",
     "#include <signal.h>\nADD { kill(getppid(), SIGSTOP); "
     "honest(a, b, c, n); }",
     OPEVO_OUTCOME_CRASHED, NULL, 0},
    {"results are kept in a file",
     "#include <fcntl.h>\nADD { int f = open(\"/tmp/opevo-trick\", O_RDWR | O_CREAT, 0600);\n"
     "    if (f < 0) { honest(a, b, c, n); return; } memset(c, 0, 4 * n); }",
     OPEVO_OUTCOME_OK, NULL, 0},
    {"it writes beside its output", "ADD { honest(a, b, c, n); c[n] = 1; }", OPEVO_OUTCOME_WRONG,
     "outside c", 0},
};

CHECK_TEST(test_in_c)
{
    char source[4096];

    for (size_t i = 0; i < COUNT(tricks_c); i++) {
        snprintf(source, sizeof source, "%s%s", head_c, tricks_c[i].body);
        check_trick("cpu", "trick.c", source, &tricks_c[i], TASK(CALL));
    }
}

/* ---- In OpenCL C ---- */

/* All tricks are kernels of one program, which the driver then compiles once. */
static const char head_cl[] =
    "#define KERNEL(number) __kernel void add_##number(__global const float *a, __global const "
    "float *b, __global float *c, int n)\n";

static const trick tricks_cl[] = {
    {"honest", "ADD { int i = get_global_id(0); c[i] = a[i] + b[i]; }", OPEVO_OUTCOME_OK, NULL,
     1e-7},
    {"nothing is computed", "ADD { }", OPEVO_OUTCOME_WRONG, "not finite", 0},
    {"an input is returned", "ADD { int i = get_global_id(0); c[i] = b[i]; }", OPEVO_OUTCOME_WRONG,
     "of c", 0},
    {"what was in the output is taken for the result",
     "ADD { int i = get_global_id(0); c[i] = c[i] + 0 * (a[i] + b[i]); }", OPEVO_OUTCOME_WRONG,
     "not finite", 0},
    {"a result is known by heart", "ADD { int i = get_global_id(0); c[i] = sin(i * 0.37f); }",
     OPEVO_OUTCOME_WRONG, "on inputs of seed", 0},
    {"work groups do nothing",
     "ADD { int i = get_global_id(0); if (get_group_id(0) % 16) c[i] = "
     "a[i] + b[i]; }",
     OPEVO_OUTCOME_WRONG, NULL, 0},
    {"the last element is left out",
     "ADD { int i = get_global_id(0); if (i < n - 1) c[i] = a[i] + "
     "b[i]; }",
     OPEVO_OUTCOME_WRONG, "Element 65535", 0},
    {"local memory of an earlier group is taken for one's own",
     "ADD { __local float kept[64]; int i = get_global_id(0), x = get_local_id(0);\n"
     "    if (get_group_id(0) % 2 == 0) kept[x] = a[i] + b[i];\n    c[i] = kept[x]; }",
     OPEVO_OUTCOME_WRONG, NULL, 0},
    {"it writes beside its output",
     "ADD { int i = get_global_id(0); c[i] = a[i] + b[i]; if (i == "
     "0) c[n] = 1; }",
     OPEVO_OUTCOME_WRONG, "behind c", 0},
    {"it writes to its inputs",
     "ADD { int i = get_global_id(0); c[i] = a[i] + b[i]; if (i == 0) "
     "((__global float *)a)[n + 1] = 1; }",
     OPEVO_OUTCOME_WRONG, "behind a", 0},
    {"halves are computed with",
     "ADD { int i = get_global_id(0); union { float f; uint u; } x = "
     "{a[i] + b[i]}; x.u &= 0xffff0000u; c[i] = x.f; }",
     OPEVO_OUTCOME_WRONG, "above 1e-05", 0},
};

CHECK_TEST(test_in_opencl)
{
    opevo_text source = {0};
    char task[2000];

    if (!own_has_opencl())
        skip();
    opevo_text_add(&source, head_cl);
    for (size_t i = 0; i < COUNT(tricks_cl); i++)
        opevo_text_printf(&source, "#define ADD KERNEL(%zu)\n%s\n#undef ADD\n", i,
                          tricks_cl[i].body);
    for (size_t i = 0; i < COUNT(tricks_cl); i++) {
        snprintf(task, sizeof task, TASK(LAUNCH), i);
        check_trick("opencl:0", "trick.cl", opevo_text_string(&source), &tricks_cl[i], task);
    }
    opevo_text_free(&source);
}
