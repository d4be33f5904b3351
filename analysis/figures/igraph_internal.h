/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The functions of igraph that lay out a graph. The library is opened by the first layout: with
 * what it uses itself it takes as long to load as opevo, and few calls of opevo draw a graph. */

#ifndef OPEVO_IGRAPH_INTERNAL_H
#define OPEVO_IGRAPH_INTERNAL_H

#include <opevo/shared_library.h>

#include <igraph.h>

#define OPEVO_I_IGRAPH_FUNCTIONS(ONE)                                                              \
    ONE(igraph_create)                                                                             \
    ONE(igraph_destroy)                                                                            \
    ONE(igraph_error_handler_ignore)                                                               \
    ONE(igraph_layout_kamada_kawai)                                                                \
    ONE(igraph_matrix_destroy)                                                                     \
    ONE(igraph_matrix_init)                                                                        \
    ONE(igraph_set_error_handler)                                                                  \
    ONE(igraph_set_warning_handler)                                                                \
    ONE(igraph_strerror)                                                                           \
    ONE(igraph_vector_int_destroy)                                                                 \
    ONE(igraph_vector_int_init)                                                                    \
    ONE(igraph_warning_handler_ignore)

typedef struct opevo_i_fig_igraph {
    OPEVO_I_IGRAPH_FUNCTIONS(OPEVO_LIBRARY_MEMBER)
} opevo_i_fig_igraph;

/* igraph keeps its handlers and its clean-up stack in global variables, so only one thread may be
 * inside it. Wait for others, and from here on it returns codes and prints nothing; leaving puts
 * the handlers of the program back. Errors, without having entered: IO where the library is
 * missing or lacks a function. */
opevo_status opevo_i_fig_igraph_enter(const opevo_i_fig_igraph **out, opevo_error *err);
void opevo_i_fig_igraph_leave(void);

#endif
