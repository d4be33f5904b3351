/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The words and files of a call, as its manifest has them. */

#include "manifest_of_call_internal.h"

#include <opevo/json.h>
#include <opevo/manifest.h>
#include <opevo/memory.h>
#include <opevo/store.h>

#include <string.h>
#include <sys/stat.h>

/* A growing list of texts. */
typedef struct words {
    char **items;
    size_t count, capacity;
    bool failed;
} words;

/* Of objectives that were opened, which may be closed before results are printed. A process does
 * one call after the other. */
static words noted;
static const opevo_call *current;

static void add(words *self, const char *text)
{
    void *items = self->items;
    char *copy = opevo_strdup(text);

    if (!copy || !opevo_reserve(&items, &self->capacity, self->count + 1, sizeof copy)) {
        opevo_free(copy);
        self->failed = true;
        return;
    }
    self->items = items;
    self->items[self->count++] = copy;
}

static void add_once(words *self, const char *text)
{
    for (size_t i = 0; i < self->count; i++) {
        if (!strcmp(self->items[i], text))
            return;
    }
    add(self, text);
}

static void release(words *self)
{
    for (size_t i = 0; i < self->count; i++)
        opevo_free(self->items[i]);
    opevo_free(self->items);
    *self = (words){.items = NULL};
}

const opevo_call *opevo_i_cli_manifest_begin(const opevo_call *call)
{
    const opevo_call *earlier = current;

    release(&noted);
    current = call;
    return earlier;
}

void opevo_i_cli_manifest_note(const opevo_objective *objective)
{
    for (size_t i = 0; objective->files && objective->files[i]; i++)
        add_once(&noted, objective->files[i]);
}

/* Options that say where output goes and how fast, not what it is. Threads divide computed work,
 * and its numbers are the same for any number of them. */
static bool decides_nothing(const opevo_option *option)
{
    static const char *const names[] = {"quiet", "threads", "-o", "store", "curve"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(option->name, names[i]))
            return true;
    }
    return false;
}

static void add_command(const opevo_call *call, bool whole, words *out)
{
    opevo_text name = {0};

    add(out, call->verb->name);
    for (size_t i = 0; i < call->argument_count; i++)
        add(out, call->arguments[i]);
    for (size_t i = 0; i < call->given_count; i++) {
        const opevo_given *given = &call->given[i];

        if (!whole && decides_nothing(given->option))
            continue;
        opevo_text_clear(&name);
        opevo_text_printf(&name, "%s%s", opevo_i_cli_option_dashes(given->option),
                          given->option->name);
        add(out, opevo_text_string(&name));
        if (given->value)
            add(out, given->value);
    }
    out->failed = out->failed || name.failed;
    opevo_text_free(&name);
}

void opevo_i_cli_manifest_print_command(opevo_text *out)
{
    words command = {.items = NULL};

    if (current)
        add_command(current, true, &command);
    opevo_text_add(out, "[");
    for (size_t i = 0; i < command.count; i++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, command.items[i]);
    }
    opevo_text_add(out, "]");
    out->failed = out->failed || command.failed;
    release(&command);
}

const char *opevo_i_cli_manifest_verb(void)
{
    return current ? current->verb->name : "";
}

/* A word that names a regular file, or a store and a run of it. */
static void sort_word(const char *word, words *files, words *stores)
{
    struct stat info;
    int64_t run = 0;
    char *path = opevo_store_split(word, &run);

    if (path && stat(path, &info) == 0 && S_ISREG(info.st_mode))
        add_once(opevo_store_is(path) ? stores : files, path);
    opevo_free(path);
}

opevo_status opevo_i_cli_manifest_add(opevo_text *out, opevo_error *err)
{
    const opevo_call *call = current;
    words command = {.items = NULL}, files = {.items = NULL}, stores = {.items = NULL};
    opevo_manifest_options options;
    opevo_status status = OPEVO_OK;

    if (!call)
        return opevo_text_check(out, err);
    add_command(call, false, &command);
    for (size_t i = 0; i < noted.count; i++)
        add_once(&files, noted.items[i]);
    for (size_t i = 0; i < call->argument_count; i++)
        sort_word(call->arguments[i], &files, &stores);
    for (size_t i = 0; i < call->given_count; i++) {
        if (call->given[i].value && !decides_nothing(call->given[i].option))
            sort_word(call->given[i].value, &files, &stores);
    }
    options = (opevo_manifest_options){.command = (const char *const *)command.items,
                                       .command_count = command.count,
                                       .files = (const char *const *)files.items,
                                       .file_count = files.count,
                                       .stores = (const char *const *)stores.items,
                                       .store_count = stores.count};
    status = command.failed || files.failed || stores.failed
                 ? OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a manifest.")
                 : opevo_manifest_add(&options, out, err);
    release(&command);
    release(&files);
    release(&stores);
    return status;
}
