/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Writing a manifest. */

#include "claims_internal.h"

#include <opevo/json.h>
#include <opevo/json_read.h>
#include <opevo/manifest.h>
#include <opevo/memory.h>
#include <opevo/sha256.h>
#include <opevo/store.h>
#include <opevo/struct_size.h>
#include <opevo/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- Content --------------------------------------------------------------------------------- */

/* As opevo_manifest_content, of a tree. */
static opevo_status hash_content(const json_t *root, opevo_text *out, opevo_error *err)
{
    json_t *rest = json_copy((json_t *)root); /* shallow: nothing of the tree is changed */
    char hash[OPEVO_SHA256_SIZE];
    char *text = NULL;

    if (rest)
        json_object_del(rest, OPEVO_I_MANIFEST_KEY);
    text = rest ? json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(rest);
    OPEVO_NEED_OR_RETURN(text, "the hash of a file");
    opevo_sha256_of(text, strlen(text), hash);
    free(text); /* Jansson's */
    opevo_text_add(out, hash);
    return opevo_text_check(out, err);
}

opevo_status opevo_manifest_content(const char *text, size_t size, opevo_text *out,
                                    opevo_error *err)
{
    json_t *root = NULL;
    opevo_status status = opevo_json_parse("the file", text, size, &root, err);

    if (status == OPEVO_OK && !json_is_object(root))
        status = OPEVO_FAIL(err, OPEVO_INVALID, "A manifest belongs to a JSON object.");
    if (status == OPEVO_OK)
        status = hash_content(root, out, err);
    json_decref(root);
    return status;
}

/* ---- Program and machine --------------------------------------------------------------------- */

/* The name of the processor as the kernel has it; "" where it has none. */
static void read_processor(char *out, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];

    *out = '\0';
    while (file && !*out && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');

        if (colon && !strncmp(line, "model name", 10))
            snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file)
        fclose(file);
}

/* The member "machine": system, architecture and processor. */
static void add_machine(opevo_text *out)
{
    struct utsname system = {.sysname = ""};
    char processor[256];

    uname(&system);
    read_processor(processor, sizeof processor);
    opevo_json_open(out, "machine", "{");
    opevo_json_string(out, "system", system.sysname);
    opevo_json_string(out, "architecture", system.machine);
    opevo_json_string(out, "processor", processor);
    opevo_text_add(out, "}");
}

static void add_program(opevo_text *out)
{
    opevo_json_open(out, "program", "{");
    opevo_json_string(out, "name", "opevo");
    opevo_json_string(out, "version", OPEVO_VERSION);
    opevo_json_string(out, "build", opevo_build());
    opevo_text_add(out, "}");
}

static void add_command(const opevo_manifest_options *options, opevo_text *out)
{
    char *folder = realpath(".", NULL);

    opevo_json_open(out, "command", "[");
    for (size_t i = 0; i < options->command_count; i++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, options->command[i]);
    }
    opevo_text_add(out, "]");
    opevo_json_string(out, "folder", folder ? folder : "");
    free(folder); /* of the C library */
}

/* ---- Files and stores ------------------------------------------------------------------------ */

static opevo_status add_file(const char *path, opevo_text *out, opevo_error *err)
{
    char hash[OPEVO_SHA256_SIZE] = "";
    char *full = realpath(path, NULL);
    opevo_status status = opevo_sha256_file(path, hash, err);

    opevo_json_string(out, "file", full ? full : path);
    opevo_json_string(out, "sha256", hash);
    free(full); /* of the C library */
    return status;
}

static opevo_status add_files(const opevo_manifest_options *options, opevo_text *out,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_json_open(out, "files", "[");
    for (size_t i = 0; i < options->file_count && status == OPEVO_OK; i++) {
        opevo_json_open_next(out, " ", "{");
        status = add_file(options->files[i], out, err);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
    return status;
}

static void add_registration(void *context, const opevo_registration *one)
{
    opevo_text *out = context;

    opevo_json_open_next(out, " ", "{");
    opevo_json_string(out, "hash", one->hash);
    opevo_json_string(out, "plan", one->plan);
    opevo_json_string(out, "written", one->written);
    opevo_json_bool(out, "before_first_trial", !one->late);
    opevo_json_index(out, "runs", one->runs);
    opevo_json_string(out, "text", one->text); /* as hashed: a tree would not keep its blanks */
    opevo_text_add(out, "}");
}

/* The runs of a store that no study has planned: by their specification, or only counted. */
typedef struct calls {
    opevo_store *store;
    json_t *by_call; /* specification without its seed -> list of seeds */
    uint64_t others; /* runs without a specification */
    opevo_status status;
    opevo_error *err;
} calls;

/* Put the run under its specification without seed. */
static bool group(calls *self, const char *text, uint64_t seed)
{
    json_t *call = json_loads(text, 0, NULL);
    char digits[24];
    char *key = NULL;
    bool good = false;

    json_object_del(call, "seed");
    key = call ? json_dumps(call, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)seed);
    if (key && !json_object_get(self->by_call, key))
        json_object_set_new(self->by_call, key, json_array());
    good = key && !json_array_append_new(json_object_get(self->by_call, key), json_string(digits));
    json_decref(call);
    free(key); /* Jansson's */
    return good;
}

static void note_run(void *context, const opevo_run_info *info)
{
    calls *self = context;
    opevo_text text = {0};

    if (self->status != OPEVO_OK || *info->registration)
        return;
    self->status = opevo_store_call(self->store, info->run, &text, self->err);
    if (self->status == OPEVO_OK)
        self->others += !text.length || !group(self, opevo_text_string(&text), info->seed);
    opevo_text_free(&text);
}

static void print_calls(const calls *self, opevo_text *out)
{
    const char *key = NULL;
    json_t *seeds = NULL;

    opevo_json_open(out, "calls", "[");
    json_object_foreach(self->by_call, key, seeds)
    {
        opevo_json_open_next(out, " ", "{");
        opevo_json_key(out, "call");
        opevo_text_add(out, key);
        opevo_json_open(out, "seeds", "[");
        for (size_t i = 0; i < json_array_size(seeds); i++) {
            opevo_json_next(out, " ");
            opevo_text_add_json(out, json_string_value(json_array_get(seeds, i)));
        }
        opevo_text_add(out, "]}");
    }
    opevo_text_add(out, "]");
    opevo_json_index(out, "others", self->others);
}

static opevo_status add_store(const char *path, opevo_text *out, opevo_error *err)
{
    calls found = {.by_call = json_object(), .err = err};
    opevo_status status = OPEVO_OK;

    opevo_json_open_next(out, "\n  ", "{");
    OPEVO_TRY(add_file(path, out, err));
    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_READ, &found.store, err));
    opevo_json_open(out, "registrations", "[");
    OPEVO_TRY(opevo_store_registrations(found.store, add_registration, out, err));
    opevo_text_add(out, "]");
    OPEVO_TRY(opevo_store_list(found.store, note_run, &found, err));
    OPEVO_TRY(found.status);
    print_calls(&found, out);
    opevo_text_add(out, "}");
cleanup:
    json_decref(found.by_call);
    opevo_store_close(found.store);
    return status;
}

static opevo_status add_stores(const opevo_manifest_options *options, opevo_text *out,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_json_open(out, "stores", "[");
    for (size_t i = 0; i < options->store_count && status == OPEVO_OK; i++)
        status = add_store(options->stores[i], out, err);
    opevo_text_add(out, "]");
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Length without the bracket that ends the object, and what is behind it. */
static size_t open_length(const opevo_text *object)
{
    size_t length = object->length;

    while (length > 0 && strchr(" \n\r\t", object->data[length - 1]))
        length--;
    return length > 0 && object->data[length - 1] == '}' ? length - 1 : object->length;
}

opevo_status opevo_manifest_add_sized(const opevo_manifest_options *options, size_t size,
                                      opevo_text *out, opevo_error *err)
{
    opevo_manifest_options known;
    opevo_text content = {0};
    opevo_status status = OPEVO_OK;
    size_t length = 0;
    char *rest = NULL;

    OPEVO_TRY(
        opevo_struct_read(options, size, "opevo_manifest_options", &known, sizeof known, err));
    OPEVO_TRY(opevo_text_check(out, err));
    OPEVO_TRY(opevo_manifest_content(opevo_text_string(out), out->length, &content, err));
    length = open_length(out);
    rest = opevo_strdup(out->data + length);
    OPEVO_NEED(rest, "a manifest");
    out->length = length;
    out->data[length] = '\0';
    opevo_text_add(out, length > 1 && out->data[length - 1] != '{' ? "," : "");
    opevo_text_add(out, "\n \"" OPEVO_I_MANIFEST_KEY "\": {");
    opevo_json_string(out, "format", OPEVO_I_MANIFEST_FORMAT);
    add_program(out);
    add_command(&known, out);
    add_machine(out);
    OPEVO_TRY(add_files(&known, out, err));
    OPEVO_TRY(add_stores(&known, out, err));
    opevo_json_string(out, "content", opevo_text_string(&content));
    opevo_text_add(out, "}");
    opevo_text_add(out, rest);
    status = opevo_text_check(out, err);
cleanup:
    opevo_text_free(&content);
    opevo_free(rest);
    return status;
}
