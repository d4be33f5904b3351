/* SPDX-License-Identifier: GPL-3.0-or-later */

/* JSON that is printed piece by piece at the end of a text. Brackets are added as text; what stands
 * between them is added by these, which know from the last byte whether a comma is due. JSON that
 * is read, or sent as a message, is a tree of Jansson. */

#ifndef OPEVO_JSON_H
#define OPEVO_JSON_H

#include <stdbool.h>

#include <opevo/index.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

/* Ahead of an element of an array, or of a member that does not stand in its object's line: a comma
 * unless it is the first after a bracket, then `space`: "" or " ", which follows a comma only, or a
 * line feed and what indents the line. */
void opevo_json_next(opevo_text *out, const char *space);
/* The same, and "[" or "{", which opens the element. */
void opevo_json_open_next(opevo_text *out, const char *space, const char *bracket);

/* A member of the object being written, in its line: the key, and the value (of opevo_json_key:
 * what the caller adds). A double that is not finite is null. */
void opevo_json_key(opevo_text *out, const char *key);
/* The key, and "[" or "{". */
void opevo_json_open(opevo_text *out, const char *key, const char *bracket);
void opevo_json_string(opevo_text *out, const char *key, const char *value);
void opevo_json_double(opevo_text *out, const char *key, double value);
void opevo_json_index(opevo_text *out, const char *key, opevo_index value);
void opevo_json_bool(opevo_text *out, const char *key, bool value);

OPEVO_END_C

#endif
