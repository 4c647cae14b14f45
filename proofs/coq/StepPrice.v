(** * T11 the step price: the best zero-start table for bundles of up to m units.

    Notation of Exponential.v and ZeroStart.v (m, U, L with (V), delta); a >= 1 is one number:
    [step_level c m a g]   (1 + (g mod m) a/c) (1 + m a/c)^(g/m): e^(a g/c) at the multiples of m in steps
                      of factor 1 + m a/c, straight in between
    [priceS r g]      delta L_r (level g - 1)

    [level_step]      level (g + w) <= level g (1 + w a/c) for w <= m: hypothesis (I) with t1 = a and
                      t2 = a delta, with equality at w = m
    [level_largest]   it is the largest: a table with k(0) <= 0 that satisfies (I) with t1 = a, t2 = a delta
                      for all w <= m up to load B is at most delta L (level - 1) there
    T11 [step_competitive]  if delta L_r (level N_r - 1) >= U_r on every resource, then
                      OPT <= a (1+delta) P + sum error (slack <= a).  Several resources, any bundles *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online Master Powers Exponential.
Import ListNotations.
Open Scope R_scope.

Section Level.
  Variables (c m : nat) (a : R).
  Hypothesis c1 : (1 <= c)%nat.
  Hypothesis m1 : (1 <= m)%nat.
  Hypothesis a_pos : 0 <= a.
  Let f (w : nat) : R := 1 + INR w * (a / INR c).
  Definition step_level (g : nat) : R := f (g mod m) * f m ^ (g / m).

  Lemma rate_pos : 0 <= a / INR c.
  Proof. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat, lt_0_INR. lia. Qed.
  Lemma f_ge1 w : 1 <= f w.
  Proof.
    assert (0 <= INR w * (a / INR c)) by (apply Rmult_le_pos; [apply pos_INR|apply rate_pos]).
    unfold f. lra.
  Qed.

  Lemma level_at i s : (s < m)%nat -> step_level (i * m + s) = f s * f m ^ i.
  Proof.
    intros Hs. clear c1 m1 a_pos. unfold step_level. rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia.
    rewrite Nat.div_add, Nat.div_small by lia. reflexivity.
  Qed.

  Lemma level_step g w : (w <= m)%nat -> step_level (g + w) <= step_level g * f w.
  Proof.
    intros Hw. rewrite (Nat.div_mod g m) by lia. set (i := (g / m)%nat). set (s := (g mod m)%nat).
    assert (Hs : (s < m)%nat) by (apply Nat.mod_upper_bound; lia).
    rewrite (Nat.mul_comm m i), level_at by auto.
    assert (P : 0 < f m ^ i) by (apply pow_lt; assert (Q := f_ge1 m); lra).
    assert (R0 := rate_pos).
    enough (exists j t, (t < m)%nat /\ (i * m + s + w = j * m + t)%nat /\
              f t * f m ^ j <= f s * f m ^ i * f w) as (j & t & Ht & E & Q).
    { rewrite E, level_at by auto. exact Q. }
    destruct (le_lt_dec m (s + w)) as [H|H].
    - exists (S i), (s + w - m)%nat. repeat split; [lia|simpl; lia|]. simpl pow.
      apply Rle_trans with (f s * f w * f m ^ i); [|lra].
      replace (f (s + w - m) * (f m * f m ^ i)) with (f (s + w - m) * f m * f m ^ i) by ring.
      apply Rmult_le_compat_r; [lra|]. unfold f. rewrite minus_INR, plus_INR by lia.
      (* equal sums: the spread-out pair has the smaller product *)
      assert (0 <= (INR m - INR s) * (INR m - INR w)).
      { apply Rmult_le_pos; apply Rge_le, Rge_minus, Rle_ge, le_INR; lia. }
      assert (0 <= (a / INR c * (a / INR c)) * ((INR m - INR s) * (INR m - INR w)))
        by (apply Rmult_le_pos; auto; apply Rmult_le_pos; auto). lra.
    - exists i, (s + w)%nat. repeat split; [lia|lia|].
      apply Rle_trans with (f s * f w * f m ^ i); [|lra].
      apply Rmult_le_compat_r; [lra|]. unfold f. rewrite plus_INR.
      assert (0 <= INR s * INR w) by (apply Rmult_le_pos; apply pos_INR).
      assert (0 <= (a / INR c * (a / INR c)) * (INR s * INR w))
        by (apply Rmult_le_pos; auto; apply Rmult_le_pos; auto). lra.
  Qed.

  Lemma level_mono g h : (g <= h)%nat -> step_level g <= step_level h.
  Proof.
    intros H. induction H as [|h H IH]; [lra|]. eapply Rle_trans; [exact IH|]. clear IH H g.
    rewrite (Nat.div_mod h m) by lia. set (i := (h / m)%nat). set (s := (h mod m)%nat).
    assert (Hs : (s < m)%nat) by (apply Nat.mod_upper_bound; lia).
    rewrite (Nat.mul_comm m i), level_at by auto.
    assert (P : 0 < f m ^ i) by (apply pow_lt; assert (Q := f_ge1 m); lra).
    assert (R0 := rate_pos).
    destruct (Nat.eq_dec (S s) m) as [E|E].
    - replace (S (i * m + s)) with (S i * m + 0)%nat by (simpl; lia). rewrite level_at by lia.
      simpl pow. replace (f 0) with 1 by (unfold f; simpl; ring).
      rewrite Rmult_1_l. apply Rmult_le_compat_r; [lra|]. unfold f.
      apply Rplus_le_compat_l, Rmult_le_compat_r; auto. apply le_INR; lia.
    - replace (S (i * m + s)) with (i * m + S s)%nat by lia. rewrite level_at by lia.
      apply Rmult_le_compat_r; [lra|]. unfold f.
      apply Rplus_le_compat_l, Rmult_le_compat_r; auto. apply le_INR; lia.
  Qed.

  Theorem level_largest (k : nat -> R) (delta L : R) (B : nat) : k 0%nat <= 0 ->
    (forall g w, (w <= m)%nat -> (g + w <= B)%nat ->
       INR c * (k (g + w)%nat - k g) <= INR w * (a * k g + a * delta * L)) ->
    forall g, (g <= B)%nat -> k g <= delta * L * (step_level g - 1).
  Proof.
    intros K0 HI. assert (Hc : 0 < INR c) by (apply lt_0_INR; lia).
    (* k + delta L grows by the factor f w at most *)
    assert (Up : forall g w, (w <= m)%nat -> (g + w <= B)%nat ->
              k (g + w)%nat + delta * L <= f w * (k g + delta * L)).
    { intros g w Hw Hg. specialize (HI g w Hw Hg). apply Rmult_le_reg_l with (INR c); auto.
      unfold f. replace (INR c * ((1 + INR w * (a / INR c)) * (k g + delta * L)))
        with (INR c * (k g + delta * L) + INR w * (a * k g + a * delta * L)) by (field; lra). lra. }
    assert (P : forall i, (i * m <= B)%nat -> k (i * m)%nat + delta * L <= f m ^ i * (delta * L)).
    { induction i as [|i IH]; intros Hi; [simpl; lra|].
      replace (S i * m)%nat with (i * m + m)%nat in * by lia. specialize (IH ltac:(lia)).
      eapply Rle_trans; [apply Up; auto|]. simpl pow. rewrite Rmult_assoc. apply Rmult_le_compat_l; auto.
      assert (Q := f_ge1 m). lra. }
    intros g Hg. rewrite (Nat.div_mod g m) in * by lia. set (i := (g / m)%nat) in *. set (s := (g mod m)%nat) in *.
    assert (Hs : (s < m)%nat) by (apply Nat.mod_upper_bound; lia). rewrite (Nat.mul_comm m i) in *.
    rewrite level_at by auto. assert (U := Up (i * m)%nat s ltac:(lia) Hg). assert (V := P i ltac:(lia)).
    assert (f s * (k (i * m)%nat + delta * L) <= f s * (f m ^ i * (delta * L)))
      by (apply Rmult_le_compat_l; auto; assert (Q := f_ge1 s); lra). lra.
  Qed.

  Lemma level_ge1 g : 1 <= step_level g.
  Proof.
    apply Rle_trans with (step_level 0); [|apply level_mono; lia].
    replace 0%nat with (0 * m + 0)%nat by lia. rewrite level_at by lia. unfold f. simpl. lra.
  Qed.
End Level.

Section StepPrice.
  Variable I : problem.
  Variables room m : Res I -> nat.
  Variables U L : Res I -> R.
  Variables a delta : R.
  Hypothesis m_range : forall r, In r (resources I) -> (1 <= m r <= room r)%nat.
  Hypothesis cap_pos : forall r, In r (resources I) -> (1 <= stock I r)%nat.
  Hypothesis use_m : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (use s r <= m r)%nat.
  Hypothesis L_pos : forall r, In r (resources I) -> 0 < L r.
  Hypothesis U_full : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (1 <= use s r)%nat -> val s <= U r * INR (use s r).
  Hypothesis L_low : forall j s, In j (all_jobs I) -> In s (scheds I j) ->
    rsum (fun r => L r * INR (use s r)) (resources I) <= val s.
  Hypothesis a_pos : 0 <= a.
  Hypothesis delta_pos : 0 < delta.
  Hypothesis reach : forall r, In r (resources I) ->
    U r <= delta * L r * (step_level (stock I r) (m r) a (N room m r) - 1).

  Definition priceS r g := delta * L r * (step_level (stock I r) (m r) a g - 1).

  Theorem step_competitive slack error ds ms g' x :
    0 <= slack <= a -> (forall j, In j (all_jobs I) -> 0 <= error j) ->
    run I (linear priceS room slack error) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= a * (1 + delta) * collected I ds + rsum error (all_jobs I).
  Proof.
    intros Hs He Hr Hx.
    assert (HA : forall r, In r (resources I) -> 0 < delta * L r)
      by (intros; apply Rmult_lt_0_compat; auto).
    assert (H1 : forall r g, In r (resources I) -> 1 <= step_level (stock I r) (m r) a g).
    { intros r g Hin. apply level_ge1; auto. apply (m_range r Hin). }
    assert (Hm : forall r g h, In r (resources I) -> (g <= h)%nat ->
              step_level (stock I r) (m r) a g <= step_level (stock I r) (m r) a h).
    { intros r g h Hin. apply level_mono; auto. apply (m_range r Hin). }
    assert (D0 : supply I (fun r => priceS r O) = 0).
    { unfold supply. rewrite (rsum_ext _ (fun _ => 0)); [apply rsum_zero|].
      intros r Hin. unfold priceS. assert (E := level_at (stock I r) (m r) a 0%nat 0%nat).
      simpl in E. rewrite E by (specialize (m_range r Hin); lia). ring. }
    enough (primal I x <= (a + a * delta) * collected I ds + rsum error (all_jobs I)
              + supply I (fun r => priceS r O)) by lra.
    apply (master_competitive I (linear priceS room slack error) priceS a (a * delta) L)
      with (ms := ms) (g' := g'); simpl Online.slack; try tauto; auto.
    - apply Rmult_le_pos; lra.
    - intros r Hin. unfold priceS. assert (Q := H1 r O Hin). apply Rmult_le_pos; [left; auto|lra].
    - intros r g Hin _. unfold priceS. apply Rmult_le_compat_l; [left; auto|].
      apply Rplus_le_compat_r. auto.
    - intros j s r g _ _ _ _. simpl. lra.
    - intros j s r g Hj Hs' Hin Hg1 Hover. unfold priceS. simpl in Hg1, Hover.
      assert (Hu := use_m j s r Hj Hs' Hin). assert (Hr1 := m_range r Hin).
      eapply Rle_trans; [apply (U_full j s r); auto; lia|].
      apply Rmult_le_compat_r; [apply pos_INR|].
      eapply Rle_trans; [apply reach; auto|]. apply Rmult_le_compat_l; [left; auto|].
      apply Rplus_le_compat_r, Hm; auto. unfold N. lia.
    - intros j s r g Hj Hs' Hin _. simpl. unfold priceS.
      assert (Q : step_level (stock I r) (m r) a (g + use s r) <=
                  step_level (stock I r) (m r) a g * (1 + INR (use s r) * (a / INR (stock I r))))
        by (apply level_step; auto; [apply (m_range r Hin)|apply (use_m j); auto]).
      assert (Ha := HA r Hin). assert (Hc : 0 < INR (stock I r)) by (apply lt_0_INR, cap_pos; auto).
      set (G := step_level (stock I r) (m r) a g) in *. set (G' := step_level (stock I r) (m r) a (g + use s r)) in *.
      assert (E : INR (stock I r) * (G' - G) <= a * (INR (use s r) * G)).
      { apply Rle_trans with (INR (stock I r) * (G * (1 + INR (use s r) * (a / INR (stock I r))) - G)).
        - apply Rmult_le_compat_l; lra.
        - right. field. lra. }
      assert (delta * L r * (INR (stock I r) * (G' - G)) <= delta * L r * (a * (INR (use s r) * G)))
        by (apply Rmult_le_compat_l; lra).
      lra.
  Qed.
End StepPrice.

Arguments priceS {I}.
