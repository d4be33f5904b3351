/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries stay open: some have threads, or hand out memory that outlives a call. */

#include <opevo/shared_library.h>

#include <dlfcn.h>
#include <string.h>

opevo_status opevo_shared_library_open(const char *path, const char *title,
                                       const opevo_library_symbol *symbols, size_t count,
                                       void *table, opevo_error *err)
{
    const char *slash = strrchr(path, '/');
    void *library = dlopen(slash ? slash + 1 : path, RTLD_NOW | RTLD_LOCAL);

    if (!library && slash)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return OPEVO_FAIL(err, OPEVO_IO, "%s cannot be opened: %s: install it.", title, dlerror());
    for (size_t i = 0; i < count; i++) {
        if (!dlsym(library, symbols[i].name))
            return OPEVO_FAIL(err, OPEVO_IO, "%s has no function %s: install its version of %s.",
                              title, symbols[i].name, path);
    }
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);

        memcpy((char *)table + symbols[i].offset, &found, sizeof found);
    }
    return OPEVO_OK;
}
