/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of the port share. */

#ifndef OPEVO_PORT_INTERNAL_H
#define OPEVO_PORT_INTERNAL_H

#include <opevo/tuner.h>

/* Every value within its setting's domain, otherwise INVALID. */
opevo_status opevo_i_settings_check(const opevo_tuner_ops *ops, const opevo_setting_value *values,
                                    opevo_error *err);

#endif
