(** * Executable checker of a schedule: that it is feasible and what it is worth.

    [cells]                counts from a list of (node, type, GPUs)
    [of_rows]              the schedule of a list, per job, of allocations from round 0 on
    [check_schedule]       all the rules of feasible, and the value
    check_schedule_sound the listed schedule is feasible and has that value
    [certified_optimum]    with a bound of the same value, it is optimal *)
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
(* one pass over the rounds of a job, with the progress done so far *)
Definition played (I : instance) (s : schedule) (j : nat) : list (allocation * Z) :=
  map (fun t => (s j t, progress I (job_at I j) (s j t))) (seq 0 (num_rounds I)).
Fixpoint timing_okb (J : job) (l : list (allocation * Z)) (t : nat) (done : Z) : bool :=
  match l with
  | [] => true
  | (a, p) :: r =>
      match a with Idle => true | _ => (release J <=? t)%nat && (done <? iterations J) end &&
      timing_okb J r (S t) (done + p)
  end.
Fixpoint finish (Q : Z) (l : list (allocation * Z)) (t : nat) (done : Z) : option nat :=
  match l with
  | [] => None
  | (_, p) :: r => if Q <=? done + p then Some t else finish Q r (S t) (done + p)
  end.
Definition worth_of (J : job) (l : list (allocation * Z)) : Z :=
  match finish (iterations J) l 0 0 with
  | Some f => nth (f - release J) (utility J) 0
  | None => 0
  end.

(* what runs in a round *)
Definition running (I : instance) (s : schedule) (t : nat) : list allocation :=
  filter (fun a => match a with Idle => false | _ => true end)
    (map (fun j => s j t) (seq 0 (num_jobs I))).
Definition taken_up (l : list allocation) (h r : nat) : Z :=
  fold_right (fun a acc => held a h r + acc) 0 l.

Definition check_schedule (I : instance) (rows : list (list allocation)) (v : Z) : bool :=
  let s := of_rows rows in
  all (num_jobs I) (fun j =>
    let l := played I s j in
    forallb (fun ap => allocation_okb I (job_at I j) (fst ap)) l && timing_okb (job_at I j) l 0 0) &&
  all (num_rounds I) (fun t =>
    let l := running I s t in
    all (num_nodes I) (fun h => all (num_types I) (fun r => taken_up l h r <=? cap I h r))) &&
  (sum (num_jobs I) (fun j => worth_of (job_at I j) (played I s j)) =? v).

Lemma timing_okb_sound I s j n k :
  timing_okb (job_at I j) (map (fun t => (s j t, progress I (job_at I j) (s j t))) (seq k n)) k
    (done_before I s j k) = true ->
  forall t, (k <= t < k + n)%nat -> s j t <> Idle ->
    (release (job_at I j) <= t)%nat /\ done_before I s j t < iterations (job_at I j).
Proof.
  revert k. induction n as [|n IH]; intros k H t Ht Hn; [lia|].
  cbn [seq map timing_okb] in H. apply andb_true_iff in H. destruct H as [H1 H2].
  destruct (Nat.eq_dec t k) as [->|N].
  - destruct (s j k); [congruence| |]; apply andb_true_iff in H1; rewrite Nat.leb_le, Z.ltb_lt in H1; exact H1.
  - apply (IH (S k)); [exact H2|lia|exact Hn].
Qed.
Lemma finish_find I s j n k :
  finish (iterations (job_at I j)) (map (fun t => (s j t, progress I (job_at I j) (s j t))) (seq k n)) k
    (done_before I s j k) =
  find (fun t => iterations (job_at I j) <=? done_before I s j (S t)) (seq k n).
Proof.
  revert k. induction n as [|n IH]; intros k; [reflexivity|]. cbn [seq map finish find].
  change (done_before I s j k + progress I (job_at I j) (s j k)) with (done_before I s j (S k)).
  destruct (iterations (job_at I j) <=? done_before I s j (S k)); [reflexivity|apply IH].
Qed.
Lemma worth_of_value I s j : worth_of (job_at I j) (played I s j) = job_value I s j.
Proof.
  unfold worth_of, played, job_value, completion. rewrite <- (finish_find I s j (num_rounds I) 0).
  reflexivity.
Qed.
Lemma taken_up_sum f h r n : taken_up (filter (fun a => match a with Idle => false | _ => true end)
  (map f (seq 0 n))) h r = sum n (fun j => held (f j) h r).
Proof.
  enough (E : forall l, taken_up (filter (fun a => match a with Idle => false | _ => true end) l) h r =
    taken_up l h r).
  { rewrite E. clear E. induction n as [|n IH]; [reflexivity|].
    rewrite seq_S, map_app. simpl sum. rewrite <- IH. generalize (map f (seq 0 n)) as l.
    induction l as [|a l IHl]; simpl in *; lia. }
  induction l as [|a l IH]; [reflexivity|]. destruct a; simpl in *; rewrite ?IH; reflexivity.
Qed.

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
  unfold check_schedule. cbv zeta. set (s := of_rows rows). rewrite !andb_true_iff.
  intros [[H1 H2] H3]. split.
  - assert (H : forall j, (j < num_jobs I)%nat ->
      forallb (fun ap => allocation_okb I (job_at I j) (fst ap)) (played I s j) = true /\
      timing_okb (job_at I j) (played I s j) 0 0 = true).
    { intros j Hj. apply andb_true_iff. exact (all_spec _ _ _ H1 Hj). }
    constructor.
    + intros j t Hj Ht. apply allocation_okb_sound. destruct (H j Hj) as [Q _].
      rewrite forallb_forall in Q. apply (Q (s j t, progress I (job_at I j) (s j t))).
      unfold played. apply in_map_iff. exists t. split; [reflexivity|apply in_seq; lia].
    + intros j t Hj Ht Hn. destruct (H j Hj) as [_ Q].
      apply (timing_okb_sound I s j (num_rounds I) 0 Q t); [lia|exact Hn].
    + intros j t Hj Ht Hn. destruct (H j Hj) as [_ Q].
      apply (timing_okb_sound I s j (num_rounds I) 0 Q t); [lia|exact Hn].
    + intros t h r Ht Hh Hr. rewrite <- taken_up_sum. apply Z.leb_le.
      exact (all_spec _ _ _ (all_spec _ _ _ (all_spec _ _ _ H2 Ht) Hh) Hr).
  - apply Z.eqb_eq in H3. rewrite <- H3. unfold value. clear.
    induction (num_jobs I) as [|n IH]; [reflexivity|]. simpl. rewrite IH, worth_of_value. reflexivity.
Qed.

Theorem certified_optimum I rows v : check_schedule I rows v = true ->
  (forall s, feasible I s -> value I s <= v) ->
  exists s, feasible I s /\ value I s = v /\ forall s', feasible I s' -> value I s' <= value I s.
Proof.
  intros H B. destruct (check_schedule_sound _ _ _ H) as [F V].
  exists (of_rows rows). rewrite V. auto.
Qed.
