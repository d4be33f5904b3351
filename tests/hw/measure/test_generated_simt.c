/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels in CUDA that opevo prints, compiled by clang and run in the interpreter with all of its
 * checks: those of all templates, of points of all sketches, and of libraries of networks. Copies
 * with a planted fault are refused. The short run takes a sample of them; OPEVO_TEST_POINTS is the
 * number of points of each sketch. */

#include "cache_folder.h"
#include "sketch_fixture.h"

#include "library_networks.h"
#include "sketch_draw.h"

#include <opevo/computation_named.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/sketch.h>
#include <opevo/template.h>

#include <stdlib.h>

#include "library_internal.h"

enum { POINTS = 50, BATCH = 64 };

/* ---- Kernels that are right ---- */

static opevo_objective *open_maker(opevo_kernel_maker *maker)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;

    options.device = "simt";
    options.build_limit_s = 120;
    options.run_limit_s = 60;
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    return objective;
}

/* Every point is right, or breaks a limit of devices; takes the maker. Returns how many are
 * right. */
static size_t check_points(const char *what, opevo_kernel_maker *maker, const opevo_index *points,
                           size_t count)
{
    opevo_objective *objective = open_maker(maker);
    opevo_outcome outcomes[BATCH];
    size_t right = 0;

    CHECK_OK(opevo_objective_evaluate(objective, points, count, outcomes, &err));
    for (size_t i = 0; i < count; i++) {
        if (outcomes[i].kind != OPEVO_OUTCOME_OK && outcomes[i].kind != OPEVO_OUTCOME_REJECTED) {
            opevo_text text = {0};

            opevo_space_print_json(objective->space, points[i], &text);
            fail_msg("%s of %s: %s (%s)", opevo_text_string(&text), what,
                     opevo_outcome_name(outcomes[i].kind), outcomes[i].message);
        }
        right += outcomes[i].kind == OPEVO_OUTCOME_OK;
    }
    opevo_objective_destroy(objective);
    return right;
}

CHECK_TEST(test_templates)
{
    static const char *const operators[] = {"matmul(12,8,20)", "matmul(33,64,48)",
                                            "batch_matmul(2,6,8,10,NT)",
                                            "conv2d(1,3,8,8,4,3,3,1,1)"};
    size_t count = test_size(3, BATCH), right = 0;

    for (size_t t = 0; t < opevo_template_count(); t++) {
        const opevo_template_info *info = opevo_template_get(t);

        for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
            opevo_operator op;
            opevo_kernel_maker *maker = NULL;
            opevo_index points[BATCH];
            opevo_rng rng;

            CHECK_OK(opevo_operator_parse(operators[i], &op, &err));
            if (!test_takes(t + i, 0, 2) || !(info->dialects >> OPEVO_KERNEL_CUDA & 1) ||
                !(info->kinds >> op.kind & 1))
                continue;
            CHECK_OK(opevo_template_open(&op, info->name, OPEVO_KERNEL_CUDA, &maker, &err));
            opevo_rng_init(&rng, t, operators[i], 0);
            for (size_t p = 0; p < count; p++) {
                do
                    points[p] = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));
                while (!opevo_space_allows(maker->space, points[p]));
            }
            right += check_points(operators[i], maker, points, count);
        }
    }
    assert_true(right >= test_size(5, 10));
}

/* Points of each sketch of a computation. */
static void check_sketches(const char *what, size_t each)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_CUDA, .cores = 1, .threads = 1};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    size_t count = 0;

    CHECK_OK(opevo_computation_read(what, &computation, &err));
    CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
    count = sketches->count;
    for (size_t s = 0; s < count; s++) {
        opevo_kernel_maker *maker = NULL;
        opevo_index points[BATCH];
        opevo_rng rng;

        CHECK_OK(opevo_sketches_open(opevo_computation_share(computation), &target, &maker, &err));
        opevo_rng_init(&rng, s, what, 0);
        for (size_t i = 0; i < each; i++)
            assert_true(draw_in(&rng, maker->space, sketches, s, &points[i]));
        check_points(what, maker, points, each);
    }
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
}

static void check_list(const char *const *list, size_t count, size_t share)
{
    size_t each = test_size(1, POINTS);
    const char *asked = getenv("OPEVO_TEST_POINTS");

    if (asked)
        each = (size_t)strtoul(asked, NULL, 10) % (BATCH + 1);
    for (size_t i = 0; i < count; i++) {
        if (test_takes(i, 0, share))
            check_sketches(list[i], each);
    }
}

CHECK_TEST(test_sketches)
{
    check_list(gpu_computations, GPU_COMPUTATIONS, 3);
    check_list(typed_computations, TYPED_COMPUTATIONS, 4);
    check_list(small, sizeof small / sizeof *small, 12);
}

/* ---- Kernels as texts ---- */

/* Variants of one kernel, a point each. */
typedef struct variants {
    opevo_kernel_maker super;
    opevo_space *space;
    opevo_computation *computation;
    const opevo_kernel *kernel; /* borrowed */
    opevo_text source[BATCH];
    size_t count;
} variants;

static opevo_status make(const opevo_kernel_maker *maker, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    const variants *self = (const variants *)maker;

    (void)refused;
    (void)why;
    *out = *self->kernel;
    out->options = out->values = out->source = (opevo_text){0};
    opevo_text_add(&out->source, opevo_text_string(&self->source[(size_t)point]));
    return opevo_text_check(&out->source, err);
}

static void destroy_variants(opevo_kernel_maker *maker)
{
    variants *self = (variants *)maker;

    for (size_t i = 0; i < self->count; i++)
        opevo_text_free(&self->source[i]);
    opevo_space_destroy(self->space);
    opevo_computation_destroy(self->computation);
    free(self);
}

static const opevo_kernel_maker_ops variants_ops = {.make = make, .destroy = destroy_variants};

/* The kernel as it is. */
static variants *make_variants(const opevo_kernel *kernel, const opevo_computation *computation)
{
    variants *self = calloc(1, sizeof *self);

    assert_non_null(self);
    self->super = (opevo_kernel_maker){
        .ops = &variants_ops, .name = "variants", .dialect = OPEVO_KERNEL_CUDA, .signature = 1};
    self->kernel = kernel;
    self->computation = opevo_computation_share(computation);
    self->super.computation = self->computation;
    opevo_text_add(&self->source[self->count++], opevo_text_string(&kernel->source));
    return self;
}

/* A copy with another text in the place of what is at `at`. */
static void add_variant(variants *self, const char *at, size_t length, const char *other)
{
    const char *source = opevo_text_string(&self->kernel->source);
    opevo_text *out = &self->source[self->count++];

    assert_true(self->count <= BATCH);
    opevo_text_add_bytes(out, source, (size_t)(at - source));
    opevo_text_add(out, other);
    opevo_text_add(out, at + length);
}

/* The outcomes of all variants, valid until the objective is destroyed. */
static opevo_objective *run_variants(variants *self, opevo_outcome *outcomes)
{
    opevo_objective *objective = NULL;
    opevo_index points[BATCH];
    opevo_text text = {0};

    opevo_text_add(&text, "{\"which\": {\"_type\": \"discrete\", \"_value\": [0");
    for (size_t i = 0; i < self->count; i++) {
        points[i] = i;
        if (i)
            opevo_text_printf(&text, ", %zu", i);
    }
    opevo_text_add(&text, "]}}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&text), "which", NULL, &self->space, &err));
    opevo_text_free(&text);
    self->super.space = self->space;
    objective = open_maker(&self->super);
    CHECK_OK(opevo_objective_evaluate(objective, points, self->count, outcomes, &err));
    return objective;
}

/* ---- Libraries of networks ---- */

/* As after tuning: another point for each task. */
static void choose_points(opevo_network_library *library, uint64_t seed)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_CUDA, .cores = 1, .threads = 1};
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "network", 0);
    for (int t = 0; t < opevo_network_library_tasks(library); t++) {
        const opevo_network_kernel *task = opevo_network_library_task(library, t);
        opevo_kernel_maker *maker = NULL;
        opevo_index point = 0;

        CHECK_OK(
            opevo_sketches_open(opevo_computation_share(task->computation), &target, &maker, &err));
        do
            point = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));
        while (!opevo_space_allows(maker->space, point));
        (void)opevo_network_library_choose(library, t, maker, point, 1e-6, NULL);
        maker->ops->destroy(maker);
    }
}

static void check_library(const opevo_network_library *library)
{
    for (int t = 0; t < library->tasks; t++) {
        const opevo_i_library_task *task = &library->task[t];
        opevo_outcome outcome;
        opevo_objective *objective =
            run_variants(make_variants(&task->kernel, task->super.computation), &outcome);

        if (outcome.kind != OPEVO_OUTCOME_OK)
            fail_msg("task %d (%s): %s (%s)\n%s", t, task->super.operation,
                     opevo_outcome_name(outcome.kind), outcome.message,
                     opevo_text_string(&task->kernel.source));
        opevo_objective_destroy(objective);
    }
}

CHECK_TEST(test_networks)
{
    static network_draw network;
    size_t count = test_size(1, 20);

    for (size_t i = 0; i < count; i++) {
        const opevo_network_library_options options = {
            .dialect = OPEVO_KERNEL_CUDA, .threads = 1, .seed = 5, .model = "m", .version = "0"};
        opevo_network_library *library = NULL;

        draw_network(&network);
        CHECK_OK(opevo_network_library_create(&network.super, &options, &library, &err));
        if (test_size(0, 1))
            check_library(library);
        choose_points(library, i);
        check_library(library);
        opevo_network_library_destroy(library);
        network_free(&network);
    }
}

/* ---- Planted faults ---- */

/* The kernel of the analytic start of a computation. */
static opevo_kernel start_kernel(const char *what, opevo_kernel_maker **maker)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_CUDA, .cores = 1, .threads = 1};
    const opevo_device_facts facts = {.vector_bits = 0};
    opevo_computation *computation = NULL;
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_kernel kernel = {0};
    opevo_text why = {0};
    opevo_index point = 0;
    bool found = false;

    CHECK_OK(opevo_computation_read(what, &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, maker, &err));
    CHECK_OK((*maker)->ops->start(*maker, &facts, &found, &point, &err));
    assert_true(found);
    CHECK_OK((*maker)->ops->make(*maker, point, &kernel, &refused, &why, &err));
    assert_int_equal(refused, OPEVO_OUTCOME_OK);
    opevo_text_free(&why);
    return kernel;
}

/* Each place of `from` with `to` in its stead is a fault whose message has one of two words. */
static void check_spoilt(const char *what, const char *from, const char *to, const char *word,
                         const char *other)
{
    opevo_kernel_maker *maker = NULL;
    opevo_kernel kernel = start_kernel(what, &maker);
    variants *copies = make_variants(&kernel, maker->computation);
    opevo_outcome outcomes[BATCH];
    opevo_objective *objective = NULL;
    size_t count = 0;

    for (const char *at = strstr(opevo_text_string(&kernel.source), from);
         at && copies->count < BATCH; at = strstr(at + 1, from))
        add_variant(copies, at, strlen(from), to);
    count = copies->count;
    if (count < 2)
        fail_msg("%s: \"%s\" is not in\n%s", what, from, opevo_text_string(&kernel.source));
    objective = run_variants(copies, outcomes);
    assert_int_equal(outcomes[0].kind, OPEVO_OUTCOME_OK);
    for (size_t i = 1; i < count; i++) {
        const char *said = outcomes[i].message ? outcomes[i].message : "";

        if (outcomes[i].kind != OPEVO_OUTCOME_WRONG ||
            (!strstr(said, word) && !strstr(said, other)))
            fail_msg("%s, fault %zu: %s (%s)\n%s", what, i, opevo_outcome_name(outcomes[i].kind),
                     said, opevo_text_string(&copies->source[i]));
    }
    opevo_objective_destroy(objective);
    opevo_kernel_free(&kernel);
    maker->ops->destroy(maker);
}

CHECK_TEST(test_barriers)
{
    static const char barrier[] = "__syncthreads();";

    check_spoilt("matmul(32,64,48)", barrier, "", "race", "uninitialised");
    check_spoilt("A[i:3, j:300]; M[i] = max(j) A[i, j]", "__syncthreads();\n    if (v3 < 64)",
                 "if (v3 < 64)", "race", "race");
    check_spoilt("matmul(32,64,48)", barrier, "if (threadIdx.x < 5) __syncthreads();",
                 "divergent barrier", "race");
}

CHECK_TEST(test_guards)
{
    static const char scaled[] = "A[i:7, j:71]; C[i, j] = 2*A[i, j]";

    check_spoilt(scaled, "< 497", "< 498", "out of bounds", "out of bounds");
    check_spoilt(scaled, "< 497", "< 496", "no thread wrote", "no thread wrote");
}

static bool has_interpreter(void)
{
    const char *worker = getenv("OPEVO_WORKER");
    char path[4096];

    snprintf(path, sizeof path, "%s-simt", worker ? worker : "");
    return access(path, X_OK) == 0 && system("command -v clang-19 >/dev/null") == 0;
}

int main(void)
{
    if (!has_interpreter()) {
        puts("skipped: opevo-worker-simt or clang-19 is missing");
        return 77;
    }
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
