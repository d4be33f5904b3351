/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sequences and optionals: names that stand for several tensors, or for none, while a model is
 * read. Where something lies in them must be constant. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

const opevo_i_net_sequence *opevo_i_net_build_items(opevo_i_net_builder *self, int binding)
{
    if (binding <= OPEVO_I_NET_SEQUENCE && binding != OPEVO_I_NET_UNNAMED)
        return &self->reader->sequence[OPEVO_I_NET_SEQUENCE - binding];
    opevo_i_net_build_fail(self, "One of its inputs is not a sequence.");
    return NULL;
}

int opevo_i_net_build_sequence(opevo_i_net_builder *self, int count, int **item)
{
    int binding = 0;

    *item = NULL;
    if (self->status == OPEVO_OK)
        self->status = opevo_i_net_reader_sequence(self->reader, count, &binding, item, self->err);
    return binding;
}

/* An index counted from the end if negative; `end`: one behind the last is one, too. */
static int place_of(opevo_i_net_builder *self, int binding, int count, bool end)
{
    int64_t at = opevo_i_net_build_known(self, binding, "place in the sequence");

    at += at < 0 ? count : 0;
    if (at >= 0 && at < count + (int)end)
        return (int)at;
    opevo_i_net_build_fail(self, "A place is outside of its sequence.");
    return 0;
}

static void build_construct(opevo_i_net_builder *self)
{
    int *item = NULL, made = opevo_i_net_build_sequence(self, self->ins, &item);

    for (int i = 0; i < self->ins && item; i++)
        item[i] = self->in[i];
    opevo_i_net_build_output(self, 0, made);
}

static void build_empty(opevo_i_net_builder *self)
{
    int *item = NULL;

    opevo_i_net_build_output(self, 0, opevo_i_net_build_sequence(self, 0, &item));
}

static void build_insert(opevo_i_net_builder *self)
{
    const opevo_i_net_sequence *from = opevo_i_net_build_items(self, self->in[0]);
    int count = from ? from->count : 0, at = count, *item = NULL, made = 0;

    if (opevo_i_net_build_input(self, 2) != OPEVO_I_NET_OMITTED)
        at = place_of(self, self->in[2], count, true);
    made = opevo_i_net_build_sequence(self, count + 1, &item);
    from = item ? opevo_i_net_build_items(self, self->in[0]) : NULL;
    for (int i = 0; i < count && from; i++)
        item[i + (i >= at)] = from->item[i];
    if (item)
        item[at] = self->in[1];
    opevo_i_net_build_output(self, 0, made);
}

static void build_erase(opevo_i_net_builder *self)
{
    const opevo_i_net_sequence *from = opevo_i_net_build_items(self, self->in[0]);
    int count = from ? from->count : 0, at = count - 1, *item = NULL, made = 0;

    if (opevo_i_net_build_input(self, 1) != OPEVO_I_NET_OMITTED)
        at = place_of(self, self->in[1], count, false);
    if (count == 0)
        opevo_i_net_build_fail(self, "Its sequence is empty.");
    made = opevo_i_net_build_sequence(self, count ? count - 1 : 0, &item);
    from = item ? opevo_i_net_build_items(self, self->in[0]) : NULL;
    for (int i = 0; i < count && from; i++) {
        if (i != at)
            item[i - (i > at)] = from->item[i];
    }
    opevo_i_net_build_output(self, 0, made);
}

static void build_at(opevo_i_net_builder *self)
{
    const opevo_i_net_sequence *from = opevo_i_net_build_items(self, self->in[0]);
    int at = from ? place_of(self, self->in[1], from->count, false) : 0;

    if (self->status == OPEVO_OK)
        opevo_i_net_build_output(self, 0, from->item[at]);
}

static void build_length(opevo_i_net_builder *self)
{
    const opevo_i_net_sequence *from = opevo_i_net_build_items(self, self->in[0]);

    if (from)
        opevo_i_net_build_output(self, 0, opevo_i_net_build_whole(self, from->count));
}

/* ---- Parts of a tensor ---------------------------------------------------------------------- */

/* Elements `from` up to `end` along an axis, which is left out where `squeezed`. */
static int part_of(opevo_i_net_builder *self, int axis, int64_t from, int64_t end, bool squeezed)
{
    int64_t numbers[] = {from, end, axis};
    int in[] = {self->in[0], opevo_i_net_build_wholes(self, 1, &numbers[0]),
                opevo_i_net_build_wholes(self, 1, &numbers[1]),
                opevo_i_net_build_wholes(self, 1, &numbers[2])};
    int made = opevo_i_net_build(self, "Slice", NULL, 4, in);
    int squeeze[] = {made, in[3]};

    return squeezed ? opevo_i_net_build(self, "Squeeze", NULL, 2, squeeze) : made;
}

/* The length of part `i`; `rest` elements are left. */
static int64_t length_of(opevo_i_net_builder *self, const opevo_array *parts, int64_t i,
                         int64_t rest)
{
    int64_t length = parts ? opevo_i_net_whole(parts, parts->data, parts->dims ? i : 0) : 1;

    if (length < 1 && !(parts && parts->dims))
        opevo_i_net_build_fail(self, "A part has no element.");
    else if (length < 0 || (length > rest && parts && parts->dims))
        opevo_i_net_build_fail(self, "Its parts are not those of its input.");
    return length < rest ? length : rest;
}

static void build_split(opevo_i_net_builder *self)
{
    const opevo_array *in = opevo_i_net_build_array(self, self->in[0]);
    const opevo_array *parts = opevo_i_net_build_array(self, opevo_i_net_build_input(self, 1));
    int64_t axis = opevo_i_net_build_int(self, "axis", 0), at = 0, size = 0, count = 0;
    bool squeezed = !parts && !opevo_i_net_build_int(self, "keepdims", 1);
    int *item = NULL, made = 0;

    axis += in && axis < 0 ? in->dims : 0;
    if (!in || axis < 0 || axis >= in->dims || (parts && (!parts->data || parts->dims > 1))) {
        opevo_i_net_build_fail(self, "Its axis is outside of its input, or its parts are not "
                                     "constant.");
        return;
    }
    size = in->extent[axis];
    if (parts && parts->dims) {
        count = parts->extent[0];
    } else {
        int64_t length = parts ? opevo_i_net_whole(parts, parts->data, 0) : 1;

        count = length > 0 ? (size + length - 1) / length : 0;
    }
    if (count > INT_MAX / 2)
        opevo_i_net_build_fail(self, "It has too many parts.");
    made = opevo_i_net_build_sequence(self, (int)count, &item);
    for (int64_t i = 0; i < count && self->status == OPEVO_OK; i++) {
        int64_t length = 0;

        parts = opevo_i_net_build_array(self, opevo_i_net_build_input(self, 1));
        length = length_of(self, parts, i, size - at);
        item[i] = part_of(self, (int)axis, at, at + length, squeezed);
        at += length;
    }
    if (at != size)
        opevo_i_net_build_fail(self, "Its parts are not those of its input.");
    opevo_i_net_build_output(self, 0, made);
}

static void build_concat(opevo_i_net_builder *self)
{
    const opevo_i_net_sequence *from = opevo_i_net_build_items(self, self->in[0]);
    int axis = (int)opevo_i_net_build_int(self, "axis", 0), count = from ? from->count : 0;
    int64_t axes[] = {axis};
    int *list = opevo_malloc((size_t)count + 1, sizeof *list);
    bool is_new = opevo_i_net_build_int(self, "new_axis", 0) != 0;
    char text[32];

    if (!list)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a sequence.");
    if (count == 0)
        opevo_i_net_build_fail(self, "Its sequence is empty.");
    for (int i = 0; i < count && self->status == OPEVO_OK; i++) {
        int in[] = {from->item[i], OPEVO_I_NET_OMITTED};

        list[i] = in[0];
        if (!is_new)
            continue;
        in[1] = opevo_i_net_build_wholes(self, 1, axes);
        list[i] = opevo_i_net_build(self, "Unsqueeze", NULL, 2, in);
    }
    snprintf(text, sizeof text, "axis=%d", axis);
    if (self->status == OPEVO_OK)
        self->target = opevo_i_net_build_target(self, 0);
    if (self->status == OPEVO_OK && self->target != OPEVO_I_NET_OMITTED)
        opevo_i_net_build(self, "Concat", text, count, list);
    opevo_free(list);
}

/* ---- Optionals ------------------------------------------------------------------------------ */

static bool is_empty(const opevo_i_net_builder *self, int binding)
{
    return binding == OPEVO_I_NET_OMITTED ||
           (binding <= OPEVO_I_NET_SEQUENCE &&
            self->reader->sequence[OPEVO_I_NET_SEQUENCE - binding].is_optional);
}

static void build_optional(opevo_i_net_builder *self)
{
    int in = opevo_i_net_build_input(self, 0), *item = NULL;

    if (in == OPEVO_I_NET_OMITTED) {
        in = opevo_i_net_build_sequence(self, 0, &item);
        if (item)
            self->reader->sequence[OPEVO_I_NET_SEQUENCE - in].is_optional = true;
    }
    opevo_i_net_build_output(self, 0, in);
}

static void build_has(opevo_i_net_builder *self)
{
    bool has = !is_empty(self, opevo_i_net_build_input(self, 0));

    opevo_i_net_build_output(self, 0, opevo_i_net_build_bool(self, has));
}

static void build_get(opevo_i_net_builder *self)
{
    if (is_empty(self, self->in[0]))
        opevo_i_net_build_fail(self, "Its optional is empty.");
    else
        opevo_i_net_build_output(self, 0, self->in[0]);
}

const opevo_i_net_form opevo_i_net_sequences[] = {
    {"SequenceConstruct", 1, 0, 1, build_construct},
    {"SequenceEmpty", 0, 0, 1, build_empty},
    {"SequenceInsert", 2, 3, 1, build_insert},
    {"SequenceErase", 1, 2, 1, build_erase},
    {"SequenceAt", 2, 2, 1, build_at},
    {"SequenceLength", 1, 1, 1, build_length},
    {"SplitToSequence", 1, 2, 1, build_split},
    {"ConcatFromSequence", 1, 1, 1, build_concat},
    {"Optional", 0, 1, 1, build_optional},
    {"OptionalHasElement", 0, 1, 1, build_has},
    {"OptionalGetElement", 1, 1, 1, build_get},
    {NULL, 0, 0, 0, NULL},
};
