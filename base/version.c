/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The version, out of the header that CMake writes, and the build, out of the notes of the file
 * that was loaded. */

#include <opevo/version.h>

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 32 }; /* of a build ID */

static char build[2 * MOST_BYTES + 1];

const char *opevo_version(void)
{
    return OPEVO_VERSION;
}

/* Read the build ID in a segment of notes, whose names and contents are padded to 4 bytes. */
static bool read_notes(const unsigned char *at, size_t size)
{
    const unsigned char *end = at + size;

    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        const unsigned char *name = at + sizeof head;
        const unsigned char *content = NULL;

        memcpy(&head, at, sizeof head);
        content = name + ((head.n_namesz + 3u) & ~3u);
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && !memcmp(name, "GNU", 4) &&
            head.n_descsz <= MOST_BYTES) {
            for (unsigned i = 0; i < head.n_descsz; i++)
                snprintf(build + 2 * i, 3, "%02x", content[i]);
            return true;
        }
        at = content + ((head.n_descsz + 3u) & ~3u);
    }
    return false;
}

/* Of the file that has this very function. */
static int visit(struct dl_phdr_info *file, size_t size, void *context)
{
    uintptr_t own = (uintptr_t)opevo_build;
    bool has = false;

    (void)size;
    (void)context;
    for (int i = 0; i < file->dlpi_phnum; i++) {
        uintptr_t begin = file->dlpi_addr + file->dlpi_phdr[i].p_vaddr;

        has = has || (file->dlpi_phdr[i].p_type == PT_LOAD && own >= begin &&
                      own - begin < file->dlpi_phdr[i].p_memsz);
    }
    for (int i = 0; has && i < file->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &file->dlpi_phdr[i];

        if (segment->p_type == PT_NOTE &&
            read_notes((const unsigned char *)(file->dlpi_addr + segment->p_vaddr),
                       segment->p_memsz))
            break;
    }
    return has;
}

static void find(void)
{
    dl_iterate_phdr(visit, NULL);
}

const char *opevo_build(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find);
    return build;
}
