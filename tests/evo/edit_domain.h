/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A domain that is not a space: lists of edits of a word, each of which sets one letter. The text
 * of a candidate is its edits in the order of their places, "[2c 7a]"; an edit that changes nothing
 * is left out. An objective on it: how many letters agree with a hidden word,
 * and how few edits that takes. */

#ifndef OPEVO_TESTS_EDIT_DOMAIN_H
#define OPEVO_TESTS_EDIT_DOMAIN_H

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <opevo/domain.h>
#include <opevo/objective.h>
#include <opevo/text.h>

#include "check.h"

#define EDIT_BASE "abcdefghabcd"
#define EDIT_HIDDEN "abddhfgabdch"
enum { EDIT_PLACES = 12, EDIT_LETTERS = 8 };

typedef struct edit_domain {
    opevo_domain super;
    opevo_texts *texts;
} edit_domain;

typedef struct edit_word {
    char letters[EDIT_PLACES + 1];
} edit_word;

/* The word that a text makes of the base; false for a text that is not canonical. */
static inline bool edit_read(const char *text, edit_word *out)
{
    edit_word word = {EDIT_BASE};
    long last = -1;

    if (*text++ != '[')
        return false;
    while (*text != ']') {
        char *end = NULL;
        long place = 0;
        char letter = 0;

        if (last >= 0 && *text++ != ' ')
            return false;
        place = strtol(text, &end, 10);
        letter = *end;
        if (*text < '0' || *text > '9' || (*text == '0' && end - text > 1) || place <= last ||
            place >= EDIT_PLACES || letter < 'a' || letter >= 'a' + EDIT_LETTERS ||
            letter == EDIT_BASE[place])
            return false;
        word.letters[place] = letter;
        last = place;
        text = end + 1;
    }
    if (text[1])
        return false;
    *out = word;
    return true;
}

static inline opevo_status edit_keep(opevo_domain *domain, const edit_word *word, opevo_index *out,
                                     opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_add(&text, "[");
    for (int i = 0; i < EDIT_PLACES; i++) {
        if (word->letters[i] != EDIT_BASE[i])
            opevo_text_printf(&text, "%s%d%c", text.length > 1 ? " " : "", i, word->letters[i]);
    }
    opevo_text_add(&text, "]");
    OPEVO_TRY(opevo_text_check(&text, err));
    OPEVO_TRY(opevo_texts_keep(((edit_domain *)domain)->texts, opevo_text_string(&text), out, err));
cleanup:
    opevo_text_free(&text);
    return status;
}

static inline bool edit_print(opevo_domain *domain, opevo_index candidate, opevo_text *out)
{
    const char *text = opevo_texts_get(((edit_domain *)domain)->texts, candidate);

    opevo_text_add(out, text ? text : "");
    return text != NULL;
}

static inline opevo_status edit_parse(opevo_domain *domain, const char *text, opevo_index *out,
                                      opevo_error *err)
{
    edit_word word;

    if (!edit_read(text, &word))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a list of edits.", text);
    return edit_keep(domain, &word, out, err);
}

static inline char edit_letter(opevo_rng *rng)
{
    return (char)('a' + opevo_rng_below(rng, EDIT_LETTERS));
}

static inline opevo_status edit_sample(opevo_domain *domain, opevo_rng *rng, opevo_index *out,
                                       opevo_error *err)
{
    edit_word word = {EDIT_BASE};

    for (int i = 0; i < EDIT_PLACES; i++) {
        if (opevo_rng_below(rng, 4) == 0)
            word.letters[i] = edit_letter(rng);
    }
    return edit_keep(domain, &word, out, err);
}

static inline opevo_status edit_mutate(opevo_domain *domain, opevo_index parent, double q,
                                       opevo_rng *rng, opevo_index *out, opevo_error *err)
{
    edit_word word;

    assert_true(edit_read(opevo_texts_get(((edit_domain *)domain)->texts, parent), &word));
    while (opevo_rng_unit(rng) < q) {
        size_t place = opevo_rng_below(rng, EDIT_PLACES);

        word.letters[place] = edit_letter(rng);
    }
    return edit_keep(domain, &word, out, err);
}

static inline opevo_status edit_cross(opevo_domain *domain, opevo_index a, opevo_index b,
                                      opevo_rng *rng, opevo_index *out, opevo_error *err)
{
    opevo_texts *texts = ((edit_domain *)domain)->texts;
    edit_word word;
    edit_word other;

    assert_true(edit_read(opevo_texts_get(texts, a), &word));
    assert_true(edit_read(opevo_texts_get(texts, b), &other));
    for (int i = 0; i < EDIT_PLACES; i++)
        word.letters[i] = opevo_rng_below(rng, 2) ? word.letters[i] : other.letters[i];
    return edit_keep(domain, &word, out, err);
}

static inline void edit_destroy(opevo_domain *domain)
{
    opevo_texts_destroy(((edit_domain *)domain)->texts);
}

static const opevo_domain_ops edit_domain_ops = {
    .kind = "edits",
    .print = edit_print,
    .parse = edit_parse,
    .sample = edit_sample,
    .mutate = edit_mutate,
    .cross = edit_cross,
    .destroy = edit_destroy,
};

/* Release by opevo_domain_destroy. */
static inline edit_domain edit_domain_make(void)
{
    edit_domain self = {.super = {.ops = &edit_domain_ops,
                                  .name = "the edits of " EDIT_BASE,
                                  .signature = 0x65646974},
                        .texts = opevo_texts_create()};

    assert_non_null(self.texts);
    return self;
}

/* ---- The objective -------------------------------------------------------------------------- */

typedef struct edit_objective {
    opevo_objective super;
    long delay_ns;
    _Atomic uint64_t evaluated;
} edit_objective;

/* Criterion 1 is the number of edits. A word with two equal letters side by side does not
 * compile. */
static inline opevo_outcome edit_outcome(const char *text)
{
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_OK);
    edit_word word = {{0}};

    assert_true(text && edit_read(text, &word));
    outcome.more[0] = 0;
    for (int i = 0; i < EDIT_PLACES; i++) {
        outcome.fitness += word.letters[i] == EDIT_HIDDEN[i];
        outcome.more[0] += word.letters[i] != EDIT_BASE[i];
    }
    outcome.fitness += 1;
    outcome.other_s = 1.0 / 64;
    if (strstr(word.letters, "aa") || strstr(word.letters, "cc"))
        outcome = opevo_outcome_failed(OPEVO_OUTCOME_BUILD_ERROR);
    return outcome;
}

static inline opevo_status edit_evaluate(opevo_objective *objective, const opevo_index *points,
                                         size_t count, opevo_outcome *outcomes, opevo_error *err)
{
    edit_objective *self = (edit_objective *)objective;

    for (size_t i = 0; i < count; i++) {
        struct timespec delay = {0, self->delay_ns};

        atomic_fetch_add(&self->evaluated, 1);
        if (self->delay_ns)
            nanosleep(&delay, NULL);
        outcomes[i] =
            edit_outcome(opevo_texts_get(((edit_domain *)objective->domain)->texts, points[i]));
    }
    return OPEVO_OK;
}

static inline void edit_objective_destroy(opevo_objective *objective)
{
}

static const opevo_objective_ops edit_objective_ops = {
    .kind = "edits", .evaluate = edit_evaluate, .destroy = edit_objective_destroy};
static const opevo_criterion edit_criteria[] = {{"edits", "", false}};

/* The domain is borrowed; nothing is to be released. */
static inline edit_objective edit_objective_on(edit_domain *domain, bool concurrent)
{
    return (edit_objective){.super = {.ops = &edit_objective_ops,
                                      .domain = &domain->super,
                                      .name = "edits",
                                      .unit = "1/s",
                                      .signature = domain->super.signature + 1,
                                      .concurrent = concurrent,
                                      .wanted = concurrent ? 0 : 3,
                                      .criteria = edit_criteria,
                                      .more_count = 1}};
}

#endif
