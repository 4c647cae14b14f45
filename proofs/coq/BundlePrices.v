(** * T8 last-unit and telescoped bundle prices (with T4': inexact maximiser).

    [qM r]          (U_r/L_r)^(1/c_r)
    [kM r g]        L_r qM^g: the published table, defined past the capacity as well
    [telescoped r g w]  sum over i < w of kM r (g+i): each unit at its own price
    [last_unit r g w]   w kM r (g+w-1): all units at the price of the last
    [dualM r g]     kM r (g+m_r-1): the dual price that goes with either charge
    [thetaM r]      c_r (qM - 1) qM^(m_r-1)

    T8 [bundle_competitive]: every charge between the two has
       OPT <= theta P + sum error + sum cap_r dualM_r(0), theta >= thetaM on all r and >= slack;
       [last_unit_competitive], [telescoped_competitive] are its two ends. *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online Master Powers.
Import ListNotations.
Open Scope R_scope.

Section BundlePrices.
  Variable I : problem.
  Variable m : Res I -> nat.
  Variables U L : Res I -> R.
  Hypothesis m_range : forall r, In r (resources I) -> (1 <= m r <= stock I r)%nat.
  Hypothesis use_m : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (use s r <= m r)%nat.
  Hypothesis L_pos : forall r, In r (resources I) -> 0 < L r.
  Hypothesis L_le_U : forall r, In r (resources I) -> L r <= U r.
  Hypothesis val_pos : forall j s, In j (all_jobs I) -> In s (scheds I j) -> 0 <= val s.
  Hypothesis U_full : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (1 <= use s r)%nat -> val s <= U r * INR (use s r).

  Definition qM r := root (U r / L r) (stock I r).
  Definition kM r g := L r * qM r ^ g.
  Definition dualM r g := kM r (g + (m r - 1)).
  Fixpoint telescoped (r : Res I) (g w : nat) : R :=
    match w with O => 0 | S i => telescoped r g i + kM r (g + i) end.
  Definition last_unit (r : Res I) (g w : nat) : R := INR w * kM r (g + (w - 1)).
  Definition thetaM r := INR (stock I r) * (qM r - 1) * qM r ^ (m r - 1).

  Lemma qM_ge1 r : In r (resources I) -> 1 <= qM r.
  Proof.
    intros Hr. assert (Hm := m_range r Hr). apply root_ge1; [apply ratio_ge1; auto|lia].
  Qed.
  Lemma kM_mono r a b : In r (resources I) -> (a <= b)%nat -> kM r a <= kM r b.
  Proof.
    intros Hr Hab. unfold kM. apply Rmult_le_compat_l; [left; auto|].
    apply pow_mono_exp; auto. apply qM_ge1; auto.
  Qed.
  Lemma kM_pos r a : In r (resources I) -> 0 < kM r a.
  Proof.
    intros Hr. apply Rmult_lt_0_compat; auto. apply pow_lt.
    assert (1 <= qM r) by (apply qM_ge1; auto). lra.
  Qed.

  Lemma telescoped_pos r g w : In r (resources I) -> 0 <= telescoped r g w.
  Proof.
    intros Hr. induction w as [|w IH]; simpl; [lra|].
    assert (0 < kM r (g + w)) by (apply kM_pos; auto). lra.
  Qed.

  (* the increment of the dual price is exactly thetaM times the telescoped charge *)
  Lemma telescoped_increment r g w :
    INR (stock I r) * (dualM r (g + w) - dualM r g) = thetaM r * telescoped r g w.
  Proof.
    induction w as [|w IH]; [simpl; rewrite Nat.add_0_r; ring|].
    simpl telescoped. rewrite Rmult_plus_distr_l, <- IH. unfold dualM, kM, thetaM.
    replace (g + S w + (m r - 1))%nat with (S ((g + w) + (m r - 1))) by lia.
    simpl pow. rewrite !pow_add. ring.
  Qed.
  Lemma telescoped_le_last r g w : In r (resources I) -> telescoped r g w <= last_unit r g w.
  Proof.
    intros Hr. unfold last_unit.
    assert (Q : forall i, (i <= w)%nat -> telescoped r g i <= INR i * kM r (g + (w - 1))).
    { induction i; intros Hi; [simpl; lra|]. rewrite S_INR. simpl telescoped.
      assert (telescoped r g i <= INR i * kM r (g + (w - 1))) by (apply IHi; lia).
      assert (kM r (g + i) <= kM r (g + (w - 1))) by (apply kM_mono; auto; lia). lra. }
    apply Q; auto.
  Qed.
  Lemma last_le_dual r g w : In r (resources I) -> (w <= m r)%nat -> last_unit r g w <= dualM r g * INR w.
  Proof.
    intros Hr Hw. unfold last_unit, dualM. rewrite Rmult_comm.
    apply Rmult_le_compat_r; [apply pos_INR|]. apply kM_mono; auto. lia.
  Qed.

  Theorem bundle_competitive charge slack error theta ds ms g' x :
    0 <= slack <= theta -> (forall j, In j (all_jobs I) -> 0 <= error j) ->
    (forall r, In r (resources I) -> thetaM r <= theta) ->
    (forall r g w, In r (resources I) -> (w <= m r)%nat ->
       telescoped r g w <= charge r g w <= last_unit r g w) ->
    run I (Rule I charge (stock I) slack error) (empty I) (all_jobs I) ds ms g' ->
    lp_feasible I x ->
    primal I x <= theta * collected I ds + rsum error (all_jobs I)
                  + rsum (fun r => INR (stock I r) * dualM r O) (resources I).
  Proof.
    intros Hs He Ht Hc Hr Hx.
    change (rsum (fun r => INR (stock I r) * dualM r O) (resources I))
      with (supply I (fun r => dualM r O)).
    replace theta with (theta + 0) by ring.
    apply (master_competitive I (Rule I charge (stock I) slack error) dualM theta 0 (fun _ => 0))
      with (ms := ms) (g' := g'); simpl Online.slack; auto; try lra.
    - intros r Hin. left. apply kM_pos; auto.
    - intros r g Hin Hg. unfold dualM. apply kM_mono; auto; lia.
    - intros j s r g Hj Hs' Hin _. assert (Hw := use_m j s r Hj Hs' Hin). simpl.
      eapply Rle_trans; [apply Hc; auto|]. apply last_le_dual; auto.
    - intros j s r g Hj Hs' Hin Hg Hover. assert (Hw := use_m j s r Hj Hs' Hin).
      assert (Hm := m_range r Hin). simpl in Hg, Hover.
      eapply Rle_trans; [apply (U_full j s r); auto; lia|].
      apply Rmult_le_compat_r; [apply pos_INR|]. unfold dualM.
      apply Rle_trans with (kM r (stock I r)); [|apply kM_mono; auto; lia].
      assert (0 < L r) by auto. assert (1 <= U r / L r) by (apply ratio_ge1; auto).
      unfold kM, qM. rewrite root_pow by (lra || lia). right. field. lra.
    - intros j s r g Hj Hs' Hin _. assert (Hw := use_m j s r Hj Hs' Hin). simpl.
      rewrite telescoped_increment, Rmult_0_l, Rplus_0_r.
      assert (T0 := telescoped_pos r g (use s r) Hin).
      destruct (Hc r g (use s r) Hin Hw) as [B1 _]. specialize (Ht r Hin).
      apply Rle_trans with (theta * telescoped r g (use s r)).
      + apply Rmult_le_compat_r; auto.
      + apply Rmult_le_compat_l; lra.
    - intros j s Hj Hs'. rewrite (rsum_ext _ (fun _ => 0)), rsum_zero by (intros; ring). eauto.
  Qed.

  Corollary last_unit_competitive slack error theta ds ms g' x :
    0 <= slack <= theta -> (forall j, In j (all_jobs I) -> 0 <= error j) ->
    (forall r, In r (resources I) -> thetaM r <= theta) ->
    run I (Rule I last_unit (stock I) slack error) (empty I) (all_jobs I) ds ms g' ->
    lp_feasible I x ->
    primal I x <= theta * collected I ds + rsum error (all_jobs I)
                  + rsum (fun r => INR (stock I r) * dualM r O) (resources I).
  Proof.
    intros Hs He Ht. apply bundle_competitive; auto.
    intros; split; [apply telescoped_le_last; auto|lra].
  Qed.

  Corollary telescoped_competitive slack error theta ds ms g' x :
    0 <= slack <= theta -> (forall j, In j (all_jobs I) -> 0 <= error j) ->
    (forall r, In r (resources I) -> thetaM r <= theta) ->
    run I (Rule I telescoped (stock I) slack error) (empty I) (all_jobs I) ds ms g' ->
    lp_feasible I x ->
    primal I x <= theta * collected I ds + rsum error (all_jobs I)
                  + rsum (fun r => INR (stock I r) * dualM r O) (resources I).
  Proof.
    intros Hs He Ht. apply bundle_competitive; auto.
    intros; split; [lra|apply telescoped_le_last; auto].
  Qed.
End BundlePrices.
