/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child before duplicates are handled: a product over its active parameters of the law
 * of a walk that starts at a parent's vertex, the parent being drawn by fitness; or of the uniform
 * law where the parameter is active in no parent. A mixture of starts costs one solve where the law
 * is solved for, and one closed form a parent where there is one. */

#include "child_internal.h"
#include "law_internal.h"

#include <opevo/memory.h>

#include <float.h>
#include <math.h>

struct opevo_child_law {
    const opevo_space *branched; /* NULL: a space without branches */
    size_t parameter_count;
    opevo_index *size;
    double **marginal;
    double bound;
};

/* ---- One marginal ---- */

/* Parents of one parameter: the distinct vertices and the share of each. */
typedef struct mixture {
    opevo_index *start;
    double *share;
    size_t count;
    size_t parents;
} mixture;

static void add_start(mixture *self, opevo_index start, double share)
{
    for (size_t k = 0; k < self->count; k++) {
        if (self->start[k] == start) {
            self->share[k] += share;
            return;
        }
    }
    if (share > 0) {
        self->start[self->count] = start;
        self->share[self->count++] = share;
    }
}

static bool is_solved_for(opevo_law_method method)
{
    return method == OPEVO_LAW_TRIDIAGONAL || method == OPEVO_LAW_CHOLESKY ||
           method == OPEVO_LAW_CG || method == OPEVO_LAW_CG_IMPLICIT;
}

/* One solve from the mixed start. */
static opevo_status solve_mixture(const opevo_parameter *parameter, const mixture *starts, double q,
                                  const opevo_law_options *options, double *marginal, double *bound,
                                  opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t n = (size_t)opevo_parameter_size(parameter);
    double *p0 = opevo_calloc(n, sizeof *p0);

    OPEVO_NEED_OR_RETURN(p0, "a start distribution on %zu vertices", n);
    for (size_t k = 0; k < starts->count; k++)
        p0[(size_t)starts->start[k]] = starts->share[k];
    status = opevo_i_law_solve_parameter(parameter, q, p0, options, marginal, bound, err);
    opevo_free(p0);
    return status;
}

/* The mixture of the laws from each start. */
static opevo_status add_laws(const opevo_parameter *parameter, const mixture *starts, double q,
                             const opevo_law_options *options, double *marginal, double *bound,
                             opevo_error *err)
{
    size_t n = (size_t)opevo_parameter_size(parameter);

    *bound = 0;
    for (size_t k = 0; k < starts->count; k++) {
        opevo_law *law = NULL;
        opevo_status status = opevo_law_create(parameter, q, starts->start[k], options, &law, err);

        if (status != OPEVO_OK)
            return status;
        for (size_t v = 0; v < n; v++)
            marginal[v] += starts->share[k] * opevo_law_probability(law, v);
        *bound += starts->share[k] * opevo_law_bound(law);
        opevo_law_destroy(law);
    }
    return OPEVO_OK;
}

static opevo_status create_marginal(const opevo_parameter *parameter, const mixture *starts,
                                    double q, const opevo_law_options *options, double *marginal,
                                    double *bound, opevo_error *err)
{
    opevo_law_method method = options && options->method != OPEVO_LAW_AUTO
                                  ? options->method
                                  : opevo_i_law_choose(parameter);
    opevo_status status = OPEVO_OK;

    if (is_solved_for(method))
        status = solve_mixture(parameter, starts, q, options, marginal, bound, err);
    else
        status = add_laws(parameter, starts, q, options, marginal, bound, err);
    /* Half of it bounds the rounding of the shares, of adding those of parents with the same
     * vertex, and of adding one law for each start; the other half that of these bounds. */
    *bound =
        opevo_i_law_bound_join(*bound, (double)(starts->parents + starts->count + 4) * DBL_EPSILON);
    return status;
}

/* ---- All parameters ---- */

static opevo_status allocate(opevo_child_law *self, const opevo_space *space, opevo_error *err)
{
    self->parameter_count = opevo_space_parameter_count(space);
    self->branched = opevo_space_has_branches(space) ? space : NULL;
    self->size = opevo_calloc(self->parameter_count, sizeof *self->size);
    self->marginal = opevo_calloc(self->parameter_count, sizeof *self->marginal);
    OPEVO_NEED_OR_RETURN(self->size && self->marginal, "the law of a child");
    for (size_t i = 0; i < self->parameter_count; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);

        self->size[i] = opevo_parameter_size(parameter);
        if (!opevo_i_law_fits(self->size[i]))
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "The marginal law of %s takes a number for each of its vertices, "
                              "which do not fit in memory.",
                              opevo_parameter_text(parameter));
        self->marginal[i] = opevo_calloc((size_t)self->size[i], sizeof **self->marginal);
        OPEVO_NEED_OR_RETURN(self->marginal[i], "the marginal law of %s",
                             opevo_parameter_text(parameter));
    }
    return OPEVO_OK;
}

/* The start of parameter i in a child. */
static void mix(const opevo_i_law_inheritance *from, size_t i, mixture *starts)
{
    starts->parents = from->count;
    starts->count = 0;
    for (size_t j = 0; j < from->count; j++) {
        opevo_index vertex = 0;
        double share = opevo_i_law_inherited(from, i, j, &vertex);

        add_start(starts, vertex, share);
    }
}

static opevo_status fill(opevo_child_law *self, const opevo_space *space,
                         const opevo_i_law_inheritance *from, mixture *starts, double q,
                         const opevo_law_options *options, opevo_error *err)
{
    for (size_t i = 0; i < self->parameter_count; i++) {
        double bound = DBL_EPSILON; /* of rounding 1 / n */
        opevo_status status = OPEVO_OK;

        mix(from, i, starts);
        if (starts->count == 0) {
            for (size_t v = 0; v < self->size[i]; v++)
                self->marginal[i][v] = 1 / (double)self->size[i];
        } else {
            status = create_marginal(opevo_space_parameter(space, i), starts, q, options,
                                     self->marginal[i], &bound, err);
        }
        if (status != OPEVO_OK)
            return status;
        /* DBL_EPSILON for one multiplication of opevo_child_law_probability. */
        self->bound =
            opevo_i_law_bound_join(self->bound, opevo_i_law_bound_join(bound, DBL_EPSILON));
    }
    return OPEVO_OK;
}

opevo_status opevo_child_law_create_sized(const opevo_space *space, const opevo_parents *parents,
                                          double q, const opevo_law_options *options, size_t size,
                                          opevo_child_law **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_law_options known;
    opevo_child_law *self = NULL;
    mixture starts = {.count = 0};
    opevo_i_law_inheritance from = {0};
    double tolerance = 0;

    OPEVO_TRY(opevo_i_law_options_read(options, size, &known, err));
    OPEVO_TRY(opevo_i_law_check(q, &known, &tolerance, err));
    OPEVO_NEW(self, 1, "the law of a child");
    OPEVO_NEW(starts.start, parents->count, "the law of a child");
    OPEVO_NEW(starts.share, parents->count, "the law of a child");
    OPEVO_TRY(opevo_i_law_inheritance_init(space, parents, &from, err));
    OPEVO_TRY(allocate(self, space, err));
    OPEVO_TRY(fill(self, space, &from, &starts, q, &known, err));
    *out = self;
    self = NULL; /* handed over */
cleanup:
    opevo_i_law_inheritance_release(&from);
    opevo_free(starts.start);
    opevo_free(starts.share);
    opevo_child_law_destroy(self);
    return status;
}

void opevo_child_law_destroy(opevo_child_law *law)
{
    if (!law)
        return;
    for (size_t i = 0; law->marginal && i < law->parameter_count; i++)
        opevo_free(law->marginal[i]);
    opevo_free(law->marginal);
    opevo_free(law->size);
    opevo_free(law);
}

/* The product over the parameters that are active. */
static double branched_probability(const opevo_child_law *law, opevo_index point)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    double product = 1;

    opevo_space_decode(law->branched, point, vertices);
    for (size_t i = 0; i < law->parameter_count; i++) {
        if (vertices[i] != OPEVO_INACTIVE)
            product *= law->marginal[i][(size_t)vertices[i]];
    }
    return product;
}

double opevo_child_law_probability(const opevo_child_law *law, opevo_index point)
{
    double product = 1;

    if (law->branched)
        return branched_probability(law, point);
    for (size_t i = law->parameter_count; i-- > 0; point /= law->size[i])
        product *= law->marginal[i][(size_t)(point % law->size[i])];
    return product;
}

double opevo_child_law_bound(const opevo_child_law *law)
{
    return law->bound;
}

const double *opevo_child_law_marginal(const opevo_child_law *law, size_t i)
{
    return law->marginal[i];
}
