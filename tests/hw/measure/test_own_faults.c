/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Faults planted in the kernels of docs/examples/tune, of each kind: a loop or an index that is off
 * by one, a guard that admits one too many, a barrier that is missing, and work items that write to
 * one place. The interpreter finds all of them in the CUDA kernels, and wrong
 * results show by OpenCL too. */

#include "own_fixture.h"
#include "points.h"

#include <opevo/memory.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

typedef struct fault {
    const char *name, *point; /* the example, and how the point that is run begins */
    const char *from, *to;
    bool hidden; /* its results are right where work items of a group run one after the other, or
                    all through one loop before the next as by PoCL, which puts barriers around
                    loops; tests/hw/kernels/oclgrind_tune.sh has their races */
} fault;

#define MATMUL "block_x=8 block_y=16 work_x=2 work_y=4 tile_k=8"
#define CONV "block_x=16 block_y=4 tile_x=2 tile_y=4 "
#define BARRIER "        __syncthreads();\n        for (int l = 0"
#define GROUP_BARRIER "        barrier(CLK_LOCAL_MEM_FENCE);\n        for (int l = 0"

static const fault in_cuda[] = {
    {"vadd", "block=64 items=3 apart=0", "int first = ", "int first = 1 + ", false},
    {"vadd", "block=64 items=3 apart=1", "if (i < n)", "if (i <= n)", false},
    {"vadd", "block=64 items=3 apart=0", "c[i] =", "c[i / 2] =", false},
    {"matmul", MATMUL, "l < tile_k; l++", "l < tile_k - 1; l++", false},
    {"matmul", MATMUL, "if (r < n && s < m)", "if (r <= n && s < m)", false},
    {"matmul", MATMUL, BARRIER, "        for (int l = 0", false},
    {"matmul", MATMUL, "as[i / tile_k][i % tile_k] =", "as[i / tile_k][0] =", false},
    {"conv", CONV "use_shared=1", "for (int y = 0; y < SIZE; y++)",
     "for (int y = 0; y < SIZE - 1; y++)", false},
    {"conv", CONV "use_shared=1", "if (top + h >= height", "if (top + h > height", false},
    {"conv", CONV "use_shared=1", "    __syncthreads();\n", "", false},
    {"conv", CONV "use_shared=0", "out[(top + h) * width + left + w]",
     "out[(top + h) * width + left]", false},
    {"stencil", "block_x=32 block_y=2 rows=2 keep=0", "in[at + 1]", "in[at + 2]", false},
    {"stencil", "block_x=32 block_y=2 rows=2 keep=1", "if (w >= width)", "if (w > width)", false},
    {"stencil", "block_x=32 block_y=2 rows=1 keep=0", "out[at] =", "out[at - w % 2] =", false},
    {"reduction", "block=64 blocks=4 shuffle=0", "i < n; i +=", "i < n - 1; i +=", false},
    {"reduction", "block=64 blocks=4 shuffle=1", "i < n; i +=", "i <= n; i +=", false},
    {"reduction", "block=64 blocks=4 shuffle=0", "    part[x] = sum;\n    __syncthreads();\n",
     "    part[x] = sum;\n", false},
    {"reduction", "block=64 blocks=4 shuffle=0", "&parts[blockIdx.x]", "&parts[0]", false},
    {"transpose", "tile=16 rows=4 pad=1", "= in[(top + y)", "= in[1 + (top + y)", false},
    {"transpose", "tile=16 rows=4 pad=0", "top + threadIdx.x < height",
     "top + threadIdx.x <= height", false},
    {"transpose", "tile=16 rows=4 pad=1", "    __syncthreads();\n", "", false},
    {"transpose", "tile=16 rows=4 pad=0",
     "height + top + threadIdx.x] =", "height + top] =", false},
    {"histogram", "block=64 items=4 use_shared=1", "if (i < n)", "if (i < n - 1)", false},
    {"histogram", "block=64 items=4 use_shared=0", "if (i < n)", "if (i <= n)", false},
    {"histogram", "block=64 items=4 use_shared=1", "        counts[b] = 0;\n    __syncthreads();\n",
     "        counts[b] = 0;\n", false},
    {"histogram", "block=64 items=4 use_shared=1", "atomicAdd(&counts[in[i]], 1)",
     "counts[in[i]]++", false},
};

static const fault in_opencl[] = {
    {"vadd", "block=64 items=3 width=1 apart=0", "int first = ", "int first = 1 + ", false},
    {"vadd", "block=64 items=3 width=4 apart=1", "min(i + width, n)", "min(i + width, n + 1)",
     false},
    {"vadd", "block=64 items=3 width=1 apart=0",
     "            c[i] =", "            c[i / 2] =", false},
    {"matmul", MATMUL, "l < tile_k; l++", "l < tile_k - 1; l++", false},
    {"matmul", MATMUL, "if (r < n && s < m)", "if (r <= n && s < m)", false},
    {"matmul", MATMUL, GROUP_BARRIER, "        for (int l = 0", true},
    {"matmul", MATMUL, "as[i / tile_k][i % tile_k] =", "as[i / tile_k][0] =", false},
    {"conv", CONV "use_local=1 use_constant=0", "for (int y = 0; y < SIZE; y++)",
     "for (int y = 0; y < SIZE - 1; y++)", false},
    {"conv", CONV "use_local=1 use_constant=1", "if (top + h >= height", "if (top + h > height",
     false},
    {"conv", CONV "use_local=1 use_constant=0", "    barrier(CLK_LOCAL_MEM_FENCE);\n", "", false},
    {"conv", CONV "use_local=0 use_constant=0", "out[(top + h) * width + left + w]",
     "out[(top + h) * width + left]", false},
    {"stencil", "block_x=32 block_y=2 rows=2 keep=0", "in[at + 1]", "in[at + 2]", false},
    {"stencil", "block_x=32 block_y=2 rows=2 keep=1", "if (w >= width)", "if (w > width)", false},
    {"stencil", "block_x=32 block_y=2 rows=1 keep=0", "out[at] =", "out[at - w % 2] =", false},
    {"reduction", "block=64 blocks=4 width=1 tree=1",
     "for (; i < n; i +=", "for (; i < n - 1; i +=", false},
    {"reduction", "block=64 blocks=4 width=1 tree=0",
     "for (; i < n; i +=", "for (; i <= n; i +=", false},
    {"reduction", "block=64 blocks=4 width=4 tree=1",
     "    part[x] = sum;\n    barrier(CLK_LOCAL_MEM_FENCE);\n", "    part[x] = sum;\n", true},
    {"reduction", "block=64 blocks=4 width=1 tree=1", "&parts[get_group_id(0)]", "&parts[0]",
     false},
    {"transpose", "tile=16 rows=4 use_local=1 pad=1", "= in[(top + y)", "= in[1 + (top + y)",
     false},
    {"transpose", "tile=16 rows=4 use_local=1 pad=0", "top + x < height)", "top + x <= height)",
     false},
    {"transpose", "tile=16 rows=4 use_local=1 pad=1", "    barrier(CLK_LOCAL_MEM_FENCE);\n", "",
     false},
    {"transpose", "tile=16 rows=4 use_local=1 pad=0",
     "height + top + x] =", "height + top] =", false},
    {"histogram", "block=64 items=4 use_local=1 apart=0", "if (i < n)", "if (i < n - 1)", false},
    {"histogram", "block=64 items=4 use_local=0 apart=0", "if (i < n)", "if (i <= n)", false},
    {"histogram", "block=64 items=4 use_local=1 apart=0",
     "        counts[b] = 0;\n    barrier(CLK_LOCAL_MEM_FENCE);\n", "        counts[b] = 0;\n",
     true},
    {"histogram", "block=64 items=4 use_local=1 apart=1", "atomic_inc(&counts[in[i]])",
     "counts[in[i]]++", true},
};

static const char *planted_name(const char *ending)
{
    return strcmp(ending, ".cl") ? "planted.cu" : "planted.cl";
}

/* A copy of the source in which `from` is replaced where it is first. */
static void plant(const fault *what, const char *folder, const char *ending)
{
    char path[4096], *text = NULL, *at = NULL;
    opevo_text copy = {0};
    size_t size = 0;

    snprintf(path, sizeof path, OPEVO_TEST_EXAMPLES "/%s/%s%s", folder, what->name, ending);
    CHECK_OK(opevo_file_read(path, 1 << 20, &text, &size, &err));
    at = strstr(text, what->from);
    if (!at)
        fail_msg("%s: no place for a fault: %s", path, what->from);
    opevo_text_printf(&copy, "%.*s%s%s", (int)(at - text), text, what->to, at + strlen(what->from));
    own_write(planted_name(ending), opevo_text_string(&copy));
    opevo_text_free(&copy);
    opevo_free(text);
}

/* The first allowed point whose text begins so. */
static opevo_index find_point(const opevo_space *space, const char *start)
{
    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        opevo_text text = {0};
        bool found = false;

        if (!opevo_space_allows(space, point))
            continue;
        opevo_space_print(space, point, &text);
        found = !strncmp(opevo_text_string(&text), start, strlen(start));
        opevo_text_free(&text);
        if (found)
            return point;
    }
    fail_msg("no point begins with %s", start);
    return 0;
}

/* Whether the fault was found. */
static bool is_found(const char *device, const char *folder, const char *ending, const fault *what)
{
    const char *name = planted_name(ending);
    char harness[4096], space_path[4096];
    opevo_live_options options = opevo_live_defaults();
    opevo_kernel_dialect language = OPEVO_KERNEL_C;
    opevo_objective *objective = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_space *space = NULL;
    opevo_index point = 0;
    opevo_outcome outcome;
    bool found = false;

    plant(what, folder, ending);
    snprintf(harness, sizeof harness, OPEVO_TEST_EXAMPLES "/%s/%s.json", folder, what->name);
    snprintf(space_path, sizeof space_path, OPEVO_TEST_EXAMPLES "/%s/%s.space.json", folder,
             what->name);
    options.device = device;
    options.repeat_s = 0.01;
    options.run_limit_s = 60;
    options.build_limit_s = 120;
    assert_true(opevo_own_language(name, &language));
    CHECK_OK(opevo_space_load(space_path, &space, &err));
    point = find_point(space, what->point);
    CHECK_OK(
        opevo_own_kernels_open(&(opevo_own_files){.source = own_path(name), .harness = harness},
                               language, false, 1, space, &maker, &err));
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    found = outcome.kind == OPEVO_OUTCOME_WRONG || outcome.kind == OPEVO_OUTCOME_CRASHED;
    if (!found)
        print_error("%s %s, %s -> %s: %s (%s)\n", device, what->name, what->from, what->to,
                    opevo_outcome_name(outcome.kind), outcome.message ? outcome.message : "");
    opevo_objective_destroy(objective);
    return found;
}

CHECK_TEST(test_interpreter)
{
    size_t missed = 0;

    if (!own_has_interpreter())
        CHECK_SKIP("opevo-worker-simt or clang-19 is missing");
    for (size_t i = 0; i < COUNT(in_cuda); i++)
        missed += !is_found("simt", "gpu", ".cu", &in_cuda[i]);
    assert_int_equal(missed, 0);
}

/* Those that change results; usually one of four, as PoCL takes seconds for each. */
CHECK_TEST(test_opencl)
{
    size_t missed = 0;

    if (!own_has_opencl())
        CHECK_SKIP("no OpenCL device: install pocl-opencl-icd");
    for (size_t i = 0; i < COUNT(in_opencl); i++) {
        if (!in_opencl[i].hidden && test_takes(1, i % 4, 4))
            missed += !is_found("opencl:0", "opencl", ".cl", &in_opencl[i]);
    }
    assert_int_equal(missed, 0);
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
