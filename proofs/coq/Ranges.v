(** * What an irredundant plan of a job can be worth and hold: the ranges U and L of price tables.

    [late_value]           a plan that holds something in round t is worth at most the utility of
                         completing in t
    [early_value]          a plan that makes at most M in a round is worth at most the utility of k + 1
                         rounds, if k M is not enough
    [few_rounds]           a plan whose rounds with progress make at least g holds something in at most
                         ceil (Q / g) rounds: all of them but one are not enough *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerJob CheckerLean CheckerSchedule Completion Irredundant.
Import ListNotations.
Open Scope Z_scope.

Section Ranges.
  Variables (I : instance) (j : nat) (a : nat -> allocation).
  Hypothesis inst : instance_ok I = true.
  Hypothesis in_range : (j < num_jobs I)%nat.
  Hypothesis utilities : utilities_fall I = true.
  Hypothesis irr : irredundant I j a.
  Hypothesis released : forall t, (t < num_rounds I)%nat -> a t <> Idle -> (release (job_at I j) <= t)%nat.
  Let J := job_at I j.
  Let T := num_rounds I.
  Let made t := progress I J (a t).

  Lemma made_nonneg t : 0 <= made t.
  Proof. apply progress_nonneg; auto. Qed.
  Lemma need_positive : 0 < iterations J.
  Proof.
    assert (K := J_ok I j inst in_range). unfold job_ok in K. rewrite !andb_true_iff in K.
    destruct K as [[[_ K] _] _]. apply Z.ltb_lt, K.
  Qed.
  Lemma falls : falling (utility J) = true.
  Proof. unfold utilities_fall in utilities. rewrite forallb_forall in utilities. apply utilities, nth_In, in_range. Qed.

  Lemma enough_by f : completion I (fun _ => a) j = Some f -> (f < T)%nat /\ iterations J <= sum (S f) made.
  Proof.
    intros E. unfold completion in E. apply find_some in E. destruct E as [F D].
    apply in_seq in F. apply Z.leb_le in D. split; [unfold T; lia|exact D].
  Qed.
  Lemma sum_more f m n : (forall t, 0 <= f t) -> (m <= n)%nat -> sum m f <= sum n f.
  Proof. intros P H. induction H as [|n H IH]; [lia|]. simpl. specialize (P n). lia. Qed.

  Theorem late_value t : (t < T)%nat -> a t <> Idle -> own_value I j a <= nth (t - release J) (utility J) 0.
  Proof.
    intros Ht Hb. unfold own_value, job_value. fold J.
    destruct (completion I (fun _ => a) j) as [f|] eqn:E; [|apply falling_nonneg, falls].
    destruct (enough_by f E) as [F D]. apply falling_nth; [apply falls|].
    destruct (le_lt_dec t f) as [|L]; [lia|exfalso].
    assert (K := proj2 irr t Ht Hb). unfold whole_progress, progress_of in K. fold J T in K.
    fold (made t) in K. change (fun t => progress I J (a t)) with made in K.
    assert (S1 := sum_more made (S f) t made_nonneg L). assert (S2 := sum_more made (S t) T made_nonneg Ht).
    simpl in S2. lia.
  Qed.

  Lemma made_idle t : (t < T)%nat -> (t < release J)%nat -> made t = 0.
  Proof.
    intros Ht Hr. unfold made. destruct (a t) as [|g|g] eqn:E; [reflexivity| |];
      (assert (K := released t Ht ltac:(rewrite E; discriminate)); fold J in K; lia).
  Qed.
  Lemma made_from m M : (m <= T)%nat -> 0 <= M -> (forall t, (t < T)%nat -> made t <= M) ->
    sum m made <= Z.of_nat (m - release J) * M.
  Proof.
    intros Hm HM B. induction m as [|m IH]; [simpl; lia|]. cbn [sum]. specialize (IH ltac:(lia)).
    destruct (le_lt_dec (release J) m) as [L|L].
    - replace (S m - release J)%nat with (S (m - release J)) by lia.
      specialize (B m ltac:(lia)). nia.
    - rewrite (made_idle m) by lia. replace (S m - release J)%nat with O by lia.
      replace (m - release J)%nat with O in IH by lia. lia.
  Qed.
  Lemma early_completion k M f : (forall t, (t < T)%nat -> made t <= M) -> Z.of_nat k * M < iterations J ->
    completion I (fun _ => a) j = Some f -> (k <= f - release J)%nat.
  Proof.
    intros B N E. destruct (enough_by f E) as [F D].
    assert (HM : 0 <= M) by (assert (P := made_nonneg f); specialize (B f F); lia).
    assert (K := made_from (S f) M ltac:(lia) HM B). assert (P := need_positive).
    destruct (le_lt_dec k (f - release J)) as [|L]; [assumption|exfalso].
    assert (Q : Z.of_nat (S f - release J) * M <= Z.of_nat k * M) by (apply Z.mul_le_mono_nonneg_r; lia).
    lia.
  Qed.
  Theorem early_value k M : (forall t, (t < T)%nat -> made t <= M) -> Z.of_nat k * M < iterations J ->
    own_value I j a <= nth k (utility J) 0.
  Proof.
    intros B N. unfold own_value, job_value. fold J.
    destruct (completion I (fun _ => a) j) as [f|] eqn:E; [|apply falling_nonneg, falls].
    apply falling_nth; [apply falls|]. apply (early_completion k M f); auto.
  Qed.

  Lemma works t : (t < T)%nat -> a t <> Idle -> 0 < made t.
  Proof.
    intros Ht Hb. assert (K := proj2 irr t Ht Hb). assert (E := proj1 irr).
    unfold progress_of in K. fold J in K, E. fold (made t) in K. lia.
  Qed.
  Theorem few_rounds g : 0 <= g -> (forall t, (t < T)%nat -> 0 < made t -> g <= made t) ->
    (held_rounds I a - 1) * g < iterations J.
  Proof.
    intros G B. assert (P := need_positive). set (idle x := if idleb x then 0 else 1).
    destruct (Z_le_gt_dec (held_rounds I a) 0) as [Z0|Z0].
    { assert (0 <= held_rounds I a) by (apply sum_nonneg; intros t _; apply (idle_count I)). nia. }
    assert (exists t, (t < T)%nat /\ 0 < idle (a t)) as (t & Ht & Hb).
    { apply (sum_positive T (fun t => idle (a t))). unfold held_rounds in Z0. fold T in Z0.
      change (sum T (fun t => idle (a t)) > 0) in Z0. lia. }
    assert (W : a t <> Idle) by (intros E; unfold idle in Hb; rewrite E in Hb; simpl in Hb; lia).
    assert (K := proj2 irr t Ht W). unfold whole_progress in K. fold T J in K.
    assert (D1 := drop_sum I (progress_of I j) t a eq_refl Ht).
    assert (D2 := drop_sum I idle t a eq_refl Ht). fold T in D1, D2.
    assert (O : idle (a t) = 1) by (unfold idle; destruct (a t); [congruence|reflexivity|reflexivity]).
    assert (X : sum T (fun u => g * idle (drop t a u)) <= sum T (fun u => progress_of I j (drop t a u))).
    { apply sum_le. intros u Hu. unfold drop. destruct (t =? u)%nat; [cbn; lia|].
      unfold progress_of. fold J. fold (made u). assert (N := made_nonneg u). unfold idle.
      destruct (idleb (a u)) eqn:E; [lia|].
      assert (V := works u Hu ltac:(intros V; rewrite V in E; discriminate)). specialize (B u Hu V). lia. }
    rewrite sum_scale in X. unfold held_rounds. fold T. change (fun t => if idleb (a t) then 0 else 1) with (fun t => idle (a t)).
    nia.
  Qed.
End Ranges.
