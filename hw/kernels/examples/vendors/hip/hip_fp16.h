/* SPDX-License-Identifier: GPL-3.0-or-later */

/* In the place of the vendor's header. */
#include "../cuda_fp16.h"
