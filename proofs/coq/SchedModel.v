(** * Model of scheduling gangs of accelerators over rounds, in exact integers.

    [job, instance]        the data; rationals are pairs (numerator, denominator), utilities are integers
                         in a common unit, listed by flow time d = 1, 2, ...
    [allocation]           what one job holds in one round: nothing, one gang, or one copy per node;
                         counts are functions of (node, type)
    [sum n f]              f 0 + ... + f (n - 1)
    [slowest]              the slowest type among those used
    [progress]             iterations of one round, floor (X * rho * tau) at the slowest type used; for
                         copies the sum over nodes of floor (X * max (0, tau - consolidation))
    [allocation_ok]        the rules that concern one job in one round
    [done_before s j t]    progress of job j cumulated over rounds 0 .. t-1
    [completion, value]    first round that reaches the iterations; sum of the utilities
    [feasible]             the rules of a schedule: allocations, release and completion, capacity
    [progress_slowest]     progress is the floor at any slowest used type, whichever one is meant *)
From Coq Require Import ZArith List Lia Bool Arith.
Import ListNotations.
Open Scope Z_scope.

Inductive world := SingleType | Mixed | Forked.

Record job := Job {
  release : nat;
  gang_size : Z;
  iterations : Z;
  throughput : list (Z * Z);
  spread_factor : Z * Z;
  max_copies : Z;
  utility : list Z }.

Record instance := Instance {
  parallelism : world;
  num_rounds : nat;
  num_nodes : nat;
  num_types : nat;
  capacity : list (list Z);
  round_seconds : Z * Z;
  consolidation_seconds : Z * Z;
  jobs : list job }.

Definition no_job := Job 0 1 1 [] (1, 1) 1 [].
Definition job_at (I : instance) (j : nat) : job := nth j (jobs I) no_job.
Definition num_jobs (I : instance) : nat := length (jobs I).
Definition cap (I : instance) (h r : nat) : Z := nth r (nth h (capacity I) []) 0.
Definition speed (J : job) (r : nat) : Z * Z := nth r (throughput J) (0, 1).

Fixpoint sum (n : nat) (f : nat -> Z) : Z :=
  match n with O => 0 | S m => sum m f + f m end.

Definition qle (a b : Z * Z) : bool := fst a * snd b <=? fst b * snd a.
Definition floor_product (a b : Z * Z) : Z := (fst a * fst b) / (snd a * snd b).

(* seconds of training in a round: of a gang inside one node, of a spread gang (already times the
   spread factor), of a copy *)
Definition node_time (I : instance) : Z * Z := round_seconds I.
Definition spread_time (I : instance) (J : job) : Z * Z :=
  (fst (spread_factor J) * fst (round_seconds I), snd (spread_factor J) * snd (round_seconds I)).
Definition copy_time (I : instance) : Z * Z :=
  let (tn, td) := round_seconds I in
  let (cn, cd) := consolidation_seconds I in
  (Z.max 0 (tn * cd - cn * td), td * cd).

Inductive allocation :=
| Idle
| Gang (g : nat -> nat -> Z)
| Copies (g : nat -> nat -> Z).

Definition held (a : allocation) (h r : nat) : Z :=
  match a with Idle => 0 | Gang g | Copies g => g h r end.

Definition on_node (I : instance) (g : nat -> nat -> Z) (h : nat) : Z := sum (num_types I) (g h).
Definition nodes_used (I : instance) (g : nat -> nat -> Z) : Z :=
  sum (num_nodes I) (fun h => if 0 <? on_node I g h then 1 else 0).

Definition used (I : instance) (g : nat -> nat -> Z) (r : nat) : bool :=
  existsb (fun h => 0 <? g h r) (seq 0 (num_nodes I)).
Definition used_on (g : nat -> nat -> Z) (h r : nat) : bool := 0 <? g h r.

Fixpoint slowest (X : nat -> Z * Z) (use : nat -> bool) (n : nat) : option nat :=
  match n with
  | O => None
  | S m =>
      match slowest X use m with
      | None => if use m then Some m else None
      | Some l => if use m && negb (qle (X l) (X m)) then Some m else Some l
      end
  end.

Definition level_progress (I : instance) (J : job) (use : nat -> bool) (time : Z * Z) : Z :=
  match slowest (speed J) use (num_types I) with
  | Some l => floor_product (speed J l) time
  | None => 0
  end.

Definition gang_progress (I : instance) (J : job) (g : nat -> nat -> Z) : Z :=
  level_progress I J (used I g) (if 1 <? nodes_used I g then spread_time I J else node_time I).
Definition copies_progress (I : instance) (J : job) (g : nat -> nat -> Z) : Z :=
  sum (num_nodes I) (fun h => level_progress I J (used_on g h) (copy_time I)).
Definition progress (I : instance) (J : job) (a : allocation) : Z :=
  match a with
  | Idle => 0
  | Gang g => gang_progress I J g
  | Copies g => copies_progress I J g
  end.

(* counts are not negative and only types with positive throughput are used *)
Definition counts_ok (I : instance) (J : job) (g : nat -> nat -> Z) : Prop :=
  forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat ->
    0 <= g h r /\ (0 < g h r -> 0 < fst (speed J r)).
Definition one_type (I : instance) (g : nat -> nat -> Z) : Prop :=
  forall h r h' r', (h < num_nodes I)%nat -> (r < num_types I)%nat ->
    (h' < num_nodes I)%nat -> (r' < num_types I)%nat -> 0 < g h r -> 0 < g h' r' -> r = r'.

Definition allocation_ok (I : instance) (J : job) (a : allocation) : Prop :=
  match a with
  | Idle => True
  | Gang g =>
      counts_ok I J g /\ sum (num_nodes I) (on_node I g) = gang_size J /\
      (parallelism I = SingleType -> one_type I g)
  | Copies g =>
      parallelism I = Forked /\ counts_ok I J g /\
      (forall h, (h < num_nodes I)%nat -> on_node I g h = 0 \/ on_node I g h = gang_size J) /\
      2 <= nodes_used I g <= max_copies J
  end.

Definition schedule := nat -> nat -> allocation.

Definition done_before (I : instance) (s : schedule) (j t : nat) : Z :=
  sum t (fun u => progress I (job_at I j) (s j u)).
Definition completion (I : instance) (s : schedule) (j : nat) : option nat :=
  find (fun t => iterations (job_at I j) <=? done_before I s j (S t)) (seq 0 (num_rounds I)).
Definition job_value (I : instance) (s : schedule) (j : nat) : Z :=
  match completion I s j with
  | Some f => nth (f - release (job_at I j)) (utility (job_at I j)) 0
  | None => 0
  end.
Definition value (I : instance) (s : schedule) : Z := sum (num_jobs I) (job_value I s).

Record feasible (I : instance) (s : schedule) : Prop := Feasible {
  feasible_allocation : forall j t, (j < num_jobs I)%nat -> (t < num_rounds I)%nat ->
    allocation_ok I (job_at I j) (s j t);
  feasible_release : forall j t, (j < num_jobs I)%nat -> (t < num_rounds I)%nat ->
    s j t <> Idle -> (release (job_at I j) <= t)%nat;
  feasible_completion : forall j t, (j < num_jobs I)%nat -> (t < num_rounds I)%nat ->
    s j t <> Idle -> done_before I s j t < iterations (job_at I j);
  feasible_capacity : forall t h r, (t < num_rounds I)%nat -> (h < num_nodes I)%nat ->
    (r < num_types I)%nat -> sum (num_jobs I) (fun j => held (s j t) h r) <= cap I h r }.

(* sanity of the data; the checkers test it, so that their theorems need no hypothesis *)
Definition fraction_ok (q : Z * Z) : bool := (0 <=? fst q) && (0 <? snd q).
Definition job_ok (J : job) : bool :=
  (0 <? gang_size J) && (0 <? iterations J) && forallb fraction_ok (throughput J) &&
  fraction_ok (spread_factor J).
Definition instance_ok (I : instance) : bool :=
  fraction_ok (round_seconds I) && fraction_ok (consolidation_seconds I) &&
  forallb job_ok (jobs I).

Lemma speed_den_pos J r : forallb fraction_ok (throughput J) = true -> 0 < snd (speed J r).
Proof.
  intros H. unfold speed. destruct (nth_in_or_default r (throughput J) (0, 1)) as [i|E].
  - rewrite forallb_forall in H. specialize (H _ i). unfold fraction_ok in H. lia.
  - rewrite E; simpl; lia.
Qed.
Lemma speed_num_nonneg J r : forallb fraction_ok (throughput J) = true -> 0 <= fst (speed J r).
Proof.
  intros H. unfold speed. destruct (nth_in_or_default r (throughput J) (0, 1)) as [i|E].
  - rewrite forallb_forall in H. specialize (H _ i). unfold fraction_ok in H. lia.
  - rewrite E; simpl; lia.
Qed.

Lemma slowest_exists X use n r : (r < n)%nat -> use r = true -> exists l, slowest X use n = Some l.
Proof.
  intros Hr Ur. induction n as [|n IH]; [lia|]. simpl. destruct (slowest X use n) as [l|].
  - destruct (use n && _); eauto.
  - destruct (Nat.eq_dec r n) as [->|]; [rewrite Ur; eauto|].
    destruct IH as [l E]; [lia|discriminate].
Qed.

Lemma slowest_spec X use n l : (forall r, 0 < snd (X r)) -> slowest X use n = Some l ->
  (l < n)%nat /\ use l = true /\
  forall r, (r < n)%nat -> use r = true -> fst (X l) * snd (X r) <= fst (X r) * snd (X l).
Proof.
  intros HX. revert l. induction n as [|n IH]; simpl; [discriminate|]. intros l.
  destruct (slowest X use n) as [l0|] eqn:E.
  - destruct (IH l0 eq_refl) as (A & B & C). unfold qle.
    destruct (use n) eqn:U; simpl.
    + destruct (fst (X l0) * snd (X n) <=? fst (X n) * snd (X l0)) eqn:Q; simpl; intros [= <-].
      * apply Z.leb_le in Q. repeat split; auto. intros r Hr Ur.
        destruct (Nat.eq_dec r n) as [->|]; auto. apply C; auto. lia.
      * apply Z.leb_gt in Q. repeat split; auto. intros r Hr Ur.
        destruct (Nat.eq_dec r n) as [->|]; [lia|]. specialize (C r ltac:(lia) Ur).
        assert (P0 := HX l0). assert (P1 := HX n). assert (P2 := HX r).
        apply Z.mul_le_mono_pos_r with (snd (X l0)); auto. nia.
    + intros [= <-]. repeat split; auto. intros r Hr Ur.
      destruct (Nat.eq_dec r n) as [->|]; [congruence|]. apply C; auto. lia.
  - destruct (use n) eqn:U; [|discriminate]. intros [= <-]. repeat split; auto.
    intros r Hr Ur. destruct (Nat.eq_dec r n) as [->|]; [lia|].
    destruct (slowest_exists X use n r ltac:(lia) Ur) as [l E']. congruence.
Qed.

Theorem progress_slowest I J use time l :
  forallb fraction_ok (throughput J) = true -> fraction_ok time = true ->
  (l < num_types I)%nat -> use l = true ->
  (forall r, (r < num_types I)%nat -> use r = true -> qle (speed J l) (speed J r) = true) ->
  level_progress I J use time = floor_product (speed J l) time.
Proof.
  intros HJ HT Hl Ul Hmin. unfold level_progress.
  destruct (slowest_exists (speed J) use _ l Hl Ul) as [m E]. rewrite E.
  destruct (slowest_spec _ _ _ _ (fun r => speed_den_pos J r HJ) E) as (A & B & C).
  specialize (C l Hl Ul). specialize (Hmin m A B). apply Z.leb_le in Hmin.
  unfold floor_product. unfold fraction_ok in HT.
  assert (P := speed_den_pos J l HJ). assert (P' := speed_den_pos J m HJ).
  destruct (speed J l) as [xn xd], (speed J m) as [yn yd], time as [tn td]. cbn in *.
  rewrite <- (Z.div_mul_cancel_r (yn * tn) (yd * td) xd) by nia.
  rewrite <- (Z.div_mul_cancel_r (xn * tn) (xd * td) yd) by nia.
  f_equal; nia.
Qed.
