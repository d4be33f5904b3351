/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Criteria and fronts as they are printed. */

#include "criteria_of_call_internal.h"
#include "terminal_internal.h"

#include <opevo/front.h>
#include <opevo/json.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

void opevo_i_cli_json_criteria(const opevo_criterion *criteria, size_t count, opevo_text *out)
{
    opevo_text_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        opevo_text_add(out, i ? ", {" : "{");
        opevo_json_string(out, "name", criteria[i].name);
        opevo_json_string(out, "unit", criteria[i].unit);
        opevo_json_string(out, "better", criteria[i].larger_is_better ? "larger" : "smaller");
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}

/* Whether another chosen criterion has the name. */
static bool is_taken(const opevo_i_cli_shown_front *self, const char *name)
{
    const opevo_criteria *criteria = &self->front->criteria;
    bool taken = false;

    for (size_t i = 0; i < criteria->count; i++) {
        size_t index = criteria->chosen[i].index;

        taken = taken || (index > 0 && !strcmp(self->criteria[index - 1].name, name));
    }
    return taken;
}

/* The name of a chosen criterion: criterion 0 is shown as a result, under a name of its own. */
static const char *name_of(const opevo_i_cli_shown_front *self, size_t chosen)
{
    size_t index = self->front->criteria.chosen[chosen].index;

    if (index > 0)
        return self->criteria[index - 1].name;
    if (opevo_front_is_time(&self->front->criteria, chosen, self->unit) && !is_taken(self, "time"))
        return "time";
    return is_taken(self, "result") ? "fitness" : "result";
}

/* The unit of a chosen criterion; of a rate chosen as a time where no time is known that of its
 * inverse. */
static const char *unit_of(const opevo_i_cli_shown_front *self, size_t chosen)
{
    const opevo_front *front = self->front;
    size_t index = front->criteria.chosen[chosen].index;

    if (index > 0)
        return self->criteria[index - 1].unit;
    if (opevo_unit_is_time(self->unit) ||
        !opevo_front_is_time(&front->criteria, chosen, self->unit))
        return opevo_unit_name(self->unit);
    if (opevo_unit_is_speedup(self->unit))
        return "";
    return front->count && isnan(front->members[0].outcome.time_s) ? "s/GFLOP" : "s";
}

void opevo_i_cli_criteria_show(const char *names, opevo_text *out)
{
    for (const char *at = names; *at; at++)
        opevo_text_printf(out, *at == ',' ? "%c " : "%c", *at);
}

/* "energy, J", or the unit of results. */
static void add_head(const opevo_i_cli_shown_front *self, size_t chosen, opevo_text *out)
{
    const char *unit = unit_of(self, chosen);

    opevo_text_clear(out);
    opevo_text_printf(out, "%s%s", name_of(self, chosen), *unit ? ", " : "");
    opevo_text_add_visible(out, unit);
}

/* The text that a store keeps of a candidate; false without one. */
static bool add_candidate(const opevo_i_cli_shown_front *self, opevo_index point, bool json,
                          opevo_text *out)
{
    opevo_text text = {0};
    bool found = self->store &&
                 opevo_store_candidate(self->store, self->run, point, &text, NULL) == OPEVO_OK &&
                 text.length > 0;

    if (found && json)
        opevo_text_add_json(out, opevo_text_string(&text));
    else if (found)
        opevo_text_add_visible(out, opevo_text_string(&text));
    opevo_text_free(&text);
    return found;
}

static void add_configuration(const opevo_i_cli_shown_front *self, opevo_index point, bool json,
                              opevo_text *out)
{
    if (self->space && json) {
        opevo_space_print_json(self->space, point, out);
    } else if (self->space) {
        opevo_space_print(self->space, point, out);
    } else if (!add_candidate(self, point, json, out)) {
        opevo_text_add(out, json ? "\"point " : "point ");
        opevo_text_add_index(out, point);
        opevo_text_add(out, json ? "\"" : "");
    }
}

static void add_row(const opevo_i_cli_shown_front *self, const opevo_trial *member,
                    opevo_table *table)
{
    const opevo_criteria *criteria = &self->front->criteria;
    opevo_text configuration = {0};

    if (self->origins)
        opevo_i_cli_table_cell(table, "%s", member->proposal.origin);
    opevo_i_cli_table_cell(table, "%llu", (unsigned long long)member->number);
    for (size_t i = 0; i < criteria->count; i++) {
        double value = opevo_front_value(criteria, i, self->unit, &member->outcome);

        if (isnan(value))
            opevo_i_cli_table_cell(table, "-");
        else
            opevo_i_cli_table_cell(table, "%.6g", value);
    }
    add_configuration(self, member->proposal.point, false, &configuration);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&configuration));
    table->failed = table->failed || configuration.failed;
    opevo_text_free(&configuration);
}

opevo_status opevo_i_cli_front_print(const opevo_i_cli_shown_front *self, unsigned width,
                                     opevo_text *out, opevo_error *err)
{
    opevo_text names[OPEVO_CRITERIA_MOST] = {{0}};
    const char *heads[OPEVO_CRITERIA_MOST + 3];
    opevo_table table = {.heads = heads, .below = 1};
    opevo_status status = OPEVO_OK;

    if (self->origins)
        heads[table.columns++] = self->origins == OPEVO_I_ORIGIN_SEED ? "seed" : "<tuner";
    heads[table.columns++] = "trial";
    for (size_t i = 0; i < self->front->criteria.count; i++) {
        add_head(self, i, &names[i]);
        heads[table.columns++] = opevo_text_string(&names[i]);
    }
    heads[table.columns++] = "<configuration";
    for (size_t i = 0; i < self->front->count; i++)
        add_row(self, &self->front->members[i], &table);
    status = opevo_i_cli_table_print(&table, width, out, err);
    for (size_t i = 0; i < self->front->criteria.count; i++)
        opevo_text_free(&names[i]);
    return status;
}

void opevo_i_cli_front_json_criteria(const opevo_i_cli_shown_front *self,
                                     const opevo_front_box *box, opevo_text *out)
{
    const opevo_criteria *criteria = &self->front->criteria;

    opevo_text_add(out, "[");
    for (size_t i = 0; i < criteria->count; i++) {
        bool larger =
            criteria->chosen[i].larger_is_better && !opevo_front_is_time(criteria, i, self->unit);
        double sign = larger ? -1 : 1;

        opevo_json_open_next(out, " ", "{");
        opevo_json_string(out, "name", name_of(self, i));
        opevo_json_string(out, "unit", unit_of(self, i));
        opevo_json_string(out, "better", larger ? "larger" : "smaller");
        opevo_json_double(out, "best", sign * box->best[i]);
        opevo_json_double(out, "worst", sign * box->worst[i]);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}

void opevo_i_cli_front_json(const opevo_i_cli_shown_front *self, opevo_text *out)
{
    opevo_text_add(out, "[");
    for (size_t i = 0; i < self->front->count; i++) {
        const opevo_trial *member = &self->front->members[i];

        opevo_json_open_next(out, "\n  ", "{");
        if (self->origins == OPEVO_I_ORIGIN_TUNER)
            opevo_json_string(out, "tuner", member->proposal.origin);
        if (self->origins == OPEVO_I_ORIGIN_SEED) {
            opevo_json_key(out, "seed");
            opevo_text_add(out, member->proposal.origin);
        }
        opevo_json_index(out, "trial", member->number);
        opevo_json_open(out, "criteria", "{");
        for (size_t k = 0; k < self->front->criteria.count; k++)
            opevo_json_double(
                out, name_of(self, k),
                opevo_front_value(&self->front->criteria, k, self->unit, &member->outcome));
        opevo_text_add(out, "}");
        opevo_json_key(out, "configuration");
        add_configuration(self, member->proposal.point, true, out);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}
