(** * Levels: what the slowest type of an allocation says about it.

    [level]                the slowest type of an allocation: the types admitted with it (the mask), the
                         progress of a spread gang, a gang in one node, a copy, and the type itself
    [gang_at, copy_mask]   a gang as tolls see it: the node of a copy (None: the only gang), and its level
    [rent, toll_of]        what an allocation costs: GPUs at prices, and a toll for each of its gangs
    [slowest_level]        a used type is admitted at the level of the slowest
    [free_spread]          a job that is nowhere slowed: spreading costs nothing, or one GPU cannot spread
    [thrifty]              no copy of an allocation makes no progress
    [gang_level]           the level of a gang
    [gang_nodes]           a gang spans at most as many nodes as it has GPUs
    [inside_one_node]      a gang that is not spread holds all its GPUs on one node *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill.
Import ListNotations.
Open Scope Z_scope.

(* levels *)
Definition admits (I : instance) (J : job) (l r : nat) : bool :=
  match parallelism I with
  | SingleType => (r =? l)%nat
  | _ => (0 <? fst (speed J r)) && qle (speed J l) (speed J r)
  end.
Definition mask_of (I : instance) (J : job) (l : nat) : list bool :=
  map (admits I J l) (seq 0 (num_types I)).
Definition free_spread (J : job) : bool :=
  (fst (spread_factor J) =? snd (spread_factor J)) || (gang_size J =? 1).
Definition wide_time (I : instance) (J : job) : Z * Z :=
  if gang_size J =? 1 then node_time I else spread_time I J.
Definition thrifty (I : instance) (J : job) (a : allocation) : Prop :=
  match a with
  | Copies g => forall h, (h < num_nodes I)%nat -> 0 < on_node I g h ->
      level_progress I J (used_on g h) (copy_time I) <> 0
  | _ => True
  end.
Record level := Level {
  mask : list bool; spread_progress : Z; node_progress : Z; copy_progress : Z; slow_type : nat }.
Definition level_of (I : instance) (J : job) (l : nat) : level :=
  Level (mask_of I J l) (floor_product (speed J l) (wide_time I J))
    (floor_product (speed J l) (node_time I)) (floor_product (speed J l) (copy_time I)) l.
Definition levels (I : instance) (J : job) : list level :=
  map (level_of I J) (filter (fun l => 0 <? fst (speed J l)) (seq 0 (num_types I))).

(* what an allocation costs *)
Definition rent (I : instance) (p : nat -> nat -> Z) (a : allocation) : Z :=
  sum (num_nodes I) (fun h => sum (num_types I) (fun r => p h r * held a h r)).
Definition gang_mask (I : instance) (J : job) (a : allocation) : option (list bool) :=
  match a with
  | Gang g => option_map (mask_of I J) (slowest (speed J) (used I g) (num_types I))
  | _ => None
  end.
Definition copy_mask (I : instance) (J : job) (g : nat -> nat -> Z) (h : nat) : option (list bool) :=
  option_map (mask_of I J) (slowest (speed J) (used_on g h) (num_types I)).
Definition gang_at := (option nat * list bool)%type.
Definition toll_of (I : instance) (J : job) (toll : gang_at -> Z) (a : allocation) : Z :=
  match a with
  | Idle => 0
  | Gang _ => match gang_mask I J a with Some m => toll (None, m) | None => 0 end
  | Copies g => sum (num_nodes I) (fun h =>
      match copy_mask I J g h with Some m => toll (Some h, m) | None => 0 end)
  end.

Lemma toll_of_ext I J f f' a : (forall x, f x = f' x) -> toll_of I J f a = toll_of I J f' a.
Proof.
  intros H. destruct a as [|g|g]; [reflexivity| |]; unfold toll_of.
  - destruct (gang_mask _ _ _); auto.
  - apply sum_ext. intros h _. destruct (copy_mask _ _ _ _); auto.
Qed.
Lemma toll_of_zero I J f a : (forall x, f x = 0) -> toll_of I J f a = 0.
Proof.
  intros H. destruct a as [|g|g]; [reflexivity| |]; unfold toll_of.
  - destruct (gang_mask _ _ _); auto.
  - apply sum_zero. intros h _. destruct (copy_mask _ _ _ _); auto.
Qed.
Lemma toll_of_nonneg I J f a : (forall x, 0 <= f x) -> 0 <= toll_of I J f a.
Proof.
  intros H. destruct a as [|g|g]; [apply Z.le_refl| |]; unfold toll_of.
  - destruct (gang_mask _ _ _); [auto|lia].
  - apply sum_nonneg. intros h _. destruct (copy_mask _ _ _ _); [auto|lia].
Qed.
Lemma toll_of_sum I J f f' k a :
  toll_of I J (fun x => f x * k + f' x) a = k * toll_of I J f a + toll_of I J f' a.
Proof.
  destruct a as [|g|g]; unfold toll_of.
  - lia.
  - destruct (gang_mask _ _ _); lia.
  - rewrite <- sum_scale, <- sum_plus. apply sum_ext. intros h _. destruct (copy_mask _ _ _ _); lia.
Qed.

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
Lemma gang_nodes I J g : allocation_ok I J (Gang g) -> nodes_used I g <= gang_size J.
Proof.
  intros (Hc & <- & _). unfold nodes_used. apply sum_le. intros h Hh.
  assert (N : 0 <= on_node I g h) by (apply sum_nonneg; intros r Hr; apply (Hc h r Hh Hr)).
  destruct (Z.ltb_spec 0 (on_node I g h)); lia.
Qed.
Lemma wide_spread I J g l : allocation_ok I J (Gang g) -> (1 <? nodes_used I g) = true ->
  floor_product (speed J l) (wide_time I J) = floor_product (speed J l) (spread_time I J).
Proof.
  intros Ha EN. apply Z.ltb_lt in EN. assert (N := gang_nodes I J g Ha). unfold wide_time.
  replace (gang_size J =? 1) with false by (symmetry; apply Z.eqb_neq; lia). reflexivity.
Qed.
Lemma spread_for_free I J l : job_ok J = true -> free_spread J = true ->
  floor_product (speed J l) (wide_time I J) = floor_product (speed J l) (node_time I).
Proof.
  unfold free_spread, wide_time. intros HJ. destruct (gang_size J =? 1); [reflexivity|].
  rewrite orb_false_r. intros ER. unfold job_ok in HJ. rewrite !andb_true_iff in HJ. destruct HJ as [[_ HJ3] HJ4].
  apply Z.eqb_eq in ER.
  unfold fraction_ok in HJ4. apply andb_true_iff in HJ4. destruct HJ4 as [_ HJ4]. apply Z.ltb_lt in HJ4.
  unfold floor_product, spread_time, node_time. simpl. rewrite ER.
  assert (snd (speed J l) <> 0) by (assert (Q := speed_den_pos J l HJ3); lia).
  destruct (Z.eq_dec (snd (round_seconds I)) 0) as [E0|N0].
  - rewrite E0, !Z.mul_0_r, !Zdiv_0_r. reflexivity.
  - rewrite !Z.mul_assoc, !(Z.mul_comm _ (snd (spread_factor J))), <- !Z.mul_assoc.
    apply Z.div_mul_cancel_l; lia.
Qed.
