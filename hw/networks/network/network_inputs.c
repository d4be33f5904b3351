/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inputs of a model: their types and shapes, and what the caller gives for them. Each tensor of a
 * sequence is an input of the network, "x[0]", "x[1]", ..., and so is the tensor of an optional. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <string.h>

#define SAY(reader, err, ...) opevo_i_net_reader_fail(reader, OPEVO_INVALID, err, __VA_ARGS__)

/* ---- Types ---- */

static const Onnx__SequenceType *sequence_of(const Onnx__ValueInfo *info)
{
    const Onnx__Type *type = info->type;
    const Onnx__OptionalElementType *inner =
        type && type->optional_type ? type->optional_type->elem_type : NULL;

    return inner ? inner->sequence_type : type ? type->sequence_type : NULL;
}

bool opevo_i_net_is_list(const Onnx__ValueInfo *info)
{
    return info->type && (info->type->sequence_type || info->type->optional_type);
}

const Onnx__TensorType *opevo_i_net_tensor_type(const Onnx__ValueInfo *info)
{
    const Onnx__SequenceType *sequence = sequence_of(info);
    const Onnx__Type *type = info->type;

    if (sequence)
        return sequence->elem_type ? sequence->elem_type->tensor_type : NULL;
    if (!type || !type->optional_type)
        return type ? type->tensor_type : NULL;
    return type->optional_type->elem_type ? type->optional_type->elem_type->tensor_type : NULL;
}

/* ---- Tensors -------------------------------------------------------------------------------- */

static const opevo_network_shape *given_shape(const opevo_i_net_reader *self, const char *name)
{
    for (size_t i = 0; i < self->given.shape_count; i++) {
        if (strcmp(self->given.shapes[i].name, name) == 0)
            return &self->given.shapes[i];
    }
    return NULL;
}

static opevo_status check_input(const opevo_i_net_reader *self, const opevo_network_value *value,
                                opevo_error *err)
{
    opevo_error reason = {0};
    opevo_text what = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&what, "Input '%s'", value->name);
    OPEVO_TRY(opevo_text_check(&what, err));
    status = opevo_i_net_check_extents(opevo_text_string(&what), value->array.dims,
                                       value->array.extent, &reason);
    if (status != OPEVO_OK)
        status = opevo_i_net_reader_fail(self, status, err, "%s", reason.message);
cleanup:
    opevo_text_free(&what);
    return status;
}

/* What is given for a dimension that has a name; NULL: nothing. */
static const opevo_network_dimension *given_dimension(const opevo_i_net_reader *self,
                                                      const char *name)
{
    for (size_t i = 0; name && i < self->given.dimension_count; i++) {
        if (strcmp(self->given.dimensions[i].name, name) == 0)
            return &self->given.dimensions[i];
    }
    return NULL;
}

/* Dimension d of an input; `shape` is what is given for it, or NULL. */
static opevo_status take_extent(const opevo_i_net_reader *self, const Onnx__Dimension *dim,
                                const opevo_network_shape *shape, int d, opevo_network_value *value,
                                opevo_error *err)
{
    bool known = dim && dim->has_dim_value && dim->dim_value > 0;
    const char *name = shape ? shape->dimension[d] : known || !dim ? NULL : dim->dim_param;
    const opevo_network_dimension *given = given_dimension(self, name);
    int64_t extent = given ? given->extent : shape ? shape->extent[d] : known ? dim->dim_value : 0;

    if (shape && name && !given)
        return SAY(self, err,
                   "--shape gives input '%s' the dimension '%s'; give its extents with --dynamic "
                   "%s=N..N, or write a number.",
                   value->name, name, name);
    if (shape && !given && known && extent != dim->dim_value)
        return SAY(self, err, "Dimension %d of input '%s' is %lld; --shape gives %lld.", d,
                   value->name, (long long)dim->dim_value, (long long)extent);
    if (shape && given && known)
        return SAY(self, err,
                   "Dimension %d of input '%s' is %lld in the file, and --shape gives '%s'; export "
                   "the model with this dimension open.",
                   d, value->name, (long long)dim->dim_value, name);
    if (!extent)
        return SAY(self, err,
                   "Dimension %d%s%s of input '%s' is open%s; give its shape, of extents above 0, "
                   "with --shape %s=N,N,...",
                   d, dim && dim->dim_param ? " " : "", dim && dim->dim_param ? dim->dim_param : "",
                   value->name,
                   dim && dim->has_dim_value ? ", as the model gives it no extent above 0" : "",
                   value->name);
    value->array.extent[d] = extent;
    return OPEVO_OK;
}

static opevo_status take_input_shape(const opevo_i_net_reader *self, const Onnx__TensorType *type,
                                     opevo_network_value *value, opevo_error *err)
{
    const opevo_network_shape *given = given_shape(self, value->name);
    opevo_array *array = &value->array;

    if (!type || opevo_i_net_type_of(type->elem_type) == OPEVO_NETWORK_NO_TYPE)
        return SAY(self, err, "Input '%s' is not a tensor of a type that opevo reads.",
                   value->name);
    array->type = opevo_i_net_type_of(type->elem_type);
    if (!given && !type->shape)
        return SAY(self, err, "Input '%s' has no shape; give it with --shape %s=N,N,...",
                   value->name, value->name);
    if (given && type->shape && (size_t)given->dims != type->shape->n_dim)
        return SAY(self, err, "Input '%s' has %zu dimensions; --shape gives %d.", value->name,
                   type->shape->n_dim, given->dims);
    if (!given && type->shape->n_dim > OPEVO_NETWORK_DIMS)
        return SAY(self, err, "Input '%s' has %zu dimensions; opevo takes up to %d.", value->name,
                   type->shape->n_dim, OPEVO_NETWORK_DIMS);
    array->dims = given ? given->dims : (int)type->shape->n_dim;
    for (int d = 0; d < array->dims; d++) {
        opevo_status status =
            take_extent(self, type->shape ? type->shape->dim[d] : NULL, given, d, value, err);

        if (status != OPEVO_OK)
            return status;
    }
    return check_input(self, value, err);
}

/* Whether the array has the type of the input, and the dimensions that the model does not leave
 * open. */
static opevo_status check_value(const opevo_i_net_reader *self, const Onnx__TensorType *type,
                                const char *name, const opevo_array *array, const char *file,
                                opevo_error *err)
{
    const Onnx__Shape *shape = type ? type->shape : NULL;
    opevo_network_type declared =
        type ? opevo_i_net_type_of(type->elem_type) : OPEVO_NETWORK_NO_TYPE;
    const char *wanted = opevo_network_type_name(declared);

    if (type && declared != array->type && !wanted)
        return SAY(self, err, "Input '%s' is of ONNX type %d, which opevo does not read.", name,
                   type->elem_type);
    if (type && declared != array->type)
        return SAY(self, err, "Input '%s' is of %s; %s is of %s, so give another tensor.", name,
                   wanted, file, opevo_network_type_name(array->type));
    if (shape && shape->n_dim != (size_t)array->dims)
        return SAY(self, err, "Input '%s' has %zu dimensions; %s has %d, so give another tensor.",
                   name, shape->n_dim, file, array->dims);
    for (int d = 0; shape && d < array->dims; d++) {
        const Onnx__Dimension *dim = shape->dim[d];

        if (dim->has_dim_value && dim->dim_value > 0 && dim->dim_value != array->extent[d])
            return SAY(self, err,
                       "Dimension %d of input '%s' is %lld; that of %s is %lld, so give another "
                       "tensor.",
                       d, name, (long long)dim->dim_value, file, (long long)array->extent[d]);
    }
    return OPEVO_OK;
}

/* Whether a node makes the shape of its output of this input of numbers: scales of a Resize. */
static bool decides_shape(const opevo_i_net_reader *self, const char *name)
{
    const Onnx__Graph *graph = self->network->model->graph;

    for (size_t n = 0; n < graph->n_node; n++) {
        const Onnx__Node *node = graph->node[n];
        const char *operation = node->op_type ? node->op_type : "";

        if (strcmp(operation, "Resize") != 0 && strcmp(operation, "Upsample") != 0)
            continue;
        for (size_t i = 1; i < node->n_input; i++) {
            if (strcmp(node->input[i], name) == 0)
                return true;
        }
    }
    return false;
}

/* Type and shape are those of value i, and so is the value of whole numbers and of one number. */
static opevo_status take_input_value(const opevo_i_net_reader *self, const Onnx__TensorType *type,
                                     int i, opevo_network_value *value, opevo_error *err)
{
    const opevo_array *array = &self->given.values[i];
    opevo_status status =
        check_value(self, type, value->name, array,
                    self->given.files ? self->given.files[i] : "the tensor given", err);

    if (status != OPEVO_OK)
        return status;
    value->array = *array;
    value->array.data = NULL;
    status = check_input(self, value, err);
    if (status != OPEVO_OK || self->given.shapes_only)
        return status;
    if (!self->given.eager && !opevo_i_net_type_is_whole(array->type) &&
        opevo_array_elements(array) != 1 && !decides_shape(self, value->name))
        return OPEVO_OK;
    status = opevo_array_allocate(&value->array, err);
    if (status != OPEVO_OK)
        return status;
    memcpy(value->array.data, array->data, opevo_i_net_bytes(array));
    value->constant = true;
    return OPEVO_OK;
}

/* Value `number` is the next input of the network. */
static opevo_status take_tensor(opevo_i_net_reader *self, const Onnx__TensorType *type, int number,
                                opevo_error *err)
{
    opevo_network *network = self->network;
    int *grown = opevo_realloc(network->input, (size_t)network->inputs + 1, sizeof *grown);

    OPEVO_NEED_OR_RETURN(grown, "the inputs of %s", network->path);
    network->input = grown;
    network->input[network->inputs++] = number;
    network->value[number].input = true;
    network->value[number].stored = type ? opevo_i_net_stored(type->elem_type) : 0;
    if (self->given.values && (size_t)network->inputs <= self->given.value_count)
        return take_input_value(self, type, network->inputs - 1, &network->value[number], err);
    return take_input_shape(self, type, &network->value[number], err);
}

/* ---- Sequences and optionals ---------------------------------------------------------------- */

/* What is given for one, by --bind or --run, or its shapes. */
typedef struct given_list {
    int length;
    opevo_array *array; /* constants; NULL: tensors that --run gives, or nothing but shapes */
    int arrays;
} given_list;

static void free_list(given_list *list)
{
    for (int i = 0; i < list->arrays; i++)
        opevo_array_free(&list->array[i]);
    opevo_free(list->array);
}

/* For how many tensors of the sequence --shape gives a shape. */
static opevo_status count_shapes(const opevo_i_net_reader *self, const char *name, int *count,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (*count = -1; status == OPEVO_OK;) {
        opevo_text text = {0};
        const opevo_network_shape *given = NULL;

        opevo_text_printf(&text, "%s[%d]", name, ++*count);
        status = opevo_text_check(&text, err);
        given = status == OPEVO_OK ? given_shape(self, opevo_text_string(&text)) : NULL;
        opevo_text_free(&text);
        if (!given)
            break;
    }
    if (status == OPEVO_OK && *count == 0)
        status = SAY(self, err,
                     "Input '%s' is a sequence; give the shape of each of its tensors with --shape "
                     "'%s[0]=N,N,...' and so on, or bind it with --bind %s=FILE.pb.",
                     name, name, name);
    return status;
}

/* `file`: the number of the input among those that are not constant. */
static opevo_status find_list(const opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                              const char *bound, size_t file, given_list *out, opevo_error *err)
{
    bool is_sequence = sequence_of(info) != NULL;
    opevo_status status = OPEVO_OK;

    out->length = is_sequence ? 0 : OPEVO_NETWORK_EMPTY;
    if (bound && *bound)
        OPEVO_TRY(opevo_arrays_read(bound, &out->array, &out->arrays, &out->length, err));
    else if (!bound && self->given.values && self->given.lengths && file < self->given.length_count)
        out->length = self->given.lengths[file];
    else if (!bound && !self->given.values && is_sequence)
        OPEVO_TRY(count_shapes(self, info->name, &out->length, err));
    else if (!bound)
        out->length = OPEVO_NETWORK_TENSOR;
    if (is_sequence && out->length == OPEVO_NETWORK_TENSOR)
        status =
            SAY(self, err, "Input '%s' is a sequence, and one tensor is given for it.", info->name);
    if (!is_sequence && out->length > 1)
        status = SAY(self, err, "Input '%s' is one tensor or none, and %d are given for it.",
                     info->name, out->length);
cleanup:
    return status;
}

/* A value for tensor `i` of the list; its name is that of the input where `i` is negative. */
static opevo_status take_item(opevo_i_net_reader *self, const Onnx__ValueInfo *info, int i,
                              opevo_array *constant, int *out, opevo_error *err)
{
    const Onnx__TensorType *type = opevo_i_net_tensor_type(info);
    opevo_text text = {0};
    const char *name = info->name;
    opevo_status status = OPEVO_OK;

    if (i >= 0) {
        opevo_text_printf(&text, "%s[%d]", info->name, i);
        OPEVO_TRY(opevo_i_net_reader_keep(self, &text, &name, err));
        if (opevo_i_net_names_get(&self->main.names, name) != OPEVO_I_NET_UNNAMED)
            OPEVO_TRY(SAY(self, err, "Two tensors are named '%s'.", name));
    }
    OPEVO_TRY(opevo_i_net_reader_add(self, name, out, err));
    OPEVO_TRY(opevo_i_net_names_put(&self->main.names, name, *out, err));
    if (!constant) {
        status = take_tensor(self, type, *out, err);
        goto cleanup;
    }
    OPEVO_TRY(check_value(self, type, name, constant, "the tensor of --bind", err));
    self->network->value[*out].array = *constant;
    self->network->value[*out].constant = true;
    constant->data = NULL; /* handed over */
cleanup:
    return status;
}

static opevo_status take_list(opevo_i_net_reader *self, const Onnx__ValueInfo *info,
                              const char *bound, size_t file, opevo_error *err)
{
    bool is_sequence = sequence_of(info) != NULL;
    given_list list = {0};
    opevo_status status = find_list(self, info, bound, file, &list, err);
    int binding = opevo_i_net_names_get(&self->main.names, info->name), *item = NULL, count = 0;

    if (status != OPEVO_OK)
        goto cleanup;
    if (!is_sequence && (list.length == 1 || list.length == OPEVO_NETWORK_TENSOR)) {
        status = take_item(self, info, -1, list.array, &binding, err);
        goto cleanup;
    }
    count = list.length > 0 ? list.length : 0;
    OPEVO_TRY(opevo_i_net_reader_sequence(self, count, &binding, &item, err));
    for (int i = 0; i < count; i++)
        item[i] = OPEVO_I_NET_OMITTED;
    self->sequence[OPEVO_I_NET_SEQUENCE - binding].is_optional =
        info->type->optional_type && list.length == OPEVO_NETWORK_EMPTY;
    OPEVO_TRY(opevo_i_net_names_put(&self->main.names, info->name, binding, err));
    for (int i = 0; i < count; i++)
        OPEVO_TRY(take_item(self, info, i, list.array ? &list.array[i] : NULL, &item[i], err));
cleanup:
    free_list(&list);
    return status;
}

/* ---- All of them ---------------------------------------------------------------------------- */

/* `name` is not an input; these are. */
static opevo_status say_inputs(const opevo_i_net_reader *self, const char *name, opevo_error *err)
{
    const opevo_network *network = self->network;
    opevo_text names = {0};
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < network->inputs; i++)
        opevo_text_printf(&names, "%s'%s'", i ? ", " : "", network->value[network->input[i]].name);
    OPEVO_TRY(opevo_text_check(&names, err));
    if (network->inputs)
        status = SAY(self, err, "--shape names '%.200s', which is not an input; inputs are %.400s.",
                     name, opevo_text_string(&names));
    else
        status =
            SAY(self, err, "--shape names '%.200s'; leave it out, the model has no inputs.", name);
cleanup:
    opevo_text_free(&names);
    return status;
}

/* Append the names of dimensions that can be dynamic, once each; whether one of them is `name`. */
static bool list_dimensions(const opevo_i_net_reader *self, const char *name, opevo_text *out)
{
    const Onnx__Graph *graph = self->network->model->graph;
    bool found = false;

    for (size_t s = 0; s < self->given.shape_count; s++) {
        for (int d = 0; d < self->given.shapes[s].dims; d++)
            found |= self->given.shapes[s].dimension[d] &&
                     strcmp(self->given.shapes[s].dimension[d], name) == 0;
    }
    for (size_t i = 0; i < graph->n_input; i++) {
        const Onnx__TensorType *type = opevo_i_net_tensor_type(graph->input[i]);

        for (size_t d = 0; type && type->shape && d < type->shape->n_dim; d++) {
            const char *one = type->shape->dim[d]->dim_param;

            if (!one || !*one || given_shape(self, graph->input[i]->name))
                continue;
            found |= strcmp(one, name) == 0;
            if (!strstr(opevo_text_string(out), one))
                opevo_text_printf(out, "%s'%.60s'", out->length ? ", " : "", one);
        }
    }
    return found;
}

static opevo_status check_dimension(const opevo_i_net_reader *self, const char *name,
                                    opevo_error *err)
{
    opevo_text names = {0};
    opevo_status status = OPEVO_OK;

    if (!list_dimensions(self, name, &names) && names.length)
        status = SAY(self, err,
                     "--dynamic names '%s', which is not a dimension of an input; dimensions are "
                     "%.300s, or those that --shape names, such as --shape x=%s,8.",
                     name, opevo_text_string(&names), name);
    else if (!names.length && !list_dimensions(self, name, &names))
        status =
            SAY(self, err,
                "--dynamic names '%s', and inputs have no names for dimensions; name them with "
                "--shape, such as --shape x=%s,8.",
                name, name);
    opevo_text_free(&names);
    return status;
}

/* Whether what is given is that of the inputs of the model, of which `bound` are bound and `files`
 * are not. */
static opevo_status check_given(const opevo_i_net_reader *self, size_t bound, size_t files,
                                opevo_error *err)
{
    const opevo_network *network = self->network;
    opevo_status status = OPEVO_OK;
    size_t given = self->given.lengths ? self->given.length_count : self->given.value_count;

    if (self->given.values && given != files)
        return SAY(self, err,
                   "The model has %zu inputs, and %zu tensors are given; give one for each, in "
                   "the order of the model.",
                   files, given);
    if (self->given.values && self->given.value_count != (size_t)network->inputs)
        return SAY(self, err, "One of its inputs is a tensor, and a sequence is given for it.");
    if (bound != self->given.binding_count)
        return SAY(self, err,
                   "--bind binds %zu inputs, of which the model has %zu that are not stored; bind "
                   "each input once, by its name.",
                   self->given.binding_count, bound);
    for (size_t s = 0; s < self->given.shape_count && status == OPEVO_OK; s++) {
        int number = opevo_i_net_reader_find(self, self->given.shapes[s].name);

        if (number < 0 || !network->value[number].input)
            status = say_inputs(self, self->given.shapes[s].name, err);
    }
    return status;
}

opevo_status opevo_i_net_take_inputs(opevo_i_net_reader *self, opevo_error *err)
{
    opevo_network *network = self->network;
    const Onnx__Graph *graph = network->model->graph;
    opevo_status status = OPEVO_OK;
    size_t found = 0, files = 0;

    for (size_t i = 0; i < self->given.dimension_count && status == OPEVO_OK; i++)
        status = check_dimension(self, self->given.dimensions[i].name, err);
    for (size_t i = 0; i < graph->n_input && status == OPEVO_OK; i++) {
        const Onnx__ValueInfo *info = graph->input[i];
        int number = opevo_i_net_names_get(&self->main.names, info->name);
        const char *bound = opevo_i_net_binding_of(self, info->name);

        if (number >= 0 && network->value[number].constant)
            continue;
        if (number < 0)
            status = take_list(self, info, bound, files, err);
        else if (bound)
            status = opevo_i_net_bind(self, info, bound, &network->value[number], err);
        else
            status = take_tensor(self, opevo_i_net_tensor_type(info), number, err);
        found += bound && status == OPEVO_OK;
        files += !bound;
    }
    return status == OPEVO_OK ? check_given(self, found, files, err) : status;
}
