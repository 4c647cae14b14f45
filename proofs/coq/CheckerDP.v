(** * Covering dynamic program over Pareto labels, and its soundness.

    [label]                (progress, cost); one label dominates another with no more progress and no
                         less cost
    [covered, found]       some label has at least, or exactly, this progress at no more than this cost
    [merge, prune]         union of two lists sorted by decreasing progress; removal of dominated labels
    [extend f cs ls]       every label of ls with one of the choices cs added, f applied to its progress
    [stage]                one round of one job: choices (progress, least cost), whether it may idle, and
                         the value of completing in this round, if that counts
    [surplus, furthest]    what the choices of a stage gain at most on progress at a price lam per unit; the
                         most progress among them
    [outlook]              each stage with the most that can still come after it, missing progress paid at lam;
                         any lam will do, a good one leaves few labels
    [hopeful]              the labels whose payoff may still exceed the best one known
    [price, best_price]    the largest payoff over all completions, from the labels reached so far, and from
                         nothing; costs are counted in a unit
    [outcome]              the payoffs that a job can truly have, stage by stage
    [price_sound]          price bounds every outcome *)
From Coq Require Import ZArith List Lia Bool.
Import ListNotations.
Open Scope Z_scope.

Definition label := (Z * Z)%type.
Definition dominates (a b : label) : bool := if snd a <=? snd b then fst b <=? fst a else false.
Lemma dominates_inv a b : dominates a b = true -> fst b <= fst a /\ snd a <= snd b.
Proof. unfold dominates. destruct (Z.leb_spec (snd a) (snd b)); [|discriminate]. rewrite Z.leb_le. auto. Qed.
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
  - apply IH. apply dominates_inv in D. destruct D as [D1 D2].
    destruct Q as [Q|[Q|(l & A & B)]];
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

Record stage := Stage { choices : list label; may_idle : bool; stage_gain : option Z }.

(* what the choices of a stage gain on progress that is worth lam a unit *)
Definition surplus (N lam : Z) (os : list label) : Z :=
  fold_right (fun o m => Z.max m (Z.min N (fst o) * lam - snd o)) 0 os.

Definition furthest (os : list label) : Z := fold_right (fun o m => Z.max m (fst o)) 0 os.

(* each stage with the most that can come after it, the whole list's most last; progress that is missing
   at the end is paid at lam, and at most [reach] is made before *)
Fixpoint outlook (N lam unit reach : Z) (sts : list stage) : list (stage * option Z) * option Z :=
  match sts with
  | [] => ([], None)
  | st :: r =>
      let reach := reach + furthest (choices st) in
      let (after, ahead) := outlook N lam unit reach r in
      ((st, ahead) :: after,
       match match stage_gain st with
             | None => ahead
             | Some u => if N <=? reach then omax ahead u else ahead
             end with
       | None => None
       | Some u => Some (u + unit * surplus N lam (choices st))
       end)
  end.

Definition per_unit (unit a : Z) : Z := if unit =? 1 then a else a / unit.
Lemma per_unit_div unit a : per_unit unit a = a / unit.
Proof. unfold per_unit. destruct (Z.eqb_spec unit 1) as [->|]; [rewrite Z.div_1_r|]; reflexivity. Qed.

(* labels whose payoff may still exceed the best one: limits are in units of cost *)
Definition promising (lam : Z) (finish rest : option Z) (l : label) : bool :=
  if match finish with Some x => snd l - lam * fst l <? x | None => false end then true
  else match rest with Some x => snd l <? x | None => false end.
Definition hopeful (N lam unit : Z) (never : bool) (ahead best : option Z) (ls : list label)
  : list label :=
  match best with
  | None => ls
  | Some v =>
      let finish := match ahead with None => None | Some u => Some (- per_unit unit (v - u) - N * lam) end in
      let rest := if never then if v <? 0 then Some (- per_unit unit v) else None else None in
      filter (promising lam finish rest) ls
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

Fixpoint price (N lam : Z) (never : bool) (unit : Z) (sts : list (stage * option Z)) (ls : list label)
  (best : option Z) : option Z :=
  match ls with
  | [] => best
  | _ =>
      match sts with
      | [] => if never then fold_right (fun l b => omax b (- (unit * snd l))) best ls else best
      | (st, ahead) :: r =>
          let run := prune (extend (Z.min N) (choices st) ls) in
          let best := complete N unit (stage_gain st) run best in
          let kept := if may_idle st then merge ls (clamp N run) else clamp N run in
          price N lam never unit r (hopeful N lam unit never ahead best (prune kept)) best
      end
  end.
Definition best_price (N lam : Z) (never : bool) (unit : Z) (sts : list stage) (best : option Z)
  : option Z :=
  let (after, ahead) := outlook N lam unit 0 sts in
  price N lam never unit after (hopeful N lam unit never ahead best [(0, 0)]) best.

(* what a job can truly do: progress b at cost c in each stage *)
Definition stage_step (st : stage) (b c : Z) : Prop :=
  0 <= b /\ 0 <= c /\
  ((b = 0 /\ may_idle st = true) \/ exists o, In o (choices st) /\ b <= fst o /\ snd o <= c).
Inductive outcome (N : Z) (never : bool) (unit : Z) : list stage -> Z -> Z -> Z -> Prop :=
| never_complete B C : never = true -> outcome N never unit [] B C (- (unit * C))
| complete_now st r B C b c u : stage_step st b c -> 1 <= b -> N <= B + b -> stage_gain st = Some u ->
    outcome N never unit (st :: r) B C (u - unit * (C + c))
| go_on st r B C b c v : stage_step st b c -> outcome N never unit r (B + b) (C + c) v ->
    outcome N never unit (st :: r) B C v.

Section Price.
  Variables (N lam : Z) (never : bool) (unit : Z).
  Hypothesis unit_pos : 0 < unit.
  Hypothesis lam_nonneg : 0 <= lam.

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
  Lemma price_above sts ls best v : below v best -> below v (price N lam never unit sts ls best).
  Proof.
    revert ls best. induction sts as [|[st ahead] r IH]; intros ls best H; destruct ls as [|l0 ls]; simpl; auto.
    - destruct never; [|exact H]. apply below_omax_l. induction ls; simpl; auto using below_omax_l.
    - apply IH, complete_mono, H.
  Qed.

  Lemma outlook_cons reach st r : fst (outlook N lam unit reach (st :: r)) =
    (st, snd (outlook N lam unit (reach + furthest (choices st)) r)) ::
    fst (outlook N lam unit (reach + furthest (choices st)) r).
  Proof. simpl. destruct (outlook N lam unit _ r). reflexivity. Qed.

  Lemma surplus_nonneg os : 0 <= surplus N lam os.
  Proof. induction os; simpl; lia. Qed.
  Lemma surplus_in os o : In o os -> lam * Z.min N (fst o) - snd o <= surplus N lam os.
  Proof. induction os as [|x r IH]; [intros []|]. intros [->|H]; simpl; [lia|]. specialize (IH H). lia. Qed.
  Lemma step_reach st b c B reach : stage_step st b c -> B <= reach -> B + b <= reach + furthest (choices st).
  Proof.
    intros (Hb & Hc & S) H. assert (F : forall os, 0 <= furthest os) by (induction os; simpl; lia).
    destruct S as [[-> _]|(o & Ho & H1 & _)]; [specialize (F (choices st)); lia|].
    enough (fst o <= furthest (choices st)) by lia.
    clear - Ho. induction (choices st) as [|x r IH]; [destruct Ho|]. simpl. destruct Ho as [->|Ho]; [lia|].
    specialize (IH Ho). lia.
  Qed.
  (* progress that is missing, at least a unit *)
  Let missing (B : Z) : Z := N - Z.min B (N - 1).
  Lemma step_surplus st b c B : stage_step st b c -> 1 <= N -> missing B <= missing (B + b) + Z.min b N ->
    unit * (lam * missing B) - unit * c <= unit * (lam * missing (B + b)) + unit * surplus N lam (choices st).
  Proof.
    intros (Hb & Hc & S) HN H. rewrite <- Z.mul_sub_distr_l, <- Z.mul_add_distr_l.
    apply Z.mul_le_mono_nonneg_l; [lia|]. assert (P := surplus_nonneg (choices st)).
    assert (Q := Z.mul_le_mono_nonneg_l _ _ lam lam_nonneg H).
    destruct S as [[-> _]|(o & Ho & H1 & H2)].
    - rewrite Z.min_l in Q by lia. nia.
    - assert (S := surplus_in _ _ Ho).
      assert (R := Z.mul_le_mono_nonneg_l (Z.min b N) (Z.min N (fst o)) lam lam_nonneg ltac:(lia)). lia.
  Qed.
  (* every outcome ends unfinished, or within the outlook *)
  Lemma outcome_ahead sts B C v reach : B <= reach -> 1 <= N -> 0 <= B -> 0 <= C -> outcome N never unit sts B C v ->
    (never = true /\ v <= - (unit * C)) \/
    below (v + unit * C + unit * (lam * missing B)) (snd (outlook N lam unit reach sts)).
  Proof.
    intros HR HN HB HC H0. revert reach HR. induction H0 as [B C H|st r B C b c u S H1 HE Hg|st r B C b c v S H IH]; intros reach HR; [left; split; [auto|lia]| |];
      assert (HR' := step_reach _ _ _ _ _ S HR).
    - right. simpl. destruct (outlook N lam unit _ r) as [after ahead]. cbn [snd]. rewrite Hg.
      replace (N <=? _) with true by (symmetry; apply Z.leb_le; lia).
      assert (M : missing B <= Z.min b N) by (unfold missing; lia).
      assert (K := surplus_nonneg (choices st)). destruct S as (Hb & Hc & S).
      assert (G : unit * (lam * missing B) - unit * c <= unit * surplus N lam (choices st)).
      { rewrite <- Z.mul_sub_distr_l. apply Z.mul_le_mono_nonneg_l; [lia|].
        assert (Q := Z.mul_le_mono_nonneg_l _ _ lam lam_nonneg M).
        destruct S as [[-> _]|(o & Ho & H2 & H3)]; [lia|]. assert (S := surplus_in _ _ Ho).
        assert (R := Z.mul_le_mono_nonneg_l (Z.min b N) (Z.min N (fst o)) lam lam_nonneg ltac:(lia)). lia. }
      destruct ahead as [a|]; simpl; eexists; (split; [reflexivity|lia]).
    - assert (Hc : 0 <= c) by apply S. assert (Hb : 0 <= b) by apply S. destruct (IH ltac:(lia) ltac:(lia) _ HR') as [[N1 L]|Q]; [left; split; [auto|nia]|].
      right. assert (M : missing B <= missing (B + b) + Z.min b N) by (unfold missing; lia).
      assert (G := step_surplus st b c B S HN M).
      simpl. destruct (outlook N lam unit _ r) as [after ahead]. cbn [snd] in *.
      destruct Q as (w & -> & Q).
      destruct (stage_gain st); [destruct (N <=? _)|]; simpl; eexists; (split; [reflexivity|lia]).
  Qed.

  Lemma clamp_covered ls p c : covered ls p c -> covered (clamp N ls) (Z.min p (N - 1)) c.
  Proof.
    intros (l & A & B & C). induction ls as [|x r IH]; [destruct A|]. simpl.
    destruct (N <=? fst x).
    - destruct A as [->|A]; [exists (N - 1, snd l); simpl; split; [auto|lia]|].
      destruct (IH A) as (y & Y1 & Y2). exists y. simpl. auto.
    - exists l. split; [exact A|lia].
  Qed.

  (* a label that is dropped belongs to no payoff above the best *)
  Lemma hopeful_covered ahead best ls B c v : covered ls (Z.min B (N - 1)) c ->
    ((never = true /\ v <= - (unit * c)) \/ below (v + unit * c + unit * (lam * missing B)) ahead) ->
    0 <= c ->
    covered (hopeful N lam unit never ahead best ls) (Z.min B (N - 1)) c \/ below v best.
  Proof.
    intros (l & A & HB & HC) D Hc0. destruct best as [w|]; [|left; exists l; auto]. unfold hopeful. rewrite !per_unit_div.
    destruct (Z_le_gt_dec v w) as [E|E]; [right; exists w; split; [reflexivity|lia]|left].
    exists l. split; [|auto]. apply filter_In. split; [exact A|]. unfold promising.
    destruct D as [[-> D]|(u & -> & D)].
    - destruct (match ahead with Some _ => _ | None => _ end) as [x|]; [destruct (_ <? x); [reflexivity|]|];
        (replace (w <? 0) with true by (symmetry; apply Z.ltb_lt; nia)); apply Z.ltb_lt;
        assert (Q := Z.div_mod w unit ltac:(lia)); assert (R := Z.mod_pos_bound w unit unit_pos); nia.
    - rewrite per_unit_div. replace (snd l - lam * fst l <? _) with true; [reflexivity|]. symmetry. apply Z.ltb_lt.
      assert (Q := Z.div_mod (w - u) unit ltac:(lia)). assert (R := Z.mod_pos_bound (w - u) unit unit_pos).
      assert (M : lam * (N - fst l) <= lam * missing B)
        by (apply Z.mul_le_mono_nonneg_l; [exact lam_nonneg|unfold missing; lia]).
      nia.
  Qed.

  Lemma price_sound_from sts ls best B C v reach : 1 <= N ->
    outcome N never unit sts B C v -> covered ls (Z.min B (N - 1)) C -> 0 <= B -> 0 <= C -> B <= reach ->
    below v (price N lam never unit (fst (outlook N lam unit reach sts)) ls best).
  Proof.
    intros HN H. revert ls best reach.
    induction H as [B C E|st r B C b c u S H1 HE Hg|st r B C b c v S H IH];
      intros ls best reach L HB HC HR; [cbn [outlook fst]|rewrite outlook_cons..]; (destruct ls as [|l0 ls]; [destruct L as (? & [] & _)|]);
      cbn [price]; set (labels := l0 :: ls) in *; clearbody labels; clear l0 ls.
    - rewrite E. destruct L as (l & A & _ & D). clear -A D unit_pos.
      induction labels as [|x r IH]; [destruct A|]. simpl. destruct A as [->|A]; [apply below_omax_r; nia|].
      auto using below_omax_l.
    - apply price_above. rewrite Hg. destruct S as (Hb & Hc & S).
      destruct S as [[E _]|(o & Ho & Hp & Hq)]; [lia|].
      apply (complete_covered _ _ _ N); [|lia].
      eapply covered_mono; [apply prune_covered, extend_covered; [intros; lia|eauto|eauto]|lia|lia].
    - assert (HR' := step_reach _ _ _ _ _ S HR). destruct S as (Hb & Hc & S). assert (HB' : 0 <= B + b) by lia. assert (HC' : 0 <= C + c) by lia.
      set (run := prune (extend (Z.min N) (choices st) labels)).
      assert (K : covered (prune (if may_idle st then merge labels (clamp N run) else clamp N run))
        (Z.min (B + b) (N - 1)) (C + c)).
      { apply prune_covered. destruct S as [[-> Ei]|(o & Ho & Hp & Hq)].
        - rewrite Ei. apply merge_covered. left. eapply covered_mono; [exact L|lia|lia].
        - assert (K : covered (clamp N run) (Z.min (B + b) (N - 1)) (C + c)).
          { eapply covered_mono; [apply clamp_covered, prune_covered, extend_covered; [intros; lia|eauto|eauto]|lia|lia]. }
          destruct (may_idle st); [apply merge_covered; auto|exact K]. }
      destruct (hopeful_covered (snd (outlook N lam unit (reach + furthest (choices st)) r)) (complete N unit (stage_gain st) run best) _ (B + b) _ v K
        (outcome_ahead _ _ _ _ _ HR' HN HB' HC' H) HC') as [Q|Q].
      + apply IH; auto.
      + apply price_above. exact Q.
  Qed.

  Theorem price_sound sts best v : 1 <= N -> outcome N never unit sts 0 0 v ->
    below v (best_price N lam never unit sts best).
  Proof.
    intros HN H. assert (Z0 := Z.le_refl 0). assert (A := outcome_ahead _ _ _ _ _ Z0 HN Z0 Z0 H).
    assert (P := fun ls L => price_sound_from sts ls best 0 0 v 0 HN H L Z0 Z0 Z0).
    unfold best_price. destruct (outlook N lam unit 0 sts) as [after ahead]. cbn [fst snd] in *.
    assert (L : covered [(0, 0)] (Z.min 0 (N - 1)) 0) by (exists (0, 0); simpl; split; [auto|lia]).
    destruct (hopeful_covered ahead best [(0, 0)] 0 0 v L A Z0) as [Q|Q]; [apply P, Q|apply price_above, Q].
  Qed.
End Price.
