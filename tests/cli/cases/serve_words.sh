# SPDX-License-Identifier: GPL-3.0-or-later
# What needs no session: the same as opevo law --json and opevo tuners --json say; and the help.
printf '{"op":"law","parameter":"factor(8,3)","start":[8,1,1],"q":0.25}' | opevo serve >served
opevo law 'factor(8,3)' --start 8,1,1 --q 0.25 --json | tr '\n' ' ' | tr -d ' ' | sed 's/,"manifest":.*/}/' >printed
tr -d ' ' <served | sed 's/^{"ok":true,/{/' | tr -d '\n' | cmp - printed && echo "the same law"
echo '{"op":"tuners"}' | opevo serve >served
opevo tuners --json | tr -d '\n ' >printed
tr -d ' \n' <served | sed 's/^{"ok":true,"tuners"://; s/}$//' | cmp - printed && echo "the same tuners"
opevo help serve | head -n 6
opevo man | grep -c 'lines of JSON'
opevo completion words -- se
