/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A space: an ordered list of parameters, and the constraints between them. A point is one vertex
 * for each parameter; its number is mixed radix, the last parameter running fastest:
 *
 *     point = ((v[0] * size[1] + v[1]) * size[2] + v[2]) ...,
 *     0 <= point < product of the sizes < 2^128.
 *
 * A space of more than 2^128 - 1 points is wide. There the number of a point is a 128-bit hash of
 * its vertices, which the space keeps for each point that it encodes; only such points can be
 * decoded. Equal points of spaces with the same parameters have the same number.
 *
 * A value of a categorical parameter may open a branch: parameters that are active at that value
 * only. A branch has P points, the product over its parameters of their places; a parameter that
 * opens no branches has one place for each vertex, one that does has the sum of P over its values
 * (a value without parameters counts 1), and its place is the offset of the branch plus the place
 * in it. So points are numbered without gaps. docs/topologies.md gives
 * the formulas.
 *
 * Immutable after create but for the points that a wide space has met, which are under a lock, so
 * that any number of threads may read one. */

#ifndef OPEVO_SPACE_H
#define OPEVO_SPACE_H

#include <opevo/api.h>
#include <opevo/constraint_dialect.h>
#include <opevo/parameter.h>

OPEVO_BEGIN_C

typedef struct opevo_space opevo_space;

/* The vertex of an inactive parameter at a point; no vertex has this number. */
#define OPEVO_INACTIVE OPEVO_INDEX_MAX

/* Largest number of parameters of a space; the vertices of a point fit on a thread's stack. */
enum { OPEVO_SPACE_PARAMETERS_MAX = 1024 };

/* When a parameter is active: always, or where an earlier parameter is active and has a value. */
#define OPEVO_NO_PARENT SIZE_MAX
typedef struct opevo_activation {
    size_t parent;     /* place in the list of parameters; OPEVO_NO_PARENT: always active */
    opevo_index value; /* vertex of the parent */
} opevo_activation;

/* Take ownership of the parameters: on success the space owns them, on failure the caller still
 * does. `origin` names where the constraints come from in messages (a path, or "--constraint").
 *
 * A constraint sees a parameter of one component by its name, a component by X[i] or by its own
 * name; docs/formats/space.md defines the language. A point at which a constraint is undefined
 * (division by zero, overflow) is not allowed.
 *
 * Errors: INVALID for no parameters, two equal names, a constraint that does not parse, names
 *         nothing known or nothing at all, uses a string as a number (also at some
 *         combination of the parameters that it names; all are tried up to 2^22 of them), or never
 *         holds there; INVALID when no point of a space of up to 2^20 satisfies all of them, naming
 *         a smallest group of them that conflict; LIMIT for more than OPEVO_SPACE_PARAMETERS_MAX
 *         parameters or 4096 constraints, for a constraint over more than 256 parameters, and for
 *         constraints whose evaluation in advance takes more than 2^33 operations; NOMEM.
 * Cost:   about 4 ns for each operation of a constraint and combination tried; a bit for each. */
OPEVO_API opevo_status opevo_space_create(opevo_parameter **parameters, size_t count,
                                          const char *const *constraints, size_t constraint_count,
                                          opevo_dialect dialect, const char *origin,
                                          opevo_space **out, opevo_error *err);
/* The same for a space with branches.
 *
 *   activations  one for each parameter; NULL: all are always active. The parameters of a branch
 *                follow their parent, those of its smaller values first.
 *
 * A parameter of a branch is called KEY if no other parameter has this name or key, and otherwise
 * PARENT.BRANCH.KEY, where BRANCH is the value of the parent with everything but letters and digits
 * replaced by underscores; opevo_parameter_spec.dotted_name permits such a name.
 *
 * Errors: as opevo_space_create; INVALID for a parent that is not categorical, another order and
 *         other names; LIMIT for branches that nest more than 64 deep. */
typedef struct opevo_space_spec {
    opevo_parameter **parameters;
    const opevo_activation *activations;
    size_t count;
    const char *const *constraints;
    size_t constraint_count;
    opevo_dialect dialect;
    const char *origin;
} opevo_space_spec;
OPEVO_API opevo_status opevo_space_create_branched_sized(const opevo_space_spec *spec, size_t size,
                                                         opevo_space **out, opevo_error *err);
static inline opevo_status opevo_space_create_branched(const opevo_space_spec *spec,
                                                       opevo_space **out, opevo_error *err)
{
    return opevo_space_create_branched_sized(spec, sizeof *spec, out, err);
}
/* A search space in NNI's format with opevo's extensions, a Kernel Tuner T1 file, its tune_params
 * with restrictions (also those of a cache file), or T4 results; the content decides which.
 * docs/formats/space.md describes them. Errors: INVALID as "path:line: ...", "path:line:column:
 * ..." for invalid JSON, or "path:line: constraint n, column m: ..."; IO; and those of
 * opevo_space_create. */
OPEVO_API opevo_status opevo_space_load(const char *path, opevo_space **out, opevo_error *err);
/* The same from a text; `origin` replaces the path in messages, `directory` is the folder for
 * relative paths of graph files (NULL: the current one; "": no graph file is read). */
OPEVO_API opevo_status opevo_space_parse(const char *json, const char *origin,
                                         const char *directory, opevo_space **out,
                                         opevo_error *err);
OPEVO_API void opevo_space_destroy(opevo_space *space);

OPEVO_API size_t opevo_space_parameter_count(const opevo_space *space);
OPEVO_API const opevo_parameter *opevo_space_parameter(const opevo_space *space, size_t i);
/* Whether any value of any parameter opens a branch. */
OPEVO_API bool opevo_space_has_branches(const opevo_space *space);
/* When parameter i is active. */
OPEVO_API opevo_activation opevo_space_activation(const opevo_space *space, size_t i);
/* Whether parameter i is active where the parameters before it have these vertices. Cost: O(1). */
OPEVO_API bool opevo_space_is_active(const opevo_space *space, size_t i,
                                     const opevo_index *vertices);
/* Make the vertices of a point consistent after a change of parameter i: parameters that become
 * inactive get OPEVO_INACTIVE, and those that become active get the first vertex. So a move of a
 * parameter that opens branches leads to the first point of its new branch. Cost: O(parameters)
 * with branches. */
OPEVO_API void opevo_space_settle(const opevo_space *space, size_t i, opevo_index *vertices);
/* Number of points, including those that the constraints exclude; of a wide space 2^128 - 1. */
OPEVO_API opevo_index opevo_space_size(const opevo_space *space);
/* Whether the points are more than 2^128 - 1; then numbers of points are hashes. */
OPEVO_API bool opevo_space_is_wide(const opevo_space *space);
/* The digits of the number of points, whatever its size, and its binary logarithm. */
OPEVO_API void opevo_space_print_size(const opevo_space *space, opevo_text *out);
OPEVO_API double opevo_space_log2_size(const opevo_space *space);
/* Whether a number is that of a point: below the size; of a wide space, of a point that it has met.
 */
OPEVO_API bool opevo_space_has(const opevo_space *space, opevo_index point);
/* The point at which each active parameter has its first vertex; 0, unless the space is wide. */
OPEVO_API opevo_index opevo_space_first(const opevo_space *space);
/* Whether the number of a point is a sum of vertices times strides, the products of the sizes of
 * the parameters behind: without branches, and not of a wide space. */
OPEVO_API bool opevo_space_has_strides(const opevo_space *space);
OPEVO_API size_t opevo_space_constraint_count(const opevo_space *space);
OPEVO_API const char *opevo_space_constraint(const opevo_space *space, size_t i);

/* Point <-> one vertex for each parameter, OPEVO_INACTIVE for inactive parameters; encoding does
 * not read the vertices of inactive parameters. Cost: a division for each parameter, of 64 bits
 * (about 1.5 ns) in spaces of less than 2^64 points; with branches of 128 bits, and a search among
 * the values of a parameter that opens some. In a wide space a byte for each parameter is hashed
 * (1.5 ns), and encoding keeps as many bytes for a new point, and 50 more; it gives
 * OPEVO_INDEX_MAX, which is not a point, without memory. What it has not met is decoded as its
 * first point. */
OPEVO_API void opevo_space_decode(const opevo_space *space, opevo_index point,
                                  opevo_index *vertices);
OPEVO_API opevo_index opevo_space_encode(const opevo_space *space, const opevo_index *vertices);

/* Whether the constraints allow the point; always true without constraints. Cost: one bit test for
 * spaces up to 2^20 points, which are tabulated at create; otherwise a decoding, and for each
 * constraint a table look-up, or its evaluation if it names more than 2^22 combinations. */
OPEVO_API bool opevo_space_allows(const opevo_space *space, opevo_index point);

/* The same of vertices; in a wide space they need not be those of a point that was met. */
OPEVO_API bool opevo_space_allows_vertices(const opevo_space *space, const opevo_index *vertices);

/* The number of points that the constraints allow: exact by the space's diagram (opevo/diagram.h)
 * where it fits; else by enumeration on `threads` threads (0: all processors) for spaces up to
 * `enumerate_limit` points (and 2^52) if that takes at most 2^34 operations, otherwise estimated
 * from one point at a fixed pseudo-random position in each of 2^20 equal ranges, or fewer if the
 * constraints are costly. Without constraints, and up to 2^20 points, always exact. The answer does
 * not depend on the number of threads. Errors: NOMEM. */
typedef struct opevo_space_share {
    bool exact;
    opevo_index allowed;          /* when exact; 2^128 - 1 if there are more */
    double share;                 /* of all points, in [0, 1] */
    double share_low, share_high; /* exact: both equal share; estimated: 99 % Wilson interval,
                                     which is safe, as the ranges only lower the variance */
} opevo_space_share;
OPEVO_API opevo_status opevo_space_count_allowed(const opevo_space *space,
                                                 opevo_index enumerate_limit, unsigned threads,
                                                 opevo_space_share *out, opevo_error *err);

/* "K=64,4,4 X=8,1,16,4": the form that people read and type, each value as by
 * opevo_parameter_print; a string with a blank or '=' is written as a JSON string, too. Inactive
 * parameters are omitted. */
OPEVO_API void opevo_space_print(const opevo_space *space, opevo_index point, opevo_text *out);
/* {"K": [64, 4, 4], "X": ...} */
OPEVO_API void opevo_space_print_json(const opevo_space *space, opevo_index point, opevo_text *out);
/* Read what opevo_space_print wrote; the active parameters in any order, each exactly once. Errors:
 * INVALID, with *point untouched. */
OPEVO_API opevo_status opevo_space_read(const opevo_space *space, const char *text,
                                        opevo_index *point, opevo_error *err);

/* Allow only those of the listed points that the constraints allow. The space must not be in use
 * elsewhere yet; `points` is sorted. All of them are below the size of the space, and the
 * constraints allow at least one. Points keep their numbers; the signature changes. Errors: NOMEM,
 * with the space to be destroyed. Cost: 32 bytes for each range of consecutive points; testing a
 * point is a search among the ranges. */
OPEVO_API opevo_status opevo_space_restrict(opevo_space *space, opevo_index *points, size_t count,
                                            opevo_error *err);
/* Whether there are constraints, or listed points. */
OPEVO_API bool opevo_space_is_restricted(const opevo_space *space);

/* The space in NNI's format with opevo's extensions, such that opevo_space_parse gives an equal
 * space without the files that it was read from: graphs are written with all their edges. */
OPEVO_API void opevo_space_write_json(const opevo_space *space, opevo_text *out);

/* The same values and constraints, so the same points under the same numbers, with other graphs.
 *
 *   topologies  one for each parameter, as in opevo_parameter_spec; NULL keeps the current one
 *
 * Errors: INVALID for a topology that the parameter's type does not have; NOMEM. Cost: as
 * opevo_space_create. */
OPEVO_API opevo_status opevo_space_with_topologies(const opevo_space *space,
                                                   const char *const *topologies, opevo_space **out,
                                                   opevo_error *err);

/* Equal for equal parameters, topologies, branches, constraints and order; a different one is
 * almost surely a different space. */
OPEVO_API uint64_t opevo_space_signature(const opevo_space *space);

OPEVO_END_C

#endif
