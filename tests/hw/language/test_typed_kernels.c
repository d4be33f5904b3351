/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of float16, bfloat16, int8 and int32 tensors: their conversions for all values, and
 * random steps on random computations, against the interpreter. */

#include "pipeline_draw.h"
#include "sketch_fixture.h"

#include "computations.h"

/* ---- Conversions ---- */

/* Compilers and processors that convert in different ways: by instructions of their own, and by
 * bits. */
static const char *const compilers[][8] = {
    {"gcc", "-O2", "-march=native", "-fPIC", "-shared", NULL},
    {"gcc", "-O2", "-Wno-psabi", "-fPIC", "-shared", NULL},
    {"gcc", "-O2", "-mavx2", "-mno-f16c", "-Wno-psabi", "-fPIC", "-shared", NULL},
    {"clang", "-O2", "-march=native", "-fPIC", "-shared", NULL},
    {"clang", "-O2", "-Wno-psabi", "-fPIC", "-shared", NULL},
};
enum { COMPILERS = sizeof compilers / sizeof *compilers };

static opevo_kernel emit(const char *text, const char *steps, opevo_kernel_dialect dialect)
{
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;
    opevo_kernel kernel = {0};
    opevo_text why = {0};
    bool fits = false;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_pipeline_parse(computation, steps, "steps", &pipeline, &err));
    CHECK_OK(opevo_pipeline_emit(pipeline, dialect, &limits, &kernel, &fits, &why, &err));
    if (!fits)
        fail_msg("%s: %s", text, opevo_text_string(&why));
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
    opevo_text_free(&why);
    return kernel;
}

static bool same_value(double a, double b)
{
    return isnan(a) ? isnan(b) != 0 : a == b && !signbit(a) == !signbit(b);
}

/* A kernel that copies `from` of one type to another. */
typedef struct conversion {
    opevo_element from_type, to_type;
    const void *from;
    int count, width;
    opevo_kernel kernel;
} conversion;

/* Those of one compiler, which builds them together. */
typedef struct conversions {
    conversion item[64];
    int count;
    opevo_text source;
} conversions;

/* By vectors of `width` or one by one; the extent is a multiple of 16. */
static void add_copy(conversions *self, opevo_element from_type, const void *from,
                     opevo_element to_type, int count, int width)
{
    conversion *one = &self->item[self->count];
    opevo_text text = {0}, steps = {0};

    assert_true(self->count < (int)(sizeof self->item / sizeof *self->item));
    opevo_text_printf(&text, "%s A[i:%d]; %s C[i] = A[i]", opevo_element_name(from_type), count,
                      opevo_element_name(to_type));
    if (width > 1)
        opevo_text_printf(&steps, "split C i %d\nannotate C i.1 vectorize\n", width);
    *one = (conversion){.from_type = from_type,
                        .to_type = to_type,
                        .from = from,
                        .count = count,
                        .width = width,
                        .kernel = emit(opevo_text_string(&text), opevo_text_string(&steps),
                                       width ? OPEVO_KERNEL_C : OPEVO_KERNEL_EMULATION)};
    batch_add(&self->source, &one->kernel, self->count++);
    opevo_text_free(&text);
    opevo_text_free(&steps);
}

static void check_copy(const conversion *self, void *handle, const char *const *compiler)
{
    void *to = calloc((size_t)self->count, (size_t)opevo_element_bytes(self->to_type));
    union {
        void *object;
        void (*call)(const void *, void *, void *);
    } function = {dlsym(handle, self->kernel.entry)};

    if (!to || !function.object)
        fail_msg("%s is missing", self->kernel.entry);
    function.call(self->from, to, NULL);
    for (size_t e = 0; e < (size_t)self->count; e++) {
        double value = opevo_element_get(self->from_type, self->from, e);
        double is = opevo_element_get(self->to_type, to, e);
        double wanted = opevo_element_nearest(self->to_type, value);

        if (!same_value(is, wanted))
            fail_msg("%s %s, width %d, from %s to %s: %a becomes %a instead of %a", compiler[0],
                     compiler[2], self->width, opevo_element_name(self->from_type),
                     opevo_element_name(self->to_type), value, is, wanted);
    }
    free(to);
}

static void check_copies(conversions *self, const char *const *compiler)
{
    void *handle = NULL;

    if (!source_build(compiler, opevo_text_string(&self->source), &handle))
        fail_msg("%s %s does not compile them:\n%s\n%s", compiler[0], compiler[2], program_output,
                 opevo_text_string(&self->source));
    for (int i = 0; i < self->count; i++) {
        check_copy(&self->item[i], handle, compiler);
        opevo_kernel_free(&self->item[i].kernel);
    }
    dlclose(handle);
    opevo_text_free(&self->source);
}

/* All floats that a type may round in another way: its values, the middles between neighbours, and
 * what is next to each; and whatever bits. */
static float *floats_around(opevo_element element, int *count)
{
    enum { RANDOM = 1 << 18 };
    float *values = calloc(6 * 65536 + RANDOM, sizeof *values);
    uint64_t random = 5;
    int made = 0;

    for (unsigned bits = 0; bits < 65536; bits++) {
        uint16_t one = (uint16_t)bits, next = (uint16_t)(bits + 1);
        float low = (float)opevo_element_get(element, &one, 0);
        float high = (float)opevo_element_get(element, &next, 0);
        float middle = (float)(((double)low + (double)high) / 2);

        values[made++] = low;
        values[made++] = middle;
        values[made++] = nextafterf(middle, 0);
        values[made++] = nextafterf(middle, middle < 0 ? -INFINITY : INFINITY);
        values[made++] = nextafterf(low, -INFINITY);
        values[made++] = nextafterf(low, INFINITY);
    }
    for (int i = 0; i < RANDOM; i++) {
        uint32_t bits = (uint32_t)draw(&random, UINT64_C(1) << 32);

        memcpy(&values[made++], &bits, sizeof bits);
    }
    *count = made;
    return values;
}

static bool has_compiler(const char *const *compiler)
{
    return source_build(compiler, "int opevo_unused;\n", &(void *){NULL});
}

CHECK_TEST(test_all_conversions)
{
    static const int widths[] = {0, 1, 2, 4, 8, 16}; /* 0: emulated */
    static uint16_t all[65536];
    static int8_t bytes[256];
    float *floats[2] = {NULL};
    int tried = 0, count = 0;

    for (int i = 0; i < 65536; i++)
        all[i] = (uint16_t)i;
    for (int i = 0; i < 256; i++)
        bytes[i] = (int8_t)(i - 128);
    for (opevo_element e = OPEVO_FLOAT16; e <= OPEVO_BFLOAT16; e++)
        floats[e == OPEVO_BFLOAT16] = floats_around(e, &count);
    for (int c = 0; c < COMPILERS; c++) {
        conversions self = {.count = 0};

        if (!has_compiler(compilers[c]))
            continue;
        tried++;
        for (opevo_element e = OPEVO_FLOAT16; e <= OPEVO_BFLOAT16; e++) {
            for (int w = 0; w < 6; w++) {
                add_copy(&self, e, all, OPEVO_FLOAT32, 65536, widths[w]);
                add_copy(&self, OPEVO_FLOAT32, floats[e == OPEVO_BFLOAT16], e, count, widths[w]);
                add_copy(&self, OPEVO_INT8, bytes, e, 256, widths[w]);
            }
            add_copy(&self, e, all, e == OPEVO_FLOAT16 ? OPEVO_BFLOAT16 : OPEVO_FLOAT16, 65536, 16);
        }
        for (int w = 0; w < 6; w++) {
            add_copy(&self, OPEVO_INT8, bytes, OPEVO_FLOAT32, 256, widths[w]);
            add_copy(&self, OPEVO_INT8, bytes, OPEVO_INT32, 256, widths[w]);
            add_copy(&self, OPEVO_INT8, bytes, OPEVO_INT8, 256, widths[w]);
        }
        check_copies(&self, compilers[c]);
    }
    free(floats[0]);
    free(floats[1]);
    assert_true(tried > 0);
}

/* ---- Text ---- */

/* Arrays, copies and packed constants have the type of their tensor; sums are of float or int. */
CHECK_TEST(test_text)
{
    static const char steps[] =
        "cache_read A packed C\nsplit C i 4\nsplit C j 16\nreorder C i.0 j.0 k i.1 j.1\n"
        "annotate C j.1 vectorize\nannotate C i.1 unroll\naccumulate C j.0\ncompute_at A.packed C "
        "i.0\nlayout B 1 16 0 1 1 1\n";
    opevo_kernel kernel = emit("int8 A[i:8, k:9]; const int8 B[k, j:32]; int32 C[i, j] = sum(k) "
                               "A[i, k]*B[k, j]",
                               steps, OPEVO_KERNEL_C);
    const char *text = opevo_text_string(&kernel.source);

    assert_non_null(strstr(text,
                           "(const signed char *restrict a, const signed char *restrict b, int "
                           "*restrict c, float *restrict scratch)"));
    assert_non_null(strstr(text, "signed char *restrict const m"));
    assert_non_null(strstr(text, "I16 r"));
    assert_non_null(strstr(text, "_pack_b(const signed char *restrict from, signed char *restrict "
                                 "to)"));
    assert_int_equal(kernel.packed[1], 9 * 32);
    assert_null(strstr(text, "float r"));
    opevo_kernel_free(&kernel);
    kernel =
        emit("float16 A[i:8, k:8]; float16 C[i, k] = A[k, i]",
             "cache_read A shared C\ncompute_at A.shared C i\nannotate C i block.x\nannotate C k "
             "thread.x\nannotate A.shared i thread.x\n",
             OPEVO_KERNEL_CUDA);
    text = opevo_text_string(&kernel.source);
    assert_non_null(strstr(text, "__shared__ __align__(16) unsigned short m"));
    assert_null(strstr(text, "opevo_from_half"));
    opevo_kernel_free(&kernel);
}

/* Of 37 rows and 53 columns in tiles of 4 x 16: columns beyond the last are not read, and whole
 * vectors stay together. */
CHECK_TEST(test_edges)
{
    static const char steps[] = "split C i 4\nsplit C j 16\nreorder C i.0 j.0 k i.1 j.1\n"
                                "annotate C j.1 vectorize\nannotate C i.1 unroll\n"
                                "accumulate C j.0\n";
    static const struct {
        const char *type, *result, *load;
    } kinds[] = {{"float16", "float32", "opevo_from_half16(opevo_get_short16(&"},
                 {"bfloat16", "float32", "opevo_from_bfloat16(opevo_get_short16(&"},
                 {"int8", "int32", "__builtin_convertvector(opevo_get_byte16(&"},
                 {"int8", "float32", "__builtin_convertvector(opevo_get_byte16(&"}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        opevo_text text = {0}, why = {0};
        opevo_pipeline *pipeline = NULL;
        opevo_kernel kernel = {0};
        pipeline_case operands;

        opevo_text_printf(&text,
                          "%s A[i:37, k:29]; %s B[k, j:53]; %s C[i, j] = sum(k) A[i, k]*B[k, j]",
                          kinds[i].type, kinds[i].type, kinds[i].result);
        operands = case_make(opevo_text_string(&text), i);
        CHECK_OK(opevo_pipeline_parse(operands.computation, steps, "steps", &pipeline, &err));
        assert_true(case_check(&operands, pipeline, OPEVO_KERNEL_C, &why));
        kernel = emit(opevo_text_string(&text), steps, OPEVO_KERNEL_C);
        if (!strstr(opevo_text_string(&kernel.source), kinds[i].load))
            fail_msg("%s is not in\n%s", kinds[i].load, opevo_text_string(&kernel.source));
        opevo_kernel_free(&kernel);
        opevo_pipeline_destroy(pipeline);
        case_free(&operands);
        opevo_text_free(&text);
        opevo_text_free(&why);
    }
    batch_run();
}

/* ---- Random steps on random computations ---- */

static void check_random(const char *computation, uint64_t seed, bool gpu, int *lowered)
{
    pipeline_case operands = case_make(computation, seed);
    opevo_pipeline *pipeline =
        draw_pipeline(operands.computation, gpu ? &gpu_choices : &cpu_choices, seed);

    *lowered += check_kernels(&operands, pipeline, gpu ? OPEVO_KERNEL_EMULATION : OPEVO_KERNEL_C) ==
                opevo_pipeline_step_count(pipeline);
    opevo_pipeline_destroy(pipeline);
    case_free(&operands);
}

CHECK_TEST(test_plain)
{
    for (int i = 0; i < TYPED_COMPUTATIONS; i++) {
        for (opevo_kernel_dialect d = OPEVO_KERNEL_C; d < OPEVO_KERNEL_COUNT; d++) {
            pipeline_case operands = case_make(typed_computations[i], (uint64_t)i);
            opevo_pipeline *pipeline = NULL;
            opevo_text why = {0};

            CHECK_OK(opevo_pipeline_create(operands.computation, &pipeline, &err));
            if ((d == OPEVO_KERNEL_C || d == OPEVO_KERNEL_EMULATION) &&
                !case_check(&operands, pipeline, d, &why))
                fail_msg("%s: %s", typed_computations[i], opevo_text_string(&why));
            opevo_pipeline_destroy(pipeline);
            opevo_text_free(&why);
            case_free(&operands);
        }
    }
    batch_run();
}

static void check_steps(bool gpu)
{
    int count = draw_count(60);
    int lowered = 0;

    for (int i = 0; i < count; i++)
        check_random(typed_computations[i % TYPED_COMPUTATIONS], (uint64_t)i + 7, gpu, &lowered);
    assert_true(4 * lowered > count);
    batch_run();
}

CHECK_TEST(test_random_steps)
{
    check_steps(false);
    check_steps(true);
}

static void check_computations(bool gpu)
{
    int count = draw_count(160);
    int checked = 0;
    int lowered = 0;

    for (uint64_t seed = 0; checked < count; seed++) {
        opevo_computation *made = NULL;
        opevo_text text = {0};

        write_typed_computation(seed, 4, &text);
        if (opevo_computation_parse(opevo_text_string(&text), "random", NULL, 0, &made, NULL) ==
            OPEVO_OK) {
            check_random(opevo_text_string(&text), seed, gpu, &lowered);
            checked++;
        }
        opevo_computation_destroy(made);
        opevo_text_free(&text);
    }
    assert_true(4 * lowered > checked);
    batch_run();
}

CHECK_TEST(test_random_computations)
{
    check_computations(false);
    check_computations(true);
}

/* ---- Sketches ---- */

/* Random points of all sketches, run here; those for GPUs by their emulation. */
static void check_sketches(const char *text, bool gpu, uint64_t seed)
{
    opevo_sketch_target target = {
        .dialect = gpu ? OPEVO_KERNEL_EMULATION : OPEVO_KERNEL_C, .cores = 4, .threads = 2};
    pipeline_case operands = case_make(text, seed);
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    int points = draw_count(2), made = 0;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    for (int i = 0; i < 50 * points && made < points; i++) {
        opevo_index point = (opevo_index)draw(&seed, UINT64_MAX) % opevo_space_size(maker->space);
        opevo_outcome_class refused = OPEVO_OUTCOME_OK;
        opevo_kernel kernel = {0};
        opevo_text why = {0};

        CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
        if (refused == OPEVO_OUTCOME_OK) {
            case_run(&operands, &kernel, text);
            made++;
        }
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
    }
    assert_int_equal(made, points);
    maker->ops->destroy(maker);
    case_free(&operands);
}

CHECK_TEST(test_sketches)
{
    for (int i = 0; i < TYPED_COMPUTATIONS; i++) {
        for (int gpu = 0; gpu < 2; gpu++) {
            if (test_takes((size_t)i, (size_t)gpu, 2))
                check_sketches(typed_computations[i], gpu, (uint64_t)i);
        }
    }
    batch_run();
}
