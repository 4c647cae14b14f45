(** * R1, R2 Re-planning every round: a constant ratio where jobs take few rounds.

    The setting and the definitions are those of Replanning.v; the scheduler discounts with the same k in all
    rounds, so this is what ReplanningLearnt.v says of k_t = k.

    [replanning]          near_best, continues, reaches: (OPT - P) (k-1)^(k-1) <= (rn/rd) w k^k P
    [replanning_steady]   R2 against steady schedules, several progress levels per job
    [replanning_rounds]   R2: if each job takes a fixed number of rounds, at most k:
                          (k-1)^(k-1) OPT <= ((k-1)^(k-1) + k^k) P
    [replanning_approximate]  the same within rn/rd
    [replanning_levels]   several levels, every schedule: k times more on the right
    [replanning_one_round]  R1: if every allocation that makes progress completes its job, OPT <= 2 P
    [replanning_one_round_steady]  without that hypothesis against schedules whose jobs take one round *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerJob Completion Replanning ReplanningLearnt.
Import ListNotations.
Open Scope Z_scope.

(* k^(k-1) times (1 - 1/k)^(q-1) *)
Definition fixed_weight (k t q : nat) : Z := (Z.of_nat k - 1) ^ Z.of_nat (q - 1) * Z.of_nat k ^ Z.of_nat (k - q).
Lemma fixed_grows k : (1 <= k)%nat -> grows (fun _ => k) k.
Proof. intros H t. lia. Qed.
Lemma fixed_scaled k : (1 <= k)%nat -> scaled (fun _ => k) (top k) (fixed_weight k).
Proof.
  intros H. split; [apply top_pos, H|]. intros t q Hq. unfold fixed_weight, top.
  replace (Z.of_nat (k - 1)) with (Z.of_nat (k - q) + Z.of_nat (q - 1)) by lia. rewrite Z.pow_add_r by lia. ring.
Qed.

Section Fixed.
  Variable I : instance.
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.
  Let Q j := iterations (job_at I j).
  Notation progress_of := (progress_of I).

  Lemma score_fixed k s t a : round_score I k s t a = round_score_learnt I (fun _ => k) (fixed_weight k) s t a.
  Proof.
    apply sum_ext. intros j _. unfold score, score_learnt, fixed_weight. cbv zeta.
    destruct (_ && _); [ring|reflexivity].
  Qed.

  Section Run.
    Variable k : nat.
    Variables s o : schedule.
    Hypothesis k_pos : (1 <= k)%nat.
    Hypothesis feas : feasible I s.
    Hypothesis feas_o : feasible I o.
    Let K := Z.of_nat k.
    Let low := (K - 1) ^ Z.of_nat (k - 1).

    Theorem replanning rn rd w : continues I k s -> 0 <= rn -> 0 < rd -> near_best I k rn rd s -> reaches I k w o ->
      rd * (low * value I o) <= (rd * low + rn * Z.of_nat w * K ^ K) * value I s.
    Proof.
      intros C H0 H1 B R. unfold K at 1 2. rewrite <- top_times by exact k_pos.
      assert (C' : continues_learnt I (fun _ => k) (fixed_weight k) s)
        by (intros t Ht; rewrite <- !score_fixed; apply C, Ht).
      assert (B' : near_best_learnt I (fun _ => k) (fixed_weight k) rn rd s)
        by (intros t a Ht Ha; rewrite <- !score_fixed; apply B; auto).
      apply (learnt_bound I (fun _ => k) (fixed_weight k) k (top k) s inst utilities k_pos (fixed_grows k k_pos)
        (fixed_scaled k k_pos) feas C' rn rd H0 H1 B' o feas_o w).
      intros j f Hj E _. exact (R j f Hj E).
    Qed.

    Theorem replanning_steady : best_rounds I k s -> steady I k o ->
      low * value I o <= (low + K ^ K) * value I s.
    Proof.
      intros B St.
      assert (R := replanning 1 1 1%nat (best_continues I k s feas B) ltac:(lia) ltac:(lia) (best_near I k s B)
        (steady_reaches I inst k o feas_o St)).
      fold K low in R. lia.
    Qed.

    Theorem replanning_rounds : best_rounds I k s ->
      (forall j, (j < num_jobs I)%nat -> exists p, (p <= k)%nat /\ needs I j p) ->
      low * value I o <= (low + K ^ K) * value I s.
    Proof. intros B N. apply replanning_steady; auto. apply needs_steady; auto. Qed.

    Theorem replanning_approximate rn rd : 0 <= rn -> 0 < rd -> near_best I k rn rd s -> continues I k s ->
      (forall j, (j < num_jobs I)%nat -> exists p, (p <= k)%nat /\ needs I j p) ->
      rd * (low * value I o) <= (rd * low + rn * K ^ K) * value I s.
    Proof.
      intros H0 H1 B C N.
      assert (R := replanning rn rd 1%nat C H0 H1 B (steady_reaches I inst k o feas_o (needs_steady I inst k o feas_o N))).
      fold K low in R. lia.
    Qed.

    Theorem replanning_levels : best_rounds I k s ->
      (forall j a, (j < num_jobs I)%nat -> allocation_ok I (job_at I j) a -> 0 < progress_of j a ->
         iterations (job_at I j) <= K * progress_of j a) ->
      low * value I o <= (low + K * K ^ K) * value I s.
    Proof.
      intros B N.
      assert (R := replanning 1 1 k (best_continues I k s feas B) ltac:(lia) ltac:(lia) (best_near I k s B)
        (levels_reach I inst k o feas_o N)).
      fold K low in R. lia.
    Qed.
  End Run.

  Corollary replanning_one_round s o : feasible I s -> feasible I o -> best_rounds I 1 s ->
    (forall j a, (j < num_jobs I)%nat -> allocation_ok I (job_at I j) a -> 0 < progress_of j a ->
       iterations (job_at I j) <= progress_of j a) ->
    value I o <= 2 * value I s.
  Proof.
    intros F Fo B N. assert (R := replanning_rounds 1 s o ltac:(lia) F Fo B).
    cbn [Z.of_nat Nat.sub] in R. change ((Z.of_nat 1 - 1) ^ 0) with 1 in R. change (Z.of_nat 1 ^ Z.of_nat 1) with 1 in R.
    assert (H : 1 * value I o <= (1 + 1) * value I s); [|lia]. apply R. intros j Hj. exists 1%nat. split; [auto|].
    intros a Ha Hp. assert (X := N j a Hj Ha Hp). assert (Y : 0 < Q j) by exact (iterations_pos I inst j Hj). unfold Q in Y. lia.
  Qed.

  Corollary replanning_one_round_steady s o : feasible I s -> feasible I o -> best_rounds I 1 s -> steady I 1 o ->
    value I o <= 2 * value I s.
  Proof.
    intros F Fo B St. assert (R := replanning_steady 1 s o ltac:(lia) F Fo B St).
    cbn [Z.of_nat Nat.sub] in R. change ((Z.of_nat 1 - 1) ^ 0) with 1 in R. change (Z.of_nat 1 ^ Z.of_nat 1) with 1 in R. lia.
  Qed.
End Fixed.
