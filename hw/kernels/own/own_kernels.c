/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The maker: a point becomes words for the compiler, and for C also the function that runs the
 * steps of the harness. */

#include <opevo/own_kernels.h>

#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/json_read.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_internal.h"

/* Raised when the same files become another kernel. */
enum { VERSION = 1 };
enum { HARNESS_BYTES = 1 << 22 };

typedef struct own {
    opevo_kernel_maker super;
    opevo_space *space;
    opevo_harness *harness;
    char *path, *harness_path; /* as given */
    opevo_text source, setup, note;
    opevo_kernel_bench bench;
    opevo_kernel reference;
    opevo_index first; /* the default configuration */
    bool calls;        /* functions; else kernels are launched */
} own;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool opevo_own_language(const char *path, opevo_kernel_dialect *out)
{
    static const struct {
        const char *ending;
        opevo_kernel_dialect dialect;
    } endings[] = {{".c", OPEVO_KERNEL_C},
                   {".cu", OPEVO_KERNEL_CUDA},
                   {".hip", OPEVO_KERNEL_HIP},
                   {".hip.cpp", OPEVO_KERNEL_HIP},
                   {".cl", OPEVO_KERNEL_OPENCL}};
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i].ending);

        if (length > ending && !strcmp(path + length - ending, endings[i].ending)) {
            *out = endings[i].dialect;
            return true;
        }
    }
    return false;
}

/* ---- Kernels -------------------------------------------------------------------------------- */

static bool is_cxx(opevo_kernel_dialect dialect)
{
    return dialect == OPEVO_KERNEL_CUDA || dialect == OPEVO_KERNEL_HIP;
}

/* Kernels of CUDA and HIP are found by their names in C, unless C++ needs its own. */
static bool wants_c_names(const opevo_kernel *kernel, const opevo_text *source)
{
    const char *text = opevo_text_string(source);

    return is_cxx(kernel->dialect) && !strstr(text, "extern \"C\"") && !strstr(text, "template") &&
           !strstr(text, "#include");
}

/* The source and, for functions in C, one behind it that runs the steps. */
static opevo_status print_source(const own *self, const opevo_text *source, bool reference,
                                 const opevo_harness_values *values, const char *entry,
                                 opevo_kernel *out, opevo_error *err)
{
    bool named = wants_c_names(out, source);

    opevo_text_add(&out->source, named ? "extern \"C\" {\n" : "");
    opevo_text_add_bytes(&out->source, opevo_text_string(source), source->length);
    opevo_text_add(&out->source, named ? "}\n" : "");
    if (!self->calls && !reference)
        return opevo_text_check(&out->source, err);
    snprintf(out->entry, sizeof out->entry, "%s", entry);
    opevo_text_printf(&out->source, "\n#line 1 \"steps of %s\"\n", base_name(self->harness_path));
    return opevo_harness_print_c(self->harness, values, reference, entry, &out->source, err);
}

static opevo_status fill_kernel(const own *self, opevo_index point, opevo_kernel *out,
                                opevo_error *err)
{
    opevo_i_own_point values;
    opevo_status status = opevo_i_own_point_read(self->space, point, &values, err);

    if (status != OPEVO_OK)
        return status;
    out->dialect = self->super.dialect;
    out->own = true;
    out->parallel = self->super.threads > 1;
    if (!opevo_harness_defines_macros(self->harness))
        opevo_text_clear(&values.macros);
    if (self->calls)
        opevo_text_add(&out->options, opevo_text_string(&values.macros));
    else
        opevo_i_own_define_macros(opevo_text_string(&values.macros), &out->source);
    opevo_text_add(&out->values, opevo_text_string(&values.values));
    OPEVO_TRY(opevo_harness_compiler(self->harness, &values.whole, &out->options, err));
    OPEVO_TRY(opevo_harness_check(self->harness, &values.whole, err));
    OPEVO_TRY(print_source(self, &self->source, false, &values.whole, OPEVO_I_OWN_ENTRY, out, err));
    if (is_cxx(out->dialect))
        OPEVO_TRY(opevo_i_own_add_names(self->harness, &values.whole, out, err));
    status = opevo_text_check(&out->options, err);
    if (status == OPEVO_OK)
        status = opevo_text_check(&out->values, err);
cleanup:
    opevo_i_own_point_free(&values);
    return status;
}

/* An expression without a value at this point says that the point is not one. */
static opevo_status make(const opevo_kernel_maker *maker, opevo_index point, opevo_kernel *out,
                         opevo_outcome_class *refused, opevo_text *why, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = fill_kernel((const own *)maker, point, out, &inner);

    if (status == OPEVO_OK)
        return OPEVO_OK;
    if (status != OPEVO_INVALID && status != OPEVO_LIMIT)
        return OPEVO_FAIL(err, status, "%s", inner.message);
    *refused = OPEVO_OUTCOME_REJECTED;
    opevo_text_add(why, inner.message);
    return OPEVO_OK;
}

static opevo_harness_reference_kind reference_kind(const own *self)
{
    return opevo_harness_reference_kind_of(self->harness);
}

static void destroy(opevo_kernel_maker *maker)
{
    own *self = (own *)maker;

    opevo_kernel_free(&self->reference);
    opevo_harness_destroy(self->harness);
    opevo_space_destroy(self->space);
    opevo_text_free(&self->source);
    opevo_text_free(&self->setup);
    opevo_text_free(&self->note);
    opevo_free(self->path);
    opevo_free(self->harness_path);
    opevo_free(self);
}

/* Where the user named one, it is where a search begins. */
static opevo_status start(const opevo_kernel_maker *maker, const opevo_device_facts *facts,
                          bool *found, opevo_index *point, opevo_error *err)
{
    const own *self = (const own *)maker;

    (void)facts;
    (void)err;
    *found = opevo_space_allows(self->space, self->first);
    *point = self->first;
    return OPEVO_OK;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static const char *file_name(const opevo_kernel_maker *maker, size_t i)
{
    const own *self = (const own *)maker;

    return opevo_i_own_file_name(maker->dialect, self->calls, reference_kind(self), i);
}

static opevo_status file(const opevo_kernel_maker *maker, opevo_index point, size_t i,
                         opevo_text *out, opevo_error *err)
{
    const own *self = (const own *)maker;
    opevo_i_own_point values = {.count = 0}, first = {.count = 0};
    opevo_kernel kernel = {.own = false};
    const opevo_i_own_export what = {.harness = self->harness,
                                     .dialect = maker->dialect,
                                     .calls = self->calls,
                                     .kind = reference_kind(self),
                                     .kernel = &kernel,
                                     .reference = &self->reference,
                                     .values = &values,
                                     .first = &first};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_own_point_read(self->space, point, &values, err));
    OPEVO_TRY(opevo_i_own_point_read(self->space, self->first, &first, err));
    OPEVO_TRY(fill_kernel(self, point, &kernel, err));
    status = opevo_i_own_print_file(&what, i, out, err);
cleanup:
    opevo_kernel_free(&kernel);
    opevo_i_own_point_free(&values);
    opevo_i_own_point_free(&first);
    return status;
}

static const opevo_kernel_maker_ops own_ops = {
    .make = make, .destroy = destroy, .start = start, .file_name = file_name, .file = file};

/* ---- Opening -------------------------------------------------------------------------------- */

/* The harness with the default configuration, which its own text may name: read twice. */
static opevo_status read_harness(own *self, const char *text, size_t size, opevo_error *err)
{
    opevo_i_own_point values = {.count = 0};
    opevo_error inner = {OPEVO_OK, ""};
    json_t *root = NULL;
    char *given = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_parse(self->harness_path, text, size, &root, err));
    if (json_object_get(root, "default"))
        given = json_dumps(json_object_get(root, "default"), JSON_COMPACT);
    status = opevo_i_own_default(self->space, given, &self->first, &inner);
    if (status != OPEVO_OK) {
        OPEVO_FAIL(err, status, "%s: %s", self->harness_path, inner.message);
        goto cleanup;
    }
    OPEVO_TRY(opevo_i_own_point_read(self->space, self->first, &values, err));
    OPEVO_TRY(opevo_harness_parse_with(self->harness_path, text, size, &values.whole,
                                       &self->harness, err));
    if (!opevo_harness_case_count(self->harness, OPEVO_SET_TUNE))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: \"tune\" is missing: give the sizes that are measured, such as "
                            "\"tune\": {\"sizes\": {\"n\": 1048576}}.",
                            self->harness_path);
    else if (!self->calls && opevo_harness_called(self->harness))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: steps call %.60s, and on a device kernels are launched: give "
                            "{\"launch\": ..., \"grid\": ..., \"block\": ...}. A program that "
                            "launches kernels itself is tuned by --on cmd:PROGRAM.",
                            self->harness_path, opevo_harness_called(self->harness));
cleanup:
    free(given);
    json_decref(root);
    opevo_i_own_point_free(&values);
    return status;
}

/* What golden results are computed by, where that is a kernel. */
static opevo_status make_reference(own *self, opevo_error *err)
{
    const char *path = opevo_harness_reference(self->harness);
    opevo_text source = {0};
    opevo_i_own_point values = {.count = 0};
    opevo_status status = OPEVO_OK;

    switch (opevo_harness_reference_kind_of(self->harness)) {
    case OPEVO_REFERENCE_ITSELF:
        opevo_text_add(&self->note,
                       "results are compared with those of the default configuration, ");
        opevo_space_print(self->space, self->first, &self->note);
        self->bench.note = opevo_text_string(&self->note);
        OPEVO_TRY(opevo_text_check(&self->note, err));
        OPEVO_TRY(fill_kernel(self, self->first, &self->reference, err));
        break;
    case OPEVO_REFERENCE_SOURCE:
        self->reference.dialect = OPEVO_KERNEL_C;
        self->reference.own = true;
        OPEVO_TRY(opevo_i_own_source_read(path, &source, err));
        OPEVO_TRY(opevo_i_own_point_read(self->space, self->first, &values, err));
        opevo_text_add(&self->reference.values, opevo_text_string(&values.values));
        OPEVO_TRY(print_source(self, &source, true, &values.whole, OPEVO_I_OWN_ENTRY,
                               &self->reference, err));
        break;
    case OPEVO_REFERENCE_MODULE:
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: reference: a module is for evolve; tuning takes {\"file\": "
                            "\"NAME.c\"}, {\"computation\": ...} or {\"files\": ...}.",
                            self->harness_path);
        break;
    default:
        return OPEVO_OK;
    }
    if (status == OPEVO_OK)
        self->bench.reference = &self->reference;
cleanup:
    opevo_text_free(&source);
    opevo_i_own_point_free(&values);
    return status;
}

/* The harness as it is, and the values at which it was read. */
static opevo_status make_setup(own *self, const char *text, opevo_error *err)
{
    char *full = realpath(self->harness_path, NULL);
    opevo_i_own_point values = {.count = 0};
    json_t *setup = NULL;
    char *line = NULL;
    opevo_status status = opevo_i_own_point_read(self->space, self->first, &values, err);

    if (status == OPEVO_OK) {
        setup =
            json_pack("{s:{s:s, s:s, s:s}}", "harness", "origin", full ? full : self->harness_path,
                      "text", text, "values", opevo_text_string(&values.values));
        line = setup ? json_dumps(setup, JSON_COMPACT) : NULL;
        opevo_text_add(&self->setup, line ? line : "");
        status =
            line ? opevo_text_check(&self->setup, err)
                 : OPEVO_FAIL(err, OPEVO_INVALID, "%s: the file is not UTF-8.", self->harness_path);
    }
    free(line);
    json_decref(setup);
    opevo_i_own_point_free(&values);
    free(full);
    return status;
}

static void sign(own *self)
{
    const int version = VERSION;
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, &version, sizeof version);

    hash = opevo_hash_bytes(hash, opevo_text_string(&self->source), self->source.length);
    hash = opevo_hash_bytes(hash, &self->super.dialect, sizeof self->super.dialect);
    hash = opevo_hash_u64(hash, opevo_harness_hash(self->harness));
    self->super.signature =
        opevo_hash_bytes(hash, opevo_text_string(&self->reference.source),
                         self->bench.reference ? self->reference.source.length : 0);
}

static opevo_status fill(own *self, const char *given, opevo_kernel_dialect dialect,
                         unsigned threads, opevo_error *err)
{
    opevo_harness_rate rate;
    char *text = NULL;
    size_t size = 0;
    opevo_status status = OPEVO_OK;

    self->super.dialect = dialect;
    self->super.threads = threads;
    self->super.space = self->space;
    self->super.name = base_name(self->path);
    OPEVO_TRY(opevo_i_own_source_read(self->path, &self->source, err));
    if (given) {
        size = strlen(given);
        text = opevo_strndup(given, size);
        OPEVO_NEED(text, "a kernel");
    } else {
        OPEVO_TRY(opevo_file_read(self->harness_path, HARNESS_BYTES, &text, &size, err));
    }
    OPEVO_TRY(read_harness(self, text, size, err));
    OPEVO_TRY(opevo_harness_rate_of(self->harness, &rate, err));
    self->bench.text = self->super.name;
    self->bench.unit = rate.unit;
    self->bench.amount = rate.amount;
    OPEVO_TRY(make_reference(self, err));
    OPEVO_TRY(make_setup(self, text, err));
    self->bench.setup = opevo_text_string(&self->setup);
    self->super.bench = &self->bench;
    sign(self);
cleanup:
    opevo_free(text);
    return status;
}

opevo_status opevo_own_kernels_open(const opevo_own_files *files, opevo_kernel_dialect dialect,
                                    bool calls, unsigned threads, opevo_space *space,
                                    opevo_kernel_maker **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    own *self = opevo_calloc(1, sizeof *self);

    if (!self) {
        opevo_space_destroy(space);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a kernel.");
    }
    self->super.ops = &own_ops;
    self->space = space;
    self->calls = calls;
    self->path = opevo_strdup(files->source);
    self->harness_path = opevo_strdup(files->harness);
    status = self->path && self->harness_path
                 ? fill(self, files->text, dialect, threads, err)
                 : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a kernel.");
    if (status == OPEVO_OK)
        *out = &self->super;
    else
        destroy(&self->super);
    return status;
}
