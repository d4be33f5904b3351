# SPDX-License-Identifier: GPL-3.0-or-later
# Read by the scripts beside it: kernels in oclgrind, with the words of $options for the compiler.
# launch SOURCE KERNEL ITEMS GROUP ARGUMENT...: what oclgrind says. ITEMS and GROUP are "x y z"; an argument is int=VALUE,
# float=VALUE, local=BYTES of local memory, or TYPE:COUNT:VALUE for a
# buffer, TYPE:COUNT for one without values.
launch() {
    source=$1 kernel=$2 items=$3 group=$4
    shift 4
    {
        printf '%s\n%s\n%s\n%s\n\n' "$source" "$kernel" "$items" "$group"
        for argument; do
            type=${argument%%[=:]*} rest=${argument#*[=:]}
            case $argument in
            local=*) printf '<size=%d>\n' "$rest" ;;
            *=*) printf '<size=4 %s>\n%s\n' "$type" "$rest" ;;
            *:*:*) printf '<size=%d fill=%s %s>\n' $((4 * ${rest%:*})) "${rest#*:}" "$type" ;;
            *) printf '<size=%d %s noinit>\n' $((4 * rest)) "$type" ;;
            esac
        done
    } >launch.sim
    oclgrind-kernel --data-races --uninitialized --build-options "$options -cl-opt-disable" launch.sim 2>&1
}

failed=0
# clean SOURCE ...: as launch, and oclgrind says nothing.
clean() {
    said=$(launch "$@")
    if [ -n "$said" ]; then
        printf '%s: %s\n' "$2" "$said" | head -n 8
        failed=1
    fi
}
