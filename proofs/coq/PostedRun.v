(** * Posted prices on the scheduling problem: the theorem of a run, in exact integers.

    [spots I pooled]       places of a round: the nodes, or one where GPUs of a type are pooled
    [gpus_at, takes]       the GPUs of a type at a place, and what an allocation holds of them
    [across I pooled f]    sum of f over rounds, places and types
    [own_plan I pooled j a]  a schedule of job j alone: legal, irredundant, worth something, and it fits the
                           empty cluster
    [bill, plan_fits, sell]  what a plan is charged when g GPUs are sold, whether it fits, what is sold then
    [plan_payoff]          what it is worth more than its bill
    [posted_run e g js v M g']  the algorithm on the jobs js from state g: a plan that fits and is worth more
                           than its bill is accepted if no plan that fits leaves e_j more; the job is rejected if
                           none leaves more than e_j.  v is the value collected, M the payoffs, e_j included
    [priced_run g js a v M g']  the same with no word on the plans that were not taken
    [cluster_worth g]      what all GPUs together cost at the dual prices of state g
    [ledger]               the hypotheses (M), (C), (F), (I), (V) on the dual prices d and the charges: t1 = a1/b,
                           t2 L = (a2/b) (p/q); and what jobs can hold at most

    [posted_bound]         every run: OPT <= M + cluster_worth at the end
    [posted_competitive]   every run: b OPT <= (a1 + a2) v + b (cluster_worth at the start + sum e_j)
    [priced_increment]     (I) and (V) alone: b (M + what the cluster is worth more at the end) <= (a1 + a2) v *)
From Coq Require Import ZArith List Lia Bool Arith Permutation.
From HadarTheory Require Import SchedModel CheckerFill CheckerJob Completion Irredundant.
Import ListNotations.
Open Scope Z_scope.

Definition spots (I : instance) (pooled : bool) : nat := if pooled then 1%nat else num_nodes I.
Definition gpus_at (I : instance) (pooled : bool) (x r : nat) : Z :=
  if pooled then CheckerJob.pooled I r else cap I x r.
Definition takes (I : instance) (pooled : bool) (a : allocation) (x r : nat) : Z :=
  if pooled then sum (num_nodes I) (fun h => held a h r) else held a x r.
Definition across (I : instance) (pooled : bool) (f : nat -> nat -> nat -> Z) : Z :=
  sum (num_rounds I) (fun t => sum (spots I pooled) (fun x => sum (num_types I) (f t x))).
Definition sold_state := nat -> nat -> nat -> Z.
Definition none_sold : sold_state := fun _ _ _ => 0.

Record own_plan (I : instance) (pooled : bool) (j : nat) (a : nat -> allocation) : Prop := Plan {
  plan_allocation : forall t, (t < num_rounds I)%nat -> allocation_ok I (job_at I j) (a t);
  plan_release : forall t, (t < num_rounds I)%nat -> a t <> Idle -> (release (job_at I j) <= t)%nat;
  plan_room : forall t x r, (t < num_rounds I)%nat -> (x < spots I pooled)%nat -> (r < num_types I)%nat ->
    takes I pooled (a t) x r <= gpus_at I pooled x r;
  plan_irredundant : irredundant I j a;
  plan_worth : 0 < own_value I j a }.

Section Over.
  Variables (I : instance) (pooled : bool).
  Notation across := (across I pooled).
  Notation inside t x r := ((t < num_rounds I)%nat /\ (x < spots I pooled)%nat /\ (r < num_types I)%nat).

  Lemma across_le f g : (forall t x r, inside t x r -> f t x r <= g t x r) -> across f <= across g.
  Proof. intros H. apply sum_le. intros t Ht. apply sum_le. intros x Hx. apply sum_le. intros r Hr. auto. Qed.
  Lemma across_ext f g : (forall t x r, inside t x r -> f t x r = g t x r) -> across f = across g.
  Proof. intros H. apply sum_ext. intros t Ht. apply sum_ext. intros x Hx. apply sum_ext. intros r Hr. auto. Qed.
  Lemma across_plus f g : across (fun t x r => f t x r + g t x r) = across f + across g.
  Proof.
    unfold PostedRun.across. rewrite <- sum_plus. apply sum_ext. intros t _. rewrite <- sum_plus. apply sum_ext.
    intros x _. rewrite <- sum_plus. reflexivity.
  Qed.
  Lemma across_scale k f : across (fun t x r => k * f t x r) = k * across f.
  Proof.
    unfold PostedRun.across. rewrite <- sum_scale. apply sum_ext. intros t _. rewrite <- sum_scale. apply sum_ext.
    intros x _. rewrite <- sum_scale. reflexivity.
  Qed.
  Lemma across_minus f g : across (fun t x r => f t x r - g t x r) = across f - across g.
  Proof.
    rewrite (across_ext _ (fun t x r => f t x r + (-1) * g t x r)) by (intros; lia).
    rewrite across_plus, across_scale. lia.
  Qed.
  Lemma across_nonneg f : (forall t x r, inside t x r -> 0 <= f t x r) -> 0 <= across f.
  Proof.
    intros H. apply sum_nonneg. intros t Ht. apply sum_nonneg. intros x Hx. apply sum_nonneg. auto.
  Qed.
  Lemma across_term f t x r : (forall t x r, inside t x r -> 0 <= f t x r) -> inside t x r -> f t x r <= across f.
  Proof.
    intros H (Ht & Hx & Hr). unfold PostedRun.across.
    eapply Z.le_trans; [|apply (sum_term _ (fun t => sum (spots I pooled) (fun x => sum (num_types I) (f t x))) t Ht)].
    - eapply Z.le_trans; [|apply (sum_term _ (fun x => sum (num_types I) (f t x)) x Hx)].
      + apply (sum_term _ (f t x) r Hr). auto.
      + intros; apply sum_nonneg; auto.
    - intros; apply sum_nonneg; intros; apply sum_nonneg; auto.
  Qed.
  Lemma across_sum n f : across (fun t x r => sum n (fun j => f j t x r)) = sum n (fun j => across (f j)).
  Proof.
    induction n as [|n IH]; simpl.
    - unfold PostedRun.across. apply sum_zero. intros t _. apply sum_zero. intros x _. apply sum_zero. auto.
    - rewrite across_plus, IH. reflexivity.
  Qed.
End Over.

Lemma lsum_permutation {A} (f : A -> Z) l k : Permutation l k -> lsum f l = lsum f k.
Proof. unfold lsum. induction 1; simpl in *; lia. Qed.

Section PostedRun.
  Variables (I : instance) (pooled : bool).
  Variable d : nat -> nat -> nat -> Z -> Z.
  Variable charge : nat -> nat -> nat -> Z -> Z -> Z.
  Notation across := (across I pooled).
  Notation own_plan := (own_plan I pooled).
  Notation takes := (takes I pooled).
  Notation gpus_at := (gpus_at I pooled).
  Notation inside t x r := ((t < num_rounds I)%nat /\ (x < spots I pooled)%nat /\ (r < num_types I)%nat).

  Definition bill (g : sold_state) (a : nat -> allocation) : Z :=
    across (fun t x r => charge t x r (g t x r) (takes (a t) x r)).
  Definition plan_fits (g : sold_state) (a : nat -> allocation) : Prop := forall t x r, inside t x r ->
    g t x r + takes (a t) x r <= gpus_at x r.
  Definition sell (g : sold_state) (a : nat -> allocation) : sold_state :=
    fun t x r => g t x r + takes (a t) x r.
  Definition cluster_worth (g : sold_state) : Z := across (fun t x r => gpus_at x r * d t x r (g t x r)).
  Definition plan_cost (g : sold_state) (a : nat -> allocation) : Z :=
    across (fun t x r => d t x r (g t x r) * takes (a t) x r).
  Definition plan_payoff (g : sold_state) (j : nat) (a : nat -> allocation) : Z := own_value I j a - bill g a.

  Inductive posted_run (e : nat -> Z) : sold_state -> list nat -> Z -> Z -> sold_state -> Prop :=
  | run_over g : posted_run e g [] 0 0 g
  | run_accept g j a js v M g' :
      own_plan j a -> plan_fits g a -> 0 < plan_payoff g j a ->
      (forall b, own_plan j b -> plan_fits g b -> plan_payoff g j b <= plan_payoff g j a + e j) ->
      posted_run e (sell g a) js v M g' ->
      posted_run e g (j :: js) (own_value I j a + v) (plan_payoff g j a + e j + M) g'
  | run_reject g j js v M g' :
      (forall b, own_plan j b -> plan_fits g b -> plan_payoff g j b <= e j) ->
      posted_run e g js v M g' -> posted_run e g (j :: js) v (e j + M) g'.

  Inductive priced_run : sold_state -> list nat -> list (option (nat -> allocation)) -> Z -> Z -> sold_state -> Prop :=
  | priced_over g : priced_run g [] [] 0 0 g
  | priced_accept g j a js l v M g' :
      own_plan j a -> plan_fits g a -> 0 < plan_payoff g j a -> priced_run (sell g a) js l v M g' ->
      priced_run g (j :: js) (Some a :: l) (own_value I j a + v) (plan_payoff g j a + M) g'
  | priced_reject g j js l v M g' : priced_run g js l v M g' -> priced_run g (j :: js) (None :: l) v M g'.

  (* at most this much of a place can be held by one job, and by all of them *)
  Variable holds : nat -> nat -> nat -> Z.
  Variables a1 a2 b p q : Z.
  Definition reach (x r : nat) : Z := sum (num_jobs I) (fun j => holds j x r).
  Definition limit (x r : nat) : Z := Z.min (gpus_at x r) (reach x r).

  Record ledger : Prop := Ledger {
    led_holds : forall j x r, 0 <= holds j x r;
    led_takes : forall j c t x r, (j < num_jobs I)%nat -> own_plan j c -> inside t x r ->
      0 <= takes (c t) x r <= holds j x r;
    led_room : forall x r, (x < spots I pooled)%nat -> (r < num_types I)%nat -> 0 <= gpus_at x r;
    led_b : 0 < b;
    led_a1 : b <= a1;
    led_a2 : 0 <= a2;
    led_q : 0 < q;
    led_start : forall t x r, inside t x r -> 0 <= d t x r 0;
    led_mono : forall t x r g g', inside t x r -> 0 <= g -> g <= g' -> g' <= limit x r -> d t x r g <= d t x r g';
    led_low : forall j c t x r g, (j < num_jobs I)%nat -> own_plan j c -> inside t x r -> 0 <= g ->
      g + takes (c t) x r <= limit x r -> charge t x r g (takes (c t) x r) <= d t x r g * takes (c t) x r;
    led_full : forall j c t x r g, (j < num_jobs I)%nat -> own_plan j c -> inside t x r -> 0 <= g -> g <= gpus_at x r ->
      gpus_at x r < g + takes (c t) x r -> g + takes (c t) x r <= reach x r ->
      own_value I j c <= d t x r g * takes (c t) x r;
    led_inc : forall j c t x r g, (j < num_jobs I)%nat -> own_plan j c -> inside t x r -> 0 <= g ->
      g + takes (c t) x r <= limit x r ->
      b * q * (gpus_at x r * (d t x r (g + takes (c t) x r) - d t x r g)) <=
        a1 * q * charge t x r g (takes (c t) x r) + a2 * p * takes (c t) x r;
    led_worth : forall j c, (j < num_jobs I)%nat -> own_plan j c ->
      p * across (fun t x r => takes (c t) x r) <= q * own_value I j c }.
  Hypothesis led : ledger.

  (* what is sold, and what the jobs to come can still hold *)
  Definition still_open (g : sold_state) (js : list nat) : Prop :=
    (forall j, In j js -> (j < num_jobs I)%nat) /\
    forall t x r, inside t x r -> 0 <= g t x r <= gpus_at x r /\
      g t x r + lsum (fun j => holds j x r) js <= reach x r.
  Lemma later_holds x r js : 0 <= lsum (fun j => holds j x r) js.
  Proof. induction js as [|j js IH]; simpl; [lia|]. assert (H := led_holds led j x r). lia. Qed.

  Lemma open_next g j js : still_open g (j :: js) -> still_open g js.
  Proof.
    intros [A O]. split; [intros i Hi; apply A; right; auto|]. intros t x r H. destruct (O t x r H) as [O1 O2].
    simpl in O2. assert (N := led_holds led j x r). split; lia.
  Qed.
  Lemma open_sold g j js a : still_open g (j :: js) -> own_plan j a -> plan_fits g a -> still_open (sell g a) js.
  Proof.
    intros [A O] P F. split; [intros i Hi; apply A; right; auto|]. intros t x r H. destruct (O t x r H) as [O1 O2].
    simpl in O2. assert (N := led_takes led j a t x r (A j (or_introl eq_refl)) P H). specialize (F t x r H).
    unfold sell. split; lia.
  Qed.
  Lemma open_start js : Permutation js (seq 0 (num_jobs I)) -> still_open none_sold js.
  Proof.
    intros P. split.
    - intros j Hj. apply (Permutation_in _ P) in Hj. apply in_seq in Hj. lia.
    - intros t x r (Ht & Hx & Hr). unfold none_sold. assert (N := led_room led x r Hx Hr). split; [lia|].
      rewrite (lsum_permutation _ _ _ P), lsum_seq. unfold reach. lia.
  Qed.
  Lemma open_limit g j js t x r : still_open g (j :: js) -> inside t x r -> 0 <= g t x r <= limit x r.
  Proof.
    intros [_ O] H. destruct (O t x r H) as [O1 O2]. assert (N := later_holds x r (j :: js)). unfold limit. lia.
  Qed.
  Lemma open_takes g j js a t x r : still_open g (j :: js) -> own_plan j a -> inside t x r ->
    g t x r + takes (a t) x r <= reach x r.
  Proof.
    intros [A O] P H. destruct (O t x r H) as [O1 O2]. simpl in O2.
    assert (N := led_takes led j a t x r (A j (or_introl eq_refl)) P H). assert (L := later_holds x r js). lia.
  Qed.
  Lemma open_end g t x r : still_open g [] -> inside t x r -> 0 <= g t x r <= limit x r.
  Proof. intros [_ O] H. destruct (O t x r H) as [O1 O2]. simpl in O2. unfold limit. lia. Qed.

  Definition rises (g g' : sold_state) : Prop :=
    forall t x r, inside t x r -> g t x r <= g' t x r /\ g' t x r <= limit x r.
  Lemma run_rises e g js v M g' : posted_run e g js v M g' -> still_open g js -> rises g g'.
  Proof.
    induction 1 as [g|g j a js v M g' P F _ _ _ IH|g j js v M g' _ _ IH]; intros O.
    - intros t x r H. assert (L := open_end g t x r O H). lia.
    - intros t x r H. destruct (IH (open_sold _ _ _ _ O P F) t x r H) as [I1 I2]. unfold sell in I1.
      assert (N := led_takes led j a t x r (proj1 O j (or_introl eq_refl)) P H). lia.
    - apply IH. eapply open_next; eauto.
  Qed.

  Lemma later_price_pos t x r g : inside t x r -> 0 <= g <= limit x r -> 0 <= d t x r g.
  Proof.
    intros H G. eapply Z.le_trans; [apply (led_start led t x r H)|]. apply (led_mono led); auto; lia.
  Qed.

  Lemma fits_or_full g a : plan_fits g a \/ exists t x r, inside t x r /\ gpus_at x r < g t x r + takes (a t) x r.
  Proof.
    set (bad t x r := gpus_at x r <? g t x r + takes (a t) x r).
    destruct (existsb (fun t => existsb (fun x => existsb (bad t x) (seq 0 (num_types I))) (seq 0 (spots I pooled)))
      (seq 0 (num_rounds I))) eqn:E.
    - right. apply existsb_exists in E. destruct E as (t & Ht & E). apply existsb_exists in E.
      destruct E as (x & Hx & E). apply existsb_exists in E. destruct E as (r & Hr & E).
      apply in_seq in Ht, Hx, Hr. apply Z.ltb_lt in E. exists t, x, r. repeat split; auto; lia.
    - left. intros t x r (Ht & Hx & Hr). destruct (Z_le_gt_dec (g t x r + takes (a t) x r) (gpus_at x r)) as [|N]; auto.
      exfalso. assert (X : existsb (fun t => existsb (fun x => existsb (bad t x) (seq 0 (num_types I)))
        (seq 0 (spots I pooled))) (seq 0 (num_rounds I)) = true); [|congruence].
      apply existsb_exists. exists t. split; [apply in_seq; lia|]. apply existsb_exists. exists x.
      split; [apply in_seq; lia|]. apply existsb_exists. exists r. split; [apply in_seq; lia|]. apply Z.ltb_lt. lia.
  Qed.

  (* whatever a job could do pays no more at later prices than what was booked at its arrival *)
  Lemma booked_payoff e g j js c k' m : still_open g (j :: js) -> rises g k' -> own_plan j c -> 0 <= m ->
    (forall c, own_plan j c -> plan_fits g c -> plan_payoff g j c <= m) -> 0 <= e ->
    own_value I j c - plan_cost k' c <= m + e.
  Proof.
    intros O K P Hm Best He. assert (Hj := proj1 O j (or_introl eq_refl)).
    assert (T : forall t x r, inside t x r -> 0 <= takes (c t) x r) by (intros t x r H; apply (led_takes led j c); auto).
    assert (C : forall t x r, inside t x r ->
      d t x r (g t x r) * takes (c t) x r <= d t x r (k' t x r) * takes (c t) x r).
    { intros t x r H. apply Z.mul_le_mono_nonneg_r; [auto|]. destruct (K t x r H) as [K1 K2].
      apply (led_mono led); auto. apply (open_limit g j js t x r O H). }
    destruct (fits_or_full g c) as [F|(t & x & r & H & N)].
    - specialize (Best c P F). unfold plan_payoff in Best.
      assert (bill g c <= plan_cost k' c); [|lia]. unfold bill, plan_cost. apply across_le. intros t x r H.
      eapply Z.le_trans; [|apply (C t x r H)]. apply (led_low led j); auto; [apply (open_limit g j js t x r O H)|].
      unfold limit. assert (Q := open_takes g j js c t x r O P H). specialize (F t x r H). lia.
    - assert (V : own_value I j c <= d t x r (g t x r) * takes (c t) x r).
      { apply (led_full led j); auto; [apply (proj2 O t x r H)|apply (proj2 O t x r H)|apply (open_takes g j js); auto]. }
      assert (Q : d t x r (k' t x r) * takes (c t) x r <= plan_cost k' c).
      { unfold plan_cost. apply (across_term I pooled (fun t x r => d t x r (k' t x r) * takes (c t) x r)); auto.
        intros t' x' r' H'. apply Z.mul_nonneg_nonneg; [|auto]. apply later_price_pos; auto.
        destruct (K t' x' r' H') as [K1 K2]. assert (Z := open_limit g j js t' x' r' O H'). lia. }
      specialize (C t x r H). lia.
  Qed.

  Definition pick_net (k' : sold_state) (pick : nat -> option (nat -> allocation)) (j : nat) : Z :=
    match pick j with Some c => own_value I j c - plan_cost k' c | None => 0 end.

  Lemma posted_dual e pick : (forall j, 0 <= e j) ->
    (forall j c, (j < num_jobs I)%nat -> pick j = Some c -> own_plan j c) ->
    forall g js v M g', posted_run e g js v M g' -> still_open g js -> lsum (pick_net g' pick) js <= M.
  Proof.
    intros He Hp. induction 1 as [g|g j a js v M g' P F Y Best R IH|g j js v M g' Best R IH]; intros O; simpl; [lia| |].
    - assert (O' := open_sold _ _ _ _ O P F). specialize (IH O').
      assert (K : rises g g').
      { intros t x r H. destruct (run_rises _ _ _ _ _ _ R O' t x r H) as [K1 K2]. unfold sell in K1.
        assert (N := led_takes led j a t x r (proj1 O j (or_introl eq_refl)) P H). lia. }
      unfold pick_net at 1. destruct (pick j) as [c|] eqn:E; [|specialize (He j); lia].
      assert (B := booked_payoff 0 g j js c g' (plan_payoff g j a + e j) O K (Hp j c (proj1 O j (or_introl eq_refl)) E)
        ltac:(specialize (He j); lia) Best ltac:(lia)). lia.
    - assert (O' := open_next _ _ _ O). specialize (IH O'). assert (K := run_rises _ _ _ _ _ _ R O').
      unfold pick_net at 1. destruct (pick j) as [c|] eqn:E; [|specialize (He j); lia].
      assert (B := booked_payoff 0 g j js c g' (e j) O K (Hp j c (proj1 O j (or_introl eq_refl)) E)
        ltac:(specialize (He j); lia) Best ltac:(lia)). lia.
  Qed.

  (* what one sale adds *)
  Lemma increment g j a js : still_open g (j :: js) -> own_plan j a -> plan_fits g a -> 0 < plan_payoff g j a ->
    b * (plan_payoff g j a + cluster_worth (sell g a) - cluster_worth g) <= (a1 + a2) * own_value I j a.
  Proof.
    intros O P F Y. assert (Hj := proj1 O j (or_introl eq_refl)).
    assert (S : b * q * (cluster_worth (sell g a) - cluster_worth g) <= a1 * q * bill g a + a2 * q * own_value I j a).
    { unfold cluster_worth. rewrite <- across_minus, <- across_scale.
      eapply Z.le_trans with (a1 * q * bill g a + a2 * (p * across (fun t x r => takes (a t) x r))).
      - unfold bill. rewrite Z.mul_assoc, <- !across_scale, <- across_plus. apply across_le. intros t x r H.
        rewrite <- Z.mul_sub_distr_l. unfold sell. apply (led_inc led j); auto; [apply (open_limit g j js t x r O H)|].
        unfold limit. assert (Q := open_takes g j js a t x r O P H). specialize (F t x r H). lia.
      - assert (W := led_worth led j a Hj P).
        assert (Q := Z.mul_le_mono_nonneg_l _ _ a2 (led_a2 led) W). lia. }
    assert (B := led_b led). assert (B1 := led_a1 led). assert (Q := led_q led). unfold plan_payoff in *.
    assert (X : (a1 - b) * bill g a <= (a1 - b) * own_value I j a) by (apply Z.mul_le_mono_nonneg_l; lia).
    apply Z.mul_le_mono_pos_l with q; [exact Q|].
    assert (X' := Z.mul_le_mono_nonneg_l _ _ q ltac:(lia) X). lia.
  Qed.
  Lemma posted_increment e g js v M g' : (forall j, 0 <= e j) -> posted_run e g js v M g' -> still_open g js ->
    b * (M + cluster_worth g' - cluster_worth g) <= (a1 + a2) * v + b * lsum e js.
  Proof.
    intros He. induction 1 as [g|g j a js v M g' P F Y _ R IH|g j js v M g' _ R IH]; intros O; simpl; [lia| |].
    - specialize (IH (open_sold _ _ _ _ O P F)). assert (X := increment g j a js O P F Y). lia.
    - specialize (IH (open_next _ _ _ O)). lia.
  Qed.
  Theorem priced_increment g js l v M g' : priced_run g js l v M g' -> still_open g js ->
    b * (M + cluster_worth g' - cluster_worth g) <= (a1 + a2) * v.
  Proof.
    induction 1 as [g|g j a js l v M g' P F Y R IH|g j js l v M g' R IH]; intros O; simpl; [lia| |].
    - specialize (IH (open_sold _ _ _ _ O P F)). assert (X := increment g j a js O P F Y). lia.
    - apply IH. eapply open_next; eauto.
  Qed.

  (* every feasible schedule contains plans, worth no less *)
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.
  Lemma held_nonneg_all s j t h r : feasible I s -> (j < num_jobs I)%nat -> (t < num_rounds I)%nat ->
    (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= held (s j t) h r.
  Proof.
    intros F Hj Ht Hh Hr. assert (O := feasible_allocation _ _ F j t Hj Ht).
    destruct (s j t) as [|g|g]; simpl; [lia| |]; apply O; auto.
  Qed.
  Lemma takes_nonneg s j t x r : feasible I s -> (j < num_jobs I)%nat -> inside t x r -> 0 <= takes (s j t) x r.
  Proof.
    intros F Hj (Ht & Hx & Hr). unfold PostedRun.takes, spots in *. destruct pooled.
    - apply sum_nonneg. intros h Hh. apply held_nonneg_all; auto.
    - apply held_nonneg_all; auto.
  Qed.
  Lemma takes_feasible s t x r : feasible I s -> inside t x r ->
    sum (num_jobs I) (fun j => takes (s j t) x r) <= gpus_at x r.
  Proof.
    intros F (Ht & Hx & Hr). unfold PostedRun.takes, PostedRun.gpus_at, spots in *. destruct pooled.
    - unfold CheckerJob.pooled. rewrite sum_swap. apply sum_le. intros h Hh. apply (feasible_capacity _ _ F); auto.
    - apply (feasible_capacity _ _ F); auto.
  Qed.
  Lemma takes_idle x r : takes Idle x r = 0.
  Proof. unfold PostedRun.takes. destruct pooled; [apply sum_zero; auto|reflexivity]. Qed.

  Lemma feasible_plan s j : feasible I s -> (j < num_jobs I)%nat -> 0 < job_value I s j ->
    exists c, own_plan j c /\ job_value I s j <= own_value I j c /\
      forall t x r, inside t x r -> takes (c t) x r <= takes (s j t) x r.
  Proof.
    intros F Hj V. destruct (irredundant_part I inst utilities s j F Hj V) as (c & Hc & Hi & Hv).
    exists c. split; [|split; [exact Hv|]].
    - constructor; auto; [| | |lia].
      + intros t Ht. destruct (Hc t) as [->| ->]; [apply (feasible_allocation _ _ F); auto|exact Logic.I].
      + intros t Ht Hn. apply (feasible_release _ _ F j t Hj Ht). destruct (Hc t) as [E|E]; congruence.
      + intros t x r Ht Hx Hr. assert (S := takes_feasible s t x r F (conj Ht (conj Hx Hr))).
        assert (S1 := sum_term (num_jobs I) (fun j => takes (s j t) x r) j Hj
          (fun i Hi => takes_nonneg s i t x r F Hi (conj Ht (conj Hx Hr)))). cbv beta in S1.
        assert (N := takes_nonneg s j t x r F Hj (conj Ht (conj Hx Hr))).
        destruct (Hc t) as [->| ->]; [|rewrite takes_idle]; lia.
    - intros t x r H. assert (N := takes_nonneg s j t x r F Hj H). destruct (Hc t) as [->| ->]; [|rewrite takes_idle]; lia.
  Qed.

  (* what was booked, and what the cluster costs at the end, bound every schedule *)
  Theorem posted_bound e js v M g' : (forall j, 0 <= e j) -> Permutation js (seq 0 (num_jobs I)) ->
    posted_run e none_sold js v M g' -> forall s, feasible I s -> value I s <= M + cluster_worth g'.
  Proof.
    intros He Pm R s F. assert (O := open_start js Pm).
    assert (K : forall t x r, inside t x r -> 0 <= d t x r (g' t x r)).
    { intros t x r H. apply later_price_pos; auto. destruct (run_rises _ _ _ _ _ _ R O t x r H). unfold none_sold in *. lia. }
    (* a plan of each job that the schedule completes *)
    assert (Ex : exists pick : nat -> option (nat -> allocation), forall j, (j < num_jobs I)%nat ->
      (forall c, pick j = Some c -> own_plan j c) /\
      job_value I s j <= pick_net g' pick j + across (fun t x r => d t x r (g' t x r) * takes (s j t) x r)).
    { assert (G : forall n, (n <= num_jobs I)%nat -> exists pick : nat -> option (nat -> allocation), forall j, (j < n)%nat ->
        (forall c, pick j = Some c -> own_plan j c) /\
        job_value I s j <= pick_net g' pick j + across (fun t x r => d t x r (g' t x r) * takes (s j t) x r)).
      { induction n as [|n IH]; intros Hn; [exists (fun _ => None); lia|].
        destruct IH as [pick Hp]; [lia|].
        assert (N : 0 <= across (fun t x r => d t x r (g' t x r) * takes (s n t) x r)).
        { apply across_nonneg. intros t x r H. apply Z.mul_nonneg_nonneg; [auto|apply takes_nonneg; auto; lia]. }
        assert (Y : exists o : option (nat -> allocation), (forall c, o = Some c -> own_plan n c) /\
          job_value I s n <= match o with Some c => own_value I n c - plan_cost g' c | None => 0 end +
            across (fun t x r => d t x r (g' t x r) * takes (s n t) x r)).
        { destruct (Z_lt_le_dec 0 (job_value I s n)) as [V|V]; [|exists None; split; [discriminate|lia]].
          destruct (feasible_plan s n F ltac:(lia) V) as (c & Pc & Vc & Tc). exists (Some c).
          split; [intros ? [= <-]; auto|].
          assert (plan_cost g' c <= across (fun t x r => d t x r (g' t x r) * takes (s n t) x r)); [|lia].
          apply across_le. intros t x r H. apply Z.mul_le_mono_nonneg_l; auto. }
        destruct Y as (o & Ho1 & Ho2). exists (fun j => if (j =? n)%nat then o else pick j).
        intros j Hj. unfold pick_net. destruct (Nat.eqb_spec j n) as [->|]; [split; auto|]. apply Hp. lia. }
      apply (G (num_jobs I)). lia. }
    destruct Ex as (pick & Hp).
    assert (D := posted_dual e pick He (fun j c Hj => proj1 (Hp j Hj) c) _ _ _ _ _ R O).
    rewrite (lsum_permutation _ _ _ Pm), lsum_seq in D.
    eapply Z.le_trans with (sum (num_jobs I) (pick_net g' pick) +
        sum (num_jobs I) (fun j => across (fun t x r => d t x r (g' t x r) * takes (s j t) x r))).
      - rewrite <- sum_plus. apply sum_le. intros j Hj. apply Hp, Hj.
      - apply Z.add_le_mono; [exact D|]. rewrite <- across_sum. apply across_le. intros t x r H. rewrite sum_scale, Z.mul_comm.
        apply Z.mul_le_mono_nonneg_r; [auto|apply takes_feasible; auto].
  Qed.

  Theorem posted_competitive e js v M g' : (forall j, 0 <= e j) -> Permutation js (seq 0 (num_jobs I)) ->
    posted_run e none_sold js v M g' -> forall s, feasible I s ->
    b * value I s <= (a1 + a2) * v + b * (cluster_worth none_sold + sum (num_jobs I) e).
  Proof.
    intros He Pm R s F. assert (X := posted_increment e _ _ _ _ _ He R (open_start js Pm)).
    rewrite (lsum_permutation _ _ _ Pm), lsum_seq in X.
    assert (V := posted_bound e js v M g' He Pm R s F). assert (B := led_b led).
    assert (V' := Z.mul_le_mono_nonneg_l _ _ b ltac:(lia) V). lia.
  Qed.
End PostedRun.
