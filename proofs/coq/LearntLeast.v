(** * T18 Prices that learn L, the least value per unit: that costs nothing.

    The setting of T14, but the rule is not told L.  At the arrival of offer t it posts the table p t; tables fall as
    smaller values come, and each is made for the values so far.
    [sells_by], [loads_by]   as [sells] and [loads] of T14, with the table of each arrival
    [offered_by m L U t xs]  offer t, t + 1, ... has 1 to m units, worth more than L t and at most U per unit
    [obeys_tables c p acc]   acc t g w u: the rule takes offer t, a bundle (w, u) at load g; it takes what fits and is worth
                       more than w p(t,g), nothing that does not fit or is worth less

    T18 [learnt_tables]  any tables that do not fall with the load, are at least U from N = c - m + 1 on and, capped at U, fall with
                       time: if low t bounds from below what is paid for g units at the prices p t capped at U, and
                       c min(p t g, U) <= rho (low t g) wherever p t g > L t, then OPT <= rho P, OPT the fractional optimum
    [posted_falls]     the tables of T14 for one U fall with L: if c U = rho (least N) and c U = rho' (least' N) for L' <= L,
                       then rho <= rho' and posted' g <= posted g for g <= N
    T18 [learnt_least]  so the tables of T14 for the least value so far have OPT <= rho P, rho that of the least value of all:
                       what no rule can improve that is told L before, if m divides c (T14)
    T18 [learnt_doubling]  prices L_t 2^(cls g) for the least value so far, single units: 2 H n for U <= 2^n L and all n <= M at
                       once, as in T16; neither U nor L is told *)
From Coq Require Import Reals Lra Lia List Arith Bool.
From HadarTheory Require Import LowerBound MixedThreshold UnknownSpread.
Import ListNotations.
Open Scope R_scope.

Fixpoint sells_by (acc : nat -> nat -> nat -> R -> bool) (t g : nat) (xs : shared_offers) : R := match xs with
  | [] => 0
  | (w, u, _) :: rest => if acc t g w u then u + sells_by acc (S t) (g + w) rest else sells_by acc (S t) g rest
  end.
Fixpoint offered_by (m : nat) (L : nat -> R) (U : R) (t : nat) (xs : shared_offers) : Prop := match xs with
  | [] => True
  | (w, u, x) :: rest => ((1 <= w <= m)%nat /\ INR w * L t < u <= INR w * U /\ 0 <= x <= 1) /\ offered_by m L U (S t) rest
  end.
Definition obeys_tables (c : nat) (p : nat -> nat -> R) (acc : nat -> nat -> nat -> R -> bool) : Prop := forall t g w u,
  (acc t g w u = true -> (g + w <= c)%nat /\ INR w * p t g <= u) /\
  (acc t g w u = false -> (c < g + w)%nat \/ u <= INR w * p t g).

(* what the bundles that are taken are worth above and up to a price of l per unit *)
Fixpoint least_above (acc : nat -> nat -> nat -> R -> bool) (l : R) (t g : nat) (xs : shared_offers) : R := match xs with
  | [] => 0
  | (w, u, _) :: rest =>
      if acc t g w u then Rmax 0 (u - INR w * l) + least_above acc l (S t) (g + w) rest else least_above acc l (S t) g rest
  end.
Fixpoint least_upto (acc : nat -> nat -> nat -> R -> bool) (l : R) (t g : nat) (xs : shared_offers) : R := match xs with
  | [] => 0
  | (w, u, _) :: rest =>
      if acc t g w u then Rmin u (INR w * l) + least_upto acc l (S t) (g + w) rest else least_upto acc l (S t) g rest
  end.

Section Tables.
  Variables (c m : nat) (U rho : R) (L : nat -> R) (p low : nat -> nat -> R).
  Hypothesis m_c : (1 <= m <= c)%nat.
  Hypothesis rho1 : 1 <= rho.
  Hypothesis L_pos : forall t, 0 < L t.
  Let N := (c - m + 1)%nat.
  Let q (t g : nat) : R := Rmin (p t g) U.
  Hypothesis p_next : forall t g, p t g <= p t (S g).
  Hypothesis p_falls : forall t g, q (S t) g <= q t g.
  Hypothesis p_full : forall t, U <= p t N.
  Hypothesis low_zero : forall t, low t O = 0.
  Hypothesis low_step : forall t g w, (w <= m)%nat -> (g + w <= c)%nat -> low t (g + w)%nat <= low t g + INR w * q t g.
  Hypothesis p_rec : forall t g, (g <= c)%nat -> p t g <= L t \/ INR c * q t g <= rho * low t g.
  Variable acc : nat -> nat -> nat -> R -> bool.
  Hypothesis obeys_p : obeys_tables c p acc.

  Lemma q_up t g g' : (g <= g')%nat -> q t g <= q t g'.
  Proof.
    intros H. induction H as [|g' H IH]; [lra|]. apply Rle_trans with (q t g'); [exact IH|]. apply Rle_min_compat_r, p_next.
  Qed.
  Lemma q_down t t' g : (t <= t')%nat -> q t' g <= q t g.
  Proof. intros H. induction H as [|t' H IH]; [lra|]. apply Rle_trans with (q t' g); [apply p_falls|exact IH]. Qed.
  Lemma q_top t g : (N <= g)%nat -> q t g = U.
  Proof.
    intros H. apply Rle_antisym; [apply Rmin_r|]. apply Rle_trans with (q t N); [|apply q_up, H].
    apply Rmin_glb; [apply p_full|lra].
  Qed.

  Lemma taken_or_refused t g w u : (1 <= w <= m)%nat -> u <= INR w * U ->
    if acc t g w u then (g + w <= c)%nat /\ INR w * q t g <= u else u <= INR w * q t g.
  Proof.
    intros Hw Hu. assert (W := pos_INR w). destruct (obeys_p t g w u) as [H1 H2]. destruct (acc t g w u).
    - destruct (H1 eq_refl) as [F V]. split; [exact F|]. apply Rle_trans with (INR w * p t g); [|exact V].
      apply Rmult_le_compat_l; [exact W|apply Rmin_l].
    - destruct (H2 eq_refl) as [F|V].
      + rewrite q_top by (unfold N; lia). exact Hu.
      + unfold q, Rmin. destruct (Rle_dec (p t g) U); [exact V|exact Hu].
  Qed.

  Lemma above_upto l xs : forall t g, least_above acc l t g xs + least_upto acc l t g xs = sells_by acc t g xs.
  Proof.
    induction xs as [|[[w u] x] xs IH]; intros t g; simpl; [ring|]. destruct (acc t g w u); [|apply IH].
    rewrite <- IH. unfold Rmax, Rmin. destruct (Rle_dec 0 (u - INR w * l)), (Rle_dec u (INR w * l)); lra.
  Qed.
  Lemma above_nonneg l xs : forall t g, 0 <= least_above acc l t g xs.
  Proof.
    induction xs as [|[[w u] x] xs IH]; intros t g; simpl; [lra|]. destruct (acc t g w u); [|apply IH].
    assert (M := Rmax_l 0 (u - INR w * l)). specialize (IH (S t) (g + w)%nat). lra.
  Qed.
  Lemma upto_nonneg l xs : 0 <= l -> forall t g, offered_by m L U t xs -> 0 <= least_upto acc l t g xs.
  Proof.
    intros Hl. induction xs as [|[[w u] x] xs IH]; intros t g O; simpl; [lra|]. destruct O as ((W & V & X) & O).
    destruct (acc t g w u); [|apply IH, O]. assert (P := L_pos t). assert (W0 := pos_INR w).
    assert (0 <= INR w * L t) by (apply Rmult_le_pos; lra). assert (0 <= INR w * l) by (apply Rmult_le_pos; auto).
    assert (0 <= Rmin u (INR w * l)) by (apply Rmin_glb; lra). specialize (IH (S t) (g + w)%nat O). lra.
  Qed.
  Lemma share_above x y : 0 <= x <= 1 -> x * y <= Rmax 0 y.
  Proof.
    intros X. destruct (Rle_dec 0 y) as [Y|Y].
    - rewrite Rmax_right by exact Y. assert (x * y <= 1 * y) by (apply Rmult_le_compat_r; lra). lra.
    - rewrite Rmax_left by lra. assert (x * y <= x * 0) by (apply Rmult_le_compat_l; lra). lra.
  Qed.
  Lemma share_below x y : 0 <= x <= 1 -> y <= 0 -> x * y <= 0.
  Proof. intros X Y. assert (x * y <= x * 0) by (apply Rmult_le_compat_l; lra). lra. Qed.

  (* the highest price at which a bundle was refused, and what had been paid up to that price *)
  Lemma highest_refusal xs : forall t g, offered_by m L U t xs -> (g <= c)%nat ->
    (forall l, weighed (fun w u => u - INR w * l) xs <= least_above acc l t g xs) \/
    (exists t' g', (t <= t')%nat /\ (g <= g' <= c)%nat /\ L t' < q t' g' /\
      low t' g' - low t' g <= least_upto acc (q t' g') t g xs /\
      forall l, q t' g' <= l -> weighed (fun w u => u - INR w * l) xs <= least_above acc l t g xs).
  Proof.
    induction xs as [|[[w u] x] xs IH]; intros t g O Hg; [left; intros l; simpl; lra|].
    destruct O as ((W & V & X) & O). assert (T := taken_or_refused t g w u W (proj2 V)).
    assert (W1 : 0 < INR w) by (apply lt_0_INR; lia). simpl. destruct (acc t g w u).
    - destruct T as [F V']. destruct (IH (S t) (g + w)%nat O F) as [A|(t' & g' & T' & G' & HL & B & A)].
      + left. intros l. specialize (A l). assert (M := share_above x (u - INR w * l) X). lra.
      + right. exists t', g'. split; [lia|]. split; [lia|]. split; [exact HL|]. split.
        * assert (S1 := low_step t' g w (proj2 W) F). assert (S2 := q_down t t' g ltac:(lia)).
          assert (S3 := q_up t' g g' ltac:(lia)).
          assert (INR w * q t' g <= INR w * q t g) by (apply Rmult_le_compat_l; lra).
          assert (INR w * q t' g <= INR w * q t' g') by (apply Rmult_le_compat_l; lra).
          assert (INR w * q t' g <= Rmin u (INR w * q t' g')) by (apply Rmin_glb; lra). lra.
        * intros l Hl. specialize (A l Hl). assert (M := share_above x (u - INR w * l) X). lra.
    - assert (HL : L t < q t g) by (apply Rmult_lt_reg_l with (INR w); lra).
      assert (R : forall l, q t g <= l -> x * (u - INR w * l) <= 0).
      { intros l Hl. apply share_below; [exact X|]. assert (INR w * q t g <= INR w * l) by (apply Rmult_le_compat_l; lra). lra. }
      assert (Here : (forall l, q t g <= l -> weighed (fun w u => u - INR w * l) xs <= least_above acc l (S t) g xs) ->
        exists t' g', (t <= t')%nat /\ (g <= g' <= c)%nat /\ L t' < q t' g' /\
          low t' g' - low t' g <= least_upto acc (q t' g') (S t) g xs /\
          forall l, q t' g' <= l -> x * (u - INR w * l) + weighed (fun w u => u - INR w * l) xs <= least_above acc l (S t) g xs).
      { intros A. exists t, g. repeat split; auto; try lia.
        - assert (P := L_pos t). assert (Q := upto_nonneg (q t g) xs ltac:(lra) (S t) g O). lra.
        - intros l Hl. specialize (A l Hl). specialize (R l Hl). lra. }
      right. destruct (IH (S t) g O Hg) as [A|(t' & g' & T' & G' & HL' & B & A)].
      + apply Here. intros l _. apply A.
      + destruct (Rle_dec (q t g) (q t' g')) as [C|C].
        * exists t', g'. split; [lia|]. split; [exact G'|]. split; [exact HL'|]. split; [exact B|].
          intros l Hl. specialize (A l Hl). specialize (R l ltac:(lra)). lra.
        * apply Here. intros l Hl. apply A. lra.
  Qed.

  Theorem learnt_tables xs : offered_by m L U 0 xs -> weighed (fun w _ => INR w) xs <= INR c ->
    weighed (fun _ u => u) xs <= rho * sells_by acc 0 0 xs.
  Proof.
    intros O C. destruct (highest_refusal xs 0%nat 0%nat O ltac:(lia)) as [A|(t & g & _ & G & HL & B & A)].
    - specialize (A 0). rewrite (total_split 0). assert (E := above_upto 0 xs 0%nat 0%nat).
      assert (Z := upto_nonneg 0 xs (Rle_refl 0) 0%nat 0%nat O).
      assert (Y := above_nonneg 0 xs 0%nat 0%nat).
      assert (1 * sells_by acc 0 0 xs <= rho * sells_by acc 0 0 xs) by (apply Rmult_le_compat_r; lra). lra.
    - specialize (A _ (Rle_refl _)). rewrite (total_split (q t g)). assert (E := above_upto (q t g) xs 0%nat 0%nat).
      rewrite low_zero in B. assert (Y := above_nonneg (q t g) xs 0%nat 0%nat). assert (P := L_pos t).
      assert (D : q t g * weighed (fun w u => INR w) xs <= q t g * INR c) by (apply Rmult_le_compat_l; lra).
      destruct (p_rec t g ltac:(lia)) as [F|F]; [assert (M := Rmin_l (p t g) U); fold (q t g) in M; lra|].
      assert (rho * low t g <= rho * least_upto acc (q t g) 0 0 xs) by (apply Rmult_le_compat_l; lra).
      assert (1 * least_above acc (q t g) 0 0 xs <= rho * least_above acc (q t g) 0 0 xs) by (apply Rmult_le_compat_r; lra).
      rewrite <- E. lra.
  Qed.
End Tables.

(* the tables of T14 fall with L *)
Lemma grow_scale r L m x : 0 <= L -> grow r L m (L * x) = L * grow r 1 m x.
Proof.
  intros H. unfold grow. replace (Rmax L (r * (L * x))) with (L * Rmax 1 (r * x)); [ring|].
  rewrite <- RmaxRmult by exact H. f_equal; ring.
Qed.
Lemma times_scale r L m x i : 0 <= L -> times r L m (L * x) i = L * times r 1 m x i.
Proof. intros H. induction i as [|i IH]; [reflexivity|]. cbn [times]. rewrite IH. apply grow_scale, H. Qed.
Lemma least_scale r L m g : 0 <= L -> least r L m g = L * least r 1 m g.
Proof. intros H. unfold least. rewrite Rmult_1_r, (Rmult_comm _ L). apply times_scale, H. Qed.
Lemma grow_rate r r' L m x x' : 0 <= r <= r' -> 0 <= x <= x' -> grow r L m x <= grow r' L m x'.
Proof.
  intros Hr Hx. unfold grow. assert (M := pos_INR m). assert (r * x <= r' * x') by (apply Rmult_le_compat; lra).
  assert (Rmax L (r * x) <= Rmax L (r' * x')) by (apply Rle_max_compat_l; auto).
  assert (INR m * Rmax L (r * x) <= INR m * Rmax L (r' * x')) by (apply Rmult_le_compat_l; auto). lra.
Qed.

Section Falls.
  Variables (r r' : R) (m : nat).
  Hypothesis rates : 0 <= r <= r'.
  Hypothesis m_pos : (1 <= m)%nat.
  Let G := grow r 1 m.
  Let G' := grow r' 1 m.

  Lemma grow_past x : 0 <= x -> 1 <= r' * x -> G' x = x * (1 + INR m * r').
  Proof. intros _ H. unfold G', grow. rewrite Rmax_right by exact H. ring. Qed.
  Lemma grow_chord a b : 0 <= a <= b -> G b * a <= b * G a.
  Proof.
    intros H. unfold G, grow. assert (M := pos_INR m).
    replace ((b + INR m * Rmax 1 (r * b)) * a) with (a * b + INR m * (a * Rmax 1 (r * b))) by ring.
    replace (b * (a + INR m * Rmax 1 (r * a))) with (a * b + INR m * (b * Rmax 1 (r * a))) by ring.
    apply Rplus_le_compat_l, Rmult_le_compat_l; [exact M|]. rewrite <- !RmaxRmult by lra.
    apply Rmax_lub.
    - apply Rle_trans with (b * 1); [lra|apply Rmax_l].
    - apply Rle_trans with (b * (r * a)); [lra|apply Rmax_r].
  Qed.

  (* two loads under two rates: the ratio of the larger to the smaller grows with the rate *)
  Lemma ratio_grows s b b' i : 0 <= s -> s <= b <= b' ->
    let A := times r 1 m s i in let A' := times r' 1 m s i in let B := times r 1 m b i in let B' := times r' 1 m b' i in
    (0 <= A <= A' /\ A <= B <= B' /\ A' <= B') /\ (r' * A' < 1 -> A' = A) /\ B * A' <= B' * A.
  Proof.
    intros Hs Hb. induction i as [|i IH]; simpl; [repeat split; try lra; apply Rmult_le_compat_r; lra|].
    set (A := times r 1 m s i) in *. set (A' := times r' 1 m s i) in *.
    set (B := times r 1 m b i) in *. set (B' := times r' 1 m b' i) in *.
    destruct IH as ((HA & HB & HAB) & E & Q). fold G G'.
    assert (M := pos_INR m). assert (M1 : 1 <= INR m) by (apply (le_INR 1); lia).
    assert (GA : A <= G A) by (assert (X := grow_more r 1 m A); unfold G; lra).
    assert (K1 : G A <= G' A') by (apply grow_rate; lra).
    assert (K2 : G A <= G B) by (apply (grow_rate r r); lra).
    assert (K3 : G B <= G' B') by (apply grow_rate; lra).
    assert (K4 : G' A' <= G' B') by (apply (grow_rate r' r'); lra).
    split; [repeat split; lra|]. destruct (Rle_dec 1 (r' * A')) as [P|P].
    - assert (A'0 : 0 <= A') by lra. split.
      + intros F. exfalso. rewrite grow_past in F by lra.
        assert (0 <= r' * A' * (INR m * r')) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]). lra.
      + assert (PB : 1 <= r' * B') by (apply Rle_trans with (r' * A'); [lra|apply Rmult_le_compat_l; lra]).
        rewrite (grow_past A') by lra. rewrite (grow_past B') by lra.
        assert (H := grow_chord A B ltac:(lra)).
        set (k := 1 + INR m * r'). assert (K : 0 <= k) by (unfold k; assert (0 <= INR m * r') by (apply Rmult_le_pos; lra); lra).
        destruct (Req_dec A 0) as [Z|Z].
        * (* nothing sold under the lower rate *)
          rewrite Z in Q, H. assert (B * A' <= 0) by lra.
          assert (A'1 : 0 < A') by (destruct (Req_dec A' 0) as [Y|Y]; [rewrite Y in P; lra|lra]).
          assert (B = 0) by (assert (0 <= B) by lra; destruct (Req_dec B 0); [assumption|exfalso; assert (0 < B * A') by (apply Rmult_lt_0_compat; lra); lra]).
          rewrite H1, Z. assert (G0 : 0 <= G 0) by (rewrite Z in GA; lra).
          replace (G 0 * (A' * k)) with (A' * (k * G 0)) by ring. replace (B' * k * G 0) with (B' * (k * G 0)) by ring.
          apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra].
        * apply Rmult_le_reg_l with A; [lra|].
          replace (A * (G B * (A' * k))) with (G B * A * (A' * k)) by ring.
          replace (A * (B' * k * G A)) with (B' * A * (k * G A)) by ring.
          apply Rle_trans with (B * G A * (A' * k)); [apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact H]|].
          replace (B * G A * (A' * k)) with (B * A' * (k * G A)) by ring.
          apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact Q].
    - assert (EA := E ltac:(lra)). assert (P' : r * A <= r' * A') by (apply Rmult_le_compat; lra).
      assert (X : G A = A + INR m) by (unfold G, grow; rewrite Rmax_left by lra; ring).
      assert (X' : G' A' = A + INR m) by (unfold G', grow; rewrite Rmax_left by lra; rewrite EA; ring).
      split; [intros _; lra|]. rewrite X, X'. apply Rmult_le_compat_r; lra.
  Qed.

  Lemma times_more x i : 0 <= x -> x + INR (i * m) <= times r 1 m x i.
  Proof.
    intros H. induction i as [|i IH]; [simpl; lra|]. cbn [times].
    replace (S i * m)%nat with (i * m + m)%nat by lia. rewrite plus_INR.
    assert (X := grow_more r 1 m (times r 1 m x i)). lra.
  Qed.
  Lemma times_rate x i : 0 <= x -> times r 1 m x i <= times r' 1 m x i.
  Proof. intros H. apply (ratio_grows x x x i); lra. Qed.
  Lemma least_rate g : least r 1 m g <= least r' 1 m g.
  Proof. unfold least. apply times_rate. rewrite Rmult_1_r. apply pos_INR. Qed.
  Lemma times_add x i j : forall r, times r 1 m x (i + j) = times r 1 m (times r 1 m x j) i.
  Proof. intros q. induction i as [|i IH]; [reflexivity|]. cbn [Nat.add times]. rewrite IH. reflexivity. Qed.

  Theorem least_ratio g n : (g <= n)%nat -> least r 1 m n * least r' 1 m g <= least r' 1 m n * least r 1 m g.
  Proof.
    intros H. destruct (split_at m m_pos g) as (i & s & Hs & ->).
    set (d := (n - i * m)%nat). assert (En : n = (i * m + d)%nat) by (unfold d; lia).
    destruct (split_at m m_pos d) as (j & z & Hz & Ed).
    assert (En' : n = ((i + j) * m + z)%nat) by (rewrite Nat.mul_add_distr_r; lia).
    rewrite En', !least_at by lia. rewrite !times_add. rewrite !Rmult_1_r.
    apply (ratio_grows (INR s) (times r 1 m (INR z) j) (times r' 1 m (INR z) j) i); [apply pos_INR|split].
    - eapply Rle_trans; [|apply times_more, pos_INR]. rewrite <- plus_INR. apply le_INR. lia.
    - apply times_rate, pos_INR.
  Qed.
End Falls.

Theorem posted_falls (c m : nat) (L L' U rho rho' : R) : (1 <= m <= c)%nat -> 0 < L' <= L -> 0 < rho -> 0 < rho' ->
  rho * least (rho / INR c) L m (c - m + 1) = INR c * U -> rho' * least (rho' / INR c) L' m (c - m + 1) = INR c * U ->
  rho <= rho' /\ forall g, (g <= c - m + 1)%nat -> posted (rho' / INR c) L' m g <= posted (rho / INR c) L m g.
Proof.
  intros Hm HL Hr Hr' E E'. assert (Pc : 0 < INR c) by (apply lt_0_INR; lia). set (n := (c - m + 1)%nat) in *.
  assert (rate : forall x, 0 < x -> 0 <= x / INR c).
  { intros x Hx. apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat, Pc. }
  assert (R0 := rate rho Hr). assert (R0' := rate rho' Hr').
  rewrite least_scale in E, E' by lra.
  assert (Pos : forall r, 0 <= r -> 0 < least r 1 m n).
  { intros r H. assert (H1 := least_nonneg r 1 ltac:(lra) m n).
    destruct (split_at m ltac:(lia) n) as (i & s & Hs & En).
    assert (X := times_more r m ltac:(lia) (INR s) i (pos_INR s)).
    rewrite En, least_at, Rmult_1_r by lia. eapply Rlt_le_trans; [|exact X]. rewrite <- plus_INR. apply lt_0_INR. unfold n in En. lia. }
  assert (P := Pos _ R0). assert (P' := Pos _ R0').
  assert (Q : rho <= rho').
  { destruct (Rle_dec rho rho') as [H|H]; [exact H|exfalso]. assert (rho' < rho) by lra.
    assert (K : rho' / INR c <= rho / INR c) by (apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, Pc|lra]).
    assert (F := least_rate (rho' / INR c) (rho / INR c) m ltac:(lra) ltac:(lia) n).
    set (a := least (rho / INR c) 1 m n) in *. set (a' := least (rho' / INR c) 1 m n) in *.
    assert (L' * a' <= L * a) by (apply Rmult_le_compat; lra).
    assert (0 < L * a) by (apply Rmult_lt_0_compat; lra).
    assert (rho' * (L' * a') <= rho' * (L * a)) by (apply Rmult_le_compat_l; lra).
    assert (rho' * (L * a) < rho * (L * a)) by (apply Rmult_lt_compat_r; lra). lra. }
  split; [exact Q|]. intros g Hg. unfold posted. apply Rmax_lub; [apply Rle_trans with L; [lra|apply Rmax_l]|].
  eapply Rle_trans; [|apply Rmax_r]. rewrite (least_scale _ L'), (least_scale _ L) by lra.
  assert (K : rho / INR c <= rho' / INR c) by (apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, Pc|lra]).
  assert (F := least_ratio (rho / INR c) (rho' / INR c) m ltac:(lra) ltac:(lia) g n Hg).
  set (a := least (rho / INR c) 1 m n) in *. set (a' := least (rho' / INR c) 1 m n) in *.
  set (b := least (rho / INR c) 1 m g) in *. set (b' := least (rho' / INR c) 1 m g) in *.
  assert (LP : 0 < rho' * L') by (apply Rmult_lt_0_compat; lra).
  apply Rmult_le_reg_l with (INR c * (a * a')); [apply Rmult_lt_0_compat; [exact Pc|apply Rmult_lt_0_compat; auto]|].
  replace (INR c * (a * a') * (rho' / INR c * (L' * b'))) with (rho' * (L' * a') * (a * b')) by (field; lra).
  replace (INR c * (a * a') * (rho / INR c * (L * b))) with (rho * (L * a) * (a' * b)) by (field; lra).
  rewrite E, E'. apply Rmult_le_compat_l; [|exact F]. rewrite <- E. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra.
Qed.

Theorem learnt_least (c m : nat) (U rho : R) (L rhos : nat -> R) acc xs :
  (1 <= m <= c)%nat -> (forall t, 0 < L (S t) <= L t) -> L 0%nat <= U -> (forall t, 1 <= rhos t <= rho) ->
  (forall t, rhos t * least (rhos t / INR c) (L t) m (c - m + 1) = INR c * U) ->
  obeys_tables c (fun t => posted (rhos t / INR c) (L t) m) acc ->
  offered_by m L U 0 xs -> weighed (fun w _ => INR w) xs <= INR c ->
  weighed (fun _ u => u) xs <= rho * sells_by acc 0 0 xs.
Proof.
  intros Hm HL LU Hr E Ha O C. assert (Pc : 0 < INR c) by (apply lt_0_INR; lia).
  assert (Lp : forall t, 0 < L t) by (intros [|t]; [destruct (HL 0%nat)|destruct (HL t)]; lra).
  assert (LU' : forall t, L t <= U) by (induction t as [|t IH]; [exact LU|destruct (HL t); lra]).
  assert (U0 : 0 < U) by (assert (X := Lp 0%nat); lra).
  assert (rate : forall t, 0 <= rhos t / INR c).
  { intros t. assert (R1 := Hr t). apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat, Pc. }
  set (n := (c - m + 1)%nat) in *. set (p t g := posted (rhos t / INR c) (L t) m g).
  set (h t g := least (rhos t / INR c) (L t) m g).
  assert (En : forall t, rhos t / INR c * h t n = U).
  { intros t. apply Rmult_eq_reg_l with (INR c); [|lra]. rewrite <- (E t). fold (h t n). field. lra. }
  assert (full : forall t, p t n = U).
  { intros t. unfold p, posted. fold (h t n). rewrite En. apply Rmax_right, LU'. }
  assert (up : forall t g g', (g <= g')%nat -> p t g <= p t g') by (intros; apply posted_mono; auto; lia).
  assert (Low : forall t g, 0 <= h t g) by (intros t g; apply least_nonneg; auto).
  assert (St : forall t g w, (w <= m)%nat -> h t (g + w)%nat <= h t g + INR w * p t g).
  { intros t g w Hw. apply (least_step _ _ (rate t) (Lp t) m ltac:(lia) g w Hw). }
  assert (cap : forall t g, (g <= n)%nat -> Rmin (p t g) U = p t g).
  { intros t g G. apply Rmin_left. rewrite <- (full t). apply up, G. }
  assert (cap' : forall t g, (n <= g)%nat -> Rmin (p t g) U = U).
  { intros t g G. apply Rmin_right. rewrite <- (full t). apply up, G. }
  apply (learnt_tables c m U rho L p (fun t g => h t (Nat.min g n))); auto; fold n.
  - destruct (Hr 0%nat). lra.
  - intros t g. assert (R1 := Hr t). assert (R2 := Hr (S t)). destruct (le_lt_dec g n) as [G|G].
    + rewrite !cap by exact G. destruct (posted_falls c m (L t) (L (S t)) U (rhos t) (rhos (S t))) as [_ F]; auto; try lra.
      unfold p. apply F, G.
    + rewrite !cap' by lia. lra.
  - intros t. rewrite full. lra.
  - intros t. simpl. unfold h, least. rewrite Nat.mod_0_l, Nat.div_0_l by lia. simpl. ring.
  - intros t g w Hw Hg. assert (W := pos_INR w). destruct (le_lt_dec n g) as [G|G].
    + rewrite cap' by exact G. rewrite !Nat.min_r by lia. assert (0 <= INR w * U) by (apply Rmult_le_pos; lra). lra.
    + rewrite cap by lia. rewrite (Nat.min_l g) by lia. assert (P0 : 0 <= p t g) by (eapply Rle_trans; [apply Rlt_le, (Lp t)|apply Rmax_l]).
      set (v := (Nat.min (g + w) n - g)%nat). replace (Nat.min (g + w) n) with (g + v)%nat by (unfold v; lia).
      assert (X := St t g v ltac:(unfold v; lia)). assert (INR v <= INR w) by (apply le_INR; unfold v; lia).
      assert (INR v * p t g <= INR w * p t g) by (apply Rmult_le_compat_r; auto). lra.
  - intros t g Hg. assert (R1 := Hr t). destruct (Rle_dec (p t g) (L t)) as [A|A]; [left; exact A|right].
    destruct (le_lt_dec n g) as [G|G].
    + rewrite cap' by exact G. rewrite Nat.min_r by lia. rewrite <- (E t). fold (h t n). apply Rmult_le_compat_r; [apply Low|lra].
    + rewrite cap, Nat.min_l by lia. assert (X : p t g = rhos t / INR c * h t g).
      { unfold p, posted in *. fold (h t g) in *. unfold Rmax in *. destruct (Rle_dec (L t) (rhos t / INR c * h t g)); [reflexivity|lra]. }
      rewrite X. replace (INR c * (rhos t / INR c * h t g)) with (rhos t * h t g) by (field; lra).
      apply Rmult_le_compat_r; [apply Low|lra].
Qed.

Theorem learnt_doubling (c : nat) (U rho : R) (L : nat -> R) (cls : nat -> nat) acc xs :
  (1 <= c)%nat -> 1 <= rho -> (forall t, 0 < L (S t) <= L t) -> L 0%nat < U -> cls 0%nat = 0%nat ->
  (forall g, (cls g <= cls (S g) <= S (cls g))%nat) -> (forall t, U <= L t * 2 ^ cls c) ->
  (forall t g i, (g <= c)%nat -> cls g = S i -> L t * 2 ^ i < U -> 2 * INR c <= rho * sold_in cls i g) ->
  obeys_tables c (fun t g => L t * 2 ^ cls g) acc ->
  offered_by 1 L U 0 xs -> weighed (fun w _ => INR w) xs <= INR c ->
  weighed (fun _ u => u) xs <= rho * sells_by acc 0 0 xs.
Proof.
  intros Hc Hr HL LU C0 Cs Ct Q Ha O C.
  assert (Lp : forall t, 0 < L t) by (intros [|t]; [destruct (HL 0%nat)|destruct (HL t)]; lra).
  assert (LU' : forall t, L t < U) by (induction t as [|t IH]; [exact LU|destruct (HL t); lra]).
  assert (U0 : 0 < U) by (assert (X := Lp 0%nat); lra).
  assert (two : forall i, 0 < 2 ^ i) by (intros; apply pow_lt; lra).
  set (p t g := L t * 2 ^ cls g). set (low t := psum (fun h => Rmin (p t h) U)).
  assert (Pp : forall t g, 0 < p t g) by (intros t g; apply Rmult_lt_0_compat; auto).
  assert (Pm : forall t g, p t g <= p t (S g)).
  { intros t g. unfold p. apply Rmult_le_compat_l; [apply Rlt_le, Lp|]. apply Rle_pow; [lra|]. apply Cs. }
  assert (Min0 : forall t g, 0 <= Rmin (p t g) U) by (intros t g; apply Rmin_glb; [left; apply Pp|lra]).
  assert (Low : forall t i g, L t * 2 ^ i < U -> sold_in cls i g * (L t * 2 ^ i) <= low t g).
  { intros t i g Hi. unfold sold_in, low. induction g as [|g IH]; simpl; [lra|]. destruct (Nat.eqb_spec (cls g) i) as [E|E].
    - assert (p t g = L t * 2 ^ i) by (unfold p; rewrite E; reflexivity). rewrite H, Rmin_left by lra. lra.
    - assert (M := Min0 t g). lra. }
  apply (learnt_tables c 1 U rho L p low); auto.
  - intros t g. apply Rle_min_compat_r. unfold p. apply Rmult_le_compat_r; [apply Rlt_le, two|apply HL].
  - intros t. replace (c - 1 + 1)%nat with c by lia. apply Ct.
  - intros t g w Hw Hg. destruct w as [|[|w]]; [|..|lia].
    + rewrite Nat.add_0_r. simpl. lra.
    + rewrite Nat.add_1_r. simpl. unfold low. simpl. lra.
  - intros t g. induction g as [|g IH]; intros Hg.
    + left. unfold p. rewrite C0. simpl. lra.
    + assert (M := Min0 t g).
      assert (up : rho * low t g <= rho * low t (S g)) by (apply Rmult_le_compat_l; [lra|unfold low; simpl; lra]).
      destruct (Rle_dec U (p t g)) as [G|G].
      * assert (G' := Pm t g). rewrite Rmin_right by lra. right. assert (X := LU' t).
        destruct (IH ltac:(lia)) as [B|B]; [lra|]. rewrite Rmin_right in B by auto. lra.
      * destruct (cls (S g)) as [|i] eqn:E.
        -- left. unfold p. rewrite E. simpl. lra.
        -- assert (Hi : L t * 2 ^ i < U).
           { apply Rle_lt_trans with (p t g); [|lra]. unfold p. apply Rmult_le_compat_l; [apply Rlt_le, Lp|]. apply Rle_pow; [lra|].
             assert (S1 := Cs g). lia. }
           right. assert (B := Q t (S g) i Hg E Hi). assert (D := Low t i (S g) Hi). assert (M1 := Rmin_l (p t (S g)) U).
           apply Rle_trans with (INR c * p t (S g)); [apply Rmult_le_compat_l; [apply pos_INR|exact M1]|].
           unfold p. rewrite E. replace (INR c * (L t * 2 ^ S i)) with (2 * INR c * (L t * 2 ^ i)) by (simpl; ring).
           apply Rle_trans with (rho * sold_in cls i (S g) * (L t * 2 ^ i)).
           ++ apply Rmult_le_compat_r; [|exact B]. apply Rmult_le_pos; [apply Rlt_le, Lp|apply Rlt_le, two].
           ++ rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|exact D].
Qed.
