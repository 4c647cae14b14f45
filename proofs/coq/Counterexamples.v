(** * FALSE: the published guarantee.  Counterexamples 3.1 - 3.4, and T7 on the first of them.

    The statements concern the exponential price analysed with the differential argument:
    [priceP c L U g]  L (U/L)^(g/c), one resource with c units
    claimed: the final prices are dual feasible with the payoffs booked at arrival, and
    OPT <= 2 max(1, ln(U/L)) P when sum c L <= OPT/2.

    [two_jobs c a b]  one resource of c units; jobs true, false, arriving in this order, with the
                      single schedules a and b
    [gang u w]        the schedule of value u that uses w units of every resource
    [second x]        the selection that takes job false only

    3.1 [dual_infeasible_false]   c = 2, 1 GPU for 1 then 2 GPUs for 8: booked dual 11/4 < OPT = 8
    3.1 [bundle_ratio_false]      the same with 16: OPT/P = 16 > 2 ln 64, L = u_min/(4c)
    3.2 [unit_ratio_false]        c = 1, values 1 then 7: dual feasible, OPT/P = 7 > 2 ln 28
    3.3 [total_units_false]       U = value / total units: a gang of 2 on two nodes is not priced out
    3.4 [single_resource_low_false]  L_r = value per unit of r alone: the only job is rejected
    T7  [zero_start_on_3_1]       not vacuous: on 3.1 the zero-start price has a run and OPT <= 16 P *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online Master Powers Exponential ZeroStart.
Import ListNotations.
Open Scope R_scope.

Definition priceP (c : nat) (L U : R) (g : nat) : R := L * root (U / L) c ^ g.
Definition gang {Res : Type} (u : R) (w : nat) : sched Res := mkS u (fun _ => w).
Definition two_jobs (c : nat) (a b : sched unit) : problem :=
  Problem unit [tt] (fun _ => c) bool [true; false] (fun j => if j then [a] else [b]).
Definition second {Res : Type} (j : bool) (_ : sched Res) : R := if j then 0 else 1.

Lemma root_is x y n : 0 < y -> (0 < n)%nat -> x = y ^ n -> root x n = y.
Proof.
  intros Hy Hn ->. assert (0 < INR n) by (apply lt_0_INR; auto).
  unfold root. replace (ln (y ^ n)) with (INR n * ln y).
  - replace (INR n * ln y / INR n) with (ln y) by (field; lra). apply exp_ln; auto.
  - clear - Hy. induction n as [|n IH]; [simpl; rewrite ln_1; ring|].
    rewrite S_INR. simpl pow. rewrite ln_mult, <- IH by (auto; apply pow_lt; auto). ring.
Qed.

(* job true is taken at payoff p, job false no longer fits *)
Lemma run_take_first c u w u' w' k p :
  (w <= c)%nat -> (c < w + w')%nat -> p = u - k O * INR w -> 0 < p ->
  let I := two_jobs c (gang u w) (gang u' w') in
  run I (exact (fun _ => k)) (empty I) (all_jobs I) [Some (gang u w); None] [1 * p + 0; 0]
    (add I (empty I) (gang u w)).
Proof.
  intros Hw Hw' -> Hp I.
  assert (P : payoff I (exact (fun _ => k)) (empty I) (gang u w) = u - k O * INR w)
    by (unfold payoff, empty; simpl; ring).
  econstructor.
  - rewrite <- P. apply step_accept with (A := exact (fun _ => k)).
    + left; reflexivity.
    + intros r _. simpl. lia.
    + rewrite P; exact Hp.
    + intros s' [<-|[]] _. simpl. lra.
  - econstructor; [|constructor]. apply step_reject with (A := exact (fun _ => k)).
    intros s' [<-|[]] F. specialize (F tt (or_introl eq_refl)).
    unfold add, empty in F. simpl in F. lia.
Qed.

Lemma second_feasible c u w u' w' : (w' <= c)%nat ->
  lp_feasible (two_jobs c (gang u w) (gang u' w')) second.
Proof.
  intros Hw. repeat split.
  - intros [] s _ _; simpl; lra.
  - intros [] _; simpl; lra.
  - intros r _. simpl. apply le_INR in Hw. lra.
Qed.

Theorem dual_infeasible_false :
  let I := two_jobs 2 (gang 1 1) (gang 8 2) in
  let k := priceP 2 (1 / 4) 4 in
  exists ds ms g' x,
    run I (exact (fun _ => k)) (empty I) (all_jobs I) ds ms g' /\ lp_feasible I x /\
    collected I ds = 1 /\ primal I x = 8 /\ INR 2 * (1 / 4) <= primal I x / 2 /\
    rsum (fun m => m) ms + supply I (at_price I (fun _ => k) g') = 11 / 4 /\
    (* job false booked 0, yet its reduced payoff at the final price is 6 *)
    8 - cost I (at_price I (fun _ => k) g') (gang 8 2) = 6.
Proof.
  intros I k. assert (R : root (4 / (1 / 4)) 2 = 4) by (apply root_is; simpl; (lra || lia)).
  assert (K : forall g, k g = 1 / 4 * 4 ^ g) by (intros; unfold k, priceP; rewrite R; reflexivity).
  exists [Some (gang 1 1); None], [1 * (3 / 4) + 0; 0], (add I (empty I) (gang 1 1)), second.
  split; [apply run_take_first; try lia; rewrite ?K; simpl; lra|].
  split; [apply second_feasible; lia|].
  unfold collected, primal, supply, cost, at_price, add, empty. simpl. rewrite K. simpl.
  repeat split; lra.
Qed.

Lemma ln_pow2 n : ln (2 ^ n) <= INR n.
Proof.
  assert (ln 2 <= 1).
  { rewrite <- (ln_exp 1). left. apply ln_increasing; [lra|]. assert (Q := exp_ineq1 1). lra. }
  induction n as [|n IH]; [simpl; rewrite ln_1; lra|].
  rewrite S_INR. simpl pow. rewrite ln_mult by (try lra; apply pow_lt; lra). lra.
Qed.

Theorem bundle_ratio_false :
  let I := two_jobs 2 (gang 1 1) (gang 16 2) in
  let L := 1 / (4 * 2) in let U := 8 in
  exists ds ms g' x,
    run I (exact (fun _ => priceP 2 L U)) (empty I) (all_jobs I) ds ms g' /\ lp_feasible I x /\
    INR 2 * L <= primal I x / 2 /\
    2 * Rmax 1 (ln (U / L)) * collected I ds < primal I x.
Proof.
  intros I L U.
  assert (R : root (U / L) 2 = 8) by (unfold U, L; apply root_is; simpl; (lra || lia)).
  assert (K : forall g, priceP 2 L U g = 1 / 8 * 8 ^ g)
    by (intros; unfold priceP; rewrite R; unfold L; field).
  exists [Some (gang 1 1); None], [1 * (7 / 8) + 0; 0], (add I (empty I) (gang 1 1)), second.
  split; [apply run_take_first; try lia; rewrite ?K; simpl; lra|].
  split; [apply second_feasible; lia|].
  assert (Q := ln_pow2 6). replace (2 ^ 6) with (U / L) in Q by (unfold U, L; simpl; field).
  assert (M : Rmax 1 (ln (U / L)) <= 6) by (replace (INR 6) with 6 in Q by (simpl; ring); apply Rmax_lub; lra).
  unfold collected, primal. simpl. split; [unfold L; lra|].
  set (M' := Rmax 1 (ln (U / L))) in *. lra.
Qed.

Lemma two_ln28 : 2 * ln 28 < 7.
Proof.
  assert (H : ln 28 < 7 / 2); [|lra].
  rewrite <- (ln_exp (7 / 2)). apply ln_increasing; [lra|].
  replace (7 / 2) with (INR 64 * (7 / 128)) by (simpl; lra).
  rewrite <- exp_INR.
  assert (E : 135 / 128 <= exp (7 / 128)) by (assert (Q := exp_ineq1_le (7 / 128)); lra).
  set (a := exp (7 / 128)) in *.
  assert (E2 : 1112 / 1000 <= a ^ 2) by (simpl; nra).
  replace (a ^ 64) with ((((((a ^ 2) ^ 2) ^ 2) ^ 2) ^ 2) ^ 2) by ring.
  set (b := a ^ 2) in *.
  assert (E3 : 1236 / 1000 <= b ^ 2) by (simpl; nra). set (c := b ^ 2) in *.
  assert (E4 : 1527 / 1000 <= c ^ 2) by (simpl; nra). set (d := c ^ 2) in *.
  assert (E5 : 2331 / 1000 <= d ^ 2) by (simpl; nra). set (e := d ^ 2) in *.
  assert (E6 : 5433 / 1000 <= e ^ 2) by (simpl; nra). set (f := e ^ 2) in *.
  simpl; nra.
Qed.

Theorem unit_ratio_false :
  let I := two_jobs 1 (gang 1 1) (gang 7 1) in
  let k := priceP 1 (1 / 4) 7 in
  exists ds ms g' x,
    run I (exact (fun _ => k)) (empty I) (all_jobs I) ds ms g' /\ lp_feasible I x /\
    dual_feasible I (fun j => if j then 3 / 4 else 0) (at_price I (fun _ => k) g') /\
    INR 1 * (1 / 4) <= primal I x / 2 /\
    2 * Rmax 1 (ln (7 / (1 / 4))) * collected I ds < primal I x.
Proof.
  intros I k. assert (R : root (7 / (1 / 4)) 1 = 28) by (apply root_is; simpl; (lra || lia)).
  assert (K : forall g, k g = 1 / 4 * 28 ^ g) by (intros; unfold k, priceP; rewrite R; reflexivity).
  exists [Some (gang 1 1); None], [1 * (3 / 4) + 0; 0], (add I (empty I) (gang 1 1)), second.
  split; [apply run_take_first; try lia; rewrite ?K; simpl; lra|].
  split; [apply second_feasible; lia|].
  split; [repeat split|].
  - intros [] _; lra.
  - intros r _. unfold at_price, add, empty. rewrite K. simpl. lra.
  - intros [] s _ [<-|[]]; unfold cost, at_price, add, empty; simpl; rewrite K; simpl; lra.
  - unfold collected, primal; simpl. replace (7 / (1 / 4)) with 28 by lra.
    split; [lra|]. rewrite Rmax_right; [assert (Q := two_ln28); lra|].
    rewrite <- (ln_exp 1). assert (exp 1 <= 3) by apply exp_le_3.
    left. apply ln_increasing; [apply exp_pos|lra].
Qed.

(* two nodes of one GPU; job true on node true only, job false a gang over both;
   U = 8/2 = 4 divides by the TOTAL number of units, L = 1/8 *)
Theorem total_units_false :
  let first := mkS 1 (fun node : bool => if node then 1%nat else 0%nat) in
  let I := Problem bool [true; false] (fun _ => 1%nat) bool [true; false]
             (fun j => if j then [first] else [gang 8 1]) in
  let k := fun _ : Res I => priceP 1 (1 / 8) 4 in
  exists ds ms g' x,
    run I (exact k) (empty I) (all_jobs I) ds ms g' /\ lp_feasible I x /\ primal I x = 8 /\
    rsum (fun m => m) ms + supply I (at_price I k g') = 5 /\
    8 - cost I (at_price I k g') (gang 8 1) = 31 / 8.
Proof.
  intros first I k. assert (R : root (4 / (1 / 8)) 1 = 32) by (apply root_is; simpl; (lra || lia)).
  assert (K : forall r g, k r g = 1 / 8 * 32 ^ g) by (intros; unfold k, priceP; rewrite R; reflexivity).
  assert (P : payoff I (exact k) (empty I) first = 7 / 8).
  { unfold payoff, empty. simpl. rewrite !K. simpl. lra. }
  exists [Some first; None], [1 * (7 / 8) + 0; 0], (add I (empty I) first), second.
  split; [|split].
  - econstructor.
    + rewrite <- P. apply step_accept with (A := exact k).
      * left; reflexivity.
      * intros [] _; simpl; lia.
      * rewrite P; lra.
      * intros s' [<-|[]] _. simpl. lra.
    + econstructor; [|constructor]. apply step_reject with (A := exact k).
      intros s' [<-|[]] F. specialize (F true (or_introl eq_refl)). unfold add, empty in F. simpl in F. lia.
  - repeat split.
    + intros [] s _ _; simpl; lra.
    + intros [] _; simpl; lra.
    + intros r _. simpl. lra.
  - unfold primal, supply, cost, at_price, add, empty. simpl. rewrite !K. simpl. repeat split; lra.
Qed.

(* one job worth 1 on all of d unit resources; L_r = U_r = 1 = value per unit of r *)
Theorem single_resource_low_false (d : nat) : (1 <= d)%nat ->
  let I := Problem nat (seq 0 d) (fun _ => 1%nat) unit [tt] (fun _ => [gang 1 1]) in
  let k := fun _ : Res I => priceP 1 1 1 in
  (exists x, lp_feasible I x /\ primal I x = 1 /\ primal I x / 2 < supply I (at_price I k (empty I))) /\
  (forall ds ms g', run I (exact k) (empty I) (all_jobs I) ds ms g' -> collected I ds = 0).
Proof.
  intros Hd I k.
  assert (C : forall n a, rsum (fun r => k r (empty I r) * INR 1) (seq a n) = INR n).
  { induction n as [|n IH]; intros a; simpl seq; simpl rsum; [reflexivity|].
    rewrite S_INR, IH. unfold k, priceP, empty. simpl. ring. }
  apply le_INR in Hd. simpl in Hd. split.
  - exists (fun _ _ => 1). repeat split; try (intros; simpl; lra).
    + unfold primal. simpl. lra.
    + replace (supply I (at_price I k (empty I))) with (INR d).
      * unfold primal. simpl. lra.
      * rewrite <- (C d 0%nat). unfold supply. simpl. apply rsum_ext. intros r _.
        unfold at_price. ring.
  - intros ds ms g' Hr. inversion Hr; subst. inversion H6; subst.
    inversion H2; subst; unfold collected; simpl; [|lra].
    destruct H as [<-|[]]. unfold payoff in H1. simpl in H1.
    assert (Q := C d 0%nat). simpl in Q. lra.
Qed.

Theorem zero_start_on_3_1 :
  let I := two_jobs 2 (gang 1 1) (gang 8 2) in
  let k := priceZ (stock I) (fun _ => 2%nat) (fun _ => 4) (fun _ => 1) 1 in
  (exists ds ms g', run I (exact k) (empty I) (all_jobs I) ds ms g') /\
  (forall ds ms g' x, run I (exact k) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
     primal I x <= 16 * collected I ds).
Proof.
  intros I k. split; [apply run_exists; simpl; intros; lra|]. intros ds ms g' x Hr Hx.
  replace (16 * collected I ds) with ((1 + 1) * 8 * collected I ds + rsum (fun _ => 0) (all_jobs I)) by (simpl; ring).
  apply (zero_competitive I (stock I) (fun _ => 2%nat) (fun _ => 4) (fun _ => 1) 1)
    with (slack := 1) (ms := ms) (g' := g'); auto; try lra; try (intros; simpl; lra).
  - intros [] s r _ Hs _; destruct Hs as [<-|[]]; simpl; lia.
  - intros [] s r _ Hs _ _; destruct Hs as [<-|[]]; simpl; lra.
  - intros [] s _ Hs; destruct Hs as [<-|[]]; simpl; lra.
  - intros r _. unfold qZ, wstar, N, tau. simpl Nat.min. rewrite root_pow by (simpl; lra || lia).
    simpl. lra.
Qed.
