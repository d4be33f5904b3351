/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a reader of models says, and the values that it knows, by name. */

#include "network_read_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAY(reader, err, ...) opevo_i_net_reader_fail(reader, OPEVO_INVALID, err, __VA_ARGS__)

opevo_status opevo_i_net_reader_fail(const opevo_i_net_reader *self, opevo_status status,
                                     opevo_error *err, const char *format, ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return OPEVO_FAIL(err, status, "%s: %s", self->network->path, sentence);
}

static int compare_names(const void *a, const void *b, void *values)
{
    const opevo_network_value *value = values;

    return strcmp(value[*(const int *)a].name, value[*(const int *)b].name);
}

opevo_status opevo_i_net_reader_sort(opevo_i_net_reader *self, opevo_error *err)
{
    const opevo_network *network = self->network;

    self->known = network->values;
    for (int i = 0; i < network->values; i++)
        self->sorted[i] = i;
    qsort_r(self->sorted, (size_t)network->values, sizeof *self->sorted, compare_names,
            network->value);
    for (int i = 1; i < network->values; i++) {
        if (compare_names(&self->sorted[i - 1], &self->sorted[i], network->value) == 0)
            return SAY(self, err, "Two tensors are named '%s'.",
                       network->value[self->sorted[i]].name);
    }
    return OPEVO_OK;
}

int opevo_i_net_reader_find(const opevo_i_net_reader *self, const char *name)
{
    const opevo_network *network = self->network;
    int low = 0, high = self->known;

    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(name, network->value[self->sorted[middle]].name);

        if (order == 0)
            return self->sorted[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}
