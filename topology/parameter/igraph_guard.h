/* SPDX-License-Identifier: GPL-3.0-or-later */

/* igraph keeps its handlers and its clean-up stack in global variables, so only one thread may be
 * inside it. Every use of igraph in this room stands between enter and leave, which also put the
 * handlers of the program back. */

#ifndef OPEVO_IGRAPH_GUARD_H
#define OPEVO_IGRAPH_GUARD_H

#include <igraph.h>

/* Wait for other threads; from here on igraph returns codes and prints nothing. */
void opevo_i_topology_igraph_enter(void);
void opevo_i_topology_igraph_leave(void);

#endif
