/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A record of TVM for a GPU. */

#ifndef OPEVO_TESTS_GPU_STEPS_H
#define OPEVO_TESTS_GPU_STEPS_H

/* The step list that TVM's test_auto_scheduler_feature has for a GPU; extents are those of a matrix
 * product of 512. */
#define GPU_STEPS                                                                                  \
    "[[\"CHW\",2,\"local\"],[\"SP\",2,0,512,[1,16,32,1],1],[\"SP\",2,5,512,[4,1,1,16],1],"         \
    "[\"SP\",2,10,512,[1,2],1],[\"RE\",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],[\"FSP\",3,0,1,3],"       \
    "[\"FSP\",3,4,2,3],[\"RE\",3,[0,4,1,5,2,6,3,7]],[\"FU\",2,[0,1]],[\"FU\",3,[0,1]],"            \
    "[\"FU\",2,[1,2]],[\"FU\",3,[1,2]],[\"FU\",2,[2,3]],[\"FU\",3,[2,3]],[\"CA\",2,3,2],"          \
    "[\"CHR\",1,\"shared\",[2]],[\"CA\",2,3,3],[\"FU\",2,[0,1]],[\"FFSP\",2,0,[1,2],1,1],"         \
    "[\"AN\",2,1,6],[\"CHR\",0,\"shared\",[3]],[\"CA\",1,4,3],[\"FU\",1,[0,1]],"                   \
    "[\"FFSP\",1,0,[1,2],1,1],[\"AN\",1,1,6],[\"AN\",5,0,5],[\"AN\",5,1,4],[\"AN\",5,2,6],"        \
    "[\"PR\",4,0,\"auto_unroll_max_step$1024\"]]"

#endif
