(** * T6' what small demands repair of the published price, and what they do not.

    [published r g]   L_r (U_r/L_r)^(g/c_r): the published table, U_r per unit of r alone
    [priceP c L U g]  the same on one resource (Counterexamples.v)

    T6' [published_competitive]  OPT <= lambda (theta P + sum c L), where on every resource
                      lambda >= (U/L)^((m-1)/c) and theta >= 1, (c/m)((U/L)^(m/c) - 1): lambda times the final
                      prices are dual feasible.  This repairs E1 and E2 as (m/c) ln(U/L) -> 0
    E3  [total_units_false_any]  U by total units, any capacity c >= 2, all demands 1: the booked dual is
                      below the optimum
    E4  [single_resource_low_false_any]  L per single resource, any capacity: nobody is accepted *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online Master Powers Counterexamples.
Import ListNotations.
Open Scope R_scope.

Section Published.
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

  Definition qP r := root (U r / L r) (stock I r).
  Definition published r g := L r * qP r ^ g.

  Theorem published_competitive lambda theta ds ms g' x :
    1 <= lambda -> 1 <= theta ->
    (forall r, In r (resources I) -> qP r ^ (m r - 1) <= lambda) ->
    (forall r, In r (resources I) -> INR (stock I r) / INR (m r) * (qP r ^ m r - 1) <= theta) ->
    run I (exact published) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= lambda * (theta * collected I ds + rsum (fun r => INR (stock I r) * L r) (resources I)).
  Proof.
    intros Hl Ht Hlam Hth Hr Hx.
    assert (Hq : forall r, In r (resources I) -> 1 <= qP r).
    { intros r Hin. apply root_ge1; [apply ratio_ge1; auto|specialize (m_range r Hin); lia]. }
    assert (Hk : forall r g, In r (resources I) -> 0 < published r g).
    { intros r g Hin. apply Rmult_lt_0_compat; auto. apply pow_lt. specialize (Hq r Hin). lra. }
    assert (Hlt : 1 * 1 <= lambda * theta) by (apply Rmult_le_compat; lra).
    assert (M : primal I x <= (lambda * theta + 0) * collected I ds + rsum (fun _ => 0) (all_jobs I) +
                  supply I (fun r => lambda * published r O)).
    { apply (master_competitive I (exact published) (fun r g => lambda * published r g) (lambda * theta) 0 (fun _ => 0))
        with (ms := ms) (g' := g'); simpl slack; auto; try lra.
      - intros j _. simpl. lra.
      - intros r Hin. apply Rmult_le_pos; [lra|left; auto].
      - intros r g Hin _. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [left; auto|].
        apply pow_mono_exp; auto.
      - intros j s r g _ _ Hin _. simpl. apply Rmult_le_compat_r; [apply pos_INR|].
        assert (P := Hk r g Hin). assert (1 * published r g <= lambda * published r g) by (apply Rmult_le_compat_r; lra). lra.
      - intros j s r g Hj Hs Hin Hg Hover. simpl in Hg, Hover.
        assert (Hu := use_m j s r Hj Hs Hin). assert (Hm := m_range r Hin).
        eapply Rle_trans; [apply (U_full j s r); auto; lia|]. apply Rmult_le_compat_r; [apply pos_INR|].
        assert (HL := L_pos r Hin). assert (1 <= U r / L r) by (apply ratio_ge1; auto).
        assert (E : qP r ^ stock I r = U r / L r) by (apply root_pow; lra || lia).
        apply Rle_trans with (qP r ^ (m r - 1) * published r g).
        + unfold published. replace (U r) with (L r * (U r / L r)) by (field; lra). rewrite <- E.
          replace (qP r ^ (m r - 1) * (L r * qP r ^ g)) with (L r * (qP r ^ (m r - 1 + g))) by (rewrite pow_add; ring).
          apply Rmult_le_compat_l; [lra|]. apply pow_mono_exp; auto. lia.
        + apply Rmult_le_compat_r; [left; auto|auto].
      - intros j s r g Hj Hs Hin _. simpl. unfold published. set (w := use s r).
        assert (Hu := use_m j s r Hj Hs Hin). fold w in Hu. assert (Hm := m_range r Hin).
        assert (Hmp : 0 < INR (m r)) by (apply lt_0_INR; lia).
        assert (C := pow_chord (qP r) w (m r) (Hq r Hin) Hu). assert (Hw : 0 <= INR w) by apply pos_INR.
        assert (D : INR (stock I r) * (qP r ^ w - 1) <= theta * INR w).
        { apply Rle_trans with (INR (stock I r) / INR (m r) * (qP r ^ m r - 1) * INR w).
          - apply Rmult_le_reg_r with (INR (m r)); auto.
            replace (INR (stock I r) / INR (m r) * (qP r ^ m r - 1) * INR w * INR (m r))
              with (INR (stock I r) * ((qP r ^ m r - 1) * INR w)) by (field; lra).
            rewrite Rmult_assoc. apply Rmult_le_compat_l; [apply pos_INR|exact C].
          - apply Rmult_le_compat_r; auto. }
        assert (P : 0 <= lambda * (L r * qP r ^ g)).
        { apply Rmult_le_pos; [lra|]. left. apply (Hk r g Hin). }
        rewrite pow_add.
        assert (lambda * (L r * qP r ^ g) * (INR (stock I r) * (qP r ^ w - 1)) <=
                lambda * (L r * qP r ^ g) * (theta * INR w)) by (apply Rmult_le_compat_l; auto). lra.
      - intros j s Hj Hs. rewrite (rsum_ext _ (fun _ => 0)), rsum_zero by (intros; ring). eauto. }
    rewrite rsum_zero in M. unfold supply in M.
    rewrite (rsum_ext _ (fun r => lambda * (INR (stock I r) * L r))), rsum_scal in M
      by (intros; unfold published; simpl; ring). lra.
  Qed.
End Published.

(* E3: c jobs worth 4 on node true, then c gangs worth 8 over both nodes; 4 = 8/2 is the most per unit of
   a whole bundle *)
Section TotalUnits.
  Variable c : nat.
  Hypothesis c2 : (2 <= c)%nat.
  Let first : sched bool := mkS 4 (fun node : bool => if node then 1%nat else 0%nat).
  Let I := Problem bool [true; false] (fun _ => c) nat (seq 0 c ++ seq c c)
             (fun j => if (j <? c)%nat then [first] else [gang 8 1]).
  Let k := fun _ : Res I => priceP c (1 / 8) 4.
  Let q := root 32 c.

  Lemma total_price r g : k r g = 1 / 8 * q ^ g.
  Proof. unfold k, priceP, q. replace (4 / (1 / 8)) with 32 by lra. reflexivity. Qed.
  Lemma total_full : q ^ c = 32.
  Proof. apply root_pow; lra || lia. Qed.
  Lemma total_steep : 1 < q.
  Proof.
    assert (H : 1 <= q) by (apply root_ge1; lra || lia). destruct H as [|E]; auto.
    assert (F := total_full). rewrite <- E, pow1 in F. lra.
  Qed.

  Fixpoint filled (n : nat) : state I := match n with O => empty I | S i => add I (filled i) first end.
  Lemma filled_loads n : filled n true = n /\ filled n false = O.
  Proof. induction n as [|n [A B]]; [split; reflexivity|]. simpl. unfold add. rewrite A, B. simpl. lia. Qed.
  Lemma filled_payoff n : payoff I (exact k) (filled n) first = 4 - 1 / 8 * q ^ n.
  Proof. destruct (filled_loads n) as [A B]. unfold payoff. simpl. rewrite A, B, !total_price. ring. Qed.

  Definition booked (a : nat) : R := 1 * (4 - 1 / 8 * q ^ a) + 0.
  Lemma total_second n a : (c <= a)%nat ->
    run I (exact k) (filled c) (seq a n) (repeat None n) (repeat 0 n) (filled c).
  Proof.
    revert a. induction n as [|n IH]; intros a Ha; simpl; [constructor|]. econstructor; [|apply IH; lia].
    apply (step_reject I (exact k)). intros s Hs F. simpl in Hs.
    destruct (Nat.ltb_spec a c) as [|_]; [lia|]. destruct Hs as [<-|[]].
    specialize (F true (or_introl eq_refl)). rewrite (proj1 (filled_loads c)) in F. simpl in F. lia.
  Qed.
  Lemma total_first n a js ds ms g' : (a + n = c)%nat -> run I (exact k) (filled c) js ds ms g' ->
    run I (exact k) (filled a) (seq a n ++ js) (repeat (Some first) n ++ ds) (map booked (seq a n) ++ ms) g'.
  Proof.
    revert a. induction n as [|n IH]; intros a Ha Hr; simpl.
    - replace a with c by lia. exact Hr.
    - econstructor; [|apply (IH (S a)); [lia|exact Hr]].
      unfold booked. rewrite <- filled_payoff. apply (step_accept I (exact k)).
      + simpl. destruct (Nat.ltb_spec a c); [left; reflexivity|lia].
      + intros r _. destruct (filled_loads a) as [A B]. destruct r; [rewrite A|rewrite B]; simpl; lia.
      + rewrite filled_payoff. assert (P := Rlt_pow q a c total_steep ltac:(lia)). rewrite total_full in P. lra.
      + intros s' Hs _. simpl in Hs. destruct (Nat.ltb_spec a c); [|lia]. destruct Hs as [<-|[]]. simpl. lra.
  Qed.

  Lemma sum_over_app {A} (f : A -> R) l l' : rsum f (l ++ l') = rsum f l + rsum f l'.
  Proof. induction l; simpl; lra. Qed.
  Lemma sum_const {A} (l : list A) x : rsum (fun _ => x) l = INR (length l) * x.
  Proof. induction l as [|a l IH]; [simpl; ring|]. cbn [rsum length]. rewrite S_INR, IH. ring. Qed.

  Theorem total_units_false_any : exists ds ms g' x,
    run I (exact k) (empty I) (all_jobs I) ds ms g' /\ lp_feasible I x /\
    rsum (fun m => m) ms + supply I (at_price I k g') < primal I x /\
    8 - cost I (at_price I k g') (gang 8 1) = 31 / 8.
  Proof.
    destruct (filled_loads c) as [FA FB].
    exists (repeat (Some first) c ++ repeat None c), (map booked (seq 0 c) ++ repeat 0 c), (filled c),
      (fun j _ => if (j <? c)%nat then 0 else 1).
    assert (One : forall j, (j <? c)%nat = true \/ (j <? c)%nat = false) by (intros j; destruct (j <? c)%nat; auto).
    assert (Lo : forall f : nat -> R, rsum (fun j => if (j <? c)%nat then 0 else f j) (seq 0 c ++ seq c c) = rsum f (seq c c)).
    { intros f. rewrite sum_over_app, (rsum_ext _ (fun _ => 0)), rsum_zero.
      - rewrite (rsum_ext _ f); [lra|]. intros j Hj. apply in_seq in Hj. destruct (Nat.ltb_spec j c); [lia|reflexivity].
      - intros j Hj. apply in_seq in Hj. destruct (Nat.ltb_spec j c); [reflexivity|lia]. }
    split; [apply (total_first c 0); [lia|apply total_second; lia]|]. split; [|split].
    - repeat split.
      + intros j s _ _. destruct (j <? c)%nat; lra.
      + intros j _. simpl. destruct (j <? c)%nat; simpl; lra.
      + intros r _. change (stock I r) with c.
        rewrite (rsum_ext _ (fun j => if (j <? c)%nat then 0 else 1)).
        * change (all_jobs I) with (seq 0 c ++ seq c c). rewrite (Lo (fun _ => 1)), sum_const, seq_length. lra.
        * intros j _. simpl. destruct (j <? c)%nat; simpl; lra.
    - assert (P : primal I (fun j _ => if (j <? c)%nat then 0 else 1) = INR c * 8).
      { unfold primal. rewrite (rsum_ext _ (fun j => if (j <? c)%nat then 0 else 8)).
        - change (all_jobs I) with (seq 0 c ++ seq c c). rewrite (Lo (fun _ => 8)), sum_const, seq_length. lra.
        - intros j _. simpl. destruct (j <? c)%nat; simpl; lra. }
      eapply Rlt_le_trans; [|right; symmetry; exact P]. rewrite sum_over_app.
      assert (Z0 : forall n, rsum (fun m : R => m) (repeat 0 n) = 0) by (induction n; simpl; lra).
      rewrite Z0. unfold supply, at_price. simpl resources. cbn [rsum]. rewrite FA, FB, !total_price, total_full.
      change (stock I true) with c. change (stock I false) with c.
      assert (B : rsum (fun m : R => m) (map booked (seq 0 c)) < INR c * (4 - 1 / 8)).
      { assert (M : forall l, rsum (fun m : R => m) (map booked l) = rsum booked l) by (induction l; simpl; lra).
        rewrite M. assert (E : c = S (S (c - 2))) by lia. rewrite E. set (i := (c - 2)%nat). cbn [seq rsum]. rewrite !S_INR.
        assert (T : rsum booked (seq 2 i) <= rsum (fun _ => 4 - 1 / 8) (seq 2 i)).
        { apply rsum_le. intros j _. unfold booked. assert (H := pow_ge1 q j ltac:(left; apply total_steep)). lra. }
        rewrite sum_const, seq_length in T. assert (S1 := total_steep). unfold booked at 1 2. simpl pow. lra. }
      simpl pow. lra.
    - unfold cost, at_price. simpl resources. cbn [rsum]. rewrite FA, FB, !total_price, total_full. simpl. lra.
  Qed.
End TotalUnits.

(* E4: c jobs, each worth 1 on all of d resources of capacity c; L_r = U_r = 1 = value per unit of r *)
Theorem single_resource_low_false_any (c d : nat) : (1 <= c)%nat -> (1 <= d)%nat ->
  let I := Problem nat (seq 0 d) (fun _ => c) nat (seq 0 c) (fun _ => [gang 1 1]) in
  let k := fun _ : Res I => priceP c 1 1 in
  (exists x, lp_feasible I x /\ primal I x = INR c) /\
  (forall ds ms g', run I (exact k) (empty I) (all_jobs I) ds ms g' -> collected I ds = 0).
Proof.
  intros Hc Hd I k. split.
  - exists (fun _ _ => 1). repeat split; try (intros; simpl; lra).
    + intros r _. rewrite (rsum_ext _ (fun _ => 1)) by (intros; simpl; lra). rewrite sum_const.
      change (all_jobs I) with (seq 0 c). rewrite seq_length. simpl. lra.
    + unfold primal. rewrite (rsum_ext _ (fun _ => 1)) by (intros; simpl; lra). rewrite sum_const.
      change (all_jobs I) with (seq 0 c). rewrite seq_length. lra.
  - assert (P : payoff I (exact k) (empty I) (gang 1 1) = 1 - INR d).
    { unfold payoff. rewrite (rsum_ext _ (fun _ => 1)).
      - rewrite sum_const. change (resources I) with (seq 0 d). rewrite seq_length. simpl. ring.
      - intros r _. unfold exact, linear, k, priceP, empty. simpl. ring. }
    apply le_INR in Hd. simpl in Hd.
    assert (All : forall js ds ms g', run I (exact k) (empty I) js ds ms g' -> collected I ds = 0).
    { induction js as [|j js IH]; intros ds ms g' Hr; inversion Hr as [|g0 j0 dd mu g1 js0 ds0 ms0 g2 St Rr]; subst; [reflexivity|].
      inversion St; subst.
      - exfalso. simpl in H. destruct H as [<-|[]]. assert (Q := Rlt_le_trans _ _ _ H1 (Req_le _ _ P)). lra.
      - assert (Q := IH _ _ _ Rr). change (0 + collected I ds0 = 0). lra. }
    intros ds ms g' Hr. exact (All _ _ _ _ Hr).
Qed.
