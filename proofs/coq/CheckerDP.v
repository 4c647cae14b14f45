(* Covering dynamic program over Pareto labels, and its soundness.

   label                (progress, cost); one label dominates another with no more progress and no
                        less cost
   covered, found       some label has at least, or exactly, this progress at no more than this cost
   merge, prune         union of two lists sorted by decreasing progress; removal of dominated labels
   extend f cs ls       every label of ls with one of the choices cs added, f applied to its progress
   stage                one round of one job: choices (progress, least cost), whether it may idle, and
                        the value of completing in this round, if that counts
   price                the largest payoff over all completions, from the labels reached so far
   outcome              the payoffs that a job can truly have, stage by stage
   price_sound          price bounds every outcome *)
From Coq Require Import ZArith List Lia Bool.
Import ListNotations.
Open Scope Z_scope.

Definition label := (Z * Z)%type.
Definition dominates (a b : label) : bool := (fst b <=? fst a) && (snd a <=? snd b).
Definition reached (R : Z -> Z -> Prop) (ls : list label) (p c : Z) : Prop :=
  exists l, In l ls /\ R p (fst l) /\ snd l <= c.
Definition covered := reached Z.le.
Definition found := reached eq.

Fixpoint merge (l1 : list label) : list label -> list label :=
  match l1 with
  | [] => fun l2 => l2
  | a :: r1 =>
      fix inner l2 :=
        match l2 with
        | [] => l1
        | b :: r2 =>
            match Z.compare (fst a) (fst b) with
            | Gt => a :: merge r1 l2
            | Lt => b :: inner r2
            | Eq => if snd a <=? snd b then a :: merge r1 r2 else b :: merge r1 r2
            end
        end
  end.

(* keep the labels that the last one kept does not dominate *)
Fixpoint prune_after (a : label) (ls : list label) : list label :=
  match ls with
  | [] => []
  | b :: r => if dominates a b then prune_after a r else b :: prune_after b r
  end.
Definition prune (ls : list label) : list label :=
  match ls with [] => [] | a :: r => a :: prune_after a r end.

Definition shift (cap : Z -> Z) (o : label) (ls : list label) : list label :=
  map (fun l => (cap (fst l + fst o), snd l + snd o)) ls.
Definition extend (cap : Z -> Z) (choices : list label) (ls : list label) : list label :=
  fold_right (fun o acc => merge (shift cap o ls) acc) [] choices.

Lemma covered_mono ls p c p' c' : covered ls p c -> p' <= p -> c <= c' -> covered ls p' c'.
Proof. intros (l & A & B & C) ? ?. exists l. split; [auto|lia]. Qed.
Lemma covered_in ls l : In l ls -> covered ls (fst l) (snd l).
Proof. intros H. exists l. split; [auto|lia]. Qed.

Lemma merge_nil l : merge l [] = l. Proof. destruct l; reflexivity. Qed.
Lemma merge_reached R l1 l2 p c : reached R l1 p c \/ reached R l2 p c -> reached R (merge l1 l2) p c.
Proof.
  revert l2. induction l1 as [|a r1 IH1]; intros l2.
  { simpl. intros [(l & [] & _)|H]; auto. }
  induction l2 as [|b r2 IH2].
  { simpl. intros [H|(l & [] & _)]; auto. }
  cbn [merge]. intros H.
  assert (Q : forall x ls, reached R ls p c -> reached R (x :: ls) p c)
    by (intros x ls (l & A & B); exists l; simpl; auto).
  assert (Q' : forall x ls, reached R (x :: ls) p c -> (R p (fst x) /\ snd x <= c) \/ reached R ls p c).
  { intros x ls (l & [->|A] & B); [auto|right; exists l; auto]. }
  assert (Q0 : forall x ls, R p (fst x) /\ snd x <= c -> reached R (x :: ls) p c)
    by (intros x ls B; exists x; simpl; auto).
  destruct (Z.compare_spec (fst a) (fst b)) as [E|E|E].
  - destruct (snd a <=? snd b) eqn:S; [apply Z.leb_le in S|apply Z.leb_gt in S];
      destruct H as [H|H]; apply Q' in H; destruct H as [[H1 H2]|H];
      first [apply Q0; split; [first [exact H1|rewrite <- E; exact H1|rewrite E; exact H1]|lia]
            |apply Q, IH1; auto].
  - destruct H as [H|H]; [apply Q, IH2; auto|].
    apply Q' in H. destruct H as [H|H]; [apply Q0; auto|apply Q, IH2; auto].
  - destruct H as [H|H]; [|apply Q, IH1; auto].
    apply Q' in H. destruct H as [H|H]; [apply Q0; auto|apply Q, IH1; auto].
Qed.

Definition merge_covered := merge_reached Z.le.
Definition merge_found := merge_reached eq.

Lemma extend_found choices ls p c o : found ls p c -> In o choices ->
  found (extend (fun x => x) choices ls) (p + fst o) (c + snd o).
Proof.
  intros (l & A & B & C) H. induction choices as [|x r IH]; [destruct H|]. simpl.
  apply merge_found. destruct H as [->|H]; [left|right; exact (IH H)].
  exists (fst l + fst o, snd l + snd o). split; [|unfold label in *; cbn [fst snd] in *; split; lia].
  unfold shift. apply in_map_iff. exists l. auto.
Qed.

Lemma prune_covered ls p c : covered ls p c -> covered (prune ls) p c.
Proof.
  destruct ls as [|a r]; [auto|]. simpl.
  revert a. induction r as [|b r IH]; intros a H; [exact H|]. simpl.
  assert (Q : (p <= fst a /\ snd a <= c) \/ (p <= fst b /\ snd b <= c) \/ covered r p c).
  { destruct H as (l & [->|[->|A]] & B); auto. right; right; exists l; auto. }
  destruct (dominates a b) eqn:D.
  - apply IH. unfold dominates in D. apply andb_true_iff in D. destruct D as [D1 D2].
    apply Z.leb_le in D1, D2. destruct Q as [Q|[Q|(l & A & B)]];
      [exists a; simpl; auto|exists a; simpl; split; [auto|lia]|exists l; simpl; auto].
  - destruct Q as [Q|Q]; [exists a; simpl; auto|].
    assert (K : covered (b :: r) p c)
      by (destruct Q as [Q|(l & A & B)]; [exists b|exists l]; simpl; auto).
    destruct (IH b K) as (l & A & B). exists l. simpl in *. tauto.
Qed.

Lemma extend_covered cap choices ls p c o : (forall x y, x <= y -> cap x <= cap y) ->
  covered ls p c -> In o choices -> covered (extend cap choices ls) (cap (p + fst o)) (c + snd o).
Proof.
  intros M (l & A & B & C) H. induction choices as [|x r IH]; [destruct H|]. simpl.
  apply merge_covered. destruct H as [->|H]; [left|right; exact (IH H)].
  exists (cap (fst l + fst o), snd l + snd o).
  split; [|split; simpl; [apply M; lia|lia]].
  unfold shift. apply in_map_iff. exists l. auto.
Qed.

(* optional maximum: None is minus infinity *)
Definition omax (a : option Z) (v : Z) : option Z :=
  match a with None => Some v | Some u => Some (Z.max u v) end.
Definition below (v : Z) (a : option Z) : Prop := exists u, a = Some u /\ v <= u.
Lemma below_omax_l v a w : below v a -> below v (omax a w).
Proof. intros (u & -> & H). eexists. split; [reflexivity|lia]. Qed.
Lemma below_omax_r v a w : v <= w -> below v (omax a w).
Proof. intros H. destruct a; eexists; (split; [reflexivity|lia]). Qed.

Record stage := Stage { choices : list label; may_idle : bool; gain : option Z }.

Fixpoint best_gain (sts : list stage) : option Z :=
  match sts with
  | [] => None
  | st :: r => match gain st with None => best_gain r | Some u => omax (best_gain r) u end
  end.

(* a label is worth keeping if some later gain may lift its payoff above the floor *)
Definition worth (floor ahead : option Z) (l : label) : bool :=
  match floor with
  | None => true
  | Some v => match ahead with None => false | Some u => v <? u - snd l end
  end.

Definition complete (N : Z) (g : option Z) (ls : list label) (best : option Z) : option Z :=
  match g with
  | None => best
  | Some u => fold_right (fun l b => if N <=? fst l then omax b (u - snd l) else b) best ls
  end.
Definition clamp (N : Z) (ls : list label) : list label :=
  map (fun l => if N <=? fst l then (N - 1, snd l) else l) ls.

Fixpoint price (N : Z) (never : bool) (floor : option Z) (sts : list stage) (ls : list label)
  (best : option Z) : option Z :=
  match sts with
  | [] => if never then fold_right (fun l b => omax b (- snd l)) best ls else best
  | st :: r =>
      let run := prune (extend (Z.min N) (choices st) ls) in
      let kept := if may_idle st then merge ls (clamp N run) else clamp N run in
      price N never floor r (filter (worth floor (best_gain r)) (prune kept))
        (complete N (gain st) run best)
  end.

(* what a job can truly do: progress b at cost c in each stage *)
Definition step (st : stage) (b c : Z) : Prop :=
  0 <= b /\ 0 <= c /\
  ((b = 0 /\ may_idle st = true) \/ exists o, In o (choices st) /\ b <= fst o /\ snd o <= c).
Inductive outcome (N : Z) (never : bool) : list stage -> Z -> Z -> Z -> Prop :=
| never_complete B C : never = true -> outcome N never [] B C (- C)
| complete_now st r B C b c u : step st b c -> 1 <= b -> N <= B + b -> gain st = Some u ->
    outcome N never (st :: r) B C (u - (C + c))
| go_on st r B C b c v : step st b c -> outcome N never r (B + b) (C + c) v ->
    outcome N never (st :: r) B C v.

Lemma complete_mono N g ls best v : below v best -> below v (complete N g ls best).
Proof.
  intros H. destruct g as [u|]; [|exact H]. simpl.
  induction ls as [|l r IH]; simpl; [exact H|]. destruct (N <=? fst l); auto using below_omax_l.
Qed.
Lemma complete_covered N u ls best p c :
  covered ls p c -> N <= p -> below (u - c) (complete N (Some u) ls best).
Proof.
  intros (l & A & B & C) H. simpl. induction ls as [|x r IH]; [destruct A|]. simpl.
  destruct A as [->|A].
  - replace (N <=? fst l) with true by (symmetry; apply Z.leb_le; lia). apply below_omax_r. lia.
  - destruct (N <=? fst x); auto using below_omax_l.
Qed.
Lemma price_mono N never floor sts ls best v : below v best -> below v (price N never floor sts ls best).
Proof.
  revert ls best. induction sts as [|st r IH]; intros ls best H; simpl.
  - destruct never; [|exact H]. induction ls; simpl; auto using below_omax_l.
  - apply IH, complete_mono, H.
Qed.

Lemma outcome_ahead N never sts B C v : outcome N never sts B C v ->
  below (v + C) (best_gain sts) \/ (never = true /\ v <= - C).
Proof.
  induction 1 as [B C H|st r B C b c u (Hb & Hc & _) H1 HN Hg|st r B C b c v (Hb & Hc & _) H IH];
    simpl.
  - right. split; [auto|lia].
  - left. rewrite Hg. apply below_omax_r. lia.
  - destruct IH as [(w & E & IH)|[E IH]]; [left|right; split; [auto|lia]].
    assert (K : below (v + C) (best_gain r)) by (exists w; split; [auto|lia]).
    destruct (gain st); auto using below_omax_l.
Qed.

Lemma clamp_covered N ls p c : covered ls p c -> covered (clamp N ls) (Z.min p (N - 1)) c.
Proof.
  intros (l & A & B & C). exists (if N <=? fst l then (N - 1, snd l) else l).
  split; [apply in_map_iff; exists l; auto|]. destruct (N <=? fst l) eqn:E; simpl; [lia|].
  apply Z.leb_gt in E. lia.
Qed.

Theorem price_sound N never floor sts ls best B C v :
  outcome N never sts B C v -> covered ls (Z.min B (N - 1)) C -> 0 <= C ->
  (forall w, floor = Some w -> (never = true -> 0 <= w) /\ below w best) ->
  below v (price N never floor sts ls best).
Proof.
  intros H. revert ls best.
  induction H as [B C E|st r B C b c u (Hb & Hc & S) H1 HN Hg|st r B C b c v (Hb & Hc & S) H IH];
    intros ls best L HC Hf; cbn [price].
  - rewrite E. destruct L as (l & A & _ & D). clear -A D.
    induction ls as [|x r IH]; [destruct A|]. simpl. destruct A as [->|A].
    + apply below_omax_r. lia.
    + auto using below_omax_l.
  - apply price_mono. rewrite Hg.
    destruct S as [[E _]|(o & Ho & Hp & Hq)]; [lia|].
    apply (complete_covered _ _ _ _ N); [|lia].
    eapply covered_mono; [apply prune_covered, extend_covered; [intros; lia|eauto|eauto]|lia|lia].
  - assert (K : covered (prune (if may_idle st
        then merge ls (clamp N (prune (extend (Z.min N) (choices st) ls)))
        else clamp N (prune (extend (Z.min N) (choices st) ls)))) (Z.min (B + b) (N - 1)) (C + c)).
    { apply prune_covered. destruct S as [[-> Ei]|(o & Ho & Hp & Hq)].
      - rewrite Ei. apply merge_covered. left. eapply covered_mono; [exact L|lia|lia].
      - assert (K : covered (clamp N (prune (extend (Z.min N) (choices st) ls)))
                      (Z.min (B + b) (N - 1)) (C + c)).
        { eapply covered_mono; [apply clamp_covered, prune_covered, extend_covered; [intros; lia|eauto|eauto]|lia|lia]. }
        destruct (may_idle st); [apply merge_covered; auto|exact K]. }
    assert (Hf' : forall w, floor = Some w ->
      (never = true -> 0 <= w) /\ below w (complete N (gain st) (prune (extend (Z.min N) (choices st) ls)) best)).
    { intros w E. destruct (Hf w E) as [F1 F2]. split; [auto|apply complete_mono, F2]. }
    destruct K as (l & A & P & Q).
    destruct (worth floor (best_gain r) l) eqn:W.
    + apply IH; auto; [|lia]. exists l. split; [apply filter_In; auto|auto].
    + apply price_mono. unfold worth in W. destruct floor as [w|]; [|discriminate].
      destruct (Hf' w eq_refl) as [F1 (u & F2 & F3)]. exists u. split; [exact F2|].
      destruct (outcome_ahead _ _ _ _ _ _ H) as [(x & E & D)|[E D]].
      * rewrite E in W. apply Z.ltb_ge in W. lia.
      * specialize (F1 E). lia.
Qed.
