/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces with branches that several tests use. */

#ifndef OPEVO_TESTS_BRANCHED_SPACES_H
#define OPEVO_TESTS_BRANCHED_SPACES_H

/* One nested choice between two plain parameters: 3 (2 * 3 + 2 + 1) 2 = 54 points. */
#define FLAT_CHOICE                                                                                \
    "\"n\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]},\n"                                   \
    "\"op\": {\"_type\": \"choice\", \"_value\": [\n"                                              \
    "  {\"_name\": \"conv\", \"kernel\": {\"_type\": \"discrete\", \"_value\": [1, 3]},\n"         \
    "   \"tile\": {\"_type\": \"factor\", \"_value\": [4, 2]}},\n"                                 \
    "  {\"_name\": \"pool\", \"size\": {\"_type\": \"choice\", \"_value\": [\"a\", \"b\"]}},\n"    \
    "  \"skip\"]},\n"                                                                              \
    "\"last\": {\"_type\": \"discrete\", \"_value\": [0, 1]}"

/* Two levels deep, every parameter type, a constraint over what is active:
 * op: conv 3 * (1 + 6 + 2 * 2) = 33, pool 2 * 1, skip 1: 36 points, times 2. */
#define TWO_LEVELS                                                                                 \
    "\"op\": {\"_type\": \"choice\", \"_value\": [\n"                                              \
    "  {\"_name\": \"conv\", \"kernel\": {\"_type\": \"discrete\", \"_value\": [1, 3, 5]},\n"      \
    "   \"algo\": {\"_type\": \"choice\", \"_value\": [\"direct\",\n"                              \
    "     {\"_name\": \"gemm\", \"order\": {\"_type\": \"permutation\", \"_value\": 3}},\n"        \
    "     {\"_name\": \"wino\", \"m\": {\"_type\": \"discrete\", \"_value\": [2, 4]},\n"           \
    "      \"g\": {\"_type\": \"graph\", \"_value\": [\"x\", \"y\"], \"_edges\": [[0, 1]]}}]}},\n" \
    "  {\"_name\": \"pool\", \"size\": {\"_type\": \"factor\", \"_value\": [2, 2]}},\n"            \
    "  {\"_name\": \"skip\"}]},\n"                                                                 \
    "\"last\": {\"_type\": \"discrete\", \"_value\": [0, 1]}"
#define TWO_LEVELS_CONSTRAINT ",\n\"_constraints\": [\"active(m) ? kernel == 3 : kernel >= 1\"]"

/* A choice of a branch with 20! points and one with a single point, times 4. */
#define LARGE_BRANCH                                                                               \
    "{\"c\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"a\","                              \
    " \"order\": {\"_type\": \"permutation\", \"_value\": 20}}, \"b\"]},"                          \
    " \"x\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3]}}"

#endif
