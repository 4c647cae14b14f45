(** * Covering dynamic program over Pareto labels, and its soundness.

    [label]                (progress, cost); one label dominates another with no more progress and no
                         less cost
    [covered, found]       some label has at least, or exactly, this progress at no more than this cost
    [merge, prune]         union of two lists sorted by decreasing progress; removal of dominated labels
    [extend f cs ls]       every label of ls with one of the choices cs added, f applied to its progress
    [stage]                one round of one job: choices (progress, least cost), whether it may idle, and
                         the value of completing in this round, if that counts
    [outlook]              each stage with the largest gain that can still come after it
    [hopeful]              the labels whose payoff may still exceed the best one known
    [price]                the largest payoff over all completions, from the labels reached so far; costs
                         are counted in a unit
    [outcome]              the payoffs that a job can truly have, stage by stage
    [price_sound]          price bounds every outcome *)
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

(* each stage with the most that can come after it, the whole list's most last *)
Fixpoint outlook (never : bool) (sts : list stage) : list (stage * option Z) * option Z :=
  match sts with
  | [] => ([], if never then Some 0 else None)
  | st :: r =>
      let (after, ahead) := outlook never r in
      ((st, ahead) :: after, match gain st with None => ahead | Some u => omax ahead u end)
  end.

(* labels come dearest first, so those that cannot exceed the best payoff are the first *)
Fixpoint cheaper_than (limit : Z) (ls : list label) : list label :=
  match ls with
  | [] => []
  | l :: r => if snd l <? limit then ls else cheaper_than limit r
  end.
Definition hopeful (unit : Z) (ahead best : option Z) (ls : list label) : list label :=
  match best, ahead with
  | None, _ => ls
  | Some _, None => []
  | Some v, Some u => cheaper_than (- ((v - u) / unit)) ls
  end.

Definition complete (N unit : Z) (g : option Z) (ls : list label) (best : option Z) : option Z :=
  match g with
  | None => best
  | Some u => fold_right (fun l b => if N <=? fst l then omax b (u - unit * snd l) else b) best ls
  end.
(* before the completion at least a unit is missing; only the first labels can have reached N *)
Fixpoint clamp (N : Z) (ls : list label) : list label :=
  match ls with
  | [] => []
  | l :: r => if N <=? fst l then (N - 1, snd l) :: clamp N r else ls
  end.

Fixpoint price (N : Z) (never : bool) (unit : Z) (sts : list (stage * option Z)) (ls : list label)
  (best : option Z) : option Z :=
  match sts with
  | [] => if never then fold_right (fun l b => omax b (- (unit * snd l))) best ls else best
  | (st, ahead) :: r =>
      let run := prune (extend (Z.min N) (choices st) ls) in
      let best := complete N unit (gain st) run best in
      let kept := if may_idle st then merge ls (clamp N run) else clamp N run in
      price N never unit r (hopeful unit ahead best (prune kept)) best
  end.

(* what a job can truly do: progress b at cost c in each stage *)
Definition step (st : stage) (b c : Z) : Prop :=
  0 <= b /\ 0 <= c /\
  ((b = 0 /\ may_idle st = true) \/ exists o, In o (choices st) /\ b <= fst o /\ snd o <= c).
Inductive outcome (N : Z) (never : bool) (unit : Z) : list stage -> Z -> Z -> Z -> Prop :=
| never_complete B C : never = true -> outcome N never unit [] B C (- (unit * C))
| complete_now st r B C b c u : step st b c -> 1 <= b -> N <= B + b -> gain st = Some u ->
    outcome N never unit (st :: r) B C (u - unit * (C + c))
| go_on st r B C b c v : step st b c -> outcome N never unit r (B + b) (C + c) v ->
    outcome N never unit (st :: r) B C v.

Section Price.
  Variables (N : Z) (never : bool) (unit : Z).
  Hypothesis unit_pos : 0 < unit.

  Lemma complete_mono g ls best v : below v best -> below v (complete N unit g ls best).
  Proof.
    intros H. destruct g as [u|]; [|exact H]. simpl.
    induction ls as [|l r IH]; simpl; [exact H|]. destruct (N <=? fst l); auto using below_omax_l.
  Qed.
  Lemma complete_covered u ls best p c :
    covered ls p c -> N <= p -> below (u - unit * c) (complete N unit (Some u) ls best).
  Proof.
    intros (l & A & B & C) H. simpl. induction ls as [|x r IH]; [destruct A|]. simpl.
    destruct A as [->|A].
    - replace (N <=? fst l) with true by (symmetry; apply Z.leb_le; lia). apply below_omax_r. nia.
    - destruct (N <=? fst x); auto using below_omax_l.
  Qed.
  Lemma price_mono sts ls best v : below v best -> below v (price N never unit sts ls best).
  Proof.
    revert ls best. induction sts as [|[st ahead] r IH]; intros ls best H; simpl.
    - destruct never; [|exact H]. induction ls; simpl; auto using below_omax_l.
    - apply IH, complete_mono, H.
  Qed.

  Lemma outlook_cons st r : fst (outlook never (st :: r)) =
    (st, snd (outlook never r)) :: fst (outlook never r).
  Proof. simpl. destruct (outlook never r). reflexivity. Qed.
  Lemma outcome_ahead sts B C v : outcome N never unit sts B C v ->
    below (v + unit * C) (snd (outlook never sts)).
  Proof.
    induction 1 as [B C H|st r B C b c u (Hb & Hc & _) H1 HN Hg|st r B C b c v (Hb & Hc & _) H IH];
      simpl.
    - rewrite H. eexists. split; [reflexivity|lia].
    - destruct (outlook never r) as [after ahead]. cbn [snd]. rewrite Hg. apply below_omax_r. nia.
    - destruct (outlook never r) as [after ahead]. cbn [snd] in *. destruct IH as (w & E & IH).
      assert (K : below (v + unit * C) ahead) by (exists w; split; [auto|nia]).
      destruct (gain st); auto using below_omax_l.
  Qed.

  Lemma clamp_covered ls p c : covered ls p c -> covered (clamp N ls) (Z.min p (N - 1)) c.
  Proof.
    intros (l & A & B & C). induction ls as [|x r IH]; [destruct A|]. simpl.
    destruct (N <=? fst x).
    - destruct A as [->|A]; [exists (N - 1, snd l); simpl; split; [auto|lia]|].
      destruct (IH A) as (y & Y1 & Y2). exists y. simpl. auto.
    - exists l. split; [exact A|lia].
  Qed.

  Lemma cheaper_found limit l ls : In l ls -> snd l < limit -> In l (cheaper_than limit ls).
  Proof.
    intros A H. induction ls as [|x r IH]; [destruct A|]. simpl.
    destruct (snd x <? limit) eqn:E; [exact A|]. apply Z.ltb_ge in E.
    destruct A as [->|A]; [lia|auto].
  Qed.
  (* a label that is dropped belongs to no payoff above the best *)
  Lemma hopeful_covered ahead best ls p c v : covered ls p c -> below (v + unit * c) ahead ->
    covered (hopeful unit ahead best ls) p c \/ below v best.
  Proof.
    intros (l & A & B & C) (u & -> & D). destruct best as [w|]; [|left; exists l; auto]. simpl.
    destruct (Z_lt_le_dec (snd l) (- ((w - u) / unit))) as [E|E].
    - left. exists l. split; [apply cheaper_found; auto|auto].
    - right. exists w. split; [reflexivity|].
      assert (Q := Z.div_mod (w - u) unit ltac:(lia)). assert (R := Z.mod_pos_bound (w - u) unit unit_pos).
      nia.
  Qed.

  Theorem price_sound sts ls best B C v :
    outcome N never unit sts B C v -> covered ls (Z.min B (N - 1)) C -> 0 <= C ->
    below v (price N never unit (fst (outlook never sts)) ls best).
  Proof.
    intros H. revert ls best.
    induction H as [B C E|st r B C b c u (Hb & Hc & S) H1 HN Hg|st r B C b c v (Hb & Hc & S) H IH];
      intros ls best L HC; [|rewrite outlook_cons; cbn [price]..].
    - cbn. rewrite E. destruct L as (l & A & _ & D). clear -A D unit_pos.
      induction ls as [|x r IH]; [destruct A|]. simpl. destruct A as [->|A].
      + apply below_omax_r. nia.
      + auto using below_omax_l.
    - apply price_mono. rewrite Hg.
      destruct S as [[E _]|(o & Ho & Hp & Hq)]; [lia|].
      apply (complete_covered _ _ _ N); [|lia].
      eapply covered_mono; [apply prune_covered, extend_covered; [intros; lia|eauto|eauto]|lia|lia].
    - set (run := prune (extend (Z.min N) (choices st) ls)).
      assert (K : covered (prune (if may_idle st then merge ls (clamp N run) else clamp N run))
        (Z.min (B + b) (N - 1)) (C + c)).
      { apply prune_covered. destruct S as [[-> Ei]|(o & Ho & Hp & Hq)].
        - rewrite Ei. apply merge_covered. left. eapply covered_mono; [exact L|lia|lia].
        - assert (K : covered (clamp N run) (Z.min (B + b) (N - 1)) (C + c)).
          { eapply covered_mono; [apply clamp_covered, prune_covered, extend_covered; [intros; lia|eauto|eauto]|lia|lia]. }
          destruct (may_idle st); [apply merge_covered; auto|exact K]. }
      destruct (hopeful_covered (snd (outlook never r)) (complete N unit (gain st) run best) _ _ _ v K
        (outcome_ahead _ _ _ _ H)) as [Q|Q].
      + apply IH; [exact Q|lia].
      + apply price_mono. exact Q.
  Qed.
End Price.
