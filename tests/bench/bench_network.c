/* SPDX-License-Identifier: GPL-3.0-or-later */

/* ONNX Runtime on a network, for tests/bench/networks.sh:
 *
 *     bench_network MODEL.onnx FOLDER THREADS SECONDS
 *
 * FOLDER is the library that opevo made of the model: its recorded inputs are taken, and the
 * outputs compared with those that are expected. What is printed is what `net --time` of the
 * library prints, and the resident memory that ONNX Runtime has added, without the model's file;
 * with SECONDS 0 it is the largest error and the largest element of each output. The status is 77
 * without ONNX Runtime. */

#include "onnxruntime.h"

#include <opevo/clock.h>
#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/network.h>

#include <gsl/gsl_sort.h>

#include <math.h>
#include <string.h>

enum { MOST = 64, RUNS_MOST = 10000 };

typedef struct contest {
    const onnxruntime *ort;
    opevo_network *network;
    void *session;
    const char *name[2][MOST]; /* inputs, outputs */
    void *value[2][MOST];
    opevo_array data[2][MOST];
    int count[2];
    bool quantised;
    double before; /* memory of the process without the session, in MB */
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

/* The file of recorded tensors, one behind the other. */
static char *read_tensors(const char *folder, const char *name)
{
    char path[4096], *bytes = NULL;
    opevo_error err = {OPEVO_OK, ""};
    size_t size = 0;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    need(opevo_file_read(path, OPEVO_NETWORK_FILE, &bytes, &size, &err), &err);
    return bytes;
}

static size_t bytes_of(const opevo_array *array)
{
    return (size_t)opevo_array_elements(array) * opevo_network_type_bytes(array->type);
}

/* Types have the numbers of ONNX in both programs. */
static void add_tensor(contest *self, void *memory, bool output, int number, const char *from)
{
    const opevo_network_value *value = opevo_network_value_at(self->network, number);
    opevo_error err = {OPEVO_OK, ""};
    int i = self->count[output]++;
    opevo_array *array = NULL;

    if (i == MOST)
        stop("The network has too many inputs or outputs.");
    self->name[output][i] = value->name;
    array = &self->data[output][i];
    *array = value->array;
    need(opevo_array_allocate(array, &err), &err);
    if (from)
        memcpy(array->data, from, bytes_of(array));
    must(self, self->ort->create_tensor_with_data(memory, array->data, bytes_of(array),
                                                  array->extent, (size_t)array->dims,
                                                  (int)array->type, &self->value[output][i]));
}

/* Memory of this process that is resident, in MB; 0 if unknown. */
static double resident(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kib = 0;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtod(line + 6, NULL);
    if (file)
        fclose(file);
    return kib * 1.024e-3;
}

static bool is_quantised(const opevo_network *network)
{
    for (int i = 0; i < opevo_network_node_count(network); i++)
        if (strstr(opevo_network_node_at(network, i)->operation, "Linear"))
            return true;
    return false;
}

static void open_session(contest *self, const char *model, int threads)
{
    opevo_error err = {OPEVO_OK, ""};
    void *env = NULL, *options = NULL;
    char *bytes = NULL;
    size_t size = 0;

    need(opevo_network_read(model, NULL, &self->network, &err), &err);
    need(opevo_file_read(model, OPEVO_NETWORK_FILE, &bytes, &size, &err), &err);
    self->quantised = is_quantised(self->network);
    self->before = resident();
    must(self, self->ort->create_env(3, "opevo", &env));
    must(self, self->ort->create_session_options(&options));
    must(self, self->ort->set_intra_op_threads(options, threads));
    must(self, self->ort->create_session_from_array(env, bytes, size, options, &self->session));
    opevo_free(bytes);
    self->before -= 1e-6 * (double)size;
}

static void add_tensors(contest *self, const char *folder)
{
    char *inputs = read_tensors(folder, "inputs.bin"), *from = inputs;
    void *memory = NULL;

    must(self, self->ort->create_cpu_memory_info(0, 0, &memory));
    for (int i = 0; i < opevo_network_input_count(self->network); i++) {
        int number = opevo_network_input(self->network, i);

        add_tensor(self, memory, false, number, from);
        from += bytes_of(&self->data[0][i]);
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

/* Something else computed would be no comparison. A result of quantised layers may be a few of
 * their steps away, which are at least 2^-7 of it. */
static void compare(const contest *self, const char *folder, bool print)
{
    char *expected = read_tensors(folder, "outputs.bin"), *at = expected;
    const double allowed = self->quantised ? 5e-2 : 1e-3;

    for (int i = 0; i < self->count[1]; i++) {
        const opevo_array *found = &self->data[1][i];
        opevo_array wanted = *found;
        double most = 0, error = 0;

        wanted.data = at;
        for (int64_t k = 0; k < opevo_array_elements(found); k++) {
            most = fmax(most, fabs(opevo_array_number(&wanted, k)));
            error =
                fmax(error, fabs(opevo_array_number(&wanted, k) - opevo_array_number(found, k)));
        }
        at += bytes_of(found);
        if (print)
            printf("%s: largest error %.3g, largest element %.6g\n", self->name[1][i], error, most);
        if (!(error <= allowed * most))
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
    printf("%.6g ms (median of %zu runs), least %.6g ms, %.4g MB\n", sample[runs / 2], runs,
           sample[0], resident() - self->before);
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
        opevo_array_free(&self.data[i / MOST][i % MOST]);
    opevo_network_destroy(self.network);
    return 0;
}
