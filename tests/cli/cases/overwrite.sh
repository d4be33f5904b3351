# SPDX-License-Identifier: GPL-3.0-or-later
# What opevo did not write it does not replace; what it wrote, an empty file and a device it does.
echo mine >mine
opevo law 'factor(8,3)' --svg mine
echo $?
opevo report recorded: -o mine
echo $?
mkdir folder
opevo law 'factor(8,3)' --svg folder
opevo report recorded: -o ''
cat mine
for target in law.svg law.svg /dev/null; do
    opevo law 'factor(8,3)' --svg "$target" >/dev/null && echo "$target written"
done
: >empty
opevo law 'factor(8,3)' --svg empty >/dev/null && grep -c '<svg' empty
opevo report recorded: -o law.svg
echo $?
