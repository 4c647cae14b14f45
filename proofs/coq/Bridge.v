(** * The bridge: the scheduling problem is an instance of the abstract online problem.

    [plans I]             every list of allocations, one per round, with counts from 0 to the total capacity
    [plan_offers I j]          the plans of job j alone that are legal, fit the empty cluster, are irredundant and
                          worth something
    [abstract I]          resources (round, node, type); job j offers its plans

    [abstract_fits]       each offered schedule fits the empty cluster and is worth something: m <= c
    [bridge_selection]    every feasible schedule has a selection of abstract I worth at least as much
    [bridge_schedule]     every selection of abstract I has a feasible schedule of the same value: the two
                          integer optima are equal
    [bridge_lp]           every feasible schedule has an LP-feasible point worth at least as much, so the
                          theorems on abstract I bound the scheduling problem *)
From Coq Require Import ZArith List Lia Bool Arith Reals Lra.
From HadarTheory Require Import SchedModel CheckerFill CheckerTree CheckerJob CheckerSchedule CheckerLean Completion Irredundant.
From HadarTheory Require Sums Duality Selections.
Import ListNotations.
Open Scope Z_scope.

Lemma finite_choice {A} (P : nat -> A -> Prop) (d : A) n :
  (forall j, (j < n)%nat -> exists x, P j x) -> exists c, forall j, (j < n)%nat -> P j (c j).
Proof.
  induction n as [|n IH]; intros H; [exists (fun _ => d); lia|].
  destruct IH as [c Hc]; [intros; apply H; lia|]. destruct (H n ltac:(lia)) as [x Hx].
  exists (fun j => if (j =? n)%nat then x else c j). intros j Hj.
  destruct (Nat.eqb_spec j n) as [->|]; [auto|]. apply Hc. lia.
Qed.
Fixpoint lists {A} (n : nat) (l : list A) : list (list A) :=
  match n with O => [[]] | S m => flat_map (fun x => map (cons x) (lists m l)) l end.
Lemma in_lists {A} (l : list A) xs : (forall x, In x xs -> In x l) -> In xs (lists (length xs) l).
Proof.
  induction xs as [|x xs IH]; intros H; [left; reflexivity|]. simpl. apply in_flat_map. exists x.
  split; [apply H; left; auto|]. apply in_map, IH. intros y Hy. apply H. right; auto.
Qed.
Lemma in_lists_of {A} (l : list A) m xs : length xs = m -> (forall x, In x xs -> In x l) -> In xs (lists m l).
Proof. intros <-. apply in_lists. Qed.
Lemma all_intro n f : (forall i, (i < n)%nat -> f i = true) -> all n f = true.
Proof. intros H. apply forallb_forall. intros i Hi. apply in_seq in Hi. apply H. lia. Qed.

Section Bridge.
  Variable I : instance.
  Let n := num_jobs I.
  Let T := num_rounds I.
  Let H0 := num_nodes I.
  Let R0 := num_types I.
  Notation whole_progress := (whole_progress I).
  Notation irredundant := (irredundant I).
  Notation own_value := (own_value I).
  Notation level_ext := (level_ext I).
  Notation irredundantb := (irredundantb I).
  Notation irredundantb_spec := (irredundantb_spec I).
  Notation job_value_ext := (job_value_ext I).

  (* allocations that agree on the cluster *)
  Definition agree (g g' : nat -> nat -> Z) : Prop := forall h r, (h < H0)%nat -> (r < R0)%nat -> g h r = g' h r.
  Definition similar (a b : allocation) : Prop :=
    match a, b with
    | Idle, Idle => True
    | Gang g, Gang g' | Copies g, Copies g' => agree g g'
    | _, _ => False
    end.
  Lemma used_ext g g' r : agree g g' -> (r < R0)%nat -> used I g r = used I g' r.
  Proof.
    intros A Hr. unfold used. fold H0. assert (K : forall h, In h (seq 0 H0) -> (h < H0)%nat) by (intros h Hh; apply in_seq in Hh; lia).
    induction (seq 0 H0) as [|h l IH]; [reflexivity|]. cbn [existsb]. rewrite (A h r) by (auto; apply K; left; auto).
    rewrite IH by (intros; apply K; right; auto). reflexivity.
  Qed.
  Lemma on_node_ext g g' h : agree g g' -> (h < H0)%nat -> on_node I g h = on_node I g' h.
  Proof. intros A Hh. apply sum_ext. intros r Hr. apply A; auto. Qed.
  Lemma nodes_used_ext g g' : agree g g' -> nodes_used I g = nodes_used I g'.
  Proof. intros A. apply sum_ext. intros h Hh. rewrite (on_node_ext g g') by auto. reflexivity. Qed.
  Lemma progress_similar j a b : similar a b -> progress_of I j a = progress_of I j b.
  Proof.
    destruct a as [|g|g], b as [|g'|g']; simpl; try contradiction; intros A; [reflexivity| |]; unfold progress_of; simpl.
    - unfold gang_progress. rewrite (nodes_used_ext g g') by auto. apply level_ext. intros r Hr. apply used_ext; auto.
    - apply sum_ext. intros h Hh. apply level_ext. intros r Hr. unfold used_on. rewrite (A h r); auto.
  Qed.
  Lemma held_similar a b h r : similar a b -> (h < H0)%nat -> (r < R0)%nat -> held a h r = held b h r.
  Proof. destruct a, b; simpl; try contradiction; auto. Qed.
  Lemma used_count g r : used I g r = true -> exists h, (h < H0)%nat /\ 0 < g h r.
  Proof.
    intros U. apply existsb_exists in U. destruct U as (h & Hh & U). apply in_seq in Hh. apply Z.ltb_lt in U.
    exists h. fold H0 in Hh. split; [lia|auto].
  Qed.
  Lemma counts_complete J g g' : counts_ok I J g -> agree g g' -> counts_okb I J g' = true.
  Proof.
    intros C A. apply all_intro. intros h Hh. apply all_intro. intros r Hr. rewrite <- (A h r) by auto.
    destruct (C h r Hh Hr) as [C1 C2]. apply andb_true_iff. split; [apply Z.leb_le; auto|].
    apply orb_true_iff. destruct (Z_le_gt_dec (g h r) 0); [left; apply Z.leb_le; auto|right; apply Z.ltb_lt, C2; lia].
  Qed.
  Lemma allocation_complete J a b : allocation_ok I J a -> similar a b -> allocation_okb I J b = true.
  Proof.
    destruct a as [|g|g], b as [|g'|g']; simpl; try contradiction; intros O A; [reflexivity| |].
    - destruct O as (C & W & One). rewrite (counts_complete J g g') by auto.
      rewrite <- (sum_ext _ (on_node I g) (on_node I g')) by (intros; apply on_node_ext; auto).
      rewrite W, Z.eqb_refl. cbn [andb]. destruct (parallelism I) eqn:E; [|reflexivity|reflexivity].
      apply all_intro. intros r Hr. apply all_intro. intros r' Hr'.
      rewrite <- (used_ext g g' r), <- (used_ext g g' r') by auto.
      destruct (used I g r) eqn:U; [|reflexivity]. destruct (used I g r') eqn:U'; [|reflexivity].
      destruct (used_count g r U) as (h & Hh & P), (used_count g r' U') as (h' & Hh' & P').
      rewrite (One eq_refl h r h' r' Hh Hr Hh' Hr' P P'). rewrite Nat.eqb_refl. reflexivity.
    - destruct O as (E & C & W & N). rewrite E, (counts_complete J g g') by auto.
      rewrite <- (nodes_used_ext g g') by auto. rewrite !andb_true_iff, !Z.leb_le.
      repeat split; try apply N. apply all_intro. intros h Hh. rewrite <- (on_node_ext g g') by auto.
      apply orb_true_iff. rewrite !Z.eqb_eq. apply W; auto.
  Qed.

  (* finitely many allocations up to agreement *)
  Definition table_of (tab : list (list nat)) (h r : nat) : Z := Z.of_nat (nth r (nth h tab []) O).
  Definition most_gpus : nat :=
    Z.to_nat (sum (num_nodes I) (fun h => sum (num_types I) (fun r => Z.max 0 (cap I h r)))).
  Definition tables : list (list (list nat)) := lists (num_nodes I) (lists (num_types I) (seq 0 (S most_gpus))).
  Definition allocations : list allocation :=
    Idle :: map (fun tab => Gang (table_of tab)) tables ++ map (fun tab => Copies (table_of tab)) tables.
  Definition plans : list (list allocation) := lists (num_rounds I) allocations.
  Definition of_plan (p : list allocation) (t : nat) : allocation := nth t p Idle.

  Lemma tabulated g : (forall h r, (h < H0)%nat -> (r < R0)%nat -> 0 <= g h r <= cap I h r) ->
    exists tab, In tab tables /\ agree g (table_of tab).
  Proof.
    intros B. set (row := fun h => map (fun r => Z.to_nat (g h r)) (seq 0 R0)).
    exists (map row (seq 0 H0)). split.
    - unfold tables. fold H0 R0. apply in_lists_of; [rewrite map_length, seq_length; auto|]. intros l Hl. apply in_map_iff in Hl. destruct Hl as (h & <- & Hh). apply in_seq in Hh.
      apply in_lists_of; [unfold row; rewrite map_length, seq_length; auto|]. intros x Hx. apply in_map_iff in Hx. destruct Hx as (r & <- & Hr). apply in_seq in Hr.
      apply in_seq. assert (C := B h r ltac:(lia) ltac:(lia)).
      assert (M1 := sum_term R0 (fun r => Z.max 0 (cap I h r)) r ltac:(lia) ltac:(intros; lia)).
      assert (M2 := sum_term H0 (fun h => sum R0 (fun r => Z.max 0 (cap I h r))) h ltac:(lia)
        ltac:(intros; apply sum_nonneg; intros; lia)). cbv beta in M1, M2. unfold most_gpus. fold H0 R0. lia.
    - intros h r Hh Hr. unfold table_of, row. rewrite (nth_indep _ [] (map (fun r => Z.to_nat (g 0%nat r)) (seq 0 R0)))
        by (rewrite map_length, seq_length; auto).
      rewrite (map_nth (fun h => map (fun r => Z.to_nat (g h r)) (seq 0 R0))), seq_nth by auto.
      rewrite (nth_indep _ O (Z.to_nat (g (0 + h)%nat 0%nat))) by (rewrite map_length, seq_length; auto).
      rewrite (map_nth (fun r => Z.to_nat (g (0 + h)%nat r))), seq_nth by auto. simpl. specialize (B h r Hh Hr). lia.
  Qed.
  Lemma listed a : (forall h r, (h < H0)%nat -> (r < R0)%nat -> 0 <= held a h r <= cap I h r) ->
    exists b, In b allocations /\ similar a b.
  Proof.
    destruct a as [|g|g]; intros B.
    - exists Idle. split; [left; auto|exact Logic.I].
    - destruct (tabulated g B) as (tab & Ht & A). exists (Gang (table_of tab)). split; [|exact A].
      right. apply in_or_app. left. apply (in_map (fun tab => Gang (table_of tab))). exact Ht.
    - destruct (tabulated g B) as (tab & Ht & A). exists (Copies (table_of tab)). split; [|exact A].
      right. apply in_or_app. right. apply (in_map (fun tab => Copies (table_of tab))). exact Ht.
  Qed.
  Lemma planned a : (forall t h r, (t < T)%nat -> (h < H0)%nat -> (r < R0)%nat -> 0 <= held (a t) h r <= cap I h r) ->
    exists p, In p plans /\ forall t, (t < T)%nat -> similar (a t) (of_plan p t).
  Proof.
    intros B. destruct (finite_choice (fun t b => In b allocations /\ similar (a t) b) Idle T) as [b Hb].
    { intros t Ht. apply listed. intros h r Hh Hr. apply B; auto. }
    exists (map b (seq 0 T)). split.
    - unfold plans. fold T. apply in_lists_of; [rewrite map_length, seq_length; auto|]. intros x Hx. apply in_map_iff in Hx. destruct Hx as (t & <- & Ht). apply in_seq in Ht. apply Hb. lia.
    - intros t Ht. unfold of_plan. rewrite (nth_indep _ Idle (b 0%nat)) by (rewrite map_length, seq_length; auto).
      rewrite map_nth, seq_nth by auto. apply Hb. auto.
  Qed.

  Definition legal (j : nat) (a : nat -> allocation) : bool :=
    all (num_rounds I) (fun t =>
      allocation_okb I (job_at I j) (a t) && (idleb (a t) || (release (job_at I j) <=? t)%nat) &&
      all (num_nodes I) (fun h => all (num_types I) (fun r => held (a t) h r <=? cap I h r))).
  Definition plan_offers (j : nat) : list (list allocation) :=
    filter (fun p => legal j (of_plan p) && irredundantb j (of_plan p) && (0 <? own_value j (of_plan p))) plans.

  Definition abstract_sched (j : nat) (p : list allocation) : Duality.sched (nat * nat * nat) :=
    Duality.mkS (IZR (own_value j (of_plan p)))
      (fun x => Z.to_nat (held (of_plan p (fst (fst x))) (snd (fst x)) (snd x))).
  Definition abstract : Duality.problem :=
    Duality.Problem (nat * nat * nat)
      (list_prod (list_prod (seq 0 (num_rounds I)) (seq 0 (num_nodes I))) (seq 0 (num_types I)))
      (fun x => Z.to_nat (cap I (snd (fst x)) (snd x)))
      nat (seq 0 (num_jobs I)) (fun j => map (abstract_sched j) (plan_offers j)).

  Lemma in_resources t h r : In (t, h, r) (Duality.resources abstract) <-> (t < T)%nat /\ (h < H0)%nat /\ (r < R0)%nat.
  Proof.
    simpl. rewrite !in_prod_iff, !in_seq. fold T H0 R0. lia.
  Qed.

  (* what an offered plan satisfies *)
  Lemma plan_offered j p : In p (plan_offers j) -> irredundant j (of_plan p) /\ 0 < own_value j (of_plan p) /\
    forall t, (t < T)%nat -> allocation_ok I (job_at I j) (of_plan p t) /\
      (of_plan p t <> Idle -> (release (job_at I j) <= t)%nat) /\
      forall h r, (h < H0)%nat -> (r < R0)%nat -> 0 <= held (of_plan p t) h r <= cap I h r.
  Proof.
    intros Hp. apply filter_In in Hp. destruct Hp as [_ E]. rewrite !andb_true_iff in E. destruct E as [[E1 E2] E3].
    split; [apply irredundantb_spec; auto|]. split; [apply Z.ltb_lt; auto|].
    intros t Ht. assert (X := all_spec _ _ _ E1 Ht). cbv beta in X. rewrite !andb_true_iff in X. destruct X as [[X1 X2] X3].
    assert (O := allocation_okb_sound _ _ _ X1). split; [exact O|]. split.
    - intros Hb. apply orb_true_iff in X2. destruct X2 as [X2|X2]; [destruct (of_plan p t); [congruence|discriminate|discriminate]|].
      apply Nat.leb_le; auto.
    - intros h r Hh Hr. assert (Y := all_spec _ _ _ (all_spec _ _ _ X3 Hh) Hr). apply Z.leb_le in Y. split; [|exact Y].
      destruct (of_plan p t) as [|g|g]; simpl; [lia| |]; apply O; auto.
  Qed.

  Theorem abstract_fits j s : In j (Duality.all_jobs abstract) -> In s (Duality.scheds abstract j) ->
    (0 < Duality.val s)%R /\ forall x, In x (Duality.resources abstract) -> (Duality.use s x <= Duality.stock abstract x)%nat.
  Proof.
    intros _ Hs. simpl in Hs. apply in_map_iff in Hs. destruct Hs as (p & <- & Hp).
    destruct (plan_offered j p Hp) as (_ & V & K). split; [apply (IZR_lt 0); auto|].
    intros [[t h] r] Hx. apply in_resources in Hx. destruct Hx as (Ht & Hh & Hr). simpl.
    destruct (K t Ht) as (_ & _ & C). specialize (C h r Hh Hr). lia.
  Qed.

  Lemma sum_list (f : nat -> R) : forall m, Sums.rsum f (seq 0 (S m)) = (Sums.rsum f (seq 0 m) + f m)%R.
  Proof.
    intros m. rewrite seq_S. generalize (seq 0 m). simpl. induction l as [|x l IH]; simpl; [lra|]. rewrite IH. lra.
  Qed.
  Lemma sum_IZR (f : nat -> Z) m : Sums.rsum (fun j => IZR (f j)) (seq 0 m) = IZR (sum m f).
  Proof. induction m as [|m IH]; [reflexivity|]. rewrite sum_list, IH. simpl. rewrite plus_IZR. reflexivity. Qed.

  (* a choice of plans, and its selection *)
  Definition chosen_scheds (c : nat -> option (list allocation)) (j : nat) : option (Duality.sched (nat * nat * nat)) :=
    option_map (abstract_sched j) (c j).
  Definition held_by (c : nat -> option (list allocation)) (j t h r : nat) : Z :=
    match c j with Some p => held (of_plan p t) h r | None => 0 end.
  Definition value_of_choice (c : nat -> option (list allocation)) (j : nat) : Z :=
    match c j with Some p => own_value j (of_plan p) | None => 0 end.

  Lemma choice_value c : Selections.selection_value abstract (chosen_scheds c) = IZR (sum n (value_of_choice c)).
  Proof.
    unfold Selections.selection_value. rewrite <- sum_IZR. apply Sums.rsum_ext. intros j _.
    unfold Selections.taken_value, chosen_scheds, value_of_choice. destruct (c j); reflexivity.
  Qed.
  Lemma choice_units c t h r : (forall j p, (j < n)%nat -> c j = Some p -> In p (plan_offers j)) ->
    (t < T)%nat -> (h < H0)%nat -> (r < R0)%nat ->
    Sums.rsum (Selections.taken_units abstract (chosen_scheds c) (t, h, r)) (Duality.all_jobs abstract) =
      IZR (sum n (fun j => held_by c j t h r)).
  Proof.
    intros Hc Ht Hh Hr. rewrite <- sum_IZR. apply Sums.rsum_ext. intros j Hj. apply in_seq in Hj.
    unfold Selections.taken_units, chosen_scheds, held_by. destruct (c j) as [p|] eqn:E; [|reflexivity].
    destruct (plan_offered j p (Hc j p ltac:(fold n in Hj; lia) E)) as (_ & _ & K). destruct (K t Ht) as (_ & _ & C).
    specialize (C h r Hh Hr). simpl. rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
  Qed.

  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_ok I.
  Hypothesis caps : forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= cap I h r.

  Lemma feasible_held s j t h r : feasible I s -> (j < n)%nat -> (t < T)%nat -> (h < H0)%nat -> (r < R0)%nat ->
    0 <= held (s j t) h r.
  Proof.
    intros F Hj Ht Hh Hr. assert (O := feasible_allocation _ _ F j t Hj Ht).
    destruct (s j t) as [|g|g]; simpl; [lia| |]; apply O; auto.
  Qed.
  Lemma one_job s j : feasible I s -> (j < n)%nat -> exists c : option (list allocation),
    (forall p, c = Some p -> In p (plan_offers j) /\
       forall t h r, (t < T)%nat -> (h < H0)%nat -> (r < R0)%nat -> held (of_plan p t) h r <= held (s j t) h r) /\
    job_value I s j <= match c with Some p => own_value j (of_plan p) | None => 0 end.
  Proof.
    intros F Hj. destruct (Z_le_gt_dec (job_value I s j) 0) as [V|V]; [exists None; split; [discriminate|exact V]|].
    destruct (irredundant_part I inst utilities s j F Hj ltac:(lia)) as (b & Hb & Hi & Val).
    assert (B : forall t h r, (t < T)%nat -> (h < H0)%nat -> (r < R0)%nat ->
      0 <= held (b t) h r <= held (s j t) h r /\ held (s j t) h r <= cap I h r).
    { intros t h r Ht Hh Hr. assert (P := feasible_held s j t h r F Hj Ht Hh Hr).
      assert (C := feasible_capacity _ _ F t h r Ht Hh Hr).
      assert (S1 := sum_term n (fun j => held (s j t) h r) j Hj (fun i Hi => feasible_held s i t h r F Hi Ht Hh Hr)).
      fold n in C. cbv beta in S1. destruct (Hb t) as [E0|E0]; rewrite E0; simpl; lia. }
    destruct (planned b) as (p & Hp & Sim).
    { intros t h r Ht Hh Hr. specialize (B t h r Ht Hh Hr). lia. }
    assert (Pr : forall t, (t < T)%nat -> progress_of I j (of_plan p t) = progress_of I j (b t))
      by (intros t Ht; symmetry; apply progress_similar; auto).
    assert (Tot : whole_progress j (of_plan p) = whole_progress j b) by (apply sum_ext; auto).
    assert (Wp : own_value j (of_plan p) = own_value j b) by (apply job_value_ext; auto).
    destruct Hi as [Hi1 Hi2].
    exists (Some p). split; [|rewrite Wp; exact Val].
    intros p' [= <-]. split.
    - apply filter_In. split; [exact Hp|]. rewrite !andb_true_iff. repeat split.
      + apply all_intro. intros t Ht. assert (A : allocation_ok I (job_at I j) (b t)).
        { destruct (Hb t) as [E0|E0]; rewrite E0; [apply (feasible_allocation _ _ F); auto|exact Logic.I]. }
        rewrite (allocation_complete _ (b t) (of_plan p t)) by auto. cbn [andb]. apply andb_true_iff. split.
        * assert (X := Sim t Ht). destruct (of_plan p t) eqn:Ep; [reflexivity| |]; cbn [idleb orb];
            apply Nat.leb_le; apply (feasible_release _ _ F j t Hj Ht);
            (destruct (Hb t) as [Eb|Eb]; [rewrite <- Eb|]; destruct (b t); simpl in X; try contradiction; discriminate).
        * apply all_intro. intros h Hh. apply all_intro. intros r Hr. apply Z.leb_le.
          rewrite <- (held_similar (b t)) by auto. specialize (B t h r Ht Hh Hr). lia.
      + unfold irredundantb. rewrite Tot. apply andb_true_iff. split; [apply Z.leb_le; exact Hi1|].
        apply all_intro. intros t Ht. rewrite Pr by auto. assert (X := Sim t Ht).
        destruct (b t) eqn:Eb, (of_plan p t); simpl in X; try contradiction; [reflexivity| |];
          cbn [idleb orb]; apply Z.ltb_lt; rewrite <- Eb; apply Hi2; auto; congruence.
      + apply Z.ltb_lt. rewrite Wp. lia.
    - intros t h r Ht Hh Hr. rewrite <- (held_similar (b t)) by auto. apply B; auto.
  Qed.

  Theorem bridge_selection s : feasible I s -> exists c, Selections.selection abstract c /\
    (IZR (value I s) <= Selections.selection_value abstract c)%R.
  Proof.
    intros F.
    destruct (finite_choice (fun j (c : option (list allocation)) =>
      (forall p, c = Some p -> In p (plan_offers j) /\
         forall t h r, (t < T)%nat -> (h < H0)%nat -> (r < R0)%nat -> held (of_plan p t) h r <= held (s j t) h r) /\
      job_value I s j <= match c with Some p => own_value j (of_plan p) | None => 0 end) None n) as [c Hc].
    { intros j Hj. apply one_job; auto. }
    exists (chosen_scheds c). split; [split|].
    - intros j x Hj Ex. apply in_seq in Hj. unfold chosen_scheds in Ex. destruct (c j) as [p|] eqn:E; [|discriminate].
      injection Ex as <-. apply (in_map (abstract_sched j)). apply (Hc j ltac:(fold n in Hj; lia)). exact E.
    - intros [[t h] r] Hx. apply in_resources in Hx. destruct Hx as (Ht & Hh & Hr).
      rewrite choice_units; auto; [|intros j p Hj E; apply (Hc j Hj); exact E].
      simpl Duality.stock. rewrite INR_IZR_INZ, Z2Nat.id by (apply caps; auto). apply IZR_le.
      eapply Z.le_trans; [|apply (feasible_capacity _ _ F t h r Ht Hh Hr)]. apply sum_le. intros j Hj.
      unfold held_by. destruct (c j) as [p|] eqn:E; [|apply (feasible_held s j t h r); auto].
      destruct (Hc j Hj) as [K _]. apply (K p E); auto.
    - rewrite choice_value. apply IZR_le. apply sum_le. intros j Hj. apply (Hc j Hj).
  Qed.

  Theorem bridge_schedule c : Selections.selection abstract c -> exists s, feasible I s /\
    IZR (value I s) = Selections.selection_value abstract c.
  Proof.
    intros [C1 C2].
    destruct (finite_choice (fun j (d : option (list allocation)) =>
      (forall p, d = Some p -> In p (plan_offers j)) /\ c j = option_map (abstract_sched j) d) None n) as [d Hd].
    { intros j Hj. destruct (c j) as [x|] eqn:E; [|exists None; split; [discriminate|reflexivity]].
      assert (Hx : In x (Duality.scheds abstract j)) by (apply C1; auto; apply in_seq; fold n; lia).
      simpl in Hx. apply in_map_iff in Hx. destruct Hx as (p & <- & Hp). exists (Some p). split; [|reflexivity].
      intros p' [= <-]. exact Hp. }
    set (s := fun j t => match d j with Some p => of_plan p t | None => Idle end).
    exists s.
    assert (Off : forall j p, (j < n)%nat -> d j = Some p -> In p (plan_offers j)) by (intros j p Hj; apply (Hd j Hj)).
    split.
    - constructor.
      + intros j t Hj Ht. unfold s. destruct (d j) as [p|] eqn:E; [|exact Logic.I].
        destruct (plan_offered j p (Off j p Hj E)) as (_ & _ & K). apply (K t Ht).
      + intros j t Hj Ht. unfold s. destruct (d j) as [p|] eqn:E; [|congruence].
        destruct (plan_offered j p (Off j p Hj E)) as (_ & _ & K). apply (K t Ht).
      + intros j t Hj Ht Hb. unfold s in Hb. destruct (d j) as [p|] eqn:E; [|congruence].
        destruct (plan_offered j p (Off j p Hj E)) as ([_ Irr] & _ & _). specialize (Irr t Ht Hb).
        assert (Dt : forall u, done_before I s j u = done_before I (fun _ => of_plan p) j u).
        { intros u. apply sum_ext. intros v _. unfold s. rewrite E. reflexivity. }
        rewrite Dt. assert (M := done_increases I inst (fun _ => of_plan p) j (S t) T Hj Ht).
        rewrite done_step in M. change (done_before I (fun _ => of_plan p) j T) with (whole_progress j (of_plan p)) in M. lia.
      + intros t h r Ht Hh Hr. assert (X := C2 (t, h, r) ltac:(apply in_resources; auto)).
        simpl Duality.stock in X. rewrite INR_IZR_INZ, Z2Nat.id in X by (apply caps; auto).
        rewrite (Sums.rsum_ext _ (Selections.taken_units abstract (chosen_scheds d) (t, h, r))) in X.
        * rewrite choice_units in X by auto. apply le_IZR in X.
          rewrite (sum_ext _ _ (fun j => held_by d j t h r)); [exact X|].
          intros j Hj. unfold s, held_by. destruct (d j); reflexivity.
        * intros j Hj. apply in_seq in Hj. unfold Selections.taken_units. rewrite (proj2 (Hd j ltac:(fold n in Hj; lia))). reflexivity.
    - unfold Selections.selection_value. rewrite (Sums.rsum_ext _ (Selections.taken_value abstract (chosen_scheds d))).
      + fold (Selections.selection_value abstract (chosen_scheds d)). rewrite choice_value. f_equal. apply sum_ext. intros j Hj.
        unfold value_of_choice. destruct (d j) as [p|] eqn:E.
        * apply job_value_ext. intros u _. unfold s. rewrite E. reflexivity.
        * unfold job_value. destruct (completion I s j) as [f|] eqn:Ec; [exfalso|reflexivity].
          destruct (completion_spec I s j f Ec) as (_ & B & _). assert (P := iterations_pos I inst j Hj).
          assert (Z0 : done_before I s j (S f) = 0).
          { apply sum_zero. intros u _. unfold s. rewrite E. reflexivity. }
          lia.
      + intros j Hj. apply in_seq in Hj. unfold Selections.taken_value. rewrite (proj2 (Hd j ltac:(fold n in Hj; lia))). reflexivity.
  Qed.

  Corollary bridge_lp s : feasible I s -> exists x, Duality.lp_feasible abstract x /\
    (IZR (value I s) <= Duality.primal abstract x)%R.
  Proof.
    intros F. destruct (bridge_selection s F) as (c & Sel & V).
    destruct (Selections.selection_lp abstract c Sel) as (x & Hx & E). exists x. split; [auto|]. rewrite E. exact V.
  Qed.
End Bridge.
