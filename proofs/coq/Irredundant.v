(** * Irredundant plans of one job: no round of them can be dropped.

    [whole_progress I j a]  iterations that job j makes with the allocations a over all rounds
    [irredundant I j a]   they are enough, and not after any round in which j holds something is dropped
    [own_value I j a]     the utility of the round in which a completes j
    [irredundantb]        irredundant, as a program

    [irredundant_enough]  allocations that complete a job contain irredundant ones
    [irredundant_part]    of those of a feasible schedule, worth no less *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerJob CheckerTree CheckerSchedule Completion.
Import ListNotations.
Open Scope Z_scope.

Section Irredundant.
  Variable I : instance.
  Let n := num_jobs I.
  Let T := num_rounds I.
  Let Q j := iterations (job_at I j).

  Definition idleb (a : allocation) : bool := match a with Idle => true | _ => false end.
  Definition whole_progress (j : nat) (a : nat -> allocation) : Z := sum (num_rounds I) (fun t => progress_of I j (a t)).
  Definition irredundant (j : nat) (a : nat -> allocation) : Prop :=
    iterations (job_at I j) <= whole_progress j a /\
    forall t, (t < num_rounds I)%nat -> a t <> Idle -> whole_progress j a - progress_of I j (a t) < iterations (job_at I j).
  Definition own_value (j : nat) (a : nat -> allocation) : Z := job_value I (fun _ => a) j.

  Definition irredundantb (j : nat) (a : nat -> allocation) : bool :=
    let w := whole_progress j a in
    (iterations (job_at I j) <=? w) &&
    all (num_rounds I) (fun t => idleb (a t) || (w - progress_of I j (a t) <? iterations (job_at I j))).
  Lemma irredundantb_spec j a : irredundantb j a = true -> irredundant j a.
  Proof.
    intros E. apply andb_true_iff in E. destruct E as [E1 E2]. split; [apply Z.leb_le; auto|].
    intros t Ht Hb. assert (X := all_spec _ _ _ E2 Ht). cbv beta in X. apply orb_true_iff in X.
    destruct X as [X|X]; [destruct (a t); [congruence|discriminate|discriminate]|apply Z.ltb_lt; auto].
  Qed.

  (* rounds can be dropped one by one *)
  Definition drop (t : nat) (a : nat -> allocation) (u : nat) : allocation := if (t =? u)%nat then Idle else a u.
  Lemma idle_count a : 0 <= (if idleb a then 0 else 1).
  Proof. destruct (idleb a); lia. Qed.
  Definition held_rounds (a : nat -> allocation) : Z := sum T (fun t => if idleb (a t) then 0 else 1).

  Lemma drop_sum (f : allocation -> Z) t a : f Idle = 0 -> (t < T)%nat ->
    sum T (fun u => f (drop t a u)) = sum T (fun u => f (a u)) - f (a t).
  Proof.
    intros F Ht. rewrite (sum_ext _ _ (fun u => f (a u) - (if (t =? u)%nat then f (a u) else 0))).
    - rewrite sum_minus, sum_pick. apply Nat.ltb_lt in Ht. rewrite Ht. reflexivity.
    - intros u _. unfold drop. destruct (t =? u)%nat; lia.
  Qed.

  Theorem irredundant_enough j a : Q j <= whole_progress j a ->
    exists b, (forall t, b t = a t \/ b t = Idle) /\ irredundant j b.
  Proof.
    assert (G : forall N a, held_rounds a <= Z.of_nat N -> Q j <= whole_progress j a ->
      exists b, (forall t, b t = a t \/ b t = Idle) /\ irredundant j b).
    { clear a. induction N as [|N IH]; intros a HN HQ;
        destruct (existsb (fun t => negb (idleb (a t)) && (Q j <=? whole_progress j a - progress_of I j (a t))) (seq 0 T)) eqn:E.
      - apply existsb_exists in E. destruct E as (t & Ht & E). apply andb_true_iff in E. destruct E as [E _].
        apply in_seq in Ht. assert (P := sum_term T (fun t => if idleb (a t) then 0 else 1) t ltac:(lia)
          (fun u _ => idle_count (a u))). cbv beta in P. unfold held_rounds in HN.
        destruct (idleb (a t)); [discriminate|]. lia.
      - exists a. split; [auto|]. split; [exact HQ|]. intros t Ht Hb.
        destruct (Z_lt_le_dec (whole_progress j a - progress_of I j (a t)) (Q j)) as [|L]; [auto|exfalso].
        assert (X : existsb (fun t => negb (idleb (a t)) && (Q j <=? whole_progress j a - progress_of I j (a t))) (seq 0 T) = true).
        { apply existsb_exists. exists t. split; [apply in_seq; fold T in Ht; lia|].
          apply Z.leb_le in L. rewrite L. destruct (a t); [congruence|reflexivity|reflexivity]. }
        congruence.
      - apply existsb_exists in E. destruct E as (t & Ht & E). apply andb_true_iff in E. destruct E as [E1 E2].
        apply in_seq in Ht. apply Z.leb_le in E2.
        destruct (IH (drop t a)) as (b & Hb & Hi).
        + unfold held_rounds in *. rewrite (drop_sum (fun x => if idleb x then 0 else 1)) by (auto; lia).
          destruct (idleb (a t)); [discriminate|]. lia.
        + unfold whole_progress. fold T. rewrite (drop_sum (progress_of I j)) by (auto; lia). exact E2.
        + exists b. split; [|exact Hi]. intros u. destruct (Hb u) as [->|]; [|auto]. unfold drop.
          destruct (t =? u)%nat; auto.
      - exists a. split; [auto|]. split; [exact HQ|]. intros t Ht Hb.
        destruct (Z_lt_le_dec (whole_progress j a - progress_of I j (a t)) (Q j)) as [|L]; [auto|exfalso].
        assert (X : existsb (fun t => negb (idleb (a t)) && (Q j <=? whole_progress j a - progress_of I j (a t))) (seq 0 T) = true).
        { apply existsb_exists. exists t. split; [apply in_seq; fold T in Ht; lia|].
          apply Z.leb_le in L. rewrite L. destruct (a t); [congruence|reflexivity|reflexivity]. }
        congruence. }
    apply (G (Z.to_nat (held_rounds a))).
    assert (0 <= held_rounds a) by (apply sum_nonneg; intros t _; apply idle_count). lia.
  Qed.

  (* what a job earns depends on its own progress only *)
  Lemma done_ext s s' j t : (t <= T)%nat ->
    (forall u, (u < T)%nat -> progress_of I j (s j u) = progress_of I j (s' j u)) ->
    done_before I s j t = done_before I s' j t.
  Proof. intros Ht E. apply sum_ext. intros u Hu. apply E. lia. Qed.
  Lemma job_value_ext s s' j :
    (forall u, (u < T)%nat -> progress_of I j (s j u) = progress_of I j (s' j u)) ->
    job_value I s j = job_value I s' j.
  Proof.
    intros E. unfold job_value. replace (completion I s' j) with (completion I s j); [reflexivity|].
    unfold completion. assert (K : forall t, In t (seq 0 (num_rounds I)) -> (t < T)%nat) by (intros t Ht; apply in_seq in Ht; fold T in Ht; lia).
    induction (seq 0 (num_rounds I)) as [|t l IH]; [reflexivity|]. cbn [find].
    rewrite (done_ext s s' j (S t)) by (auto; apply K; left; auto).
    destruct (_ <=? _); [reflexivity|]. apply IH. intros u Hu. apply K. right; auto.
  Qed.

  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.

  Lemma irredundant_part s j : feasible I s -> (j < num_jobs I)%nat -> 0 < job_value I s j ->
    exists b, (forall t, b t = s j t \/ b t = Idle) /\ irredundant j b /\ job_value I s j <= own_value j b.
  Proof.
    intros F Hj V. assert (V' := V). unfold job_value in V'. destruct (completion I s j) as [f|] eqn:E; [|lia].
    destruct (completion_spec I s j f E) as (Ef & Ed & _).
    assert (En : Q j <= whole_progress j (s j)).
    { eapply Z.le_trans; [exact Ed|]. apply (done_increases I inst s j (S f) T Hj). unfold T. lia. }
    destruct (irredundant_enough j (s j) En) as (b & Hb & Hi). exists b. split; [exact Hb|]. split; [exact Hi|].
    (* what is kept lies in rounds up to f, so it completes by f *)
    assert (Late : forall t, (f < t)%nat -> (t < T)%nat -> b t = Idle).
    { intros t Hft Ht. destruct (Hb t) as [Eb|]; auto.
      assert (D : s j t <> Idle -> done_before I s j t < Q j) by (apply (feasible_completion _ _ F j t Hj Ht)).
      assert (M := done_increases I inst s j (S f) t Hj Hft). assert (Ed' : Q j <= done_before I s j (S f)) by exact Ed.
      rewrite Eb. destruct (s j t); [reflexivity| |]; exfalso; specialize (D ltac:(discriminate)); lia. }
    assert (Df : done_before I (fun _ => b) j (S f) = whole_progress j b).
    { unfold whole_progress. fold T. replace T with (S f + (T - S f))%nat by (unfold T; lia).
      assert (L : forall u, (S f + u <= T)%nat -> sum (S f + u) (fun t => progress_of I j (b t)) = done_before I (fun _ => b) j (S f)).
      { induction u as [|u IH]; intros Hu; [rewrite Nat.add_0_r; reflexivity|].
        replace (S f + S u)%nat with (S (S f + u)) by lia. cbn [sum].
        rewrite (Late (S f + u)%nat) by lia. change (progress_of I j Idle) with 0.
        specialize (IH ltac:(lia)). lia. }
      symmetry. apply L. unfold T. lia. }
    destruct Hi as [Hi1 Hi2].
    destruct (completed_by I inst (fun _ => b) j (S f) Hj ltac:(lia) ltac:(rewrite Df; exact Hi1)) as (g & Eg & Hg).
    unfold own_value, job_value. rewrite E, Eg. apply (utility_later I utilities j g f Hj). lia.
  Qed.
End Irredundant.
