/* SPDX-License-Identifier: GPL-3.0-or-later */

/* TfIdfVectorizer: how often each n-gram of a pool occurs in rows of numbers. */

#include "network_routine_internal.h"

static opevo_status infer(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    const Onnx__Attribute *index = opevo_i_net_attribute(call, "ngram_indexes");
    int64_t extent[2] = {in->dims > 1 ? in->extent[0] : 0, 0}, *last = &extent[in->dims > 1];

    if (opevo_i_net_attribute(call, "pool_strings"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Its pool has strings, which opevo does not read; map them to numbers "
                          "before the network.");
    if (!opevo_i_net_type_is_whole(in->type) || in->dims < 1 || in->dims > 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "It is of whole numbers of one or two dimensions.");
    for (size_t i = 0; i < index->n_ints; i++) {
        if (index->ints[i] < 0 || index->ints[i] >= OPEVO_COMPUTATION_EXTENT)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Place %zu of its n-grams is %lld.", i,
                              (long long)index->ints[i]);
        *last = index->ints[i] + 1 > *last ? index->ints[i] + 1 : *last;
    }
    return opevo_i_net_shape(call->out[0], OPEVO_NETWORK_FLOAT32, in->dims, extent, err);
}

static opevo_status append(const Onnx__Attribute *list, opevo_network_routine *out,
                           opevo_error *err)
{
    opevo_status status = opevo_i_net_routine_whole(out, list ? (int64_t)list->n_ints : 0, err);

    for (size_t i = 0; list && i < list->n_ints && status == OPEVO_OK; i++)
        status = opevo_i_net_routine_whole(out, list->ints[i], err);
    return status;
}

/* Where the n-grams of each length begin in the pool, and that they are as many as their places. */
static opevo_status check(const opevo_i_net_call *call, opevo_error *err)
{
    const Onnx__Attribute *counts = opevo_i_net_attribute(call, "ngram_counts");
    const Onnx__Attribute *pool = opevo_i_net_attribute(call, "pool_int64s");
    const Onnx__Attribute *weights = opevo_i_net_attribute(call, "weights");
    size_t places = opevo_i_net_attribute(call, "ngram_indexes")->n_ints, grams = 0;

    for (size_t n = 0; n < counts->n_ints; n++) {
        int64_t end = n + 1 < counts->n_ints ? counts->ints[n + 1]
                      : pool                 ? (int64_t)pool->n_ints
                                             : 0;

        if (counts->ints[n] < 0 || counts->ints[n] > end ||
            (end - counts->ints[n]) % (int64_t)(n + 1))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its n-grams of length %zu do not fit its pool.",
                              n + 1);
        grams += (size_t)(end - counts->ints[n]) / (n + 1);
    }
    if (grams != places || (weights && weights->n_floats != places))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "It has %zu n-grams, %zu places and %zu weights of them.", grams, places,
                          weights ? weights->n_floats : places);
    return OPEVO_OK;
}

static opevo_status take(const opevo_i_net_call *call, opevo_network_routine *out, opevo_error *err)
{
    const Onnx__Attribute *weights = opevo_i_net_attribute(call, "weights");
    bool counts = opevo_i_net_attribute_is(call, "mode", "TF"),
         both = opevo_i_net_attribute_is(call, "mode", "TFIDF");
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(check(call, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out,
                                        counts ? ROUTINE_TERMS
                                        : both ? ROUTINE_BOTH
                                               : ROUTINE_DOCUMENTS,
                                        err));
    OPEVO_TRY(
        opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "min_gram_length", 1), err));
    OPEVO_TRY(
        opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "max_gram_length", 1), err));
    OPEVO_TRY(
        opevo_i_net_routine_whole(out, opevo_i_net_attribute_int(call, "max_skip_count", 0), err));
    OPEVO_TRY(append(opevo_i_net_attribute(call, "ngram_counts"), out, err));
    OPEVO_TRY(append(opevo_i_net_attribute(call, "ngram_indexes"), out, err));
    OPEVO_TRY(append(opevo_i_net_attribute(call, "pool_int64s"), out, err));
    for (size_t i = 0; i < opevo_i_net_attribute(call, "ngram_indexes")->n_ints; i++)
        OPEVO_TRY(opevo_i_net_routine_number(out, weights ? (double)weights->floats[i] : 1, err));
cleanup:
    return status;
}

static const opevo_i_net_routine grams = {"routine_grams", routine_grams, take, routine_grams_need};

const opevo_i_net_operator opevo_i_net_grams[] = {
    {"TfIdfVectorizer", 9, 1, 1, 1, infer, opevo_i_net_define_none, opevo_i_net_move_by_routine, 0,
     "max_gram_length=int! max_skip_count=int! min_gram_length=int! mode=string! "
     "ngram_counts=ints! ngram_indexes=ints! pool_int64s=ints pool_strings=strings weights=floats",
     &grams, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
