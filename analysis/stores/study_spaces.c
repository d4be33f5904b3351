/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Space files among the settings of contenders. Where each landscape has a file of its own, the
 * file is part of the landscape and not of the contender. */

#include "stored_study_internal.h"

#include <opevo/memory.h>

#include <string.h>

static const char space_word[] = "space=";

/* Take the word of a space file from settings, in place. */
static void drop_space(char *settings)
{
    char *from = settings, *to = settings;

    while (*from) {
        size_t length = strcspn(from, " ");

        if (strncmp(from, space_word, strlen(space_word)) != 0) {
            if (to > settings)
                *to++ = ' ';
            memmove(to, from, length);
            to += length;
        }
        from += length + (from[length] == ' ');
    }
    *to = '\0';
}

static opevo_status drop_spaces(const opevo_stored_study *data, char **bare, opevo_error *err)
{
    for (size_t i = 0; i < data->contender_count; i++) {
        bare[i] = opevo_strdup(data->contenders[i].settings);
        OPEVO_NEED_OR_RETURN(bare[i], "the names of contenders");
        drop_space(bare[i]);
    }
    return OPEVO_OK;
}

static bool is_same_but_for_space(const opevo_stored_study *data, char *const *bare, size_t a,
                                  size_t b)
{
    return !strcmp(bare[a], bare[b]) &&
           !strcmp(data->contenders[a].tuner, data->contenders[b].tuner) &&
           !strcmp(data->contenders[a].budget, data->contenders[b].budget);
}

/* Whether contenders that differ from this one in the space alone all ran elsewhere. */
static bool has_own_spaces(const opevo_stored_study *data, char *const *bare, size_t contender,
                           size_t *ran)
{
    for (size_t i = 0; i < data->landscape_count; i++)
        ran[i] = SIZE_MAX;
    for (size_t i = 0; i < data->run_count; i++) {
        const opevo_analysed_run *run = &data->runs[i];

        if (!is_same_but_for_space(data, bare, contender, run->contender))
            continue;
        if (ran[run->landscape] != SIZE_MAX && ran[run->landscape] != run->contender)
            return false;
        ran[run->landscape] = run->contender;
    }
    return true;
}

opevo_status opevo_i_stored_merge_spaces(opevo_stored_study *data, opevo_error *err)
{
    size_t count = data->contender_count, kept = 0;
    char **bare = opevo_calloc(count, sizeof *bare);
    size_t *ran = opevo_malloc(data->landscape_count, sizeof *ran);
    size_t *place = opevo_malloc(count, sizeof *place);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(bare && ran && place, "the names of contenders");
    OPEVO_TRY(drop_spaces(data, bare, err));
    for (size_t i = 0; i < count; i++) {
        bool own = has_own_spaces(data, bare, i, ran);
        size_t first = 0;

        while (own && first < i && !is_same_but_for_space(data, bare, first, i))
            first++;
        place[i] = own && first < i ? place[first] : kept++;
        if (own)
            drop_space(data->contenders[i].settings);
    }
    for (size_t i = 0; i < data->run_count; i++)
        data->runs[i].contender = place[data->runs[i].contender];
    for (size_t i = 0, next = 0; i < count; i++) {
        if (place[i] == next)
            data->contenders[next++] = data->contenders[i];
        else
            opevo_i_stored_contender_free(&data->contenders[i]);
    }
    data->contender_count = kept;
cleanup:
    for (size_t i = 0; bare && i < count; i++)
        opevo_free(bare[i]);
    opevo_free(bare);
    opevo_free(ran);
    opevo_free(place);
    return status;
}
