/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Dynamic sizes: their ranges, and the sizes at which a model is read: the corners of the box of
 * sizes, and some inside. The corners have no extent of 1 where that can be avoided: passes treat
 * dimensions of one element in ways of their own. */

#include "network_dynamic_internal.h"

#include <opevo/memory.h>
#include <opevo/network_passes.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Ranges ---- */

/* "NAME=LEAST..MOST" */
static opevo_status read_range(char *text, opevo_network_ranges *out, opevo_error *err)
{
    opevo_network_range *one = &out->range[out->count];
    char *numbers = strchr(text, '='), *dots = numbers ? strstr(numbers, "..") : NULL;

    if (!dots || numbers == text)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%.100s is not of the form NAME=N..N, such as batch=1..32.", text);
    *numbers++ = '\0';
    *dots = '\0';
    if (strlen(text) > OPEVO_NETWORK_DIM_NAME)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%.70s...: give a name of at most %d characters.",
                          text, OPEVO_NETWORK_DIM_NAME);
    for (int i = 0; i < out->count; i++) {
        if (strcmp(out->range[i].name, text) == 0)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s is given twice; give it one range.", text);
    }
    if (!opevo_parse_i64(numbers, &one->least) || !opevo_parse_i64(dots + 2, &one->most) ||
        one->least < 1 || one->most <= one->least || one->most > OPEVO_COMPUTATION_EXTENT)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s=%.40s..%.40s: give a range of whole numbers from at least 1 to more, "
                          "such as 1..32.",
                          text, numbers, dots + 2);
    snprintf(one->name, sizeof one->name, "%s", text);
    out->count++;
    return OPEVO_OK;
}

opevo_status opevo_network_ranges_read(const char *text, opevo_network_ranges *out,
                                       opevo_error *err)
{
    char *copy = opevo_strdup(text), *rest = copy, *word = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(copy, "the ranges of sizes");
    *out = (opevo_network_ranges){0};
    while (status == OPEVO_OK && (word = strsep(&rest, ","))) {
        if (out->count == OPEVO_NETWORK_SIZES)
            status = OPEVO_FAIL(err, OPEVO_INVALID, "%.100s is one too many; give at most %d.",
                                word, OPEVO_NETWORK_SIZES);
        else
            status = read_range(word, out, err);
    }
    opevo_free(copy);
    return status;
}

opevo_status opevo_network_ranges_sizes(const opevo_network_ranges *ranges, const char *text,
                                        int64_t *out, opevo_error *err)
{
    char *copy = opevo_strdup(text), *rest = copy, *word = NULL;
    opevo_status status = OPEVO_OK;
    int count = 0;

    OPEVO_NEED_OR_RETURN(copy, "sizes");
    for (; status == OPEVO_OK && (word = strsep(&rest, ",")); count++) {
        const opevo_network_range *range = &ranges->range[count];

        if (count == ranges->count || !opevo_parse_i64(word, &out[count]))
            break;
        if (out[count] < range->least || out[count] > range->most)
            status = OPEVO_FAIL(err, OPEVO_INVALID, "%s is %lld; give a size from %lld to %lld.",
                                range->name, (long long)out[count], (long long)range->least,
                                (long long)range->most);
    }
    if (status == OPEVO_OK && (count != ranges->count || word))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%.100s: give a whole number for each of the %d sizes, with commas "
                            "between.",
                            text, ranges->count);
    opevo_free(copy);
    return status;
}

/* ---- Sizes to read ---- */

static int64_t smaller(const opevo_network_range *range)
{
    return range->least > 1 || range->most == 2 ? range->least : 2;
}

/* An odd size some way up the range, not the largest one where there are others. */
static int64_t between(const opevo_network_range *range, int quarters)
{
    int64_t size = (range->least + (range->most - range->least) * quarters / 4) | 1;

    size += size < smaller(range) ? 2 : 0;
    return size < range->most ? size : range->most - 1;
}

static void choose_sizes(opevo_network_dynamic *self, const int64_t *tuned)
{
    static const int quarters[OPEVO_NETWORK_SIZES] = {2, 1, 3};
    int count = self->ranges.count, corners = 1 << count;
    bool has_one = false;

    self->points = corners + 2;
    self->readings = self->points + (tuned != NULL);
    self->tuned = tuned ? self->points : 0;
    for (int i = 0; i < count; i++) {
        const opevo_network_range *range = &self->ranges.range[i];

        for (int set = 0; set < corners; set++)
            self->size[set][i] = set >> i & 1 ? smaller(range) : range->most;
        self->size[corners][i] = between(range, quarters[i]);
        self->size[corners + 1][i] = range->most - 1;
        if (tuned)
            self->size[self->tuned][i] = tuned[i];
        self->size[self->readings][i] = range->least;
        has_one |= range->least < smaller(range);
    }
    self->checked[0] = has_one ? self->readings : corners - 1;
    self->checked[1] = corners;
    self->checked[2] = 0;
    self->readings += has_one;
}

/* "batch=2, length=16" */
static void add_sizes(const opevo_network_dynamic *self, int reading, opevo_text *out)
{
    for (int i = 0; i < self->ranges.count; i++)
        opevo_text_printf(out, "%s%s=%lld", i ? ", " : "", self->ranges.range[i].name,
                          (long long)self->size[reading][i]);
}

static opevo_status read_one(opevo_network_dynamic *self, const char *path,
                             const opevo_network_given *given, uint32_t mask, int reading,
                             opevo_error *err)
{
    opevo_network_dimension dimensions[OPEVO_NETWORK_SIZES];
    opevo_network_given own = *given;
    opevo_text sizes = {0};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < self->ranges.count; i++)
        dimensions[i] =
            (opevo_network_dimension){self->ranges.range[i].name, self->size[reading][i]};
    own.dimensions = dimensions;
    own.dimension_count = (size_t)self->ranges.count;
    status = opevo_network_read(path, &own, &self->network[reading], &inner);
    if (status == OPEVO_OK)
        status = opevo_network_inference_create(self->network[reading], &self->at[reading], &inner);
    if (status == OPEVO_OK)
        status = opevo_network_inference_pass(self->at[reading], mask, &inner);
    if (status != OPEVO_OK && reading == 0)
        OPEVO_FAIL(err, status, "%s", inner.message);
    else if (status != OPEVO_OK) {
        add_sizes(self, reading, &sizes);
        OPEVO_FAIL(err, status, "with %s: %.800s", opevo_text_string(&sizes), inner.message);
    }
    opevo_text_free(&sizes);
    return status;
}

opevo_status opevo_network_dynamic_read(const char *path, const opevo_network_given *given,
                                        const opevo_network_ranges *ranges, const int64_t *tuned,
                                        uint32_t mask, opevo_network_dynamic **out,
                                        opevo_error *err)
{
    opevo_network_dynamic *self = opevo_calloc(1, sizeof *self);
    uint32_t by_size = 0; /* passes that look at how many rows there are */
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "a network of dynamic sizes");
    self->ranges = *ranges;
    choose_sizes(self, tuned);
    OPEVO_TRY(opevo_network_passes_named("attention", &by_size, err));
    for (int k = 0; k < self->readings; k++)
        OPEVO_TRY(read_one(self, path, given, mask & ~by_size, k, err));
    OPEVO_TRY(opevo_i_net_dynamic_compare(self, err));
    self->at[0]->dynamic = self;
    *out = self;
    self = NULL;
cleanup:
    opevo_network_dynamic_destroy(self);
    return status;
}

void opevo_network_dynamic_destroy(opevo_network_dynamic *self)
{
    if (!self)
        return;
    for (int k = 0; k < OPEVO_NETWORK_READINGS; k++) {
        opevo_network_inference_destroy(self->at[k]);
        opevo_network_destroy(self->network[k]);
    }
    opevo_free(self->axes);
    opevo_free(self);
}
