/* SPDX-License-Identifier: GPL-3.0-or-later */

/* In the place of the host's header: the functions are in cuda_math.h. */
