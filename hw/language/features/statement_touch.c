/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The touches of a loop are a list through one array, whose length is known before the first. */

#include "statement_internal.h"

#include <opevo/memory.h>

bool opevo_i_feature_touches_init(opevo_i_feature_touches *self,
                                  const opevo_statement_program *program)
{
    size_t most = 0;

    for (size_t i = 0; i < program->store_count; i++)
        most += program->stores[i].loop_count * (program->stores[i].read_count + 1);
    self->count = 0;
    self->capacity = most;
    self->all = opevo_malloc(most, sizeof *self->all);
    self->first = opevo_malloc(program->loop_count, sizeof *self->first);
    self->last = opevo_malloc(program->loop_count, sizeof *self->last);
    if (!self->all || !self->first || !self->last)
        return false;
    for (size_t i = 0; i < program->loop_count; i++)
        self->first[i] = self->last[i] = SIZE_MAX;
    return true;
}

void opevo_i_feature_touches_release(opevo_i_feature_touches *self)
{
    opevo_free(self->all);
    opevo_free(self->first);
    opevo_free(self->last);
}

void opevo_i_feature_touches_add(opevo_i_feature_touches *self, size_t loop, size_t buffer,
                                 double elements, double bytes)
{
    size_t place = self->count++;

    self->all[place] = (opevo_i_feature_touch){
        .buffer = buffer, .elements = elements, .bytes = bytes, .next = SIZE_MAX};
    if (self->first[loop] == SIZE_MAX)
        self->first[loop] = place;
    else
        self->all[self->last[loop]].next = place;
    self->last[loop] = place;
}

const opevo_i_feature_touch *opevo_i_feature_touches_oldest(const opevo_i_feature_touches *self,
                                                            size_t loop, size_t buffer)
{
    size_t i = self->first[loop];

    while (self->all[i].buffer != buffer)
        i = self->all[i].next;
    return &self->all[i];
}

double opevo_i_feature_touches_bytes(const opevo_i_feature_touches *self, size_t loop)
{
    double sum = 0;

    for (size_t i = self->first[loop]; i != SIZE_MAX; i = self->all[i].next)
        sum += self->all[i].elements * self->all[i].bytes;
    return sum;
}

double opevo_i_feature_touches_one_each(const opevo_i_feature_touches *self, size_t loop)
{
    double sum = 0;

    for (size_t i = self->first[loop]; i != SIZE_MAX; i = self->all[i].next)
        sum += self->all[i].bytes;
    return sum;
}

size_t opevo_i_feature_touches_of(const opevo_i_feature_touches *self, size_t loop, size_t buffer,
                                  double *least)
{
    size_t count = 0;

    for (size_t i = self->first[loop]; i != SIZE_MAX; i = self->all[i].next) {
        if (self->all[i].buffer != buffer)
            continue;
        if (count++ == 0 || self->all[i].elements < *least)
            *least = self->all[i].elements;
    }
    return count;
}
