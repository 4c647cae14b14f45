(** * What one plan of a job can be worth and hold, computed from the instance: U, m and L.

    [most_copies I J]      1 unless the job may be copied
    [gains I J]            amounts of progress between the least and the greatest of which every round lies
                           that makes any
    [span I pooled J]      None if no plan is worth anything; else the first round in which one can complete,
                           the last in which it is worth something, and the GPUs that it holds at most over
                           all rounds
    [usable I pooled J r]  GPUs that a round can hold that holds one of type r
    [least_held, most_held]  bounds on what a plan holds of a place of which it holds something
    [share I pooled J r]   what a job holds at most of a place, whatever it does

    [span_sound]           what the span says holds of every plan
    [held_sound]           what the bounds say holds of every plan *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerLevel CheckerJob CheckerLean Completion Irredundant Ranges PostedRun.
Import ListNotations.
Open Scope Z_scope.

Definition most_copies (I : instance) (J : job) : Z :=
  match parallelism I with Forked => Z.max 1 (max_copies J) | _ => 1 end.
Definition running_types (I : instance) (J : job) : list nat :=
  filter (fun l => 0 <? fst (speed J l)) (seq 0 (num_types I)).
Definition copy_amounts (I : instance) (J : job) : list Z :=
  map (fun l => floor_product (speed J l) (copy_time I)) (running_types I J).
Definition smallest (d : Z) (l : list Z) : Z := fold_right Z.min d l.
Definition largest (l : list Z) : Z := fold_right Z.max 0 l.
Definition copy_gains (I : instance) (J : job) : list Z :=
  if most_copies I J <? 2 then []
  else match filter (fun p => 0 <? p) (copy_amounts I J) with
       | [] => []
       | p :: l => [smallest p l * (if existsb (fun p => p =? 0) (copy_amounts I J) then 1 else 2);
                    largest (p :: l) * most_copies I J]
       end.
Definition gains (I : instance) (J : job) : list Z :=
  filter (fun p => 0 <? p)
    (flat_map (fun l => [floor_product (speed J l) (node_time I); floor_product (speed J l) (wide_time I J)])
      (running_types I J)) ++ copy_gains I J.

Definition usable (I : instance) (pooled : bool) (J : job) (r : nat) : Z :=
  sum (spots I pooled) (fun x => sum (num_types I) (fun r' =>
    if match parallelism I with SingleType => (r' =? r)%nat | _ => 0 <? fst (speed J r') end
    then gpus_at I pooled x r' else 0)).
Definition can_hold (I : instance) (pooled : bool) (J : job) (r : nat) : bool :=
  (0 <? fst (speed J r)) && (gang_size J <=? usable I pooled J r).
Definition worth_at (J : job) (t : nat) : Z := nth (t - release J) (utility J) 0.
Definition span (I : instance) (pooled : bool) (J : job) : option (nat * nat * Z) :=
  match gains I J with
  | [] => None
  | g :: gs =>
      let k := (iterations J - 1) / largest (g :: gs) in
      if (Z.of_nat (num_rounds I) <=? k) || negb (existsb (can_hold I pooled J) (seq 0 (num_types I))) then None
      else
        let first := (release J + Z.to_nat k)%nat in
        match find (fun t => 0 <? worth_at J t) (rev (seq first (num_rounds I - first))) with
        | None => None
        | Some last =>
            Some (first, last,
              Z.min ((iterations J - 1) / smallest g gs + 1) (Z.of_nat (last - release J + 1)) *
                (gang_size J * most_copies I J))
        end
  end.
Definition least_held (I : instance) (pooled : bool) (J : job) (x r : nat) : Z :=
  Z.max 1 (gang_size J - (usable I pooled J r - gpus_at I pooled x r)).
Definition share (I : instance) (pooled : bool) (J : job) (r : nat) : Z :=
  if 0 <? fst (speed J r) then gang_size J * (if pooled then most_copies I J else 1) else 0.
Definition most_held (I : instance) (pooled : bool) (J : job) (x r : nat) : Z :=
  Z.min (gang_size J * (if pooled then most_copies I J else 1)) (gpus_at I pooled x r).

Lemma smallest_le d l x : In x (d :: l) -> smallest d l <= x.
Proof.
  induction l as [|y l IH]; cbn [In smallest fold_right]; [intros [E|[]]; lia|]. fold (smallest d l). intros [E|[E|H]]; [|lia|].
  - specialize (IH (or_introl E)). lia.
  - specialize (IH (or_intror H)). lia.
Qed.
Lemma smallest_in d l : In (smallest d l) (d :: l).
Proof.
  induction l as [|y l IH]; simpl; [auto|]. destruct (Z.min_spec y (smallest d l)) as [[_ ->]|[_ ->]]; [auto|].
  simpl in IH. tauto.
Qed.
Lemma largest_ge l x : In x l -> x <= largest l.
Proof. induction l as [|y l IH]; simpl; [tauto|]. intros [->|H]; [lia|]. specialize (IH H). lia. Qed.

Lemma indicator_sum lo hi n : sum n (fun t => if ((lo <=? t) && (t <=? hi))%nat then 1 else 0) <= Z.of_nat (S hi - lo).
Proof.
  assert (E : sum n (fun t => if ((lo <=? t) && (t <=? hi))%nat then 1 else 0) = Z.of_nat (Nat.min n (S hi) - lo)).
  { induction n as [|n IH]; [simpl; lia|]. cbn [sum]. rewrite IH.
    destruct (Nat.leb_spec lo n), (Nat.leb_spec n hi); cbn [andb]; lia. }
  lia.
Qed.

Section Plan.
  Variables (I : instance) (pooled : bool) (j : nat) (a : nat -> allocation).
  Hypothesis inst : instance_ok I = true.
  Hypothesis in_range : (j < num_jobs I)%nat.
  Hypothesis utilities : utilities_fall I = true.
  Hypothesis is_plan : own_plan I pooled j a.
  Let J := job_at I j.
  Notation inside t x r := ((t < num_rounds I)%nat /\ (x < spots I pooled)%nat /\ (r < num_types I)%nat).

  Lemma plan_job_ok : job_ok J = true.
  Proof. apply J_ok; auto. Qed.
  Lemma plan_gang : 0 < gang_size J.
  Proof. assert (K := plan_job_ok). unfold job_ok in K. rewrite !andb_true_iff in K. destruct K as [[[K _] _] _]. apply Z.ltb_lt, K. Qed.
  Lemma plan_need : 0 < iterations J.
  Proof. assert (K := plan_job_ok). unfold job_ok in K. rewrite !andb_true_iff in K. destruct K as [[[_ K] _] _]. apply Z.ltb_lt, K. Qed.
  Lemma copies_positive : 1 <= most_copies I J.
  Proof. unfold most_copies. destruct (parallelism I); lia. Qed.

  Section Round.
    Variable t : nat.
    Hypothesis in_round : (t < num_rounds I)%nat.
    Lemma plan_legal : allocation_ok I J (a t).
    Proof. apply (plan_allocation _ _ _ _ is_plan t in_round). Qed.

    Lemma plan_held h r : (h < num_nodes I)%nat -> (r < num_types I)%nat ->
      0 <= held (a t) h r /\ (0 < held (a t) h r -> 0 < fst (speed J r)).
    Proof.
      intros Hh Hr. assert (L := plan_legal). unfold J. destruct (a t) as [|g|g]; simpl in *; [lia| |]; apply L; auto.
    Qed.
    Lemma plan_on_node h : (h < num_nodes I)%nat -> 0 <= sum (num_types I) (held (a t) h) <= gang_size J.
    Proof.
      intros Hh. split; [apply sum_nonneg; intros r Hr; apply plan_held; auto|].
      assert (W := plan_gang). assert (L := plan_legal). destruct (a t) as [|g|g]; cbn [allocation_ok] in L.
      - rewrite sum_zero; [lia|auto].
      - destruct L as (C & S & _). rewrite <- S.
        apply (sum_term (num_nodes I) (on_node I g) h Hh). intros k Hk. apply sum_nonneg. intros r Hr. apply C; auto.
      - destruct L as (_ & _ & N & _). change (sum (num_types I) (held (Copies g) h)) with (on_node I g h).
        destruct (N h Hh) as [->| ->]; lia.
    Qed.
    Definition round_gpus : Z := sum (num_nodes I) (fun h => sum (num_types I) (held (a t) h)).
    Lemma round_gpus_bounds : a t <> Idle -> gang_size J <= round_gpus <= gang_size J * most_copies I J.
    Proof.
      intros N. assert (W := plan_gang). assert (K := copies_positive). assert (L := plan_legal). unfold round_gpus, J in *.
      destruct (a t) as [|g|g] eqn:E; [congruence| |]; simpl in L.
      - destruct L as (_ & S & _). change (fun h => sum (num_types I) (held (Gang g) h)) with (on_node I g). rewrite S. nia.
      - destruct L as (F & _ & C & B1 & B2). change (fun h => sum (num_types I) (held (Copies g) h)) with (on_node I g).
        rewrite (count_sum _ _ _ C W), <- nodes_count. unfold most_copies. rewrite F. nia.
    Qed.
    Lemma round_gpus_takes : round_gpus = sum (spots I pooled) (fun x => sum (num_types I) (takes I pooled (a t) x)).
    Proof.
      unfold round_gpus, takes, spots. destruct pooled; [|reflexivity].
      rewrite sum_swap. reflexivity.
    Qed.
    Lemma takes_pos x r : (x < spots I pooled)%nat -> (r < num_types I)%nat -> 0 <= takes I pooled (a t) x r.
    Proof.
      intros Hx Hr. assert (H := plan_held). unfold takes, spots in *. destruct pooled; [apply sum_nonneg; intros h Hh|]; apply H; auto.
    Qed.
    Lemma takes_some x r : (x < spots I pooled)%nat -> (r < num_types I)%nat -> 0 < takes I pooled (a t) x r ->
      exists h, (h < num_nodes I)%nat /\ 0 < held (a t) h r.
    Proof.
      intros Hx Hr P. unfold takes, spots in *. destruct pooled; [apply sum_positive; exact P|exists x; auto].
    Qed.
    Lemma takes_not_idle x r : 0 < takes I pooled (a t) x r -> a t <> Idle.
    Proof. intros P E. rewrite E, takes_idle in P. lia. Qed.
    Lemma takes_runs x r : (x < spots I pooled)%nat -> (r < num_types I)%nat -> 0 < takes I pooled (a t) x r ->
      0 < fst (speed J r).
    Proof. intros Hx Hr P. destruct (takes_some x r Hx Hr P) as (h & Hh & Q). apply (plan_held h r Hh Hr); auto. Qed.

    Lemma takes_usable x r : (x < spots I pooled)%nat -> (r < num_types I)%nat -> 0 < takes I pooled (a t) x r ->
      round_gpus <= usable I pooled J r - gpus_at I pooled x r + takes I pooled (a t) x r.
    Proof.
      intros Hx Hr P.
      set (ok r' := match parallelism I with SingleType => (r' =? r)%nat | _ => 0 <? fst (speed J r') end).
      assert (OK : forall x' r', (x' < spots I pooled)%nat -> (r' < num_types I)%nat ->
        0 < takes I pooled (a t) x' r' -> ok r' = true).
      { intros x' r' Hx' Hr' P'. assert (S := takes_runs x' r' Hx' Hr' P'). unfold ok.
        destruct (parallelism I) eqn:E; [|apply Z.ltb_lt; auto|apply Z.ltb_lt; auto].
        destruct (takes_some x r Hx Hr P) as (h & Hh & Q), (takes_some x' r' Hx' Hr' P') as (h' & Hh' & Q').
        assert (L := plan_legal). apply Nat.eqb_eq. destruct (a t) as [|g|g]; simpl in *; [lia| |].
        - destruct L as (_ & _ & O). apply (O E h' r' h r); auto.
        - destruct L as (F & _). rewrite E in F. discriminate. }
      set (left x' r' := (if ok r' then gpus_at I pooled x' r' else 0) - takes I pooled (a t) x' r').
      assert (L0 : forall x' r', (x' < spots I pooled)%nat -> (r' < num_types I)%nat -> 0 <= left x' r').
      { intros x' r' Hx' Hr'. unfold left. assert (N := takes_pos x' r' Hx' Hr').
        assert (R := plan_room _ _ _ _ is_plan t x' r' in_round Hx' Hr').
        destruct (ok r') eqn:E; [lia|].
        destruct (Z_le_gt_dec (takes I pooled (a t) x' r') 0) as [|G]; [lia|].
        rewrite (OK x' r' Hx' Hr' ltac:(lia)) in E. discriminate. }
      assert (L1 : left x r <= sum (spots I pooled) (fun x' => sum (num_types I) (left x'))).
      { eapply Z.le_trans; [|apply (sum_term _ (fun x' => sum (num_types I) (left x')) x Hx)].
        - apply (sum_term _ (left x) r Hr). auto.
        - intros; apply sum_nonneg; auto. }
      assert (L2 : sum (spots I pooled) (fun x' => sum (num_types I) (left x')) = usable I pooled J r - round_gpus).
      { rewrite round_gpus_takes. unfold usable, left. rewrite <- sum_minus. apply sum_ext. intros x' _.
        rewrite <- sum_minus. reflexivity. }
      unfold left in L1 at 1. rewrite (OK x r Hx Hr P) in L1. lia.
    Qed.
    Lemma takes_share x r : (x < spots I pooled)%nat -> (r < num_types I)%nat ->
      takes I pooled (a t) x r <= share I pooled J r.
    Proof.
      intros Hx Hr. assert (W := plan_gang). assert (K := copies_positive). unfold share.
      destruct (Z_le_gt_dec (takes I pooled (a t) x r) 0) as [N|P].
      { destruct (0 <? _); [|lia]. destruct pooled; nia. }
      rewrite (proj2 (Z.ltb_lt _ _) (takes_runs x r Hx Hr ltac:(lia))).
      assert (B := round_gpus_bounds (takes_not_idle x r ltac:(lia))).
      assert (H := plan_held). assert (N := plan_on_node). unfold round_gpus in B. unfold takes, spots in *.
      destruct pooled.
      - eapply Z.le_trans; [|apply B]. rewrite sum_swap.
        apply (sum_term _ (fun r => sum (num_nodes I) (fun h => held (a t) h r)) r Hr).
        intros r' Hr'. apply sum_nonneg. intros h Hh. apply H; auto.
      - rewrite Z.mul_1_r. eapply Z.le_trans; [|apply (N x Hx)].
        apply (sum_term _ (held (a t) x) r Hr). intros r' Hr'. apply H; auto.
    Qed.

    Lemma level_gain use time : (forall r, (r < num_types I)%nat -> use r = true -> 0 < fst (speed J r)) ->
      level_progress I J use time = 0 \/
      exists l, In l (running_types I J) /\ level_progress I J use time = floor_product (speed J l) time.
    Proof.
      intros P. unfold level_progress. destruct (slowest (speed J) use (num_types I)) as [l|] eqn:E; [|auto].
      right. assert (K := plan_job_ok). unfold job_ok in K. rewrite !andb_true_iff in K. destruct K as [[_ K] _].
      destruct (slowest_spec _ _ _ _ (fun r => speed_den_pos J r K) E) as (A & B & _). exists l. split; [|reflexivity].
      apply filter_In. split; [apply in_seq; lia|]. apply Z.ltb_lt. auto.
    Qed.
    Lemma gain_bounds : 0 < progress I J (a t) ->
      exists g gs, gains I J = g :: gs /\ smallest g gs <= progress I J (a t) <= largest (g :: gs).
    Proof.
      intros P. assert (L := plan_legal).
      assert (X : exists lo hi, In lo (gains I J) /\ In hi (gains I J) /\ lo <= progress I J (a t) <= hi).
      { destruct (a t) as [|g|g] eqn:E; [simpl in P; lia| |]; simpl in L.
        - (* a gang *)
          assert (G : forall time, level_progress I J (used I g) time = 0 \/ exists l, In l (running_types I J) /\
            level_progress I J (used I g) time = floor_product (speed J l) time).
          { intros time. apply level_gain. intros r Hr U. unfold used in U. apply existsb_exists in U.
            destruct U as (h & Hh & U). apply in_seq in Hh. apply Z.ltb_lt in U. apply L with (h := h); auto. lia. }
          cbn [progress] in P |- *. unfold gang_progress in *.
          assert (In (level_progress I J (used I g) (if 1 <? nodes_used I g then spread_time I J else node_time I)) (gains I J)).
          { apply in_or_app. left. apply filter_In. split; [|apply Z.ltb_lt; auto]. apply in_flat_map.
            destruct (1 <? nodes_used I g) eqn:N.
            - destruct (G (spread_time I J)) as [Z0|(l & Hl & El)]; [lia|]. exists l. split; [auto|].
              right. left. rewrite El. apply (wide_spread I J g l L N).
            - destruct (G (node_time I)) as [Z0|(l & Hl & El)]; [lia|]. exists l. split; [auto|]. left. auto. }
          eexists; eexists; split; [eassumption|split; [eassumption|lia]].
        - (* copies *)
          destruct L as (F & C & _ & N1 & N2). cbn [progress] in P |- *. unfold copies_progress in *.
          set (made h := level_progress I J (used_on g h) (copy_time I)) in *.
          assert (K2 : most_copies I J = max_copies J) by (unfold most_copies; rewrite F; fold J in N2; lia).
          assert (G : forall h, (h < num_nodes I)%nat -> (on_node I g h <= 0 -> made h = 0) /\
            (made h = 0 \/ In (made h) (copy_amounts I J)) /\ (0 < on_node I g h -> In (made h) (copy_amounts I J))).
          { intros h Hh. split; [|split].
            - intros Z0. unfold made, level_progress. rewrite slowest_none; [reflexivity|]. intros r Hr. unfold used_on.
              apply Z.ltb_ge. assert (Q := sum_term (num_types I) (g h) r Hr (fun k Hk => proj1 (C h k Hh Hk))).
              unfold on_node in Z0. lia.
            - destruct (level_gain (used_on g h) (copy_time I)) as [Z0|(l & Hl & El)].
              + intros r Hr U. apply Z.ltb_lt in U. apply (C h r); auto.
              + left. exact Z0.
              + right. unfold made. rewrite El. apply (in_map (fun l => floor_product (speed J l) (copy_time I))). exact Hl.
            - intros Po. destruct (sum_positive _ _ Po) as (r & Hr & Pr).
              assert (K := plan_job_ok). unfold job_ok in K. rewrite !andb_true_iff in K. destruct K as [[_ K] _].
              destruct (slowest_exists (speed J) (used_on g h) (num_types I) r Hr) as [l El]; [apply Z.ltb_lt; auto|].
              destruct (slowest_spec _ _ _ _ (fun r => speed_den_pos J r K) El) as (A & B & _).
              unfold made, level_progress. rewrite El. apply (in_map (fun l => floor_product (speed J l) (copy_time I))).
              apply filter_In. split; [apply in_seq; lia|]. apply Z.ltb_lt. apply Z.ltb_lt in B. apply (C h l); auto. }
          assert (NN : forall p, In p (copy_amounts I J) -> 0 <= p).
          { intros p Hp. apply in_map_iff in Hp. destruct Hp as (l & <- & Hl). apply filter_In in Hl. destruct Hl as [_ Hl].
            apply Z.ltb_lt in Hl. assert (Fi := proj1 (copy_time_fine I inst)).
            assert (K := plan_job_ok). unfold job_ok in K. rewrite !andb_true_iff in K. destruct K as [[_ K] _].
            assert (D := speed_den_pos J l K). unfold fraction_ok in Fi. apply andb_true_iff in Fi.
            rewrite Z.leb_le, Z.ltb_lt in Fi. unfold floor_product. apply Z.div_pos; nia. }
          (* one copy makes something *)
          destruct (sum_positive _ _ P) as (h0 & Hh0 & P0).
          assert (I0 : In (made h0) (copy_amounts I J)) by (destruct (G h0 Hh0) as (_ & [Z0|?] & _); [lia|auto]).
          destruct (filter (fun p => 0 <? p) (copy_amounts I J)) as [|p l] eqn:Ef.
          { exfalso. assert (In (made h0) (filter (fun p => 0 <? p) (copy_amounts I J))) by (apply filter_In; split; [auto|apply Z.ltb_lt; auto]).
            rewrite Ef in H. destruct H. }
          assert (Sm : forall q, In q (copy_amounts I J) -> 0 < q -> smallest p l <= q <= largest (p :: l)).
          { intros q Hq Pq. assert (Iq : In q (p :: l)) by (rewrite <- Ef; apply filter_In; split; [auto|apply Z.ltb_lt; auto]).
            split; [apply smallest_le|apply largest_ge]; auto. }
          assert (Sp : 0 < smallest p l).
          { assert (Q := smallest_in p l). rewrite <- Ef in Q. apply filter_In in Q. destruct Q as [_ Q]. apply Z.ltb_lt, Q. }
          assert (Cg : copy_gains I J = [smallest p l * (if existsb (fun p => p =? 0) (copy_amounts I J) then 1 else 2);
            largest (p :: l) * most_copies I J]).
          { unfold copy_gains. replace (most_copies I J <? 2) with false by (symmetry; apply Z.ltb_ge; lia).
            rewrite Ef. reflexivity. }
          assert (Nc := nodes_count I g).
          exists (smallest p l * (if existsb (fun p => p =? 0) (copy_amounts I J) then 1 else 2)), (largest (p :: l) * most_copies I J).
          split; [apply in_or_app; right; rewrite Cg; left; auto|].
          split; [apply in_or_app; right; rewrite Cg; right; left; auto|]. split.
          + destruct (existsb (fun p => p =? 0) (copy_amounts I J)) eqn:Ez.
            * rewrite Z.mul_1_r. eapply Z.le_trans; [apply (Sm _ I0 P0)|].
              apply (sum_term _ made h0 Hh0). intros k Hk. destruct (G k Hk) as (_ & [->|Q] & _); [lia|auto].
            * eapply Z.le_trans with (smallest p l * nodes_used I g); [nia|]. rewrite Nc. unfold count. rewrite <- sum_scale.
              apply sum_le. intros h Hh. destruct (G h Hh) as (G1 & G2 & G3). destruct (Z.ltb_spec 0 (on_node I g h)) as [Q|Q].
              -- specialize (G3 Q). assert (made h <> 0).
                 { intros E0. assert (X : existsb (fun p => p =? 0) (copy_amounts I J) = true); [|congruence].
                   apply existsb_exists. exists (made h). split; [auto|apply Z.eqb_eq; auto]. }
                 specialize (NN _ G3). assert (S1 := Sm _ G3 ltac:(lia)). lia.
              -- rewrite (G1 Q). lia.
          + eapply Z.le_trans with (largest (p :: l) * nodes_used I g).
            * rewrite Nc. apply count_bound; [intros h Hh Q; apply (G h Hh); auto|]. intros h Hh Q.
              destruct (G h Hh) as (_ & _ & G3). specialize (G3 Q). destruct (Z_le_gt_dec (made h) 0) as [Z0|Z0].
              -- assert (S1 := Sm _ I0 P0). lia.
              -- apply (Sm _ G3). lia.
            * apply Z.mul_le_mono_nonneg_l; [assert (S1 := Sm _ I0 P0); lia|]. fold J in N2. lia. }
      destruct X as (lo & hi & Hlo & Hhi & B). destruct (gains I J) as [|g gs]; [destruct Hlo|]. exists g, gs.
      split; [reflexivity|]. assert (S1 := smallest_le g gs lo Hlo). assert (S2 := largest_ge (g :: gs) hi Hhi). lia.
    Qed.
  End Round.

  Lemma plan_works t : (t < num_rounds I)%nat -> a t <> Idle -> 0 < progress I J (a t).
  Proof. intros Ht Hb. apply (works I j a in_range (plan_irredundant _ _ _ _ is_plan)); auto. Qed.
  Lemma plan_runs : exists t, (t < num_rounds I)%nat /\ a t <> Idle.
  Proof.
    assert (E := proj1 (plan_irredundant _ _ _ _ is_plan)). assert (N := plan_need). fold J in E. unfold whole_progress in E.
    destruct (sum_positive (num_rounds I) (fun t => progress_of I j (a t))) as (t & Ht & P); [lia|]. exists t.
    split; [auto|]. intros X. rewrite X in P. unfold progress_of in P. simpl in P. lia.
  Qed.
  Lemma plan_somewhere t : (t < num_rounds I)%nat -> a t <> Idle -> exists x r, inside t x r /\ 0 < takes I pooled (a t) x r.
  Proof.
    intros Ht Hb. assert (B := round_gpus_bounds t Ht Hb). assert (W := plan_gang). rewrite round_gpus_takes in B.
    destruct (sum_positive _ _ ltac:(apply Z.lt_le_trans with (gang_size J); [exact W|apply B])) as (x & Hx & Px).
    destruct (sum_positive _ _ Px) as (r & Hr & Pr). exists x, r. auto.
  Qed.

  Theorem span_sound : exists first last units, span I pooled J = Some (first, last, units) /\
    worth_at J last <= own_value I j a /\
    across I pooled (fun t x r => takes I pooled (a t) x r) <= units /\
    forall t, (t < num_rounds I)%nat -> a t <> Idle ->
      (release J <= t)%nat /\ (t <= last)%nat /\ own_value I j a <= worth_at J (Nat.max t first).
  Proof.
    destruct plan_runs as (t0 & Ht0 & Hb0).
    destruct (gain_bounds t0 Ht0 (plan_works t0 Ht0 Hb0)) as (g & gs & Eg & B0).
    set (M := largest (g :: gs)) in *. set (lo := smallest g gs) in *.
    assert (GP : forall p, In p (gains I J) -> 0 < p).
    { intros p Hp. apply in_app_or in Hp. destruct Hp as [Hp|Hp].
      - apply filter_In in Hp. destruct Hp as [_ Hp]. apply Z.ltb_lt, Hp.
      - unfold copy_gains in Hp. destruct (most_copies I J <? 2); [destruct Hp|].
        destruct (filter (fun p => 0 <? p) (copy_amounts I J)) as [|q l] eqn:Ef; [destruct Hp|].
        assert (Sp : 0 < smallest q l).
        { assert (Q := smallest_in q l). rewrite <- Ef in Q. apply filter_In in Q. destruct Q as [_ Q]. apply Z.ltb_lt, Q. }
        assert (Sq := largest_ge (q :: l) _ (smallest_in q l)). assert (K := copies_positive).
        destruct Hp as [<-|[<-|[]]]; [destruct (existsb _ _); lia|nia]. }
    assert (Lp : 0 < lo) by (apply GP; rewrite Eg; apply smallest_in).
    assert (Mp : 0 < M) by (assert (Q := plan_works t0 Ht0 Hb0); lia).
    assert (Bd : forall t, (t < num_rounds I)%nat -> 0 < progress I J (a t) -> lo <= progress I J (a t) <= M).
    { intros t Ht P. destruct (gain_bounds t Ht P) as (g' & gs' & Eg' & B'). rewrite Eg in Eg'. injection Eg' as <- <-. exact B'. }
    assert (Bm : forall t, (t < num_rounds I)%nat -> progress I J (a t) <= M).
    { intros t Ht. destruct (Z_le_gt_dec (progress I J (a t)) 0); [lia|]. apply Bd; auto. lia. }
    assert (N := plan_need). set (k := (iterations J - 1) / M).
    assert (K0 : 0 <= k) by (apply Z.div_pos; lia).
    assert (KM : k * M < iterations J).
    { assert (Q := Z.mul_div_le (iterations J - 1) M Mp). fold k in Q. lia. }
    assert (V := plan_worth _ _ _ _ is_plan). assert (V' := V). unfold own_value, job_value in V'. fold J in V'.
    destruct (completion I (fun _ => a) j) as [f|] eqn:Ef; [|lia].
    assert (Ff := proj1 (completion_spec I (fun _ => a) j f Ef)).
    assert (Wf : own_value I j a = worth_at J f) by (unfold own_value, job_value; fold J; rewrite Ef; reflexivity).
    assert (Fk : (Z.to_nat k <= f - release J)%nat).
    { apply (early_completion I j a inst in_range (plan_release _ _ _ _ is_plan) (Z.to_nat k) M f); auto.
      rewrite Z2Nat.id by auto. exact KM. }
    assert (Rf : (release J <= f)%nat).
    { assert (D := proj1 (proj2 (completion_spec I (fun _ => a) j f Ef))).
      assert (D' := proj2 (proj2 (completion_spec I (fun _ => a) j f Ef))).
      destruct (le_lt_dec (release J) f) as [|L]; [auto|exfalso].
      assert (Z0 : done_before I (fun _ => a) j (S f) = 0).
      { apply sum_zero. intros u Hu. destruct (a u) eqn:Eu; [reflexivity| |];
          (assert (R := plan_release _ _ _ _ is_plan u ltac:(lia) ltac:(rewrite Eu; discriminate)); fold J in R; lia). }
      fold J in D. lia. }
    assert (Can : existsb (can_hold I pooled J) (seq 0 (num_types I)) = true).
    { destruct (plan_somewhere t0 Ht0 Hb0) as (x & r & (_ & Hx & Hr) & P). apply existsb_exists. exists r.
      split; [apply in_seq; lia|]. unfold can_hold. apply andb_true_iff. rewrite Z.ltb_lt, Z.leb_le.
      split; [apply (takes_runs t0 Ht0 x r Hx Hr P)|].
      assert (U := takes_usable t0 Ht0 x r Hx Hr P). assert (W := round_gpus_bounds t0 Ht0 Hb0).
      assert (Rm := plan_room _ _ _ _ is_plan t0 x r Ht0 Hx Hr). lia. }
    unfold span. rewrite Eg. fold M lo k. rewrite Can.
    replace (Z.of_nat (num_rounds I) <=? k) with false by (symmetry; apply Z.leb_gt; lia). cbn [orb negb].
    set (first := (release J + Z.to_nat k)%nat).
    destruct (find (fun t => 0 <? worth_at J t) (rev (seq first (num_rounds I - first)))) as [last|] eqn:El.
    2:{ exfalso. assert (Q := find_none _ _ El f). cbv beta in Q. rewrite <- in_rev, in_seq in Q.
        specialize (Q ltac:(unfold first; lia)). apply Z.ltb_ge in Q. unfold worth_at in Q. lia. }
    assert (Lf : (f <= last)%nat /\ (last < num_rounds I)%nat).
    { assert (Hf : In f (rev (seq first (num_rounds I - first)))) by (rewrite <- in_rev, in_seq; unfold first; lia).
      destruct (find_some _ _ El) as [Hl _]. rewrite <- in_rev, in_seq in Hl. split; [|lia].
      destruct (le_lt_dec f last) as [|L]; [auto|exfalso].
      (* the last in the list is found first *)
      assert (Pf : (0 <? worth_at J f) = true) by (apply Z.ltb_lt; unfold worth_at; lia).
      clear - El L Pf Hf. revert El Hf. generalize (num_rounds I - first)%nat. intros n. induction n as [|n IH]; [simpl; tauto|].
      rewrite seq_S, rev_app_distr. simpl. destruct (0 <? worth_at J (first + n)) eqn:E.
      - intros [= El] [Hf|Hf]; [lia|]. rewrite <- in_rev, in_seq in Hf. lia.
      - intros El [Hf|Hf]; [rewrite Hf in E; congruence|]. apply IH; auto. }
    eexists first, last, _. split; [reflexivity|].
    assert (Fa : falling (utility J) = true) by (apply falls; auto).
    split; [rewrite Wf; apply falling_nth; [exact Fa|lia]|].
    assert (Late : forall t, (t < num_rounds I)%nat -> a t <> Idle -> (t <= f)%nat).
    { intros t Ht Hb. destruct (le_lt_dec t f) as [|L]; [auto|exfalso].
      assert (Q := proj2 (plan_irredundant _ _ _ _ is_plan) t Ht Hb).
      change (whole_progress I j a) with (done_before I (fun _ => a) j (num_rounds I)) in Q.
      assert (D := proj1 (proj2 (completion_spec I (fun _ => a) j f Ef))).
      assert (S1 := done_increases I inst (fun _ => a) j (S f) t in_range L).
      assert (S2 := done_increases I inst (fun _ => a) j (S t) (num_rounds I) in_range Ht).
      rewrite done_step in S2. lia. }
    assert (Rel := plan_release _ _ _ _ is_plan). fold J in Rel.
    split.
    - (* units *)
      assert (Wu : forall t, (t < num_rounds I)%nat ->
        sum (spots I pooled) (fun x => sum (num_types I) (takes I pooled (a t) x)) <=
          (gang_size J * most_copies I J) * (if idleb (a t) then 0 else 1)).
      { intros t Ht. rewrite <- round_gpus_takes by auto. destruct (a t) eqn:Ea; cbn [idleb].
        - rewrite round_gpus_takes by auto. rewrite sum_zero; [lia|]. intros x _. apply sum_zero. intros r _. rewrite Ea. apply takes_idle.
        - rewrite Z.mul_1_r. apply round_gpus_bounds; auto. rewrite Ea. discriminate.
        - rewrite Z.mul_1_r. apply round_gpus_bounds; auto. rewrite Ea. discriminate. }
      unfold across. eapply Z.le_trans; [apply sum_le; exact Wu|]. rewrite sum_scale.
      change (sum (num_rounds I) (fun t => if idleb (a t) then 0 else 1)) with (held_rounds I a).
      rewrite Z.mul_comm. apply Z.mul_le_mono_nonneg_r.
      { assert (W := plan_gang). assert (K := copies_positive). nia. }
      apply Z.min_glb.
      + assert (Fr := few_rounds I j a inst in_range (plan_irredundant _ _ _ _ is_plan) lo ltac:(lia)
          (fun t Ht P => proj1 (Bd t Ht P))). fold J in Fr.
        assert (Q : held_rounds I a - 1 <= (iterations J - 1) / lo) by (apply Z.div_le_lower_bound; lia). lia.
      + eapply Z.le_trans with (Z.of_nat (S last - release J)); [|lia].
        eapply Z.le_trans; [|apply (indicator_sum (release J) last (num_rounds I))]. apply sum_le. intros t Ht.
        destruct (a t) eqn:Ea; cbn [idleb]; [destruct (_ && _)%bool; lia| |];
          (assert (R1 := Rel t Ht ltac:(rewrite Ea; discriminate)); assert (R2 := Late t Ht ltac:(rewrite Ea; discriminate));
           rewrite (proj2 (Nat.leb_le _ _) R1), (proj2 (Nat.leb_le t last) ltac:(lia)); simpl; lia).
    - intros t Ht Hb. assert (R1 := Rel t Ht Hb). assert (R2 := Late t Ht Hb). split; [auto|]. split; [lia|].
      rewrite Wf. apply falling_nth; [exact Fa|]. unfold first. lia.
  Qed.

  Theorem held_sound t x r : inside t x r -> 0 < takes I pooled (a t) x r ->
    can_hold I pooled J r = true /\ least_held I pooled J x r <= takes I pooled (a t) x r <= most_held I pooled J x r.
  Proof.
    intros (Ht & Hx & Hr) P. assert (Hb := takes_not_idle t Ht x r P).
    assert (U := takes_usable t Ht x r Hx Hr P). assert (W := round_gpus_bounds t Ht Hb).
    assert (Rm := plan_room _ _ _ _ is_plan t x r Ht Hx Hr). assert (S := takes_runs t Ht x r Hx Hr P).
    assert (Sh := takes_share t Ht x r Hx Hr). unfold share in Sh. rewrite (proj2 (Z.ltb_lt _ _) S) in Sh.
    unfold can_hold, least_held, most_held. rewrite (proj2 (Z.ltb_lt _ _) S). split; [apply Z.leb_le; lia|lia].
  Qed.
End Plan.
