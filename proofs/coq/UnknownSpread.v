(** * T16 Prices that do not know U, and what that costs.

    One resource of c units.  The prices of a table are the same whatever U is; the guarantee depends on the U of the
    jobs that came.

    T16 [unknown_spread]  the setting of T14: any prices p that do not fall, from 0 or more, with U <= p(N): if low bounds
                       from below what is paid for g units, each at most U, and c min(p(g), U) <= rho (low g) wherever
                       p(g) > L, then OPT <= rho P, OPT the fractional optimum.  So one table has a rho for each U
    [sold_in cls i g]    how many of the first g units are sold in class i
    T16 [doubling]     bundles of one unit, prices L 2^(cls g), classes from 0, rising one by one: if the class before that of
                       each price has (2/rho) c units sold before it, as long as its price is below U, OPT <= rho P.
                       With c/(i H) units in class i - 1, H = 1 + 1/2 + ... + 1/M: rho = 2 H n for U <= 2^n L, all n <= M

    T16 [spread_price]  conversely, for any rule of single units: if 1/f 0 + ... + 1/f n > 2, then for some s <= n it has an
                       instance with values L, 2 L, ..., 2^s L on which f s times its value is less than OPT.
                       [spread_price_abstract]: the same for fractional acceptances, so for expected values.
                       So no rule that does not know U has ratio a (1 + s) for all s <= n if 2 a < 1 + 1/2 + ... + 1/(n+1) *)
From Coq Require Import Reals Lra Lia List Arith Bool.
From HadarTheory Require Import LowerBound MixedThreshold.
Import ListNotations.
Open Scope R_scope.

(* what is worth more than U per unit never comes *)
Definition rule_below (c : nat) (U : R) (acc : nat -> nat -> R -> bool) (g w : nat) (u : R) : bool :=
  if Rle_dec u (INR w * U) then acc g w u else (g + w <=? c)%nat.
Lemma sells_below c m L U acc g xs : offers_bounded m L U xs -> sells (rule_below c U acc) g xs = sells acc g xs.
Proof.
  revert g. induction xs as [|[[w u] x] xs IH]; intros g O; [reflexivity|]. cbn [sells].
  assert (O' : offers_bounded m L U xs) by (intros w' u' x' H; apply (O w' u' x'); right; exact H).
  destruct (O w u x (or_introl eq_refl)) as (_ & [_ V] & _). unfold rule_below at 1.
  destruct (Rle_dec u (INR w * U)); [|lra]. destruct (acc g w u); rewrite IH by exact O'; reflexivity.
Qed.

Theorem unknown_spread (c m : nat) (L U rho : R) (p low : nat -> R) acc xs :
  (1 <= m <= c)%nat -> 0 < L -> L < U -> 1 <= rho -> 0 <= p 0%nat -> (forall g, p g <= p (S g)) ->
  U <= p (c - m + 1)%nat -> low 0%nat = 0 ->
  (forall g w, (w <= m)%nat -> (g + w <= c)%nat -> low (g + w)%nat <= low g + INR w * Rmin (p g) U) ->
  (forall g, (g <= c)%nat -> Rmin (p g) U <= L \/ INR c * Rmin (p g) U <= rho * low g) ->
  obeys_prices c p acc -> offers_bounded m L U xs -> weighed (fun w _ => INR w) xs <= INR c ->
  weighed (fun _ u => u) xs <= rho * sells acc 0 xs.
Proof.
  intros Hm HL HU Hr P0 Pm Pt L0 Ls Pr Ha O C. rewrite <- (sells_below c m L U acc 0 xs O).
  apply (mixed_table c m L U rho (fun g => Rmin (p g) U) low); auto.
  - apply Rmin_glb; lra.
  - intros g. apply Rle_min_compat_r, Pm.
  - split; [exact HU|]. apply Rmin_glb; lra.
  - intros g w u. assert (W := pos_INR w). assert (M1 := Rmin_l (p g) U). assert (M2 := Rmin_r (p g) U).
    assert (A1 : INR w * Rmin (p g) U <= INR w * p g) by (apply Rmult_le_compat_l; auto).
    assert (A2 : INR w * Rmin (p g) U <= INR w * U) by (apply Rmult_le_compat_l; auto).
    destruct (Ha g w u) as [H1 H2]. unfold rule_below. destruct (Rle_dec u (INR w * U)) as [B|B].
    + split; intros E.
      * destruct (H1 E) as [F V]. split; [exact F|lra].
      * destruct (H2 E) as [F|F]; [left; exact F|right]. unfold Rmin. destruct (Rle_dec (p g) U); lra.
    + split; intros E; [apply Nat.leb_le in E; split; [exact E|lra]|left; apply Nat.leb_gt, E].
Qed.

(* prices that double *)
Definition sold_in (cls : nat -> nat) (i g : nat) : R := psum (fun h => if (cls h =? i)%nat then 1 else 0) g.

Theorem doubling (c : nat) (L U rho : R) (cls : nat -> nat) acc xs :
  (1 <= c)%nat -> 0 < L -> L < U -> 1 <= rho -> cls 0%nat = 0%nat -> (forall g, (cls g <= cls (S g) <= S (cls g))%nat) ->
  U <= L * 2 ^ cls c ->
  (forall g i, (g <= c)%nat -> cls g = S i -> L * 2 ^ i < U -> 2 * INR c <= rho * sold_in cls i g) ->
  obeys_prices c (fun g => L * 2 ^ cls g) acc -> offers_bounded 1 L U xs -> weighed (fun w _ => INR w) xs <= INR c ->
  weighed (fun _ u => u) xs <= rho * sells acc 0 xs.
Proof.
  intros Hc HL HU Hr C0 Cs Ct Q Ha O C.
  set (p g := L * 2 ^ cls g). set (low := psum (fun h => Rmin (p h) U)).
  assert (two : forall i, 0 < 2 ^ i) by (intros; apply pow_lt; lra).
  assert (Pp : forall g, 0 < p g) by (intros g; apply Rmult_lt_0_compat; auto).
  assert (Pm : forall g, p g <= p (S g)).
  { intros g. unfold p. apply Rmult_le_compat_l; [lra|]. apply Rle_pow; [lra|]. apply Cs. }
  assert (Min0 : forall g, 0 <= Rmin (p g) U) by (intros g; apply Rmin_glb; [left; apply Pp|lra]).
  assert (Low : forall i g, L * 2 ^ i < U -> sold_in cls i g * (L * 2 ^ i) <= low g).
  { intros i g Hi. unfold sold_in, low. induction g as [|g IH]; simpl; [lra|]. destruct (Nat.eqb_spec (cls g) i) as [E|E].
    - assert (p g = L * 2 ^ i) by (unfold p; rewrite E; reflexivity). rewrite H, Rmin_left by lra. lra.
    - assert (M := Min0 g). lra. }
  apply (unknown_spread c 1 L U rho p low acc); auto.
  - left. apply Pp.
  - replace (c - 1 + 1)%nat with c by lia. exact Ct.
  - intros g w Hw Hg. destruct w as [|[|w]]; [|..|lia].
    + rewrite Nat.add_0_r. simpl. lra.
    + rewrite Nat.add_1_r. simpl. unfold low. simpl. lra.
  - induction g as [|g IH]; intros Hg.
    + left. unfold p. rewrite C0. simpl. rewrite Rmult_1_r. apply Rmin_l.
    + destruct (Rle_dec U (p g)) as [G|G].
      * assert (G' := Pm g). rewrite Rmin_right by lra. right. destruct (IH ltac:(lia)) as [B|B]; rewrite Rmin_right in B by auto; [lra|].
        assert (M := Min0 g). assert (low g <= low (S g)) by (unfold low; simpl; lra).
        assert (rho * low g <= rho * low (S g)) by (apply Rmult_le_compat_l; lra). lra.
      * destruct (cls (S g)) as [|i] eqn:E.
        -- left. unfold p. rewrite E. simpl. rewrite Rmult_1_r. apply Rmin_l.
        -- assert (Hi : L * 2 ^ i < U).
           { apply Rle_lt_trans with (p g); [|lra]. unfold p. apply Rmult_le_compat_l; [lra|]. apply Rle_pow; [lra|].
             assert (S1 := Cs g). lia. }
           right. assert (B := Q (S g) i Hg E Hi). assert (D := Low i (S g) Hi). assert (M := Rmin_l (p (S g)) U).
           apply Rle_trans with (INR c * p (S g)); [apply Rmult_le_compat_l; [apply pos_INR|exact M]|].
           unfold p. rewrite E. replace (INR c * (L * 2 ^ S i)) with (2 * INR c * (L * 2 ^ i)) by (simpl; ring).
           apply Rle_trans with (rho * sold_in cls i (S g) * (L * 2 ^ i)).
           ++ apply Rmult_le_compat_r; [|exact B]. apply Rmult_le_pos; [lra|left; auto].
           ++ rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
Qed.

(* what not to know U costs *)
Theorem spread_price_abstract (a f : nat -> R) (c : R) (n : nat) : 0 < c -> (forall s, (s <= n)%nat -> 0 < f s) ->
  (forall s, (s <= n)%nat -> c * 2 ^ s <= f s * psum (fun i => a i * 2 ^ i) (S s)) -> psum a (S n) <= c ->
  psum (fun s => / f s) (S n) <= 2.
Proof.
  intros Hc Hf H Ha. set (A s := psum (fun i => a i * 2 ^ i) (S s)) in *.
  assert (two : forall i, 0 < 2 ^ i) by (intros; apply pow_lt; lra).
  assert (One : forall s, (s <= n)%nat -> c * / f s <= A s / 2 ^ s).
  { intros s Hs. assert (F := Hf s Hs). assert (T := two s). apply Rmult_le_reg_l with (f s * 2 ^ s); [apply Rmult_lt_0_compat; auto|].
    replace (f s * 2 ^ s * (c * / f s)) with (c * 2 ^ s) by (field; lra).
    replace (f s * 2 ^ s * (A s / 2 ^ s)) with (f s * A s) by (field; lra). apply H, Hs. }
  (* half of the sum so far, and half of the last again, is sold *)
  assert (B : forall s, (s <= n)%nat -> c / 2 * psum (fun i => / f i) (S s) + A s / 2 ^ s / 2 <= psum a (S s)).
  { induction s as [|s IH]; intros Hs.
    - assert (O := One 0%nat Hs). unfold A in *. simpl in *. lra.
    - specialize (IH ltac:(lia)). assert (O := One (S s) Hs). assert (T := two s).
      assert (E : A (S s) / 2 ^ S s = A s / 2 ^ s / 2 + a (S s)) by (unfold A; cbn [psum pow]; field; lra).
      cbn [psum] in *. rewrite E in *. lra. }
  assert (X := B n (le_n n)). assert (O := One n (le_n n)).
  assert (F : 0 < / f n) by (apply Rinv_0_lt_compat, Hf; auto).
  assert (0 <= c * / f n) by (apply Rmult_le_pos; lra).
  apply Rmult_le_reg_l with (c / 2); [lra|]. lra.
Qed.

Theorem spread_price (alg : list offer -> bool) (c n : nat) (L : R) (f : nat -> R) :
  (1 <= c)%nat -> 0 < L -> within_capacity alg c -> (forall s, (s <= n)%nat -> 0 < f s) -> 2 < psum (fun s => / f s) (S n) ->
  exists s, (s <= n)%nat /\
    f s * gotv alg [] (inst 1 c (fun i => L * 2 ^ i) (S s)) < INR c * (L * 2 ^ s).
Proof.
  intros Hc HL Ho Hf H. set (v i := L * 2 ^ i).
  assert (HcR : 0 < INR c) by (apply lt_0_INR; lia).
  destruct (bounded_dec (fun s => INR c * v s <= f s * gotv alg [] (inst 1 c v (S s))) (fun s => Rle_dec _ _) n)
    as [All|(s & Hs & N)]; [exfalso|exists s; split; [exact Hs|apply Rnot_le_lt, N]].
  assert (B := spread_price_abstract (acc alg 1 c v) f (INR c) n HcR Hf).
  assert (psum (fun s => / f s) (S n) <= 2); [|lra]. apply B.
  - intros s Hs. apply Rmult_le_reg_l with L; [exact HL|]. assert (A := All s Hs). rewrite inst_value in A.
    replace (L * (INR c * 2 ^ s)) with (INR c * v s) by (unfold v; ring). eapply Rle_trans; [exact A|]. right.
    replace (psum (fun i => acc alg 1 c v i * v i) (S s)) with (L * psum (fun i => acc alg 1 c v i * 2 ^ i) (S s)); [ring|].
    generalize (S s) as k. induction k as [|k IH]; [simpl; ring|]. cbn [psum]. rewrite <- IH. unfold v. ring.
  - rewrite <- inst_count. assert (Q := obeys_count alg c 1 c v (S n) (le_n 1) Ho). rewrite Nat.div_1_r in Q. apply le_INR, Q.
Qed.
