"""Export of what a run claims by theorem T9, for the verified checker of unit demand."""

from __future__ import annotations

from hadaropt.certificates.coq_run import RunClaims, UnitClaims
from hadaropt.certificates.coq_tokens import integer, items, nat, ratio, record, scaled


def unit_term(unit: UnitClaims, scale: int) -> str:
    """Return a term of type ``CheckerUnit.unit_claims``; values are multiples of 1/scale."""
    node, r = unit.place
    return record(
        unit_node=nat(node),
        unit_type=nat(r),
        unit_constant=ratio(unit.constant),
        unit_best=items(integer(scaled(best, scale)) for best in unit.best),
    )


def unit_theorems(claims: RunClaims, term: str, unit: str, scale: int, value: int) -> str:
    """Return the definition of the run, by its terms, and what is proved of it."""
    assert claims.unit is not None
    constant, parts = (
        integer(part) for part in (claims.unit.constant.numerator, claims.unit.constant.denominator)
    )
    pooled = "true" if claims.pool == "type" else "false"
    additive = integer(scaled(claims.additive, scale))
    return f"""
Definition the_run : posted_claims := {term}.
Definition the_unit : unit_claims := {unit}.

Theorem run_accepted :
  check_unit the_instance the_certificate the_schedule the_run the_unit = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(* every run of the algorithm on the posted prices, of value v *)
Theorem theorem_applies : forall js v M g, Permutation js (seq 0 (num_jobs the_instance)) ->
  posted_run the_instance {pooled} (posted_charge the_instance {pooled} the_run) (fun _ => 0)
    none_sold js v M g ->
  forall s, feasible the_instance s -> {parts} * value the_instance s <= {constant} * v.
Proof. exact (check_unit_applies _ _ _ _ _ accepted run_accepted). Qed.

(* the schedule of the certificate *)
Theorem this_run : forall s, feasible the_instance s ->
  {parts} * value the_instance s <= {constant} * {integer(value)} + {parts} * {additive}.
Proof. exact (check_unit_sound _ _ _ _ _ _ accepted schedule_accepted run_accepted). Qed.
"""
