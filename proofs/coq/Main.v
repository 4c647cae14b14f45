(** * The headline theorems, restated beside their definitions.

    Two worlds, one module each, because they share names (instance, jobs, value, ...):
    [Abstract]    the abstract online problem over the reals: Duality.v (instance, lp_feasible, primal, dual),
                  Online.v (rule, run, value), Master.v, and one file per price
    [Scheduling]  gangs on nodes over rounds, in integers: SchedModel.v (instance, feasible, value),
                  CheckerRun.v (check_run), PostedRun.v (posted_run), Completion.v (utilities_ok),
                  Replanning.v (best_rounds, needs), ReplanningLearnt.v (known, in_time), Bridge.v (abstract)

    Each is proved by the theorem of the development that its proof names; nothing is weakened or added.  Read
    the definitions in the header of the file that is named beside it. *)
From Coq Require Import Reals ZArith List Arith.
From HadarTheory Require Duality Online Master Powers Exponential ZeroStart BundlePrices Threshold LowerBound
  Staircase StepPrice ThresholdOptimal SmallDemands Selections RandomThreshold MixedThreshold MixedWhole Packing Rounds
  SchedModel Checker CheckerTree CheckerSchedule CheckerRun Completion Replanning ReplanningFixed ReplanningConstant ReplanningLearnt
  ReplanningFamilies ReplanningRoom ReplanningCrowd Bridge.
Import ListNotations.

Module Abstract.
Import Sums Duality Online Powers Exponential ZeroStart BundlePrices Threshold LowerBound Staircase StepPrice
  SmallDemands Selections.
Open Scope R_scope.

(* T2: any prices bound the optimum, whatever produced them *)
Theorem T2 (I : problem) (k : Res I -> R) x : (forall r, In r (resources I) -> 0 <= k r) ->
  lp_feasible I x -> primal I x <= dual I (mustar I k) k.
Proof. apply certificate. Qed.

(* integer selections are points of the LP *)
Theorem integers (I : problem) c : selection I c ->
  exists x, lp_feasible I x /\ primal I x = selection_value I c.
Proof. apply selection_lp. Qed.

(* L0: the algorithm runs on every input *)
Theorem L0 (I : problem) (A : rule I) js g : 1 <= slack A -> (forall j, 0 <= error A j) ->
  exists ds ms g', run I A g js ds ms g'.
Proof. intros H1 H2. apply run_exists; auto. Qed.

(* T4: the hypotheses of a price table and what they give (Master.v) *)
Theorem T4 (I : problem) (A : rule I) (d : Res I -> nat -> R) t1 t2 (L : Res I -> R) ds ms g' x :
  0 <= slack A <= t1 -> (forall j, In j (all_jobs I) -> 0 <= error A j) -> 0 <= t2 ->
  Master.price_nonneg I d -> Master.price_mono I A d -> Master.charge_low I A d -> Master.price_full I A d ->
  Master.price_inc I A d t1 t2 L -> Master.value_low I L ->
  run I A (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
  primal I x <= (t1 + t2) * collected I ds + rsum (error A) (all_jobs I) + supply I (fun r => d r O).
Proof. intros [S0 S1]. intros. eapply Master.master_competitive; eauto. Qed.

Section Prices.
  (* bundles of at most m r units; U r: the most value per unit of r alone; L: (V), or only 0 < L <= U *)
  Variable I : problem.
  Variable m : Res I -> nat.
  Variables U L : Res I -> R.
  Hypothesis m_range : forall r, In r (resources I) -> (1 <= m r <= stock I r)%nat.
  Hypothesis bundles : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (use s r <= m r)%nat.
  Hypothesis L_pos : forall r, In r (resources I) -> 0 < L r.
  Hypothesis L_le_U : forall r, In r (resources I) -> L r <= U r.
  Hypothesis U_full : forall j s r, In j (all_jobs I) -> In s (scheds I j) -> In r (resources I) ->
    (1 <= use s r)%nat -> val s <= U r * INR (use s r).
  Hypothesis values : forall j s, In j (all_jobs I) -> In s (scheds I j) -> 0 <= val s.
  Let D0 : R := rsum (fun r => INR (stock I r) * L r) (resources I).
  Definition low_by_total_units : Prop := forall j s, In j (all_jobs I) -> In s (scheds I j) ->
    rsum (fun r => L r * INR (use s r)) (resources I) <= val s.

  (* T5: the exponential over 0 .. c - m + 1 *)
  Theorem T5 theta ds ms g' x : 1 <= theta ->
    (forall r, In r (resources I) ->
       tau (INR (stock I r)) (qE (stock I) m U L r) (wstar (stock I) m r) <= theta) ->
    run I (exact (priceE (stock I) m U L)) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= theta * collected I ds + D0.
  Proof.
    intros Ht Hr Hrun Hx.
    assert (Q := exp_competitive I (stock I) m U L m_range bundles L_pos L_le_U U_full values 1 (fun _ => 0) theta ds
      ms g' x (conj Rle_0_1 Ht) (Rle_trans _ _ _ Rle_0_1 Ht) (fun _ _ => Rle_refl 0) Hr Hrun Hx).
    rewrite rsum_zero, Rplus_0_r in Q. exact Q.
  Qed.

  (* T6': the published exponential, over 0 .. c *)
  Theorem T6' lambda theta ds ms g' x : 1 <= lambda -> 1 <= theta ->
    (forall r, In r (resources I) -> root (U r / L r) (stock I r) ^ (m r - 1) <= lambda) ->
    (forall r, In r (resources I) ->
       INR (stock I r) / INR (m r) * (root (U r / L r) (stock I r) ^ m r - 1) <= theta) ->
    run I (exact (published I U L)) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= lambda * (theta * collected I ds + D0).
  Proof. apply published_competitive; auto. Qed.

  (* T7: the exponential from 0 *)
  Theorem T7 delta theta ds ms g' x : low_by_total_units -> 0 < delta -> 1 <= theta ->
    (forall r, In r (resources I) ->
       tau (INR (stock I r)) (qZ (stock I) m U L delta r) (wstar (stock I) m r) <= theta) ->
    run I (exact (priceZ (stock I) m U L delta)) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= (1 + delta) * theta * collected I ds.
  Proof.
    intros Low Hd Ht Hr Hrun Hx.
    assert (U0 : forall r, In r (resources I) -> 0 <= U r)
      by (intros r Hin; apply Rle_trans with (L r); [apply Rlt_le|]; auto).
    assert (Q := zero_competitive I (stock I) m U L delta m_range bundles L_pos U0 U_full Low Hd 1 (fun _ => 0) theta ds
      ms g' x (conj Rle_0_1 Ht) (fun _ _ => Rle_refl 0) Hr Hrun Hx).
    rewrite rsum_zero, Rplus_0_r in Q. exact Q.
  Qed.

  (* T8: whole bundles are charged between the telescoped and the last-unit price *)
  Theorem T8 charge theta ds ms g' x : 1 <= theta ->
    (forall r, In r (resources I) -> thetaM I m U L r <= theta) ->
    (forall r g w, In r (resources I) -> (w <= m r)%nat ->
       telescoped I U L r g w <= charge r g w <= last_unit I U L r g w) ->
    run I (Rule I charge (stock I) 1 (fun _ => 0)) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= theta * collected I ds + rsum (fun r => INR (stock I r) * dualM I m U L r O) (resources I).
  Proof.
    intros Ht Hr Hc Hrun Hx.
    assert (Q := bundle_competitive I m U L m_range bundles L_pos L_le_U values U_full charge 1 (fun _ => 0) theta ds
      ms g' x (conj Rle_0_1 Ht) (fun _ _ => Rle_refl 0) Hr Hc Hrun Hx).
    rewrite rsum_zero, Rplus_0_r in Q. exact Q.
  Qed.

  (* T11: the step price *)
  Theorem T11 a delta ds ms g' x : low_by_total_units -> 1 <= a -> 0 < delta ->
    (forall r, In r (resources I) ->
       U r <= delta * L r * (step_level (stock I r) (m r) a (stock I r - m r + 1) - 1)) ->
    run I (exact (priceS m L a delta)) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
    primal I x <= a * (1 + delta) * collected I ds.
  Proof.
    intros Low Ha Hd Hr Hrun Hx.
    assert (C : forall r, In r (resources I) -> (1 <= stock I r)%nat)
      by (intros r Hin; destruct (m_range r Hin); apply Nat.le_trans with (m r); auto).
    assert (Q := step_competitive I (stock I) m U L a delta m_range C bundles L_pos U_full Low
      (Rle_trans _ _ _ Rle_0_1 Ha) Hd Hr 1 (fun _ => 0) ds ms g' x (conj Rle_0_1 Ha) (fun _ _ => Rle_refl 0) Hrun Hx).
    rewrite rsum_zero, Rplus_0_r in Q. exact Q.
  Qed.
End Prices.

(* T9: thresholds on one resource with unit demand, and that no deterministic rule does better *)
Theorem T9 (I : problem) (r : Res I) (L U alpha : R) (tau : nat) ds ms g' x :
  one_unit I r -> 0 < L -> (forall j s, In j (all_jobs I) -> In s (scheds I j) -> L < val s <= U) ->
  1 <= alpha -> (1 <= tau <= stock I r)%nat -> INR (stock I r) <= alpha * INR tau ->
  U <= alpha / INR (stock I r) * (INR tau * L) * (1 + alpha / INR (stock I r)) ^ (stock I r - tau) ->
  run I (exact (fun _ => lam (stock I r) tau L alpha)) (empty I) (all_jobs I) ds ms g' -> lp_feasible I x ->
  primal I x <= alpha * collected I ds.
Proof. apply threshold_competitive. Qed.

Theorem T9_optimal (alg : list offer -> bool) (c m : nat) (L U rho : R) :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> within_capacity alg c -> 0 < rho ->
  rho * sstar (c / m) L rho 0 (c / m) < INR (c / m) * U ->
  exists js x, (forall o, In o js -> fst o = m /\ L <= snd o <= U) /\
    (exists pre, js = pre ++ repeat (m, x) (c / m)) /\ rho * gotv alg [] js < INR (c / m) * x.
Proof. apply ThresholdOptimal.threshold_lower_bound. Qed.

(* T10: the logarithm cannot be avoided, by randomised rules either *)
Theorem T10 (ws : mixture) (c m : nat) (L U rho : R) :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> distribution ws c -> 0 <= rho -> rho < 1 + ln (U / L) ->
  exists js x, (forall o, In o js -> fst o = m /\ L <= snd o <= U) /\
    (exists pre, js = pre ++ repeat (m, x) (c / m)) /\ rho * expected ws js < INR (c / m) * x.
Proof. apply log_lower_bound_randomised. Qed.
(* T13: one random price, bundles of 1 to m of the c units of one resource *)
Theorem T13 (c m n : nat) (L U e : R) (xs : RandomThreshold.shared_choice) :
  (1 <= m <= c)%nat -> 0 < L -> 1 < e -> (1 <= n)%nat -> U <= L * e ^ n ->
  (forall w u, In (w, u) (map fst xs) -> (1 <= w <= m)%nat /\ L * INR w <= u <= U * INR w) ->
  RandomThreshold.share_ok xs -> RandomThreshold.shared_total (fun o => INR (fst o)) xs <= INR c ->
  INR (c + 1 - m) * RandomThreshold.shared_total (fun o => snd o) xs <=
    INR c * RandomThreshold.expected_value (RandomThreshold.grid L e n) c (map fst xs) /\
  RandomThreshold.weights (RandomThreshold.grid L e n) = 1 + INR n * (e - 1).
Proof.
  intros Hm HL He Hn HU Ho Hx Hc. destruct (RandomThreshold.grid_covers L U e n HL He Hn HU) as (A & B & C).
  split; [|exact C]. rewrite <- (Rmult_1_l (INR c)).
  apply (RandomThreshold.random_threshold _ c m L U 1); auto. apply Rle_0_1.
Qed.

(* T14: thresholds for bundles of 1 to m of the c units of one resource, and their optimality *)
Theorem T14 (c m : nat) (L U rho : R) acc xs :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> 1 <= rho ->
  INR c * U <= rho * MixedThreshold.least (rho / INR c) L m (c - m + 1) ->
  MixedThreshold.obeys_prices c (MixedThreshold.posted (rho / INR c) L m) acc -> MixedThreshold.offers_bounded m L U xs ->
  MixedThreshold.weighed (fun w u => INR w) xs <= INR c ->
  MixedThreshold.weighed (fun w u => u) xs <= rho * MixedThreshold.sells acc 0 xs.
Proof. apply MixedThreshold.mixed_threshold. Qed.
Theorem T14_optimal (alg : list LowerBound.offer -> bool) (c m : nat) (L U rho : R) :
  (1 <= m <= c)%nat -> (c mod m = 0)%nat -> 0 < L -> L < U -> LowerBound.within_capacity alg c -> 0 < rho ->
  rho * MixedThreshold.least (rho / INR c) L m (c - m + 1) < INR c * U ->
  exists js w x n, (forall o, In o js -> (1 <= fst o <= m)%nat /\
                      INR (fst o) * L <= snd o <= INR (fst o) * U) /\
    (exists pre, js = pre ++ repeat (w, x) n) /\ (n * w <= c)%nat /\ rho * LowerBound.gotv alg [] js < INR n * x.
Proof. apply MixedThreshold.mixed_threshold_optimal. Qed.
(* against the fractional optimum, for every m *)
Theorem T14_fractional (alg : list LowerBound.offer -> bool) (c m : nat) (L U rho : R) :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> LowerBound.within_capacity alg c -> 0 < rho ->
  rho * MixedThreshold.least (rho / INR c) L m (c - m + 1) < INR c * U ->
  exists js w x n y, (forall o, In o js -> (1 <= fst o <= m)%nat /\
                      INR (fst o) * L <= snd o <= INR (fst o) * U) /\
    (exists pre, js = pre ++ repeat (w, x) n) /\ 0 <= y <= INR n /\ y * INR w <= INR c /\
    rho * LowerBound.gotv alg [] js < y * x.
Proof. apply MixedWhole.mixed_threshold_fractional. Qed.

(* T15: against the integer optimum, bundles of up to c - 1 units *)
Theorem T15 (c : nat) (L U : R) acc xs :
  let rho := INR (c - 1) * U / (2 * L) in
  (3 <= c)%nat -> 0 < L -> L < U -> INR c + 1 <= rho -> MixedWhole.spares c (rho / (rho - 1) * L) acc ->
  MixedThreshold.offers_bounded (c - 1) L U xs -> MixedWhole.whole xs ->
  MixedThreshold.weighed (fun w u => INR w) xs <= INR c ->
  MixedThreshold.weighed (fun w u => u) xs <= rho * MixedThreshold.sells acc 0 xs.
Proof. intros. apply MixedWhole.spare_competitive; auto. Qed.
End Abstract.

(* P1, P4: when the gangs of a round fit *)
Theorem P1 n (C : nat -> nat) (gs : list (nat * list nat)) :
  Rounds.round_feasible n C gs <-> forall S, Rounds.demand S gs <= Hall.volume n C S.
Proof. apply Rounds.round_hall. Qed.
Theorem P4 n (stock : nat -> nat) ws : Packing.chain ws ->
  (Packing.packs n stock ws <-> forall s, In s ws -> Packing.big s ws <= s * Packing.slots n stock s).
Proof. apply Packing.chain_packing. Qed.

Module Scheduling.
Import SchedModel Checker CheckerTree CheckerSchedule CheckerRun Completion Replanning ReplanningFixed ReplanningConstant
  ReplanningLearnt ReplanningFamilies ReplanningRoom ReplanningCrowd Bridge.
Open Scope Z_scope.

(* T2', T2'': what the executable checkers accept is true, the bound by prices even lowered to a multiple of
   the unit of all values; equal value and bound: an optimum *)
Theorem T2_prices (I : instance) C : check_l1 I C = true ->
  forall s, feasible I s -> value I s <= lattice (l1_unit C) (l1_bound C).
Proof. apply check_l1_sound. Qed.
Theorem T2_tree (I : instance) C t : check_l2 I C = true -> In ([], t) (l2_trees C) ->
  forall s, feasible I s -> value I s <= l2_bound C.
Proof. intros H A. apply bounded_always. exact (check_l2_sound I C H [] t A). Qed.
Theorem T2_optimum (I : instance) rows v : check_schedule I rows v = true ->
  (forall s, feasible I s -> value I s <= v) ->
  exists s, feasible I s /\ value I s = v /\ forall s', feasible I s' -> value I s' <= value I s.
Proof. apply certified_optimum. Qed.

(* T2t: posted prices that the checker accepts satisfy T4, for every run on them and for the one of the
   certificate; the constant is (t1 + t2)/t *)
Theorem T2_run_any (I : instance) C rows N : check_l1 I C = true -> check_run I C rows N = true ->
  forall e js v M g, (forall j, 0 <= e j) -> Permutation.Permutation js (seq 0 (num_jobs I)) ->
    PostedRun.posted_run I (is_pooled C) (posted_charge I (is_pooled C) N) e PostedRun.none_sold js v M g ->
    forall s, feasible I s -> run_t N * value I s <= (run_t1 N + run_t2 N) * v + run_t N *
      (PostedRun.cluster_worth I (is_pooled C) (posted_price I (is_pooled C) N) PostedRun.none_sold +
       SchedModel.sum (num_jobs I) e).
Proof. apply check_run_applies. Qed.
Theorem T2_run (I : instance) C rows v N :
  check_l1 I C = true -> check_schedule I rows v = true -> check_run I C rows N = true ->
  forall s, feasible I s -> run_t N * value I s <= (run_t1 N + run_t2 N) * v + run_t N * run_additive N.
Proof. apply check_run_sound. Qed.

(* the bridge: the two integer optima are equal, and the LP of the abstract problem bounds them *)
Section Bridged.
  Variable I : instance.
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.
  Hypothesis caps : forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= cap I h r.
  Theorem bridge :
    (forall s, feasible I s -> exists c, Selections.selection (abstract I) c /\
       (IZR (value I s) <= Selections.selection_value (abstract I) c)%R) /\
    (forall c, Selections.selection (abstract I) c -> exists s, feasible I s /\
       IZR (value I s) = Selections.selection_value (abstract I) c) /\
    (forall s, feasible I s -> exists x, Duality.lp_feasible (abstract I) x /\
       (IZR (value I s) <= Duality.primal (abstract I) x)%R).
  Proof.
    split; [|split]; [apply bridge_selection|apply bridge_schedule|apply bridge_lp]; auto.
  Qed.
End Bridged.

(* R1, R2: s re-plans every round by the best score, o is any schedule *)
Section Replans.
  Variable I : instance.
  Variables s o : schedule.
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.
  Hypothesis feas : feasible I s.
  Hypothesis feas_o : feasible I o.

  Theorem R1 : best_rounds I 1 s ->
    (forall j a, (j < num_jobs I)%nat -> allocation_ok I (job_at I j) a -> 0 < progress_of I j a ->
       iterations (job_at I j) <= progress_of I j a) ->
    value I o <= 2 * value I s.
  Proof. apply replanning_one_round; auto. Qed.

  Theorem R2 k : (1 <= k)%nat -> best_rounds I k s ->
    (forall j, (j < num_jobs I)%nat -> exists p, (p <= k)%nat /\ needs I j p) ->
    let b := Z.of_nat k - 1 in
    b ^ Z.of_nat (k - 1) * value I o <= (b ^ Z.of_nat (k - 1) + Z.of_nat k ^ Z.of_nat k) * value I s /\
    (IZR (value I o) <= (1 + exp 1 * INR k) * IZR (value I s))%R.
  Proof. intros. split; [apply replanning_rounds|apply replanning_e]; auto. Qed.

  Theorem R2_levels k : (1 <= k)%nat -> best_rounds I k s ->
    (forall j a, (j < num_jobs I)%nat -> allocation_ok I (job_at I j) a -> 0 < progress_of I j a ->
       iterations (job_at I j) <= Z.of_nat k * progress_of I j a) ->
    (IZR (value I o) <= (1 + exp 1 * INR k ^ 2) * IZR (value I s))%R.
  Proof. intros. apply replanning_levels_e; auto. Qed.

  (* k learnt: kt t is what the scheduler discounts with in round t; within rn/rd of the best rounds *)
  Theorem R2_learnt kt k E w rn rd : (1 <= k)%nat -> grows kt k -> scaled kt E w -> 0 <= rn -> 0 < rd ->
    near_best_learnt I kt w rn rd s -> continues_learnt I kt w s ->
    let b := Z.of_nat k - 1 in
    ((forall j, (j < num_jobs I)%nat -> (exists a d, in_time I j a d) -> exists p, known I kt j p /\ needs I j p) ->
     rd * (b ^ Z.of_nat (k - 1) * value I o) <=
       (rd * b ^ Z.of_nat (k - 1) + rn * Z.of_nat k ^ Z.of_nat k) * value I s) /\
    ((forall j, (j < num_jobs I)%nat -> exists p, known I kt j p /\
        (forall a d, in_time I j a d -> iterations (job_at I j) <= Z.of_nat p * progress_of I j a)) ->
     rd * (b ^ Z.of_nat (k - 1) * value I o) <=
       (rd * b ^ Z.of_nat (k - 1) + rn * Z.of_nat k * Z.of_nat k ^ Z.of_nat k) * value I s).
  Proof.
    intros. split; intros; [eapply replanning_learnt|eapply replanning_learnt_levels]; eauto.
  Qed.
End Replans.

(* without discount there is no finite ratio, with jobs of two rounds and values as close as one likes *)
Theorem R2_without_discount rho : 1 <= rho -> forall V, 4 * rho + 2 <= V -> exists I o,
  instance_ok I = true /\ utilities_ok I /\ feasible I o /\
  (forall j, (j < num_jobs I)%nat -> needs I j 2) /\
  (forall j d, (j < num_jobs I)%nat -> let u := nth d (utility (job_at I j)) 0 in
     u = 0 \/ V <= u <= V + 4 * rho + 1) /\
  (forall s, feasible I s -> value_rounds I s -> rho * value I s < value I o).
Proof. apply value_rule_unbounded. Qed.

(* R3: s runs on R, o on I with fewer or slower machines; ReplanningRoom.v *)
Theorem R3 I R kt w k E en ed s o :
  instance_ok I = true -> instance_ok R = true -> roomier I R -> utilities_ok I -> (1 <= k)%nat ->
  grows kt k -> scaled kt E w -> feasible R s -> feasible I o -> 0 <= en -> 0 < ed ->
  continues_learnt R kt w s -> outside I R kt w en ed s ->
  (forall j, (j < num_jobs I)%nat -> worthwhile I j -> exists p, known R kt j p /\ needs R j p /\
     forall a, allocation_ok I (job_at I j) a -> 0 < progress_of I j a ->
       (Z.of_nat p - 1) * progress_of I j a < iterations (job_at I j)) ->
  let b := Z.of_nat k - 1 in
  ed * (b ^ Z.of_nat (k - 1) * value I o) <=
    (ed * b ^ Z.of_nat (k - 1) + en * Z.of_nat k ^ Z.of_nat k) * value R s.
Proof. intros. eapply replanning_room; eauto. Qed.

(* m clusters for one *)
Theorem R3_clusters I m kt w k E s o :
  instance_ok I = true -> utilities_ok I -> (1 <= m)%nat -> (1 <= k)%nat -> grows kt k -> scaled kt E w ->
  feasible (clusters m I) s -> (forall t, (t < num_rounds I)%nat -> fits_clusters I m (fun j => s j t)) ->
  best_clusters I m kt w s -> feasible I o ->
  (forall j, (j < num_jobs I)%nat -> worthwhile I j -> exists p, known I kt j p /\ needs I j p) ->
  let b := Z.of_nat k - 1 in
  Z.of_nat m * (b ^ Z.of_nat (k - 1) * value I o) <=
    (Z.of_nat m * b ^ Z.of_nat (k - 1) + Z.of_nat k ^ Z.of_nat k) * value I s.
Proof. intros. eapply replanning_clusters; eauto. Qed.

(* m GPUs for one do not make up for the discount *)
Theorem R3_without_discount (m : nat) rho : (1 <= m)%nat -> 1 <= rho -> exists n, forall V, 1 <= V ->
  let R := crowd_on m V n (Z.of_nat m) in
  let I := crowd_on m V n 1 in
  exists o, feasible I o /\ forall s, feasible R s -> value_rounds R s -> rho * value R s < value I o.
Proof. apply value_rule_unbounded_room. Qed.
End Scheduling.
