#!/bin/sh
# Audit of the compiled development: no hole, no added axiom, and exactly the assumptions listed in
# axioms.expected (one line "theorem: axiom axiom ...", "closed" for none).
# audit.sh --exact finds also those that need less than is listed; takes ten times as long.
# audit.sh --update rewrites the right-hand sides; the list of theorems stays what the file says.
set -eu
cd "$(dirname "$0")"

files=$(grep '\.v$' _CoqProject)
holes='Admitted|admit\.|give_up|Axiom|Axioms|Conjecture|Unset Guard|bypass_check|Admit Obligations'
if grep -nwE "$holes" $files; then
  echo "audit: the lines above leave a hole or add an axiom" >&2
  exit 1
fi
# Parameter and Hypothesis are axioms outside a section
for f in $files; do
  awk -v f="$f" '
    /^ *Section /{d++} /^ *End /{if (d) d--}
    !d && /^ *(Parameter|Parameters|Hypothesis|Hypotheses|Variable|Variables|Context) /{print f":"NR": "$0; bad=1}
    END{exit bad}' "$f" || { echo "audit: assumption outside a section" >&2; exit 1; }
done

mkdir -p build
# assumptions NAME: its axioms in one line, sorted, from the answers of Print Assumptions
assumptions='
  function flush() { if (name != "") { n = asort_list(); print name ":" (n == "" ? " closed" : n) } }
  function asort_list(   i, j, t, s) {
    for (i = 2; i <= k; i++) for (j = i; j > 1 && ax[j] < ax[j-1]; j--) { t = ax[j]; ax[j] = ax[j-1]; ax[j-1] = t }
    s = ""; for (i = 1; i <= k; i++) s = s " " ax[i]; return s
  }
  /^theorem /{ flush(); name = $2; k = 0; next }
  /^[A-Za-z_][A-Za-z0-9_.]* *:/ || /^[A-Za-z_][A-Za-z0-9_.]*$/ { if ($1 != "Axioms:") { sub(/:$/, "", $1); ax[++k] = $1 } }
  END { flush() }'
# A question takes half a second, so theorems with the same expected axioms are asked about together.
# That shows "no more than these"; --exact and --update ask about each by itself.
exact=no
case "${1:-}" in --exact|--update) exact=yes ;; esac
{
  for f in $files; do echo "Require Import HadarTheory.${f%.v}."; done
  if [ $exact = yes ]; then
    sed -n 's/^\([A-Za-z0-9_]*\):.*/\1/p' axioms.expected | while read -r n; do
      echo "Goal True. idtac \"theorem $n\". Abort. Print Assumptions $n."
    done
  else
    grep -v '^#' axioms.expected | awk '
      { name = $1; sub(/:$/, "", name); $1 = ""; if (!($0 in members)) order[++g] = $0
        members[$0] = members[$0] (members[$0] == "" ? "" : ", ") "@" name }
      END { for (i = 1; i <= g; i++) {
        print "Definition audited_" i " := (" members[order[i]] ", tt)."
        print "Goal True. idtac \"theorem audited_" i "\". Abort. Print Assumptions audited_" i "." } }'
  fi
} > build/Assumptions.v
(cd build && coqc -w none -R .. HadarTheory Assumptions.v) > build/assumptions.out
awk "$assumptions" build/assumptions.out > build/axioms.actual
if [ $exact = yes ]; then
  grep -v '^#' axioms.expected > build/axioms.wanted
else
  grep -v '^#' axioms.expected | awk '
    { $1 = ""; if (!($0 in seen)) print "audited_" ++g ":" $0; seen[$0] = 1 }' > build/axioms.wanted
fi

if [ "${1:-}" = "--update" ]; then
  { sed -n '/^#/p' axioms.expected; cat build/axioms.actual; } > build/axioms.new
  mv build/axioms.new axioms.expected
  cp build/axioms.actual build/axioms.wanted
fi
diff build/axioms.wanted build/axioms.actual || {
  echo "audit: assumptions differ from axioms.expected (< expected, > found; --exact names the theorem)" >&2
  exit 1
}
echo "audit: $(grep -c '^[^#]' axioms.expected) theorems, no hole, assumptions as expected"
