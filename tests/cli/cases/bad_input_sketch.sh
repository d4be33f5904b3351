# SPDX-License-Identifier: GPL-3.0-or-later
# Texts that are not computations, and devices without sketches.
opevo sketch
echo $? >&2
opevo sketch 'C[i:4] = X[i'
echo $? >&2
opevo sketch mm1 --on fpga:0
echo $? >&2
for device in cuda cuda: cuda:abc cuda:1024 hip:-1 hip: cpu:foo cpu:0 ''; do
    opevo sketch mm1 --on "$device"
    echo $? >&2
    opevo emit mm1 --schedule absent --on "$device"
    echo $? >&2
done
# The same devices are refused where kernels are measured.
for device in cuda cuda:abc cuda:1024 hip: cpu:0; do
    opevo tune 'matmul(8,8,8)' --on "$device" --trials 1
    echo $? >&2
    opevo record 'matmul(8,8,8)' --on "$device" --all --out measured
    echo $? >&2
    echo "{\"study\": 1, \"objectives\": [{\"on\": \"$device\", \"what\": \"matmul(8,8,8)\"}], \"tuners\": [\"random\"], \"seeds\": 1, \"budget\": {\"trials\": 1}}" >plan.json
    opevo study plan.json --store study.db
    echo $? >&2
done
for option in --space --ansor '--cores 2' '--threads 2' '--on cpu'; do
    opevo sketch mm1 --record absent $option
    echo $? >&2
done
opevo sketch mm1 --cores 0
echo $? >&2
opevo tune 'C[i:4, j:4] = sum(k:4) A[i,k]*B[k,j]' --on cuda:0 --template matmul-cpu --dry-run
echo $? >&2
opevo tune 'C[i:4, j:4] = sum(k:4) A[i,k]*B[k,j]' --on cpu --template cpu
echo $? >&2
# Options that would do nothing.
for options in '--on cuda:0 --threads 4' '--on hip:0 --cores 4' '--space --json'; do
    opevo sketch mm1 $options
    echo $? >&2
done
printf ' \n' >empty
opevo sketch mm1 --record empty
# A limit that no kernel keeps, and one of kernels that have none.
opevo tune 'C[i:64, j:64] = sum(k:64) A[i,k]*B[k,j]; D[i, l:64] = sum(j) C[i,j]*E[j,l]' --on cpu --scratch 0
echo $? >&2
opevo tune mm1 --on cpu --scratch 1
