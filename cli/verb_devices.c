/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which devices of this machine kernels can be measured on. */

#include "options_internal.h"

#include <opevo/json.h>
#include <opevo/worker.h>

static const opevo_option options[] = {
    {"json", NULL, "print one JSON array", false},
};

typedef struct listing {
    opevo_text *out;
    bool json;
} listing;

static void print_device(const opevo_hardware *device, opevo_text *out)
{
    opevo_text_printf(out, "%-7s %s%s\n", device->name,
                      device->present ? "" : "none: ", device->title);
    if (!device->present)
        return;
    opevo_text_printf(out, "        %u cores", device->cores);
    if (device->vector_bits)
        opevo_text_printf(out, ", vectors of %u bits", device->vector_bits);
    if (device->memory_bytes)
        opevo_text_printf(out, ", %.1f GiB", (double)device->memory_bytes / 0x1p30);
    opevo_text_printf(out, "%s%s\n", *device->facts ? ", " : "", device->facts);
    if (device->energy)
        opevo_text_printf(out, "        energy by %s\n", device->energy);
    else
        opevo_text_printf(out, "        no energy: %s\n", device->no_energy);
}

static void visit(void *context, const opevo_hardware *device)
{
    listing *self = context;
    opevo_text *out = self->out;

    if (!self->json) {
        print_device(device, out);
        return;
    }
    opevo_json_open_next(out, "\n  ", "{");
    opevo_json_string(out, "device", device->name);
    opevo_json_bool(out, "present", device->present);
    opevo_json_string(out, device->present ? "title" : "missing", device->title);
    opevo_json_index(out, "cores", device->cores);
    opevo_json_index(out, "vector_bits", device->vector_bits);
    opevo_json_index(out, "memory_bytes", device->memory_bytes);
    opevo_json_string(out, "facts", device->facts);
    opevo_json_bool(out, "energy", device->energy != NULL);
    if (device->present)
        opevo_json_string(out, device->energy ? "energy_by" : "energy_missing",
                          device->energy ? device->energy : device->no_energy);
    opevo_text_add(out, "}");
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    listing self = {.out = out, .json = opevo_i_cli_flag(call, "json")};

    (void)exit_code;
    (void)err;
    if (self.json)
        opevo_text_add(out, "[");
    opevo_hardware_list(visit, &self);
    if (self.json)
        opevo_text_add(out, "\n]\n");
    return OPEVO_OK;
}

const opevo_verb opevo_i_cli_verb_devices = {
    .name = "devices",
    .arguments = "",
    .summary = "List the devices for kernels, and what is missing for others.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
