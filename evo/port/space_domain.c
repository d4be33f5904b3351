/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A finite space as a domain. A child sampler holds the parents of what it draws, so each variation
 * has it alone, under a lock; the samplers are made when they are first needed, that of mutation
 * anew for another q. */

#include <opevo/domain.h>
#include <opevo/space_listed.h>

#include <opevo/child_sampler.h>
#include <opevo/memory.h>
#include <opevo/random_allowed.h>

#include <math.h>
#include <pthread.h>

enum {
    MISSES_MOST = 10000000,
    TRIES_FIRST = 256, /* mutations before a child is drawn given that it is allowed */
    GIVEN_VALUES_MOST = 1 << 16
};

/* Samplers of one q, NULL before they are needed. With one parent, and with q = 0, a child that is
 * drawn again until it is allowed has the law of one that is drawn given that it is. So where few
 * are, a few tries of the first may be followed by the second, which takes a pass over the diagram
 * of the space. */
typedef struct varying {
    opevo_child_sampler *again, *given;
} varying;

typedef struct space_domain {
    opevo_domain super;
    opevo_index_set *none; /* nothing is excluded as seen */
    size_t width;          /* parameters of the space */
    size_t arity_most;     /* components of one of them */
    pthread_mutex_t lock;  /* guards what follows */
    varying walk;          /* with q */
    varying recombine;     /* q = 0 */
    double q;
    opevo_index *vertices; /* scratch: three points, the child first */
} space_domain;

static void forget(varying *samplers)
{
    opevo_child_sampler_destroy(samplers->again);
    opevo_child_sampler_destroy(samplers->given);
    *samplers = (varying){NULL, NULL};
}

static void destroy(opevo_domain *domain)
{
    space_domain *self = (space_domain *)domain;

    opevo_index_set_destroy(self->none);
    forget(&self->walk);
    forget(&self->recombine);
    opevo_free(self->vertices);
    pthread_mutex_destroy(&self->lock);
    opevo_free(self);
}

static bool print(opevo_domain *domain, opevo_index candidate, opevo_text *out)
{
    if (!opevo_space_has(domain->space, candidate))
        return false;
    opevo_space_print(domain->space, candidate, out);
    return true;
}

static opevo_status parse(opevo_domain *domain, const char *text, opevo_index *out,
                          opevo_error *err)
{
    opevo_index point = 0;
    opevo_status status = opevo_space_read(domain->space, text, &point, err);

    if (status != OPEVO_OK)
        return status;
    if (!opevo_space_allows(domain->space, point))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s violates a constraint of the space.", text);
    *out = point;
    return OPEVO_OK;
}

static opevo_status sample(opevo_domain *domain, opevo_rng *rng, opevo_index *out, opevo_error *err)
{
    const opevo_diagram *diagram = opevo_space_draws_from(domain->space);

    if (diagram) {
        *out = opevo_rng_allowed(rng, diagram);
        return OPEVO_OK;
    }
    if (opevo_space_is_sparse(domain->space)) {
        *out = opevo_space_listed_point(
            domain->space, opevo_rng_below_wide(rng, opevo_space_listed_count(domain->space)));
        return OPEVO_OK;
    }
    for (int misses = 0; misses < MISSES_MOST; misses++) {
        opevo_index point = opevo_rng_point(rng, domain->space);

        if (opevo_space_allows(domain->space, point)) {
            *out = point;
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_LIMIT, "%d uniform draws in a row found no allowed point.",
                      MISSES_MOST);
}

/* Whether children can be drawn given that they are allowed, and it is worth it. */
static bool conditions(const opevo_space *space)
{
    bool small = true;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        small &= opevo_parameter_size(opevo_space_parameter(space, i)) <= GIVEN_VALUES_MOST;
    return small && opevo_space_is_restricted(space) && opevo_space_draws_from(space);
}

/* A child of these parents, if `tries` mutations find one. */
static opevo_status attempt(space_domain *self, opevo_child_sampler **sampler,
                            opevo_duplicate_rule rule, double q, unsigned tries, size_t count,
                            opevo_rng *rng, bool *found, opevo_index *out, opevo_error *err)
{
    static const double weights[] = {1, 1};
    const opevo_index *rows[] = {self->vertices + self->width, self->vertices + 2 * self->width};
    opevo_status status = OPEVO_OK;

    if (!*sampler)
        OPEVO_TRY(opevo_child_sampler_create(self->super.space, q, rule, sampler, err));
    OPEVO_TRY(opevo_child_sampler_set_parents(*sampler, rows, weights, count, err));
    *found = opevo_child_sampler_try(*sampler, self->none,
                                     (opevo_child_limits){OPEVO_CHILD_PATIENCE, tries}, rng,
                                     self->vertices, out);
cleanup:
    return status;
}

/* A child of `count` parents of equal weight, with the lock held. */
static opevo_status draw(space_domain *self, varying *samplers, double q,
                         const opevo_index *parents, size_t count, opevo_rng *rng, opevo_index *out,
                         opevo_error *err)
{
    bool given = conditions(self->super.space), found = false;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count; i++)
        opevo_space_decode(self->super.space, parents[i], self->vertices + (1 + i) * self->width);
    OPEVO_TRY(attempt(self, &samplers->again, OPEVO_DUPLICATE_REDRAW, q,
                      given ? TRIES_FIRST : OPEVO_CHILD_TRIES, count, rng, &found, out, err));
    if (!found && given)
        OPEVO_TRY(attempt(self, &samplers->given, OPEVO_DUPLICATE_GIVEN, q, 1, count, rng, &found,
                          out, err));
    if (!found)
        status = OPEVO_FAIL(err, OPEVO_LIMIT, "%d mutations in a row found no allowed point.",
                            OPEVO_CHILD_TRIES);
cleanup:
    return status;
}

static opevo_status mutate(opevo_domain *domain, opevo_index parent, double q, opevo_rng *rng,
                           opevo_index *out, opevo_error *err)
{
    space_domain *self = (space_domain *)domain;
    opevo_status status = OPEVO_OK;

    pthread_mutex_lock(&self->lock);
    if (self->q != q)
        forget(&self->walk);
    self->q = q;
    status = draw(self, &self->walk, q, &parent, 1, rng, out, err);
    pthread_mutex_unlock(&self->lock);
    return status;
}

static opevo_status cross(opevo_domain *domain, opevo_index a, opevo_index b, opevo_rng *rng,
                          opevo_index *out, opevo_error *err)
{
    space_domain *self = (space_domain *)domain;
    const opevo_index parents[] = {a, b};
    opevo_status status = OPEVO_OK;

    pthread_mutex_lock(&self->lock);
    status = draw(self, &self->recombine, 0, parents, 2, rng, out, err);
    pthread_mutex_unlock(&self->lock);
    return status;
}

static size_t features(opevo_domain *domain, opevo_index candidate, float *row)
{
    const space_domain *self = (space_domain *)domain;
    const opevo_space *space = domain->space;
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_value *components = NULL;

    if (!opevo_space_has(space, candidate))
        return 0;
    components = opevo_malloc(self->arity_most, sizeof *components);
    if (!components)
        return 0;
    opevo_space_decode(space, candidate, vertices);
    for (size_t i = 0; i < self->width; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        bool active = vertices[i] != OPEVO_INACTIVE;

        if (active)
            opevo_parameter_value(parameter, vertices[i], components);
        for (size_t k = 0; k < opevo_parameter_arity(parameter); k++) {
            double number = active ? opevo_value_number(components[k]) : NAN;

            *row++ = isfinite(number) ? (float)number : 0;
        }
    }
    opevo_free(components);
    return 1;
}

static const opevo_domain_ops space_ops = {
    .kind = "space",
    .print = print,
    .parse = parse,
    .sample = sample,
    .mutate = mutate,
    .cross = cross,
    .features = features,
    .destroy = destroy,
};

opevo_status opevo_domain_of_space(const opevo_space *space, opevo_domain **out, opevo_error *err)
{
    space_domain *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "the domain of a space");
    pthread_mutex_init(&self->lock, NULL);
    self->width = opevo_space_parameter_count(space);
    self->super = (opevo_domain){.ops = &space_ops,
                                 .name = "a search space",
                                 .signature = opevo_space_signature(space),
                                 .space = space,
                                 .feature_rows_most = 1};
    for (size_t i = 0; i < self->width; i++) {
        size_t arity = opevo_parameter_arity(opevo_space_parameter(space, i));

        self->super.feature_count += arity;
        self->arity_most = arity > self->arity_most ? arity : self->arity_most;
    }
    self->none = opevo_index_set_create();
    self->vertices = opevo_malloc(3, self->width * sizeof *self->vertices);
    if (!self->none || !self->vertices) {
        destroy(&self->super);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the domain of a space.");
    }
    *out = &self->super;
    return OPEVO_OK;
}
