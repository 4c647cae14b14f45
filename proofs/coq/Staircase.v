(** * The staircase adversary: what a rule of ratio rho must have collected.

    k equal bundles fit; levels of bundle values rise from L to U, k offers at each level.
    [sstar k L rho s0 n]   s_0 = s0, s_(i+1) = s_i + max(L, (rho/k) s_i): the value of a rule of ratio
                           rho after n bundles, when it held value s0 before
    [staircase_lower]      a rule that can take at most q bundles and holds s0: if
                           rho sstar_q < k U, some staircase ends with rho (s0 + P) < k v_t *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Powers LowerBound.
Import ListNotations.
Open Scope R_scope.

Section Star.
  Variables (c : nat) (L rho s0 : R).
  Hypothesis c1 : (1 <= c)%nat.
  Hypothesis L_pos : 0 < L.
  Hypothesis rho0 : 0 <= rho.
  Hypothesis s0_pos : 0 <= s0.
  Fixpoint sstar (n : nat) : R :=
    match n with O => s0 | S i => sstar i + Rmax L (rho / INR c * sstar i) end.

  Lemma k_pos : 0 < INR c. Proof. apply lt_0_INR; lia. Qed.
  Lemma k_nonneg : 0 <= rho / INR c.
  Proof. apply Rmult_le_pos; auto. left; apply Rinv_0_lt_compat, k_pos. Qed.
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
  Variable q : nat.
  Let Av t := s0 + psum (fun i => INR (a i) * v i) t.
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
    replace (Av (S t)) with (Av t + INR (a t) * v t) by (unfold Av; simpl; ring). simpl An.
    assert (Hv := v_pos t). assert (0 <= INR (a t)) by apply pos_INR.
    split; [assert (0 <= INR (a t) * v t) by (apply Rmult_le_pos; lra); lra|].
    apply add_units; auto; [lra|].
    destruct t as [|t].
    - rewrite v0. assert (L <= Rmax L (rho / INR c * Av 0)) by apply Rmax_l.
      assert (1 * L <= r * Rmax L (rho / INR c * Av 0)) by (apply Rmult_le_compat; lra). lra.
    - rewrite vS. apply Rmult_le_compat_l; [lra|].
      apply Rle_trans with (rho / INR c * Av (S t)); [|apply Rmax_r].
      assert (Hc := comp t ltac:(lia)). assert (P := k_pos).
      apply Rmult_le_reg_l with (INR c); auto.
      replace (INR c * (rho / INR c * Av (S t))) with (rho * Av (S t)) by (field; lra). auto.
  Qed.

  Lemma star_bound : (An (S T) <= q)%nat -> INR c * v T <= rho * (r ^ q * sstar q).
  Proof.
    intros Hn. eapply Rle_trans; [apply comp; lia|]. apply Rmult_le_compat_l; auto.
    destruct (value_bound (S T) (le_n _)) as [_ H]. eapply Rle_trans; [exact H|].
    apply Rmult_le_compat; [left; apply pow_lt; lra|apply sstar_nonneg|apply pow_mono_exp; auto|apply sstar_mono; auto].
  Qed.
End Star.

Theorem staircase_lower (alg : list offer -> bool) (m c q : nat) (s0 L U rho : R) :
  (1 <= c)%nat -> 0 < L -> L < U -> 0 <= s0 -> 0 < rho -> 0 < s0 \/ (1 <= q)%nat ->
  (forall v n, (gotn alg [] (inst m c v n) <= q)%nat) ->
  rho * sstar c L rho s0 q < INR c * U ->
  exists v t, (forall i, (i <= t)%nat -> L <= v i <= U) /\
    rho * (s0 + gotv alg [] (inst m c v (S t))) < INR c * v t.
Proof.
  intros Hc HL HU Hs0 Hrho Hsome Hcount Hlt.
  assert (HcR : 0 < INR c) by (apply lt_0_INR; lia).
  set (b := ln (U / L)).
  assert (HUL : 1 < U / L).
  { apply Rmult_lt_reg_r with L; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hb : 0 < b) by (unfold b; rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hs : 0 < sstar c L rho s0 q).
  { assert (N := sstar_nonneg c L rho s0 HL Hs0).
    destruct q as [|q']; [simpl; destruct Hsome; [auto|lia]|]. simpl. specialize (N q').
    assert (L <= Rmax L (rho / INR c * sstar c L rho s0 q')) by apply Rmax_l. lra. }
  assert (Hrs : 0 < rho * sstar c L rho s0 q) by (apply Rmult_lt_0_compat; auto).
  set (Q := INR c * U / (rho * sstar c L rho s0 q)).
  assert (HQ : 1 < Q).
  { unfold Q. apply Rmult_lt_reg_r with (rho * sstar c L rho s0 q); auto.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (HlnQ : 0 < ln Q) by (rewrite <- ln_1; apply ln_increasing; lra).
  destruct (archimed (INR q * b / ln Q)) as [HT _].
  set (y := INR q * b / ln Q) in *.
  assert (Hy : 0 <= y).
  { unfold y. apply Rmult_le_pos; [apply Rmult_le_pos; [apply pos_INR|lra]|left; apply Rinv_0_lt_compat; auto]. }
  set (T := Z.to_nat (up y)).
  assert (HTq : y < INR T) by (unfold T; rewrite INR_IZR_INZ, Z2Nat.id; auto; apply le_IZR; lra).
  assert (HT1 : (1 <= T)%nat) by (destruct T; [simpl in HTq; lra|lia]).
  assert (HTp : 0 < INR T) by (apply lt_0_INR; lia).
  set (r := root (U / L) T).
  assert (Hr1 : 1 <= r) by (apply root_ge1; [lra|lia]).
  assert (Hrc : r ^ q < Q).
  { unfold r, root. fold b. rewrite exp_INR. rewrite <- (exp_ln Q) by lra. apply exp_increasing.
    apply Rmult_lt_reg_r with (INR T); auto.
    replace (INR q * (b / INR T) * INR T) with (INR q * b) by (field; lra).
    replace (INR q * b) with (ln Q * y) by (unfold y; field; lra).
    apply Rmult_lt_compat_l; auto. }
  set (v := fun t : nat => L * r ^ t).
  assert (HvT : v T = U) by (unfold v, r; rewrite root_pow; [field; lra|lra|lia]).
  assert (Hvr : forall t, (t <= T)%nat -> L <= v t <= U).
  { intros t Ht. split.
    - unfold v. assert (1 <= r ^ t) by (apply pow_ge1; auto).
      assert (L * 1 <= L * r ^ t) by (apply Rmult_le_compat_l; lra). lra.
    - rewrite <- HvT. unfold v. apply Rmult_le_compat_l; [lra|]. apply pow_mono_exp; auto. }
  destruct (bounded_dec (fun t => INR c * v t <= rho * (s0 + gotv alg [] (inst m c v (S t))))
              (fun t => Rle_dec _ _) T) as [H|(t & Ht & Hn)].
  - exfalso.
    set (a := fun t => gotn alg (rev (inst m c v t)) (repeat (m, v t) c)).
    assert (B : INR c * v T <= rho * (r ^ q * sstar c L rho s0 q)).
    { apply star_bound with (a := a); auto; try lra.
      - unfold v. simpl. ring.
      - intros t. unfold v. simpl. ring.
      - intros t Ht. specialize (H t Ht). rewrite inst_value in H. exact H.
      - assert (E : forall n, An a n = gotn alg [] (inst m c v n)).
        { induction n; [reflexivity|]. cbn [An inst]. rewrite gotn_app, IHn, app_nil_r. reflexivity. }
        rewrite E. apply Hcount. }
    rewrite HvT in B.
    assert (r ^ q * (rho * sstar c L rho s0 q) < Q * (rho * sstar c L rho s0 q)) by (apply Rmult_lt_compat_r; auto).
    assert (Q * (rho * sstar c L rho s0 q) = INR c * U) by (unfold Q; field; lra).
    lra.
  - exists v, t. split; [intros i Hi; apply Hvr; lia|lra].
Qed.
