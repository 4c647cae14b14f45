(** * The pricing problem: the covering DP over rounds is exact.

    A job needs Q >= 1 units of progress.  Rounds are listed LATEST FIRST, so that the tail of the
    list is the problem of the earlier rounds.
    [choice]          (progress, cost) of one way to run in a round; not running is (0, 0)
    [round_plan rs pl]      pl picks one choice, or (0, 0), in each round of rs
    [plan_progress], [spent]  total progress and cost of a plan
    [best rs q]       least cost to reach progress q within the rounds rs, None = impossible:
                      best (cs :: rs) q = min over (0,0) and the choices (p,c) of c + best rs (q - p)
    [ends_at Q pl]    the round (counted from 1) in which the plan first reaches Q
    [reached_worth U Q pl]    U of that round, 0 if Q is never reached
    [optimum U Q rs]  max over f of U f - best (first f rounds) Q, and 0: the code's answer

    [best_attained], [best_least]  best is exactly the least cost of a covering plan
    [pricing_upper], [pricing_attained]  costs >= 0, U non-increasing: optimum is exactly the largest
                      worth - spent over ALL plans
    [gcd_exact], [ceil_necessary], [floor_sufficient]  dividing progress by g: exact if g divides every
                      progress, rounded up necessary, rounded down sufficient *)
From Coq Require Import List Arith ZArith Lia.
Import ListNotations.
Open Scope Z_scope.

Notation choice := (nat * Z)%type.
Definition idle : choice := (O, 0).
Definition round_plan (rs : list (list choice)) (pl : list choice) : Prop :=
  Forall2 (fun cs c => c = idle \/ In c cs) rs pl.
Definition plan_progress (pl : list choice) : nat := fold_right (fun c a => (fst c + a)%nat) O pl.
Definition spent (pl : list choice) : Z := fold_right (fun c a => snd c + a) 0 pl.

Definition omin (a b : option Z) : option Z :=
  match a, b with Some x, Some y => Some (Z.min x y) | Some x, None => Some x | None, _ => b end.
Definition oplus (c : Z) (a : option Z) : option Z := option_map (Z.add c) a.
Definition least_of (f : choice -> option Z) (l : list choice) : option Z :=
  fold_right (fun c m => omin (f c) m) None l.
Fixpoint best (rs : list (list choice)) (q : nat) : option Z :=
  match rs with
  | [] => if (q =? 0)%nat then Some 0 else None
  | cs :: rs' => least_of (fun c => oplus (snd c) (best rs' (q - fst c))) (idle :: cs)
  end.

Lemma least_of_attained f l v : least_of f l = Some v -> exists c, In c l /\ f c = Some v.
Proof.
  induction l as [|c l IH]; simpl; [discriminate|]. intros H.
  assert (Q : f c = Some v \/ least_of f l = Some v).
  { fold (least_of f l) in H. destruct (f c) as [x|], (least_of f l) as [y|]; simpl in H; inversion H; auto.
    destruct (Z.min_spec x y) as [[_ ->]|[_ ->]]; auto. }
  destruct Q as [Q|Q]; [exists c; auto|]. destruct (IH Q) as (d & Hd & E). exists d; auto.
Qed.

Lemma least_of_least f l c x : In c l -> f c = Some x -> exists v, least_of f l = Some v /\ v <= x.
Proof.
  intros Hc E. induction l as [|d l IH]; [destruct Hc|]. simpl. fold (least_of f l).
  destruct Hc as [->|Hc].
  - rewrite E. destruct (least_of f l) as [y|]; simpl; eexists; split; eauto; lia.
  - destruct (IH Hc) as (v & -> & Hv). destruct (f d) as [y|]; simpl; eexists; split; eauto; lia.
Qed.

Theorem best_attained rs : forall q v, best rs q = Some v ->
  exists pl, round_plan rs pl /\ (q <= plan_progress pl)%nat /\ spent pl = v.
Proof.
  induction rs as [|cs rs IH]; intros q v H; cbn [best] in H.
  - destruct (Nat.eqb_spec q 0); [|discriminate]. inversion H. exists [].
    split; [constructor|simpl; split; lia].
  - destruct (least_of_attained _ _ _ H) as (c & Hc & E). unfold oplus, option_map in E.
    destruct (best rs (q - fst c)) as [v'|] eqn:B; [|discriminate].
    destruct (IH _ _ B) as (pl & P & R & S). exists (c :: pl). inversion E.
    split; [constructor; auto; destruct Hc; auto|simpl; split; lia].
Qed.

Theorem best_least rs : forall q pl, round_plan rs pl -> (q <= plan_progress pl)%nat ->
  exists v, best rs q = Some v /\ v <= spent pl.
Proof.
  induction rs as [|cs rs IH]; intros q pl P H; inversion P as [|? c ? pl' Hc P']; subst.
  - simpl in H. exists 0. replace q with O by lia. simpl. split; [reflexivity|lia].
  - destruct (IH (q - fst c)%nat pl' P') as (v & B & L); [simpl in H; lia|].
    cbn [best]. destruct (least_of_least (fun c => oplus (snd c) (best rs (q - fst c))) (idle :: cs)
                            c (snd c + v)) as (u & E & Hu).
    + destruct Hc as [->|Hc]; [left|right]; auto.
    + rewrite B. reflexivity.
    + exists u. split; auto. simpl. lia.
Qed.

Section Pricing.
  Variable U : nat -> Z.
  Variable Q : nat.
  Hypothesis U_pos : forall f, 0 <= U f.
  Hypothesis U_mono : forall f g, (f <= g)%nat -> U g <= U f.
  Hypothesis Q_pos : (1 <= Q)%nat.

  Fixpoint ends_at (pl : list choice) : option nat :=
    match pl with
    | [] => None
    | c :: pl' => match ends_at pl' with
                  | Some f => Some f
                  | None => if (Q <=? plan_progress pl)%nat then Some (length pl) else None
                  end
    end.
  Definition reached_worth (pl : list choice) : Z := match ends_at pl with Some f => U f | None => 0 end.
  Fixpoint optimum (rs : list (list choice)) : Z :=
    match rs with
    | [] => 0
    | cs :: rs' => Z.max (optimum rs')
        (match best rs Q with Some v => U (length rs) - v | None => 0 end)
    end.

  Lemma optimum_pos rs : 0 <= optimum rs.
  Proof. induction rs; cbn [optimum]; lia. Qed.
  Lemma plan_length rs pl : round_plan rs pl -> length pl = length rs.
  Proof. induction 1; simpl; auto. Qed.
  Lemma ends_at_length pl f : ends_at pl = Some f -> (f <= length pl)%nat.
  Proof.
    induction pl as [|c pl IH]; cbn [ends_at]; [discriminate|].
    destruct (ends_at pl) as [g|]; intros H; [inversion H; subst; simpl; specialize (IH eq_refl); lia|].
    destruct (Q <=? _)%nat; inversion H; simpl; lia.
  Qed.
  Lemma ends_at_none pl : ends_at pl = None -> (plan_progress pl < Q)%nat.
  Proof.
    destruct pl as [|c pl]; cbn [ends_at]; [simpl; lia|].
    destruct (ends_at pl); [discriminate|]. destruct (Nat.leb_spec Q (plan_progress (c :: pl))); [discriminate|auto].
  Qed.

  Theorem pricing_upper rs : (forall cs c, In cs rs -> In c cs -> 0 <= snd c) ->
    forall pl, round_plan rs pl -> reached_worth pl - spent pl <= optimum rs.
  Proof.
    intros Hc pl P. induction P as [|cs c rs pl Hin P IH]; [unfold reached_worth; simpl; lia|].
    assert (IH' := IH (fun cs0 c0 H => Hc cs0 c0 (or_intror H))). clear IH.
    assert (C0 : 0 <= snd c).
    { destruct Hin as [->|Hin]; [simpl; lia|]. apply (Hc cs); [left|]; auto. }
    assert (S0 : 0 <= spent pl).
    { clear - P Hc. induction P as [|ds d rs pl Hd P IH]; simpl; [lia|].
      assert (0 <= spent pl) by (apply IH; intros cs0 c0 [<-|H] H0;
        [apply (Hc cs); [left|]; auto|apply (Hc cs0); [right; right|]; auto]).
      assert (0 <= snd d); [|lia].
      destruct Hd as [->|Hd]; [simpl; lia|]. apply (Hc ds); [right; left|]; auto. }
    assert (O0 := optimum_pos rs).
    unfold reached_worth in *. cbn [optimum ends_at]. destruct (ends_at pl) as [f|] eqn:E; [simpl; lia|].
    destruct (Nat.leb_spec Q (plan_progress (c :: pl))) as [HQ|HQ]; [|simpl; lia].
    destruct (best_least (cs :: rs) Q (c :: pl)) as (v & B & Hv); auto; [constructor; auto|].
    rewrite B. simpl length. rewrite (plan_length rs pl P). lia.
  Qed.

  Theorem pricing_attained rs : exists pl, round_plan rs pl /\ optimum rs <= reached_worth pl - spent pl.
  Proof.
    induction rs as [|cs rs (pl & P & H)].
    - exists []. split; [constructor|unfold reached_worth; simpl; lia].
    - assert (Wait : round_plan (cs :: rs) (idle :: pl) /\ optimum rs <= reached_worth (idle :: pl) - spent (idle :: pl)).
      { split; [constructor; auto|]. unfold reached_worth in *. cbn [ends_at].
        destruct (ends_at pl) eqn:E; [simpl; lia|]. apply ends_at_none in E.
        destruct (Nat.leb_spec Q (plan_progress (idle :: pl))) as [HQ|HQ]; simpl in *; lia. }
      cbn [optimum]. destruct (best (cs :: rs) Q) as [v|] eqn:B.
      + destruct (Z.max_spec (optimum rs) (U (length (cs :: rs)) - v)) as [[_ ->]|[_ ->]];
          [|exists (idle :: pl); exact Wait].
        destruct (best_attained _ _ _ B) as (pl' & P' & R & <-). exists pl'. split; auto.
        unfold reached_worth. destruct (ends_at pl') as [f|] eqn:E.
        * apply ends_at_length in E. rewrite (plan_length _ _ P') in E. apply U_mono in E. lia.
        * apply ends_at_none in E. lia.
      + assert (O0 := optimum_pos rs). rewrite Z.max_l by lia. exists (idle :: pl). exact Wait.
  Qed.
End Pricing.

Section Rounding.
  Open Scope nat_scope.
  Variable g : nat.
  Hypothesis g1 : 1 <= g.
  Definition ceil (q : nat) : nat := (q + g - 1) / g.
  Definition rounded_total (f : nat -> nat) (ps : list nat) : nat := fold_right (fun p a => f p + a) 0 ps.

  Lemma ceil_spec q n : ceil q <= n <-> q <= n * g.
  Proof.
    unfold ceil. split; intros H.
    - assert (D := Nat.div_mod (q + g - 1) g ltac:(lia)).
      assert (M := Nat.mod_upper_bound (q + g - 1) g ltac:(lia)).
      assert (g * ((q + g - 1) / g) <= g * n) by (apply Nat.mul_le_mono_l; auto). lia.
    - apply Nat.lt_succ_r. apply Nat.div_lt_upper_bound; lia.
  Qed.

  Theorem ceil_necessary Q ps : Q <= rounded_total (fun p => p) ps -> ceil Q <= rounded_total ceil ps.
  Proof.
    intros H. apply ceil_spec. eapply Nat.le_trans; [exact H|]. clear H.
    induction ps as [|p ps IH]; simpl; [lia|].
    assert (p <= ceil p * g) by (apply ceil_spec; auto). lia.
  Qed.

  Theorem floor_sufficient Q ps : ceil Q <= rounded_total (fun p => p / g) ps -> Q <= rounded_total (fun p => p) ps.
  Proof.
    intros H. apply ceil_spec in H. eapply Nat.le_trans; [exact H|]. clear H.
    induction ps as [|p ps IH]; simpl; [lia|].
    assert (g * (p / g) <= p) by (apply Nat.mul_div_le; lia). lia.
  Qed.

  Theorem gcd_exact Q ps : (forall p, In p ps -> Nat.divide g p) ->
    (Q <= rounded_total (fun p => p) ps <-> ceil Q <= rounded_total (fun p => p / g) ps).
  Proof.
    intros D. split; [|apply floor_sufficient]. intros H. apply ceil_spec.
    eapply Nat.le_trans; [exact H|]. clear H.
    induction ps as [|p ps IH]; simpl; [lia|].
    assert (IH' := IH (fun q Hq => D q (or_intror Hq))).
    destruct (D p (or_introl eq_refl)) as (k & ->). rewrite Nat.div_mul by lia. lia.
  Qed.
End Rounding.
