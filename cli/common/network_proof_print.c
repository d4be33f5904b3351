/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is printed of a proof of a whole network. */

#include "library_proof_internal.h"

#include <opevo/json.h>

static const char *const words[] = {[OPEVO_NETWORK_PROVED] = "proved",
                                    [OPEVO_NETWORK_REFUTED] = "refuted",
                                    [OPEVO_NETWORK_UNDECIDED] = "undecided"};

const char *opevo_i_cli_network_verdict(const opevo_i_cli_library_proof *proof)
{
    return words[proof->network.verdict];
}

void opevo_i_cli_network_print_proof(const opevo_i_cli_library_proof *library, opevo_text *out)
{
    const opevo_network_proof *proof = &library->network;

    if (library->memory_plan)
        opevo_text_add(out, "memory plan: every read is of what was written for it\n");
    opevo_text_printf(out, "network: %s", words[proof->verdict]);
    if (proof->verdict != OPEVO_NETWORK_PROVED) {
        opevo_text_add(out, "  ");
        opevo_text_add_visible(out, proof->reason);
        opevo_text_add(out, "\n");
        return;
    }
    opevo_text_printf(out,
                      "  the steps are the model's function for all inputs and %s; all of %llu "
                      "elements compared; false with a probability of %s %.2g",
                      proof->all_weights ? "all weights" : "the weights of the model",
                      (unsigned long long)proof->elements, proof->assumed ? "about" : "at most",
                      proof->probability);
    if (proof->unknown)
        opevo_text_printf(out, "; %u step%s without definitions, as unknown functions",
                          proof->unknown, proof->unknown == 1 ? "" : "s");
    opevo_text_add(out, proof->scaled
                            ? "; scales multiplied into weights, which rounds these, are not "
                              "covered\n"
                            : "\n");
}

void opevo_i_cli_network_add_json_proof(const opevo_i_cli_library_proof *library, opevo_text *out)
{
    const opevo_network_proof *proof = &library->network;

    opevo_json_bool(out, "memory_plan_proved", library->memory_plan);
    opevo_json_open(out, "network", "{");
    opevo_json_string(out, "verdict", words[proof->verdict]);
    if (proof->reason[0])
        opevo_json_string(out, "reason", proof->reason);
    opevo_json_bool(out, "all_weights", proof->all_weights);
    opevo_json_bool(out, "scaled", proof->scaled);
    opevo_json_index(out, "unknown_functions", proof->unknown);
    opevo_json_double(out, "probability", proof->probability);
    opevo_json_string(out, "probability_is", proof->assumed ? "about" : "at most");
    opevo_json_index(out, "elements", proof->elements);
    opevo_json_index(out, "compared", proof->compared);
    opevo_json_double(out, "time_s", proof->time_s);
    opevo_text_add(out, "}");
}
