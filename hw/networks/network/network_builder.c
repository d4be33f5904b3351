/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Nodes that are made in the place of one of the model. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

enum { OPSET = 24 }; /* whose meanings the nodes have that are made here */

void opevo_i_net_build_fail(opevo_i_net_builder *self, const char *sentence)
{
    if (self->status == OPEVO_OK)
        self->status = opevo_i_net_reader_fail_node(self->reader, self->source, OPEVO_INVALID,
                                                    sentence, self->err);
}

static void fail_memory(opevo_i_net_builder *self)
{
    if (self->status == OPEVO_OK)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for the nodes of %s.",
                                  self->reader->network->path);
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

/* What is made here is released by protobuf-c: it is of malloc. */
static bool put_numbers(Onnx__Attribute *self, const char *text, size_t length)
{
    size_t count = 1;

    for (size_t i = 0; i + 1 < length; i++)
        count += text[i] == ',';
    self->ints = calloc(count, sizeof *self->ints);
    if (!self->ints)
        return false;
    for (char *end = NULL; self->n_ints < count; text = end + 1)
        self->ints[self->n_ints++] = strtoll(text, &end, 10);
    return true;
}

/* "NAME=VALUE" of `length` bytes. */
static Onnx__Attribute *make_attribute(const char *text, size_t length)
{
    Onnx__Attribute *self = calloc(1, sizeof *self);
    size_t name = strcspn(text, "="), size = length - name - 1;
    const char *value = text + name + 1;
    bool made = true;

    if (!self)
        return NULL;
    onnx__attribute__init(self);
    self->name = strndup(text, name);
    if (*value == '\'') {
        self->has_s = true;
        self->s.data = malloc(size);
        made = self->s.data != NULL;
        self->s.len = made ? size - 2 : 0;
        if (made)
            memcpy(self->s.data, value + 1, self->s.len);
    } else if (memchr(value, ',', size)) {
        made = put_numbers(self, value, size);
    } else if (memchr(value, '.', size) || memchr(value, 'e', size) || memchr(value, 'n', size)) {
        self->has_f = true;
        self->f = strtof(value, NULL);
    } else {
        self->has_i = true;
        self->i = strtoll(value, NULL, 10);
    }
    if (made && self->name)
        return self;
    onnx__attribute__free_unpacked(self, NULL);
    return NULL;
}

static bool put_attributes(Onnx__Node *node, const char *text)
{
    enum { MOST = 8 };

    node->attribute = calloc(MOST, sizeof *node->attribute);
    if (!node->attribute)
        return false;
    for (size_t length = 0; text && *text && node->n_attribute < MOST; text += length) {
        text += strspn(text, " ");
        length = strcspn(text, " ");
        node->attribute[node->n_attribute] = make_attribute(text, length);
        if (!node->attribute[node->n_attribute])
            return false;
        node->n_attribute++;
    }
    return true;
}

/* Named after the node that it stands for. */
static Onnx__Node *make_node(const Onnx__Node *source, const char *operation,
                             const char *attributes)
{
    Onnx__Node *node = calloc(1, sizeof *node);
    opevo_text name = {0};

    if (!node)
        return NULL;
    onnx__node__init(node);
    if (source->name && *source->name)
        opevo_text_printf(&name, "%s/%s", source->name, operation);
    node->op_type = strdup(operation);
    node->name = strdup(name.failed ? "" : opevo_text_string(&name));
    opevo_text_free(&name);
    if (node->op_type && node->name && put_attributes(node, attributes))
        return node;
    onnx__node__free_unpacked(node, NULL);
    return NULL;
}

Onnx__Node *opevo_i_net_copy_node(const Onnx__Node *from)
{
    uint8_t *bytes = malloc(onnx__node__get_packed_size(from) + 1);
    Onnx__Node *made = NULL;

    if (bytes)
        made = onnx__node__unpack(NULL, onnx__node__pack(from, bytes), bytes);
    free(bytes);
    return made;
}

/* A value that has no name in the model. */
static int new_value(opevo_i_net_builder *self)
{
    opevo_i_net_reader *reader = self->reader;
    opevo_text text = {0};
    const char *name = NULL;
    int value = OPEVO_I_NET_OMITTED;

    opevo_text_printf(&text, "%s%s/%d", self->scope->prefix,
                      self->source->name && *self->source->name ? self->source->name
                                                                : self->source->op_type,
                      reader->network->values);
    if (self->status == OPEVO_OK)
        self->status = opevo_i_net_reader_keep(reader, &text, &name, self->err);
    else
        opevo_text_free(&text);
    if (self->status == OPEVO_OK)
        self->status = opevo_i_net_reader_add(reader, name, &value, self->err);
    return value;
}

/* Append a node without edges of its own, which is given away. */
static int append(opevo_i_net_builder *self, Onnx__Node *node, int64_t opset, int ins,
                  const int *in)
{
    int out = self->target;
    opevo_i_net_scope scope = *self->scope;

    self->target = OPEVO_I_NET_OMITTED;
    if (!node) {
        fail_memory(self);
        return OPEVO_I_NET_OMITTED;
    }
    self->status = opevo_i_net_reader_own(self->reader, node, self->err);
    if (self->status == OPEVO_OK && out == OPEVO_I_NET_OMITTED)
        out = new_value(self);
    scope.opset = opset;
    if (self->status == OPEVO_OK)
        self->status = opevo_i_net_append(self->reader, &scope, node, in, ins, &out, 1, self->err);
    return self->status == OPEVO_OK ? out : OPEVO_I_NET_OMITTED;
}

int opevo_i_net_build(opevo_i_net_builder *self, const char *operation, const char *attributes,
                      int ins, const int *in)
{
    if (self->status != OPEVO_OK)
        return OPEVO_I_NET_OMITTED;
    return append(self, make_node(self->source, operation, attributes), OPSET, ins, in);
}

int opevo_i_net_build_one(opevo_i_net_builder *self, const char *operation, const char *attributes,
                          int in)
{
    return opevo_i_net_build(self, operation, attributes, 1, &in);
}

int opevo_i_net_build_two(opevo_i_net_builder *self, const char *operation, const char *attributes,
                          int a, int b)
{
    return opevo_i_net_build(self, operation, attributes, 2, (int[]){a, b});
}

/* "NAME=" is one name, anything else what names begin with. */
static bool is_left_out(const char *name, const char *without)
{
    size_t length = strlen(without);

    return without[length - 1] == '='
               ? strlen(name) == length - 1 && strncmp(name, without, length - 1) == 0
               : strncmp(name, without, length) == 0;
}

int opevo_i_net_build_like(opevo_i_net_builder *self, const char *operation, const char *without,
                           int ins, const int *in)
{
    static const char runtime[] = "com.microsoft"; /* before a point */
    bool runs = strncmp(operation, runtime, sizeof runtime - 1) == 0;
    Onnx__Node like = *self->source, *node = NULL;
    size_t kept = 0, length = without ? strlen(without) : 0;

    if (self->status != OPEVO_OK)
        return OPEVO_I_NET_OMITTED;
    like.n_input = like.n_output = 0;
    like.op_type = (char *)(runs ? operation + sizeof runtime : operation);
    like.domain = (char *)(runs ? runtime : "");
    like.attribute = opevo_calloc(like.n_attribute + 1, sizeof(Onnx__Attribute *));
    for (size_t i = 0; i < like.n_attribute && like.attribute; i++) {
        Onnx__Attribute *attribute = self->source->attribute[i];

        if (!length || !attribute->name || !is_left_out(attribute->name, without))
            like.attribute[kept++] = attribute;
    }
    like.n_attribute = kept;
    if (like.attribute)
        node = opevo_i_net_copy_node(&like);
    opevo_free((void *)like.attribute);
    return append(self, node, self->scope->opset > OPSET ? self->scope->opset : OPSET, ins, in);
}

int opevo_i_net_build_reshape(opevo_i_net_builder *self, int in, int dims, const int64_t *extent)
{
    return opevo_i_net_build_two(self, "Reshape", NULL, in,
                                 opevo_i_net_build_wholes(self, dims, extent));
}

/* ---- Constants ------------------------------------------------------------------------------ */

static int constant(opevo_i_net_builder *self, opevo_network_type type, int dims, int64_t count)
{
    int value = new_value(self);
    opevo_network_value *made = NULL;

    if (self->status != OPEVO_OK)
        return OPEVO_I_NET_OMITTED;
    made = &self->reader->network->value[value];
    made->array = (opevo_array){.type = type, .dims = dims, .extent = {count}};
    made->constant = true;
    self->status = opevo_array_allocate(&made->array, self->err);
    return self->status == OPEVO_OK ? value : OPEVO_I_NET_OMITTED;
}

int opevo_i_net_build_wholes(opevo_i_net_builder *self, int count, const int64_t *numbers)
{
    int value = constant(self, OPEVO_NETWORK_INT64, 1, count);

    for (int i = 0; i < count && value >= 0; i++)
        ((int64_t *)self->reader->network->value[value].array.data)[i] = numbers[i];
    return value;
}

int opevo_i_net_build_whole(opevo_i_net_builder *self, int64_t number)
{
    int value = constant(self, OPEVO_NETWORK_INT64, 0, 1);

    if (value >= 0)
        *(int64_t *)self->reader->network->value[value].array.data = number;
    return value;
}

int opevo_i_net_build_floats(opevo_i_net_builder *self, int dims, const int64_t *extent,
                             float **out)
{
    int64_t count = 1;
    int value = 0;

    *out = NULL;
    for (int d = 0; d < dims; d++)
        count *= extent[d];
    if (count > (int64_t)1 << 32)
        opevo_i_net_build_fail(self, "Its constants are too large.");
    value = constant(self, OPEVO_NETWORK_FLOAT32, 1, count);
    if (value < 0)
        return value;
    self->reader->network->value[value].array.dims = dims;
    memcpy(self->reader->network->value[value].array.extent, extent, (size_t)dims * sizeof *extent);
    *out = self->reader->network->value[value].array.data;
    return value;
}

int opevo_i_net_build_number(opevo_i_net_builder *self, double number)
{
    int value = constant(self, OPEVO_NETWORK_FLOAT32, 0, 1);

    if (value >= 0)
        *(float *)self->reader->network->value[value].array.data = (float)number;
    return value;
}

int opevo_i_net_build_bool(opevo_i_net_builder *self, bool yes)
{
    int value = constant(self, OPEVO_NETWORK_BOOL, 0, 1);

    if (value >= 0)
        *(unsigned char *)self->reader->network->value[value].array.data = yes;
    return value;
}

/* ---- The node that is replaced -------------------------------------------------------------- */

const opevo_array *opevo_i_net_build_array(const opevo_i_net_builder *self, int binding)
{
    return binding >= 0 ? &self->reader->network->value[binding].array : NULL;
}

/* An input of the model on which a value depends; NULL: none without data. */
static const char *decisive_input(const opevo_network *network, int value)
{
    while (value >= 0 && !network->value[value].input) {
        int node = network->value[value].producer, next = OPEVO_I_NET_OMITTED;

        for (int i = 0; node >= 0 && i < network->node[node].super.inputs && next < 0; i++) {
            int read = network->node[node].super.input[i];

            next = read >= 0 && !network->value[read].array.data ? read : next;
        }
        value = next;
    }
    return value >= 0 ? network->value[value].name : NULL;
}

int64_t opevo_i_net_build_known(opevo_i_net_builder *self, int binding, const char *what)
{
    const opevo_array *array = opevo_i_net_build_array(self, binding);
    const char *input = NULL;

    if (array && array->data && opevo_array_elements(array) == 1)
        return opevo_i_net_whole(array, array->data, 0);
    input = decisive_input(self->reader->network, binding);
    if (self->status == OPEVO_OK)
        self->status = opevo_i_net_reader_fail(
            self->reader, OPEVO_INVALID, self->err,
            "node %d (%s): Its %s must be one constant number%s%.100s%s.",
            self->reader->network->nodes, self->source->op_type, what,
            input ? "; bind it with --bind '" : "", input ? input : "", input ? "=VALUE'" : "");
    return 0;
}

int opevo_i_net_build_target(opevo_i_net_builder *self, int i)
{
    const Onnx__Node *source = self->source;
    opevo_i_net_scope *scope = self->scope;
    int value = OPEVO_I_NET_OMITTED;

    if (self->status != OPEVO_OK || (size_t)i >= source->n_output || !*source->output[i])
        return OPEVO_I_NET_OMITTED;
    value = opevo_i_net_names_get(&scope->names, source->output[i]);
    if (value >= 0 && self->reader->network->value[value].producer < 0 &&
        self->reader->network->value[value].array.type == OPEVO_NETWORK_NO_TYPE)
        return value;
    if (value != OPEVO_I_NET_UNNAMED) {
        opevo_i_net_build_fail(self, "One of its outputs has the name of another tensor.");
        return OPEVO_I_NET_OMITTED;
    }
    value = new_value(self);
    if (self->status == OPEVO_OK)
        self->status = opevo_i_net_names_put(&scope->names, source->output[i], value, self->err);
    return value;
}

bool opevo_i_net_build_next(opevo_i_net_builder *self, int i)
{
    self->target = opevo_i_net_build_target(self, i);
    return self->target != OPEVO_I_NET_OMITTED;
}

/* What a name of a sequence stands for is read by others. */
static void keep_items(opevo_i_net_builder *self, int binding)
{
    const opevo_i_net_sequence *of = &self->reader->sequence[OPEVO_I_NET_SEQUENCE - binding];

    for (int i = 0; i < of->count; i++) {
        if (of->item[i] >= 0)
            self->reader->network->value[of->item[i]].listed = true;
    }
}

void opevo_i_net_build_output(opevo_i_net_builder *self, int i, int binding)
{
    const Onnx__Node *source = self->source;

    if (self->status != OPEVO_OK || (size_t)i >= source->n_output || !*source->output[i])
        return;
    if (binding < 0) {
        keep_items(self, binding);
        self->status =
            opevo_i_net_names_put(&self->scope->names, source->output[i], binding, self->err);
        return;
    }
    if (opevo_i_net_build_next(self, i))
        opevo_i_net_build_one(self, "Identity", NULL, binding);
}

int opevo_i_net_build_input(const opevo_i_net_builder *self, int i)
{
    return i < self->ins ? self->in[i] : OPEVO_I_NET_OMITTED;
}

const Onnx__Attribute *opevo_i_net_build_attribute(const opevo_i_net_builder *self,
                                                   const char *name)
{
    for (size_t i = 0; i < self->source->n_attribute; i++) {
        Onnx__Attribute *attribute = self->source->attribute[i];

        if (attribute->name && strcmp(attribute->name, name) == 0)
            return attribute;
    }
    return NULL;
}

bool opevo_i_net_build_is(const opevo_i_net_builder *self, const char *name, const char *text)
{
    const Onnx__Attribute *attribute = opevo_i_net_build_attribute(self, name);

    return attribute && attribute->s.len == strlen(text) &&
           memcmp(attribute->s.data, text, attribute->s.len) == 0;
}

int64_t opevo_i_net_build_int(const opevo_i_net_builder *self, const char *name, int64_t absent)
{
    const Onnx__Attribute *attribute = opevo_i_net_build_attribute(self, name);

    return attribute ? attribute->i : absent;
}

double opevo_i_net_build_float(const opevo_i_net_builder *self, const char *name, double absent)
{
    const Onnx__Attribute *attribute = opevo_i_net_build_attribute(self, name);

    return attribute ? (double)attribute->f : absent;
}

/* Of a branch that may not be taken, what cannot be computed is unknown, and what reads it. */
static opevo_status leave_unknown(opevo_i_net_builder *self)
{
    const Onnx__Node *source = self->source;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < source->n_output && status == OPEVO_OK; i++) {
        int value = opevo_i_net_names_get(&self->scope->names, source->output[i]);

        if (!*source->output[i] ||
            (value >= 0 && self->reader->network->value[value].array.type == OPEVO_NETWORK_NO_TYPE))
            continue;
        self->status = OPEVO_OK;
        value = new_value(self);
        status = self->status;
        if (status == OPEVO_OK)
            status =
                opevo_i_net_names_put(&self->scope->names, source->output[i], value, self->err);
    }
    return status;
}

opevo_status opevo_i_net_expand(opevo_i_net_reader *reader, opevo_i_net_scope *scope,
                                const Onnx__Node *source, const opevo_i_net_form *form,
                                opevo_error *err)
{
    opevo_error reason = {OPEVO_OK, ""};
    opevo_i_net_builder self = {.reader = reader,
                                .scope = scope,
                                .source = source,
                                .ins = (int)source->n_input,
                                .outs = (int)source->n_output,
                                .target = OPEVO_I_NET_OMITTED,
                                .err = &reason};
    int *in = opevo_malloc(source->n_input + source->n_output + 1, sizeof *in);
    int *out = in + source->n_input, first = reader->network->values;

    OPEVO_NEED_OR_RETURN(in, "the nodes of a model");
    for (int i = 0; i < self.ins; i++) {
        in[i] = *source->input[i] ? opevo_i_net_scope_find(scope, source->input[i])
                                  : OPEVO_I_NET_OMITTED;
        if (in[i] == OPEVO_I_NET_UNNAMED)
            opevo_i_net_build_fail(&self, "An input is not made by any node.");
        else if (in[i] == OPEVO_I_NET_OMITTED && i < form->inputs_least)
            opevo_i_net_build_fail(&self, "An input is missing.");
        else if (in[i] >= 0 && reader->network->value[in[i]].array.type == OPEVO_NETWORK_NO_TYPE)
            opevo_i_net_build_fail(&self, reader->unknown ? reader->unknown
                                                          : "An input of it is not known.");
    }
    if (self.ins < form->inputs_least || (form->inputs_most && self.ins > form->inputs_most) ||
        self.outs < 1 || (form->outputs_most && self.outs > form->outputs_most))
        opevo_i_net_build_fail(&self, "The number of its inputs or outputs is wrong.");
    self.in = in;
    if (self.status == OPEVO_OK)
        form->build(&self);
    for (int i = 0; i < self.outs; i++)
        out[i] = opevo_i_net_names_get(&scope->names, source->output[i]);
    opevo_i_net_release_since(reader, first, out, (size_t)self.outs);
    opevo_free(in);
    if (self.status == OPEVO_INVALID && scope->is_branch) {
        if (!reader->unknown)
            reader->unknown = opevo_strdup(reason.message);
        self.status = leave_unknown(&self);
    }
    return self.status == OPEVO_OK ? OPEVO_OK : OPEVO_FAIL(err, self.status, "%s", reason.message);
}
