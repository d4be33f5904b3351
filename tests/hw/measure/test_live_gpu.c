/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The logic of measuring on a GPU, against a driver and a compiler that are made for it
 * (fake_gpu.c): classes of errors, restarts of a spoilt worker, guards, inputs made anew. No GPU is
 * needed, and nothing is said about real ones. */

#include "cache_folder.h"
#include "fake_folder.h"
#include "finalists.h"
#include "zoo.h"

#include <opevo/computation_named.h>
#include <opevo/sketch.h>
#include <opevo/worker.h>

#include <stdlib.h>
#include <unistd.h>

/* One row each: what the fake kernel does, threads of its block, dynamic shared memory, its class,
 * and what its message says. */
static const struct {
    const char *word;
    uint32_t threads, shared_bytes;
    opevo_outcome_class kind;
    const char *message;
} kernels[] = {
    {"right", 64, 0, OPEVO_OUTCOME_OK, NULL},
    {"wrong", 64, 0, OPEVO_OUTCOME_WRONG, "the first is C[0, 7]"},
    {"illegal", 64, 0, OPEVO_OUTCOME_CRASHED, "error 700 (an illegal memory access)"},
    {"right 2", 64, 0, OPEVO_OUTCOME_OK, NULL},
    {"hang", 64, 0, OPEVO_OUTCOME_TIMEOUT, "took longer"},
    {"right 3", 1024, 0, OPEVO_OUTCOME_OK, NULL},
    {"too many threads", 1025, 0, OPEVO_OUTCOME_LAUNCH_ERROR, "cannot be launched: error 1"},
    {"outside", 64, 0, OPEVO_OUTCOME_WRONG, "outside its output"},
    {"syntax", 64, 0, OPEVO_OUTCOME_BUILD_ERROR, "error: no kernel at all"},
    {"forever", 64, 0, OPEVO_OUTCOME_BUILD_ERROR, "killed after"},
    {"right 4", 64, 96 << 10, OPEVO_OUTCOME_OK, NULL}, /* HIP: no leave needed, none asked */
    {"right 5", 64, 101 << 10, OPEVO_OUTCOME_LAUNCH_ERROR, "error 1"},
    {"input", 64, 0, OPEVO_OUTCOME_WRONG, "are wrong"},
    {"right 6", 64, 0, OPEVO_OUTCOME_OK, NULL},
    {"launches", 64, 0, OPEVO_OUTCOME_OK, NULL},
    {"whole", 64, 0, OPEVO_OUTCOME_OK, NULL}, /* of 47 elements of int8 */
    {"whole-wrong", 64, 0, OPEVO_OUTCOME_WRONG, "1 of 47 elements are wrong; the first is C[46], "},
    {"whole-unwritten", 64, 0, OPEVO_OUTCOME_WRONG, "C[5], which was not written"},
    {"whole-behind", 64, 0, OPEVO_OUTCOME_WRONG, "outside its output"},
    {"whole-before", 64, 0, OPEVO_OUTCOME_WRONG, "outside its output"},
};
enum { LAUNCHES = 14, COUNT = LAUNCHES, WHOLE = 15, END = sizeof kernels / sizeof *kernels };

static opevo_status make(const opevo_kernel_maker *self, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    zoo_of_one_block(out, self->dialect, kernels[(size_t)point].threads,
                     kernels[(size_t)point].shared_bytes);
    opevo_text_printf(&out->source, "// fake:%s\n", kernels[(size_t)point].word);
    if (point == LAUNCHES) {
        out->more = 1;
        out->then[0] = opevo_kernel_launch(out, 0);
        out->scratch_bytes = 48 * 40 * sizeof(float);
    }
    return opevo_text_check(&out->source, err);
}

static const opevo_kernel_maker_ops ops = {.make = make, .destroy = zoo_destroy};

/* Of an operator, or of the computation where that is not NULL. */
static opevo_objective *open_fake_of(const char *device, opevo_kernel_dialect dialect,
                                     opevo_operator op, const opevo_computation *computation)
{
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    zoo *maker = zoo_create(&ops, "fake",
                            "{\"which\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, "
                            "6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]}}",
                            op);

    maker->super.dialect = dialect;
    if (computation)
        maker->super.computation = computation;
    options.device = device;
    options.run_limit_s = 3;
    options.repeat_s = 10; /* samples are all the same, so that a few are enough */
    options.build_limit_s = 3;
    CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
    return objective;
}

static opevo_objective *open_fake_for(const char *device, opevo_kernel_dialect dialect,
                                      opevo_operator op)
{
    return open_fake_of(device, dialect, op, NULL);
}

static opevo_objective *open_fake(const char *device, opevo_kernel_dialect dialect)
{
    return open_fake_for(device, dialect,
                         (opevo_operator){.kind = OPEVO_MATMUL, .n = 48, .k = 32, .m = 40});
}

static char log_path[4200];

/* Lines of the log that are `line`. */
static int logged(const char *line)
{
    FILE *file = fopen(log_path, "r");
    char read[256];
    int count = 0;

    while (file && fgets(read, sizeof read, file)) {
        read[strcspn(read, "\n")] = '\0';
        count += strcmp(read, line) == 0;
    }
    if (file)
        fclose(file);
    return count;
}

static void check_device(const char *device, opevo_kernel_dialect dialect)
{
    opevo_objective *objective = open_fake(device, dialect);
    opevo_index points[COUNT];
    opevo_outcome outcomes[COUNT];
    bool hip = dialect == OPEVO_KERNEL_HIP;

    unlink(log_path);
    for (size_t i = 0; i < COUNT; i++)
        points[i] = i;
    CHECK_OK(opevo_objective_evaluate(objective, points, COUNT, outcomes, &err));
    for (size_t i = 0; i < COUNT; i++) {
        const char *said = outcomes[i].message ? outcomes[i].message : "";
        bool leave = hip && kernels[i].shared_bytes; /* HIP has no such attribute */

        if (!leave && (outcomes[i].kind != kernels[i].kind ||
                       (kernels[i].message && !strstr(said, kernels[i].message))))
            fail_msg("%s on %s: %s (%s)", kernels[i].word, device,
                     opevo_outcome_name(outcomes[i].kind), said);
        /* Time passes at 10 us an execution. */
        if (outcomes[i].kind == OPEVO_OUTCOME_OK) {
            CHECK_CLOSE(outcomes[i].time_s, 1e-5, 1e-9);
            assert_string_equal(said, hip ? "" : "SM clock 1980 MHz, P2, 412 W");
        }
    }
    opevo_objective_destroy(objective);
    /* The first worker, and one after each that was spoilt, by two kernels, each of them again in a
     * worker that was probed anew; hipRTC needs a context for each build, too. */
    if (!hip)
        assert_int_equal(logged("context"), 5);
    /* Kernels that were being built when a worker ended are built again. */
    assert_in_range(logged(hip ? "no options" : "--gpu-architecture=sm_86"), COUNT, 2 * COUNT);
}

/* The same kernels compute the computation, whose operands are the operator's. */
CHECK_TEST(test_computation)
{
    static const opevo_kernel_dialect dialects[] = {OPEVO_KERNEL_CUDA, OPEVO_KERNEL_HIP};
    static const opevo_index points[] = {0, 1, 7, 12};
    opevo_computation *computation = NULL;

    CHECK_OK(opevo_computation_parse("A[i:48, k:32]; B[k, j:40]; C[i, j] = sum(k) A[i, k]*B[k, j]",
                                     "test", NULL, 0, &computation, &err));
    for (size_t d = 0; d < 2; d++) {
        opevo_objective *objective = open_fake_of(
            d ? "hip:0" : "cuda:0", dialects[d],
            (opevo_operator){.kind = OPEVO_MATMUL, .n = 1, .k = 1, .m = 1}, computation);
        opevo_finalist finalists[2] = {{.point = 0}, {.point = OPEVO_LIBRARY_POINT}};
        opevo_outcome outcomes[4];
        opevo_text said = {0};
        double fitness[2];

        CHECK_OK(opevo_objective_evaluate(objective, points, 4, outcomes, &err));
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(outcomes[i].kind, kernels[(size_t)points[i]].kind);
        CHECK_CLOSE(outcomes[0].fitness, 2 * 48 * 32 * 40 / 1e-5 / 1e9, 1e-2);
        assert_non_null(strstr(outcomes[1].message, "the first is C[0, 7], which"));
        CHECK_OK(measure_finalists(objective, finalists, 2, 1, NULL, fitness, &said, &err));
        assert_non_null(strstr(opevo_text_string(&said), "the computation is not given as one"));
        opevo_text_free(&said);
        opevo_objective_destroy(objective);
    }
    opevo_computation_destroy(computation);
}

/* Outputs whose size is not a multiple of a word, and that have no NaN. */
CHECK_TEST(test_types)
{
    opevo_computation *computation = NULL;
    opevo_objective *objective = NULL;
    opevo_index points[END - WHOLE];
    opevo_outcome outcomes[END - WHOLE];

    CHECK_OK(opevo_computation_parse("int8 A[i:47]; int8 C[i] = -max(A[i], -127)", "test", NULL, 0,
                                     &computation, &err));
    objective =
        open_fake_of("cuda:0", OPEVO_KERNEL_CUDA,
                     (opevo_operator){.kind = OPEVO_MATMUL, .n = 1, .k = 1, .m = 1}, computation);
    for (size_t i = 0; i < END - WHOLE; i++)
        points[i] = WHOLE + i;
    CHECK_OK(opevo_objective_evaluate(objective, points, END - WHOLE, outcomes, &err));
    for (size_t i = 0; i < END - WHOLE; i++) {
        const char *said = outcomes[i].message ? outcomes[i].message : "";

        if (outcomes[i].kind != kernels[WHOLE + i].kind ||
            (kernels[WHOLE + i].message && !strstr(said, kernels[WHOLE + i].message)))
            fail_msg("%s: %s (%s)", kernels[WHOLE + i].word, opevo_outcome_name(outcomes[i].kind),
                     said);
    }
    opevo_objective_destroy(objective);
    opevo_computation_destroy(computation);
}

/* Kernels that are launched after one another, with memory between them. */
CHECK_TEST(test_launches)
{
    for (int hip = 0; hip < 2; hip++) {
        opevo_objective *objective =
            open_fake(hip ? "hip:0" : "cuda:0", hip ? OPEVO_KERNEL_HIP : OPEVO_KERNEL_CUDA);
        const opevo_index point = LAUNCHES;
        opevo_outcome outcome;

        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
        CHECK_CLOSE(outcome.time_s, 2e-5, 1e-9);
        opevo_objective_destroy(objective);
    }
}

/* Kernels of sketches for a GPU, emulated by the processor. */
CHECK_TEST(test_sketches)
{
    const opevo_sketch_target target = {
        .dialect = OPEVO_KERNEL_EMULATION, .cores = 1, .threads = 1};
    opevo_live_options options = opevo_live_defaults();
    opevo_computation *computation = NULL;
    opevo_kernel_maker *maker = NULL;
    opevo_objective *objective = NULL;
    opevo_index points[4];
    opevo_outcome outcomes[4];
    size_t count = 0;

    options.device = "cpu";
    options.repeat_s = 0.02;
    CHECK_OK(opevo_computation_read("softmax(6,70)", &computation, &err));
    CHECK_OK(opevo_sketches_open(computation, &target, &maker, &err));
    for (opevo_index at = 0; count < 4; at += opevo_space_size(maker->space) / 4)
        points[count++] = at;
    CHECK_OK(opevo_live_open(maker, &options, &objective, &err));
    CHECK_OK(opevo_objective_evaluate(objective, points, 4, outcomes, &err));
    for (size_t i = 0; i < 4; i++) {
        if (outcomes[i].kind != OPEVO_OUTCOME_OK)
            fail_msg("point %zu: %s (%s)", i, opevo_outcome_name(outcomes[i].kind),
                     outcomes[i].message);
    }
    opevo_objective_destroy(objective);
}

/* A kernel that does not end is stopped when that costs less than waiting; one that is not worth
 * more is sampled once. */
CHECK_TEST(test_slower)
{
    opevo_objective *objective = open_fake("cuda:0", OPEVO_KERNEL_CUDA);
    opevo_index hang = 4;
    opevo_index right = 0;
    opevo_outcome outcome;

    assert_string_equal(kernels[hang].word, "hang");
    opevo_objective_note_best(objective, objective->flop / 1e-6 / 1e9);
    CHECK_OK(opevo_objective_evaluate(objective, &hang, 1, &outcome, &err));
    assert_int_equal(outcome.kind, OPEVO_OUTCOME_TIMEOUT);
    assert_string_equal(outcome.message, "slower than 10 times the best so far, 1e-06 s");
    opevo_objective_note_best(objective, objective->flop / 1e-7 / 1e9);
    CHECK_OK(opevo_objective_evaluate(objective, &right, 1, &outcome, &err));
    assert_true(outcome.kind == OPEVO_OUTCOME_OK && outcome.sample_count == 1);
    opevo_objective_note_best(objective, 0);
    CHECK_OK(opevo_objective_evaluate(objective, &right, 1, &outcome, &err));
    assert_true(outcome.kind == OPEVO_OUTCOME_OK && outcome.sample_count > 1);
    opevo_objective_destroy(objective);
}

/* Its energy is the power, which is always the same, for the time that the events say. */
CHECK_TEST(test_energy)
{
    static const char *const criteria[] = {"energy", "build_time"};
    opevo_live_options options = opevo_live_defaults();
    opevo_objective *objective = NULL;
    opevo_index point = 0;
    opevo_outcome outcome;

    for (int hip = 0; hip < 2; hip++) {
        zoo *maker =
            zoo_create(&ops, "fake", "{\"which\": {\"_type\": \"discrete\", \"_value\": [0]}}",
                       (opevo_operator){.kind = OPEVO_MATMUL, .n = 48, .k = 32, .m = 40});

        maker->super.dialect = hip ? OPEVO_KERNEL_HIP : OPEVO_KERNEL_CUDA;
        options.device = hip ? "hip:0" : "cuda:1";
        options.criteria = criteria;
        options.criterion_count = 2;
        if (hip) {
            CHECK_FAILS(OPEVO_INVALID, "the energy of hip:0 cannot be read",
                        opevo_live_open(&maker->super, &options, &objective, &err));
            continue;
        }
        CHECK_OK(opevo_live_open(&maker->super, &options, &objective, &err));
        CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
        assert_int_equal(outcome.kind, OPEVO_OUTCOME_OK);
        CHECK_CLOSE(outcome.more[0], 412.3 * 1e-5, 0.1 * 412.3 * 1e-5);
        opevo_objective_destroy(objective);
    }
}

CHECK_TEST(test_cuda)
{
    check_device("cuda:1", OPEVO_KERNEL_CUDA);
}

CHECK_TEST(test_hip)
{
    check_device("hip:0", OPEVO_KERNEL_HIP);
}

/* The library's result passes the check, its time is that of the events, and an error says what is
 * missing. */
CHECK_TEST(test_library)
{
    static const struct {
        const char *device, *op, *title;
        opevo_kernel_dialect dialect;
        int executions;            /* which make up its time; 0: an error */
        const char *folder, *most; /* of libraries; bytes of memory */
    } rows[] = {
        {"cuda:0", "matmul(48,32,40)", "cuBLAS 130000", OPEVO_KERNEL_CUDA, 1, OPEVO_FAKE_GPU, NULL},
        {"cuda:1", "matmul(17,31,6,TN)", "cuBLAS 130000", OPEVO_KERNEL_CUDA, 1, OPEVO_FAKE_GPU,
         NULL},
        {"cuda:0", "batch_matmul(3,17,31,6,NT)", "cuBLAS 130000", OPEVO_KERNEL_CUDA, 1,
         OPEVO_FAKE_GPU, NULL},
        {"hip:0", "matmul(17,31,6,TT)", "rocBLAS", OPEVO_KERNEL_HIP, 1, OPEVO_FAKE_GPU, NULL},
        {"hip:0", "batch_matmul(3,17,31,6)", "rocBLAS", OPEVO_KERNEL_HIP, 1, OPEVO_FAKE_GPU, NULL},
        {"cuda:0", "conv2d(2,3,9,11,5,3,2,2,1)", "cuDNN, implicit precomp gemm", OPEVO_KERNEL_CUDA,
         1, OPEVO_FAKE_GPU, NULL},
        {"cuda:0", "conv2d(2,3,9,11,5,3,2,2,1)", "im2col + cuBLAS 130000", OPEVO_KERNEL_CUDA, 2,
         OPEVO_FAKE_GPU_WITHOUT_CUDNN, NULL},
        {"hip:0", "conv2d(2,3,9,11,5,3,2,2,1)", "im2col + rocBLAS", OPEVO_KERNEL_HIP, 2,
         OPEVO_FAKE_GPU, NULL},
        {"hip:0", "conv2d(1,1,9,9,1,9,9,1,8)", "an unfolded image takes more", OPEVO_KERNEL_HIP, 0,
         OPEVO_FAKE_GPU, "65536"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opevo_finalist finalists[2] = {{.point = 0}, {.point = OPEVO_LIBRARY_POINT}};
        opevo_operator op;
        opevo_objective *objective = NULL;
        opevo_text library = {0};
        double fitness[2 * 3];
        int count = rows[i].executions;

        setenv("LD_LIBRARY_PATH", rows[i].folder, 1);
        if (rows[i].most)
            setenv("FAKE_GPU_MOST", rows[i].most, 1);
        CHECK_OK(opevo_operator_parse(rows[i].op, &op, &err));
        objective = open_fake_for(rows[i].device, rows[i].dialect, op);
        CHECK_OK(measure_finalists(objective, finalists, 2, 3, NULL, fitness, &library, &err));
        assert_non_null(strstr(opevo_text_string(&library), rows[i].title));
        for (size_t k = 3; k < 6; k++)
            CHECK_CLOSE(fitness[k], count ? objective->flop / (1e-5 * count) / 1e9 : 0,
                        1e-3 * fitness[k]);
        opevo_text_free(&library);
        opevo_objective_destroy(objective);
        unsetenv("FAKE_GPU_MOST");
    }
    setenv("LD_LIBRARY_PATH", OPEVO_FAKE_GPU, 1);
}

static void note_device(void *context, const opevo_hardware *device)
{
    opevo_text_printf(context, "%s %d %s|", device->name, device->present, device->title);
    opevo_text_printf(context, "%s energy %s %s|", device->name,
                      device->energy ? device->energy : "none",
                      device->no_energy ? device->no_energy : "");
}

CHECK_TEST(test_list)
{
    opevo_text out = {0};

    opevo_hardware_list(note_device, &out);
    assert_non_null(strstr(out.data, "cpu 1 "));
    assert_non_null(strstr(out.data, "|cuda:0 1 Fake GPU 0|cuda:0 energy NVML |"));
    assert_non_null(strstr(out.data, "|cuda:1 1 Fake GPU 1|cuda:1 energy NVML |"));
    assert_non_null(strstr(out.data, "|hip:0 1 Fake GPU 0|hip:0 energy none no counter"));
    opevo_text_free(&out);
}

static uint64_t signature_on(const char *device, const char *model)
{
    opevo_objective *objective = NULL;
    uint64_t signature = 0;

    setenv("FAKE_GPU_MODEL", model, 1);
    objective = open_fake(device, OPEVO_KERNEL_CUDA);
    signature = objective->signature;
    opevo_objective_destroy(objective);
    unsetenv("FAKE_GPU_MODEL");
    return signature;
}

/* What was measured on one device is never gone on with on another. */
CHECK_TEST(test_signature_tells_models)
{
    assert_true(signature_on("cuda:0", "A") == signature_on("cuda:0", "A"));
    assert_true(signature_on("cuda:0", "A") != signature_on("cuda:0", "B"));
    assert_true(signature_on("cuda:0", "A") != signature_on("cuda:1", "A"));
}

CHECK_TEST(test_no_such_device)
{
    opevo_objective *objective = open_fake("cuda:2", OPEVO_KERNEL_CUDA);
    opevo_index point = 0;
    opevo_outcome outcome;

    CHECK_FAILS(OPEVO_FAULT, "cuda:2: there are 2 devices",
                opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    opevo_objective_destroy(objective);
}

int main(int argc, char **argv)
{
    if (!fake_folder_enter(OPEVO_FAKE_GPU, argv) || !cache_folder_make())
        return 1;
    snprintf(log_path, sizeof log_path, "%s/log", cache_folder);
    setenv("FAKE_GPU_LOG", log_path, 1);
    return cache_folder_remove(check_tests(NULL, NULL));
}
