(** * Re-planning every round: scores, candidates, and what schedules of few rounds per job are.

    In the scheduling model of SchedModel.v, in exact integers.  s is the schedule that a re-planning
    scheduler produces, o any feasible schedule (the optimum), k >= 1.

    [rounds_left I s t j a]  rounds that job j still needs from round t on if it keeps allocation a:
                          ceil (iterations left / progress of a)
    [score I k s t j a]   what allocation a of job j is worth in round t: with q = rounds_left,
                          U_j (t + q - release) (k-1)^(q-1) k^(k-q), which is k^(k-1) times
                          U_j beta^(q-1), beta = 1 - 1/k; 0 if a makes no progress, q > k or the job would
                          end after the last round
    [round_score]         the sum over jobs
    [candidate I s t a]   a may be run in round t: allocations that respect the capacities, of jobs that
                          are released and that s has not completed before t
    [continued I s t]     what s runs in round t, without the jobs that complete in t
    [near_best I k rn rd s]  in every round s runs a candidate within rn/rd of the greatest score
    [continues I k s]     what s runs scores no less than continuing what it ran in the round before
    [best_rounds I k s]   in every round s runs a candidate of the greatest score
    [reaches I k w o]     each job that o completes, in f say, has rounds t <= t+i <= f with i < w such that
                          from t on, with the allocation that it has in t+i, at most k rounds would have been
                          enough to do all its iterations by f; it was released by t
    [steady I k o]        each job that o completes would, with its first allocation that makes progress, need
                          at most k rounds and complete no later (it keeps one progress level)
    [needs I j p]         job j takes exactly p rounds, whatever allocations that make progress it gets

    [moved, moved_candidate]  what o runs in a later round, of the jobs that s could run now, is a candidate
    [needs_steady, levels_reach]  which hypotheses on jobs give steady and reaches *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerJob CheckerTree Completion.
Import ListNotations.
Open Scope Z_scope.

Section Replanning.
  Variable I : instance.
  Let n := num_jobs I.
  Let T := num_rounds I.
  Let Q j := iterations (job_at I j).

  Notation progress_of := (progress_of I).
  Notation utility_at := (utility_at I).

  Definition rounds_left (s : schedule) (t j : nat) (a : allocation) : Z :=
    (iterations (job_at I j) - done_before I s j t + progress_of j a - 1) / progress_of j a.

  Definition score (k : nat) (s : schedule) (t j : nat) (a : allocation) : Z :=
    let q := Z.to_nat (rounds_left s t j a) in
    if (0 <? progress_of j a) && (1 <=? q)%nat && (q <=? k)%nat && (t + q <=? num_rounds I)%nat
    then utility_at j (t + q - 1) * (Z.of_nat k - 1) ^ Z.of_nat (q - 1) * Z.of_nat k ^ Z.of_nat (k - q)
    else 0.
  Definition round_score (k : nat) (s : schedule) (t : nat) (a : nat -> allocation) : Z :=
    sum (num_jobs I) (fun j => score k s t j (a j)).

  Definition candidate (s : schedule) (t : nat) (a : nat -> allocation) : Prop :=
    (forall j, (j < num_jobs I)%nat -> allocation_ok I (job_at I j) (a j)) /\
    (forall j, (j < num_jobs I)%nat -> a j <> Idle ->
       (release (job_at I j) <= t)%nat /\ done_before I s j t < iterations (job_at I j)) /\
    (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat ->
       sum (num_jobs I) (fun j => held (a j) h r) <= cap I h r).
  Definition continued (s : schedule) (t j : nat) : allocation :=
    if iterations (job_at I j) <=? done_before I s j (S t) then Idle else s j t.

  Definition near_best (k : nat) (rn rd : Z) (s : schedule) : Prop := forall t a,
    (t < num_rounds I)%nat -> candidate s t a ->
    rd * round_score k s t a <= rn * round_score k s t (fun j => s j t).
  Definition continues (k : nat) (s : schedule) : Prop := forall t, (S t < num_rounds I)%nat ->
    round_score k s (S t) (continued s t) <= round_score k s (S t) (fun j => s j (S t)).
  Definition best_rounds (k : nat) (s : schedule) : Prop := forall t a,
    (t < num_rounds I)%nat -> candidate s t a ->
    round_score k s t a <= round_score k s t (fun j => s j t).

  Definition reaches (k w : nat) (o : schedule) : Prop := forall j f, (j < num_jobs I)%nat ->
    completion I o j = Some f -> exists t i q : nat,
      (i < w)%nat /\ (t + i <= f)%nat /\ (release (job_at I j) <= t)%nat /\
      (q <= k)%nat /\ (t + q <= S f)%nat /\
      0 < progress_of j (o j (t + i)%nat) /\
      iterations (job_at I j) <= Z.of_nat q * progress_of j (o j (t + i)%nat).

  Definition steady (k : nat) (o : schedule) : Prop := forall j f t, (j < num_jobs I)%nat ->
    completion I o j = Some f -> (t <= f)%nat -> 0 < progress_of j (o j t) ->
    (forall u, (u < t)%nat -> progress_of j (o j u) = 0) ->
    exists q : nat, (q <= k)%nat /\ (t + q <= S f)%nat /\
      iterations (job_at I j) <= Z.of_nat q * progress_of j (o j t).

  Definition needs (j p : nat) : Prop := forall a, allocation_ok I (job_at I j) a ->
    0 < progress_of j a ->
    (Z.of_nat p - 1) * progress_of j a < iterations (job_at I j) <= Z.of_nat p * progress_of j a.

  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.
  Notation progress_of_nonneg := (progress_of_nonneg I inst).
  Notation iterations_pos := (iterations_pos I inst).
  Notation utility_nonneg := (utility_nonneg I utilities).
  Notation utility_later := (utility_later I utilities).
  Notation done_increases := (done_increases I inst).
  Notation done_nonneg := (done_nonneg I inst).
  Notation done_step := (done_step I).
  Notation completion_spec := (completion_spec I).
  Notation completed_by := (completed_by I inst).
  Notation completion_in := (completion_in I inst).
  Notation value_nonneg := (value_nonneg I utilities).

  Lemma score_nonneg k s t j a : (1 <= k)%nat -> (j < n)%nat -> 0 <= score k s t j a.
  Proof.
    intros Hk Hj. unfold score. destruct (_ && _ && _ && _); [|lia].
    repeat apply Z.mul_nonneg_nonneg; [apply utility_nonneg; auto|apply Z.pow_nonneg; lia|apply Z.pow_nonneg; lia].
  Qed.
  Lemma score_idle k s t j : score k s t j Idle = 0.
  Proof. reflexivity. Qed.
  Lemma round_score_nonneg k s t a : (1 <= k)%nat -> 0 <= round_score k s t a.
  Proof. intros Hk. apply sum_nonneg. intros j Hj. apply score_nonneg; auto. Qed.

  (* what s completes in round t *)
  Definition completed_value (s : schedule) (t j : nat) : Z :=
    if (done_before I s j t <? iterations (job_at I j)) && (iterations (job_at I j) <=? done_before I s j (S t))
    then utility_at j t else 0.

  Lemma completed_total s j : (j < n)%nat -> sum T (fun t => completed_value s t j) <= job_value I s j.
  Proof.
    intros Hj. unfold job_value. destruct (completion I s j) as [f|] eqn:E.
    - rewrite (sum_ext _ _ (fun t => if (f =? t)%nat then completed_value s t j else 0)).
      + rewrite sum_pick. destruct (completion_spec _ _ _ E) as (A & _). fold T in A. apply Nat.ltb_lt in A. rewrite A.
        assert (U := utility_nonneg j f Hj). unfold completed_value. fold (utility_at j f).
        destruct (_ && _); lia.
      + intros t Ht. destruct (Nat.eqb_spec f t) as [|N]; auto. unfold completed_value.
        destruct (Z.ltb_spec (done_before I s j t) (iterations (job_at I j))) as [A|]; auto.
        destruct (Z.leb_spec (iterations (job_at I j)) (done_before I s j (S t))) as [B|]; auto.
        assert (C := completion_in s j t Hj Ht A B). congruence.
    - rewrite sum_zero; [lia|]. intros t Ht. unfold completed_value.
      destruct (Z.ltb_spec (done_before I s j t) (iterations (job_at I j))) as [A|]; auto.
      destruct (Z.leb_spec (iterations (job_at I j)) (done_before I s j (S t))) as [B|]; auto.
      assert (C := completion_in s j t Hj Ht A B). congruence.
  Qed.

  Section Moved.
    Variables s o : schedule.
    Hypothesis feas_o : feasible I o.

    (* what o runs in round t + i, of the jobs that s could run in round t *)
    Definition moved (t i j : nat) : allocation :=
      if (release (job_at I j) <=? t)%nat && (done_before I s j t <? iterations (job_at I j))
      then o j (t + i)%nat else Idle.

    Lemma moved_candidate t i : (t + i < T)%nat -> candidate s t (moved t i).
    Proof.
      intros Ht. split; [|split].
      - intros j Hj. unfold moved. destruct (_ && _); [|exact Logic.I]. apply (feasible_allocation _ _ feas_o); auto.
      - intros j Hj. unfold moved. destruct (_ && _) eqn:B; [|congruence]. intros _.
        rewrite andb_true_iff, Nat.leb_le, Z.ltb_lt in B. exact B.
      - intros h r Hh Hr. eapply Z.le_trans; [|apply (feasible_capacity _ _ feas_o (t + i)%nat h r Ht Hh Hr)].
        apply sum_le. intros j Hj. unfold moved. destruct (_ && _); [lia|]. cbn [held].
        assert (Ha := feasible_allocation _ _ feas_o j (t + i)%nat Hj Ht).
        destruct (o j (t + i)%nat) as [|g|g]; cbn; [lia| |]; apply Ha; auto.
    Qed.
  End Moved.

  Lemma continued_candidate s t : feasible I s -> (S t < T)%nat -> candidate s (S t) (continued s t).
  Proof.
    intros F Ht. split; [|split].
    - intros j Hj. unfold continued. destruct (_ <=? _); [exact Logic.I|]. apply (feasible_allocation _ _ F); auto. fold T. lia.
    - intros j Hj. unfold continued. destruct (Z.leb_spec (iterations (job_at I j)) (done_before I s j (S t))) as [|D];
        [congruence|]. intros H. assert (R := feasible_release _ _ F j t Hj ltac:(fold T; lia) H). split; [lia|auto].
    - intros h r Hh Hr. eapply Z.le_trans; [|apply (feasible_capacity _ _ F t h r ltac:(fold T; lia) Hh Hr)].
      apply sum_le. intros j Hj. unfold continued. destruct (_ <=? _); [|lia]. cbn [held].
      assert (Ha := feasible_allocation _ _ F j t Hj ltac:(fold T; lia)).
      destruct (s j t) as [|g|g]; cbn; [lia| |]; apply Ha; auto.
  Qed.
  Lemma best_near k s : best_rounds k s -> near_best k 1 1 s.
  Proof. intros H t a Ht Ha. assert (G := H t a Ht Ha). lia. Qed.
  Lemma best_continues k s : feasible I s -> best_rounds k s -> continues k s.
  Proof. intros F H t Ht. apply H; auto. apply continued_candidate; auto. Qed.

  (* the first and the fastest round of a job that o completes *)
  Lemma first_progress (o : schedule) j f : 0 < progress_of j (o j f) -> (j < n)%nat ->
    exists t, (t <= f)%nat /\ 0 < progress_of j (o j t) /\ forall u, (u < t)%nat -> progress_of j (o j u) = 0.
  Proof.
    intros H Hj. induction f as [f IH] using (well_founded_induction lt_wf).
    assert (D : (exists u, (u < f)%nat /\ 0 < progress_of j (o j u)) \/
                forall u, (u < f)%nat -> progress_of j (o j u) = 0).
    { clear - Hj inst. induction f as [|f [(u & A & B)|IH]]; [right; lia|left; exists u; split; auto; lia|].
      assert (P := progress_of_nonneg j (o j f) Hj). destruct (Z_lt_le_dec 0 (progress_of j (o j f))).
      - left. exists f. auto.
      - right. intros u Hu. destruct (Nat.eq_dec u f) as [->|]; [lia|apply IH; lia]. }
    destruct D as [(u & A & B)|D]; [|exists f; auto].
    destruct (IH u A B) as (t & Ht & Hp & Hm). exists t. split; [lia|auto].
  Qed.
  Lemma fastest_progress (o : schedule) j f : exists u, (u <= f)%nat /\
    forall v, (v <= f)%nat -> progress_of j (o j v) <= progress_of j (o j u).
  Proof.
    induction f as [|f (u & A & B)].
    - exists 0%nat. split; auto. intros v Hv. replace v with 0%nat by lia. lia.
    - destruct (Z_le_gt_dec (progress_of j (o j (S f))) (progress_of j (o j u))) as [L|L].
      + exists u. split; [lia|]. intros v Hv. destruct (Nat.eq_dec v (S f)) as [->|]; [lia|apply B; lia].
      + exists (S f). split; auto. intros v Hv. destruct (Nat.eq_dec v (S f)) as [->|]; [lia|].
        specialize (B v ltac:(lia)). lia.
  Qed.
  Lemma completion_progress o j f : (j < n)%nat -> completion I o j = Some f -> 0 < progress_of j (o j f).
  Proof.
    intros Hj E. destruct (completion_spec _ _ _ E) as (_ & B & C). rewrite done_step in B.
    assert (P := iterations_pos j Hj). destruct f as [|f]; [cbn in B; lia|]. specialize (C f ltac:(lia)). lia.
  Qed.
  (* from its first progress in t0 on, m more rounds do at most m times p *)
  Lemma done_at_most (o : schedule) j t0 p m : (forall u, (u < t0)%nat -> progress_of j (o j u) = 0) ->
    (forall v, (v < t0 + m)%nat -> progress_of j (o j v) <= p) ->
    done_before I o j (t0 + m) <= Z.of_nat m * p.
  Proof.
    intros H0 Hp. induction m as [|m IH].
    - rewrite Nat.add_0_r. unfold done_before. rewrite sum_zero; [lia|auto].
    - replace (t0 + S m)%nat with (S (t0 + m)) by lia. rewrite done_step.
      specialize (IH ltac:(intros; apply Hp; lia)). specialize (Hp (t0 + m)%nat ltac:(lia)). lia.
  Qed.

  Lemma progress_busy (o : schedule) j t : 0 < progress_of j (o j t) -> o j t <> Idle.
  Proof. intros H E. rewrite E in H. cbn in H. lia. Qed.

  Lemma steady_reaches k o : feasible I o -> steady k o -> reaches k 1 o.
  Proof.
    intros F St j f Hj E. assert (P := completion_progress o j f Hj E).
    destruct (completion_spec _ _ _ E) as (A & _).
    destruct (first_progress o j f P Hj) as (t & Ht & Hp & Hm).
    destruct (St j f t Hj E Ht Hp Hm) as (q & Q1 & Q2 & Q3).
    assert (R := feasible_release _ _ F j t Hj ltac:(fold T; lia) (progress_busy o j t Hp)).
    exists t, 0%nat, q. rewrite Nat.add_0_r. repeat split; auto.
  Qed.

  (* a job that takes p rounds wherever it runs ends p rounds after its first progress, or later *)
  Lemma needs_end o j f t p : feasible I o -> (j < n)%nat -> completion I o j = Some f -> (t <= f)%nat ->
    0 < progress_of j (o j t) -> (forall u, (u < t)%nat -> progress_of j (o j u) = 0) -> needs j p ->
    (t + p <= S f)%nat.
  Proof.
    intros F Hj E Ht Hp Hm Np. destruct (completion_spec _ _ _ E) as (A & B & _). fold (Q j) in B.
    assert (ok : forall u, (u <= f)%nat -> allocation_ok I (job_at I j) (o j u))
      by (intros u Hu; apply (feasible_allocation _ _ F); auto; fold T; lia).
    destruct (le_lt_dec (t + p) (S f)) as [|L]; [auto|exfalso].
    assert (X : forall m, (t + m <= S f)%nat -> (Z.of_nat p - 1) * done_before I o j (t + m) <= Z.of_nat m * (Q j - 1)).
    { induction m as [|m IH]; intros Hm'.
      - rewrite Nat.add_0_r. unfold done_before. rewrite sum_zero; [lia|auto].
      - replace (t + S m)%nat with (S (t + m)) by lia. rewrite done_step.
        specialize (IH ltac:(lia)).
        assert (G := progress_of_nonneg j (o j (t + m)%nat) Hj).
        assert (Y : (Z.of_nat p - 1) * progress_of j (o j (t + m)%nat) <= Q j - 1).
        { destruct (Z_lt_le_dec 0 (progress_of j (o j (t + m)%nat))) as [G'|G'].
          - assert (W := Np _ (ok (t + m)%nat ltac:(lia)) G'). fold (Q j) in W. lia.
          - replace (progress_of j (o j (t + m)%nat)) with 0 by lia. assert (H : 0 < Q j) by exact (iterations_pos j Hj). lia. }
        lia. }
    specialize (X (S f - t)%nat ltac:(lia)). replace (t + (S f - t))%nat with (S f) in X by lia.
    assert (H : 0 < Q j) by exact (iterations_pos j Hj).
    destruct (Nat.eq_dec p 0) as [->|Hp0].
    { assert (W := Np _ (ok t Ht) Hp). fold (Q j) in W. lia. }
    assert (Hp1 : (p <> 1)%nat) by lia.
    assert (Z.of_nat (S f - t) * (Q j - 1) <= (Z.of_nat p - 1) * (Q j - 1)) by (apply Z.mul_le_mono_nonneg_r; lia).
    assert (done_before I o j (S f) <= Q j - 1) by (apply Z.mul_le_mono_pos_l with (Z.of_nat p - 1); lia). lia.
  Qed.

  Lemma needs_steady k o : feasible I o ->
    (forall j, (j < n)%nat -> exists p, (p <= k)%nat /\ needs j p) -> steady k o.
  Proof.
    intros F N j f t Hj E Ht Hp Hm. destruct (N j Hj) as (p & Hk & Np). destruct (completion_spec _ _ _ E) as (A & _).
    exists p. split; [auto|]. split; [eapply needs_end; eauto|]. apply Np; auto.
    apply (feasible_allocation _ _ F); auto. fold T. lia.
  Qed.

  Lemma level_reaches k o j f : feasible I o -> (j < n)%nat -> completion I o j = Some f ->
    (forall a, allocation_ok I (job_at I j) a -> 0 < progress_of j a ->
       Q j <= Z.of_nat (S f - release (job_at I j)) * progress_of j a -> Q j <= Z.of_nat k * progress_of j a) ->
    exists t i q : nat, (i < k)%nat /\ (t + i <= f)%nat /\ (release (job_at I j) <= t)%nat /\
      (q <= k)%nat /\ (t + q <= S f)%nat /\ 0 < progress_of j (o j (t + i)%nat) /\
      Q j <= Z.of_nat q * progress_of j (o j (t + i)%nat).
  Proof.
    intros F Hj E N. assert (P := completion_progress o j f Hj E).
    destruct (completion_spec _ _ _ E) as (A & B & _). fold (Q j) in B.
    destruct (first_progress o j f P Hj) as (t0 & Ht & Hp & Hm).
    destruct (fastest_progress o j f) as (u & Hu & Hv). set (p := progress_of j (o j u)) in *.
    assert (Hpp : 0 < p) by (specialize (Hv t0 Ht); lia).
    assert (Hu0 : (t0 <= u)%nat).
    { destruct (le_lt_dec t0 u); auto. specialize (Hm u ltac:(auto)). fold p in Hm. lia. }
    assert (HQ : 0 < Q j) by exact (iterations_pos j Hj).
    assert (R := feasible_release _ _ F j t0 Hj ltac:(fold T; lia) (progress_busy o j t0 Hp)).
    assert (M : Q j <= Z.of_nat (S f - t0) * p).
    { eapply Z.le_trans; [exact B|]. replace (S f) with (t0 + (S f - t0))%nat at 1 by lia.
      apply done_at_most; auto. intros v Hv'. apply Hv. lia. }
    assert (HN : Q j <= Z.of_nat k * p).
    { apply N; [|exact Hpp|].
      - apply (feasible_allocation _ _ F); auto. fold T. lia.
      - eapply Z.le_trans; [exact M|]. fold p. apply Z.mul_le_mono_nonneg_r; lia. }
    set (q := Z.to_nat ((Q j + p - 1) / p)).
    assert (Hqz : 1 <= (Q j + p - 1) / p) by (apply Z.div_le_lower_bound; lia).
    assert (Hqq : Z.of_nat q = (Q j + p - 1) / p) by (unfold q; lia).
    assert (Hq1 : Q j <= Z.of_nat q * p).
    { rewrite Hqq. assert (D := Z.div_mod (Q j + p - 1) p ltac:(lia)).
      assert (D' := Z.mod_pos_bound (Q j + p - 1) p Hpp). lia. }
    assert (Hq2 : forall c, Q j <= Z.of_nat c * p -> (q <= c)%nat).
    { intros c Hc. assert ((Q j + p - 1) / p < Z.of_nat c + 1) by (apply Z.div_lt_upper_bound; lia). lia. }
    assert (q <= k)%nat by auto. assert (q <= S f - t0)%nat by auto.
    set (t := Nat.min u (S f - q)).
    exists t, (u - t)%nat, q. unfold t in *. replace (Nat.min u (S f - q) + (u - Nat.min u (S f - q)))%nat with u by lia.
    fold p. repeat split; auto; lia.
  Qed.

  Lemma levels_reach k o : feasible I o ->
    (forall j a, (j < n)%nat -> allocation_ok I (job_at I j) a -> 0 < progress_of j a ->
       Q j <= Z.of_nat k * progress_of j a) -> reaches k k o.
  Proof. intros F N j f Hj E. apply (level_reaches k o j f F Hj E (fun a A P _ => N j a Hj A P)). Qed.

  (* the theorems *)
End Replanning.
