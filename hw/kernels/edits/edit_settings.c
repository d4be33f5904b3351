/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Settings of edits by name. */

#include <opevo/edits.h>

#include <string.h>

typedef struct choice {
    const char *setting, *value;
    int number;
} choice;

static const choice choices[] = {
    {"const-one", "always", OPEVO_ONE_ALWAYS},
    {"const-one", "last", OPEVO_ONE_LAST},
    {"crossover", "concat", OPEVO_CROSSOVER_CONCAT},
    {"crossover", "symdiff", OPEVO_CROSSOVER_SYMDIFF},
    {"move", "gevo", OPEVO_MOVE_GEVO},
    {"move", "keep-uses", OPEVO_MOVE_KEEP_USES},
    {"order", "canonical", OPEVO_ORDER_CANONICAL},
    {"order", "chrono", OPEVO_ORDER_CHRONO},
};
enum { CHOICE_COUNT = sizeof choices / sizeof *choices };

static void set(opevo_edit_settings *settings, const choice *chosen)
{
    if (strcmp(chosen->setting, "move") == 0)
        settings->move = (opevo_edit_move)chosen->number;
    else if (strcmp(chosen->setting, "const-one") == 0)
        settings->const_one = (opevo_edit_one)chosen->number;
    else if (strcmp(chosen->setting, "order") == 0)
        settings->order = (opevo_edit_order)chosen->number;
    else
        settings->crossover = (opevo_edit_crossover)chosen->number;
}

opevo_status opevo_edit_settings_set(opevo_edit_settings *settings, const char *name,
                                     const char *value, opevo_error *err)
{
    const choice *first = NULL;

    for (size_t i = 0; i < CHOICE_COUNT; i++) {
        if (strcmp(choices[i].setting, name) != 0)
            continue;
        if (strcmp(choices[i].value, value) == 0) {
            set(settings, &choices[i]);
            return OPEVO_OK;
        }
        if (!first)
            first = &choices[i];
    }
    if (first) /* each setting has two values, side by side */
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s must be %s or %s, not '%s'.", name,
                          first[0].value, first[1].value, value);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "Unknown setting '%s' of edits; use move, const-one, order or crossover.",
                      name);
}
