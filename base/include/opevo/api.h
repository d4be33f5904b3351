/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the library libopevo exports: everything that is declared with OPEVO_API. Its sources are
 * compiled with hidden visibility. */

#ifndef OPEVO_API_H
#define OPEVO_API_H

#define OPEVO_API __attribute__((visibility("default")))

/* Around the declarations of a header, whose functions have names of C in C++ as well. */
#ifdef __cplusplus
#define OPEVO_BEGIN_C extern "C" {
#define OPEVO_END_C }
#else
#define OPEVO_BEGIN_C
#define OPEVO_END_C
#endif

#endif
