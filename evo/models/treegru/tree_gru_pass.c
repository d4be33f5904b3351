/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Forward and backward through a forest, level by level: all loops of one height in all trees of
 * the batch are one product of matrices. */

#include "tree_gru_network_internal.h"

#include <opevo/memory.h>

#include <cblas.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef opevo_i_real real;

enum { LINE = 64 };

real *opevo_i_tree_gru_lines(size_t count, void **block)
{
    size_t bytes = count * sizeof(real) + LINE;
    char *raw = opevo_malloc(bytes, 1);

    *block = raw;
    return raw ? (real *)(void *)(raw + (LINE - (uintptr_t)raw % LINE) % LINE) : NULL;
}

void opevo_i_tree_gru_states_release(opevo_i_tree_gru_states *states)
{
    opevo_free(states->block);
    *states = (opevo_i_tree_gru_states){.block = NULL};
}

/* A multiple of a line. */
static size_t lines(size_t count)
{
    size_t in_line = LINE / sizeof(real);

    return (count + in_line - 1) / in_line * in_line;
}

static bool reserve(opevo_i_tree_gru *self, size_t nodes, bool with_derivatives)
{
    opevo_i_tree_gru_states *now = &self->now;
    size_t h = self->shape.hidden, capacity = now->capacity;
    real *at = NULL;

    if (nodes <= capacity && now->with_derivatives >= with_derivatives)
        return true;
    capacity = nodes > 2 * capacity ? nodes : 2 * capacity;
    opevo_i_tree_gru_states_release(now);
    at = opevo_i_tree_gru_lines((with_derivatives ? 2 : 1) *
                                    (2 * lines(capacity * h) + 2 * lines(3 * capacity * h) +
                                     lines(capacity * self->outputs)),
                                &now->block);
    if (!at)
        return false;
    now->capacity = capacity;
    now->with_derivatives = with_derivatives;
    now->inside = at;
    now->state = now->inside + lines(capacity * h);
    now->gates = now->state + lines(capacity * h);
    now->folded = now->gates + lines(3 * capacity * h);
    now->readout = now->folded + lines(3 * capacity * h);
    at = now->readout + lines(capacity * self->outputs);
    if (!with_derivatives)
        return true;
    now->by_inside = at;
    now->by_state = now->by_inside + lines(capacity * h);
    now->by_gates = now->by_state + lines(capacity * h);
    now->by_folded = now->by_gates + lines(3 * capacity * h);
    now->by_readout = now->by_folded + lines(3 * capacity * h);
    return true;
}

/* c (m x n) = a (m x k) b + beta c; b is k x n, or n x k where it is to be transposed. */
static void multiply(size_t m, size_t n, size_t k, const real *a, const real *b, bool transposed,
                     real beta, real *c)
{
    if (m > 0)
        OPEVO_I_TREE_GRU_GEMM(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans,
                              (int)m, (int)n, (int)k, 1, a, (int)k, b, (int)(transposed ? k : n),
                              beta, c, (int)n);
}

/* c (m x n) += transposed a (k x m) b (k x n) */
static void multiply_up(size_t m, size_t n, size_t k, const real *a, const real *b, real *c)
{
    if (k > 0)
        OPEVO_I_TREE_GRU_GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1, a,
                              (int)m, b, (int)n, 1, c, (int)n);
}

/* ---- Inputs ---- */

/* W x + b is a sum over the parts of x: W E[name] + b is the same for all loops of a name, and the
 * rest is W A f, which is far less work than x itself. */
static void fold(opevo_i_tree_gru *self, size_t names)
{
    const real *weights = self->weights;
    size_t h = self->shape.hidden;

    for (size_t i = 0; i < names; i++)
        memcpy(self->by_name + i * 3 * h, weights + self->at.biases, 3 * h * sizeof *weights);
    if (!self->shape.slots)
        multiply(names, 3 * h, h, weights + self->at.names, weights + self->at.gates, true, 1,
                 self->by_name);
    multiply(3 * h, self->width, h, weights + self->at.gates, weights + self->at.inputs, false, 0,
             self->by_input);
    self->folded_names = names;
}

static void embed(opevo_i_tree_gru *self)
{
    const opevo_i_tree_gru_forest *forest = &self->forest;
    size_t gates = 3 * self->shape.hidden;

    if (self->folded_names < forest->names)
        fold(self, forest->names);
    for (size_t i = 0; i < forest->nodes; i++)
        memcpy(self->now.gates + i * gates, self->by_name + forest->name[i] * gates,
               gates * sizeof(real));
    multiply(forest->nodes, gates, self->width, forest->inputs, self->by_input, true, 1,
             self->now.gates);
}

/* ---- Cells ---- */

/* Cells of leaves, where s is 0. */
static void run_leaf(real *gates, real *state, size_t h)
{
    opevo_i_tree_gru_sigmoid(gates, h);
    opevo_i_tree_gru_tanh(gates + 2 * h, h);
    for (size_t k = 0; k < h; k++)
        state[k] = gates[k] * gates[2 * h + k];
}

static void run_cell(real *gates, const real *inside, const real *folded, real *state, size_t h)
{
    for (size_t k = 0; k < 2 * h; k++)
        gates[k] += folded[k];
    opevo_i_tree_gru_sigmoid(gates, 2 * h);
    for (size_t k = 0; k < h; k++)
        gates[2 * h + k] += gates[h + k] * folded[2 * h + k];
    opevo_i_tree_gru_tanh(gates + 2 * h, h);
    for (size_t k = 0; k < h; k++)
        state[k] = inside[k] + gates[k] * (gates[2 * h + k] - inside[k]);
}

static void run_level(opevo_i_tree_gru *self, size_t level)
{
    opevo_i_tree_gru_states *now = &self->now;
    const opevo_i_tree_gru_forest *forest = &self->forest;
    size_t h = self->shape.hidden;
    size_t first = forest->begin[level], end = forest->begin[level + 1];

    if (level > 0)
        multiply(end - first, 3 * h, h, now->inside + first * h, self->weights + self->at.states,
                 true, 0, now->folded + first * 3 * h);
    for (size_t i = first; i < end; i++) {
        real *state = now->state + i * h;

        if (level == 0)
            run_leaf(now->gates + i * 3 * h, state, h);
        else
            run_cell(now->gates + i * 3 * h, now->inside + i * h, now->folded + i * 3 * h, state,
                     h);
        for (size_t k = 0; k < h && forest->parent[i] != SIZE_MAX; k++)
            now->inside[forest->parent[i] * h + k] += state[k];
    }
}

/* ---- Readout ---- */

/* Turn M h into its softmax. */
static void soften(real *row, size_t slots)
{
    real most = row[0], sum = 0;

    for (size_t i = 1; i < slots; i++)
        most = row[i] > most ? row[i] : most;
    for (size_t i = 0; i < slots; i++) {
        row[i] = (real)exp((double)(row[i] - most));
        sum += row[i];
    }
    for (size_t i = 0; i < slots; i++)
        row[i] /= sum;
}

/* What a node adds to the score of its tree. */
static real share_of(const opevo_i_tree_gru *self, size_t node)
{
    size_t slots = self->shape.slots;
    real *row = self->now.readout + node * self->outputs;
    real sum = 0;

    if (!slots)
        return self->forest.parent[node] == SIZE_MAX ? row[0] : 0;
    soften(row, slots);
    for (size_t i = 0; i < slots; i++)
        sum += row[i] * row[slots + i];
    return sum;
}

opevo_status opevo_i_tree_gru_forward(opevo_i_tree_gru *self, bool with_derivatives, size_t trees,
                                      real *scores, opevo_error *err)
{
    const opevo_i_tree_gru_forest *forest = &self->forest;
    size_t h = self->shape.hidden;
    const real *readout = self->weights + (self->shape.slots ? self->at.slots : self->at.head);

    OPEVO_NEED_OR_RETURN(reserve(self, forest->nodes, with_derivatives), "the states of %zu loops",
                         forest->nodes);
    embed(self);
    memset(self->now.inside, 0, forest->nodes * h * sizeof(real));
    for (size_t level = 0; level < forest->levels; level++)
        run_level(self, level);
    multiply(forest->nodes, self->outputs, h, self->now.state, readout, true, 0, self->now.readout);
    for (size_t t = 0; t < trees; t++)
        scores[t] = self->weights[self->at.base];
    for (size_t i = 0; i < forest->nodes; i++)
        scores[forest->tree[i]] += share_of(self, i);
    return OPEVO_OK;
}

/* ---- Backward ---- */

/* By the readout of a node, given that by the score of its tree. */
static void unread(opevo_i_tree_gru *self, size_t node, real by_score)
{
    size_t slots = self->shape.slots;
    const real *row = self->now.readout + node * self->outputs;
    real *by = self->now.by_readout + node * self->outputs;
    real mean = 0;

    if (!slots) {
        by[0] = self->forest.parent[node] == SIZE_MAX ? by_score : 0;
        return;
    }
    for (size_t i = 0; i < slots; i++) {
        by[slots + i] = by_score * row[i];
        mean += row[i] * row[slots + i];
    }
    for (size_t i = 0; i < slots; i++)
        by[i] = by_score * row[i] * (row[slots + i] - mean);
}

/* By W x + b, U s and, but for what U adds, s, given that by h. */
static void unroll(const real *gates, const real *inside, const real *folded, const real *by_state,
                   real *by_gates, real *by_folded, real *by_inside, size_t h)
{
    for (size_t k = 0; k < h; k++) {
        real z = gates[k], r = gates[h + k], c = gates[2 * h + k];
        real by_c = by_state[k] * z * (1 - c * c);
        real by_z = by_state[k] * (c - inside[k]) * z * (1 - z);
        real by_r = by_c * folded[2 * h + k] * r * (1 - r);

        by_gates[k] = by_folded[k] = by_z;
        by_gates[h + k] = by_folded[h + k] = by_r;
        by_gates[2 * h + k] = by_c;
        by_folded[2 * h + k] = by_c * r;
        by_inside[k] = by_state[k] * (1 - z);
    }
}

static void unroll_leaf(const real *gates, const real *by_state, real *by_gates, size_t h)
{
    for (size_t k = 0; k < h; k++) {
        real z = gates[k], c = gates[2 * h + k];

        by_gates[k] = by_state[k] * c * z * (1 - z);
        by_gates[h + k] = 0;
        by_gates[2 * h + k] = by_state[k] * z * (1 - c * c);
    }
}

static void unroll_level(opevo_i_tree_gru *self, size_t level)
{
    opevo_i_tree_gru_states *now = &self->now;
    const opevo_i_tree_gru_forest *forest = &self->forest;
    size_t h = self->shape.hidden;
    size_t first = forest->begin[level], end = forest->begin[level + 1];

    for (size_t i = first; i < end; i++) {
        real *by_state = now->by_state + i * h;

        for (size_t k = 0; k < h && forest->parent[i] != SIZE_MAX; k++)
            by_state[k] += now->by_inside[forest->parent[i] * h + k];
        if (level == 0)
            unroll_leaf(now->gates + i * 3 * h, by_state, now->by_gates + i * 3 * h, h);
        else
            unroll(now->gates + i * 3 * h, now->inside + i * h, now->folded + i * 3 * h, by_state,
                   now->by_gates + i * 3 * h, now->by_folded + i * 3 * h, now->by_inside + i * h,
                   h);
    }
    if (level == 0)
        return;
    multiply(end - first, h, 3 * h, now->by_folded + first * 3 * h, self->weights + self->at.states,
             false, 1, now->by_inside + first * h);
    multiply_up(3 * h, h, end - first, now->by_folded + first * 3 * h, now->inside + first * h,
                self->gradient + self->at.states);
}

/* By E, A, W and b, given those by W x + b of all nodes, which are summed by name and over f: with
 * N and F these sums, by W they are N^T E + F A^T, by E N W, and by A W^T F. */
static void unembed(opevo_i_tree_gru *self)
{
    const opevo_i_tree_gru_forest *forest = &self->forest;
    const real *by_gates = self->now.by_gates, *weights = self->weights;
    real *gradient = self->gradient, *names = self->by_name_sums, *inputs = self->by_input_sums;
    size_t h = self->shape.hidden, gates = 3 * h;

    memset(names, 0, forest->names * gates * sizeof(real));
    memset(inputs, 0, gates * self->width * sizeof(real));
    for (size_t i = 0; i < forest->nodes; i++) {
        for (size_t k = 0; k < gates; k++)
            names[forest->name[i] * gates + k] += by_gates[i * gates + k];
    }
    multiply_up(gates, self->width, forest->nodes, by_gates, forest->inputs, inputs);
    for (size_t i = 0; i < forest->names; i++) {
        for (size_t k = 0; k < gates; k++)
            gradient[self->at.biases + k] += names[i * gates + k];
    }
    multiply(gates, h, self->width, inputs, weights + self->at.inputs, true, 1,
             gradient + self->at.gates);
    multiply_up(h, self->width, gates, weights + self->at.gates, inputs,
                gradient + self->at.inputs);
    if (self->shape.slots)
        return;
    multiply_up(gates, h, forest->names, names, weights + self->at.names,
                gradient + self->at.gates);
    multiply(forest->names, h, gates, names, weights + self->at.gates, false, 1,
             gradient + self->at.names);
}

void opevo_i_tree_gru_backward(opevo_i_tree_gru *self, const real *by_scores)
{
    opevo_i_tree_gru_states *now = &self->now;
    const opevo_i_tree_gru_forest *forest = &self->forest;
    size_t h = self->shape.hidden;
    size_t readout = self->shape.slots ? self->at.slots : self->at.head;

    for (size_t i = 0; i < forest->nodes; i++)
        unread(self, i, by_scores[forest->tree[i]]);
    multiply(forest->nodes, h, self->outputs, now->by_readout, self->weights + readout, false, 0,
             now->by_state);
    multiply_up(self->outputs, h, forest->nodes, now->by_readout, now->state,
                self->gradient + readout);
    for (size_t level = forest->levels; level-- > 0;)
        unroll_level(self, level);
    unembed(self);
}
