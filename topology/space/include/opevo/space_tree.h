/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A space from JSON that is parsed already, for files that hold more than their space. */

#ifndef OPEVO_SPACE_TREE_H
#define OPEVO_SPACE_TREE_H

#include <opevo/space.h>

OPEVO_BEGIN_C

struct json_t; /* of Jansson */

/* As opevo_space_parse. `root` was parsed from `json`, which may lack the brackets at its end. */
opevo_status opevo_space_from_tree(const struct json_t *root, const char *json, const char *origin,
                                   const char *directory, opevo_space **out, opevo_error *err);

OPEVO_END_C

#endif
