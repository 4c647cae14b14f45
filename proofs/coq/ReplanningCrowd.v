(** * R3x More machines do not give the rule without discount a finite ratio.

    [gpus m T js]         one node of m GPUs of one type, T rounds, the jobs js
    [crowd m V n]         the jobs of [fresh V n] (ReplanningFamilies.v), m of each: n rounds and one, m jobs released
                          in every round i < n, two rounds each, deadline 2, worth V + i
    [crowd_on c m V n]    they, on c GPUs

    [crowd_value]         on m GPUs, every schedule by value_rounds has at most m (V + n - 1)
    [crowd_optimum]       on ONE GPU some schedule has l (V + l), n = 2 l
    [value_rule_unbounded_room]  so with any number m of GPUs for one the rule has no finite ratio, whatever V *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerTree Completion Replanning ReplanningLearnt ReplanningFixed ReplanningFamilies.
Import ListNotations.
Open Scope Z_scope.

Lemma sum_add a b f : sum (a + b) f = sum a f + sum b (fun i => f (a + i)%nat).
Proof.
  induction b as [|b IH]; [rewrite Nat.add_0_r; simpl; lia|].
  rewrite Nat.add_succ_r. cbn [sum]. rewrite IH. lia.
Qed.
(* m of each residue *)
Lemma sum_residue m n f : (0 < n)%nat -> sum (m * n) (fun j => f (j mod n)%nat) = Z.of_nat m * sum n f.
Proof.
  intros Hn. induction m as [|m IH]; [simpl; lia|].
  replace (S m * n)%nat with (m * n + n)%nat by lia. rewrite sum_add, IH.
  rewrite (sum_ext n (fun i => f ((m * n + i) mod n)%nat) f).
  - rewrite Nat2Z.inj_succ. ring.
  - intros i Hi. f_equal. rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia. reflexivity.
Qed.
Lemma sum_tight n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n g <= sum n f ->
  forall i, (i < n)%nat -> f i = g i.
Proof.
  intros H S i Hi. assert (T := sum_term n (fun i => g i - f i) i Hi ltac:(intros j Hj; specialize (H j Hj); lia)).
  rewrite sum_minus in T. cbv beta in T. specialize (H i Hi). lia.
Qed.

Section Crowd.
  Variable m : nat.
  Variable V : Z.
  Variable n : nat.
  Hypothesis m_pos : (1 <= m)%nat.
  Hypothesis V_pos : 1 <= V.
  Hypothesis n_pos : (1 <= n)%nat.

  Definition crowd_job (j : nat) : job := fresh_job V (j mod n).
  Definition crowd_on (c : Z) : instance :=
    Instance SingleType (S n) 1 1 [[c]] (1, 1) (0, 1) (map crowd_job (seq 0 (m * n))).
  Let R := crowd_on (Z.of_nat m).

  Lemma crowd_at c j : (j < m * n)%nat -> job_at (crowd_on c) j = crowd_job j.
  Proof. apply nth_table. Qed.
  Lemma crowd_jobs c : num_jobs (crowd_on c) = (m * n)%nat.
  Proof. unfold num_jobs, crowd_on. cbn [jobs]. rewrite map_length, seq_length. reflexivity. Qed.

  Section Run.
    Variable s : schedule.
    Hypothesis feas : feasible R s.
    Hypothesis rule : value_rounds R s.
    Let x t j := held (s j t) 0 0.

    Lemma crowd_progress j t : (j < m * n)%nat -> (t <= n)%nat ->
      progress_of R j (s j t) = x t j /\ (x t j = 0 \/ x t j = 1).
    Proof.
      intros Hj Ht. unfold progress_of, x, R. rewrite crowd_at by auto.
      assert (A := feasible_allocation _ _ feas j t). unfold R in A. rewrite crowd_jobs, crowd_at in A by auto.
      specialize (A Hj ltac:(simpl; lia)).
      apply (one_gpu_held (S n) [] (j mod n) 2 [V + Z.of_nat (j mod n); V + Z.of_nat (j mod n)] (s j t)). exact A.
    Qed.
    Lemma crowd_capacity t : (t <= n)%nat -> sum (m * n) (x t) <= Z.of_nat m.
    Proof.
      intros Ht. assert (C := feasible_capacity _ _ feas t 0%nat 0%nat). unfold R in C. rewrite crowd_jobs in C.
      apply C; simpl; lia.
    Qed.
    Lemma crowd_early j t : (j < m * n)%nat -> (t <= n)%nat -> (t < j mod n)%nat -> x t j = 0.
    Proof.
      intros Hj Hn Ht. assert (A := feasible_release _ _ feas j t). unfold R in A. rewrite crowd_jobs, crowd_at in A by auto.
      unfold x. destruct (s j t) as [|g|g]; [reflexivity| |];
        specialize (A Hj ltac:(simpl; lia) ltac:(discriminate)); simpl in A; lia.
    Qed.
    Lemma crowd_done j t : (j < m * n)%nat -> (t <= S n)%nat -> done_before R s j t = sum t (fun u => x u j).
    Proof. intros Hj Ht. apply sum_ext. intros u Hu. apply crowd_progress; auto. lia. Qed.
    Lemma crowd_utility j t : (j < m * n)%nat ->
      utility_at R j t = if (t - j mod n <? 2)%nat then V + Z.of_nat (j mod n) else 0.
    Proof.
      intros Hj. unfold utility_at, R. rewrite crowd_at by auto. cbn [release crowd_job fresh_job unit_job utility].
      unfold crowd_job, fresh_job, unit_job. cbn [release utility].
      destruct (t - j mod n)%nat as [|[|d]]; try reflexivity. simpl. destruct d; reflexivity.
    Qed.
    Lemma crowd_worth j t a : (j < m * n)%nat -> 0 <= finish_value R s t j a <= V + Z.of_nat (j mod n).
    Proof.
      intros Hj. unfold finish_value. destruct (_ && _); [|lia]. rewrite crowd_utility by auto.
      destruct (_ <? _)%nat; lia.
    Qed.

    (* all new jobs *)
    Definition newest (t j : nat) : allocation := if (j mod n =? t)%nat then on_gpu else Idle.
    Lemma new_count t : (t < n)%nat -> sum (m * n) (fun j => if (j mod n =? t)%nat then 1 else 0) = Z.of_nat m.
    Proof.
      intros Ht. rewrite (sum_residue m n (fun i => if (i =? t)%nat then 1 else 0)) by lia.
      rewrite (sum_single n _ t Ht), Nat.eqb_refl; [lia|]. intros j _ Ne. apply Nat.eqb_neq in Ne. rewrite Ne. reflexivity.
    Qed.
    Lemma newest_candidate t : (t < n)%nat -> candidate R s t (newest t).
    Proof.
      intros Ht. unfold R. split; [|split]; rewrite crowd_jobs.
      - intros j Hj. rewrite crowd_at by auto. unfold newest. destruct (_ =? _)%nat; [|exact Logic.I].
        apply (on_gpu_ok (S n) [] (j mod n) 2 [V + Z.of_nat (j mod n); V + Z.of_nat (j mod n)]).
      - intros j Hj. unfold newest. destruct (Nat.eqb_spec (j mod n) t) as [E|]; [|congruence]. intros _.
        fold R. rewrite crowd_done by (auto; lia). unfold R. rewrite crowd_at by auto. simpl. split; [lia|].
        rewrite sum_zero; [lia|]. intros u Hu. apply crowd_early; auto; lia.
      - intros h r Hh Hr. simpl in Hh, Hr. assert (h = 0%nat) as -> by lia. assert (r = 0%nat) as -> by lia.
        change (cap (crowd_on (Z.of_nat m)) 0 0) with (Z.of_nat m). rewrite <- (new_count t Ht).
        apply sum_le. intros j Hj. unfold newest. destruct (_ =? _)%nat; [|simpl; lia]. change (1 <= 1). lia.
    Qed.
    Lemma newest_worth t j : (t < n)%nat -> (j < m * n)%nat -> (j mod n = t)%nat ->
      finish_value R s t j (newest t j) = V + Z.of_nat t.
    Proof.
      intros Ht Hj E. unfold newest. rewrite (proj2 (Nat.eqb_eq _ _) E).
      assert (P : progress_of R j on_gpu = 1).
      { unfold progress_of, R. rewrite crowd_at by auto.
        destruct (one_gpu_held (S n) [] (j mod n) 2 [V + Z.of_nat (j mod n); V + Z.of_nat (j mod n)] on_gpu
          (on_gpu_ok _ _ _ _ _)) as [P _]. exact P. }
      assert (D : done_before R s j t = 0).
      { rewrite crowd_done by (auto; lia). apply sum_zero. intros u Hu. apply crowd_early; auto; lia. }
      assert (L : rounds_left R s t j on_gpu = 2).
      { unfold rounds_left. rewrite P, D. unfold R. rewrite crowd_at by auto. reflexivity. }
      unfold finish_value. rewrite L, P. change (Z.to_nat 2) with 2%nat.
      rewrite (proj2 (Nat.leb_le (t + 2) (num_rounds R))) by (simpl; lia). cbn [andb Z.ltb Z.compare Nat.leb].
      rewrite crowd_utility by auto. rewrite E. rewrite (proj2 (Nat.ltb_lt (t + 2 - 1 - t) 2)) by lia. reflexivity.
    Qed.

    (* in round t < n exactly the new jobs run *)
    Lemma crowd_takes_new t : (t < n)%nat -> forall j, (j < m * n)%nat -> x t j = if (j mod n =? t)%nat then 1 else 0.
    Proof.
      intros Ht. set (new := fun j => if (j mod n =? t)%nat then 1 else 0).
      assert (C := crowd_capacity t ltac:(lia)). assert (N := new_count t Ht). fold new in N.
      assert (L := rule t (newest t) ltac:(simpl; lia) (newest_candidate t Ht)). unfold R in L. rewrite crowd_jobs in L.
      fold R in L.
      assert (Lo : (V + Z.of_nat t) * Z.of_nat m <= sum (m * n) (fun j => finish_value R s t j (newest t j))).
      { rewrite <- N, <- sum_scale. apply sum_le. intros j Hj. unfold new. destruct (Nat.eqb_spec (j mod n) t) as [E|].
        - rewrite newest_worth by auto. lia.
        - assert (W := crowd_worth j t (newest t j) Hj). lia. }
      assert (Hi : sum (m * n) (fun j => finish_value R s t j (s j t)) <=
        (V + Z.of_nat t - 1) * sum (m * n) (x t) + sum (m * n) (fun j => new j * x t j)).
      { rewrite <- sum_scale, <- sum_plus. apply sum_le. intros j Hj.
        destruct (crowd_progress j t Hj ltac:(lia)) as [P [E|E]].
        - unfold finish_value. rewrite P, E. simpl. lia.
        - rewrite E. assert (W := crowd_worth j t (s j t) Hj). unfold new.
          destruct (Nat.eqb_spec (j mod n) t) as [Eq|Ne]; [lia|].
          assert (j mod n < t)%nat; [|lia]. destruct (lt_eq_lt_dec (j mod n) t) as [[|]|G]; [auto|lia|].
          assert (Z0 := crowd_early j t Hj ltac:(lia) G). lia. }
      assert (M : (V + Z.of_nat t - 1) * sum (m * n) (x t) <= (V + Z.of_nat t - 1) * Z.of_nat m)
        by (apply Z.mul_le_mono_nonneg_l; lia).
      assert (All : Z.of_nat m <= sum (m * n) (fun j => new j * x t j)) by lia.
      assert (Tn : forall j, (j < m * n)%nat -> new j * x t j = new j).
      { apply (sum_tight _ (fun j => new j * x t j) new); [|lia]. intros j Hj. cbv beta.
        destruct (crowd_progress j t Hj ltac:(lia)) as [_ [E|E]]; rewrite E; unfold new; destruct (_ =? _)%nat; lia. }
      intros j Hj. symmetry. revert j Hj. apply (sum_tight _ new (x t)); [|lia]. intros j Hj. specialize (Tn j Hj).
      destruct (crowd_progress j t Hj ltac:(lia)) as [_ [E|E]]; rewrite E in *; unfold new in *; destruct (_ =? _)%nat; lia.
    Qed.

    Theorem crowd_value : value R s <= Z.of_nat m * (V + Z.of_nat n - 1).
    Proof.
      assert (D : forall j t, (j < m * n)%nat -> (t <= n)%nat ->
        done_before R s j t = if (j mod n <? t)%nat then 1 else 0).
      { intros j t Hj Ht. rewrite crowd_done by (auto; lia).
        rewrite (sum_ext _ _ (fun u => if (j mod n =? u)%nat then 1 else 0)).
        - rewrite (sum_pick t (j mod n) (fun _ => 1)). reflexivity.
        - intros u Hu. apply crowd_takes_new; auto. lia. }
      unfold value, R. rewrite crowd_jobs. fold R.
      apply Z.le_trans with (sum (m * n) (fun j => if (j mod n =? n - 1)%nat then V + Z.of_nat n - 1 else 0)).
      - apply sum_le. intros j Hj. unfold job_value. destruct (completion R s j) as [f|] eqn:C.
        + destruct (completion_spec _ _ _ _ C) as (A & B & _). unfold R in A. simpl in A. fold R in A.
          assert (f = n) as ->.
          { destruct (Nat.eq_dec f n); auto. rewrite D in B by (auto; lia). unfold R in B. rewrite crowd_at in B by auto.
            simpl in B. destruct (_ <? _)%nat; lia. }
          fold (utility_at R j n). rewrite crowd_utility by auto.
          assert (M := Nat.mod_upper_bound j n ltac:(lia)).
          destruct (Nat.eqb_spec (j mod n) (n - 1)) as [->|Ne].
          * destruct (_ <? _)%nat; lia.
          * rewrite (proj2 (Nat.ltb_ge _ _)) by lia. lia.
        + destruct (_ =? _)%nat; lia.
      - rewrite (sum_residue m n (fun i => if (i =? n - 1)%nat then V + Z.of_nat n - 1 else 0)) by lia.
        rewrite (sum_single n _ (n - 1)%nat) by lia || (intros j _ Ne; rewrite (proj2 (Nat.eqb_neq _ _) Ne); reflexivity).
        rewrite Nat.eqb_refl. lia.
    Qed.
  End Run.
End Crowd.

Section CrowdOptimum.
  Variable m : nat.
  Variable V : Z.
  Variable l : nat.
  Hypothesis m_pos : (1 <= m)%nat.
  Hypothesis V_pos : 1 <= V.
  Hypothesis l_pos : (1 <= l)%nat.
  Let n := (2 * l)%nat.
  Let I := crowd_on m V n 1.

  (* what o does with one job of each release *)
  Definition one_each (o : schedule) : schedule := fun j t => if (j <? n)%nat then o j t else Idle.

  Theorem crowd_optimum : exists o, feasible I o /\ value I o = Z.of_nat l * (V + Z.of_nat l).
  Proof.
    assert (N : num_jobs I = (m * n)%nat) by apply crowd_jobs.
    assert (N' : num_jobs (fresh V n) = n) by apply fresh_jobs.
    assert (Hn : (n <= m * n)%nat) by (unfold n; nia).
    assert (At : forall j, (j < n)%nat -> job_at I j = job_at (fresh V n) j).
    { intros j Hj. unfold I. rewrite crowd_at, fresh_at by lia. unfold crowd_job. rewrite Nat.mod_small by auto.
      reflexivity. }
    destruct (fresh_optimum V l) as (o & F & Vo). fold n in F, Vo.
    assert (D : forall j t, (j < n)%nat -> done_before I (one_each o) j t = done_before (fresh V n) o j t).
    { intros j t Hj. unfold done_before. rewrite At by auto. unfold one_each.
      rewrite (proj2 (Nat.ltb_lt _ _) Hj). reflexivity. }
    exists (one_each o). split.
    - constructor; rewrite ?N.
      + intros j t Hj Ht. unfold one_each. destruct (Nat.ltb_spec j n) as [L|L]; [|exact Logic.I].
        rewrite At by auto. apply (feasible_allocation _ _ F j t); [rewrite N'|]; auto.
      + intros j t Hj Ht H. unfold one_each in H. destruct (Nat.ltb_spec j n) as [L|L]; [|congruence].
        rewrite At by auto. apply (feasible_release _ _ F j t); [rewrite N'| |]; auto.
      + intros j t Hj Ht H. unfold one_each in H. destruct (Nat.ltb_spec j n) as [L|L]; [|congruence].
        rewrite D, At by auto. apply (feasible_completion _ _ F j t); [rewrite N'| |]; auto.
      + intros t h r Ht Hh Hr. assert (C := feasible_capacity _ _ F t h r Ht Hh Hr). rewrite N' in C.
        replace (m * n)%nat with (n + (m * n - n))%nat by lia. rewrite sum_add.
        rewrite (sum_zero (m * n - n)).
        * rewrite (sum_ext n _ (fun j => held (o j t) h r)); [|intros j Hj; unfold one_each;
            rewrite (proj2 (Nat.ltb_lt _ _) Hj); reflexivity].
          change (cap I h r) with (cap (fresh V n) h r). lia.
        * intros j Hj. unfold one_each. rewrite (proj2 (Nat.ltb_ge (n + j) n)) by lia. reflexivity.
    - rewrite <- Vo. unfold value. rewrite N, N'.
      replace (m * n)%nat with (n + (m * n - n))%nat by lia. rewrite sum_add, (sum_zero (m * n - n)).
      + rewrite Z.add_0_r. apply sum_ext. intros j Hj.
        assert (Ec : completion I (one_each o) j = completion (fresh V n) o j).
        { unfold completion. rewrite At by auto. change (num_rounds (fresh V n)) with (num_rounds I).
          induction (seq 0 (num_rounds I)) as [|t ts IH]; [reflexivity|]. cbn [find]. rewrite D, IH by auto. reflexivity. }
        unfold job_value. rewrite Ec, At by auto. reflexivity.
      + intros j Hj. unfold job_value. destruct (completion I (one_each o) (n + j)) as [f|] eqn:C; [exfalso|reflexivity].
        destruct (completion_spec _ _ _ _ C) as (_ & B & _).
        assert (Z0 : done_before I (one_each o) (n + j) (S f) = 0).
        { apply sum_zero. intros u _. unfold one_each. rewrite (proj2 (Nat.ltb_ge (n + j) n)) by lia. reflexivity. }
        rewrite Z0 in B. unfold I in B. rewrite crowd_at in B by lia. simpl in B. lia.
  Qed.
End CrowdOptimum.

(* m is the number of GPUs of the scheduler for one of the optimum; V is free, so U/L comes as close to 1 as one likes *)
Theorem value_rule_unbounded_room (m : nat) (rho : Z) : (1 <= m)%nat -> 1 <= rho -> exists n, forall V, 1 <= V ->
  let R := crowd_on m V n (Z.of_nat m) in
  let I := crowd_on m V n 1 in
  exists o, feasible I o /\ forall s, feasible R s -> value_rounds R s -> rho * value R s < value I o.
Proof.
  intros Hm Hrho. set (l := Z.to_nat (2 * rho * Z.of_nat m + 1)). exists (2 * l)%nat. intros V HV R I.
  assert (El : Z.of_nat l = 2 * rho * Z.of_nat m + 1) by (unfold l; lia).
  destruct (crowd_optimum m V l Hm) as (o & Fo & Vo).
  { lia. }
  exists o. split; [exact Fo|]. intros s Fs Rs.
  assert (B := crowd_value m V (2 * l) Hm HV ltac:(lia) s Fs Rs). fold R in B. fold I in Vo. rewrite Vo.
  assert (C : rho * value R s <= rho * (Z.of_nat m * (V + Z.of_nat (2 * l) - 1))) by (apply Z.mul_le_mono_nonneg_l; lia).
  rewrite Nat2Z.inj_mul in C. change (Z.of_nat 2) with 2 in C. set (a := Z.of_nat l) in *.
  assert (X : 0 < rho * Z.of_nat m) by (apply Z.mul_pos_pos; lia).
  replace (rho * (Z.of_nat m * (V + 2 * a - 1))) with (rho * Z.of_nat m * (V + 2 * a - 1)) in C by ring.
  replace (2 * rho * Z.of_nat m + 1) with (2 * (rho * Z.of_nat m) + 1) in El by ring.
  set (y := rho * Z.of_nat m) in *. nia.
Qed.
