(** * The best delta of the zero-start price.

    [zconst x d]  (1 + d) ln(1 + x/d): the constant of T7 for small bundles, x = U/L, delta = d.
    Write beta = ln x.

    [zero_delta_optimal]   for beta >= 6, NO d > 0 has zconst x d < beta + ln beta + 1
    [zero_delta_attained]  d = 1/beta has zconst x d <= beta + ln beta + 1 + (ln beta + 1)/beta
    so the best constant is beta + ln beta + 1 + O(ln beta/beta), and delta = 1/beta attains it.
    [zero_theta_low]       whatever the capacities, (1+d) theta >= zconst x d: small bundles are the
                           best case of T7, and the lower bound holds for every instance
    [zero_start_best]      T7 with d = 1/beta on bundles m <= eps c:
                           OPT <= (1 + 1/beta) max(1, b/(1-(1+b)eps)) P, b = ln(1 + x beta)

    The lower bound for every rule is 1 + beta ([log_lower_bound]): the price is off by ln beta. *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online Powers Exponential ZeroStart.
Open Scope R_scope.

Definition zconst (x d : R) : R := (1 + d) * ln (1 + x / d).

Lemma ln_le_sub1 y : 0 < y -> ln y <= y - 1.
Proof.
  intros Hy. assert (Q := exp_ineq1_le (ln y)). rewrite exp_ln in Q by auto. lra.
Qed.

Lemma ln_mono x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H| ->]; [left; apply ln_increasing; auto|lra]. Qed.

Lemma ln_div x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof.
  intros Hx Hy. unfold Rdiv. rewrite ln_mult, ln_Rinv by (auto; apply Rinv_0_lt_compat; auto). ring.
Qed.

(* ln (1 + x/d) >= ln x - ln d *)
Lemma ln_base_low x d : 0 < x -> 0 < d -> ln x - ln d <= ln (1 + x / d).
Proof.
  intros Hx Hd. rewrite <- ln_div by auto. apply ln_mono; [|lra].
  apply Rmult_lt_0_compat; [auto|apply Rinv_0_lt_compat; auto].
Qed.

(* 0 < d <= 1 *)
Lemma zconst_low_small x d : 1 < x -> 1 <= ln x -> 0 < d <= 1 -> ln x + ln (ln x) + 1 <= zconst x d.
Proof.
  intros Hx Hb [Hd Hd1]. set (b := ln x) in *. unfold zconst.
  assert (A := ln_base_low x d ltac:(lra) Hd). fold b in A.
  assert (N : ln d <= 0) by (rewrite <- ln_1; apply ln_mono; lra).
  assert (B : ln (b * d) <= b * d - 1) by (apply ln_le_sub1, Rmult_lt_0_compat; lra).
  rewrite ln_mult in B by lra.
  assert (C : (1 + d) * (b - ln d) <= (1 + d) * ln (1 + x / d)) by (apply Rmult_le_compat_l; lra).
  assert (0 <= d * (- ln d)) by (apply Rmult_le_pos; lra). lra.
Qed.

(* Bernoulli: r ln(1+y) >= ln(1 + r y), by the tangent of ln at 1+y *)
Lemma bernoulli_power y r : 0 <= y -> 1 <= r -> ln (1 + r * y) <= r * ln (1 + y).
Proof.
  intros Hy Hr. set (z := 1 + y).
  assert (T : forall u, 0 < u -> ln u <= ln z + (u / z - 1)).
  { intros u Hu. assert (Q : 0 < u / z)
      by (apply Rmult_lt_0_compat; [auto|apply Rinv_0_lt_compat; unfold z; lra]).
    apply ln_le_sub1 in Q. rewrite (ln_div u z) in Q by (unfold z; lra). lra. }
  assert (0 <= r * y) by (apply Rmult_le_pos; lra).
  assert (A := T (1 + r * y) ltac:(lra)). assert (B := T 1 ltac:(lra)). rewrite ln_1 in B.
  assert (C : (r - 1) * 0 <= (r - 1) * (ln z + (1 / z - 1))) by (apply Rmult_le_compat_l; lra).
  assert (E : (1 + r * y) / z - 1 + (r - 1) * (1 / z - 1) = 0) by (unfold z; field; lra).
  lra.
Qed.

(* d >= a gives d ln(1+x/d) >= a ln(1+x/a) *)
Lemma step_low x a d : 0 < x -> 0 < a <= d -> a * ln (1 + x / a) <= d * ln (1 + x / d).
Proof.
  intros Hx [Ha Hd].
  assert (Hy : 0 <= x / d) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  assert (Hr : 1 <= d / a) by (apply ratio_ge1; auto).
  assert (Q := bernoulli_power (x / d) (d / a) Hy Hr).
  replace (1 + d / a * (x / d)) with (1 + x / a) in Q by (field; lra).
  apply Rmult_le_compat_l with (r := a) in Q; [|lra].
  replace (a * (d / a * ln (1 + x / d))) with (d * ln (1 + x / d)) in Q by (field; lra). exact Q.
Qed.

(* a <= d <= b gives zconst x d >= (1 + 1/b) a ln(1+x/a) *)
Lemma zconst_between x a b d : 0 < x -> 0 < a <= d -> d <= b ->
  (1 + / b) * (a * ln (1 + x / a)) <= zconst x d.
Proof.
  intros Hx Ha Hb. assert (Q := step_low x a d Hx Ha).
  assert (L0 : 0 <= ln (1 + x / a)).
  { apply ln_ge0. assert (0 < x / a); [|lra].
    apply Rmult_lt_0_compat; [auto|apply Rinv_0_lt_compat; lra]. }
  assert (A0 : 0 <= a * ln (1 + x / a)) by (apply Rmult_le_pos; lra).
  assert (I : / b <= / d) by (apply Rinv_le_contravar; lra).
  assert (0 < / b) by (apply Rinv_0_lt_compat; lra).
  replace (zconst x d) with ((1 + / d) * (d * ln (1 + x / d))) by (unfold zconst; field; lra).
  apply Rmult_le_compat; lra.
Qed.

Lemma ln4_le : ln 4 <= 3 / 2.
Proof.
  rewrite <- (ln_exp (3 / 2)). apply ln_mono; [lra|].
  replace (3 / 2) with (INR 12 * (1 / 8)) by (simpl; lra). rewrite <- exp_INR.
  assert (Q := exp_ineq1_le (1 / 8)).
  apply Rle_trans with ((1 + 1 / 8) ^ 12); [simpl; lra|apply pow_incr; lra].
Qed.

Theorem zero_delta_optimal x d : 6 <= ln x -> 0 < x -> 0 < d -> ln x + ln (ln x) + 1 <= zconst x d.
Proof.
  intros Hb Hx Hd. set (b := ln x) in *.
  assert (H1 : 1 < x).
  { destruct (Rle_lt_dec x 1) as [H|H]; [|auto]. assert (b <= 0); [|lra].
    unfold b. rewrite <- ln_1. apply ln_mono; lra. }
  assert (L4 := ln4_le).
  assert (B : ln b <= b / 4 + 1 / 2).
  { assert (Q := ln_le_sub1 (b / 4) ltac:(lra)). rewrite (ln_div b 4) in Q by lra. lra. }
  destruct (Rle_lt_dec d 1) as [D1|D1]; [apply zconst_low_small; [auto|fold b; lra|lra]|].
  destruct (Rle_lt_dec d 2) as [D2|D2].
  { assert (Q := zconst_between x 1 2 d Hx ltac:(lra) D2).
    assert (A := ln_base_low x 1 Hx ltac:(lra)). rewrite ln_1 in A. fold b in A. lra. }
  destruct (Rle_lt_dec d 4) as [D4|D4].
  { assert (Q := zconst_between x 2 4 d Hx ltac:(lra) D4).
    assert (A := ln_base_low x 2 Hx ltac:(lra)). fold b in A.
    assert (E : ln 4 = ln 2 + ln 2) by (rewrite <- ln_mult by lra; f_equal; lra). lra. }
  assert (Q := zconst_between x 4 d d Hx ltac:(lra) (Rle_refl d)).
  assert (A : b <= 2 * ln (1 + x / 4)).
  { replace (2 * ln (1 + x / 4)) with (ln ((1 + x / 4) * (1 + x / 4))) by (rewrite ln_mult by lra; ring).
    apply ln_mono; auto. assert (0 <= (1 - x / 4) * (1 - x / 4)) by apply Rle_0_sqr. lra. }
  assert (0 < / d) by (apply Rinv_0_lt_compat; lra).
  assert (0 <= / d * (4 * ln (1 + x / 4))) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem zero_delta_attained x : 0 < x -> 1 <= ln x ->
  zconst x (/ ln x) <= ln x + ln (ln x) + 1 + (ln (ln x) + 1) / ln x.
Proof.
  intros Hx Hb. set (b := ln x) in *.
  assert (H2 : 2 <= x).
  { assert (Q := exp_ineq1_le b). unfold b in Q. rewrite exp_ln in Q by auto. fold b in Q. lra. }
  assert (Hxb : 0 < x * b) by (apply Rmult_lt_0_compat; lra).
  unfold zconst. replace (x / / b) with (x * b) by (field; lra).
  assert (E : ln (1 + x * b) <= b + ln b + / (x * b)).
  { replace (1 + x * b) with ((x * b) * (1 + / (x * b))) by (field; lra).
    assert (0 < / (x * b)) by (apply Rinv_0_lt_compat; auto).
    rewrite ln_mult by lra. rewrite ln_mult by lra. fold b.
    assert (Q := ln_le_sub1 (1 + / (x * b)) ltac:(lra)). lra. }
  assert (Ib : 0 < / b) by (apply Rinv_0_lt_compat; lra).
  assert (I1 : / b <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (Ix : / (x * b) <= / b * / 2).
  { rewrite <- Rinv_mult. apply Rinv_le_contravar; [lra|].
    rewrite (Rmult_comm b). apply Rmult_le_compat_r; lra. }
  assert (Q : (1 + / b) * ln (1 + x * b) <= (1 + / b) * (b + ln b + / (x * b)))
    by (apply Rmult_le_compat_l; lra).
  assert (R : (1 + / b) * / (x * b) <= 2 * (/ b * / 2)).
  { apply Rmult_le_compat; try lra. left. apply Rinv_0_lt_compat; auto. }
  replace ((1 + / b) * (b + ln b + / (x * b)))
    with (b + ln b + 1 + ln b / b + (1 + / b) * / (x * b)) in Q by (field; lra).
  replace ((ln b + 1) / b) with (ln b / b + / b) by (field; lra). lra.
Qed.

Theorem zero_theta_low c N ws U L d :
  (1 <= N <= c)%nat -> (1 <= ws)%nat -> 0 <= U -> 0 < L -> 0 < d ->
  zconst (U / L) d <= (1 + d) * tau (INR c) (root (1 + U / (d * L)) N) ws.
Proof.
  intros HN Hw HU HL Hd. unfold zconst. replace (U / L / d) with (U / (d * L)) by (field; lra).
  assert (B : 0 <= U / (d * L)).
  { apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; auto]. }
  apply Rmult_le_compat_l; [lra|].
  eapply Rle_trans; [|apply tau_low; try lia; try apply pos_INR; lra].
  assert (L0 := ln_ge0 (1 + U / (d * L)) ltac:(lra)).
  assert (HNp : 0 < INR N) by (apply lt_0_INR; lia).
  assert (HNc : INR N <= INR c) by (apply le_INR; lia).
  assert (R := ratio_ge1 (INR c) (INR N) HNp HNc).
  unfold Rdiv in *. rewrite Rmult_assoc.
  rewrite <- (Rmult_1_r (ln _)) at 1. apply Rmult_le_compat_l; auto.
Qed.

Section Best.
  Variable I : problem.
  Variable m : Res I -> nat.
  Variables U L : Res I -> R.
  Variables x eps : R.
  Hypothesis m_range : forall r, In r (resources I) -> (1 <= m r <= stock I r)%nat.
  Hypothesis use_m : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (use s r <= m r)%nat.
  Hypothesis L_pos : forall r, In r (resources I) -> 0 < L r.
  Hypothesis U_pos : forall r, In r (resources I) -> 0 <= U r.
  Hypothesis U_full : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (1 <= use s r)%nat -> val s <= U r * INR (use s r).
  Hypothesis L_low : forall j s, In j (all_jobs I) -> In s (scheds I j) ->
    rsum (fun r => L r * INR (use s r)) (resources I) <= val s.
  Hypothesis x_ratio : forall r, In r (resources I) -> U r / L r <= x.
  Hypothesis x_pos : 0 < x.
  Hypothesis x_large : 1 <= ln x.
  Hypothesis small : forall r, In r (resources I) -> INR (m r) <= eps * INR (stock I r).
  Let b := ln (1 + x * ln x).
  Hypothesis b_eps : (1 + b) * eps < 1.

  Theorem zero_start_best ds ms g' y :
    run I (exact (priceZ (stock I) m U L (/ ln x))) (empty I) (all_jobs I) ds ms g' -> lp_feasible I y ->
    primal I y <= (1 + / ln x) * Rmax 1 (b / (1 - (1 + b) * eps)) * collected I ds.
  Proof.
    intros Hr Hy. assert (Hxl : 0 < x * ln x) by (apply Rmult_lt_0_compat; lra).
    assert (Il : 0 < / ln x) by (apply Rinv_0_lt_compat; lra).
    apply (zero_small_bundles I m U L (/ ln x) b eps) with (ms := ms) (g' := g'); auto.
    - intros r Hin. assert (HL := L_pos r Hin). assert (Hx := x_ratio r Hin). assert (HU := U_pos r Hin).
      replace (U r / (/ ln x * L r)) with (U r / L r * ln x) by (field; lra).
      assert (0 <= U r / L r) by (apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; auto]).
      assert (0 <= U r / L r * ln x) by (apply Rmult_le_pos; lra).
      apply ln_mono; [lra|]. apply Rplus_le_compat_l, Rmult_le_compat_r; lra.
    - apply ln_ge0. lra.
  Qed.
End Best.
