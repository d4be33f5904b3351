/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Finals of a run: which points are finalists, who measures them, and what the store keeps. */

#include "formula.h"
#include "scratch_folder.h"

#include <opevo/finals.h>
#include <opevo/run.h>
#include <opevo/store_workers.h>
#include <opevo/tuners.h>

enum { TRIALS = 40, MOST = 4, ROUNDS = 7 };

/* A formula that is measured again: in a round each point has the fitness of its trial times a
 * disturbance of the round, and the library half of the best. */
typedef struct device {
    formula formula;
    size_t measured;     /* how often rounds were measured */
    opevo_status broken; /* what that returns */
    bool fails;          /* every point in its last round */
    double bias;         /* by how much a point is slower the second time in a round; 0: not */
    /* Of two workers. The first loses the rounds, and the second measures them unless all is
     * broken. */
    opevo_worker_facts workers[2];
} device;

static opevo_status measure(opevo_objective *objective, const opevo_rounds *rounds, double *fitness,
                            opevo_text *library, opevo_error *error)
{
    device *self = (device *)objective;

    self->measured++;
    self->workers[0].faults++;
    self->workers[0].state = "suspended";
    self->workers[0].words = "no such host";
    if (self->broken != OPEVO_OK)
        return OPEVO_FAIL(error, self->broken, "The device is away.");
    for (size_t i = 0; i < rounds->count; i++)
        for (size_t k = 0; k < rounds->rounds; k++) {
            bool last = k + 1 == rounds->rounds;
            double own = rounds->points[i] == OPEVO_LIBRARY_POINT
                             ? 0.5
                             : formula_outcome(&self->formula, rounds->points[i]).fitness;

            if (i > 0 && rounds->points[i] == rounds->points[0])
                own *= 1 - self->bias;
            fitness[i * rounds->rounds + k] = self->fails && last ? 0 : own / (1 + (double)(k % 3));
        }
    opevo_text_add(library, "a vendor's");
    return OPEVO_OK;
}

static bool worker_of(const opevo_objective *objective, size_t i, opevo_worker_facts *out)
{
    if (i < 2)
        *out = ((const device *)objective)->workers[i];
    return i < 2;
}

static const opevo_objective_ops device_ops = {.kind = "device",
                                               .evaluate = formula_evaluate,
                                               .destroy = formula_destroy,
                                               .measure_rounds = measure,
                                               .worker = worker_of};

static device device_on(const opevo_space *space)
{
    device self = {.formula = formula_on(space, 3, 5),
                   .workers = {{"ssh a opevo-worker cpu", "a", "CPU", "ready", "", 7, 1, 0},
                               {"ssh b opevo-worker cpu", "b", "CPU", "ready", "", 9, 0, 0}}};

    self.formula.super.ops = &device_ops;
    return self;
}

static void note(void *context, const opevo_trial *trial, bool resumed)
{
    opevo_finals_note(context, trial);
}

static opevo_finals *finals_of(size_t most, bool with_library)
{
    const opevo_finals_options options = {
        .most = most, .rounds = ROUNDS, .with_library = with_library};
    opevo_finals *out = NULL;

    CHECK_OK(opevo_finals_create(&options, &out, &err));
    return out;
}

/* A run whose trials are noted, as a program does it that has libopevo only. */
static opevo_run_result search(device *self, opevo_store *store, opevo_finals *finals)
{
    opevo_run_options options = {.seed = 1,
                                 .budget.trials = TRIALS,
                                 .store = store,
                                 .observer = note,
                                 .observer_context = finals};
    opevo_run_result result;

    CHECK_OK(opevo_tuner_find("random", &options.tuner, &err));
    CHECK_OK(opevo_run(&self->formula.super, &options, &result, &err));
    return result;
}

/* They are the best different points, by brute force over all that were evaluated. */
static void check_finalists(const device *self, const opevo_finals *finals,
                            const opevo_space *space)
{
    double last = INFINITY;

    assert_int_equal(finals->count, MOST);
    for (size_t i = 0; i < MOST; i++) {
        double fitness = formula_outcome(&self->formula, finals->finalists[i].point).fitness;

        assert_true(fitness < last && fitness > 0);
        last = fitness;
    }
    assert_true(opevo_space_size(space) == TRIALS); /* the run has tried every point */
    for (opevo_index point = 0; point < TRIALS; point++) {
        size_t at = 0;

        while (at < MOST && finals->finalists[at].point != point)
            at++;
        if (at == MOST)
            assert_true(formula_outcome(&self->formula, point).fitness <= last);
    }
}

static opevo_space *forty_points(void)
{
    return formula_space("{\"x\": {\"_type\": \"discrete\", \"_value\": "
                         "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,"
                         "27,28,29,30,31,32,33,34,35,36,37,38,39]}}");
}

/* That worker has so many faults in the store, and is the only one. */
static opevo_status check_worker(void *context, const opevo_stored_worker *worker,
                                 opevo_error *error)
{
    uint64_t *faults = context;

    assert_string_equal(worker->by.host, "a");
    assert_int_equal(worker->faults, *faults);
    assert_string_equal(worker->state, "suspended");
    assert_string_equal(worker->words, "no such host");
    *faults = 0;
    return OPEVO_OK;
}

static void check_workers(opevo_store *store, int64_t run, uint64_t faults)
{
    CHECK_OK(opevo_store_workers(store, run, check_worker, &faults, &err));
    assert_int_equal(faults, 0);
}

CHECK_TEST(the_best_are_measured_once)
{
    opevo_space *space = forty_points(), *read_space = NULL;
    device own = device_on(space);
    scratch_folder folder = scratch_make();
    opevo_finals *first = finals_of(MOST, true), *again = finals_of(MOST, true), *read = NULL;
    opevo_store *store = NULL;
    opevo_run_result result;

    CHECK_OK(opevo_store_open(folder.file, OPEVO_STORE_WRITE, &store, &err));
    result = search(&own, store, first);
    check_finalists(&own, first, space);
    CHECK_OK(opevo_finals_run(first, &own.formula.super, 1, store, result.run, NULL, &err));
    assert_true(first->ran && first->count == MOST + 1);
    assert_int_equal(first->verdict.winner, 0);
    assert_int_equal(first->verdict.rival, 1);
    assert_int_equal(first->verdict.library, MOST);
    assert_string_equal(first->library, "a vendor's");
    CHECK_CLOSE(first->verdict.library_ratio,
                formula_outcome(&own.formula, first->finalists[0].point).fitness / 0.5, 1e-12);
    /* A second call has them from the store, as has a reader. */
    search(&own, store, again);
    CHECK_OK(opevo_finals_run(again, &own.formula.super, 1, store, result.run, NULL, &err));
    assert_int_equal(own.measured, 1);
    check_workers(store, result.run, 1);
    CHECK_OK(opevo_finals_read(store, result.run, &read, &read_space, &err));
    assert_true(read->ran && read->count == MOST + 1 && read->options.rounds == ROUNDS);
    assert_true(opevo_space_signature(read_space) == opevo_space_signature(space));
    for (size_t i = 0; i < read->count; i++) {
        assert_true(read->finalists[i].point == first->finalists[i].point);
        assert_true(again->finalists[i].median == first->finalists[i].median);
        assert_true(read->finalists[i].median == first->finalists[i].median);
    }
    opevo_finals_destroy(first);
    opevo_finals_destroy(again);
    opevo_finals_destroy(read);
    opevo_space_destroy(read_space);
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&folder);
}

/* The best point is measured twice unless it is said not to be, the store keeps the twin behind the
 * finalists, and a bias that it shows leaves no verdict, also for who reads it later. */
CHECK_TEST(a_biased_timer_leaves_no_verdict)
{
    opevo_space *space = forty_points();
    scratch_folder folder = scratch_make();
    opevo_store *store = NULL;

    CHECK_OK(opevo_store_open(folder.file, OPEVO_STORE_WRITE, &store, &err));
    for (int k = 0; k < 3; k++) { /* sound, biased, not asked */
        device own = device_on(space);
        const opevo_finals_options options = {.most = MOST, .rounds = ROUNDS, .no_twin = k == 2};
        opevo_finals *finals = NULL, *read = NULL;
        opevo_space *read_space = NULL;
        opevo_stored_finals stored = {0};
        opevo_run_result result;

        own.bias = k ? 0.01 : 0;
        CHECK_OK(opevo_finals_create(&options, &finals, &err));
        result = search(&own, store, finals);
        if (k == 1) { /* those of the sound one are in the store */
            stored.count = 0;
            CHECK_OK(opevo_store_put_finals(store, result.run, &stored, &err));
        }
        CHECK_OK(opevo_finals_run(finals, &own.formula.super, 1, store, result.run, NULL, &err));
        assert_int_equal(own.measured, 1);
        CHECK_OK(opevo_store_get_finals(store, result.run, &stored, &err));
        assert_int_equal(finals->count, MOST);
        assert_int_equal(stored.count, MOST + (k < 2));
        assert_true(stored.points[stored.count - 1] == stored.points[k < 2 ? 0 : MOST - 1]);
        opevo_stored_finals_free(&stored);
        CHECK_OK(opevo_finals_read(store, result.run, &read, &read_space, &err));
        for (int who = 0; who < 2; who++) {
            const opevo_final_verdict *verdict = who ? &read->verdict : &finals->verdict;

            assert_true(verdict->has_twin == (k < 2) && verdict->is_biased == (k == 1));
            assert_int_equal(verdict->winner, 0);
            assert_true(verdict->faster == (k != 1)); /* in 7 of 7 rounds, against 3 rivals */
            if (k < 2)
                CHECK_CLOSE(verdict->twin_ratio, k ? 1 / 0.99 : 1, 1e-12);
        }
        opevo_finals_destroy(finals);
        opevo_finals_destroy(read);
        opevo_space_destroy(read_space);
    }
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&folder);
}

/* The search stands: nothing is stored but what became of the workers, and the next call
 * measures. */
CHECK_TEST(what_cannot_be_measured_is_dropped)
{
    const struct {
        opevo_status broken;
        bool fails;
        const char *failure;
    } cases[] = {{OPEVO_INTERRUPTED, false, ""},
                 {OPEVO_IO, false, "The device is away."},
                 {OPEVO_FAULT, false, "The device is away."},
                 {OPEVO_OK, true, "each of the best points failed in a round."}};
    opevo_space *space = forty_points();
    scratch_folder folder = scratch_make();
    opevo_store *store = NULL;

    CHECK_OK(opevo_store_open(folder.file, OPEVO_STORE_WRITE, &store, &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        device own = device_on(space);
        opevo_finals *finals = finals_of(MOST, false);
        opevo_run_result result = search(&own, store, finals);
        opevo_stored_finals stored;

        own.broken = cases[i].broken;
        own.fails = cases[i].fails;
        CHECK_OK(opevo_finals_run(finals, &own.formula.super, 1, store, result.run, NULL, &err));
        assert_false(finals->ran);
        assert_int_equal(finals->interrupted, cases[i].broken == OPEVO_INTERRUPTED);
        assert_string_equal(finals->failure, cases[i].failure);
        CHECK_OK(opevo_store_get_finals(store, result.run, &stored, &err));
        assert_int_equal(stored.count, 0);
        check_workers(store, result.run, i + 1);
        opevo_finals_destroy(finals);
    }
    opevo_store_close(store);
    opevo_space_destroy(space);
    scratch_remove(&folder);
}

CHECK_TEST(what_is_not_held)
{
    opevo_space *space = forty_points();
    device own = device_on(space);
    formula computed = formula_on(space, 3, 5);
    opevo_finals *one = finals_of(1, false), *none = finals_of(0, false), *two = NULL;
    const opevo_finals_options many = {.most = OPEVO_FINALISTS_MOST + 1};

    search(&own, NULL, one);
    search(&own, NULL, none);
    assert_int_equal(one->count, 1);
    assert_int_equal(none->count, 0);
    CHECK_OK(opevo_finals_run(one, &own.formula.super, 1, NULL, 0, NULL, &err));
    CHECK_OK(opevo_finals_run(none, &own.formula.super, 1, NULL, 0, NULL, &err));
    assert_false(one->ran || none->ran);
    assert_int_equal(own.measured, 0);
    CHECK_FAILS(OPEVO_INVALID, "at most 100", opevo_finals_create(&many, &two, &err));
    two = finals_of(2, false);
    search(&own, NULL, two);
    CHECK_FAILS(OPEVO_INVALID, "an objective that measures",
                opevo_finals_run(two, &computed.super, 1, NULL, 0, NULL, &err));
    opevo_finals_destroy(one);
    opevo_finals_destroy(none);
    opevo_finals_destroy(two);
    opevo_space_destroy(space);
}
