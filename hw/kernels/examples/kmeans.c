/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A step of Lloyd's algorithm: kmeans_assign finds the nearest centre of each point, kmeans_move
 * makes each centre the mean of its points; a centre without points stays. Points are stored
 * feature by feature. */

#include "kernel_dialect.h"

KERNEL kmeans_assign(const GLOBAL float *points, const GLOBAL float *centres, GLOBAL int *nearest,
                     int count, int clusters, int features)
{
    const int point = BLOCK(0) * BLOCK_SIZE(0) + THREAD(0);
    float least = 0;
    int best = 0;

    if (point >= count)
        return;
    for (int cluster = 0; cluster < clusters; cluster++) {
        float distance = 0;

        for (int feature = 0; feature < features; feature++) {
            const float difference =
                points[feature * count + point] - centres[cluster * features + feature];

            distance += difference * difference;
        }
        if (cluster == 0 || distance < least) {
            least = distance;
            best = cluster;
        }
    }
    nearest[point] = best;
}

/* A work item for each feature of each centre. */
KERNEL kmeans_move(const GLOBAL float *points, GLOBAL float *centres, const GLOBAL int *nearest,
                   int count, int clusters, int features)
{
    const int at = BLOCK(0) * BLOCK_SIZE(0) + THREAD(0);
    float sum = 0;
    int members = 0;

    if (at >= clusters * features)
        return;
    for (int point = 0; point < count; point++) {
        if (nearest[point] == at / features) {
            sum += points[at % features * count + point];
            members++;
        }
    }
    if (members > 0)
        centres[at] = sum / (float)members;
}
