(** * R1, R2: what is false, what is tight, and the rule without discount.

    [one_gpu T js]        one GPU, T rounds, the jobs js; [unit_job a p us]: one GPU, released in a, p rounds,
                          utilities us by flow time;  [on_gpu]: it holds the GPU
    [fast_slow n]         one fast GPU, n slow ones, n + 2 jobs of value 1 and deadline 2 that take one round
                          on the fast GPU and two on a slow one
    [two_deadlines N]     one GPU, jobs of one round: worth N by deadline 1, worth N + 1 by deadline 2
    [fresh V n]           one GPU, n + 1 rounds, job i < n released in i, two rounds, deadline 2, worth V + i
    [finish_value]        the value at which a job would complete if it kept an allocation
    [value_rounds I s]    s runs in every round a candidate of the greatest total finish_value: the rule of R2
                          without discount (beta = 1), by which Hadar with an exact allocator fills the round

    [one_round_false]     R1 without its hypothesis: P = 2, OPT = n + 2 on fast_slow n
    [one_round_tight]     the ratio of R1 is (2N + 1)/(N + 1) on two_deadlines N: 2 is the least constant
    [fresh_value]         every schedule by value_rounds has V + n - 1 on fresh V n
    [fresh_optimum]       some schedule has m (V + m), n = 2 m
    [value_rule_unbounded]  so the rule has no finite ratio, with jobs of two rounds and values within any
                          factor above 1 *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerTree Completion Replanning ReplanningLearnt ReplanningFixed.
Import ListNotations.
Open Scope Z_scope.

Definition unit_job (a : nat) (p : Z) (us : list Z) : job := Job a 1 p [(1, 1)] (1, 1) 1 us.
Definition one_gpu (T : nat) (js : list job) : instance :=
  Instance SingleType T 1 1 [[1]] (1, 1) (0, 1) js.
Definition on_type (r0 : nat) : allocation :=
  Gang (fun h r => if (h =? 0)%nat && (r =? r0)%nat then 1 else 0).
Definition on_gpu : allocation := on_type 0.

Definition finish_value (I : instance) (s : schedule) (t j : nat) (a : allocation) : Z :=
  let q := Z.to_nat (rounds_left I s t j a) in
  if (0 <? progress_of I j a) && (1 <=? q)%nat && (t + q <=? num_rounds I)%nat
  then utility_at I j (t + q - 1) else 0.
Definition value_rounds (I : instance) (s : schedule) : Prop := forall t a,
  (t < num_rounds I)%nat -> candidate I s t a ->
  sum (num_jobs I) (fun j => finish_value I s t j (a j)) <=
  sum (num_jobs I) (fun j => finish_value I s t j (s j t)).

Lemma nth_table {A} (f : nat -> A) n d j : (j < n)%nat -> nth j (map f (seq 0 n)) d = f j.
Proof.
  intros H. rewrite nth_indep with (d' := f 0%nat) by (rewrite map_length, seq_length; auto).
  rewrite map_nth, seq_nth by auto. reflexivity.
Qed.

(* one GPU *)
Lemma one_gpu_held T js a p us al : allocation_ok (one_gpu T js) (unit_job a p us) al ->
  progress (one_gpu T js) (unit_job a p us) al = held al 0 0 /\ (held al 0 0 = 0 \/ held al 0 0 = 1).
Proof.
  destruct al as [|g|g].
  - intros _. split; [reflexivity|left; reflexivity].
  - intros (C & W & _). unfold on_node in W. cbn in W. assert (E : g 0%nat 0%nat = 1) by lia.
    cbn [held]. rewrite E. split; [|right; reflexivity].
    unfold progress, gang_progress, level_progress, nodes_used, on_node, used. cbn. rewrite E. reflexivity.
  - intros (W & _). discriminate.
Qed.
Lemma on_gpu_ok T js a p us : allocation_ok (one_gpu T js) (unit_job a p us) on_gpu.
Proof.
  repeat split; cbn; try (destruct ((h =? 0)%nat && (r =? 0)%nat); lia).
  - intros _. destruct r as [|r]; [cbn; lia|]. cbn in H0. lia.
  - intros _ h r h' r' _ Hr _ Hr' _ _. cbn in Hr, Hr'. lia.
Qed.
(* at most one job holds it *)
Lemma one_holder n (x : nat -> Z) i : (i < n)%nat -> (forall j, (j < n)%nat -> x j = 0 \/ x j = 1) ->
  sum n x <= 1 -> x i = 1 -> forall j, (j < n)%nat -> j <> i -> x j = 0.
Proof.
  intros Hi H01 Hs Hx j Hj Ne. destruct (H01 j Hj) as [|E]; auto. exfalso.
  assert (G : sum n (fun k => (if (i =? k)%nat then 1 else 0) + (if (j =? k)%nat then 1 else 0)) <= sum n x).
  { apply sum_le. intros k Hk. specialize (H01 k Hk).
    destruct (Nat.eqb_spec i k), (Nat.eqb_spec j k); subst; try congruence; lia. }
  rewrite sum_plus, (sum_pick n i (fun _ => 1)), (sum_pick n j (fun _ => 1)) in G.
  rewrite (proj2 (Nat.ltb_lt _ _) Hi), (proj2 (Nat.ltb_lt _ _) Hj) in G. lia.
Qed.
Lemma sum_single n (x : nat -> Z) i : (i < n)%nat -> (forall j, (j < n)%nat -> j <> i -> x j = 0) -> sum n x = x i.
Proof.
  intros Hi H. rewrite (sum_ext _ _ (fun j => if (i =? j)%nat then x j else 0)).
  - rewrite sum_pick, (proj2 (Nat.ltb_lt _ _) Hi). reflexivity.
  - intros j Hj. destruct (Nat.eqb_spec i j); auto.
Qed.

(* the rule without discount *)
Section Fresh.
  Variable V : Z.
  Variable n : nat.
  Hypothesis V_pos : 1 <= V.
  Definition fresh_job (i : nat) : job := unit_job i 2 [V + Z.of_nat i; V + Z.of_nat i].
  Definition fresh : instance := one_gpu (S n) (map fresh_job (seq 0 n)).

  Lemma fresh_at j : (j < n)%nat -> job_at fresh j = fresh_job j.
  Proof. apply nth_table. Qed.
  Lemma fresh_jobs : num_jobs fresh = n.
  Proof. unfold num_jobs, fresh. simpl. rewrite map_length, seq_length. reflexivity. Qed.

  Section Run.
    Variable s : schedule.
    Hypothesis feas : feasible fresh s.
    Hypothesis rule : value_rounds fresh s.

    Let x t j := held (s j t) 0 0.

    Lemma fresh_progress j t : (j < n)%nat -> (t <= n)%nat ->
      progress_of fresh j (s j t) = x t j /\ (x t j = 0 \/ x t j = 1).
    Proof.
      intros Hj Ht. unfold progress_of, x. rewrite fresh_at by auto. apply one_gpu_held.
      assert (A := feasible_allocation _ _ feas j t). rewrite fresh_jobs, fresh_at in A by auto.
      apply A; auto. simpl. lia.
    Qed.
    Lemma fresh_capacity t : (t <= n)%nat -> sum n (x t) <= 1.
    Proof.
      intros Ht. assert (C := feasible_capacity _ _ feas t 0%nat 0%nat). rewrite fresh_jobs in C.
      apply C; simpl; lia.
    Qed.
    Lemma fresh_early j t : (j < n)%nat -> (t < j)%nat -> x t j = 0.
    Proof.
      intros Hj Ht. assert (R := feasible_release _ _ feas j t). rewrite fresh_jobs, fresh_at in R by auto.
      unfold x. destruct (s j t) as [|g|g]; [reflexivity| |];
        specialize (R Hj ltac:(simpl; lia) ltac:(discriminate)); simpl in R; lia.
    Qed.
    Lemma fresh_done j t : (j < n)%nat -> (t <= S n)%nat -> done_before fresh s j t = sum t (fun u => x u j).
    Proof. intros Hj Ht. apply sum_ext. intros u Hu. apply fresh_progress; auto. lia. Qed.
    Lemma fresh_left j t a : (j < n)%nat -> (t <= n)%nat -> progress_of fresh j a = 1 ->
      rounds_left fresh s t j a = 2 - sum t (fun u => x u j).
    Proof.
      intros Hj Ht P. unfold rounds_left. rewrite P, fresh_at, fresh_done by (auto; lia).
      simpl iterations. rewrite Z.div_1_r. ring.
    Qed.
    Lemma fresh_utility j t : (j < n)%nat ->
      utility_at fresh j t = if (t - j <? 2)%nat then V + Z.of_nat j else 0.
    Proof.
      intros Hj. unfold utility_at. rewrite fresh_at by auto. cbn [release fresh_job unit_job utility].
      destruct (t - j)%nat as [|[|d]]; try reflexivity. simpl. destruct d; reflexivity.
    Qed.

    (* alone on the GPU *)
    Definition alone (i j : nat) : allocation := if (j =? i)%nat then on_gpu else Idle.
    Lemma alone_candidate i t : (i < n)%nat -> (i <= t <= n)%nat -> sum t (fun u => x u i) < 2 ->
      candidate fresh s t (alone i).
    Proof.
      intros Hi Ht D. split; [|split]; rewrite fresh_jobs.
      - intros j Hj. rewrite fresh_at by auto. unfold alone. destruct (Nat.eqb_spec j i); [|exact Logic.I].
        apply on_gpu_ok.
      - intros j Hj. unfold alone. destruct (Nat.eqb_spec j i) as [->|]; [|congruence]. intros _.
        rewrite fresh_at, fresh_done by (auto; lia). simpl. split; [lia|exact D].
      - intros h r Hh Hr. simpl in Hh, Hr. assert (h = 0%nat) as -> by lia. assert (r = 0%nat) as -> by lia.
        rewrite (sum_single n _ i Hi); unfold alone.
        + rewrite Nat.eqb_refl. change (1 <= 1). lia.
        + intros j _ Ne. rewrite (proj2 (Nat.eqb_neq _ _) Ne). reflexivity.
    Qed.
    Lemma alone_progress i : (i < n)%nat -> progress_of fresh i (alone i i) = 1.
    Proof.
      intros Hi. unfold progress_of, alone. rewrite Nat.eqb_refl, fresh_at by auto.
      assert (P := one_gpu_held (S n) (map fresh_job (seq 0 n)) i 2 [V + Z.of_nat i; V + Z.of_nat i] on_gpu
        (on_gpu_ok _ _ _ _ _)). destruct P as [P _]. exact P.
    Qed.
    Lemma finish_idle j t a : progress_of fresh j a = 0 -> finish_value fresh s t j a = 0.
    Proof. intros P. unfold finish_value. rewrite P. reflexivity. Qed.
    Lemma finish_busy j t a : (j < n)%nat -> (t <= n)%nat -> progress_of fresh j a = 1 ->
      sum t (fun u => x u j) < 2 ->
      finish_value fresh s t j a =
        if (t + Z.to_nat (2 - sum t (fun u => x u j)) <=? S n)%nat
        then utility_at fresh j (t + Z.to_nat (2 - sum t (fun u => x u j)) - 1) else 0.
    Proof.
      intros Hj Ht P D. unfold finish_value. rewrite fresh_left by auto. rewrite P.
      rewrite (proj2 (Nat.leb_le 1 _)) by lia. reflexivity.
    Qed.

    (* the GPU of round t < n goes to job t *)
    Lemma fresh_takes_new t : (t < n)%nat -> x t t = 1.
    Proof.
      induction t as [t IH] using (well_founded_induction lt_wf). intros Ht.
      destruct (fresh_progress t t Ht ltac:(lia)) as [_ [Z0|]]; auto. exfalso.
      assert (D0 : sum t (fun u => x u t) = 0) by (apply sum_zero; intros u Hu; apply fresh_early; auto).
      assert (R := rule t (alone t) ltac:(simpl; lia) (alone_candidate t t Ht ltac:(lia) ltac:(lia))).
      rewrite fresh_jobs in R. rewrite (sum_single n _ t Ht) in R.
      2: { intros j _ Ne. unfold alone. rewrite (proj2 (Nat.eqb_neq _ _) Ne). reflexivity. }
      rewrite (finish_busy t t (alone t t)) in R by (try apply alone_progress; lia).
      rewrite D0 in R. change (Z.to_nat (2 - 0)) with 2%nat in R.
      rewrite (proj2 (Nat.leb_le (t + 2) (S n))) in R by lia.
      rewrite fresh_utility in R by auto. rewrite (proj2 (Nat.ltb_lt (t + 2 - 1 - t) 2)) in R by lia.
      (* at most one other job runs, and it is older *)
      assert (B : sum n (fun j => finish_value fresh s t j (s j t)) <= (V + Z.of_nat t - 1) * sum n (x t)).
      { rewrite <- sum_scale. apply sum_le. intros j Hj.
        destruct (fresh_progress j t Hj ltac:(lia)) as [P [E|E]].
        - rewrite finish_idle by (rewrite P; auto). rewrite E. lia.
        - rewrite E, Z.mul_1_r.
          assert (Hjt : (j < t)%nat).
          { destruct (lt_eq_lt_dec j t) as [[|Eq]|L]; auto; [subst j; lia|].
            assert (F := fresh_early j t Hj L). lia. }
          assert (D : sum t (fun u => x u j) = 1).
          { rewrite (sum_single t _ j Hjt); [apply IH; auto|]. intros u Hu Ne.
            apply (one_holder n (x u) u); auto; try lia.
            - intros i Hi. apply fresh_progress; auto. lia.
            - apply fresh_capacity. lia.
            - apply IH; auto. lia. }
          rewrite finish_busy by (auto; try lia; rewrite P; auto). rewrite fresh_utility by auto.
          destruct (_ <=? _)%nat; [|lia]. destruct (_ <? _)%nat; lia. }
      assert (C := fresh_capacity t ltac:(lia)).
      assert ((V + Z.of_nat t - 1) * sum n (x t) <= (V + Z.of_nat t - 1) * 1) by (apply Z.mul_le_mono_nonneg_l; lia).
      lia.
    Qed.
    Lemma fresh_others t j : (t < n)%nat -> (j < n)%nat -> j <> t -> x t j = 0.
    Proof.
      intros Ht Hj Ne. apply (one_holder n (x t) t); auto.
      - intros i Hi. apply fresh_progress; auto. lia.
      - apply fresh_capacity. lia.
      - apply fresh_takes_new; auto.
    Qed.
    Lemma fresh_sum j t : (j < n)%nat -> (t <= n)%nat -> sum t (fun u => x u j) = if (j <? t)%nat then 1 else 0.
    Proof.
      intros Hj Ht. destruct (Nat.ltb_spec j t) as [L|L].
      - rewrite (sum_single t _ j L); [apply fresh_takes_new; auto|]. intros u Hu Ne. apply fresh_others; auto. lia.
      - apply sum_zero. intros u Hu. apply fresh_others; auto; lia.
    Qed.

    Hypothesis n_pos : (1 <= n)%nat.

    Lemma fresh_last : x n (n - 1) = 1.
    Proof.
      destruct (fresh_progress (n - 1) n ltac:(lia) ltac:(lia)) as [_ [Z0|]]; auto. exfalso.
      assert (D1 := fresh_sum (n - 1) n ltac:(lia) ltac:(lia)). rewrite (proj2 (Nat.ltb_lt _ _)) in D1 by lia.
      assert (R := rule n (alone (n - 1)) ltac:(simpl; lia) (alone_candidate (n - 1) n ltac:(lia) ltac:(lia) ltac:(lia))).
      rewrite fresh_jobs in R. rewrite (sum_single n _ (n - 1)) in R by lia || (intros j _ Ne; unfold alone;
        rewrite (proj2 (Nat.eqb_neq _ _) Ne); reflexivity).
      rewrite (finish_busy (n - 1) n (alone (n - 1) (n - 1))) in R by (try apply alone_progress; lia).
      rewrite D1 in R. change (Z.to_nat (2 - 1)) with 1%nat in R.
      rewrite (proj2 (Nat.leb_le (n + 1) (S n))) in R by lia.
      rewrite fresh_utility in R by lia. rewrite (proj2 (Nat.ltb_lt (n + 1 - 1 - (n - 1)) 2)) in R by lia.
      rewrite (sum_zero n) in R; [lia|]. intros j Hj.
      destruct (fresh_progress j n Hj ltac:(lia)) as [P [E|E]]; [apply finish_idle; rewrite P; auto|].
      assert (Ne : j <> (n - 1)%nat) by (intros ->; lia).
      assert (D := fresh_sum j n Hj ltac:(lia)). rewrite (proj2 (Nat.ltb_lt _ _)) in D by lia.
      rewrite finish_busy by (auto; try lia; rewrite P; auto). rewrite D. change (Z.to_nat (2 - 1)) with 1%nat.
      rewrite fresh_utility by auto. rewrite (proj2 (Nat.ltb_ge (n + 1 - 1 - j) 2)) by lia.
      destruct (_ <=? _)%nat; reflexivity.
    Qed.

    Theorem fresh_value : value fresh s = V + Z.of_nat n - 1.
    Proof.
      assert (N : forall u j, (u < n)%nat -> (j < n)%nat -> done_before fresh s j (S u) < 2).
      { intros u j Hu Hj. rewrite fresh_done, fresh_sum by (auto; lia). destruct (_ <? _)%nat; lia. }
      unfold value. rewrite fresh_jobs, (sum_single n _ (n - 1)) by lia || (intros j Hj Ne; unfold job_value;
        destruct (completion fresh s j) as [f|] eqn:E; [exfalso|reflexivity];
        destruct (completion_spec _ _ _ _ E) as (A & B & _); rewrite fresh_at in B by auto; simpl in A, B;
        destruct (Nat.eq_dec f n) as [->|]; [|specialize (N f j ltac:(lia) Hj); lia];
        assert (O : x n j = 0) by (apply (one_holder n (x n) (n - 1)); auto; try lia;
          [intros i Hi; apply fresh_progress; auto|apply fresh_capacity; lia|apply fresh_last]);
        rewrite fresh_done in B by (auto; lia);
        change (sum (S n) (fun u => x u j)) with (sum n (fun u => x u j) + x n j) in B;
        rewrite fresh_sum in B by (auto; lia); destruct (_ <? _)%nat; lia).
      unfold job_value. destruct (completion fresh s (n - 1)) as [f|] eqn:E.
      - destruct (completion_spec _ _ _ _ E) as (A & B & _). rewrite fresh_at in B by lia. simpl in A, B.
        assert (f = n) as ->.
        { destruct (Nat.eq_dec f n); auto. specialize (N f (n - 1)%nat ltac:(lia) ltac:(lia)). lia. }
        rewrite fresh_at by lia. cbn [fresh_job unit_job release utility].
        replace (n - (n - 1))%nat with 1%nat by lia. simpl. lia.
      - exfalso. unfold completion in E. assert (F := find_none _ _ E n). rewrite in_seq in F.
        specialize (F ltac:(simpl; lia)). cbv beta in F. apply Z.leb_gt in F.
        rewrite fresh_at, fresh_done in F by lia. simpl iterations in F.
        change (sum (S n) (fun u => x u (n - 1)%nat)) with (sum n (fun u => x u (n - 1)%nat) + x n (n - 1)%nat) in F.
        rewrite fresh_last, fresh_sum in F by lia. rewrite (proj2 (Nat.ltb_lt (n - 1) n)) in F by lia. lia.
    Qed.
  End Run.
End Fresh.

Lemma at_most_one n (x : nat -> Z) : (forall j, (j < n)%nat -> x j = 0 \/ x j = 1) ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> x i = 1 -> x j = 1 -> i = j) -> sum n x <= 1.
Proof.
  induction n as [|n IH]; intros H01 U; [simpl; lia|]. simpl sum.
  destruct (H01 n ltac:(lia)) as [E|E].
  - rewrite E. assert (sum n x <= 1); [|lia]. apply IH; intros; [apply H01|apply U]; auto.
  - rewrite E, sum_zero; [lia|]. intros j Hj. destruct (H01 j ltac:(lia)) as [|F]; auto.
    assert (j = n) by (apply U; auto). lia.
Qed.

Section FreshOptimum.
  Variable V : Z.
  Variable m : nat.
  Hypothesis V_pos : 1 <= V.
  Let n := (2 * m)%nat.
  Let I := fresh V n.

  Definition every_second : schedule := fun j t =>
    if Nat.odd j && ((j =? t)%nat || (S j =? t)%nat) then on_gpu else Idle.

  Lemma second_progress j t : (j < n)%nat -> progress I (job_at I j) (every_second j t) =
    if Nat.odd j then (if (j =? t)%nat then 1 else 0) + (if (S j =? t)%nat then 1 else 0) else 0.
  Proof.
    intros Hj. assert (P : progress I (job_at I j) on_gpu = 1).
    { unfold I. rewrite fresh_at by auto.
      destruct (one_gpu_held (S n) (map (fresh_job V) (seq 0 n)) j 2 [V + Z.of_nat j; V + Z.of_nat j] on_gpu
        (on_gpu_ok _ _ _ _ _)) as [P _]. exact P. }
    unfold every_second. destruct (Nat.odd j); [|reflexivity].
    destruct (Nat.eqb_spec j t), (Nat.eqb_spec (S j) t); cbn [andb orb]; rewrite ?P; try reflexivity. lia.
  Qed.
  Lemma second_done j t : (j < n)%nat -> done_before I every_second j t =
    if Nat.odd j then (if (j <? t)%nat then 1 else 0) + (if (S j <? t)%nat then 1 else 0) else 0.
  Proof.
    intros Hj. unfold done_before. rewrite (sum_ext _ _ _ (fun u _ => second_progress j u Hj)).
    destruct (Nat.odd j); [|apply sum_zero; auto].
    rewrite sum_plus, (sum_pick t j (fun _ => 1)), (sum_pick t (S j) (fun _ => 1)). reflexivity.
  Qed.
  Lemma fresh_ok : instance_ok I = true.
  Proof.
    unfold instance_ok, I, fresh, one_gpu. cbn [round_seconds consolidation_seconds jobs].
    apply andb_true_iff. split; [reflexivity|]. apply forallb_forall. intros J HJ.
    apply in_map_iff in HJ. destruct HJ as (i & <- & _). reflexivity.
  Qed.

  Lemma every_second_feasible : feasible I every_second.
  Proof.
    assert (N : num_jobs I = n) by apply fresh_jobs.
    constructor; rewrite ?N.
    - intros j t Hj Ht. unfold I. rewrite fresh_at by auto. unfold every_second.
      destruct (_ && _); [apply on_gpu_ok|exact Logic.I].
    - intros j t Hj Ht H. unfold I. rewrite fresh_at by auto. simpl. unfold every_second in H.
      destruct (Nat.eqb_spec j t), (Nat.eqb_spec (S j) t); try lia. rewrite andb_false_r in H. congruence.
    - intros j t Hj Ht H. rewrite second_done by auto. unfold I. rewrite fresh_at by auto. simpl iterations.
      unfold every_second in H. destruct (Nat.odd j); [|lia].
      destruct (Nat.eqb_spec j t), (Nat.eqb_spec (S j) t); cbn [andb orb] in H; try congruence;
        destruct (Nat.ltb_spec j t), (Nat.ltb_spec (S j) t); lia.
    - intros t h r Ht Hh Hr. simpl in Hh, Hr. assert (h = 0%nat) as -> by lia. assert (r = 0%nat) as -> by lia.
      change (cap I 0 0) with 1. apply at_most_one.
      + intros j _. unfold every_second. destruct (_ && _); [right|left]; reflexivity.
      + intros i j _ _. unfold every_second.
        destruct (Nat.odd i) eqn:Oi, (Nat.odd j) eqn:Oj; cbn [andb]; try discriminate.
        apply Nat.odd_spec in Oi, Oj. destruct Oi as (a & Ea), Oj as (b & Eb).
        destruct (Nat.eqb_spec i t), (Nat.eqb_spec (S i) t), (Nat.eqb_spec j t), (Nat.eqb_spec (S j) t);
          cbn [orb held]; try discriminate; intros _ _; lia.
  Qed.

  Theorem fresh_optimum : exists o, feasible I o /\ value I o = Z.of_nat m * (V + Z.of_nat m).
  Proof.
    exists every_second. split; [exact every_second_feasible|]. unfold value.
    assert (N : num_jobs I = n) by apply fresh_jobs. rewrite N.
    rewrite (sum_ext _ _ (fun j => if Nat.odd j then V + Z.of_nat j else 0)).
    - unfold n. clear. induction m as [|k IH]; [reflexivity|].
      replace (2 * S k)%nat with (S (S (2 * k))) by lia. cbn [sum]. rewrite IH.
      replace (Nat.odd (2 * k)) with false; [replace (Nat.odd (S (2 * k))) with true; [lia|]|]; symmetry.
      + apply Nat.odd_spec. exists k. lia.
      + rewrite <- Nat.negb_even, (proj2 (Nat.even_spec (2 * k))); [reflexivity|exists k; lia].
    - intros j Hj. unfold job_value. destruct (Nat.odd j) eqn:O.
      + rewrite (completion_in I fresh_ok every_second j (S j)).
        * unfold I. rewrite fresh_at by auto. cbn [fresh_job unit_job release utility].
          replace (S j - j)%nat with 1%nat by lia. reflexivity.
        * rewrite N. auto.
        * simpl. lia.
        * rewrite second_done by auto. rewrite O. unfold I. rewrite fresh_at by auto. simpl iterations.
          destruct (Nat.ltb_spec j (S j)), (Nat.ltb_spec (S j) (S j)); lia.
        * rewrite second_done by auto. rewrite O. unfold I. rewrite fresh_at by auto. simpl iterations.
          destruct (Nat.ltb_spec j (S (S j))), (Nat.ltb_spec (S j) (S (S j))); lia.
      + destruct (completion I every_second j) as [f|] eqn:E; [exfalso|reflexivity].
        destruct (completion_spec _ _ _ _ E) as (_ & B & _). rewrite second_done in B by auto. rewrite O in B.
        unfold I in B. rewrite fresh_at in B by auto. simpl in B. lia.
  Qed.
End FreshOptimum.

Lemma fresh_utilities V n : 0 <= V -> utilities_ok (fresh V n).
Proof.
  intros HV j d Hj. rewrite fresh_jobs in Hj. rewrite fresh_at by auto. cbn [fresh_job unit_job utility].
  destruct d as [|[|d]]; cbn [nth]; [lia|lia|destruct d; lia].
Qed.
Lemma fresh_needs V n j : (j < n)%nat -> needs (fresh V n) j 2.
Proof.
  intros Hj al Ha P. unfold progress_of in *. rewrite fresh_at in * by auto.
  destruct (one_gpu_held _ _ _ _ _ _ Ha) as [E H]. change (iterations (fresh_job V j)) with 2.
  change (progress (fresh V n) (fresh_job V j) al = held al 0 0) in E. lia.
Qed.

(* V is free, so U/L = (V + 4 rho + 1) / V comes as close to 1 as one likes *)
Theorem value_rule_unbounded (rho : Z) : 1 <= rho -> forall V, 4 * rho + 2 <= V -> exists I o,
  instance_ok I = true /\ utilities_ok I /\ feasible I o /\
  (forall j, (j < num_jobs I)%nat -> needs I j 2) /\
  (forall j d, (j < num_jobs I)%nat -> let u := nth d (utility (job_at I j)) 0 in
     u = 0 \/ V <= u <= V + 4 * rho + 1) /\
  (forall s, feasible I s -> value_rounds I s -> rho * value I s < value I o).
Proof.
  intros Hrho V HV. set (m := Z.to_nat (2 * rho + 1)).
  destruct (fresh_optimum V m) as (o & Fo & Vo). exists (fresh V (2 * m)), o.
  split; [apply fresh_ok|split; [apply fresh_utilities; lia|split; [exact Fo|split; [|split]]]].
  - intros j Hj. rewrite fresh_jobs in Hj. apply fresh_needs; auto.
  - intros j d Hj. rewrite fresh_jobs in Hj. rewrite fresh_at by auto. cbn [fresh_job unit_job utility].
    destruct d as [|[|d]]; cbn [nth]; [lia|lia|destruct d; lia].
  - intros s F R. rewrite Vo, (fresh_value V (2 * m)) by (auto; lia).
    replace (Z.of_nat (2 * m)) with (2 * (2 * rho + 1)) by lia. replace (Z.of_nat m) with (2 * rho + 1) by lia. nia.
Qed.

(* R1 without its hypothesis *)
Section FastSlow.
  Variable n : nat.
  Definition fast_job : job := Job 0 1 2 [(2, 1); (1, 1)] (1, 1) 1 [1; 1].
  Definition fast_slow : instance := Instance SingleType 2 1 2 [[1; Z.of_nat n]] (1, 1) (0, 1)
    (map (fun _ => fast_job) (seq 0 (S (S n)))).

  Lemma fast_at j : (j < S (S n))%nat -> job_at fast_slow j = fast_job.
  Proof. intros H. exact (nth_table (fun _ => fast_job) _ _ _ H). Qed.
  Lemma fast_jobs : num_jobs fast_slow = S (S n).
  Proof. unfold num_jobs, fast_slow. cbn [jobs]. rewrite map_length, seq_length. reflexivity. Qed.

  Lemma on_type_ok r0 : (r0 < 2)%nat -> allocation_ok fast_slow fast_job (on_type r0).
  Proof.
    intros H. assert (C : forall h r, (if (h =? 0)%nat && (r =? r0)%nat then 1 else 0) = 0 \/
      (if (h =? 0)%nat && (r =? r0)%nat then 1 else 0) = 1 /\ r = r0).
    { intros h r. destruct (Nat.eqb_spec h 0), (Nat.eqb_spec r r0); cbn [andb]; auto. }
    split; [|split].
    - intros h r Hh Hr. cbn in Hr. specialize (C h r). split; [lia|]. intros _.
      destruct r as [|[|r]]; [reflexivity|reflexivity|lia].
    - destruct r0 as [|[|r0]]; [reflexivity|reflexivity|lia].
    - intros _ h r h' r' _ _ _ _ P P'. assert (D := C h r). assert (D' := C h' r'). lia.
  Qed.
  Lemma fast_held a : allocation_ok fast_slow fast_job a -> 0 <= held a 0 0 /\
    (progress fast_slow fast_job a <= 1 \/ progress fast_slow fast_job a = 2 /\ held a 0 0 = 1).
  Proof.
    destruct a as [|g|g].
    - intros _. cbn. lia.
    - intros (C & W & _). cbn [held]. cbn in W. assert (C0 := C 0%nat 0%nat ltac:(cbn; lia) ltac:(cbn; lia)).
      assert (C1 := C 0%nat 1%nat ltac:(cbn; lia) ltac:(cbn; lia)).
      split; [apply C0|].
      assert (E : g 0%nat 0%nat = 1 /\ g 0%nat 1%nat = 0 \/ g 0%nat 0%nat = 0 /\ g 0%nat 1%nat = 1) by lia.
      unfold progress, gang_progress, level_progress, nodes_used, on_node, used. cbn.
      destruct E as [[E0 E1]|[E0 E1]]; rewrite E0, E1; cbn; lia.
    - intros (W & _). discriminate.
  Qed.

  Definition one_by_one : schedule := fun j t => if (j =? t)%nat then on_type 0 else Idle.
  Definition all_busy : schedule := fun j t =>
    if (j <? n)%nat then on_type 1 else if (j =? n + t)%nat then on_type 0 else Idle.

  Lemma one_by_one_done j t : (j < S (S n))%nat ->
    done_before fast_slow one_by_one j t = if (j <? t)%nat then 2 else 0.
  Proof.
    intros Hj. unfold done_before. rewrite (sum_ext _ _ (fun u => if (j =? u)%nat then 2 else 0)).
    - apply (sum_pick t j (fun _ => 2)).
    - intros u _. rewrite fast_at by auto. unfold one_by_one. destruct (j =? u)%nat; reflexivity.
  Qed.
  Lemma one_by_one_feasible : feasible fast_slow one_by_one.
  Proof.
    constructor; rewrite ?fast_jobs.
    - intros j t Hj Ht. rewrite fast_at by auto. unfold one_by_one. destruct (_ =? _)%nat; [apply on_type_ok; lia|exact Logic.I].
    - intros j t Hj Ht _. rewrite fast_at by auto. simpl. lia.
    - intros j t Hj Ht H. rewrite one_by_one_done, fast_at by auto. unfold one_by_one in H.
      destruct (Nat.eqb_spec j t) as [->|]; [|congruence]. rewrite Nat.ltb_irrefl. reflexivity.
    - intros t h r Ht Hh Hr. cbn in Ht, Hh, Hr. assert (h = 0%nat) as -> by lia.
      apply Z.le_trans with (sum (S (S n)) (fun j => if (t =? j)%nat then (if (r =? 0)%nat then 1 else 0) else 0)).
      + apply sum_le. intros j _. unfold one_by_one. rewrite (Nat.eqb_sym t j).
        destruct (_ =? _)%nat; [reflexivity|cbn [held]; lia].
      + rewrite (sum_pick _ t (fun _ => if (r =? 0)%nat then 1 else 0)).
        destruct r as [|[|r]]; [change (cap fast_slow 0 0) with 1|change (cap fast_slow 0 1) with (Z.of_nat n)|lia];
          destruct (t <? S (S n))%nat; cbn [Nat.eqb]; lia.
  Qed.
  Lemma one_by_one_best : best_rounds fast_slow 1 one_by_one.
  Proof.
    intros t a Ht (Ha & Hc & Hcap). cbn in Ht. rewrite fast_jobs in Ha, Hc. unfold round_score. rewrite fast_jobs.
    assert (Sc : forall j b, (j < S (S n))%nat -> done_before fast_slow one_by_one j t = 0 ->
      (progress fast_slow fast_job b <= 1 -> score fast_slow 1 one_by_one t j b = 0) /\
      (progress fast_slow fast_job b = 2 -> score fast_slow 1 one_by_one t j b = 1)).
    { intros j b Hj D. unfold score, rounds_left. rewrite D. unfold progress_of. rewrite fast_at by auto.
      cbn [iterations fast_job]. set (p := progress fast_slow fast_job b). clearbody p. split.
      - intros P. destruct (Z.ltb_spec 0 p) as [P0|]; [|reflexivity]. replace p with 1 by lia. reflexivity.
      - intros ->. unfold utility_at. rewrite fast_at by auto. destruct t as [|[|t]]; [reflexivity|reflexivity|lia]. }
    apply Z.le_trans with (sum (S (S n)) (fun j => held (a j) 0 0)).
    - apply sum_le. intros j Hj. assert (Hok := Ha j Hj). rewrite fast_at in Hok by auto.
      destruct (fast_held _ Hok) as [H0 H1].
      destruct (Z_le_gt_dec (progress_of fast_slow j (a j)) 0) as [P|P].
      { unfold score. rewrite (proj2 (Z.ltb_ge _ _) P). exact H0. }
      assert (D : done_before fast_slow one_by_one j t = 0).
      { assert (B : a j <> Idle) by (intros E; rewrite E in P; cbn in P; lia).
        destruct (Hc j Hj B) as [_ D]. rewrite one_by_one_done, fast_at in D by auto. simpl in D.
        rewrite one_by_one_done by auto. destruct (_ <? _)%nat; lia. }
      destruct (Sc j (a j) Hj D) as [Q1 Q2]. destruct H1 as [H1|[H1 E]].
      + rewrite Q1 by auto. exact H0.
      + rewrite Q2 by auto. lia.
    - rewrite fast_jobs in Hcap. eapply Z.le_trans; [apply (Hcap 0%nat 0%nat); cbn; auto with arith|]. change (cap fast_slow 0 0) with 1.
      rewrite (sum_single (S (S n)) _ t ltac:(lia)).
      + assert (D : done_before fast_slow one_by_one t t = 0)
          by (rewrite one_by_one_done by lia; rewrite Nat.ltb_irrefl; reflexivity).
        rewrite (proj2 (Sc t (one_by_one t t) ltac:(lia) D)); [lia|].
        unfold one_by_one. rewrite Nat.eqb_refl. reflexivity.
      + intros j _ Ne. unfold one_by_one. rewrite (proj2 (Nat.eqb_neq _ _) Ne). reflexivity.
  Qed.
  Lemma one_by_one_value : value fast_slow one_by_one = 2.
  Proof.
    unfold value. rewrite fast_jobs.
    rewrite (sum_ext _ _ (fun j => (if (0 =? j)%nat then 1 else 0) + (if (1 =? j)%nat then 1 else 0))).
    - rewrite sum_plus, (sum_pick _ 0 (fun _ => 1)), (sum_pick _ 1 (fun _ => 1)). reflexivity.
    - intros j Hj. unfold job_value, completion. rewrite fast_at by auto. cbn [seq num_rounds fast_slow find].
      rewrite !one_by_one_done by auto. destruct j as [|[|j]]; reflexivity.
  Qed.

  Lemma all_busy_done j t : (j < S (S n))%nat -> (t <= 2)%nat -> done_before fast_slow all_busy j t =
    if (j <? n)%nat then Z.of_nat t else if (j <? n + t)%nat then 2 else 0.
  Proof.
    intros Hj Ht. unfold done_before. rewrite fast_at by auto. unfold all_busy.
    destruct (Nat.ltb_spec j n) as [L|L].
    - destruct t as [|[|[|t]]]; [reflexivity|reflexivity|reflexivity|lia].
    - rewrite (sum_ext _ _ (fun u => if (j - n =? u)%nat then 2 else 0)).
      + rewrite (sum_pick t (j - n) (fun _ => 2)).
        destruct (Nat.ltb_spec (j - n) t), (Nat.ltb_spec j (n + t)); lia.
      + intros u _. destruct (Nat.eqb_spec j (n + u)), (Nat.eqb_spec (j - n) u); try lia; reflexivity.
  Qed.
  Lemma below_count m k : sum m (fun j => if (j <? k)%nat then 1 else 0) = Z.of_nat (Nat.min m k).
  Proof.
    induction m as [|m IH]; [reflexivity|]. cbn [sum]. rewrite IH. destruct (Nat.ltb_spec m k); lia.
  Qed.
  Lemma all_busy_feasible : feasible fast_slow all_busy.
  Proof.
    constructor; rewrite ?fast_jobs.
    - intros j t Hj Ht. rewrite fast_at by auto. unfold all_busy.
      destruct (_ <? _)%nat; [apply on_type_ok; lia|destruct (_ =? _)%nat; [apply on_type_ok; lia|exact Logic.I]].
    - intros j t Hj Ht _. rewrite fast_at by auto. simpl. lia.
    - intros j t Hj Ht H. cbn in Ht. rewrite all_busy_done, fast_at by (auto; lia). cbn [iterations fast_job].
      unfold all_busy in H. destruct (Nat.ltb_spec j n); [lia|].
      destruct (Nat.eqb_spec j (n + t)) as [->|]; [|congruence]. rewrite Nat.ltb_irrefl. lia.
    - intros t h r Ht Hh Hr. cbn in Ht, Hh, Hr. assert (h = 0%nat) as -> by lia.
      destruct r as [|[|r]]; [| |lia].
      + change (cap fast_slow 0 0) with 1.
        apply Z.le_trans with (sum (S (S n)) (fun j => if (n + t =? j)%nat then 1 else 0)).
        * apply sum_le. intros j _. unfold all_busy. rewrite (Nat.eqb_sym (n + t) j).
          destruct (Nat.ltb_spec j n); destruct (Nat.eqb_spec j (n + t)); cbn; lia.
        * rewrite (sum_pick _ (n + t) (fun _ => 1)). destruct (_ <? _)%nat; lia.
      + change (cap fast_slow 0 1) with (Z.of_nat n).
        rewrite (sum_ext _ _ (fun j => if (j <? n)%nat then 1 else 0)); [rewrite below_count; lia|].
        intros j _. unfold all_busy. destruct (_ <? _)%nat; [reflexivity|]. destruct (_ =? _)%nat; reflexivity.
  Qed.
  Lemma all_busy_value : value fast_slow all_busy = Z.of_nat n + 2.
  Proof.
    unfold value. rewrite fast_jobs. rewrite (sum_ext _ _ (fun j => if (j <? S (S n))%nat then 1 else 0)).
    - rewrite below_count. lia.
    - intros j Hj. rewrite (proj2 (Nat.ltb_lt _ _) Hj). unfold job_value, completion.
      rewrite fast_at by auto. cbn [seq num_rounds fast_slow find].
      rewrite !all_busy_done by (auto; lia). cbn [iterations fast_job release utility].
      destruct (Nat.ltb_spec j n); [reflexivity|].
      destruct (Nat.ltb_spec j (n + 1)); [reflexivity|].
      destruct (Nat.ltb_spec j (n + 2)); [reflexivity|lia].
  Qed.

  Theorem one_round_false : exists s o, feasible fast_slow s /\ feasible fast_slow o /\
    best_rounds fast_slow 1 s /\ value fast_slow s = 2 /\ value fast_slow o = Z.of_nat n + 2.
  Proof.
    exists one_by_one, all_busy. repeat split; try apply one_by_one_feasible; try apply all_busy_feasible.
    - apply one_by_one_best.
    - apply one_by_one_value.
    - apply all_busy_value.
  Qed.
End FastSlow.

(* 2 is the least constant of R1 *)
Section TwoDeadlines.
  Variable N : Z.
  Hypothesis N_pos : 1 <= N.
  Definition soon : job := unit_job 0 1 [N].
  Definition later : job := unit_job 0 1 [N + 1; N + 1].
  Definition two_deadlines : instance := one_gpu 2 [soon; later].

  Lemma two_held j al : (j < 2)%nat -> allocation_ok two_deadlines (job_at two_deadlines j) al ->
    progress_of two_deadlines j al = held al 0 0 /\ (held al 0 0 = 0 \/ held al 0 0 = 1).
  Proof. destruct j as [|[|j]]; [| |lia]; intros _; apply one_gpu_held. Qed.

  Theorem one_round_tight :
    (forall s, feasible two_deadlines s -> best_rounds two_deadlines 1 s -> value two_deadlines s = N + 1) /\
    exists o, feasible two_deadlines o /\ value two_deadlines o = 2 * N + 1.
  Proof.
    split.
    - intros s F B.
      assert (P : forall j t, (j < 2)%nat -> (t < 2)%nat -> progress_of two_deadlines j (s j t) = held (s j t) 0 0 /\
        (held (s j t) 0 0 = 0 \/ held (s j t) 0 0 = 1)).
      { intros j t Hj Ht. apply two_held; auto. apply (feasible_allocation _ _ F); auto. }
      assert (C : held (s 0%nat 0%nat) 0 0 + held (s 1%nat 0%nat) 0 0 <= 1)
        by (apply (feasible_capacity _ _ F 0%nat 0%nat 0%nat); cbn; auto).
      assert (R := B 0%nat (fun j => if (j =? 1)%nat then on_gpu else Idle) ltac:(cbn; auto)).
      assert (X : candidate two_deadlines s 0 (fun j => if (j =? 1)%nat then on_gpu else Idle)).
      { split; [|split].
        - intros j Hj. destruct j as [|[|j]]; [exact Logic.I|apply on_gpu_ok|exact Logic.I].
        - intros j Hj _. destruct j as [|[|j]]; cbn; [lia|lia|cbn in Hj; lia].
        - intros h r Hh Hr. cbn in Hh, Hr. assert (h = 0%nat) as -> by lia. assert (r = 0%nat) as -> by lia. cbn. lia. }
      specialize (R X). clear X.
      assert (Sc : forall j al, (j < 2)%nat -> progress_of two_deadlines j al = 1 ->
        score two_deadlines 1 s 0 j al = if (j =? 0)%nat then N else N + 1).
      { intros j al Hj E. unfold score, rounds_left. rewrite E. destruct j as [|[|j]]; [| |lia].
        - change (N * 1 * 1 = N). ring.
        - change ((N + 1) * 1 * 1 = N + 1). ring. }
      assert (S0 : forall j al, progress_of two_deadlines j al = 0 -> score two_deadlines 1 s 0 j al = 0).
      { intros j al E. unfold score. rewrite E. reflexivity. }
      unfold round_score in R. change (num_jobs two_deadlines) with 2%nat in R. cbn [sum Nat.eqb] in R.
      rewrite (S0 0%nat Idle eq_refl), (Sc 1%nat on_gpu) in R by (auto; reflexivity). cbn [Nat.eqb] in R.
      destruct (P 0%nat 0%nat ltac:(auto) ltac:(auto)) as [P0 H0].
      destruct (P 1%nat 0%nat ltac:(auto) ltac:(auto)) as [P1 H1].
      assert (E1 : held (s 1%nat 0%nat) 0 0 = 1).
      { destruct H1 as [H1|]; auto. exfalso. rewrite (S0 1%nat (s 1%nat 0%nat)) in R by lia.
        destruct H0 as [H0|H0]; [rewrite S0 in R by lia|rewrite Sc in R by (auto; lia); cbn in R]; lia. }
      assert (E0 : held (s 0%nat 0%nat) 0 0 = 0) by lia.
      unfold value. change (num_jobs two_deadlines) with 2%nat. cbn [sum].
      unfold job_value, completion. change (num_rounds two_deadlines) with 2%nat. cbn [seq find].
      unfold done_before. cbn [sum]. unfold progress_of in *. rewrite P0, P1, E0, E1.
      change (iterations (job_at two_deadlines 0)) with 1. change (iterations (job_at two_deadlines 1)) with 1.
      cbn [Z.leb Z.add Z.compare]. cbn [release utility job_at nth jobs two_deadlines one_gpu soon later unit_job Nat.sub].
      change (1 <=? 1) with true. cbn iota beta. cbn [Nat.sub].
      destruct (1 <=? progress two_deadlines soon (s 0%nat 1%nat)); cbn [Nat.sub]; cbn iota; ring.
    - set (o := fun j t : nat => if (j =? t)%nat then on_gpu else Idle). exists o. split.
      + constructor; change (num_jobs two_deadlines) with 2%nat.
        * intros j t Hj Ht. unfold o. destruct (j =? t)%nat; [|exact Logic.I].
          destruct j as [|[|j]]; [apply on_gpu_ok|apply on_gpu_ok|lia].
        * intros j t Hj Ht _. destruct j as [|[|j]]; cbn; lia.
        * intros j t Hj Ht H. cbn in Ht. destruct j as [|[|j]], t as [|[|t]]; try lia; try (cbn in H; congruence); reflexivity.
        * intros t h r Ht Hh Hr. cbn in Ht, Hh, Hr. assert (h = 0%nat) as -> by lia. assert (r = 0%nat) as -> by lia.
          destruct t as [|[|t]]; cbn; lia.
      + unfold value. change (num_jobs two_deadlines) with 2%nat. cbn [sum].
        change (job_value two_deadlines o 0) with N. change (job_value two_deadlines o 1) with (N + 1). lia.
  Qed.
End TwoDeadlines.
