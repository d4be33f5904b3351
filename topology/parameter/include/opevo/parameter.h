/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tuning parameter: a type, its finite ordered list of values (the vertices, numbered from 0),
 * and a topology, which is an undirected simple graph on them. Everything here works by formula,
 * without building the graph, wherever the type has one: permutation(30) is a valid parameter.
 *
 *   type                  values                            topologies (default first)
 *   factor(C,v)           ordered v-tuples with product C   prime-move, any-divisor, complete
 *   permutation(n)        permutations of 0 .. n-1                transposition, adjacent-swap,
 *                                                           insertion, complete
 *   discrete(a,b,...)     numbers, kept in increasing order path, steps(k), cycle, complete
 *   categorical(a,b,...)  any values, kept as given         complete
 *   choice(a,b,...)       another name for categorical
 *   graph(FILE)           vertices of a file                its edges
 *
 * docs/topologies.md defines each and derives the formulas. Source of the default topologies: Gao
 * et al., "OpEvo", section 3. Immutable after create, so that any number of threads may read one.
 */

#ifndef OPEVO_PARAMETER_H
#define OPEVO_PARAMETER_H

#include <stddef.h>

#include <opevo/api.h>
#include <opevo/index.h>
#include <opevo/status.h>
#include <opevo/text.h>
#include <opevo/value.h>

OPEVO_BEGIN_C

typedef struct opevo_parameter opevo_parameter;

/* Shapes of graph for which the law of a walk has a special method. */
typedef enum opevo_family {
    OPEVO_FAMILY_GENERAL,
    OPEVO_FAMILY_COMPLETE,      /* every two vertices are neighbours */
    OPEVO_FAMILY_PATH,          /* vertex i ~ i + 1 */
    OPEVO_FAMILY_CYCLE,         /* vertex i ~ i + 1 modulo n, n >= 3 */
    OPEVO_FAMILY_TRANSPOSITIONS /* permutations; neighbours differ by one transposition */
} opevo_family;

typedef struct opevo_parameter_spec {
    const char *name;          /* a C identifier of at most 63 characters */
    const char *type;          /* as in the table above */
    const opevo_value *values; /* the arguments in parentheses, or an NNI file's _value */
    size_t value_count;
    const char *topology;               /* as in the table above; NULL: the default */
    const char *const *component_names; /* NULL, or one such identifier for each component */
    size_t component_name_count;
    const char *
        directory; /* against which graph(FILE) resolves a relative path; NULL: here; "": no file is
                               read */
    /* graph: edges[2 e] ~ edges[2 e + 1] between the vertices that `values` lists, from 0; NULL:
     * `values` is the path of a file. */
    const uint32_t *edges;
    size_t edge_count;
    /* The name may be several identifiers joined by dots, at most 127 characters together, as the
     * names of parameters of branches are (opevo_space_create_branched). */
    bool dotted_name;
} opevo_parameter_spec;

/* Errors: INVALID for an unknown type or topology, C = 0, v = 0, n = 0, no values, equal values, a
 *         value of the wrong kind, a broken graph file; IO for a graph file that cannot be read;
 *         LIMIT when the vertices exceed 2^128 - 1 (permutation: n > 34), for v > 1024, and for
 *         more than 2^32 - 1 listed values; NOMEM.
 * Cost:   factor: milliseconds for the primes of C and O(v log C) memory; lists: sorting. */
OPEVO_API opevo_status opevo_parameter_create_sized(const opevo_parameter_spec *spec, size_t size,
                                                    opevo_parameter **out, opevo_error *err);
static inline opevo_status opevo_parameter_create(const opevo_parameter_spec *spec,
                                                  opevo_parameter **out, opevo_error *err)
{
    return opevo_parameter_create_sized(spec, sizeof *spec, out, err);
}
/* From text as in the table above, such as "factor(8,3)"; topology as in the spec. A list's values
 * are separated by commas, none missing, and read by opevo_value_parse; one in double quotes is a
 * text, written as JSON writes it. C, v and n may be powers, such as 2^40. */
OPEVO_API opevo_status opevo_parameter_parse(const char *name, const char *text,
                                             const char *topology, opevo_parameter **out,
                                             opevo_error *err);
OPEVO_API void opevo_parameter_destroy(opevo_parameter *parameter);

OPEVO_API const char *opevo_parameter_name(const opevo_parameter *parameter);
OPEVO_API const char *opevo_parameter_type(const opevo_parameter *parameter);
OPEVO_API const char *opevo_parameter_topology(const opevo_parameter *parameter);
/* Type and arguments as text, "factor(8,3)", which opevo_parameter_parse reads back; a long list of
 * values, or one with a long value, is cut with "...". Borrowed. */
OPEVO_API const char *opevo_parameter_text(const opevo_parameter *parameter);
OPEVO_API opevo_family opevo_parameter_family(const opevo_parameter *parameter);
/* Number of vertices, at least 1. */
OPEVO_API opevo_index opevo_parameter_size(const opevo_parameter *parameter);

/* Components of one value: v for factor, n for permutation, otherwise 1. */
OPEVO_API size_t opevo_parameter_arity(const opevo_parameter *parameter);
/* Name of a component, or NULL where none was given. */
OPEVO_API const char *opevo_parameter_component_name(const opevo_parameter *parameter,
                                                     size_t component);

/* Value of a vertex (below the size) into `components` (arity of them); texts are borrowed. Cost:
 * O(1) for listed values, O(n^2) for permutations, O(v * primes + log C) for factorisations. */
OPEVO_API void opevo_parameter_value(const opevo_parameter *parameter, opevo_index vertex,
                                     opevo_value *components);
/* The vertex that has this value; false, with *vertex untouched, when the set holds no such value.
 * A real number equal to an integer represents it. Cost: O(log size) for listed values. */
OPEVO_API bool opevo_parameter_find(const opevo_parameter *parameter, const opevo_value *components,
                                    opevo_index *vertex);

/* Number of neighbours, and the k-th of them (k below the degree) in an order fixed for each
 * vertex: k -> neighbour is one to one. Cost as for opevo_parameter_value. */
OPEVO_API opevo_index opevo_parameter_degree(const opevo_parameter *parameter, opevo_index vertex);
OPEVO_API opevo_index opevo_parameter_neighbour(const opevo_parameter *parameter,
                                                opevo_index vertex, opevo_index k);
/* All of them at once, in the order of k, into room for the degree. The value of the vertex is
 * worked out once, so that a neighbour costs O(1) for prime moves and O(arity) elsewhere. */
OPEVO_API void opevo_parameter_neighbours(const opevo_parameter *parameter, opevo_index vertex,
                                          opevo_index *neighbours);

/* Facts of the graph, each exact. What has no formula is counted on the explicit graph up to 2^20
 * vertices and within about a second; an unknown fact, or that exceeds 2^128 - 1, is 0 and
 * its bit is missing in `known`. */
typedef struct opevo_parameter_metrics {
    opevo_index edges;
    opevo_index degree_min, degree_max;
    double degree_mean;
    opevo_index diameter;   /* largest distance inside a component */
    opevo_index components; /* connected components */
    unsigned known;         /* OPEVO_METRIC_... */
} opevo_parameter_metrics;
enum {
    OPEVO_METRIC_DEGREES = 1, /* degree_min, degree_max, degree_mean */
    OPEVO_METRIC_DIAMETER = 2,
    OPEVO_METRIC_COMPONENTS = 4,
    OPEVO_METRIC_EDGES = 8
};
/* Errors: NOMEM, with *metrics untouched. */
OPEVO_API opevo_status opevo_parameter_measure(const opevo_parameter *parameter,
                                               opevo_parameter_metrics *metrics, opevo_error *err);

/* "8,1,1": the components with commas. A text that would be taken for something else (empty, with
 * commas, quotes, backslashes, parentheses, control characters or a blank at an end, or that looks
 * like a number or a Boolean) is written as a JSON string, others bare. */
OPEVO_API void opevo_parameter_print(const opevo_parameter *parameter, opevo_index vertex,
                                     opevo_text *out);
/* [8, 1, 1] for a type of tuples, a bare JSON value for the others. */
OPEVO_API void opevo_parameter_print_json(const opevo_parameter *parameter, opevo_index vertex,
                                          opevo_text *out);
/* Read what opevo_parameter_print wrote. A text is also found bare, unless it looks like another
 * value of the list; in double quotes it is a text and nothing else. Errors: INVALID with the
 * reason, such as "4,1,1 is not a value of factor(8,3): its product is 4"; NOMEM. */
OPEVO_API opevo_status opevo_parameter_read(const opevo_parameter *parameter, const char *text,
                                            opevo_index *vertex, opevo_error *err);

/* Everything that decides values and topology, and the names, continued into a signature (hash.h).
 * Of a graph file it is the vertices and edges that count, not the path. */
OPEVO_API uint64_t opevo_parameter_hash(const opevo_parameter *parameter, uint64_t hash);

/* The rows of the table at the top, for help texts and for tests over all types. */
typedef struct opevo_type_info {
    const char *name;
    const char *usage;      /* "factor(C,v)" */
    const char *summary;    /* one line */
    const char *topologies; /* names separated by spaces, default first */
} opevo_type_info;
OPEVO_API size_t opevo_type_count(void);
OPEVO_API const opevo_type_info *opevo_type_get(size_t i);

OPEVO_END_C

#endif
