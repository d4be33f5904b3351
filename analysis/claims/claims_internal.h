/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of manifests and reproductions share. */

#ifndef OPEVO_CLAIMS_INTERNAL_H
#define OPEVO_CLAIMS_INTERNAL_H

#include <jansson.h>

#include <opevo/status.h>
#include <opevo/text.h>

#define OPEVO_I_MANIFEST_KEY "manifest"
#define OPEVO_I_MANIFEST_FORMAT "opevo manifest 1"

#endif
