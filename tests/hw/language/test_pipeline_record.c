/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Records of TVM's auto-scheduler: loops of known records, what is refused, and what is written. */

#include "gpu_steps.h"
#include "pipeline_fixture.h"

#include <opevo/computation_named.h>

/* A line of TVM's gallery/how_to/tune_with_autoscheduler/ci_logs/matmul.json. */
#define CPU_STEPS                                                                                  \
    "[[\"SP\",2,0,1024,[2,1,4],1],[\"SP\",2,4,1024,[1,1,8],1],[\"SP\",2,8,1024,[4],1],"            \
    "[\"RE\",2,[0,4,1,5,8,2,6,9,3,7]],[\"FSP\",4,0,0,2],[\"FSP\",4,3,1,2],"                        \
    "[\"RE\",4,[0,3,1,4,2,5]],[\"CA\",2,4,3],[\"FU\",4,[0,1]],[\"AN\",4,0,3],"                     \
    "[\"PR\",2,0,\"auto_unroll_max_step$8\"],[\"AN\",2,9,2],[\"AN\",4,4,2]]"
#define CPU_LINE                                                                                   \
    "{\"i\":[[\"[\\\"matmul_add\\\", 1024, 1024, 1024, \\\"float32\\\"]\",\"llvm -keys=cpu\","     \
    "[18,64,64,0,0,0,0,0]],[[]," CPU_STEPS "]],\"r\":[[0.0044742],0,0.335558,1607112214],"         \
    "\"v\":\"v0.3\"}"

/* Rows of both copies in shared memory padded, as TVM's sketches for tensor cores do. */
#define ALIGNED_STEPS                                                                              \
    "[[\"CHW\",2,\"local\"],[\"SP\",3,0,512,[16,4],1],[\"SP\",3,3,512,[16,4],1],"                  \
    "[\"RE\",3,[0,3,1,4,2,5]],[\"CA\",2,3,3],[\"SP\",2,2,0,[8],1],[\"RE\",2,[2,3,0,1]],"           \
    "[\"CHR\",1,\"shared\",[2]],[\"CA\",2,3,0],[\"SA\",2,0,32,8],[\"CHR\",0,\"shared\",[3]],"      \
    "[\"CA\",1,4,0],[\"SA\",1,0,16,3],[\"FU\",1,[0,1]],[\"SP\",1,0,0,[16],1],[\"AN\",1,1,6],"      \
    "[\"AN\",5,0,7],[\"AN\",5,1,5],[\"AN\",5,2,8],[\"AN\",5,3,6]]"

/* What is read is written as it was, the extents of unknown loops left out. */
CHECK_TEST(test_aligned)
{
    opevo_computation *computation = NULL;
    opevo_record record = {0}, again = {0};
    opevo_text text = {0}, steps = {0};

    CHECK_OK(opevo_computation_read("matmul(512,512,512)", &computation, &err));
    CHECK_OK(opevo_record_read(computation, ALIGNED_STEPS, "steps", &record, &err));
    opevo_pipeline_print(record.pipeline, &steps);
    assert_non_null(strstr(opevo_text_string(&steps), "storage_align B.shared k 32 8\n"));
    assert_non_null(strstr(opevo_text_string(&steps), "storage_align A.shared i 16 3\n"));
    CHECK_OK(opevo_record_write(record.pipeline, &text, &err));
    assert_non_null(strstr(opevo_text_string(&text), "[\"SA\",2,0,32,8]"));
    CHECK_OK(opevo_record_read(computation, opevo_text_string(&text), "again", &again, &err));
    assert_int_equal(opevo_pipeline_step_count(again.pipeline),
                     opevo_pipeline_step_count(record.pipeline));
    opevo_pipeline_destroy(record.pipeline);
    opevo_pipeline_destroy(again.pipeline);
    opevo_text_free(&text);
    opevo_text_free(&steps);
    opevo_computation_destroy(computation);
}

#define MATMUL_ADD(n)                                                                              \
    "A[i:" #n ", k:" #n "]; B[k, j:" #n "]; M[i, j] = sum(k) A[i, k]*B[k, j]; "                    \
    "C[i:" #n ", j:" #n "]; D[i, j] = M[i, j] + C[i, j]"

/* The loops of a stage as it is lowered, those of one iteration left out. */
static void check_extents(const opevo_pipeline *pipeline, const char *stage, const char *expected)
{
    int64_t extent[64];
    opevo_text text = {0};
    int number = opevo_pipeline_find(pipeline, stage);

    assert_true(number >= 0);
    CHECK_OK(opevo_pipeline_part_extents(pipeline, number, extent, &err));
    for (int i = 0; i < opevo_pipeline_stage(pipeline, number).loops; i++) {
        if (extent[i] > 1)
            opevo_text_printf(&text, "%s%s=%lld", text.length ? " " : "",
                              opevo_pipeline_loop(pipeline, number, i).name, (long long)extent[i]);
    }
    assert_string_equal(opevo_text_string(&text), expected);
    opevo_text_free(&text);
}

CHECK_TEST(test_gpu_record)
{
    opevo_computation *computation = NULL;
    opevo_record record = {0};

    CHECK_OK(opevo_computation_read("matmul(512,512,512)", &computation, &err));
    CHECK_OK(opevo_record_read(computation, GPU_STEPS, "steps", &record, &err));
    assert_true(isnan(record.cost_s));
    assert_int_equal(opevo_pipeline_step_count(record.pipeline), 29);
    check_extents(record.pipeline, "C", "i.0+j.0=8 i.1+j.1=4 i.2+j.2=16 i.3=32 j.3=16");
    check_extents(record.pipeline, "C.local", "k.0=256 i.3=32 k.2=2 j.4=16");
    check_extents(record.pipeline, "B.shared", "k+j.0=8 k+j.1=16");
    check_extents(record.pipeline, "A.shared", "i+k.0=64 i+k.1=16");
    opevo_pipeline_destroy(record.pipeline);
    opevo_computation_destroy(computation);
}

CHECK_TEST(test_cpu_record)
{
    opevo_computation *computation = NULL;
    opevo_record record = {0};

    CHECK_OK(opevo_computation_read(MATMUL_ADD(1024), &computation, &err));
    CHECK_OK(opevo_record_read(computation, CPU_LINE, "line", &record, &err));
    assert_true(record.cost_s == 0.0044742);
    assert_int_equal(record.error, 0);
    check_extents(record.pipeline, "D", "i.0+j.0=16384 i.1=2 i.2=4 j.2=8");
    check_extents(record.pipeline, "M", "k.0=256 k.1=4 i.3=4 j.3=8");
    opevo_pipeline_destroy(record.pipeline);
    opevo_computation_destroy(computation);
}

/* The same steps on a smaller shape, with its extents: kernels against the interpreter. */
static void check_kernel(const char *computation, const char *steps, int extent, int smaller,
                         opevo_kernel_dialect dialect)
{
    pipeline_case operands = case_make(computation, 7);
    opevo_record record = {0};
    opevo_text text = {0};
    opevo_text why = {0};
    char old[16];

    snprintf(old, sizeof old, ",%d,", extent);
    for (const char *at = steps; *at;) {
        const char *next = strstr(at, old);

        opevo_text_printf(&text, "%.*s", (int)(next ? next - at : (long)strlen(at)), at);
        if (!next)
            break;
        opevo_text_printf(&text, ",%d,", smaller);
        at = next + strlen(old);
    }
    CHECK_OK(
        opevo_record_read(operands.computation, opevo_text_string(&text), "steps", &record, &err));
    if (!case_check(&operands, record.pipeline, dialect, &why))
        fail_msg("%s", opevo_text_string(&why));
    opevo_pipeline_destroy(record.pipeline);
    opevo_text_free(&text);
    opevo_text_free(&why);
    case_free(&operands);
}

CHECK_TEST(test_kernels)
{
    check_kernel(MATMUL_ADD(64), CPU_STEPS, 1024, 64, OPEVO_KERNEL_C);
    check_kernel(MATMUL_ADD(37), CPU_STEPS, 1024, 37, OPEVO_KERNEL_C);
    check_kernel("matmul(512,128,8)", GPU_STEPS, 512, 0, OPEVO_KERNEL_EMULATION);
    check_kernel("matmul(300,77,9)", GPU_STEPS, 512, 0, OPEVO_KERNEL_EMULATION);
    check_kernel("matmul(300,77,9)", ALIGNED_STEPS, 512, 0, OPEVO_KERNEL_EMULATION);
    check_kernel("matmul(128,32,48)", ALIGNED_STEPS, 512, 0, OPEVO_KERNEL_EMULATION);
    batch_run();
}

typedef struct refusal {
    const char *record, *message;
} refusal;

static const refusal refusals[] = {
    {"[[\"SP\"", "r: This is not JSON: "},
    {"{\"i\":[]}", "r: A record has its steps in \"i\"[1][1]."},
    {"[[\"CI\",9]]", "r: Step 0: CI names none of the stages 0 to 2."},
    {"[[\"CHW\",2,\"local\"],[\"SP\",2,0,8,[4],1],[\"SA\",2,0,4,1]]",
     "r: Step 2: storage_align takes a loop that is a whole dimension of C.local"},
    {"[[\"SA\",2,0,4,1]]", "r: Step 0: C has the layout that it is passed in"},
    {"[[\"XY\",2,0,4,1]]", "r: Step 0: Unknown step 'XY'."},
    {"[[\"AN\",2,0,11]]", "r: Step 0: Annotation 11, tensorize, is not supported."},
    {"[[\"SP\",2,0,16,[4],1]]", "r: Step 0: It splits a loop of 16 iterations, but i of C has 8."},
    {"[[\"SP\",2,0,8,[null],1]]", "r: Step 0: A length is left open: null."},
    {"[[\"FSP\",2,0,0,2]]", "r: Step 0: Step 0 is not an earlier split."},
    {"[[\"PR\",2,0,\"unroll_explicit\"]]", "r: Step 0: The pragma 'unroll_explicit' is not "},
    {"[[\"CHW\",2,\"warp\"]]", "r: Step 0: The scope 'warp' is not supported"},
    {"[[\"CI\"]]", "r: Step 0: CI has 2 elements, not 1."},
};

CHECK_TEST(test_refusals)
{
    opevo_computation *computation = NULL;

    CHECK_OK(opevo_computation_read("matmul(8,8,8)", &computation, &err));
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        opevo_record record = {0};
        opevo_error error = {OPEVO_OK, ""};

        assert_int_equal(opevo_record_read(computation, refusals[i].record, "r", &record, &error),
                         OPEVO_INVALID);
        assert_null(record.pipeline);
        if (!strstr(error.message, refusals[i].message))
            fail_msg("%s: %s", refusals[i].record, error.message);
    }
    opevo_computation_destroy(computation);
}
