/* SPDX-License-Identifier: GPL-3.0-or-later */

/* If, Loop and Scan as the nodes of their graphs.
 *
 * A loop is read as often as it runs, which must be known: as a number that is constant, or since
 * its condition is. What a run carries over is the tensor, not a copy. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

static const Onnx__Graph *graph_of(opevo_i_net_builder *self, const char *name)
{
    const Onnx__Attribute *attribute = opevo_i_net_build_attribute(self, name);

    if (attribute && attribute->g)
        return attribute->g;
    opevo_i_net_build_fail(self, "It has no graph.");
    return NULL;
}

static const char *name_of(const Onnx__ValueInfo *info)
{
    return info->name ? info->name : "";
}

/* ---- Graphs in scopes ----------------------------------------------------------------------- */

static void start(opevo_i_net_builder *self, const opevo_i_net_scope *outer, const char *word,
                  opevo_i_net_scope *out)
{
    *out = (opevo_i_net_scope){.outer = outer,
                               .prefix = "",
                               .called = outer->called,
                               .call = outer->call,
                               .function = outer->function,
                               .opset = outer->opset,
                               .depth = outer->depth,
                               .is_branch = outer->is_branch};
    if (self->status == OPEVO_OK)
        self->status = opevo_i_net_reader_start(self->reader, self->scope->prefix, word,
                                                &out->prefix, self->err);
    out->called =
        strcmp(word, "then") == 0 || strcmp(word, "else") == 0 ? outer->called : out->prefix;
}

static void put(opevo_i_net_builder *self, opevo_i_net_scope *scope, const char *name, int binding)
{
    if (self->status == OPEVO_OK && *name)
        self->status = opevo_i_net_names_put(&scope->names, name, binding, self->err);
}

/* The constants that are stored in a graph. */
static void take_constants(opevo_i_net_builder *self, opevo_i_net_scope *scope,
                           const Onnx__Graph *graph)
{
    opevo_i_net_reader *reader = self->reader;

    for (size_t i = 0; i < graph->n_initializer && self->status == OPEVO_OK; i++) {
        const Onnx__Tensor *tensor = graph->initializer[i];
        const char *name = tensor->name ? tensor->name : "", *kept = NULL;
        opevo_text text = {0}, what = {0};
        int value = 0;

        opevo_text_printf(&text, "%s%s", scope->prefix, name);
        opevo_text_printf(&what, "%s: the stored tensor '%s'", reader->network->path, name);
        self->status = opevo_i_net_reader_keep(reader, &text, &kept, self->err);
        if (self->status == OPEVO_OK)
            self->status = opevo_text_check(&what, self->err);
        if (self->status == OPEVO_OK)
            self->status = opevo_i_net_reader_add(reader, kept, &value, self->err);
        if (self->status == OPEVO_OK)
            self->status =
                opevo_i_net_array_of(tensor, opevo_text_string(&what), reader->network->path,
                                     &reader->network->value[value].array, self->err);
        if (self->status == OPEVO_OK)
            reader->network->value[value].constant = true;
        put(self, scope, name, value);
        opevo_text_free(&what);
    }
}

static void take_nodes(opevo_i_net_builder *self, opevo_i_net_scope *scope,
                       const Onnx__Graph *graph)
{
    if (self->status == OPEVO_OK)
        self->status =
            self->reader->read_all(self->reader, scope, graph->node, graph->n_node, self->err);
}

/* What output `i` of a graph is; an output may be a tensor of a graph around it. */
static int result_of(opevo_i_net_builder *self, const opevo_i_net_scope *scope,
                     const Onnx__Graph *graph, size_t i)
{
    int found = opevo_i_net_scope_find(scope, name_of(graph->output[i]));

    if (found == OPEVO_I_NET_UNNAMED)
        opevo_i_net_build_fail(self, "An output of its graph is not made by any node.");
    return found;
}

/* ---- If ------------------------------------------------------------------------------------- */

/* The results of a branch. */
static void read_branch(opevo_i_net_builder *self, const char *name, const char *word, bool is_sure,
                        int *out)
{
    const Onnx__Graph *graph = graph_of(self, name);
    opevo_i_net_scope inner = {0};

    if (graph && graph->n_output != (size_t)self->outs)
        opevo_i_net_build_fail(self, "One of its branches has another number of outputs.");
    if (self->status != OPEVO_OK)
        return;
    start(self, self->scope, word, &inner);
    inner.is_branch |= !is_sure;
    take_constants(self, &inner, graph);
    take_nodes(self, &inner, graph);
    for (int i = 0; i < self->outs; i++)
        out[i] = result_of(self, &inner, graph, (size_t)i);
    opevo_i_net_names_free(&inner.names);
}

/* The node that takes one of two tensors; what nobody reads may be unknown. */
static int choose_one(opevo_i_net_builder *self, int target, int yes, int no)
{
    opevo_i_net_scope *scope = self->scope, choice = *scope;
    int in[] = {self->in[0], yes, no}, made = 0;

    choice.is_branch = true;
    self->scope = &choice;
    self->target = target;
    made = opevo_i_net_build(self, "If", NULL, 3, in);
    self->scope = scope;
    return made;
}

/* A sequence of the choices between tensors of two that are as long. */
static void choose_items(opevo_i_net_builder *self, int output, int yes, int no)
{
    const opevo_i_net_sequence *a = opevo_i_net_build_items(self, yes),
                               *b = a ? opevo_i_net_build_items(self, no) : NULL;
    int count = a ? a->count : 0, *item = NULL, made = 0;

    if (b && (a->count != b->count || a->is_optional != b->is_optional))
        opevo_i_net_build_fail(self, "Its branches give sequences of different lengths, and its "
                                     "condition is not constant.");
    made = opevo_i_net_build_sequence(self, count, &item);
    for (int i = 0; i < count && self->status == OPEVO_OK; i++)
        item[i] = choose_one(self, OPEVO_I_NET_OMITTED, opevo_i_net_build_items(self, yes)->item[i],
                             opevo_i_net_build_items(self, no)->item[i]);
    opevo_i_net_build_output(self, output, made);
}

/* Both branches, of which a node takes one. */
static void choose(opevo_i_net_builder *self, const int *yes, const int *no)
{
    for (int i = 0; i < self->outs && self->status == OPEVO_OK; i++) {
        int made = 0;

        if (yes[i] < 0 || no[i] < 0) {
            choose_items(self, i, yes[i], no[i]);
            continue;
        }
        made = opevo_i_net_build_target(self, i);
        if (made == OPEVO_I_NET_OMITTED)
            continue;
        choose_one(self, made, yes[i], no[i]);
    }
}

static void build_if(opevo_i_net_builder *self)
{
    const opevo_array *condition = opevo_i_net_build_array(self, self->in[0]);
    size_t outs = (size_t)self->outs;
    int *yes = opevo_malloc(2 * outs + 1, sizeof *yes), *no = yes + outs;

    if (!yes) {
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a branch.");
        return;
    }
    if (!condition || condition->type != OPEVO_NETWORK_BOOL ||
        opevo_array_elements(condition) != 1) {
        opevo_i_net_build_fail(self, "Its condition must be one Boolean.");
    } else if (condition->data) {
        bool taken = opevo_i_net_whole(condition, condition->data, 0) != 0;

        read_branch(self, taken ? "then_branch" : "else_branch", taken ? "then" : "else", true,
                    yes);
        for (int i = 0; i < self->outs; i++)
            opevo_i_net_build_output(self, i, yes[i]);
    } else {
        read_branch(self, "then_branch", "then", false, yes);
        read_branch(self, "else_branch", "else", false, no);
        choose(self, yes, no);
    }
    opevo_free(yes);
}

/* ---- Loop ----------------------------------------------------------------------------------- */

/* Tensors of each run of a loop: those that it carries over, and lists of those that it stacks. */
typedef struct loop {
    const Onnx__Graph *body;
    opevo_i_net_scope constants;
    int *carried, carries; /* and room for as many that were before the last run */
    int *stacked, stacks;
    size_t room;
    int64_t runs; /* so far */
    int first;    /* value of the loop */
} loop;

static bool make_room(opevo_i_net_builder *self, loop *of)
{
    if (opevo_reserve((void **)&of->stacked, &of->room,
                      (size_t)(of->runs + 1) * (size_t)of->stacks + 1, sizeof *of->stacked))
        return true;
    if (self->status == OPEVO_OK)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a loop.");
    return false;
}

/* Rows of the list are those of one stacked output after all runs. */
static void stack(opevo_i_net_builder *self, const loop *of, int which, int axis, bool reversed,
                  int output)
{
    int *list = opevo_malloc((size_t)of->runs + 1, sizeof *list);
    int64_t place[] = {axis};
    char text[32];
    int axes = OPEVO_I_NET_OMITTED;

    if (!list)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a loop.");
    axes = opevo_i_net_build_wholes(self, 1, place);
    for (int64_t i = 0; i < of->runs && self->status == OPEVO_OK; i++) {
        int in[] = {of->stacked[i * of->stacks + which], axes};

        list[reversed ? of->runs - 1 - i : i] = opevo_i_net_build(self, "Unsqueeze", NULL, 2, in);
    }
    snprintf(text, sizeof text, "axis=%d", axis);
    if (self->status == OPEVO_OK)
        self->target = opevo_i_net_build_target(self, output);
    if (self->status == OPEVO_OK && self->target != OPEVO_I_NET_OMITTED)
        opevo_i_net_build(self, "Concat", text, (int)of->runs, list);
    opevo_free(list);
}

/* Without a run, what is stacked is empty; its other extents are as the graph declares them. */
static void stack_nothing(opevo_i_net_builder *self, const Onnx__ValueInfo *info, int output)
{
    const Onnx__TensorType *type = info->type ? info->type->tensor_type : NULL;
    int64_t extent[OPEVO_NETWORK_DIMS] = {0};
    int dims = 1, in = 0;
    char text[32];

    if (!type || opevo_i_net_type_of(type->elem_type) == OPEVO_NETWORK_NO_TYPE ||
        (type->shape && type->shape->n_dim >= OPEVO_NETWORK_DIMS)) {
        opevo_i_net_build_fail(self, "It does not run, and an output of its graph has no type.");
        return;
    }
    for (size_t d = 0; type->shape && d < type->shape->n_dim; d++)
        extent[dims++] = type->shape->dim[d]->dim_value > 0 ? type->shape->dim[d]->dim_value : 0;
    in = opevo_i_net_build_wholes(self, dims, extent);
    in = opevo_i_net_build(self, "ConstantOfShape", NULL, 1, &in);
    snprintf(text, sizeof text, "to=%d", (int)type->elem_type);
    self->target =
        self->status == OPEVO_OK ? opevo_i_net_build_target(self, output) : OPEVO_I_NET_OMITTED;
    if (self->target != OPEVO_I_NET_OMITTED)
        opevo_i_net_build(self, "Cast", text, 1, &in);
}

/* Release what no later run sees of the values that were made from number `values` on in the last
 * run, and what it has carried over in the place of values of the loop if nothing is stacked. */
static void release_run(opevo_i_net_builder *self, const loop *of, int values, const int *old)
{
    size_t stacks = (size_t)of->stacks, carries = (size_t)of->carries;
    int *kept = opevo_malloc(stacks + carries + 1, sizeof *kept);

    if (kept && self->status == OPEVO_OK) {
        memcpy(kept, of->carried, carries * sizeof *kept);
        memcpy(kept + carries, of->stacked + (size_t)(of->runs - 1) * stacks,
               stacks * sizeof *kept);
        opevo_i_net_release_since(self->reader, values, kept, stacks + carries);
        for (size_t i = 0; i < carries && stacks == 0; i++) {
            bool stays = old[i] < of->first;

            for (size_t k = 0; k < carries && !stays; k++)
                stays = of->carried[k] == old[i];
            if (!stays)
                opevo_i_net_release(self->reader, old[i]);
        }
    }
    opevo_free(kept);
}

/* One run of the graph: `first` results come before those that are carried. */
static void run_body(opevo_i_net_builder *self, loop *of, opevo_i_net_scope *inner, size_t first)
{
    take_nodes(self, inner, of->body);
    if (self->status != OPEVO_OK || !make_room(self, of))
        return;
    for (int i = 0; i < of->stacks; i++)
        of->stacked[of->runs * of->stacks + i] =
            result_of(self, inner, of->body, first + (size_t)(of->carries + i));
    for (int i = 0; i < of->carries; i++)
        of->carried[i] = result_of(self, inner, of->body, first + (size_t)i);
    of->runs++;
}

static void run_loop(opevo_i_net_builder *self, loop *of, int *old)
{
    int condition = opevo_i_net_build_input(self, 1);
    int64_t most = opevo_i_net_build_input(self, 0) == OPEVO_I_NET_OMITTED
                       ? INT64_MAX
                       : opevo_i_net_build_known(self, self->in[0], "number of runs");
    bool goes = condition == OPEVO_I_NET_OMITTED ||
                opevo_i_net_build_known(self, condition, "condition") != 0;

    while (self->status == OPEVO_OK && goes && of->runs < most) {
        opevo_i_net_scope inner = {0};
        int values = self->reader->network->values;

        memcpy(old, of->carried, (size_t)of->carries * sizeof *old);
        start(self, &of->constants, "loop", &inner);
        put(self, &inner, name_of(of->body->input[0]), opevo_i_net_build_whole(self, of->runs));
        put(self, &inner, name_of(of->body->input[1]), opevo_i_net_build_bool(self, true));
        for (int i = 0; i < of->carries; i++)
            put(self, &inner, name_of(of->body->input[2 + i]), of->carried[i]);
        run_body(self, of, &inner, 1);
        condition = self->status == OPEVO_OK ? result_of(self, &inner, of->body, 0) : 0;
        goes =
            self->status == OPEVO_OK && opevo_i_net_build_known(self, condition, "condition") != 0;
        release_run(self, of, values, old);
        opevo_i_net_names_free(&inner.names);
    }
}

static void build_loop(opevo_i_net_builder *self)
{
    loop of = {.body = graph_of(self, "body"),
               .first = self->reader->network->values,
               .carries = self->ins > 2 ? self->ins - 2 : 0};

    of.stacks = of.body ? (int)of.body->n_output - 1 - of.carries : 0;
    if (of.body && (self->ins < 2 || of.stacks < 0 || of.body->n_input != 2 + (size_t)of.carries ||
                    self->outs > of.carries + of.stacks))
        opevo_i_net_build_fail(self, "Its graph has another number of inputs or outputs.");
    of.carried = opevo_malloc(2 * (size_t)of.carries + 1, sizeof *of.carried);
    if (!of.carried && self->status == OPEVO_OK)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a loop.");
    for (int i = 0; i < of.carries && self->status == OPEVO_OK; i++)
        of.carried[i] = self->in[2 + i];
    if (self->status == OPEVO_OK) {
        start(self, self->scope, "loop", &of.constants);
        take_constants(self, &of.constants, of.body);
        run_loop(self, &of, of.carried + of.carries);
    }
    for (int i = 0; i < self->outs && self->status == OPEVO_OK; i++) {
        if (i < of.carries)
            opevo_i_net_build_output(self, i, of.carried[i]);
        else if (of.runs)
            stack(self, &of, i - of.carries, 0, false, i);
        else
            stack_nothing(self, of.body->output[1 + i], i);
    }
    opevo_i_net_names_free(&of.constants.names);
    opevo_free(of.carried);
    opevo_free(of.stacked);
}

/* ---- Scan ----------------------------------------------------------------------------------- */

/* Number `i` of a list in an attribute. */
static int64_t listed(const opevo_i_net_builder *self, const char *name, int i)
{
    const Onnx__Attribute *attribute = opevo_i_net_build_attribute(self, name);

    return attribute && (size_t)i < attribute->n_ints ? attribute->ints[i] : 0;
}

/* What run `i` of `runs` sees of a scanned input. */
static int slice_of(opevo_i_net_builder *self, int input, int which, int64_t i, int64_t runs)
{
    int axis = (int)listed(self, "scan_input_axes", which), in[2] = {input, 0};
    char text[32];

    if (listed(self, "scan_input_directions", which))
        i = runs - 1 - i;
    snprintf(text, sizeof text, "axis=%d", axis);
    in[1] = opevo_i_net_build_whole(self, i);
    return opevo_i_net_build(self, "Gather", text, 2, in);
}

static void run_scan(opevo_i_net_builder *self, loop *of, int scans, int *old)
{
    int64_t runs = -1;

    for (int k = 0; k < scans && self->status == OPEVO_OK; k++) {
        const opevo_array *array = opevo_i_net_build_array(self, self->in[of->carries + k]);
        int64_t axis = listed(self, "scan_input_axes", k), count = 0;

        axis += array && axis < 0 ? array->dims : 0;
        count = array && axis >= 0 && axis < array->dims ? array->extent[axis] : -1;
        if (count < 0 || (runs >= 0 && runs != count))
            opevo_i_net_build_fail(self, "What it scans has another number of slices.");
        runs = count;
    }
    while (self->status == OPEVO_OK && of->runs < runs) {
        opevo_i_net_scope inner = {0};
        int values = self->reader->network->values;

        memcpy(old, of->carried, (size_t)of->carries * sizeof *old);
        start(self, &of->constants, "scan", &inner);
        for (int i = 0; i < of->carries; i++)
            put(self, &inner, name_of(of->body->input[i]), of->carried[i]);
        for (int k = 0; k < scans; k++)
            put(self, &inner, name_of(of->body->input[of->carries + k]),
                slice_of(self, self->in[of->carries + k], k, of->runs, runs));
        run_body(self, of, &inner, 0);
        release_run(self, of, values, old);
        opevo_i_net_names_free(&inner.names);
    }
}

static void stack_scan(opevo_i_net_builder *self, const loop *of, int which, int output)
{
    int made = of->stacked[which];
    const opevo_array *array = opevo_i_net_build_array(self, made);
    int64_t axis = listed(self, "scan_output_axes", which);

    axis += array && axis < 0 ? array->dims + 1 : 0;
    if (!array || axis < 0 || axis > array->dims)
        opevo_i_net_build_fail(self, "An axis of its outputs is outside of them.");
    else
        stack(self, of, which, (int)axis, listed(self, "scan_output_directions", which) != 0,
              output);
}

static void build_scan(opevo_i_net_builder *self)
{
    loop of = {.body = graph_of(self, "body"), .first = self->reader->network->values};
    int scans = (int)opevo_i_net_build_int(self, "num_scan_inputs", 0);

    of.carries = self->ins - scans;
    of.stacks = of.body ? (int)of.body->n_output - of.carries : 0;
    for (int i = 0; i < self->ins && self->scope->opset >= 9; i++) {
        if (self->in[i] == OPEVO_I_NET_OMITTED)
            opevo_i_net_build_fail(self, "An input is missing.");
    }
    if (self->scope->opset < 9)
        opevo_i_net_build_fail(self, "Scan had another meaning in opset 8; convert the model.");
    if (of.body && (scans < 1 || of.carries < 0 || of.stacks < 0 ||
                    of.body->n_input != (size_t)self->ins || self->outs > of.carries + of.stacks))
        opevo_i_net_build_fail(self, "Its graph has another number of inputs or outputs.");
    of.carried = self->status == OPEVO_OK
                     ? opevo_malloc(2 * (size_t)of.carries + 1, sizeof *of.carried)
                     : NULL;
    if (!of.carried && self->status == OPEVO_OK)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a loop.");
    for (int i = 0; i < of.carries && self->status == OPEVO_OK; i++)
        of.carried[i] = self->in[i];
    if (self->status == OPEVO_OK) {
        start(self, self->scope, "scan", &of.constants);
        take_constants(self, &of.constants, of.body);
        run_scan(self, &of, scans, of.carried + of.carries);
    }
    for (int i = 0; i < self->outs && self->status == OPEVO_OK; i++) {
        if (i < of.carries)
            opevo_i_net_build_output(self, i, of.carried[i]);
        else if (of.runs)
            stack_scan(self, &of, i - of.carries, i);
        else
            stack_nothing(self, of.body->output[i], i);
    }
    opevo_i_net_names_free(&of.constants.names);
    opevo_free(of.carried);
    opevo_free(of.stacked);
}

/* ---- SequenceMap ---------------------------------------------------------------------------- */

/* The graph for run `i`: of each sequence the tensor there, and whole tensors. */
static void map_one(opevo_i_net_builder *self, const Onnx__Graph *body,
                    const opevo_i_net_scope *constants, int i, int *const *made)
{
    opevo_i_net_scope inner = {0};

    start(self, constants, "map", &inner);
    for (int k = 0; k < self->ins && self->status == OPEVO_OK; k++) {
        int binding = self->in[k];
        const opevo_i_net_sequence *from =
            binding >= 0 ? NULL : opevo_i_net_build_items(self, binding);

        if (from && i >= from->count)
            opevo_i_net_build_fail(self, "Its sequences are of different lengths.");
        else
            put(self, &inner, name_of(body->input[k]), from ? from->item[i] : binding);
    }
    take_nodes(self, &inner, body);
    for (int k = 0; k < self->outs && self->status == OPEVO_OK; k++)
        made[k][i] = result_of(self, &inner, body, (size_t)k);
    opevo_i_net_names_free(&inner.names);
}

static void build_map(opevo_i_net_builder *self)
{
    const Onnx__Graph *body = graph_of(self, "body");
    const opevo_i_net_sequence *first = opevo_i_net_build_items(self, self->in[0]);
    int count = first ? first->count : 0, *binding = NULL;
    int **made = opevo_calloc((size_t)self->outs + 1, sizeof(int *));
    opevo_i_net_scope constants = {0};

    binding = opevo_calloc((size_t)self->outs + 1, sizeof *binding);
    if (body && (body->n_input != (size_t)self->ins || body->n_output != (size_t)self->outs))
        opevo_i_net_build_fail(self, "Its graph has another number of inputs or outputs.");
    if ((!made || !binding) && self->status == OPEVO_OK)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a sequence.");
    for (int k = 0; k < self->outs && self->status == OPEVO_OK; k++)
        binding[k] = opevo_i_net_build_sequence(self, count, &made[k]);
    if (self->status == OPEVO_OK) {
        start(self, self->scope, "map", &constants);
        take_constants(self, &constants, body);
    }
    for (int i = 0; i < count && self->status == OPEVO_OK; i++)
        map_one(self, body, &constants, i, made);
    for (int k = 0; k < self->outs && self->status == OPEVO_OK; k++)
        opevo_i_net_build_output(self, k, binding[k]);
    opevo_i_net_names_free(&constants.names);
    opevo_free((void *)made);
    opevo_free(binding);
}

const opevo_i_net_form opevo_i_net_control[] = {
    {"If", 1, 1, 0, build_if},     {"Loop", 0, 0, 0, build_loop},
    {"Scan", 0, 0, 0, build_scan}, {"SequenceMap", 1, 0, 0, build_map},
    {NULL, 0, 0, 0, NULL},
};
