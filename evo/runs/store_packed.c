/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Packing the trials of a whole run, which is what a computed run leaves behind. A number is
 * written in full or, where it has its usual value, not at all, so that nothing is lost. Where a
 * space is small, runs come to the same points again and again, and an outcome, being a function of
 * the point, is kept once for all runs: a trial then takes some four bytes. */

#include "store_packed_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

/* Seven bits a byte, the lowest first; the top bit says that more follow. */
static void add_count(opevo_text *out, opevo_index value)
{
    char bytes[19];
    size_t length = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[length++] = (char)((unsigned char)value | 0x80);
    bytes[length++] = (char)value;
    opevo_text_add_bytes(out, bytes, length);
}

static void add_double(opevo_text *out, double value)
{
    char bytes[8];
    uint64_t bits = 0;

    memcpy(&bits, &value, sizeof bits);
    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (char)(bits >> (8 * k));
    opevo_text_add_bytes(out, bytes, sizeof bytes);
}

/* The different origins and messages of a run: few, so that looking through them is quick. */
typedef struct strings {
    void *items; /* const char *, borrowed */
    size_t count, capacity;
    bool failed;
} strings;

static size_t find_string(strings *self, const char *text)
{
    const char **items = self->items;

    for (size_t i = 0; i < self->count; i++) {
        if (items[i] == text || !strcmp(items[i], text))
            return i;
    }
    if (!opevo_reserve(&self->items, &self->capacity, self->count + 1, sizeof *items)) {
        self->failed = true;
        return 0;
    }
    items = self->items;
    items[self->count] = text;
    return self->count++;
}

/* A number is left out when it has the value that it has in a trial without it, to the bit. */
static bool is_usual(double value, int which)
{
    return which == 1 ? isnan(value) : value == 0 && !signbit(value);
}

/* `texts` is where it goes; NULL: it is written in place. */
static void add_message(const char *message, strings *texts, opevo_text *out)
{
    if (texts) {
        add_count(out, find_string(texts, message));
    } else {
        add_count(out, strlen(message));
        opevo_text_add(out, message);
    }
}

/* `texts` is where a message goes. */
static void add_outcome(const opevo_outcome *outcome, strings *texts, opevo_text *out)
{
    const double numbers[OPEVO_I_NUMBER_COUNT] = {outcome->fitness, outcome->time_s,
                                                  outcome->build_s, outcome->run_s,
                                                  outcome->check_s, outcome->other_s};
    unsigned tag = (unsigned)outcome->kind << OPEVO_I_KIND_SHIFT;

    for (int i = 0; i < OPEVO_I_NUMBER_COUNT; i++)
        tag |= is_usual(numbers[i], i) ? 0U : 1U << i;
    tag |= outcome->samples_s && outcome->sample_count ? OPEVO_I_HAS_SAMPLES : 0;
    tag |= outcome->message ? OPEVO_I_HAS_MESSAGE : 0;
    for (int i = 0; i < OPEVO_CRITERIA_MOST - 1; i++)
        tag |= isnan(outcome->more[i]) ? 0U : 1U << (OPEVO_I_CRITERIA_SHIFT + i);
    add_count(out, tag);
    for (int i = 0; i < OPEVO_I_NUMBER_COUNT; i++) {
        if (tag & 1U << i)
            add_double(out, numbers[i]);
    }
    if (tag & OPEVO_I_HAS_SAMPLES) {
        add_count(out, outcome->sample_count);
        for (size_t i = 0; i < outcome->sample_count; i++)
            add_double(out, outcome->samples_s[i]);
    }
    if (tag & OPEVO_I_HAS_MESSAGE)
        add_message(outcome->message, texts, out);
    for (int i = 0; i < OPEVO_CRITERIA_MOST - 1; i++) {
        if (tag & 1U << (OPEVO_I_CRITERIA_SHIFT + i))
            add_double(out, outcome->more[i]);
    }
}

/* ---- Outcomes that are kept once ------------------------------------------------------------ */

opevo_status opevo_i_store_known_create(const opevo_objective *objective, opevo_i_store_known **out,
                                        opevo_error *err)
{
    size_t words = (size_t)(opevo_space_size(objective->space) / 64 + 1);
    opevo_i_store_known *self = opevo_calloc(1, sizeof *self + words * sizeof *self->words);

    OPEVO_NEED_OR_RETURN(self, "the outcomes of %s", objective->name);
    self->signature = objective->signature;
    *out = self;
    return OPEVO_OK;
}

bool opevo_i_store_known_suits(const opevo_objective *objective)
{
    return objective->concurrent && objective->space &&
           opevo_space_size(objective->space) <= OPEVO_I_KNOWN_MAX;
}

bool opevo_i_store_known_add(opevo_i_store_known *self, opevo_index point)
{
    uint64_t bit = UINT64_C(1) << (point % 64);

    return !(atomic_fetch_or(&self->words[point / 64], bit) & bit);
}

static bool is_known(opevo_i_store_known *self, opevo_index point)
{
    return atomic_load(&self->words[point / 64]) >> (point % 64) & 1;
}

/* The point and its outcome, with the length before, for the table of outcomes. */
static void add_fresh(const opevo_trial *trial, opevo_i_store_packed *out)
{
    unsigned char point[OPEVO_I_POINT_BYTES];
    opevo_text outcome = {0};
    uint32_t length = 0;

    add_outcome(&trial->outcome, NULL, &outcome);
    length = (uint32_t)outcome.length;
    opevo_i_store_point_to_bytes(trial->proposal.point, point);
    opevo_text_add_bytes(&out->fresh, (const char *)point, sizeof point);
    opevo_text_add_bytes(&out->fresh, (const char *)&length, sizeof length);
    opevo_text_add_bytes(&out->fresh, opevo_text_string(&outcome), length);
    out->fresh.failed = out->fresh.failed || outcome.failed;
    opevo_text_free(&outcome);
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static void pack_trial(const opevo_trial *trial, strings *texts, opevo_i_store_packed *packed,
                       opevo_text *out)
{
    add_count(out, trial->proposal.point);
    add_count(out, find_string(texts, trial->proposal.origin));
    if (!packed->known)
        add_outcome(&trial->outcome, texts, out);
    else if (!is_known(packed->known, trial->proposal.point))
        add_fresh(trial, packed);
}

static void summarise(const opevo_trial *trials, size_t count, opevo_i_store_packed *out)
{
    for (size_t i = 0; i < count; i++) {
        const opevo_outcome *outcome = &trials[i].outcome;
        bool ok = outcome->kind == OPEVO_OUTCOME_OK;

        out->trials++;
        out->failed += !ok;
        out->cost_s += opevo_outcome_cost_s(outcome);
        if (ok && (out->best_trial == 0 || outcome->fitness > out->best_fitness)) {
            out->best_trial = trials[i].number;
            out->best_fitness = outcome->fitness;
            out->best_point = trials[i].proposal.point;
        }
    }
}

void opevo_i_store_pack(const opevo_trial *trials, size_t count, opevo_i_store_known *known,
                        opevo_i_store_packed *out)
{
    strings texts = {NULL, 0, 0, false};
    opevo_text body = {0};

    *out = (opevo_i_store_packed){.known = known};
    summarise(trials, count, out);
    for (size_t i = 0; i < count; i++)
        pack_trial(&trials[i], &texts, out, &body);
    add_count(&out->data, known ? OPEVO_I_PACKED_POINTS : OPEVO_I_PACKED_WHOLE);
    add_count(&out->data, texts.count);
    for (size_t i = 0; i < texts.count; i++) {
        const char *text = ((const char **)texts.items)[i];

        add_count(&out->data, strlen(text));
        opevo_text_add(&out->data, text);
    }
    opevo_text_add_bytes(&out->data, opevo_text_string(&body), body.length);
    out->data.failed = out->data.failed || out->fresh.failed || body.failed || texts.failed;
    opevo_text_free(&body);
    opevo_free(texts.items);
}
