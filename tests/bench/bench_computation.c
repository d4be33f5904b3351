/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations: parsing, and what the interpreter costs an operation on one thread. */

#include "bench.h"

#include <opevo/computation_named.h>
#include <opevo/computation_reference.h>
#include <opevo/hash.h>

#include <stdlib.h>

enum { MOST_OPERANDS = 8 };

static void need(opevo_status status, const opevo_error *err)
{
    if (status != OPEVO_OK) {
        fprintf(stderr, "bench_computation: %s\n", err->message);
        exit(1);
    }
}

static opevo_computation *read_it(const char *text)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_computation *made = NULL;

    need(opevo_computation_read(text, &made, &err), &err);
    return made;
}

static float *random_input(size_t count)
{
    float *data = calloc(count, sizeof *data);

    for (size_t i = 0; i < count; i++)
        data[i] = (float)(opevo_hash_mix(i) >> 40) * 0x1p-23F - 1;
    return data;
}

/* Seconds of one evaluation, with bounds or without. */
static double time_one(const opevo_computation *computation, bool bounded)
{
    opevo_error err = {OPEVO_OK, ""};
    float *inputs[MOST_OPERANDS] = {0}, *outputs[MOST_OPERANDS] = {0};
    double *bounds[MOST_OPERANDS] = {0};
    double start = 0;
    int in = 0, out = 0;

    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        size_t count = (size_t)opevo_tensor_elements(tensor);

        if (!tensor->definition)
            inputs[in++] = random_input(count);
        if (tensor->role != OPEVO_ROLE_OUTPUT)
            continue;
        outputs[out] = calloc(count, sizeof(float));
        bounds[out++] = calloc(count, sizeof(double));
    }
    start = opevo_clock_process_s();
    need(opevo_computation_compute(computation, (const void *const *)inputs, (void *const *)outputs,
                                   bounded ? bounds : NULL, 1, &err),
         &err);
    start = opevo_clock_process_s() - start;
    for (int i = 0; i < MOST_OPERANDS; i++) {
        free(inputs[i]);
        free(outputs[i]);
        free(bounds[i]);
    }
    return start;
}

static void run(bench *self, const char *text, double most, double most_bounded)
{
    opevo_computation *computation = read_it(text);
    double flop = opevo_computation_flop(computation).count;
    char name[64];

    snprintf(name, sizeof name, "%s", text);
    bench_at_most(self, name, time_one(computation, false) / flop * 1e9, most, "ns/FLOP");
    snprintf(name, sizeof name, "%s, with bounds", text);
    bench_at_most(self, name, time_one(computation, true) / flop * 1e9, most_bounded, "ns/FLOP");
    opevo_computation_destroy(computation);
}

int main(void)
{
    bench self = {0};
    opevo_computation *small = read_it("matmul(256,256,256)");
    double start = opevo_clock_process_s();

    bench_title("reading");
    for (int i = 0; i < 1000; i++)
        opevo_computation_destroy(read_it("ansor-conv-layer-1"));
    bench_at_most(&self, "ansor-conv-layer-1", (opevo_clock_process_s() - start) * 1e3, 200, "us");
    bench_title("evaluation, one thread");
    bench_at_most(&self, "matmul(256,256,256)", time_one(small, false), 0.1, "s");
    run(&self, "ansor-c2d-3", 5, 10);
    run(&self, "ansor-t2d-1", 5, 10);
    run(&self, "ansor-grp-2", 5, 10);
    run(&self, "ansor-cap-4", 5, 10);
    run(&self, "ansor-nrm-3", 10, 20);
    run(&self, "attention(1,4,64,64)", 5, 10);
    run(&self, "softmax(512,1024)", 20, 40); /* mostly exp */
    opevo_computation_destroy(small);
    return bench_end(&self);
}
