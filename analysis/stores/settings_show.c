/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The settings of a run as readers see them. */

#include <opevo/stored_study.h>

#include <string.h>

/* Whether a list of names separated by commas has this one. */
static bool has_name(const char *names, size_t length, const char *name)
{
    for (size_t at = 0; at < length; at++) {
        size_t here = strcspn(names + at, ", ");

        if (here == strlen(name) && !strncmp(names + at, name, here))
            return true;
        at += here;
    }
    return false;
}

/* Appends a word of the settings. Of "criteria=fitness,energy" the fitness is shown as time, unless
 * the time is a criterion of its own. */
static void show_word(const char *word, size_t length, opevo_text *out)
{
    static const char key[] = "criteria=", stored[] = "fitness";
    size_t at = strlen(key);

    if (length < at || strncmp(word, key, at) != 0 || has_name(word + at, length - at, "time")) {
        opevo_text_add_bytes(out, word, length);
        return;
    }
    opevo_text_add(out, key);
    while (at < length) {
        size_t name = strcspn(word + at, ", ");

        if (name == strlen(stored) && !strncmp(word + at, stored, name))
            opevo_text_add(out, "time");
        else
            opevo_text_add_bytes(out, word + at, name);
        at += name;
        if (at++ < length)
            opevo_text_add(out, ",");
    }
}

void opevo_settings_show(const char *settings, size_t length, bool in_time, opevo_text *out)
{
    for (size_t at = 0; in_time && at < length; at++) {
        size_t word = strcspn(settings + at, " ");

        opevo_text_add(out, at ? " " : "");
        show_word(settings + at, word, out);
        at += word;
    }
    if (!in_time)
        opevo_text_add_bytes(out, settings, length);
}
