/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the library libopevo exports: everything that is declared with OPEVO_API. Its sources are
 * compiled with hidden visibility. */

#ifndef OPEVO_API_H
#define OPEVO_API_H

#define OPEVO_API __attribute__((visibility("default")))

#endif
