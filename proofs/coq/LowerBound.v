(** * T10 lower bounds: no deterministic rule on one resource of c units does better.

    [psum f n]     f 0 + ... + f (n-1)
    [offer]        (units, value): a job with one schedule
    [alg h]        a deterministic rule: h = the offers so far, newest first; take the newest?
    [gotv], [gotn], [gotu] alg h js: value, number and units taken from the list js after history h
    [within_capacity alg c]  the rule never holds more than c units
    [inst m k v n] the adversary: k offers (m, v 0), then k offers (m, v 1), ..., n levels

    T10 [lower_abstract]   c v_t <= rho (a_0 v_0 + ... + a_t v_t) for all t <= T and a_0 + ... <= c
                           force rho >= 1 + sum (1 - v_t/v_(t+1)); a_t may be fractional, hence the
                           expectation of a randomised rule
    T10 [log_lower_bound]  all bundles of m <= c units, k = floor(c/m): for rho < 1 + ln(U/L) some
                           instance with values in [L,U] ends in k equal offers, which all fit an
                           empty node (OPT >= k x), and rho P < k x.  m = 1: unit demand
    [mixture]      a randomised rule: deterministic rules with their probabilities; [expected]: the mean of
                   the value it takes
    T10 [log_lower_bound_randomised]  the same for the expected value of every randomised rule (the
                           adversary knows the probabilities, not the draws)
    T10 [big_bundle_lower] bundles up to m > c/2, values in [L,U] per unit: every
                           rho < m U/((c-m+1) L) fails.  m = c = 1: [one_unit_lower], rho < U/L *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Powers.
Import ListNotations.
Open Scope R_scope.

Fixpoint psum (f : nat -> R) (n : nat) : R :=       (* sum over i < n *)
  match n with O => 0 | S i => psum f i + f i end.

(* a_t = amount accepted in phase t (may be fractional, or an expectation) *)
Theorem lower_abstract (v a : nat -> R) (c rho : R) (T : nat) :
  0 < c ->
  (forall t, (t <= T)%nat -> 0 < v t) ->
  (forall t, (t < T)%nat -> v t <= v (S t)) ->
  (forall t, (t <= T)%nat -> c * v t <= rho * psum (fun i => a i * v i) (S t)) ->
  0 <= rho ->
  psum a (S T) <= c ->
  1 + psum (fun t => 1 - v t / v (S t)) T <= rho.
Proof.
  intros Hc Hv Hm Hr Hrho Ha.
  assert (Q : forall n, (n <= T)%nat ->
     c * psum (fun t => 1 - v t / v (S t)) n + rho * psum (fun i => a i * v i) (S n) / v n
       <= rho * psum a (S n)).
  { induction n; intros Hn.
    - assert (0 < v O) by (apply Hv; lia). simpl. right. field. lra.
    - assert (H0 : 0 < v n) by (apply Hv; lia). assert (H1 : 0 < v (S n)) by (apply Hv; lia).
      assert (H2 : v n <= v (S n)) by (apply Hm; lia).
      specialize (IHn ltac:(lia)). assert (H3 := Hr n ltac:(lia)).
      set (An := psum (fun i => a i * v i) (S n)) in *.
      change (psum (fun i => a i * v i) (S (S n))) with (An + a (S n) * v (S n)).
      change (psum a (S (S n))) with (psum a (S n) + a (S n)).
      change (psum (fun t => 1 - v t / v (S t)) (S n))
        with (psum (fun t => 1 - v t / v (S t)) n + (1 - v n / v (S n))).
      assert (Hd : 0 <= / v n - / v (S n)).
      { assert (/ v (S n) <= / v n) by (apply Rinv_le_contravar; auto). lra. }
      assert (K : c * v n * (/ v n - / v (S n)) <= rho * An * (/ v n - / v (S n)))
        by (apply Rmult_le_compat_r; auto).
      replace (c * v n * (/ v n - / v (S n))) with (c * (1 - v n / v (S n))) in K by (field; lra).
      replace (rho * (An + a (S n) * v (S n)) / v (S n))
        with (rho * An / v n - rho * An * (/ v n - / v (S n)) + rho * a (S n)) by (field; lra).
      lra. }
  specialize (Q T (le_n T)). assert (HT : 0 < v T) by (apply Hv; lia).
  assert (K : c <= rho * psum (fun i => a i * v i) (S T) / v T).
  { apply Rmult_le_reg_r with (v T); auto.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r. apply Hr; lia. }
  assert (J : rho * psum a (S T) <= rho * c) by (apply Rmult_le_compat_l; auto).
  apply Rmult_le_reg_l with c; auto. lra.
Qed.

Notation offer := (nat * R)%type.

Section Rule.
  Variable alg : list offer -> bool.
  Fixpoint gotv (h js : list offer) : R :=
    match js with [] => 0 | o :: t => (if alg (o :: h) then snd o else 0) + gotv (o :: h) t end.
  Fixpoint gotn (h js : list offer) : nat :=
    match js with [] => O | o :: t => ((if alg (o :: h) then 1 else 0) + gotn (o :: h) t)%nat end.
  Fixpoint gotu (h js : list offer) : nat :=
    match js with [] => O | o :: t => ((if alg (o :: h) then fst o else 0) + gotu (o :: h) t)%nat end.

  Lemma gotv_app h a b : gotv h (a ++ b) = gotv h a + gotv (rev a ++ h) b.
  Proof.
    revert h; induction a as [|x a IH]; intros h; simpl; [lra|].
    rewrite IH. rewrite <- app_assoc. simpl. lra.
  Qed.
  Lemma gotn_app h a b : gotn h (a ++ b) = (gotn h a + gotn (rev a ++ h) b)%nat.
  Proof.
    revert h; induction a as [|x a IH]; intros h; simpl; [lia|].
    rewrite IH. rewrite <- app_assoc. simpl. lia.
  Qed.
  Lemma gotu_app h a b : gotu h (a ++ b) = (gotu h a + gotu (rev a ++ h) b)%nat.
  Proof.
    revert h; induction a as [|x a IH]; intros h; simpl; [lia|].
    rewrite IH. rewrite <- app_assoc. simpl. lia.
  Qed.
  Lemma got_repeat o n : forall h, gotv h (repeat o n) = INR (gotn h (repeat o n)) * snd o.
  Proof.
    induction n as [|n IH]; intros h; [simpl; lra|].
    change (repeat o (S n)) with (o :: repeat o n).
    cbn [gotv gotn]. rewrite IH. rewrite plus_INR. destruct (alg (o :: h)); simpl; lra.
  Qed.
  Lemma gotu_equal m js : (forall o, In o js -> fst o = m) ->
    forall h, gotu h js = (m * gotn h js)%nat.
  Proof.
    induction js as [|o js IH]; intros Hm h; cbn [gotu gotn]; [lia|].
    rewrite IH by (intros; apply Hm; right; auto). rewrite (Hm o) by (left; auto).
    destruct (alg (o :: h)); lia.
  Qed.

  Variables m k : nat.
  Variable v : nat -> R.
  Fixpoint inst (n : nat) : list offer :=
    match n with O => [] | S i => inst i ++ repeat (m, v i) k end.
  Definition acc (t : nat) : R := INR (gotn (rev (inst t)) (repeat (m, v t) k)).

  Lemma inst_value n : gotv [] (inst n) = psum (fun i => acc i * v i) n.
  Proof.
    induction n; simpl; [reflexivity|]. rewrite gotv_app, IHn, app_nil_r, got_repeat. reflexivity.
  Qed.
  Lemma inst_count n : INR (gotn [] (inst n)) = psum acc n.
  Proof.
    induction n; simpl; [reflexivity|]. rewrite gotn_app, plus_INR, IHn, app_nil_r. reflexivity.
  Qed.
  Lemma inst_offers n o : In o (inst n) -> exists t, (t < n)%nat /\ o = (m, v t).
  Proof.
    induction n as [|n IH]; simpl; [tauto|]. intros H. apply in_app_or in H. destruct H as [H|H].
    - destruct (IH H) as (t & Ht & E). exists t; auto.
    - apply repeat_spec in H. exists n; auto.
  Qed.
End Rule.

Definition within_capacity (alg : list offer -> bool) (c : nat) : Prop := forall js, (gotu alg [] js <= c)%nat.

Lemma obeys_count alg c m k v n : (1 <= m)%nat -> within_capacity alg c ->
  (gotn alg [] (inst m k v n) <= c / m)%nat.
Proof.
  intros Hm Hobey. apply Nat.div_le_lower_bound; [lia|]. rewrite <- gotu_equal; [apply Hobey|].
  intros o Ho. destruct (inst_offers _ _ _ _ _ Ho) as (t & _ & ->). reflexivity.
Qed.

Lemma bounded_dec (P : nat -> Prop) (dec : forall t, {P t} + {~ P t}) T :
  (forall t, (t <= T)%nat -> P t) \/ (exists t, (t <= T)%nat /\ ~ P t).
Proof.
  induction T as [|T IH].
  - destruct (dec O) as [H|H]; [left; intros t Ht; replace t with O by lia; auto|right; exists O; auto].
  - destruct IH as [IH|(t & Ht & Hn)]; [|right; exists t; split; auto].
    destruct (dec (S T)) as [H|H]; [|right; exists (S T); auto].
    left. intros t Ht. destruct (Nat.eq_dec t (S T)) as [->|]; auto. apply IH; lia.
Qed.

(* a randomised rule is a distribution over deterministic ones *)
Notation mixture := (list (R * (list offer -> bool))).
Definition mean (f : (list offer -> bool) -> R) (ws : mixture) : R :=
  fold_right (fun w a => fst w * f (snd w) + a) 0 ws.
Definition expected (ws : mixture) (js : list offer) : R := mean (fun alg => gotv alg [] js) ws.
Definition distribution (ws : mixture) (c : nat) : Prop :=
  mean (fun _ => 1) ws = 1 /\ forall w, In w ws -> 0 <= fst w /\ within_capacity (snd w) c.

Lemma psum_zero n : psum (fun _ => 0) n = 0.
Proof. induction n; simpl; lra. Qed.
Lemma psum_linear x (f g : nat -> R) n : psum (fun t => x * f t + g t) n = x * psum f n + psum g n.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma mean_psum (f : (list offer -> bool) -> nat -> R) ws n :
  psum (fun t => mean (fun alg => f alg t) ws) n = mean (fun alg => psum (f alg) n) ws.
Proof.
  induction ws as [|w ws IH]; [apply psum_zero|].
  change (psum (fun t => fst w * f (snd w) t + mean (fun alg => f alg t) ws) n =
          fst w * psum (f (snd w)) n + mean (fun alg => psum (f alg) n) ws).
  rewrite psum_linear, IH. reflexivity.
Qed.
Lemma expected_inst ws m k v n :
  expected ws (inst m k v n) = psum (fun t => mean (fun alg => acc alg m k v t) ws * v t) n.
Proof.
  transitivity (mean (fun alg => psum (fun t => acc alg m k v t * v t) n) ws).
  - unfold expected, mean. induction ws as [|w ws IH]; simpl; [reflexivity|]. rewrite inst_value, IH. reflexivity.
  - rewrite <- (mean_psum (fun alg t => acc alg m k v t * v t)).
    induction n as [|n IHn]; simpl; [reflexivity|]. rewrite IHn. f_equal.
    unfold mean. clear. induction ws as [|w ws IH]; simpl; [lra|]. rewrite IH. ring.
Qed.
Lemma mean_count ws c m k v n : (1 <= m)%nat -> distribution ws c ->
  psum (fun t => mean (fun alg => acc alg m k v t) ws) n <= INR (c / m).
Proof.
  intros Hm [H1 Hw]. rewrite (mean_psum (fun alg t => acc alg m k v t)).
  rewrite <- (Rmult_1_l (INR (c / m))). rewrite <- H1. clear H1. unfold mean.
  induction ws as [|w ws IH]; simpl; [lra|]. destruct (Hw w (or_introl eq_refl)) as [P O].
  specialize (IH (fun x Hx => Hw x (or_intror Hx))). rewrite <- inst_count.
  assert (Q : INR (gotn (snd w) [] (inst m k v n)) <= INR (c / m)) by (apply le_INR, obeys_count; auto).
  assert (fst w * INR (gotn (snd w) [] (inst m k v n)) <= fst w * INR (c / m)) by (apply Rmult_le_compat_l; auto).
  lra.
Qed.

Theorem log_lower_bound_randomised (ws : mixture) (c m : nat) (L U rho : R) :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> distribution ws c ->
  0 <= rho -> rho < 1 + ln (U / L) ->
  exists js x, (forall o, In o js -> fst o = m /\ L <= snd o <= U) /\
    (exists pre, js = pre ++ repeat (m, x) (c / m)) /\
    rho * expected ws js < INR (c / m) * x.
Proof.
  intros Hm HL HU Hobey Hrho0 Hrho. set (k := (c / m)%nat).
  assert (Hk : (1 <= k)%nat) by (apply Nat.div_le_lower_bound; lia).
  set (b := ln (U / L)) in *.
  assert (HUL : 1 < U / L).
  { apply Rmult_lt_reg_r with L; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hb : 0 < b) by (unfold b; rewrite <- ln_1; apply ln_increasing; lra).
  assert (HkR : 0 < INR k) by (apply lt_0_INR; lia).
  (* T with 1 + b/(1 + b/T) > rho, i.e. T*b/(T+b) > rho-1 *)
  destruct (archimed ((Rabs (rho - 1)) * b / (1 + b - rho))) as [HT _].
  set (q := Rabs (rho - 1) * b / (1 + b - rho)) in *.
  assert (Hq0 : 0 <= q).
  { unfold q. apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rabs_pos|lra]|].
    left. apply Rinv_0_lt_compat. lra. }
  set (T := Z.to_nat (up q)).
  assert (HTq : q < INR T).
  { unfold T. rewrite INR_IZR_INZ, Z2Nat.id; auto. apply le_IZR. lra. }
  assert (HTp : 0 < INR T) by lra.
  assert (HT1 : (1 <= T)%nat).
  { destruct T; [simpl in HTp; lra|lia]. }
  set (r := root (U / L) T).
  assert (Hr1 : 1 <= r) by (apply root_ge1; [lra|lia]).
  set (v := fun t : nat => L * r ^ t).
  assert (Hv : forall t, 0 < v t) by (intros; unfold v; apply Rmult_lt_0_compat; auto; apply pow_lt; lra).
  assert (Hvr : forall t, (t <= T)%nat -> L <= v t <= U).
  { intros t Ht. unfold v. split.
    - assert (1 <= r ^ t) by (apply pow_ge1; auto).
      assert (L * 1 <= L * r ^ t) by (apply Rmult_le_compat_l; lra). lra.
    - replace U with (L * r ^ T).
      + apply Rmult_le_compat_l; [lra|]. apply pow_mono_exp; auto.
      + unfold r. rewrite root_pow; [field; lra|lra|lia]. }
  destruct (bounded_dec (fun t => INR k * v t <= rho * expected ws (inst m k v (S t)))
              (fun t => Rle_dec _ _) T) as [H|(t & Ht & Hn)].
  - exfalso.
    assert (A := lower_abstract v (fun t => mean (fun alg => acc alg m k v t) ws) (INR k) rho T HkR (fun t _ => Hv t)).
    assert (B : 1 + psum (fun t => 1 - v t / v (S t)) T <= rho).
    { apply A; auto.
      - intros t Ht. unfold v. apply Rmult_le_compat_l; [lra|]. apply pow_mono_exp; auto.
      - intros t Ht. rewrite <- expected_inst. apply H; auto.
      - apply mean_count; auto; lia. }
    assert (E : psum (fun t => 1 - v t / v (S t)) T = INR T * (1 - / r)).
    { clear - Hr1 HL. generalize T as n. induction n; [simpl; lra|].
      rewrite S_INR. simpl psum. rewrite IHn. unfold v. simpl pow.
      assert (0 < r ^ n) by (apply pow_lt; lra). field. lra. }
    rewrite E in B.
    assert (Hexp : 1 + b / INR T <= r) by (unfold r, root; fold b; apply exp_ineq1_le).
    assert (F : b / (INR T + b) <= 1 - / r).
    { assert (Hz : 0 < 1 + b / INR T).
      { assert (0 < b / INR T) by (apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto). lra. }
      assert (/ r <= / (1 + b / INR T)) by (apply Rinv_le_contravar; auto).
      replace (b / (INR T + b)) with (1 - / (1 + b / INR T)) by (field; lra). lra. }
    assert (G : INR T * (b / (INR T + b)) <= rho - 1).
    { eapply Rle_trans; [apply Rmult_le_compat_l; [lra|exact F]|]. lra. }
    assert (G' : INR T * b <= (rho - 1) * (INR T + b)).
    { apply Rmult_le_reg_r with (/ (INR T + b)); [apply Rinv_0_lt_compat; lra|].
      rewrite (Rmult_assoc (rho - 1)), Rinv_r by lra. lra. }
    assert (Hqq : q * (1 + b - rho) = Rabs (rho - 1) * b) by (unfold q; field; lra).
    assert (INR T * (1 + b - rho) <= Rabs (rho - 1) * b).
    { assert (rho - 1 <= Rabs (rho - 1)) by apply Rle_abs.
      assert ((rho - 1) * b <= Rabs (rho - 1) * b) by (apply Rmult_le_compat_r; lra). lra. }
    assert (q * (1 + b - rho) < INR T * (1 + b - rho)) by (apply Rmult_lt_compat_r; lra).
    lra.
  - exists (inst m k v (S t)), (v t). split; [|split; [exists (inst m k v t); reflexivity|lra]].
    intros o Ho. destruct (inst_offers _ _ _ _ _ Ho) as (i & Hi & ->). simpl. split; auto.
    apply Hvr. lia.
Qed.

Corollary log_lower_bound (alg : list offer -> bool) (c m : nat) (L U rho : R) :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> within_capacity alg c ->
  0 <= rho -> rho < 1 + ln (U / L) ->
  exists js x, (forall o, In o js -> fst o = m /\ L <= snd o <= U) /\
    (exists pre, js = pre ++ repeat (m, x) (c / m)) /\
    rho * gotv alg [] js < INR (c / m) * x.
Proof.
  intros Hm HL HU Hobey H0 Hrho.
  destruct (log_lower_bound_randomised [(1, alg)] c m L U rho) as (js & x & H1 & H2 & H3); auto.
  - split; [unfold mean; simpl; lra|]. intros w [<-|[]]. simpl. split; [lra|exact Hobey].
  - exists js, x. repeat split; auto; try (apply H1; auto). unfold expected, mean in H3. simpl in H3.
    replace (1 * gotv alg [] js + 0) with (gotv alg [] js) in H3 by ring. exact H3.
Qed.

Theorem big_bundle_lower (alg : list offer -> bool) (c m : nat) (L U rho : R) :
  (m <= c < 2 * m)%nat -> 0 < L -> L <= U -> within_capacity alg c ->
  0 <= rho -> rho < INR m * U / (INR (c - m + 1) * L) ->
  exists js w x, (forall o, In o js -> (1 <= fst o <= m)%nat /\
                    INR (fst o) * L <= snd o <= INR (fst o) * U) /\
    (exists pre, js = pre ++ [(w, x)]) /\ (w <= c)%nat /\   (* the last job alone fits: OPT >= x *)
    rho * gotv alg [] js < x.
Proof.
  intros Hm HL HU Hobey Hrho0 Hrho.
  set (w := (c - m + 1)%nat) in *. set (x := INR w * L). set (y := INR m * U).
  assert (Hw : 0 < INR w) by (apply lt_0_INR; unfold w; lia).
  assert (Hmp : 0 < INR m) by (apply lt_0_INR; lia).
  assert (Hx : 0 < x) by (apply Rmult_lt_0_compat; auto).
  assert (Hlu : forall n, INR n * L <= INR n * U) by (intros; apply Rmult_le_compat_l; [apply pos_INR|auto]).
  destruct (alg [(w, x)]) eqn:E.
  - exists [(w, x); (m, y)], m, y. repeat split; try lia.
    + destruct H as [<-|[<-|[]]]; simpl; unfold w; lia.
    + destruct H as [<-|[<-|[]]]; simpl; unfold w; lia.
    + destruct H as [<-|[<-|[]]]; simpl; unfold x, y; auto; lra.
    + destruct H as [<-|[<-|[]]]; simpl; unfold x, y; auto; lra.
    + exists [(w, x)]. reflexivity.
    + assert (Q := Hobey [(w, x); (m, y)]). simpl in Q. rewrite E in Q. simpl. rewrite E.
      destruct (alg [(m, y); (w, x)]); simpl in Q; [exfalso; unfold w in Q; lia|].
      assert (rho * x < y); [|simpl; lra].
      apply Rmult_lt_reg_r with (/ x); [apply Rinv_0_lt_compat; auto|].
      rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra. exact Hrho.
  - exists [(w, x)], w, x. repeat split; try (unfold w; lia).
    + destruct H as [<-|[]]; simpl; unfold w; lia.
    + destruct H as [<-|[]]; simpl; unfold w; lia.
    + destruct H as [<-|[]]; simpl; unfold x; lra.
    + destruct H as [<-|[]]; simpl; unfold x; auto.
    + exists []. reflexivity.
    + simpl. rewrite E. lra.
Qed.

Corollary one_unit_lower (alg : list offer -> bool) (L U rho : R) :
  0 < L -> L <= U -> within_capacity alg 1 -> 0 <= rho -> rho < U / L ->
  exists js x, (forall o, In o js -> fst o = 1%nat /\ L <= snd o <= U) /\
    (exists pre, js = pre ++ [(1%nat, x)]) /\ rho * gotv alg [] js < x.
Proof.
  intros HL HU Ho H0 Hr.
  destruct (big_bundle_lower alg 1 1 L U rho) as (js & w & x & H1 & [pre ->] & H3 & H4); auto; try lia.
  { simpl. rewrite !Rmult_1_l. exact Hr. }
  assert (Hin : forall o, In o (pre ++ [(w, x)]) -> fst o = 1%nat) by (intros o Hi; specialize (H1 o Hi); lia).
  assert (w = 1%nat) as -> by (apply (Hin (w, x)), in_or_app; right; left; auto).
  exists (pre ++ [(1%nat, x)]), x. repeat split; auto.
  - specialize (H1 o H). rewrite (Hin o H) in H1. simpl in H1. lra.
  - specialize (H1 o H). rewrite (Hin o H) in H1. simpl in H1. lra.
  - exists pre. reflexivity.
Qed.
