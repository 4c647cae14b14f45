(** * R2k Re-planning without knowing k.

    In the setting of Replanning.v, but the scheduler discounts in round t with its own k_t = kt t.

    [grows kt k]          1 <= kt t <= kt (S t) and kt t <= k, for every round t
    [scaled kt E w]       w t q is E times (1 - 1/kt t)^(q-1), an integer, for 1 <= q <= kt t; E > 0.  Such E and w
                          exist for every kt that grows to k ([scale_exists]): E is the scale that makes all
                          scores integers
    [score_learnt kt w I s t j a]  with q = rounds_left: U_j (t + q - release) w t q; 0 if a makes no progress,
                          q > kt t or the job would end after the last round
    [near_best_learnt], [continues_learnt]  as near_best and continues in Replanning.v, with this score
    [known I kt j p]      p <= kt t in every round t from the release of job j on
    [in_time I j a d]     job j would be done in d rounds with allocation a, by the last round, and worth something

    [replanning_learnt]   each job that is worth something takes a fixed number p of rounds, known: with k the
                          bound of all k_t, rd (k-1)^(k-1) OPT <= (rd (k-1)^(k-1) + rn k^k) P within rn/rd of the
                          best rounds
    [replanning_learnt_levels]  each allocation with which job j would be done in time would do it in p rounds,
                          known: k times more on the right *)
From Coq Require Import ZArith List Lia Bool Arith Factorial.
From HadarTheory Require Import SchedModel CheckerFill CheckerJob CheckerTree Completion Replanning.
Import ListNotations.
Open Scope Z_scope.

(* (1 - 1/n)^(n-1) falls with n *)
Lemma bernoulli a m : 1 <= a -> a ^ Z.of_nat m * (a - Z.of_nat m) <= (a - 1) ^ Z.of_nat m * a.
Proof.
  intros Ha. induction m as [|m IH]; [rewrite !Z.pow_0_r; lia|].
  rewrite Nat2Z.inj_succ, !Z.pow_succ_r by lia.
  assert (P : 0 <= a ^ Z.of_nat m) by (apply Z.pow_nonneg; lia).
  assert (H : (a - 1) * (a ^ Z.of_nat m * (a - Z.of_nat m)) <= (a - 1) * ((a - 1) ^ Z.of_nat m * a))
    by (apply Z.mul_le_mono_nonneg_l; lia).
  assert (X : 0 <= a ^ Z.of_nat m * Z.of_nat m) by (apply Z.mul_nonneg_nonneg; lia).
  set (p := a ^ Z.of_nat m) in *. set (r := (a - 1) ^ Z.of_nat m) in *. set (z := Z.of_nat m) in *.
  unfold Z.succ. nia.
Qed.

Definition low (k : nat) : Z := (Z.of_nat k - 1) ^ Z.of_nat (k - 1).
Definition top (k : nat) : Z := Z.of_nat k ^ Z.of_nat (k - 1).

Lemma low_nonneg k : (1 <= k)%nat -> 0 <= low k.
Proof. intros H. apply Z.pow_nonneg. lia. Qed.
Lemma top_pos k : (1 <= k)%nat -> 0 < top k.
Proof. intros H. apply Z.pow_pos_nonneg; lia. Qed.

Lemma top_times k : (1 <= k)%nat -> Z.of_nat k * top k = Z.of_nat k ^ Z.of_nat k.
Proof.
  intros H. unfold top. rewrite <- (Z.pow_succ_r (Z.of_nat k) (Z.of_nat (k - 1))) by lia. f_equal. lia.
Qed.

Lemma discount_falls_step k : (1 <= k)%nat -> low (S k) * top k <= low k * top (S k).
Proof.
  intros Hk. unfold low, top. replace (S k - 1)%nat with k by lia. set (n := Z.of_nat k).
  replace (Z.of_nat (S k)) with (n + 1) by (unfold n; lia). replace (n + 1 - 1) with n by ring.
  set (m := Z.of_nat (k - 1)).
  assert (Ex : forall a, a ^ n = a * a ^ m).
  { intros a. replace n with (Z.succ m) by (unfold n, m; lia). apply Z.pow_succ_r. unfold m. lia. }
  rewrite !Ex.
  assert (B := bernoulli (n * n) (k - 1) ltac:(unfold n; nia)). fold m in B.
  replace (n * n - m) with (n * n - n + 1) in B by (unfold m, n; lia).
  replace (n * n - 1) with ((n - 1) * (n + 1)) in B by ring. rewrite !Z.pow_mul_l in B.
  assert (P : 0 <= n ^ m * n ^ m) by (assert (0 <= n ^ m) by (apply Z.pow_nonneg; unfold n; lia); nia).
  assert (Q : 0 <= (n - 1) ^ m * (n + 1) ^ m)
    by (apply Z.mul_nonneg_nonneg; apply Z.pow_nonneg; unfold n; lia).
  assert (N : 1 <= n) by (unfold n; lia).
  set (x := n ^ m * n ^ m) in *. set (y := (n - 1) ^ m * (n + 1) ^ m) in *.
  replace (n * n ^ m * n ^ m) with (n * x) by (unfold x; ring).
  replace ((n - 1) ^ m * ((n + 1) * (n + 1) ^ m)) with ((n + 1) * y) by (unfold y; ring).
  (* x (n^2 - n + 1) <= y n^2 gives n x <= (n + 1) y, as (n + 1) (n^2 - n + 1) = n^3 + 1 *)
  assert (C : (n + 1) * (x * (n * n - n + 1)) <= (n + 1) * (y * (n * n))) by (apply Z.mul_le_mono_nonneg_l; lia).
  replace ((n + 1) * (x * (n * n - n + 1))) with (n * x * (n * n) + x) in C by ring.
  replace ((n + 1) * (y * (n * n))) with ((n + 1) * y * (n * n)) in C by ring.
  apply Z.mul_le_mono_pos_r with (n * n); nia.
Qed.

Lemma discount_falls m k : (1 <= m <= k)%nat -> low k * top m <= low m * top k.
Proof.
  intros [Hm H]. induction H as [|k H IH]; [lia|].
  assert (S1 := discount_falls_step k ltac:(lia)). assert (T := top_pos k ltac:(lia)).
  assert (T1 := top_pos m Hm). assert (T2 := top_pos (S k) ltac:(lia)).
  apply Z.mul_le_mono_pos_r with (top k); [auto|].
  apply Z.le_trans with (low k * top (S k) * top m).
  - replace (low (S k) * top m * top k) with (low (S k) * top k * top m) by ring.
    apply Z.mul_le_mono_nonneg_r; lia.
  - replace (low k * top (S k) * top m) with (low k * top m * top (S k)) by ring.
    replace (low m * top (S k) * top k) with (low m * top k * top (S k)) by ring.
    apply Z.mul_le_mono_nonneg_r; lia.
Qed.

Definition grows (kt : nat -> nat) (k : nat) : Prop := forall t, (1 <= kt t)%nat /\ (kt t <= kt (S t))%nat /\ (kt t <= k)%nat.
Definition scaled (kt : nat -> nat) (E : Z) (w : nat -> nat -> Z) : Prop := 0 < E /\ forall t q, (1 <= q <= kt t)%nat ->
  w t q * Z.of_nat (kt t) ^ Z.of_nat (q - 1) = E * (Z.of_nat (kt t) - 1) ^ Z.of_nat (q - 1).

Lemma divides_factorial m k : (1 <= m <= k)%nat -> (Z.of_nat m | Z.of_nat (fact k)).
Proof.
  intros [Hm H]. induction H as [|k H IH].
  - destruct m as [|m]; [lia|]. exists (Z.of_nat (fact m)). change (fact (S m)) with (S m * fact m)%nat.
    rewrite Nat2Z.inj_mul. ring.
  - change (fact (S k)) with (S k * fact k)%nat. rewrite Nat2Z.inj_mul. apply Z.divide_mul_r. exact IH.
Qed.

Lemma scale_exists kt k : grows kt k -> exists E w, scaled kt E w.
Proof.
  intros G. set (F := Z.of_nat (fact k)). assert (HF : 0 < F) by (unfold F; assert (H := lt_O_fact k); lia).
  exists (F ^ Z.of_nat k).
  exists (fun t q => F ^ Z.of_nat k / Z.of_nat (kt t) ^ Z.of_nat (q - 1) * (Z.of_nat (kt t) - 1) ^ Z.of_nat (q - 1)).
  split; [apply Z.pow_pos_nonneg; lia|]. intros t q [Hq1 Hq2]. destruct (G t) as (A & _ & B).
  assert (D : (Z.of_nat (kt t) ^ Z.of_nat (q - 1) | F ^ Z.of_nat k)).
  { destruct (divides_factorial (kt t) k ltac:(lia)) as [c Hc]. fold F in Hc.
    replace (Z.of_nat k) with (Z.of_nat (k - (q - 1)) + Z.of_nat (q - 1)) by lia. rewrite Z.pow_add_r by lia.
    apply Z.divide_mul_r. rewrite Hc, Z.pow_mul_l. apply Z.divide_factor_r. }
  destruct D as [c Hc]. rewrite Hc, Z.div_mul by (apply Z.pow_nonzero; lia). ring.
Qed.

Section Learnt.
  Variable I : instance.
  Variable kt : nat -> nat.
  Variable w : nat -> nat -> Z.
  Let n := num_jobs I.
  Let T := num_rounds I.
  Let Q j := iterations (job_at I j).

  Definition score_learnt (s : schedule) (t j : nat) (a : allocation) : Z :=
    let q := Z.to_nat (rounds_left I s t j a) in
    if (0 <? progress_of I j a) && (1 <=? q)%nat && (q <=? kt t)%nat && (t + q <=? num_rounds I)%nat
    then utility_at I j (t + q - 1) * w t q else 0.
  Definition round_score_learnt (s : schedule) (t : nat) (a : nat -> allocation) : Z :=
    sum (num_jobs I) (fun j => score_learnt s t j (a j)).
  Definition near_best_learnt (rn rd : Z) (s : schedule) : Prop := forall t a,
    (t < num_rounds I)%nat -> candidate I s t a ->
    rd * round_score_learnt s t a <= rn * round_score_learnt s t (fun j => s j t).
  Definition continues_learnt (s : schedule) : Prop := forall t, (S t < num_rounds I)%nat ->
    round_score_learnt s (S t) (continued I s t) <= round_score_learnt s (S t) (fun j => s j (S t)).
  Definition known (j p : nat) : Prop := forall t, (release (job_at I j) <= t)%nat -> (p <= kt t)%nat.

  Definition in_time (j : nat) (a : allocation) (d : nat) : Prop :=
    allocation_ok I (job_at I j) a /\ 0 < progress_of I j a /\
    iterations (job_at I j) <= Z.of_nat d * progress_of I j a /\
    (release (job_at I j) + d <= num_rounds I)%nat /\ 0 < utility_at I j (release (job_at I j) + d - 1).

  Variable k : nat.
  Variable E : Z.
  Variable s : schedule.
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.
  Hypothesis k_pos : (1 <= k)%nat.
  Hypothesis growing : grows kt k.
  Hypothesis scale : scaled kt E w.
  Hypothesis feas : feasible I s.
  Let K := Z.of_nat k.

  Lemma E_pos : 0 < E.
  Proof. apply scale. Qed.
  Lemma scale_weight_nonneg t q : (1 <= q <= kt t)%nat -> 0 <= w t q.
  Proof.
    intros H. destruct scale as [P X]. specialize (X t q H).
    assert (A : 0 < Z.of_nat (kt t) ^ Z.of_nat (q - 1)) by (apply Z.pow_pos_nonneg; lia).
    assert (B : 0 <= E * (Z.of_nat (kt t) - 1) ^ Z.of_nat (q - 1))
      by (apply Z.mul_nonneg_nonneg; [lia|apply Z.pow_nonneg; lia]).
    nia.
  Qed.
  Lemma weight_one t : w t 1 = E.
  Proof.
    destruct scale as [_ X]. destruct (growing t) as (A & _). specialize (X t 1%nat ltac:(lia)).
    change (Z.of_nat (1 - 1)) with 0 in X. rewrite !Z.pow_0_r in X. lia.
  Qed.
  Lemma weight_step t q : (1 <= q)%nat -> (S q <= kt t)%nat -> K * w t (S q) <= (K - 1) * w (S t) q.
  Proof.
    intros H1 H2. destruct scale as [P X]. destruct (growing t) as (A & B & C). destruct (growing (S t)) as (_ & _ & C').
    assert (X1 := X t (S q) ltac:(lia)). assert (X2 := X (S t) q ltac:(lia)).
    replace (S q - 1)%nat with (S (q - 1)) in X1 by lia. rewrite Nat2Z.inj_succ, !Z.pow_succ_r in X1 by lia.
    set (a := Z.of_nat (kt t)) in *. set (b := Z.of_nat (kt (S t))) in *. set (m := Z.of_nat (q - 1)) in *.
    assert (Hab : 1 <= a <= b) by (unfold a, b; lia). assert (HbK : b <= K) by (unfold b, K; lia).
    assert (PA : 0 < a ^ m) by (apply Z.pow_pos_nonneg; unfold m; lia).
    assert (PB : 0 < b ^ m) by (apply Z.pow_pos_nonneg; unfold m; lia).
    assert (NA : 0 <= (a - 1) ^ m) by (apply Z.pow_nonneg; lia).
    assert (NB : 0 <= (b - 1) ^ m) by (apply Z.pow_nonneg; lia).
    assert (M : (a - 1) ^ m * b ^ m <= (b - 1) ^ m * a ^ m).
    { rewrite <- !Z.pow_mul_l. apply Z.pow_le_mono_l. nia. }
    assert (Z1 : K * (a - 1) <= (K - 1) * a) by lia.
    apply Z.mul_le_mono_pos_r with (a * a ^ m * b ^ m); [apply Z.mul_pos_pos; [apply Z.mul_pos_pos; lia|auto]|].
    replace (K * w t (S q) * (a * a ^ m * b ^ m)) with (K * (w t (S q) * (a * a ^ m)) * b ^ m) by ring. rewrite X1.
    replace ((K - 1) * w (S t) q * (a * a ^ m * b ^ m)) with ((K - 1) * a * a ^ m * (w (S t) q * b ^ m)) by ring. rewrite X2.
    replace (K * (E * ((a - 1) * (a - 1) ^ m)) * b ^ m) with (E * (K * (a - 1) * ((a - 1) ^ m * b ^ m))) by ring.
    replace ((K - 1) * a * a ^ m * (E * (b - 1) ^ m)) with (E * ((K - 1) * a * ((b - 1) ^ m * a ^ m))) by ring.
    apply Z.mul_le_mono_nonneg_l; [lia|]. apply Z.mul_le_mono_nonneg; auto; [nia|].
    apply Z.mul_nonneg_nonneg; lia.
  Qed.
  Lemma weight_low t q : (1 <= q <= kt t)%nat -> low k * E <= top k * w t q.
  Proof.
    intros H. destruct scale as [P X]. specialize (X t q H). destruct (growing t) as (A & _ & C).
    assert (F := discount_falls (kt t) k ltac:(lia)). assert (TK := top_pos k k_pos).
    unfold low at 2, top at 1 in F. set (a := Z.of_nat (kt t)) in *.
    replace (Z.of_nat (kt t - 1)) with (Z.of_nat (q - 1) + Z.of_nat (kt t - q)) in F by lia.
    rewrite !Z.pow_add_r in F by lia.
    set (m := Z.of_nat (q - 1)) in *. set (r := Z.of_nat (kt t - q)) in *.
    assert (Ha : 1 <= a) by (unfold a; lia).
    assert (PA : 0 < a ^ m) by (apply Z.pow_pos_nonneg; unfold m; lia).
    assert (PR : 0 < a ^ r) by (apply Z.pow_pos_nonneg; unfold r; lia).
    assert (NM : 0 <= (a - 1) ^ m) by (apply Z.pow_nonneg; lia).
    assert (RR : (a - 1) ^ r <= a ^ r) by (apply Z.pow_le_mono_l; lia).
    assert (G : low k * a ^ m <= (a - 1) ^ m * top k).
    { apply Z.mul_le_mono_pos_r with (a ^ r); auto. apply Z.le_trans with (low k * (a ^ m * a ^ r)); [lia|].
      eapply Z.le_trans; [exact F|]. replace ((a - 1) ^ m * (a - 1) ^ r * top k) with ((a - 1) ^ m * top k * (a - 1) ^ r) by ring.
      apply Z.mul_le_mono_nonneg_l; [apply Z.mul_nonneg_nonneg; lia|auto]. }
    apply Z.mul_le_mono_pos_r with (a ^ m); auto.
    replace (top k * w t q * a ^ m) with (top k * (w t q * a ^ m)) by ring. rewrite X.
    replace (low k * E * a ^ m) with (E * (low k * a ^ m)) by ring.
    replace (top k * (E * (a - 1) ^ m)) with (E * ((a - 1) ^ m * top k)) by ring.
    apply Z.mul_le_mono_nonneg_l; lia.
  Qed.

  Lemma score_learnt_nonneg t j a : (j < n)%nat -> 0 <= score_learnt s t j a.
  Proof.
    intros Hj. unfold score_learnt. set (q := Z.to_nat (rounds_left I s t j a)).
    destruct (_ && _ && _ && _) eqn:B; [|lia]. rewrite !andb_true_iff, !Nat.leb_le in B.
    apply Z.mul_nonneg_nonneg; [apply utility_nonneg; auto|apply scale_weight_nonneg; lia].
  Qed.
  Lemma round_score_learnt_nonneg t a : 0 <= round_score_learnt s t a.
  Proof. apply sum_nonneg. intros j Hj. apply score_learnt_nonneg. auto. Qed.

  Lemma score_learnt_step t j : (j < n)%nat -> (t < T)%nat ->
    K * score_learnt s t j (s j t) <=
      K * E * completed_value I s t j + (K - 1) * score_learnt s (S t) j (continued I s t j).
  Proof.
    intros Hj Ht. assert (HE := E_pos).
    assert (N1 := score_learnt_nonneg (S t) j (continued I s t j) Hj).
    assert (N2 : 0 <= K * E * completed_value I s t j).
    { apply Z.mul_nonneg_nonneg; [apply Z.mul_nonneg_nonneg; lia|].
      unfold completed_value. destruct (_ && _); [apply utility_nonneg; auto|lia]. }
    assert (N3 : 0 <= (K - 1) * score_learnt s (S t) j (continued I s t j)) by (apply Z.mul_nonneg_nonneg; unfold K in *; lia).
    unfold score_learnt at 1. set (p := progress_of I j (s j t)).
    destruct (Z.ltb_spec 0 p) as [Hp|]; cbn [andb]; [|lia].
    assert (D : done_before I s j t < Q j).
    { apply (feasible_completion _ _ feas j t Hj Ht). intros X. unfold p in Hp. rewrite X in Hp. cbn in Hp. lia. }
    assert (D1 := done_step I s j t). fold p in D1.
    set (R := Q j - done_before I s j t). assert (HR : 0 < R) by (unfold R; lia).
    assert (EL : rounds_left I s t j (s j t) = (R + p - 1) / p) by reflexivity.
    destruct (Z.leb_spec (Q j) (done_before I s j (S t))) as [C|C].
    - assert (L : rounds_left I s t j (s j t) = 1).
      { rewrite EL. symmetry. apply Z.div_unique with (R - 1); [|lia]. left. unfold R in *. lia. }
      rewrite L. change (Z.to_nat 1) with 1%nat.
      assert (V : completed_value I s t j = utility_at I j t).
      { unfold completed_value. fold (Q j). rewrite (proj2 (Z.ltb_lt _ _) D), (proj2 (Z.leb_le _ _) C). reflexivity. }
      rewrite V in *. rewrite weight_one. replace (t + 1 - 1)%nat with t by lia.
      destruct (_ && _ && _); lia.
    - set (q := Z.to_nat (rounds_left I s t j (s j t))).
      destruct ((1 <=? q)%nat && (q <=? kt t)%nat && (t + q <=? num_rounds I)%nat) eqn:B; [|lia].
      rewrite !andb_true_iff, !Nat.leb_le in B. destruct B as [[B1 B2] B3].
      assert (EC : continued I s t j = s j t).
      { unfold continued. fold (Q j). destruct (Z.leb_spec (Q j) (done_before I s j (S t))); [lia|reflexivity]. }
      rewrite EC in *.
      assert (L' : rounds_left I s (S t) j (s j t) = rounds_left I s t j (s j t) - 1).
      { rewrite EL. unfold rounds_left. fold (Q j). rewrite D1. fold p.
        replace (R + p - 1) with ((Q j - (done_before I s j t + p) + p - 1) + 1 * p) by (unfold R; ring).
        rewrite Z.div_add by lia. ring. }
      assert (L2 : 1 <= rounds_left I s (S t) j (s j t)).
      { unfold rounds_left. fold (Q j). rewrite D1. fold p. apply Z.div_le_lower_bound; lia. }
      set (q' := Z.to_nat (rounds_left I s (S t) j (s j t))).
      assert (Eq : q = S q') by (unfold q, q'; lia). assert (Hq' : (1 <= q')%nat) by (unfold q'; lia).
      destruct (growing t) as (_ & G & _).
      assert (ES : score_learnt s (S t) j (s j t) = utility_at I j (t + q - 1) * w (S t) q').
      { unfold score_learnt. fold p q'. rewrite (proj2 (Z.ltb_lt _ _) Hp).
        rewrite (proj2 (Nat.leb_le _ _) Hq'), (proj2 (Nat.leb_le q' (kt (S t))) ltac:(lia)),
          (proj2 (Nat.leb_le (S t + q') (num_rounds I)) ltac:(lia)).
        cbn [andb]. replace (S t + q' - 1)%nat with (t + q - 1)%nat by lia. reflexivity. }
      rewrite ES. assert (W := weight_step t q' Hq' ltac:(lia)). rewrite <- Eq in W.
      assert (U := utility_nonneg I utilities j (t + q - 1) Hj).
      apply Z.le_trans with (utility_at I j (t + q - 1) * (K * w t q)); [apply Z.eq_le_incl; ring|].
      apply Z.le_trans with (utility_at I j (t + q - 1) * ((K - 1) * w (S t) q')).
      + apply Z.mul_le_mono_nonneg_l; auto.
      + apply Z.le_trans with ((K - 1) * (utility_at I j (t + q - 1) * w (S t) q')); [apply Z.eq_le_incl; ring|].
        clear - N2. lia.
  Qed.

  Hypothesis goes_on : continues_learnt s.

  Lemma total_score_learnt :
    sum T (fun t => round_score_learnt s t (fun j => s j t)) <= K * E * value I s.
  Proof.
    set (A := sum T (fun t => round_score_learnt s t (fun j => s j t))).
    set (A' := sum T (fun t => round_score_learnt s (S t) (continued I s t))).
    assert (HE := E_pos).
    assert (H1 : K * A <= K * E * value I s + (K - 1) * A').
    { unfold A, A', value. apply Z.le_trans with
        (K * E * sum T (fun t => sum n (fun j => completed_value I s t j)) +
         (K - 1) * sum T (fun t => round_score_learnt s (S t) (continued I s t))).
      - rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros t Ht. unfold round_score_learnt.
        rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros j Hj. apply score_learnt_step; auto.
      - assert (0 <= K * E) by (apply Z.mul_nonneg_nonneg; unfold K; lia).
        assert (sum T (fun t => sum n (fun j => completed_value I s t j)) <= sum n (job_value I s)).
        { rewrite sum_swap. apply sum_le. intros j Hj. apply completed_total; auto. }
        fold n. apply Z.add_le_mono_r. apply Z.mul_le_mono_nonneg_l; auto. }
    assert (H2 : A' <= A).
    { unfold A, A'. destruct T as [|m] eqn:ET; [simpl; lia|].
      rewrite (sum_first m (fun t => round_score_learnt s t (fun j => s j t))).
      assert (0 <= round_score_learnt s 0 (fun j => s j 0%nat)) by apply round_score_learnt_nonneg.
      change (sum (S m) (fun t => round_score_learnt s (S t) (continued I s t))) with
        (sum m (fun t => round_score_learnt s (S t) (continued I s t)) + round_score_learnt s (S m) (continued I s m)).
      assert (Z0 : round_score_learnt s (S m) (continued I s m) = 0).
      { apply sum_zero. intros j Hj. unfold score_learnt. fold T. rewrite ET.
        destruct (Nat.leb_spec 1 (Z.to_nat (rounds_left I s (S m) j (continued I s m j)))) as [L|L].
        - rewrite (proj2 (Nat.leb_gt _ (S m))) by lia. rewrite andb_false_r. reflexivity.
        - rewrite andb_false_r. reflexivity. }
      assert (sum m (fun t => round_score_learnt s (S t) (continued I s t)) <=
              sum m (fun t => round_score_learnt s (S t) (fun j => s j (S t)))).
      { apply sum_le. intros t Ht. apply goes_on. fold T. lia. }
      lia. }
    assert ((K - 1) * A' <= (K - 1) * A) by (apply Z.mul_le_mono_nonneg_l; unfold K; lia). lia.
  Qed.

  Variables rn rd : Z.
  Hypothesis rn_nonneg : 0 <= rn.
  Hypothesis rd_pos : 0 < rd.
  Hypothesis near : near_best_learnt rn rd s.
  Variable o : schedule.
  Hypothesis feas_o : feasible I o.
  Variable v : nat.
  Hypothesis o_reaches : forall j f, (j < num_jobs I)%nat -> completion I o j = Some f ->
    0 < utility_at I j f -> exists t i q : nat,
    (i < v)%nat /\ (t + i <= f)%nat /\ (release (job_at I j) <= t)%nat /\ (q <= kt t)%nat /\ (t + q <= S f)%nat /\
    0 < progress_of I j (o j (t + i)%nat) /\ iterations (job_at I j) <= Z.of_nat q * progress_of I j (o j (t + i)%nat).

  Definition moved_score_learnt (t i j : nat) : Z :=
    if (t + i <? num_rounds I)%nat then score_learnt s t j (moved I s o t i j) else 0.

  Lemma charge_learnt j : (j < n)%nat ->
    low k * E * job_value I o j <= low k * E * job_value I s j +
      top k * sum T (fun t => sum v (fun i => moved_score_learnt t i j)).
  Proof.
    intros Hj. assert (HE := E_pos). assert (HT := top_pos k k_pos).
    assert (Hlow : 0 <= low k * E) by (apply Z.mul_nonneg_nonneg; [apply low_nonneg; auto|lia]).
    assert (Hs0 : 0 <= job_value I s j).
    { unfold job_value. destruct (completion I s j) as [g|]; [apply (utility_nonneg I utilities j g Hj)|lia]. }
    assert (Hn : forall t i, 0 <= moved_score_learnt t i j).
    { intros t i. unfold moved_score_learnt. destruct (_ <? _)%nat; [apply score_learnt_nonneg; auto|lia]. }
    assert (Hsum : 0 <= sum T (fun t => sum v (fun i => moved_score_learnt t i j))).
    { apply sum_nonneg. intros t _. apply sum_nonneg. auto. }
    assert (Hts : 0 <= top k * sum T (fun t => sum v (fun i => moved_score_learnt t i j)))
      by (apply Z.mul_nonneg_nonneg; lia).
    assert (Hls : 0 <= low k * E * job_value I s j) by (apply Z.mul_nonneg_nonneg; auto).
    unfold job_value at 1. destruct (completion I o j) as [f|] eqn:C; [|lia].
    fold (utility_at I j f). destruct (completion_spec I _ _ _ C) as (F1 & _ & _).
    assert (U0 := utility_nonneg I utilities j f Hj).
    destruct (Z.eq_dec (utility_at I j f) 0) as [->|UP]; [lia|].
    destruct (o_reaches j f Hj C ltac:(lia)) as (t & i & q & Hi & Hf & Hrel & Hqk & Hqf & Hpos & Hq).
    assert (HtT : (t < T)%nat) by (unfold T; lia).
    destruct (Z_lt_le_dec (done_before I s j t) (Q j)) as [D|D].
    - set (p := progress_of I j (o j (t + i)%nat)) in *.
      assert (M : moved I s o t i j = o j (t + i)%nat).
      { unfold moved. fold (Q j). rewrite (proj2 (Nat.leb_le _ _) Hrel), (proj2 (Z.ltb_lt _ _) D). reflexivity. }
      assert (D0 := done_nonneg I inst s j t Hj). set (R := Q j - done_before I s j t). fold (Q j) in Hq.
      assert (Lo : 1 <= rounds_left I s t j (o j (t + i)%nat)).
      { unfold rounds_left. fold (Q j). fold p. apply Z.div_le_lower_bound; lia. }
      assert (Hi' : rounds_left I s t j (o j (t + i)%nat) <= Z.of_nat q).
      { unfold rounds_left. fold (Q j). fold p. apply Z.lt_succ_r. apply Z.div_lt_upper_bound; [auto|].
        unfold Z.succ. lia. }
      set (x := Z.to_nat (rounds_left I s t j (o j (t + i)%nat))).
      assert (X : (1 <= x <= q)%nat) by (unfold x; lia).
      assert (ES : moved_score_learnt t i j = utility_at I j (t + x - 1) * w t x).
      { unfold moved_score_learnt. rewrite (proj2 (Nat.ltb_lt _ _)) by (fold T; lia). rewrite M.
        unfold score_learnt. fold p x. rewrite (proj2 (Z.ltb_lt _ _) Hpos).
        rewrite (proj2 (Nat.leb_le 1 x)), (proj2 (Nat.leb_le x (kt t))), (proj2 (Nat.leb_le (t + x) (num_rounds I)))
          by (fold T; lia). reflexivity. }
      assert (Hge : low k * E * utility_at I j f <= top k * moved_score_learnt t i j).
      { rewrite ES. assert (W := weight_low t x ltac:(lia)).
        assert (U := utility_later I utilities j (t + x - 1) f Hj ltac:(lia)).
        apply Z.le_trans with (low k * E * utility_at I j (t + x - 1)); [apply Z.mul_le_mono_nonneg_l; auto|].
        replace (top k * (utility_at I j (t + x - 1) * w t x)) with (top k * w t x * utility_at I j (t + x - 1)) by ring.
        apply Z.mul_le_mono_nonneg_r; [lia|auto]. }
      assert (G1 := sum_term v (fun i => moved_score_learnt t i j) i Hi (fun i _ => Hn t i)).
      assert (G2 := sum_term T (fun t => sum v (fun i => moved_score_learnt t i j)) t HtT
        (fun t _ => sum_nonneg _ _ (fun i _ => Hn t i))).
      cbv beta in G1, G2.
      assert (G3 : top k * moved_score_learnt t i j <= top k * sum T (fun t => sum v (fun i => moved_score_learnt t i j)))
        by (apply Z.mul_le_mono_nonneg_l; lia).
      clear - Hge Hls G3. lia.
    - destruct (completed_by I inst s j t Hj (Nat.lt_le_incl _ _ HtT) D) as (g & Eg & G).
      assert (U := utility_later I utilities j g f Hj ltac:(lia)).
      unfold job_value in *. rewrite Eg in *. fold (utility_at I j g).
      assert (low k * E * utility_at I j f <= low k * E * utility_at I j g) by (apply Z.mul_le_mono_nonneg_l; auto). lia.
  Qed.

  Lemma learnt_bound :
    rd * (low k * value I o) <= (rd * low k + rn * Z.of_nat v * (K * top k)) * value I s.
  Proof.
    set (A := sum T (fun t => round_score_learnt s t (fun j => s j t))).
    assert (HA := total_score_learnt). fold A in HA. assert (HE := E_pos). assert (HT := top_pos k k_pos).
    set (M := sum n (fun j => sum T (fun t => sum v (fun i => moved_score_learnt t i j)))).
    assert (H1 : low k * E * value I o <= low k * E * value I s + top k * M).
    { unfold value, M. fold n. rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros j Hj.
      apply charge_learnt; auto. }
    assert (H2 : rd * M <= rn * Z.of_nat v * A).
    { unfold M. rewrite sum_swap. unfold A. rewrite <- !sum_scale. apply sum_le. intros t Ht.
      rewrite sum_swap, <- sum_scale.
      assert (S0 := round_score_learnt_nonneg t (fun j => s j t)).
      assert (C : forall i, rd * sum n (fun j => moved_score_learnt t i j) <= rn * round_score_learnt s t (fun j => s j t)).
      { intros i. unfold moved_score_learnt. destruct (Nat.ltb_spec (t + i) (num_rounds I)) as [L|L].
        - apply (near t (moved I s o t i)); auto. apply (moved_candidate I); auto.
        - rewrite sum_zero by auto. rewrite Z.mul_0_r. apply Z.mul_nonneg_nonneg; auto. }
      clear - C. induction v as [|u IH]; [simpl; lia|]. simpl sum. specialize (C u).
      replace (rn * Z.of_nat (S u) * round_score_learnt s t (fun j => s j t)) with
        (rn * Z.of_nat u * round_score_learnt s t (fun j => s j t) + rn * round_score_learnt s t (fun j => s j t)) by lia.
      lia. }
    assert (H3 : rd * (low k * E * value I o) <= rd * (low k * E * value I s + top k * M))
      by (apply Z.mul_le_mono_nonneg_l; lia).
    assert (H4 : rn * Z.of_nat v * A <= rn * Z.of_nat v * (K * E * value I s)).
    { apply Z.mul_le_mono_nonneg_l; auto. apply Z.mul_nonneg_nonneg; lia. }
    assert (H5 : top k * (rd * M) <= top k * (rn * Z.of_nat v * (K * E * value I s)))
      by (apply Z.mul_le_mono_nonneg_l; lia).
    apply Z.mul_le_mono_pos_r with E; auto.
    replace (rd * (low k * value I o) * E) with (rd * (low k * E * value I o)) by ring.
    replace ((rd * low k + rn * Z.of_nat v * (K * top k)) * value I s * E) with
      (rd * (low k * E * value I s) + top k * (rn * Z.of_nat v * (K * E * value I s))) by ring.
    replace (rd * (low k * E * value I s + top k * M)) with (rd * (low k * E * value I s) + top k * (rd * M)) in H3 by ring.
    lia.
  Qed.
End Learnt.

(** A completion that is worth something, where [p] rounds suffice for whatever would be in time. *)
Lemma level_in_time I p o j f : instance_ok I = true -> feasible I o -> (j < num_jobs I)%nat ->
  completion I o j = Some f -> 0 < utility_at I j f ->
  (forall a d, in_time I j a d -> iterations (job_at I j) <= Z.of_nat p * progress_of I j a) ->
  exists t i q : nat, (i < p)%nat /\ (t + i <= f)%nat /\ (release (job_at I j) <= t)%nat /\
    (q <= p)%nat /\ (t + q <= S f)%nat /\ 0 < progress_of I j (o j (t + i)%nat) /\
    iterations (job_at I j) <= Z.of_nat q * progress_of I j (o j (t + i)%nat).
Proof.
  intros inst feas Hj C U Np. destruct (completion_spec I _ _ _ C) as (A & _).
  apply (level_reaches I inst p o j f feas Hj C). intros a Ha Hp Hq.
  apply (Np a (S f - release (job_at I j))%nat). split; [auto|]. split; [auto|]. split; [auto|].
  assert (R : (release (job_at I j) <= f)%nat).
  { assert (P := completion_progress I inst o j f Hj C).
    apply (feasible_release _ _ feas j f Hj ltac:(lia) (progress_busy I o j f P)). }
  split; [lia|]. replace (release (job_at I j) + (S f - release (job_at I j)) - 1)%nat with f by lia. exact U.
Qed.

Section Theorems.
  Variable I : instance.
  Variables kt : nat -> nat.
  Variable w : nat -> nat -> Z.
  Variable k : nat.
  Variables E rn rd : Z.
  Variables s o : schedule.
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.
  Hypothesis k_pos : (1 <= k)%nat.
  Hypothesis growing : grows kt k.
  Hypothesis scale : scaled kt E w.
  Hypothesis feas : feasible I s.
  Hypothesis feas_o : feasible I o.
  Hypothesis rn_nonneg : 0 <= rn.
  Hypothesis rd_pos : 0 < rd.
  Hypothesis near : near_best_learnt I kt w rn rd s.
  Hypothesis goes_on : continues_learnt I kt w s.
  Let K := Z.of_nat k.

  (* what o completes while it is worth something is done by an allocation that is in time *)
  Lemma in_time_fastest j f : (j < num_jobs I)%nat -> completion I o j = Some f -> 0 < utility_at I j f ->
    exists a d, in_time I j a d.
  Proof.
    intros Hj C U. destruct (completion_spec I _ _ _ C) as (A & B & _).
    assert (P := completion_progress I inst o j f Hj C).
    destruct (first_progress I inst o j f P Hj) as (t & Ht & Hp & Hm).
    destruct (fastest_progress I o j f) as (u & Hu & Hv).
    assert (R := feasible_release _ _ feas_o j t Hj ltac:(lia) (progress_busy I o j t Hp)).
    exists (o j u), (S f - release (job_at I j))%nat. split; [|split; [|split; [|split]]].
    - apply (feasible_allocation _ _ feas_o); auto. lia.
    - specialize (Hv t Ht). lia.
    - eapply Z.le_trans; [exact B|]. eapply Z.le_trans.
      + replace (S f) with (t + (S f - t))%nat by lia. apply done_at_most; [exact Hm|]. intros v Hv'. apply Hv. lia.
      + apply Z.mul_le_mono_nonneg_r; [specialize (Hv t Ht); lia|lia].
    - lia.
    - replace (release (job_at I j) + (S f - release (job_at I j)) - 1)%nat with f by lia. exact U.
  Qed.

  Theorem replanning_learnt :
    (forall j, (j < num_jobs I)%nat -> (exists a d, in_time I j a d) -> exists p, known I kt j p /\ needs I j p) ->
    rd * ((K - 1) ^ Z.of_nat (k - 1) * value I o) <= (rd * (K - 1) ^ Z.of_nat (k - 1) + rn * K ^ K) * value I s.
  Proof.
    intros N. assert (B : rd * (low k * value I o) <= (rd * low k + rn * Z.of_nat 1 * (K * top k)) * value I s).
    { apply (learnt_bound I kt w k E s inst utilities k_pos growing scale feas goes_on rn rd rn_nonneg rd_pos near o feas_o).
      intros j f Hj C U. destruct (N j Hj (in_time_fastest j f Hj C U)) as (p & Kp & Np).
      assert (P := completion_progress I inst o j f Hj C). destruct (completion_spec I _ _ _ C) as (A & _).
      destruct (first_progress I inst o j f P Hj) as (t & Ht & Hp & Hm).
      assert (R := feasible_release _ _ feas_o j t Hj ltac:(lia) (progress_busy I o j t Hp)).
      exists t, 0%nat, p. rewrite Nat.add_0_r. repeat split; auto.
      - eapply needs_end; eauto.
      - apply Np; auto. apply (feasible_allocation _ _ feas_o); auto. lia. }
    unfold K in B. rewrite top_times in B by exact k_pos. unfold low in B. fold K in B. rewrite Z.mul_1_r in B. exact B.
  Qed.

  Theorem replanning_learnt_levels :
    (forall j, (j < num_jobs I)%nat -> exists p, known I kt j p /\
       (forall a d, in_time I j a d -> iterations (job_at I j) <= Z.of_nat p * progress_of I j a)) ->
    rd * ((K - 1) ^ Z.of_nat (k - 1) * value I o) <= (rd * (K - 1) ^ Z.of_nat (k - 1) + rn * K * K ^ K) * value I s.
  Proof.
    intros N. assert (B : rd * (low k * value I o) <= (rd * low k + rn * Z.of_nat k * (K * top k)) * value I s).
    { apply (learnt_bound I kt w k E s inst utilities k_pos growing scale feas goes_on rn rd rn_nonneg rd_pos near o feas_o).
      intros j f Hj C U. destruct (N j Hj) as (p & Kp & Np).
      destruct (level_in_time I p o j f inst feas_o Hj C U Np) as (t & i & q & A1 & A2 & A3 & A4 & A5 & A6 & A7).
      assert (P := Kp t A3). destruct (growing t) as (_ & _ & G).
      exists t, i, q. repeat split; auto; lia. }
    unfold K in B. rewrite top_times in B by exact k_pos. unfold low in B. fold K in B. exact B.
  Qed.
End Theorems.
