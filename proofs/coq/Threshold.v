(** * T9 discrete-optimal thresholds and T9' k-search with fallback: one resource, unit demand.

    [one_unit I r]  the instance has the single resource r, and every schedule uses one unit of it
    [upto p n]      p 0 + ... + p (n-1): the revenue of a posted table p after n sales
    [lam c tau L alpha g]   L below tau, then (alpha/c) tau L (1 + alpha/c)^(g - tau)
    [fall c L rho g]        L (1 + (rho-1)(1 + rho/c)^g)

    T9  [threshold_competitive]: values in (L,U], alpha >= 1, 1 <= tau <= c <= alpha tau,
        U <= (alpha/c) tau L (1+alpha/c)^(c-tau): the table lam has OPT <= alpha P.
        [table_competitive] is the same for any non-decreasing table whose first tau prices are
        below every value, with c p(n) <= alpha (upto p n) from tau on.
    T9' [fallback_competitive]: when each unit left over is worth L at the end (to both sides), the
        table fall has OPT + L (c - sold by OPT) <= rho (P + L (c - sold)), if U <= fall c. *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality Online Master.
Import ListNotations.
Open Scope R_scope.

Fixpoint upto (p : nat -> R) (n : nat) : R := match n with O => 0 | S i => upto p i + p i end.

Lemma upto_pos p c : (forall i, (i <= c)%nat -> 0 <= p i) ->
  forall n, (n <= c)%nat -> 0 <= upto p n.
Proof.
  intros Hp. induction n as [|n IH]; intros Hn; simpl; [lra|].
  assert (0 <= upto p n) by (apply IH; lia). assert (0 <= p n) by (apply Hp; lia). lra.
Qed.

Definition one_unit (I : problem) (r : Res I) : Prop :=
  resources I = [r] /\ forall j s, In j (all_jobs I) -> In s (scheds I j) -> use s r = 1%nat.

Section Posted.
  Variable I : problem.
  Variable r : Res I.
  Hypothesis unit_demand : one_unit I r.
  Variables (L U : R) (p : nat -> R).
  Let c := stock I r.
  Let A : rule I := exact (fun _ => p).
  Hypothesis val_high : forall j s, In j (all_jobs I) -> In s (scheds I j) -> val s <= U.
  Hypothesis p_pos : 0 <= p O.
  Hypothesis p_mono : forall i, (i < c)%nat -> p i <= p (S i).
  Hypothesis p_top : U <= p c.

  Lemma sum_one (f : Res I -> R) : rsum f (resources I) = f r.
  Proof. destruct unit_demand as [-> _]. simpl. ring. Qed.

  Lemma payoff_one g j s : In j (all_jobs I) -> In s (scheds I j) -> payoff I A g s = val s - p (g r).
  Proof.
    intros Hj Hs. unfold payoff. rewrite sum_one. simpl.
    rewrite (proj2 unit_demand j s Hj Hs). simpl. ring.
  Qed.

  (* dual values booked = value - posted revenue, and the revenue is at most the value *)
  Lemma booked_value g js ds ms g' : run I A g js ds ms g' ->
    (forall j, In j js -> In j (all_jobs I)) ->
    rsum (fun m => m) ms = collected I ds - (upto p (g' r) - upto p (g r)) /\
    upto p (g' r) - upto p (g r) <= collected I ds /\ (g r <= g' r)%nat.
  Proof.
    induction 1 as [g|g j d mu g1 js ds ms g' Hs Hr IH]; intros Hin.
    - unfold collected; simpl. split; [lra|split; [lra|lia]].
    - assert (Hj : In j (all_jobs I)) by (apply Hin; left; auto).
      destruct IH as (E & F & G); [intros; apply Hin; right; auto|].
      unfold collected in *. simpl rsum.
      destruct Hs as [s Q1 Q2 Q3 Q4|Q]; simpl gain in *; simpl in E |- *.
      + rewrite (payoff_one g j s Hj Q1) in *.
        unfold add in *. rewrite (proj2 unit_demand j s Hj Q1) in *.
        replace (g r + 1)%nat with (S (g r)) in * by lia. simpl upto in E, F.
        split; [lra|split; [lra|lia]].
      + split; [lra|split; [lra|lia]].
  Qed.

  (* n units sold: the price p(n) is dual feasible with duals of total value P - revenue *)
  Lemma posted_prices ds ms g' :
    run I A (empty I) (all_jobs I) ds ms g' ->
    rsum (mustar I (fun _ => p (g' r))) (all_jobs I) <= collected I ds - upto p (g' r) /\
    0 <= p (g' r) /\ upto p (g' r) <= collected I ds /\ (g' r <= c)%nat.
  Proof.
    intros Hr.
    destruct (booked_value _ _ _ _ _ Hr (fun j H => H)) as (E & F & _). simpl upto in E, F.
    assert (Hin : In r (resources I)) by (rewrite (proj1 unit_demand); left; auto).
    assert (only : forall y, In y (resources I) -> y = r).
    { intros y Hy. rewrite (proj1 unit_demand) in Hy. destruct Hy as [<-|[]]; auto. }
    assert (Hc := proj1 (run_capacity _ _ _ _ _ _ _ Hr (fun r _ => Nat.le_0_l _)) r Hin).
    destruct (final_prices I A (fun _ => p)) with (ds := ds) (ms := ms) (g' := g') as [D Hk];
      simpl; auto; try lra; try (intros; lra).
    - intros y Hy. auto.
    - intros y g Hy Hg. simpl in Hg. rewrite (only y Hy) in Hg. apply p_mono, Hg.
    - intros j s y g _ _ _ _. simpl. lra.
    - intros j s y g Hj Hs Hy Hg Hover. simpl in Hg, Hover. rewrite (only y Hy) in *.
      rewrite (proj2 unit_demand j s Hj Hs) in *. replace g with (stock I r) by lia.
      assert (val s <= U) by eauto. simpl. unfold c in p_top. lra.
    - repeat split; try lra; [|apply (Hk r Hin)|apply Hc].
      replace (rsum (mustar I (fun _ => p (g' r))) (all_jobs I))
        with (rsum (mustar I (at_price I (fun _ => p) g')) (all_jobs I)); [lra|].
      apply rsum_ext. intros j _. unfold mustar. generalize (scheds I j) as l.
      induction l as [|s l IH]; simpl; [reflexivity|]. rewrite IH. f_equal. f_equal.
      unfold cost. rewrite !sum_one. reflexivity.
  Qed.
End Posted.

Section Table.
  Variable I : problem.
  Variable r : Res I.
  Hypothesis unit_demand : one_unit I r.
  Variables (U alpha : R) (tau : nat) (p : nat -> R).
  Let c := stock I r.
  Hypothesis val_high : forall j s, In j (all_jobs I) -> In s (scheds I j) -> val s <= U.
  Hypothesis alpha1 : 1 <= alpha.
  Hypothesis tau_c : (1 <= tau <= c)%nat.
  Hypothesis p_pos : 0 <= p O.
  Hypothesis p_below : forall j s i, In j (all_jobs I) -> In s (scheds I j) -> (i < tau)%nat -> p i < val s.
  Hypothesis p_mono : forall i, (i < c)%nat -> p i <= p (S i).
  Hypothesis p_rec : forall n, (tau <= n <= c)%nat -> INR c * p n <= alpha * upto p n.
  Hypothesis p_top : U <= p c.

  (* fewer than tau units sold: nothing was ever turned away *)
  Lemma nothing_rejected g js ds ms g' : run I (exact (fun _ => p)) g js ds ms g' ->
    (forall j, In j js -> In j (all_jobs I)) -> (g' r < tau)%nat ->
    rsum (mustar I (fun _ => 0)) js <= collected I ds /\ (g r <= g' r)%nat.
  Proof.
    induction 1 as [g|g j d mu g1 js ds ms g' Hs Hr IH]; intros Hin Hlt.
    - unfold collected; simpl; split; [lra|lia].
    - assert (Hj : In j (all_jobs I)) by (apply Hin; left; auto).
      destruct IH as [B C]; [intros; apply Hin; right; auto|auto|].
      assert (Hfit : (g r < tau)%nat -> forall s, In s (scheds I j) ->
                fits I (exact (fun _ => p)) g s).
      { intros Hg s Hs' y Hy. rewrite (proj1 unit_demand) in Hy. destruct Hy as [<-|[]].
        rewrite (proj2 unit_demand j s Hj Hs'). simpl. unfold c in tau_c. lia. }
      assert (Hfree : forall s, val s - cost I (fun _ => 0) s = val s).
      { intros s. unfold cost. rewrite (rsum_ext _ (fun _ => 0)), rsum_zero by (intros; ring). ring. }
      unfold collected in *. simpl rsum.
      destruct Hs as [s Q1 Q2 Q3 Q4|Q]; simpl gain in *.
      + unfold add in C. rewrite (proj2 unit_demand j s Hj Q1) in C.
        assert (mustar I (fun _ => 0) j <= val s).
        { apply maxpay_lub; [assert (p O < val s) by (apply (p_below j); auto; lia); lra|].
          intros s' Hs'. rewrite Hfree. specialize (Q4 s' Hs' (Hfit ltac:(lia) s' Hs')).
          rewrite !(payoff_one I r unit_demand p g j) in Q4 by auto. simpl in Q4. lra. }
        split; [lra|lia].
      + assert (mustar I (fun _ => 0) j <= 0); [|split; [lra|lia]].
        apply maxpay_lub; [lra|]. intros s' Hs'. exfalso.
        specialize (Q s' Hs' (Hfit ltac:(lia) s' Hs')).
        rewrite (payoff_one I r unit_demand p g j) in Q by auto. simpl in Q.
        assert (p (g r) < val s') by (apply (p_below j); auto; lia). lra.
  Qed.

  Theorem table_competitive ds ms g' x :
    run I (exact (fun _ => p)) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= alpha * collected I ds.
  Proof.
    intros Hr Hx.
    assert (Hp : forall n, (n <= c)%nat -> 0 <= p n).
    { intros n; induction n as [|n IH]; intros Hn; [auto|].
      eapply Rle_trans; [apply IH; lia|apply p_mono; lia]. }
    destruct (posted_prices I r unit_demand U p) with (ds := ds) (ms := ms) (g' := g')
      as (B & K & F & C); auto; try (apply Hp; lia).
    assert (bound : forall y k, 0 <= k -> rsum (mustar I (fun _ => k)) (all_jobs I) <= y ->
              primal I x <= y + INR c * k).
    { intros y k Hk Hy. assert (Q := certificate I (fun _ => k) x (fun _ _ => Hk) Hx).
      unfold dual, supply in Q. rewrite (sum_one I r unit_demand) in Q. fold c in Q. lra. }
    assert (HS := upto_pos p c Hp (g' r) C). fold c in C.
    destruct (le_lt_dec tau (g' r)) as [Hge|Hlt].
    - assert (P := p_rec (g' r) (conj Hge C)). specialize (bound _ _ K B).
      assert ((alpha - 1) * upto p (g' r) <= (alpha - 1) * collected I ds)
        by (apply Rmult_le_compat_l; lra). lra.
    - destruct (nothing_rejected _ _ _ _ _ Hr (fun j H => H) Hlt) as [D _].
      specialize (bound _ 0 (Rle_refl 0) D).
      assert (0 <= collected I ds) by lra.
      assert (1 * collected I ds <= alpha * collected I ds) by (apply Rmult_le_compat_r; lra). lra.
  Qed.
End Table.

Section Closed.
  Variables (c tau : nat) (L alpha : R).
  Hypothesis tau_c : (1 <= tau <= c)%nat.
  Hypothesis L_pos : 0 < L.
  Hypothesis alpha1 : 1 <= alpha.
  Hypothesis reach : INR c <= alpha * INR tau.     (* tau >= c/alpha *)
  Let z := 1 + alpha / INR c.
  Definition lam (i : nat) : R :=
    if lt_dec i tau then L else alpha / INR c * (INR tau * L) * z ^ (i - tau).

  Lemma c_pos : 0 < INR c. Proof. apply lt_0_INR; lia. Qed.

  Lemma lam_flat i : (i <= tau)%nat -> upto lam i = INR i * L.
  Proof.
    induction i as [|i IH]; intros Hi; [simpl; ring|]. rewrite S_INR. simpl upto.
    rewrite IH by lia. unfold lam. destruct (lt_dec i tau); [ring|lia].
  Qed.
  Lemma lam_upto n : (tau <= n)%nat -> upto lam n = INR tau * L * z ^ (n - tau).
  Proof.
    assert (Hc := c_pos). intros H. induction H as [|n H IH].
    - rewrite lam_flat by lia. rewrite Nat.sub_diag. simpl. ring.
    - simpl upto. rewrite IH. unfold lam. destruct (lt_dec n tau); [lia|].
      replace (S n - tau)%nat with (S (n - tau)) by lia.
      simpl pow. unfold z. field. lra.
  Qed.

  Lemma z_ge1 : 1 <= z.
  Proof.
    unfold z. assert (0 <= alpha / INR c); [|lra]. apply Rmult_le_pos; [lra|].
    left; apply Rinv_0_lt_compat, c_pos.
  Qed.

  Lemma lam_mono i : lam i <= lam (S i).
  Proof.
    assert (Hc := c_pos). assert (Hz := z_ge1).
    assert (Hb : L <= alpha / INR c * (INR tau * L)).
    { apply Rmult_le_reg_r with (INR c); auto.
      replace (alpha / INR c * (INR tau * L) * INR c) with (alpha * INR tau * L) by (field; lra).
      rewrite (Rmult_comm L). apply Rmult_le_compat_r; lra. }
    unfold lam. destruct (lt_dec i tau); destruct (lt_dec (S i) tau); try lia; try lra.
    - replace (S i - tau)%nat with O by lia. simpl. lra.
    - replace (S i - tau)%nat with (S (i - tau)) by lia. simpl pow.
      assert (1 <= z ^ (i - tau)) by (apply pow_R1_Rle; auto).
      apply Rmult_le_compat_l; [lra|].
      assert (z ^ (i - tau) * 1 <= z ^ (i - tau) * z) by (apply Rmult_le_compat_l; lra). lra.
  Qed.
End Closed.

Theorem threshold_competitive I r L U alpha tau ds ms g' x :
  one_unit I r -> 0 < L ->
  (forall j s, In j (all_jobs I) -> In s (scheds I j) -> L < val s <= U) ->
  1 <= alpha -> (1 <= tau <= stock I r)%nat -> INR (stock I r) <= alpha * INR tau ->
  U <= alpha / INR (stock I r) * (INR tau * L) * (1 + alpha / INR (stock I r)) ^ (stock I r - tau) ->
  run I (exact (fun _ => lam (stock I r) tau L alpha)) (empty I) (all_jobs I) ds ms g' ->
  lp_feasible I x -> primal I x <= alpha * collected I ds.
Proof.
  intros Hu HL Hv Ha Ht Hreach Htop Hr Hx.
  apply (table_competitive I r Hu U alpha tau (lam (stock I r) tau L alpha))
    with (ms := ms) (g' := g'); auto; try lra.
  - intros j s Hj Hs. apply Hv with (j := j); auto.
  - unfold lam. destruct (lt_dec 0 tau); [lra|lia].
  - intros j s i Hj Hs Hi. unfold lam. destruct (lt_dec i tau); [apply Hv with (j := j); auto|lia].
  - intros i _. apply lam_mono; auto.
  - intros n [Hn _]. rewrite lam_upto by auto. unfold lam. destruct (lt_dec n tau); [lia|].
    right. field. apply not_0_INR. lia.
  - unfold lam. destruct (lt_dec (stock I r) tau); [lia|]. exact Htop.
Qed.

Section Fallback.
  Variables (c : nat) (L rho : R).
  Definition fall (g : nat) : R := L * (1 + (rho - 1) * (1 + rho / INR c) ^ g).
  Hypothesis c1 : (1 <= c)%nat.
  Hypothesis L_pos : 0 <= L.
  Hypothesis rho1 : 1 <= rho.

  Lemma fall_pow g : 1 <= (1 + rho / INR c) ^ g.
  Proof.
    apply pow_R1_Rle. assert (0 <= rho / INR c); [|lra].
    apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat, lt_0_INR; lia].
  Qed.
  Lemma fall_low g : L <= fall g.
  Proof.
    assert (Q := fall_pow g). unfold fall.
    assert (0 <= (rho - 1) * (1 + rho / INR c) ^ g) by (apply Rmult_le_pos; lra).
    assert (L * 1 <= L * (1 + (rho - 1) * (1 + rho / INR c) ^ g)) by (apply Rmult_le_compat_l; lra).
    lra.
  Qed.
  Lemma fall_mono g : fall g <= fall (S g).
  Proof.
    assert (Q := fall_pow g). unfold fall. apply Rmult_le_compat_l; auto. apply Rplus_le_compat_l.
    apply Rmult_le_compat_l; [lra|]. simpl.
    assert (Q1 := fall_pow 1). rewrite pow_1 in Q1.
    assert (1 * (1 + rho / INR c) ^ g <= (1 + rho / INR c) * (1 + rho / INR c) ^ g)
      by (apply Rmult_le_compat_r; lra). lra.
  Qed.
  (* c p(n) = rho (revenue + L per unit left) *)
  Lemma fall_upto n : INR c * fall n = rho * (upto fall n + (INR c - INR n) * L).
  Proof.
    assert (0 < INR c) by (apply lt_0_INR; lia).
    induction n as [|n IH]; [unfold fall; simpl; ring|].
    rewrite S_INR. simpl upto.
    replace (rho * (upto fall n + fall n + (INR c - (INR n + 1)) * L))
      with (rho * (upto fall n + (INR c - INR n) * L) + rho * (fall n - L)) by ring.
    rewrite <- IH. unfold fall. simpl pow. field. lra.
  Qed.
End Fallback.

Theorem fallback_competitive I r L U rho ds ms g' x :
  one_unit I r -> (1 <= stock I r)%nat -> 0 <= L -> 1 <= rho ->
  (forall j s, In j (all_jobs I) -> In s (scheds I j) -> val s <= U) ->
  U <= fall (stock I r) L rho (stock I r) ->
  run I (exact (fun _ => fall (stock I r) L rho)) (empty I) (all_jobs I) ds ms g' ->
  lp_feasible I x ->
  let left := INR (stock I r) - rsum (fun j => rsum (x j) (scheds I j)) (all_jobs I) in
  primal I x + L * left <= rho * (collected I ds + L * (INR (stock I r) - INR (g' r))).
Proof.
  intros Hu Hc HL Hrho Hv Htop Hr Hx. cbn zeta. set (c := stock I r) in *. set (p := fall c L rho) in *.
  destruct (posted_prices I r Hu U p) with (ds := ds) (ms := ms) (g' := g') as (B & K & F & C); auto.
  { eapply Rle_trans; [exact HL|]. apply fall_low; auto. }
  { intros; apply fall_mono; auto. }
  fold c in C. set (k := p (g' r)) in *.
  assert (Hk : L <= k) by (apply fall_low; auto).
  assert (Q := lagrangian_bound I x _ _ Hx (mustar_feasible I (fun _ => k) (fun _ _ => K))).
  rewrite (sum_one I r Hu) in Q.
  assert (Hin : In r (resources I)) by (rewrite (proj1 Hu); left; auto).
  assert (Hcap := proj2 (proj2 Hx) r Hin). fold (lp_used I x r) in Hcap. fold c in Hcap.
  assert (Hsold : lp_used I x r = rsum (fun j => rsum (x j) (scheds I j)) (all_jobs I)).
  { apply rsum_ext. intros j Hj. apply rsum_ext. intros s Hs. rewrite (proj2 Hu j s Hj Hs). simpl. ring. }
  rewrite <- Hsold.
  assert (E := fall_upto c L rho Hc (g' r)). fold p in E. fold k in E.
  assert ((k - L) * lp_used I x r <= (k - L) * INR c) by (apply Rmult_le_compat_l; lra).
  assert ((rho - 1) * upto p (g' r) <= (rho - 1) * collected I ds) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.
