(** * T4 for the linear price: the price for bundles larger than half a node.

    [priceL r g]   U_r min(g, N_r)/N_r: from 0 to U_r in equal steps (N of Exponential.v)

    [linear_competitive]: OPT <= (1 + t2) P + sum error for every t2 with cap_r U_r <= t2 N_r L_r on
    every resource (slack <= 1).  On one resource with m = c (N = 1) this is 1 + c U/L, against the
    lower bound c U/L of [big_bundle_lower] (LowerBound.v): tight up to the added 1. *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online Master Powers Exponential.
Import ListNotations.
Open Scope R_scope.

Section LinearPrice.
  Variable I : problem.
  Variables room m : Res I -> nat.
  Variables U L : Res I -> R.
  Hypothesis m_range : forall r, In r (resources I) -> (1 <= m r <= room r)%nat.
  Hypothesis use_m : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (use s r <= m r)%nat.
  Hypothesis U_pos : forall r, In r (resources I) -> 0 <= U r.
  Hypothesis U_full : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (1 <= use s r)%nat -> val s <= U r * INR (use s r).
  Hypothesis L_low : forall j s, In j (all_jobs I) -> In s (scheds I j) ->
    rsum (fun r => L r * INR (use s r)) (resources I) <= val s.

  Definition priceL r g := U r * (INR (Nat.min g (N room m r)) / INR (N room m r)).

  Theorem linear_competitive slack error t2 ds ms g' x :
    0 <= slack <= 1 -> 0 <= t2 -> (forall j, In j (all_jobs I) -> 0 <= error j) ->
    (forall r, In r (resources I) -> INR (stock I r) * U r <= t2 * (INR (N room m r) * L r)) ->
    run I (linear priceL room slack error) (empty I) (all_jobs I) ds ms g' ->
    lp_feasible I x -> primal I x <= (1 + t2) * collected I ds + rsum error (all_jobs I).
  Proof.
    intros Hs H2 He HT Hr Hx.
    assert (HN : forall r, 0 < INR (N room m r)) by (intros; apply lt_0_INR; unfold N; lia).
    assert (HI : forall r, 0 < / INR (N room m r)) by (intros; apply Rinv_0_lt_compat; auto).
    assert (D0 : supply I (fun r => priceL r O) = 0).
    { unfold supply. rewrite (rsum_ext _ (fun _ => 0)); [apply rsum_zero|].
      intros r _. unfold priceL, Rdiv. simpl. ring. }
    replace (rsum error (all_jobs I)) with (rsum error (all_jobs I) + supply I (fun r => priceL r O))
      by (rewrite D0; ring).
    rewrite <- Rplus_assoc.
    apply (master_competitive I (linear priceL room slack error) priceL 1 t2 L)
      with (ms := ms) (g' := g'); simpl Online.slack; try tauto; auto.
    - intros r Hin. unfold priceL, Rdiv. simpl. rewrite Rmult_0_l, Rmult_0_r. lra.
    - intros r g Hin _. unfold priceL. apply Rmult_le_compat_l; auto.
      apply Rmult_le_compat_r; [left; auto|]. apply le_INR. lia.
    - intros j s r g _ _ _ _. simpl. lra.
    - intros j s r g Hj Hs' Hin Hg Hover. unfold priceL. simpl in Hg, Hover.
      assert (Hu := use_m j s r Hj Hs' Hin). assert (Hm := m_range r Hin).
      rewrite Nat.min_r by (unfold N; lia). unfold Rdiv. rewrite Rinv_r by (apply Rgt_not_eq, HN).
      rewrite Rmult_1_r. apply (U_full j s r); auto; lia.
    - intros j s r g Hj Hs' Hin _. simpl. set (w := INR (use s r)).
      assert (Hw : 0 <= w) by apply pos_INR.
      assert (Hp : 0 <= priceL r g).
      { unfold priceL. apply Rmult_le_pos; auto.
        apply Rmult_le_pos; [apply pos_INR|left; auto]. }
      assert (0 <= priceL r g * w) by (apply Rmult_le_pos; auto).
      assert (D : priceL r (g + use s r) - priceL r g <= U r * (w / INR (N room m r))).
      { unfold priceL. rewrite <- Rmult_minus_distr_l. apply Rmult_le_compat_l; auto.
        unfold Rdiv. rewrite <- Rmult_minus_distr_r. apply Rmult_le_compat_r; [left; auto|].
        assert (Q : (Nat.min (g + use s r) (N room m r) <= Nat.min g (N room m r) + use s r)%nat) by lia.
        apply le_INR in Q. rewrite plus_INR in Q. unfold w. lra. }
      apply Rle_trans with (INR (stock I r) * U r * (w / INR (N room m r))).
      + rewrite Rmult_assoc. apply Rmult_le_compat_l; [apply pos_INR|auto].
      + assert (0 <= w / INR (N room m r)) by (apply Rmult_le_pos; [auto|left; auto]).
        apply Rle_trans with (t2 * (INR (N room m r) * L r) * (w / INR (N room m r))).
        * apply Rmult_le_compat_r; auto.
        * replace (t2 * (INR (N room m r) * L r) * (w / INR (N room m r))) with (t2 * (L r * w))
            by (field; apply Rgt_not_eq, HN). lra.
  Qed.
End LinearPrice.

Arguments priceL {I}.
