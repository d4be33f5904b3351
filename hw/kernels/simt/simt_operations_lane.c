/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operations of lane 0 alone: of blocks of one work item, the others are not there. */

#define OPEVO_I_SIMT_ONE_LANE
#define OPEVO_I_SIMT_TABLE opevo_i_simt_lane_operations
#include "simt_operations_internal.h"
