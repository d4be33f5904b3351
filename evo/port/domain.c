/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The calls of a domain through its table of functions,
 * and the texts of candidates by their hash. */

#include <opevo/domain.h>

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <pthread.h>
#include <string.h>

bool opevo_domain_print(opevo_domain *domain, opevo_index candidate, opevo_text *out)
{
    return domain->ops->print(domain, candidate, out);
}

opevo_status opevo_domain_parse(opevo_domain *domain, const char *text, opevo_index *out,
                                opevo_error *err)
{
    return domain->ops->parse(domain, text, out, err);
}

opevo_status opevo_domain_sample(opevo_domain *domain, opevo_rng *rng, opevo_index *out,
                                 opevo_error *err)
{
    return domain->ops->sample(domain, rng, out, err);
}

opevo_status opevo_domain_mutate(opevo_domain *domain, opevo_index parent, double q, opevo_rng *rng,
                                 opevo_index *out, opevo_error *err)
{
    if (!(q >= 0 && q < 1))
        return OPEVO_FAIL(err, OPEVO_INVALID, "q is %g; it must be at least 0 and below 1.", q);
    return domain->ops->mutate(domain, parent, q, rng, out, err);
}

opevo_status opevo_domain_cross(opevo_domain *domain, opevo_index a, opevo_index b, opevo_rng *rng,
                                opevo_index *out, opevo_error *err)
{
    return domain->ops->cross(domain, a, b, rng, out, err);
}

size_t opevo_domain_features(opevo_domain *domain, opevo_index candidate, float *rows)
{
    return domain->ops->features ? domain->ops->features(domain, candidate, rows) : 0;
}

void opevo_domain_destroy(opevo_domain *domain)
{
    if (domain)
        domain->ops->destroy(domain);
}

/* ---- Texts ---------------------------------------------------------------------------------- */

struct opevo_texts {
    pthread_mutex_t lock; /* guards what follows */
    opevo_index_map *places;
    char **items;
    size_t count, capacity;
};

opevo_texts *opevo_texts_create(void)
{
    opevo_texts *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->places = opevo_index_map_create();
    if (!self->places) {
        opevo_free(self);
        return NULL;
    }
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void opevo_texts_destroy(opevo_texts *texts)
{
    if (!texts)
        return;
    for (size_t i = 0; i < texts->count; i++)
        opevo_free(texts->items[i]);
    opevo_free(texts->items);
    opevo_index_map_destroy(texts->places);
    pthread_mutex_destroy(&texts->lock);
    opevo_free(texts);
}

/* With the lock held. */
static opevo_status keep(opevo_texts *self, const char *text, opevo_index hash, opevo_error *err)
{
    void *items = self->items;
    uint64_t place = 0;
    char *copy = NULL;

    if (opevo_index_map_get(self->places, hash, &place)) {
        if (strcmp(self->items[place], text) != 0)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Two candidates have the same hash.");
        return OPEVO_OK;
    }
    OPEVO_NEED_OR_RETURN(opevo_reserve(&items, &self->capacity, self->count + 1, sizeof(char *)),
                         "another candidate");
    self->items = items;
    copy = opevo_strdup(text);
    if (!copy || !opevo_index_map_put(self->places, hash, self->count)) {
        opevo_free(copy);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for another candidate.");
    }
    self->items[self->count++] = copy;
    return OPEVO_OK;
}

opevo_status opevo_texts_keep(opevo_texts *texts, const char *text, opevo_index *hash,
                              opevo_error *err)
{
    opevo_index number = opevo_hash_wide(text, strlen(text));
    opevo_status status = OPEVO_OK;

    pthread_mutex_lock(&texts->lock);
    status = keep(texts, text, number, err);
    pthread_mutex_unlock(&texts->lock);
    if (status == OPEVO_OK)
        *hash = number;
    return status;
}

const char *opevo_texts_get(opevo_texts *texts, opevo_index hash)
{
    uint64_t place = 0;
    const char *text = NULL;

    pthread_mutex_lock(&texts->lock);
    if (opevo_index_map_get(texts->places, hash, &place))
        text = texts->items[place];
    pthread_mutex_unlock(&texts->lock);
    return text;
}
