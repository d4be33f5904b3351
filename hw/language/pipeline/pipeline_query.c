/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Looking at pipelines: their stages, loops, steps and reads. */

#include "pipeline_internal.h"

#include <opevo/computation_access.h>
#include <opevo/text.h>

#include <stdio.h>
#include <string.h>

size_t opevo_pipeline_step_count(const opevo_pipeline *pipeline)
{
    return pipeline->step_count;
}

const opevo_pipeline_step *opevo_pipeline_step_get(const opevo_pipeline *pipeline, size_t number)
{
    return &pipeline->steps[number];
}

const opevo_computation *opevo_pipeline_computation(const opevo_pipeline *pipeline)
{
    return pipeline->given;
}

int opevo_pipeline_stage_count(const opevo_pipeline *pipeline)
{
    return pipeline->stages;
}

int opevo_i_pipeline_number(const opevo_pipeline *pipeline, int key)
{
    int number = 0;

    while (pipeline->order[number] != key)
        number++;
    return number;
}

opevo_element opevo_i_pipeline_element(const opevo_pipeline *pipeline, int key)
{
    return pipeline->computation->tensor[pipeline->stage[key]->tensor]->element;
}

bool opevo_i_pipeline_is_output(const opevo_pipeline *pipeline, int key)
{
    return key < pipeline->computation->tensors &&
           pipeline->computation->tensor[key]->role == OPEVO_ROLE_OUTPUT;
}

opevo_stage_info opevo_pipeline_stage(const opevo_pipeline *pipeline, int stage)
{
    const opevo_i_pipeline_stage *one = opevo_i_pipeline_at(pipeline, stage);

    return (opevo_stage_info){
        .name = one->name,
        .kind = one->kind,
        .tensor = pipeline->computation->tensor[one->tensor],
        .scope = one->scope,
        .place = one->place,
        .at = one->place == OPEVO_PLACE_AT ? opevo_i_pipeline_number(pipeline, one->at) : -1,
        .at_loop = one->at_loop,
        .dims = one->dims,
        .loops = one->own.loops,
        .reduces = one->own.axes > one->dims,
        .split = one->own.loops != one->own.axes,
        .output = opevo_i_pipeline_is_output(pipeline, pipeline->order[stage])};
}

int opevo_pipeline_find(const opevo_pipeline *pipeline, const char *name)
{
    for (int i = 0; i < pipeline->stages; i++) {
        if (strcmp(opevo_i_pipeline_at(pipeline, i)->name, name) == 0)
            return i;
    }
    return -1;
}

opevo_loop opevo_pipeline_loop(const opevo_pipeline *pipeline, int stage, int loop)
{
    const opevo_i_nest_loop *one = &opevo_i_pipeline_at(pipeline, stage)->own.loop[loop];

    return (opevo_loop){one->name, one->extent, one->annotation, one->reduces};
}

int opevo_pipeline_find_loop(const opevo_pipeline *pipeline, int stage, const char *name)
{
    const opevo_i_nest_loops *own = &opevo_i_pipeline_at(pipeline, stage)->own;

    for (int i = 0; i < own->loops; i++) {
        if (strcmp(own->loop[i].name, name) == 0)
            return i;
    }
    return -1;
}

opevo_status opevo_i_pipeline_no_loop(const opevo_i_pipeline_stage *stage, const char *loop,
                                      opevo_error *err)
{
    opevo_text names = {0};

    if (stage->place == OPEVO_PLACE_INLINED || stage->own.loops == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has no loops.", stage->name);
    for (int i = 0; i < stage->own.loops; i++)
        opevo_text_printf(&names, i ? ", %s" : "%s", stage->own.loop[i].name);
    opevo_error_set(err, OPEVO_INVALID, "%s has no loop %.100s; it has %s.", stage->name, loop,
                    opevo_text_string(&names));
    opevo_text_free(&names);
    return OPEVO_INVALID;
}

opevo_status opevo_i_pipeline_no_loop_at(const opevo_i_pipeline_stage *stage, int64_t loop,
                                         opevo_error *err)
{
    char number[32];

    snprintf(number, sizeof number, "%lld", (long long)loop);
    return opevo_i_pipeline_no_loop(stage, number, err);
}

int opevo_i_pipeline_target(const opevo_i_pipeline_stage *reader, const opevo_tensor *tensor)
{
    for (int i = 0; i < reader->redirects; i++) {
        if (reader->redirect[i].tensor == tensor->number)
            return reader->redirect[i].key;
    }
    return tensor->number;
}

typedef struct search {
    const opevo_i_pipeline_stage *reader;
    int key;
    bool found;
} search;

static void find_read(void *context, const opevo_expression *read)
{
    search *self = context;

    self->found |= opevo_i_pipeline_target(self->reader, read->tensor) == self->key;
}

bool opevo_pipeline_reads(const opevo_pipeline *pipeline, int reader, int stage)
{
    const opevo_i_pipeline_stage *one = opevo_i_pipeline_at(pipeline, reader);
    search self = {one, pipeline->order[stage], false};

    if (one->kind == OPEVO_STAGE_DEFINED)
        opevo_expression_reads(pipeline->computation->tensor[one->tensor]->definition->value,
                               find_read, &self);
    else if (one->kind != OPEVO_STAGE_INPUT)
        self.found = one->source == self.key;
    return self.found;
}
