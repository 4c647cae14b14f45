(** * Certificates as long numbers: Coq reads one of a thousand digits faster than a list of a hundred.

    [digits]               a hexadecimal number whose digits 0 - 9 write decimal integers: a ends one, b
                         one below zero, c a row of them
    [rows]                 the rows of integers that some numbers write, one after the other
    [per_type, per_node]   prices by round and type, or by round, node and type
    [pairs, triples]       hints by job, and cuts of a leaf

    Nothing is proved of them, and nothing needs to be: whatever they yield, the checker checks. *)
From Coq Require Import ZArith List.
From HadarTheory Require Import CheckerJob.
Import ListNotations.
Open Scope Z_scope.

Inductive digits := Digits (d : Number.uint).
Definition digits_written (n : digits) : Number.uint := let (d) := n in d.
Declare Scope digits_scope.
Delimit Scope digits_scope with digits.
Set Warnings "-abstract-large-number".
Number Notation digits Digits digits_written (abstract after 1) : digits_scope.

(* the rest of the row at hand, and the rows behind it *)
Fixpoint rows_from (now : Z) (d : Hexadecimal.uint) (after : list Z * list (list Z))
  : list Z * list (list Z) :=
  match d with
  | Hexadecimal.D0 d => rows_from (10 * now) d after
  | Hexadecimal.D1 d => rows_from (10 * now + 1) d after
  | Hexadecimal.D2 d => rows_from (10 * now + 2) d after
  | Hexadecimal.D3 d => rows_from (10 * now + 3) d after
  | Hexadecimal.D4 d => rows_from (10 * now + 4) d after
  | Hexadecimal.D5 d => rows_from (10 * now + 5) d after
  | Hexadecimal.D6 d => rows_from (10 * now + 6) d after
  | Hexadecimal.D7 d => rows_from (10 * now + 7) d after
  | Hexadecimal.D8 d => rows_from (10 * now + 8) d after
  | Hexadecimal.D9 d => rows_from (10 * now + 9) d after
  | Hexadecimal.Da d => let (row, rest) := rows_from 0 d after in (now :: row, rest)
  | Hexadecimal.Db d => let (row, rest) := rows_from 0 d after in (- now :: row, rest)
  | Hexadecimal.Dc d => let (row, rest) := rows_from 0 d after in ([], row :: rest)
  | _ => after
  end.
Definition rows (numbers : list digits) : list (list Z) :=
  let (row, rest) := fold_right (fun n after => match digits_written n with
    | Number.UIntHexadecimal d => rows_from 0 d after
    | Number.UIntDecimal _ => after
    end) ([], []) numbers in row :: rest.

Definition per_type (numbers : list digits) : prices := PerType (rows numbers).
Definition per_node (rounds nodes : nat) (numbers : list digits) : prices :=
  let all := rows numbers in
  PerNode (map (fun t => firstn nodes (skipn (t * nodes) all)) (seq 0 rounds)).

Fixpoint in_pairs (l : list Z) : list (Z * Z) :=
  match l with a :: b :: r => (a, b) :: in_pairs r | _ => [] end.
Fixpoint in_triples (l : list Z) : list (Z * Z * Z) :=
  match l with a :: b :: c :: r => (a, b, c) :: in_triples r | _ => [] end.
Definition pairs (numbers : list digits) : list (Z * Z) := in_pairs (concat (rows numbers)).
Definition triples (numbers : list digits) : list (Z * Z * Z) := in_triples (concat (rows numbers)).
