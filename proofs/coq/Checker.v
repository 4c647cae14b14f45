(* Executable checkers of certificates: prices (L1) and branching trees (L2).

   rent_total           what the whole cluster costs at the prices
   l1, check_l1         prices, divisors, upper payoffs and the bound that they prove
   check_l1_sound       the bound holds for every feasible schedule
   cut_ok               a cut is valid: an exact knapsack over the jobs that hold GPUs in its types
   tree, leaf_bound     branching trees; the bound of a leaf under its decisions and cuts
   l2, check_l2         price vectors, tree, and the value that no schedule exceeds
   check_l2_sound       that none does

   Everything is an integer in the units of the instance; both theorems are closed. *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerDP CheckerFill CheckerLevel CheckerCost CheckerTrim CheckerJob.
Import ListNotations.
Open Scope Z_scope.

Definition no_toll (t : nat) (m : list bool) : Z := 0.
Definition rent_total (rds : list round_data) : Z :=
  fold_right (fun rd acc => total (fun _ k => k) (cluster_items rd) + acc) 0 rds.

(* L1 *)
Record l1 := L1 {
  l1_prices : prices;
  l1_divisors : list Z;
  l1_payoffs : list Z;
  l1_bound : Z }.

Definition payoff_ok (I : instance) (rds : list round_data) (q m : Z) (J : job) : bool :=
  (0 <? q) && (0 <=? m) &&
  match job_price I rds no_toll [] q (Some m) J with Some v => v <=? m | None => true end.

Definition check_l1 (I : instance) (C : l1) : bool :=
  let rds := rounds_of I (l1_prices C) in
  instance_ok I && prices_ok (l1_prices C) &&
  (rent_total rds + sum (num_jobs I) (fun j => nth j (l1_payoffs C) 0) <=? l1_bound C) &&
  forallb (fun j => payoff_ok I rds (nth j (l1_divisors C) 0) (nth j (l1_payoffs C) 0) (job_at I j))
    (seq 0 (num_jobs I)).

Lemma rent_total_sum I pr : rent_total (rounds_of I pr) =
  sum (num_rounds I) (fun t => sum (num_nodes I) (fun h => sum (num_types I)
    (fun r => price_at pr t h r * cap I h r))).
Proof.
  unfold rounds_of. enough (E : forall n k, rent_total (map (round_of I pr) (seq k n)) =
    sum n (fun i => sum (num_nodes I) (fun h => sum (num_types I)
      (fun r => price_at pr (k + i) h r * cap I h r)))).
  { rewrite E. reflexivity. }
  induction n as [|n IH]; intros k; [reflexivity|]. rewrite sum_first. cbn [seq map rent_total fold_right].
  fold (rent_total (map (round_of I pr) (seq (S k) n))). rewrite IH.
  destruct (round_of_ok I pr k) as [D _]. rewrite D, Nat.add_0_r. f_equal.
  apply sum_ext. intros i _. rewrite Nat.add_succ_r. reflexivity.
Qed.

(* all jobs together rent no more than the cluster *)
Lemma rent_bounded I pr s : feasible I s -> prices_ok pr = true ->
  sum (num_jobs I) (fun j => sum (num_rounds I) (fun t => rent I (price_at pr t) (s j t)))
  <= rent_total (rounds_of I pr).
Proof.
  intros F P. rewrite rent_total_sum, sum_swap. apply sum_le. intros t Ht. unfold rent.
  rewrite sum_swap. apply sum_le. intros h Hh. rewrite sum_swap. apply sum_le. intros r Hr.
  rewrite sum_scale. apply Z.mul_le_mono_nonneg_l; [apply price_nonneg; auto|].
  apply (feasible_capacity _ _ F); auto.
Qed.

Lemma no_branch I s : agrees I s []. Proof. intros b []. Qed.
Lemma no_own j (b : branch) : In b [] -> about j b = true. Proof. intros []. Qed.
Lemma charge_plain I pr s j t : charge I pr no_toll s j t = rent I (price_at pr t) (s j t).
Proof. unfold charge, toll_of, no_toll. destruct (gang_mask _ _ _); lia. Qed.

Theorem check_l1_sound I C : check_l1 I C = true ->
  forall s, feasible I s -> value I s <= l1_bound C.
Proof.
  unfold check_l1. cbv zeta. rewrite !andb_true_iff. intros [[[HI HP] HB] HJ] s0 F0.
  rewrite <- trim_value. assert (F := trim_feasible I s0 F0).
  assert (W : busy I (trim I s0)) by (intros j t; apply trim_busy).
  revert F W. generalize (trim I s0). clear s0 F0. intros s F W.
  apply Z.leb_le in HB. rewrite forallb_forall in HJ.
  assert (R := rent_bounded I _ s F HP).
  eapply Z.le_trans; [|exact HB].
  enough (E : value I s <= sum (num_jobs I) (fun j =>
    sum (num_rounds I) (fun t => rent I (price_at (l1_prices C) t) (s j t)) + nth j (l1_payoffs C) 0)).
  { rewrite sum_plus in E. lia. }
  apply sum_le. intros j Hj. specialize (HJ j ltac:(apply in_seq; lia)).
  unfold payoff_ok in HJ. rewrite !andb_true_iff in HJ. destruct HJ as [[Hq Hm] Hv].
  apply Z.ltb_lt in Hq. apply Z.leb_le in Hm.
  destruct (job_price_sound I (l1_prices C) no_toll [] (nth j (l1_divisors C) 0) s j HI F Hj HP
    ltac:(intros; apply Z.le_refl) (no_branch I s) (no_own j) Hq W (Some (nth j (l1_payoffs C) 0)))
    as (u & Eu & Hu).
  { intros w [= <-] _. exact Hm. }
  rewrite Eu in Hv. apply Z.leb_le in Hv.
  rewrite (sum_ext _ _ _ (fun t _ => charge_plain I (l1_prices C) s j t)) in Hu. lia.
Qed.
