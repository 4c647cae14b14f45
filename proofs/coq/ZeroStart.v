(** * T7 the zero-start exponential price, exact and (T4') with an inexact maximiser.

    Notation of Exponential.v; here L_r is a value per unit of the WHOLE bundle (V), and delta > 0:
    [qZ r], [priceZ r g]   delta L_r ((1 + U_r/(delta L_r))^(min g N / N) - 1)

    T7 [zero_competitive]: OPT <= (1+delta) theta P + sum error, where theta >= slack and
       theta >= (c/wstar)((1 + U/(delta L))^(wstar/N) - 1) on every resource (and theta >= 1 when
       the maximiser is exact, slack = 1).  No term at price 0, no assumption on OPT.
    T7 [zero_small_bundles]: m <= eps c and ln(1 + U/(delta L)) <= beta, (1+beta) eps < 1 give
       OPT <= (1+delta) max(1, beta/(1-(1+beta)eps)) P. *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online Master Powers Exponential.
Import ListNotations.
Open Scope R_scope.

Section ZeroStart.
  Variable I : problem.
  Variables room m : Res I -> nat.
  Variables U L : Res I -> R.
  Variable delta : R.
  Hypothesis m_range : forall r, In r (resources I) -> (1 <= m r <= room r)%nat.
  Hypothesis use_m : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (use s r <= m r)%nat.
  Hypothesis L_pos : forall r, In r (resources I) -> 0 < L r.
  Hypothesis U_pos : forall r, In r (resources I) -> 0 <= U r.
  Hypothesis U_full : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (1 <= use s r)%nat -> val s <= U r * INR (use s r).
  Hypothesis L_low : forall j s, In j (all_jobs I) -> In s (scheds I j) ->
    rsum (fun r => L r * INR (use s r)) (resources I) <= val s.
  Hypothesis delta_pos : 0 < delta.

  Definition qZ r := root (1 + U r / (delta * L r)) (N room m r).
  Definition priceZ r g := delta * L r * (geo (qZ r) (N room m r) g - 1).

  Lemma baseZ_ge1 r : In r (resources I) -> 1 <= 1 + U r / (delta * L r).
  Proof.
    intros Hin. assert (0 <= U r / (delta * L r)); [|lra].
    apply Rmult_le_pos; [auto|]. left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; auto.
  Qed.

  Theorem zero_competitive slack error theta ds ms g' x :
    0 <= slack <= theta -> (forall j, In j (all_jobs I) -> 0 <= error j) ->
    (forall r, In r (resources I) -> tau (INR (stock I r)) (qZ r) (wstar room m r) <= theta) ->
    run I (linear priceZ room slack error) (empty I) (all_jobs I) ds ms g' ->
    lp_feasible I x ->
    primal I x <= (1 + delta) * theta * collected I ds + rsum error (all_jobs I).
  Proof.
    intros Hs He Htau Hr Hx.
    assert (HA : forall r, In r (resources I) -> 0 < delta * L r)
      by (intros; apply Rmult_lt_0_compat; auto).
    assert (Hq : forall r, In r (resources I) -> 1 <= qZ r).
    { intros r Hin. apply root_ge1; [apply baseZ_ge1; auto|apply N_pos]. }
    assert (Hg : forall r g, In r (resources I) -> 1 <= geo (qZ r) (N room m r) g)
      by (intros; apply geo_ge1; auto).
    assert (D0 : supply I (fun r => priceZ r O) = 0).
    { unfold supply. rewrite (rsum_ext _ (fun _ => 0)); [apply rsum_zero|].
      intros r _. unfold priceZ, geo. simpl. ring. }
    assert (M := master_competitive I (linear priceZ room slack error) priceZ theta (theta * delta) L).
    enough (primal I x <= (theta + theta * delta) * collected I ds + rsum error (all_jobs I)
              + supply I (fun r => priceZ r O)) by lra.
    apply M with (ms := ms) (g' := g'); simpl Online.slack; try tauto; auto; clear M.
    - apply Rmult_le_pos; lra.
    - intros r Hin. unfold priceZ. assert (Q := Hg r O Hin). apply Rmult_le_pos; [left; auto|lra].
    - intros r g Hin _. unfold priceZ. apply Rmult_le_compat_l; [left; auto|].
      apply Rplus_le_compat_r. apply geo_mono; auto.
    - intros j s r g _ _ _ _. simpl. lra.
    - intros j s r g Hj Hs' Hin Hg1 Hover. unfold priceZ. simpl in Hg1, Hover.
      assert (Hu := use_m j s r Hj Hs' Hin). assert (Hm := m_range r Hin).
      assert (HB := baseZ_ge1 r Hin). assert (HL := L_pos r Hin).
      unfold geo. rewrite Nat.min_r by (unfold N; lia). unfold qZ.
      rewrite root_pow by (try apply N_pos; lra).
      replace (delta * L r * (1 + U r / (delta * L r) - 1)) with (U r) by (field; lra).
      apply (U_full j s r); auto; lia.
    - intros j s r g Hj Hs' Hin _. simpl. unfold priceZ.
      assert (Q := geo_increment (qZ r) (N room m r) (m r) g (use s r) (INR (stock I r)) (Hq r Hin)
                   (N_pos _ _ _ _) (proj1 (m_range r Hin)) (use_m j s r Hj Hs' Hin) (pos_INR _)).
      fold (wstar room m r) in Q.
      assert (Ha := HA r Hin). assert (HG := Hg r g Hin). assert (HT := Htau r Hin).
      assert (Hw : 0 <= INR (use s r)) by apply pos_INR.
      set (G := geo (qZ r) (N room m r) g) in *.
      set (G' := geo (qZ r) (N room m r) (g + use s r)) in *.
      set (t := tau (INR (stock I r)) (qZ r) (wstar room m r)) in *.
      assert (INR (use s r) * (t * G) <= INR (use s r) * (theta * G)).
      { apply Rmult_le_compat_l; auto. apply Rmult_le_compat_r; lra. }
      assert (delta * L r * (INR (stock I r) * (G' - G)) <= delta * L r * (INR (use s r) * (theta * G)))
        by (apply Rmult_le_compat_l; lra).
      lra.
  Qed.
End ZeroStart.

Arguments qZ {I}.
Arguments priceZ {I}.

Section SmallBundles.
  Variable I : problem.
  Variable m : Res I -> nat.
  Variables U L : Res I -> R.
  Variables delta beta eps : R.
  Hypothesis m_range : forall r, In r (resources I) -> (1 <= m r <= stock I r)%nat.
  Hypothesis use_m : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (use s r <= m r)%nat.
  Hypothesis L_pos : forall r, In r (resources I) -> 0 < L r.
  Hypothesis U_pos : forall r, In r (resources I) -> 0 <= U r.
  Hypothesis U_full : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (1 <= use s r)%nat -> val s <= U r * INR (use s r).
  Hypothesis L_low : forall j s, In j (all_jobs I) -> In s (scheds I j) ->
    rsum (fun r => L r * INR (use s r)) (resources I) <= val s.
  Hypothesis delta_pos : 0 < delta.
  Hypothesis beta_bound : forall r, In r (resources I) -> ln (1 + U r / (delta * L r)) <= beta.
  Hypothesis small : forall r, In r (resources I) -> INR (m r) <= eps * INR (stock I r).
  Hypothesis beta_pos : 0 <= beta.
  Hypothesis beta_eps : (1 + beta) * eps < 1.

  Corollary zero_small_bundles ds ms g' x :
    run I (exact (priceZ (stock I) m U L delta)) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= (1 + delta) * Rmax 1 (beta / (1 - (1 + beta) * eps)) * collected I ds.
  Proof.
    intros Hr Hx. set (theta := Rmax 1 (beta / (1 - (1 + beta) * eps))).
    assert (1 <= theta) by apply Rmax_l.
    replace ((1 + delta) * theta * collected I ds)
      with ((1 + delta) * theta * collected I ds + rsum (fun _ => 0) (all_jobs I)) by (rewrite rsum_zero; ring).
    eapply zero_competitive with (m := m) (slack := 1); eauto; try lra; try (intros; lra).
    intros r Hin. eapply Rle_trans; [|apply Rmax_r]. assert (Hm := m_range r Hin).
    apply tau_small_bundle with (m := m r); auto; unfold N, wstar; try lia.
    - apply baseZ_ge1; auto.
    - unfold N; lia.
  Qed.
End SmallBundles.
