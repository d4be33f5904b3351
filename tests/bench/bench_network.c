/* SPDX-License-Identifier: GPL-3.0-or-later */

/* ONNX Runtime on a network, for tests/bench/networks.sh:
 *
 *     bench_network MODEL.onnx FOLDER THREADS SECONDS
 *
 * FOLDER is the library that opevo made of the model: its recorded inputs are taken, and the
 * outputs compared with those that are expected. What is printed is what `net --time` of the
 * library prints; with SECONDS 0 it is the largest error and the largest element of each output.
 * The status is 77 without ONNX Runtime. */

#include "onnxruntime.h"

#include <opevo/clock.h>
#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/network.h>

#include <gsl/gsl_sort.h>

#include <math.h>
#include <string.h>

enum { MOST = 8, RUNS_MOST = 10000 };

typedef struct contest {
    const onnxruntime *ort;
    opevo_network *network;
    void *session;
    const char *name[2][MOST]; /* inputs, outputs */
    void *value[2][MOST];
    float *data[2][MOST];
    int count[2];
} contest;

static void stop(const char *sentence)
{
    fprintf(stderr, "bench_network: %s\n", sentence);
    exit(1);
}

static void need(opevo_status status, const opevo_error *err)
{
    if (status != OPEVO_OK)
        stop(err->message);
}

static void must(const contest *self, const void *status)
{
    if (!onnxruntime_works(self->ort, status))
        exit(1);
}

/* The file of recorded tensors, as one array. */
static float *read_tensors(const char *folder, const char *name)
{
    char path[4096], *bytes = NULL;
    opevo_error err = {OPEVO_OK, ""};
    size_t size = 0;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    need(opevo_file_read(path, OPEVO_NETWORK_FILE, &bytes, &size, &err), &err);
    return (float *)(void *)bytes;
}

static void add_tensor(contest *self, void *memory, bool output, int number, const float *from)
{
    const opevo_network_value *value = opevo_network_value_at(self->network, number);
    size_t bytes = (size_t)opevo_array_elements(&value->array) * sizeof(float);
    int i = self->count[output]++;

    if (i == MOST)
        stop("The network has too many inputs or outputs.");
    self->name[output][i] = value->name;
    self->data[output][i] = calloc(1, bytes + 1);
    if (from)
        memcpy(self->data[output][i], from, bytes);
    must(self, self->ort->create_tensor_with_data(memory, self->data[output][i], bytes,
                                                  value->array.extent, (size_t)value->array.dims,
                                                  ONNXRUNTIME_FLOAT, &self->value[output][i]));
}

static void open_session(contest *self, const char *model, int threads)
{
    opevo_error err = {OPEVO_OK, ""};
    void *env = NULL, *options = NULL;
    char *bytes = NULL;
    size_t size = 0;

    need(opevo_network_read(model, NULL, &self->network, &err), &err);
    need(opevo_file_read(model, OPEVO_NETWORK_FILE, &bytes, &size, &err), &err);
    must(self, self->ort->create_env(3, "opevo", &env));
    must(self, self->ort->create_session_options(&options));
    must(self, self->ort->set_intra_op_threads(options, threads));
    must(self, self->ort->create_session_from_array(env, bytes, size, options, &self->session));
    opevo_free(bytes);
}

static void add_tensors(contest *self, const char *folder)
{
    float *inputs = read_tensors(folder, "inputs.bin"), *from = inputs;
    void *memory = NULL;

    must(self, self->ort->create_cpu_memory_info(0, 0, &memory));
    for (int i = 0; i < opevo_network_input_count(self->network); i++) {
        int number = opevo_network_input(self->network, i);

        add_tensor(self, memory, false, number, from);
        from += opevo_array_elements(&opevo_network_value_at(self->network, number)->array);
    }
    for (int i = 0; i < opevo_network_output_count(self->network); i++)
        add_tensor(self, memory, true, opevo_network_output(self->network, i), NULL);
    opevo_free(inputs);
}

static void run(contest *self)
{
    must(self, self->ort->run(self->session, NULL, self->name[0],
                              (const void *const *)self->value[0], (size_t)self->count[0],
                              self->name[1], (size_t)self->count[1], self->value[1]));
}

/* Something else computed would be no comparison. */
static void compare(const contest *self, const char *folder, bool print)
{
    float *expected = read_tensors(folder, "outputs.bin"), *at = expected;

    for (int i = 0; i < self->count[1]; i++) {
        int number = opevo_network_output(self->network, i);
        int64_t count = opevo_array_elements(&opevo_network_value_at(self->network, number)->array);
        double most = 0, error = 0;

        for (int64_t k = 0; k < count; k++, at++) {
            most = fmax(most, fabs((double)*at));
            error = fmax(error, fabs((double)*at - (double)self->data[1][i][k]));
        }
        if (print)
            printf("%s: largest error %.3g, largest element %.6g\n", self->name[1][i], error, most);
        if (!(error <= 1e-3 * most))
            stop("ONNX Runtime gives another result.");
    }
    opevo_free(expected);
}

static void time_runs(contest *self, double seconds)
{
    static double sample[RUNS_MOST];
    double end = opevo_clock_monotonic_s() + seconds;
    size_t runs = 0;

    do {
        double start = opevo_clock_monotonic_s();

        run(self);
        sample[runs++] = 1e3 * (opevo_clock_monotonic_s() - start);
    } while (runs < RUNS_MOST && opevo_clock_monotonic_s() < end);
    gsl_sort(sample, 1, runs);
    printf("%.6g ms (median of %zu runs), least %.6g ms\n", sample[runs / 2], runs, sample[0]);
}

int main(int count, char **argument)
{
    contest self = {.ort = onnxruntime_open()};

    if (count != 5)
        stop("Give MODEL.onnx FOLDER THREADS SECONDS.");
    if (!self.ort)
        return 77;
    open_session(&self, argument[1], (int)strtol(argument[3], NULL, 10));
    add_tensors(&self, argument[2]);
    run(&self);
    compare(&self, argument[2], strtod(argument[4], NULL) == 0);
    if (strtod(argument[4], NULL) > 0)
        time_runs(&self, strtod(argument[4], NULL));
    for (int i = 0; i < 2 * MOST; i++)
        free(self.data[i / MOST][i % MOST]);
    opevo_network_destroy(self.network);
    return 0;
}
