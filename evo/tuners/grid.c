/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `grid`: the allowed points in the order of their numbers, the last parameter running fastest.
 * What a loop nest over the parameters would try; the second control beside `random`.
 *
 * Source: GridSearchTuner of TVM v0.6 (autotvm/tuner/index_based_tuner.py), which counts through
 * the same mixed-radix numbers, there with the first parameter fastest. The seed changes nothing.
 * Where allowed points are rare, and in a wide space, the diagram of the space gives the next one,
 * in the same order. Without a diagram the search ends after FORBIDDEN_MOST forbidden points in a
 * row. */

#include <opevo/diagram_cursor.h>
#include <opevo/memory.h>
#include <opevo/space_listed.h>
#include <opevo/tuner.h>

enum { FORBIDDEN_MOST = 10000000, ALWAYS_SEARCHED = 1 << 20 };

typedef struct grid {
    opevo_tuner super;
    const opevo_space *space;
    opevo_index next;             /* the first point that was not looked at */
    opevo_diagram_cursor *cursor; /* NULL: points are looked at one by one */
} grid;

static const char exhausted[] = "every allowed point has been proposed";

static void destroy(opevo_tuner *tuner)
{
    opevo_diagram_cursor_destroy(((grid *)tuner)->cursor);
    opevo_free(tuner);
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    grid *self = opevo_calloc(1, sizeof *self);
    const opevo_diagram *diagram = opevo_space_draws_from(space);
    opevo_status status = OPEVO_OK;

    (void)settings;
    (void)rng;
    OPEVO_NEED_OR_RETURN(self, "the tuner grid");
    self->space = space;
    if (diagram)
        status = opevo_diagram_cursor_create(diagram, &self->cursor, err);
    if (status == OPEVO_OK)
        *out = &self->super;
    else
        opevo_free(self);
    return status;
}

static void advance_in_diagram(grid *self)
{
    const opevo_index *vertices = NULL;

    if (opevo_diagram_cursor_next(self->cursor, &vertices))
        self->next = opevo_space_encode(self->space, vertices);
    else
        self->super.reason = exhausted;
}

/* Go to the next allowed point, or say why there is none. */
static void advance(grid *self)
{
    opevo_index size = opevo_space_size(self->space);
    opevo_index forbidden = 0;

    if (self->cursor) {
        advance_in_diagram(self);
        return;
    }
    if (opevo_space_is_sparse(self->space) && !opevo_space_listed_next(self->space, &self->next))
        self->next = size;

    while (self->next < size && !opevo_space_allows(self->space, self->next)) {
        self->next++;
        forbidden++;
        if (forbidden == FORBIDDEN_MOST && size > ALWAYS_SEARCHED) {
            self->super.reason = "10000000 points in a row are forbidden";
            return;
        }
    }
    if (self->next == size)
        self->super.reason = exhausted;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    grid *self = (grid *)tuner;
    size_t given = 0;

    (void)err;
    while (given < capacity && !tuner->reason) {
        advance(self);
        if (tuner->reason)
            break;
        proposals[given].point = self->next++;
        proposals[given].origin = "grid";
        given++;
    }
    *count = given;
    return OPEVO_OK;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    (void)tuner;
    (void)trials;
    (void)count;
    (void)err;
    return OPEVO_OK;
}

const opevo_tuner_ops opevo_i_grid_ops = {
    .name = "grid",
    .summary = "grid search: the allowed points in order, the last parameter fastest",
    .source = "TVM v0.6, GridSearchTuner of autotvm/tuner/index_based_tuner.py",
    .works_on_branches = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .any_batch = true,
};
