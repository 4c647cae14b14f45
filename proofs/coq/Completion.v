(** * Completion: when a job is done, and what it is worth then.

    [progress_of I j a]    iterations that job j makes in a round with allocation a
    [utility_at I j t]     what job j is worth if it completes in round t
    [utilities_ok I]       utilities are not negative and do not increase with the flow time

    [completion_spec]      completion is the first round after which all iterations are done
    [completed_by]         who has done all iterations before round t has completed before it
    [completion_in]        who lacks some before round t and none after it completes in t *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerJob.
Import ListNotations.
Open Scope Z_scope.

Section Completion.
  Variable I : instance.

  Definition progress_of (j : nat) (a : allocation) : Z := progress I (job_at I j) a.
  Definition utility_at (j t : nat) : Z := nth (t - release (job_at I j)) (utility (job_at I j)) 0.
  Definition utilities_ok : Prop := forall j d, (j < num_jobs I)%nat ->
    0 <= nth (S d) (utility (job_at I j)) 0 <= nth d (utility (job_at I j)) 0.

  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok.

  Lemma progress_of_nonneg j a : (j < num_jobs I)%nat -> 0 <= progress_of j a.
  Proof. intros Hj. apply progress_nonneg; auto. Qed.
  Lemma iterations_pos j : (j < num_jobs I)%nat -> 0 < iterations (job_at I j).
  Proof.
    intros Hj. assert (K := J_ok I j inst Hj). unfold job_ok in K. rewrite !andb_true_iff in K.
    destruct K as [[[_ K] _] _]. apply Z.ltb_lt in K. exact K.
  Qed.
  Lemma utility_nonneg j t : (j < num_jobs I)%nat -> 0 <= utility_at j t.
  Proof. intros Hj. unfold utility_at. assert (U := utilities j (t - release (job_at I j))%nat Hj). lia. Qed.
  Lemma utility_later j t u : (j < num_jobs I)%nat -> (t <= u)%nat -> utility_at j u <= utility_at j t.
  Proof.
    intros Hj H. unfold utility_at.
    assert (D : (t - release (job_at I j) <= u - release (job_at I j))%nat) by lia.
    induction D as [|d D IH]; [lia|]. assert (U := utilities j d Hj). lia.
  Qed.
  Lemma done_increases s j t u : (j < num_jobs I)%nat -> (t <= u)%nat -> done_before I s j t <= done_before I s j u.
  Proof.
    intros Hj H. induction H as [|u H IH]; [lia|].
    assert (P := progress_of_nonneg j (s j u) Hj). unfold progress_of in P.
    unfold done_before in *. simpl sum. lia.
  Qed.
  Lemma done_nonneg s j t : (j < num_jobs I)%nat -> 0 <= done_before I s j t.
  Proof. intros Hj. apply (done_increases s j 0 t Hj). lia. Qed.
  Lemma done_step s j t : done_before I s j (S t) = done_before I s j t + progress_of j (s j t).
  Proof. reflexivity. Qed.

  (* completion is the first round after which all iterations are done *)
  Lemma found_snoc (b : nat -> bool) l x : find b (l ++ [x]) =
    match find b l with Some y => Some y | None => if b x then Some x else None end.
  Proof. induction l as [|y l IH]; simpl; [reflexivity|]. destruct (b y); auto. Qed.
  Lemma first_found (b : nat -> bool) m f : find b (seq 0 m) = Some f ->
    (f < m)%nat /\ b f = true /\ forall u, (u < f)%nat -> b u = false.
  Proof.
    induction m as [|m IH]; [discriminate|]. rewrite seq_S, found_snoc. simpl.
    destruct (find b (seq 0 m)) as [g|] eqn:E.
    - intros [= <-]. destruct (IH eq_refl) as (A & B & C). repeat split; auto.
    - destruct (b m) eqn:Bm; [|discriminate]. intros [= <-]. repeat split; auto.
      intros u Hu. apply (find_none _ _ E). apply in_seq. lia.
  Qed.
  Lemma completion_spec s j f : completion I s j = Some f ->
    (f < num_rounds I)%nat /\ iterations (job_at I j) <= done_before I s j (S f) /\
    forall u, (u < f)%nat -> done_before I s j (S u) < iterations (job_at I j).
  Proof.
    unfold completion. intros H. apply first_found in H. destruct H as (A & B & C).
    apply Z.leb_le in B. repeat split; auto. intros u Hu. specialize (C u Hu). apply Z.leb_gt in C. auto.
  Qed.
  Lemma completed_by s j t : (j < num_jobs I)%nat -> (t <= num_rounds I)%nat -> iterations (job_at I j) <= done_before I s j t ->
    exists g, completion I s j = Some g /\ (g < t)%nat.
  Proof.
    intros Hj Ht H. assert (P := iterations_pos j Hj). destruct t as [|t]; [cbn in H; lia|].
    destruct (completion I s j) as [g|] eqn:E.
    - exists g. split; auto. destruct (le_lt_dec g t) as [|L]; [lia|].
      destruct (completion_spec _ _ _ E) as (_ & _ & C). specialize (C t L). lia.
    - unfold completion in E. assert (N := find_none _ _ E t). cbv beta in N.
      rewrite in_seq in N. specialize (N ltac:(lia)). apply Z.leb_gt in N. lia.
  Qed.
  Lemma completion_in s j t : (j < num_jobs I)%nat -> (t < num_rounds I)%nat -> done_before I s j t < iterations (job_at I j) ->
    iterations (job_at I j) <= done_before I s j (S t) -> completion I s j = Some t.
  Proof.
    intros Hj Ht H1 H2. destruct (completed_by s j (S t) Hj ltac:(lia) H2) as (g & E & G). rewrite E.
    f_equal. destruct (completion_spec _ _ _ E) as (_ & B & _).
    destruct (le_lt_dec t g); [lia|]. assert (M := done_increases s j (S g) t Hj ltac:(lia)). lia.
  Qed.

  Lemma value_nonneg s : 0 <= value I s.
  Proof.
    apply sum_nonneg. intros j Hj. unfold job_value.
    destruct (completion I s j) as [f|]; [apply (utility_nonneg j f Hj)|lia].
  Qed.
End Completion.
