/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reproduce: compute the numbers of files again, and say of each whether it follows. */

#include "reproduce_internal.h"

#include <opevo/json.h>
#include <opevo/json_read.h>
#include <opevo/memory.h>

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const opevo_option options[] = {
    {"measure", NULL, "also repeat what is measured; executes programs that the file names", false},
    {"beside", "DIR", "where data and stores are that are not in their folders (default: FILE's)",
     false},
    {"json", NULL, "print one JSON object", false},
    {"quiet", NULL, "only what does not follow", false},
};

#define FILE_BYTES_MAX ((size_t)1 << 30)

/* ---- One file -------------------------------------------------------------------------------- */

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), part = strlen(ending);

    return length > part && !strcmp(path + length - part, ending);
}

static opevo_status reproduce_json(opevo_i_cli_reproduced *self, opevo_error *err)
{
    json_t *root = NULL;
    const char *format = NULL;
    opevo_status status = opevo_json_load(self->path, FILE_BYTES_MAX, &root, err);

    if (status != OPEVO_OK)
        return status;
    format = json_string_value(json_object_get(root, "format"));
    status = format && !strcmp(format, "tuning-landscape 1")
                 ? opevo_i_cli_reproduce_recording(self, root, err)
                 : opevo_i_cli_reproduce_document(self, root, false, err);
    json_decref(root);
    return status;
}

static opevo_status reproduce_page(opevo_i_cli_reproduced *self, opevo_error *err)
{
    json_t *root = NULL;
    opevo_status status = opevo_i_cli_reproduce_page_data(self->path, &root, err);

    if (status == OPEVO_OK && !root)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a report of opevo.", self->path);
    if (status == OPEVO_OK)
        status = opevo_i_cli_reproduce_document(self, root, true, err);
    json_decref(root);
    return status;
}

/* NAME.csv of a recording is NAME.json. */
static opevo_status reproduce_table(opevo_i_cli_reproduced *self, opevo_error *err)
{
    const char *own = self->path;
    opevo_text json = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&json, "%.*s.json", (int)(strlen(own) - 4), own);
    OPEVO_TRY(opevo_text_check(&json, err));
    self->path = json.data;
    status = reproduce_json(self, err);
    self->path = own;
cleanup:
    opevo_text_free(&json);
    return status;
}

static opevo_status reproduce(opevo_i_cli_reproduced *self, opevo_error *err)
{
    if (ends_with(self->path, ".md"))
        return opevo_i_cli_reproduce_markdown(self, err);
    if (ends_with(self->path, ".html"))
        return reproduce_page(self, err);
    return ends_with(self->path, ".csv") ? reproduce_table(self, err) : reproduce_json(self, err);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

/* ---- What is said ---------------------------------------------------------------------------- */

/* Each line of a list behind a word. */
static void add_lines(const char *word, const opevo_text *list, opevo_text *out)
{
    for (const char *at = opevo_text_string(list); *at;) {
        size_t length = strcspn(at, "\n");

        opevo_text_printf(out, "  %s: %.*s\n", word, (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void print_text(const opevo_i_cli_reproduced *self, const char *name, bool quiet,
                       opevo_text *out)
{
    const opevo_reproduction *result = &self->result;

    if (quiet && !result->differ)
        return;
    opevo_text_add_visible(out, name);
    opevo_text_printf(out, ": %zu values as stated, %zu within their bound or interval",
                      result->equal, result->within);
    if (result->unjudged)
        opevo_text_printf(out, ", %zu estimates without a stated interval differ",
                          result->unjudged);
    opevo_text_printf(out, ", %zu do not follow\n", result->differ);
    add_lines("does not follow", &result->list, out);
    if (!quiet)
        add_lines("not judged", &result->open, out);
    if (!quiet)
        add_lines("not repeated", &self->left, out);
}

static void add_json_lines(const char *key, const opevo_text *list, opevo_text *out)
{
    opevo_text line = {0};

    opevo_json_open(out, key, "[");
    for (const char *at = opevo_text_string(list); *at;) {
        size_t length = strcspn(at, "\n");

        opevo_text_clear(&line);
        opevo_text_add_bytes(&line, at, length);
        opevo_json_next(out, " ");
        opevo_text_add_json(out, opevo_text_string(&line));
        at += length + (at[length] == '\n');
    }
    opevo_text_add(out, "]");
    opevo_text_free(&line);
}

static void print_json(const opevo_i_cli_reproduced *self, const char *name, opevo_text *out)
{
    opevo_json_open_next(out, "\n ", "{");
    opevo_json_string(out, "file", name);
    opevo_json_bool(out, "exactly", self->exactly);
    opevo_json_index(out, "repeated", self->repeated);
    opevo_json_index(out, "equal", self->result.equal);
    opevo_json_index(out, "within", self->result.within);
    opevo_json_index(out, "unjudged", self->result.unjudged);
    opevo_json_index(out, "differ", self->result.differ);
    add_json_lines("does_not_follow", &self->result.list, out);
    add_json_lines("not_judged", &self->result.open, out);
    add_json_lines("not_repeated", &self->left, out);
    opevo_text_add(out, "}");
}

/* ---- The verb -------------------------------------------------------------------------------- */

/* What was said of all files together. */
typedef struct totals {
    size_t differ, repeated;
} totals;

static opevo_status do_file(const opevo_call *call, const char *name, const char *path,
                            const char *beside, totals *all, opevo_text *out, opevo_error *err)
{
    const char *temporary = getenv("TMPDIR");
    opevo_text scratch = {0};
    opevo_i_cli_reproduced self = {
        .path = path, .beside = beside, .measures = opevo_i_cli_flag(call, "measure")};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&scratch, "%s/opevo-reproduce-XXXXXX", temporary ? temporary : "/tmp");
    OPEVO_TRY(opevo_text_check(&scratch, err));
    if (!mkdtemp(scratch.data))
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", scratch.data, strerror(errno)));
    self.scratch = scratch.data;
    status = reproduce(&self, err);
    nftw(scratch.data, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    OPEVO_TRY(status);
    OPEVO_TRY(opevo_text_check(&self.left, err));
    OPEVO_TRY(opevo_text_check(&self.result.open, err));
    if (opevo_i_cli_flag(call, "json"))
        print_json(&self, name, out);
    else
        print_text(&self, name, opevo_i_cli_flag(call, "quiet"), out);
    all->differ += self.result.differ;
    all->repeated += self.repeated;
cleanup:
    opevo_reproduction_free(&self.result);
    opevo_text_free(&self.left);
    opevo_text_free(&scratch);
    return status;
}

/* The file and the folder that is beside it, before any command leaves this folder. */
static opevo_status do_name(const opevo_call *call, const char *name, totals *all, opevo_text *out,
                            opevo_error *err)
{
    const char *given = opevo_i_cli_option(call, "beside");
    char *path = realpath(name, NULL), *folder = given ? realpath(given, NULL) : NULL;
    char *home = realpath(".", NULL);
    opevo_text beside = {0};
    opevo_status status = OPEVO_OK;

    if (!path || !home || (given && !folder)) {
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path ? given : name, strerror(errno));
        goto cleanup;
    }
    opevo_text_add_bytes(&beside, path, (size_t)(strrchr(path, '/') - path));
    OPEVO_TRY(opevo_text_check(&beside, err));
    status = do_file(call, name, path, folder ? folder : beside.data, all, out, err);
    if (chdir(home) != 0 && status == OPEVO_OK)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", home, strerror(errno));
cleanup:
    free(path); /* of the C library */
    free(folder);
    free(home);
    opevo_text_free(&beside);
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    bool json = opevo_i_cli_flag(call, "json");
    totals all = {.differ = 0};
    opevo_status status = OPEVO_OK;

    opevo_text_add(out, json ? "{" : "");
    if (json)
        opevo_json_open(out, "files", "[");
    for (size_t i = 0; i < call->argument_count && status == OPEVO_OK; i++)
        status = do_name(call, call->arguments[i], &all, out, err);
    OPEVO_TRY(status);
    if (json) {
        opevo_text_add(out, "]");
        opevo_json_index(out, "differ", all.differ);
        opevo_text_add(out, "}\n");
    } else if (!all.repeated) {
        opevo_text_add(out, "nothing could be repeated\n");
    }
    if (all.differ || !all.repeated)
        *exit_code = OPEVO_EXIT_FAILED;
cleanup:
    return status;
}

const opevo_verb opevo_i_cli_verb_reproduce = {
    .name = "reproduce",
    .arguments = "FILE...",
    .arguments_min = 1,
    .arguments_max = 4096,
    .summary = "Compute the numbers of a report, an analysis, a recording or a page again.",
    .details =
        "  opevo analyze runs.db --json >analysis.json\n"
        "  opevo reproduce analysis.json\n"
        "  opevo reproduce report.html\n"
        "  opevo reproduce recording.json --measure\n"
        "  opevo reproduce docs/results/*.md\n\n"
        "Runs the plans and commands again that the manifest of the file names, in a folder of\n"
        "their own, and says of each number whether it follows: equal, or within the bound or\n"
        "interval that the file states. Exit status 1, with a list, if one does not, or if "
        "nothing\n"
        "could be repeated. What is measured is repeated with --measure only, which executes what\n"
        "the file names. docs/claims.md describes manifests.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
