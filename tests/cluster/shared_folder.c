/* SPDX-License-Identifier: GPL-3.0-or-later */

/* shared_folder FOLDER MOUNT-POINT [OPTION...]: a file system as a network gives it to each host
 * that mounts it. Files are those of FOLDER and file locks hold across all mounts, but memory that
 * is mapped from a file is shared within one mount only. With SHARED_FOLDER_LOCKS=none locks fail
 * with ENOSYS, with SHARED_FOLDER_LOCKS=free they are given to everybody. The file
 * SHARED_FOLDER_OPENS gets a byte whenever a file is opened. */

#define FUSE_USE_VERSION 31

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static char root[PATH_MAX];
static const char *locks;

static const char *below(const char *path, char *full)
{
    snprintf(full, PATH_MAX, "%s%s", root, path);
    return full;
}

static int result_of(int result)
{
    return result < 0 ? -errno : 0;
}

/* What the kernel remembers of names, sizes and times would be of this mount only. */
static void *set_up(struct fuse_conn_info *connection, struct fuse_config *config)
{
    (void)connection;
    config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
    return NULL;
}

static int get_attributes(const char *path, struct stat *info, struct fuse_file_info *file)
{
    char full[PATH_MAX];

    return result_of(file ? fstat((int)file->fh, info) : lstat(below(path, full), info));
}

static int read_folder(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                       struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
    char full[PATH_MAX];
    DIR *folder = opendir(below(path, full));
    struct dirent *entry = NULL;

    (void)offset;
    (void)file;
    (void)flags;
    if (!folder)
        return -errno;
    while ((entry = readdir(folder)) != NULL)
        fill(buffer, entry->d_name, NULL, 0, 0);
    closedir(folder);
    return 0;
}

static int make_folder(const char *path, mode_t mode)
{
    char full[PATH_MAX];

    return result_of(mkdir(below(path, full), mode));
}

static int remove_folder(const char *path)
{
    char full[PATH_MAX];

    return result_of(rmdir(below(path, full)));
}

static int remove_name(const char *path)
{
    char full[PATH_MAX];

    return result_of(unlink(below(path, full)));
}

static int move(const char *from, const char *to, unsigned flags)
{
    char full_from[PATH_MAX];
    char full_to[PATH_MAX];

    return flags ? -EINVAL : result_of(rename(below(from, full_from), below(to, full_to)));
}

static int change_mode(const char *path, mode_t mode, struct fuse_file_info *file)
{
    char full[PATH_MAX];

    (void)file;
    return result_of(chmod(below(path, full), mode));
}

static int change_owner(const char *path, uid_t user, gid_t group, struct fuse_file_info *file)
{
    char full[PATH_MAX];

    (void)file;
    return result_of(lchown(below(path, full), user, group));
}

static int change_size(const char *path, off_t size, struct fuse_file_info *file)
{
    char full[PATH_MAX];

    return result_of(file ? ftruncate((int)file->fh, size) : truncate(below(path, full), size));
}

static int change_times(const char *path, const struct timespec times[2],
                        struct fuse_file_info *file)
{
    char full[PATH_MAX];

    (void)file;
    return result_of(utimensat(AT_FDCWD, below(path, full), times, AT_SYMLINK_NOFOLLOW));
}

static int create_file(const char *path, mode_t mode, struct fuse_file_info *file)
{
    char full[PATH_MAX];
    int opened = open(below(path, full), file->flags | O_CREAT, mode);

    file->fh = (uint64_t)opened;
    return opened < 0 ? -errno : 0;
}

static void count_open(void)
{
    const char *path = getenv("SHARED_FOLDER_OPENS");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;

    if (file < 0)
        return;
    if (write(file, ".", 1) != 1)
        perror(path);
    close(file);
}

static int open_file(const char *path, struct fuse_file_info *file)
{
    count_open();
    return create_file(path, 0, file);
}

static int read_file(const char *path, char *buffer, size_t size, off_t offset,
                     struct fuse_file_info *file)
{
    ssize_t got = pread((int)file->fh, buffer, size, offset);

    (void)path;
    return got < 0 ? -errno : (int)got;
}

static int write_file(const char *path, const char *buffer, size_t size, off_t offset,
                      struct fuse_file_info *file)
{
    ssize_t put = pwrite((int)file->fh, buffer, size, offset);

    (void)path;
    return put < 0 ? -errno : (int)put;
}

static int describe(const char *path, struct statvfs *info)
{
    char full[PATH_MAX];

    return result_of(statvfs(below(path, full), info));
}

static int sync_file(const char *path, int data_only, struct fuse_file_info *file)
{
    (void)path;
    (void)data_only;
    return result_of(fsync((int)file->fh));
}

static int release_file(const char *path, struct fuse_file_info *file)
{
    (void)path;
    close((int)file->fh);
    return 0;
}

/* Every open file is one of its own below, so that its locks are. */
static int lock_file(const char *path, struct fuse_file_info *file, int command, struct flock *lock)
{
    int below_command = command == F_GETLK   ? F_OFD_GETLK
                        : command == F_SETLK ? F_OFD_SETLK
                                             : F_OFD_SETLKW;

    (void)path;
    if (!strcmp(locks, "none"))
        return -ENOSYS;
    if (!strcmp(locks, "free"))
        return 0;
    lock->l_pid = 0;
    return result_of(fcntl((int)file->fh, below_command, lock));
}

int main(int count, char **arguments)
{
    static const struct fuse_operations operations = {
        .init = set_up,
        .getattr = get_attributes,
        .readdir = read_folder,
        .mkdir = make_folder,
        .rmdir = remove_folder,
        .unlink = remove_name,
        .rename = move,
        .chmod = change_mode,
        .chown = change_owner,
        .truncate = change_size,
        .utimens = change_times,
        .create = create_file,
        .open = open_file,
        .read = read_file,
        .write = write_file,
        .statfs = describe,
        .fsync = sync_file,
        .release = release_file,
        .lock = lock_file,
    };

    if (count < 3 || !realpath(arguments[1], root)) {
        fprintf(stderr, "usage: shared_folder FOLDER MOUNT-POINT [OPTION...]\n");
        return 2;
    }
    locks = getenv("SHARED_FOLDER_LOCKS");
    locks = locks ? locks : "";
    arguments[1] = arguments[0];
    return fuse_main(count - 1, arguments + 1, &operations, NULL);
}
