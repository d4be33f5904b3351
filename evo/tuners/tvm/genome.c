/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Genes of a space. Names are looked at once, when the genome is made. */

#include "genome_internal.h"

#include <opevo/memory.h>

#include <string.h>

#include "tiling_internal.h"

enum { KINDS = OPEVO_I_GENE_FIXED };

typedef struct gene {
    opevo_i_tvm_gene kind;
    size_t stage;
    const char *stage_name; /* in the parameter's name, `stage_length` bytes */
    size_t stage_length;
    opevo_index size;
    opevo_i_tvm_tiling tiling; /* of a tile */
} gene;

struct opevo_i_tvm_genome {
    const opevo_space *space;
    size_t count;
    gene *genes;
    size_t stage_count;
    uint64_t innermost;
    const double *weights;
};

/* ---- Names ---- */

/* The name without the PARENT.BRANCH. of a branch. */
static const char *key_of(const opevo_space *space, size_t i)
{
    const char *name = opevo_parameter_name(opevo_space_parameter(space, i));
    const char *dot = strrchr(name, '.');

    return dot && opevo_space_activation(space, i).parent != OPEVO_NO_PARENT ? dot + 1 : name;
}

/* Where the stage ends and the rest begins; both at the key's begin without a separator. */
static const char *split_key(const char *key, size_t *stage_length)
{
    const char *dot = strchr(key, '.');
    const char *bar = strstr(key, "__");

    *stage_length = dot ? (size_t)(dot - key) : bar ? (size_t)(bar - key) : 0;
    if (dot)
        return strrchr(key, '.') + 1;
    return bar ? bar + 2 : key;
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static opevo_i_tvm_gene kind_of_name(const char *what)
{
    static const struct {
        const char *word;
        opevo_i_tvm_gene kind;
    } words[] = {
        {"unroll", OPEVO_I_GENE_UNROLL},
        {"location", OPEVO_I_GENE_LOCATION},
        {"parallel", OPEVO_I_GENE_PARALLEL},
        {"vectorize", OPEVO_I_GENE_FIXED},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (begins(what, words[i].word))
            return words[i].kind;
    }
    return OPEVO_I_GENE_UNROLL;
}

static bool opens_branches(const opevo_space *space, size_t i)
{
    for (size_t k = i + 1; k < opevo_space_parameter_count(space); k++) {
        if (opevo_space_activation(space, k).parent == i)
            return true;
    }
    return false;
}

static void set_gene(const opevo_space *space, size_t i, gene *self)
{
    const opevo_parameter *parameter = opevo_space_parameter(space, i);
    const char *what = NULL;

    self->stage_name = key_of(space, i);
    what = split_key(self->stage_name, &self->stage_length);
    self->size = opevo_parameter_size(parameter);
    if (self->size == 1 || opens_branches(space, i))
        self->kind = OPEVO_I_GENE_FIXED;
    else if (opevo_i_tvm_tiling_of(parameter, &self->tiling))
        self->kind = OPEVO_I_GENE_TILE;
    else
        self->kind = kind_of_name(what);
}

static void number_stages(opevo_i_tvm_genome *self)
{
    for (size_t i = 0; i < self->count; i++) {
        gene *one = &self->genes[i];
        size_t k = 0;

        while (k < i &&
               (self->genes[k].stage_length != one->stage_length ||
                strncmp(self->genes[k].stage_name, one->stage_name, one->stage_length) != 0))
            k++;
        one->stage = k < i ? self->genes[k].stage : self->stage_count++;
    }
}

static bool has_kind(const opevo_i_tvm_genome *self, opevo_i_tvm_gene kind)
{
    for (size_t i = 0; i < self->count; i++) {
        if (self->genes[i].kind == kind)
            return true;
    }
    return false;
}

opevo_i_tvm_genome *opevo_i_tvm_genome_create(const opevo_space *space,
                                              opevo_i_tvm_gene_weights weights, uint64_t innermost)
{
    static const double cpu[KINDS] = {0.90, 0.04, 0.05, 0.01};
    static const double gpu[KINDS] = {0.90, 0.10, 0, 0};
    opevo_i_tvm_genome *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->space = space;
    self->innermost = innermost;
    self->count = opevo_space_parameter_count(space);
    self->genes = opevo_calloc(self->count, sizeof *self->genes);
    if (!self->genes) {
        opevo_free(self);
        return NULL;
    }
    for (size_t i = 0; i < self->count; i++)
        set_gene(space, i, &self->genes[i]);
    number_stages(self);
    if (weights == OPEVO_I_GENE_WEIGHTS_AUTO)
        weights = has_kind(self, OPEVO_I_GENE_LOCATION) || has_kind(self, OPEVO_I_GENE_PARALLEL)
                      ? OPEVO_I_GENE_WEIGHTS_CPU
                      : OPEVO_I_GENE_WEIGHTS_GPU;
    self->weights = weights == OPEVO_I_GENE_WEIGHTS_GPU ? gpu : cpu;
    return self;
}

void opevo_i_tvm_genome_destroy(opevo_i_tvm_genome *genome)
{
    if (!genome)
        return;
    opevo_free(genome->genes);
    opevo_free(genome);
}

opevo_i_tvm_gene opevo_i_tvm_genome_kind(const opevo_i_tvm_genome *genome, size_t parameter)
{
    return genome->genes[parameter].kind;
}

size_t opevo_i_tvm_genome_stage_count(const opevo_i_tvm_genome *genome)
{
    return genome->stage_count;
}

size_t opevo_i_tvm_genome_stage(const opevo_i_tvm_genome *genome, size_t parameter)
{
    return genome->genes[parameter].stage;
}

/* ---- Samples and mutations ---- */

bool opevo_i_tvm_genome_admits(const opevo_i_tvm_genome *genome, size_t parameter,
                               opevo_index vertex)
{
    return genome->genes[parameter].kind != OPEVO_I_GENE_TILE ||
           opevo_i_tvm_tiling_is_bounded(opevo_space_parameter(genome->space, parameter), vertex,
                                         genome->innermost);
}

void opevo_i_tvm_genome_sample(const opevo_i_tvm_genome *genome, size_t first, opevo_rng *rng,
                               opevo_index *vertices)
{
    for (size_t i = first; i < genome->count; i++) {
        const gene *one = &genome->genes[i];

        if (!opevo_space_is_active(genome->space, i, vertices)) {
            vertices[i] = OPEVO_INACTIVE;
            continue;
        }
        if (one->size == 1) {
            vertices[i] = 0;
            continue;
        }
        do {
            vertices[i] = opevo_rng_below_wide(rng, one->size);
        } while (!opevo_i_tvm_genome_admits(genome, i, vertices[i]));
    }
}

static bool is_mutable(const opevo_i_tvm_genome *self, size_t i, const opevo_index *vertices)
{
    return self->genes[i].kind != OPEVO_I_GENE_FIXED && vertices[i] != OPEVO_INACTIVE &&
           opevo_i_tvm_genome_admits(self, i, vertices[i]);
}

/* The kind of the mutation, by weight, and how many genes of it there are; FIXED if none. */
static opevo_i_tvm_gene draw_kind(const opevo_i_tvm_genome *self, const size_t *present,
                                  opevo_rng *rng)
{
    double below[KINDS];
    double sum = 0;

    for (size_t kind = 0; kind < KINDS; kind++)
        below[kind] = sum += present[kind] ? self->weights[kind] : 0;
    if (!(sum > 0))
        return OPEVO_I_GENE_FIXED;
    return (opevo_i_tvm_gene)opevo_rng_weighted(rng, below, KINDS);
}

static bool change(const opevo_i_tvm_genome *self, size_t i, opevo_rng *rng, opevo_index *vertex)
{
    const gene *one = &self->genes[i];
    opevo_index drawn = 0;

    if (one->kind == OPEVO_I_GENE_TILE)
        return opevo_i_tvm_tiling_move(&one->tiling, opevo_space_parameter(self->space, i),
                                       self->innermost, rng, vertex);
    if (one->kind != OPEVO_I_GENE_PARALLEL) {
        *vertex = opevo_rng_below_wide(rng, one->size);
        return true;
    }
    drawn = opevo_rng_below_wide(rng, one->size - 1);
    *vertex = drawn + (drawn >= *vertex);
    return true;
}

bool opevo_i_tvm_genome_mutate(const opevo_i_tvm_genome *genome, opevo_rng *rng,
                               opevo_index *vertices)
{
    bool eligible[OPEVO_SPACE_PARAMETERS_MAX];
    size_t present[KINDS] = {0};
    opevo_i_tvm_gene kind = OPEVO_I_GENE_FIXED;
    size_t left = 0, i = 0;

    for (i = 0; i < genome->count; i++) {
        eligible[i] = is_mutable(genome, i, vertices);
        if (eligible[i])
            present[genome->genes[i].kind]++;
    }
    kind = draw_kind(genome, present, rng);
    if (kind == OPEVO_I_GENE_FIXED)
        return false;
    left = (size_t)opevo_rng_below(rng, present[kind]);
    for (i = 0; i + 1 < genome->count; i++) {
        if (eligible[i] && genome->genes[i].kind == kind && left-- == 0)
            break;
    }
    return change(genome, i, rng, &vertices[i]);
}
