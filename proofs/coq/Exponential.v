(** * T5, T6, T4'': the exponential price, repaired.

    One section fixes an instance, the room of the algorithm, and for every resource r:
    [m r]     the largest bundle (1 <= m <= room)       [U r], [L r]  value bounds, 0 < L <= U
    [N r]     room - m + 1: the load at which a largest bundle may no longer fit
    [wstar r] min (m r) (N r)
    [qE r], [priceE r g]   L_r (U_r/L_r)^(min g N / N): the published price with N for the capacity

    U_full is (F): U_r bounds the value of s per unit ON r ALONE.
    T5  [exp_competitive]: OPT <= theta P + sum error + sum cap L, where theta >= slack, 1 and
        theta >= (c/wstar)((U/L)^(wstar/N) - 1) on every resource; [exp_two_theta]: 2 theta
        when sum cap L <= OPT/2.
    T6  [exp_small_bundles]: m <= eps c, ln(U/L) <= beta, (1+beta) eps < 1 give
        OPT <= 2 max(1, beta/(1-(1+beta)eps)) P.
    T4'' [exp_augmented]: with room c+m-1 the table may run over 0..c: N = c. *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online Master Powers.
Import ListNotations.
Open Scope R_scope.

Section Exponential.
  Variable I : problem.
  Variables room m : Res I -> nat.
  Variables U L : Res I -> R.
  Hypothesis m_range : forall r, In r (resources I) -> (1 <= m r <= room r)%nat.
  Hypothesis use_m : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (use s r <= m r)%nat.
  Hypothesis L_pos : forall r, In r (resources I) -> 0 < L r.
  Hypothesis L_le_U : forall r, In r (resources I) -> L r <= U r.
  Hypothesis U_full : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (1 <= use s r)%nat -> val s <= U r * INR (use s r).
  Hypothesis val_pos : forall j s, In j (all_jobs I) -> In s (scheds I j) -> 0 <= val s.

  Definition N r : nat := (room r - m r + 1)%nat.
  Definition wstar r : nat := Nat.min (m r) (N r).
  Definition qE r := root (U r / L r) (N r).
  Definition priceE r g := L r * geo (qE r) (N r) g.

  Lemma N_pos r : (1 <= N r)%nat.
  Proof. unfold N; lia. Qed.

  Theorem exp_competitive slack error theta ds ms g' x :
    0 <= slack <= theta -> 0 <= theta -> (forall j, In j (all_jobs I) -> 0 <= error j) ->
    (forall r, In r (resources I) -> tau (INR (stock I r)) (qE r) (wstar r) <= theta) ->
    run I (linear priceE room slack error) (empty I) (all_jobs I) ds ms g' ->
    lp_feasible I x ->
    primal I x <= theta * collected I ds + rsum error (all_jobs I)
                  + rsum (fun r => INR (stock I r) * L r) (resources I).
  Proof.
    intros Hs Ht He Htau Hr Hx.
    assert (Hq : forall r, In r (resources I) -> 1 <= qE r).
    { intros r Hin. apply root_ge1; [apply ratio_ge1; auto|apply N_pos]. }
    assert (Hg : forall r g, In r (resources I) -> 0 < geo (qE r) (N r) g).
    { intros r g Hin. assert (1 <= geo (qE r) (N r) g) by (apply geo_ge1; auto). lra. }
    replace (rsum (fun r => INR (stock I r) * L r) (resources I))
      with (supply I (fun r => priceE r O)).
    2:{ apply rsum_ext. intros r _. unfold priceE, geo. simpl. ring. }
    replace theta with (theta + 0) at 1 by ring.
    apply (master_competitive I (linear priceE room slack error) priceE theta 0 (fun _ => 0))
      with (ms := ms) (g' := g'); simpl Online.slack; auto; try lra.
    - intros r Hin. apply Rmult_le_pos; left; auto.
    - intros r g Hin _. apply Rmult_le_compat_l; [left; auto|]. apply geo_mono; auto.
    - intros j s r g _ _ _ _. simpl. lra.
    - intros j s r g Hj Hs' Hin Hg1 Hover. unfold priceE. simpl in Hg1, Hover.
      assert (Hu := use_m j s r Hj Hs' Hin). assert (Hm := m_range r Hin).
      unfold geo. rewrite Nat.min_r by (unfold N; lia). unfold qE.
      assert (0 < L r) by auto. assert (1 <= U r / L r) by (apply ratio_ge1; auto).
      rewrite root_pow by (try apply N_pos; lra).
      replace (L r * (U r / L r)) with (U r) by (field; lra). apply (U_full j s r); auto; lia.
    - intros j s r g Hj Hs' Hin _. simpl. unfold priceE.
      assert (Q := geo_increment (qE r) (N r) (m r) g (use s r) (INR (stock I r)) (Hq r Hin) (N_pos r)
                   (proj1 (m_range r Hin)) (use_m j s r Hj Hs' Hin) (pos_INR _)).
      fold (wstar r) in Q.
      assert (HL := L_pos r Hin). assert (HG := Hg r g Hin). assert (HT := Htau r Hin).
      assert (Hw : 0 <= INR (use s r)) by apply pos_INR.
      set (G := geo (qE r) (N r) g) in *. set (G' := geo (qE r) (N r) (g + use s r)) in *.
      assert (INR (use s r) * (tau (INR (stock I r)) (qE r) (wstar r) * G)
                <= INR (use s r) * (theta * G)).
      { apply Rmult_le_compat_l; auto. apply Rmult_le_compat_r; lra. }
      assert (L r * (INR (stock I r) * (G' - G)) <= L r * (INR (use s r) * (theta * G)))
        by (apply Rmult_le_compat_l; lra).
      lra.
    - intros j s Hj Hs'. rewrite (rsum_ext _ (fun _ => 0)), rsum_zero by (intros; ring). eauto.
  Qed.
End Exponential.

Arguments N {I}.
Arguments wstar {I}.
Arguments priceE {I}.
Arguments qE {I}.

Section Exact.
  Variable I : problem.
  Variable m : Res I -> nat.
  Variables U L : Res I -> R.
  Hypothesis m_range : forall r, In r (resources I) -> (1 <= m r <= stock I r)%nat.
  Hypothesis use_m : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (use s r <= m r)%nat.
  Hypothesis L_pos : forall r, In r (resources I) -> 0 < L r.
  Hypothesis L_le_U : forall r, In r (resources I) -> L r <= U r.
  Hypothesis U_full : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (1 <= use s r)%nat -> val s <= U r * INR (use s r).
  Hypothesis val_pos : forall j s, In j (all_jobs I) -> In s (scheds I j) -> 0 <= val s.
  Let D0 := rsum (fun r => INR (stock I r) * L r) (resources I).

  Corollary exp_two_theta theta ds ms g' x :
    1 <= theta ->
    (forall r, In r (resources I) ->
       tau (INR (stock I r)) (qE (stock I) m U L r) (wstar (stock I) m r) <= theta) ->
    run I (exact (priceE (stock I) m U L)) (empty I) (all_jobs I) ds ms g' ->
    lp_feasible I x -> D0 <= primal I x / 2 -> primal I x <= 2 * theta * collected I ds.
  Proof.
    intros Ht Htau Hr Hx HD.
    assert (Q := exp_competitive I (stock I) m U L m_range use_m L_pos L_le_U U_full val_pos
                   1 (fun _ => 0) theta ds ms g' x ltac:(lra) ltac:(lra) ltac:(intros; lra)
                   Htau Hr Hx).
    rewrite rsum_zero in Q. unfold D0 in HD. lra.
  Qed.

  Corollary exp_small_bundles beta eps ds ms g' x :
    (forall r, In r (resources I) -> ln (U r / L r) <= beta) ->
    (forall r, In r (resources I) -> INR (m r) <= eps * INR (stock I r)) ->
    0 <= beta -> (1 + beta) * eps < 1 ->
    run I (exact (priceE (stock I) m U L)) (empty I) (all_jobs I) ds ms g' ->
    lp_feasible I x -> D0 <= primal I x / 2 ->
    primal I x <= 2 * Rmax 1 (beta / (1 - (1 + beta) * eps)) * collected I ds.
  Proof.
    intros Hb He Hb0 Hbe Hr Hx HD. eapply exp_two_theta; eauto; [apply Rmax_l|].
    intros r Hin. eapply Rle_trans; [|apply Rmax_r].
    assert (Hm := m_range r Hin).
    apply tau_small_bundle with (m := m r); auto; try lia; unfold N; try lia.
    - apply ratio_ge1; auto.
    - unfold wstar, N; lia.
    - unfold wstar, N; lia.
  Qed.

  Definition more r := (stock I r + m r - 1)%nat.

  Lemma more_table r : In r (resources I) -> N more m r = stock I r.
  Proof. intros Hin. assert (Hm := m_range r Hin). unfold N, more. lia. Qed.

  Corollary exp_augmented theta ds ms g' x :
    1 <= theta ->
    (forall r, In r (resources I) ->
       INR (stock I r) / INR (m r) * (root (U r / L r) (stock I r) ^ m r - 1) <= theta) ->
    run I (linear (priceE more m U L) more 1 (fun _ => 0)) (empty I) (all_jobs I) ds ms g' ->
    lp_feasible I x -> primal I x <= theta * collected I ds + D0.
  Proof.
    intros Ht Htau Hr Hx.
    replace (theta * collected I ds) with (theta * collected I ds + rsum (fun _ => 0) (all_jobs I))
      by (rewrite rsum_zero; ring).
    assert (Hroom : forall r, In r (resources I) -> (1 <= m r <= more r)%nat)
      by (intros r Hin; specialize (m_range r Hin); unfold more; lia).
    unfold D0. apply (exp_competitive I more m U L Hroom use_m L_pos L_le_U U_full val_pos)
      with (slack := 1) (ms := ms) (g' := g'); auto; try lra; try (intros; lra).
    intros r Hin. unfold qE, wstar. rewrite more_table by auto.
    rewrite Nat.min_l by (apply m_range; auto). unfold tau. auto.
  Qed.
End Exact.
