/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter of GPU kernels: lane instructions a second of processor time, without checks and
 * with them, on a product of matrices by tiles. */

#include "bench.h"

#include <opevo/simt.h>

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include <float.h>
#include <stdlib.h>

enum { N = 128, TILE = 8, ROUNDS = 7 };

static void need(opevo_status status, const opevo_error *err)
{
    if (status != OPEVO_OK) {
        fprintf(stderr, "bench_simt: %s\n", err->message);
        exit(1);
    }
}

static LLVMModuleRef load(LLVMContextRef context, const char *path)
{
    LLVMMemoryBufferRef memory = NULL;
    LLVMModuleRef module = NULL;
    char *message = NULL;

    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &memory, &message) ||
        LLVMParseIRInContext(context, memory, &module, &message)) {
        fprintf(stderr, "bench_simt: %s\n", message);
        exit(1);
    }
    return module;
}

/* Seconds of one launch. */
static double time_launch(opevo_simt *machine)
{
    static _Alignas(64) float matrix[3][N * N];
    opevo_simt_argument arguments[6] = {{.is_buffer = true}, {.is_buffer = true},
                                        {.is_buffer = true}, {.bits = N},
                                        {.bits = N},         {.bits = N}};
    opevo_simt_launch launch = {.kernel = "matmul",
                                .grid = {N / TILE, N / TILE, 1},
                                .block = {TILE, TILE, 1},
                                .arguments = arguments,
                                .argument_count = 6};
    opevo_simt_result result;
    opevo_error err;
    double start;

    need(opevo_simt_reset(machine, &err), &err);
    for (int i = 0; i < 3; i++) {
        opevo_simt_buffer buffer = {
            .data = matrix[i], .size_bytes = sizeof matrix[i], .initialised = i < 2};

        need(opevo_simt_add_buffer(machine, &buffer, &arguments[i].buffer, &err), &err);
    }
    start = opevo_clock_process_s();
    need(opevo_simt_run(machine, &launch, &result, &err), &err);
    start = opevo_clock_process_s() - start;
    if (result.outcome != OPEVO_SIMT_OK) {
        fprintf(stderr, "bench_simt: %s\n", result.message);
        exit(1);
    }
    return start;
}

int main(void)
{
    static const char *const names[] = {"without checks", "with checks of races",
                                        "with checks of initial values", "with all checks"};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = load(context, OPEVO_BENCH_KERNELS "/matmul.ll");
    bench self = {0};
    opevo_simt_costs *costs = NULL;
    opevo_error err;

    need(opevo_simt_costs_load(NULL, &costs, &err), &err);
    bench_title("interpreter of GPU kernels: matmul(128), lane instructions a second and core");
    for (int checks = 0; checks < 4; checks++) {
        opevo_simt_options options = {.check_races = checks & 1,
                                      .check_uninitialised = checks >> 1};
        opevo_simt *machine = NULL;
        opevo_simt_counts counts;
        double best = DBL_MAX, speed;

        need(opevo_simt_create(module, costs, &options, &machine, &err), &err);
        for (int i = 0; i < ROUNDS; i++) {
            double time = time_launch(machine);

            best = time < best ? time : best;
        }
        opevo_simt_count(machine, &counts);
        speed = (double)counts.lane_instructions / best / 1e6;
        if (checks == 0 || checks == 3) /* 3: what searches run with */
            bench_at_least(&self, names[checks], speed, 200, "million");
        else
            bench_note(names[checks], speed, "million");
        opevo_simt_destroy(machine);
    }
    opevo_simt_costs_destroy(costs);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return bench_end(&self);
}
