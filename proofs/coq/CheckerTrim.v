(** * What holds GPUs without progress can be left out.

    [trim]                 the schedule without the allocations that make no progress
    [trim_feasible]        it is feasible
    [trim_value]           of the same value
    [trim_busy]            and in it what holds GPUs makes progress *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill.
Import ListNotations.
Open Scope Z_scope.

Definition trim (I : instance) (s : schedule) (j t : nat) : allocation :=
  if progress I (job_at I j) (s j t) =? 0 then Idle else s j t.

Lemma trim_progress I s j t : progress I (job_at I j) (trim I s j t) = progress I (job_at I j) (s j t).
Proof. unfold trim. destruct (Z.eqb_spec (progress I (job_at I j) (s j t)) 0) as [->|]; reflexivity. Qed.
Lemma trim_done I s j t : done_before I (trim I s) j t = done_before I s j t.
Proof. apply sum_ext. intros u _. apply trim_progress. Qed.
Lemma trim_value I s : value I (trim I s) = value I s.
Proof.
  apply sum_ext. intros j _. unfold job_value. replace (completion I (trim I s) j) with (completion I s j);
    [reflexivity|].
  unfold completion. induction (seq 0 (num_rounds I)) as [|t l IH]; [reflexivity|].
  cbn [find]. rewrite trim_done, IH. reflexivity.
Qed.
Lemma trim_busy I s j t : trim I s j t <> Idle -> progress I (job_at I j) (trim I s j t) <> 0.
Proof.
  rewrite trim_progress. unfold trim. destruct (Z.eqb_spec (progress I (job_at I j) (s j t)) 0); [congruence|auto].
Qed.
Lemma trim_feasible I s : feasible I s -> feasible I (trim I s).
Proof.
  intros F. assert (N : forall j t, trim I s j t <> Idle -> s j t <> Idle).
  { intros j t. unfold trim. destruct (_ =? _); [congruence|auto]. }
  constructor.
  - intros j t Hj Ht. unfold trim. destruct (_ =? _); [exact Logic.I|]. apply (feasible_allocation _ _ F); auto.
  - intros j t Hj Ht H. apply (feasible_release _ _ F j t Hj Ht). auto.
  - intros j t Hj Ht H. rewrite trim_done. apply (feasible_completion _ _ F j t Hj Ht). auto.
  - intros t h r Ht Hh Hr. eapply Z.le_trans; [|apply (feasible_capacity _ _ F t h r Ht Hh Hr)].
    apply sum_le. intros j Hj. unfold trim. destruct (_ =? _); [|lia]. cbn [held].
    assert (Ha := feasible_allocation _ _ F j t Hj Ht).
    destruct (s j t) as [|g|g]; cbn; [lia| |]; apply Ha; auto.
Qed.
