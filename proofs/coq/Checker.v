(** * Executable checker of price certificates (L1).

    [rent_total]           what the whole cluster costs at the prices
    [unit_ok]              the utilities of a job that can complete are multiples of a unit
    [lattice u b]          b lowered to a multiple of u
    [value_multiple]       every value is a multiple of the unit
    [l1, check_l1]         prices as multiples of a unit of prices, divisors, upper payoffs, unit of values
                         and the bound that they prove
    [plain_charge]         without cuts a job pays its rent alone
    [payoffs_bound]        what the cluster costs and upper bounds on the payoffs of all jobs bound every value
    [check_l1_sound]       no feasible schedule is worth more than the bound, lowered to the lattice
    [tight_l1]             the bound claims no less than it could

    Everything is an integer in the units of the instance. *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerDP CheckerFill CheckerLevel CheckerCost CheckerJob CheckerLean.
Import ListNotations.
Open Scope Z_scope.

Definition no_toll (t : nat) (a : gang_at) : Z := 0.
Definition rent_total (rds : list round_data) : Z :=
  fold_right (fun rd acc => total (fun _ k => k) (cluster_items rd) + acc) 0 rds.

(* every value is a multiple of a unit, so bounds may be lowered to one *)
Definition lattice (unit b : Z) : Z := unit * (b / unit).
(* a job that can make no progress completes in no schedule, so its utilities do not matter *)
Definition hopeless (I : instance) (J : job) : bool :=
  match allocation_choices I J (levels I J) (round_of I (PerType []) 0) (fun _ => 0) (Limits None None) with
  | [] => true
  | _ => false
  end.
Definition unit_ok (I : instance) (unit : Z) (J : job) : bool :=
  hopeless I J || forallb (fun u => u mod unit =? 0) (utility J).
Lemma hopeless_never I s j : instance_ok I = true -> feasible I s -> busy I s -> (j < num_jobs I)%nat ->
  hopeless I (job_at I j) = true -> completion I s j = None.
Proof.
  intros HI F B Hj H. assert (HJ := J_ok I j HI Hj).
  assert (P : forall t, (t < num_rounds I)%nat -> progress I (job_at I j) (s j t) <= 0).
  { intros t Ht. destruct (Z_le_gt_dec (progress I (job_at I j) (s j t)) 0) as [L|G]; [exact L|].
    destruct (choices_cover I (job_at I j) (round_of I (PerType []) 0) (price_at (PerType []) 0)
      (fun _ => 0) (Limits None None) (s j t)) as (o & A & _); auto using round_of_ok; try lia.
    - apply (feasible_allocation _ _ F j t Hj Ht).
    - apply B.
    - intros h r Hh Hr. split; [apply price_at_nonneg; reflexivity|apply held_fits; auto].
    - split; discriminate.
    - unfold hopeless in H. destruct (allocation_choices _ _ _ _ _ _); [destruct A|discriminate]. }
  apply completion_none; auto.
  assert (D : done_before I s j (num_rounds I) <= 0).
  { unfold done_before. rewrite <- (sum_zero (num_rounds I) (fun _ => 0)) by auto. apply sum_le. auto. }
  unfold job_ok in HJ. rewrite !andb_true_iff, !Z.ltb_lt in HJ. lia.
Qed.

Lemma value_multiple I s unit : instance_ok I = true -> feasible I s -> busy I s -> 0 < unit ->
  forallb (unit_ok I unit) (jobs I) = true -> value I s mod unit = 0.
Proof.
  intros HI F B Hu H. unfold value.
  assert (E : forall j, (j < num_jobs I)%nat -> job_value I s j mod unit = 0).
  { intros j Hj. rewrite forallb_forall in H.
    specialize (H (job_at I j) (nth_In _ _ Hj)). apply orb_true_iff in H.
    unfold job_value. destruct (completion I s j) as [f|] eqn:EC; [|apply Z.mod_0_l; lia].
    destruct H as [H|H]; [rewrite (hopeless_never I s j HI F B Hj H) in EC; discriminate|].
    apply Z.eqb_eq. apply (forallb_nth (fun u => u mod unit =? 0)); [exact H|].
    rewrite Z.mod_0_l by lia. reflexivity. }
  induction (num_jobs I) as [|n IH]; simpl; [apply Z.mod_0_l; lia|].
  rewrite Z.add_mod, IH, E by (auto; lia). apply Z.mod_0_l. lia.
Qed.
Lemma multiple_below unit v b : 0 < unit -> v mod unit = 0 -> v <= b -> v <= lattice unit b.
Proof.
  unfold lattice. intros Hu Hv Hb.
  assert (E := Z.div_mod v unit ltac:(lia)). assert (Q := Z.div_le_mono v b unit Hu Hb).
  assert (Q' := Z.mul_le_mono_nonneg_l _ _ unit ltac:(lia) Q). lia.
Qed.

(* L1 *)
Record l1 := L1 {
  l1_prices : prices;
  l1_price_unit : Z;
  l1_divisors : list Z;
  l1_payoffs : list Z;
  l1_unit : Z;
  l1_bound : Z }.

Definition payoff_ok (I : instance) (rds : list round_data) (unit q m : Z) (J : job) : bool :=
  (0 <? q) && (0 <=? m) &&
  match job_price I rds no_toll [] q unit 0 (utility J) (Some m) J with Some v => v <=? m | None => true end.

Definition check_l1 (I : instance) (C : l1) : bool :=
  let rds := rounds_of I (l1_prices C) in
  instance_ok I && utilities_fall I && prices_ok (l1_prices C) && (0 <? l1_price_unit C) &&
  (0 <? l1_unit C) &&
  forallb (unit_ok I (l1_unit C)) (jobs I) &&
  (l1_price_unit C * rent_total rds + sum (num_jobs I) (fun j => nth j (l1_payoffs C) 0)
    <=? l1_bound C) &&
  forallb (fun j => payoff_ok I rds (l1_price_unit C) (nth j (l1_divisors C) 0) (nth j (l1_payoffs C) 0) (job_at I j))
    (seq 0 (num_jobs I)).

(* the bound is no more than what the payoffs prove *)
Definition tight_l1 (I : instance) (C : l1) : bool :=
  l1_bound C =?
    l1_price_unit C * rent_total (rounds_of I (l1_prices C)) + sum (num_jobs I) (fun j => nth j (l1_payoffs C) 0).

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
  rewrite sum_scale. apply Z.mul_le_mono_nonneg_l; [apply price_at_nonneg; auto|].
  apply (feasible_capacity _ _ F); auto.
Qed.

Lemma no_branch I s : agrees I s []. Proof. intros b []. Qed.
Lemma no_own j (b : branch) : In b [] -> about j b = true. Proof. intros []. Qed.
Lemma plain_charge I pr s j t : job_charge I pr no_toll s j t = rent I (price_at pr t) (s j t).
Proof. unfold job_charge. rewrite toll_of_zero by reflexivity. lia. Qed.

(* D(k): the rent of the cluster and an upper bound on every payoff *)
Lemma payoffs_bound I pr unit qs ms s : instance_ok I = true -> utilities_fall I = true ->
  prices_ok pr = true -> 0 < unit ->
  (forall j, (j < num_jobs I)%nat -> payoff_ok I (rounds_of I pr) unit (qs j) (ms j) (job_at I j) = true) ->
  feasible I s -> busy I s -> value I s <= unit * rent_total (rounds_of I pr) + sum (num_jobs I) ms.
Proof.
  intros HI HM HP HU HJ F W. assert (R := rent_bounded I _ s F HP).
  enough (E : value I s <= sum (num_jobs I) (fun j =>
    unit * sum (num_rounds I) (fun t => rent I (price_at pr t) (s j t)) + ms j)).
  { rewrite sum_plus, sum_scale in E. nia. }
  apply sum_le. intros j Hj. specialize (HJ j Hj).
  unfold payoff_ok in HJ. rewrite !andb_true_iff in HJ. destruct HJ as [[Hq Hm] Hv].
  apply Z.ltb_lt in Hq. apply Z.leb_le in Hm.
  destruct (job_price_sound I pr no_toll [] (qs j) (utility (job_at I j)) s j HI F Hj HP
    ltac:(intros; apply Z.le_refl) (no_branch I s) (no_own j) Hq W unit HU 0 (Z.le_refl 0) (Some (ms j))) as (u & Eu & Hu).
  rewrite Eu in Hv. apply Z.leb_le in Hv.
  rewrite (sum_ext _ _ _ (fun t _ => plain_charge I pr s j t)) in Hu. change (earned I (utility (job_at I j)) s j) with (job_value I s j) in Hu. lia.
Qed.

Theorem check_l1_sound I C : check_l1 I C = true ->
  forall s, feasible I s -> value I s <= lattice (l1_unit C) (l1_bound C).
Proof.
  unfold check_l1. cbv zeta. rewrite !andb_true_iff. intros [[[[[[[HI HM] HP] HPU] HU] HV] HB] HJ] s0 F0.
  destruct (useful_spec I s0 HI HM F0) as (F & W & V). eapply Z.le_trans; [exact V|].
  revert F W. generalize (useful I s0). clear s0 F0 V. intros s F W. apply Z.ltb_lt in HU, HPU.
  apply multiple_below; [exact HU|apply value_multiple; auto|].
  apply Z.leb_le in HB. rewrite forallb_forall in HJ. eapply Z.le_trans; [|exact HB].
  apply (payoffs_bound I (l1_prices C) (l1_price_unit C) (fun j => nth j (l1_divisors C) 0)
    (fun j => nth j (l1_payoffs C) 0)); auto.
  intros j Hj. apply HJ, in_seq. lia.
Qed.
