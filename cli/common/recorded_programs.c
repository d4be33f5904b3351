/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The programs behind the points of a recording: its description names the objective that was
 * recorded, such as "cpu:sketch gmm(1,512,512,512) threads=4". Its points have the same numbers
 * where its space is the same. */

#include "recorded_programs_internal.h"

#include "kernel_maker_internal.h"

#include <opevo/sketch.h>
#include <opevo/template.h>

static void release_maker(void *owner)
{
    opevo_kernel_maker *maker = owner;

    maker->ops->destroy(maker);
}

/* A copy, which a maker owns. */
static opevo_status copy_space(const opevo_space *space, opevo_space **out, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_space_write_json(space, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    OPEVO_TRY(opevo_space_parse(opevo_text_string(&text), "recording", NULL, out, err));
cleanup:
    opevo_text_free(&text);
    return status;
}

/* A maker whose points are those of the space. */
static opevo_status open_maker(const char *name, const opevo_space *space, opevo_kernel_maker **out,
                               opevo_error *err)
{
    char device[OPEVO_I_DEVICE_NAME];
    opevo_kernel_maker *maker = NULL;
    opevo_space *part = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_maker_named(name, device, &maker, err));
    OPEVO_TRY(copy_space(space, &part, err));
    OPEVO_TRY(opevo_sketches_made(maker) ? opevo_sketches_narrow(maker, part, err)
                                         : opevo_template_narrow(maker, part, err));
    part = NULL;
    *out = maker;
    maker = NULL;
cleanup:
    opevo_space_destroy(part);
    if (maker)
        release_maker(maker);
    return status;
}

void opevo_i_cli_recorded_programs(opevo_objective *recorded)
{
    const char *name = opevo_recorded_of(recorded);
    opevo_kernel_maker *maker = NULL;

    if (name && open_maker(name, recorded->space, &maker, NULL) == OPEVO_OK)
        opevo_recorded_use_programs(recorded,
                                    &(opevo_recorded_programs){.features = maker->features,
                                                               .trees = maker->trees,
                                                               .owner = maker,
                                                               .release = release_maker});
}
