(** * T19, T20 What is told wrong or not at all: the largest bundle m, and too small a U.

    One resource of c units.  A table S of sums, S(0) = 0, not made for any m: w units cost S(g + w) - S(g) when g are sold.
    [obeys_sums c S acc]  acc g w u: the rule takes what fits and is worth more than it costs, nothing that does not fit or is
                       worth less

    T19 [sums_competitive]  bundles of 1 to m units, worth more than L and at most U per unit: if c (S(g + w) - S(g)) <= w f S(g)
                       or S(g + w) - S(g) <= w L for all w <= m that fit, and c U <= f S(g) where w do not, then
                       OPT <= f P, OPT the fractional optimum: one table has an f for each m
    T19 [two_promises]  conversely, let sstar be what a rule of ratio a has at least collected for its first single units (T9opt),
                       N = c - m + 1, c <= a N.  If f (sstar N) < (c/m) m U, c/m rounded down, and a (c/m) m U <= f c V, then every
                       rule has an instance of single units with values in [L, V] on which a P < OPT, or one with bundles of m at U as
                       well on which f P < OPT.  f can be made larger: so f >= (c/m) m U/(sstar N) if a (sstar N) < c V
    T20 [late_values]  single units, first with values in [L, V], then some of U >= V: if a (sstar (c - 1)) < c V and f (sstar c) < c U,
                       every rule has an instance of the former on which a P < OPT, or one of both on which f P < OPT
    T20 [too_small]    prices with p(N) >= U, but values up to b U, b >= 1: OPT <= b rho P *)
From Coq Require Import Reals Lra Lia List Arith Bool.
From HadarTheory Require Import Powers LowerBound Staircase MixedThreshold.
Import ListNotations.
Open Scope R_scope.

Section Sums.
  Variables (c m : nat) (L U f : R) (S : nat -> R).
  Hypothesis L_pos : 0 < L.
  Hypothesis c_pos : (1 <= c)%nat.
  Hypothesis f1 : 1 <= f.
  Hypothesis S_zero : S 0%nat = 0.
  Hypothesis S_up : forall g g', (g <= g')%nat -> S g <= S g'.
  Hypothesis S_fits : forall g w, (1 <= w <= m)%nat -> (g + w <= c)%nat ->
    S (g + w)%nat - S g <= INR w * L \/ INR c * (S (g + w)%nat - S g) <= INR w * (f * S g).
  Hypothesis S_full : forall g w, (1 <= w <= m)%nat -> (g <= c)%nat -> (c < g + w)%nat -> INR c * U <= f * S g.
  Variable acc : nat -> nat -> R -> bool.
  Definition obeys_sums : Prop := forall g w u,
    (acc g w u = true -> (g + w <= c)%nat /\ S (g + w)%nat - S g <= u) /\
    (acc g w u = false -> (c < g + w)%nat \/ u <= S (g + w)%nat - S g).
  Hypothesis obeys_S : obeys_sums.

  Lemma Pc : 0 < INR c. Proof. apply lt_0_INR. lia. Qed.
  Lemma loads_up g xs : (g <= loads acc g xs)%nat.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g; simpl; [lia|].
    destruct (acc g w u); [specialize (IH (g + w)%nat)|specialize (IH g)]; lia.
  Qed.
  Lemma sums_paid g xs : S (loads acc g xs) - S g <= sells acc g xs.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g; simpl; [lra|].
    destruct (acc g w u) eqn:A; [|apply IH]. destruct (proj1 (obeys_S g w u) A) as [_ H].
    specialize (IH (g + w)%nat). lra.
  Qed.

  (* a price per unit at which nothing that was refused gains *)
  Lemma refused_gains d g w u : (1 <= w <= m)%nat -> INR w * L < u <= INR w * U -> (g <= c)%nat ->
    f * S g <= INR c * d -> acc g w u = false -> u <= INR w * d.
  Proof.
    intros Hw V Hg D A. assert (P := Pc). assert (W := pos_INR w).
    assert (K : INR w * (f * S g) <= INR w * (INR c * d)) by (apply Rmult_le_compat_l; auto).
    apply Rmult_le_reg_l with (INR c); [exact P|]. destruct (le_lt_dec (g + w) c) as [F|F].
    - destruct (proj2 (obeys_S g w u) A) as [B|B]; [lia|]. destruct (S_fits g w Hw F) as [E|E]; [lra|].
      assert (INR c * u <= INR c * (S (g + w)%nat - S g)) by (apply Rmult_le_compat_l; lra). lra.
    - assert (E := S_full g w Hw Hg F). assert (INR w * (INR c * U) <= INR w * (f * S g)) by (apply Rmult_le_compat_l; auto).
      assert (INR c * u <= INR c * (INR w * U)) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma at_posted d xs : L <= d -> forall g, (g <= c)%nat -> offers_bounded m L U xs -> f * S (loads acc g xs) <= INR c * d ->
    weighed (fun w u => u - INR w * d) xs <= sells acc g xs - (S (loads acc g xs) - S g).
  Proof.
    intros Ld. induction xs as [|[[w u] x] xs IH]; intros g Hg O D; simpl; [lra|].
    assert (O' : offers_bounded m L U xs) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
    destruct (O w u x (or_introl eq_refl)) as (W & V & X). simpl in D. assert (W0 := pos_INR w). assert (P := Pc).
    destruct (acc g w u) eqn:A.
    - destruct (proj1 (obeys_S g w u) A) as [F B]. specialize (IH (g + w)%nat F O' D).
      assert (Up := S_up g (loads acc (g + w) xs) ltac:(assert (Z := loads_up (g + w) xs); lia)).
      assert (C : S (g + w)%nat - S g <= INR w * d).
      { destruct (S_fits g w W F) as [E|E].
        - assert (INR w * L <= INR w * d) by (apply Rmult_le_compat_l; auto). lra.
        - assert (f * S g <= f * S (loads acc (g + w) xs)) by (apply Rmult_le_compat_l; lra).
          apply Rmult_le_reg_l with (INR c); [exact P|].
          assert (INR w * (f * S g) <= INR w * (INR c * d)) by (apply Rmult_le_compat_l; lra). lra. }
      assert (x * (u - INR w * d) <= u - (S (g + w)%nat - S g)).
      { destruct (Rle_dec 0 (u - INR w * d)); [assert (x * (u - INR w * d) <= 1 * (u - INR w * d)) by (apply Rmult_le_compat_r; lra); lra|].
        assert (x * (u - INR w * d) <= x * 0) by (apply Rmult_le_compat_l; lra). lra. }
      lra.
    - specialize (IH g Hg O' D).
      assert (Up := S_up g (loads acc g xs) (loads_up g xs)). assert (f * S g <= f * S (loads acc g xs)) by (apply Rmult_le_compat_l; lra).
      assert (R := refused_gains d g w u W V Hg ltac:(lra) A).
      assert (x * (u - INR w * d) <= x * 0) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma all_taken xs : forall g, (g <= c)%nat -> offers_bounded m L U xs -> f * S (loads acc g xs) <= INR c * L ->
    weighed (fun w u => u) xs <= sells acc g xs.
  Proof.
    induction xs as [|[[w u] x] xs IH]; intros g Hg O D; simpl; [lra|].
    assert (O' : offers_bounded m L U xs) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
    destruct (O w u x (or_introl eq_refl)) as (W & V & X). simpl in D.
    assert (W1 : 0 < INR w) by (apply lt_0_INR; lia). assert (0 < INR w * L) by (apply Rmult_lt_0_compat; auto).
    assert (x * u <= 1 * u) by (apply Rmult_le_compat_r; lra). destruct (acc g w u) eqn:A.
    - destruct (proj1 (obeys_S g w u) A) as [F _]. specialize (IH (g + w)%nat F O' D). lra.
    - exfalso. assert (Up := S_up g (loads acc g xs) (loads_up g xs)).
      assert (f * S g <= f * S (loads acc g xs)) by (apply Rmult_le_compat_l; lra).
      assert (R := refused_gains L g w u W V Hg ltac:(lra) A). lra.
  Qed.

  Theorem sums_competitive xs : offers_bounded m L U xs -> weighed (fun w _ => INR w) xs <= INR c ->
    weighed (fun _ u => u) xs <= f * sells acc 0 xs.
  Proof.
    intros O C. assert (P := Pc). set (G := loads acc 0 xs). assert (Paid := sums_paid 0 xs). fold G in Paid.
    assert (S0 := S_up 0 G ltac:(lia)). rewrite S_zero in *.
    assert (B : 1 * sells acc 0 xs <= f * sells acc 0 xs) by (apply Rmult_le_compat_r; lra).
    set (d := f * S G / INR c). assert (E : INR c * d = f * S G) by (unfold d; field; lra).
    destruct (Rle_dec L d) as [D|D].
    - assert (A := at_posted d xs D 0%nat ltac:(lia) O ltac:(fold G; lra)). fold G in A. rewrite S_zero in A.
      rewrite (total_split d). assert (d * weighed (fun w u => INR w) xs <= d * INR c) by (apply Rmult_le_compat_l; lra).
      assert ((f - 1) * S G <= (f - 1) * sells acc 0 xs) by (apply Rmult_le_compat_l; lra). lra.
    - assert (INR c * d <= INR c * L) by (apply Rmult_le_compat_l; lra).
      assert (A := all_taken xs 0%nat ltac:(lia) O ltac:(fold G; lra)). lra.
  Qed.
End Sums.

(* the same rule, stopped when it has taken n offers *)
Fixpoint taken (alg : list offer -> bool) (n : nat) (h : list offer) : nat := match h with
  | [] => 0%nat
  | o :: h' => if (alg (o :: h') && (taken alg n h' <? n)%nat)%bool then S (taken alg n h') else taken alg n h'
  end.
Definition stopped (alg : list offer -> bool) (n : nat) (h : list offer) : bool := match h with
  | [] => false
  | o :: h' => (alg (o :: h') && (taken alg n h' <? n)%nat)%bool
  end.

Lemma stopped_count alg n js : forall h, (taken alg n h <= n)%nat -> (taken alg n h + gotn (stopped alg n) h js <= n)%nat.
Proof.
  induction js as [|o js IH]; intros h H; [simpl; lia|]. specialize (IH (o :: h)). cbn [gotn stopped taken] in *.
  destruct (alg (o :: h)); cbn [andb] in *; [|apply IH, H].
  destruct (Nat.ltb_spec (taken alg n h) n); cbn [andb] in *; [|apply IH, H]. specialize (IH ltac:(lia)). lia.
Qed.
Lemma stopped_prefix alg n js : forall h, (taken alg n h <= n)%nat ->
  exists p s, js = p ++ s /\ gotv alg h p = gotv (stopped alg n) h js /\
    (s = [] \/ (taken alg n h + gotn alg h p = n)%nat).
Proof.
  induction js as [|o js IH]; intros h H; [exists [], []; simpl; auto|].
  destruct (Nat.eq_dec (taken alg n h) n) as [E|E].
  - exists [], (o :: js). split; [reflexivity|]. split; [|right; simpl; lia]. symmetry.
    assert (Q : forall js h, taken alg n h = n -> gotv (stopped alg n) h js = 0).
    { clear. induction js as [|o js IH]; intros h E; [reflexivity|]. cbn [gotv stopped]. rewrite E, Nat.ltb_irrefl, andb_false_r.
      rewrite IH; [lra|]. cbn [taken]. rewrite E, Nat.ltb_irrefl, andb_false_r. reflexivity. }
    apply Q, E.
  - assert (T : (taken alg n h <? n)%nat = true) by (apply Nat.ltb_lt; lia).
    destruct (IH (o :: h)) as (p & s & -> & V & Or).
    { cbn [taken]. rewrite T. destruct (alg (o :: h)); cbn [andb]; lia. }
    exists (o :: p), s. split; [reflexivity|]. cbn [gotv gotn stopped taken] in *. rewrite T in *.
    destruct (alg (o :: h)); cbn [andb] in *; (split; [rewrite V; reflexivity|]); destruct Or as [O|O]; auto; right; lia.
Qed.

Theorem two_promises (alg : list offer -> bool) (c m : nat) (L U V a f : R) :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> within_capacity alg c -> 1 <= a -> 0 < f ->
  INR c <= a * INR (c - m + 1) ->
  a * (INR (c / m) * (INR m * U)) <= f * (INR c * V) ->
  f * sstar c L a 0 (c - m + 1) < INR (c / m) * (INR m * U) ->
  (exists js v, (forall o, In o js -> fst o = 1%nat /\ L <= snd o <= V) /\ (exists pre, js = pre ++ repeat (1%nat, v) c) /\
     a * gotv alg [] js < INR c * v) \/
  (exists js, (forall o, In o js -> (fst o = 1%nat /\ L <= snd o <= V) \/ o = (m, INR m * U)) /\
     (exists pre, js = pre ++ repeat (m, INR m * U) (c / m)) /\ (c / m * m <= c)%nat /\
     f * gotv alg [] js < INR (c / m) * (INR m * U)).
Proof.
  intros Hm HL HU Ho Ha Hf HN HV H. set (n := (c - m + 1)%nat) in *.
  assert (Pc : 0 < INR c) by (apply lt_0_INR; lia). assert (Pm : 0 < INR m) by (apply lt_0_INR; lia).
  assert (Km : (c / m * m <= c)%nat) by (rewrite Nat.mul_comm; apply Nat.mul_div_le; lia).
  assert (KR : INR (c / m) * INR m <= INR c) by (rewrite <- mult_INR; apply le_INR, Km).
  set (best := INR (c / m) * (INR m * U)) in *. set (top := a * best / (f * INR c)).
  assert (ET : f * (INR c * top) = a * best) by (unfold top; field; lra).
  assert (St : INR n * L <= sstar c L a 0 n).
  { generalize n as i. induction i as [|i IH]; [simpl; lra|]. cbn [sstar]. rewrite S_INR.
    assert (X := Rmax_l L (a / INR c * sstar c L a 0 i)). lra. }
  assert (Ptop : a * sstar c L a 0 n < INR c * top).
  { apply Rmult_lt_reg_l with f; [lra|]. rewrite ET. replace (f * (a * sstar c L a 0 n)) with (a * (f * sstar c L a 0 n)) by ring.
    apply Rmult_lt_compat_l; lra. }
  assert (Ltop : L < top).
  { apply Rmult_lt_reg_l with (INR c); [exact Pc|]. eapply Rle_lt_trans; [|exact Ptop].
    assert (a * (INR n * L) <= a * sstar c L a 0 n) by (apply Rmult_le_compat_l; lra).
    assert (INR c * L <= a * INR n * L) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Vtop : top <= V).
  { apply Rmult_le_reg_l with (f * INR c); [apply Rmult_lt_0_compat; [exact Hf|exact Pc]|].
    replace (f * INR c * top) with (a * best) by (rewrite <- ET; ring). lra. }
  destruct (staircase_lower (stopped alg n) 1 c n 0 L top a) as (v & t & Hv & Lt); auto; try lra; try lia.
  { intros w k. exact (stopped_count alg n (inst 1 c w k) [] (Nat.le_0_l n)). }
  rewrite Rplus_0_l in Lt. set (js := inst 1 c v (S t)) in *.
  assert (In1 : forall o, In o js -> fst o = 1%nat /\ L <= snd o <= V).
  { intros o I. destruct (inst_offers _ _ _ _ _ I) as (i & Hi & ->). simpl. assert (X := Hv i ltac:(lia)). split; [reflexivity|lra]. }
  destruct (stopped_prefix alg n js [] (Nat.le_0_l n)) as (p & s & E & EV & Or). rewrite <- EV in Lt.
  destruct Or as [Es|Es].
  - left. exists js, (v t). split; [exact In1|]. split; [exists (inst 1 c v t); reflexivity|].
    subst s. rewrite app_nil_r in E. rewrite E. exact Lt.
  - right. exists (p ++ repeat (m, INR m * U) (c / m)). split; [|split; [exists p; reflexivity|split; [exact Km|]]].
    + intros o I. apply in_app_or in I. destruct I as [I|I]; [left; apply In1; rewrite E; apply in_or_app; auto|right].
      apply repeat_spec in I. exact I.
    + rewrite gotv_app, app_nil_r. simpl in Es.
      assert (Cp : gotu alg [] p = n).
      { rewrite (gotu_equal alg 1) by (intros o I; apply In1; rewrite E; apply in_or_app; auto). lia. }
      assert (None : gotn alg (rev p) (repeat (m, INR m * U) (c / m)) = 0%nat).
      { assert (O := Ho (p ++ repeat (m, INR m * U) (c / m))). rewrite gotu_app, Cp, app_nil_r in O.
        rewrite (gotu_equal alg m) in O by (intros o I; apply repeat_spec in I; subst; reflexivity).
        destruct (gotn alg (rev p) (repeat (m, INR m * U) (c / m))); [reflexivity|exfalso]. unfold n in O. nia. }
      rewrite got_repeat, None. simpl. rewrite Rmult_0_l, Rplus_0_r.
      assert (Vt : INR c * v t <= INR c * top) by (apply Rmult_le_compat_l; [lra|apply Hv; lia]).
      apply Rmult_lt_reg_l with a; [lra|]. replace (a * (f * gotv alg [] p)) with (f * (a * gotv alg [] p)) by ring.
      eapply Rlt_le_trans; [apply Rmult_lt_compat_l; [lra|exact Lt]|].
      rewrite <- ET. apply Rmult_le_compat_l; lra.
Qed.

(* values larger than expected: a rule of ratio a up to V has sold everything at V *)
Lemma fine_root (q : nat) (x Q : R) : 1 < x -> 1 < Q -> exists T, (1 <= T)%nat /\ root x T ^ q < Q.
Proof.
  intros Hx HQ. assert (lx : 0 < ln x) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (lQ : 0 < ln Q) by (rewrite <- ln_1; apply ln_increasing; lra).
  set (y := INR q * ln x / ln Q). destruct (archimed y) as [HT _].
  assert (Hy : 0 <= y) by (unfold y; apply Rmult_le_pos; [apply Rmult_le_pos; [apply pos_INR|lra]|left; apply Rinv_0_lt_compat; auto]).
  set (T := Z.to_nat (up y)).
  assert (HTq : y < INR T) by (unfold T; rewrite INR_IZR_INZ, Z2Nat.id; auto; apply le_IZR; lra).
  assert (HT1 : (1 <= T)%nat) by (destruct T; [simpl in HTq; lra|lia]).
  assert (HTp : 0 < INR T) by (apply lt_0_INR; lia). exists T. split; [exact HT1|].
  unfold root. rewrite exp_INR. rewrite <- (exp_ln Q) by lra. apply exp_increasing. apply Rmult_lt_reg_r with (INR T); auto.
  replace (INR q * (ln x / INR T) * INR T) with (INR q * ln x) by (field; lra).
  replace (INR q * ln x) with (ln Q * y) by (unfold y; field; lra). apply Rmult_lt_compat_l; auto.
Qed.

Theorem late_values (alg : list offer -> bool) (c : nat) (L V U a f : R) :
  (1 <= c)%nat -> 0 < L -> L < V -> V <= U -> within_capacity alg c -> 0 < a -> 0 < f ->
  a * sstar c L a 0 (c - 1) < INR c * V -> f * sstar c L a 0 c < INR c * U ->
  (exists js v, (forall o, In o js -> fst o = 1%nat /\ L <= snd o <= V) /\ (exists pre, js = pre ++ repeat (1%nat, v) c) /\
     a * gotv alg [] js < INR c * v) \/
  (exists pre, (forall o, In o pre -> fst o = 1%nat /\ L <= snd o <= V) /\
     f * gotv alg [] (pre ++ repeat (1%nat, U) c) < INR c * U).
Proof.
  intros Hc HL HV HU Ho Ha Hf H1 H2. assert (Pc : 0 < INR c) by (apply lt_0_INR; lia).
  set (s := sstar c L a 0) in *.
  assert (N0 : forall i, 0 <= s i) by (intros i; apply sstar_nonneg; lra).
  assert (Sc : 0 < s c).
  { unfold s. replace c with (S (c - 1)) at 2 by lia. cbn [sstar]. assert (X := N0 (c - 1)%nat). unfold s in X.
    assert (Y := Rmax_l L (a / INR c * sstar c L a 0 (c - 1))). lra. }
  assert (Up : forall i j, (i <= j)%nat -> s i <= s j) by (intros i j E; apply sstar_mono; auto).
  set (x1 := Rmax (a * s (c - 1)%nat) (INR c * V / 2)).
  assert (X1 : 0 < x1 < INR c * V).
  { assert (0 < INR c * V) by (apply Rmult_lt_0_compat; lra). unfold x1. split; [eapply Rlt_le_trans; [|apply Rmax_r]; lra|].
    apply Rmax_lub_lt; lra. }
  assert (X2 : 0 < f * s c) by (apply Rmult_lt_0_compat; auto).
  set (Q := Rmin (INR c * V / x1) (INR c * U / (f * s c))).
  assert (one : forall x y, 0 < x -> x < y -> 1 < y / x).
  { intros x y Hx Hy. apply Rmult_lt_reg_r with x; [exact Hx|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (HQ : 1 < Q) by (unfold Q; apply Rmin_glb_lt; apply one; lra).
  destruct (fine_root c (V / L) Q) as (T & HT & Hr); [apply one; lra|exact HQ|]. set (r := root (V / L) T) in *.
  assert (r1 : 1 <= r) by (apply root_ge1; [apply Rlt_le, one; lra|exact HT]).
  assert (rc : 0 < r ^ c) by (apply pow_lt; lra).
  assert (scale : forall x y, 0 < x -> Q <= y / x -> r ^ c * x < y).
  { intros x y Hx Hy. replace y with (y / x * x) by (field; lra). apply Rmult_lt_compat_r; lra. }
  assert (B1 := scale x1 (INR c * V) (proj1 X1) (Rmin_l _ _)). assert (B2 := scale (f * s c) (INR c * U) X2 (Rmin_r _ _)).
  set (v := fun t : nat => L * r ^ t).
  assert (HvT : v T = V) by (unfold v, r; rewrite root_pow; [field; lra|apply Rlt_le_trans with 1; [lra|apply Rlt_le, one; lra]|exact HT]).
  assert (Hvr : forall t, (t <= T)%nat -> L <= v t <= V).
  { intros t Ht. split.
    - unfold v. assert (1 <= r ^ t) by (apply pow_ge1; auto). assert (L * 1 <= L * r ^ t) by (apply Rmult_le_compat_l; lra). lra.
    - rewrite <- HvT. unfold v. apply Rmult_le_compat_l; [lra|]. apply pow_mono_exp; auto. }
  assert (In1 : forall n o, (n <= S T)%nat -> In o (inst 1 c v n) -> fst o = 1%nat /\ L <= snd o <= V).
  { intros n o Hn I. destruct (inst_offers _ _ _ _ _ I) as (i & Hi & ->). simpl. split; [reflexivity|apply Hvr; lia]. }
  destruct (bounded_dec (fun t => INR c * v t <= a * gotv alg [] (inst 1 c v (S t))) (fun t => Rle_dec _ _) T) as [H|(t & Ht & Hn)].
  - right. exists (inst 1 c v (S T)). split; [intros o I; apply (In1 (S T)); auto|].
    set (k := fun t => gotn alg (rev (inst 1 c v t)) (repeat (1%nat, v t) c)).
    assert (E : forall n, An k n = gotn alg [] (inst 1 c v n)).
    { induction n; [reflexivity|]. cbn [An inst]. rewrite gotn_app, IHn, app_nil_r. reflexivity. }
    assert (VB : 0 + psum (fun i => INR (k i) * v i) (S T) <= r ^ An k (S T) * s (An k (S T))).
    { assert (X := value_bound c L a 0 Hc HL (Rlt_le _ _ Ha) (Rle_refl 0) r v k T r1). apply X; [| | |lia].
      - unfold v. simpl. ring.
      - intros t. unfold v. simpl. ring.
      - intros t Ht. specialize (H t Ht). rewrite inst_value in H. rewrite Rplus_0_l. exact H. }
    assert (GV : gotv alg [] (inst 1 c v (S T)) = psum (fun i => INR (k i) * v i) (S T)) by apply inst_value.
    rewrite Rplus_0_l, <- GV in VB.
    assert (Le : (An k (S T) <= c)%nat).
    { rewrite E. assert (X := obeys_count alg c 1 c v (S T) (le_n 1) Ho). rewrite Nat.div_1_r in X. exact X. }
    assert (Rn : r ^ An k (S T) <= r ^ c) by (apply pow_mono_exp; auto).
    assert (Full : An k (S T) = c).
    { destruct (Nat.eq_dec (An k (S T)) c) as [F|F]; [exact F|exfalso].
      assert (X := H T (le_n T)). rewrite HvT in X. assert (Y := Up (An k (S T)) (c - 1)%nat ltac:(lia)).
      assert (Z : r ^ An k (S T) * s (An k (S T)) <= r ^ c * s (c - 1)%nat).
      { apply Rmult_le_compat; auto. left; apply pow_lt; lra. }
      assert (a * gotv alg [] (inst 1 c v (S T)) <= a * (r ^ c * s (c - 1)%nat)) by (apply Rmult_le_compat_l; lra).
      assert (r ^ c * (a * s (c - 1)%nat) <= r ^ c * x1) by (apply Rmult_le_compat_l; [lra|apply Rmax_l]). lra. }
    rewrite gotv_app, app_nil_r, got_repeat.
    assert (None : gotn alg (rev (inst 1 c v (S T))) (repeat (1%nat, U) c) = 0%nat).
    { assert (O := Ho (inst 1 c v (S T) ++ repeat (1%nat, U) c)). rewrite gotu_app, app_nil_r in O.
      rewrite !(gotu_equal alg 1) in O; [|intros o I; apply repeat_spec in I; rewrite I; reflexivity|intros o I; apply (In1 (S T)); auto].
      rewrite E in Full. rewrite Full in O. lia. }
    rewrite None. simpl INR. rewrite Rmult_0_l, Rplus_0_r. rewrite Full in VB.
    assert (f * gotv alg [] (inst 1 c v (S T)) <= f * (r ^ c * s c)) by (apply Rmult_le_compat_l; lra). lra.
  - left. exists (inst 1 c v (S t)), (v t). split; [intros o I; apply (In1 (S t)); auto; lia|].
    split; [exists (inst 1 c v t); reflexivity|apply Rnot_le_lt, Hn].
Qed.

(* values larger than declared *)
Section TooSmall.
  Variables (c m : nat) (L U b rho : R) (p low : nat -> R) (acc : nat -> nat -> R -> bool).
  Hypothesis m_c : (1 <= m <= c)%nat.
  Hypothesis L_pos : 0 < L.
  Hypothesis b1 : 1 <= b.
  Hypothesis rho1 : 1 <= rho.
  Hypothesis p_nonneg : 0 <= p O.
  Hypothesis p_next : forall g, p g <= p (S g).
  Hypothesis p_full : L < U <= p (c - m + 1)%nat.
  Hypothesis low_zero : low O = 0.
  Hypothesis low_step : forall g w, (w <= m)%nat -> (g + w <= c)%nat -> low (g + w)%nat <= low g + INR w * p g.
  Hypothesis p_rec : forall g, (g <= c)%nat -> p g <= L \/ INR c * p g <= rho * low g.
  Hypothesis obeys_p : obeys_prices c p acc.

  Lemma wrong_prices g xs l : offers_bounded m L (b * U) xs -> p (loads acc g xs) <= l ->
    weighed (fun w u => u - INR w * (b * l)) xs <= sells acc g xs - charged p acc g xs.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g O Hl; simpl; [lra|].
    assert (O' : offers_bounded m L (b * U) xs) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
    destruct (O w u x (or_introl eq_refl)) as (W & V & X). simpl in Hl. assert (W0 := pos_INR w).
    assert (up : forall g g', (g <= g')%nat -> p g <= p g').
    { intros h h' H. induction H as [|h' H IH']; [lra|]. assert (Z := p_next h'). lra. }
    assert (pos : forall g, 0 <= p g) by (intros h; assert (Z := up 0%nat h ltac:(lia)); lra).
    assert (more : forall g xs, (g <= loads acc g xs)%nat).
    { intros h ys. revert h. induction ys as [|[[w' u'] x'] ys IH']; intros h; simpl; [lia|].
      destruct (acc h w' u'); [specialize (IH' (h + w')%nat)|specialize (IH' h)]; lia. }
    assert (gain : forall y z, y <= z -> 0 <= z -> x * y <= z).
    { intros y z Y Z. destruct (Rle_dec 0 y); [assert (x * y <= 1 * y) by (apply Rmult_le_compat_r; lra); lra|].
      assert (x * y <= x * 0) by (apply Rmult_le_compat_l; lra). lra. }
    assert (lift : forall h, p h <= l -> INR w * p h <= INR w * (b * l)).
    { intros h Hh. apply Rmult_le_compat_l; [exact W0|]. assert (Z := pos h). assert (1 * l <= b * l) by (apply Rmult_le_compat_r; lra). lra. }
    destruct (acc g w u) eqn:A.
    - destruct (proj1 (obeys_p g w u) A) as [_ P]. specialize (IH (g + w)%nat O' Hl).
      assert (Q := up g _ (Nat.le_trans _ _ _ (Nat.le_add_r g w) (more (g + w)%nat xs))).
      assert (K := lift g ltac:(lra)). assert (Z := gain (u - INR w * (b * l)) (u - INR w * p g) ltac:(lra) ltac:(lra)). lra.
    - specialize (IH g O' Hl). assert (Q := up g _ (more g xs)).
      assert (R : u <= INR w * (b * l)).
      { destruct (proj2 (obeys_p g w u) A) as [B|B]; [|assert (K := lift g ltac:(lra)); lra].
        assert (T := up (c - m + 1)%nat g ltac:(lia)). apply Rle_trans with (INR w * (b * U)); [lra|].
        apply Rmult_le_compat_l; [exact W0|]. apply Rmult_le_compat_l; lra. }
      assert (Z := gain (u - INR w * (b * l)) 0 ltac:(lra) ltac:(lra)). lra.
  Qed.

  Theorem too_small xs : offers_bounded m L (b * U) xs -> weighed (fun w _ => INR w) xs <= INR c ->
    weighed (fun _ u => u) xs <= b * rho * sells acc 0 xs.
  Proof.
    intros O C. set (g := loads acc 0 xs).
    assert (Hg : (g <= c)%nat) by (apply (loads_fit c p acc obeys_p 0 xs); lia).
    assert (S1 := charged_most c p acc obeys_p 0 xs).
    assert (S2 := charged_least c m L (b * U) p low m_c low_step acc obeys_p 0 xs O). fold g in S2. rewrite low_zero in S2.
    assert (up : forall g g', (g <= g')%nat -> p g <= p g').
    { intros h h' H. induction H as [|h' H IH']; [lra|]. assert (Z := p_next h'). lra. }
    assert (Hp := up 0%nat g ltac:(lia)).
    assert (C0 : 0 <= charged p acc 0 xs).
    { generalize 0%nat as h. clear -p_nonneg up. induction xs as [|[[w u] x] ys IH]; intros h; simpl; [lra|].
      destruct (acc h w u); [|apply IH]. assert (W := pos_INR w). assert (P0 := up 0%nat h ltac:(lia)).
      assert (0 <= INR w * p h) by (apply Rmult_le_pos; lra). specialize (IH (h + w)%nat). lra. }
    assert (BR : 1 <= b * rho) by (assert (1 * 1 <= b * rho) by (apply Rmult_le_compat; lra); lra).
    destruct (Rle_dec (p g) L) as [A|A].
    - (* nothing was refused *)
      assert (B : weighed (fun w u => u) xs <= sells acc 0 xs).
      { assert (N0 := p_full). clear -A O up obeys_p m_c L_pos N0. unfold g in A. revert A. generalize 0%nat as h.
        induction xs as [|[[w u] x] ys IH]; intros h A; simpl; [lra|].
        assert (O' : offers_bounded m L (b * U) ys) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
        destruct (O w u x (or_introl eq_refl)) as (W & V & X). simpl in A.
        assert (W1 : 0 < INR w) by (apply lt_0_INR; lia). assert (0 < INR w * L) by (apply Rmult_lt_0_compat; auto).
        assert (x * u <= 1 * u) by (apply Rmult_le_compat_r; lra).
        destruct (acc h w u) eqn:E; [specialize (IH O' (h + w)%nat A); lra|]. exfalso.
        assert (more : forall ys h, (h <= loads acc h ys)%nat).
        { clear. induction ys as [|[[w' u'] x'] ys IH']; intros h; simpl; [lia|].
          destruct (acc h w' u'); [specialize (IH' (h + w')%nat)|specialize (IH' h)]; lia. }
        assert (Q := up h _ (more ys h)). destruct (proj2 (obeys_p h w u) E) as [B|B].
        - assert (T := up (c - m + 1)%nat h ltac:(lia)). lra.
        - assert (INR w * p h <= INR w * L) by (apply Rmult_le_compat_l; lra). lra. }
      assert (1 * sells acc 0 xs <= b * rho * sells acc 0 xs) by (apply Rmult_le_compat_r; lra). lra.
    - assert (B := wrong_prices 0 xs (p g) O (Rle_refl _)). rewrite (total_split (b * p g)).
      assert (D : b * p g * weighed (fun w u => INR w) xs <= b * p g * INR c) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact C]).
      destruct (p_rec g Hg) as [E|E]; [lra|].
      assert (F : rho * low g <= rho * charged p acc 0 xs) by (apply Rmult_le_compat_l; lra).
      assert (G : b * (INR c * p g) <= b * (rho * charged p acc 0 xs)) by (apply Rmult_le_compat_l; lra).
      assert (H : (b * rho - 1) * charged p acc 0 xs <= (b * rho - 1) * sells acc 0 xs) by (apply Rmult_le_compat_l; lra). lra.
  Qed.
End TooSmall.
