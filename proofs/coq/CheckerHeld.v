(** * Least cost of the allocations of one round when the GPUs held of single places are bounded.

    [held_at I a x r]      GPUs of type r that an allocation holds on node h (x = Some h) or anywhere
                         (x = None)
    [range, in_range]      a least and perhaps a most number of them
    [cell]                 a place with its price and the least and the most GPUs that may be taken
    [fill_within m W cs]   a lower bound on the cost of W GPUs of the types in m, by duality; exact
    [range_cells I rd rg c]      the places of a round under ranges rg and capacities c
    [held_choices]         (progress, least cost) of the allocations of one job within the ranges; where
                         prices are per type, copies are not held to them
    [held_choices_cover]   every thrifty allocation within the ranges has a choice with its progress, at no more cost *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerDP CheckerFill CheckerLevel CheckerCopies CheckerCost.
Import ListNotations.
Open Scope Z_scope.

Definition held_at (I : instance) (a : allocation) (x : option nat) (r : nat) : Z :=
  match x with Some h => held a h r | None => sum (num_nodes I) (fun h => held a h r) end.
Definition range := (Z * option Z)%type.
Definition in_range (g : range) (n : Z) : Prop :=
  fst g <= n /\ forall b, snd g = Some b -> n <= b.

(* cells and the least cost of W GPUs of them *)
Record cell := Cell { cell_type : nat; cell_price : Z; fewest : Z; most : Z }.
Definition holds_least (m : list bool) (c : cell) : bool :=
  fewest c <=? if on m (cell_type c) then most c else 0.
Definition dual_term (lam : Z) (c : cell) : Z :=
  Z.max 0 (lam - cell_price c) * most c - Z.max 0 (cell_price c - lam) * fewest c.
Definition fill_within (m : list bool) (W : Z) (cs : list cell) : option Z :=
  if forallb (holds_least m) cs then
    let cs := filter (fun c => on m (cell_type c)) cs in
    let need := W - lsum fewest cs in
    if (need <? 0) || (lsum most cs <? W) then None
    else
      let lam := threshold need
        (sort_items (map (fun c => (cell_type c, cell_price c, most c - fewest c)) cs)) 0 in
      Some (lam * W - lsum (dual_term lam) cs)
  else None.

Definition taken_of (m : list bool) (c : cell) (u : Z) : Prop :=
  0 <= u /\ fewest c <= u <= most c /\ (0 < u -> on m (cell_type c) = true).

Lemma fill_within_sound {A} (l : list A) (c : A -> cell) (u : A -> Z) m W :
  (forall a, In a l -> taken_of m (c a) (u a)) -> lsum u l = W ->
  exists v, fill_within m W (map c l) = Some v /\ v <= lsum (fun a => cell_price (c a) * u a) l.
Proof.
  intros H HW. unfold fill_within.
  replace (forallb (holds_least m) (map c l)) with true.
  2: { symmetry. apply forallb_forall. intros x Hx. apply in_map_iff in Hx. destruct Hx as (a & <- & Ha).
       destruct (H a Ha) as (A1 & A2 & A3). unfold holds_least. apply Z.leb_le.
       destruct (on m (cell_type (c a))); [lia|]. destruct (Z_lt_dec 0 (u a)) as [P|P]; [|lia].
       specialize (A3 P). discriminate. }
  cbv zeta. rewrite !lsum_filter, !lsum_map.
  assert (L1 : lsum (fun a => if on m (cell_type (c a)) then fewest (c a) else 0) l <= W).
  { rewrite <- HW. apply lsum_le. intros a Ha. destruct (H a Ha) as (A1 & A2 & A3).
    destruct (on m _); lia. }
  assert (L2 : W <= lsum (fun a => if on m (cell_type (c a)) then most (c a) else 0) l).
  { rewrite <- HW. apply lsum_le. intros a Ha. destruct (H a Ha) as (A1 & A2 & A3).
    destruct (on m (cell_type (c a))); [lia|]. destruct (Z_lt_dec 0 (u a)) as [P|P]; [|lia].
    specialize (A3 P). discriminate. }
  replace (_ || _) with false.
  2: { symmetry. apply orb_false_iff. rewrite !Z.ltb_ge. lia. }
  set (lam := threshold _ _ _). clearbody lam.
  eexists. split; [reflexivity|]. rewrite <- HW, <- lsum_scale, <- lsum_minus.
  apply lsum_le. intros a Ha. destruct (H a Ha) as (A1 & A2 & A3).
  destruct (on m (cell_type (c a))).
  - unfold dual_term. destruct (Z_le_gt_dec (cell_price (c a)) lam) as [Q|Q].
    + rewrite Z.max_r, Z.max_l by lia. nia.
    + rewrite Z.max_l, Z.max_r by lia. nia.
  - destruct (Z_lt_dec 0 (u a)) as [P|P]; [specialize (A3 P); discriminate|]. replace (u a) with 0 by lia. lia.
Qed.

(* the places of a round: (node, type), or (0, type) where prices are per type *)
Definition places (I : instance) (rd : round_data) : list (nat * nat) :=
  if by_node rd then list_prod (seq 0 (num_nodes I)) (seq 0 (num_types I))
  else map (fun r => (0%nat, r)) (seq 0 (num_types I)).
Definition cell_at (r : nat) (price : Z) (g : range) (count : Z) : cell :=
  Cell r price (fst g) match snd g with None => count | Some b => Z.min count b end.
Definition place_cell (I : instance) (rd : round_data) (rg : option nat -> nat -> range)
  (c : nat -> nat -> Z) (x : nat * nat) : cell :=
  let (h, r) := x in
  if by_node rd then cell_at r (unit_price rd h r) (rg (Some h) r) (c h r)
  else cell_at r (unit_price rd h r) (rg None r) (sum (num_nodes I) (fun h => c h r)).
Definition range_cells (I : instance) (rd : round_data) (rg : option nat -> nat -> range)
  (c : nat -> nat -> Z) : list cell := map (place_cell I rd rg c) (places I rd).
Definition only (h : nat) (c : nat -> nat -> Z) (h' r : nat) : Z := if (h' =? h)%nat then c h' r else 0.

Lemma lsum_prod (f : nat * nat -> Z) n m :
  lsum f (list_prod (seq 0 n) (seq 0 m)) = sum n (fun h => sum m (fun r => f (h, r))).
Proof.
  rewrite <- lsum_seq. induction (seq 0 n) as [|h l IH]; [reflexivity|].
  simpl. rewrite lsum_app, lsum_map, lsum_seq, IH. reflexivity.
Qed.

(* what an allocation takes of a place *)
Definition place_held (I : instance) (rd : round_data) (g : nat -> nat -> Z) (x : nat * nat) : Z :=
  if by_node rd then g (fst x) (snd x) else sum (num_nodes I) (fun h => g h (snd x)).

Lemma cells_cover I rd p rg c g m W a :
  prices_of_round rd p -> (forall h r, held a h r = g h r) ->
  (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat ->
    0 <= g h r <= c h r /\ (0 < g h r -> on m r = true)) ->
  (forall x r, (r < num_types I)%nat -> match x with Some h => (h < num_nodes I)%nat | None => True end ->
    in_range (rg x r) (held_at I a x r)) ->
  sum (num_nodes I) (fun h => sum (num_types I) (g h)) = W ->
  exists v, fill_within m W (range_cells I rd rg c) = Some v /\
    v <= sum (num_nodes I) (fun h => sum (num_types I) (fun r => p h r * g h r)).
Proof.
  intros [P1 P2] EA G R HW. unfold range_cells.
  destruct (fill_within_sound (places I rd) (place_cell I rd rg c) (place_held I rd g) m W)
    as (v & Ev & Hv).
  - intros [h r] Hin. unfold places, place_cell, place_held in *. destruct (by_node rd).
    + apply in_prod_iff in Hin. rewrite !in_seq in Hin. cbn [fst snd].
      destruct (G h r ltac:(lia) ltac:(lia)) as [G1 G2].
      destruct (R (Some h) r ltac:(lia) ltac:(cbn; lia)) as [R1 R2]. cbn [held_at] in R1, R2.
      rewrite EA in R1, R2. unfold taken_of, cell_at. cbn [fewest most cell_type].
      split; [lia|split; [|exact G2]]. split; [exact R1|].
      destruct (snd (rg (Some h) r)) as [b|]; [specialize (R2 b eq_refl); lia|lia].
    + apply in_map_iff in Hin. destruct Hin as (r' & [= <- <-] & Hr). apply in_seq in Hr. cbn [fst snd].
      destruct (R None r' ltac:(lia) Logic.I) as [R1 R2]. cbn [held_at] in R1, R2.
      rewrite (sum_ext _ _ (fun h => g h r')) in R1 by auto.
      assert (R2' : forall b, snd (rg None r') = Some b -> sum (num_nodes I) (fun h => g h r') <= b).
      { intros b Eb. rewrite <- (sum_ext _ (fun h => held a h r')) by auto. auto. }
      assert (N : 0 <= sum (num_nodes I) (fun h => g h r')).
      { apply sum_nonneg. intros i Hi. apply (G i r' Hi ltac:(lia)). }
      assert (C : sum (num_nodes I) (fun h => g h r') <= sum (num_nodes I) (fun h => c h r')).
      { apply sum_le. intros i Hi. apply (G i r' Hi ltac:(lia)). }
      unfold taken_of, cell_at. cbn [fewest most cell_type]. split; [exact N|split; [split; [exact R1|]|]].
      * destruct (snd (rg None r')) as [b|]; [specialize (R2' b eq_refl); lia|exact C].
      * intros Pos. destruct (sum_positive _ _ Pos) as (i & Hi & Gi). apply (G i r' Hi ltac:(lia)). exact Gi.
  - rewrite <- HW. unfold places, place_held. destruct (by_node rd).
    + rewrite lsum_prod. reflexivity.
    + rewrite lsum_map, lsum_seq. cbn [fst snd]. apply sum_swap.
  - exists v. split; [exact Ev|]. eapply Z.le_trans; [exact Hv|]. apply Z.eq_le_incl.
    unfold places, place_cell, place_held. destruct (by_node rd) eqn:B.
    + rewrite lsum_prod. apply sum_ext. intros h _. apply sum_ext. intros r _. cbn. rewrite P1. reflexivity.
    + rewrite lsum_map, lsum_seq, sum_swap. apply sum_ext. intros r _. cbn [cell_at cell_price fst snd].
      rewrite P1, <- sum_scale. apply sum_ext. intros h _. rewrite (P2 eq_refl h). reflexivity.
Qed.

(* choices *)
Definition held_gangs (I : instance) (J : job) (lvs : list level) (rd : round_data)
  (rg : option nat -> nat -> range) (toll : gang_at -> Z) : list label :=
  flat_map (fun lv =>
    when (fill_within (mask lv) (gang_size J) (range_cells I rd rg (cap I))) (spread_progress lv) (toll (None, mask lv)) ++
    if free_spread J then []
    else flat_map (fun h =>
      when (fill_within (mask lv) (gang_size J) (range_cells I rd rg (only h (cap I)))) (node_progress lv)
        (toll (None, mask lv))) (seq 0 (num_nodes I)))
  lvs.
Definition node_cells (I : instance) (rd : round_data) (rg : option nat -> nat -> range) (h : nat)
  : list cell :=
  map (fun r => cell_at r (unit_price rd h r) (rg (Some h) r) (cap I h r)) (seq 0 (num_types I)).
Definition held_steps (I : instance) (J : job) (lvs : list level) (rd : round_data)
  (rg : option nat -> nat -> range) (toll : gang_at -> Z) : list node_step :=
  if by_node rd then
    map (fun h =>
      (flat_map (fun lv =>
         when (fill_within (mask lv) (gang_size J) (node_cells I rd rg h)) (copy_progress lv)
           (toll (Some h, mask lv)))
         (filter (slowed (nth h (node_items rd) [])) (copying lvs)),
       forallb (fun r => fst (rg (Some h) r) <=? 0) (seq 0 (num_types I)))) (seq 0 (num_nodes I))
  else node_steps J lvs rd toll.
Definition held_choices (I : instance) (J : job) (lvs : list level) (rd : round_data)
  (rg : option nat -> nat -> range) (toll : gang_at -> Z) (lim : limits) : list label :=
  filter (fun o => within lim (fst o))
    (held_gangs I J lvs rd rg toll ++ forked_choices I J (fun _ => held_steps I J lvs rd rg toll)).

Section Cover.
  Variables (I : instance) (J : job) (rd : round_data) (p : nat -> nat -> Z) (toll : gang_at -> Z)
    (rg : option nat -> nat -> range).
  Hypothesis J_fine : job_ok J = true.
  Hypothesis rd_fine : round_ok I p rd.
  Hypothesis rd_prices : prices_of_round rd p.

  Definition fits_ranges (a : allocation) : Prop :=
    (allocation_ok I J a /\ thrifty I J a) /\
    (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat ->
       0 <= p h r /\ held a h r <= cap I h r) /\
    (forall x r, (r < num_types I)%nat -> match x with Some h => (h < num_nodes I)%nat | None => True end ->
       in_range (rg x r) (held_at I a x r)).

  Lemma held_gang_covered g : fits_ranges (Gang g) ->
    exists o, In o (held_gangs I J (levels I J) rd rg toll) /\ fst o = gang_progress I J g /\
      snd o <= rent I p (Gang g) + toll_of I J toll (Gang g).
  Proof.
    intros ((Ha & _) & Hp & Hr). destruct (gang_level I J g J_fine Ha) as (l & El & Hl & Hm).
    assert (One := inside_one_node I J g J_fine Ha). assert (Ha0 := Ha). destruct Ha as (Hc & HW & _).
    assert (ET : toll_of I J toll (Gang g) = toll (None, mask_of I J l)).
    { unfold toll_of, gang_mask. rewrite El. reflexivity. }
    unfold gang_progress, level_progress. rewrite El, ET. unfold rent. cbn [held].
    destruct (cells_cover I rd p rg (cap I) g (mask_of I J l) (gang_size J) (Gang g)) as (v & Ev & Hv); auto.
    { intros h r Hh Hq. destruct (Hc h r Hh Hq). destruct (Hp h r Hh Hq) as [_ C]. cbn in C. split; [lia|].
      apply (Hm h); assumption. }
    assert (In1 : In (floor_product (speed J l) (wide_time I J), v + toll (None, mask_of I J l))
      (held_gangs I J (levels I J) rd rg toll)).
    { unfold held_gangs. apply in_flat_map. exists (level_of I J l). split; [auto|].
      apply in_or_app. left. cbn [mask level_of]. rewrite Ev. simpl. auto. }
    destruct (1 <? nodes_used I g) eqn:EN.
    { eexists. split; [exact In1|]. cbn [fst snd]. split; [|lia]. apply (wide_spread I J g); auto. }
    destruct (free_spread J) eqn:ER.
    { eexists. split; [exact In1|]. simpl. split; [|lia]. apply spread_for_free; auto. }
    destruct (One eq_refl) as (h & Hh & Eh).
    assert (Z0 : forall h', (h' < num_nodes I)%nat -> h' <> h -> forall r, (r < num_types I)%nat -> g h' r = 0).
    { intros h' Hh' N r Hr'.
      assert (Q : on_node I g h + on_node I g h' <= sum (num_nodes I) (on_node I g)).
      { assert (NN : forall i, (i < num_nodes I)%nat -> 0 <= on_node I g i)
          by (intros i Hi; apply sum_nonneg; intros q Hq; apply (Hc i q Hi Hq)).
        clear -Hh Hh' N NN. revert Hh Hh' NN. generalize (num_nodes I) (on_node I g). intros n f.
        induction n as [|n IH]; intros; [lia|]. simpl.
        destruct (Nat.eq_dec h n) as [->|]; destruct (Nat.eq_dec h' n) as [->|]; try lia.
        - assert (T := sum_term n f h' ltac:(lia) (fun i Hi => NN i ltac:(lia))). lia.
        - assert (T := sum_term n f h ltac:(lia) (fun i Hi => NN i ltac:(lia))). lia.
        - specialize (IH ltac:(lia) ltac:(lia) (fun i Hi => NN i ltac:(lia))). specialize (NN n ltac:(lia)). lia. }
      assert (T := sum_term (num_types I) (g h') r Hr' (fun k Hk => proj1 (Hc h' k Hh' Hk))).
      unfold on_node at 2 in Q. destruct (Hc h' r Hh' Hr'). lia. }
    destruct (cells_cover I rd p rg (only h (cap I)) g (mask_of I J l) (gang_size J) (Gang g)) as (w & Ew & Hw); auto.
    { intros h' r Hh' Hr'. destruct (Hc h' r Hh' Hr'). destruct (Hp h' r Hh' Hr') as [_ C]. cbn in C.
      unfold only. destruct (h' =? h)%nat eqn:E; [split; [lia|apply (Hm h'); assumption]|]. apply Nat.eqb_neq in E.
      rewrite (Z0 h' Hh' E r Hr'). lia. }
    exists (floor_product (speed J l) (node_time I), w + toll (None, mask_of I J l)). split; [|simpl; split; [auto|lia]].
    unfold held_gangs. apply in_flat_map. exists (level_of I J l). split; [auto|].
    apply in_or_app. right. rewrite ER. apply in_flat_map. exists h. split; [apply in_seq; lia|].
    cbn [mask node_progress level_of]. rewrite Ew. simpl. auto.
  Qed.

  Lemma held_copies_found g : fits_ranges (Copies g) ->
    found (copy_choices I J (held_steps I J (levels I J) rd rg toll)) (copies_progress I J g)
      (rent I p (Copies g) + toll_of I J toll (Copies g)).
  Proof.
    intros ((Ha & Th) & Hp & Hr). unfold held_steps. destruct (by_node rd) eqn:B.
    2: { apply copies_found; auto. }
    apply copy_choices_found; auto; [rewrite map_length, seq_length; reflexivity|].
    intros h Hh.
    set (step := fun h : nat => (_, _)). rewrite nth_indep with (d' := step 0%nat)
      by (rewrite map_length, seq_length; auto). rewrite map_nth, seq_nth by auto. subst step.
    cbn [Nat.add fst snd]. assert (Hc : counts_ok I J g) by apply Ha.
    destruct (0 <? on_node I g h) eqn:E0.
    - destruct (copy_level I J g h J_fine Ha Hh E0) as (l & Hl & EW & EP & Hmk & Ll & Gl & EM). rewrite EM.
      destruct (fill_within_sound (seq 0 (num_types I))
        (fun r => cell_at r (unit_price rd h r) (rg (Some h) r) (cap I h r)) (g h) (mask_of I J l) (gang_size J))
        as (v & Ev & Hv).
      { intros r Hin. apply in_seq in Hin. destruct (Hc h r Hh ltac:(lia)).
        destruct (Hp h r Hh ltac:(lia)) as [_ C]. cbn in C.
        destruct (Hr (Some h) r ltac:(lia) Hh) as [R1 R2]. cbn in R1, R2.
        unfold taken_of, cell_at. cbn [fewest most cell_type]. split; [lia|split; [split; [exact R1|]|]].
        - destruct (snd (rg (Some h) r)) as [b|]; [specialize (R2 b eq_refl); lia|lia].
        - apply Hmk. lia. }
      { rewrite lsum_seq. exact EW. }
      exists (floor_product (speed J l) (copy_time I), v + toll (Some h, mask_of I J l)). split; [|split; [auto|]].
      + apply in_flat_map. exists (level_of I J l).
        split; [apply filter_In; split|].
        { apply copying_in; [exact Hl|]; rewrite <- EP; apply Th; [exact Hh|apply Z.ltb_lt, E0]. }
        { destruct rd_fine as (_ & _ & D3). apply slowed_found with (fun _ => p h) (cap I h);
            [exact (D3 h Hh)|exact Ll|]. destruct (Hp h l Hh Ll) as [_ C]. cbn in C. lia. }
        unfold node_cells.
        cbn [mask level_of]. rewrite Ev. simpl. auto.
      + rewrite lsum_seq in Hv. cbn [cell_at cell_price] in Hv. cbn [snd]. destruct rd_prices as [P1 _].
        rewrite (sum_ext _ (fun r => p h r * g h r) (fun r => unit_price rd h r * g h r))
          by (intros r _; rewrite P1; reflexivity). lia.
    - destruct (no_copy I J p g h J_fine Hc Hh E0) as (G0 & A & C & EM). rewrite EM. split; [|split; [auto|lia]].
      apply forallb_forall. intros r Hin. apply in_seq in Hin. apply Z.leb_le.
      destruct (Hr (Some h) r ltac:(lia) Hh) as [R1 _]. cbn in R1. rewrite G0 in R1 by lia. exact R1.
  Qed.

  Theorem held_choices_cover lim a : fits_ranges a -> 1 <= progress I J a -> obeys lim (progress I J a) ->
    exists o, In o (held_choices I J (levels I J) rd rg toll lim) /\
      progress I J a <= fst o /\ snd o <= rent I p a + toll_of I J toll a.
  Proof.
    intros Ha H1 Ho. unfold held_choices. rewrite forked_choices_eq. assert (W := obeys_within lim _ H1 Ho).
    enough (exists o, In o (held_gangs I J (levels I J) rd rg toll ++
        copy_choices I J (held_steps I J (levels I J) rd rg toll)) /\
      fst o = progress I J a /\ snd o <= rent I p a + toll_of I J toll a) as (o & A & B & C).
    { exists o. split; [|lia]. apply filter_In. rewrite B. auto. }
    destruct a as [|g|g]; cbn [progress] in *.
    - lia.
    - destruct (held_gang_covered g Ha) as (o & A & B & C). exists o. split; [apply in_or_app; auto|auto].
    - destruct (held_copies_found g Ha) as (o & A & B & C).
      exists o. split; [apply in_or_app; auto|auto].
  Qed.
End Cover.
