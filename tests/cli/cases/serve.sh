# SPDX-License-Identifier: GPL-3.0-or-later
# Ask and tell over a pipe: two sessions on one store, criteria and a front, what stays for opevo runs.
space='{"X":{"_type":"factor","_value":[64,3]},"u":{"_type":"discrete","_value":[0,125]}}'
create() { printf '{"op":"create","space":%s,"store":"runs.db",%s}\n' "$space" "$1"; }
ask() { printf '{"op":"ask","session":%s,"count":%s}\n' "$1" "$2"; }
tell() { printf '{"op":"tell","session":%s,"trials":[%s]}\n' "$1" "$2"; }
op() { printf '{"op":"%s","session":%s}\n' "$1" "$2"; }

{
    create '"tuner":"opevo","settings":{"lambda":4,"rho":2},"seed":"7","result":"time","name":"bench"'
    create '"tuner":"nsga2","settings":{"population":4},"criterion":["error","power,W,larger"],"criteria":"fitness,error","require":["error<=1"]'
    ask 1 9
    tell 1 '{"number":3,"time":0.5,"cost":2},{"number":1,"time":0.25},{"number":4,"outcome":"timeout"}'
    op best 1
    tell 1 '{"number":2,"outcome":"wrong","message":"differs in element 7"}'
    op best 1
    ask 2 4
    tell 2 '{"number":1,"score":1,"criteria":{"error":0.5,"power":9}},{"number":2,"score":2,"criteria":{"error":0.75}}'
    tell 2 '{"number":3,"score":1.5,"criteria":{"error":0.8}},{"number":4,"score":9,"criteria":{"error":2}}'
    op best 2
} | opevo serve
opevo runs runs.db:1 --trials --csv | cut -d , -f 1-5
opevo runs runs.db --json | grep -o '"objective": "[^"]*", "tuner": "[^"]*", "settings": "[^"]*"'
# A learner, a space file, and a run that goes on
echo "$space" >space.json
for i in 1 2; do
    printf '{"op":"create","space":"space.json","tuner":"qgp","learn":"runs.db:1","store":"more.db"}\n%s\n%s\n' \
        "$(ask 1 1)" "$(tell 1 "{\"number\":$i,\"score\":1}")" | opevo serve
done
# Lines that are not requests
opevo serve FILE
echo $?
opevo serve --quiet
echo $?
opevo serve </dev/null
