(** * T14, T15 Bundles whose largest size does not divide the capacity.

    One resource of c units, bundles of 1 to m units, values per unit in [L, U].  Two optima: the fractional one of
    T14, and the integer one, which takes a bundle whole or not at all.

    T14 [mixed_threshold_fractional]  against the fractional optimum the prices of T14 are best for EVERY m: if
                       rho (least N) < c U, every deterministic rule has an instance, whose last n offers are equal,
                       on which y <= n of them fit and are worth more than rho times what the rule has

    T15, against the integer optimum, m = c - 1:
    [whole xs]         the optimum takes each bundle or leaves it
    [spares c p acc]   acc takes what fits, but a single unit at load 1 only if it is worth p at least (it may leave one
                       that is worth p)
    [first_take]       the first bundle that is taken from a load on, and what is left after it
    T15 [spare_competitive]  c >= 3, rho = (c-1) U/(2 L) >= c + 1, p = rho/(rho-1) L: OPT <= rho P
    T15 [spare_optimal]  and no deterministic rule has less
    T15 [blocked_lower]  for any c and m: a first bundle of w units at L, then n bundles of v units at U that do not fit
                       beside it: every rho < n v U/(w L) fails
    [blocked c m g b]  bundles of up to m units that do not fit beside g sold ones, c units at most in all, have b at most
    [first_fit]        take whatever fits
    T15 [first_fit_competitive]  rho - 1 >= b U/(g L) for each load g >= 1: OPT <= rho P.  So rho exceeds by 1 the bound of
                       [blocked_lower], where the worst g is one bundle and the worst b is reached by equal ones *)
From Coq Require Import Reals Lra Lia List Arith Bool.
From HadarTheory Require Import LowerBound Staircase MixedBundles MixedThreshold.
Import ListNotations.
Open Scope R_scope.

Theorem mixed_threshold_fractional (alg : list offer -> bool) (c m : nat) (L U rho : R) :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> within_capacity alg c -> 0 < rho ->
  rho * least (rho / INR c) L m (c - m + 1) < INR c * U ->
  exists js w x n y, (forall o, In o js -> (1 <= fst o <= m)%nat /\
                      INR (fst o) * L <= snd o <= INR (fst o) * U) /\
    (exists pre, js = pre ++ repeat (w, x) n) /\ 0 <= y <= INR n /\ y * INR w <= INR c /\
    rho * gotv alg [] js < y * x.
Proof.
  intros Hm HL HU Hobey Hrho Hlt.
  set (N := (c - m + 1)%nat) in *. set (k := ((c + m - 1) / m)%nat). set (s := (N mod m)%nat). set (q := (N / m)%nat).
  assert (Hmp : 0 < INR m) by (apply lt_0_INR; lia).
  assert (Hc : 0 < INR c) by (apply lt_0_INR; lia).
  assert (Hk : (1 <= k)%nat) by (apply Nat.div_le_lower_bound; lia).
  assert (Hkm : (c <= k * m)%nat).
  { assert (D := Nat.div_mod (c + m - 1) m ltac:(lia)). fold k in D.
    assert (B := Nat.mod_upper_bound (c + m - 1) m ltac:(lia)). lia. }
  assert (HN : N = (m * q + s)%nat) by (apply Nat.div_mod; lia).
  assert (Hs : (s < m)%nat) by (apply Nat.mod_upper_bound; lia).
  assert (HkR : 0 < INR k) by (apply lt_0_INR; lia).
  assert (Hml : 0 < INR m * L) by (apply Rmult_lt_0_compat; auto).
  assert (Hmu : INR m * L < INR m * U) by (apply Rmult_lt_compat_l; auto).
  assert (Hsl : 0 <= INR s * L) by (apply Rmult_le_pos; [apply pos_INR|lra]).
  assert (Hrange : forall n, INR n * L <= INR n * U) by (intros; apply Rmult_le_compat_l; [apply pos_INR|lra]).
  assert (Hckm : INR c <= INR k * INR m) by (rewrite <- mult_INR; apply le_INR, Hkm).
  (* k copies of a level are worth c/m of them to the optimum *)
  set (rho' := rho * (INR k * INR m) / INR c).
  assert (Hrho' : 0 < rho').
  { unfold rho'. apply Rmult_lt_0_compat; [|apply Rinv_0_lt_compat, Hc].
    apply Rmult_lt_0_compat; [auto|apply Rmult_lt_0_compat; auto]. }
  assert (Hleast : sstar k (INR m * L) rho' (INR s * L) q = least (rho / INR c) L m N).
  { unfold least. fold s q. generalize q as i. set (x0 := INR s * L).
    induction i as [|i IH]; [reflexivity|]. simpl. rewrite IH. unfold grow.
    set (x := times (rho / INR c) L m x0 i). rewrite <- RmaxRmult by lra. f_equal. f_equal.
    unfold rho'. field. split; lra. }
  assert (Hlt' : rho' * sstar k (INR m * L) rho' (INR s * L) q < INR k * (INR m * U)).
  { rewrite Hleast. apply Rmult_lt_reg_r with (INR c / (INR k * INR m)).
    - apply Rmult_lt_0_compat; [auto|]. apply Rinv_0_lt_compat, Rmult_lt_0_compat; auto.
    - replace (rho' * least (rho / INR c) L m N * (INR c / (INR k * INR m)))
        with (rho * least (rho / INR c) L m N) by (unfold rho'; field; repeat split; lra).
      replace (INR k * (INR m * U) * (INR c / (INR k * INR m))) with (INR c * U) by (field; split; lra). exact Hlt. }
  assert (Main : forall h0, (forall o, In o h0 -> o = (s, INR s * L) /\ (1 <= s)%nat) ->
            gotu alg [] (rev h0) = s -> gotv alg [] (rev h0) = INR s * L ->
            exists js w x n y, (forall o, In o js -> (1 <= fst o <= m)%nat /\
                      INR (fst o) * L <= snd o <= INR (fst o) * U) /\
              (exists pre, js = pre ++ repeat (w, x) n) /\ 0 <= y <= INR n /\ y * INR w <= INR c /\
              rho * gotv alg [] js < y * x).
  { intros h0 H0 Hu Hv.
    destruct (staircase_lower (fun g => alg (g ++ h0)) m k q (INR s * L) (INR m * L) (INR m * U) rho')
      as (v & t & Hvr & H); auto.
    - destruct (Nat.eq_dec s 0) as [E|E]; [right|left].
      + destruct (Nat.eq_dec q 0) as [Z|Z]; [exfalso|lia]. rewrite E, Z in HN. unfold N in HN. lia.
      + apply Rmult_lt_0_compat; auto. apply lt_0_INR. lia.
    - intros v n. assert (O := Hobey (rev h0 ++ inst m k v n)).
      rewrite gotu_app, Hu, rev_involutive, app_nil_r in O.
      rewrite <- (app_nil_l h0) in O. rewrite gotu_after in O.
      rewrite (gotu_equal _ m) in O.
      + assert ((gotn (fun g => alg (g ++ h0)) [] (inst m k v n) < q + 1)%nat); [|lia].
        apply Nat.mul_lt_mono_pos_l with m; [lia|]. unfold N in HN. lia.
      + intros o Ho. destruct (inst_offers _ _ _ _ _ Ho) as (i & _ & ->). reflexivity.
    - assert (In_js : forall o, In o (rev h0 ++ inst m k v (S t)) ->
        (1 <= fst o <= m)%nat /\ INR (fst o) * L <= snd o <= INR (fst o) * U).
      { intros o Ho. apply in_app_or in Ho. destruct Ho as [Ho|Ho].
        - apply in_rev, H0 in Ho. destruct Ho as [-> ?]. cbn [fst snd]. split; [lia|]. split; [lra|auto].
        - destruct (inst_offers _ _ _ _ _ Ho) as (i & Hi & ->). cbn [fst snd]. split; [lia|]. apply Hvr. lia. }
      exists (rev h0 ++ inst m k v (S t)), m, (v t), k, (INR c / INR m).
      split; [exact In_js|]. split; [exists (rev h0 ++ inst m k v t); simpl; rewrite app_assoc; reflexivity|].
      split; [split|split].
      + apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat, Hmp.
      + apply Rmult_le_reg_r with (INR m); auto. replace (INR c / INR m * INR m) with (INR c) by (field; lra). exact Hckm.
      + right. field. lra.
      + rewrite gotv_app, Hv, rev_involutive, app_nil_r.
        rewrite <- (app_nil_l h0) at 1. rewrite gotv_after.
        apply Rmult_lt_reg_l with (INR k * INR m / INR c).
        * apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; auto|apply Rinv_0_lt_compat, Hc].
        * replace (INR k * INR m / INR c * (INR c / INR m * v t)) with (INR k * v t) by (field; split; lra).
          eapply Rle_lt_trans; [right|exact H]. unfold rho'. field. lra. }
  destruct (Nat.eq_dec s 0) as [E|E].
  - apply (Main []); simpl; [tauto|auto|]. rewrite E. simpl. ring.
  - destruct (alg [(s, INR s * L)]) eqn:A.
    + apply (Main [(s, INR s * L)]).
      * intros o [<-|[]]. split; [reflexivity|lia].
      * simpl. rewrite A. lia.
      * simpl. rewrite A. simpl. ring.
    + exists [(s, INR s * L)], s, (INR s * L), 1%nat, 1. repeat split.
      * destruct H as [<-|[]]. cbn [fst]. lia.
      * destruct H as [<-|[]]. cbn [fst]. lia.
      * destruct H as [<-|[]]. cbn [fst snd]. lra.
      * destruct H as [<-|[]]. cbn [fst snd]. auto.
      * exists []. reflexivity.
      * lra.
      * simpl. lra.
      * rewrite Rmult_1_l. apply le_INR. unfold N in HN. lia.
      * simpl. rewrite A. assert (0 < INR s * L); [|lra].
        apply Rmult_lt_0_compat; auto. apply lt_0_INR; lia.
Qed.

(* T15 *)
Definition whole (xs : shared_offers) : Prop := forall w u x, In (w, u, x) xs -> x = 0 \/ x = 1.
Definition spares (c : nat) (p : R) (acc : nat -> nat -> R -> bool) : Prop := forall g w u,
  (acc g w u = true -> (g + w <= c)%nat /\ ((g = 1 /\ w = 1)%nat -> p <= u)) /\
  (acc g w u = false -> (c < g + w)%nat \/ ((g = 1 /\ w = 1)%nat /\ u <= p)).

Lemma first_take acc g xs :
  (loads acc g xs = g /\ sells acc g xs = 0 /\ forall w u x, In (w, u, x) xs -> acc g w u = false) \/
  exists pre w u x post, xs = pre ++ (w, u, x) :: post /\ acc g w u = true /\
    (forall w' u' x', In (w', u', x') pre -> acc g w' u' = false) /\
    sells acc g xs = u + sells acc (g + w) post.
Proof.
  induction xs as [|[[w u] x] xs IH]; [left; repeat split; simpl; tauto|].
  destruct (acc g w u) eqn:A.
  - right. exists [], w, u, x, xs. repeat split; auto; [simpl; tauto|]. simpl. rewrite A. reflexivity.
  - destruct IH as [(I1 & I2 & I3)|(pre & w' & u' & x' & post & E & B & C & D)].
    + left. simpl. rewrite A. repeat split; auto. intros w' u' x' [[= <- <- <-]|H]; [auto|apply (I3 _ _ _ H)].
    + right. exists ((w, u, x) :: pre), w', u', x', post. rewrite E. repeat split; auto.
      * intros w1 u1 x1 [[= <- <- <-]|H]; [auto|apply (C _ _ _ H)].
      * simpl. rewrite A, <- E. exact D.
Qed.

Lemma offers_app f xs ys : weighed f (xs ++ ys) = weighed f xs + weighed f ys.
Proof. induction xs as [|[[w u] x] xs IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma total_nonneg f xs : (forall w u x, In (w, u, x) xs -> 0 <= x /\ 0 <= f w u) -> 0 <= weighed f xs.
Proof.
  induction xs as [|[[w u] x] xs IH]; intros H; simpl; [lra|].
  destruct (H w u x (or_introl eq_refl)) as [A B]. assert (0 <= x * f w u) by (apply Rmult_le_pos; auto).
  assert (0 <= weighed f xs) by (apply IH; intros; apply (H w0 u0 x0); right; auto). lra.
Qed.
Lemma total_below f h xs : (forall w u x, In (w, u, x) xs -> 0 <= x /\ f w u <= h w u) -> weighed f xs <= weighed h xs.
Proof.
  induction xs as [|[[w u] x] xs IH]; intros H; simpl; [lra|].
  destruct (H w u x (or_introl eq_refl)) as [A B]. assert (x * f w u <= x * h w u) by (apply Rmult_le_compat_l; auto).
  assert (weighed f xs <= weighed h xs) by (apply IH; intros; apply (H w0 u0 x0); right; auto). lra.
Qed.
Lemma total_linear a b xs f h : weighed (fun w u => a * f w u + b * h w u) xs = a * weighed f xs + b * weighed h xs.
Proof. induction xs as [|[[w u] x] xs IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Section Spare.
  Variables (c : nat) (L U : R).
  Let m := (c - 1)%nat.
  Let rho := INR (c - 1) * U / (2 * L).
  Let p := rho / (rho - 1) * L.
  Hypothesis c3 : (3 <= c)%nat.
  Hypothesis L_pos : 0 < L.
  Hypothesis L_U : L < U.
  Hypothesis large : INR c + 1 <= rho.

  Lemma rho_U : 2 * L * rho = INR m * U.
  Proof. unfold rho, m. field. lra. Qed.
  Lemma c_real : 3 <= INR c.
  Proof. replace 3 with (INR 3) by (simpl; ring). apply le_INR, c3. Qed.
  Lemma m_real : INR m = INR c - 1.
  Proof. unfold m. rewrite minus_INR by lia. simpl. ring. Qed.
  Lemma p_eq : (rho - 1) * p = rho * L.
  Proof. unfold p. assert (C := c_real). field. lra. Qed.
  Lemma p_more : L <= p.
  Proof.
    assert (C := c_real). apply Rmult_le_reg_l with (rho - 1); [lra|]. rewrite p_eq.
    replace ((rho - 1) * L) with (rho * L - L) by ring. lra.
  Qed.

  (* big bundles: those of m units *)
  Definition is_whole (w : nat) (u : R) : R := if (w =? m)%nat then 1 else 0.
  Lemma big_whole xs : whole xs -> exists b : nat, weighed is_whole xs = INR b.
  Proof.
    induction xs as [|[[w u] x] xs IH]; intros W; [exists 0%nat; reflexivity|].
    destruct IH as [b E]; [intros w' u' x' H; apply (W w' u' x'); right; auto|]. simpl. rewrite E. unfold is_whole.
    destruct (W w u x (or_introl eq_refl)) as [->| ->], (w =? m)%nat.
    - exists b. ring.
    - exists b. ring.
    - exists (S b). rewrite S_INR. ring.
    - exists b. ring.
  Qed.
  (* whatever is not big is worth M per unit at most: at most c M, or one big bundle and one unit *)
  Lemma one_big xs M : 0 <= M -> whole xs -> (forall w u x, In (w, u, x) xs -> 0 <= x /\ (1 <= w)%nat /\
      ((w = m /\ u <= INR m * U) \/ (w <> m /\ u <= INR w * M))) ->
    weighed (fun w _ => INR w) xs <= INR c ->
    weighed (fun w u => u) xs <= INR c * M \/ weighed (fun w u => u) xs <= INR m * U + M.
  Proof.
    intros HM W H C. destruct (big_whole xs W) as [b Eb]. assert (MR := m_real). assert (CR := c_real).
    set (rest := fun (w : nat) (u : R) => if (w =? m)%nat then 0 else INR w).
    assert (E1 : weighed (fun w _ => INR w) xs = INR m * weighed is_whole xs + 1 * weighed rest xs).
    { rewrite <- total_linear. clear. induction xs as [|[[w u] x] xs IH]; simpl; [reflexivity|]. rewrite IH. f_equal. f_equal.
      unfold is_whole, rest. destruct (Nat.eqb_spec w m) as [->|]; ring. }
    assert (E2 : weighed (fun w u => u) xs <= INR m * U * weighed is_whole xs + M * weighed rest xs).
    { rewrite <- total_linear. apply total_below. intros w u x Hin. destruct (H w u x Hin) as (A & B & D). split; [exact A|].
      unfold is_whole, rest. destruct (Nat.eqb_spec w m) as [->|Ne]; destruct D as [[D1 D2]|[D1 D2]]; try congruence; lra. }
    assert (R0 : 0 <= weighed rest xs).
    { apply total_nonneg. intros w u x Hin. destruct (H w u x Hin) as (A & _). split; [exact A|]. unfold rest.
      destruct (_ =? _)%nat; [lra|apply pos_INR]. }
    rewrite E1, Eb in C. rewrite Eb in E2. rewrite MR in *. destruct b as [|[|b]].
    - left. simpl in *. assert (M * weighed rest xs <= M * INR c) by (apply Rmult_le_compat_l; lra). lra.
    - right. simpl in *. assert (M * weighed rest xs <= M * 1) by (apply Rmult_le_compat_l; lra). lra.
    - exfalso. rewrite !S_INR in C. assert (B0 := pos_INR b).
      assert (0 <= (INR c - 1) * INR b) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Variable acc : nat -> nat -> R -> bool.
  Hypothesis rule : spares c p acc.

  Lemma refused_at_0 w u : (1 <= w <= m)%nat -> acc 0%nat w u = false -> False.
  Proof. intros Hw A. destruct (proj2 (rule 0%nat w u) A) as [B|[[B _] _]]; unfold m in *; lia. Qed.
  Lemma refused_at_1 w u : (1 <= w <= m)%nat -> acc 1%nat w u = false -> w = 1%nat /\ u <= p.
  Proof. intros Hw A. destruct (proj2 (rule 1%nat w u) A) as [B|[[_ B] D]]; [unfold m in *; lia|auto]. Qed.
  Lemma refused_at_2 w u : (1 <= w <= m)%nat -> acc 2%nat w u = false -> w = m.
  Proof. intros Hw A. destruct (proj2 (rule 2%nat w u) A) as [B|[[B _] _]]; unfold m in *; lia. Qed.

  Lemma sells_nonneg g xs : offers_bounded m L U xs -> 0 <= sells acc g xs.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g O; simpl; [lra|].
    assert (O' : offers_bounded m L U xs) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
    destruct (O w u x (or_introl eq_refl)) as (W & [V _] & _). assert (W0 := pos_INR w).
    assert (0 <= INR w * L) by (apply Rmult_le_pos; lra).
    destruct (acc g w u); [assert (X := IH (g + w)%nat O'); lra|apply IH, O'].
  Qed.
  Lemma unit_worth w u x xs : offers_bounded m L U xs -> In (w, u, x) xs -> INR w * L <= u /\ u <= INR w * U.
  Proof. intros O H. destruct (O w u x H) as (_ & V & _). lra. Qed.

  (* with three units at L and more it is well *)
  Lemma enough xs : offers_bounded m L U xs -> weighed (fun w _ => INR w) xs <= INR c -> 3 * L <= sells acc 0%nat xs ->
    weighed (fun w u => u) xs <= rho * sells acc 0%nat xs.
  Proof.
    intros O C S. assert (CR := c_real). assert (MR := m_real).
    apply Rle_trans with (U * weighed (fun w _ => INR w) xs).
    - replace (U * weighed (fun w _ => INR w) xs) with (U * weighed (fun w _ => INR w) xs + 0 * weighed (fun w u => u) xs) by ring.
      rewrite <- total_linear. apply total_below. intros w u x H. destruct (O w u x H) as (_ & V & X). lra.
    - apply Rle_trans with (U * INR c); [apply Rmult_le_compat_l; lra|].
      apply Rle_trans with (rho * (3 * L)); [|apply Rmult_le_compat_l; lra].
      assert (R := rho_U). rewrite MR in R.
      assert (0 <= (INR c - 3) * U) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma parts f pre a post : weighed f (pre ++ a :: post) = weighed f pre + (weighed f [a] + weighed f post).
  Proof. rewrite offers_app. change (a :: post) with ([a] ++ post). rewrite offers_app. reflexivity. Qed.

  Theorem spare_competitive xs : offers_bounded m L U xs -> whole xs -> weighed (fun w _ => INR w) xs <= INR c ->
    weighed (fun w u => u) xs <= rho * sells acc 0%nat xs.
  Proof.
    intros O W C. assert (CR := c_real). assert (MR := m_real). assert (RU := rho_U). assert (PE := p_eq).
    assert (PM := p_more).
    destruct (first_take acc 0%nat xs) as [(_ & _ & R0)|(pre & w0 & u0 & x0 & post & E & A0 & R0 & S0)].
    { destruct xs as [|[[w u] x] xs]; [simpl; lra|exfalso].
      destruct (O w u x (or_introl eq_refl)) as (Hw & _). apply (refused_at_0 w u Hw (R0 w u x (or_introl eq_refl))). }
    destruct pre as [|[[w u] x] pre].
    2: { exfalso. destruct (O w u x) as (Hw & _); [rewrite E; left; reflexivity|].
         apply (refused_at_0 w u Hw (R0 w u x (or_introl eq_refl))). }
    simpl in E, S0.
    assert (Hin : forall a, In a post -> In a xs) by (intros a H; rewrite E; right; exact H).
    assert (Op : offers_bounded m L U post) by (intros w u x H; apply (O w u x), Hin, H).
    destruct (O w0 u0 x0) as (Hw0 & [V0 V0'] & X0); [rewrite E; left; reflexivity|].
    assert (P0 := sells_nonneg w0 post Op).
    destruct (le_lt_dec 3 w0) as [L3|L3].
    { apply enough; auto. rewrite S0. assert (3 * L <= INR w0 * L); [|lra].
      apply Rmult_le_compat_r; [lra|]. replace 3 with (INR 3) by (simpl; ring). apply le_INR, L3. }
    destruct (Nat.eq_dec w0 2) as [->|N2].
    - (* a bundle of two first *)
      simpl in V0. destruct (first_take acc 2%nat post) as [(_ & Z2 & R2)|(pre & w1 & u1 & x1 & post1 & E1 & A1 & R1 & S1)].
      + assert (Big : forall w u x, In (w, u, x) post -> w = m).
        { intros w u x H. destruct (Op w u x H) as (Hw & _). apply (refused_at_2 w u Hw (R2 w u x H)). }
        rewrite S0, Z2. destruct (big_whole post) as [b Eb]; [intros w u x H; apply (W w u x), Hin, H|].
        assert (Ew : weighed (fun w _ => INR w) post = INR m * weighed is_whole post).
        { replace (INR m * weighed is_whole post) with (INR m * weighed is_whole post + 0 * weighed is_whole post) by ring.
          rewrite <- total_linear. clear - Big. induction post as [|[[w u] x] ys IH]; simpl; [reflexivity|].
          rewrite IH by (intros w' u' x' H'; apply (Big w' u' x'); right; exact H'). f_equal. f_equal. unfold is_whole.
          rewrite (Big w u x (or_introl eq_refl)), Nat.eqb_refl. ring. }
        assert (Eu : weighed (fun w u => u) post <= INR m * U * weighed is_whole post).
        { replace (INR m * U * weighed is_whole post) with (INR m * U * weighed is_whole post + 0 * weighed is_whole post) by ring.
          rewrite <- total_linear. apply total_below. intros w u x H. destruct (Op w u x H) as (_ & V & X).
          unfold is_whole. assert (Ew' := Big w u x H). subst w. rewrite Nat.eqb_refl. lra. }
        rewrite E in C |- *. simpl in C. cbn [weighed]. rewrite Ew, Eb in C. rewrite Eb in Eu.
        destruct (W 2%nat u0 x0) as [->| ->]; [rewrite E; left; reflexivity| |].
        * assert (b <= 1)%nat.
          { destruct b as [|[|b]]; auto. exfalso. rewrite !S_INR in C. assert (B0 := pos_INR b). rewrite MR in C.
            assert (0 <= (INR c - 1) * INR b) by (apply Rmult_le_pos; lra). lra. }
          assert (INR b <= 1) by (replace 1 with (INR 1) by reflexivity; apply le_INR; auto).
          assert (INR m * U * INR b <= INR m * U * 1) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]).
          assert (rho * (2 * L) <= rho * u0) by (apply Rmult_le_compat_l; lra). lra.
        * assert (b = 0)%nat.
          { destruct b as [|b]; auto. exfalso. rewrite S_INR in C. assert (B0 := pos_INR b). rewrite MR in C.
            assert (0 <= (INR c - 1) * INR b) by (apply Rmult_le_pos; lra). lra. }
          subst b. simpl in Eu. assert (1 * u0 <= rho * u0) by (apply Rmult_le_compat_r; lra). lra.
      + apply enough; auto. rewrite S0, S1. destruct (Op w1 u1 x1) as (Hw1 & [V1 _] & _).
        { rewrite E1. apply in_or_app. right. left. reflexivity. }
        assert (One : 1 * L <= INR w1 * L).
        { apply Rmult_le_compat_r; [lra|]. replace 1 with (INR 1) by reflexivity. apply le_INR. lia. }
        assert (Op1 : offers_bounded m L U post1).
        { intros w u x H. apply (Op w u x). rewrite E1. apply in_or_app. right. right. exact H. }
        assert (P1 := sells_nonneg (2 + w1) post1 Op1). lra.
    - (* a unit first *)
      assert (w0 = 1%nat) by lia. subst w0. simpl in V0, V0'.
      assert (Ref1 : forall w u x, In (w, u, x) post -> acc 1%nat w u = false -> w = 1%nat /\ u <= p).
      { intros w u x H A. destruct (Op w u x H) as (Hw & _). apply (refused_at_1 w u Hw A). }
      assert (X1 := Rmax_l u0 p). assert (X2 := Rmax_r u0 p).
      destruct (first_take acc 1%nat post) as [(_ & Z1 & R1)|(pre & w1 & u1 & x1 & post1 & E1 & A1 & R1 & S1)].
      + (* only units, refused *)
        rewrite S0, Z1. apply Rle_trans with (INR c * Rmax u0 p).
        * apply Rle_trans with (Rmax u0 p * weighed (fun w _ => INR w) xs).
          -- replace (Rmax u0 p * weighed (fun w _ => INR w) xs) with
               (Rmax u0 p * weighed (fun w _ => INR w) xs + 0 * weighed (fun w u => u) xs) by ring.
             rewrite <- total_linear. apply total_below. intros w u x H. destruct (O w u x H) as (_ & _ & X). split; [lra|].
             rewrite E in H. destruct H as [[= <- <- <-]|H]; [simpl; lra|].
             destruct (Ref1 w u x H (R1 w u x H)) as [-> Hu]. simpl. lra.
          -- rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
        * destruct (Rle_dec p u0) as [G|G].
          -- rewrite Rmax_left by auto. rewrite Rplus_0_r. apply Rmult_le_compat_r; lra.
          -- rewrite Rmax_right by lra. rewrite Rplus_0_r. apply Rle_trans with (rho * L); [|apply Rmult_le_compat_l; lra].
             rewrite <- PE. apply Rmult_le_compat_r; lra.
      + assert (Hin1 : In (w1, u1, x1) post) by (rewrite E1; apply in_or_app; right; left; reflexivity).
        destruct (Op w1 u1 x1 Hin1) as (Hw1 & [V1 V1'] & _).
        assert (Op1 : offers_bounded m L U post1).
        { intros w u x H. apply (Op w u x). rewrite E1. apply in_or_app. right. right. exact H. }
        assert (P1 := sells_nonneg (1 + w1) post1 Op1).
        destruct (le_lt_dec 2 w1) as [L2|L2].
        { apply enough; auto. rewrite S0, S1. assert (2 * L <= INR w1 * L); [|lra].
          apply Rmult_le_compat_r; [lra|]. replace 2 with (INR 2) by (simpl; ring). apply le_INR, L2. }
        assert (w1 = 1%nat) by lia. subst w1. simpl in V1.
        assert (Hp : p <= u1) by (apply (proj1 (rule 1%nat 1%nat u1)); auto).
        destruct (first_take acc 2%nat post1) as [(_ & Z2 & R2)|(pre2 & w2 & u2 & x2 & post2 & E2 & A2 & R2 & S2)].
        * (* two units, then only big bundles are refused *)
          rewrite S0, S1. change (1 + 1)%nat with 2%nat. rewrite Z2.
          set (M := Rmax u0 u1). assert (M0 := Rmax_l u0 u1). assert (M1 := Rmax_r u0 u1). fold M in M0, M1.
          assert (MS : M <= u0 + u1 - L) by (unfold M; apply Rmax_lub; lra).
          destruct (one_big xs M) as [B|B]; auto; [lra| | |].
          -- intros w u x H. destruct (O w u x H) as (Hw & V & X). split; [lra|]. split; [lia|].
             destruct (Nat.eq_dec w m) as [->|Ne]; [left; split; [reflexivity|lra]|right; split; [exact Ne|]].
             rewrite E in H. destruct H as [[= <- <- <-]|H]; [simpl; lra|].
             rewrite E1 in H. apply in_app_or in H. destruct H as [H|[[= <- <- <-]|H]].
             ++ destruct (Ref1 w u x) as [-> Hu].
                ** rewrite E1. apply in_or_app. left. exact H.
                ** apply (R1 w u x H).
                ** simpl. lra.
             ++ simpl. lra.
             ++ exfalso. apply Ne. destruct (Op1 w u x H) as (Hw' & _). apply (refused_at_2 w u Hw' (R2 w u x H)).
          -- eapply Rle_trans; [exact B|]. apply Rle_trans with (rho * M); [apply Rmult_le_compat_r; lra|].
             apply Rmult_le_compat_l; lra.
          -- eapply Rle_trans; [exact B|]. rewrite <- RU.
             assert (Q : 2 * L * rho + M <= rho * (u0 + u1)); [|lra].
             assert (F : rho * L <= (rho - 1) * u1) by (rewrite <- PE; apply Rmult_le_compat_l; lra).
             unfold M. destruct (Rle_dec u0 u1) as [G|G].
             ++ rewrite Rmax_right by auto. assert (rho * L <= rho * u0) by (apply Rmult_le_compat_l; lra). lra.
             ++ rewrite Rmax_left by lra.
                assert ((rho - 1) * u1 <= (rho - 1) * u0) by (apply Rmult_le_compat_l; lra).
                assert (rho * L <= rho * u1) by (apply Rmult_le_compat_l; lra). lra.
        * apply enough; auto. rewrite S0, S1. change (1 + 1)%nat with 2%nat. rewrite S2.
          destruct (Op1 w2 u2 x2) as (Hw2 & [V2 _] & _); [rewrite E2; apply in_or_app; right; left; reflexivity|].
          assert (One : 1 * L <= INR w2 * L).
          { apply Rmult_le_compat_r; [lra|]. replace 1 with (INR 1) by reflexivity. apply le_INR. lia. }
          assert (Op2 : offers_bounded m L U post2).
          { intros w u x H. apply (Op1 w u x). rewrite E2. apply in_or_app. right. right. exact H. }
          assert (P2 := sells_nonneg (2 + w2) post2 Op2). lra.
  Qed.
End Spare.

Theorem spare_optimal (alg : list offer -> bool) (c : nat) (L U rho : R) :
  (3 <= c)%nat -> 0 < L -> L <= U -> within_capacity alg c -> 0 <= rho -> rho < INR (c - 1) * U / (2 * L) ->
  exists js w x, (forall o, In o js -> (1 <= fst o <= c - 1)%nat /\
                    INR (fst o) * L <= snd o <= INR (fst o) * U) /\
    (exists pre, js = pre ++ [(w, x)]) /\ (w <= c)%nat /\ rho * gotv alg [] js < x.
Proof.
  intros Hc HL HU Ho H0 H. apply (big_bundle_lower alg c (c - 1) L U rho); auto; [lia|].
  replace (c - (c - 1) + 1)%nat with 2%nat by lia. exact H.
Qed.

Lemma none_taken alg v x n : forall h, (gotu alg h (repeat (v, x) n) < v)%nat -> gotv alg h (repeat (v, x) n) = 0.
Proof.
  induction n as [|n IH]; intros h H; [reflexivity|]. simpl in *. destruct (alg ((v, x) :: h)); [lia|].
  rewrite IH by lia. ring.
Qed.

Theorem blocked_lower (alg : list offer -> bool) (c m w v n : nat) (L U rho : R) :
  (1 <= w <= m)%nat -> (1 <= v <= m)%nat -> (m <= c)%nat -> (c < w + v)%nat -> (n * v <= c)%nat -> 0 < L -> L <= U ->
  within_capacity alg c -> 0 <= rho -> rho < INR (n * v) * U / (INR w * L) ->
  exists js y x k, (forall o, In o js -> (1 <= fst o <= m)%nat /\
                    INR (fst o) * L <= snd o <= INR (fst o) * U) /\
    (exists pre, js = pre ++ repeat (y, x) k) /\ (k * y <= c)%nat /\ rho * gotv alg [] js < INR k * x.
Proof.
  intros Hw Hv Hm Hb Hn HL HU Ho H0 H.
  assert (W : 0 < INR w) by (apply lt_0_INR; lia).
  assert (Wl : 0 < INR w * L) by (apply Rmult_lt_0_compat; auto).
  assert (Hlu : forall i, INR i * L <= INR i * U) by (intros; apply Rmult_le_compat_l; [apply pos_INR|auto]).
  destruct (alg [(w, INR w * L)]) eqn:A.
  - exists ([(w, INR w * L)] ++ repeat (v, INR v * U) n), v, (INR v * U), n.
    split; [|split; [|split]].
    + intros o Hin. apply in_app_or in Hin. destruct Hin as [[<-|[]]|Hin].
      * cbn [fst snd]. split; [lia|]. split; [lra|apply Hlu].
      * apply repeat_spec in Hin. subst o. cbn [fst snd]. split; [lia|]. split; [apply Hlu|lra].
    + exists [(w, INR w * L)]. reflexivity.
    + exact Hn.
    + assert (B := Ho ([(w, INR w * L)] ++ repeat (v, INR v * U) n)). simpl in B |- *. rewrite A in *. cbn [fst snd] in *.
      rewrite none_taken by lia. rewrite mult_INR in H.
      apply Rmult_lt_reg_r with (/ (INR w * L)); [apply Rinv_0_lt_compat, Wl|].
      replace (rho * (INR w * L + 0) * / (INR w * L)) with rho by (field; lra).
      replace (INR n * (INR v * U) * / (INR w * L)) with (INR n * INR v * U / (INR w * L)) by (field; lra). exact H.
  - exists [(w, INR w * L)], w, (INR w * L), 1%nat. split; [|split; [|split]].
    + intros o [<-|[]]. cbn [fst snd]. split; [lia|]. split; [lra|apply Hlu].
    + exists []. reflexivity.
    + lia.
    + simpl. rewrite A. lra.
Qed.

(* take whatever fits: the optimum has what the rule has, and bundles that did not fit *)
Definition blocked (c m g b : nat) : Prop := forall ws, (forall w, In w ws -> (c < g + w)%nat /\ (w <= m)%nat) ->
  (list_sum ws <= c)%nat -> (list_sum ws <= b)%nat.
Definition first_fit (c : nat) (g w : nat) (u : R) : bool := (g + w <=? c)%nat.
(* the sizes of what the optimum takes and the rule does not *)
Fixpoint missed (acc : nat -> nat -> R -> bool) (g : nat) (xs : shared_offers) : list nat := match xs with
  | [] => []
  | (w, u, x) :: rest => if acc g w u then missed acc (g + w) rest
                         else (if Req_EM_T x 0 then [] else [w]) ++ missed acc g rest
  end.

Section FirstFit.
  Variables (c m : nat) (L U : R).
  Hypothesis L_pos : 0 < L.
  Let acc := first_fit c.

  Lemma loads_grow g xs : (g <= loads acc g xs)%nat.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g; simpl; [lia|].
    destruct (acc g w u); [specialize (IH (g + w)%nat)|specialize (IH g)]; lia.
  Qed.
  Lemma missed_value g xs : offers_bounded m L U xs -> whole xs ->
    weighed (fun _ u => u) xs <= sells acc g xs + U * INR (list_sum (missed acc g xs)).
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g O W; simpl; [lra|].
    assert (O' : offers_bounded m L U xs) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
    assert (W' : whole xs) by (intros w' u' x' H; apply (W w' u' x'); right; exact H).
    destruct (O w u x (or_introl eq_refl)) as (Hw & [V V'] & X). assert (Hx := W w u x (or_introl eq_refl)).
    assert (W0 := pos_INR w). assert (0 <= INR w * L) by (apply Rmult_le_pos; lra).
    destruct (acc g w u); [assert (Y := IH (g + w)%nat O' W')|assert (Y := IH g O' W')].
    - assert (x * u <= 1 * u) by (apply Rmult_le_compat_r; lra). lra.
    - destruct (Req_EM_T x 0) as [->|Nx]; cbn [app list_sum fold_right];
        [fold (list_sum (missed acc g xs)); lra|].
      destruct Hx as [->| ->]; [congruence|]. fold (list_sum (missed acc g xs)). rewrite plus_INR. lra.
  Qed.
  Lemma missed_size g xs : offers_bounded m L U xs -> whole xs -> INR (list_sum (missed acc g xs)) <= weighed (fun w _ => INR w) xs.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g O W; simpl; [lra|].
    assert (O' : offers_bounded m L U xs) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
    assert (W' : whole xs) by (intros w' u' x' H; apply (W w' u' x'); right; exact H).
    destruct (O w u x (or_introl eq_refl)) as (_ & _ & X). assert (Hx := W w u x (or_introl eq_refl)).
    assert (W0 := pos_INR w). assert (0 <= x * INR w) by (apply Rmult_le_pos; lra).
    destruct (acc g w u); [assert (Y := IH (g + w)%nat O' W'); lra|assert (Y := IH g O' W')].
    destruct (Req_EM_T x 0) as [->|Nx]; cbn [app list_sum fold_right];
      [fold (list_sum (missed acc g xs)); lra|].
    destruct Hx as [->| ->]; [congruence|]. fold (list_sum (missed acc g xs)). rewrite plus_INR. lra.
  Qed.
  Lemma missed_unfit g xs w : offers_bounded m L U xs -> In w (missed acc g xs) -> (c < loads acc g xs + w)%nat /\ (w <= m)%nat.
  Proof.
    revert g. induction xs as [|[[w' u] x] xs IH]; intros g O H; simpl in H; [tauto|]. cbn [loads].
    assert (O' : offers_bounded m L U xs) by (intros w1 u1 x1 H1; apply (O w1 u1 x1); right; exact H1).
    destruct (O w' u x (or_introl eq_refl)) as (Hw & _ & _).
    destruct (acc g w' u) eqn:A; [apply IH; auto|].
    apply in_app_or in H. destruct H as [H|H]; [|apply IH; auto].
    destruct (Req_EM_T x 0); [destruct H|]. destruct H as [<-|[]]. split; [|lia].
    unfold acc, first_fit in A. apply Nat.leb_gt in A. assert (G := loads_grow g xs). lia.
  Qed.
  Lemma sells_loads g xs : offers_bounded m L U xs -> L * INR (loads acc g xs) <= sells acc g xs + L * INR g.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g O; simpl; [lra|].
    assert (O' : offers_bounded m L U xs) by (intros w1 u1 x1 H1; apply (O w1 u1 x1); right; exact H1).
    destruct (O w u x (or_introl eq_refl)) as (_ & [V _] & _).
    destruct (acc g w u); [assert (Y := IH (g + w)%nat O'); rewrite plus_INR in Y; lra|apply IH, O'].
  Qed.

  Theorem first_fit_competitive (b : nat -> nat) rho xs : 0 < U -> (m <= c)%nat -> 1 <= rho ->
    (forall g, blocked c m g (b g)) ->
    (forall g, (1 <= g)%nat -> INR (b g) * U <= (rho - 1) * (INR g * L)) ->
    offers_bounded m L U xs -> whole xs -> weighed (fun w _ => INR w) xs <= INR c ->
    weighed (fun _ u => u) xs <= rho * sells acc 0%nat xs.
  Proof.
    intros HU Hm Hr B H O W C. assert (V := missed_value 0%nat xs O W). assert (P := sells_loads 0%nat xs O). simpl in P.
    set (G := loads acc 0%nat xs) in *. set (ws := missed acc 0%nat xs) in *.
    assert (Unfit : forall w, In w ws -> (c < G + w)%nat /\ (w <= m)%nat) by (intros w Hw; apply missed_unfit; auto).
    assert (Hs : (list_sum ws <= b G)%nat).
    { apply (B G ws Unfit). apply INR_le. eapply Rle_trans; [apply missed_size; auto|exact C]. }
    destruct (Nat.eq_dec G 0) as [Z|N].
    - assert (E : list_sum ws = 0%nat).
      { destruct ws as [|w ws']; [reflexivity|]. destruct (Unfit w (or_introl eq_refl)). lia. }
      rewrite E in V. simpl in V. rewrite Z in P. simpl in P.
      assert (1 * sells acc 0%nat xs <= rho * sells acc 0%nat xs) by (apply Rmult_le_compat_r; lra). lra.
    - assert (X := H G ltac:(lia)). apply le_INR in Hs.
      assert (U * INR (list_sum ws) <= U * INR (b G)) by (apply Rmult_le_compat_l; lra).
      assert ((rho - 1) * (INR G * L) <= (rho - 1) * sells acc 0%nat xs) by (apply Rmult_le_compat_l; lra). lra.
  Qed.
End FirstFit.
