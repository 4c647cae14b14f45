(** * T12 lower bound for bundles of mixed sizes, and T11 is within a factor 2 of it.

    One resource of c units, bundles of up to m units, values per unit in [L,U].  Write
    k = c/m (rounded down), N = c - m + 1, q = N/m and s = N mod m.
    [staircase_held c m L rho]   sstar k (m L) rho (s L) q: from s L, q times + m max(L, rho value/(k m)):
                       the value a rule of ratio rho has when it holds N units, too many for a
                       further bundle of m

    T12 [mixed_bundle_lower]  if rho held < k m U every rule has an instance with rho P < OPT: it must
                       take a first bundle of s units at L, then q bundles of m as their value rises
    T12 [step_within_two]  otherwise the step price with a = rho c/(k m) has
                       OPT <= 2 (c/(k m)) rho P: a factor 2 if m divides c, for EVERY U/L >= 1.
    Gangs 1, 2, 4, 8 on nodes of 4 or 8 GPUs are covered: lower and upper bound differ by at most 2. *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online Powers Exponential Threshold LowerBound Staircase StepPrice.
Import ListNotations.
Open Scope R_scope.

Definition staircase_held (c m : nat) (L rho : R) : R :=
  let N := (c - m + 1)%nat in
  sstar (c / m) (INR m * L) rho (INR (N mod m) * L) (N / m).

Lemma gotv_after alg h0 js : forall h, gotv alg (h ++ h0) js = gotv (fun g => alg (g ++ h0)) h js.
Proof.
  induction js as [|o js IH]; intros h; [reflexivity|]. cbn [gotv].
  change (o :: h ++ h0) with ((o :: h) ++ h0). rewrite IH. reflexivity.
Qed.
Lemma gotu_after alg h0 js : forall h, gotu alg (h ++ h0) js = gotu (fun g => alg (g ++ h0)) h js.
Proof.
  induction js as [|o js IH]; intros h; [reflexivity|]. cbn [gotu].
  change (o :: h ++ h0) with ((o :: h) ++ h0). rewrite IH. reflexivity.
Qed.

Theorem mixed_bundle_lower (alg : list offer -> bool) (c m : nat) (L U rho : R) :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> within_capacity alg c -> 0 < rho ->
  rho * staircase_held c m L rho < INR (c / m) * (INR m * U) ->
  exists js w x n, (forall o, In o js -> (1 <= fst o <= m)%nat /\
                      INR (fst o) * L <= snd o <= INR (fst o) * U) /\
    (exists pre, js = pre ++ repeat (w, x) n) /\ (n * w <= c)%nat /\   (* OPT >= n x *)
    rho * gotv alg [] js < INR n * x.
Proof.
  intros Hm HL HU Hobey Hrho Hlt. unfold staircase_held in Hlt.
  set (N := (c - m + 1)%nat) in *. set (k := (c / m)%nat) in *. set (s := (N mod m)%nat) in *.
  set (q := (N / m)%nat) in *.
  assert (Hmp : 0 < INR m) by (apply lt_0_INR; lia).
  assert (Hk : (1 <= k)%nat) by (apply Nat.div_le_lower_bound; lia).
  assert (Hkm : (k * m <= c)%nat) by (rewrite Nat.mul_comm; apply Nat.mul_div_le; lia).
  assert (HN : N = (m * q + s)%nat) by (apply Nat.div_mod; lia).
  assert (Hs : (s < m)%nat) by (apply Nat.mod_upper_bound; lia).
  assert (Hml : 0 < INR m * L) by (apply Rmult_lt_0_compat; auto).
  assert (Hmu : INR m * L < INR m * U) by (apply Rmult_lt_compat_l; auto).
  assert (Hsl : 0 <= INR s * L) by (apply Rmult_le_pos; [apply pos_INR|lra]).
  assert (Hrange : forall n, INR n * L <= INR n * U) by (intros; apply Rmult_le_compat_l; [apply pos_INR|lra]).
  (* the staircase against a rule that starts after the offers h0, holding s units *)
  assert (Main : forall h0, (forall o, In o h0 -> o = (s, INR s * L) /\ (1 <= s)%nat) ->
            gotu alg [] (rev h0) = s -> gotv alg [] (rev h0) = INR s * L ->
            exists js w x n, (forall o, In o js -> (1 <= fst o <= m)%nat /\
                      INR (fst o) * L <= snd o <= INR (fst o) * U) /\
              (exists pre, js = pre ++ repeat (w, x) n) /\ (n * w <= c)%nat /\
              rho * gotv alg [] js < INR n * x).
  { intros h0 H0 Hu Hv.
    destruct (staircase_lower (fun g => alg (g ++ h0)) m k q (INR s * L) (INR m * L) (INR m * U) rho)
      as (v & t & Hvr & H); auto.
    - destruct (Nat.eq_dec s 0) as [E|E]; [right|left].
      + destruct (Nat.eq_dec q 0) as [Z|Z]; [exfalso|lia]. rewrite E, Z in HN. unfold N in HN. lia.
      + apply Rmult_lt_0_compat; auto. apply lt_0_INR. lia.
    - intros v n. assert (O := Hobey (rev h0 ++ inst m k v n)).
      rewrite gotu_app, Hu, rev_involutive, app_nil_r in O.
      rewrite <- (app_nil_l h0) in O. rewrite gotu_after in O.
      rewrite (gotu_equal _ m) in O.
      + assert ((gotn (fun g => alg (g ++ h0)) [] (inst m k v n) < q + 1)%nat); [|lia].
        apply Nat.mul_lt_mono_pos_l with m; [lia|]. unfold N in HN. lia.
      + intros o Ho. destruct (inst_offers _ _ _ _ _ Ho) as (i & _ & ->). reflexivity.
    - exists (rev h0 ++ inst m k v (S t)), m, (v t), k. repeat split.
      + apply in_app_or in H1. destruct H1 as [H1|H1].
        * apply in_rev, H0 in H1. destruct H1 as [-> ?]. simpl. lia.
        * destruct (inst_offers _ _ _ _ _ H1) as (i & _ & ->). simpl. lia.
      + apply in_app_or in H1. destruct H1 as [H1|H1].
        * apply in_rev, H0 in H1. destruct H1 as [-> ?]. simpl. lia.
        * destruct (inst_offers _ _ _ _ _ H1) as (i & _ & ->). simpl. lia.
      + apply in_app_or in H1. destruct H1 as [H1|H1].
        * apply in_rev, H0 in H1. destruct H1 as [-> ?]. simpl. lra.
        * destruct (inst_offers _ _ _ _ _ H1) as (i & Hi & ->). simpl. apply Hvr. lia.
      + apply in_app_or in H1. destruct H1 as [H1|H1].
        * apply in_rev, H0 in H1. destruct H1 as [-> ?]. simpl. auto.
        * destruct (inst_offers _ _ _ _ _ H1) as (i & Hi & ->). simpl. apply Hvr. lia.
      + exists (rev h0 ++ inst m k v t). simpl. rewrite app_assoc. reflexivity.
      + exact Hkm.
      + rewrite gotv_app, Hv, rev_involutive, app_nil_r.
        rewrite <- (app_nil_l h0) at 1. rewrite gotv_after. exact H. }
  destruct (Nat.eq_dec s 0) as [E|E].
  - apply (Main []); simpl; [tauto|auto|]. rewrite E. simpl. ring.
  - destruct (alg [(s, INR s * L)]) eqn:A.
    + apply (Main [(s, INR s * L)]).
      * intros o [<-|[]]. split; [reflexivity|lia].
      * simpl. rewrite A. lia.
      * simpl. rewrite A. simpl. ring.
    + (* the rule refuses the first bundle: nothing else comes *)
      exists [(s, INR s * L)], s, (INR s * L), 1%nat. repeat split.
      * destruct H as [<-|[]]. simpl. lia.
      * destruct H as [<-|[]]. simpl. lia.
      * destruct H as [<-|[]]. simpl. lra.
      * destruct H as [<-|[]]. simpl. auto.
      * exists []. reflexivity.
      * unfold N in HN. lia.
      * simpl. rewrite A. assert (0 < INR s * L); [|lra].
        apply Rmult_lt_0_compat; auto. apply lt_0_INR; lia.
Qed.

(* the step price pays at least what the adversary forces *)
Lemma held_level c m L rho : (1 <= m <= c)%nat -> 0 < L -> 0 < rho ->
  let a := rho * INR c / (INR (c / m) * INR m) in
  staircase_held c m L rho <= L * (INR c / a) * (step_level c m a (c - m + 1) - 1).
Proof.
  intros Hm HL Hrho a. unfold staircase_held. set (N := (c - m + 1)%nat). set (k := (c / m)%nat) in *.
  set (s := (N mod m)%nat). set (q := (N / m)%nat).
  assert (Hs : (s < m)%nat) by (apply Nat.mod_upper_bound; lia).
  assert (HN : N = (q * m + s)%nat) by (rewrite Nat.mul_comm; apply Nat.div_mod; lia).
  assert (Hc : 0 < INR c) by (apply lt_0_INR; lia).
  assert (Hmp : 0 < INR m) by (apply lt_0_INR; lia).
  assert (Hk : 0 < INR k) by (apply lt_0_INR, Nat.div_str_pos; lia).
  assert (Hkm : 0 < INR k * INR m) by (apply Rmult_lt_0_compat; auto).
  assert (Ha : 0 < a).
  { unfold a. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; auto|apply Rinv_0_lt_compat; auto]. }
  rewrite HN. clear HN. clearbody q.
  induction q as [|q IH].
  - simpl (0 * m + s)%nat. assert (E := level_at c m a 0%nat s Hs). simpl in E. rewrite E.
    simpl sstar. right. field. lra.
  - cbn [sstar].
    rewrite level_at in * by lia. simpl pow.
    set (P := (1 + INR s * (a / INR c)) * (1 + INR m * (a / INR c)) ^ q) in *.
    set (S0 := sstar k (INR m * L) rho (INR s * L) q) in *.
    assert (S1 : 0 <= S0).
    { apply sstar_nonneg; [apply Rmult_lt_0_compat; auto|].
      apply Rmult_le_pos; [apply pos_INR|lra]. }
    assert (R0 : 0 <= rho / INR k * S0).
    { apply Rmult_le_pos; auto. apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]. }
    assert (Hml : 0 < INR m * L) by (apply Rmult_lt_0_compat; auto).
    apply Rle_trans with (S0 + (INR m * L + rho / INR k * S0)).
    + apply Rplus_le_compat_l. apply Rmax_lub; lra.
    + assert (Er : rho / INR k = INR m * (a / INR c)) by (unfold a; field; repeat split; lra).
      rewrite Er.
      replace (L * (INR c / a) * ((1 + INR s * (a / INR c)) *
                 ((1 + INR m * (a / INR c)) * (1 + INR m * (a / INR c)) ^ q) - 1))
        with (L * (INR c / a) * (P - 1) * (1 + INR m * (a / INR c)) + INR m * L)
        by (unfold P; field; lra).
      assert (0 <= INR m * (a / INR c)).
      { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]. }
      assert (S0 * (1 + INR m * (a / INR c)) <= L * (INR c / a) * (P - 1) * (1 + INR m * (a / INR c)))
        by (apply Rmult_le_compat_r; lra).
      lra.
Qed.

Theorem step_within_two I r (m : nat) (L U rho : R) ds ms g' x :
  resources I = [r] -> (1 <= m <= stock I r)%nat -> 0 < L -> 0 < U -> 1 <= rho ->
  (forall j s, In j (all_jobs I) -> In s (scheds I j) -> (use s r <= m)%nat /\
     INR (use s r) * L <= val s <= INR (use s r) * U) ->
  INR (stock I r / m) * (INR m * U) <= rho * staircase_held (stock I r) m L rho ->
  let gap := INR (stock I r) / (INR (stock I r / m) * INR m) in
  let a := rho * gap in
  let delta := U / (L * (step_level (stock I r) m a (stock I r - m + 1) - 1)) in
  run I (exact (priceS (fun _ => m) (fun _ => L) a delta)) (empty I) (all_jobs I) ds ms g' ->
  lp_feasible I x -> primal I x <= 2 * gap * rho * collected I ds.
Proof.
  intros HR Hm HL HU Hrho Huse Hheld gap a delta Hr Hx.
  set (c := stock I r) in *. set (k := (c / m)%nat) in *.
  assert (Hc : 0 < INR c) by (apply lt_0_INR; lia).
  assert (Hmp : 0 < INR m) by (apply lt_0_INR; lia).
  assert (Hk : (1 <= k)%nat) by (apply Nat.div_le_lower_bound; lia).
  assert (HkR : 0 < INR k) by (apply lt_0_INR; lia).
  assert (Hkm : 0 < INR k * INR m) by (apply Rmult_lt_0_compat; auto).
  assert (Hkc : INR k * INR m <= INR c).
  { rewrite <- mult_INR. apply le_INR. rewrite Nat.mul_comm. apply Nat.mul_div_le. lia. }
  assert (Hgap : 1 <= gap) by (apply ratio_ge1; auto).
  assert (Ha1 : 1 <= a) by (unfold a; assert (1 * 1 <= rho * gap) by (apply Rmult_le_compat; lra); lra).
  assert (HL2 := held_level c m L rho Hm HL ltac:(lra)). cbn zeta in HL2.
  replace (rho * INR c / (INR (c / m) * INR m)) with a in HL2
    by (unfold a, gap; fold k; field; lra).
  set (lev := step_level c m a (c - m + 1) - 1) in *.
  assert (Hlev : 0 < lev).
  { assert (0 < INR k * (INR m * U)) by (apply Rmult_lt_0_compat; auto; apply Rmult_lt_0_compat; auto).
    fold k in Hheld. destruct (Rle_lt_dec lev 0) as [H0|]; [exfalso|auto].
    assert (L * (INR c / a) * lev <= L * (INR c / a) * 0).
    { apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [lra|].
      apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]. }
    assert (rho * staircase_held c m L rho <= rho * 0) by (apply Rmult_le_compat_l; lra). lra. }
  assert (Hll : 0 < L * lev) by (apply Rmult_lt_0_compat; auto).
  assert (Hd : 0 < delta) by (apply Rmult_lt_0_compat; [auto|apply Rinv_0_lt_compat; auto]).
  assert (B : primal I x <= a * (1 + delta) * collected I ds + rsum (fun _ => 0) (all_jobs I)).
  { assert (only : forall y, In y (resources I) -> y = r).
    { intros y Hy. rewrite HR in Hy. destruct Hy as [<-|[]]; auto. }
    apply (step_competitive I (stock I) (fun _ => m) (fun _ => U) (fun _ => L) a delta)
      with (slack := 1) (ms := ms) (g' := g'); auto; try lra; try (intros; lra).
    - intros y Hy. rewrite (only y Hy). exact Hm.
    - intros y Hy. rewrite (only y Hy). fold c. lia.
    - intros j s y Hj Hs Hy. rewrite (only y Hy). apply (Huse j s); auto.
    - intros j s y Hj Hs Hy _. rewrite (only y Hy), Rmult_comm. apply (Huse j s); auto.
    - intros j s Hj Hs. rewrite HR. simpl. destruct (Huse j s Hj Hs) as [_ [Q _]]. lra.
    - intros y Hy. rewrite (only y Hy). unfold N. fold c. fold lev. right. unfold delta.
      fold lev. field. lra. }
  rewrite rsum_zero in B.
  assert (V0 : 0 <= collected I ds).
  { unfold collected. apply rsum_nonneg. intros d Hd'. destruct d as [s|]; simpl; [|lra].
    assert (Q : forall g js ds ms g', run I (exact (priceS (fun _ => m) (fun _ => L) a delta)) g js ds ms g' ->
              (forall j, In j js -> In j (all_jobs I)) -> forall s, In (Some s) ds -> 0 <= val s).
    { clear - Huse HL. induction 1 as [|g j d mu g1 js ds ms g' Hs Hr IH]; intros Hin s Hd; [destruct Hd|].
      destruct Hd as [->|Hd]; [|apply IH; auto; intros; apply Hin; right; auto].
      inversion Hs; subst. destruct (Huse j s) as [_ [Q _]]; auto; [apply Hin; left; auto|].
      assert (0 <= INR (use s r) * L) by (apply Rmult_le_pos; [apply pos_INR|lra]). lra. }
    eapply Q; eauto. }
  assert (E : a * delta <= gap * rho).
  { unfold delta. fold lev. fold k in Hheld.
    assert (F : INR k * (INR m * U) <= rho * (L * (INR c / a) * lev)).
    { eapply Rle_trans; [exact Hheld|]. apply Rmult_le_compat_l; lra. }
    replace (a * (U / (L * lev))) with (INR k * (INR m * U) * (a / (INR k * INR m * (L * lev))))
      by (field; lra).
    apply Rle_trans with (rho * (L * (INR c / a) * lev) * (a / (INR k * INR m * (L * lev)))).
    - apply Rmult_le_compat_r; auto. apply Rmult_le_pos; [lra|].
      left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; auto.
    - right. unfold gap. fold k. field. repeat split; lra. }
  apply Rle_trans with (a * (1 + delta) * collected I ds); [lra|].
  apply Rmult_le_compat_r; auto. unfold a in *. lra.
Qed.
