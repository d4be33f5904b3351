/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points of a live run, as users name them. */

#include <opevo/live_starts.h>

#include <opevo/hardware.h>
#include <opevo/hash.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/schedule_file.h>

#include <string.h>
#include <unistd.h>

enum { TRANSFERRED_MOST = 5 };

/* ---- A schedule ---- */

/* The configuration of the head is where to look first. */
static opevo_status find_schedule(const opevo_objective *objective, const opevo_schedule_file *file,
                                  bool *found, opevo_index *point, opevo_error *err)
{
    const opevo_kernel_maker *maker = opevo_live_maker(objective);
    opevo_index near = objective->starts ? objective->starts->points[0].point : 0;

    if (file->configuration)
        opevo_space_read(objective->space, file->configuration, &near, NULL);
    return maker->ops->find(maker, file->pipeline, near, found, point, err);
}

/* A loop that threads share is in no space for one thread. */
static bool divides_among_threads(const opevo_schedule_file *file)
{
    opevo_text steps = {0};
    bool divides = false;

    opevo_pipeline_print(file->pipeline, &steps);
    divides = strstr(opevo_text_string(&steps), " parallel\n") != NULL;
    opevo_text_free(&steps);
    return divides;
}

static opevo_status say_absent(const opevo_schedule_file *file, const opevo_kernel_maker *maker,
                               const char *path, opevo_error *err)
{
    unsigned threads = file->threads > 1 ? file->threads : 2;

    if (maker->dialect == OPEVO_KERNEL_C && maker->threads < 2 && divides_among_threads(file))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: the schedule divides a loop among threads; give --threads %u.", path,
                          threads);
    if (file->maker && strcmp(file->maker, maker->name) != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: the schedule is one of the template %.40s; give --template %.40s.",
                          path, file->maker, file->maker);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s: the space of the template %s has no point with this schedule.", path,
                      maker->name);
}

static opevo_status find_file(const opevo_objective *objective, const opevo_workload *work,
                              const char *path, opevo_index *point, opevo_error *err)
{
    const opevo_kernel_maker *maker = opevo_live_maker(objective);
    opevo_schedule_file file = {0};
    opevo_status status = OPEVO_OK;
    bool found = false;

    OPEVO_TRY(opevo_schedule_file_read(path, work, &maker->dialect, &file, err));
    status = find_schedule(objective, &file, &found, point, err);
    if (status == OPEVO_OK && (!found || !opevo_space_allows(objective->space, *point)))
        status = say_absent(&file, maker, path, err);
cleanup:
    opevo_schedule_file_free(&file);
    return status;
}

static opevo_status add_schedule(opevo_start_list *list, const opevo_objective *objective,
                                 const char *path, opevo_error *err)
{
    const opevo_kernel_maker *maker = opevo_live_maker(objective);
    opevo_workload *work = NULL;
    opevo_status status = OPEVO_OK;
    opevo_index point = 0;

    if (!maker || !maker->ops->find)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: a schedule needs a template: use --on " OPEVO_DEVICES_OR " with an "
                          "operator.",
                          path);
    OPEVO_TRY(opevo_workload_create(maker->computation, &work, err));
    OPEVO_TRY(find_file(objective, work, path, &point, err));
    status = opevo_start_list_add(list, point, "start", err);
cleanup:
    opevo_workload_destroy(work);
    return status;
}

/* ---- Words ---- */

static opevo_status add_run(opevo_start_list *list, const opevo_objective *objective,
                            const char *path, int64_t run, opevo_error *err)
{
    opevo_store *store = NULL;
    opevo_status status = opevo_store_open(path, OPEVO_STORE_READ, &store, err);

    if (status == OPEVO_OK)
        status = opevo_start_list_add_run(list, objective, store, run, err);
    opevo_store_close(store);
    return status;
}

static opevo_status add_given(opevo_start_list *list, const opevo_objective *objective,
                              const char *text, opevo_error *err)
{
    int64_t run = 0;
    char *path = opevo_store_split(text, &run);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(path, "reading start points");
    if (run)
        status = add_run(list, objective, path, run, err);
    else if (access(text, F_OK) == 0)
        status = add_schedule(list, objective, text, err);
    else if (*text == '{' || strchr(text, '='))
        status = opevo_start_list_add_text(list, objective->space, text, err);
    else
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "no such file; give none, default, a configuration, "
                            "STORE:RUN or the file of a schedule.");
    opevo_free(path);
    return status;
}

/* Where start points are what the command says, they are part of what identifies the run. */
static opevo_status print_more(opevo_live_starts *self, uint64_t starts, const char *transfer,
                               opevo_error *err)
{
    if (starts)
        opevo_text_printf(&self->more, " start=%016llx", (unsigned long long)starts);
    if (transfer)
        opevo_text_printf(
            &self->more, " transfer=%016llx",
            (unsigned long long)opevo_hash_bytes(OPEVO_HASH_START, transfer, strlen(transfer)));
    return opevo_text_check(&self->more, err);
}

/* The points of all words in their order; *hash is of what they say, 0 where that is nothing but
 * the default, and *none says whether they leave that out. */
static opevo_status add_starts(const opevo_start_words *words, const opevo_objective *objective,
                               opevo_start_list *list, uint64_t *hash, bool *none, opevo_error *err)
{
    bool by_default = false;

    *hash = 0;
    *none = false;
    for (size_t i = 0; i < words->count; i++) {
        const char *text = words->starts[i];
        opevo_error inner = {OPEVO_OK, ""};

        *none |= !strcmp(text, "none");
        by_default |= !strcmp(text, "default");
        if (!strcmp(text, "default"))
            continue;
        *hash = opevo_hash_bytes(*hash ? *hash : OPEVO_HASH_START, text, strlen(text) + 1);
        if (strcmp(text, "none") != 0 && add_given(list, objective, text, &inner) != OPEVO_OK)
            return OPEVO_FAIL(err, inner.status, "%sstart %.200s: %.700s", words->dashes, text,
                              inner.message);
    }
    if (*none && by_default)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%sstart none leaves out what %sstart default adds: give one of both.",
                          words->dashes, words->dashes);
    return OPEVO_OK;
}

static opevo_status add_related(const opevo_start_words *words, const opevo_objective *objective,
                                opevo_start_list *list, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_store *store = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_store_open(words->transfer, OPEVO_STORE_READ, &store, err));
    status = opevo_start_list_add_related(list, objective, store, TRANSFERRED_MOST, words->needed,
                                          &inner);
    if (status == OPEVO_MISMATCH)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%stransfer %s", words->dashes, inner.message);
    else if (status != OPEVO_OK)
        OPEVO_FAIL(err, status, "%s", inner.message);
cleanup:
    opevo_store_close(store);
    return status;
}

opevo_status opevo_live_starts_read(const opevo_start_words *words,
                                    const opevo_objective *objective, opevo_live_starts *self,
                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t hash = 0;
    bool none = false;

    if (!words->count && !words->transfer)
        return OPEVO_OK;
    OPEVO_TRY(opevo_start_list_create(&self->list, err));
    OPEVO_TRY(add_starts(words, objective, self->list, &hash, &none, err));
    if (!none)
        OPEVO_TRY(opevo_start_list_add_own(self->list, objective, err));
    if (words->transfer)
        OPEVO_TRY(add_related(words, objective, self->list, err));
    status = print_more(self, hash, words->transfer, err);
cleanup:
    return status;
}

void opevo_live_starts_free(opevo_live_starts *self)
{
    opevo_start_list_destroy(self->list);
    opevo_text_free(&self->more);
    *self = (opevo_live_starts){.list = NULL};
}
