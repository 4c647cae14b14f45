(* Executable checker of a schedule: that it is feasible and what it is worth.

   cells                counts from a list of (node, type, GPUs)
   of_rows              the schedule of a list, per job, of allocations from round 0 on
   check_schedule       all the rules of feasible, and the value
   check_schedule_sound the listed schedule is feasible and has that value
   certified_optimum    with a bound of the same value, it is optimal *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel.
Import ListNotations.
Open Scope Z_scope.

Definition cells (l : list (nat * nat * Z)) (h r : nat) : Z :=
  fold_right (fun c acc =>
    if ((fst (fst c) =? h) && (snd (fst c) =? r))%nat then snd c + acc else acc) 0 l.
Definition of_rows (rows : list (list allocation)) : schedule :=
  fun j t => nth t (nth j rows []) Idle.

Definition all (n : nat) (f : nat -> bool) : bool := forallb f (seq 0 n).
Lemma all_spec n f i : all n f = true -> (i < n)%nat -> f i = true.
Proof. unfold all. rewrite forallb_forall. intros H Hi. apply H, in_seq. lia. Qed.

Definition counts_okb (I : instance) (J : job) (g : nat -> nat -> Z) : bool :=
  all (num_nodes I) (fun h => all (num_types I) (fun r =>
    (0 <=? g h r) && ((g h r <=? 0) || (0 <? fst (speed J r))))).
Definition one_typeb (I : instance) (g : nat -> nat -> Z) : bool :=
  all (num_types I) (fun r => all (num_types I) (fun r' =>
    negb (used I g r) || negb (used I g r') || (r =? r')%nat)).
Definition allocation_okb (I : instance) (J : job) (a : allocation) : bool :=
  match a with
  | Idle => true
  | Gang g =>
      counts_okb I J g && (sum (num_nodes I) (on_node I g) =? gang_size J) &&
      match parallelism I with SingleType => one_typeb I g | _ => true end
  | Copies g =>
      match parallelism I with Forked => true | _ => false end && counts_okb I J g &&
      all (num_nodes I) (fun h => (on_node I g h =? 0) || (on_node I g h =? gang_size J)) &&
      (2 <=? nodes_used I g) && (nodes_used I g <=? max_copies J)
  end.
Definition timing_okb (I : instance) (s : schedule) (j t : nat) : bool :=
  match s j t with
  | Idle => true
  | _ => (release (job_at I j) <=? t)%nat && (done_before I s j t <? iterations (job_at I j))
  end.

Definition check_schedule (I : instance) (rows : list (list allocation)) (v : Z) : bool :=
  let s := of_rows rows in
  all (num_jobs I) (fun j => all (num_rounds I) (fun t =>
    allocation_okb I (job_at I j) (s j t) && timing_okb I s j t)) &&
  all (num_rounds I) (fun t => all (num_nodes I) (fun h => all (num_types I) (fun r =>
    sum (num_jobs I) (fun j => held (s j t) h r) <=? cap I h r))) &&
  (value I s =? v).

Lemma counts_okb_sound I J g : counts_okb I J g = true -> counts_ok I J g.
Proof.
  intros H h r Hh Hr. assert (Q := all_spec _ _ _ (all_spec _ _ _ H Hh) Hr).
  apply andb_true_iff in Q. destruct Q as [Q1 Q2]. apply Z.leb_le in Q1. split; [exact Q1|].
  intros P. apply orb_true_iff in Q2. destruct Q2 as [Q2|Q2]; [apply Z.leb_le in Q2; lia|].
  apply Z.ltb_lt. exact Q2.
Qed.
Lemma used_of_count I g h r : (h < num_nodes I)%nat -> 0 < g h r -> used I g r = true.
Proof.
  intros Hh Hg. apply existsb_exists. exists h. split; [apply in_seq; lia|apply Z.ltb_lt, Hg].
Qed.
Lemma allocation_okb_sound I J a : allocation_okb I J a = true -> allocation_ok I J a.
Proof.
  destruct a as [|g|g]; simpl; [auto| |]; rewrite !andb_true_iff.
  - intros [[H1 H2] H3]. split; [apply counts_okb_sound, H1|]. split; [apply Z.eqb_eq, H2|].
    intros E. rewrite E in H3. intros h r h' r' Hh Hr Hh' Hr' P P'.
    assert (Q := all_spec _ _ _ (all_spec _ _ _ H3 Hr) Hr'). cbv beta in Q.
    rewrite (used_of_count I g h r Hh P), (used_of_count I g h' r' Hh' P') in Q.
    apply Nat.eqb_eq. exact Q.
  - intros [[[[H1 H2] H3] H4] H5]. split; [destruct (parallelism I); try discriminate; reflexivity|].
    split; [apply counts_okb_sound, H2|]. split; [|split; apply Z.leb_le; assumption].
    intros h Hh. assert (Q := all_spec _ _ _ H3 Hh). apply orb_true_iff in Q.
    rewrite !Z.eqb_eq in Q. exact Q.
Qed.

Theorem check_schedule_sound I rows v : check_schedule I rows v = true ->
  feasible I (of_rows rows) /\ value I (of_rows rows) = v.
Proof.
  unfold check_schedule. cbv zeta. rewrite !andb_true_iff. intros [[H1 H2] H3].
  split; [|apply Z.eqb_eq, H3].
  assert (H : forall j t, (j < num_jobs I)%nat -> (t < num_rounds I)%nat ->
    allocation_okb I (job_at I j) (of_rows rows j t) = true /\ timing_okb I (of_rows rows) j t = true).
  { intros j t Hj Ht. apply andb_true_iff. exact (all_spec _ _ _ (all_spec _ _ _ H1 Hj) Ht). }
  constructor.
  - intros j t Hj Ht. apply allocation_okb_sound, H; auto.
  - intros j t Hj Ht Hn. destruct (H j t Hj Ht) as [_ Q]. unfold timing_okb in Q.
    destruct (of_rows rows j t); [congruence| |]; apply andb_true_iff in Q; apply Nat.leb_le, Q.
  - intros j t Hj Ht Hn. destruct (H j t Hj Ht) as [_ Q]. unfold timing_okb in Q.
    destruct (of_rows rows j t); [congruence| |]; apply andb_true_iff in Q; apply Z.ltb_lt, Q.
  - intros t h r Ht Hh Hr. apply Z.leb_le.
    exact (all_spec _ _ _ (all_spec _ _ _ (all_spec _ _ _ H2 Ht) Hh) Hr).
Qed.

Theorem certified_optimum I rows v : check_schedule I rows v = true ->
  (forall s, feasible I s -> value I s <= v) ->
  exists s, feasible I s /\ value I s = v /\ forall s', feasible I s' -> value I s' <= value I s.
Proof.
  intros H B. destruct (check_schedule_sound _ _ _ H) as [F V].
  exists (of_rows rows). rewrite V. auto.
Qed.
