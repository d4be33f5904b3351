/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a verb printed, or a report has as its data: the command of the manifest, run again. */

#include "reproduce_internal.h"

#include <opevo/file.h>
#include <opevo/json_read.h>
#include <opevo/manifest.h>
#include <opevo/memory.h>
#include <opevo/sealed.h>
#include <opevo/sha256.h>
#include <opevo/store.h>
#include <opevo/version.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* The registration of a hash in the stores of a manifest; NULL: none. */
static const json_t *find_registration(const json_t *manifest, const char *hash)
{
    const json_t *stores = json_object_get(manifest, "stores");

    for (size_t i = 0; i < json_array_size(stores); i++) {
        const json_t *all = json_object_get(json_array_get(stores, i), "registrations");

        for (size_t j = 0; j < json_array_size(all); j++) {
            const json_t *one = json_array_get(all, j);

            if (!strcmp(text_of(one, "hash"), hash))
                return one;
        }
    }
    return NULL;
}

/* What the file shows of registrations must be what its manifest repeats. */
static void check_registrations(opevo_i_cli_reproduced *self, const json_t *root)
{
    static const char *const keys[] = {"plan", "written"};
    const json_t *shown = json_object_get(root, "registrations");

    for (size_t i = 0; i < json_array_size(shown); i++) {
        const json_t *one = json_array_get(shown, i);
        const json_t *own =
            find_registration(json_object_get(root, "manifest"), text_of(one, "hash"));
        bool same = own != NULL;

        for (size_t k = 0; k < sizeof keys / sizeof *keys && same; k++)
            same = !strcmp(text_of(one, keys[k]), text_of(own, keys[k]));
        if (same) {
            self->result.equal++;
            continue;
        }
        self->result.differ++;
        opevo_text_printf(
            &self->result.list,
            "registrations[%zu]: its hash, plan or time is not that of its manifest\n", i);
    }
}

/* ---- Sealed landscapes ----------------------------------------------------------------------- */

/* Whether the entry of that number ends the chain with `head`; *count gets the number of all. */
static bool has_entry(const opevo_text *log, json_int_t number, const char *head, size_t *count)
{
    bool found = false;

    *count = 0;
    for (const char *at = opevo_text_string(log); *at; ++*count) {
        size_t length = strcspn(at, "\n");
        json_t *entry = json_loadb(at, length, 0, NULL);

        found = found || (json_integer_value(json_object_get(entry, "entry")) == number &&
                          !strcmp(text_of(entry, "chain"), head));
        json_decref(entry);
        at += length + (at[length] == '\n');
    }
    return found;
}

static opevo_status check_looks(opevo_i_cli_reproduced *self, const json_t *landscape,
                                opevo_error *err)
{
    const char *on = text_of(landscape, "on"), *head = text_of(landscape, "log_head");
    json_int_t looks = json_integer_value(json_object_get(landscape, "looks"));
    opevo_text path = {0}, log = {0};
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    if (strncmp(on, "sealed:", 7) != 0)
        return OPEVO_OK;
    find_file(self, on + 7, &path);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_sealed_print_log(path.data, &log, err));
    if (!has_entry(&log, looks, head, &count)) {
        self->result.differ++;
        opevo_text_printf(&self->result.list,
                          "%s: %lld looks with the hash %.64s are stated, which its log of %zu "
                          "does not have\n",
                          path.data, (long long)looks, head, count);
    } else {
        self->result.equal += 2;
    }
cleanup:
    opevo_text_free(&path);
    opevo_text_free(&log);
    return status;
}

static opevo_status check_all_looks(opevo_i_cli_reproduced *self, const json_t *root,
                                    opevo_error *err)
{
    const json_t *landscapes = json_object_get(root, "landscapes");
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < json_array_size(landscapes) && status == OPEVO_OK; i++) {
        if (json_object_get(json_array_get(landscapes, i), "looks"))
            status = check_looks(self, json_array_get(landscapes, i), err);
    }
    return status;
}

/* ---- Stores ---------------------------------------------------------------------------------- */

/* SCRATCH/NUMBER/NAME.db, so that what prints the name of the store prints the same one. */
static opevo_status name_store(const opevo_i_cli_reproduced *self, const char *path, size_t number,
                               opevo_text *out, opevo_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    opevo_status status = OPEVO_OK;

    opevo_text_printf(out, "%s/%zu", self->scratch, number);
    OPEVO_TRY(opevo_text_check(out, err));
    if (mkdir(out->data, 0700) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", out->data, strerror(errno));
    opevo_text_printf(out, "/%s", *name && strspn(name, ".") < strlen(name) ? name : "runs.db");
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

/* The store that takes the place of one: made again, or else itself if it is still what it was. */
static opevo_status find_store(opevo_i_cli_reproduced *self, const json_t *store, size_t number,
                               opevo_text *out, bool *good, opevo_error *err)
{
    char hash[OPEVO_SHA256_SIZE] = "";
    bool whole = false;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(name_store(self, text_of(store, "file"), number, out, err));
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

        if ((!full || strcmp(full, file) != 0) &&
            strcmp(own ? own + 1 : path, slash ? slash + 1 : file) != 0)
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
        OPEVO_NEED(words[made], "repeating a command");
    }
    if (is_page) {
        words[made++] = opevo_strdup("-o");
        words[made++] = opevo_strdup(opevo_text_string(&page));
    }
    OPEVO_TRY(opevo_i_cli_reproduce_run(self, (const char *const *)words, made, out, err));
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

/* ---- Pages ----------------------------------------------------------------------------------- */

static const char data_mark[] = "<script type=\"application/json\" id=\"data\">";

/* A page whole; *data is where its data begin and *end where they end, NULL where it has none. */
static opevo_status read_page(const char *path, char **text, char **data, char **end,
                              opevo_error *err)
{
    size_t size = 0;
    opevo_status status = opevo_file_read(path, FILE_BYTES_MAX, text, &size, err);

    *data = status == OPEVO_OK ? strstr(*text, data_mark) : NULL;
    *data = *data ? *data + strlen(data_mark) : NULL;
    *end = *data ? strstr(*data, "</script>") : NULL;
    return status;
}

opevo_status opevo_i_cli_reproduce_page_data(const char *path, json_t **out, opevo_error *err)
{
    char *text = NULL, *data = NULL, *end = NULL;
    opevo_status status = read_page(path, &text, &data, &end, err);

    if (end) {
        *end = '\0';
        status = opevo_json_parse(path, data, (size_t)(end - data), out, err);
    }
    opevo_free(text);
    return status;
}

/* The title is the names of the stores as the command of the file has them, not those of the
 * copies; *restored: it was another. */
static opevo_status restore_title(const json_t *manifest, const opevo_text *paths, json_t *found,
                                  bool *restored, opevo_error *err)
{
    const json_t *command = json_object_get(manifest, "command");
    const json_t *stores = json_object_get(manifest, "stores");
    opevo_text title = {0};
    opevo_status status = OPEVO_OK;

    for (const char *at = text_of(found, "title"); *at;) {
        size_t length = 0;

        for (size_t i = 1; i < json_array_size(command) && !length; i++) {
            const char *word = json_string_value(json_array_get(command, i));
            char *made = word ? replace(word, stores, paths) : NULL;

            if (made && strcmp(made, word) != 0 && !strncmp(at, made, strlen(made))) {
                length = strlen(made);
                opevo_text_add(&title, word);
                *restored = true;
            }
            opevo_free(made);
        }
        if (!length)
            opevo_text_add_bytes(&title, at, 1);
        at += length ? length : 1;
    }
    status = opevo_text_check(&title, err);
    if (status == OPEVO_OK &&
        json_object_set_new(found, "title", json_string(opevo_text_string(&title))) != 0)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to compare titles.");
    opevo_text_free(&title);
    return status;
}

/* Whether all of a page but its data is that of another page, with the title where it is given. */
static bool are_same_pages(char *const stated[3], char *const found[3], const char *title)
{
    const char *begin = found[2] ? strstr(found[0], "<title>") : NULL;
    const char *end = begin ? strstr(begin, "</title>") : NULL;
    opevo_text head = {0};
    bool same = false;

    if (!stated[2] || !end || end > found[1])
        return false;
    begin = title ? begin + strlen("<title>") : end;
    opevo_text_add_bytes(&head, found[0], (size_t)(begin - found[0]));
    opevo_text_add_xml(&head, title ? title : "");
    opevo_text_add(&head, title ? " - opevo report" : "");
    opevo_text_add_bytes(&head, end, (size_t)(found[1] - end));
    same = !head.failed && head.length == (size_t)(stated[1] - stated[0]) &&
           !memcmp(head.data, stated[0], head.length) && !strcmp(stated[2], found[2]);
    opevo_text_free(&head);
    return same;
}

/* What a page shows is made from its data by its script: all outside of the data must be the
 * program's. */
static opevo_status compare_pages(opevo_i_cli_reproduced *self, const char *title, opevo_error *err)
{
    opevo_text path = {0};
    char *stated[3] = {NULL}, *found[3] = {NULL};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/report.html", self->scratch);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(read_page(self->path, &stated[0], &stated[1], &stated[2], err));
    OPEVO_TRY(read_page(path.data, &found[0], &found[1], &found[2], err));
    if (are_same_pages(stated, found, title)) {
        self->result.equal++;
    } else if (self->exactly) {
        self->result.differ++;
        opevo_text_add(&self->result.list, "the page outside of its data is not that of opevo\n");
    } else {
        opevo_i_cli_reproduce_leave(self, "the page outside of its data, which is not that of this "
                                          "program: open a report of this program instead");
    }
cleanup:
    opevo_text_free(&path);
    opevo_free(stated[0]);
    opevo_free(found[0]);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------ */

opevo_status opevo_i_cli_reproduce_document(opevo_i_cli_reproduced *self, const json_t *root,
                                            bool is_page, opevo_error *err)
{
    const json_t *manifest = json_object_get(root, "manifest");
    const json_t *stores = json_object_get(manifest, "stores");
    size_t count = json_array_size(stores);
    opevo_text *paths = opevo_calloc(count + 1, sizeof *paths);
    opevo_text printed = {0};
    json_t *found = NULL;
    bool good = true, restored = false;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(paths, "reproducing %s", self->path);
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
    if (is_page && found)
        OPEVO_TRY(restore_title(manifest, paths, found, &restored, err));
    OPEVO_TRY(compare(self, root, found, err));
    check_registrations(self, root);
    OPEVO_TRY(check_all_looks(self, root, err));
    if (is_page)
        OPEVO_TRY(compare_pages(self, restored ? text_of(found, "title") : NULL, err));
cleanup:
    for (size_t i = 0; i < count; i++)
        opevo_text_free(&paths[i]);
    opevo_free(paths);
    opevo_text_free(&printed);
    json_decref(found);
    return status;
}
