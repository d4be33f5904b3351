/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The topologies that a space can be put under, from the table of parameter types. */

#include <opevo/landscape_profile.h>

#include <opevo/memory.h>

#include <string.h>

enum { CHOICES_MAX = 100, TYPES_MAX = 8, OFFERS_MAX = 8, NAME_SIZE = 64 };

/* A type of which the space has parameters, with its topologies. */
typedef struct offer {
    const char *type;
    char name[OFFERS_MAX][NAME_SIZE];
    size_t count;
} offer;

void opevo_topology_choices_destroy(opevo_topology_choice *choices, size_t count)
{
    for (size_t i = 0; choices && i < count; i++) {
        opevo_free(choices[i].name);
        opevo_space_destroy(choices[i].space);
    }
    opevo_free(choices);
}

/* "path steps(k) cycle complete" as names that a parameter takes. */
static void read_names(const char *names, offer *out)
{
    while (*names && out->count < OFFERS_MAX) {
        size_t length = strcspn(names, " ");
        char *name = out->name[out->count++];

        if (length >= NAME_SIZE)
            length = NAME_SIZE - 1;
        memcpy(name, names, length);
        name[length] = '\0';
        if (strchr(name, '('))
            memcpy(strchr(name, '('), "(2)", 4);
        names += length;
        names += strspn(names, " ");
    }
}

static bool has_type(const opevo_space *space, const char *type)
{
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        if (strcmp(opevo_parameter_type(opevo_space_parameter(space, i)), type) == 0)
            return true;
    }
    return false;
}

/* Types with one topology offer no choice and are left out. */
static size_t find_offers(const opevo_space *space, offer *offers)
{
    size_t count = 0;

    for (size_t i = 0; i < opevo_type_count() && count < TYPES_MAX; i++) {
        const opevo_type_info *info = opevo_type_get(i);
        offer found = {.type = info->name};

        if (!has_type(space, info->name))
            continue;
        read_names(info->topologies, &found);
        if (found.count > 1)
            offers[count++] = found;
    }
    return count;
}

/* The space with topology pick[k] of each type. */
static opevo_status make_choice(const opevo_space *space, const offer *offers, size_t offer_count,
                                const size_t *pick, opevo_topology_choice *out, opevo_error *err)
{
    size_t parameters = opevo_space_parameter_count(space);
    const char **topologies = opevo_calloc(parameters, sizeof *topologies);
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(topologies, "the topologies of a space");
    for (size_t k = 0; k < offer_count; k++) {
        opevo_text_printf(&name, "%s%s", k ? ", " : "", offers[k].name[pick[k]]);
        for (size_t i = 0; i < parameters; i++) {
            if (strcmp(opevo_parameter_type(opevo_space_parameter(space, i)), offers[k].type) == 0)
                topologies[i] = offers[k].name[pick[k]];
        }
    }
    OPEVO_TRY(opevo_text_check(&name, err));
    out->name = opevo_strdup(opevo_text_string(&name));
    OPEVO_NEED(out->name, "the topologies of a space");
    OPEVO_TRY(opevo_space_with_topologies(space, topologies, &out->space, err));
cleanup:
    opevo_free(topologies);
    opevo_text_free(&name);
    return status;
}

/* The space itself under a name. */
static opevo_status copy_choice(const opevo_space *space, const char *name,
                                opevo_topology_choice *out, opevo_error *err)
{
    size_t parameters = opevo_space_parameter_count(space);
    const char **keep = opevo_calloc(parameters, sizeof *keep);
    opevo_status status = OPEVO_OK;

    out->name = opevo_strdup(name);
    if (!keep || !out->name)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the topologies of a space.");
    else
        status = opevo_space_with_topologies(space, keep, &out->space, err);
    opevo_free(keep);
    return status;
}

static bool next_pick(const offer *offers, size_t offer_count, size_t *pick)
{
    for (size_t k = offer_count; k-- > 0;) {
        if (++pick[k] < offers[k].count)
            return true;
        pick[k] = 0;
    }
    return false;
}

opevo_status opevo_topology_choices_create(const opevo_space *space, opevo_topology_choice **out,
                                           size_t *count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    offer offers[TYPES_MAX];
    size_t offer_count = find_offers(space, offers), made = 1, most = 1;
    size_t pick[TYPES_MAX] = {0};
    opevo_topology_choice *choices = NULL;
    uint64_t own = opevo_space_signature(space);
    bool found = false;

    for (size_t k = 0; k < offer_count; k++)
        most *= offers[k].count;
    if (most > CHOICES_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The space has %zu combinations of topologies, more than %d; name one.",
                          most, CHOICES_MAX);
    OPEVO_NEW(choices, most + 1, "the topologies of a space");
    do {
        if (offer_count == 0)
            break;
        OPEVO_TRY(make_choice(space, offers, offer_count, pick, &choices[made], err));
        found = found || opevo_space_signature(choices[made].space) == own;
        made++;
    } while (next_pick(offers, offer_count, pick));
    if (found) {
        memmove(choices, choices + 1, --made * sizeof *choices);
        memset(&choices[made], 0, sizeof *choices);
    } else {
        OPEVO_TRY(copy_choice(space, "as given", &choices[0], err));
    }
    *out = choices;
    *count = made;
    choices = NULL; /* handed over */
cleanup:
    opevo_topology_choices_destroy(choices, most + 1);
    return status;
}

/* ---- By name ---- */

/* Whether `name` of this length is a topology of the type: "steps(3)" is one of steps(k). */
static bool offers_name(const char *topologies, const char *name, size_t length)
{
    size_t word = 0;

    for (; length > 0 && name[word] != '(' && word < length; word++)
        continue;
    while (*topologies) {
        size_t known = strcspn(topologies, " ");
        const char *bracket = memchr(topologies, '(', known);
        size_t stem = bracket ? (size_t)(bracket - topologies) : known;

        if (stem == word && memcmp(topologies, name, word) == 0 && !bracket == (word == length))
            return true;
        topologies += known;
        topologies += strspn(topologies, " ");
    }
    return false;
}

static const char *topologies_of(const opevo_parameter *parameter)
{
    for (size_t i = 0; i < opevo_type_count(); i++) {
        if (strcmp(opevo_type_get(i)->name, opevo_parameter_type(parameter)) == 0)
            return opevo_type_get(i)->topologies;
    }
    return "";
}

/* Give the name to the parameters that have no topology yet and can take it. */
static opevo_status take_name(const opevo_space *space, const char *name, size_t length,
                              char **topologies, opevo_error *err)
{
    bool known = false;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        if (!offers_name(topologies_of(opevo_space_parameter(space, i)), name, length))
            continue;
        known = true;
        if (topologies[i])
            continue;
        topologies[i] = opevo_strndup(name, length);
        OPEVO_NEED_OR_RETURN(topologies[i], "the topologies of a space");
    }
    if (known)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "\"%.*s\" is not a topology of any parameter; opevo space lists them.",
                      length < 60 ? (int)length : 60, name);
}

opevo_status opevo_topology_choice_named(const opevo_space *space, const char *names,
                                         opevo_topology_choice **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t parameters = opevo_space_parameter_count(space);
    char **topologies = opevo_calloc(parameters, sizeof *topologies);
    opevo_topology_choice *choice = opevo_calloc(1, sizeof *choice);
    const char *at = names;

    OPEVO_NEED(topologies && choice, "the topologies of a space");
    for (size_t length = 0;; at += length + 1) {
        length = strcspn(at, ",");
        OPEVO_TRY(take_name(space, at, length, topologies, err));
        if (!at[length])
            break;
    }
    choice->name = opevo_strdup(names);
    OPEVO_NEED(choice->name, "the topologies of a space");
    OPEVO_TRY(
        opevo_space_with_topologies(space, (const char *const *)topologies, &choice->space, err));
    *out = choice;
    choice = NULL; /* handed over */
cleanup:
    for (size_t i = 0; topologies && i < parameters; i++)
        opevo_free(topologies[i]);
    opevo_free(topologies);
    opevo_topology_choices_destroy(choice, 1);
    return status;
}
