/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A study of 10,000 runs of 500 trials with its store: how long, what the store costs beside the
 * runs, and how it spreads over threads and processes. The landscape is a recording of 4,362
 * points, where there is one, and otherwise a simulated operator. */

#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/study.h>
#include <opevo/tuners.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { RUNS = 10000, TRIALS = 500, ALONE = 1000 };

static char folder[] = "bench-study-XXXXXX";
static char paths[4][64];

static opevo_objective *open_landscape(void)
{
    const char *landscapes = getenv("OPEVO_TEST_LANDSCAPES");
    opevo_objective *objective = NULL;
    opevo_operator op;
    char path[512];

    snprintf(path, sizeof path, "%s/conv_a100", landscapes ? landscapes : "../shared/landscapes");
    if (opevo_recorded_open(path, NULL, &objective, NULL) == OPEVO_OK)
        return objective;
    printf("no recorded landscape at %s (set OPEVO_TEST_LANDSCAPES); a simulated one instead\n",
           path);
    if (opevo_operator_parse("c1", &op, NULL) != OPEVO_OK ||
        opevo_simulated_open(&op, "mi50", &objective, NULL) != OPEVO_OK)
        return NULL;
    return objective;
}

static opevo_study *make_study(opevo_objective *objective)
{
    opevo_study_objective given = {.objective = objective};
    opevo_plan *plan = NULL;
    opevo_study *study = NULL;
    FILE *file = fopen(paths[0], "w");

    if (!file)
        return NULL;
    fprintf(file,
            "{\"study\": 1, \"objectives\": [\"it\"], \"tuners\": [\"opevo\"], \"seeds\": %d,"
            " \"budget\": {\"trials\": %d}}",
            RUNS, TRIALS);
    fclose(file);
    if (opevo_plan_load(paths[0], &plan, NULL) != OPEVO_OK)
        return NULL;
    if (opevo_study_create(plan, &given, &study, NULL) != OPEVO_OK)
        opevo_plan_destroy(plan);
    return study;
}

static opevo_study_result run(const opevo_study *study, const char *path, unsigned threads,
                              opevo_shard shard)
{
    opevo_study_options options = {.store = path, .threads = threads, .shard = shard};
    opevo_study_result result = {.wall_s = 0};
    opevo_error err = {OPEVO_OK, ""};

    if (opevo_study_run(study, &options, &result, &err) != OPEVO_OK)
        fprintf(stderr, "%s\n", err.message);
    return result;
}

/* Processor time of a run without a store. */
static double alone_s(const opevo_study *study)
{
    const opevo_study_line *line = &study->lines[0];
    double begun = opevo_clock_process_s();

    for (uint64_t seed = 1; seed <= ALONE; seed++) {
        opevo_run_result result;
        opevo_run_options options = {
            .tuner = line->tuner, .settings = line->settings, .seed = seed, .budget = line->budget};

        if (opevo_run(line->objective, &options, &result, NULL) != OPEVO_OK)
            return 0;
    }
    return (opevo_clock_process_s() - begun) / ALONE;
}

/* Time that two processes with a share each take together. */
static double two_ranks_s(const opevo_study *study)
{
    double begun = opevo_clock_monotonic_s();
    pid_t children[2];

    for (uint32_t i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(run(study, paths[2 + i], 1, (opevo_shard){i, 2}).ran == RUNS / 2 ? 0 : 1);
    }
    for (int i = 0; i < 2; i++)
        waitpid(children[i], NULL, 0);
    return opevo_clock_monotonic_s() - begun;
}

int main(void)
{
    bench table = {0};
    opevo_objective *objective = open_landscape();
    opevo_study *study = NULL;
    opevo_study_result one;
    opevo_study_result two;
    struct stat size = {.st_size = 0};
    double alone = 0;
    double begun = 0;
    double spent = 0;

    if (!objective || !mkdtemp(folder))
        return 1;
    for (int i = 0; i < 4; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%d.db", folder, i);
    study = make_study(objective);
    if (!study)
        return 1;
    bench_title("10,000 runs of 500 trials, with their store");
    alone = alone_s(study);
    begun = opevo_clock_process_s();
    one = run(study, paths[1], 1, (opevo_shard){0, 1});
    spent = opevo_clock_process_s() - begun;
    stat(paths[1], &size);
    unlink(paths[1]);
    two = run(study, paths[1], 2, (opevo_shard){0, 1});
    bench_at_most(&table, "time on two threads", two.wall_s, 25, "s");
    bench_at_most(&table, "processor time, over that of the runs alone", spent / (alone * RUNS),
                  1.5, "x");
    bench_note("bytes a trial in the store", (double)size.st_size / RUNS / TRIALS, "B");
    bench_note("time on one thread", one.wall_s, "s");
    bench_note("efficiency, one thread (busy / time)", 100 * one.busy_s / one.wall_s, "%");
    bench_note("efficiency, two threads (T1 / 2 T2)", 100 * one.wall_s / (2 * two.wall_s), "%");
    bench_note("the same in processor time", 100 * one.busy_s / two.busy_s, "%");
    bench_note("efficiency, two processes", 100 * one.wall_s / (2 * two_ranks_s(study)), "%");
    printf("(on %u processors; other work on them shows in the time that passed)\n",
           opevo_processor_count());
    for (int i = 0; i < 4; i++)
        unlink(paths[i]);
    rmdir(folder);
    opevo_study_destroy(study);
    opevo_objective_destroy(objective);
    return bench_end(&table);
}
