/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How many kernels a minute are built, checked and timed on this machine's processors, and what of
 * the time is the engine's own, which is a single thread (OpenBLAS starts one, too,
 * and it spins). */

#include "../hw/zoo.h"

#include "bench.h"

#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 5, POINTS = 12, SIZE = 256 };

int main(void)
{
    bench self = {0};
    double start_s = opevo_clock_monotonic_s();
    double start_cpu_s = opevo_clock_thread_s();
    double wall_s = 0;
    double build_s = 0;
    int failed = 0;

    setenv("OPEVO_WORKER", OPEVO_WORKER_PATH, 0);
    for (int round = 0; round < ROUNDS; round++) {
        opevo_live_options options = opevo_live_defaults();
        zoo *maker = zoo_of_products(SIZE);
        opevo_objective *objective = NULL;
        opevo_index points[POINTS];
        opevo_outcome outcomes[POINTS];
        opevo_error err = {OPEVO_OK, ""};

        maker->salt = (long)getpid() * ROUNDS + round;
        for (size_t i = 0; i < POINTS; i++)
            points[i] = i;
        if (opevo_live_open(&maker->super, &options, &objective, &err) != OPEVO_OK ||
            opevo_objective_evaluate(objective, points, POINTS, outcomes, &err) != OPEVO_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 2;
        }
        for (size_t i = 0; i < POINTS; i++) {
            failed += outcomes[i].kind != OPEVO_OUTCOME_OK;
            build_s += outcomes[i].build_s;
        }
        opevo_objective_destroy(objective);
    }
    wall_s = opevo_clock_monotonic_s() - start_s;
    bench_title("live: matrix products of 256 x 256 x 256 on the CPU, none of them built before");
    bench_at_least(&self, "trials a minute, building and starting workers included",
                   60 * ROUNDS * POINTS / wall_s, 60, "1/min");
    bench_at_most(&self, "the engine's own share of the time",
                  100 * (opevo_clock_thread_s() - start_cpu_s) / wall_s, 1, "%");
    bench_note("building one", 1e3 * build_s / (ROUNDS * POINTS), "ms");
    bench_note("trials that failed", failed, "");
    return bench_end(&self);
}
