/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a study until resolved tells apart, as sentences and as JSON. */

#include "study_cli_internal.h"

#include "terminal_internal.h"

#include <opevo/json.h>
#include <opevo/stored_study.h>
#include <opevo/unit.h>

#include <string.h>

enum { PAIRS_SHOWN = 40 };

/* The tuner, with its settings where another line of it is on the same objective. */
static void add_name(const opevo_study *study, size_t number, opevo_text *out)
{
    const opevo_study_line *line = &study->lines[number];
    bool alone = true;

    for (size_t i = 0; i < study->line_count; i++) {
        const opevo_study_line *other = &study->lines[i];

        alone = alone && (i == number || other->is_twin || other->place != line->place ||
                          other->tuner != line->tuner);
    }
    opevo_text_add(out, line->tuner->name);
    if (alone || !*line->settings_text)
        return;
    opevo_text_add(out, " ");
    opevo_settings_show(line->settings_text, strlen(line->settings_text),
                        opevo_unit_follows_time(line->objective->unit), out);
}

static void print_pair(const opevo_study *study, const opevo_until_pair *pair, opevo_text *out)
{
    bool open = pair->verdict == OPEVO_VERDICT_UNRESOLVED;

    opevo_i_cli_text_add_objective(out, study->lines[pair->a].objective->name);
    opevo_text_add(out, ": ");
    add_name(study, pair->a, out);
    opevo_text_printf(out, open ? " against " : " is %s than ", opevo_verdict_name(pair->verdict));
    add_name(study, pair->b, out);
    opevo_text_printf(out, "%s after %zu seed%s (p = %.2g after Holm, at any time)\n",
                      open ? " is not resolved" : "", pair->test.pairs,
                      pair->test.pairs == 1 ? "" : "s", pair->p_adjusted);
}

static void add_pair_json(const opevo_study *study, const opevo_until_pair *pair, opevo_text *out)
{
    const size_t lines[] = {pair->a, pair->b};
    static const char *const keys[] = {"a", "b"};

    opevo_json_open_next(out, "\n ", "{");
    opevo_json_string(out, "objective", study->lines[pair->a].objective->name);
    for (size_t i = 0; i < 2; i++) {
        opevo_text name = {0};

        add_name(study, lines[i], &name);
        opevo_json_string(out, keys[i], opevo_text_string(&name));
        out->failed = out->failed || name.failed;
        opevo_text_free(&name);
    }
    opevo_json_index(out, "seeds", pair->test.pairs);
    opevo_json_double(out, "p_anytime", pair->test.p);
    opevo_json_double(out, "p_holm", pair->p_adjusted);
    opevo_json_string(out, "verdict", opevo_verdict_name(pair->verdict));
    opevo_text_add(out, "}");
}

static void add_json(const opevo_i_cli_study_call *self, const opevo_until_result *until,
                     opevo_text *out)
{
    opevo_json_open(out, "until", "{");
    opevo_json_double(out, "alpha", self->alpha);
    opevo_json_index(out, "seeds", until->seeds);
    opevo_json_index(out, "seeds_max", self->most);
    opevo_json_index(out, "looks", until->looks);
    opevo_json_index(out, "resolved", until->resolved);
    opevo_json_open(out, "pairs", "[");
    for (size_t i = 0; i < until->pair_count; i++)
        add_pair_json(self->study, &until->pairs[i], out);
    opevo_text_add(out, "]}");
}

void opevo_i_cli_study_print_until(const opevo_i_cli_study_call *self,
                                   const opevo_until_result *until, opevo_text *out)
{
    if (self->json) {
        add_json(self, until, out);
        return;
    }
    opevo_text_printf(out, "%zu of %zu pairs resolved after %zu look%s, with up to ",
                      until->resolved, until->pair_count, until->looks,
                      until->looks == 1 ? "" : "s");
    opevo_i_cli_text_add_grouped(out, until->seeds);
    opevo_text_add(out, " seeds");
    if (until->resolved < until->pair_count && until->seeds == self->most)
        opevo_text_add(out, "; --seeds-max permits more");
    opevo_text_add(out, "\n");
    for (size_t i = 0; i < until->pair_count && i < PAIRS_SHOWN; i++)
        print_pair(self->study, &until->pairs[i], out);
    if (until->pair_count > PAIRS_SHOWN)
        opevo_text_printf(out, "and %zu more: opevo analyze %s --all\n",
                          until->pair_count - PAIRS_SHOWN, self->store);
}
