/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The functions of XGBoost that cost models call. The library is opened by the first model that is
 * trained: it takes longer to load than opevo itself, and most calls of opevo train none. */

#ifndef OPEVO_XGBOOST_INTERNAL_H
#define OPEVO_XGBOOST_INTERNAL_H

#include <opevo/shared_library.h>

#include <xgboost/c_api.h>
#include <xgboost/version_config.h>

/* Version 2 grows a tree from gradients by another function. */
#if XGBOOST_VER_MAJOR >= 2
#define OPEVO_I_XGBOOST_GROW XGBoosterTrainOneIter
#else
#define OPEVO_I_XGBOOST_GROW XGBoosterBoostOneIter
#endif

#define OPEVO_I_XGBOOST_FUNCTIONS(ONE)                                                             \
    ONE(XGBGetLastError)                                                                           \
    ONE(XGBoostVersion)                                                                            \
    ONE(XGBoosterCreate)                                                                           \
    ONE(XGBoosterFree)                                                                             \
    ONE(XGBoosterPredictFromDMatrix)                                                               \
    ONE(XGBoosterPredictFromDense)                                                                 \
    ONE(XGBoosterSetParam)                                                                         \
    ONE(XGBoosterUpdateOneIter)                                                                    \
    ONE(XGDMatrixCreateFromMat_omp)                                                                \
    ONE(XGDMatrixFree)                                                                             \
    ONE(XGDMatrixSetInfoFromInterface)

typedef struct opevo_i_tvm_xgboost {
    OPEVO_I_XGBOOST_FUNCTIONS(OPEVO_LIBRARY_MEMBER)
    __typeof__(OPEVO_I_XGBOOST_GROW) *grow;
} opevo_i_tvm_xgboost;

/* The functions, for the rest of the program. Tests put others in the place of some. Errors: IO
 * where the library is missing or lacks one. */
opevo_status opevo_i_tvm_xgboost_open(opevo_i_tvm_xgboost **out, opevo_error *err);

#endif
