(** * Powers, roots and the exact increment of a geometric table.

    [root x n]      x^(1/n), through exp and ln
    [geo q N g]     q^(min g N): a geometric table that saturates at N
    [tau c q w]     (c/w)(q^w - 1): the increment constant of a bundle of w units

    L3 for geometric tables: [geo_increment].  phi(w/c) = (q^w - 1) c/w is non-decreasing in w
    ([pow_chord]), hence the largest bundle decides.  The differential argument replaces it by its
    limit ln(q^c), which it exceeds for every w >= 1.
    [tau_small], [tau_low]: beta c/N <= tau <= beta c/(N - beta w) for q = root x N, beta = ln x. *)
From Coq Require Import Reals Lra Lia Arith.
Open Scope R_scope.

Lemma pow_ge1 q n : 1 <= q -> 1 <= q ^ n.
Proof. intros H. apply pow_R1_Rle; auto. Qed.

Lemma pow_mono_exp q a b : 1 <= q -> (a <= b)%nat -> q ^ a <= q ^ b.
Proof. intros H Hab. apply Rle_pow; auto. Qed.

Lemma pow_step q w : 1 <= q -> q ^ w - 1 <= INR w * (q - 1) * q ^ w.
Proof.
  intros H. induction w as [|w IH]; [simpl; lra|].
  rewrite S_INR. change (q ^ S w) with (q * q ^ w).
  assert (1 <= q ^ w) by (apply pow_ge1; auto).
  assert (0 <= INR w) by apply pos_INR.
  set (Q := q ^ w) in *. set (W := INR w) in *.
  assert (0 <= (q - 1) * (W * (q - 1) * Q)) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= (q - 1) * ((q - 1) * Q)) by (repeat apply Rmult_le_pos; lra).
  lra.
Qed.

(* chord inequality: (q^w - 1)/w is nondecreasing in w *)
Lemma pow_chord q w m : 1 <= q -> (w <= m)%nat -> (q ^ w - 1) * INR m <= (q ^ m - 1) * INR w.
Proof.
  intros H Hwm. induction Hwm as [|m Hwm IH]; [lra|].
  rewrite S_INR. change (q ^ S m) with (q * q ^ m).
  assert (A := pow_step q w H).
  assert (B := pow_mono_exp q w m H Hwm).
  assert (C : 0 <= INR w) by apply pos_INR.
  assert (D : INR w * (q - 1) * q ^ w <= INR w * (q - 1) * q ^ m).
  { apply Rmult_le_compat_l; auto. apply Rmult_le_pos; lra. }
  lra.
Qed.

(* N-th root through exp/ln *)
Definition root (x : R) (N : nat) : R := exp (ln x / INR N).

Lemma exp_INR a n : exp a ^ n = exp (INR n * a).
Proof.
  induction n as [|n IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity|].
  rewrite S_INR. simpl pow. rewrite IH, <- exp_plus. f_equal. ring.
Qed.

Lemma root_pow x N : 0 < x -> (0 < N)%nat -> root x N ^ N = x.
Proof.
  intros Hx HN. unfold root. rewrite exp_INR.
  replace (INR N * (ln x / INR N)) with (ln x).
  - apply exp_ln; auto.
  - field. apply not_0_INR; lia.
Qed.

Lemma root_ge1 x N : 1 <= x -> (0 < N)%nat -> 1 <= root x N.
Proof.
  intros Hx HN. unfold root.
  assert (0 <= ln x).
  { destruct Hx as [Hx|<-]; [|rewrite ln_1; lra].
    rewrite <- ln_1. left. apply ln_increasing; lra. }
  assert (0 < INR N) by (apply lt_0_INR; auto).
  rewrite <- exp_0.
  assert (0 <= ln x / INR N) by (apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; auto]).
  destruct (Req_dec (ln x / INR N) 0) as [->|Hn]; [lra|].
  left. apply exp_increasing. lra.
Qed.

(* ---- discrete increment of a geometric table that saturates at N -------- *)
Definition geo (q : R) (N g : nat) : R := q ^ (Nat.min g N).
Definition tau (c q : R) (ws : nat) : R := c / INR ws * (q ^ ws - 1).

Lemma geo_ge1 q N g : 1 <= q -> 1 <= geo q N g.
Proof. intros; apply pow_ge1; auto. Qed.

Lemma geo_mono q N g : 1 <= q -> geo q N g <= geo q N (S g).
Proof. intros H. unfold geo. apply pow_mono_exp; auto. lia. Qed.

Lemma geo_increment q N m g w c :
  1 <= q -> (1 <= N)%nat -> (1 <= m)%nat -> (w <= m)%nat -> 0 <= c ->
  c * (geo q N (g + w) - geo q N g) <= INR w * (tau c q (Nat.min m N) * geo q N g).
Proof.
  intros Hq HN Hm Hw Hc. unfold geo, tau.
  set (a := Nat.min g N). set (ws := Nat.min m N). set (d := Nat.min w N).
  assert (Hws : (1 <= ws)%nat) by (unfold ws; lia).
  assert (Hd : (d <= ws)%nat) by (unfold d, ws; lia).
  assert (Hdw : (d <= w)%nat) by (unfold d; lia).
  assert (H1 : q ^ Nat.min (g + w) N <= q ^ a * q ^ d).
  { rewrite <- pow_add. apply pow_mono_exp; auto. unfold a, d. lia. }
  assert (Hch := pow_chord q d ws Hq Hd).
  assert (Hpos : 0 < INR ws) by (apply lt_0_INR; lia).
  assert (Hqw : 0 <= q ^ ws - 1) by (assert (1 <= q ^ ws) by (apply pow_ge1; auto); lra).
  assert (HdR : INR d <= INR w) by (apply le_INR; auto).
  assert (Hqd : q ^ d - 1 <= INR w * ((q ^ ws - 1) / INR ws)).
  { apply Rmult_le_reg_r with (INR ws); auto.
    replace (INR w * ((q ^ ws - 1) / INR ws) * INR ws) with ((q ^ ws - 1) * INR w) by (field; lra).
    eapply Rle_trans; [exact Hch|]. apply Rmult_le_compat_l; auto. }
  assert (Hqa : 0 < q ^ a) by (apply pow_lt; lra).
  apply Rle_trans with (c * (q ^ a * (q ^ d - 1))).
  - apply Rmult_le_compat_l; auto. lra.
  - replace (INR w * (c / INR ws * (q ^ ws - 1) * q ^ a))
      with (c * (q ^ a * (INR w * ((q ^ ws - 1) / INR ws)))) by (field; lra).
    apply Rmult_le_compat_l; auto. apply Rmult_le_compat_l; [lra|auto].
Qed.

(* exp y - 1 <= y/(1-y) on [0,1) *)
Lemma exp_minus1_le y : 0 <= y < 1 -> exp y - 1 <= y / (1 - y).
Proof.
  intros [Hy0 Hy1].
  assert (H := exp_ineq1_le (- y)).
  assert (Hp := exp_pos y).
  assert (E : exp y * exp (- y) = 1) by (rewrite <- exp_plus, Rplus_opp_r, exp_0; reflexivity).
  apply Rmult_le_reg_r with (1 - y); [lra|].
  replace (y / (1 - y) * (1 - y)) with y by (field; lra).
  assert (exp y * (1 - y) <= 1).
  { rewrite <- E. apply Rmult_le_compat_l; lra. }
  lra.
Qed.

(* closed small-bundle bound: tau <= beta c / (N - beta ws) *)
Lemma tau_small c x N ws :
  0 < c -> 1 <= x -> (1 <= N)%nat -> (1 <= ws)%nat ->
  ln x * INR ws < INR N ->
  tau c (root x N) ws <= ln x * c / (INR N - ln x * INR ws).
Proof.
  intros Hc Hx HN Hws Hsmall. unfold tau, root. rewrite exp_INR.
  assert (HNp : 0 < INR N) by (apply lt_0_INR; lia).
  assert (Hwp : 0 < INR ws) by (apply lt_0_INR; lia).
  assert (Hl : 0 <= ln x).
  { destruct Hx as [Hx|<-]; [|rewrite ln_1; lra].
    rewrite <- ln_1. left. apply ln_increasing; lra. }
  set (y := INR ws * (ln x / INR N)).
  assert (Hy : 0 <= y < 1).
  { unfold y. split.
    - apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; auto].
    - apply Rmult_lt_reg_r with (INR N); auto.
      replace (INR ws * (ln x / INR N) * INR N) with (ln x * INR ws) by (field; lra). lra. }
  assert (E := exp_minus1_le y Hy).
  apply Rle_trans with (c / INR ws * (y / (1 - y))).
  - apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto].
  - right. unfold y. field. repeat split; try lra.
Qed.

Lemma tau_low c x N ws :
  0 <= c -> 0 < x -> (1 <= N)%nat -> (1 <= ws)%nat -> ln x * c / INR N <= tau c (root x N) ws.
Proof.
  intros Hc Hx HN Hws. unfold tau, root. rewrite exp_INR.
  assert (HNp : 0 < INR N) by (apply lt_0_INR; lia).
  assert (Hwp : 0 < INR ws) by (apply lt_0_INR; lia).
  assert (E := exp_ineq1_le (INR ws * (ln x / INR N))).
  apply Rle_trans with (c / INR ws * (INR ws * (ln x / INR N))); [right; field; lra|].
  apply Rmult_le_compat_l; [|lra].
  apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; auto].
Qed.

Lemma ln_ge0 x : 1 <= x -> 0 <= ln x.
Proof.
  intros [H|<-]; [|rewrite ln_1; lra]. rewrite <- ln_1. left. apply ln_increasing; lra.
Qed.

Lemma ratio_ge1 u l : 0 < l -> l <= u -> 1 <= u / l.
Proof.
  intros Hl Hu. apply Rmult_le_reg_r with l; auto.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(* a largest bundle of m <= eps c units: tau <= beta / (1 - (1 + beta) eps) *)
Lemma tau_small_bundle c m N ws x beta eps :
  (1 <= c)%nat -> 1 <= x -> (c <= N + m)%nat -> (1 <= N)%nat -> (1 <= ws)%nat -> (ws <= m)%nat ->
  ln x <= beta -> INR m <= eps * INR c -> 0 <= beta -> (1 + beta) * eps < 1 ->
  tau (INR c) (root x N) ws <= beta / (1 - (1 + beta) * eps).
Proof.
  intros Hc Hx HN HN1 Hws Hwm Hb He Hb0 Hbe.
  assert (HcR : 0 < INR c) by (apply lt_0_INR; lia).
  assert (HwR : INR ws <= INR m) by (apply le_INR; auto).
  assert (HNR : INR c <= INR N + INR m) by (rewrite <- plus_INR; apply le_INR; auto).
  assert (Hl := ln_ge0 x Hx).
  assert (Hw0 : 0 <= INR ws) by apply pos_INR.
  assert (P1 : ln x * INR ws <= beta * (eps * INR c)) by (apply Rmult_le_compat; lra).
  assert (P2 : 0 < (1 - (1 + beta) * eps) * INR c) by (apply Rmult_lt_0_compat; lra).
  assert (P3 : (1 - (1 + beta) * eps) * INR c <= INR N - ln x * INR ws) by lra.
  eapply Rle_trans; [apply tau_small; auto; lra|].
  apply Rmult_le_reg_r with (INR N - ln x * INR ws); [lra|].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r.
  apply Rle_trans with (beta / (1 - (1 + beta) * eps) * ((1 - (1 + beta) * eps) * INR c)).
  - replace (beta / (1 - (1 + beta) * eps) * ((1 - (1 + beta) * eps) * INR c))
      with (beta * INR c) by (field; lra).
    apply Rmult_le_compat_r; lra.
  - apply Rmult_le_compat_l; auto.
    apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. lra.
Qed.
