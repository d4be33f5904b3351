/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Criteria of kernels: energy counters as Linux has them, in a folder that is made here, and the
 * size of code in an object. */

#include "check.h"
#include "remove_tree.h"

#include "kernel_criteria_internal.h"
#include "rapl_internal.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_zone(const char *root, const char *zone, const char *name, const char *energy)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", root, zone);
    mkdir(path, 0700);
    write_file(path, "name", name);
    write_file(path, "max_energy_range_uj", "1000000\n");
    if (energy)
        write_file(path, "energy_uj", energy);
}

/* Packages count, with counters that begin anew; their parts and other zones do not. */
CHECK_TEST(test_energy)
{
    char root[] = "opevo-rapl-XXXXXX";
    opevo_i_cpu_rapl rapl;
    opevo_text why = {0};

    assert_non_null(mkdtemp(root));
    assert_false(opevo_i_cpu_rapl_find("no/such/folder", &rapl, &why));
    assert_non_null(strstr(opevo_text_string(&why), "no/such/folder: No such file"));
    assert_true(isnan(opevo_i_cpu_rapl_spent_j(&rapl)));
    opevo_text_clear(&why);
    assert_false(opevo_i_cpu_rapl_find(root, &rapl, &why));
    assert_non_null(strstr(opevo_text_string(&why), "no energy counter of a processor package"));
    opevo_text_clear(&why);
    make_zone(root, "intel-rapl:0", "package-0\n", "900000\n");
    make_zone(root, "intel-rapl:1", "package-1\n", "100000\n");
    make_zone(root, "intel-rapl:0:0", "core\n", "5\n");
    make_zone(root, "intel-rapl:2", "psys\n", "5\n");
    assert_true(opevo_i_cpu_rapl_find(root, &rapl, &why));
    assert_int_equal(rapl.count, 2);
    assert_true(isnan(opevo_i_cpu_rapl_spent_j(&rapl)));
    assert_true(opevo_i_cpu_rapl_spent_j(&rapl) == 0);
    make_zone(root, "intel-rapl:0", "package-0\n", "200000\n"); /* 100,000 and 200,000 more */
    make_zone(root, "intel-rapl:1", "package-1\n", "350000\n");
    CHECK_CLOSE(opevo_i_cpu_rapl_spent_j(&rapl), 0.3 + 0.25, 1e-12);
    make_zone(root, "intel-rapl:1", "package-1\n", "broken\n");
    assert_true(isnan(opevo_i_cpu_rapl_spent_j(&rapl)));
    assert_false(opevo_i_cpu_rapl_find(root, &rapl, &why));
    assert_non_null(strstr(opevo_text_string(&why), "only root may read"));
    opevo_text_free(&why);
    assert_int_equal(remove_tree(root), 0);
}

/* A package counts once, although Linux may show it both through its registers and through memory,
 * of which one may be readable alone. */
CHECK_TEST(test_package_shown_twice)
{
    char root[] = "opevo-rapl-XXXXXX";
    opevo_i_cpu_rapl rapl;
    opevo_text why = {0};

    assert_non_null(mkdtemp(root));
    make_zone(root, "intel-rapl:0", "package-0\n", "100\n");
    make_zone(root, "intel-rapl-mmio:0", "package-0\n", "100\n");
    make_zone(root, "intel-rapl:1", "package-1\n", "100\n");
    make_zone(root, "intel-rapl-mmio:1", "package-1\n", NULL);
    assert_true(opevo_i_cpu_rapl_find(root, &rapl, &why));
    assert_int_equal(rapl.count, 2);
    assert_true(isnan(opevo_i_cpu_rapl_spent_j(&rapl)));
    make_zone(root, "intel-rapl:0", "package-0\n", "300\n");
    make_zone(root, "intel-rapl-mmio:0", "package-0\n", "300\n");
    make_zone(root, "intel-rapl:1", "package-1\n", "400\n");
    CHECK_CLOSE(opevo_i_cpu_rapl_spent_j(&rapl), 500e-6, 1e-12);
    assert_int_equal(remove_tree(root), 0);
}

/* This program has code; a text has none that is known. */
CHECK_TEST(test_code_size)
{
    struct stat info;
    double bytes = opevo_i_worker_code_bytes("/proc/self/exe");

    assert_int_equal(stat("/proc/self/exe", &info), 0);
    assert_true(bytes > 1000 && bytes < (double)info.st_size);
    write_file(".", "opevo-not-elf", "not an object");
    assert_true(isnan(opevo_i_worker_code_bytes("opevo-not-elf")));
    unlink("opevo-not-elf");
    assert_true(isnan(opevo_i_worker_code_bytes("no-such-file")));
}

CHECK_TEST(test_results)
{
    json_t *list = json_pack("[s, s, s]", "code_size", "energy", "build_time");
    json_t *bad = json_pack("[s]", "speed");
    json_t *many = json_pack("[s, s, s, s]", "energy", "energy", "energy", "energy");
    opevo_i_worker_kernel_criteria criteria;
    opevo_i_wire_result result = {.build_s = 0.25, .object_s = 0.5};

    assert_false(opevo_i_worker_kernel_criteria_read(bad, &criteria));
    assert_false(opevo_i_worker_kernel_criteria_read(many, &criteria));
    assert_true(opevo_i_worker_kernel_criteria_read(NULL, &criteria));
    opevo_i_worker_kernel_criteria_fill(&criteria, NULL, &result);
    assert_int_equal(result.criterion_count, 0);
    assert_true(opevo_i_worker_kernel_criteria_read(list, &criteria));
    opevo_i_worker_kernel_criteria_fill(&criteria, "/proc/self/exe", &result);
    assert_int_equal(result.criterion_count, 3);
    assert_true(result.criteria[0] > 1000 && isnan(result.criteria[1]));
    assert_true(result.criteria[2] == 0.5);
    result.object_s = 0; /* how long it was built is not known */
    result.energy_j = 3;
    opevo_i_worker_kernel_criteria_fill(&criteria, NULL, &result);
    assert_true(isnan(result.criteria[0]) && result.criteria[1] == 3 && isnan(result.criteria[2]));
    json_decref(list);
    json_decref(bad);
    json_decref(many);
}
