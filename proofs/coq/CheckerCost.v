(* Least cost of the allocations of one round, per level and per node, and its soundness.

   item                 GPUs of one type at one price: (type, price, capacity)
   describes its H R p c  the items are the types 0..R-1 of the nodes 0..H-1 at prices p, capacities c
   fill m W its         a lower bound on the cost of W GPUs of the types in m, by duality; exact
   level                the slowest type of an allocation: the types admitted with it (the mask), and
                        the progress of a spread gang, a gang in one node, a copy
   round_data           items of the whole cluster and of each node in one round, and its prices
   limits               bounds at_least <= progress < below that a branching tree put on a round
   node_step            what a copy can do on a node, and whether the node may be left without one
   allocation_choices   (progress, least cost) of the allocations of one job in one round
   choices_cover        every allocation that fits has a choice with its progress, at no more cost *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerDP.
Import ListNotations.
Open Scope Z_scope.

(* sums *)
Lemma sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof. induction n; simpl; intros H; auto. rewrite IHn, H; auto. Qed.
Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; simpl; intros H; [lia|].
  assert (A := H n ltac:(lia)). assert (B := IH (fun i Hi => H i ltac:(lia))). lia.
Qed.
Lemma sum_plus n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n; simpl; lia. Qed.
Lemma sum_minus n f g : sum n (fun i => f i - g i) = sum n f - sum n g.
Proof. induction n; simpl; lia. Qed.
Lemma sum_scale n a f : sum n (fun i => a * f i) = a * sum n f.
Proof. induction n; simpl; lia. Qed.
Lemma sum_zero n f : (forall i, (i < n)%nat -> f i = 0) -> sum n f = 0.
Proof. intros H. rewrite (sum_ext n f (fun _ => 0)) by auto. clear. induction n; simpl; lia. Qed.
Lemma sum_nonneg n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof. intros H. rewrite <- (sum_zero n (fun _ => 0)); auto. apply sum_le; auto. Qed.
Lemma sum_term n f i : (i < n)%nat -> (forall k, (k < n)%nat -> 0 <= f k) -> f i <= sum n f.
Proof.
  induction n as [|n IH]; [lia|]. simpl. intros Hi H.
  assert (0 <= sum n f) by (apply sum_nonneg; intros; apply H; lia).
  assert (0 <= f n) by (apply H; lia).
  destruct (Nat.eq_dec i n) as [->|]; [lia|]. specialize (IH ltac:(lia) (fun k Hk => H k ltac:(lia))). lia.
Qed.
Lemma sum_first n f : sum (S n) f = f 0%nat + sum n (fun i => f (S i)).
Proof. induction n as [|n IH]; [simpl; lia|]. change (sum (S n) f + f (S n) = f 0%nat + (sum n (fun i => f (S i)) + f (S n))). lia. Qed.
Lemma sum_positive n f : 0 < sum n f -> exists i, (i < n)%nat /\ 0 < f i.
Proof.
  induction n as [|n IH]; simpl; [lia|]. intros H. destruct (Z_lt_dec 0 (f n)); [exists n; auto|].
  destruct IH as (i & A & B); [lia|]. exists i. auto.
Qed.
Lemma sum_swap n m f : sum n (fun i => sum m (f i)) = sum m (fun k => sum n (fun i => f i k)).
Proof.
  induction n as [|n IH]; simpl; [rewrite sum_zero; auto|].
  rewrite IH, <- sum_plus. reflexivity.
Qed.

(* items and the least cost of W of them *)
Definition item := (nat * Z * Z)%type.
Definition item_type (i : item) : nat := fst (fst i).
Definition item_price (i : item) : Z := snd (fst i).
Definition item_count (i : item) : Z := snd i.

Fixpoint total (F : nat -> Z -> Z) (its : list item) : Z :=
  match its with
  | [] => 0
  | i :: r => F (item_type i) (item_price i) * item_count i + total F r
  end.
Definition on (m : list bool) (r : nat) : bool := nth r m false.

(* price of the last GPU taken when the W cheapest are taken in order; any value would be sound *)
Fixpoint threshold (W : Z) (its : list item) (last : Z) : Z :=
  match its with
  | [] => last
  | i :: r => if W <=? item_count i then item_price i
              else threshold (W - item_count i) r (item_price i)
  end.
Definition fill (m : list bool) (W : Z) (its : list item) : option Z :=
  let its := filter (fun i => on m (item_type i)) its in
  if total (fun _ _ => 1) its <? W then None
  else let lam := threshold W its 0 in
       Some (lam * W - total (fun _ k => Z.max 0 (lam - k)) its).

Definition describes (its : list item) (H R : nat) (p c : nat -> nat -> Z) : Prop :=
  forall F, total F its = sum H (fun h => sum R (fun r => F r (p h r) * c h r)).

Lemma total_filter F m its :
  total F (filter (fun i => on m (item_type i)) its) =
  total (fun r k => if on m r then F r k else 0) its.
Proof.
  induction its as [|i r IH]; [reflexivity|]. simpl.
  destruct (on m (item_type i)); simpl; rewrite IH; lia.
Qed.

Lemma fill_sound its H R p c g m W : describes its H R p c ->
  (forall h r, (h < H)%nat -> (r < R)%nat ->
     0 <= g h r <= c h r /\ (0 < g h r -> on m r = true)) ->
  sum H (fun h => sum R (g h)) = W ->
  exists v, fill m W its = Some v /\ v <= sum H (fun h => sum R (fun r => p h r * g h r)).
Proof.
  intros D G HW. unfold fill. rewrite !total_filter, !D.
  set (lam := threshold _ _ _). clearbody lam.
  assert (A : W <= sum H (fun h => sum R (fun r => (if on m r then 1 else 0) * c h r))).
  { rewrite <- HW. apply sum_le. intros h Hh. apply sum_le. intros r Hr.
    destruct (G h r Hh Hr) as [G1 G2]. destruct (on m r); [lia|].
    destruct (Z_lt_dec 0 (g h r)); [specialize (G2 ltac:(auto)); discriminate|lia]. }
  replace (_ <? W) with false by (symmetry; apply Z.ltb_ge; exact A).
  eexists. split; [reflexivity|].
  rewrite <- HW, <- sum_scale, <- sum_minus. apply sum_le. intros h Hh.
  rewrite <- sum_scale, <- sum_minus. apply sum_le. intros r Hr.
  destruct (G h r Hh Hr) as [G1 G2]. destruct (on m r).
  - assert (Q := Z.le_max_l 0 (lam - p h r)). assert (Q' := Z.le_max_r 0 (lam - p h r)).
    assert (E1 := Z.mul_le_mono_nonneg_l _ _ _ Q (proj2 G1)).
    assert (E2 := Z.mul_le_mono_nonneg_r _ _ _ (proj1 G1) Q').
    lia.
  - destruct (Z_lt_dec 0 (g h r)); [specialize (G2 ltac:(auto)); discriminate|].
    replace (g h r) with 0 by lia. lia.
Qed.

(* cheapest first *)
Fixpoint insert_item (i : item) (its : list item) : list item :=
  match its with
  | [] => [i]
  | x :: r => if item_price i <=? item_price x then i :: its else x :: insert_item i r
  end.
Definition sort_items (its : list item) : list item := fold_right insert_item [] its.

(* least fill over the nodes *)
Fixpoint best_fill (m : list bool) (W : Z) (nodes : list (list item)) : option Z :=
  match nodes with
  | [] => None
  | its :: r =>
      match fill m W its, best_fill m W r with
      | None, b => b
      | a, None => a
      | Some v, Some w => Some (Z.min v w)
      end
  end.
Lemma best_fill_sound m W nodes its v : In its nodes -> fill m W its = Some v ->
  exists w, best_fill m W nodes = Some w /\ w <= v.
Proof.
  induction nodes as [|x r IH]; [intros []|]. intros [E|H] Hv; simpl.
  - subst x. rewrite Hv. destruct (best_fill m W r) as [w|]; eexists; (split; [reflexivity|lia]).
  - destruct (IH H Hv) as (w & -> & Hw). destruct (fill m W x); eexists; (split; [reflexivity|lia]).
Qed.

(* levels *)
Definition admits (I : instance) (J : job) (l r : nat) : bool :=
  match parallelism I with
  | SingleType => (r =? l)%nat
  | _ => (0 <? fst (speed J r)) && qle (speed J l) (speed J r)
  end.
Definition mask_of (I : instance) (J : job) (l : nat) : list bool :=
  map (admits I J l) (seq 0 (num_types I)).
Record level := Level {
  mask : list bool; spread_progress : Z; node_progress : Z; copy_progress : Z }.
Definition level_of (I : instance) (J : job) (l : nat) : level :=
  Level (mask_of I J l) (floor_product (speed J l) (spread_time I J))
    (floor_product (speed J l) (node_time I)) (floor_product (speed J l) (copy_time I)).
Definition levels (I : instance) (J : job) : list level :=
  map (level_of I J) (filter (fun l => 0 <? fst (speed J l)) (seq 0 (num_types I))).

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
Definition gang_choices (J : job) (lvs : list level) (rd : round_data) (toll : list bool -> Z)
  : list label :=
  flat_map (fun lv =>
    when (fill (mask lv) (gang_size J) (cluster_items rd)) (spread_progress lv) (toll (mask lv)) ++
    if fst (spread_factor J) =? snd (spread_factor J) then []
    else when (best_fill (mask lv) (gang_size J) (node_items rd)) (node_progress lv) (toll (mask lv)))
  lvs.

(* copies: what a copy can do on each node, and whether the node may be left without one; one row of
   labels per number of copies; with saturation the last row means "or more" *)
Definition node_step := (list label * bool)%type.
Definition node_copies (J : job) (lvs : list level) (its : list item) : list label :=
  flat_map (fun lv => when (fill (mask lv) (gang_size J) its) (copy_progress lv) 0) lvs.
Definition add (choices ls : list label) : list label := extend (fun x => x) choices ls.
Fixpoint advance (skip saturate : bool) (choices prev : list label) (rows : list (list label))
  : list (list label) :=
  match rows with
  | [] => []
  | [ls] =>
      let up := merge (if skip then ls else []) (add choices prev) in
      [if saturate then merge up (add choices ls) else up]
  | ls :: r =>
      merge (if skip then ls else []) (add choices prev) :: advance skip saturate choices ls r
  end.
Fixpoint copy_rows (saturate : bool) (most : nat) (steps : list node_step) : list (list label) :=
  match steps with
  | [] => [(0, 0)] :: repeat [] most
  | (choices, skip) :: r => advance skip saturate choices [] (copy_rows saturate most r)
  end.
Definition copy_choices (I : instance) (J : job) (steps : list node_step) : list label :=
  match parallelism I with
  | Forked =>
      let saturate := Z.of_nat (num_nodes I) <=? max_copies J in
      let most := if saturate then 2%nat else Z.to_nat (max_copies J) in
      fold_right merge [] (skipn 2 (copy_rows saturate most steps))
  | _ => []
  end.
Definition node_steps (J : job) (lvs : list level) (rd : round_data) : list node_step :=
  map (fun its => (node_copies J lvs its, true)) (node_items rd).

Definition allocation_choices (I : instance) (J : job) (lvs : list level) (rd : round_data)
  (toll : list bool -> Z) (lim : limits) : list label :=
  filter (fun o => within lim (fst o))
    (gang_choices J lvs rd toll ++ copy_choices I J (node_steps J lvs rd)).

(* what an allocation costs *)
Definition rent (I : instance) (p : nat -> nat -> Z) (a : allocation) : Z :=
  sum (num_nodes I) (fun h => sum (num_types I) (fun r => p h r * held a h r)).
Definition gang_mask (I : instance) (J : job) (a : allocation) : option (list bool) :=
  match a with
  | Gang g => option_map (mask_of I J) (slowest (speed J) (used I g) (num_types I))
  | _ => None
  end.
Definition toll_of (I : instance) (J : job) (toll : list bool -> Z) (a : allocation) : Z :=
  match gang_mask I J a with Some m => toll m | None => 0 end.

Definition round_ok (I : instance) (p : nat -> nat -> Z) (rd : round_data) : Prop :=
  describes (cluster_items rd) (num_nodes I) (num_types I) p (cap I) /\
  length (node_items rd) = num_nodes I /\
  forall h, (h < num_nodes I)%nat ->
    describes (nth h (node_items rd) []) 1 (num_types I) (fun _ => p h) (fun _ => cap I h).
Definition prices_of_round (rd : round_data) (p : nat -> nat -> Z) : Prop :=
  (forall h r, unit_price rd h r = p h r) /\
  (by_node rd = false -> forall h r, p h r = p 0%nat r).

Lemma on_mask I J l r : (r < num_types I)%nat -> on (mask_of I J l) r = admits I J l r.
Proof.
  intros H. unfold on, mask_of.
  rewrite nth_indep with (d' := admits I J l 0) by (rewrite map_length, seq_length; auto).
  rewrite map_nth, seq_nth by auto. reflexivity.
Qed.

(* a used type is admitted at the level of the slowest *)
Lemma slowest_level I J use l : forallb fraction_ok (throughput J) = true ->
  slowest (speed J) use (num_types I) = Some l ->
  (forall r, (r < num_types I)%nat -> use r = true -> 0 < fst (speed J r)) ->
  (parallelism I = SingleType -> forall r r', (r < num_types I)%nat -> (r' < num_types I)%nat ->
     use r = true -> use r' = true -> r = r') ->
  In (level_of I J l) (levels I J) /\
  forall r, (r < num_types I)%nat -> use r = true -> on (mask_of I J l) r = true.
Proof.
  intros HJ E HP HS. destruct (slowest_spec _ _ _ _ (fun r => speed_den_pos J r HJ) E) as (A & B & C).
  split.
  - unfold levels. apply in_map, filter_In. split; [apply in_seq; lia|]. apply Z.ltb_lt. auto.
  - intros r Hr Ur. rewrite on_mask by auto. unfold admits.
    assert (Q : (0 <? fst (speed J r)) && qle (speed J l) (speed J r) = true).
    { apply andb_true_iff. split; [apply Z.ltb_lt; auto|apply Z.leb_le; auto]. }
    destruct (parallelism I) eqn:P; auto. apply Nat.eqb_eq. auto.
Qed.

Lemma used_true I g h r : (h < num_nodes I)%nat -> 0 < g h r -> used I g r = true.
Proof.
  intros Hh Hg. unfold used. apply existsb_exists. exists h.
  split; [apply in_seq; lia|apply Z.ltb_lt; auto].
Qed.
Lemma used_inv I g r : used I g r = true -> exists h, (h < num_nodes I)%nat /\ 0 < g h r.
Proof.
  unfold used. rewrite existsb_exists. intros (h & A & B). exists h.
  apply in_seq in A. apply Z.ltb_lt in B. split; [lia|auto].
Qed.

Lemma one_node n (f : nat -> Z) W : (forall h, (h < n)%nat -> 0 <= f h) ->
  sum n f = W -> 0 < W -> sum n (fun h => if 0 <? f h then 1 else 0) <= 1 ->
  exists h, (h < n)%nat /\ f h = W.
Proof.
  revert W. induction n as [|n IH]; simpl; intros W Hf HW H0 H1; [lia|].
  assert (K : 0 <= sum n (fun h => if 0 <? f h then 1 else 0)).
  { apply sum_nonneg. intros i _. destruct (0 <? f i); lia. }
  assert (Kn := Hf n ltac:(lia)).
  destruct (0 <? f n) eqn:E.
  - exists n. split; [lia|].
    assert (Z0 : sum n f <= 0).
    { destruct (Z_lt_dec 0 (sum n f)) as [L|L]; [|lia].
      destruct (sum_positive n f L) as (i & Hi & Fi).
      assert (T := sum_term n (fun h => if 0 <? f h then 1 else 0) i Hi
        (fun k _ => ltac:(cbv beta; destruct (0 <? f k); lia))). simpl in T.
      replace (0 <? f i) with true in T by (symmetry; apply Z.ltb_lt; auto). lia. }
    assert (0 <= sum n f) by (apply sum_nonneg; intros; apply Hf; lia). lia.
  - apply Z.ltb_ge in E. destruct (IH W) as (h & A & B); auto; try lia.
    exists h. auto.
Qed.

Lemma rent_node I p g h : (h < num_nodes I)%nat ->
  (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= p h r /\ 0 <= g h r) ->
  sum (num_types I) (fun r => p h r * g h r) <=
  sum (num_nodes I) (fun h => sum (num_types I) (fun r => p h r * g h r)).
Proof.
  intros Hh Hp. apply (sum_term _ (fun h => sum (num_types I) (fun r => p h r * g h r)) h Hh).
  intros k Hk. apply sum_nonneg. intros r Hr. destruct (Hp k r Hk Hr).
  apply Z.mul_nonneg_nonneg; auto.
Qed.

(* the slowest type of a gang; a gang inside one node; progress when spreading costs nothing *)
Lemma gang_level I J g : job_ok J = true -> allocation_ok I J (Gang g) ->
  exists l, slowest (speed J) (used I g) (num_types I) = Some l /\ In (level_of I J l) (levels I J) /\
    forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 < g h r ->
      on (mask_of I J l) r = true.
Proof.
  intros HJ (Hc & HW & HS).
  unfold job_ok in HJ. rewrite !andb_true_iff in HJ. destruct HJ as [[[HJ1 HJ2] HJ3] HJ4].
  apply Z.ltb_lt in HJ1.
  assert (Hpos : exists r, (r < num_types I)%nat /\ used I g r = true).
  { rewrite <- HW in HJ1. destruct (sum_positive _ _ HJ1) as (h & Hh & P).
    destruct (sum_positive _ _ P) as (r & Hr & P'). exists r. split; [auto|]. eapply used_true; eauto. }
  destruct Hpos as (r0 & Hr0 & Ur0).
  destruct (slowest_exists (speed J) (used I g) _ r0 Hr0 Ur0) as [l El].
  destruct (slowest_level I J (used I g) l HJ3 El) as [Hl Hm].
  { intros r Hr Ur. destruct (used_inv _ _ _ Ur) as (h & Hh & Gh). apply (Hc h r); auto. }
  { intros E r r' Hr Hr' Ur Ur'. destruct (used_inv _ _ _ Ur) as (h & Hh & Gh).
    destruct (used_inv _ _ _ Ur') as (h' & Hh' & Gh'). exact (HS E h r h' r' Hh Hr Hh' Hr' Gh Gh'). }
  exists l. split; [exact El|split; [exact Hl|]]. intros h r Hh Hr Gp. apply Hm; auto.
  eapply used_true; eauto.
Qed.
Lemma inside_one_node I J g : job_ok J = true -> allocation_ok I J (Gang g) ->
  (1 <? nodes_used I g) = false -> exists h, (h < num_nodes I)%nat /\ on_node I g h = gang_size J.
Proof.
  intros HJ (Hc & HW & _) EN. apply Z.ltb_ge in EN. unfold nodes_used in EN.
  unfold job_ok in HJ. rewrite !andb_true_iff, !Z.ltb_lt in HJ.
  apply (one_node (num_nodes I) (on_node I g) (gang_size J)); auto; [|lia].
  intros h Hh. apply sum_nonneg. intros r Hr. apply (Hc h r Hh Hr).
Qed.
Lemma spread_for_free I J l : job_ok J = true ->
  (fst (spread_factor J) =? snd (spread_factor J)) = true ->
  floor_product (speed J l) (spread_time I J) = floor_product (speed J l) (node_time I).
Proof.
  intros HJ ER. unfold job_ok in HJ. rewrite !andb_true_iff in HJ. destruct HJ as [[_ HJ3] HJ4].
  apply Z.eqb_eq in ER.
  unfold fraction_ok in HJ4. apply andb_true_iff in HJ4. destruct HJ4 as [_ HJ4]. apply Z.ltb_lt in HJ4.
  unfold floor_product, spread_time, node_time. simpl. rewrite ER.
  assert (snd (speed J l) <> 0) by (assert (Q := speed_den_pos J l HJ3); lia).
  destruct (Z.eq_dec (snd (round_seconds I)) 0) as [E0|N0].
  - rewrite E0, !Z.mul_0_r, !Zdiv_0_r. reflexivity.
  - rewrite !Z.mul_assoc, !(Z.mul_comm _ (snd (spread_factor J))), <- !Z.mul_assoc.
    apply Z.div_mul_cancel_l; lia.
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
  assert (ET : toll_of I J toll (Gang g) = toll (mask_of I J l)).
  { unfold toll_of, gang_mask. rewrite El. reflexivity. }
  unfold gang_progress, level_progress. rewrite El, ET. unfold rent. cbn [held].
  destruct (fill_sound _ _ _ _ _ g _ _ D1 G HW) as (v & Ev & Hv).
  assert (In1 : In (floor_product (speed J l) (spread_time I J), v + toll (mask_of I J l))
    (gang_choices J (levels I J) rd toll)).
  { unfold gang_choices. apply in_flat_map. exists (level_of I J l). split; [auto|].
    apply in_or_app. left. cbn [mask level_of]. rewrite Ev. simpl. auto. }
  destruct (1 <? nodes_used I g) eqn:EN.
  { eexists. split; [exact In1|]. simpl. split; [reflexivity|lia]. }
  destruct (fst (spread_factor J) =? snd (spread_factor J)) eqn:ER.
  { eexists. split; [exact In1|]. simpl. split; [|lia]. apply spread_for_free; auto. }
  destruct (One eq_refl) as (h & Hh & Eh).
  destruct (fill_sound _ 1 _ _ _ (fun _ => g h) (mask_of I J l) (gang_size J) (D3 h Hh)) as (w & Ew & Hw).
  { intros _ r _ Hr. apply G; auto. }
  { simpl. rewrite <- Eh. reflexivity. }
  assert (Hin : In (nth h (node_items rd) []) (node_items rd)) by (apply nth_In; rewrite D2; exact Hh).
  destruct (best_fill_sound _ _ _ _ _ Hin Ew) as (b & Eb & Hb).
  exists (floor_product (speed J l) (node_time I), b + toll (mask_of I J l)). split; [|split; [reflexivity|]].
  - unfold gang_choices. apply in_flat_map. exists (level_of I J l). split; [auto|].
    apply in_or_app. right. rewrite ER. cbn [mask level_of]. rewrite Eb. simpl. auto.
  - simpl in Hw |- *.
    assert (Q := rent_node I p g h Hh (fun h r Hh Hr => conj (proj1 (Hp h r Hh Hr)) (proj1 (proj1 (G h r Hh Hr))))).
    lia.
Qed.

(* copies *)
Lemma advance_length k s ch prev rows : length (advance k s ch prev rows) = length rows.
Proof.
  revert prev. induction rows as [|ls r IH]; intros prev; [reflexivity|].
  destruct r as [|x r]; [reflexivity|]. cbn [advance length] in *. rewrite IH. reflexivity.
Qed.
Lemma add_found choices ls p c o : found ls p c -> In o choices ->
  found (add choices ls) (p + fst o) (c + snd o).
Proof. intros. apply extend_found; auto. Qed.
Lemma advance_stay s ch prev rows i p c :
  found (nth i rows []) p c -> found (nth i (advance true s ch prev rows) []) p c.
Proof.
  revert prev i. induction rows as [|ls r IH]; intros prev i H; [exact H|].
  destruct r as [|x r].
  - destruct i as [|i]; simpl in *; [|destruct i; auto].
    destruct s; repeat (apply merge_found; left); auto.
  - destruct i as [|i]; [apply merge_found; auto|].
    exact (IH ls i H).
Qed.
Lemma advance_first k s ch prev rows p c o : found prev p c -> In o ch -> rows <> [] ->
  found (nth 0 (advance k s ch prev rows) []) (p + fst o) (c + snd o).
Proof.
  intros H Ho Hr. destruct rows as [|ls r]; [congruence|].
  assert (K : found (merge (if k then ls else []) (add ch prev)) (p + fst o) (c + snd o))
    by (apply merge_found; right; apply add_found; auto).
  destruct r as [|x r]; [|exact K].
  destruct s; [apply merge_found; left|]; exact K.
Qed.
Lemma advance_up k s ch prev rows i p c o : found (nth i rows []) p c -> In o ch ->
  (S i < length rows)%nat -> found (nth (S i) (advance k s ch prev rows) []) (p + fst o) (c + snd o).
Proof.
  revert prev i. induction rows as [|ls r IH]; intros prev i H Ho Hi; [simpl in Hi; lia|].
  destruct r as [|x r]; [simpl in Hi; lia|].
  change (found (nth i (advance k s ch ls (x :: r)) []) (p + fst o) (c + snd o)).
  destruct i as [|i].
  - apply advance_first; [exact H|auto|discriminate].
  - apply IH; [exact H|auto|simpl in *; lia].
Qed.
Lemma advance_last k ch prev rows i p c o : found (nth i rows []) p c -> In o ch ->
  (S i = length rows)%nat -> found (nth i (advance k true ch prev rows) []) (p + fst o) (c + snd o).
Proof.
  revert prev i. induction rows as [|ls r IH]; intros prev i H Ho Hi; [simpl in Hi; lia|].
  destruct r as [|x r].
  - destruct i; [|simpl in Hi; lia]. apply merge_found. right. apply add_found; auto.
  - destruct i as [|i]; [simpl in Hi; lia|].
    change (found (nth i (advance k true ch ls (x :: r)) []) (p + fst o) (c + snd o)).
    apply IH; [exact H|auto|simpl in *; lia].
Qed.

Lemma merge_all_found rows i p c : found (nth i rows []) p c -> found (fold_right merge [] rows) p c.
Proof.
  revert i. induction rows as [|ls r IH]; intros i (l & A & B).
  - destruct i; destruct A.
  - simpl. apply merge_found. destruct i; [left|right; apply (IH i)]; exists l; auto.
Qed.

(* the row in which n copies are counted *)
Definition row (saturate : bool) (most n : nat) : nat := if saturate then Nat.min n most else n.

Definition no_step : node_step := ([], true).

(* on node i: a copy (busy i) of this progress and cost, or none *)
Lemma copy_rows_found s most steps (busy : nat -> bool) (P C : nat -> Z) :
  (forall i, (i < length steps)%nat ->
    if busy i
    then exists o, In o (fst (nth i steps no_step)) /\ fst o = P i /\ snd o <= C i
    else snd (nth i steps no_step) = true /\ P i = 0 /\ 0 <= C i) ->
  let n := Z.to_nat (sum (length steps) (fun i => if busy i then 1 else 0)) in
  (1 <= most)%nat -> (s = false -> (n <= most)%nat) ->
  length (copy_rows s most steps) = S most /\
  found (nth (row s most n) (copy_rows s most steps) []) (sum (length steps) P) (sum (length steps) C).
Proof.
  revert busy P C. induction steps as [|[ch skip] r IH]; intros busy P C H n Hm Hs.
  { simpl. rewrite repeat_length. split; [auto|]. subst n. simpl.
    replace (row s most 0) with 0%nat by (unfold row; destruct s; lia).
    exists (0, 0). split; [left; auto|simpl; lia]. }
  specialize (IH (fun i => busy (S i)) (fun i => P (S i)) (fun i => C (S i))).
  set (n' := Z.to_nat (sum (length r) (fun i => if busy (S i) then 1 else 0))) in *.
  assert (N0 : 0 <= sum (length r) (fun i => if busy (S i) then 1 else 0)).
  { apply sum_nonneg. intros. destruct (busy _); lia. }
  assert (En : n = if busy 0%nat then S n' else n').
  { subst n n'. simpl length. rewrite sum_first. destruct (busy 0%nat); lia. }
  destruct IH as [IL IC]; auto.
  { intros i Hi. apply (H (S i)). simpl. lia. }
  { intros E. specialize (Hs E). rewrite En in Hs. destruct (busy 0%nat); [|exact Hs].
    apply Nat.lt_le_incl, Hs. }
  cbn [copy_rows]. rewrite advance_length. split; [auto|]. simpl length. rewrite !sum_first.
  specialize (H 0%nat ltac:(simpl; lia)). cbn [nth fst snd] in H. rewrite En. destruct (busy 0%nat).
  - destruct H as (o & Ho & EP & EC).
    assert (R : found (nth (row s most (S n')) (advance skip s ch [] (copy_rows s most r)) [])
      (sum (length r) (fun i => P (S i)) + fst o) (sum (length r) (fun i => C (S i)) + snd o)).
    { destruct s.
      - unfold row in *. destruct (le_lt_dec most n') as [Q|Q].
        + replace (Nat.min (S n') most) with most by lia. replace (Nat.min n' most) with most in IC by lia.
          apply advance_last; auto.
        + replace (Nat.min (S n') most) with (S n') by lia. replace (Nat.min n' most) with n' in IC by lia.
          apply advance_up; auto. lia.
      - unfold row in *. apply advance_up; auto. specialize (Hs eq_refl). lia. }
    destruct R as (x & X1 & X2 & X3). exists x. split; [exact X1|]. lia.
  - destruct H as (-> & EP & EC). destruct (advance_stay s ch [] _ _ _ _ IC) as (x & X1 & X2 & X3).
    exists x. split; [exact X1|]. lia.
Qed.

Lemma copy_choices_found I J p g steps :
  allocation_ok I J (Copies g) -> length steps = num_nodes I ->
  (forall h, (h < num_nodes I)%nat ->
    if 0 <? on_node I g h
    then exists o, In o (fst (nth h steps no_step)) /\
      fst o = level_progress I J (used_on g h) (copy_time I) /\
      snd o <= sum (num_types I) (fun r => p h r * g h r)
    else snd (nth h steps no_step) = true /\ level_progress I J (used_on g h) (copy_time I) = 0 /\
      0 <= sum (num_types I) (fun r => p h r * g h r)) ->
  found (copy_choices I J steps) (copies_progress I J g) (rent I p (Copies g)).
Proof.
  intros (EP & Hc & Hn & H2 & HM) EL H.
  unfold copy_choices. rewrite EP. cbv zeta.
  set (s := Z.of_nat (num_nodes I) <=? max_copies J).
  set (most := if s then 2%nat else Z.to_nat (max_copies J)).
  destruct (copy_rows_found s most steps (fun h => 0 <? on_node I g h)
    (fun h => level_progress I J (used_on g h) (copy_time I))
    (fun h => sum (num_types I) (fun r => p h r * g h r))) as [L C]; rewrite ?EL; auto.
  { subst most. destruct s; lia. }
  { intros E. subst most. rewrite E. unfold nodes_used in HM. lia. }
  rewrite EL in C. fold (nodes_used I g) in C.
  set (i := row s most (Z.to_nat (nodes_used I g))) in C.
  assert (Hi : (2 <= i)%nat).
  { subst i most. unfold row. destruct s; lia. }
  apply merge_all_found with (i - 2)%nat.
  change (found (nth (i - 2) (skipn 2 (copy_rows s most steps)) [])
    (copies_progress I J g) (rent I p (Copies g))).
  replace (nth (i - 2) (skipn 2 _) []) with (nth i (copy_rows s most steps) []).
  - exact C.
  - clear -Hi. generalize (copy_rows s most steps). intros rows.
    destruct i as [|[|i]]; try lia. destruct rows as [|a [|b r]]; simpl; try (destruct i; reflexivity).
Qed.

(* a node with a copy, and one without *)
Lemma copy_level I J g h : job_ok J = true -> allocation_ok I J (Copies g) -> (h < num_nodes I)%nat ->
  (0 <? on_node I g h) = true ->
  exists l, In (level_of I J l) (levels I J) /\ on_node I g h = gang_size J /\
    level_progress I J (used_on g h) (copy_time I) = floor_product (speed J l) (copy_time I) /\
    forall r, (r < num_types I)%nat -> 0 < g h r -> on (mask_of I J l) r = true.
Proof.
  intros HJ (EP & Hc & Hn & _) Hh E0. unfold job_ok in HJ. rewrite !andb_true_iff in HJ.
  destruct HJ as [[_ HJ3] _]. apply Z.ltb_lt in E0. destruct (Hn h Hh) as [Z0|EW]; [lia|].
  destruct (sum_positive _ _ E0) as (r0 & Hr0 & P0).
  destruct (slowest_exists (speed J) (used_on g h) _ r0 Hr0 ltac:(apply Z.ltb_lt; exact P0)) as [l El].
  destruct (slowest_level I J (used_on g h) l HJ3 El) as [Hl Hmk].
  { intros q Hq Uq. apply (Hc h q); auto. apply Z.ltb_lt in Uq. exact Uq. }
  { congruence. }
  exists l. split; [exact Hl|split; [exact EW|split]].
  - unfold level_progress. rewrite El. reflexivity.
  - intros r Hr Gr. apply Hmk; auto. apply Z.ltb_lt. exact Gr.
Qed.
Lemma no_copy I J p g h : job_ok J = true -> counts_ok I J g -> (h < num_nodes I)%nat ->
  (0 <? on_node I g h) = false ->
  (forall r, (r < num_types I)%nat -> g h r = 0) /\
  level_progress I J (used_on g h) (copy_time I) = 0 /\
  0 <= sum (num_types I) (fun r => p h r * g h r).
Proof.
  intros HJ Hc Hh E0. unfold job_ok in HJ. rewrite !andb_true_iff in HJ. destruct HJ as [[_ HJ3] _].
  apply Z.ltb_ge in E0.
  assert (G0 : forall q, (q < num_types I)%nat -> g h q = 0).
  { intros q Hq. assert (Q := sum_term (num_types I) (g h) q Hq (fun k Hk => proj1 (Hc h k Hh Hk))).
    unfold on_node in E0. destruct (Hc h q Hh Hq). lia. }
  split; [exact G0|]. split.
  - unfold level_progress. destruct (slowest (speed J) (used_on g h) (num_types I)) as [l|] eqn:El; auto.
    destruct (slowest_spec _ _ _ _ (fun r => speed_den_pos J r HJ3) El) as (A & B & _).
    unfold used_on in B. rewrite G0 in B by auto. discriminate.
  - rewrite (sum_zero (num_types I)) by (intros q Hq; rewrite G0 by auto; lia). lia.
Qed.

Lemma copies_found I J rd p g :
  job_ok J = true -> allocation_ok I J (Copies g) -> round_ok I p rd ->
  (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= p h r /\ g h r <= cap I h r) ->
  found (copy_choices I J (node_steps J (levels I J) rd)) (copies_progress I J g) (rent I p (Copies g)).
Proof.
  intros HJ Ha (_ & D2 & D3) Hp. apply copy_choices_found; auto.
  { unfold node_steps. rewrite map_length. exact D2. }
  intros h Hh. unfold node_steps.
  rewrite nth_indep with (d' := (fun its => (node_copies J (levels I J) its, true)) [])
    by (rewrite map_length, D2; auto).
  rewrite (map_nth (fun its => (node_copies J (levels I J) its, true))). cbn [fst snd].
  destruct (0 <? on_node I g h) eqn:E0.
  - destruct (copy_level I J g h HJ Ha Hh E0) as (l & Hl & EW & EP & Hmk). destruct Ha as (_ & Hc & _).
    destruct (fill_sound (nth h (node_items rd) []) 1 (num_types I) (fun _ => p h) (fun _ => cap I h)
      (fun _ => g h) (mask_of I J l) (gang_size J) (D3 h Hh)) as (v & Ev & Hv).
    { intros _ q _ Hq. destruct (Hc h q Hh Hq). destruct (Hp h q Hh Hq). split; [lia|]. auto. }
    { simpl. rewrite <- EW. reflexivity. }
    exists (floor_product (speed J l) (copy_time I), v + 0). split; [|simpl in *; split; [auto|lia]].
    unfold node_copies. apply in_flat_map. exists (level_of I J l). split; [auto|].
    cbn [mask level_of]. rewrite Ev. simpl. auto.
  - destruct Ha as (_ & Hc & _). destruct (no_copy I J p g h HJ Hc Hh E0) as (_ & A & B). auto.
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
  job_ok J = true -> allocation_ok I J a -> round_ok I p rd ->
  (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= p h r /\ held a h r <= cap I h r) ->
  1 <= progress I J a -> obeys lim (progress I J a) ->
  exists o, In o (allocation_choices I J (levels I J) rd toll lim) /\
    progress I J a <= fst o /\ snd o <= rent I p a + toll_of I J toll a.
Proof.
  intros HJ Ha Hr Hp H1 Ho.
  assert (W := obeys_within lim _ H1 Ho).
  enough (exists o, In o (gang_choices J (levels I J) rd toll ++
      copy_choices I J (node_steps J (levels I J) rd)) /\
    fst o = progress I J a /\ snd o <= rent I p a + toll_of I J toll a) as (o & A & B & C).
  { exists o. split; [|lia]. apply filter_In. rewrite B. auto. }
  destruct a as [|g|g]; cbn [progress] in *.
  - lia.
  - destruct (gang_covered I J rd p toll g HJ Ha Hr Hp) as (o & A & B & C).
    exists o. split; [apply in_or_app; auto|auto].
  - destruct (copies_found I J rd p g HJ Ha Hr Hp) as (o & A & B & C).
    exists o. split; [apply in_or_app; auto|]. unfold toll_of, gang_mask. split; [auto|lia].
Qed.
