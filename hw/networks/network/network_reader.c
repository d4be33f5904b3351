/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a reader of models holds and says: names, values, and what lives as long as the network. */

#include "network_read_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* What a model may grow to, by loops that run and functions that are called. */
enum { GRAPHS_MOST = 1 << 16, TEXT_MOST = 1 << 29 };

opevo_status opevo_i_net_reader_fail(const opevo_i_net_reader *self, opevo_status status,
                                     opevo_error *err, const char *format, ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return OPEVO_FAIL(err, status, "%s: %s", self->network->path, sentence);
}

opevo_status opevo_i_net_reader_fail_node(const opevo_i_net_reader *self, const Onnx__Node *source,
                                          opevo_status status, const char *sentence,
                                          opevo_error *err)
{
    bool named = source->name && *source->name;

    return opevo_i_net_reader_fail(
        self, status, err, "node %d (%s%s%s%s): %s", self->network->nodes,
        source->op_type ? source->op_type : "without an operator", named ? " '" : "",
        named ? source->name : "", named ? "'" : "", sentence);
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* The slot of a name, or the free one where it belongs. */
static struct opevo_i_net_name *slot_of(const opevo_i_net_names *self, const char *name)
{
    size_t at = (size_t)opevo_hash_bytes(OPEVO_HASH_START, name, strlen(name)) & (self->slots - 1);

    while (self->slot[at].name && strcmp(self->slot[at].name, name) != 0)
        at = (at + 1) & (self->slots - 1);
    return &self->slot[at];
}

int opevo_i_net_names_get(const opevo_i_net_names *self, const char *name)
{
    const struct opevo_i_net_name *slot = self->slots ? slot_of(self, name) : NULL;

    return slot && slot->name ? slot->binding : OPEVO_I_NET_UNNAMED;
}

static bool grow(opevo_i_net_names *self)
{
    enum { FIRST = 16 };
    opevo_i_net_names grown = {.slots = self->slots ? 2 * self->slots : FIRST,
                               .count = self->count};

    grown.slot = opevo_calloc(grown.slots, sizeof *grown.slot);
    if (!grown.slot)
        return false;
    for (size_t i = 0; i < self->slots; i++) {
        if (self->slot[i].name)
            *slot_of(&grown, self->slot[i].name) = self->slot[i];
    }
    opevo_free(self->slot);
    *self = grown;
    return true;
}

opevo_status opevo_i_net_names_put(opevo_i_net_names *self, const char *name, int binding,
                                   opevo_error *err)
{
    struct opevo_i_net_name *slot = NULL;

    if (2 * self->count >= self->slots && !grow(self))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the names of a graph.");
    slot = slot_of(self, name);
    self->count += !slot->name;
    slot->name = name;
    slot->binding = binding;
    return OPEVO_OK;
}

void opevo_i_net_names_free(opevo_i_net_names *self)
{
    opevo_free(self->slot);
    *self = (opevo_i_net_names){0};
}

int opevo_i_net_scope_find(const opevo_i_net_scope *scope, const char *name)
{
    int found = OPEVO_I_NET_UNNAMED;

    for (; scope && found == OPEVO_I_NET_UNNAMED; scope = scope->outer)
        found = opevo_i_net_names_get(&scope->names, name);
    return found;
}

/* ---- Values --------------------------------------------------------------------------------- */

int opevo_i_net_reader_find(const opevo_i_net_reader *self, const char *name)
{
    int found = opevo_i_net_names_get(&self->main.names, name);

    return found < 0 ? -1 : found;
}

opevo_status opevo_i_net_reader_add(opevo_i_net_reader *self, const char *name, int *out,
                                    opevo_error *err)
{
    opevo_network *network = self->network;

    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&network->value, &self->value_room,
                                       (size_t)network->values + 1, sizeof *network->value),
                         "the values of %s", network->path);
    network->value[network->values] = (opevo_network_value){.name = name, .producer = -1};
    *out = network->values++;
    return OPEVO_OK;
}

opevo_status opevo_i_net_reader_keep(opevo_i_net_reader *self, opevo_text *text, const char **out,
                                     opevo_error *err)
{
    opevo_network *network = self->network;
    char *kept = text->failed ? NULL : opevo_strdup(opevo_text_string(text));

    opevo_text_free(text);
    self->text_bytes += kept ? strlen(kept) : 0;
    if (self->text_bytes > TEXT_MOST) {
        opevo_free(kept);
        return opevo_i_net_reader_fail(self, OPEVO_INVALID, err,
                                       "Its names take more than %d bytes, those of loops and "
                                       "functions as often as they run.",
                                       TEXT_MOST);
    }
    if (!kept || !opevo_reserve((void **)&network->text, &self->text_room, network->texts + 1,
                                sizeof(char *))) {
        opevo_free(kept);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the names of %s.", network->path);
    }
    network->text[network->texts++] = kept;
    *out = kept;
    return OPEVO_OK;
}

opevo_status opevo_i_net_reader_start(opevo_i_net_reader *self, const char *outer, const char *word,
                                      const char **prefix, opevo_error *err)
{
    opevo_text text = {0};

    if (self->graphs >= GRAPHS_MOST)
        return opevo_i_net_reader_fail(
            self, OPEVO_INVALID, err,
            "Its loops run and its functions are called more than %d times together.", GRAPHS_MOST);
    opevo_text_printf(&text, "%s%s_%d/", outer, word, self->graphs++);
    return opevo_i_net_reader_keep(self, &text, prefix, err);
}

opevo_status opevo_i_net_reader_own(opevo_i_net_reader *self, Onnx__Node *node, opevo_error *err)
{
    opevo_network *network = self->network;

    if (!opevo_reserve((void **)&network->made, &self->made_room, network->mades + 1,
                       sizeof(Onnx__Node *))) {
        onnx__node__free_unpacked(node, NULL);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the nodes of %s.", network->path);
    }
    network->made[network->mades++] = node;
    return OPEVO_OK;
}

opevo_status opevo_i_net_reader_sequence(opevo_i_net_reader *self, int count, int *binding,
                                         int **item, opevo_error *err)
{
    int *items = opevo_malloc((size_t)count + 1, sizeof *items);
    opevo_i_net_sequence *grown = NULL;

    if (items)
        grown = opevo_realloc(self->sequence, (size_t)self->sequences + 1, sizeof *grown);
    if (!grown) {
        opevo_free(items);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a sequence.");
    }
    self->sequence = grown;
    grown[self->sequences] = (opevo_i_net_sequence){.item = items, .count = count};
    *binding = OPEVO_I_NET_SEQUENCE - self->sequences++;
    *item = items;
    return OPEVO_OK;
}

void opevo_i_net_reader_free(opevo_i_net_reader *self)
{
    for (int i = 0; i < self->sequences; i++)
        opevo_free(self->sequence[i].item);
    opevo_free(self->sequence);
    opevo_free(self->unknown);
    opevo_free(self->called);
    opevo_i_net_names_free(&self->main.names);
}
