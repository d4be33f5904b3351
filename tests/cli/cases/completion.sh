# SPDX-License-Identifier: GPL-3.0-or-later
# What may stand in the place of the last word, and each shell's script as far as the shell is here.
words() { opevo completion words -- "$@" | paste -s -d ' '; }
words tun
words tune --on sim:
words tune --tuner=opevo
words tune --tuner opevo --set ''
words tune mm1 bm
words tune --aim ''
words tune --allocate g
words tune --set dup
words tune --set duplicates=
mkdir -p tables/more && touch tables/a.csv tables/a.json tables/b.csv.xz tables/.c.csv tables/notes.txt
words tune --on rec
words tune --on recorded:t
words tune --on recorded:tables/
words landscape recorded:./tables/b
words tune --on=recorded:tables/.
words tune --on recorded:absent/
words tuners kt-g
words law --topology t
words law 'factor(8,3)' --met
words law --method cg
words landscape b
words help ver
words runs ''
words nonsense ''
opevo completion bash >script.bash && bash -n script.bash && echo "bash parses it"
try() {
    COMP_LINE=$1 bash -c '. ./script.bash 2>/dev/null
        COMP_POINT=${#COMP_LINE}
        compopt() { :; }
        _opevo
        echo "$COMP_LINE: ${COMPREPLY[*]}"'
}
try 'opevo tune mm1 --on sim:g'
try 'opevo tune --set duplicates=r'
try 'opevo tuners qg'
try 'opevo tune --on recorded:ta'
try 'opevo tune --on=recorded:tables/a.c'
opevo completion zsh >script.zsh
command -v zsh >/dev/null && { zsh -n script.zsh || echo "zsh refuses it"; }
opevo completion fish >script.fish
command -v fish >/dev/null && { fish -n script.fish || echo "fish refuses it"; }
opevo completion csh
opevo completion bash zsh
