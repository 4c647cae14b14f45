(** * T9 is optimal: the best deterministic ratio on one resource, all bundles equal.

    [sstar c L rho n]  s_0 = 0, s_(i+1) = s_i + max(L, (rho/c) s_i): the least value a rule of ratio
                       rho must have collected with n sales

    [threshold_lower_bound]  bundles of m <= c units, k = floor(c/m): if k U > rho sstar_k then every
                       deterministic rule has an instance with rho P < OPT (values in [L,U])
    [lam_upto_sstar]   the table lam of T9 with the least tau sells exactly sstar: its ratio alpha with
                       c U = alpha sstar_c(alpha) is the best possible, alpha*_c(U/L) *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Powers Threshold LowerBound.
Import ListNotations.
Open Scope R_scope.

Section Star.
  Variables (c : nat) (L rho : R).
  Hypothesis c1 : (1 <= c)%nat.
  Hypothesis L_pos : 0 < L.
  Hypothesis rho0 : 0 <= rho.
  Fixpoint sstar (n : nat) : R :=
    match n with O => 0 | S i => sstar i + Rmax L (rho / INR c * sstar i) end.

  Lemma c_pos' : 0 < INR c. Proof. apply lt_0_INR; lia. Qed.
  Lemma k_nonneg : 0 <= rho / INR c.
  Proof. apply Rmult_le_pos; auto. left; apply Rinv_0_lt_compat, c_pos'. Qed.
  Lemma sstar_nonneg n : 0 <= sstar n.
  Proof. induction n; simpl; [lra|]. assert (L <= Rmax L (rho / INR c * sstar n)) by apply Rmax_l. lra. Qed.
  Lemma sstar_mono a b : (a <= b)%nat -> sstar a <= sstar b.
  Proof.
    induction 1 as [|b H IH]; [lra|]. simpl.
    assert (L <= Rmax L (rho / INR c * sstar b)) by apply Rmax_l. lra.
  Qed.

  Variables (r : R) (v : nat -> R) (a : nat -> nat) (T : nat).
  Hypothesis r1 : 1 <= r.
  Hypothesis v0 : v O = L.
  Hypothesis vS : forall t, v (S t) = r * v t.
  Let Av t := psum (fun i => INR (a i) * v i) t.
  Fixpoint An (t : nat) : nat := match t with O => O | S i => (An i + a i)%nat end.
  Hypothesis comp : forall t, (t <= T)%nat -> INR c * v t <= rho * Av (S t).

  Lemma v_pos t : 0 < v t.
  Proof. induction t; [rewrite v0; auto|]. rewrite vS. apply Rmult_lt_0_compat; lra. Qed.

  (* adding w units, each of value x *)
  Lemma add_units x w : 0 <= x -> forall A n, 0 <= A -> A <= r ^ n * sstar n ->
    x <= r * Rmax L (rho / INR c * A) -> A + INR w * x <= r ^ (n + w) * sstar (n + w).
  Proof.
    intros Hx. induction w as [|w IH]; intros A n HA H1 H2.
    - rewrite Nat.add_0_r. simpl. lra.
    - rewrite S_INR. replace (A + (INR w + 1) * x) with ((A + x) + INR w * x) by ring.
      replace (n + S w)%nat with (S n + w)%nat by lia.
      assert (Hk := k_nonneg).
      assert (Hrn : 1 <= r ^ n) by (apply pow_ge1; auto).
      assert (Hs := sstar_nonneg n).
      apply IH; [lra| |].
      + simpl.
        assert (Rmax L (rho / INR c * A) <= r ^ n * Rmax L (rho / INR c * sstar n)).
        { apply Rmax_lub.
          - assert (L <= Rmax L (rho / INR c * sstar n)) by apply Rmax_l.
            assert (1 * L <= r ^ n * Rmax L (rho / INR c * sstar n)) by (apply Rmult_le_compat; lra). lra.
          - assert (rho / INR c * sstar n <= Rmax L (rho / INR c * sstar n)) by apply Rmax_r.
            apply Rle_trans with (rho / INR c * (r ^ n * sstar n)); [apply Rmult_le_compat_l; auto|].
            replace (rho / INR c * (r ^ n * sstar n)) with (r ^ n * (rho / INR c * sstar n)) by ring.
            apply Rmult_le_compat_l; lra. }
        assert (r * Rmax L (rho / INR c * A) <= r * (r ^ n * Rmax L (rho / INR c * sstar n)))
          by (apply Rmult_le_compat_l; lra).
        assert (r ^ n * sstar n <= r * (r ^ n * sstar n)).
        { assert (0 <= r ^ n * sstar n) by (apply Rmult_le_pos; lra).
          assert (1 * (r ^ n * sstar n) <= r * (r ^ n * sstar n)) by (apply Rmult_le_compat_r; lra). lra. }
        lra.
      + eapply Rle_trans; [exact H2|]. apply Rmult_le_compat_l; [lra|].
        apply Rle_max_compat_l. apply Rmult_le_compat_l; auto. lra.
  Qed.

  Lemma value_bound t : (t <= S T)%nat -> 0 <= Av t /\ Av t <= r ^ (An t) * sstar (An t).
  Proof.
    induction t as [|t IH]; intros Ht; [unfold Av; simpl; lra|].
    destruct (IH ltac:(lia)) as [I0 I1].
    change (Av (S t)) with (Av t + INR (a t) * v t). simpl An.
    assert (Hv := v_pos t). assert (0 <= INR (a t)) by apply pos_INR.
    split; [assert (0 <= INR (a t) * v t) by (apply Rmult_le_pos; lra); lra|].
    apply add_units; auto; [lra|].
    destruct t as [|t].
    - rewrite v0. assert (L <= Rmax L (rho / INR c * Av 0)) by apply Rmax_l.
      assert (1 * L <= r * Rmax L (rho / INR c * Av 0)) by (apply Rmult_le_compat; lra). lra.
    - rewrite vS. apply Rmult_le_compat_l; [lra|].
      apply Rle_trans with (rho / INR c * Av (S t)); [|apply Rmax_r].
      assert (Hc := comp t ltac:(lia)). assert (P := c_pos').
      apply Rmult_le_reg_l with (INR c); auto.
      replace (INR c * (rho / INR c * Av (S t))) with (rho * Av (S t)) by (field; lra). auto.
  Qed.

  Lemma star_bound : (An (S T) <= c)%nat -> INR c * v T <= rho * (r ^ c * sstar c).
  Proof.
    intros Hn. eapply Rle_trans; [apply comp; lia|]. apply Rmult_le_compat_l; auto.
    destruct (value_bound (S T) (le_n _)) as [_ H]. eapply Rle_trans; [exact H|].
    apply Rmult_le_compat; [left; apply pow_lt; lra|apply sstar_nonneg|apply pow_mono_exp; auto|apply sstar_mono; auto].
  Qed.
End Star.

Theorem threshold_lower_bound (alg : list offer -> bool) (cap m : nat) (L U rho : R) :
  (1 <= m <= cap)%nat -> 0 < L -> L < U -> obeys alg cap -> 0 < rho ->
  let c := (cap / m)%nat in
  rho * sstar c L rho c < INR c * U ->
  exists js x, (forall o, In o js -> fst o = m /\ L <= snd o <= U) /\
    (exists pre, js = pre ++ repeat (m, x) c) /\
    rho * gotv alg [] js < INR c * x.
Proof.
  intros Hm HL HU Hobey Hrho c Hlt.
  assert (Hc : (1 <= c)%nat) by (apply Nat.div_le_lower_bound; lia).
  assert (HcR : 0 < INR c) by (apply lt_0_INR; lia).
  set (b := ln (U / L)).
  assert (HUL : 1 < U / L).
  { apply Rmult_lt_reg_r with L; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hb : 0 < b) by (unfold b; rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hs : 0 < sstar c L rho c).
  { clearbody c. clear - Hc HL Hrho. destruct c as [|c']; [lia|]. simpl sstar.
    assert (0 <= sstar (S c') L rho c') by (apply sstar_nonneg; auto).
    assert (L <= Rmax L (rho / INR (S c') * sstar (S c') L rho c')) by apply Rmax_l. simpl in *. lra. }
  assert (Hrs : 0 < rho * sstar c L rho c) by (apply Rmult_lt_0_compat; auto).
  set (Q := INR c * U / (rho * sstar c L rho c)).
  assert (HQ : 1 < Q).
  { unfold Q. apply Rmult_lt_reg_r with (rho * sstar c L rho c); auto.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (HlnQ : 0 < ln Q) by (rewrite <- ln_1; apply ln_increasing; lra).
  destruct (archimed (INR c * b / ln Q)) as [HT _].
  set (q := INR c * b / ln Q) in *.
  assert (Hq : 0 < q) by (unfold q; apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; auto|apply Rinv_0_lt_compat; auto]).
  set (T := Z.to_nat (up q)).
  assert (HTq : q < INR T) by (unfold T; rewrite INR_IZR_INZ, Z2Nat.id; auto; apply le_IZR; lra).
  assert (HT1 : (1 <= T)%nat) by (destruct T; [simpl in HTq; lra|lia]).
  assert (HTp : 0 < INR T) by (apply lt_0_INR; lia).
  set (r := root (U / L) T).
  assert (Hr1 : 1 <= r) by (apply root_ge1; [lra|lia]).
  assert (Hrc : r ^ c < Q).
  { unfold r, root. fold b. rewrite exp_INR. rewrite <- (exp_ln Q) by lra. apply exp_increasing.
    apply Rmult_lt_reg_r with (INR T); auto.
    replace (INR c * (b / INR T) * INR T) with (INR c * b) by (field; lra).
    replace (INR c * b) with (ln Q * q) by (unfold q; field; lra).
    apply Rmult_lt_compat_l; auto. }
  set (v := fun t : nat => L * r ^ t).
  assert (HvT : v T = U) by (unfold v, r; rewrite root_pow; [field; lra|lra|lia]).
  assert (Hvr : forall t, (t <= T)%nat -> L <= v t <= U).
  { intros t Ht. split.
    - unfold v. assert (1 <= r ^ t) by (apply pow_ge1; auto).
      assert (L * 1 <= L * r ^ t) by (apply Rmult_le_compat_l; lra). lra.
    - rewrite <- HvT. unfold v. apply Rmult_le_compat_l; [lra|]. apply pow_mono_exp; auto. }
  destruct (bounded_dec (fun t => INR c * v t <= rho * gotv alg [] (inst m c v (S t)))
              (fun t => Rle_dec _ _) T) as [H|(t & Ht & Hn)].
  - exfalso.
    set (a := fun t => gotn alg (rev (inst m c v t)) (repeat (m, v t) c)).
    assert (B : INR c * v T <= rho * (r ^ c * sstar c L rho c)).
    { apply star_bound with (a := a); auto; try lra.
      - unfold v. simpl. ring.
      - intros t. unfold v. simpl. ring.
      - intros t Ht. specialize (H t Ht). rewrite inst_value in H. exact H.
      - assert (E : forall n, An a n = gotn alg [] (inst m c v n)).
        { induction n; [reflexivity|]. cbn [An inst]. rewrite gotn_app, IHn, app_nil_r. reflexivity. }
        rewrite E. apply obeys_count; auto; lia. }
    rewrite HvT in B.
    assert (r ^ c * (rho * sstar c L rho c) < Q * (rho * sstar c L rho c)) by (apply Rmult_lt_compat_r; auto).
    assert (Q * (rho * sstar c L rho c) = INR c * U) by (unfold Q; field; lra).
    lra.
  - exists (inst m c v (S t)), (v t). split; [|split; [exists (inst m c v t); reflexivity|lra]].
    intros o Ho. destruct (inst_offers _ _ _ _ _ Ho) as (i & Hi & ->). simpl. split; auto.
    apply Hvr. lia.
Qed.

(* tau is the least integer with c <= alpha tau *)
Lemma lam_upto_sstar c tau L alpha :
  (1 <= tau <= c)%nat -> 0 < L -> 1 <= alpha ->
  alpha * (INR tau - 1) <= INR c <= alpha * INR tau ->
  forall n, (n <= c)%nat -> upto (lam c tau L alpha) n = sstar c L alpha n.
Proof.
  intros Ht HL Ha [Hlo Hhi].
  assert (Hc : 0 < INR c) by (apply lt_0_INR; lia).
  assert (flat : forall n, (n <= tau)%nat -> sstar c L alpha n = INR n * L).
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
