(** * Least cost of the allocations of one round, and its soundness.

    [round_data]           items of the whole cluster and of each node in one round, and its prices
    [copying]              the levels at which a copy makes progress
    [slowed]               whether a node holds the slowest type of a level: a copy without it is faster
    [slowed_found]         the level of a copy is one of its node
    [limits]               bounds at_least <= progress < below that a branching tree put on a round
    [allocation_choices]   (progress, least cost) of the allocations of one job in one round
    [choices_cover]        every thrifty allocation that fits has a choice with its progress, at no more
                         cost *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerDP CheckerFill CheckerLevel CheckerCopies.
Import ListNotations.
Open Scope Z_scope.

Record round_data := Round {
  cluster_items : list item;
  node_items : list (list item);
  by_node : bool;
  unit_price : nat -> nat -> Z }.
Record limits := Limits { at_least : option Z; less_than : option Z }.

Definition within (lim : limits) (p : Z) : bool :=
  (1 <=? p) && match at_least lim with None => true | Some a => a <=? p end &&
  match less_than lim with None => true | Some b => p <? b end.

Definition when (v : option Z) (p extra : Z) : list label :=
  match v with None => [] | Some c => [(p, c + extra)] end.
Definition gang_choices (J : job) (lvs : list level) (rd : round_data) (toll : gang_at -> Z)
  : list label :=
  flat_map (fun lv =>
    when (fill (mask lv) (gang_size J) (cluster_items rd)) (spread_progress lv) (toll (None, mask lv)) ++
    if free_spread J then []
    else when (best_fill (mask lv) (gang_size J) (node_items rd)) (node_progress lv) (toll (None, mask lv)))
  lvs.

Definition copying (lvs : list level) : list level :=
  filter (fun lv => negb (copy_progress lv =? 0)) lvs.
Definition slowed (its : list item) (lv : level) : bool :=
  existsb (fun i => (item_type i =? slow_type lv)%nat && (0 <? item_count i)) its.
Definition node_copies (J : job) (lvs : list level) (toll : gang_at -> Z) (hi : nat * list item) : list label :=
  let (h, its) := hi in
  flat_map (fun lv => when (fill (mask lv) (gang_size J) its) (copy_progress lv) (toll (Some h, mask lv)))
    (filter (slowed its) (copying lvs)).
Definition node_steps (J : job) (lvs : list level) (rd : round_data) (toll : gang_at -> Z) : list node_step :=
  map (fun hi => (node_copies J lvs toll hi, true))
    (combine (seq 0 (length (node_items rd))) (node_items rd)).

Definition allocation_choices (I : instance) (J : job) (lvs : list level) (rd : round_data)
  (toll : gang_at -> Z) (lim : limits) : list label :=
  filter (fun o => within lim (fst o))
    (gang_choices J lvs rd toll ++ forked_choices I J (fun _ => node_steps J lvs rd toll)).

Definition round_ok (I : instance) (p : nat -> nat -> Z) (rd : round_data) : Prop :=
  describes (cluster_items rd) (num_nodes I) (num_types I) p (cap I) /\
  length (node_items rd) = num_nodes I /\
  forall h, (h < num_nodes I)%nat ->
    describes (nth h (node_items rd) []) 1 (num_types I) (fun _ => p h) (fun _ => cap I h).
Definition prices_of_round (rd : round_data) (p : nat -> nat -> Z) : Prop :=
  (forall h r, unit_price rd h r = p h r) /\
  (by_node rd = false -> forall h r, p h r = p 0%nat r).

Lemma rent_node I p g h : (h < num_nodes I)%nat ->
  (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= p h r /\ 0 <= g h r) ->
  sum (num_types I) (fun r => p h r * g h r) <=
  sum (num_nodes I) (fun h => sum (num_types I) (fun r => p h r * g h r)).
Proof.
  intros Hh Hp. apply (sum_term _ (fun h => sum (num_types I) (fun r => p h r * g h r)) h Hh).
  intros k Hk. apply sum_nonneg. intros r Hr. destruct (Hp k r Hk Hr).
  apply Z.mul_nonneg_nonneg; auto.
Qed.

Lemma gang_covered I J rd p toll g :
  job_ok J = true -> allocation_ok I J (Gang g) -> round_ok I p rd ->
  (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= p h r /\ g h r <= cap I h r) ->
  exists o, In o (gang_choices J (levels I J) rd toll) /\ fst o = gang_progress I J g /\
    snd o <= rent I p (Gang g) + toll_of I J toll (Gang g).
Proof.
  intros HJ Ha (D1 & D2 & D3) Hp. destruct (gang_level I J g HJ Ha) as (l & El & Hl & Hm).
  assert (One := inside_one_node I J g HJ Ha). destruct Ha as (Hc & HW & HS).
  assert (G : forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat ->
     0 <= g h r <= cap I h r /\ (0 < g h r -> on (mask_of I J l) r = true)).
  { intros h r Hh Hr. destruct (Hc h r Hh Hr). destruct (Hp h r Hh Hr).
    split; [lia|]. apply Hm; auto. }
  assert (ET : toll_of I J toll (Gang g) = toll (None, mask_of I J l)).
  { unfold toll_of, gang_mask. rewrite El. reflexivity. }
  unfold gang_progress, level_progress. rewrite El, ET. unfold rent. cbn [held].
  destruct (fill_sound _ _ _ _ _ g _ _ D1 G HW) as (v & Ev & Hv).
  assert (In1 : In (floor_product (speed J l) (wide_time I J), v + toll (None, mask_of I J l))
    (gang_choices J (levels I J) rd toll)).
  { unfold gang_choices. apply in_flat_map. exists (level_of I J l). split; [auto|].
    apply in_or_app. left. cbn [mask level_of]. rewrite Ev. simpl. auto. }
  destruct (1 <? nodes_used I g) eqn:EN.
  { eexists. split; [exact In1|]. cbn [fst snd]. split; [|lia]. apply (wide_spread I J g); auto.
    split; auto. }
  destruct (free_spread J) eqn:ER.
  { eexists. split; [exact In1|]. simpl. split; [|lia]. apply spread_for_free; auto. }
  destruct (One eq_refl) as (h & Hh & Eh).
  destruct (fill_sound _ 1 _ _ _ (fun _ => g h) (mask_of I J l) (gang_size J) (D3 h Hh)) as (w & Ew & Hw).
  { intros _ r _ Hr. apply G; auto. }
  { simpl. rewrite <- Eh. reflexivity. }
  assert (Hin : In (nth h (node_items rd) []) (node_items rd)) by (apply nth_In; rewrite D2; exact Hh).
  destruct (best_fill_sound _ _ _ _ _ Hin Ew) as (b & Eb & Hb).
  exists (floor_product (speed J l) (node_time I), b + toll (None, mask_of I J l)). split; [|split; [reflexivity|]].
  - unfold gang_choices. apply in_flat_map. exists (level_of I J l). split; [auto|].
    apply in_or_app. right. rewrite ER. cbn [mask level_of]. rewrite Eb. simpl. auto.
  - simpl in Hw |- *.
    assert (Q := rent_node I p g h Hh (fun h r Hh Hr => conj (proj1 (Hp h r Hh Hr)) (proj1 (proj1 (G h r Hh Hr))))).
    lia.
Qed.

Lemma copying_in I J l : In (level_of I J l) (levels I J) ->
  floor_product (speed J l) (copy_time I) <> 0 -> In (level_of I J l) (copying (levels I J)).
Proof.
  intros H N. apply filter_In. split; [exact H|]. apply negb_true_iff, Z.eqb_neq. exact N.
Qed.
Lemma slowed_found I J its p c l : describes its 1 (num_types I) p (fun _ => c) ->
  (l < num_types I)%nat -> 0 < c l -> slowed its (level_of I J l) = true.
Proof.
  intros D Hl C. unfold slowed. cbn [slow_type level_of]. destruct (existsb _ its) eqn:E; [reflexivity|exfalso].
  specialize (D (fun r _ => if (r =? l)%nat then 1 else 0)). cbn [sum] in D.
  assert (A : total (fun r _ => if (r =? l)%nat then 1 else 0) its <= 0).
  { clear D. induction its as [|i r IH]; cbn [total existsb] in *; [lia|].
    apply orb_false_iff in E. destruct E as [E1 E2]. specialize (IH E2).
    destruct (item_type i =? l)%nat; [|lia]. cbn [andb] in E1. apply Z.ltb_ge in E1. lia. }
  assert (T := sum_term (num_types I) (fun r => (if (r =? l)%nat then 1 else 0) * c r) l Hl).
  cbv beta in T. rewrite Nat.eqb_refl in T.
  assert (N : forall k, (k < num_types I)%nat -> 0 <= (if (k =? l)%nat then 1 else 0) * c k).
  { intros k _. destruct (Nat.eqb_spec k l) as [->|]; lia. }
  specialize (T N). lia.
Qed.
Lemma copies_found I J rd p toll g :
  job_ok J = true -> allocation_ok I J (Copies g) -> thrifty I J (Copies g) -> round_ok I p rd ->
  (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= p h r /\ g h r <= cap I h r) ->
  found (copy_choices I J (node_steps J (levels I J) rd toll)) (copies_progress I J g)
    (rent I p (Copies g) + toll_of I J toll (Copies g)).
Proof.
  intros HJ Ha Th (_ & D2 & D3) Hp. apply copy_choices_found; auto.
  { unfold node_steps. rewrite map_length, combine_length, seq_length. lia. }
  intros h Hh. unfold node_steps.
  rewrite nth_indep with (d' := (fun hi => (node_copies J (levels I J) toll hi, true)) (0%nat, []))
    by (rewrite map_length, combine_length, seq_length, D2, Nat.min_id; auto).
  rewrite (map_nth (fun hi => (node_copies J (levels I J) toll hi, true))).
  rewrite combine_nth, seq_nth by (rewrite ?seq_length; lia). cbn [Nat.add fst snd].
  destruct (0 <? on_node I g h) eqn:E0.
  - destruct (copy_level I J g h HJ Ha Hh E0) as (l & Hl & EW & EP & Hmk & Ll & Gl & EM). rewrite EM.
    destruct Ha as (_ & Hc & _).
    destruct (fill_sound (nth h (node_items rd) []) 1 (num_types I) (fun _ => p h) (fun _ => cap I h)
      (fun _ => g h) (mask_of I J l) (gang_size J) (D3 h Hh)) as (v & Ev & Hv).
    { intros _ q _ Hq. destruct (Hc h q Hh Hq). destruct (Hp h q Hh Hq). split; [lia|]. auto. }
    { simpl. rewrite <- EW. reflexivity. }
    exists (floor_product (speed J l) (copy_time I), v + toll (Some h, mask_of I J l)).
    split; [|simpl in *; split; [auto|lia]].
    unfold node_copies. apply in_flat_map. exists (level_of I J l). split; [|].
    { apply filter_In. split.
      - apply copying_in; [exact Hl|]. rewrite <- EP. apply Th; [exact Hh|]. apply Z.ltb_lt, E0.
      - apply slowed_found with (fun _ => p h) (cap I h); [exact (D3 h Hh)|exact Ll|].
        destruct (Hp h l Hh Ll). lia. }
    cbn [mask level_of]. rewrite Ev. simpl. auto.
  - destruct Ha as (_ & Hc & _). destruct (no_copy I J p g h HJ Hc Hh E0) as (_ & A & B & EM). rewrite EM. split; [auto|split; [auto|lia]].
Qed.

Definition obeys (lim : limits) (p : Z) : Prop :=
  (forall a, at_least lim = Some a -> a <= p) /\ (forall b, less_than lim = Some b -> p < b).

Lemma obeys_within lim n : 1 <= n -> obeys lim n -> within lim n = true.
Proof.
  intros H1 [Ho1 Ho2]. unfold within. rewrite !andb_true_iff. split; [split; [apply Z.leb_le; lia|]|].
  - destruct (at_least lim) as [x|]; auto. apply Z.leb_le. auto.
  - destruct (less_than lim) as [x|]; auto. apply Z.ltb_lt. auto.
Qed.

Theorem choices_cover I J rd p toll lim a :
  job_ok J = true -> allocation_ok I J a -> thrifty I J a -> round_ok I p rd ->
  (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= p h r /\ held a h r <= cap I h r) ->
  1 <= progress I J a -> obeys lim (progress I J a) ->
  exists o, In o (allocation_choices I J (levels I J) rd toll lim) /\
    progress I J a <= fst o /\ snd o <= rent I p a + toll_of I J toll a.
Proof.
  intros HJ Ha Th Hr Hp H1 Ho. unfold allocation_choices. rewrite forked_choices_eq.
  assert (W := obeys_within lim _ H1 Ho).
  enough (exists o, In o (gang_choices J (levels I J) rd toll ++
      copy_choices I J (node_steps J (levels I J) rd toll)) /\
    fst o = progress I J a /\ snd o <= rent I p a + toll_of I J toll a) as (o & A & B & C).
  { exists o. split; [|lia]. apply filter_In. rewrite B. auto. }
  destruct a as [|g|g]; cbn [progress] in *.
  - lia.
  - destruct (gang_covered I J rd p toll g HJ Ha Hr Hp) as (o & A & B & C).
    exists o. split; [apply in_or_app; auto|auto].
  - destruct (copies_found I J rd p toll g HJ Ha Th Hr Hp) as (o & A & B & C).
    exists o. split; [apply in_or_app; auto|auto].
Qed.
