(** * Copies of a job on distinct nodes: (progress, least cost) by a recursion over nodes.

    [node_step]            what a copy can do on a node, and whether the node may be left without one
    [copy_rows]            one row of labels per number of copies; with saturation the last row means "or
                         more"
    [copy_choices]         the choices with two copies or more
    [forked_choices]       the same, worked out only where jobs fork
    [copy_choices_found]   the steps of all nodes together: every set of copies is found, at no more cost
    [copy_level, no_copy]  a node with a copy, and one without *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerDP CheckerFill CheckerLevel.
Import ListNotations.
Open Scope Z_scope.

Definition node_step := (list label * bool)%type.
Definition put_copy (choices ls : list label) : list label := extend (fun x => x) choices ls.
Fixpoint advance (skip saturate : bool) (choices prev : list label) (rows : list (list label))
  : list (list label) :=
  match rows with
  | [] => []
  | [ls] =>
      let up := merge (if skip then ls else []) (put_copy choices prev) in
      [if saturate then merge up (put_copy choices ls) else up]
  | ls :: r =>
      merge (if skip then ls else []) (put_copy choices prev) :: advance skip saturate choices ls r
  end.
Fixpoint copy_rows (saturate : bool) (most : nat) (steps : list node_step) : list (list label) :=
  match steps with
  | [] => [(0, 0)] :: repeat [] most
  | (choices, skip) :: r => advance skip saturate choices [] (copy_rows saturate most r)
  end.
Definition copy_choices (I : instance) (J : job) (steps : list node_step) : list label :=
  match parallelism I with
  | Forked =>
      let saturate := Z.of_nat (num_nodes I) <=? max_copies J in
      let most := if saturate then 2%nat else Z.to_nat (max_copies J) in
      fold_right merge [] (skipn 2 (copy_rows saturate most steps))
  | _ => []
  end.
(* steps that are not used are not worked out *)
Definition forked_choices (I : instance) (J : job) (steps : unit -> list node_step) : list label :=
  match parallelism I with Forked => copy_choices I J (steps tt) | _ => [] end.
Lemma forked_choices_eq I J steps : forked_choices I J steps = copy_choices I J (steps tt).
Proof. unfold forked_choices, copy_choices. destruct (parallelism I); reflexivity. Qed.

Lemma advance_length k s ch prev rows : length (advance k s ch prev rows) = length rows.
Proof.
  revert prev. induction rows as [|ls r IH]; intros prev; [reflexivity|].
  destruct r as [|x r]; [reflexivity|]. cbn [advance length] in *. rewrite IH. reflexivity.
Qed.
Lemma add_found choices ls p c o : found ls p c -> In o choices ->
  found (put_copy choices ls) (p + fst o) (c + snd o).
Proof. intros. apply extend_found; auto. Qed.
Lemma advance_stay s ch prev rows i p c :
  found (nth i rows []) p c -> found (nth i (advance true s ch prev rows) []) p c.
Proof.
  revert prev i. induction rows as [|ls r IH]; intros prev i H; [exact H|].
  destruct r as [|x r].
  - destruct i as [|i]; simpl in *; [|destruct i; auto].
    destruct s; repeat (apply merge_found; left); auto.
  - destruct i as [|i]; [apply merge_found; auto|].
    exact (IH ls i H).
Qed.
Lemma advance_first k s ch prev rows p c o : found prev p c -> In o ch -> rows <> [] ->
  found (nth 0 (advance k s ch prev rows) []) (p + fst o) (c + snd o).
Proof.
  intros H Ho Hr. destruct rows as [|ls r]; [congruence|].
  assert (K : found (merge (if k then ls else []) (put_copy ch prev)) (p + fst o) (c + snd o))
    by (apply merge_found; right; apply add_found; auto).
  destruct r as [|x r]; [|exact K].
  destruct s; [apply merge_found; left|]; exact K.
Qed.
Lemma advance_up k s ch prev rows i p c o : found (nth i rows []) p c -> In o ch ->
  (S i < length rows)%nat -> found (nth (S i) (advance k s ch prev rows) []) (p + fst o) (c + snd o).
Proof.
  revert prev i. induction rows as [|ls r IH]; intros prev i H Ho Hi; [simpl in Hi; lia|].
  destruct r as [|x r]; [simpl in Hi; lia|].
  change (found (nth i (advance k s ch ls (x :: r)) []) (p + fst o) (c + snd o)).
  destruct i as [|i].
  - apply advance_first; [exact H|auto|discriminate].
  - apply IH; [exact H|auto|simpl in *; lia].
Qed.
Lemma advance_last k ch prev rows i p c o : found (nth i rows []) p c -> In o ch ->
  (S i = length rows)%nat -> found (nth i (advance k true ch prev rows) []) (p + fst o) (c + snd o).
Proof.
  revert prev i. induction rows as [|ls r IH]; intros prev i H Ho Hi; [simpl in Hi; lia|].
  destruct r as [|x r].
  - destruct i; [|simpl in Hi; lia]. apply merge_found. right. apply add_found; auto.
  - destruct i as [|i]; [simpl in Hi; lia|].
    change (found (nth i (advance k true ch ls (x :: r)) []) (p + fst o) (c + snd o)).
    apply IH; [exact H|auto|simpl in *; lia].
Qed.

Lemma merge_all_found rows i p c : found (nth i rows []) p c -> found (fold_right merge [] rows) p c.
Proof.
  revert i. induction rows as [|ls r IH]; intros i (l & A & B).
  - destruct i; destruct A.
  - simpl. apply merge_found. destruct i; [left|right; apply (IH i)]; exists l; auto.
Qed.

(* the row in which n copies are counted *)
Definition row (saturate : bool) (most n : nat) : nat := if saturate then Nat.min n most else n.

Definition no_step : node_step := ([], true).

(* on node i: a copy (busy i) of this progress and cost, or none *)
Lemma copy_rows_found s most steps (busy : nat -> bool) (P C : nat -> Z) :
  (forall i, (i < length steps)%nat ->
    if busy i
    then exists o, In o (fst (nth i steps no_step)) /\ fst o = P i /\ snd o <= C i
    else snd (nth i steps no_step) = true /\ P i = 0 /\ 0 <= C i) ->
  let n := Z.to_nat (sum (length steps) (fun i => if busy i then 1 else 0)) in
  (1 <= most)%nat -> (s = false -> (n <= most)%nat) ->
  length (copy_rows s most steps) = S most /\
  found (nth (row s most n) (copy_rows s most steps) []) (sum (length steps) P) (sum (length steps) C).
Proof.
  revert busy P C. induction steps as [|[ch skip] r IH]; intros busy P C H n Hm Hs.
  { simpl. rewrite repeat_length. split; [auto|]. subst n. simpl.
    replace (row s most 0) with 0%nat by (unfold row; destruct s; lia).
    exists (0, 0). split; [left; auto|simpl; lia]. }
  specialize (IH (fun i => busy (S i)) (fun i => P (S i)) (fun i => C (S i))).
  set (n' := Z.to_nat (sum (length r) (fun i => if busy (S i) then 1 else 0))) in *.
  assert (N0 : 0 <= sum (length r) (fun i => if busy (S i) then 1 else 0)).
  { apply sum_nonneg. intros. destruct (busy _); lia. }
  assert (En : n = if busy 0%nat then S n' else n').
  { subst n n'. simpl length. rewrite sum_first. destruct (busy 0%nat); lia. }
  destruct IH as [IL IC]; auto.
  { intros i Hi. apply (H (S i)). simpl. lia. }
  { intros E. specialize (Hs E). rewrite En in Hs. destruct (busy 0%nat); [|exact Hs].
    apply Nat.lt_le_incl, Hs. }
  cbn [copy_rows]. rewrite advance_length. split; [auto|]. simpl length. rewrite !sum_first.
  specialize (H 0%nat ltac:(simpl; lia)). cbn [nth fst snd] in H. rewrite En. destruct (busy 0%nat).
  - destruct H as (o & Ho & EP & EC).
    assert (R : found (nth (row s most (S n')) (advance skip s ch [] (copy_rows s most r)) [])
      (sum (length r) (fun i => P (S i)) + fst o) (sum (length r) (fun i => C (S i)) + snd o)).
    { destruct s.
      - unfold row in *. destruct (le_lt_dec most n') as [Q|Q].
        + replace (Nat.min (S n') most) with most by lia. replace (Nat.min n' most) with most in IC by lia.
          apply advance_last; auto.
        + replace (Nat.min (S n') most) with (S n') by lia. replace (Nat.min n' most) with n' in IC by lia.
          apply advance_up; auto. lia.
      - unfold row in *. apply advance_up; auto. specialize (Hs eq_refl). lia. }
    destruct R as (x & X1 & X2 & X3). exists x. split; [exact X1|]. lia.
  - destruct H as (-> & EP & EC). destruct (advance_stay s ch [] _ _ _ _ IC) as (x & X1 & X2 & X3).
    exists x. split; [exact X1|]. lia.
Qed.

(* x is what a copy on a node costs besides its GPUs *)
Lemma copy_choices_found I J p g x steps :
  allocation_ok I J (Copies g) -> length steps = num_nodes I ->
  (forall h, (h < num_nodes I)%nat ->
    if 0 <? on_node I g h
    then exists o, In o (fst (nth h steps no_step)) /\
      fst o = level_progress I J (used_on g h) (copy_time I) /\
      snd o <= sum (num_types I) (fun r => p h r * g h r) + x h
    else snd (nth h steps no_step) = true /\ level_progress I J (used_on g h) (copy_time I) = 0 /\
      0 <= sum (num_types I) (fun r => p h r * g h r) + x h) ->
  found (copy_choices I J steps) (copies_progress I J g) (rent I p (Copies g) + sum (num_nodes I) x).
Proof.
  intros (EP & Hc & Hn & H2 & HM) EL H.
  unfold copy_choices. rewrite EP. cbv zeta.
  set (s := Z.of_nat (num_nodes I) <=? max_copies J).
  set (most := if s then 2%nat else Z.to_nat (max_copies J)).
  destruct (copy_rows_found s most steps (fun h => 0 <? on_node I g h)
    (fun h => level_progress I J (used_on g h) (copy_time I))
    (fun h => sum (num_types I) (fun r => p h r * g h r) + x h)) as [L C]; rewrite ?EL; auto.
  { subst most. destruct s; lia. }
  { intros E. subst most. rewrite E. unfold nodes_used in HM. lia. }
  rewrite EL in C. fold (nodes_used I g) in C. rewrite sum_plus in C.
  set (i := row s most (Z.to_nat (nodes_used I g))) in C.
  assert (Hi : (2 <= i)%nat).
  { subst i most. unfold row. destruct s; lia. }
  apply merge_all_found with (i - 2)%nat.
  change (found (nth (i - 2) (skipn 2 (copy_rows s most steps)) [])
    (copies_progress I J g) (rent I p (Copies g) + sum (num_nodes I) x)).
  replace (nth (i - 2) (skipn 2 _) []) with (nth i (copy_rows s most steps) []).
  - exact C.
  - clear -Hi. generalize (copy_rows s most steps). intros rows.
    destruct i as [|[|i]]; try lia. destruct rows as [|a [|b r]]; simpl; try (destruct i; reflexivity).
Qed.

(* a node with a copy, and one without *)
Lemma copy_level I J g h : job_ok J = true -> allocation_ok I J (Copies g) -> (h < num_nodes I)%nat ->
  (0 <? on_node I g h) = true ->
  exists l, In (level_of I J l) (levels I J) /\ on_node I g h = gang_size J /\
    level_progress I J (used_on g h) (copy_time I) = floor_product (speed J l) (copy_time I) /\
    (forall r, (r < num_types I)%nat -> 0 < g h r -> on (mask_of I J l) r = true) /\
    (l < num_types I)%nat /\ 0 < g h l /\ copy_mask I J g h = Some (mask_of I J l).
Proof.
  intros HJ (EP & Hc & Hn & _) Hh E0. unfold job_ok in HJ. rewrite !andb_true_iff in HJ.
  destruct HJ as [[_ HJ3] _]. apply Z.ltb_lt in E0. destruct (Hn h Hh) as [Z0|EW]; [lia|].
  destruct (sum_positive _ _ E0) as (r0 & Hr0 & P0).
  destruct (slowest_exists (speed J) (used_on g h) _ r0 Hr0 ltac:(apply Z.ltb_lt; exact P0)) as [l El].
  destruct (slowest_level I J (used_on g h) l HJ3 El) as [Hl Hmk].
  { intros q Hq Uq. apply (Hc h q); auto. apply Z.ltb_lt in Uq. exact Uq. }
  { congruence. }
  destruct (slowest_spec _ _ _ _ (fun r => speed_den_pos J r HJ3) El) as (Ll & Ul & _).
  exists l. split; [exact Hl|split; [exact EW|split; [|split; [|split; [|split]]]]].
  - unfold level_progress. rewrite El. reflexivity.
  - intros r Hr Gr. apply Hmk; auto. apply Z.ltb_lt. exact Gr.
  - exact Ll.
  - apply Z.ltb_lt. exact Ul.
  - unfold copy_mask. rewrite El. reflexivity.
Qed.
Lemma no_copy I J p g h : job_ok J = true -> counts_ok I J g -> (h < num_nodes I)%nat ->
  (0 <? on_node I g h) = false ->
  (forall r, (r < num_types I)%nat -> g h r = 0) /\
  level_progress I J (used_on g h) (copy_time I) = 0 /\
  0 <= sum (num_types I) (fun r => p h r * g h r) /\ copy_mask I J g h = None.
Proof.
  intros HJ Hc Hh E0. unfold job_ok in HJ. rewrite !andb_true_iff in HJ. destruct HJ as [[_ HJ3] _].
  apply Z.ltb_ge in E0.
  assert (G0 : forall q, (q < num_types I)%nat -> g h q = 0).
  { intros q Hq. assert (Q := sum_term (num_types I) (g h) q Hq (fun k Hk => proj1 (Hc h k Hh Hk))).
    unfold on_node in E0. destruct (Hc h q Hh Hq). lia. }
  assert (N : slowest (speed J) (used_on g h) (num_types I) = None).
  { destruct (slowest (speed J) (used_on g h) (num_types I)) as [l|] eqn:El; auto.
    destruct (slowest_spec _ _ _ _ (fun r => speed_den_pos J r HJ3) El) as (A & B & _).
    unfold used_on in B. rewrite G0 in B by auto. discriminate. }
  split; [exact G0|]. split; [|split].
  - unfold level_progress. rewrite N. reflexivity.
  - rewrite (sum_zero (num_types I)) by (intros q Hq; rewrite G0 by auto; lia). lia.
  - unfold copy_mask. rewrite N. reflexivity.
Qed.
