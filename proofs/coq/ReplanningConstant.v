(** * R2 in the reals: the constant 1 + k (k/(k-1))^(k-1) is at most 1 + e k.

    [power_at_most_e]     k^k <= e k (k-1)^(k-1)
    [replanning_e]        jobs of at most k rounds, best rounds: OPT <= (1 + e k) P
    [replanning_levels_e] several progress levels per job, every schedule: OPT <= (1 + e k^2) P *)
From Coq Require Import Reals Lra Lia ZArith.
From HadarTheory Require Import Powers SchedModel Completion Replanning ReplanningFixed.
Open Scope R_scope.

Lemma power_at_most_e k : (1 <= k)%nat ->
  INR k ^ k <= exp 1 * INR k * (INR k - 1) ^ (k - 1).
Proof.
  intros Hk. destruct k as [|m]; [lia|]. replace (S m - 1)%nat with m by lia.
  rewrite S_INR. replace (INR m + 1 - 1) with (INR m) by ring.
  replace ((INR m + 1) ^ S m) with ((INR m + 1) * (INR m + 1) ^ m) by reflexivity.
  assert (H0 := pos_INR m).
  rewrite (Rmult_comm (exp 1)), Rmult_assoc. apply Rmult_le_compat_l; [lra|].
  destruct m as [|i]; [simpl; assert (E := exp_ineq1_le 1); lra|]. set (m := S i) in *.
  assert (Hm : 0 < INR m) by (apply lt_0_INR; unfold m; lia).
  assert (B : (1 + / INR m) ^ m <= exp 1).
  { replace (exp 1) with (exp (/ INR m) ^ m).
    - apply pow_incr. split; [assert (0 < / INR m) by (apply Rinv_0_lt_compat; auto); lra|apply exp_ineq1_le].
    - rewrite exp_INR. f_equal. field. lra. }
  replace ((INR m + 1) ^ m) with ((1 + / INR m) ^ m * INR m ^ m).
  - apply Rmult_le_compat_r; [apply pow_le; lra|exact B].
  - rewrite <- Rpow_mult_distr. f_equal. field. lra.
Qed.

Lemma real_constant (k : nat) (w opt p : Z) : (1 <= k)%nat -> (0 <= w)%Z -> (0 <= p)%Z ->
  ((Z.of_nat k - 1) ^ Z.of_nat (k - 1) * opt <=
     ((Z.of_nat k - 1) ^ Z.of_nat (k - 1) + w * Z.of_nat k ^ Z.of_nat k) * p)%Z ->
  IZR opt <= (1 + IZR w * (exp 1 * INR k)) * IZR p.
Proof.
  intros Hk Hw Hp H. apply IZR_le in H. rewrite !mult_IZR, plus_IZR, mult_IZR in H.
  rewrite <- !pow_IZR, minus_IZR, <- INR_IZR_INZ in H.
  assert (E := power_at_most_e k Hk).
  assert (Hk1 : 1 <= INR k) by (change 1 with (INR 1); apply le_INR; auto).
  assert (P : 0 < (INR k - 1) ^ (k - 1)).
  { destruct (Nat.eq_dec k 1) as [->|]; [simpl; lra|]. apply pow_lt.
    assert (2 <= INR k); [|lra]. change 2 with (INR 2). apply le_INR. lia. }
  set (low := (INR k - 1) ^ (k - 1)) in *. set (top := INR k ^ k) in *.
  apply IZR_le in Hp. apply IZR_le in Hw.
  apply Rmult_le_reg_l with low; auto. eapply Rle_trans; [exact H|].
  replace (low * ((1 + IZR w * (exp 1 * INR k)) * IZR p)) with ((low + IZR w * (exp 1 * INR k * low)) * IZR p) by ring.
  apply Rmult_le_compat_r; [lra|]. apply Rplus_le_compat_l. apply Rmult_le_compat_l; lra.
Qed.

Section Real.
  Variable I : instance.
  Variable k : nat.
  Variables s o : schedule.
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.
  Hypothesis k_pos : (1 <= k)%nat.
  Hypothesis feas : feasible I s.
  Hypothesis feas_o : feasible I o.
  Hypothesis best : best_rounds I k s.

  Theorem replanning_e : (forall j, (j < num_jobs I)%nat -> exists p, (p <= k)%nat /\ needs I j p) ->
    IZR (value I o) <= (1 + exp 1 * INR k) * IZR (value I s).
  Proof.
    intros N. rewrite <- (Rmult_1_l (exp 1 * INR k)). apply (real_constant k 1); [auto|lia|apply value_nonneg; auto|].
    rewrite Z.mul_1_l. apply replanning_rounds; auto.
  Qed.
  Theorem replanning_levels_e : (forall j a, (j < num_jobs I)%nat -> allocation_ok I (job_at I j) a ->
       (0 < progress_of I j a)%Z -> (iterations (job_at I j) <= Z.of_nat k * progress_of I j a)%Z) ->
    IZR (value I o) <= (1 + exp 1 * INR k ^ 2) * IZR (value I s).
  Proof.
    intros N. replace (exp 1 * INR k ^ 2) with (IZR (Z.of_nat k) * (exp 1 * INR k)) by (rewrite <- INR_IZR_INZ; ring).
    apply (real_constant k (Z.of_nat k)); [auto|lia|apply value_nonneg; auto|]. apply replanning_levels; auto.
  Qed.
End Real.
