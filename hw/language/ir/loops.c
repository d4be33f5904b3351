/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loops that are split, fused and reordered. Each axis stays an expression in the loops: a loop
 * that is split or fused is replaced in it by what it has become. */

#include "loops_internal.h"

#include <stdio.h>
#include <string.h>

const char *const opevo_i_nest_annotation_names[OPEVO_ANNOTATION_COUNT] = {
#define ANNOTATION_NAME(suffix, name) name,
    OPEVO_ANNOTATION_LIST(ANNOTATION_NAME)
#undef ANNOTATION_NAME
};

const char *const opevo_i_nest_scope_names[OPEVO_SCOPE_COUNT] = {
#define SCOPE_NAME(suffix, name) name,
    OPEVO_SCOPE_LIST(SCOPE_NAME)
#undef SCOPE_NAME
};

int opevo_i_nest_find_word(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return -1;
}

opevo_status opevo_i_nest_loops_add(opevo_i_nest_loops *self, opevo_i_affine_atoms *atoms,
                                    const char *name, int64_t extent, bool reduces,
                                    opevo_error *err)
{
    opevo_i_nest_loop *loop = &self->loop[self->loops];

    *loop = (opevo_i_nest_loop){.extent = extent, .reduces = reduces};
    snprintf(loop->name, sizeof loop->name, "%s", name);
    loop->atom = opevo_i_affine_atoms_loop(atoms, extent);
    if (atoms->failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the loops of a schedule.");
    self->loops++;
    return OPEVO_OK;
}

/* Every axis with `value` in the place of a loop's atom. */
static opevo_status replace(opevo_i_nest_loops *self, opevo_i_affine_atoms *atoms,
                            const char *stage, int atom, const opevo_i_affine *value,
                            opevo_error *err)
{
    for (int i = 0; i < self->axes; i++) {
        self->axis[i] = opevo_i_affine_replace(atoms, &self->axis[i], atom, value);
        if (self->axis[i].overflow)
            return OPEVO_FAIL(err, OPEVO_LIMIT, "An index of %s would have more than %d parts.",
                              stage, OPEVO_I_TERMS);
    }
    if (atoms->failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the loops of a schedule.");
    return OPEVO_OK;
}

static opevo_status name_part(const opevo_i_nest_loop *loop, int part, char *name, opevo_error *err)
{
    int length = snprintf(name, OPEVO_I_NAME, "%s.%d", loop->name, part);

    if (length < 0 || length >= OPEVO_I_NAME)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "The name of a part of %s is too long.", loop->name);
    return OPEVO_OK;
}

static bool any_reduces(const opevo_i_nest_loops *self)
{
    for (int i = 0; i < self->loops; i++) {
        if (self->loop[i].reduces)
            return true;
    }
    return false;
}

opevo_status opevo_i_nest_loops_split(opevo_i_nest_loops *self, opevo_i_affine_atoms *atoms,
                                      const char *stage, int at, int count, const int64_t *lengths,
                                      opevo_error *err)
{
    int64_t inner = 1;
    opevo_i_affine value = opevo_i_affine_constant(0);
    opevo_i_nest_loop old = self->loop[at];
    opevo_i_nest_loop after[OPEVO_I_LOOPS];
    int after_count = self->loops - at - 1;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < count; i++) {
        if (lengths[i] < 1 || lengths[i] > (INT64_C(1) << 40) / inner)
            return OPEVO_FAIL(err, OPEVO_INVALID, "A part of %s cannot have length %lld.", old.name,
                              (long long)lengths[i]);
        inner *= lengths[i];
    }
    if (count < 1 || old.annotation != OPEVO_ANNOTATION_SERIAL)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: a split needs a serial loop and a length.",
                          old.name);
    if (old.inner && old.extent % inner && any_reduces(self))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has %lld iterations, which cannot be split into parts of %lld: only "
                          "the outermost loop of an axis is split unevenly.",
                          old.name, (long long)old.extent, (long long)inner);
    if (self->loops + count > OPEVO_I_LOOPS)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s would have more than %d loops.", stage,
                          OPEVO_I_LOOPS);
    memcpy(after, &self->loop[at + 1], (size_t)after_count * sizeof *after);
    self->loops = at;
    for (int i = 0; i <= count; i++) {
        char name[OPEVO_I_NAME];
        int64_t extent = i ? lengths[i - 1] : (old.extent + inner - 1) / inner;
        opevo_i_affine part;

        if (i)
            inner /= extent;
        OPEVO_TRY(name_part(&old, i, name, err));
        OPEVO_TRY(opevo_i_nest_loops_add(self, atoms, name, extent, old.reduces, err));
        self->loop[at + i].inner = i || old.inner;
        part = opevo_i_affine_of_atom(self->loop[at + i].atom);
        value = opevo_i_affine_add(atoms, value, inner, &part);
    }
    memcpy(&self->loop[self->loops], after, (size_t)after_count * sizeof *after);
    self->loops += after_count;
    status = replace(self, atoms, stage, old.atom, &value, err);
cleanup:
    return status;
}

opevo_status opevo_i_nest_loops_extend(opevo_i_nest_loops *self, opevo_i_affine_atoms *atoms,
                                       const char *stage, int at, int64_t extent, opevo_error *err)
{
    opevo_i_nest_loop *loop = &self->loop[at];
    opevo_i_affine value = opevo_i_affine_of_atom(opevo_i_affine_atoms_loop(atoms, extent));
    opevo_status status = replace(self, atoms, stage, loop->atom, &value, err);

    loop->atom = value.term[0].atom;
    loop->extent = extent;
    return status;
}

static opevo_status join_names(const opevo_i_nest_loops *self, const char *stage, int first,
                               int count, char *name, opevo_error *err)
{
    size_t length = 0;

    for (int i = 0; i < count; i++) {
        const char *one = self->loop[first + i].name;

        if (length + strlen(one) + 2 > OPEVO_I_NAME)
            return OPEVO_FAIL(err, OPEVO_LIMIT, "The name of a fused loop of %s is too long.",
                              stage);
        length += (size_t)snprintf(name + length, OPEVO_I_NAME - length, "%s%s", i ? "+" : "", one);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_nest_loops_fuse(opevo_i_nest_loops *self, opevo_i_affine_atoms *atoms,
                                     const char *stage, int at, int count, opevo_error *err)
{
    int64_t inner = 1;
    opevo_i_nest_loop fused = {.extent = 1};
    opevo_i_affine whole;
    opevo_status status = OPEVO_OK;

    if (count < 2 || at < 0 || at + count > self->loops)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Only two or more adjacent loops can be fused.");
    fused.reduces = self->loop[at].reduces;
    fused.inner = self->loop[at].inner;
    for (int i = 0; i < count; i++) {
        const opevo_i_nest_loop *one = &self->loop[at + i];

        if (one->reduces != fused.reduces || one->annotation != OPEVO_ANNOTATION_SERIAL)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s cannot be fused: all must be serial, and all or none reduce.",
                              one->name);
        if (one->extent > (INT64_C(1) << 40) / fused.extent)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "A fused loop would have more than 2^40 iterations.");
        fused.extent *= one->extent;
    }
    OPEVO_TRY(join_names(self, stage, at, count, fused.name, err));
    fused.atom = opevo_i_affine_atoms_loop(atoms, fused.extent);
    whole = opevo_i_affine_of_atom(fused.atom);
    for (int i = count - 1; i >= 0; i--) {
        opevo_i_affine part = opevo_i_affine_divide(atoms, &whole, inner);

        if (i)
            part = opevo_i_affine_modulo(atoms, &part, self->loop[at + i].extent);
        inner *= self->loop[at + i].extent;
        OPEVO_TRY(replace(self, atoms, stage, self->loop[at + i].atom, &part, err));
    }
    self->loop[at] = fused;
    memmove(&self->loop[at + 1], &self->loop[at + count],
            (size_t)(self->loops - at - count) * sizeof *self->loop);
    self->loops -= count - 1;
cleanup:
    return status;
}

opevo_status opevo_i_nest_loops_reorder(opevo_i_nest_loops *self, const char *stage, int count,
                                        const int64_t *order, opevo_error *err)
{
    opevo_i_nest_loop old[OPEVO_I_LOOPS];
    bool seen[OPEVO_I_LOOPS] = {false};

    if (count != self->loops)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A reorder step must name each of the %d loops of %s.", self->loops,
                          stage);
    memcpy(old, self->loop, sizeof old);
    for (int i = 0; i < count; i++) {
        int64_t from = order[i];

        if (from < 0 || from >= self->loops || seen[from])
            return OPEVO_FAIL(err, OPEVO_INVALID, "A reorder step must name each loop of %s once.",
                              stage);
        seen[from] = true;
        self->loop[i] = old[from];
    }
    return OPEVO_OK;
}

const opevo_i_nest_loop *opevo_i_nest_loops_parallel(const opevo_i_nest_loops *self, int count)
{
    for (int i = 0; i < count; i++) {
        if (self->loop[i].annotation == OPEVO_ANNOTATION_PARALLEL && self->loop[i].extent > 1)
            return &self->loop[i];
    }
    return NULL;
}

opevo_status opevo_i_nest_loops_check_parallel(const opevo_i_nest_loops *self, int at,
                                               opevo_error *err)
{
    for (int i = 0; i < self->loops; i++) {
        if (i != at && self->loop[i].annotation == OPEVO_ANNOTATION_PARALLEL)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s and %s cannot both be parallel: parallel loops are not nested.",
                              self->loop[i].name, self->loop[at].name);
    }
    return OPEVO_OK;
}

/* Whether loops from `at` on have a part in the values of an atom, which differ. */
static bool is_decided(const opevo_i_nest_loops *self, const opevo_i_affine_atoms *atoms, int atom,
                       int at)
{
    opevo_i_affine whole = opevo_i_affine_of_atom(atom);
    bool decided = false;

    for (int i = at; i < self->loops && !decided; i++)
        decided = opevo_i_affine_uses(atoms, &whole, self->loop[i].atom);
    return decided && atoms->item[atom].extent > 1;
}

/* The terms of an axis that loops from `at` on decide, as a number in mixed radix: no two of its
 * values are one if each factor is above what the smaller terms add up to. */
static bool meets_twice(const opevo_i_nest_loops *self, const opevo_i_affine_atoms *atoms,
                        const opevo_i_affine *axis, int at)
{
    bool taken[OPEVO_I_TERMS] = {false};
    int64_t below = 0;

    for (int n = 0; n < axis->count; n++) {
        int least = 0;

        while (taken[least])
            least++;
        for (int i = least + 1; i < axis->count; i++)
            if (!taken[i] && axis->term[i].factor < axis->term[least].factor)
                least = i;
        taken[least] = true;
        if (!is_decided(self, atoms, axis->term[least].atom, at))
            continue;
        if (axis->term[least].factor <= below)
            return true;
        below += axis->term[least].factor * (atoms->item[axis->term[least].atom].extent - 1);
    }
    return false;
}

bool opevo_i_nest_loops_meet(const opevo_i_nest_loops *self, const opevo_i_affine_atoms *atoms,
                             int at)
{
    for (int i = 0; i < self->axes; i++)
        if (opevo_i_affine_uses(atoms, &self->axis[i], self->loop[at].atom) &&
            meets_twice(self, atoms, &self->axis[i], at))
            return true;
    return false;
}
