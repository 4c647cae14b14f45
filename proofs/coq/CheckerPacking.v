(** * Cuts on who runs in a round: an exact proof of each, over all gangs that fit.

    [pick]                 what a job may do: (value, GPUs of each set of types)
    [packs_within rhs jobs ls]    no choice of at most one pick per job exceeds rhs within the room of the labels
                         ls = (value, room left); labels that cannot exceed it any more are dropped
    [packs_sound]          that it is so
    [cut_ok]               every level of every job is a pick: its weight in the cut, and its gang in each
                         set that holds the types of the level (that the node has); rooms are the
                         capacities of the sets (on the node)
    [counted]              the level of the one gang that a cut counts: the only gang, where the cut is on no
                         node or no other node has the types of its level; the copy on the node
    [counted_weight]        what a cut charges an allocation is what it counts
    [cut_valid]            so the cut holds in every round of every feasible schedule *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerLevel CheckerCopies CheckerJob.
Import ListNotations.
Open Scope Z_scope.

Definition pick := (Z * list Z)%type.
Definition nonneg (l : list Z) : bool := forallb (fun x => 0 <=? x) l.
Fixpoint minus (a b : list Z) : list Z :=
  match a, b with
  | x :: a', y :: b' => x - y :: minus a' b'
  | _, _ => a
  end.
Fixpoint compare_rooms (a b : list Z) : comparison :=
  match a, b with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | x :: a', y :: b' => match Z.compare x y with Eq => compare_rooms a' b' | c => c end
  end.

(* union of two lists sorted by decreasing room; of equal rooms the greater value *)
Fixpoint merge_picks (l1 : list pick) : list pick -> list pick :=
  match l1 with
  | [] => fun l2 => l2
  | a :: r1 =>
      fix inner l2 :=
        match l2 with
        | [] => l1
        | b :: r2 =>
            match compare_rooms (snd a) (snd b) with
            | Gt => a :: merge_picks r1 l2
            | Lt => b :: inner r2
            | Eq => if fst b <=? fst a then a :: merge_picks r1 r2 else b :: merge_picks r1 r2
            end
        end
  end.
Definition with_pick (o : pick) (ls : list pick) : list pick :=
  map (fun l => (fst l + fst o, minus (snd l) (snd o))) ls.
Definition greatest (os : list pick) : Z := fold_right (fun o acc => Z.max (fst o) acc) 0 os.
Definition potential (jobs : list (list pick)) : Z := lsum greatest jobs.
Fixpoint packs_within (rhs : Z) (jobs : list (list pick)) (ls : list pick) : bool :=
  match jobs with
  | [] => forallb (fun l => fst l <=? rhs) ls
  | os :: r =>
      let enough := rhs - potential r in
      packs_within rhs r (filter (fun l => (enough <? fst l) && nonneg (snd l))
        (fold_right (fun o acc => merge_picks (with_pick o ls) acc) ls os))
  end.

Definition has (ls : list pick) (v : Z) (room : list Z) : Prop :=
  exists l, In l ls /\ snd l = room /\ v <= fst l.

Lemma compare_rooms_eq a b : compare_rooms a b = Eq -> a = b.
Proof.
  revert b. induction a as [|x a IH]; intros [|y b]; simpl; try discriminate; auto.
  destruct (Z.compare_spec x y) as [->|E|E]; try discriminate. intros H. f_equal. auto.
Qed.
Lemma merge_picks_has l1 l2 v room : has l1 v room \/ has l2 v room -> has (merge_picks l1 l2) v room.
Proof.
  revert l2. induction l1 as [|a r1 IH1]; intros l2.
  { simpl. intros [(l & [] & _)|H]; auto. }
  induction l2 as [|b r2 IH2].
  { simpl. intros [H|(l & [] & _)]; auto. }
  cbn [merge_picks]. intros H.
  assert (Q : forall x ls, has ls v room -> has (x :: ls) v room)
    by (intros x ls (l & A & B); exists l; simpl; auto).
  assert (Q0 : forall x ls, snd x = room /\ v <= fst x -> has (x :: ls) v room)
    by (intros x ls B; exists x; simpl; auto).
  assert (Q' : forall x ls, has (x :: ls) v room -> (snd x = room /\ v <= fst x) \/ has ls v room).
  { intros x ls (l & [->|A] & B); [auto|right; exists l; auto]. }
  destruct (compare_rooms (snd a) (snd b)) eqn:E.
  - apply compare_rooms_eq in E.
    destruct (fst b <=? fst a) eqn:S; [apply Z.leb_le in S|apply Z.leb_gt in S];
      destruct H as [H|H]; apply Q' in H; destruct H as [[H1 H2]|H];
      first [apply Q0; split; [congruence|lia]|apply Q, IH1; auto].
  - destruct H as [H|H]; [apply Q, IH2; auto|].
    apply Q' in H. destruct H as [H|H]; [apply Q0; auto|apply Q, IH2; auto].
  - destruct H as [H|H]; [|apply Q, IH1; auto].
    apply Q' in H. destruct H as [H|H]; [apply Q0; auto|apply Q, IH1; auto].
Qed.

Definition value_of (o : option pick) : Z := match o with Some p => fst p | None => 0 end.
Definition room_of (room : list Z) (o : option pick) : list Z :=
  match o with Some p => minus room (snd p) | None => room end.
Definition room_after (room : list Z) (sel : list (option pick)) : list Z := fold_left room_of sel room.
Definition chosen (os : list pick) (o : option pick) : Prop :=
  match o with Some p => In p os /\ nonneg (snd p) = true | None => True end.

Lemma nonneg_minus a b : nonneg (minus a b) = true -> nonneg b = true -> nonneg a = true.
Proof.
  revert b. induction a as [|x a IH]; intros [|y b]; simpl; auto.
  rewrite !andb_true_iff, !Z.leb_le. intros [H1 H2] [H3 H4]. split; [lia|eauto].
Qed.
Lemma nonneg_before jobs sel room : Forall2 chosen jobs sel -> nonneg (room_after room sel) = true ->
  nonneg room = true.
Proof.
  intros H. revert room. induction H as [|os o r sel Ho _ IH]; intros room; [auto|].
  cbn [room_after fold_left]. intros Q. specialize (IH _ Q). destruct o as [p|]; [|exact IH].
  destruct Ho as [_ Ho]. eapply nonneg_minus; eauto.
Qed.
Lemma greatest_le os p : In p os -> fst p <= greatest os.
Proof. induction os as [|o r IH]; [intros []|]. intros [->|H]; simpl; [lia|specialize (IH H); lia]. Qed.
Lemma greatest_nonneg os : 0 <= greatest os.
Proof. induction os; simpl; lia. Qed.
Lemma potential_le jobs sel : Forall2 chosen jobs sel -> lsum value_of sel <= potential jobs.
Proof.
  induction 1 as [|os o r sel Ho _ IH]; [simpl; lia|].
  change (value_of o + lsum value_of sel <= greatest os + potential r).
  enough (value_of o <= greatest os) by lia. destruct o as [p|]; [apply greatest_le, Ho|apply greatest_nonneg].
Qed.

Lemma picks_has os ls v room o : has ls v room -> chosen os o ->
  has (fold_right (fun o acc => merge_picks (with_pick o ls) acc) ls os) (v + value_of o) (room_of room o).
Proof.
  intros H Ho. induction os as [|x r IH].
  { destruct o as [p|]; [destruct Ho as [[] _]|]. simpl. rewrite Z.add_0_r. exact H. }
  simpl. apply merge_picks_has. destruct o as [p|].
  - destruct Ho as [[->|Ho] N]; [left|right; apply IH; split; auto].
    destruct H as (l & A & B & C). exists (fst l + fst p, minus (snd l) (snd p)). split; [|simpl; split; [congruence|lia]].
    unfold with_pick. apply in_map_iff. exists l. auto.
  - right. apply IH. exact Logic.I.
Qed.

Theorem packs_sound rhs jobs sel ls v room : packs_within rhs jobs ls = true -> Forall2 chosen jobs sel ->
  has ls v room -> nonneg (room_after room sel) = true -> v + lsum value_of sel <= rhs.
Proof.
  intros H F. revert ls v room H. induction F as [|os o r sel Ho F IH]; intros ls v room H L N.
  { simpl in *. destruct L as (l & A & B & C). rewrite forallb_forall in H. specialize (H l A).
    apply Z.leb_le in H. lia. }
  cbn [packs_within] in H. cbv zeta in H. cbn [room_after fold_left] in N.
  change (v + (value_of o + lsum value_of sel) <= rhs).
  destruct (picks_has os ls v room o L Ho) as (l & A & B & C).
  destruct (rhs - potential r <? fst l) eqn:E.
  - rewrite Z.add_assoc. apply (IH _ _ (room_of room o) H); [|exact N].
    exists l. split; [|auto]. apply filter_In. split; [exact A|]. rewrite E, B. simpl.
    apply (nonneg_before r sel); auto.
  - apply Z.ltb_ge in E. assert (P := potential_le r sel F). lia.
Qed.

(* cuts; on the whole cluster (x = None) only gangs count, on a node what lies inside it *)
Definition set_capacity (I : instance) (x : option nat) (set : list bool) : Z :=
  sum (num_types I) (fun r => if on set r then
    match x with None => pooled I r | Some h => cap I h r end else 0).
Definition set_use (I : instance) (J : job) (m set : list bool) : Z :=
  if inside I m set then gang_size J else 0.
Definition picks (I : instance) (c : cut) (j : nat) : list pick :=
  filter (fun o => 0 <? fst o)
    (map (fun lv => let m := here_of I (cut_node c) (mask lv) in
        (weight I (cut_terms c) j m, map (set_use I (job_at I j) m) (cut_sets c)))
      (levels I (job_at I j))).
Definition cut_node_ok (I : instance) (x : option nat) : bool :=
  match x with None => true | Some h => (h <? num_nodes I)%nat end.
Definition cut_ok (I : instance) (c : cut) : bool :=
  forallb (fun tm => forallb (fun a => 0 <=? a) (snd tm)) (cut_terms c) && (0 <=? rhs c) &&
  cut_node_ok I (cut_node c) &&
  packs_within (rhs c) (map (picks I c) (seq 0 (num_jobs I)))
    [(0, map (set_capacity I (cut_node c)) (cut_sets c))].

(* the level of the gang of an allocation that a cut counts; there is at most one *)
Definition counted (I : instance) (J : job) (x : option nat) (a : allocation) : option (list bool) :=
  match x, a with
  | _, Idle | None, Copies _ => None
  | None, Gang _ => gang_mask I J a
  | Some h, Gang _ =>
      match gang_mask I J a with Some m => if alone_on I h m then Some m else None | None => None end
  | Some h, Copies g => copy_mask I J g h
  end.
Definition cut_weight (I : instance) (c : cut) (j : nat) (a : allocation) : Z :=
  match counted I (job_at I j) (cut_node c) a with
  | Some m => weight I (cut_terms c) j (here_of I (cut_node c) m)
  | None => 0
  end.

Lemma weight_nonneg I terms j m :
  forallb (fun tm : term => forallb (fun a => 0 <=? a) (snd tm)) terms = true -> 0 <= weight I terms j m.
Proof.
  unfold weight. induction terms as [|tm r IH]; simpl; [lia|]. rewrite andb_true_iff. intros [H1 H2].
  specialize (IH H2). enough (0 <= nth j (snd tm) 0) by (destruct (inside I m (fst tm)); lia).
  apply Z.leb_le. apply (forallb_nth (fun a => 0 <=? a)); auto.
Qed.
Lemma cut_count_nonneg I c j a :
  forallb (fun tm : term => forallb (fun a => 0 <=? a) (snd tm)) (cut_terms c) = true -> 0 <= cut_count I c j a.
Proof. intros H. unfold cut_count. destruct (gang_counts _ _ _); [apply weight_nonneg, H|lia]. Qed.

Lemma sum_only n f h : (h < n)%nat -> (forall k, (k < n)%nat -> k <> h -> f k = 0) -> sum n f = f h.
Proof.
  induction n as [|n IH]; intros H Z0; [lia|]. simpl. destruct (Nat.eq_dec h n) as [->|N].
  - rewrite sum_zero; [lia|]. intros k Hk. apply Z0; lia.
  - rewrite IH by (auto; lia). rewrite (Z0 n) by lia. lia.
Qed.
Lemma counted_weight I c j a : cut_node_ok I (cut_node c) = true ->
  toll_of I (job_at I j) (cut_count I c j) a = cut_weight I c j a.
Proof.
  intros H. unfold cut_weight, counted, cut_count, gang_counts, cut_node_ok in *.
  destruct a as [|g|g]; cbn [toll_of]; destruct (cut_node c) as [h|]; try reflexivity.
  - destruct (gang_mask _ _ _) as [m|]; [|reflexivity]. cbn [fst snd]. destruct (alone_on I h m); reflexivity.
  - apply Nat.ltb_lt in H. rewrite (sum_only _ _ h H).
    + destruct (copy_mask _ _ _ _); [|reflexivity]. cbn [fst snd]. rewrite Nat.eqb_refl. reflexivity.
    + intros k _ N. destruct (copy_mask _ _ _ _); [|reflexivity]. cbn [fst snd].
      apply Nat.eqb_neq in N. rewrite N. reflexivity.
  - apply sum_zero. intros h _. destruct (copy_mask _ _ _ _); reflexivity.
Qed.

(* what an allocation holds of a set of types, on a node or anywhere *)
Definition held_of (I : instance) (x : option nat) (set : list bool) (a : allocation) : Z :=
  match x with
  | None => sum (num_nodes I) (fun h => sum (num_types I) (fun r => if on set r then held a h r else 0))
  | Some h => sum (num_types I) (fun r => if on set r then held a h r else 0)
  end.

Lemma inside_on I m set r : inside I m set = true -> (r < num_types I)%nat -> on m r = true -> on set r = true.
Proof.
  unfold inside. rewrite forallb_forall. intros E Hr O. specialize (E r ltac:(apply in_seq; lia)).
  rewrite O in E. exact E.
Qed.
Lemma on_here I h m r : (r < num_types I)%nat -> on m r = true -> 0 < cap I h r -> on (here_of I (Some h) m) r = true.
Proof.
  intros Hr O C. unfold on, here_of. set (f := fun r => on m r && (0 <? cap I h r)).
  rewrite nth_indep with (d' := f 0%nat) by (rewrite map_length, seq_length; auto).
  rewrite map_nth, seq_nth by auto. subst f. cbn. apply andb_true_iff. split; [exact O|apply Z.ltb_lt, C].
Qed.
(* all GPUs of a gang in a set that holds its types *)
Lemma all_in_set n set f m : (forall r, (r < n)%nat -> 0 <= f r) ->
  (forall r, (r < n)%nat -> 0 < f r -> on m r = true) ->
  (forall r, (r < n)%nat -> on m r = true -> on set r = true) ->
  sum n f <= sum n (fun r => if on set r then f r else 0).
Proof.
  intros P M S. apply sum_le. intros r Hr. destruct (on set r) eqn:O; [lia|].
  specialize (P r Hr). destruct (Z_lt_dec 0 (f r)) as [G|G]; [|lia].
  rewrite (S r Hr (M r Hr G)) in O. discriminate.
Qed.

Lemma counted_level I s j t x m : instance_ok I = true -> feasible I s ->
  (j < num_jobs I)%nat -> (t < num_rounds I)%nat -> cut_node_ok I x = true ->
  counted I (job_at I j) x (s j t) = Some m ->
  exists lv, In lv (levels I (job_at I j)) /\ mask lv = m /\
    forall set, inside I (here_of I x m) set = true -> gang_size (job_at I j) <= held_of I x set (s j t).
Proof.
  intros HI F Hj Ht Hx. assert (HJ := J_ok I j HI Hj).
  assert (Ha := feasible_allocation _ _ F j t Hj Ht).
  assert (Hf : forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> held (s j t) h r <= cap I h r).
  { intros h r Hh Hr. eapply Z.le_trans; [|apply (feasible_capacity _ _ F t h r Ht Hh Hr)].
    apply (sum_term _ (fun j => held (s j t) h r) j Hj). intros k Hk.
    assert (Hk' := feasible_allocation _ _ F k t Hk Ht).
    destruct (s k t) as [|g|g]; simpl; [lia| |]; apply Hk'; auto. }
  destruct (s j t) as [|g|g]; cbn [held] in Hf; [destruct x; discriminate| |].
  - destruct (gang_level I _ g HJ Ha) as (l & El & Hl & Hm).
    assert (EM : gang_mask I (job_at I j) (Gang g) = Some (mask_of I (job_at I j) l))
      by (unfold gang_mask; rewrite El; reflexivity).
    destruct Ha as (Hc & HW & _). unfold counted. rewrite EM.
    destruct x as [h|].
    + destruct (alone_on I h _) eqn:A; [|discriminate]. intros [= <-].
      exists (level_of I (job_at I j) l). split; [exact Hl|split; [reflexivity|]]. intros set Hs.
      apply Nat.ltb_lt in Hx. rewrite <- HW, (sum_only _ _ h Hx).
      * apply (all_in_set _ set _ (here_of I (Some h) (mask_of I (job_at I j) l))).
        -- intros r Hr. apply (Hc h r Hx Hr).
        -- intros r Hr G. apply on_here; [exact Hr|apply (Hm h); auto|]. specialize (Hf h r Hx Hr). lia.
        -- intros r Hr. apply (inside_on I _ _ r Hs Hr).
      * intros k Hk N. apply sum_zero. intros r Hr. destruct (Hc k r Hk Hr) as [P _].
        destruct (Z_lt_dec 0 (g k r)) as [G|G]; [exfalso|lia].
        unfold alone_on in A. rewrite forallb_forall in A. specialize (A r ltac:(apply in_seq; lia)).
        rewrite (Hm k r Hk Hr G) in A. cbn in A. rewrite forallb_forall in A.
        specialize (A k ltac:(apply in_seq; lia)). apply orb_true_iff in A. destruct A as [A|A].
        -- apply Nat.eqb_eq in A. auto.
        -- apply Z.leb_le in A. specialize (Hf k r Hk Hr). lia.
    + intros [= <-]. exists (level_of I (job_at I j) l). split; [exact Hl|split; [reflexivity|]].
      intros set Hs. rewrite <- HW. apply sum_le. intros h Hh.
      apply (all_in_set _ set _ (mask_of I (job_at I j) l)).
      * intros r Hr. apply (Hc h r Hh Hr).
      * intros r Hr. apply (Hm h); auto.
      * intros r Hr. apply (inside_on I _ _ r Hs Hr).
  - destruct x as [h|]; [|discriminate]. apply Nat.ltb_lt in Hx. unfold counted. intros EM.
    destruct (0 <? on_node I g h) eqn:E0.
    + destruct (copy_level I _ g h HJ Ha Hx E0) as (l & Hl & EW & _ & Hmk & _ & _ & EM').
      rewrite EM' in EM. injection EM as <-. exists (level_of I (job_at I j) l).
      split; [exact Hl|split; [reflexivity|]]. intros set Hs. rewrite <- EW.
      apply (all_in_set _ set _ (here_of I (Some h) (mask_of I (job_at I j) l))).
      * intros r Hr. apply (proj1 (proj2 Ha) h r Hx Hr).
      * intros r Hr G. apply on_here; [exact Hr|auto|]. specialize (Hf h r Hx Hr). lia.
      * intros r Hr. apply (inside_on I _ _ r Hs Hr).
    + destruct (no_copy I _ (fun _ _ => 0) g h HJ (proj1 (proj2 Ha)) Hx E0) as (_ & _ & _ & N).
      rewrite N in EM. discriminate.
Qed.

Lemma room_after_sum {A} (sets : list A) (f : A -> Z) (u : nat -> option (Z * (A -> Z))) js :
  room_after (map f sets) (map (fun j => option_map (fun x => (fst x, map (snd x) sets)) (u j)) js) =
  map (fun S => f S - lsum (fun j => match u j with Some x => snd x S | None => 0 end) js) sets.
Proof.
  revert f. induction js as [|j r IH]; intros f.
  { simpl. apply map_ext. intros S. lia. }
  assert (E : room_of (map f sets) (option_map (fun x => (fst x, map (snd x) sets)) (u j)) =
    map (fun S => f S - match u j with Some x => snd x S | None => 0 end) sets).
  { destruct (u j) as [x|]; simpl.
    - clear. induction sets as [|S l IHl]; [reflexivity|]. simpl. f_equal. exact IHl.
    - apply map_ext. intros S. lia. }
  cbn [map]. change (room_after (room_of (map f sets) (option_map (fun x => (fst x, map (snd x) sets)) (u j)))
    (map (fun j => option_map (fun x => (fst x, map (snd x) sets)) (u j)) r) = map (fun S => f S -
      (match u j with Some x => snd x S | None => 0 end +
       lsum (fun j => match u j with Some x => snd x S | None => 0 end) r)) sets).
  rewrite E, IH. apply map_ext. intros S. lia.
Qed.

(* the gangs whose levels lie within a set of types hold at most its capacity *)
Lemma set_respected I s t x set (b : nat -> bool) : instance_ok I = true -> feasible I s ->
  (t < num_rounds I)%nat -> cut_node_ok I x = true ->
  sum (num_jobs I) (fun j => match counted I (job_at I j) x (s j t) with
    | Some m => if b j then set_use I (job_at I j) (here_of I x m) set else 0 | None => 0 end)
  <= set_capacity I x set.
Proof.
  intros HI F Ht Hx.
  assert (P : forall j h r, (j < num_jobs I)%nat -> (h < num_nodes I)%nat -> (r < num_types I)%nat ->
    0 <= held (s j t) h r).
  { intros j h r Hj Hh Hr. assert (Ha := feasible_allocation _ _ F j t Hj Ht).
    destruct (s j t) as [|g|g]; simpl; [lia| |]; apply Ha; auto. }
  apply Z.le_trans with (sum (num_jobs I) (fun j => held_of I x set (s j t))).
  - apply sum_le. intros j Hj.
    assert (N : 0 <= held_of I x set (s j t)).
    { destruct x as [h|]; cbn [held_of].
      - apply Nat.ltb_lt in Hx. apply sum_nonneg. intros r Hr. destruct (on set r); [apply P; auto|lia].
      - apply sum_nonneg. intros h Hh. apply sum_nonneg. intros r Hr. destruct (on set r); [apply P; auto|lia]. }
    destruct (counted I (job_at I j) x (s j t)) as [m|] eqn:EM; [|exact N].
    destruct (b j); [|exact N]. unfold set_use. destruct (inside I (here_of I x m) set) eqn:E; [|exact N].
    destruct (counted_level I s j t x m HI F Hj Ht Hx EM) as (_ & _ & _ & H). auto.
  - unfold set_capacity, held_of. destruct x as [h|].
    + apply Nat.ltb_lt in Hx. rewrite sum_swap. apply sum_le. intros r Hr. destruct (on set r).
      * apply (feasible_capacity _ _ F); auto.
      * rewrite sum_zero; [lia|auto].
    + rewrite sum_swap.
      rewrite (sum_ext _ _ (fun h => sum (num_types I) (fun r =>
        if on set r then sum (num_jobs I) (fun j => held (s j t) h r) else 0))).
      * rewrite sum_swap. apply sum_le. intros r Hr. destruct (on set r).
        -- apply sum_le. intros h Hh. apply (feasible_capacity _ _ F); auto.
        -- rewrite sum_zero; [lia|auto].
      * intros h _. rewrite sum_swap. apply sum_ext. intros r _.
        destruct (on set r); [reflexivity|]. apply sum_zero. auto.
Qed.

Theorem cut_valid I s c t : instance_ok I = true -> feasible I s -> (t < num_rounds I)%nat ->
  cut_ok I c = true -> sum (num_jobs I) (fun j => cut_weight I c j (s j t)) <= rhs c.
Proof.
  intros HI F Ht. unfold cut_ok. rewrite !andb_true_iff. intros [[[HN _] HX] HK].
  set (x := cut_node c) in *.
  set (b := fun j => 0 <? cut_weight I c j (s j t)).
  set (u := fun j => match counted I (job_at I j) x (s j t) with
    | Some m => if b j then Some (cut_weight I c j (s j t), set_use I (job_at I j) (here_of I x m)) else None
    | None => None end).
  assert (Q := packs_sound _ _
    (map (fun j => option_map (fun y => (fst y, map (snd y) (cut_sets c))) (u j)) (seq 0 (num_jobs I)))
    _ 0 (map (set_capacity I x) (cut_sets c)) HK).
  rewrite Z.add_0_l in Q.
  assert (E : lsum value_of (map (fun j => option_map (fun y => (fst y, map (snd y) (cut_sets c))) (u j))
    (seq 0 (num_jobs I))) = sum (num_jobs I) (fun j => cut_weight I c j (s j t))).
  { rewrite lsum_map, lsum_seq. apply sum_ext. intros j _. subst u. cbv beta.
    assert (N : 0 <= cut_weight I c j (s j t)).
    { unfold cut_weight. destruct (counted _ _ _ _); [apply weight_nonneg; exact HN|lia]. }
    unfold b. destruct (Z.ltb_spec 0 (cut_weight I c j (s j t))) as [L|L].
    - unfold cut_weight in *. fold x in L |- *. destruct (counted _ _ _ _); simpl; [reflexivity|lia].
    - destruct (counted _ _ _ _); simpl; lia. }
  rewrite <- E. apply Q; clear Q E HK.
  - assert (G : forall js, (forall j, In j js -> (j < num_jobs I)%nat) ->
      Forall2 chosen (map (picks I c) js)
        (map (fun j => option_map (fun y => (fst y, map (snd y) (cut_sets c))) (u j)) js)).
    { induction js as [|j r IH]; intros H; [constructor|]. cbn [map]. constructor; [|apply IH; simpl in H; auto].
      specialize (H j (or_introl eq_refl)). unfold u, b.
      destruct (counted I (job_at I j) x (s j t)) as [m|] eqn:EM; [|exact Logic.I].
      destruct (0 <? cut_weight I c j (s j t)) eqn:L; [|exact Logic.I]. simpl.
      destruct (counted_level I s j t x m HI F H Ht HX EM) as (lv & Hl & Em & _).
      unfold cut_weight in *. fold x in L |- *. rewrite EM in *. split.
      - apply filter_In. split; [|exact L]. apply in_map_iff. exists lv. rewrite Em. fold x. auto.
      - assert (W := J_ok I j HI H). unfold job_ok in W. rewrite !andb_true_iff, !Z.ltb_lt in W.
        apply forallb_forall. intros y Hy. apply in_map_iff in Hy. destruct Hy as (set & <- & _).
        apply Z.leb_le. unfold set_use. destruct (inside I (here_of I x m) set); lia. }
    apply G. intros j Hj. apply in_seq in Hj. lia.
  - exists (0, map (set_capacity I x) (cut_sets c)). simpl. split; [auto|split; [reflexivity|lia]].
  - rewrite room_after_sum. apply forallb_forall. intros y Hy. apply in_map_iff in Hy.
    destruct Hy as (set & <- & _). apply Z.leb_le.
    assert (R := set_respected I s t x set b HI F Ht HX).
    rewrite lsum_seq. rewrite (sum_ext _ _ (fun j => match counted I (job_at I j) x (s j t) with
      | Some m => if b j then set_use I (job_at I j) (here_of I x m) set else 0 | None => 0 end)); [lia|].
    intros j _. subst u. cbv beta. destruct (counted _ _ _ _); [destruct (b j)|]; reflexivity.
Qed.
