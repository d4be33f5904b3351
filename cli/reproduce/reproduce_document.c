/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a verb printed, or a report has as its data: the command of the manifest, run again. */

#include "reproduce_internal.h"

#include <opevo/file.h>
#include <opevo/json_read.h>
#include <opevo/manifest.h>
#include <opevo/memory.h>
#include <opevo/sha256.h>
#include <opevo/store.h>
#include <opevo/version.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MOST = 4200 };
#define FILE_BYTES_MAX ((size_t)1 << 30)

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* ---- The manifest ---------------------------------------------------------------------------- */

/* Whether the file is what was written, by the hash in its manifest. */
static opevo_status check_content(opevo_i_cli_reproduced *self, const json_t *root,
                                  opevo_error *err)
{
    char *text = json_dumps(root, JSON_COMPACT);
    opevo_text hash = {0};
    opevo_status status = text ? opevo_manifest_content(text, strlen(text), &hash, err)
                               : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to check %s.", self->path);

    if (status == OPEVO_OK && strcmp(opevo_text_string(&hash),
                                     text_of(json_object_get(root, "manifest"), "content")) != 0) {
        self->result.differ++;
        opevo_text_add(&self->result.list,
                       "it was changed after opevo wrote it: its content has another SHA-256 than "
                       "its manifest says\n");
    }
    free(text); /* Jansson's */
    opevo_text_free(&hash);
    return status;
}

/* The machine of this process, as a manifest of nothing has it. */
static opevo_status is_same_machine(const json_t *manifest, bool *same, opevo_error *err)
{
    opevo_text text = {0};
    json_t *own = NULL;
    opevo_status status = OPEVO_OK;

    opevo_text_add(&text, "{}");
    OPEVO_TRY(opevo_manifest_add(&(opevo_manifest_options){.command_count = 0}, &text, err));
    OPEVO_TRY(opevo_json_parse("a manifest", text.data, text.length, &own, err));
    *same = json_equal(json_object_get(json_object_get(own, "manifest"), "machine"),
                       json_object_get(manifest, "machine"));
cleanup:
    json_decref(own);
    opevo_text_free(&text);
    return status;
}

/* The file is one of the manifest, or has the last part of its name beside the reproduced one. */
static void find_file(const opevo_i_cli_reproduced *self, const char *path, opevo_text *out)
{
    const char *slash = strrchr(path, '/');

    if (access(path, F_OK) != 0)
        opevo_text_printf(out, "%s/%s", self->beside, slash ? slash + 1 : path);
    else
        opevo_text_add(out, path);
}

static opevo_status check_file(opevo_i_cli_reproduced *self, const json_t *file, bool *good,
                               opevo_error *err)
{
    char hash[OPEVO_SHA256_SIZE] = "";
    opevo_text path = {0};
    opevo_status status = OPEVO_OK;

    find_file(self, text_of(file, "file"), &path);
    OPEVO_TRY(opevo_text_check(&path, err));
    if (opevo_sha256_file(path.data, hash, NULL) != OPEVO_OK) {
        opevo_i_cli_reproduce_leave(self, "%s is not here, nor in %s", text_of(file, "file"),
                                    self->beside);
        *good = false;
    } else if (strcmp(hash, text_of(file, "sha256")) != 0) {
        self->result.differ++;
        opevo_text_printf(&self->result.list,
                          "the data are not those of the file: %s has SHA-256 %s, not %s\n",
                          path.data, hash, text_of(file, "sha256"));
        *good = false;
    } else {
        self->result.equal++;
    }
cleanup:
    opevo_text_free(&path);
    return status;
}

opevo_status opevo_i_cli_reproduce_enter(opevo_i_cli_reproduced *self, const json_t *root,
                                         bool *good, opevo_error *err)
{
    const json_t *manifest = json_object_get(root, "manifest");
    const json_t *program = json_object_get(manifest, "program");
    const json_t *files = json_object_get(manifest, "files");
    bool same = false;
    opevo_status status = OPEVO_OK;

    *good = true;
    if (strcmp(text_of(manifest, "format"), "opevo manifest 1") != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has no manifest that this program reads: give a report, what opevo "
                          "printed with --json, a recording, or a page of results.",
                          self->path);
    OPEVO_TRY(check_content(self, root, err));
    OPEVO_TRY(is_same_machine(manifest, &same, err));
    self->exactly = same && !self->measures && *opevo_build() &&
                    !strcmp(text_of(program, "build"), opevo_build());
    if (chdir(text_of(manifest, "folder")) != 0 && chdir(self->beside) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: its folder is not here.", self->path);
    for (size_t i = 0; i < json_array_size(files) && status == OPEVO_OK; i++)
        status = check_file(self, json_array_get(files, i), good, err);
cleanup:
    return status;
}

/* ---- Stores ---------------------------------------------------------------------------------- */

/* The store that takes the place of one: made again, or else itself if it is still what it was. */
static opevo_status find_store(opevo_i_cli_reproduced *self, const json_t *store, size_t number,
                               opevo_text *out, bool *good, opevo_error *err)
{
    char hash[OPEVO_SHA256_SIZE] = "";
    bool whole = false;
    opevo_status status = OPEVO_OK;

    opevo_text_printf(out, "%s/%zu.db", self->scratch, number);
    OPEVO_TRY(opevo_text_check(out, err));
    OPEVO_TRY(opevo_i_cli_reproduce_store(self, store, out->data, &whole, err));
    if (whole)
        return OPEVO_OK;
    opevo_text_clear(out);
    find_file(self, text_of(store, "file"), out);
    OPEVO_TRY(opevo_text_check(out, err));
    if (opevo_sha256_file(out->data, hash, NULL) != OPEVO_OK) {
        opevo_i_cli_reproduce_leave(self, "%s is not here, nor in %s", text_of(store, "file"),
                                    self->beside);
        *good = false;
    } else if (strcmp(hash, text_of(store, "sha256")) != 0) {
        self->result.differ++;
        opevo_text_printf(&self->result.list, "%s has changed since\n", out->data);
        *good = false;
    } else {
        opevo_i_cli_reproduce_leave(self, "statistics are computed from the trials in %s",
                                    out->data);
    }
cleanup:
    return status;
}

static opevo_status find_stores(opevo_i_cli_reproduced *self, const json_t *stores,
                                opevo_text *paths, bool *good, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < json_array_size(stores) && *good && status == OPEVO_OK; i++)
        status = find_store(self, json_array_get(stores, i), i + 1, &paths[i], good, err);
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* The word with the store that it names replaced; the caller frees it. NULL without memory. */
static char *replace(const char *word, const json_t *stores, const opevo_text *paths)
{
    int64_t run = 0;
    char *path = opevo_store_split(word, &run);
    char *full = path ? realpath(path, NULL) : NULL;
    opevo_text out = {0};

    for (size_t i = 0; path && i < json_array_size(stores) && !out.length; i++) {
        const char *file = text_of(json_array_get(stores, i), "file");
        const char *slash = strrchr(file, '/'), *own = strrchr(path, '/');

        if (full ? strcmp(full, file) : strcmp(own ? own + 1 : path, slash ? slash + 1 : file))
            continue;
        opevo_text_add(&out, opevo_text_string(&paths[i]));
        if (run)
            opevo_text_printf(&out, ":%lld", (long long)run);
    }
    if (!out.length)
        opevo_text_add(&out, word);
    opevo_free(path);
    free(full); /* of the C library */
    return out.failed ? NULL : out.data;
}

static opevo_status run_command(opevo_i_cli_reproduced *self, const json_t *manifest,
                                const opevo_text *paths, bool is_page, opevo_text *out,
                                opevo_error *err)
{
    const json_t *command = json_object_get(manifest, "command");
    const json_t *stores = json_object_get(manifest, "stores");
    size_t count = json_array_size(command), made = 0;
    char *words[WORDS_MOST] = {NULL};
    opevo_text page = {0};
    opevo_status status = OPEVO_OK;

    if (count == 0 || count + 2 > WORDS_MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: its manifest has no command.", self->path);
    opevo_text_printf(&page, "%s/report.html", self->scratch);
    for (; made < count; made++) {
        const char *word = json_string_value(json_array_get(command, made));

        words[made] = replace(word ? word : "", stores, paths);
        if (!words[made]) {
            status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to repeat a command.");
            goto cleanup;
        }
    }
    if (is_page) {
        words[made++] = opevo_strdup("-o");
        words[made++] = opevo_strdup(opevo_text_string(&page));
    }
    OPEVO_TRY(opevo_i_cli_reproduce_run((const char *const *)words, made, out, err));
    self->repeated++;
cleanup:
    for (size_t i = 0; i < made; i++)
        opevo_free(words[i]);
    opevo_text_free(&page);
    return status;
}

/* What the command printed, or wrote into a page. */
static opevo_status read_found(const opevo_i_cli_reproduced *self, bool is_page,
                               const opevo_text *printed, json_t **out, opevo_error *err)
{
    opevo_text page = {0};
    opevo_status status = OPEVO_OK;

    if (!is_page)
        return opevo_json_parse("what was computed", opevo_text_string(printed), printed->length,
                                out, err);
    opevo_text_printf(&page, "%s/report.html", self->scratch);
    status = opevo_text_check(&page, err);
    if (status == OPEVO_OK)
        status = opevo_i_cli_reproduce_page_data(page.data, out, err);
    opevo_text_free(&page);
    return status;
}

static opevo_status compare(opevo_i_cli_reproduced *self, const json_t *root, const json_t *found,
                            opevo_error *err)
{
    char *a = json_dumps(root, JSON_COMPACT), *b = found ? json_dumps(found, JSON_COMPACT) : NULL;
    opevo_status status = a && b ? opevo_reproduction_compare(&self->result, a, strlen(a), b,
                                                              strlen(b), self->exactly, err)
                                 : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to compare numbers.");

    free(a); /* Jansson's */
    free(b);
    return status;
}

opevo_status opevo_i_cli_reproduce_document(opevo_i_cli_reproduced *self, const json_t *root,
                                            bool is_page, opevo_error *err)
{
    const json_t *manifest = json_object_get(root, "manifest");
    const json_t *stores = json_object_get(manifest, "stores");
    size_t count = json_array_size(stores);
    opevo_text *paths = opevo_calloc(count + 1, sizeof *paths);
    opevo_text printed = {0};
    json_t *found = NULL;
    bool good = true;
    opevo_status status = OPEVO_OK;

    if (!paths)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to reproduce %s.", self->path);
    OPEVO_TRY(opevo_i_cli_reproduce_enter(self, root, &good, err));
    if (good)
        OPEVO_TRY(find_stores(self, stores, paths, &good, err));
    if (!good)
        goto cleanup;
    /* A call of tune goes to its own folder. */
    if (chdir(text_of(manifest, "folder")) != 0 && chdir(self->beside) != 0)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_IO, "%s: its folder is not here.", self->path));
    OPEVO_TRY(run_command(self, manifest, paths, is_page, &printed, err));
    OPEVO_TRY(read_found(self, is_page, &printed, &found, err));
    OPEVO_TRY(compare(self, root, found, err));
cleanup:
    for (size_t i = 0; i < count; i++)
        opevo_text_free(&paths[i]);
    opevo_free(paths);
    opevo_text_free(&printed);
    json_decref(found);
    return status;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

opevo_status opevo_i_cli_reproduce_page_data(const char *path, json_t **out, opevo_error *err)
{
    static const char mark[] = "<script type=\"application/json\" id=\"data\">";
    char *text = NULL, *data = NULL, *end = NULL;
    size_t size = 0;
    opevo_status status = opevo_file_read(path, FILE_BYTES_MAX, &text, &size, err);

    if (status != OPEVO_OK)
        return status;
    data = strstr(text, mark);
    end = data ? strstr(data, "</script>") : NULL;
    if (end) {
        data += strlen(mark);
        *end = '\0';
        status = opevo_json_parse(path, data, (size_t)(end - data), out, err);
    }
    opevo_free(text);
    return status;
}
