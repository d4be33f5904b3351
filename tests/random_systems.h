/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Small random spaces with random constraints: all operators, both dialects, branches, lists. */

#ifndef OPEVO_TESTS_RANDOM_SYSTEMS_H
#define OPEVO_TESTS_RANDOM_SYSTEMS_H

#include "check.h"

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/space.h>

typedef struct system_source {
    uint64_t state;
    bool python;
    char numbers[64][24]; /* what an expression may name as numbers */
    size_t number_count;
    char words[32][24]; /* parameters of texts, each "red", "blue" and "green" */
    size_t word_count;
} system_source;

static inline uint64_t random_bits(void *context)
{
    uint64_t *state = context;

    *state += UINT64_C(0x9e3779b97f4a7c15);
    return opevo_hash_mix(*state);
}

static inline unsigned pick(system_source *self, unsigned below)
{
    return (unsigned)(random_bits(&self->state) % below);
}

static inline void note_name(system_source *self, const char *format, int i)
{
    snprintf(self->numbers[self->number_count++], sizeof *self->numbers, format, i);
}

static inline void add_list(system_source *self, opevo_text *out)
{
    bool real = pick(self, 6) == 0;
    int value = (int)pick(self, 4) - (pick(self, 3) == 0 ? 5 : 0);
    unsigned count = 1 + pick(self, 6);

    opevo_text_add(out, "{\"_type\": \"discrete\", \"_value\": [");
    for (unsigned i = 0; i < count; i++) {
        opevo_text_printf(out, i ? ", %d%s" : "%d%s", value, real && i % 2 ? ".5" : "");
        value += 1 + (int)pick(self, 3);
    }
    opevo_text_add(out, "]}");
}

static inline void add_parameter(system_source *self, int i, bool nested, opevo_text *out)
{
    opevo_text_printf(out, "\"p%d\": ", i);
    switch (pick(self, nested ? 3 : 6)) {
    case 0:
        opevo_text_printf(out, "{\"_type\": \"factor\", \"_value\": [%u, 2]}",
                          4 + 2 * pick(self, 5));
        note_name(self, "p%d[0]", i);
        note_name(self, "p%d[1]", i);
        break;
    case 1:
        opevo_text_add(out, "{\"_type\": \"choice\", \"_value\": [\"red\", \"blue\", \"green\"]}");
        snprintf(self->words[self->word_count++], sizeof *self->words, "p%d", i);
        break;
    case 5:
        opevo_text_printf(out, "{\"_type\": \"choice\", \"_value\": [true, {\"_name\": \"red\", ");
        add_parameter(self, 10 * i + 11, true, out);
        if (pick(self, 2)) {
            opevo_text_add(out, ", ");
            add_parameter(self, 10 * i + 12, true, out);
        }
        opevo_text_add(out, "}, {\"_name\": \"blue\", ");
        add_parameter(self, 10 * i + 13, true, out);
        opevo_text_add(out, "}]}");
        snprintf(self->words[self->word_count++], sizeof *self->words, "p%d", i);
        break;
    default:
        add_list(self, out);
        note_name(self, "p%d", i);
    }
}

static inline void add_truth(system_source *self, unsigned depth, opevo_text *out);

static inline void add_number(system_source *self, unsigned depth, opevo_text *out)
{
    static const char *const c[] = {"+", "-", "*", "/", "%", "<<", ">>", "&", "^", "|", "*", "+"};
    static const char *const python[] = {"+",  "-", "*", "//", "%", "<<",
                                         ">>", "&", "^", "|",  "/", "**"};
    static const char *const functions[] = {"min", "max"};

    if (depth == 0 || pick(self, 4) == 0) {
        if (self->number_count && pick(self, 4))
            opevo_text_add(out, self->numbers[pick(self, (unsigned)self->number_count)]);
        else
            opevo_text_printf(out, "%u", pick(self, 13));
        return;
    }
    switch (pick(self, 9)) {
    case 0:
        opevo_text_printf(out, "%s(", functions[pick(self, 2)]);
        add_number(self, depth - 1, out);
        opevo_text_add(out, ", ");
        add_number(self, depth - 1, out);
        opevo_text_add(out, ")");
        return;
    case 1:
        opevo_text_add(out, "abs(");
        add_number(self, depth - 1, out);
        opevo_text_add(out, ")");
        return;
    case 2:
        opevo_text_add(out, pick(self, 2) ? "(-" : "(+");
        add_number(self, depth - 1, out);
        opevo_text_add(out, ")");
        return;
    case 3:
        opevo_text_add(out, "(");
        add_truth(self, depth - 1, out);
        opevo_text_add(out, ")");
        return;
    case 4:
        if (!self->python) {
            opevo_text_add(out, "(");
            add_truth(self, depth - 1, out);
            opevo_text_add(out, " ? ");
            add_number(self, depth - 1, out);
            opevo_text_add(out, " : ");
            add_number(self, depth - 1, out);
            opevo_text_add(out, ")");
            return;
        } /* fall through */
    default:
        opevo_text_add(out, "(");
        add_number(self, depth - 1, out);
        opevo_text_printf(out, " %s ", (self->python ? python : c)[pick(self, 12)]);
        add_number(self, depth - 1, out);
        opevo_text_add(out, ")");
    }
}

static inline void add_comparison(system_source *self, unsigned depth, opevo_text *out)
{
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
    static const char *const colours[] = {"red", "blue", "green"};
    unsigned chain = self->python && pick(self, 3) == 0 ? 2 : 1;

    if (self->word_count && pick(self, 4) == 0) {
        opevo_text_printf(out, "%s %s '%s'", self->words[pick(self, (unsigned)self->word_count)],
                          signs[pick(self, 2)], colours[pick(self, 3)]);
        return;
    }
    add_number(self, depth, out);
    if (self->python && pick(self, 6) == 0) {
        opevo_text_printf(out, pick(self, 2) ? " in (%u, %u, %u)" : " not in [%u, %u, %u]",
                          pick(self, 9), pick(self, 9), pick(self, 9));
        return;
    }
    for (unsigned i = 0; i < chain; i++) {
        opevo_text_printf(out, " %s ", signs[pick(self, 6)]);
        add_number(self, depth, out);
    }
}

static inline void add_truth(system_source *self, unsigned depth, opevo_text *out)
{
    static const char *const joints[][2] = {{"&&", "||"}, {"and", "or"}};

    if (depth == 0 || pick(self, 3) == 0) {
        add_comparison(self, depth ? depth - 1 : 0, out);
        return;
    }
    switch (pick(self, 5)) {
    case 0:
        opevo_text_add(out, self->python ? "(not (" : "(!(");
        add_truth(self, depth - 1, out);
        opevo_text_add(out, "))");
        return;
    case 1:
        if (self->number_count) {
            char name[24];

            snprintf(name, sizeof name, "%s",
                     self->numbers[pick(self, (unsigned)self->number_count)]);
            name[strcspn(name, "[")] = '\0';
            opevo_text_printf(out, "active(%s)", name);
            return;
        } /* fall through */
    default:
        opevo_text_add(out, "(");
        add_truth(self, depth - 1, out);
        opevo_text_printf(out, " %s ", joints[self->python][pick(self, 2)]);
        add_truth(self, depth - 1, out);
        if (pick(self, 3) == 0) {
            opevo_text_printf(out, " %s ", joints[self->python][pick(self, 2)]);
            add_truth(self, depth - 1, out);
        }
        opevo_text_add(out, ")");
    }
}

/* The n-th system; NULL where its space is refused, as one that allows no point. Of every fifth,
 * only some points are listed. `text`, empty before, gets the file. */
static inline opevo_space *random_system(uint64_t n, opevo_text *text)
{
    system_source self = {.state = opevo_hash_mix(n + 1), .python = n % 2};
    unsigned parameters = 2 + pick(&self, 4), constraints = 1 + pick(&self, 4);
    opevo_space *space = NULL;

    opevo_text_add(text, "{");
    for (unsigned i = 0; i < parameters; i++) {
        add_parameter(&self, (int)i, false, text);
        opevo_text_add(text, ", ");
    }
    opevo_text_printf(text, "\"_dialect\": \"%s\", \"_constraints\": [",
                      self.python ? "python" : "c");
    for (unsigned i = 0; i < constraints; i++) {
        opevo_text expression = {0};

        add_truth(&self, 3, &expression);
        opevo_text_printf(text, "%s\"%s\"", i ? ", " : "", opevo_text_string(&expression));
        opevo_text_free(&expression);
    }
    opevo_text_add(text, "]}");
    if (opevo_space_parse(opevo_text_string(text), "space.json", NULL, &space, NULL) != OPEVO_OK)
        return NULL;
    if (n % 5 == 0) {
        size_t size = (size_t)opevo_space_size(space), count = 0;
        bool any = false; /* allowed point, of which one must be listed */
        opevo_index *points = opevo_malloc(size, sizeof *points);

        assert_non_null(points);
        for (size_t point = 0; point < size; point++) {
            bool allowed = opevo_space_allows(space, point);

            points[count] = point;
            count += (allowed && !any) || pick(&self, 3) > 0;
            any |= allowed;
        }
        CHECK_OK(opevo_space_restrict(space, points, count, &err));
        opevo_free(points);
    }
    return space;
}

#endif
