(** * L3 the discrete increment, T4 the master theorem, T4' inexact maximiser, T4'' augmentation.

    A rule charges [charge r g w]; the analysis uses a dual price [dp r g], which may be another
    table (for linear pricing dp is the price itself).  Hypotheses, for every schedule s of every
    job, with w = use s r:
    [price_nonneg], [price_mono]  (M) dp r 0 >= 0 and dp r is non-decreasing up to room r
    [charge_low]   what a fitting schedule is charged is at most dp_r(g) w
    [price_full]   (F) if g + w > room r then dp_r(g) w >= val s: ONE resource prices s out
    [price_inc]    (I) cap_r (dp_r(g+w) - dp_r(g)) <= t1 charge + t2 L_r w while s fits
    [value_low]    (V) sum over r of L_r w <= val s
    [at_price dp g]  the prices in state g

    L3  [step_increment]  one arrival: mu_j + increase of sum cap_r k_r <= (t1+t2) gain + error
    T4  [final_dual_feasible], [master_competitive]: OPT <= (t1+t2) P + sum error + sum cap_r dp_r(0)
    T4' is the same statement: slack <= t1 costs nothing, errors add up
    T4'' is the same statement: room need not equal cap (more room for the algorithm than for OPT)
    T4  [master_delta]  if sum cap_r dp_r(0) <= delta OPT: OPT <= (t1+t2)/(1-delta) P (error 0) *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online.
Import ListNotations.
Open Scope R_scope.

Section Master.
  Variable I : problem.
  Variable A : rule I.
  Variable dp : Res I -> nat -> R.
  Variables t1 t2 : R.
  Variable L : Res I -> R.

  Definition at_price (g : state I) : Res I -> R := fun r => dp r (g r).

  Definition price_nonneg := forall r, In r (resources I) -> 0 <= dp r O.
  Definition price_mono := forall r g, In r (resources I) -> (g < room A r)%nat -> dp r g <= dp r (S g).
  Definition charge_low := forall j s r g,
    In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) -> (g + use s r <= room A r)%nat ->
    charge A r g (use s r) <= dp r g * INR (use s r).
  Definition price_full := forall j s r g,
    In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (g <= room A r)%nat -> (room A r < g + use s r)%nat -> val s <= dp r g * INR (use s r).
  Definition price_inc := forall j s r g,
    In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) -> (g + use s r <= room A r)%nat ->
    INR (stock I r) * (dp r (g + use s r) - dp r g)
      <= t1 * charge A r g (use s r) + t2 * (L r * INR (use s r)).
  Definition value_low := forall j s, In j (all_jobs I) -> In s (scheds I j) ->
    rsum (fun r => L r * INR (use s r)) (resources I) <= val s.

  Hypothesis slack_pos : 0 <= slack A.
  Hypothesis slack_t1 : slack A <= t1.
  Hypothesis error_pos : forall j, In j (all_jobs I) -> 0 <= error A j.
  Hypothesis t2_pos : 0 <= t2.
  Hypothesis nonneg : price_nonneg.
  Hypothesis mono : price_mono.
  Hypothesis low : charge_low.
  Hypothesis full : price_full.
  Hypothesis inc : price_inc.
  Hypothesis worth : value_low.

  Lemma price_le r a b : In r (resources I) -> (a <= b <= room A r)%nat -> dp r a <= dp r b.
  Proof.
    intros Hr [Hab Hb]. induction Hab as [|b Hab IH]; [lra|].
    eapply Rle_trans; [apply IH; lia|]. apply mono; auto; lia.
  Qed.
  Lemma price_pos r g : In r (resources I) -> (g <= room A r)%nat -> 0 <= dp r g.
  Proof. intros Hr Hg. eapply Rle_trans; [apply (nonneg r Hr)|]. apply price_le; auto; lia. Qed.

  (* at any later prices k', the value booked at j's arrival still covers every schedule of j *)
  Lemma step_dual g j d mu g1 k' :
    In j (all_jobs I) -> (forall r, In r (resources I) -> (g r <= room A r)%nat) ->
    (forall r, In r (resources I) -> at_price g r <= k' r) ->
    step I A g j d mu g1 -> mustar I k' j <= mu.
  Proof.
    intros Hj Hg Hk Hs. assert (E := error_pos j Hj).
    assert (Hpos : 0 <= mu).
    { destruct Hs as [s _ _ P _|_]; auto.
      assert (0 <= slack A * payoff I A g s) by (apply Rmult_le_pos; lra). lra. }
    assert (Hbest : forall s', In s' (scheds I j) -> fits I A g s' -> payoff I A g s' <= mu)
      by (destruct Hs; auto).
    apply maxpay_lub; auto. intros s Hs'.
    assert (Hc : cost I (at_price g) s <= cost I k' s).
    { apply rsum_le. intros r Hr. apply Rmult_le_compat_r; [apply pos_INR|auto]. }
    destruct (fits_or_blocked I A g s) as [Fs|(r & Hr & Hov)].
    - specialize (Hbest s Hs' Fs). unfold payoff in Hbest.
      assert (rsum (fun r => charge A r (g r) (use s r)) (resources I) <= cost I (at_price g) s).
      { apply rsum_le. intros r Hr. apply (low j s r (g r)); auto. }
      lra.
    - assert (Hv : val s <= at_price g r * INR (use s r)) by (apply (full j); auto).
      assert (at_price g r * INR (use s r) <= cost I (at_price g) s).
      { unfold cost. apply (rsum_ge_one (fun r => at_price g r * INR (use s r)) _ r Hr).
        intros x Hx. apply Rmult_le_pos; [|apply pos_INR]. apply price_pos; auto. }
      lra.
  Qed.

  Lemma step_increment g j d mu g1 :
    In j (all_jobs I) -> step I A g j d mu g1 ->
    mu + (supply I (at_price g1) - supply I (at_price g)) <= (t1 + t2) * gain I d + error A j.
  Proof.
    intros Hj Hs. destruct Hs as [s Hin F Pp B|B]; simpl; [|lra].
    unfold supply. rewrite <- rsum_minus. set (c := rsum (fun r => charge A r (g r) (use s r)) (resources I)).
    assert (H : rsum (fun r => INR (stock I r) * at_price (add I g s) r - INR (stock I r) * at_price g r)
                 (resources I) <= t1 * c + t2 * rsum (fun r => L r * INR (use s r)) (resources I)).
    { unfold c. rewrite <- !rsum_scal, <- rsum_plus. apply rsum_le. intros r Hr.
      unfold at_price, add. assert (Q := inc j s r (g r) Hj Hin Hr (F r Hr)). lra. }
    assert (V := worth j s Hj Hin). unfold payoff in *. fold c in Pp |- *.
    assert ((t1 - slack A) * c <= (t1 - slack A) * val s) by (apply Rmult_le_compat_l; lra).
    assert (t2 * rsum (fun r => L r * INR (use s r)) (resources I) <= t2 * val s)
      by (apply Rmult_le_compat_l; lra).
    lra.
  Qed.

  Lemma run_dual g js ds ms g' : run I A g js ds ms g' ->
    (forall j, In j js -> In j (all_jobs I)) ->
    (forall r, In r (resources I) -> (g r <= room A r)%nat) ->
    rsum (mustar I (at_price g')) js <= rsum (fun m => m) ms.
  Proof.
    induction 1 as [g|g j d mu g1 js ds ms g' Hs Hr IH]; intros Hin Hg; simpl; [lra|].
    assert (C := step_capacity _ _ _ _ _ _ _ Hs Hg).
    assert (C1 : forall r, In r (resources I) -> (g1 r <= room A r)%nat) by (intros; apply C; auto).
    assert (C2 := proj1 (run_capacity _ _ _ _ _ _ _ Hr C1)).
    assert (D := IH (fun j0 H => Hin j0 (or_intror H)) C1).
    assert (G : mustar I (at_price g') j <= mu); [|lra].
    apply (step_dual g j d mu g1); auto; [apply Hin; left; auto|].
    intros r Hr'. apply price_le; auto. specialize (C r Hr'). specialize (C2 r Hr'). lia.
  Qed.

  Lemma run_increment g js ds ms g' : run I A g js ds ms g' ->
    (forall j, In j js -> In j (all_jobs I)) ->
    rsum (fun m => m) ms + (supply I (at_price g') - supply I (at_price g))
      <= (t1 + t2) * collected I ds + rsum (error A) js.
  Proof.
    unfold collected. induction 1 as [g|g j d mu g1 js ds ms g' Hs Hr IH]; intros Hin; simpl; [lra|].
    assert (E := IH (fun j0 H => Hin j0 (or_intror H))).
    assert (F := step_increment _ _ _ _ _ (Hin j (or_introl eq_refl)) Hs). lra.
  Qed.

  Lemma final_prices ds ms g' :
    run I A (empty I) (all_jobs I) ds ms g' ->
    rsum (mustar I (at_price g')) (all_jobs I) <= rsum (fun m => m) ms /\
    (forall r, In r (resources I) -> 0 <= at_price g' r).
  Proof.
    intros Hr. split.
    - apply (run_dual _ _ _ _ _ Hr (fun j H => H) (fun r _ => Nat.le_0_l _)).
    - assert (C := proj1 (run_capacity _ _ _ _ _ _ _ Hr (fun r _ => Nat.le_0_l _))).
      intros r Hin. apply price_pos; auto. apply C; auto.
  Qed.

  Theorem final_dual_feasible ds ms g' x :
    run I A (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= rsum (fun m => m) ms + supply I (at_price g').
  Proof.
    intros Hr Hx. destruct (final_prices _ _ _ Hr) as [D Hk].
    assert (Q := certificate I _ x Hk Hx). unfold dual in Q. lra.
  Qed.

  Theorem master_competitive ds ms g' x :
    run I A (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= (t1 + t2) * collected I ds + rsum (error A) (all_jobs I) + supply I (fun r => dp r O).
  Proof.
    intros Hr Hx. assert (D := final_dual_feasible _ _ _ _ Hr Hx).
    assert (E := run_increment _ _ _ _ _ Hr (fun j H => H)).
    change (at_price (empty I)) with (fun r => dp r O) in E. lra.
  Qed.

  Corollary master_delta ds ms g' x delta :
    (forall j, error A j = 0) -> delta < 1 ->
    run I A (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    supply I (fun r => dp r O) <= delta * primal I x ->
    primal I x <= (t1 + t2) / (1 - delta) * collected I ds.
  Proof.
    intros He Hd Hr Hx HD. assert (M := master_competitive _ _ _ _ Hr Hx).
    rewrite (rsum_ext _ (fun _ => 0)), rsum_zero in M by auto.
    apply Rmult_le_reg_l with (1 - delta); [lra|].
    replace ((1 - delta) * ((t1 + t2) / (1 - delta) * collected I ds))
      with ((t1 + t2) * collected I ds) by (field; lra).
    lra.
  Qed.
End Master.
