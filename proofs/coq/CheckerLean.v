(** * Copies without progress can be left out: what is left does no worse.

    [falling]              a list of utilities does not increase and is nowhere negative
    [utilities_fall]         those of all jobs are falling
    [makes, shed]          the progress of the copy on a node; what the copies with progress hold
    [lean_allocation]      an allocation without the copies that make no progress; a single copy that is
                         left runs as a gang, which is no slower
    [lean]                 the schedule of lean allocations, until each job completes
    [lean_feasible]        it is feasible
    [lean_value]           and worth no less
    [lean_thrifty]         and no copy in it makes no progress *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerLevel CheckerTrim CheckerJob.
Import ListNotations.
Open Scope Z_scope.

Fixpoint falling (l : list Z) : bool :=
  match l with
  | [] => true
  | u :: r => (0 <=? u) && match r with [] => true | v :: _ => v <=? u end && falling r
  end.
Definition utilities_fall (I : instance) : bool := forallb (fun J => falling (utility J)) (jobs I).

Lemma falling_nonneg l i : falling l = true -> 0 <= nth i l 0.
Proof.
  revert i. induction l as [|u r IH]; intros [|i]; simpl; try lia;
    rewrite !andb_true_iff, Z.leb_le; intros [[A _] B]; auto.
Qed.
Lemma falling_nth l i k : falling l = true -> (i <= k)%nat -> nth k l 0 <= nth i l 0.
Proof.
  revert i k. induction l as [|u r IH]; intros i k H L; [destruct i, k; simpl; lia|].
  simpl in H. rewrite !andb_true_iff, Z.leb_le in H. destruct H as [[A B] C].
  destruct k as [|k]; [replace i with 0%nat by lia; lia|]. destruct i as [|i]; [|simpl; apply IH; auto; lia].
  simpl. destruct r as [|v r]; [destruct k; simpl; lia|]. apply Z.leb_le in B.
  assert (Q := IH 0%nat k C ltac:(lia)). simpl in Q. simpl. destruct k; lia.
Qed.

(* copies *)
Definition makes (I : instance) (J : job) (g : nat -> nat -> Z) (h : nat) : Z :=
  level_progress I J (used_on g h) (copy_time I).
Definition shed (I : instance) (J : job) (g : nat -> nat -> Z) (h r : nat) : Z :=
  if makes I J g h =? 0 then 0 else g h r.
Definition lean_allocation (I : instance) (J : job) (a : allocation) : allocation :=
  match a with
  | Copies g =>
      let g' := shed I J g in
      if 1 <? nodes_used I g' then Copies g' else if nodes_used I g' =? 1 then Gang g' else Idle
  | _ => a
  end.

Lemma slowest_ext X use use' n : (forall r, (r < n)%nat -> use r = use' r) ->
  slowest X use n = slowest X use' n.
Proof.
  induction n as [|n IH]; intros H; [reflexivity|]. simpl. rewrite IH, H by auto. reflexivity.
Qed.
Lemma slowest_none X use n : (forall r, (r < n)%nat -> use r = false) -> slowest X use n = None.
Proof.
  induction n as [|n IH]; intros H; [reflexivity|]. simpl. rewrite IH, H by auto. reflexivity.
Qed.
Lemma level_ext I J use use' time : (forall r, (r < num_types I)%nat -> use r = use' r) ->
  level_progress I J use time = level_progress I J use' time.
Proof. intros H. unfold level_progress. rewrite (slowest_ext _ _ use') by exact H. reflexivity. Qed.

Lemma shed_makes I J g h : makes I J (shed I J g) h = makes I J g h.
Proof.
  unfold makes at 1. destruct (Z.eqb_spec (makes I J g h) 0) as [E|N].
  - rewrite E. unfold level_progress. rewrite slowest_none; [reflexivity|].
    intros r _. unfold used_on, shed. rewrite E. reflexivity.
  - apply level_ext. intros r _. unfold used_on, shed.
    replace (makes I J g h =? 0) with false by (symmetry; apply Z.eqb_neq; exact N). reflexivity.
Qed.
Lemma shed_on_node I J g h :
  on_node I (shed I J g) h = if makes I J g h =? 0 then 0 else on_node I g h.
Proof.
  unfold on_node. destruct (makes I J g h =? 0) eqn:E.
  - apply sum_zero. intros r _. unfold shed. rewrite E. reflexivity.
  - apply sum_ext. intros r _. unfold shed. rewrite E. reflexivity.
Qed.

Definition count (n : nat) (f : nat -> Z) : Z := sum n (fun h => if 0 <? f h then 1 else 0).
Lemma count_nonneg n f : 0 <= count n f.
Proof. apply sum_nonneg. intros h _. destruct (0 <? f h); lia. Qed.
Lemma count_sum n f W : (forall h, (h < n)%nat -> f h = 0 \/ f h = W) -> 0 < W ->
  sum n f = W * count n f.
Proof.
  unfold count. induction n as [|n IH]; intros H HW; simpl; [lia|].
  rewrite IH by auto. destruct (H n ltac:(lia)) as [E|E]; rewrite E; [simpl; lia|].
  replace (0 <? W) with true by (symmetry; apply Z.ltb_lt; exact HW). lia.
Qed.
Lemma count_bound n f P B : (forall h, (h < n)%nat -> f h <= 0 -> P h = 0) ->
  (forall h, (h < n)%nat -> 0 < f h -> P h <= B) -> sum n P <= B * count n f.
Proof.
  unfold count. induction n as [|n IH]; intros H0 H1; simpl; [lia|].
  assert (Q := IH ltac:(auto) ltac:(auto)). destruct (Z.ltb_spec 0 (f n)) as [L|L].
  - specialize (H1 n ltac:(lia) L). lia.
  - specialize (H0 n ltac:(lia) L). lia.
Qed.
Lemma count_two n f h k : (h < n)%nat -> (k < n)%nat -> h <> k -> 0 < f h -> 0 < f k -> 2 <= count n f.
Proof.
  unfold count. induction n as [|n IH]; intros Hh Hk N Fh Fk; [lia|]. simpl.
  assert (C : forall i, (i < n)%nat -> 0 < f i -> 1 <= sum n (fun h => if 0 <? f h then 1 else 0)).
  { intros i Hi Fi. eapply Z.le_trans; [|apply (sum_term n (fun h => if 0 <? f h then 1 else 0) i Hi)].
    - cbv beta. replace (0 <? f i) with true by (symmetry; apply Z.ltb_lt; exact Fi). lia.
    - intros j _. destruct (0 <? f j); lia. }
  destruct (Nat.eq_dec h n) as [->|Nh]; [|destruct (Nat.eq_dec k n) as [->|Nk]].
  - replace (0 <? f n) with true by (symmetry; apply Z.ltb_lt; exact Fh).
    specialize (C k ltac:(lia) Fk). lia.
  - replace (0 <? f n) with true by (symmetry; apply Z.ltb_lt; exact Fk).
    specialize (C h ltac:(lia) Fh). lia.
  - assert (Q := IH ltac:(lia) ltac:(lia) N Fh Fk). destruct (0 <? f n); lia.
Qed.
Lemma nodes_count I g : nodes_used I g = count (num_nodes I) (on_node I g). Proof. reflexivity. Qed.

Lemma floor_mono a b c : 0 <= fst a -> 0 < snd a -> fraction_ok b = true -> fraction_ok c = true ->
  qle b c = true -> floor_product a b <= floor_product a c.
Proof.
  unfold fraction_ok, qle, floor_product. rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt.
  destruct a as [an ad], b as [bn bd], c as [cn cd]. cbn [fst snd]. intros A1 A2 [B1 B2] [C1 C2] Q.
  rewrite <- (Z.div_mul_cancel_r (an * bn) (ad * bd) cd) by nia.
  rewrite <- (Z.div_mul_cancel_r (an * cn) (ad * cd) bd) by nia.
  replace (ad * cd * bd) with (ad * bd * cd) by lia. apply Z.div_le_mono; nia.
Qed.
Lemma copy_time_fine I : instance_ok I = true ->
  fraction_ok (copy_time I) = true /\ fraction_ok (node_time I) = true /\
  qle (copy_time I) (node_time I) = true.
Proof.
  intros H. unfold instance_ok in H. rewrite !andb_true_iff in H. destruct H as [[H1 H2] _].
  split; [|split; [exact H1|]]; revert H1 H2; unfold fraction_ok, qle, copy_time, node_time;
    destruct (round_seconds I) as [tn td], (consolidation_seconds I) as [cn cd]; cbn [fst snd];
    rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt; intros [A1 A2] [B1 B2].
  - split; [apply Z.le_max_l|nia].
  - destruct (Z.max_spec 0 (tn * cd - cn * td)) as [[_ ->]|[_ ->]]; nia.
Qed.
Lemma copy_no_faster I J use : instance_ok I = true -> job_ok J = true ->
  level_progress I J use (copy_time I) <= level_progress I J use (node_time I).
Proof.
  intros HI HJ. destruct (copy_time_fine I HI) as (A & B & C). unfold level_progress.
  destruct (slowest _ _ _) as [l|]; [|lia].
  unfold job_ok in HJ. rewrite !andb_true_iff in HJ. destruct HJ as [[_ K] _].
  apply floor_mono; auto using speed_num_nonneg, speed_den_pos.
Qed.
Lemma level_nonneg I J use time : job_ok J = true -> fraction_ok time = true ->
  0 <= level_progress I J use time.
Proof.
  intros HJ H. unfold level_progress. destruct (slowest _ _ _) as [l|]; [|lia].
  unfold job_ok in HJ. rewrite !andb_true_iff in HJ. destruct HJ as [[_ K] _].
  assert (P := speed_num_nonneg J l K). assert (P' := speed_den_pos J l K).
  unfold fraction_ok in H. unfold floor_product. apply Z.div_pos; nia.
Qed.

Section Shed.
  Variables (I : instance) (J : job) (g : nat -> nat -> Z).
  Hypothesis inst : instance_ok I = true.
  Hypothesis J_fine : job_ok J = true.
  Hypothesis fine : allocation_ok I J (Copies g).
  Let g' := shed I J g.

  Lemma gang_positive : 0 < gang_size J.
  Proof. assert (H := J_fine). unfold job_ok in H. rewrite !andb_true_iff, !Z.ltb_lt in H. lia. Qed.
  Lemma shed_counts : counts_ok I J g'.
  Proof.
    destruct fine as (_ & Hc & _). intros h r Hh Hr. destruct (Hc h r Hh Hr) as [A B].
    subst g'. unfold shed. destruct (makes I J g h =? 0); [lia|auto].
  Qed.
  Lemma shed_whole h : (h < num_nodes I)%nat -> on_node I g' h = 0 \/ on_node I g' h = gang_size J.
  Proof.
    destruct fine as (_ & _ & Hn & _). intros Hh. subst g'. rewrite shed_on_node.
    destruct (makes I J g h =? 0); auto.
  Qed.
  Lemma shed_nodes : nodes_used I g' <= nodes_used I g.
  Proof.
    unfold nodes_used. apply sum_le. intros h Hh. subst g'. rewrite shed_on_node.
    destruct (makes I J g h =? 0); [|lia]. simpl. destruct (0 <? on_node I g h); lia.
  Qed.
  Lemma shed_progress : copies_progress I J g' = copies_progress I J g.
  Proof. apply sum_ext. intros h _. apply shed_makes. Qed.
  Lemma unused_makes h : (h < num_nodes I)%nat -> on_node I g' h <= 0 -> makes I J g' h = 0.
  Proof.
    intros Hh H. unfold makes, level_progress. rewrite slowest_none; [reflexivity|].
    intros r Hr. unfold used_on. apply Z.ltb_ge.
    assert (Q := sum_term (num_types I) (g' h) r Hr (fun k Hk => proj1 (shed_counts h k Hh Hk))).
    unfold on_node in H. lia.
  Qed.

  Lemma lean_copies : allocation_ok I J (lean_allocation I J (Copies g)) /\
    progress I J (Copies g) <= progress I J (lean_allocation I J (Copies g)).
  Proof.
    assert (W := gang_positive). assert (C := shed_counts). assert (N := shed_nodes).
    assert (P := shed_progress). cbn [lean_allocation]. cbv zeta. fold g'.
    destruct (1 <? nodes_used I g') eqn:E2; [|destruct (nodes_used I g' =? 1) eqn:E1].
    - apply Z.ltb_lt in E2. destruct fine as (F1 & _ & _ & F4).
      split; [split; [exact F1|split; [exact C|split; [exact shed_whole|lia]]]|]. cbn [progress]. lia.
    - apply Z.eqb_eq in E1. split.
      + split; [exact C|split].
        * rewrite (count_sum _ _ (gang_size J) shed_whole W), <- nodes_count. lia.
        * destruct fine as (F1 & _). rewrite F1. discriminate.
      + cbn [progress]. unfold gang_progress. rewrite E2, <- P. unfold copies_progress.
        set (B := level_progress I J (used I g') (node_time I)).
        replace B with (B * nodes_used I g') by lia. rewrite nodes_count.
        apply count_bound; [exact unused_makes|]. intros h Hh Uh.
        eapply Z.le_trans; [apply copy_no_faster; auto|]. subst B. apply Z.eq_le_incl, level_ext.
        intros r Hr. unfold used_on. destruct (Z.ltb_spec 0 (g' h r)) as [L|L].
        * symmetry. apply (used_true I g' h r Hh L).
        * destruct (used I g' r) eqn:U; [|reflexivity]. destruct (used_inv _ _ _ U) as (k & Hk & Gk).
          assert (Nk : h <> k) by (intros ->; lia).
          assert (Q := sum_term (num_types I) (g' k) r Hr (fun i Hi => proj1 (C k i Hk Hi))).
          assert (T := count_two _ (on_node I g') h k Hh Hk Nk Uh ltac:(unfold on_node; lia)).
          rewrite <- nodes_count in T. lia.
    - split; [exact Logic.I|]. cbn [progress]. rewrite <- P. unfold copies_progress.
      apply Z.ltb_ge in E2. apply Z.eqb_neq in E1. assert (K := count_nonneg (num_nodes I) (on_node I g')).
      rewrite <- nodes_count in K.
      eapply Z.le_trans; [apply (count_bound _ (on_node I g') _ 0)|lia].
      + exact unused_makes.
      + intros h Hh Uh. exfalso.
        assert (G : 1 <= nodes_used I g'); [|lia]. unfold nodes_used.
        eapply Z.le_trans; [|apply (sum_term _ (fun h => if 0 <? on_node I g' h then 1 else 0) h Hh)].
        * cbv beta. replace (0 <? on_node I g' h) with true by (symmetry; apply Z.ltb_lt; exact Uh). lia.
        * intros i _. destruct (0 <? on_node I g' i); lia.
  Qed.
End Shed.

Lemma lean_allocation_ok I J a : instance_ok I = true -> job_ok J = true -> allocation_ok I J a ->
  allocation_ok I J (lean_allocation I J a) /\ progress I J a <= progress I J (lean_allocation I J a).
Proof.
  intros HI HJ Ha. destruct a as [|g|g]; [| |apply lean_copies; auto];
    (split; [exact Ha|apply Z.le_refl]).
Qed.
Lemma lean_allocation_thrifty I J a : thrifty I J (lean_allocation I J a).
Proof.
  destruct a as [|g|g]; try exact Logic.I. cbn [lean_allocation]. cbv zeta.
  destruct (1 <? _); [|destruct (_ =? 1); exact Logic.I]. intros h Hh U.
  change (makes I J (shed I J g) h <> 0). rewrite shed_makes. intros E.
  rewrite shed_on_node, E in U. simpl in U. lia.
Qed.
Lemma lean_allocation_held I J a h r : 0 <= held a h r ->
  held (lean_allocation I J a) h r <= held a h r.
Proof.
  destruct a as [|g|g]; intros H; [simpl; lia|simpl; lia|]. cbn [lean_allocation]. cbv zeta.
  assert (Q : shed I J g h r <= g h r) by (unfold shed; destruct (_ =? 0); simpl in H; lia).
  simpl in H. destruct (1 <? _); [exact Q|]. destruct (_ =? 1); [exact Q|exact H].
Qed.

(* schedules *)
Definition leaner (I : instance) (s : schedule) (j t : nat) : allocation :=
  lean_allocation I (job_at I j) (s j t).
Definition lean (I : instance) (s : schedule) (j t : nat) : allocation :=
  if iterations (job_at I j) <=? done_before I (leaner I s) j t then Idle else leaner I s j t.

Lemma lean_thrifty I s j t : thrifty I (job_at I j) (lean I s j t).
Proof. unfold lean. destruct (_ <=? _); [exact Logic.I|]. apply lean_allocation_thrifty. Qed.

Section Lean.
  Variables (I : instance) (s : schedule).
  Hypothesis inst : instance_ok I = true.
  Hypothesis feas : feasible I s.

  Lemma leaner_ok j t : (j < num_jobs I)%nat -> (t < num_rounds I)%nat ->
    allocation_ok I (job_at I j) (leaner I s j t) /\
    progress I (job_at I j) (s j t) <= progress I (job_at I j) (leaner I s j t).
  Proof.
    intros Hj Ht. apply lean_allocation_ok; auto using J_ok. apply (feasible_allocation _ _ feas); auto.
  Qed.
  Lemma lean_progress j t : (j < num_jobs I)%nat ->
    progress I (job_at I j) (lean I s j t) <= progress I (job_at I j) (leaner I s j t).
  Proof.
    intros Hj. unfold lean. destruct (_ <=? _); [|lia]. apply progress_nonneg; auto.
  Qed.
  Lemma lean_done j t : (j < num_jobs I)%nat ->
    Z.min (iterations (job_at I j)) (done_before I (leaner I s) j t) <= done_before I (lean I s) j t <=
    done_before I (leaner I s) j t.
  Proof.
    intros Hj. induction t as [|t IH]; [unfold done_before; simpl; lia|].
    assert (Q := lean_progress j t Hj). assert (N := progress_nonneg I j inst Hj (leaner I s j t)).
    assert (E : forall s', done_before I s' j (S t) =
      done_before I s' j t + progress I (job_at I j) (s' j t)) by reflexivity.
    rewrite !E. revert Q. set (step := progress I (job_at I j) (lean I s j t)).
    assert (R : step = if iterations (job_at I j) <=? done_before I (leaner I s) j t then 0
      else progress I (job_at I j) (leaner I s j t)).
    { subst step. unfold lean. destruct (_ <=? _); reflexivity. }
    rewrite R. destruct (Z.leb_spec (iterations (job_at I j)) (done_before I (leaner I s) j t)); lia.
  Qed.

  Lemma lean_feasible : feasible I (lean I s).
  Proof.
    assert (N : forall j t, lean I s j t <> Idle -> s j t <> Idle /\
      done_before I (leaner I s) j t < iterations (job_at I j)).
    { intros j t. unfold lean. destruct (Z.leb_spec (iterations (job_at I j)) (done_before I (leaner I s) j t));
        [congruence|]. intros L. split; [|assumption]. intros E. apply L. unfold leaner. rewrite E. reflexivity. }
    constructor.
    - intros j t Hj Ht. unfold lean. destruct (_ <=? _); [exact Logic.I|]. apply leaner_ok; auto.
    - intros j t Hj Ht H. apply (feasible_release _ _ feas j t Hj Ht). apply N, H.
    - intros j t Hj Ht H. destruct (N j t H) as [_ L]. assert (D := lean_done j t Hj). lia.
    - intros t h r Ht Hh Hr. eapply Z.le_trans; [|apply (feasible_capacity _ _ feas t h r Ht Hh Hr)].
      apply sum_le. intros j Hj.
      assert (P : 0 <= held (s j t) h r).
      { assert (Ha := feasible_allocation _ _ feas j t Hj Ht).
        destruct (s j t) as [|g|g]; cbn; [lia| |]; apply Ha; auto. }
      unfold lean. destruct (_ <=? _); [exact P|]. apply lean_allocation_held, P.
  Qed.

  Lemma find_first (p : nat -> bool) n k : (k < n)%nat -> p k = true ->
    exists f, (f <= k)%nat /\ find p (seq 0 n) = Some f.
  Proof.
    intros Hk Pk. destruct (find p (seq 0 n)) as [f|] eqn:E.
    - exists f. split; [|reflexivity]. destruct (le_lt_dec f k) as [L|L]; [exact L|exfalso].
      replace n with (k + S (n - S k))%nat in E by lia. rewrite seq_app in E. simpl in E.
      revert E. assert (G : forall l, (forall u, In u l -> u < k)%nat -> forall r,
        find p (l ++ k :: r) = Some f -> False).
      { induction l as [|u l IH]; intros Hl r E; simpl in E.
        - rewrite Pk in E. injection E as ->. lia.
        - destruct (p u); [injection E as ->; specialize (Hl f (or_introl eq_refl)); lia|].
          apply (IH ltac:(intros; apply Hl; simpl; auto) r E). }
      apply G. intros u Hu. apply in_seq in Hu. lia.
    - exfalso. assert (Q := find_none _ _ E k ltac:(apply in_seq; lia)). simpl in Q. congruence.
  Qed.

  Theorem lean_value : utilities_fall I = true -> value I s <= value I (lean I s).
  Proof.
    intros HU. unfold value. apply sum_le. intros j Hj. unfold job_value.
    assert (U : falling (utility (job_at I j)) = true).
    { unfold utilities_fall in HU. rewrite forallb_forall in HU. apply HU, nth_In, Hj. }
    destruct (completion I s j) as [f|] eqn:E.
    2: { destruct (completion I (lean I s) j); [apply falling_nonneg, U|lia]. }
    unfold completion in E. apply find_some in E. destruct E as [Hf Df]. apply in_seq in Hf.
    apply Z.leb_le in Df.
    assert (D : done_before I s j (S f) <= done_before I (leaner I s) j (S f)).
    { apply sum_le. intros t Ht. apply leaner_ok; auto. lia. }
    assert (K := lean_done j (S f) Hj).
    destruct (find_first (fun t => iterations (job_at I j) <=? done_before I (lean I s) j (S t))
      (num_rounds I) f ltac:(lia)) as (f' & L & E'); [apply Z.leb_le; lia|].
    unfold completion. rewrite E'. apply falling_nth; [exact U|lia].
  Qed.
End Lean.

(* without copies or runs in vain *)
Definition useful (I : instance) (s : schedule) : schedule := trim I (lean I s).
Lemma useful_spec I s : instance_ok I = true -> utilities_fall I = true -> feasible I s ->
  feasible I (useful I s) /\ busy I (useful I s) /\ value I s <= value I (useful I s).
Proof.
  intros HI HU F. unfold useful. split; [apply trim_feasible, lean_feasible; auto|split].
  - intros j t. split; [apply trim_busy|]. unfold trim. destruct (_ =? 0); [exact Logic.I|].
    apply lean_thrifty.
  - rewrite trim_value. apply lean_value; auto.
Qed.
