/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The sites of a network, and what computes each step with each combination of its sites: the
 * passes are run on a network of that step alone, whose tensors are marked. */

#include "network_choices_internal.h"
#include "network_passes_internal.h"

#include <opevo/memory.h>
#include <opevo/network_tasks.h>

#include <string.h>

typedef struct building {
    opevo_network_choices *self;
    opevo_network_inference *whole;
    uint32_t passes;  /* block, and winograd or not */
    int *class_of;    /* of each value: the first value that is blocked with it; -1: none */
    int *layout_site; /* of that value its site; -1: none, it stays */
} building;

static opevo_status fail_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the choices of the network.");
}

/* ---- A step alone --------------------------------------------------------------------------- */

/* A network of one step. Its first values stand for values of the whole, whose data they have. */
typedef struct lone {
    opevo_network_inference *network;
    int *origin; /* of each of them */
    int origins;
} lone;

static opevo_status take_value(const opevo_network_inference *whole, int from, lone *self,
                               int *number, opevo_error *err)
{
    opevo_array none = {0};
    opevo_status status = OPEVO_OK;

    for (*number = 0; *number < self->origins; ++*number) {
        if (self->origin[*number] == from)
            return OPEVO_OK;
    }
    OPEVO_TRY(opevo_i_net_value_add(self->network, whole->value[from].name, &none, number, err));
    self->network->value[*number].array = whole->value[from].array;
    self->network->value[*number].owned = false;
    self->origin[self->origins++] = from;
cleanup:
    return status;
}

static opevo_status take_values(const opevo_network_inference *whole, const int *from, int count,
                                lone *self, int **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *out = opevo_calloc((size_t)count + 1, sizeof **out);
    if (!*out)
        return fail_memory(err);
    for (int i = 0; i < count; i++) {
        (*out)[i] = -1;
        if (from[i] >= 0)
            OPEVO_TRY(take_value(whole, from[i], self, &(*out)[i], err));
    }
cleanup:
    return status;
}

static void lone_free(lone *self)
{
    opevo_network_inference_destroy(self->network);
    opevo_free(self->origin);
}

/* Free it also after a failure. */
static opevo_status lone_create(const opevo_network_inference *whole, int n, lone *self,
                                opevo_error *err)
{
    const opevo_network_step *from = &whole->step[n];
    opevo_network_inference *made = opevo_calloc(1, sizeof *made);
    opevo_network_step *step = opevo_calloc(1, sizeof *step);
    opevo_status status = OPEVO_OK;

    *self = (lone){
        .network = made,
        .origin = opevo_calloc((size_t)(from->inputs + from->outputs) + 1, sizeof *self->origin)};
    if (!made || !step || !self->origin) {
        opevo_free(step);
        return fail_memory(err);
    }
    *made = (opevo_network_inference){
        .network = whole->network,
        .step = step,
        .steps = 1,
        .block = whole->block,
        .winograd = {.error = whole->winograd.error, .tile = whole->winograd.tile}};
    *step = (opevo_network_step){.kind = from->kind,
                                 .name = opevo_strdup(from->name),
                                 .operation = opevo_strdup(from->operation),
                                 .computation = opevo_computation_share(from->computation),
                                 .inputs = from->inputs,
                                 .outputs = from->outputs,
                                 .node = from->node};
    if (!step->name || !step->operation)
        return fail_memory(err);
    OPEVO_TRY(take_values(whole, from->input, from->inputs, self, &step->input, err));
    status = take_values(whole, from->output, from->outputs, self, &step->output, err);
cleanup:
    return status;
}

/* Whether a value is to be blocked where the step's sites are as in the mask. */
static bool is_on(const building *at, const opevo_i_net_choice_step *step, int value, unsigned mask)
{
    int class = at->class_of[value];

    for (int i = 0; i < step->sites && class >= 0; i++) {
        if (step->site[i] == at->layout_site[class])
            return mask >> i & 1;
    }
    return class >= 0;
}

/* Whether the passes have blocked what they were to: they leave a step that has no text in
 * blocks. */
static bool is_as_marked(const opevo_network_inference *whole, const lone *self)
{
    for (int i = 0; i < self->origins; i++) {
        const opevo_network_tensor *now = &self->network->value[i];
        const opevo_network_tensor *before = &whole->value[self->origin[i]];

        if (!before->array.data && (now->array.dims > before->array.dims) == now->plain)
            return false;
    }
    return true;
}

/* ---- What computes it ----------------------------------------------------------------------- */

static opevo_status find_candidate(opevo_network_choices *self, const opevo_network_step *step,
                                   int *number, opevo_error *err)
{
    opevo_network_candidate *one = NULL;

    for (*number = 0; *number < self->candidates; ++*number) {
        if (opevo_network_is_same_task(self->candidate[*number].computation, step->computation))
            return OPEVO_OK;
    }
    if (!opevo_reserve((void **)&self->candidate, &self->capacity, (size_t)self->candidates + 1,
                       sizeof *self->candidate))
        return fail_memory(err);
    one = &self->candidate[self->candidates++];
    *one = (opevo_network_candidate){.computation = opevo_computation_share(step->computation),
                                     .operation = opevo_strdup(step->operation)};
    return one->operation ? OPEVO_OK : fail_memory(err);
}

static opevo_status note_way(building *at, const opevo_network_inference *alone,
                             opevo_i_net_choice_way *way, opevo_error *err)
{
    opevo_network_tasks tasks = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_network_inference_tasks(alone, &tasks, err));
    way->candidate = opevo_calloc((size_t)alone->steps + 1, sizeof *way->candidate);
    if (!way->candidate)
        OPEVO_TRY(fail_memory(err));
    for (int i = 0; i < alone->steps; i++) {
        if (tasks.of_step[i] < 0)
            continue;
        OPEVO_TRY(find_candidate(at->self, &alone->step[i], &way->candidate[way->count], err));
        way->count++;
    }
    way->known = true;
cleanup:
    opevo_network_tasks_free(&tasks);
    return status;
}

/* *replaced: by Winograd's transforms, which `direct` forbids. */
static opevo_status find_way(building *at, opevo_i_net_choice_step *step, int n, unsigned mask,
                             bool direct, opevo_i_net_choice_way *way, bool *replaced,
                             opevo_error *err)
{
    lone self = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(lone_create(at->whole, n, &self, err));
    for (int i = 0; i < self.origins; i++) {
        self.network->value[i].plain = !is_on(at, step, self.origin[i], mask);
        self.network->value[i].direct = direct;
    }
    OPEVO_TRY(opevo_network_inference_pass(self.network, at->passes, err));
    *replaced = self.network->winograd.layers > 0;
    if (is_as_marked(at->whole, &self))
        OPEVO_TRY(note_way(at, self.network, way, err));
cleanup:
    lone_free(&self);
    return status;
}

/* ---- Sites ---------------------------------------------------------------------------------- */

static opevo_status add_site(opevo_network_choices *self, opevo_network_site_kind kind, int value,
                             int *number, opevo_error *err)
{
    opevo_network_site *grown = opevo_realloc(self->site, (size_t)self->sites + 1, sizeof *grown);

    if (!grown)
        return fail_memory(err);
    self->site = grown;
    *number = self->sites++;
    grown[*number] = (opevo_network_site){.kind = kind, .value = value, .on = true};
    return OPEVO_OK;
}

enum { CLASSES = OPEVO_I_CHOICE_LAYOUTS + 1 };

/* The classes that a step touches, each once, up to one too many; their number. */
static int classes_of(const building *at, const opevo_network_step *step, int *out)
{
    int count = 0;

    for (int i = 0; i < step->inputs + step->outputs && count < CLASSES; i++) {
        int value = i < step->inputs ? step->input[i] : step->output[i - step->inputs];
        int class = value < 0 ? -1 : at->class_of[value], k = 0;

        while (k < count && out[k] != class)
            k++;
        if (class >= 0 && k == count)
            out[count++] = class;
    }
    return count;
}

/* Layouts in the order of the steps, without those that are shared by too many. */
static opevo_status find_layouts(building *at, const bool *constant, opevo_error *err)
{
    opevo_network_inference *whole = at->whole;
    bool *fixed = opevo_calloc((size_t)whole->values + 1, sizeof *fixed);
    int classes[CLASSES];
    opevo_status status = OPEVO_OK;

    if (!fixed)
        return fail_memory(err);
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < whole->steps; n++) {
            const opevo_network_step *step = &whole->step[n];
            int count = classes_of(at, step, classes);
            bool many = count > OPEVO_I_CHOICE_LAYOUTS;

            if (step->kind != OPEVO_NETWORK_STEP_COMPUTE ||
                opevo_i_net_step_is_constant(step, constant))
                continue;
            for (int i = 0; i < step->inputs + step->outputs && many && !pass; i++) {
                int value = i < step->inputs ? step->input[i] : step->output[i - step->inputs];

                if (value >= 0 && at->class_of[value] >= 0)
                    fixed[at->class_of[value]] = true;
            }
            for (int i = 0; i < count && !many && pass; i++)
                if (!fixed[classes[i]] && at->layout_site[classes[i]] < 0)
                    OPEVO_TRY(add_site(at->self, OPEVO_NETWORK_SITE_LAYOUT, classes[i],
                                       &at->layout_site[classes[i]], err));
        }
    }
cleanup:
    opevo_free(fixed);
    return status;
}

/* Its sites, and what computes it with all of them on. */
static opevo_status start_step(building *at, opevo_i_net_choice_step *step, int n, opevo_error *err)
{
    int classes[CLASSES];
    int count = classes_of(at, &at->whole->step[n], classes);
    opevo_i_net_choice_way way = {0};
    opevo_status status = OPEVO_OK;
    bool replaced = false;

    for (int i = 0; i < count && count <= OPEVO_I_CHOICE_LAYOUTS; i++)
        if (at->layout_site[classes[i]] >= 0)
            step->site[step->sites++] = at->layout_site[classes[i]];
    OPEVO_TRY(find_way(at, step, n, UINT32_MAX, false, &way, &replaced, err));
    if (replaced)
        OPEVO_TRY(add_site(at->self, OPEVO_NETWORK_SITE_CONVOLUTION, at->whole->step[n].output[0],
                           &step->site[step->sites++], err));
    step->way[(1U << step->sites) - 1] = way;
    way = (opevo_i_net_choice_way){0};
cleanup:
    opevo_free(way.candidate);
    return status;
}

static opevo_status finish_step(building *at, opevo_i_net_choice_step *step, int n,
                                opevo_error *err)
{
    bool replaced = false, has_convolution = false;
    opevo_status status = OPEVO_OK;
    unsigned ways = 1U << step->sites;

    for (int i = 0; i < step->sites; i++)
        has_convolution |= at->self->site[step->site[i]].kind == OPEVO_NETWORK_SITE_CONVOLUTION;
    for (unsigned mask = 0; mask + 1 < ways; mask++) {
        bool direct = has_convolution && !(mask >> (step->sites - 1) & 1);

        OPEVO_TRY(find_way(at, step, n, mask, direct, &step->way[mask], &replaced, err));
    }
cleanup:
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static opevo_status build(building *at, opevo_error *err)
{
    opevo_network_choices *self = at->self;
    opevo_network_inference *whole = at->whole;
    bool *constant = NULL;
    int *number = opevo_calloc((size_t)whole->steps + 1, sizeof *number);
    opevo_status status = OPEVO_OK;

    self->step = opevo_calloc((size_t)whole->steps + 1, sizeof *self->step);
    if (!number || !self->step)
        OPEVO_TRY(fail_memory(err));
    OPEVO_TRY(opevo_i_net_find_constants(whole, &constant, err));
    OPEVO_TRY(opevo_i_net_block_classes(whole, at->class_of, err));
    OPEVO_TRY(find_layouts(at, constant, err));
    for (int n = 0; n < whole->steps; n++) {
        if (whole->step[n].kind != OPEVO_NETWORK_STEP_COMPUTE ||
            opevo_i_net_step_is_constant(&whole->step[n], constant))
            continue;
        number[self->steps] = n;
        OPEVO_TRY(start_step(at, &self->step[self->steps++], n, err));
    }
    for (int i = 0; i < self->steps; i++)
        OPEVO_TRY(finish_step(at, &self->step[i], number[i], err));
cleanup:
    opevo_free(constant);
    opevo_free(number);
    return status;
}

opevo_status opevo_network_choices_create(opevo_network_inference *inference, uint32_t passes,
                                          opevo_network_choices **out, opevo_error *err)
{
    building at = {.whole = inference, .self = opevo_calloc(1, sizeof *at.self)};
    size_t values = (size_t)inference->values + 1;
    opevo_status status = OPEVO_OK;
    uint32_t block = 0, both = 0;

    at.class_of = opevo_calloc(values, sizeof *at.class_of);
    at.layout_site = opevo_calloc(values, sizeof *at.layout_site);
    if (!at.self || !at.class_of || !at.layout_site)
        OPEVO_TRY(fail_memory(err));
    memset(at.layout_site, -1, values * sizeof *at.layout_site);
    OPEVO_TRY(opevo_network_passes_named("block", &block, err));
    OPEVO_TRY(opevo_network_passes_named("block,winograd", &both, err));
    at.passes = passes & both;
    if ((passes & block) && inference->block > 1)
        OPEVO_TRY(build(&at, err));
    OPEVO_TRY(opevo_i_net_choices_finish(at.self, err));
    *out = at.self;
    at.self = NULL;
cleanup:
    opevo_network_choices_destroy(at.self);
    opevo_free(at.class_of);
    opevo_free(at.layout_site);
    return status;
}
