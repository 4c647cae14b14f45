(** * R3 Re-planning with more or faster machines than the optimum has.

    Two instances with the same jobs, nodes, types and rounds: I, on which the optimum runs, and R, on which the
    scheduler runs, with other capacities or speeds (a node that only the scheduler has is one without GPUs in I).
    kt, w, score_learnt: the discounted scores of ReplanningLearnt.v, on R; kt t = k is the rule of R2.

    [roomier I R]         the same jobs, releases, utilities, rounds, nodes, types; what job j may hold in I it may
                          hold in R, and it makes progress there if it does in I
    [outside I R kt w en ed s]  in every round s scores at least ed/en times any set of allocations that fits the
                          cluster of I, of jobs that are released, not complete and make no progress under s
    [worthwhile I j]      some feasible schedule of I completes job j while it is worth something
    [clusters m I]          I with m times the GPUs on every node
    [fits_clusters I m a]   the jobs can be divided over m clusters, each equal to that of I, so that a fits each
    [best_clusters I m kt w s]  in every round s runs a set of the greatest score among those that fit the m clusters

    [replanning_room]     each worthwhile job takes p <= kt rounds in R, whatever it holds, and no fewer in I:
                          ed (k-1)^(k-1) OPT(I) <= (ed (k-1)^(k-1) + en k^k) P(R)
    [replanning_clusters]   with m clusters for one:  m (k-1)^(k-1) OPT <= (m (k-1)^(k-1) + k^k) P, that is
                          OPT <= (1 + (k/m) (k/(k-1))^(k-1)) P *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerJob CheckerTree Completion Replanning ReplanningLearnt.
Import ListNotations.
Open Scope Z_scope.

Record roomier (I R : instance) : Prop := Roomier {
  same_jobs : num_jobs R = num_jobs I;
  same_rounds : num_rounds R = num_rounds I;
  same_release : forall j, release (job_at R j) = release (job_at I j);
  same_utility : forall j, utility (job_at R j) = utility (job_at I j);
  more_allowed : forall j a, (j < num_jobs I)%nat -> allocation_ok I (job_at I j) a -> allocation_ok R (job_at R j) a;
  more_progress : forall j a, (j < num_jobs I)%nat -> allocation_ok I (job_at I j) a ->
    0 < progress_of I j a -> 0 < progress_of R j a }.

Definition outside (I R : instance) (kt : nat -> nat) (w : nat -> nat -> Z) (en ed : Z) (s : schedule) : Prop :=
  forall t a, (t < num_rounds I)%nat ->
    (forall j, (j < num_jobs I)%nat -> allocation_ok I (job_at I j) (a j)) ->
    (forall j, (j < num_jobs I)%nat -> a j <> Idle ->
       (release (job_at R j) <= t)%nat /\ done_before R s j t < iterations (job_at R j)) ->
    (forall j, (j < num_jobs I)%nat -> 0 < progress_of R j (s j t) -> a j = Idle) ->
    (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat ->
       sum (num_jobs I) (fun j => held (a j) h r) <= cap I h r) ->
    ed * round_score_learnt R kt w s t a <= en * round_score_learnt R kt w s t (fun j => s j t).

Definition worthwhile (I : instance) (j : nat) : Prop := exists o f,
  feasible I o /\ completion I o j = Some f /\ 0 < utility_at I j f.

(* rounds before t in which job j makes progress *)
Definition busy_rounds (I : instance) (s : schedule) (j t : nat) : Z :=
  sum t (fun u => if 0 <? progress_of I j (s j u) then 1 else 0).

Section Room.
  Variables I R : instance.
  Variable kt : nat -> nat.
  Variable w : nat -> nat -> Z.
  Variable k : nat.
  Variables E en ed : Z.
  Variables s o : schedule.
  Hypothesis inst : instance_ok I = true.
  Hypothesis inst_R : instance_ok R = true.
  Hypothesis room : roomier I R.
  Hypothesis utilities : utilities_ok I.
  Hypothesis k_pos : (1 <= k)%nat.
  Hypothesis growing : grows kt k.
  Hypothesis scale : scaled kt E w.
  Hypothesis feas : feasible R s.
  Hypothesis feas_o : feasible I o.
  Hypothesis en_nonneg : 0 <= en.
  Hypothesis ed_pos : 0 < ed.
  Hypothesis goes_on : continues_learnt R kt w s.
  Hypothesis rest : outside I R kt w en ed s.
  Hypothesis rounds : forall j, (j < num_jobs I)%nat -> worthwhile I j -> exists p, known R kt j p /\ needs R j p /\
    forall a, allocation_ok I (job_at I j) a -> 0 < progress_of I j a ->
      (Z.of_nat p - 1) * progress_of I j a < iterations (job_at I j).
  Let n := num_jobs I.
  Let T := num_rounds I.
  Let K := Z.of_nat k.

  Lemma utility_room j t : utility_at R j t = utility_at I j t.
  Proof. unfold utility_at. rewrite (same_release _ _ room), (same_utility _ _ room). reflexivity. Qed.
  Lemma utilities_R : utilities_ok R.
  Proof. intros j d. rewrite (same_jobs _ _ room), (same_utility _ _ room). apply utilities. Qed.

  Lemma busy_grows (X : instance) (x : schedule) j t m :
    busy_rounds X x j (t + m) <= busy_rounds X x j t + Z.of_nat m.
  Proof.
    induction m as [|m IH]; [rewrite Nat.add_0_r; lia|]. replace (t + S m)%nat with (S (t + m)) by lia.
    unfold busy_rounds in *. cbn [sum]. destruct (_ <? _); lia.
  Qed.

  (* the first round in which o runs j and s does not, if there is one *)
  Lemma first_passed j m :
    (exists u, (u < m)%nat /\ 0 < progress_of I j (o j u) /\ progress_of R j (s j u) <= 0 /\
       busy_rounds I o j u <= busy_rounds R s j u) \/
    busy_rounds I o j m <= busy_rounds R s j m.
  Proof.
    induction m as [|m [(u & A & B & C & D)|IH]]; [right; unfold busy_rounds; simpl; lia|left; exists u; repeat split; auto|].
    destruct (Z.ltb_spec 0 (progress_of I j (o j m))) as [A|A].
    - destruct (Z.ltb_spec 0 (progress_of R j (s j m))) as [B|B].
      + right. unfold busy_rounds in *. cbn [sum]. rewrite (proj2 (Z.ltb_lt _ _) A), (proj2 (Z.ltb_lt _ _) B). lia.
      + left. exists m. repeat split; auto.
    - right. unfold busy_rounds in *. cbn [sum]. rewrite (proj2 (Z.ltb_ge _ _) A). destruct (_ <? _); lia.
  Qed.

  (* p rounds at most in R: each does a p-th of the work or more *)
  Lemma busy_done j p m : (j < n)%nat -> (m <= T)%nat -> needs R j p ->
    busy_rounds R s j m * iterations (job_at R j) <= Z.of_nat p * done_before R s j m.
  Proof.
    intros Hj Hm N. induction m as [|m IH]; [unfold busy_rounds, done_before; simpl; lia|].
    specialize (IH ltac:(lia)). rewrite done_step. unfold busy_rounds in *. cbn [sum].
    assert (G := progress_of_nonneg R inst_R j (s j m)). rewrite (same_jobs _ _ room) in G. specialize (G Hj).
    destruct (Z.ltb_spec 0 (progress_of R j (s j m))) as [A|A]; [|nia].
    assert (W := N (s j m)). assert (F := feasible_allocation _ _ feas j m).
    rewrite (same_jobs _ _ room), (same_rounds _ _ room) in F.
    specialize (W (F Hj ltac:(fold T; lia)) A). lia.
  Qed.
  (* p rounds at least in I *)
  Lemma busy_least j p f : (j < n)%nat -> completion I o j = Some f -> (1 <= p)%nat ->
    (forall a, allocation_ok I (job_at I j) a -> 0 < progress_of I j a ->
      (Z.of_nat p - 1) * progress_of I j a < iterations (job_at I j)) ->
    Z.of_nat p <= busy_rounds I o j (S f).
  Proof.
    intros Hj C Hp N. destruct (completion_spec I _ _ _ C) as (A & B & _). fold T in A.
    assert (HQ := iterations_pos I inst j Hj). set (Q := iterations (job_at I j)) in *.
    assert (X : forall m, (m <= S f)%nat -> (Z.of_nat p - 1) * done_before I o j m <= busy_rounds I o j m * (Q - 1)).
    { induction m as [|m IH]; intros Hm; [unfold busy_rounds, done_before; simpl; lia|].
      specialize (IH ltac:(lia)). rewrite done_step. unfold busy_rounds in *. cbn [sum].
      assert (G := progress_of_nonneg I inst j (o j m) Hj).
      destruct (Z.ltb_spec 0 (progress_of I j (o j m))) as [G'|G'].
      - assert (W := N (o j m) (feasible_allocation _ _ feas_o j m Hj ltac:(fold T; lia)) G'). lia.
      - replace (progress_of I j (o j m)) with 0 by lia. lia. }
    specialize (X (S f) (le_n _)).
    assert (P := completion_progress I inst o j f Hj C).
    assert (One : 1 <= busy_rounds I o j (S f)).
    { unfold busy_rounds. cbn [sum]. rewrite (proj2 (Z.ltb_lt _ _) P).
      assert (0 <= sum f (fun u => if 0 <? progress_of I j (o j u) then 1 else 0)); [|lia].
      apply sum_nonneg. intros u _. destruct (_ <? _); lia. }
    destruct (Z_lt_le_dec (busy_rounds I o j (S f)) (Z.of_nat p)) as [L|L]; [exfalso|auto].
    set (b := busy_rounds I o j (S f)) in *. assert (b <= Z.of_nat p - 1) by lia.
    assert (b * (Q - 1) <= (Z.of_nat p - 1) * (Q - 1)) by (apply Z.mul_le_mono_nonneg_r; lia).
    assert ((Z.of_nat p - 1) * Q <= (Z.of_nat p - 1) * done_before I o j (S f)) by (apply Z.mul_le_mono_nonneg_l; lia).
    nia.
  Qed.

  (* what o runs in round t, of the jobs that s could run and does not *)
  Definition passed (t j : nat) : allocation :=
    if (0 <? progress_of I j (o j t)) && (progress_of R j (s j t) <=? 0) &&
       (done_before R s j t <? iterations (job_at R j)) then o j t else Idle.

  Lemma charge_room j : (j < n)%nat ->
    low k * E * job_value I o j <= low k * E * job_value R s j +
      top k * sum T (fun t => score_learnt R kt w s t j (passed t j)).
  Proof.
    intros Hj. assert (HjR : (j < num_jobs R)%nat) by (rewrite (same_jobs _ _ room); auto).
    assert (ER := same_rounds _ _ room).
    assert (HE := E_pos kt w E scale). assert (HT := top_pos k k_pos).
    assert (Hlow : 0 <= low k * E) by (apply Z.mul_nonneg_nonneg; [apply low_nonneg; auto|lia]).
    assert (Hs0 : 0 <= job_value R s j).
    { unfold job_value. destruct (completion R s j) as [g|]; [apply (utility_nonneg R utilities_R j g HjR)|lia]. }
    assert (Hn : forall t, 0 <= score_learnt R kt w s t j (passed t j)).
    { intros t. apply (score_learnt_nonneg R kt w k E s utilities_R k_pos scale). exact HjR. }
    assert (Hsum : 0 <= sum T (fun t => score_learnt R kt w s t j (passed t j))) by (apply sum_nonneg; auto).
    assert (Hts : 0 <= top k * sum T (fun t => score_learnt R kt w s t j (passed t j)))
      by (apply Z.mul_nonneg_nonneg; lia).
    assert (Hls : 0 <= low k * E * job_value R s j) by (apply Z.mul_nonneg_nonneg; auto).
    unfold job_value at 1. destruct (completion I o j) as [f|] eqn:C; [|lia].
    fold (utility_at I j f). destruct (completion_spec I _ _ _ C) as (F1 & F2 & _). fold T in F1.
    assert (U0 := utility_nonneg I utilities j f Hj).
    destruct (Z.eq_dec (utility_at I j f) 0) as [->|UP]; [lia|].
    destruct (rounds j Hj ltac:(exists o, f; split; [auto|split; [auto|lia]])) as (p & Kp & Np & Lp).
    assert (HQ := iterations_pos R inst_R j HjR). set (Q := iterations (job_at R j)) in *.
    assert (P0 := completion_progress I inst o j f Hj C).
    assert (Hp : (1 <= p)%nat).
    { assert (A := more_allowed _ _ room j (o j f) Hj (feasible_allocation _ _ feas_o j f Hj ltac:(fold T; lia))).
      assert (B := more_progress _ _ room j (o j f) Hj (feasible_allocation _ _ feas_o j f Hj ltac:(fold T; lia)) P0).
      assert (X := Np _ A B). fold Q in X. destruct p; [|lia]. simpl in X. lia. }
    assert (Least := busy_least j p f Hj C Hp Lp).
    destruct (Z_lt_le_dec (done_before R s j (S f)) Q) as [D|D].
    - (* not complete by f: some round of o passed by *)
      destruct (first_passed j (S f)) as [(u & Hu & Ho & Hs & Hb)|Hb].
      2: { exfalso. assert (B := busy_done j p (S f) Hj ltac:(lia) Np). fold Q in B.
           set (b := busy_rounds R s j (S f)) in *.
           assert (Z.of_nat p * Q <= b * Q) by (apply Z.mul_le_mono_nonneg_r; lia).
           assert (Z.of_nat p * done_before R s j (S f) < Z.of_nat p * Q) by (apply Z.mul_lt_mono_pos_l; lia). lia. }
      assert (HuT : (u < T)%nat) by lia.
      assert (Du : done_before R s j u < Q).
      { assert (M := done_increases R inst_R s j u (S f) HjR ltac:(lia)). lia. }
      assert (D0 := done_nonneg R inst_R s j u HjR).
      assert (Ok := feasible_allocation _ _ feas_o j u Hj HuT).
      assert (Rel := feasible_release _ _ feas_o j u Hj HuT (progress_busy I o j u Ho)).
      set (x := progress_of R j (o j u)).
      assert (Hx : 0 < x) by (apply (more_progress _ _ room); auto).
      assert (Hq := Np _ (more_allowed _ _ room j _ Hj Ok) Hx). fold x Q in Hq.
      assert (M : passed u j = o j u).
      { unfold passed. fold Q. rewrite (proj2 (Z.ltb_lt _ _) Ho), (proj2 (Z.leb_le _ _) Hs), (proj2 (Z.ltb_lt _ _) Du).
        reflexivity. }
      assert (G := busy_grows I o j u (S f - u)). replace (u + (S f - u))%nat with (S f) in G by lia.
      assert (B := busy_done j p u Hj ltac:(lia) Np). fold Q in B.
      set (b := busy_rounds R s j u) in *. set (d := done_before R s j u) in *.
      (* q rounds are left, q <= p - b <= S f - u *)
      assert (Hb1 : b < Z.of_nat p).
      { assert (Z.of_nat p * d < Z.of_nat p * Q) by (apply Z.mul_lt_mono_pos_l; lia). nia. }
      assert (Hb0 : 0 <= b) by (apply sum_nonneg; intros v _; destruct (_ <? _); lia).
      assert (Lo : 1 <= rounds_left R s u j (o j u)).
      { unfold rounds_left. fold Q d x. apply Z.div_le_lower_bound; lia. }
      assert (Hi : rounds_left R s u j (o j u) <= Z.of_nat p - b).
      { unfold rounds_left. fold Q d x. apply Z.lt_succ_r. apply Z.div_lt_upper_bound; [auto|].
        assert (Y : Z.of_nat p * (Q - d) <= Z.of_nat p * ((Z.of_nat p - b) * x)).
        { apply Z.le_trans with ((Z.of_nat p - b) * Q); [lia|].
          replace (Z.of_nat p * ((Z.of_nat p - b) * x)) with ((Z.of_nat p - b) * (Z.of_nat p * x)) by ring.
          apply Z.mul_le_mono_nonneg_l; lia. }
        assert (Q - d <= (Z.of_nat p - b) * x) by (apply Z.mul_le_mono_pos_l with (Z.of_nat p); lia).
        unfold Z.succ. lia. }
      set (q := Z.to_nat (rounds_left R s u j (o j u))).
      assert (Kq : (q <= kt u)%nat).
      { assert (X := Kp u). rewrite (same_release _ _ room) in X. specialize (X Rel). unfold q. lia. }
      assert (Eq : (u + q <= S f)%nat) by (unfold q; lia).
      assert (ES : score_learnt R kt w s u j (passed u j) = utility_at I j (u + q - 1) * w u q).
      { rewrite M. unfold score_learnt. fold x q. rewrite (proj2 (Z.ltb_lt _ _) Hx).
        rewrite (proj2 (Nat.leb_le 1 q)), (proj2 (Nat.leb_le q (kt u))), (proj2 (Nat.leb_le (u + q) (num_rounds R)))
          by (rewrite ?ER; fold T; unfold q in *; lia). cbn [andb]. apply f_equal2; [apply utility_room|reflexivity]. }
      assert (Hge : low k * E * utility_at I j f <= top k * score_learnt R kt w s u j (passed u j)).
      { rewrite ES. assert (W := weight_low R kt w k E k_pos growing scale u q ltac:(unfold q in *; lia)).
        assert (U := utility_later I utilities j (u + q - 1) f Hj ltac:(lia)).
        apply Z.le_trans with (low k * E * utility_at I j (u + q - 1)); [apply Z.mul_le_mono_nonneg_l; auto|].
        replace (top k * (utility_at I j (u + q - 1) * w u q)) with (top k * w u q * utility_at I j (u + q - 1)) by ring.
        apply Z.mul_le_mono_nonneg_r; [lia|auto]. }
      assert (G2 := sum_term T (fun t => score_learnt R kt w s t j (passed t j)) u HuT (fun t _ => Hn t)). cbv beta in G2.
      assert (G3 : top k * score_learnt R kt w s u j (passed u j) <=
        top k * sum T (fun t => score_learnt R kt w s t j (passed t j))) by (apply Z.mul_le_mono_nonneg_l; lia).
      clear - Hge Hls G3. lia.
    - destruct (completed_by R inst_R s j (S f) HjR ltac:(rewrite ER; fold T; lia) D) as (g & Eg & G).
      assert (U := utility_later I utilities j g f Hj ltac:(lia)).
      unfold job_value in *. rewrite Eg in *. fold (utility_at R j g). rewrite utility_room.
      assert (low k * E * utility_at I j f <= low k * E * utility_at I j g) by (apply Z.mul_le_mono_nonneg_l; auto). lia.
  Qed.

  Lemma passed_outside t : (t < T)%nat ->
    ed * sum n (fun j => score_learnt R kt w s t j (passed t j)) <=
    en * round_score_learnt R kt w s t (fun j => s j t).
  Proof.
    intros Ht. assert (X := rest t (passed t) Ht). unfold round_score_learnt in X at 1.
    rewrite (same_jobs _ _ room) in X. apply X.
    - intros j Hj. unfold passed. destruct (_ && _ && _); [|exact Logic.I]. apply (feasible_allocation _ _ feas_o); auto.
    - intros j Hj. unfold passed. destruct (_ && _ && _) eqn:B; [|congruence]. intros H.
      rewrite !andb_true_iff, Z.ltb_lt, Z.ltb_lt in B. destruct B as [_ B]. split; [|exact B].
      rewrite (same_release _ _ room). apply (feasible_release _ _ feas_o j t Hj Ht H).
    - intros j Hj H. unfold passed. rewrite (proj2 (Z.leb_gt _ _) H), andb_false_r. reflexivity.
    - intros h r Hh Hr. eapply Z.le_trans; [|apply (feasible_capacity _ _ feas_o t h r Ht Hh Hr)].
      apply sum_le. intros j Hj. unfold passed. destruct (_ && _ && _); [lia|]. cbn [held].
      assert (Ha := feasible_allocation _ _ feas_o j t Hj Ht).
      destruct (o j t) as [|g|g]; cbn; [lia| |]; apply Ha; auto.
  Qed.

  Theorem replanning_room :
    ed * ((K - 1) ^ Z.of_nat (k - 1) * value I o) <= (ed * (K - 1) ^ Z.of_nat (k - 1) + en * K ^ K) * value R s.
  Proof.
    set (A := sum T (fun t => round_score_learnt R kt w s t (fun j => s j t))).
    assert (HA := total_score_learnt R kt w k E s inst_R utilities_R k_pos growing scale feas goes_on).
    cbv zeta in HA. rewrite (same_rounds _ _ room) in HA. fold T A K in HA.
    assert (HE := E_pos kt w E scale). assert (HT := top_pos k k_pos).
    set (M := sum n (fun j => sum T (fun t => score_learnt R kt w s t j (passed t j)))).
    assert (H1 : low k * E * value I o <= low k * E * value R s + top k * M).
    { unfold value, M. rewrite (same_jobs _ _ room). fold n. rewrite <- !sum_scale, <- sum_plus. apply sum_le.
      intros j Hj. apply charge_room; auto. }
    assert (H2 : ed * M <= en * A).
    { unfold M. rewrite sum_swap. unfold A. rewrite <- !sum_scale. apply sum_le. intros t Ht. apply passed_outside. auto. }
    assert (H3 : ed * (low k * E * value I o) <= ed * (low k * E * value R s + top k * M))
      by (apply Z.mul_le_mono_nonneg_l; lia).
    assert (H4 : en * A <= en * (K * E * value R s)) by (apply Z.mul_le_mono_nonneg_l; auto).
    assert (H5 : top k * (ed * M) <= top k * (en * (K * E * value R s))) by (apply Z.mul_le_mono_nonneg_l; lia).
    assert (TT := top_times k k_pos). cbv zeta in TT. fold K in TT. rewrite <- TT.
    fold K. change ((K - 1) ^ Z.of_nat (k - 1)) with (low k).
    apply Z.mul_le_mono_pos_r with E; auto.
    replace (ed * (low k * value I o) * E) with (ed * (low k * E * value I o)) by ring.
    replace ((ed * low k + en * (K * top k)) * value R s * E) with
      (ed * (low k * E * value R s) + top k * (en * (K * E * value R s))) by ring.
    replace (ed * (low k * E * value R s + top k * M)) with (ed * (low k * E * value R s) + top k * (ed * M)) in H3 by ring.
    lia.
  Qed.
End Room.

(* m clusters *)
Definition clusters (m : nat) (I : instance) : instance :=
  Instance (parallelism I) (num_rounds I) (num_nodes I) (num_types I) (map (map (Z.mul (Z.of_nat m))) (capacity I))
    (round_seconds I) (consolidation_seconds I) (jobs I).

Definition fits_clusters (I : instance) (m : nat) (a : nat -> allocation) : Prop := exists place : nat -> nat,
  (forall j, (j < num_jobs I)%nat -> (place j < m)%nat) /\
  forall i h r, (i < m)%nat -> (h < num_nodes I)%nat -> (r < num_types I)%nat ->
    sum (num_jobs I) (fun j => if (place j =? i)%nat then held (a j) h r else 0) <= cap I h r.

Definition may_run (I : instance) (s : schedule) (t : nat) (a : nat -> allocation) : Prop :=
  (forall j, (j < num_jobs I)%nat -> allocation_ok I (job_at I j) (a j)) /\
  (forall j, (j < num_jobs I)%nat -> a j <> Idle ->
     (release (job_at I j) <= t)%nat /\ done_before I s j t < iterations (job_at I j)).

Definition best_clusters (I : instance) (m : nat) (kt : nat -> nat) (w : nat -> nat -> Z) (s : schedule) : Prop :=
  forall t a, (t < num_rounds I)%nat -> may_run I s t a -> fits_clusters I m a ->
    round_score_learnt I kt w s t a <= round_score_learnt I kt w s t (fun j => s j t).

Lemma held_at_least I J a h r : allocation_ok I J a -> (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= held a h r.
Proof. intros H Hh Hr. destruct a as [|g|g]; cbn; [lia| |]; apply H; auto. Qed.

Section Clusters.
  Variable I : instance.
  Variable m : nat.
  Variable kt : nat -> nat.
  Variable w : nat -> nat -> Z.
  Variable k : nat.
  Variable E : Z.
  Variables s o : schedule.
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.
  Hypothesis m_pos : (1 <= m)%nat.
  Hypothesis k_pos : (1 <= k)%nat.
  Hypothesis growing : grows kt k.
  Hypothesis scale : scaled kt E w.
  Hypothesis feas : feasible (clusters m I) s.
  Hypothesis divided : forall t, (t < num_rounds I)%nat -> fits_clusters I m (fun j => s j t).
  Hypothesis best : best_clusters I m kt w s.
  Hypothesis feas_o : feasible I o.
  Let n := num_jobs I.

  Lemma clusters_roomier : roomier I (clusters m I).
  Proof. constructor; try reflexivity; auto. Qed.

  Lemma clusters_go_on : continues_learnt (clusters m I) kt w s.
  Proof.
    intros t Ht. change (num_rounds (clusters m I)) with (num_rounds I) in Ht.
    change (round_score_learnt I kt w s (S t) (continued (clusters m I) s t) <=
            round_score_learnt I kt w s (S t) (fun j => s j (S t))).
    destruct (divided t ltac:(lia)) as (place & P1 & P2). apply best; auto.
    - split.
      + intros j Hj. unfold continued. destruct (_ <=? _); [exact Logic.I|]. apply (feasible_allocation _ _ feas j t Hj).
        change (num_rounds (clusters m I)) with (num_rounds I). lia.
      + intros j Hj. unfold continued. change (job_at (clusters m I) j) with (job_at I j).
        destruct (Z.leb_spec (iterations (job_at I j)) (done_before (clusters m I) s j (S t))) as [|D]; [congruence|].
        intros H. assert (X := feasible_release _ _ feas j t Hj). change (num_rounds (clusters m I)) with (num_rounds I) in X.
        specialize (X ltac:(lia) H). change (job_at (clusters m I) j) with (job_at I j) in X. split; [lia|exact D].
    - exists place. split; [auto|]. intros i h r Hi Hh Hr. eapply Z.le_trans; [|apply (P2 i h r Hi Hh Hr)].
      apply sum_le. intros j Hj. destruct (_ =? _)%nat; [|lia]. unfold continued. destruct (_ <=? _); [|lia].
      cbn [held]. apply (held_at_least I (job_at I j)); auto. apply (feasible_allocation _ _ feas j t Hj).
      change (num_rounds (clusters m I)) with (num_rounds I). lia.
  Qed.

  Lemma score_without_progress t j a : ~ 0 < progress_of I j a -> score_learnt I kt w s t j a = 0.
  Proof. intros H. unfold score_learnt. rewrite (proj2 (Z.ltb_ge _ _)) by lia. reflexivity. Qed.

  Lemma clusters_outside : outside I (clusters m I) kt w 1 (Z.of_nat m) s.
  Proof.
    intros t a Ht Ok Run Idles Fits. change (num_jobs I) with n in Ok, Run, Idles, Fits.
    change (Z.of_nat m * round_score_learnt I kt w s t a <= 1 * round_score_learnt I kt w s t (fun j => s j t)).
    destruct (divided t Ht) as (place & P1 & P2).
    set (busy j := 0 <? progress_of I j (s j t)).
    assert (Oks : forall j, (j < n)%nat -> allocation_ok I (job_at I j) (s j t))
      by (intros j Hj; apply (feasible_allocation _ _ feas j t Hj Ht)).
    assert (Idles' : forall j, (j < n)%nat -> busy j = true -> a j = Idle).
    { intros j Hj B. apply Idles; auto. apply Z.ltb_lt. exact B. }
    set (part i := sum n (fun j => if (place j =? i)%nat then score_learnt I kt w s t j (s j t) else 0)).
    assert (Each : forall i, (i < m)%nat -> round_score_learnt I kt w s t a <= part i).
    { intros i Hi.
      set (b := fun j => if busy j then (if (place j =? i)%nat then Idle else s j t) else a j).
      assert (B : round_score_learnt I kt w s t b <= round_score_learnt I kt w s t (fun j => s j t)).
      { apply best; auto.
        - split.
          + intros j Hj. unfold b. destruct (busy j); [destruct (_ =? _)%nat; [exact Logic.I|]|]; auto.
          + intros j Hj. unfold b. destruct (busy j).
            * destruct (_ =? _)%nat; [congruence|]. intros H. split.
              -- apply (feasible_release _ _ feas j t Hj Ht H).
              -- apply (feasible_completion _ _ feas j t Hj Ht H).
            * apply Run; auto.
        - exists (fun j => if busy j then place j else i). split.
          + intros j Hj. destruct (busy j); auto.
          + intros i' h r Hi' Hh Hr. destruct (Nat.eq_dec i' i) as [->|Ne].
            * eapply Z.le_trans; [|apply (Fits h r Hh Hr)]. apply sum_le. intros j Hj. unfold b.
              assert (A0 := held_at_least I (job_at I j) (a j) h r (Ok j Hj) Hh Hr).
              destruct (busy j) eqn:Bj.
              -- destruct (Nat.eqb_spec (place j) i); cbn [held]; auto.
              -- rewrite Nat.eqb_refl. lia.
            * eapply Z.le_trans; [|apply (P2 i' h r Hi' Hh Hr)]. apply sum_le. intros j Hj. unfold b.
              assert (A0 := held_at_least I (job_at I j) (s j t) h r (Oks j Hj) Hh Hr).
              destruct (busy j) eqn:Bj.
              -- destruct (Nat.eqb_spec (place j) i'); [|lia]. rewrite (proj2 (Nat.eqb_neq _ _)) by congruence. lia.
              -- rewrite (proj2 (Nat.eqb_neq i i')) by congruence. destruct (_ =? _)%nat; lia. }
      assert (Sb : round_score_learnt I kt w s t b =
        round_score_learnt I kt w s t (fun j => s j t) - part i + round_score_learnt I kt w s t a).
      { unfold round_score_learnt, part. fold n. rewrite <- sum_minus, <- sum_plus. apply sum_ext. intros j Hj.
        unfold b. destruct (busy j) eqn:Bj.
        - rewrite (Idles' j Hj Bj). change (score_learnt I kt w s t j Idle) with 0.
          destruct (_ =? _)%nat; [change (score_learnt I kt w s t j Idle) with 0|]; lia.
        - rewrite (score_without_progress t j (s j t)); [destruct (_ =? _)%nat; lia|].
          apply Z.ltb_ge in Bj. lia. }
      lia. }
    assert (All : sum m part = round_score_learnt I kt w s t (fun j => s j t)).
    { unfold part. rewrite sum_swap. apply sum_ext. intros j Hj.
      rewrite (sum_pick m (place j) (fun _ => score_learnt I kt w s t j (s j t))).
      rewrite (proj2 (Nat.ltb_lt _ _) (P1 j Hj)). reflexivity. }
    rewrite <- All, Z.mul_1_l. clear - Each. induction m as [|v IH]; [simpl; lia|].
    cbn [sum]. assert (L := Each v ltac:(lia)). specialize (IH ltac:(intros; apply Each; lia)). lia.
  Qed.

  Theorem replanning_clusters :
    (forall j, (j < num_jobs I)%nat -> worthwhile I j -> exists p, known I kt j p /\ needs I j p) ->
    let K := Z.of_nat k in
    Z.of_nat m * ((K - 1) ^ Z.of_nat (k - 1) * value I o) <=
      (Z.of_nat m * (K - 1) ^ Z.of_nat (k - 1) + K ^ K) * value I s.
  Proof.
    intros N K.
    assert (B := replanning_room I (clusters m I) kt w k E 1 (Z.of_nat m) s o inst inst clusters_roomier utilities k_pos
      growing scale feas feas_o ltac:(lia) ltac:(lia) clusters_go_on clusters_outside).
    rewrite Z.mul_1_l in B. apply B. intros j Hj W. destruct (N j Hj W) as (p & Kp & Np).
    exists p. split; [exact Kp|]. split; [exact Np|]. intros a Ok P. apply Np; auto.
  Qed.
End Clusters.
