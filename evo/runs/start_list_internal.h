/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A list of start points, and its capacity. */

#ifndef OPEVO_START_LIST_INTERNAL_H
#define OPEVO_START_LIST_INTERNAL_H

#include <opevo/start_list.h>

typedef struct opevo_i_start_list {
    opevo_start_list super;
    opevo_proposal *points;
    size_t capacity;
} opevo_i_start_list;

#endif
