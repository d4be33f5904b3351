/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The finals of a run: its finalists, and who measures or has measured them. */

#include <opevo/finals.h>

#include "workers_since_internal.h"

#include <opevo/memory.h>
#include <opevo/struct_size.h>

#include <string.h>

typedef struct held_finals {
    opevo_finals super; /* its strings are these texts once they are complete */
    opevo_finalist finalists[OPEVO_FINALISTS_MOST + 1];
    opevo_text library, failure;
} held_finals;

static void show(held_finals *self)
{
    self->super.library = opevo_text_string(&self->library);
    self->super.failure = opevo_text_string(&self->failure);
}

opevo_status opevo_finals_create_sized(const opevo_finals_options *options, size_t size,
                                       opevo_finals **out, opevo_error *err)
{
    held_finals *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "finals");
    OPEVO_TRY(opevo_struct_read(options, size, "opevo_finals_options", &self->super.options,
                                sizeof self->super.options, err));
    if (self->super.options.most > OPEVO_FINALISTS_MOST) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "Finals have at most %d finalists.",
                            OPEVO_FINALISTS_MOST);
        goto cleanup;
    }
    if (!self->super.options.rounds)
        self->super.options.rounds = OPEVO_FINALS_ROUNDS;
    self->super.finalists = self->finalists;
    show(self);
    *out = &self->super;
    self = NULL;
cleanup:
    opevo_free(self);
    return status;
}

void opevo_finals_destroy(opevo_finals *super)
{
    held_finals *self = (held_finals *)super;

    if (!self)
        return;
    opevo_text_free(&self->library);
    opevo_text_free(&self->failure);
    opevo_free(self);
}

void opevo_finals_note(opevo_finals *super, const opevo_trial *trial)
{
    opevo_finalist *all = ((held_finals *)super)->finalists;
    double fitness = trial->outcome.fitness;
    size_t at = super->count;

    if (trial->outcome.kind != OPEVO_OUTCOME_OK || !super->options.most)
        return;
    for (size_t i = 0; i < super->count; i++) {
        if (all[i].point == trial->proposal.point)
            return;
    }
    while (at > 0 && all[at - 1].median < fitness)
        at--;
    if (at == super->options.most)
        return;
    if (super->count < super->options.most)
        super->count++;
    memmove(all + at + 1, all + at, (super->count - at - 1) * sizeof *all);
    all[at] =
        (opevo_finalist){.point = trial->proposal.point, .median = fitness, .trial = trial->number};
}

void opevo_finals_drop(opevo_finals *super, size_t number)
{
    opevo_finalist *all = ((held_finals *)super)->finalists;

    super->count--;
    memmove(all + number, all + number + 1, (super->count - number) * sizeof *all);
}

/* The twin stands behind all others and has the point of the first. */
static bool has_twin(const opevo_stored_finals *stored)
{
    return stored->count > 1 && stored->points[stored->count - 1] == stored->points[0];
}

/* Whether the stored ones are of these finalists, in as many rounds. */
static bool are_of(const opevo_stored_finals *stored, const opevo_finals *finals)
{
    size_t count = finals->count + !finals->options.no_twin;
    bool same = stored->count == count && stored->rounds == finals->options.rounds &&
                has_twin(stored) == !finals->options.no_twin;

    for (size_t i = 0; same && i < finals->count; i++)
        same = stored->points[i] == finals->finalists[i].point;
    return same;
}

static opevo_status measure(const opevo_finals *finals, opevo_objective *objective, uint64_t seed,
                            const opevo_interrupt *interrupt, opevo_stored_finals *out,
                            opevo_error *err)
{
    opevo_rounds plan = {.count = finals->count + !finals->options.no_twin,
                         .rounds = (size_t)finals->options.rounds,
                         .seed = seed,
                         .interrupt = interrupt};

    *out = (opevo_stored_finals){.count = plan.count, .rounds = plan.rounds};
    out->points = opevo_malloc(plan.count, sizeof *out->points);
    out->fitness = opevo_calloc(plan.count * plan.rounds, sizeof *out->fitness);
    OPEVO_NEED_OR_RETURN(out->points && out->fitness, "finals");
    for (size_t i = 0; i < plan.count; i++)
        out->points[i] = finals->finalists[i].point;
    if (!finals->options.no_twin)
        out->points[finals->count] = out->points[0];
    plan.points = out->points;
    return opevo_objective_measure_rounds(objective, &plan, out->fitness, &out->library, err);
}

static opevo_status judge(held_finals *self, const opevo_stored_finals *stored, opevo_error *err)
{
    opevo_finals *super = &self->super;
    opevo_status status = opevo_finals_judge(self->finalists, super->count, super->options.rounds,
                                             stored->fitness, &super->verdict, err);

    if (status == OPEVO_OK && has_twin(stored))
        status = opevo_finals_judge_twin(stored->fitness,
                                         stored->fitness + super->count * stored->rounds,
                                         stored->rounds, &super->verdict, err);
    opevo_text_add(&self->library, opevo_text_string(&stored->library));
    super->ran = status == OPEVO_OK && self->finalists[super->verdict.winner].median > 0;
    if (status == OPEVO_OK && !super->ran)
        opevo_text_add(&self->failure, "each of the best points failed in a round.");
    return status;
}

static bool is_dropped(held_finals *self, opevo_status status, const opevo_error *failure)
{
    self->super.interrupted = status == OPEVO_INTERRUPTED;
    if (status == OPEVO_IO || status == OPEVO_FAULT)
        opevo_text_add(&self->failure, failure->message);
    return self->super.interrupted || self->failure.length > 0;
}

/* Measure them, judge them, and keep them in the store, with what became of the workers. */
static opevo_status hold(held_finals *self, opevo_objective *objective, uint64_t seed,
                         opevo_store *store, int64_t run, const opevo_interrupt *interrupt,
                         opevo_error *err)
{
    opevo_stored_finals measured = {0};
    opevo_i_workers_since workers = {0};
    opevo_error failure = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK, measuring = OPEVO_OK;

    OPEVO_TRY(opevo_i_workers_note(objective, &workers, err));
    measuring = measure(&self->super, objective, seed, interrupt, &measured, &failure);
    OPEVO_TRY(opevo_i_workers_store(&workers, objective, true, store, run, err));
    if (is_dropped(self, measuring, &failure))
        goto cleanup;
    if (measuring != OPEVO_OK) {
        status = OPEVO_FAIL(err, measuring, "%s", failure.message);
        goto cleanup;
    }
    OPEVO_TRY(judge(self, &measured, err));
    if (self->super.ran && store)
        status = opevo_store_put_finals(store, run, &measured, err);
cleanup:
    opevo_i_workers_free(&workers);
    opevo_stored_finals_free(&measured);
    return status;
}

opevo_status opevo_finals_run(opevo_finals *super, opevo_objective *objective, uint64_t seed,
                              opevo_store *store, int64_t run, const opevo_interrupt *interrupt,
                              opevo_error *err)
{
    held_finals *self = (held_finals *)super;
    opevo_status status = OPEVO_OK;
    opevo_stored_finals stored = {0};

    if (super->options.with_library && super->count > 0)
        self->finalists[super->count++] = (opevo_finalist){.point = OPEVO_LIBRARY_POINT};
    if (super->count < 2)
        return OPEVO_OK;
    if (store)
        OPEVO_TRY(opevo_store_get_finals(store, run, &stored, err));
    status = are_of(&stored, super) ? judge(self, &stored, err)
                                    : hold(self, objective, seed, store, run, interrupt, err);
cleanup:
    show(self);
    opevo_stored_finals_free(&stored);
    return status;
}

bool opevo_finals_best(const opevo_finals *finals, const opevo_trial *best, opevo_index *point,
                       double *fitness)
{
    const opevo_finalist *winner = &finals->finalists[finals->verdict.winner];
    bool won = finals->ran && winner->median > 0;

    if (!best->number)
        return false;
    *point = won ? winner->point : best->proposal.point;
    *fitness = won ? winner->median : best->outcome.fitness;
    return true;
}

/* What opevo_finals_run stores: some points of the space, perhaps the library, and a twin. */
static bool are_sound(const opevo_stored_finals *stored, const opevo_space *space)
{
    size_t points = 0;

    for (size_t i = 0; i < stored->count; i++) {
        bool library = stored->points[i] == OPEVO_LIBRARY_POINT;

        if (!library && space && !opevo_space_has(space, stored->points[i]))
            return false;
        points += !library;
    }
    points -= has_twin(stored) && points > 0;
    return points > 0 && points <= OPEVO_FINALISTS_MOST &&
           stored->count <= points + 1 + has_twin(stored) && stored->rounds > 0;
}

static opevo_status take(held_finals *self, opevo_store *store, int64_t run,
                         const opevo_stored_finals *stored, const opevo_space *space,
                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!are_sound(stored, space))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is damaged: the finals of run %lld are malformed; use another store.",
                          opevo_store_path(store), (long long)run);
    self->super.count = stored->count - has_twin(stored);
    self->super.options.rounds = stored->rounds;
    self->super.options.no_twin = !has_twin(stored);
    for (size_t i = 0; i < self->super.count; i++)
        self->finalists[i].point = stored->points[i];
    status = judge(self, stored, err);
    show(self);
    return status;
}

opevo_status opevo_finals_read(opevo_store *store, int64_t run, opevo_finals **out,
                               opevo_space **space, opevo_error *err)
{
    const opevo_finals_options none = {.most = 0};
    opevo_stored_finals stored = {0};
    opevo_finals *made = NULL;
    opevo_space *of_points = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_finals_create(&none, &made, err));
    OPEVO_TRY(opevo_store_get_finals(store, run, &stored, err));
    if (stored.count) {
        OPEVO_TRY(opevo_store_space(store, run, &of_points, err));
        OPEVO_TRY(take((held_finals *)made, store, run, &stored, of_points, err));
    }
    *out = made;
    *space = of_points;
    made = NULL;
    of_points = NULL;
cleanup:
    opevo_finals_destroy(made);
    opevo_space_destroy(of_points);
    opevo_stored_finals_free(&stored);
    return status;
}
