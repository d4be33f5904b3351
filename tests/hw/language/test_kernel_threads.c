/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels whose loops threads divide: the result is the same, bit for bit, on any number of them;
 * ThreadSanitizer sees no race, and one where there is one; and each operator has a loop to divide.
 * OPEVO_TEST_POINTS raises the number of points for each shape. */

#include "kernel_fixture.h"

#include <opevo/computation_named.h>

static const char *const forms[] = {
    "matmul(17,13,37)",           "matmul(64,48,96,TN)",          "matmul(40,21,50,NT)",
    "batch_matmul(3,12,16,20)",   "batch_matmul(2,19,7,31,TN)",   "conv2d(2,3,11,11,8,3,3,1,1)",
    "conv2d(1,5,9,12,7,1,1,2,0)", "conv2d(1,8,14,14,16,1,1,1,0)", "conv2d(3,2,7,9,4,3,3,2,1)",
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Copies that are large enough for threads to share the work: of B and of an image, made outside
 * the divided loop; of A made inside; of a kernel, and sums over parts of the channels. */
static const struct {
    const char *form, *point;
} shared_copies[] = {
    {"matmul(64,160,128)", "K=1,160,1 X=1,8,1,8 Y=1,4,1,32 order=2,1,0 inner=0,1,2,3 pack_a=1 "
                           "pack_b=1 vector=16 unroll=64 stream=1 parallel=3"},
    {"matmul(64,320,128)", "K=2,160,1 X=8,1,1,8 Y=1,4,1,32 order=2,1,0 inner=0,1,2,3 pack_a=1 "
                           "pack_b=1 vector=16 unroll=64 stream=0 parallel=1"},
    {"matmul(64,160,128,NT)", "K=1,160,1 X=1,8,1,8 Y=1,4,1,32 order=2,0,1 inner=1,0,2,3 pack_a=1 "
                              "pack_b=1 vector=16 unroll=16 stream=0 parallel=4"},
    {"conv2d(1,16,34,34,16,3,3,1,1)", "F=2,1,8 Q=1,28,48 C=1,16 order=1,0,2 inner=1,0 pack=1 "
                                      "vector=16 unroll=16 parallel=4"},
    {"conv2d(1,64,16,16,64,3,3,1,1)", "F=4,2,8 Q=6,1,64 C=2,32 order=2,0,1 inner=1,0 pack=1 "
                                      "vector=16 unroll=16 parallel=2"},
};
enum { SHARED_COPIES = sizeof shared_copies / sizeof *shared_copies };

static opevo_kernel_maker *open_for(const opevo_operator *op, const char *name, unsigned threads)
{
    opevo_kernel_maker *maker = NULL;

    CHECK_OK(opevo_template_open_threads(op, name, OPEVO_KERNEL_C, threads, &maker, &err));
    return maker;
}

/* False where the point is refused. */
static bool make(const opevo_kernel_maker *maker, opevo_index point, opevo_kernel *out)
{
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};

    *out = (opevo_kernel){0};
    CHECK_OK(maker->ops->make(maker, point, out, &refused, &why, &err));
    opevo_text_free(&why);
    return refused == OPEVO_OUTCOME_OK;
}

static opevo_kernel make_text(const char *form, const char *point)
{
    opevo_operator op;
    opevo_index at = 0;
    opevo_kernel kernel;
    opevo_kernel_maker *maker = NULL;

    CHECK_OK(opevo_operator_parse(form, &op, &err));
    maker = open_for(&op, "cpu", 2);
    CHECK_OK(opevo_space_read(maker->space, point, &at, &err));
    assert_true(opevo_space_allows(maker->space, at));
    if (!make(maker, at, &kernel))
        fail_msg("%s %s is refused", form, point);
    assert_true(kernel.parallel);
    maker->ops->destroy(maker);
    return kernel;
}

/* The next random point that is allowed and gives a parallel kernel. */
static opevo_kernel draw_kernel(const opevo_kernel_maker *maker, opevo_rng *rng, opevo_text *what)
{
    opevo_kernel kernel = {0};

    for (int i = 0; i < 10000; i++) {
        opevo_index point = opevo_rng_below_wide(rng, opevo_space_size(maker->space));

        if (!opevo_space_allows(maker->space, point))
            continue;
        if (make(maker, point, &kernel) && kernel.parallel) {
            opevo_text_clear(what);
            opevo_space_print(maker->space, point, what);
            return kernel;
        }
        opevo_kernel_free(&kernel);
    }
    fail_msg("No point gives a parallel kernel.");
    return kernel;
}

/* ---- Any number of threads ------------------------------------------------------------------ */

static void *load_parallel(const char *source)
{
    static const char *const compiler[] = {
        "cc",      OPEVO_KERNEL_C_FLAGS,           "-fopenmp", "-fPIC", "-shared", "-Wall",
        "-Werror", "-Wno-unused-but-set-variable", NULL};
    void *handle = NULL;

    return source_build(compiler, source, &handle) ? handle : NULL;
}

static uint32_t bits_of(float number)
{
    uint32_t bits = 0;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void check_threads(operands *self, const opevo_kernel *kernel, const char *what)
{
    void *handle = load_parallel(opevo_text_string(&kernel->source));
    size_t bytes = (size_t)opevo_operand_elements(&self->op, 2) * sizeof(float);
    float *first = opevo_malloc(bytes, 1);
    opevo_i_reference_guarded scratch;
    opevo_i_reference_guarded packed = {0};
    const float *b = self->b;
    kernel_function *function = NULL;
    void (*set_threads)(int) = NULL;

    if (!handle)
        fail_msg("%s does not compile:\n%s", what, opevo_text_string(&kernel->source));
    *(void **)&function = dlsym(handle, kernel->entry);
    *(void **)&set_threads = dlsym(handle, "omp_set_num_threads");
    assert_true(first && function && set_threads);
    CHECK_OK(opevo_i_reference_guarded_create((size_t)opevo_kernel_scratch_bytes(kernel, 3), false,
                                              &scratch, &err));
    if (kernel->packed[1])
        b = kernel_pack(self, kernel, handle, &packed);
    for (int threads = 1; threads <= 3; threads++) {
        set_threads(threads);
        memset(self->c, 0xff, bytes); /* NaN */
        function(self->a, b, self->c, opevo_i_reference_floats(&scratch));
        if (threads == 1)
            memcpy(first, self->c, bytes);
        for (size_t i = 0; i < bytes / sizeof(float); i++) {
            double bound = opevo_reference_bound(&self->op, 0, self->magnitude[i]);

            if (!(fabs((double)self->c[i] - (double)self->expected[i]) <= bound) ||
                bits_of(first[i]) != bits_of(self->c[i]))
                fail_msg("%s: element %zu is %.9g on %d threads and %.9g on one, expected %.9g\n%s",
                         what, i, (double)self->c[i], threads, (double)first[i],
                         (double)self->expected[i], opevo_text_string(&kernel->source));
        }
    }
    for (int i = 0; i < 3; i++)
        assert_true(opevo_i_reference_guarded_intact(&self->memory[i]));
    opevo_free(first);
    assert_true(opevo_i_reference_guarded_intact(&scratch));
    opevo_i_reference_guarded_free(&scratch);
    opevo_i_reference_guarded_free(&packed);
    /* The runtime's threads outlive the kernel, so the object stays. */
}

CHECK_TEST(test_any_number)
{
    for (size_t f = test_size(1, 0); f < FORMS; f += test_size(2, 1)) { /* the others: races */
        operands self = operands_make(forms[f], f);
        opevo_kernel_maker *maker =
            open_for(&self.op, f & 1 && self.op.kind == OPEVO_CONV2D ? "weights" : "cpu",
                     2 + (unsigned)f % 2);
        opevo_text what = {0};
        opevo_rng rng;

        opevo_rng_init(&rng, f, "points", 0);
        for (int i = 0; i < point_count(2); i++) {
            opevo_kernel kernel = draw_kernel(maker, &rng, &what);

            check_threads(&self, &kernel, opevo_text_string(&what));
            opevo_kernel_free(&kernel);
        }
        opevo_text_free(&what);
        maker->ops->destroy(maker);
        operands_free(&self);
    }
    for (size_t i = test_size(1, 0); i < SHARED_COPIES; i += test_size(2, 1)) {
        operands self = operands_make(shared_copies[i].form, i);
        opevo_kernel kernel = make_text(shared_copies[i].form, shared_copies[i].point);

        assert_non_null(strstr(strstr(opevo_text_string(&kernel.source), "#pragma omp") + 1,
                               "#pragma omp")); /* a copy, and the loop */
        check_threads(&self, &kernel, shared_copies[i].point);
        opevo_kernel_free(&kernel);
        operands_free(&self);
    }
}

/* ---- Races ---------------------------------------------------------------------------------- */

/* OpenMP's team by threads that ThreadSanitizer knows, for what gcc makes of a parallel loop; and a
 * program that executes the kernel twice. */
static const char team[] =
    "\n#include <pthread.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
    "static __thread int me, size = 1;\n"
    "typedef struct { void (*f)(void *); void *data; int me; } part;\n"
    "static void *begin(void *x) { part *p = x; me = p->me; size = 3; p->f(p->data); return 0; }\n"
    "void GOMP_parallel(void (*f)(void *), void *data, unsigned n, unsigned flags) {\n"
    "  part p[3]; pthread_t t[3]; (void)n; (void)flags;\n"
    "  for (int i = 1; i < 3; i++) { p[i] = (part){f, data, i};\n"
    "    if (pthread_create(&t[i], 0, begin, &p[i])) abort(); }\n"
    "  size = 3; f(data); size = 1;\n"
    "  for (int i = 1; i < 3; i++) pthread_join(t[i], 0); }\n"
    "int omp_get_thread_num(void) { return me; }\n"
    "int omp_get_num_threads(void) { return size; }\n"
    "int main(void) {\n"
    "  float *x[4]; long n[4] = {SIZES};\n"
    "  for (int i = 0; i < 4; i++) { x[i] = aligned_alloc(64, (n[i] * 4 + 63) / 64 * 64);\n"
    "    for (long k = 0; k < n[i]; k++) x[i][k] = k % 7; }\n"
    "  if (QUIET) close(2);\n"
    "  for (int i = 0; i < 2; i++) ENTRY(x[0], x[1], x[2], x[3]);\n"
    "  return 0; }\n";

/* Whether ThreadSanitizer has nothing to say of a kernel of these sizes, of the operands and of
 * scratch memory. */
static bool is_race_free(const char *source, const char *entry, const int64_t *sizes, bool quiet)
{
    char folder[] = "/tmp/opevo_race_XXXXXX";
    char in[BUILD_PATH];
    char out[BUILD_PATH];
    FILE *file = NULL;
    bool built = false;
    bool good = false;

    assert_non_null(mkdtemp(folder));
    snprintf(in, sizeof in, "%s/k.c", folder);
    snprintf(out, sizeof out, "%s/k", folder);
    file = fopen(in, "w");
    assert_non_null(file);
    fprintf(file, "#define ENTRY %s\n#define SIZES %lld, %lld, %lld, %lld\n#define QUIET %d\n%s%s",
            entry, (long long)sizes[0], (long long)sizes[1], (long long)sizes[2],
            (long long)sizes[3], quiet, source, team);
    assert_int_equal(fclose(file), 0);
    built = program_succeeds((const char *const[]){"gcc", "-O1", "-g", "-w", "-fopenmp",
                                                   "-fsanitize=thread", "-o", out, in, NULL});
    good = built && program_succeeds((const char *const[]){out, NULL});
    unlink(in);
    unlink(out);
    rmdir(folder);
    assert_true(built || quiet);
    return good;
}

static void check_races(const char *form, const opevo_kernel *kernel, const char *what)
{
    opevo_operator op;
    int64_t sizes[4];

    CHECK_OK(opevo_operator_parse(form, &op, &err));
    for (int i = 0; i < 3; i++)
        sizes[i] = opevo_operand_elements(&op, i);
    sizes[3] = (int64_t)opevo_kernel_scratch_bytes(kernel, 3) / 4;
    if (!is_race_free(opevo_text_string(&kernel->source), kernel->entry, sizes, false))
        fail_msg("%s %s has a race:\n%s", form, what, opevo_text_string(&kernel->source));
}

CHECK_TEST(test_races)
{
    static const int64_t sizes[4] = {64, 64, 64, 0};

    if (!is_race_free("void kernel(float *a, float *b, float *c, float *s) { c[0] = a[0] + b[0]; }",
                      "kernel", sizes, true)) {
        print_message("skipped: gcc has no ThreadSanitizer that runs here\n");
        skip();
    }
    assert_false(is_race_free("void kernel(float *a, float *b, float *c, float *s) {\n"
                              "#pragma omp parallel for\n"
                              "  for (int i = 0; i < 64; i++) c[0] += a[i] * b[i]; }",
                              "kernel", sizes, true));
    for (size_t f = 0; f < FORMS; f += 2) {
        opevo_operator op;
        opevo_kernel_maker *maker = NULL;
        opevo_text what = {0};
        opevo_rng rng;

        CHECK_OK(opevo_operator_parse(forms[f], &op, &err));
        maker = open_for(&op, "cpu", 3);
        opevo_rng_init(&rng, f, "races", 0);
        for (int i = 0; i < point_count(1); i++) {
            opevo_kernel kernel = draw_kernel(maker, &rng, &what);

            check_races(forms[f], &kernel, opevo_text_string(&what));
            opevo_kernel_free(&kernel);
        }
        opevo_text_free(&what);
        maker->ops->destroy(maker);
    }
    for (size_t i = 0; i < SHARED_COPIES; i += test_size(2, 1)) {
        opevo_kernel kernel = make_text(shared_copies[i].form, shared_copies[i].point);

        check_races(shared_copies[i].form, &kernel, shared_copies[i].point);
        opevo_kernel_free(&kernel);
    }
}

/* ---- Schedules ------------------------------------------------------------------------------ */

CHECK_TEST(test_refused)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"annotate C k parallel\n", "is a reduction loop and cannot be parallelised"},
        {"split C k 4\nannotate C k.0 parallel\n", "k.0 is a reduction loop"},
        {"annotate C i parallel\nannotate C j parallel\n",
         "i and j cannot both be parallel: parallel loops are not nested"},
        {"annotate C i parallel\ncache_read B packed C\ncompute_at B.packed C i\n"
         "annotate B.packed k parallel\n",
         "The parallel loop k of B.packed is inside the parallel loop i: parallel loops are not "
         "nested."},
    };
    opevo_computation *computation = NULL;
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);

    CHECK_OK(opevo_computation_read("matmul(7,8,9)", &computation, &err));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opevo_error refused = {OPEVO_OK, ""};
        opevo_pipeline *pipeline = NULL;
        opevo_kernel kernel = {0};
        opevo_text why = {0};
        bool fits = true;

        if (opevo_pipeline_parse(computation, rows[i].text, "t", &pipeline, &refused) == OPEVO_OK) {
            CHECK_OK(
                opevo_pipeline_emit(pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, &err));
            assert_false(fits);
        }
        if (!strstr(pipeline ? opevo_text_string(&why) : refused.message, rows[i].words))
            fail_msg("%s: %s%s", rows[i].text, refused.message, opevo_text_string(&why));
        opevo_pipeline_destroy(pipeline);
        opevo_text_free(&why);
    }
    opevo_computation_destroy(computation);
}

enum { ROW = 20 };

/* Whether two iterations of the loop at place `parallel` of `order` reach one of the elements
 * whose numbers are t*number[0] + l*number[1] + number[2], by trying all pairs of iterations that
 * agree on the loops outside. */
static bool is_shared(const int order[3], int parallel, int t, int l)
{
    const int extent[3] = {(ROW + t - 1) / t, (t + l - 1) / l, l};
    const int all = extent[0] * extent[1] * extent[2];

    for (int a = 0; a < all; a++)
        for (int b = 0; b < a; b++) {
            const int x[3] = {a / l / extent[1], a / l % extent[1], a % l};
            const int y[3] = {b / l / extent[1], b / l % extent[1], b % l};
            const int element = t * x[0] + l * x[1] + x[2];
            bool together = element == t * y[0] + l * y[1] + y[2] && element < ROW;

            for (int i = 0; i < parallel; i++)
                together = together && x[order[i]] == y[order[i]];
            if (together && x[order[parallel]] != y[order[parallel]])
                return true;
        }
    return false;
}

/* Tiles of t, in parts of l that need not divide t. */
static void check_tiles(const opevo_computation *computation, const int order[3], int parallel,
                        int t, int l)
{
    static const char *const loops[] = {"i.0", "i.1.0", "i.1.1"};
    const opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
    opevo_pipeline *pipeline = NULL;
    opevo_kernel kernel = {0};
    opevo_text text = {0}, why = {0};
    bool fits = false;

    opevo_text_printf(&text, "split B i %d\nsplit B i.1 %d\nreorder B %s %s %s\n", t, l,
                      loops[order[0]], loops[order[1]], loops[order[2]]);
    opevo_text_printf(&text, "annotate B %s parallel\n", loops[order[parallel]]);
    CHECK_OK(opevo_pipeline_parse(computation, opevo_text_string(&text), "t", &pipeline, &err));
    CHECK_OK(opevo_pipeline_emit(pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, &err));
    if (fits == is_shared(order, parallel, t, l))
        fail_msg("%s%s: %s", opevo_text_string(&text), fits ? "fits" : "does not",
                 opevo_text_string(&why));
    assert_true(fits || strstr(opevo_text_string(&why), "write the same elements"));
    opevo_kernel_free(&kernel);
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&text);
    opevo_text_free(&why);
}

/* What an inner loop runs too far is an element of the next iteration around it. */
CHECK_TEST(test_uneven_tiles)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    opevo_computation *computation = NULL;

    CHECK_OK(opevo_computation_read("A[i:20]; B[i] = 2*A[i]", &computation, &err));
    for (int t = 1; t <= ROW; t++)
        for (int l = 1; l <= t; l++)
            for (int i = 0; i < 18; i++)
                check_tiles(computation, orders[i / 3], i % 3, t, l);
    opevo_computation_destroy(computation);
}

/* Where the loop has one iteration nothing is left of the annotation. */
CHECK_TEST(test_single_iteration)
{
    static const char text[] = "split C i 8\nreorder C i.0 j k i.1\nannotate C i.0 parallel\n"
                               "accumulate C j\n"
                               "cache_read B packed C\ncompute_at B.packed C i.0\n";
    operands self = operands_make("matmul(8,5,9)", 1);
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
    steps made;
    opevo_kernel kernel = {0};
    opevo_text why = {0};
    bool fits = false;

    made = steps_of(&self.op, text);
    CHECK_OK(
        opevo_pipeline_emit(made.pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, &err));
    assert_true(fits && !kernel.parallel);
    assert_null(strstr(opevo_text_string(&kernel.source), "#pragma omp"));
    assert_null(strstr(opevo_text_string(&kernel.source), "_Thread_local"));
    kernel_check(&self, &kernel, text);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    steps_free(&made);
    operands_free(&self);
}

/* ---- Spaces --------------------------------------------------------------------------------- */

/* One thread: the space and the kernels are those without the parameter. */
CHECK_TEST(test_one_thread)
{
    opevo_operator op;
    opevo_kernel_maker *plain = NULL;
    opevo_kernel_maker *one = NULL;
    opevo_kernel_maker *two = NULL;
    opevo_kernel kernel;

    CHECK_OK(opevo_operator_parse("mm1", &op, &err));
    CHECK_OK(opevo_template_open(&op, NULL, OPEVO_KERNEL_C, &plain, &err));
    one = open_for(&op, "cpu", 1);
    two = open_for(&op, "cpu", 2);
    assert_true(plain->signature == one->signature && plain->signature != two->signature);
    assert_int_equal(opevo_space_parameter_count(one->space) + 1,
                     opevo_space_parameter_count(two->space));
    assert_true(make(plain, 12345, &kernel) && !kernel.parallel);
    assert_null(strstr(opevo_text_string(&kernel.source), "#pragma omp"));
    opevo_kernel_free(&kernel);
    plain->ops->destroy(plain);
    one->ops->destroy(one);
    two->ops->destroy(two);
    CHECK_FAILS(OPEVO_INVALID, "not 2",
                opevo_template_open_threads(&op, "paper", OPEVO_KERNEL_CUDA, 2, &plain, &err));
    CHECK_FAILS(OPEVO_INVALID, "not 0",
                opevo_template_open_threads(&op, "cpu", OPEVO_KERNEL_C, 0, &plain, &err));
    CHECK_FAILS(OPEVO_INVALID, "not 1025",
                opevo_template_open_threads(&op, "cpu", OPEVO_KERNEL_C, 1025, &plain, &err));
}

/* Every named operator gives parallel kernels for any number of threads; one without a loop to
 * divide has a space all the same. */
CHECK_TEST(test_every_operator)
{
    static const unsigned threads[] = {2, 3, 8, 64};
    opevo_operator op;
    opevo_kernel_maker *maker = NULL;
    opevo_text what = {0};

    for (size_t i = 0; i < opevo_operator_count(); i++) {
        if (opevo_template_open(&opevo_operator_get(i)->op, "cpu", OPEVO_KERNEL_C, &maker, NULL) !=
            OPEVO_OK)
            continue; /* too large for any template */
        maker->ops->destroy(maker);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            opevo_kernel kernel;
            opevo_rng rng;

            if (!test_takes(i, t, sizeof threads / sizeof *threads))
                continue;
            opevo_rng_init(&rng, i, "operators", t);
            maker = open_for(&opevo_operator_get(i)->op, "cpu", threads[t]);
            kernel = draw_kernel(maker, &rng, &what);
            opevo_kernel_free(&kernel);
            maker->ops->destroy(maker);
        }
    }
    opevo_text_free(&what);
    CHECK_OK(opevo_operator_parse("matmul(1,64,1)", &op, &err));
    maker = open_for(&op, "cpu", 2);
    assert_true(opevo_space_size(maker->space) > 1);
    maker->ops->destroy(maker);
}

/* The analytic schedule of each operator that has enough panels divides a loop. */
CHECK_TEST(test_starts)
{
    static const char *const names[] = {"mm1",
                                        "mm3",
                                        "bmm1",
                                        "resnet18-c2",
                                        "resnet18-c12",
                                        "bmm3",
                                        "matmul(1,4096,4096)",
                                        "matmul(37,129,511)"};
    static const unsigned threads[] = {2, 3, 8};
    const opevo_device_facts facts = {.vector_bits = 256};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            opevo_operator op;
            opevo_kernel_maker *maker = NULL;
            opevo_kernel kernel;
            opevo_index point = 0;
            bool found = false;

            if (!test_takes(i, t, sizeof threads / sizeof *threads))
                continue;
            CHECK_OK(opevo_operator_parse(names[i], &op, &err));
            maker = open_for(&op, "cpu", threads[t]);
            CHECK_OK(maker->ops->start(maker, &facts, &found, &point, &err));
            assert_true(found && opevo_space_allows(maker->space, point));
            assert_true(make(maker, point, &kernel));
            if (!kernel.parallel)
                fail_msg("%s on %u threads starts on one", names[i], threads[t]);
            opevo_kernel_free(&kernel);
            maker->ops->destroy(maker);
        }
    }
}
