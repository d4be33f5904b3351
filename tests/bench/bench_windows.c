/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How well a kernel's time repeats, by several estimators on the same windows: products by OpenBLAS
 * are measured again and again in processes of their own, as a worker does it, in turn on the
 * machine as it is and beside a load. Of each estimator: the standard deviation of the logarithm of
 * the time, which is the coefficient of variation, idle and loaded; what the load makes of the
 * time; and the windows that it takes. bench_windows [REPEATS [COMMAND...]]: the command is the
 * load (5; stress-ng --cpu 2 --matrix 1). With BENCH_WINDOWS_CSV=FILE all windows go there. */

#include "bench.h"

#include "../hw/operands_fixture.h"
#include "../hw/process_fixture.h"

#include <cblas.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "samples_internal.h"

#include <opevo/sign_test.h>

enum { KERNELS = 5, MOST_REPEATS = 200, TEN = 10 };

/* Values of windows in the order in which they were taken, and how many an estimator used. */
typedef struct windows {
    const double *elapsed_s, *processor_s;
    size_t count, used;
    double values[OPEVO_I_CPU_SAMPLES];
} windows;

static double quantile(windows *self, size_t count, double share)
{
    double sorted[OPEVO_I_CPU_SAMPLES];

    memcpy(sorted, self->values, count * sizeof *sorted);
    opevo_i_wire_sort(sorted, count);
    self->used = count;
    return share == 0.5 ? opevo_i_wire_median(sorted, count)
                        : sorted[(size_t)(share * (double)(count - 1) + 0.5)];
}

static void take(windows *self, const double *values)
{
    memcpy(self->values, values, self->count * sizeof *values);
}

static void take_smaller(windows *self)
{
    opevo_i_wire_window_times(self->elapsed_s, self->processor_s, self->count, self->values);
}

/* How many of the first `count` values a worker takes that stops at 2 %, from `least` on. */
static size_t stop(const windows *self, size_t count, size_t least)
{
    for (size_t n = 8; n < count; n += 4) {
        double sorted[OPEVO_I_CPU_SAMPLES];
        double low = 0;
        double high = 0;

        memcpy(sorted, self->values, n * sizeof *sorted);
        opevo_i_wire_sort(sorted, n);
        if (n >= least && opevo_median_interval(sorted, n, 0.95, &low, &high) &&
            high - low <= 0.04 * opevo_i_wire_median(sorted, n))
            return n;
    }
    return count;
}

static double median_elapsed(windows *self)
{
    take(self, self->elapsed_s);
    return quantile(self, self->count, 0.5);
}

static double median_processor(windows *self)
{
    take(self, self->processor_s);
    return quantile(self, self->count, 0.5);
}

static double median_smaller(windows *self)
{
    take_smaller(self);
    return quantile(self, self->count, 0.5);
}

/* Elapsed times of windows that nobody disturbed; when more are disturbed than not, processor time
 * from there on. */
static double undisturbed(windows *self)
{
    size_t kept = 0;
    size_t dropped = 0;
    bool processor = false;

    for (size_t i = 0; i < self->count; i++) {
        if (!processor && self->elapsed_s[i] > 1.1 * self->processor_s[i]) {
            processor = ++dropped > kept + 8;
            kept = processor ? 0 : kept;
            continue;
        }
        self->values[kept++] = processor ? self->processor_s[i] : self->elapsed_s[i];
    }
    if (kept == 0)
        return median_processor(self);
    return quantile(self, stop(self, kept, 8), 0.5);
}

static double smaller_from_8(windows *self)
{
    take_smaller(self);
    return quantile(self, stop(self, self->count, 8), 0.5);
}

static double smaller_from_64(windows *self)
{
    take_smaller(self);
    return quantile(self, stop(self, self->count, 64), 0.5);
}

/* As a worker and the engine do it. */
static double in_use(windows *self)
{
    double sorted[OPEVO_I_CPU_SAMPLES];

    take_smaller(self);
    self->used = stop(self, self->count, 64);
    memcpy(sorted, self->values, self->used * sizeof *sorted);
    opevo_i_wire_sort(sorted, self->used);
    return opevo_i_wire_time_of_windows(sorted, self->used);
}

static double smaller_of_10(windows *self)
{
    take_smaller(self);
    return quantile(self, self->count < TEN ? self->count : TEN, 0.5);
}

static double quarter(windows *self)
{
    take_smaller(self);
    return quantile(self, self->count, 0.25);
}

static double tenth(windows *self)
{
    take_smaller(self);
    return quantile(self, self->count, 0.1);
}

static double least(windows *self)
{
    take_smaller(self);
    return quantile(self, self->count, 0);
}

static double mean(windows *self)
{
    double sum = 0;

    for (size_t i = 0; i < self->count; i++)
        sum += self->processor_s[i];
    self->used = self->count;
    return sum / (double)self->count;
}

static const struct {
    const char *name;
    double (*estimate)(windows *self);
} estimators[] = {
    {"elapsed, undisturbed windows, from 8 on", undisturbed},
    {"median of elapsed times", median_elapsed},
    {"median of processor times", median_processor},
    {"median of the smaller ones", median_smaller},
    {"median of the smaller ones of 10 windows", smaller_of_10},
    {"median of the smaller ones, from 8 on", smaller_from_8},
    {"median of the smaller ones, from 64 on", smaller_from_64},
    {"25 % quantile of the smaller ones", quarter},
    {"10 % quantile of the smaller ones", tenth},
    {"10 % quantile of the smaller ones, from 64 (in use)", in_use},
    {"least of the smaller ones", least},
    {"mean of processor times", mean},
};
enum { ESTIMATORS = sizeof estimators / sizeof *estimators };

static double logs[ESTIMATORS][2][KERNELS][MOST_REPEATS];
static double used[ESTIMATORS];

static pid_t start_load(char **command)
{
    pid_t load = fork();

    if (load == 0) {
        int nowhere = open("/dev/null", O_WRONLY);

        setpgid(0, 0);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        execvp(command[0], command);
        _exit(127);
    }
    usleep(300000); /* until all of it runs */
    if (waitpid(load, NULL, WNOHANG) == load) {
        fprintf(stderr, "bench_windows: the load, %s, has ended\n", command[0]);
        exit(2);
    }
    return load;
}

static void end_load(pid_t load)
{
    kill(-load, SIGKILL);
    waitpid(load, NULL, 0);
}

static void measure(const opevo_i_reference_operands *operands, FILE *out, int kernel, int loaded,
                    size_t repeat)
{
    opevo_i_cpu_plan plan = {.precision = 1e-9,
                             .repeat_s = 0.1,
                             .run_limit_s = 60,
                             .core = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1,
                             .memory_bytes = (uint64_t)4 << 30};
    static opevo_i_cpu_windows taken;
    static windows all;

    child_run(&plan, NULL, operands, &taken);
    all = (windows){taken.samples_s, taken.processor_s, (size_t)taken.sample_count, 0, {0}};
    for (size_t e = 0; e < ESTIMATORS; e++) {
        logs[e][loaded][kernel][repeat] = log(estimators[e].estimate(&all));
        used[e] += (double)all.used;
    }
    for (size_t i = 0; out && i < all.count; i++)
        fprintf(out, "%d,%d,%zu,%.9g,%.9g\n", kernel, loaded, repeat, all.elapsed_s[i],
                all.processor_s[i]);
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

static double deviation(const double *values, size_t count)
{
    double middle = mean_of(values, count);
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (values[i] - middle) * (values[i] - middle);
    return sqrt(sum / (double)(count - 1));
}

static void print(size_t repeats)
{
    printf("\n%-52s %8s %8s %8s %8s\n", "estimator (geometric means over the kernels)", "CV idle",
           "CV load", "slower", "windows");
    for (size_t e = 0; e < ESTIMATORS; e++) {
        double cv[2] = {0, 0};
        double slower = 0;

        for (int k = 0; k < KERNELS; k++) {
            for (int loaded = 0; loaded < 2; loaded++)
                cv[loaded] += log(deviation(logs[e][loaded][k], repeats)) / KERNELS;
            slower += (mean_of(logs[e][1][k], repeats) - mean_of(logs[e][0][k], repeats)) / KERNELS;
        }
        printf("%-52s %8.4f %8.4f %8.3f %8.1f\n", estimators[e].name, exp(cv[0]), exp(cv[1]),
               exp(slower), used[e] / (2.0 * KERNELS * (double)repeats));
    }
}

int main(int argc, char **argv)
{
    static const opevo_operator ops[KERNELS] = {
        {.kind = OPEVO_MATMUL, .n = 64, .k = 64, .m = 64},
        {.kind = OPEVO_MATMUL, .n = 128, .k = 128, .m = 128},
        {.kind = OPEVO_MATMUL, .n = 256, .k = 256, .m = 256},
        {.kind = OPEVO_MATMUL, .n = 512, .k = 1024, .m = 1024},
        {.kind = OPEVO_MATMUL, .n = 1, .k = 2048, .m = 2048},
    };
    static char *usual[] = {"stress-ng", "--cpu", "2", "--matrix", "1", NULL};
    size_t repeats = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
    char **load_command = argc > 2 ? argv + 2 : usual;
    const char *path = getenv("BENCH_WINDOWS_CSV");
    FILE *out = path ? fopen(path, "w") : NULL;
    opevo_i_reference_operands operands[KERNELS];

    if (repeats < 2 || repeats > MOST_REPEATS || (path && !out)) {
        fputs("usage: bench_windows [REPEATS [LOAD...]]\n", stderr);
        return 2;
    }
    openblas_set_num_threads(1);
    for (int k = 0; k < KERNELS; k++)
        CHECK_OK(operands_create(&ops[k], 1, &operands[k], &err));
    for (size_t r = 0; r < 2 * repeats; r++) {
        pid_t load = r % 2 ? start_load(load_command) : 0;

        for (int k = 0; k < KERNELS; k++)
            measure(&operands[k], out, k, (int)(r % 2), r / 2);
        if (load)
            end_load(load);
    }
    print(repeats);
    if (out)
        fclose(out);
    return 0;
}
