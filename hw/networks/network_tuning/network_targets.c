/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The libraries of several targets: one is made, and perhaps tuned, by the caller; the others are
 * made from the same steps, so also from what measured times have chosen. */

#include <opevo/network_targets.h>

#include <opevo/memory.h>

#include <string.h>

bool opevo_library_targets_have(const opevo_library_targets *targets, const char *name)
{
    for (size_t i = 0; i < targets->count && name; i++) {
        if (strcmp(targets->name[i], name) == 0)
            return true;
    }
    return false;
}

opevo_status opevo_network_targets_choose(const opevo_library_targets *targets, bool tunes,
                                          opevo_network_library_options *options, opevo_error *err)
{
    const char *here = opevo_library_target_here();

    if (targets->count == 0)
        return OPEVO_OK;
    if (tunes && !here)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "kernels are tuned for the machine that they run on, and the targets do "
                          "not include this one: leave tuning out.");
    if (tunes && !opevo_library_targets_have(targets, here))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "this machine is %s, and kernels are tuned for what they run on: add %s "
                          "to the targets, or leave tuning out.",
                          here, here);
    options->targets = targets;
    options->target = opevo_library_targets_have(targets, here) ? here : targets->name[0];
    options->facts = opevo_library_target_facts(options->target);
    return OPEVO_OK;
}

opevo_status opevo_network_targets_create(const opevo_network_plan *plan,
                                          const opevo_network_library_options *options,
                                          const opevo_library_targets *targets,
                                          opevo_network_library *made,
                                          opevo_network_target_libraries *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *out = (opevo_network_target_libraries){.made = made, .has_targets = targets->count > 0};
    if (targets->count == 0) {
        out->library[0] = made;
        out->count = 1;
    }
    for (size_t i = 0; i < targets->count && status == OPEVO_OK; i++) {
        opevo_network_library_options own = *options;

        out->library[i] = made;
        if (strcmp(options->target, targets->name[i]) != 0) {
            own.target = targets->name[i];
            own.facts = opevo_library_target_facts(own.target);
            out->library[i] = NULL;
            status = opevo_network_plan_library(plan, &own, &out->library[i], err);
        }
        out->count += status == OPEVO_OK;
    }
    if (status != OPEVO_OK)
        opevo_network_targets_free(out);
    return status;
}

void opevo_network_targets_free(opevo_network_target_libraries *self)
{
    for (size_t i = 0; i < self->count; i++) {
        if (self->library[i] != self->made)
            opevo_network_library_destroy(self->library[i]);
    }
    *self = (opevo_network_target_libraries){.count = 0};
}

opevo_status opevo_network_targets_write(opevo_network_target_libraries *self, const char *folder,
                                         opevo_error *err)
{
    return self->has_targets
               ? opevo_network_library_write_targets(self->library, self->count, folder,
                                                     self->sizes, err)
               : opevo_network_library_write(self->library[0], folder, self->sizes, err);
}
