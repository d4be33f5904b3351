/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What contenders and landscapes are called: by what tells them from others of their name. */

#include "stored_study_internal.h"

#include <opevo/memory.h>
#include <string.h>

/* Whether "key=value" at `word` stands in the settings as a whole word. */
static bool has_word(const char *settings, const char *word, size_t length)
{
    for (const char *at = settings; *at;) {
        size_t here = strcspn(at, " ");

        if (here == length && !strncmp(at, word, length))
            return true;
        at += here + (at[here] == ' ');
    }
    return false;
}

static bool all_have_word(const opevo_stored_study *data, const char *tuner, const char *word,
                          size_t length)
{
    for (size_t i = 0; i < data->contender_count; i++) {
        if (!strcmp(data->contenders[i].tuner, tuner) &&
            !has_word(data->contenders[i].settings, word, length))
            return false;
    }
    return true;
}

static bool all_have_budget(const opevo_stored_study *data, const opevo_stored_contender *row)
{
    for (size_t i = 0; i < data->contender_count; i++) {
        if (!strcmp(data->contenders[i].tuner, row->tuner) &&
            strcmp(data->contenders[i].budget, row->budget) != 0)
            return false;
    }
    return true;
}

/* The settings that not all contenders of the tuner share. */
static opevo_status make_label(opevo_stored_study *data, opevo_stored_contender *row,
                               opevo_error *err)
{
    opevo_text label = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_add(&label, row->tuner);
    for (const char *at = row->settings; *at;) {
        size_t length = strcspn(at, " ");

        if (!all_have_word(data, row->tuner, at, length)) {
            opevo_text_add(&label, " ");
            opevo_settings_show(at, length, row->in_time, &label);
        }
        at += length + (at[length] == ' ');
    }
    if (*row->budget && !all_have_budget(data, row))
        opevo_text_printf(&label, " (%s)", row->budget);
    status = opevo_text_check(&label, err);
    if (status == OPEVO_OK)
        row->label = label.data;
    else
        opevo_text_free(&label);
    return status;
}

opevo_status opevo_stored_study_name_contenders(opevo_stored_study *data, opevo_error *err)
{
    opevo_status status = opevo_i_stored_merge_spaces(data, err);

    for (size_t i = 0; i < data->contender_count && status == OPEVO_OK; i++)
        status = make_label(data, &data->contenders[i], err);
    return status;
}

/* The name, and of several landscapes of that name the space file or else the signature; of several
 * versions of a program its hash. */
static opevo_status label_landscape(const opevo_stored_study *data, opevo_stored_landscape *row,
                                    opevo_error *err)
{
    const char *slash = strrchr(row->space, '/');
    opevo_text label = {0};
    bool other_points = false, same_space = false, other_program = false;

    for (size_t i = 0; i < data->landscape_count; i++) {
        const opevo_stored_landscape *other = &data->landscapes[i];

        if (other == row || strcmp(other->name, row->name) != 0)
            continue;
        other_program = other_program || other->program != row->program;
        if (other->signature == row->signature)
            continue;
        other_points = true;
        same_space = same_space || !strcmp(other->space, row->space);
    }
    opevo_text_add(&label, row->name);
    if (other_points && *row->space)
        opevo_text_printf(&label, " space=%s", slash ? slash + 1 : row->space);
    if (same_space)
        opevo_text_printf(&label, " signature=%016llx", (unsigned long long)row->signature);
    if (other_program)
        opevo_text_printf(&label, " program=%016llx", (unsigned long long)row->program);
    if (opevo_text_check(&label, err) != OPEVO_OK) {
        opevo_text_free(&label);
        return OPEVO_NOMEM;
    }
    opevo_free(row->label);
    row->label = label.data;
    return OPEVO_OK;
}

/* Have the runs of twins stand behind the others, in the same order. */
static opevo_status part_twins(opevo_stored_study *data, opevo_error *err)
{
    size_t count = data->run_count, at[2] = {0, 0};
    opevo_analysed_run *runs = opevo_malloc(count, sizeof *runs);
    opevo_stored_run *stored = opevo_malloc(count, sizeof *stored);
    uint64_t(*outcomes)[OPEVO_OUTCOME_CLASS_COUNT] = opevo_malloc(count, sizeof *outcomes);
    bool good = runs && stored && outcomes;

    for (size_t i = 0; good && i < count; i++)
        at[1] += !data->stored[i].is_twin;
    data->twin_count = good ? count - at[1] : 0;
    for (size_t i = 0; good && i < count; i++) {
        size_t to = at[data->stored[i].is_twin]++;

        runs[to] = data->runs[i];
        stored[to] = data->stored[i];
        memcpy(outcomes[to], data->outcomes[i], sizeof *outcomes);
    }
    if (data->twin_count) {
        memcpy(data->runs, runs, count * sizeof *runs);
        memcpy(data->stored, stored, count * sizeof *stored);
        memcpy(data->outcomes, outcomes, count * sizeof *outcomes);
        data->run_count -= data->twin_count;
    }
    opevo_free(runs);
    opevo_free(stored);
    opevo_free(outcomes);
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a study.");
}

opevo_status opevo_stored_study_assemble(opevo_stored_study *data, opevo_error *err)
{
    if (part_twins(data, err) != OPEVO_OK)
        return OPEVO_NOMEM;
    data->shown = opevo_calloc(data->landscape_count, sizeof *data->shown);
    data->labels = opevo_calloc(data->contender_count, sizeof *data->labels);
    OPEVO_NEED_OR_RETURN(data->shown && data->labels, "a study");
    for (size_t i = 0; i < data->landscape_count; i++) {
        opevo_stored_landscape *row = &data->landscapes[i];
        opevo_status status = label_landscape(data, row, err);

        if (status != OPEVO_OK)
            return status;
        data->shown[i] = (opevo_study_landscape){row->label, row->unit, row->optimum,
                                                 row->has_table ? &row->table : NULL};
    }
    for (size_t i = 0; i < data->contender_count; i++)
        data->labels[i] = data->contenders[i].label;
    data->study =
        (opevo_analysed_study){.landscapes = data->shown,
                               .contenders = data->labels,
                               .runs = data->runs,
                               .landscape_count = data->landscape_count,
                               .contender_count = data->contender_count,
                               .run_count = data->run_count,
                               .twins = data->twin_count ? data->runs + data->run_count : NULL,
                               .twin_count = data->twin_count};
    return opevo_i_stored_stand(data, err);
}
