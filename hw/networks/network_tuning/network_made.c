/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Notes of how libraries were made, as objects of JSON in a line. Nothing follows from what a note
 * says: whoever makes the library again compares it with what is in the folder. */

#include <opevo/network_made.h>

#include "network_tuning_internal.h"

#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/json.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/network_passes.h>
#include <opevo/version.h>

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing ---- */

opevo_status opevo_network_model_hash(const char *path, uint64_t *out, opevo_error *err)
{
    char *data = NULL;
    size_t size = 0;
    opevo_status status = opevo_file_read(path, OPEVO_NETWORK_FILE, &data, &size, err);

    if (status == OPEVO_OK)
        *out = opevo_hash_bytes(OPEVO_HASH_START, data, size);
    opevo_free(data);
    return status;
}

static void add_shapes(const opevo_network_inference *inference, opevo_text *out)
{
    opevo_json_open(out, "shapes", "{");
    for (int i = 0; i < inference->inputs; i++) {
        const opevo_network_tensor *value = &inference->value[inference->input[i]];

        opevo_json_open(out, value->name, "[");
        for (int d = 0; d < value->array.dims; d++) {
            opevo_json_next(out, "");
            opevo_text_printf(out, "%lld", (long long)value->array.extent[d]);
        }
        opevo_text_add(out, "]");
    }
    opevo_text_add(out, "}");
}

static void add_passes(uint32_t mask, opevo_text *out)
{
    size_t count = 0;
    const opevo_network_pass *passes = opevo_network_passes(&count);
    opevo_text names = {0};

    for (size_t i = 0; i < count; i++)
        if (mask >> i & 1)
            opevo_text_printf(&names, "%s%s", names.length ? "," : "", passes[i].name);
    opevo_json_string(out, "passes", opevo_text_string(&names));
    out->failed |= names.failed;
    opevo_text_free(&names);
}

static void add_off(const opevo_network_choices *choices, opevo_text *out)
{
    opevo_json_open(out, "off", "[");
    for (int s = 0; choices && s < opevo_network_choices_sites(choices); s++) {
        if (opevo_network_choices_site(choices, s)->on)
            continue;
        opevo_json_next(out, "");
        opevo_text_printf(out, "%d", s);
    }
    opevo_text_add(out, "]");
}

opevo_status opevo_network_made_note(const opevo_network_maker *maker,
                                     const opevo_network_plan *plan, opevo_network_library *library,
                                     opevo_error *err)
{
    const char *slash = strrchr(maker->model, '/');
    char hash[24];
    opevo_text note = {0};
    uint64_t bytes = 0;
    opevo_status status = opevo_network_model_hash(maker->model, &bytes, err);

    OPEVO_TRY(status);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)bytes);
    opevo_text_add(&note, "{");
    opevo_json_string(&note, "model", slash ? slash + 1 : maker->model);
    opevo_json_string(&note, "hash", hash);
    add_shapes(plan->inference, &note);
    opevo_json_open(&note, "bind", "[");
    for (size_t i = 0; i < maker->binding_count; i++) {
        opevo_json_next(&note, "");
        opevo_text_add_json(&note, maker->bindings[i]);
    }
    opevo_text_add(&note, "]");
    add_passes(maker->how.passes, &note);
    opevo_json_double(&note, "error", maker->how.error);
    add_off(plan->choices, &note);
    opevo_json_index(&note, "threads", maker->threads);
    opevo_json_string(&note, "name", maker->name ? maker->name : "net");
    opevo_text_add(&note, "}");
    OPEVO_TRY(opevo_text_check(&note, err));
    status = opevo_network_library_note(library, note.data, err);
cleanup:
    opevo_text_free(&note);
    return status;
}

/* ---- Reading ---- */

static opevo_status read_note(const char *note, json_t **out, opevo_error *err)
{
    *out = json_loads(note, 0, NULL);
    if (json_is_object(*out) && json_is_string(json_object_get(*out, "model")) &&
        json_is_string(json_object_get(*out, "hash")) &&
        json_is_object(json_object_get(*out, "shapes")) &&
        json_is_string(json_object_get(*out, "passes")) &&
        json_is_string(json_object_get(*out, "name")))
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "net.files does not say how the library was made: write it again.");
}

opevo_status opevo_network_made_model(const char *note, opevo_network_model *out, opevo_error *err)
{
    json_t *root = NULL;
    opevo_status status = read_note(note, &root, err);

    OPEVO_TRY(status);
    opevo_text_add(&out->name, json_string_value(json_object_get(root, "model")));
    out->hash = strtoull(json_string_value(json_object_get(root, "hash")), NULL, 16);
    status = opevo_text_check(&out->name, err);
cleanup:
    json_decref(root);
    return status;
}

typedef struct note {
    json_t *root;
    opevo_network_shape *shape;
    size_t shapes;
    const char **binding;
    size_t bindings;
} note;

/* The names are those of the note. */
static opevo_status read_given(note *self, opevo_error *err)
{
    json_t *shapes = json_object_get(self->root, "shapes"), *value = NULL;
    json_t *bindings = json_object_get(self->root, "bind");
    const char *name = NULL;

    OPEVO_NEW_OR_RETURN(self->shape, json_object_size(shapes) + 1, "a note");
    OPEVO_NEW_OR_RETURN(self->binding, json_array_size(bindings) + 1, "a note");
    json_object_foreach(shapes, name, value)
    {
        opevo_network_shape *shape = &self->shape[self->shapes++];

        shape->name = name;
        for (size_t d = 0; d < json_array_size(value) && d < OPEVO_NETWORK_DIMS; d++)
            shape->extent[shape->dims++] = json_integer_value(json_array_get(value, d));
    }
    for (size_t i = 0; i < json_array_size(bindings); i++) {
        const char *text = json_string_value(json_array_get(bindings, i));

        if (text)
            self->binding[self->bindings++] = text;
    }
    return OPEVO_OK;
}

static opevo_status turn_off(const note *self, opevo_network_plan *plan, opevo_error *err)
{
    const json_t *off = json_object_get(self->root, "off");

    if (!json_array_size(off))
        return OPEVO_OK;
    for (size_t i = 0; i < json_array_size(off); i++) {
        json_int_t site = json_integer_value(json_array_get(off, i));

        if (site >= 0 && site < opevo_network_choices_sites(plan->choices))
            opevo_network_choices_turn_off(plan->choices, (int)site);
    }
    return opevo_i_tuning_turn((opevo_i_tuning_plan *)plan, err);
}

static opevo_status make(const note *self, const char *model, opevo_network_remade *out,
                         opevo_error *err)
{
    const opevo_network_given given = {.shapes = self->shape,
                                       .shape_count = self->shapes,
                                       .bindings = self->binding,
                                       .binding_count = self->bindings,
                                       .counts = true};
    json_int_t threads = json_integer_value(json_object_get(self->root, "threads"));
    opevo_network_library_options options = {
        .dialect = OPEVO_KERNEL_C,
        .threads = threads > 0 && threads <= 1024 ? (unsigned)threads : 1,
        .facts = opevo_live_cpu_facts(),
        .model = json_string_value(json_object_get(self->root, "model")),
        .version = OPEVO_VERSION,
        .name = json_string_value(json_object_get(self->root, "name"))};
    opevo_network_plan_options how = {
        .error = json_number_value(json_object_get(self->root, "error")),
        .chooses = json_array_size(json_object_get(self->root, "off")) > 0};
    const char *passes = json_string_value(json_object_get(self->root, "passes"));
    opevo_status status = OPEVO_OK;

    if (*passes)
        OPEVO_TRY(opevo_network_passes_named(passes, &how.passes, err));
    out->passes = how.passes;
    OPEVO_TRY(opevo_network_read(model, &given, &out->network, err));
    OPEVO_TRY(opevo_network_plan_create(out->network, &how, &out->plan, err));
    OPEVO_TRY(turn_off(self, out->plan, err));
    status = opevo_network_plan_library(out->plan, &options, &out->library, err);
cleanup:
    return status;
}

opevo_status opevo_network_remake(const char *text, const char *model, opevo_network_remade *out,
                                  opevo_error *err)
{
    note self = {.root = NULL};
    opevo_status status = read_note(text, &self.root, err);

    OPEVO_TRY(status);
    OPEVO_TRY(read_given(&self, err));
    status = make(&self, model, out, err);
cleanup:
    opevo_free(self.shape);
    opevo_free(self.binding);
    json_decref(self.root);
    return status;
}

void opevo_network_remade_free(opevo_network_remade *remade)
{
    opevo_network_library_destroy(remade->library);
    opevo_network_plan_destroy(remade->plan);
    opevo_network_destroy(remade->network);
    *remade = (opevo_network_remade){NULL, NULL, NULL, 0};
}
