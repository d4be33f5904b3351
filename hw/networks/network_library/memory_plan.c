/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The memory plan of a network.
 *
 * Values become groups of fixed places relative to each other: views of the same elements, outputs
 * made in place of an input, and inputs of a COPY inside its result. A group is needed from the
 * first of its values to the last; groups are put into the arena one by one, each at the lowest
 * offset at which no group lies that is needed at the same time. */

#include "library_internal.h"

#include <opevo/computation_access.h>
#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

typedef struct value {
    bool needed;
    int first, last;        /* steps: which makes it, and the last that reads it */
    opevo_memory_kind kind; /* INPUT, CONSTANT: `root` is whose */
    int root;               /* the value that its group goes by, or a step to it */
    int64_t offset;         /* from there */
    int64_t bytes;
} value;

/* A group, by the number of its root. */
typedef struct group {
    int root, first, last;
    int64_t bytes, offset;
} group;

typedef struct planner {
    const opevo_network_inference *inference;
    const uint32_t *in_place;
    value *value;
    group *group;
    int groups;
} planner;

/* ---- What is needed, from when to when ---- */

static bool is_needed(const planner *self, const opevo_network_step *step)
{
    for (int i = 0; i < step->outputs; i++) {
        if (step->output[i] >= 0 && self->value[step->output[i]].needed)
            return true;
    }
    return false;
}

static void start(planner *self)
{
    const opevo_network_inference *inference = self->inference;

    for (int i = 0; i < inference->values; i++) {
        const opevo_array *array = &inference->value[i].array;
        value *one = &self->value[i];

        *one = (value){.kind = array->data ? OPEVO_MEMORY_CONSTANT : OPEVO_MEMORY_ARENA,
                       .root = i,
                       .last = -1,
                       .bytes = opevo_array_elements(array) *
                                (int64_t)opevo_network_type_bytes(array->type)};
    }
    for (int i = 0; i < inference->inputs; i++)
        self->value[inference->input[i]].kind = OPEVO_MEMORY_INPUT;
    for (int i = 0; i < inference->outputs; i++) {
        self->value[inference->output[i]].needed = true;
        self->value[inference->output[i]].last = inference->steps;
    }
    for (int n = inference->steps - 1; n >= 0; n--) {
        const opevo_network_step *step = &inference->step[n];

        if (!is_needed(self, step))
            continue;
        for (int i = 0; i < step->outputs; i++) {
            value *one = step->output[i] < 0 ? NULL : &self->value[step->output[i]];

            if (!one || one->kind != OPEVO_MEMORY_ARENA)
                continue;
            one->needed = true;
            one->first = n;
            one->last = one->last < n ? n : one->last;
        }
        for (int i = 0; i < step->inputs; i++) {
            value *one = step->input[i] < 0 ? NULL : &self->value[step->input[i]];

            if (!one)
                continue;
            one->needed = true;
            one->last = one->last < n ? n : one->last;
        }
    }
}

/* ---- Groups ---- */

static int root_of(const planner *self, int number, int64_t *offset)
{
    *offset = 0;
    while (self->value[number].root != number) {
        *offset += self->value[number].offset;
        number = self->value[number].root;
    }
    return number;
}

static void view(planner *self, const opevo_network_step *step)
{
    value *out = &self->value[step->output[0]];
    const value *in = &self->value[step->input[0]];

    out->root = step->input[0];
    out->kind = in->kind;
}

static bool overlaps(int64_t a, int64_t a_bytes, int64_t b, int64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* Whether nobody needs these bytes of a group after the step. */
static bool is_free_after(const planner *self, int root, int64_t offset, int64_t bytes, int step)
{
    for (int i = 0; i < self->inference->values; i++) {
        int64_t at = 0;

        if (self->value[i].needed && self->value[i].last > step && root_of(self, i, &at) == root &&
            overlaps(at, self->value[i].bytes, offset, bytes))
            return false;
    }
    return true;
}

/* Whether the kernel may overwrite these bytes: those of all inputs that lie there. */
static bool is_allowed(const planner *self, int n, int root, int64_t offset, int64_t bytes)
{
    const opevo_network_step *step = &self->inference->step[n];

    for (int i = 0; i < step->inputs; i++) {
        bool allowed = i < 32 && self->in_place[n] >> i & 1;
        int64_t at = 0;

        if (!allowed && step->input[i] >= 0 && root_of(self, step->input[i], &at) == root &&
            overlaps(at, self->value[step->input[i]].bytes, offset, bytes))
            return false;
    }
    return true;
}

/* An input that is a group of its own and is overwritten by the output. */
static void reuse(planner *self, int n)
{
    const opevo_network_step *step = &self->inference->step[n];
    int made = step->output[0];

    for (int i = 0; i < step->inputs && i < 32; i++) {
        int64_t offset = 0;
        int input = step->input[i], root = 0;

        if (!(self->in_place[n] >> i & 1) || input < 0 ||
            self->value[input].kind != OPEVO_MEMORY_ARENA ||
            self->value[input].bytes != self->value[made].bytes)
            continue;
        root = root_of(self, input, &offset);
        if (self->value[root].bytes != self->value[made].bytes ||
            !is_free_after(self, root, offset, self->value[made].bytes, n) ||
            !is_allowed(self, n, root, offset, self->value[made].bytes))
            continue;
        self->value[made].root = input;
        return;
    }
}

/* Whether the copy moves elements that follow one another to such places; *elements: how many. */
static bool is_range(const opevo_network_copy *copy, int64_t *elements)
{
    *elements = 1;
    for (int d = copy->dims - 1; d >= 0; d--) {
        if (copy->extent[d] > 1 &&
            (copy->from_stride[d] != *elements || copy->to_stride[d] != *elements))
            return false;
        *elements *= copy->extent[d];
    }
    return true;
}

static int64_t element_bytes(const planner *self, int number)
{
    return (int64_t)opevo_network_type_bytes(self->inference->value[number].array.type);
}

/* Whether the copy moves a whole value to a range of the result. */
static bool is_whole(const opevo_network_copy *copy, int64_t elements)
{
    int64_t moved = 0;

    return is_range(copy, &moved) && moved == elements && copy->from == 0;
}

static bool is_read_once(const opevo_network_step *step, int number)
{
    int reads = 0;

    for (int i = 0; i < step->copies; i++)
        reads += step->copy[i].input >= 0 && step->input[step->copy[i].input] == number;
    return reads == 1;
}

/* Inputs that are groups of their own become parts of the result. */
static void place_inside(planner *self, const opevo_network_step *step)
{
    for (int i = 0; i < step->copies; i++) {
        const opevo_network_copy *copy = &step->copy[i];
        int input = copy->input < 0 ? -1 : step->input[copy->input], root = 0;
        int64_t offset = 0, element = element_bytes(self, step->output[0]);
        int64_t at = copy->to * element;

        if (input < 0 || self->value[input].kind != OPEVO_MEMORY_ARENA ||
            at % OPEVO_MEMORY_ALIGNMENT != 0 || !is_read_once(step, input) ||
            !is_whole(copy, self->value[input].bytes / element))
            continue;
        root = root_of(self, input, &offset);
        if (offset != 0 || self->value[root].bytes != self->value[input].bytes)
            continue;
        self->value[root].root = step->output[0];
        self->value[root].offset = at;
    }
}

static void make_groups(planner *self, bool inside)
{
    const opevo_network_inference *inference = self->inference;

    for (int n = 0; n < inference->steps; n++) {
        const opevo_network_step *step = &inference->step[n];

        if (!is_needed(self, step) || step->outputs < 1 || step->output[0] < 0 ||
            self->value[step->output[0]].kind != OPEVO_MEMORY_ARENA)
            continue;
        if (step->kind == OPEVO_NETWORK_STEP_VIEW)
            view(self, step);
        else if (step->kind == OPEVO_NETWORK_STEP_COPY && inside)
            place_inside(self, step);
        else if (step->kind == OPEVO_NETWORK_STEP_COMPUTE && self->in_place)
            reuse(self, n);
    }
}

static void measure_groups(planner *self)
{
    self->groups = 0;
    for (int i = 0; i < self->inference->values; i++) {
        const value *one = &self->value[i];

        if (one->root == i && one->kind == OPEVO_MEMORY_ARENA && one->needed)
            self->group[self->groups++] = (group){.root = i,
                                                  .first = one->first,
                                                  .last = one->last,
                                                  .bytes = opevo_i_library_aligned(one->bytes)};
    }
    for (int i = 0; i < self->inference->values; i++) {
        const value *one = &self->value[i];
        int64_t offset = 0;
        int root = root_of(self, i, &offset);

        if (one->kind != OPEVO_MEMORY_ARENA || !one->needed || root == i)
            continue;
        for (int g = 0; g < self->groups; g++) {
            group *its = &self->group[g];

            if (its->root != root)
                continue;
            its->first = one->first < its->first ? one->first : its->first;
            its->last = one->last > its->last ? one->last : its->last;
        }
    }
}

static int64_t peak(const planner *self)
{
    int64_t most = 0;

    for (int n = 0; n <= self->inference->steps; n++) {
        int64_t sum = 0;

        for (int g = 0; g < self->groups; g++) {
            if (self->group[g].first <= n && n <= self->group[g].last)
                sum += self->group[g].bytes;
        }
        most = sum > most ? sum : most;
    }
    return most;
}

/* ---- Offsets ---- */

static int by_bytes(const void *a, const void *b)
{
    const group *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->root - y->root;
}

static int by_time(const void *a, const void *b)
{
    const group *x = a, *y = b;

    return x->first != y->first ? x->first - y->first : by_bytes(a, b);
}

static int64_t put(planner *self, int (*order)(const void *, const void *))
{
    int64_t most = 0;

    qsort(self->group, (size_t)self->groups, sizeof *self->group, order);
    for (int g = 0; g < self->groups; g++) {
        group *one = &self->group[g];
        bool moved = true;

        one->offset = 0;
        while (moved) {
            moved = false;
            for (int h = 0; h < g; h++) {
                const group *other = &self->group[h];

                if (other->first > one->last || one->first > other->last ||
                    !overlaps(other->offset, other->bytes, one->offset, one->bytes))
                    continue;
                one->offset = other->offset + other->bytes;
                moved = true;
            }
        }
        most = one->offset + one->bytes > most ? one->offset + one->bytes : most;
    }
    return most;
}

/* The smaller of both orders. */
static int64_t put_best(planner *self)
{
    int64_t bytes = put(self, by_bytes);

    return put(self, by_time) <= bytes ? put(self, by_time) : put(self, by_bytes);
}

/* ---- The plan ---- */

static void note_places(const planner *self, opevo_memory_plan *plan)
{
    for (int i = 0; i < self->inference->values; i++) {
        const value *one = &self->value[i];
        opevo_memory_place *place = &plan->place[i];
        int64_t offset = 0;
        int root = root_of(self, i, &offset);

        *place = (opevo_memory_place){.kind = one->needed ? one->kind : OPEVO_MEMORY_NONE,
                                      .value = root,
                                      .element = element_bytes(self, i)};
        for (int g = 0; g < self->groups && place->kind == OPEVO_MEMORY_ARENA; g++) {
            if (self->group[g].root == root)
                place->offset = self->group[g].offset + offset;
        }
    }
}

opevo_status opevo_memory_plan_create(const opevo_network_inference *inference,
                                      const uint32_t *in_place, opevo_memory_plan **out,
                                      opevo_error *err)
{
    size_t values = (size_t)inference->values + 1;
    opevo_memory_plan *plan = opevo_calloc(1, sizeof *plan);
    planner self = {.inference = inference, .in_place = in_place};
    opevo_status status = OPEVO_OK;
    int64_t apart = 0;

    OPEVO_NEED_OR_RETURN(plan, "the memory plan of the network");
    plan->place = opevo_calloc(values, sizeof *plan->place);
    self.value = opevo_calloc(values, sizeof *self.value);
    self.group = opevo_calloc(values, sizeof *self.group);
    OPEVO_NEED(plan->place && self.value && self.group, "the memory plan of the network");
    start(&self);
    make_groups(&self, false);
    measure_groups(&self);
    plan->peak_bytes = peak(&self);
    apart = put_best(&self);
    note_places(&self, plan);
    plan->bytes = apart;
    if (inference->dynamic)
        goto done; /* a place inside a result is another one at each size */
    start(&self);
    make_groups(&self, true);
    measure_groups(&self);
    /* What is made inside a result is not moved, but the result needs its memory earlier. */
    if (put_best(&self) <=
        (apart > plan->peak_bytes / 10 * 12 ? apart : plan->peak_bytes / 10 * 12)) {
        plan->bytes = put_best(&self);
        note_places(&self, plan);
    }
done:
    *out = plan;
    plan = NULL;
cleanup:
    opevo_memory_plan_destroy(plan);
    opevo_free(self.value);
    opevo_free(self.group);
    return status;
}

void opevo_memory_plan_destroy(opevo_memory_plan *plan)
{
    if (!plan)
        return;
    opevo_free(plan->place);
    opevo_free(plan);
}

bool opevo_memory_plan_needs(const opevo_memory_plan *plan, const opevo_network_step *step)
{
    for (int i = 0; i < step->outputs; i++) {
        if (step->output[i] >= 0 && plan->place[step->output[i]].kind == OPEVO_MEMORY_ARENA)
            return true;
    }
    return false;
}

bool opevo_memory_plan_is_there(const opevo_memory_plan *plan, const opevo_network_step *step,
                                const opevo_network_copy *copy)
{
    const opevo_memory_place *to = &plan->place[step->output[0]], *from = NULL;
    int64_t moved = 0;

    if (copy->input < 0 || !is_range(copy, &moved))
        return false;
    from = &plan->place[step->input[copy->input]];
    return from->kind == OPEVO_MEMORY_ARENA &&
           from->offset + copy->from * to->element == to->offset + copy->to * to->element;
}

/* ---- Computations ---- */

/* Whether an index is that of the element which is defined: axis d for dimension d; an axis of one
 * iteration may be written as 0. */
static bool is_same_place(const opevo_expression *read, const opevo_tensor *defined)
{
    if (read->tensor->dims != defined->dims)
        return false;
    for (int d = 0; d < defined->dims; d++) {
        const opevo_affine *index = &read->index[d];

        if (read->tensor->extent[d] != defined->extent[d] || index->constant != 0)
            return false;
        if (index->count == 0 && defined->extent[d] == 1)
            continue;
        if (index->count != 1 || index->term[0].atom != OPEVO_ATOM_AXIS ||
            index->term[0].axis != d || index->term[0].factor != 1)
            return false;
    }
    return true;
}

typedef struct element_wise {
    const opevo_tensor *defined;
    bool *depends; /* by tensor: on the input in question */
    bool any, same;
} element_wise;

static void look_at(void *context, const opevo_expression *read)
{
    element_wise *self = context;

    if (!self->depends[read->tensor->number])
        return;
    self->any = true;
    self->same &= is_same_place(read, self->defined) &&
                  self->defined->definition->axes == self->defined->definition->spatial;
}

static bool may_overwrite(const opevo_computation *computation, int input, bool *depends)
{
    element_wise self = {.depends = depends, .same = true};

    memset(depends, 0, (size_t)computation->tensors * sizeof *depends);
    depends[input] = true;
    for (int i = 0; i < computation->tensors; i++) {
        self.defined = computation->tensor[i];
        self.any = false;
        if (self.defined->definition)
            opevo_expression_reads(self.defined->definition->value, look_at, &self);
        if (self.any)
            depends[i] = true;
    }
    return self.same;
}

uint32_t opevo_computation_in_place(const opevo_computation *computation)
{
    bool *depends = opevo_calloc((size_t)computation->tensors + 1, sizeof *depends);
    const opevo_tensor *output = opevo_computation_find(computation, "Y0");
    uint32_t inputs = 0;
    int outputs = 0;

    for (int i = 0; i < computation->tensors; i++)
        outputs += computation->tensor[i]->role == OPEVO_ROLE_OUTPUT;
    for (int i = 0; i < computation->tensors && depends && output && outputs == 1; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        long number = strtol(tensor->name + 1, NULL, 10);

        if (tensor->role == OPEVO_ROLE_INPUT && number < 32 &&
            may_overwrite(computation, i, depends))
            inputs |= UINT32_C(1) << number;
    }
    opevo_free(depends);
    return inputs;
}
