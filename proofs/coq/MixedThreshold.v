(** * T14 Thresholds for bundles of mixed sizes: the lower bound of T12 is attained.

    One resource of c units, each job offers one bundle of 1 to m units, worth more than L and at most U per
    unit.  N = c - m + 1, r = rho/c.
    [grow r L w x]     x + w max(L, r x): what is held after a bundle of w at the posted price
    [least r L m g]    the least that can be held with g units: a bundle of g mod m at L, then bundles of m
    [posted r L m g]   the price of a unit when g are sold: max(L, r (least g))
    [obeys_prices c p acc]  acc g w u: the rule takes a bundle (w, u) at load g; it takes what fits and is worth
                       more than w p(g), nothing that does not fit or is worth less
    [sells], [loads]   what the rule collects from load g on, and the load at the end

    [least_step]       no other order of bundles holds less: least (g + w) <= grow w (least g) for w <= m
    [mixed_table]      any prices p that do not fall, with p(N) >= U: if low bounds from below what is paid for g units
                       (low 0 = 0, low (g + w) <= low g + w p(g)), and c p(g) <= rho (low g) wherever p(g) > L, then
                       OPT <= rho P, OPT the fractional optimum
    [mixed_threshold]  the posted prices, rho >= 1 and c U <= rho (least N): OPT <= rho P
    [mixed_threshold_optimal]  m divides c: if c U > rho (least N) instead, every deterministic rule has an instance
                       with rho P < OPT *)
From Coq Require Import Reals Lra Lia List Arith Bool.
From HadarTheory Require Import LowerBound Staircase MixedBundles.
Import ListNotations.
Open Scope R_scope.

Definition grow (r L : R) (w : nat) (x : R) : R := x + INR w * Rmax L (r * x).
Fixpoint times (r L : R) (m : nat) (x : R) (i : nat) : R := match i with
  | O => x
  | S i => grow r L m (times r L m x i)
  end.
Definition least (r L : R) (m g : nat) : R := times r L m (INR (g mod m) * L) (g / m).
Definition posted (r L : R) (m g : nat) : R := Rmax L (r * least r L m g).

Section Growth.
  Variables (r L : R).
  Hypothesis r_pos : 0 <= r.
  Hypothesis L_pos : 0 < L.

  Lemma grow_mono w x y : x <= y -> grow r L w x <= grow r L w y.
  Proof.
    intros H. unfold grow. assert (W := pos_INR w). assert (r * x <= r * y) by (apply Rmult_le_compat_l; auto).
    assert (Rmax L (r * x) <= Rmax L (r * y)) by (apply Rle_max_compat_l; auto).
    assert (INR w * Rmax L (r * x) <= INR w * Rmax L (r * y)) by (apply Rmult_le_compat_l; auto). lra.
  Qed.
  Lemma grow_more w x : x + INR w * L <= grow r L w x.
  Proof.
    unfold grow. assert (W := pos_INR w). assert (M := Rmax_l L (r * x)).
    assert (INR w * L <= INR w * Rmax L (r * x)) by (apply Rmult_le_compat_l; auto). lra.
  Qed.
  Lemma grow_price w x : x + INR w * (r * x) <= grow r L w x.
  Proof.
    unfold grow. assert (W := pos_INR w). assert (M := Rmax_r L (r * x)).
    assert (INR w * (r * x) <= INR w * Rmax L (r * x)) by (apply Rmult_le_compat_l; auto). lra.
  Qed.

  (* the smaller bundle first holds no more *)
  Lemma grow_commute w m x : (w <= m)%nat -> grow r L m (grow r L w x) <= grow r L w (grow r L m x).
  Proof.
    intros H. assert (W := pos_INR w). assert (M : INR w <= INR m) by (apply le_INR; auto).
    destruct (Rle_dec L (r * x)) as [G|G].
    - assert (E : forall n, grow r L n x = x + INR n * (r * x)) by (intros n; unfold grow; rewrite Rmax_right by auto; reflexivity).
      assert (P : forall n, L <= r * (x + INR n * (r * x))).
      { intros n. assert (Hn := pos_INR n). replace (r * (x + INR n * (r * x))) with (r * x + r * (INR n * (r * x))) by ring.
        assert (0 <= r * (INR n * (r * x))) by (apply Rmult_le_pos; auto; apply Rmult_le_pos; lra). lra. }
      rewrite !E. unfold grow. rewrite !Rmax_right by apply P. lra.
    - assert (E : forall n, grow r L n x = x + INR n * L) by (intros n; unfold grow; rewrite Rmax_left by lra; reflexivity).
      rewrite !E. unfold grow at 1. destruct (Rle_dec L (r * (x + INR w * L))) as [F|F].
      + rewrite Rmax_right by auto. eapply Rle_trans; [|apply grow_price].
        assert (0 <= (INR m - INR w) * (L - r * x)) by (apply Rmult_le_pos; lra). lra.
      + rewrite Rmax_left by lra. eapply Rle_trans; [|apply grow_more]. lra.
  Qed.

  Variable m : nat.
  Hypothesis m_pos : (1 <= m)%nat.

  Lemma times_mono x y i : x <= y -> times r L m x i <= times r L m y i.
  Proof. intros H. induction i as [|i IH]; simpl; [auto|apply grow_mono, IH]. Qed.
  Lemma times_shift x i : times r L m x (S i) = times r L m (grow r L m x) i.
  Proof. induction i as [|i IH]; [reflexivity|]. change (times r L m x (S (S i))) with (grow r L m (times r L m x (S i))). rewrite IH. reflexivity. Qed.
  Lemma times_commute w x i : (w <= m)%nat -> times r L m (grow r L w x) i <= grow r L w (times r L m x i).
  Proof.
    intros H. induction i as [|i IH]; simpl; [lra|].
    eapply Rle_trans; [apply grow_mono, IH|]. apply grow_commute, H.
  Qed.

  Lemma least_at i s : (s < m)%nat -> least r L m (i * m + s) = times r L m (INR s * L) i.
  Proof.
    intros H. unfold least. replace ((i * m + s) mod m)%nat with s.
    - replace ((i * m + s) / m)%nat with i; [reflexivity|]. apply Nat.div_unique with s; lia.
    - apply Nat.mod_unique with i; lia.
  Qed.
  Lemma split_at g : exists i s, (s < m)%nat /\ g = (i * m + s)%nat.
  Proof.
    exists (g / m)%nat, (g mod m)%nat. split; [apply Nat.mod_upper_bound; lia|].
    rewrite Nat.mul_comm. apply Nat.div_mod. lia.
  Qed.

  Theorem least_step g w : (w <= m)%nat -> least r L m (g + w) <= grow r L w (least r L m g).
  Proof.
    intros Hw. destruct (split_at g) as (i & s & Hs & ->). rewrite least_at by auto.
    destruct (le_lt_dec m (s + w)) as [H|H].
    - set (s' := (s + w - m)%nat). replace (i * m + s + w)%nat with (S i * m + s')%nat by (unfold s'; simpl; lia).
      rewrite least_at by (unfold s'; lia). rewrite times_shift.
      eapply Rle_trans; [|apply times_commute, Hw]. apply times_mono.
      assert (Es : INR s = INR s' + INR m - INR w).
      { assert (INR s + INR w = INR s' + INR m) by (rewrite <- !plus_INR; f_equal; unfold s'; lia). lra. }
      assert (B1 : INR s' <= INR w) by (apply le_INR; unfold s'; lia).
      assert (B2 : INR w <= INR m) by (apply le_INR; auto). assert (B0 := pos_INR s').
      unfold grow at 1. destruct (Rle_dec L (r * (INR s' * L))) as [F|F].
      + rewrite Rmax_right by auto. eapply Rle_trans; [|apply grow_price]. rewrite Es.
        assert (X : 0 <= (INR m - INR w) * (INR w - INR s')) by (apply Rmult_le_pos; lra).
        assert (Y : 0 <= r * L * ((INR m - INR w) * (INR w - INR s')))
          by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|exact X]).
        assert (Z : 0 <= (INR m - INR w) * L) by (apply Rmult_le_pos; lra). lra.
      + rewrite Rmax_left by lra. eapply Rle_trans; [|apply grow_more]. rewrite Es. lra.
    - replace (i * m + s + w)%nat with (i * m + (s + w))%nat by lia. rewrite least_at by auto.
      eapply Rle_trans; [|apply times_commute, Hw]. apply times_mono. rewrite plus_INR, Rmult_plus_distr_r. apply grow_more.
  Qed.

  Lemma times_nonneg x i : 0 <= x -> 0 <= times r L m x i.
  Proof.
    intros H. induction i as [|i IH]; simpl; [auto|]. assert (G := grow_more m (times r L m x i)).
    assert (0 <= INR m * L) by (apply Rmult_le_pos; [apply pos_INR|lra]). lra.
  Qed.
  Lemma least_nonneg g : 0 <= least r L m g.
  Proof. apply times_nonneg. apply Rmult_le_pos; [apply pos_INR|lra]. Qed.
  Lemma least_next g : least r L m g <= least r L m (S g).
  Proof.
    destruct (split_at g) as (i & s & Hs & ->). rewrite least_at by auto.
    destruct (Nat.eq_dec (S s) m) as [E|E].
    - replace (S (i * m + s)) with (S i * m + 0)%nat by (simpl; lia). rewrite least_at by lia.
      rewrite times_shift. apply times_mono. simpl INR. rewrite Rmult_0_l. eapply Rle_trans; [|apply grow_more].
      assert (INR s <= INR m) by (apply le_INR; lia). assert (INR s * L <= INR m * L) by (apply Rmult_le_compat_r; lra). lra.
    - replace (S (i * m + s)) with (i * m + S s)%nat by lia. rewrite least_at by lia.
      apply times_mono. apply Rmult_le_compat_r; [lra|]. apply le_INR. lia.
  Qed.
  Lemma posted_mono g g' : (g <= g')%nat -> posted r L m g <= posted r L m g'.
  Proof.
    intros H. unfold posted. apply Rle_max_compat_l. apply Rmult_le_compat_l; auto.
    induction H as [|g' H IH]; [lra|]. eapply Rle_trans; [exact IH|apply least_next].
  Qed.
End Growth.

Definition shared_offers : Type := list ((nat * R) * R).   (* bundles, each with the share that the optimum takes *)
Fixpoint weighed (f : nat -> R -> R) (xs : shared_offers) : R := match xs with
  | [] => 0
  | (w, u, x) :: rest => x * f w u + weighed f rest
  end.
Fixpoint sells (acc : nat -> nat -> R -> bool) (g : nat) (xs : shared_offers) : R := match xs with
  | [] => 0
  | (w, u, _) :: rest => if acc g w u then u + sells acc (g + w) rest else sells acc g rest
  end.
Fixpoint loads (acc : nat -> nat -> R -> bool) (g : nat) (xs : shared_offers) : nat := match xs with
  | [] => g
  | (w, u, _) :: rest => loads acc (if acc g w u then g + w else g)%nat rest
  end.
Fixpoint charged (p : nat -> R) (acc : nat -> nat -> R -> bool) (g : nat) (xs : shared_offers) : R := match xs with
  | [] => 0
  | (w, u, _) :: rest => if acc g w u then INR w * p g + charged p acc (g + w) rest else charged p acc g rest
  end.

Section Rule.
  Variables (c m : nat) (L U rho : R) (p low : nat -> R).
  Hypothesis m_c : (1 <= m <= c)%nat.
  Hypothesis L_pos : 0 < L.
  Hypothesis rho1 : 1 <= rho.
  Let N := (c - m + 1)%nat.
  Hypothesis p_nonneg : 0 <= p O.
  Hypothesis p_next : forall g, p g <= p (S g).
  Hypothesis p_full : L < U <= p N.
  Hypothesis low_zero : low O = 0.
  Hypothesis low_step : forall g w, (w <= m)%nat -> (g + w <= c)%nat -> low (g + w)%nat <= low g + INR w * p g.
  Hypothesis p_rec : forall g, (g <= c)%nat -> p g <= L \/ INR c * p g <= rho * low g.

  Variable acc : nat -> nat -> R -> bool.
  Definition obeys_prices : Prop := forall g w u,
    (acc g w u = true -> (g + w <= c)%nat /\ INR w * p g <= u) /\
    (acc g w u = false -> (c < g + w)%nat \/ u <= INR w * p g).
  Hypothesis obeys_p : obeys_prices.

  Definition offers_bounded (xs : shared_offers) : Prop := forall w u x, In (w, u, x) xs ->
    (1 <= w <= m)%nat /\ INR w * L < u <= INR w * U /\ 0 <= x <= 1.

  Lemma p_up g g' : (g <= g')%nat -> p g <= p g'.
  Proof. intros H. induction H as [|g' H IH]; [lra|]. assert (X := p_next g'). lra. Qed.
  Lemma p_top g : (N <= g)%nat -> U <= p g.
  Proof. intros H. assert (X := p_up N g H). lra. Qed.

  Lemma loads_more g xs : (g <= loads acc g xs)%nat.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g; simpl; [lia|].
    destruct (acc g w u); [specialize (IH (g + w)%nat)|specialize (IH g)]; lia.
  Qed.
  Lemma charged_most g xs : charged p acc g xs <= sells acc g xs.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g; simpl; [lra|].
    destruct (acc g w u) eqn:A; [|apply IH]. destruct (proj1 (obeys_p g w u) A) as [_ H].
    specialize (IH (g + w)%nat). lra.
  Qed.
  Lemma charged_least g xs : offers_bounded xs -> low (loads acc g xs) - low g <= charged p acc g xs.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g O; simpl; [lra|].
    assert (O' : offers_bounded xs) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
    destruct (O w u x (or_introl eq_refl)) as (W & _ & _).
    destruct (acc g w u) eqn:A; [|apply IH, O']. destruct (proj1 (obeys_p g w u) A) as [F _].
    specialize (IH (g + w)%nat O'). assert (H := low_step g w ltac:(lia) F). lra.
  Qed.
  Lemma loads_fit g xs : (g <= c)%nat -> (loads acc g xs <= c)%nat.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g H; simpl; [auto|].
    destruct (acc g w u) eqn:A; [|apply IH, H]. destruct (proj1 (obeys_p g w u) A) as [F _]. apply IH, F.
  Qed.

  Lemma at_prices g xs l : offers_bounded xs -> p (loads acc g xs) <= l ->
    weighed (fun w u => u - INR w * l) xs <= sells acc g xs - charged p acc g xs.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g O Hl; simpl; [lra|].
    assert (O' : offers_bounded xs) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
    destruct (O w u x (or_introl eq_refl)) as (W & V & X). simpl in Hl.
    assert (W0 := pos_INR w). destruct (acc g w u) eqn:A.
    - destruct (proj1 (obeys_p g w u) A) as [_ P].  specialize (IH (g + w)%nat O' Hl).
      assert (M := loads_more (g + w) xs). assert (Q := p_up g (loads acc (g + w) xs) ltac:(lia)).
      assert (INR w * p g <= INR w * l) by (apply Rmult_le_compat_l; lra).
      assert (x * (u - INR w * l) <= u - INR w * p g).
      { destruct (Rle_dec 0 (u - INR w * l)); [assert (x * (u - INR w * l) <= 1 * (u - INR w * l)) by (apply Rmult_le_compat_r; lra); lra|].
        assert (x * (u - INR w * l) <= x * 0) by (apply Rmult_le_compat_l; lra). lra. }
      lra.
    - specialize (IH g O' Hl). assert (M := loads_more g xs). assert (Q := p_up g (loads acc g xs) M).
      assert (u <= INR w * l).
      { destruct (proj2 (obeys_p g w u) A) as [B|B].
        - assert (T := p_top g ltac:(unfold N; lia)). assert (INR w * U <= INR w * l) by (apply Rmult_le_compat_l; lra). lra.
        - assert (INR w * p g <= INR w * l) by (apply Rmult_le_compat_l; lra). lra. }
      assert (x * (u - INR w * l) <= x * 0) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma nothing_refused g xs : offers_bounded xs -> p (loads acc g xs) <= L ->
    weighed (fun w u => u) xs <= sells acc g xs.
  Proof.
    revert g. induction xs as [|[[w u] x] xs IH]; intros g O Hl; simpl; [lra|].
    assert (O' : offers_bounded xs) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
    destruct (O w u x (or_introl eq_refl)) as (W & V & X). simpl in Hl.
    assert (W1 : 0 < INR w) by (apply lt_0_INR; lia). assert (0 < INR w * L) by (apply Rmult_lt_0_compat; auto).
    assert (x * u <= 1 * u) by (apply Rmult_le_compat_r; lra).
    destruct (acc g w u) eqn:A; [specialize (IH (g + w)%nat O' Hl); lra|]. exfalso.
    assert (M := loads_more g xs). assert (Q := p_up g (loads acc g xs) M).
    destruct (proj2 (obeys_p g w u) A) as [B|B].
    - assert (T := p_top g ltac:(unfold N; lia)). lra.
    - assert (INR w * p g <= INR w * L) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma total_split l xs : weighed (fun w u => u) xs =
    weighed (fun w u => u - INR w * l) xs + l * weighed (fun w u => INR w) xs.
  Proof. induction xs as [|[[w u] x] xs IH]; simpl; [ring|]. rewrite IH. ring. Qed.

  Theorem mixed_table xs : offers_bounded xs -> weighed (fun w u => INR w) xs <= INR c ->
    weighed (fun w u => u) xs <= rho * sells acc 0 xs.
  Proof.
    intros O C. assert (S1 := charged_most 0 xs). assert (S2 := charged_least 0 xs O).
    assert (Hg := loads_fit 0 xs ltac:(lia)). set (g := loads acc 0 xs) in *. rewrite low_zero in S2.
    assert (Hp : 0 <= p g) by (assert (X := p_up 0 g ltac:(lia)); lra).
    assert (C0 : 0 <= charged p acc 0 xs).
    { assert (Q : forall h ys, 0 <= charged p acc h ys); [|apply Q].
      intros h ys. revert h. induction ys as [|[[w u] x] ys IH]; intros h; simpl; [lra|].
      destruct (acc h w u); [|apply IH]. assert (W := pos_INR w). assert (P0 := p_up 0 h ltac:(lia)).
      assert (0 <= INR w * p h) by (apply Rmult_le_pos; lra). specialize (IH (h + w)%nat). lra. }
    destruct (Rle_dec (p g) L) as [A|A].
    - assert (B := nothing_refused 0 xs O A).
      assert (1 * sells acc 0 xs <= rho * sells acc 0 xs) by (apply Rmult_le_compat_r; lra). lra.
    - assert (B := at_prices 0 xs (p g) O (Rle_refl _)). fold g in B. rewrite (total_split (p g)).
      assert (D : p g * weighed (fun w u => INR w) xs <= p g * INR c) by (apply Rmult_le_compat_l; auto).
      destruct (p_rec g Hg) as [E|E]; [lra|].
      assert (F : rho * low g <= rho * charged p acc 0 xs) by (apply Rmult_le_compat_l; lra).
      assert (G : (rho - 1) * charged p acc 0 xs <= (rho - 1) * sells acc 0 xs) by (apply Rmult_le_compat_l; lra).
      lra.
  Qed.
End Rule.

Theorem mixed_threshold (c m : nat) (L U rho : R) acc xs :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> 1 <= rho -> INR c * U <= rho * least (rho / INR c) L m (c - m + 1) ->
  obeys_prices c (posted (rho / INR c) L m) acc -> offers_bounded m L U xs -> weighed (fun w u => INR w) xs <= INR c ->
  weighed (fun w u => u) xs <= rho * sells acc 0 xs.
Proof.
  intros Hm HL HU Hr Hreach Hacc O C. set (r := rho / INR c) in *.
  assert (Pc : 0 < INR c) by (apply lt_0_INR; lia).
  assert (R0 : 0 <= r) by (unfold r; apply Rmult_le_pos; [lra|]; apply Rlt_le, Rinv_0_lt_compat, Pc).
  apply (mixed_table c m L U rho (posted r L m) (least r L m)); auto.
  - eapply Rle_trans; [apply Rlt_le, HL|apply Rmax_l].
  - intros g. apply posted_mono; auto; lia.
  - split; [auto|]. eapply Rle_trans; [|apply Rmax_r]. apply Rmult_le_reg_l with (INR c); auto.
    replace (INR c * (r * least r L m (c - m + 1))) with (rho * least r L m (c - m + 1)); [exact Hreach|].
    unfold r. field. lra.
  - unfold least. rewrite Nat.mod_0_l, Nat.div_0_l by lia. simpl. ring.
  - intros g w Hw _. apply (least_step r L R0 HL m ltac:(lia) g w Hw).
  - intros g _. unfold posted. destruct (Rle_dec (r * least r L m g) L) as [A|A].
    + left. rewrite Rmax_left by auto. lra.
    + right. rewrite Rmax_right by lra. apply Req_le. unfold r. field. lra.
Qed.

Theorem mixed_threshold_optimal (alg : list offer -> bool) (c m : nat) (L U rho : R) :
  (1 <= m <= c)%nat -> (c mod m = 0)%nat -> 0 < L -> L < U -> within_capacity alg c -> 0 < rho ->
  rho * least (rho / INR c) L m (c - m + 1) < INR c * U ->
  exists js w x n, (forall o, In o js -> (1 <= fst o <= m)%nat /\
                      INR (fst o) * L <= snd o <= INR (fst o) * U) /\
    (exists pre, js = pre ++ repeat (w, x) n) /\ (n * w <= c)%nat /\
    rho * gotv alg [] js < INR n * x.
Proof.
  intros Hm Hd HL HU Ho Hr H. apply (mixed_bundle_lower alg c m L U rho); auto.
  assert (K : (c = (c / m) * m)%nat) by (rewrite Nat.mul_comm; apply Nat.div_exact; lia).
  assert (Ck : INR c = INR (c / m) * INR m) by (rewrite <- mult_INR; f_equal; exact K).
  assert (Pm : 0 < INR m) by (apply lt_0_INR; lia). assert (Pc : 0 < INR c) by (apply lt_0_INR; lia).
  assert (Pk : 0 < INR (c / m)) by (apply lt_0_INR; apply Nat.div_str_pos; lia).
  replace (INR (c / m) * (INR m * U)) with (INR c * U) by (rewrite Ck; ring).
  replace (staircase_held c m L rho) with (least (rho / INR c) L m (c - m + 1)); [exact H|].
  unfold least, staircase_held. set (x0 := INR ((c - m + 1) mod m) * L). generalize ((c - m + 1) / m)%nat as i.
  induction i as [|i IH]; [reflexivity|]. simpl. rewrite <- IH. unfold grow.
  set (x := times (rho / INR c) L m x0 i).
  rewrite <- RmaxRmult by lra. f_equal. f_equal. rewrite Ck. field. split; lra.
Qed.
