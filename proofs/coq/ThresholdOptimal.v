(** * T9 is optimal: the best deterministic ratio on one resource, all bundles equal.

    [sstar] as in Staircase.v, from s_0 = 0

    [threshold_lower_bound]  bundles of m <= c units, k = floor(c/m): if k U > rho sstar_k then every
                       deterministic rule has an instance with rho P < OPT (values in [L,U])
    [lam_upto_sstar]   the table lam of T9 with the least tau sells exactly sstar: its ratio alpha with
                       c U = alpha sstar_c(alpha) is the best possible, alpha*_c(U/L) *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Powers Threshold LowerBound Staircase.
Import ListNotations.
Open Scope R_scope.

Theorem threshold_lower_bound (alg : list offer -> bool) (cap m : nat) (L U rho : R) :
  (1 <= m <= cap)%nat -> 0 < L -> L < U -> within_capacity alg cap -> 0 < rho ->
  let c := (cap / m)%nat in
  rho * sstar c L rho 0 c < INR c * U ->
  exists js x, (forall o, In o js -> fst o = m /\ L <= snd o <= U) /\
    (exists pre, js = pre ++ repeat (m, x) c) /\
    rho * gotv alg [] js < INR c * x.
Proof.
  intros Hm HL HU Hobey Hrho c Hlt.
  assert (Hc : (1 <= c)%nat) by (apply Nat.div_le_lower_bound; lia).
  destruct (staircase_lower alg m c c 0 L U rho) as (v & t & Hv & H); auto; try lra.
  { intros v n. apply obeys_count; auto; lia. }
  exists (inst m c v (S t)), (v t). split; [|split; [exists (inst m c v t); reflexivity|lra]].
  intros o Ho. destruct (inst_offers _ _ _ _ _ Ho) as (i & Hi & ->). simpl. split; auto.
  apply Hv. lia.
Qed.

(* tau is the least integer with c <= alpha tau *)
Lemma lam_upto_sstar c tau L alpha :
  (1 <= tau <= c)%nat -> 0 < L -> 1 <= alpha ->
  alpha * (INR tau - 1) <= INR c <= alpha * INR tau ->
  forall n, (n <= c)%nat -> upto (lam c tau L alpha) n = sstar c L alpha 0 n.
Proof.
  intros Ht HL Ha [Hlo Hhi].
  assert (Hc : 0 < INR c) by (apply lt_0_INR; lia).
  assert (flat : forall n, (n <= tau)%nat -> sstar c L alpha 0 n = INR n * L).
  { induction n; intros Hn; [simpl; ring|]. rewrite S_INR. simpl sstar. rewrite IHn by lia.
    rewrite Rmax_left; [ring|].
    assert (Hn' : INR n <= INR tau - 1).
    { assert (INR (S n) <= INR tau) by (apply le_INR; lia). rewrite S_INR in H. lra. }
    apply Rmult_le_reg_l with (INR c); auto.
    replace (INR c * (alpha / INR c * (INR n * L))) with (alpha * INR n * L) by (field; lra).
    apply Rmult_le_compat_r; [lra|].
    assert (alpha * INR n <= alpha * (INR tau - 1)) by (apply Rmult_le_compat_l; lra). lra. }
  induction n as [|n IH]; intros Hn; [reflexivity|].
  destruct (le_lt_dec (S n) tau) as [H|H]; [rewrite flat, lam_flat by lia; reflexivity|].
  simpl upto. simpl sstar. rewrite <- IH by lia.
  assert (HS : upto (lam c tau L alpha) n = INR tau * L * (1 + alpha / INR c) ^ (n - tau)) by (apply lam_upto; lia).
  assert (Hz : 1 <= (1 + alpha / INR c) ^ (n - tau)).
  { apply pow_R1_Rle. assert (0 <= alpha / INR c); [|lra].
    apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]. }
  rewrite Rmax_right.
  - unfold lam at 2. destruct (lt_dec n tau); [lia|]. rewrite HS. field. lra.
  - rewrite HS. apply Rmult_le_reg_l with (INR c); auto.
    replace (INR c * (alpha / INR c * (INR tau * L * (1 + alpha / INR c) ^ (n - tau))))
      with (alpha * INR tau * L * (1 + alpha / INR c) ^ (n - tau)) by (field; lra).
    apply Rle_trans with (alpha * INR tau * L * 1).
    + rewrite Rmult_1_r. apply Rmult_le_compat_r; lra.
    + apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [|lra]. lra.
Qed.
