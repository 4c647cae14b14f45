(** * Cuts on who runs in a round: an exact proof of each, over all gangs that fit.

    [pick]                 what a job may do: (value, GPUs of each set of types)
    [packs_within rhs jobs ls]    no choice of at most one pick per job exceeds rhs within the room of the labels
                         ls = (value, room left); labels that cannot exceed it any more are dropped
    [packs_sound]          that it is so
    [cut_ok]               every level of every job is a pick: its weight in the cut, and its gang in each
                         set that holds the types of the level; rooms are the capacities of the sets
    [cut_valid]            so the cut holds in every round of every feasible schedule *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerFill CheckerLevel CheckerJob.
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

(* cuts *)
Definition set_capacity (I : instance) (set : list bool) : Z :=
  sum (num_types I) (fun r => if on set r then pooled I r else 0).
Definition set_use (I : instance) (J : job) (m set : list bool) : Z :=
  if inside I m set then gang_size J else 0.
Definition picks (I : instance) (c : cut) (j : nat) : list pick :=
  filter (fun o => 0 <? fst o)
    (map (fun lv => (weight I (cut_terms c) j (mask lv), map (set_use I (job_at I j) (mask lv)) (cut_sets c)))
      (levels I (job_at I j))).
Definition cut_ok (I : instance) (c : cut) : bool :=
  forallb (fun tm => forallb (fun a => 0 <=? a) (snd tm)) (cut_terms c) && (0 <=? rhs c) &&
  packs_within (rhs c) (map (picks I c) (seq 0 (num_jobs I))) [(0, map (set_capacity I) (cut_sets c))].

Definition cut_weight (I : instance) (c : cut) (j : nat) (a : allocation) : Z :=
  match gang_mask I (job_at I j) a with Some m => weight I (cut_terms c) j m | None => 0 end.

Lemma weight_nonneg I terms j m :
  forallb (fun tm : term => forallb (fun a => 0 <=? a) (snd tm)) terms = true -> 0 <= weight I terms j m.
Proof.
  unfold weight. induction terms as [|tm r IH]; simpl; [lia|]. rewrite andb_true_iff. intros [H1 H2].
  specialize (IH H2). enough (0 <= nth j (snd tm) 0) by (destruct (inside I m (fst tm)); lia).
  apply Z.leb_le. apply (forallb_nth (fun a => 0 <=? a)); auto.
Qed.

Lemma gang_mask_level I s j t m : instance_ok I = true -> feasible I s ->
  (j < num_jobs I)%nat -> (t < num_rounds I)%nat -> gang_mask I (job_at I j) (s j t) = Some m ->
  exists lv, In lv (levels I (job_at I j)) /\ mask lv = m /\
    sum (num_nodes I) (fun h => sum (num_types I) (held (s j t) h)) = gang_size (job_at I j) /\
    forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 < held (s j t) h r -> on m r = true.
Proof.
  intros HI F Hj Ht. assert (HJ := J_ok I j HI Hj).
  assert (Ha := feasible_allocation _ _ F j t Hj Ht). unfold gang_mask.
  destruct (s j t) as [|g|g]; try discriminate. destruct (gang_level I _ g HJ Ha) as (l & El & Hl & Hm).
  rewrite El. intros [= <-]. exists (level_of I (job_at I j) l).
  split; [exact Hl|split; [reflexivity|split; [apply Ha|exact Hm]]].
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
Lemma set_respected I s t set (b : nat -> bool) : instance_ok I = true -> feasible I s ->
  (t < num_rounds I)%nat ->
  sum (num_jobs I) (fun j => match gang_mask I (job_at I j) (s j t) with
    | Some m => if b j then set_use I (job_at I j) m set else 0 | None => 0 end) <= set_capacity I set.
Proof.
  intros HI F Ht.
  apply Z.le_trans with (sum (num_jobs I) (fun j => sum (num_nodes I) (fun h =>
    sum (num_types I) (fun r => if on set r then held (s j t) h r else 0)))).
  - apply sum_le. intros j Hj.
    assert (P : forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= held (s j t) h r).
    { intros h r Hh Hr. assert (Ha := feasible_allocation _ _ F j t Hj Ht).
      destruct (s j t) as [|g|g]; simpl; [lia| |]; apply Ha; auto. }
    assert (N : 0 <= sum (num_nodes I) (fun h =>
      sum (num_types I) (fun r => if on set r then held (s j t) h r else 0))).
    { apply sum_nonneg. intros h Hh. apply sum_nonneg. intros r Hr. destruct (on set r); [apply P; auto|lia]. }
    destruct (gang_mask I (job_at I j) (s j t)) as [m|] eqn:EM; [|exact N].
    destruct (b j); [|exact N]. unfold set_use. destruct (inside I m set) eqn:E; [|exact N].
    destruct (gang_mask_level I s j t m HI F Hj Ht EM) as (lv & _ & _ & <- & Hm).
    apply sum_le. intros h Hh. apply sum_le. intros r Hr.
    destruct (on set r) eqn:O; [lia|]. specialize (P h r Hh Hr).
    destruct (Z_lt_dec 0 (held (s j t) h r)) as [G|G]; [|lia].
    unfold inside in E. rewrite forallb_forall in E. specialize (E r ltac:(apply in_seq; lia)).
    rewrite (Hm h r Hh Hr G), O in E. discriminate.
  - unfold set_capacity. rewrite sum_swap.
    rewrite (sum_ext _ _ (fun h => sum (num_types I) (fun r =>
      if on set r then sum (num_jobs I) (fun j => held (s j t) h r) else 0))).
    + rewrite sum_swap. apply sum_le. intros r Hr. destruct (on set r).
      * apply sum_le. intros h Hh. apply (feasible_capacity _ _ F); auto.
      * rewrite sum_zero; [lia|auto].
    + intros h _. rewrite sum_swap. apply sum_ext. intros r _.
      destruct (on set r); [reflexivity|]. apply sum_zero. auto.
Qed.

Theorem cut_valid I s c t : instance_ok I = true -> feasible I s -> (t < num_rounds I)%nat ->
  cut_ok I c = true -> sum (num_jobs I) (fun j => cut_weight I c j (s j t)) <= rhs c.
Proof.
  intros HI F Ht. unfold cut_ok. rewrite !andb_true_iff. intros [[HN _] HK].
  set (b := fun j => 0 <? cut_weight I c j (s j t)).
  set (u := fun j => match gang_mask I (job_at I j) (s j t) with
    | Some m => if b j then Some (cut_weight I c j (s j t), set_use I (job_at I j) m) else None
    | None => None end).
  assert (Q := packs_sound _ _
    (map (fun j => option_map (fun x => (fst x, map (snd x) (cut_sets c))) (u j)) (seq 0 (num_jobs I)))
    _ 0 (map (set_capacity I) (cut_sets c)) HK).
  rewrite Z.add_0_l in Q.
  assert (E : lsum value_of (map (fun j => option_map (fun x => (fst x, map (snd x) (cut_sets c))) (u j))
    (seq 0 (num_jobs I))) = sum (num_jobs I) (fun j => cut_weight I c j (s j t))).
  { rewrite lsum_map, lsum_seq. apply sum_ext. intros j _. subst u. cbv beta.
    assert (N : 0 <= cut_weight I c j (s j t)).
    { unfold cut_weight. destruct (gang_mask _ _ _); [apply weight_nonneg; exact HN|lia]. }
    unfold b. destruct (Z.ltb_spec 0 (cut_weight I c j (s j t))) as [L|L].
    - unfold cut_weight in *. destruct (gang_mask _ _ _); simpl; [reflexivity|lia].
    - destruct (gang_mask _ _ _); simpl; lia. }
  rewrite <- E. apply Q; clear Q E HK.
  - assert (G : forall js, (forall j, In j js -> (j < num_jobs I)%nat) ->
      Forall2 chosen (map (picks I c) js)
        (map (fun j => option_map (fun x => (fst x, map (snd x) (cut_sets c))) (u j)) js)).
    { induction js as [|j r IH]; intros H; [constructor|]. cbn [map]. constructor; [|apply IH; simpl in H; auto].
      specialize (H j (or_introl eq_refl)). unfold u, b.
      destruct (gang_mask I (job_at I j) (s j t)) as [m|] eqn:EM; [|exact Logic.I].
      destruct (0 <? cut_weight I c j (s j t)) eqn:L; [|exact Logic.I]. simpl.
      destruct (gang_mask_level I s j t m HI F H Ht EM) as (lv & Hl & Em & _).
      unfold cut_weight in *. rewrite EM in *. split.
      - apply filter_In. split; [|exact L]. apply in_map_iff. exists lv. rewrite Em. auto.
      - assert (W := J_ok I j HI H). unfold job_ok in W. rewrite !andb_true_iff, !Z.ltb_lt in W.
        apply forallb_forall. intros x Hx. apply in_map_iff in Hx. destruct Hx as (set & <- & _).
        apply Z.leb_le. unfold set_use. destruct (inside I m set); lia. }
    apply G. intros j Hj. apply in_seq in Hj. lia.
  - exists (0, map (set_capacity I) (cut_sets c)). simpl. split; [auto|split; [reflexivity|lia]].
  - rewrite room_after_sum. apply forallb_forall. intros x Hx. apply in_map_iff in Hx.
    destruct Hx as (set & <- & _). apply Z.leb_le.
    assert (R := set_respected I s t set b HI F Ht).
    rewrite lsum_seq. rewrite (sum_ext _ _ (fun j => match gang_mask I (job_at I j) (s j t) with
      | Some m => if b j then set_use I (job_at I j) m set else 0 | None => 0 end)); [lia|].
    intros j _. subst u. cbv beta. destruct (gang_mask _ _ _); [destruct (b j)|]; reflexivity.
Qed.
