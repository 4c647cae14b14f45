(** * R3l Several progress levels per job, and more clusters than the optimum has.

    The setting of [replanning_clusters] (ReplanningRoom.v): the scheduler has m clusters, each equal to that of the optimum,
    and runs in every round a set of the greatest score; but a job may have several levels (R2l).

    [replanning_clusters_levels]  each allocation with which job j would be done in time would do it in p rounds, known, on every
                          level: with k the bound of all k_t,
                          m (k-1)^(k-1) OPT <= (m (k-1)^(k-1) + (k + m) k^k) P, that is
                          OPT <= (1 + (1 + k/m) k (k/(k-1))^(k-1)) P.
    A job of the optimum is charged to one round.  If the rule is not running it there, m clusters lose an m-th (R3); if it is,
    slowly, what it loses is at most the score of what runs, once for all rounds. *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerJob CheckerTree Completion Replanning ReplanningLearnt ReplanningRoom.
Import ListNotations.
Open Scope Z_scope.

Lemma choice_below {A} (d : A) (P : nat -> A -> Prop) n :
  (forall j, (j < n)%nat -> exists a, P j a) -> exists f, forall j, (j < n)%nat -> P j (f j).
Proof.
  induction n as [|n IH]; intros H; [exists (fun _ => d); intros; lia|].
  destruct IH as [f F]; [intros j Hj; apply H; lia|]. destruct (H n ltac:(lia)) as [a Pa].
  exists (fun j => if (j =? n)%nat then a else f j). intros j Hj. destruct (Nat.eqb_spec j n) as [->|Ne]; [exact Pa|apply F; lia].
Qed.

Definition at_place (x : nat * nat) (t i : nat) : bool := ((fst x =? t) && (snd x =? i))%nat.

Section Levels.
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
  Hypothesis levels : forall j, (j < num_jobs I)%nat -> exists p, known I kt j p /\
    (forall a d, in_time I j a d -> iterations (job_at I j) <= Z.of_nat p * progress_of I j a).
  Let n := num_jobs I.
  Let T := num_rounds I.
  Let K := Z.of_nat k.
  Let picked (t i j : nat) : Z := moved_score_learnt I kt w s o t i j.

  Lemma picked_nonneg t i j : (j < n)%nat -> 0 <= picked t i j.
  Proof.
    intros Hj. unfold picked, moved_score_learnt. destruct (_ <? _)%nat; [|lia].
    apply (score_learnt_nonneg I kt w k E s utilities k_pos scale). exact Hj.
  Qed.

  Lemma one_round_charged j : (j < n)%nat -> exists x, low k * E * job_value I o j <= low k * E * job_value I s j +
    top k * sum T (fun t => sum k (fun i => if at_place x t i then picked t i j else 0)).
  Proof.
    intros Hj. assert (HE := E_pos kt w E scale). assert (HT := top_pos k k_pos).
    assert (Hlow : 0 <= low k * E) by (apply Z.mul_nonneg_nonneg; [apply low_nonneg; auto|lia]).
    assert (Hs0 : 0 <= job_value I s j).
    { unfold job_value. destruct (completion I s j) as [g|]; [apply (utility_nonneg I utilities j g Hj)|lia]. }
    assert (Hn : forall x t i, 0 <= (if at_place x t i then picked t i j else 0)).
    { intros x t i. destruct (at_place _ _ _); [apply picked_nonneg, Hj|lia]. }
    assert (Hts : forall x, 0 <= top k * sum T (fun t => sum k (fun i => if at_place x t i then picked t i j else 0))).
    { intros x. apply Z.mul_nonneg_nonneg; [lia|]. apply sum_nonneg. intros t _. apply sum_nonneg. intros i _. apply Hn. }
    assert (Hls : 0 <= low k * E * job_value I s j) by (apply Z.mul_nonneg_nonneg; auto).
    unfold job_value at 1. destruct (completion I o j) as [f|] eqn:C; [|exists (0, 0)%nat; specialize (Hts (0, 0)%nat); lia].
    fold (utility_at I j f). destruct (completion_spec I _ _ _ C) as (F1 & _ & _).
    assert (U0 := utility_nonneg I utilities j f Hj).
    destruct (Z.eq_dec (utility_at I j f) 0) as [->|UP]; [exists (0, 0)%nat; specialize (Hts (0, 0)%nat); lia|].
    destruct (levels j Hj) as (p & Kp & Np).
    destruct (level_in_time I p o j f inst feas_o Hj C ltac:(lia) Np) as (t & i & q & Hi & Hf & Hrel & Hqp & Hqf & Hpos & Hq).
    assert (Kpt := Kp t Hrel). destruct (growing t) as (_ & _ & Gk).
    assert (HtT : (t < T)%nat) by (unfold T; lia). exists (t, i).
    destruct (Z_lt_le_dec (done_before I s j t) (iterations (job_at I j))) as [D|D].
    - set (pr := progress_of I j (o j (t + i)%nat)) in *. set (Q := iterations (job_at I j)) in *.
      assert (M : moved I s o t i j = o j (t + i)%nat).
      { unfold moved. fold Q. rewrite (proj2 (Nat.leb_le _ _) Hrel), (proj2 (Z.ltb_lt _ _) D). reflexivity. }
      assert (D0 := done_nonneg I inst s j t Hj).
      assert (Lo : 1 <= rounds_left I s t j (o j (t + i)%nat)).
      { unfold rounds_left. fold Q. fold pr. apply Z.div_le_lower_bound; lia. }
      assert (Hi' : rounds_left I s t j (o j (t + i)%nat) <= Z.of_nat q).
      { unfold rounds_left. fold Q. fold pr. apply Z.lt_succ_r. apply Z.div_lt_upper_bound; [auto|]. unfold Z.succ. lia. }
      set (x := Z.to_nat (rounds_left I s t j (o j (t + i)%nat))). assert (X : (1 <= x <= q)%nat) by (unfold x; lia).
      assert (ES : picked t i j = utility_at I j (t + x - 1) * w t x).
      { unfold picked, moved_score_learnt. rewrite (proj2 (Nat.ltb_lt _ _)) by (fold T; lia). rewrite M.
        unfold score_learnt. fold pr x. rewrite (proj2 (Z.ltb_lt _ _) Hpos).
        rewrite (proj2 (Nat.leb_le 1 x)), (proj2 (Nat.leb_le x (kt t))), (proj2 (Nat.leb_le (t + x) (num_rounds I)))
          by (fold T; lia). reflexivity. }
      assert (Hge : low k * E * utility_at I j f <= top k * picked t i j).
      { rewrite ES. assert (W := weight_low I kt w k E k_pos growing scale t x ltac:(lia)).
        assert (U := utility_later I utilities j (t + x - 1) f Hj ltac:(lia)).
        apply Z.le_trans with (low k * E * utility_at I j (t + x - 1)); [apply Z.mul_le_mono_nonneg_l; auto|].
        replace (top k * (utility_at I j (t + x - 1) * w t x)) with (top k * w t x * utility_at I j (t + x - 1)) by ring.
        apply Z.mul_le_mono_nonneg_r; [lia|auto]. }
      assert (G1 := sum_term k (fun i' => if at_place (t, i) t i' then picked t i' j else 0) i ltac:(lia) (fun i' _ => Hn (t, i) t i')).
      assert (G2 := sum_term T (fun t' => sum k (fun i' => if at_place (t, i) t' i' then picked t' i' j else 0)) t HtT
        (fun t' _ => sum_nonneg _ _ (fun i' _ => Hn (t, i) t' i'))).
      cbv beta in G1, G2. unfold at_place at 1 in G1. cbn [fst snd] in G1. rewrite !Nat.eqb_refl in G1. cbn [andb] in G1.
      assert (G3 : top k * picked t i j <= top k * sum T (fun t' => sum k (fun i' => if at_place (t, i) t' i' then picked t' i' j else 0)))
        by (apply Z.mul_le_mono_nonneg_l; lia).
      clear - Hge Hls G3. lia.
    - destruct (completed_by I inst s j t Hj (Nat.lt_le_incl _ _ HtT) D) as (g & Eg & G).
      assert (U := utility_later I utilities j g f Hj ltac:(lia)). specialize (Hts (t, i)).
      unfold job_value in *. rewrite Eg in *. fold (utility_at I j g).
      assert (low k * E * utility_at I j f <= low k * E * utility_at I j g) by (apply Z.mul_le_mono_nonneg_l; auto). lia.
  Qed.

  (* the jobs that are charged to one round, from one round of the optimum *)
  Lemma charged_group (x : nat -> nat * nat) t i : (t < T)%nat ->
    Z.of_nat m * sum n (fun j => if at_place (x j) t i then picked t i j else 0) <=
    round_score_learnt I kt w s t (fun j => s j t) +
      Z.of_nat m * sum n (fun j => if at_place (x j) t i then score_learnt I kt w s t j (s j t) else 0).
  Proof.
    intros Ht. set (own j := score_learnt I kt w s t j (s j t)).
    assert (Own : forall j, (j < n)%nat -> 0 <= own j).
    { intros j Hj. apply (score_learnt_nonneg I kt w k E s utilities k_pos scale). exact Hj. }
    set (A := sum n (fun j => if at_place (x j) t i then own j else 0)).
    set (S0 := round_score_learnt I kt w s t (fun j => s j t)).
    assert (S0n : 0 <= S0) by (apply sum_nonneg; exact Own).
    assert (A0 : 0 <= A) by (apply sum_nonneg; intros j Hj; destruct (at_place _ _ _); [apply Own, Hj|lia]).
    destruct (Nat.ltb_spec (t + i) (num_rounds I)) as [L|L].
    2:{ rewrite sum_zero; [rewrite Z.mul_0_r; apply Z.add_nonneg_nonneg; [exact S0n|apply Z.mul_nonneg_nonneg; [lia|exact A0]]|].
        intros j Hj. destruct (at_place _ _ _); [|reflexivity]. unfold picked, moved_score_learnt.
        rewrite (proj2 (Nat.ltb_ge _ _) L). reflexivity. }
    destruct (divided t Ht) as (place & P1 & P2).
    set (sel j := at_place (x j) t i).
    assert (Pick : forall j, picked t i j = score_learnt I kt w s t j (moved I s o t i j)).
    { intros j. unfold picked, moved_score_learnt. rewrite (proj2 (Nat.ltb_lt _ _) L). reflexivity. }
    set (N := sum n (fun j => if sel j then picked t i j else 0)).
    set (part c := sum n (fun j => if (place j =? c)%nat then own j else 0)).
    assert (Oks : forall j, (j < n)%nat -> allocation_ok I (job_at I j) (s j t))
      by (intros j Hj; apply (feasible_allocation _ _ feas j t Hj Ht)).
    assert (Okm : forall j, (j < n)%nat -> allocation_ok I (job_at I j) (moved I s o t i j)).
    { intros j Hj. unfold moved. destruct (_ && _); [|exact Logic.I]. apply (feasible_allocation _ _ feas_o); auto. }
    assert (Each : forall c, (c < m)%nat -> N <= part c + A).
    { intros c Hc.
      set (b := fun j => if sel j then moved I s o t i j else if (place j =? c)%nat then Idle else s j t).
      assert (B : round_score_learnt I kt w s t b <= S0).
      { apply best; auto.
        - split.
          + intros j Hj. unfold b. destruct (sel j); [apply Okm, Hj|]. destruct (_ =? _)%nat; [exact Logic.I|apply Oks, Hj].
          + intros j Hj. unfold b. destruct (sel j).
            * unfold moved. destruct (_ && _) eqn:Bj; [|congruence]. intros _.
              rewrite andb_true_iff, Nat.leb_le, Z.ltb_lt in Bj. exact Bj.
            * destruct (_ =? _)%nat; [congruence|]. intros H. split.
              -- apply (feasible_release _ _ feas j t Hj Ht H).
              -- apply (feasible_completion _ _ feas j t Hj Ht H).
        - exists (fun j => if sel j then c else place j). split.
          + intros j Hj. destruct (sel j); auto.
          + intros c' h r Hc' Hh Hr. destruct (Nat.eq_dec c' c) as [->|Ne].
            * eapply Z.le_trans; [|apply (feasible_capacity _ _ feas_o (t + i)%nat h r L Hh Hr)]. apply sum_le. intros j Hj.
              assert (Z1 := held_at_least I (job_at I j) (o j (t + i)%nat) h r (feasible_allocation _ _ feas_o j (t + i)%nat Hj L) Hh Hr).
              unfold b. destruct (sel j).
              -- rewrite Nat.eqb_refl. unfold moved. destruct (_ && _); cbn [held]; [lia|exact Z1].
              -- destruct (Nat.eqb_spec (place j) c); cbn [held]; exact Z1.
            * eapply Z.le_trans; [|apply (P2 c' h r Hc' Hh Hr)]. apply sum_le. intros j Hj.
              assert (Z1 := held_at_least I (job_at I j) (s j t) h r (Oks j Hj) Hh Hr). unfold b. destruct (sel j).
              -- rewrite (proj2 (Nat.eqb_neq c c')) by congruence. destruct (_ =? _)%nat; lia.
              -- destruct (Nat.eqb_spec (place j) c'); [|lia]. rewrite (proj2 (Nat.eqb_neq _ _)) by congruence. lia. }
      assert (Sb : S0 - part c + N - A <= round_score_learnt I kt w s t b).
      { unfold S0, round_score_learnt, part, N, A. fold n. rewrite <- sum_minus, <- sum_plus, <- sum_minus. apply sum_le. intros j Hj.
        assert (O := Own j Hj). unfold b. change (at_place (x j) t i) with (sel j).
        change (score_learnt I kt w s t j (s j t)) with (own j). destruct (sel j).
        - rewrite <- Pick. destruct (_ =? _)%nat; lia.
        - destruct (_ =? _)%nat; [change (score_learnt I kt w s t j Idle) with 0; lia|].
          change (score_learnt I kt w s t j (s j t)) with (own j). lia. }
      lia. }
    assert (All : sum m part = S0).
    { unfold part. rewrite sum_swap. unfold S0, round_score_learnt. apply sum_ext. intros j Hj.
      rewrite (sum_pick m (place j) (fun _ => own j)). rewrite (proj2 (Nat.ltb_lt _ _) (P1 j Hj)). reflexivity. }
    change (Z.of_nat m * N <= S0 + Z.of_nat m * A). rewrite <- All. clear - Each A0. induction m as [|v IH]; [simpl; lia|].
    cbn [sum]. assert (X := Each v ltac:(lia)). specialize (IH ltac:(intros; apply Each; lia)). lia.
  Qed.

  Theorem replanning_clusters_levels :
    Z.of_nat m * ((K - 1) ^ Z.of_nat (k - 1) * value I o) <=
      (Z.of_nat m * (K - 1) ^ Z.of_nat (k - 1) + (K + Z.of_nat m) * K ^ K) * value I s.
  Proof.
    destruct (choice_below (0, 0)%nat _ n one_round_charged) as [x X].
    assert (HE := E_pos kt w E scale). assert (HT := top_pos k k_pos). set (c := Z.of_nat m).
    set (A := sum T (fun t => round_score_learnt I kt w s t (fun j => s j t))).
    assert (HA : A <= K * E * value I s).
    { apply (total_score_learnt (clusters m I) kt w k E s inst utilities k_pos growing scale feas).
      eapply clusters_go_on; eauto. }
    set (M := sum n (fun j => sum T (fun t => sum k (fun i => if at_place (x j) t i then picked t i j else 0)))).
    assert (H1 : low k * E * value I o <= low k * E * value I s + top k * M).
    { unfold value, M. fold n. rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros j Hj. apply X, Hj. }
    set (own t j := score_learnt I kt w s t j (s j t)).
    set (B := sum T (fun t => sum k (fun i => sum n (fun j => if at_place (x j) t i then own t j else 0)))).
    assert (H2 : c * M <= K * A + c * B).
    { unfold M. rewrite sum_swap. unfold A, B. rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros t Ht.
      rewrite sum_swap. rewrite <- !sum_scale.
      apply Z.le_trans with (sum k (fun i => round_score_learnt I kt w s t (fun j => s j t) +
        c * sum n (fun j => if at_place (x j) t i then own t j else 0))).
      - apply sum_le. intros i _. apply charged_group, Ht.
      - rewrite sum_plus. apply Z.add_le_mono_r.
        unfold K. generalize (round_score_learnt I kt w s t (fun j => s j t)) as y. generalize k as z. clear. intros z y.
        induction z as [|z IH]; [simpl; lia|]. rewrite Nat2Z.inj_succ, Z.mul_succ_l. cbn [sum]. lia. }
    assert (H3 : B <= A).
    { apply Z.le_trans with (sum n (fun j => sum T (fun t => own t j))).
      - assert (EB : B = sum n (fun j => sum T (fun t => sum k (fun i => if at_place (x j) t i then own t j else 0)))).
        { unfold B. rewrite (sum_swap n T). apply sum_ext. intros t _. rewrite (sum_swap n k). reflexivity. }
        rewrite EB. clear EB.
        apply sum_le. intros j Hj. apply sum_le. intros t _. destruct (x j) as [a b]. unfold at_place. cbn [fst snd].
        assert (O : 0 <= own t j) by (apply (score_learnt_nonneg I kt w k E s utilities k_pos scale); exact Hj).
        destruct (a =? t)%nat; cbn [andb]; [rewrite (sum_pick k b (fun _ => own t j)); destruct (_ <? _)%nat; lia|].
        rewrite sum_zero; [exact O|]. intros; reflexivity.
      - rewrite sum_swap. apply Z.le_refl. }
    assert (C0 : 0 <= c) by (unfold c; lia). assert (K0 : 0 <= K) by (unfold K; lia).
    assert (H4 : c * M <= (K + c) * (K * E * value I s)).
    { assert (c * B <= c * A) by (apply Z.mul_le_mono_nonneg_l; auto).
      assert ((K + c) * A <= (K + c) * (K * E * value I s)) by (apply Z.mul_le_mono_nonneg_l; lia). lia. }
    assert (H5 : top k * (c * M) <= top k * ((K + c) * (K * E * value I s))) by (apply Z.mul_le_mono_nonneg_l; lia).
    assert (H6 : c * (low k * E * value I o) <= c * (low k * E * value I s + top k * M)) by (apply Z.mul_le_mono_nonneg_l; lia).
    assert (TT := top_times k k_pos). cbv zeta in TT. fold K in TT. rewrite <- TT.
    change ((K - 1) ^ Z.of_nat (k - 1)) with (low k). fold c.
    apply Z.mul_le_mono_pos_r with E; auto.
    replace (c * (low k * value I o) * E) with (c * (low k * E * value I o)) by ring.
    replace ((c * low k + (K + c) * (K * top k)) * value I s * E) with
      (c * (low k * E * value I s) + top k * ((K + c) * (K * E * value I s))) by ring.
    replace (c * (low k * E * value I s + top k * M)) with (c * (low k * E * value I s) + top k * (c * M)) in H6 by ring.
    lia.
  Qed.
End Levels.
