/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A study that was read from stores: its stores, and its release. */

#include "stored_study_internal.h"

#include <opevo/memory.h>

opevo_status opevo_i_stored_open(const opevo_names *paths, opevo_stored_study *data,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    data->stores = opevo_calloc(paths->count + 1, sizeof(opevo_store *));
    OPEVO_NEED_OR_RETURN(data->stores, "%zu stores", paths->count);
    for (size_t i = 0; i < paths->count && status == OPEVO_OK; i++) {
        status = opevo_store_open(paths->names[i], OPEVO_STORE_READ, &data->stores[i], err);
        data->store_count += status == OPEVO_OK;
    }
    return status;
}

opevo_store *opevo_stored_study_store(const opevo_stored_study *data, size_t run)
{
    return data->stores[data->stored[run].store];
}

static void close_stores(opevo_stored_study *data)
{
    for (size_t i = 0; i < data->store_count; i++)
        opevo_store_close(data->stores[i]);
    opevo_free(data->stores);
    opevo_free(data->stored);
}

void opevo_i_stored_landscape_free(opevo_stored_landscape *row)
{
    opevo_free(row->name);
    opevo_free(row->unit);
    opevo_free(row->on);
    opevo_free(row->what);
    opevo_free(row->space);
    opevo_free(row->label);
    opevo_fitness_table_free(&row->table);
}

static void free_fronts(opevo_stored_study *data)
{
    for (size_t i = 0; data->fronts && i < data->landscape_count; i++) {
        opevo_front_free(&data->fronts[i].front);
        opevo_free(data->fronts[i].sample);
        opevo_free(data->fronts[i].unit);
        opevo_space_destroy(data->fronts[i].space);
    }
    opevo_free(data->fronts);
}

void opevo_i_stored_contender_free(opevo_stored_contender *row)
{
    opevo_free(row->tuner);
    opevo_free(row->settings);
    opevo_free(row->budget);
    opevo_free(row->label);
}

void opevo_stored_study_free(opevo_stored_study *data)
{
    free_fronts(data);
    for (size_t i = 0; i < data->landscape_count; i++)
        opevo_i_stored_landscape_free(&data->landscapes[i]);
    for (size_t i = 0; i < data->contender_count; i++)
        opevo_i_stored_contender_free(&data->contenders[i]);
    for (size_t i = 0; i < data->run_count + data->twin_count; i++)
        opevo_run_curve_free(&data->runs[i].curve);
    opevo_free(data->landscapes);
    opevo_free(data->contenders);
    close_stores(data);
    opevo_free(data->runs);
    opevo_free(data->outcomes);
    opevo_i_stored_registrations_free(data);
    opevo_text_free(&data->versions);
    opevo_free(data->shown);
    opevo_free(data->labels);
    opevo_text_free(&data->notes);
}
