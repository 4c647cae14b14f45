(** * The payoff of one job against prices, cuts and branching decisions, and its soundness.

    [prices]               per round and type, or per round, node and type
    [round_of]             the items of one round, cheapest first
    [cut]                  a node, for cuts on what runs inside it; terms: coefficients of jobs with a gang
                         at a level inside a set of types (of the node); the sets of types that its proof
                         needs; and a right side
    [weight]               what a level counts in the terms of a cut
    [here_of, alone_on]    the types of a level that the node of a cut has; whether no other node has them
    [cut_count]             what a gang of a job counts in a cut
    [decision, agrees]     a question of a branching tree - when a job completes, what it makes or holds in
                         a round - and the schedules on a path of answers
    [busy]                 what holds GPUs makes progress, and every copy does
    [range_in]             what the answers leave to be held of a place in a round
    [rounded q p]          ceil (p / q): progress in units of a divisor q, rounded up
    [rounding]             the same from a table
    [job_price]            upper bound on value minus cost over the schedules of one job that agree, where
                         completing after so many rounds is worth so much
    [earned]               that worth in a schedule; at the utilities of a job it is what the job is worth
    [job_price_sound]      that it is one, for every feasible schedule *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerDP CheckerFill CheckerLevel CheckerCopies CheckerCost CheckerHeld.
Import ListNotations.
Open Scope Z_scope.

(* prices and the items of a round *)
Inductive prices := PerType (p : list (list Z)) | PerNode (p : list (list (list Z))).
Definition price_at (pr : prices) (t h r : nat) : Z :=
  match pr with
  | PerType p => nth r (nth t p []) 0
  | PerNode p => nth r (nth h (nth t p []) []) 0
  end.
Definition prices_ok (pr : prices) : bool :=
  match pr with
  | PerType p => forallb (forallb (fun k => 0 <=? k)) p
  | PerNode p => forallb (forallb (forallb (fun k => 0 <=? k))) p
  end.

Definition items (R : nat) (p c : nat -> Z) : list item := map (fun r => (r, p r, c r)) (seq 0 R).
Definition pooled (I : instance) (r : nat) : Z := sum (num_nodes I) (fun h => cap I h r).
Definition round_of (I : instance) (pr : prices) (t : nat) : round_data :=
  let node h := sort_items (items (num_types I) (price_at pr t h) (cap I h)) in
  let nodes := map node (seq 0 (num_nodes I)) in
  Round (sort_items match pr with
                    | PerType _ => items (num_types I) (price_at pr t 0) (pooled I)
                    | PerNode _ => concat nodes
                    end) nodes
    match pr with PerType _ => false | PerNode _ => true end (price_at pr t).
Definition rounds_of (I : instance) (pr : prices) : list round_data :=
  map (round_of I pr) (seq 0 (num_rounds I)).

Lemma forallb_nth {A} (f : A -> bool) l d i : forallb f l = true -> f d = true -> f (nth i l d) = true.
Proof.
  intros H Hd. destruct (nth_in_or_default i l d) as [E|E]; [|rewrite E; auto].
  rewrite forallb_forall in H. auto.
Qed.
Lemma price_at_nonneg pr t h r : prices_ok pr = true -> 0 <= price_at pr t h r.
Proof.
  destruct pr as [p|p]; simpl; intros H; apply Z.leb_le.
  - apply (forallb_nth (fun k => 0 <=? k)); auto. apply (forallb_nth (forallb (fun k => 0 <=? k))); auto.
  - apply (forallb_nth (fun k => 0 <=? k)); auto. apply (forallb_nth (forallb (fun k => 0 <=? k))); auto.
    apply (forallb_nth (forallb (forallb (fun k => 0 <=? k)))); auto.
Qed.

Lemma total_insert F i its : total F (insert_item i its) = total F (i :: its).
Proof.
  induction its as [|x r IH]; [reflexivity|]. simpl. destruct (item_price i <=? item_price x); [reflexivity|].
  simpl in *. lia.
Qed.
Lemma total_sort F its : total F (sort_items its) = total F its.
Proof. induction its as [|i r IH]; [reflexivity|]. simpl. rewrite total_insert. simpl. lia. Qed.
Lemma total_app F a b : total F (a ++ b) = total F a + total F b.
Proof. induction a; simpl; lia. Qed.
Lemma total_items F R p c : total F (items R p c) = sum R (fun r => F r (p r) * c r).
Proof.
  unfold items. induction R as [|R IH]; [reflexivity|].
  rewrite seq_S, map_app, total_app, IH. simpl. unfold item_type, item_price, item_count. simpl. lia.
Qed.
Lemma total_concat F f n : total F (concat (map f (seq 0 n))) = sum n (fun h => total F (f h)).
Proof.
  induction n as [|n IH]; [reflexivity|].
  rewrite seq_S, map_app, concat_app, total_app, IH. simpl. rewrite app_nil_r. reflexivity.
Qed.

Lemma round_of_ok I pr t : round_ok I (price_at pr t) (round_of I pr t).
Proof.
  unfold round_ok, round_of. cbn [cluster_items node_items]. split; [|split].
  - intros F. rewrite total_sort. destruct pr as [p|p].
    + rewrite total_items. unfold pooled. rewrite sum_swap. apply sum_ext. intros r _.
      rewrite <- sum_scale. reflexivity.
    + rewrite total_concat. apply sum_ext. intros h _. rewrite total_sort, total_items. reflexivity.
  - rewrite map_length, seq_length. reflexivity.
  - intros h Hh F. rewrite nth_indep with (d' := sort_items (items (num_types I) (price_at pr t 0) (cap I 0)))
      by (rewrite map_length, seq_length; auto).
    rewrite (map_nth (fun h => sort_items (items (num_types I) (price_at pr t h) (cap I h)))), seq_nth by auto.
    rewrite total_sort, total_items. reflexivity.
Qed.

(* cuts; a leaf of a tree charges them in a round at a price *)
Definition term := (list bool * list Z)%type.
Record cut := Cut {
  cut_node : option nat; cut_terms : list term; cut_sets : list (list bool); rhs : Z }.
Definition priced_cut := (nat * (cut * Z))%type.
Definition cuts_in (cuts : list priced_cut) (t : nat) : list (cut * Z) :=
  map snd (filter (fun c => fst c =? t)%nat cuts).
Definition inside (I : instance) (m set : list bool) : bool :=
  forallb (fun r => negb (on m r) || on set r) (seq 0 (num_types I)).
Definition weight (I : instance) (terms : list term) (j : nat) (m : list bool) : Z :=
  lsum (fun tm => if inside I m (fst tm) then nth j (snd tm) 0 else 0) terms.
Definition here_of (I : instance) (x : option nat) (m : list bool) : list bool :=
  match x with
  | None => m
  | Some h => map (fun r => on m r && (0 <? cap I h r)) (seq 0 (num_types I))
  end.
Definition alone_on (I : instance) (h : nat) (m : list bool) : bool :=
  forallb (fun r => negb (on m r) ||
    forallb (fun k => (k =? h)%nat || (cap I k r <=? 0)) (seq 0 (num_nodes I))) (seq 0 (num_types I)).
Definition gang_counts (I : instance) (x : option nat) (a : gang_at) : bool :=
  match x, fst a with
  | None, None => true
  | None, Some _ => false
  | Some h, None => alone_on I h (snd a)
  | Some h, Some k => (k =? h)%nat
  end.
Definition cut_count (I : instance) (c : cut) (j : nat) (a : gang_at) : Z :=
  if gang_counts I (cut_node c) a then weight I (cut_terms c) j (here_of I (cut_node c) (snd a)) else 0.
Definition toll (I : instance) (cs : list (cut * Z)) (j : nat) (a : gang_at) : Z :=
  lsum (fun ck => cut_count I (fst ck) j a * snd ck) cs.

(* branching *)
Inductive decision :=
| Completes (j m : nat)
| Progresses (j t : nat) (p : Z)
| Holds (j t : nat) (x : option nat) (r : nat) (n : Z).
Definition branch := (decision * bool)%type.
Definition about (j : nat) (b : branch) : bool :=
  match fst b with
  | Completes i _ | Progresses i _ _ | Holds i _ _ _ _ => (i =? j)%nat
  end.
Definition holds (I : instance) (s : schedule) (d : decision) : bool :=
  match d with
  | Completes j m => match completion I s j with Some f => (f <=? m)%nat | None => false end
  | Progresses j t p => p <=? progress I (job_at I j) (s j t)
  | Holds j t x r n => n <=? held_at I (s j t) x r
  end.
Definition agrees (I : instance) (s : schedule) (bs : list branch) : Prop :=
  forall b, In b bs -> holds I s (fst b) = snd b.
(* what holds GPUs makes progress, each copy of it *)
Definition busy (I : instance) (s : schedule) : Prop :=
  forall j t, (s j t <> Idle -> progress I (job_at I j) (s j t) <> 0) /\
    thrifty I (job_at I j) (s j t).

(* may the job complete in round t?  may it never complete?  may it idle? *)
Definition allows_completion (T t : nat) (b : branch) : bool :=
  match b with
  | (Completes _ m, true) => (t <=? m)%nat
  | (Completes _ m, false) => (m <? t)%nat
  | (Progresses _ u p, true) | (Holds _ u _ _ p, true) =>
      negb ((t <? u)%nat && (u <? T)%nat && (1 <=? p))
  | (_, false) => true
  end.
Definition allows_never (b : branch) : bool :=
  match b with (Completes _ _, true) => false | _ => true end.
Definition tighten (t : nat) (b : branch) (lim : limits) : limits :=
  match b with
  | (Progresses _ u p, answer) =>
      if (u =? t)%nat then
        if answer
        then Limits (omax (at_least lim) p) (less_than lim)
        else Limits (at_least lim)
               (Some match less_than lim with None => p | Some x => Z.min x p end)
      else lim
  | (Holds _ u _ _ n, true) =>
      if (u =? t)%nat && (1 <=? n) then Limits (omax (at_least lim) 1) (less_than lim) else lim
  | _ => lim
  end.
Definition limits_in (bs : list branch) (t : nat) : limits :=
  fold_right (tighten t) (Limits None None) bs.
Definition allows_idle (lim : limits) : bool :=
  match at_least lim with None => true | Some a => a <=? 0 end &&
  match less_than lim with None => true | Some b => 0 <? b end.

(* what may be held of a place in a round *)
Definition same_place (x y : option nat) : bool :=
  match x, y with
  | Some a, Some b => (a =? b)%nat
  | None, None => true
  | _, _ => false
  end.
Definition narrow (t : nat) (x : option nat) (r : nat) (b : branch) (g : range) : range :=
  match b with
  | (Holds _ u y q n, answer) =>
      if (u =? t)%nat && same_place x y && (q =? r)%nat then
        if answer then (Z.max (fst g) n, snd g)
        else (fst g, Some match snd g with None => n - 1 | Some k => Z.min k (n - 1) end)
      else g
  | _ => g
  end.
Definition range_in (bs : list branch) (t : nat) (x : option nat) (r : nat) : range :=
  fold_right (narrow t x r) (0, None) bs.
Definition bounded (bs : list branch) (t : nat) : bool :=
  existsb (fun b => match fst b with Holds _ u _ _ _ => (u =? t)%nat | _ => false end) bs.

(* stages and the price of a job *)
Definition rounded (q p : Z) : Z := - ((- p) / q).
Definition add_choice (o : label) (os : list label) : list label :=
  if existsb (fun x => dominates x o) os then os
  else o :: filter (fun x => negb (dominates o x)) os.
(* the same from a table of what gangs make: divisions are slow *)
Definition rounding (q : Z) (lvs : list level) : Z -> Z :=
  let table := flat_map (fun lv => map (fun p => (p, rounded q p)) [spread_progress lv; node_progress lv]) lvs in
  fun p => match find (fun e => fst e =? p) table with Some e => snd e | None => rounded q p end.
Definition simplify (up : Z -> Z) (os : list label) : list label :=
  fold_right (fun o acc => add_choice (up (fst o), snd o) acc) [] os.

Definition stage_at (I : instance) (J : job) (lvs : list level) (tolls : nat -> gang_at -> Z)
  (bs : list branch) (up : Z -> Z) (worth : list Z) (t : nat) (rd : round_data) : stage :=
  let lim := limits_in bs t in
  let released := (release J <=? t)%nat in
  Stage (if released then
           simplify up
             (if bounded bs t then held_choices I J lvs rd (range_in bs t) (tolls t) lim
              else allocation_choices I J lvs rd (tolls t) lim)
         else [])
    (allows_idle lim)
    (if released && forallb (allows_completion (num_rounds I) t) bs
     then Some (nth (t - release J) worth 0) else None).
Fixpoint stages (I : instance) (J : job) (lvs : list level) (tolls : nat -> gang_at -> Z)
  (bs : list branch) (up : Z -> Z) (worth : list Z) (t : nat) (rds : list round_data) : list stage :=
  match rds with
  | [] => []
  | rd :: r => stage_at I J lvs tolls bs up worth t rd :: stages I J lvs tolls bs up worth (S t) r
  end.

(* prices and tolls are counted in a unit of what completing is worth, by flow time; the payoff is at
   least the floor; lam is a price of progress, see CheckerDP *)
Definition job_price (I : instance) (rds : list round_data) (tolls : nat -> gang_at -> Z)
  (bs : list branch) (q unit lam : Z) (worth : list Z) (floor : option Z) (J : job) : option Z :=
  let lvs := levels I J in
  best_price (rounded q (iterations J)) lam (forallb allows_never bs) unit
    (stages I J lvs tolls bs (rounding q lvs) worth 0 rds) floor.
Definition earned (I : instance) (worth : list Z) (s : schedule) (j : nat) : Z :=
  match completion I s j with Some f => nth (f - release (job_at I j)) worth 0 | None => 0 end.

(* what job j pays in round t *)
Definition job_charge (I : instance) (pr : prices) (tolls : nat -> gang_at -> Z) (s : schedule)
  (j t : nat) : Z :=
  rent I (price_at pr t) (s j t) + toll_of I (job_at I j) (tolls t) (s j t).

Lemma rounded_le q p : 0 < q -> p <= q * rounded q p.
Proof. intros H. unfold rounded. assert (Q := Z.mul_div_le (- p) q H). lia. Qed.
Lemma rounded_mono q p p' : 0 < q -> p <= p' -> rounded q p <= rounded q p'.
Proof. intros H L. unfold rounded. assert (Q := Z.div_le_mono (- p') (- p) q H ltac:(lia)). lia. Qed.
Lemma rounded_pos q p : 0 < q -> 1 <= p -> 1 <= rounded q p.
Proof. intros H L. assert (Q := rounded_le q p H). nia. Qed.
Lemma rounded_least q p B : 0 < q -> p <= q * B -> rounded q p <= B.
Proof.
  intros H L. unfold rounded.
  assert (Q := Z.div_le_lower_bound (- p) q (- B) H ltac:(lia)). lia.
Qed.

Lemma add_choice_covered o os p c : (p <= fst o /\ snd o <= c) \/ covered os p c ->
  covered (add_choice o os) p c.
Proof.
  unfold add_choice. destruct (existsb _ os) eqn:E; intros [H|(l & A & B)].
  - apply existsb_exists in E. destruct E as (x & X & D). apply dominates_inv in D.
    exists x. split; [auto|lia].
  - exists l. auto.
  - exists o. split; [left; auto|lia].
  - destruct (dominates o l) eqn:D.
    + apply dominates_inv in D. exists o. split; [left; auto|lia].
    + exists l. split; [right; apply filter_In; rewrite D; auto|auto].
Qed.
Lemma rounding_eq q lvs p : rounding q lvs p = rounded q p.
Proof.
  unfold rounding. destruct (find _ _) as [e|] eqn:E; [|reflexivity]. apply find_some in E.
  destruct E as [A B]. apply Z.eqb_eq in B. subst p. apply in_flat_map in A. destruct A as (lv & _ & A).
  apply in_map_iff in A. destruct A as (p & <- & _). reflexivity.
Qed.
Lemma simplify_covered up q os o : (forall p, up p = rounded q p) -> In o os ->
  covered (simplify up os) (rounded q (fst o)) (snd o).
Proof.
  intros H. rewrite <- H. induction os as [|x r IH]; [intros []|]. intros [->|A]; simpl; apply add_choice_covered.
  - left. simpl. lia.
  - right. auto.
Qed.

Lemma round_of_prices I pr t : prices_of_round (round_of I pr t) (price_at pr t).
Proof. split; [reflexivity|]. destruct pr; [reflexivity|discriminate]. Qed.

Section JobPrice.
  Variables (I : instance) (pr : prices) (tolls : nat -> gang_at -> Z) (bs : list branch) (q : Z)
    (worth : list Z) (s : schedule) (j : nat).
  Let J := job_at I j.
  Let T := num_rounds I.
  Hypothesis inst : instance_ok I = true.
  Hypothesis feas : feasible I s.
  Hypothesis in_range : (j < num_jobs I)%nat.
  Hypothesis prices_nonneg : prices_ok pr = true.
  Hypothesis tolls_nonneg : forall t m, 0 <= tolls t m.
  Hypothesis agree : agrees I s bs.
  Hypothesis own : forall b, In b bs -> about j b = true.
  Hypothesis q_pos : 0 < q.

  Lemma J_ok : job_ok J = true.
  Proof.
    assert (H := inst). unfold instance_ok in H. apply andb_true_iff in H. destruct H as [_ H].
    rewrite forallb_forall in H. apply H. apply nth_In. exact in_range.
  Qed.

  Lemma level_progress_nonneg use time : fraction_ok time = true -> 0 <= level_progress I J use time.
  Proof.
    intros H. unfold level_progress. destruct (slowest _ _ _) as [l|]; [|lia].
    assert (K := J_ok). unfold job_ok in K. rewrite !andb_true_iff in K. destruct K as [[_ K] _].
    assert (P := speed_num_nonneg J l K). assert (P' := speed_den_pos J l K).
    unfold fraction_ok in H. unfold floor_product. apply Z.div_pos; nia.
  Qed.
  Lemma progress_nonneg a : 0 <= progress I J a.
  Proof.
    assert (K := J_ok). unfold job_ok in K. rewrite !andb_true_iff in K. destruct K as [_ K].
    assert (K' := inst). unfold instance_ok in K'. rewrite !andb_true_iff in K'.
    destruct K' as [[I1 I2] _]. unfold fraction_ok in K, I1, I2.
    destruct a as [|g|g]; simpl; [lia| |].
    - apply level_progress_nonneg. unfold fraction_ok. destruct (1 <? nodes_used I g); [|exact I1].
      unfold spread_time. simpl. nia.
    - apply sum_nonneg. intros h _. apply level_progress_nonneg. unfold fraction_ok, copy_time.
      destruct (round_seconds I) as [tn td], (consolidation_seconds I) as [cn cd]. cbn [fst snd] in *.
      apply andb_true_iff in I1, I2. rewrite Z.leb_le, Z.ltb_lt in I1, I2.
      apply andb_true_iff. rewrite Z.leb_le, Z.ltb_lt. split; [apply Z.le_max_l|nia].
  Qed.

  Hypothesis works : busy I s.

  Lemma held_something t x r : 1 <= held_at I (s j t) x r -> s j t <> Idle.
  Proof.
    intros H E. rewrite E in H. destruct x as [h|]; cbn in H; [lia|].
    rewrite sum_zero in H; [lia|auto].
  Qed.
  Lemma works_progress t : s j t <> Idle -> 1 <= progress I J (s j t).
  Proof. intros H. assert (A := proj1 (works j t) H). assert (B := progress_nonneg (s j t)). fold J in A. lia. Qed.

  Lemma limits_obeyed t : obeys (limits_in bs t) (progress I J (s j t)).
  Proof.
    assert (A := agree). assert (O := own).
    induction bs as [|[d answer] r IH]; [split; discriminate|].
    destruct IH as [IH1 IH2]; [intros b Hb; apply A; simpl; auto|intros b Hb; apply O; simpl; auto
      |intros b Hb; apply A; simpl; auto|intros b Hb; apply O; simpl; auto|].
    specialize (A _ (or_introl eq_refl)). specialize (O _ (or_introl eq_refl)).
    destruct d as [i m|i u p|i u x k n]; unfold about in O; cbn in O, A; apply Nat.eqb_eq in O; subst i;
      [split; auto| |]; cbn [limits_in fold_right tighten]; fold (limits_in r t).
    - destruct (u =? t)%nat eqn:E; [|split; auto]. apply Nat.eqb_eq in E. subst u.
      destruct answer; split; cbn; try assumption.
      + apply Z.leb_le in A. intros a Ha. destruct (at_least (limits_in r t)) as [y|] eqn:X.
        * injection Ha as <-. specialize (IH1 y eq_refl). unfold J in *. lia.
        * injection Ha as <-. exact A.
      + apply Z.leb_gt in A. intros a Ha. injection Ha as <-.
        destruct (less_than (limits_in r t)) as [y|] eqn:X; [specialize (IH2 y eq_refl)|]; unfold J in *; lia.
    - destruct answer; [|split; auto].
      destruct ((u =? t)%nat && (1 <=? n)) eqn:E; [|split; auto]. apply andb_true_iff in E.
      destruct E as [E1 E2]. apply Nat.eqb_eq in E1. subst u. apply Z.leb_le in E2, A.
      assert (P := works_progress t (held_something t x k ltac:(lia))).
      split; cbn; [|assumption]. intros a Ha. destruct (at_least (limits_in r t)) as [y|] eqn:X.
      + injection Ha as <-. specialize (IH1 y eq_refl). lia.
      + injection Ha as <-. exact P.
  Qed.

  Lemma held_nonneg t x r : (t < T)%nat -> (r < num_types I)%nat ->
    match x with Some h => (h < num_nodes I)%nat | None => True end -> 0 <= held_at I (s j t) x r.
  Proof.
    intros Ht Hr Hx. assert (Ha := feasible_allocation _ _ feas j t in_range Ht).
    assert (N : forall h, (h < num_nodes I)%nat -> 0 <= held (s j t) h r).
    { intros h Hh. destruct (s j t) as [|g|g]; cbn; [lia| |]; apply Ha; auto. }
    destruct x as [h|]; cbn; [auto|]. apply sum_nonneg. auto.
  Qed.
  Lemma range_obeyed t x r : (t < T)%nat -> (r < num_types I)%nat ->
    match x with Some h => (h < num_nodes I)%nat | None => True end ->
    CheckerHeld.in_range (range_in bs t x r) (held_at I (s j t) x r).
  Proof.
    intros Ht Hr Hx. assert (N := held_nonneg t x r Ht Hr Hx). assert (A := agree). assert (O := own).
    clear - N A O. induction bs as [|[d answer] l IH].
    { split; [exact N|discriminate]. }
    destruct IH as [IH1 IH2]; [intros b Hb; apply A; simpl; auto|intros b Hb; apply O; simpl; auto|].
    specialize (A _ (or_introl eq_refl)). specialize (O _ (or_introl eq_refl)).
    cbn [range_in fold_right]. fold (range_in l t x r).
    destruct d as [i m|i u p|i u y k n]; try (split; assumption).
    unfold about in O. cbn in O, A. apply Nat.eqb_eq in O. subst i. cbn [narrow].
    destruct ((u =? t)%nat && same_place x y && (k =? r)%nat) eqn:E; [|split; assumption].
    rewrite !andb_true_iff in E. destruct E as [[E1 E2] E3]. apply Nat.eqb_eq in E1, E3. subst u k.
    assert (E : y = x).
    { destruct x as [a|], y as [b|]; cbn in E2; try discriminate; [|reflexivity].
      apply Nat.eqb_eq in E2. congruence. }
    subst y. destruct answer; split; cbn [fst snd]; try assumption.
    - apply Z.leb_le in A. lia.
    - apply Z.leb_gt in A. intros b Hb. injection Hb as <-.
      destruct (snd (range_in l t x r)) as [q'|]; [specialize (IH2 q' eq_refl)|]; lia.
  Qed.

  Lemma done_mono t t' : (t <= t')%nat -> done_before I s j t <= done_before I s j t'.
  Proof.
    induction 1 as [|t' _ IH]; [lia|]. unfold done_before in *. simpl.
    assert (Q := progress_nonneg (s j t')). unfold J in Q. lia.
  Qed.
  Lemma completion_first t : (t < T)%nat -> done_before I s j t < iterations J ->
    iterations J <= done_before I s j (S t) -> completion I s j = Some t.
  Proof.
    intros Ht H1 H2. unfold completion. fold J T.
    replace T with (t + S (T - S t))%nat by lia. rewrite seq_app. simpl.
    assert (E : forall l, (forall u, In u l -> (u < t)%nat) -> forall r,
      find (fun u => iterations J <=? done_before I s j (S u)) (l ++ r) =
      find (fun u => iterations J <=? done_before I s j (S u)) r).
    { induction l as [|u l IH]; intros Hl r; [reflexivity|]. simpl.
      assert (Hu := Hl u (or_introl eq_refl)). assert (Q := done_mono (S u) t Hu).
      replace (iterations J <=? done_before I s j (S u)) with false by (symmetry; apply Z.leb_gt; lia).
      apply IH. intros; apply Hl; simpl; auto. }
    rewrite E by (intros u Hu; apply in_seq in Hu; lia). simpl.
    replace (iterations J <=? done_before I s j (S t)) with true by (symmetry; apply Z.leb_le; auto).
    reflexivity.
  Qed.
  Lemma completion_none : done_before I s j T < iterations J -> completion I s j = None.
  Proof.
    intros H. unfold completion. fold J T. destruct (find _ _) as [t|] eqn:E; [|reflexivity].
    apply find_some in E. destruct E as [E1 E2]. apply in_seq in E1. apply Z.leb_le in E2.
    assert (Q := done_mono (S t) T ltac:(lia)). lia.
  Qed.

  Lemma charge_nonneg t : (t < T)%nat -> 0 <= job_charge I pr tolls s j t.
  Proof.
    intros Ht. unfold job_charge. assert (Ha := feasible_allocation _ _ feas j t in_range Ht).
    assert (0 <= rent I (price_at pr t) (s j t)).
    { apply sum_nonneg. intros h Hh. apply sum_nonneg. intros r Hr.
      apply Z.mul_nonneg_nonneg; [apply price_at_nonneg; auto|].
      destruct (s j t) as [|g|g]; simpl; [lia| |]; apply Ha; auto. }
    assert (0 <= toll_of I (job_at I j) (tolls t) (s j t)); [|lia].
    apply toll_of_nonneg. auto.
  Qed.
  Lemma charge_idle t : s j t = Idle -> job_charge I pr tolls s j t = 0.
  Proof.
    intros E. unfold job_charge. rewrite E. unfold rent, toll_of. simpl. rewrite sum_zero; [lia|].
    intros h _. apply sum_zero. intros r _. lia.
  Qed.

  Lemma held_fits t h r : (t < T)%nat -> (h < num_nodes I)%nat -> (r < num_types I)%nat ->
    held (s j t) h r <= cap I h r.
  Proof.
    intros Ht Hh Hr. eapply Z.le_trans; [|apply (feasible_capacity _ _ feas t h r Ht Hh Hr)].
    apply (sum_term _ (fun j => held (s j t) h r) j in_range). intros k Hk.
    assert (Ha := feasible_allocation _ _ feas k t Hk Ht).
    destruct (s k t) as [|g|g]; simpl; [lia| |]; apply Ha; auto.
  Qed.

  Lemma round_step t : (t < T)%nat ->
    stage_step (stage_at I J (levels I J) tolls bs (rounding q (levels I J)) worth t (round_of I pr t))
      (rounded q (progress I J (s j t))) (job_charge I pr tolls s j t).
  Proof.
    intros Ht. assert (P := progress_nonneg (s j t)).
    assert (L := limits_obeyed t).
    assert (C := charge_nonneg t Ht).
    split; [|split; [exact C|]].
    { unfold rounded. assert (Q := Z.div_le_mono (- progress I J (s j t)) 0 q q_pos ltac:(lia)).
      rewrite Z.div_0_l in Q by lia. lia. }
    destruct (Z_lt_le_dec 0 (progress I J (s j t))) as [P1|P1].
    - right. assert (Hn : s j t <> Idle) by (intros E; rewrite E in P1; simpl in P1; lia).
      assert (Hr := feasible_release _ _ feas j t in_range Ht Hn).
      assert (Hs : exists o, In o (if bounded bs t
            then held_choices I J (levels I J) (round_of I pr t) (range_in bs t) (tolls t) (limits_in bs t)
            else allocation_choices I J (levels I J) (round_of I pr t) (tolls t) (limits_in bs t)) /\
          progress I J (s j t) <= fst o /\ snd o <= rent I (price_at pr t) (s j t) + toll_of I J (tolls t) (s j t)).
      { assert (Ha := feasible_allocation _ _ feas j t in_range Ht).
        assert (Hp : forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat ->
          0 <= price_at pr t h r /\ held (s j t) h r <= cap I h r).
        { intros h r Hh Hr'. split; [apply price_at_nonneg; auto|apply held_fits; auto]. }
        destruct (bounded bs t).
        - apply held_choices_cover; auto using J_ok, round_of_ok, round_of_prices; [|lia].
          split; [split; [exact Ha|apply works]|split; [exact Hp|]]. intros x r Hr' Hx. apply range_obeyed; auto.
        - apply choices_cover; auto using J_ok, round_of_ok; [apply works|lia]. }
      destruct Hs as (o & A & B & D).
      cbn [stage_at choices]. replace (release J <=? t)%nat with true by (symmetry; apply Nat.leb_le; auto).
      destruct (simplify_covered _ q _ o (rounding_eq q (levels I J)) A) as (l & X & Y & Z). exists l. split; [exact X|].
      split; [|unfold job_charge; fold J; lia]. eapply Z.le_trans; [apply (rounded_mono q _ (fst o)); auto|auto].
    - left. assert (E : progress I J (s j t) = 0) by lia. rewrite E in *.
      split; [unfold rounded; rewrite Z.div_0_l; lia|]. cbn [stage_at may_idle]. unfold allows_idle.
      destruct L as [L1 L2]. apply andb_true_iff. split.
      + destruct (at_least _) as [a|]; auto. apply Z.leb_le, L1. reflexivity.
      + destruct (less_than _) as [a|]; auto. apply Z.ltb_lt, L2. reflexivity.
  Qed.

  Variable unit : Z.
  Hypothesis unit_pos : 0 < unit.
  Lemma true_outcome n k B C : (k + n = T)%nat -> done_before I s j k < iterations J ->
    done_before I s j k <= q * B ->
    outcome (rounded q (iterations J)) (forallb allows_never bs) unit
      (stages I J (levels I J) tolls bs (rounding q (levels I J)) worth k (map (round_of I pr) (seq k n))) B C
      (earned I worth s j - unit * (C + sum n (fun i => job_charge I pr tolls s j (k + i)))).
  Proof.
    revert k B C. induction n as [|n IH]; intros k B C Hk Hd HB; cbn [seq map stages].
    - assert (K : completion I s j = None) by (apply completion_none; replace T with k by lia; auto).
      unfold earned. rewrite K. cbn [sum].
      replace (0 - unit * (C + 0)) with (- (unit * C)) by lia. constructor.
      apply forallb_forall. intros [[i m|i u p|i u x r n] [|]] Hb; simpl; auto.
      specialize (own _ Hb). unfold about in own. simpl in own. apply Nat.eqb_eq in own. subst i.
      specialize (agree _ Hb). simpl in agree. rewrite K in agree. discriminate.
    - assert (Ht : (k < T)%nat) by lia. assert (S1 := round_step k Ht).
      set (b := rounded q (progress I J (s j k))) in *. set (c := job_charge I pr tolls s j k) in *.
      assert (Hs : sum (S n) (fun i => job_charge I pr tolls s j (k + i)) =
        c + sum n (fun i => job_charge I pr tolls s j (S k + i))).
      { subst c. clear. induction n as [|n IH].
        - simpl. rewrite Nat.add_0_r. lia.
        - change (sum (S (S n)) ?f) with (sum (S n) f + f (S n)). rewrite IH. simpl.
          rewrite Nat.add_succ_r. lia. }
      rewrite Hs. clear Hs.
      assert (Hb : progress I J (s j k) <= q * b) by (apply rounded_le; auto).
      assert (Ed : done_before I s j (S k) = done_before I s j k + progress I J (s j k)) by reflexivity.
      destruct (Z_lt_le_dec (done_before I s j (S k)) (iterations J)) as [D|D].
      + replace (C + (c + sum n (fun i => job_charge I pr tolls s j (S k + i)))) with
          (C + c + sum n (fun i => job_charge I pr tolls s j (S k + i))) by lia.
        apply go_on with b c; auto. apply IH; auto; [lia|]. rewrite Ed. lia.
      + assert (K := completion_first k Ht Hd D).
        assert (Z0 : sum n (fun i => job_charge I pr tolls s j (S k + i)) = 0).
        { apply sum_zero. intros i Hi. apply charge_idle.
          destruct (s j (S k + i)%nat) as [|g|g] eqn:E; auto; exfalso;
            assert (F := feasible_completion _ _ feas j (S k + i)%nat in_range ltac:(fold T; lia)
              ltac:(rewrite E; discriminate));
            assert (M := done_mono (S k) (S k + i)%nat ltac:(lia)); fold J in F; lia. }
        rewrite Z0. rewrite Z.add_0_r.
        assert (P1 : 1 <= progress I J (s j k)) by lia.
        apply complete_now with b; auto.
        * apply rounded_pos; auto.
        * apply rounded_least; auto. lia.
        * cbn [stage_at stage_gain]. unfold earned. rewrite K. fold J.
          assert (Hr : (release J <= k)%nat).
          { apply (feasible_release _ _ feas j k in_range Ht). intros E. rewrite E in P1. simpl in P1. lia. }
          replace (release J <=? k)%nat with true by (symmetry; apply Nat.leb_le; auto). simpl.
          replace (forallb (allows_completion (num_rounds I) k) bs) with true; [reflexivity|].
          symmetry. apply forallb_forall. intros [d answer] Hin.
          assert (O := own _ Hin). assert (A := agree _ Hin). unfold about in O.
          assert (After : forall u, (k < u)%nat -> (u < num_rounds I)%nat -> s j u = Idle).
             { intros u E1 E2. destruct (s j u) as [|g|g] eqn:E; auto; exfalso;
                 assert (F := feasible_completion _ _ feas j u in_range E2 ltac:(rewrite E; discriminate));
                 assert (M := done_mono (S k) u ltac:(lia)); fold J in F; lia. }
             destruct d as [i m|i u p|i u x r m]; cbn in O, A; apply Nat.eqb_eq in O; subst i.
          -- rewrite K in A. destruct answer; simpl.
             ++ exact A.
             ++ apply Nat.ltb_lt. apply Nat.leb_gt in A. exact A.
          -- destruct answer; [|reflexivity]. apply Z.leb_le in A. cbn [allows_completion].
                destruct (k <? u)%nat eqn:E1; [|reflexivity]. destruct (u <? num_rounds I)%nat eqn:E2; [|reflexivity].
                apply Nat.ltb_lt in E1, E2. simpl. apply negb_true_iff, Z.leb_gt.
                rewrite (After u E1 E2) in A. simpl in A. lia.
          -- destruct answer; [|reflexivity]. apply Z.leb_le in A. cbn [allows_completion].
                destruct (k <? u)%nat eqn:E1; [|reflexivity]. destruct (u <? num_rounds I)%nat eqn:E2; [|reflexivity].
                apply Nat.ltb_lt in E1, E2. simpl. apply negb_true_iff, Z.leb_gt.
                destruct (Z_le_gt_dec 1 m) as [Q|Q]; [|lia]. exfalso.
                apply (held_something u x r); [lia|auto].
  Qed.

  Variable lam : Z.
  Hypothesis lam_nonneg : 0 <= lam.
  Theorem job_price_sound floor :
    below (earned I worth s j - unit * sum T (job_charge I pr tolls s j))
      (job_price I (rounds_of I pr) tolls bs q unit lam worth floor J).
  Proof.
    unfold job_price, rounds_of. fold T.
    assert (K := J_ok). unfold job_ok in K. rewrite !andb_true_iff in K. destruct K as [[[_ K] _] _].
    apply Z.ltb_lt in K. apply price_sound; auto.
    - apply rounded_pos; auto. lia.
    - replace (sum T (job_charge I pr tolls s j)) with
        (0 + sum T (fun i => job_charge I pr tolls s j (0 + i))) by reflexivity.
      apply true_outcome; [lia| |]; unfold done_before; simpl; lia.
  Qed.
End JobPrice.
