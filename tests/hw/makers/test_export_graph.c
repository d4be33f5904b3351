/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations as plain loops in C: compiled, they give the values and bounds of the
 * interpreter. */

#include "computation_kernels.h"
#include "computations.h"
#include "points.h"
#include "process_fixture.h"

#include <opevo/computation_named.h>
#include <opevo/computation_reference.h>
#include <opevo/emit.h>
#include <opevo/random.h>
#include <opevo/workload.h>

#include <dlfcn.h>

#include "export_internal.h"

/* run(inputs, outputs): for each output its values with their errors. */
typedef void (*run_function)(void *const *inputs, double **outputs);

static void write_program(const opevo_workload *work, opevo_text *out)
{
    opevo_text_add(out, "#include <float.h>\n#include <math.h>\n#include <stdlib.h>\n"
                        "static void *had(void *memory) { return memory; }\n"
                        "static void *allocate(long long bytes) { return malloc(bytes); }\n");
    for (int i = 0; i < work->list.inputs; i++)
        opevo_text_printf(out, "static %s *x_%s;\n",
                          opevo_kernel_type_text(work->list.item[i].element),
                          work->list.item[i].name);
    opevo_text_add(out, opevo_i_export_values);
    opevo_i_export_types(out, work->computation);
    opevo_i_export_graph(out, work->computation);
    opevo_text_add(out, "void run(void **inputs, double **outputs) {\n");
    for (int i = 0; i < work->list.inputs; i++)
        opevo_text_printf(out, "  x_%s = (%s *)inputs[%d];\n", work->list.item[i].name,
                          opevo_kernel_type_text(work->list.item[i].element), i);
    opevo_text_add(out, "  prepare();\n");
    for (int i = work->list.inputs; i < work->list.count; i++)
        opevo_text_printf(out,
                          "  for (long long at = 0; at < %lldLL; at++) right_%s(at);\n"
                          "  outputs[%d] = (double *)v_%s;\n",
                          (long long)work->list.item[i].elements, work->list.item[i].name,
                          i - work->list.inputs, work->list.item[i].name);
    opevo_text_add(out, "}\n");
}

/* As the interpreter has them; an element whose comparisons are not sure has no bound here. Values
 * of narrow types that need no rounding are found here by themselves, and in the interpreter by the
 * types that they are made of, so that bounds may be smaller here. */
static void check_output(const char *what, const double *pairs, opevo_element element,
                         const void *wanted, const double *bound, bool typed, size_t count,
                         size_t *bounded)
{
    for (size_t k = 0; k < count; k++) {
        double v = pairs[2 * k], e = pairs[2 * k + 1];
        double nearest = opevo_element_nearest(element, v);
        double right = opevo_element_get(element, wanted, k);
        double full = e + fabs(nearest - v);

        if (isfinite(right) && !(nearest == right || fabs(v - right) <= 1e-6 * fabs(v)))
            fail_msg("%s: [%zu] is %.17g, expected %.9g", what, k, v, right);
        if (isinf(full))
            continue;
        if (fabs(full - bound[k]) <= 1e-6 * bound[k] + 1e-300)
            ++*bounded;
        else if (!(typed && full < bound[k]))
            fail_msg("%s: the bound of [%zu] is %.17g, expected %.17g", what, k, full, bound[k]);
    }
}

static void check_computation(opevo_computation *computation, const char *what, size_t *elements,
                              size_t *bounded)
{
    static int number;
    opevo_workload *work = NULL;
    opevo_text program = {0};
    void *inputs[8] = {0}, *outputs[16] = {0};
    double *bounds[16] = {0}, *pairs[16] = {0};
    char name[32];
    void *library = NULL, *symbol = NULL;
    run_function run = NULL;
    opevo_rng rng;
    int count = 0;

    CHECK_OK(opevo_workload_adopt(computation, &work, &err));
    opevo_rng_init(&rng, 1, "inputs", 0);
    for (int i = 0; i < work->list.count; i++) {
        size_t each = (size_t)work->list.item[i].elements;
        opevo_element element = work->list.item[i].element;
        double scale = element == OPEVO_INT8 ? 128 : element == OPEVO_INT32 ? 0x1p22 : 1;

        if (i < work->list.inputs) {
            inputs[i] = calloc(each, (size_t)opevo_element_bytes(element));
            for (size_t k = 0; k < each; k++)
                opevo_element_put(element, inputs[i], k,
                                  scale * ((double)(opevo_rng_u64(&rng) >> 40) * 0x1p-23 - 1));
            continue;
        }
        outputs[count] = calloc(each, (size_t)opevo_element_bytes(element));
        bounds[count++] = calloc(each, sizeof **bounds);
    }
    write_program(work, &program);
    snprintf(name, sizeof name, "graph%d", number++);
    library = dlopen(child_build(name, opevo_text_string(&program)), RTLD_NOW | RTLD_LOCAL);
    symbol = library ? dlsym(library, "run") : NULL;
    if (!symbol)
        fail_msg("%s: %s\n%s", what, dlerror(), opevo_text_string(&program));
    memcpy(&run, &symbol, sizeof run);
    run(inputs, pairs);
    CHECK_OK(opevo_computation_expect(work->computation, (const void *const *)inputs, outputs,
                                      bounds, 1, &err));
    for (int o = 0; o < count; o++) {
        size_t each = (size_t)work->list.item[work->list.inputs + o].elements;

        check_output(what, pairs[o], work->list.item[work->list.inputs + o].element, outputs[o],
                     bounds[o], opevo_i_export_is_typed(work->computation), each, bounded);
        *elements += each;
    }
    for (int i = 0; i < 16; i++) {
        free(i < 8 ? inputs[i] : NULL);
        free(outputs[i]);
        free(bounds[i]);
    }
    /* The library stays open: its variables own memory that a program keeps until it ends. */
    opevo_text_free(&program);
    opevo_workload_destroy(work);
}

CHECK_TEST(test_named)
{
    static const char *const texts[] = {
        "c2d(1,9,8,3,5,3,2,1)",
        "grp(1,9,8,4,8,3,1,1,4)",
        "dil(1,9,8,3,4,3,1,0,2)",
        "t2d(1,4,4,6,5,4,2,1)",
        "nrm(2,30,41)",
        "tbg(2,5,3,4)",
        "softmax(5,37)",
        "layer-norm(4,59)",
        "attention(1,2,7,3)",
        "conv-layer(1,9,8,3,4,3,1,1)",
        "S[] = sum(i:100) X[i]*X[i]",
        "Y[i:50] = tanh(9*X[i]) + erf(X[i]) - sigmoid(2*X[i])/3 + min(X[i], i)",
        "Y[i:50] = select(X[i] < 0 and i//3 > 2, -X[i], exp(X[i]*5) - 1e-30)",
    };
    size_t elements = 0, bounded = 0;

    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        opevo_computation *computation = NULL;

        CHECK_OK(opevo_computation_read(texts[t], &computation, &err));
        check_computation(computation, texts[t], &elements, &bounded);
    }
    assert_int_equal(bounded, elements);
}

static void check_random(void (*write)(uint64_t, int, opevo_text *))
{
    size_t elements = 0, bounded = 0;
    size_t checked = 0;

    for (uint64_t seed = 0; checked < test_size(5, 20); seed++) {
        opevo_text text = {0};
        opevo_computation *computation = NULL;

        write(seed, 5, &text);
        if (opevo_computation_parse(opevo_text_string(&text), "random", NULL, 0, &computation,
                                    NULL) == OPEVO_OK) {
            check_computation(computation, opevo_text_string(&text), &elements, &bounded);
            checked++;
        }
        opevo_text_free(&text);
    }
    assert_true(2 * bounded > elements);
}

CHECK_TEST(test_random)
{
    check_random(write_computation);
    check_random(write_typed_computation);
}

/* ---- Programs ---- */

static void write_source(const char *name, const opevo_text *text)
{
    char path[4200];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s.c", cache_folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(opevo_text_string(text), file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The exit status of the program of a kernel, compiled; spoilt kernels share that of the right
 * one. */
static int run_program(const opevo_kernel *kernel, const opevo_workload *work)
{
    static opevo_text compiled;
    char command[2 * 4200];
    opevo_text text = {0};
    bool same = false;

    CHECK_OK(opevo_i_export_program(&text, kernel, work, &err));
    same = strcmp(opevo_text_string(&compiled), opevo_text_string(&text)) == 0;
    write_source("kernel", &kernel->source);
    write_source("main", &text);
    snprintf(command, sizeof command,
             "cd '%s' && { %s || cc -O%zu -Wall -Wextra -Werror -Wno-unused-function -c main.c; } "
             "&& cc -O1 -w -o program main.o kernel.c -lm && ./program >said",
             cache_folder, same ? "true" : "false", test_size(1, 2));
    opevo_text_free(&compiled);
    compiled = text;
    return system(command); /* NOLINT(cert-env33-c): the words are ours */
}

/* Programs tell right kernels from wrong ones. */
CHECK_TEST(test_programs)
{
    for (size_t k = 0; k < COMPUTATION_KERNELS; k++) {
        opevo_kernel_maker *maker = computation_maker_create(&computation_kernels[k]);
        opevo_workload *work = NULL;

        CHECK_OK(opevo_workload_create(maker->computation, &work, &err));
        for (size_t i = 0; i < SPOILT_KERNELS; i++) {
            opevo_kernel kernel = {0};
            opevo_outcome_class refused = OPEVO_OUTCOME_OK;
            opevo_text why = {0};

            if (spoilt_kernels[i].kind != OPEVO_OUTCOME_OK &&
                strcmp(spoilt_kernels[i].name, "off") != 0 &&
                strcmp(spoilt_kernels[i].name, "unwritten") != 0)
                continue;
            CHECK_OK(maker->ops->make(maker, i, &kernel, &refused, &why, &err));
            if ((run_program(&kernel, work) == 0) != (spoilt_kernels[i].kind == OPEVO_OUTCOME_OK))
                fail_msg("%s %s", computation_kernels[k].name, spoilt_kernels[i].name);
            opevo_kernel_free(&kernel);
        }
        opevo_workload_destroy(work);
        maker->ops->destroy(maker);
    }
}

/* A program of other types, with a kernel as it is, and with a text in it replaced. */
static void check_typed(const char *text, const char *steps, const char *from, const char *to)
{
    opevo_limits limits = opevo_limits_default(OPEVO_KERNEL_C);
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;
    opevo_workload *work = NULL;
    opevo_kernel kernel = {0};
    opevo_text why = {0}, spoilt = {0};
    const char *at = NULL;
    bool fits = false;

    CHECK_OK(opevo_computation_read(text, &computation, &err));
    CHECK_OK(opevo_pipeline_parse(computation, steps, "steps", &pipeline, &err));
    CHECK_OK(opevo_pipeline_emit(pipeline, OPEVO_KERNEL_C, &limits, &kernel, &fits, &why, &err));
    opevo_pipeline_destroy(pipeline);
    CHECK_OK(opevo_workload_adopt(computation, &work, &err));
    assert_int_equal(run_program(&kernel, work), 0);
    at = strstr(opevo_text_string(&kernel.source), from);
    if (!at)
        fail_msg("%s is not in\n%s", from, opevo_text_string(&kernel.source));
    opevo_text_add_bytes(&spoilt, opevo_text_string(&kernel.source),
                         (size_t)(at - opevo_text_string(&kernel.source)));
    opevo_text_printf(&spoilt, "%s%s", to, at + strlen(from));
    opevo_text_free(&kernel.source);
    kernel.source = spoilt;
    child_build("spoilt", opevo_text_string(&spoilt));
    assert_int_not_equal(run_program(&kernel, work), 0);
    opevo_workload_destroy(work);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
}

/* Sums that lose their last bit, results that are cut off instead of rounded, wrong types. */
CHECK_TEST(test_typed_programs)
{
    static const char vector[] = "split C j 16\nannotate C j.1 vectorize\n";

    check_typed("int8 A[i:20, k:33]; const int8 B[k, j:48]; int32 C[i, j] = sum(k) A[i, k]*B[k, j]",
                vector, "c[48 * v", "c[0 * v");
    check_typed("int8 A[i:20, k:33]; const int8 B[k, j:48]; int32 C[i, j] = sum(k) A[i, k]*B[k, j]",
                "layout B 1 16 0 1 1 1\n", "+= ", "+= -1 & ~1 & ");
    check_typed("float16 A[i:20, k:33]; float16 C[i] = sum(k) A[i, k]*A[i, k]", "", "+ 0xfffu",
                "+ 0u");
    check_typed("bfloat16 A[i:64]; bfloat16 B[i]; bfloat16 C[i] = A[i]*B[i]", "", "0x7fffu", "0u");
    check_typed(
        "int32 A[i:64]; int8 B[i] = max(min(A[i], 127), -128); bfloat16 C[i] = 1/(B[i]*B[i] + "
        "1)",
        "", " = opevo_to_bfloat(", " = (unsigned short)(");
    check_typed(
        "float16 A[i:30, k:20]; float16 C[i] = max(k) A[i, k]; int8 P[i]; int8 D[i] = min(P[i], "
        "3)",
        "", "v1 < 30", "v1 < 29");
}

/* What takes long in plain loops is sampled: a program accepts the right kernel, and rejects one
 * that has a wrong row in ten, or a wrong last element. */
CHECK_TEST(test_sample)
{
    static const char *const spoilt[] = {"1", "i % 10 == 3 ? 1.01f : 1",
                                         "i == 599 && j == 599 ? 1.01f : 1"};

    for (size_t s = 0; s < sizeof spoilt / sizeof *spoilt; s++) {
        opevo_kernel kernel = {.dialect = OPEVO_KERNEL_C, .entry = "kernel"};
        opevo_workload *work = NULL;
        char command[4300];

        CHECK_OK(
            opevo_workload_read("A[i:600, k:400]; B[k, j:600]; C[i, j] = sum(k) A[i, k]*B[k, j]; "
                                "D[i, j] = max(C[i, j], -99)",
                                &work, &err));
        opevo_text_printf(
            &kernel.source,
            "void kernel(const float *a, const float *b, float *d, float *scratch) {\n"
            "  for (int i = 0; i < 600; i++) {\n"
            "    for (int j = 0; j < 600; j++) d[600*i+j] = 0;\n"
            "    for (int k = 0; k < 400; k++)\n"
            "      for (int j = 0; j < 600; j++) d[600*i+j] += a[400*i+k] * b[600*k+j];\n"
            "    for (int j = 0; j < 600; j++) d[600*i+j] *= %s;\n  }\n}\n",
            spoilt[s]);
        assert_true((run_program(&kernel, work) == 0) == (s == 0));
        snprintf(command, sizeof command, "grep -q '^D: 10000 of 360000 elements' '%s/said'",
                 cache_folder);
        assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): the words are ours */
        opevo_kernel_free(&kernel);
        opevo_workload_destroy(work);
    }
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
