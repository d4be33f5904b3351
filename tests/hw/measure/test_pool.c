/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pool with scripts in the place of workers: such as hang, and such as never stop talking. */

#include "points.h"
#include "pool_jobs.h"

#include <opevo/clock.h>

#include <stdlib.h>

#include "sleepers.h"

#define HELLO "echo '{\"type\":\"hello\",\"protocol\":6}'; read x; "
#define READY HELLO "echo '{\"type\":\"ready\"}'; read x; id=${x#*job\\\":}; id=${id%%,*}; "
#define STARTED "echo '{\"type\":\"started\",\"job\":'$id'}'; "

enum { AMPLE_S = 60, WORKERS_MOST = 4 };

/* A pool of workers that are these scripts; its limits are ample. */
typedef struct crowd {
    opevo_i_engine_connection workers[WORKERS_MOST];
    opevo_i_engine_pool pool;
} crowd;

static void gather(crowd *self, const char *const *scripts, size_t count)
{
    self->pool = (opevo_i_engine_pool){.workers = self->workers,
                                       .count = count,
                                       .depth = 2,
                                       .start_limit_s = AMPLE_S,
                                       .job_limit_s = AMPLE_S,
                                       .silence_s = AMPLE_S};
    self->pool.setup = strdup("{\"type\":\"setup\"}\n");
    for (size_t i = 0; i < count; i++) {
        self->workers[i] = (opevo_i_engine_connection){.in = -1, .out = -1, .error = -1};
        opevo_i_process_arguments_add(&self->workers[i].command, "sh", 2);
        opevo_i_process_arguments_add(&self->workers[i].command, "-c", 2);
        opevo_i_process_arguments_add(&self->workers[i].command, scripts[i], strlen(scripts[i]));
    }
}

static void disperse(crowd *self)
{
    for (size_t i = 0; i < self->pool.count; i++)
        opevo_i_engine_connection_reap(&self->workers[i], 0);
    for (size_t i = 0; i < self->pool.count; i++)
        opevo_i_engine_connection_clear(&self->workers[i]);
    opevo_text_free(&self->pool.lost);
    free(self->pool.setup);
}

/* One job on a worker that is this script. */
static opevo_status run_on(const char *script, double start_limit_s, double silence_s,
                           double job_limit_s, opevo_i_engine_measuring *task, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    crowd self;

    gather(&self, &script, 1);
    self.pool.start_limit_s = start_limit_s;
    self.pool.silence_s = silence_s;
    self.pool.job_limit_s = job_limit_s;
    status = pool_jobs_run(&self.pool, task, 1, false, err);
    disperse(&self);
    return status;
}

/* A worker that says it has started, and nothing more, is killed at the limit; one that never says
 * anything, at its own. */
CHECK_TEST(test_hang)
{
    static const char *const silent[] = {READY "exec sleep 75", HELLO "exec sleep 75",
                                         "exec sleep 75"};
    opevo_i_engine_measuring task;

    CHECK_OK(run_on(READY STARTED "exec sleep 75", AMPLE_S, AMPLE_S, 0.2, &task, &err));
    assert_int_equal(task.result.kind, OPEVO_OUTCOME_TIMEOUT);
    opevo_i_engine_measuring_clear(&task);
    for (size_t i = 0; i < 3; i++) {
        CHECK_FAILS(OPEVO_IO, "has been silent for too long",
                    run_on(silent[i], i ? 0.2 : AMPLE_S, 0.2, AMPLE_S, &task, &err));
        opevo_i_engine_measuring_clear(&task);
    }
    assert_int_equal(sleepers("75"), 0);
}

/* What a worker says gains it neither time nor memory, unless it gets on by it. */
CHECK_TEST(test_talks_for_ever)
{
    static const struct {
        const char *script;
        double start_limit_s, silence_s;
        const char *reason;
    } cases[] = {
        {"while :; do echo Welcome; sleep 0.01; done", 0.5, AMPLE_S, "silent for too long"},
        {"exec tr '\\0' x </dev/zero", AMPLE_S, AMPLE_S, "sends endless output"},
        {READY "while :; do printf x; sleep 0.01; done", AMPLE_S, 0.5, "silent for too long"},
        {READY "while :; do " STARTED "sleep 0.01; done", AMPLE_S, AMPLE_S,
         "speaks another protocol"},
    };
    opevo_i_engine_measuring task;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(OPEVO_IO, cases[i].reason,
                    run_on(cases[i].script, cases[i].start_limit_s, cases[i].silence_s, AMPLE_S,
                           &task, &err));
        opevo_i_engine_measuring_clear(&task);
    }
    /* Here the job may be what is wrong. */
    CHECK_OK(
        run_on(READY STARTED "exec tr '\\0' x </dev/zero", AMPLE_S, AMPLE_S, AMPLE_S, &task, &err));
    assert_int_equal(task.result.kind, OPEVO_OUTCOME_CRASHED);
    opevo_i_engine_measuring_clear(&task);
}

/* A launcher may wait in a queue for longer than a worker may take to greet, not in silence. */
CHECK_TEST(test_queue)
{
    static const char queued[] =
        "echo srun: job 5 queued and waiting for resources >&2; sleep 4; "
        "echo srun: job 5 has been allocated resources >&2; sleep 0.2; " READY STARTED
        "echo '{\"type\":\"result\",\"job\":'$id',\"outcome\":\"ok\",\"samples\":[0.5]}'; read x";
    static const char stuck[] = "echo srun: job 5 queued and waiting for resources >&2; "
                                "echo srun: job 5 has been allocated resources >&2; exec sleep 75";
    opevo_i_engine_measuring task;

    CHECK_OK(run_on(queued, 3, AMPLE_S, AMPLE_S, &task, &err));
    assert_int_equal(task.result.kind, OPEVO_OUTCOME_OK);
    opevo_i_engine_measuring_clear(&task);
    CHECK_FAILS(OPEVO_IO, "silent for too long", run_on(stuck, 0.5, AMPLE_S, AMPLE_S, &task, &err));
    opevo_i_engine_measuring_clear(&task);
}

/* What was killed may take a moment to end. */
static void check_none_left(void)
{
    for (int i = 0; i < 1200 && sleepers("75") > 0; i++)
        usleep(50000);
    assert_int_equal(sleepers("75"), 0);
}

enum { JOBS = 40 };

/* JOBS jobs on workers that are these scripts; the outcomes into `kinds`, and into *lead which of
 * them measures what one has to measure alone. */
static opevo_status run_several(const char *const *scripts, size_t count,
                                opevo_outcome_class *kinds, size_t *lead, opevo_error *err)
{
    opevo_i_engine_measuring tasks[JOBS];
    opevo_status status = OPEVO_OK;
    crowd self;

    gather(&self, scripts, count);
    self.pool.job_limit_s = 0.5; /* fifty times what a sound one takes */
    status = pool_jobs_run(&self.pool, tasks, JOBS, false, err);
    for (size_t i = 0; i < JOBS && status == OPEVO_OK; i++)
        kinds[i] = tasks[i].result.kind;
    for (size_t i = 0; i < JOBS; i++)
        opevo_i_engine_measuring_clear(&tasks[i]);
    opevo_i_engine_pool_choose_lead(&self.pool);
    *lead = self.pool.lead;
    disperse(&self);
    return status;
}

#define EACH HELLO "echo '{\"type\":\"ready\"}'; while read x; do id=${x#*job\\\":}; id=${id%%,*}; "
#define SOUND                                                                                      \
    EACH STARTED                                                                                   \
        "sleep 0.01; echo '{\"type\":\"result\",\"job\":'$id',\"outcome\":\"ok\",\"samples\":"     \
        "[0.5]}'; done"

/* Whatever is wrong with hosts, a sound one measures all, and no trial is a failure. */
CHECK_TEST(test_sick_hosts)
{
    static const char *const sick[] = {
        READY STARTED "exec sleep 75", /* hangs */
        READY STARTED "exit 1",        /* is cut off */
        EACH
        "echo '{\"type\":\"fault\",\"job\":'$id',\"message\":\"disk full\"}'; done", /* fails */
        "exit 1",
        "exec no-such-program",
        HELLO "echo '{\"type\":\"error\",\"message\":\"no compiler\",\"fault\":true}'",
    };
    size_t count = sizeof sick / sizeof *sick;

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            const char *const scripts[] = {sick[i], sick[k], SOUND};
            opevo_outcome_class kinds[JOBS];
            size_t lead = 0;

            if (!test_takes(i + k, 0, 3))
                continue;
            CHECK_OK(run_several(scripts, 3, kinds, &lead, &err));
            for (size_t job = 0; job < JOBS; job++)
                assert_int_equal(kinds[job], OPEVO_OUTCOME_OK);
            assert_int_equal(lead, 2);
        }
    }
    check_none_left();
}

/* A worker that takes this long for a job, and says in its message which worker it is. It drops
 * what it has not begun with. */
#define TAKES(seconds, name)                                                                       \
    HELLO "echo '{\"type\":\"ready\"}'; while read x; do id=${x#*job\\\":}; id=${id%%[,\\}]*}; "   \
          "case $x in *drop*) echo '{\"type\":\"dropped\",\"job\":'$id'}'; continue;; "            \
          "esac; " STARTED "sleep " seconds                                                        \
          "; echo '{\"type\":\"result\",\"job\":'$id',\"outcome\":\"ok\",\"samples\":"             \
          "[0.5],\"message\":\"" name "\"}'; done"

/* What a slow worker has in hand and in its queue is done by the others when they have nothing else
 * to do, whether it is slow from the beginning or hangs, and each job is done once. */
CHECK_TEST(test_slow_worker)
{
    static const char *const slow[] = {TAKES("30", "slow"), TAKES("75", "slow")};

    for (size_t kind = 0; kind < 2; kind++) {
        const char *const scripts[] = {slow[kind], TAKES("0.2", "a"), TAKES("0.2", "b"),
                                       TAKES("0.2", "c")};
        opevo_i_engine_measuring jobs[12];
        crowd self;
        double took_s = 0;

        gather(&self, scripts, 4);
        for (int run = 0; run < 2; run++) { /* what is left of the first is not in the way */
            took_s = -opevo_clock_monotonic_s();
            CHECK_OK(pool_jobs_run(&self.pool, jobs, 12, false, &err));
            took_s += opevo_clock_monotonic_s();
            assert_true(took_s < 10);
            for (size_t i = 0; i < 12; i++) {
                assert_int_equal(jobs[i].result.kind, OPEVO_OUTCOME_OK);
                assert_string_not_equal(opevo_text_string(&jobs[i].result.message), "slow");
                opevo_i_engine_measuring_clear(&jobs[i]);
            }
        }
        disperse(&self);
    }
    check_none_left();
}

/* Like TAKES(), but with the fifth job it does not end. */
#define HANGS_ONCE(seconds, name)                                                                  \
    "n=0; sleep() { n=$((n + 1)); [ $n -ne 5 ] || exec sleep 75; command sleep $1; }; " TAKES(     \
        seconds, name)

/* What is queued behind a job that takes longer than all before it is done by another worker,
 * however slow that is. */
CHECK_TEST(test_queued_behind)
{
    static const char *const scripts[] = {HANGS_ONCE("0.01", "fast"), TAKES("0.5", "slow")};
    opevo_i_engine_measuring jobs[12];
    double took_s = -opevo_clock_monotonic_s();
    crowd self;

    gather(&self, scripts, 2);
    CHECK_OK(pool_jobs_run(&self.pool, jobs, 12, false, &err));
    assert_true(took_s + opevo_clock_monotonic_s() < AMPLE_S / 2);
    for (size_t i = 0; i < 12; i++) {
        assert_int_equal(jobs[i].result.kind, OPEVO_OUTCOME_OK);
        opevo_i_engine_measuring_clear(&jobs[i]);
    }
    disperse(&self);
    check_none_left();
}

/* A worker that says `kind` of job 0 and `ok` of the others, and what it does before it greets and
 * with job 0. */
#define ANSWERS                                                                                    \
    "%s; " HELLO                                                                                   \
    "echo '{\"type\":\"ready\"}'; while read x; do id=${x#*job\\\":}; id=${id%%%%[,\\}]*}; "       \
    "case $x in *drop*) echo '{\"type\":\"dropped\",\"job\":'$id'}'; continue;; esac; " STARTED    \
    "kind=ok; case $x in *'\"0\"'*) kind=%s; %s;; *) sleep 0.1;; esac; "                           \
    "echo '{\"type\":\"result\",\"job\":'$id',\"outcome\":\"'$kind'\",\"samples\":[0.5]}'; done"

/* Of two that have a job at the same time, one may be in the way of the other: a failure of one is
 * not believed, a second one is. The first worker has begun with job 0 before others are there. It
 * answers when one other has failed with it, and not at all where two others are to fail with it:
 * its answer could be there before theirs. */
CHECK_TEST(test_in_the_way)
{
    static const char wait[] = "until [ $(ls %s/way-%d-* | wc -l) -ge %d ]; do sleep 0.05; done";

    for (int others = 1; others <= 2; others++) {
        char begun[4300], failed[4300], mark[4200], stay[8600], slow[10000], fails[10000];
        const char *const scripts[] = {slow, fails, fails};
        opevo_i_engine_measuring jobs[6];
        crowd self;

        snprintf(begun, sizeof begun, wait, cache_folder, others, 1);
        snprintf(failed, sizeof failed, wait, cache_folder, others, 2);
        snprintf(mark, sizeof mark, ": >%s/way-%d-$$", cache_folder, others);
        snprintf(stay, sizeof stay, "%s; %s", mark, others == 1 ? failed : "exec sleep 75");
        snprintf(slow, sizeof slow, ANSWERS, ":", "ok", stay);
        snprintf(fails, sizeof fails, ANSWERS, begun, "crashed", mark);
        gather(&self, scripts, 1 + (size_t)others);
        CHECK_OK(pool_jobs_run(&self.pool, jobs, 6, false, &err));
        assert_int_equal(jobs[0].result.kind,
                         others == 2 ? OPEVO_OUTCOME_CRASHED : OPEVO_OUTCOME_OK);
        for (size_t i = 0; i < 6; i++) {
            assert_true(i == 0 || jobs[i].result.kind == OPEVO_OUTCOME_OK);
            opevo_i_engine_measuring_clear(&jobs[i]);
        }
        disperse(&self);
    }
}

/* A worker has its next job before it has answered: one that waits for that would wait for ever. */
CHECK_TEST(test_queue_ahead)
{
    static const char *const scripts[] = {
        HELLO
        "echo '{\"type\":\"ready\"}'; read x; while read y; do id=${x#*job\\\":}; "
        "id=${id%%,*}; " STARTED
        "echo '{\"type\":\"result\",\"job\":'$id',\"outcome\":\"ok\",\"samples\":[0.5]}'; x=$y; "
        "case $x in *'\"9\"'*) id=${x#*job\\\":}; id=${id%%,*}; " STARTED
        "echo '{\"type\":\"result\",\"job\":'$id',\"outcome\":\"ok\",\"samples\":[0.5]}'; esac; "
        "done"};
    opevo_i_engine_measuring jobs[10];
    crowd self;

    gather(&self, scripts, 1);
    self.pool.silence_s = 20;
    CHECK_OK(pool_jobs_run(&self.pool, jobs, 10, false, &err));
    for (size_t i = 0; i < 10; i++)
        opevo_i_engine_measuring_clear(&jobs[i]);
    disperse(&self);
}

/* A source that wants no more after the first result. */
static opevo_status next_until_done(void *context, opevo_i_engine_task **task, bool *over,
                                    opevo_error *error)
{
    pool_jobs *self = context;

    *over = self->done > 0;
    return *over ? OPEVO_OK : pool_jobs_next(context, task, over, error);
}

/* Jobs that are not wanted any more are not waited for, and what is left of them is not a result of
 * others. */
CHECK_TEST(test_over)
{
    static const char *const scripts[] = {TAKES("0.1", "fast"), TAKES("3", "slow")};
    opevo_i_engine_measuring jobs[8];
    pool_jobs list = {.jobs = jobs, .count = 8};
    opevo_i_engine_source source = {
        .next = next_until_done, .done = pool_jobs_done, .context = &list};
    crowd self;

    gather(&self, scripts, 2);
    CHECK_OK(pool_jobs_run(&self.pool, jobs, 2, false, &err)); /* both are up */
    for (size_t i = 0; i < 8; i++) {
        if (i < 2)
            opevo_i_engine_measuring_clear(&jobs[i]);
        jobs[i] = (opevo_i_engine_measuring){.job = {.id = 0}};
        opevo_i_process_arguments_add(&jobs[i].job.command, "x", 1);
    }
    CHECK_OK(opevo_i_engine_pool_run(&self.pool, &source, false, &err));
    assert_true(self.workers[0].errand_count + self.workers[1].errand_count > 0);
    assert_int_equal(list.done, 1);
    for (size_t i = 0; i < 8; i++)
        opevo_i_engine_measuring_clear(&jobs[i]);
    CHECK_OK(pool_jobs_run(&self.pool, jobs, 8, false, &err));
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(jobs[i].result.kind, OPEVO_OUTCOME_OK);
        opevo_i_engine_measuring_clear(&jobs[i]);
    }
    disperse(&self);
}

/* Workers that do not end by themselves are waited for together. */
CHECK_TEST(test_patience)
{
    opevo_i_engine_connection workers[8];
    opevo_i_engine_pool pool = {.workers = workers, .count = 8};
    double started = 0;

    for (size_t i = 0; i < 8; i++) {
        workers[i] = (opevo_i_engine_connection){.in = -1, .out = -1, .error = -1};
        opevo_i_process_arguments_add(&workers[i].command, "sleep", 5);
        opevo_i_process_arguments_add(&workers[i].command, "75", 2);
        CHECK_OK(opevo_i_engine_connection_start(&workers[i], &err));
    }
    started = opevo_clock_monotonic_s();
    opevo_i_engine_pool_rest(&pool);
    assert_true(opevo_clock_monotonic_s() - started < 8); /* not 16 */
    for (size_t i = 0; i < 8; i++)
        opevo_i_engine_connection_clear(&workers[i]);
    check_none_left();
}

int main(void)
{
    if (!cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
