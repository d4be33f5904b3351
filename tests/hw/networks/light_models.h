/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The light models of ONNX, which are not part of the tree: networks without their weights. */

#ifndef OPEVO_TESTS_LIGHT_MODELS_H
#define OPEVO_TESTS_LIGHT_MODELS_H

#include "check.h"

#include <opevo/network.h>

#include <unistd.h>

/* Skips the test if the models are missing. */
static inline opevo_network *read_light_model(const char *name)
{
    opevo_network *network = NULL;
    char path[1024];

    if (access(OPEVO_TEST_ONNX "/light", R_OK) != 0)
        CHECK_SKIP("no models in %s/light", OPEVO_TEST_ONNX);
    snprintf(path, sizeof path, "%s/light/light_%s.onnx", OPEVO_TEST_ONNX, name);
    CHECK_OK(opevo_network_read(path, NULL, &network, &err));
    return network;
}

#endif
