(** * T13 One random threshold on one resource: a logarithm for bundles of any size, in expectation.

    [unit_offer]          (w, u): a bundle of w units, worth u; its density is u/w
    [collect accept room os]  what a rule collects from the offers os, one after the other, with room units left: it
                          takes a bundle iff it fits and accept says so
    [wanted accept os]    units of the offers that accept says yes to
    [expected_value mix c os]  the expected value of the rule that draws one line (q, p, accept) of mix with
                          probability q, before the first offer, and keeps it
    [covers mix L U a]    the weighted values of the lines that accept an offer of density v add up to v/a at
                          least, for every v in [L, U]
    [grid L e n]          n lines with p = L e^i: the first accepts everything, with weight e, the others what is
                          worth more than p per unit, with weight e - 1

    [random_threshold]    bundles of 1 to m <= c units, densities in [L, U], lines that accept only what is worth p per
                          unit: (c - m + 1) OPT <= a c E[P], OPT the fractional optimum
    [grid_covers]         the grid covers [L, U] with a = 1 if L e^n >= U; its weights add up to 1 + n (e - 1): so
                          dividing by that sum, E[P] is at least (c - m + 1)/c OPT/(1 + n (e - 1)), and
                          n (e - 1) tends to ln(U/L) *)
From Coq Require Import Reals Lra Lia List Arith Bool.
Import ListNotations.
Open Scope R_scope.

Definition unit_offer : Type := nat * R.
Definition price_rule : Type := nat -> R -> bool.

Fixpoint collect (accept : price_rule) (room : nat) (os : list unit_offer) : R := match os with
  | [] => 0
  | (w, u) :: rest => if (w <=? room)%nat && accept w u then u + collect accept (room - w) rest else collect accept room rest
  end.
Fixpoint wanted (accept : price_rule) (os : list unit_offer) : R := match os with
  | [] => 0
  | (w, u) :: rest => (if accept w u then INR w else 0) + wanted accept rest
  end.

Record line : Type := Line { grid_weight : R; grid_level : R; accepts : price_rule }.
Fixpoint expected_value (mix : list line) (c : nat) (os : list unit_offer) : R := match mix with
  | [] => 0
  | l :: rest => grid_weight l * collect (accepts l) c os + expected_value rest c os
  end.
Fixpoint covered_by (mix : list line) (w : nat) (u : R) : R := match mix with
  | [] => 0
  | l :: rest => (if accepts l w u then grid_weight l * grid_level l else 0) + covered_by rest w u
  end.

(* a fractional choice: each offer with the share of it that is taken *)
Definition shared_choice : Type := list (unit_offer * R).
Fixpoint shared_total (f : unit_offer -> R) (xs : shared_choice) : R := match xs with
  | [] => 0
  | (o, x) :: rest => x * f o + shared_total f rest
  end.

Definition sound (l : line) : Prop := 0 <= grid_weight l /\ 0 <= grid_level l /\
  forall w u, accepts l w u = true -> grid_level l * INR w <= u.
Definition covers (mix : list line) (L U a : R) : Prop := forall w u, (1 <= w)%nat ->
  L * INR w <= u <= U * INR w -> u <= a * INR w * covered_by mix w u.

Lemma collect_nonneg l room os : sound l -> 0 <= collect (accepts l) room os.
Proof.
  intros (_ & P & S). revert room. induction os as [|[w u] os IH]; intros room; simpl; [lra|].
  destruct ((w <=? room)%nat && accepts l w u) eqn:E; [|apply IH].
  apply andb_prop in E. destruct E as [_ E]. specialize (S w u E). specialize (IH (room - w)%nat).
  assert (H := pos_INR w). assert (0 <= grid_level l * INR w) by (apply Rmult_le_pos; auto). lra.
Qed.
Lemma wanted_nonneg accept os : 0 <= wanted accept os.
Proof. induction os as [|[w u] os IH]; simpl; [lra|]. destruct (accept w u); assert (H := pos_INR w); lra. Qed.

(* what is collected: p for each unit that is wanted, unless room - m + 1 units are gone before *)
Lemma collect_low l m room os : sound l -> (forall w u, In (w, u) os -> (w <= m)%nat) ->
  grid_level l * Rmin (INR (room + 1 - m)) (wanted (accepts l) os) <= collect (accepts l) room os.
Proof.
  intros S. assert (S0 := S). destruct S0 as (_ & P & Sa). revert room.
  induction os as [|[w u] os IH]; intros room Hm; simpl.
  - rewrite Rmin_right by apply pos_INR. lra.
  - assert (Hw : (w <= m)%nat) by (apply (Hm w u); left; reflexivity).
    assert (Hm' : forall w' u', In (w', u') os -> (w' <= m)%nat) by (intros w' u' H; apply (Hm w' u'); right; exact H).
    destruct (accepts l w u) eqn:A.
    + rewrite andb_true_r. destruct (Nat.leb_spec w room) as [F|F].
      * specialize (IH (room - w)%nat Hm'). specialize (Sa w u A).
        assert (G : Rmin (INR (room + 1 - m)) (INR w + wanted (accepts l) os) <=
                    INR w + Rmin (INR (room - w + 1 - m)) (wanted (accepts l) os)).
        { assert (N : INR (room + 1 - m) <= INR w + INR (room - w + 1 - m))
            by (rewrite <- plus_INR; apply le_INR; lia).
          unfold Rmin. destruct (Rle_dec (INR (room + 1 - m)) _), (Rle_dec (INR (room - w + 1 - m)) _); lra. }
        apply Rmult_le_compat_l with (r := grid_level l) in G; auto. lra.
      * replace (room + 1 - m)%nat with 0%nat by lia. simpl INR.
        rewrite Rmin_left; [rewrite Rmult_0_r; apply collect_nonneg; auto|].
        assert (H := pos_INR w). assert (H' := wanted_nonneg (accepts l) os). lra.
    + rewrite andb_false_r. rewrite Rplus_0_l. apply IH. exact Hm'.
Qed.

Definition share_ok (xs : shared_choice) : Prop := forall o x, In (o, x) xs -> 0 <= x <= 1.

(* the units of what a rule accepts, in a fractional choice *)
Lemma share_units (accept : price_rule) xs : share_ok xs ->
  let t := shared_total (fun o => if accept (fst o) (snd o) then INR (fst o) else 0) xs in
  0 <= t <= wanted accept (map fst xs) /\ t <= shared_total (fun o => INR (fst o)) xs.
Proof.
  cbv zeta. induction xs as [|[[w u] x] xs IH]; intros H; simpl; [lra|].
  assert (X := H (w, u) x (or_introl eq_refl)).
  assert (H' : share_ok xs) by (intros o y Hy; apply (H o y); right; exact Hy).
  specialize (IH H'). assert (N := pos_INR w). destruct (accept w u); nra.
Qed.

Lemma shared_covered mix xs :
  shared_total (fun o => INR (fst o) * covered_by mix (fst o) (snd o)) xs =
  fold_right (fun (l : line) (s : R) => grid_weight l * grid_level l *
    shared_total (fun o => if accepts l (fst o) (snd o) then INR (fst o) else 0) xs + s) 0 mix.
Proof.
  induction mix as [|l mix IH].
  - simpl. induction xs as [|[[w u] x] xs IHx]; simpl; [reflexivity|]. simpl in IHx. rewrite IHx. ring.
  - simpl fold_right. rewrite <- IH. clear IH. induction xs as [|[[w u] x] xs IHx]; simpl; [ring|].
    simpl in IHx. rewrite IHx. destruct (accepts l w u); ring.
Qed.

Theorem random_threshold (mix : list line) (c m : nat) (L U a : R) (xs : shared_choice) :
  (1 <= m <= c)%nat -> 0 <= a -> (forall l, In l mix -> sound l) -> covers mix L U a ->
  (forall w u, In (w, u) (map fst xs) -> (1 <= w <= m)%nat /\ L * INR w <= u <= U * INR w) ->
  share_ok xs -> shared_total (fun o => INR (fst o)) xs <= INR c ->
  INR (c + 1 - m) * shared_total (fun o => snd o) xs <= a * INR c * expected_value mix c (map fst xs).
Proof.
  intros Hm Ha Hs Hc Ho Hx Hcap. set (N := INR (c + 1 - m)). set (os := map fst xs).
  assert (HN : 0 <= N <= INR c) by (split; [apply pos_INR|apply le_INR; lia]).
  assert (V : shared_total (fun o => snd o) xs <= a * shared_total (fun o => INR (fst o) * covered_by mix (fst o) (snd o)) xs).
  { clear Hcap os. induction xs as [|[[w u] x] xs IH]; simpl; [lra|].
    assert (X := Hx (w, u) x (or_introl eq_refl)).
    destruct (Ho w u (or_introl eq_refl)) as [W D]. assert (C := Hc w u ltac:(lia) D).
    assert (T : shared_total (fun o => snd o) xs <= a * shared_total (fun o => INR (fst o) * covered_by mix (fst o) (snd o)) xs).
    { apply IH; [intros w' u' H; apply Ho; right; exact H|intros o y Hy; apply (Hx o y); right; exact Hy]. }
    apply Rmult_le_compat_l with (r := x) in C; [|lra]. lra. }
  rewrite shared_covered in V.
  assert (B : N * fold_right (fun (l : line) (s : R) => grid_weight l * grid_level l *
      shared_total (fun o => if accepts l (fst o) (snd o) then INR (fst o) else 0) xs + s) 0 mix <= INR c * expected_value mix c os).
  { clear Hc V. induction mix as [|l mix IH]; simpl; [lra|].
    assert (S := Hs l (or_introl eq_refl)). destruct S as (Wl & Pl & Al).
    assert (IH' := IH (fun l' H => Hs l' (or_intror H))).
    assert (Q : grid_level l * Rmin N (wanted (accepts l) os) <= collect (accepts l) c os).
    { apply collect_low; [repeat split; auto|]. intros w u H. apply (Ho w u H). }
    set (t := shared_total (fun o => if accepts l (fst o) (snd o) then INR (fst o) else 0) xs) in *.
    assert (T : 0 <= t <= wanted (accepts l) os /\ t <= INR c).
    { destruct (share_units (accepts l) xs Hx) as [T T2]. split; [exact T|]. eapply Rle_trans; [exact T2|exact Hcap]. }
    destruct T as [[T0 T1] T2].
    assert (M : N * t <= INR c * Rmin N (wanted (accepts l) os)).
    { assert (W0 := wanted_nonneg (accepts l) os). unfold Rmin. destruct (Rle_dec N (wanted (accepts l) os)); nra. }
    assert (E : grid_weight l * (grid_level l * (N * t)) <= grid_weight l * (INR c * collect (accepts l) c os)).
    { apply Rmult_le_compat_l; auto. apply Rle_trans with (grid_level l * (INR c * Rmin N (wanted (accepts l) os))).
      - apply Rmult_le_compat_l; auto.
      - replace (grid_level l * (INR c * Rmin N (wanted (accepts l) os))) with
          (INR c * (grid_level l * Rmin N (wanted (accepts l) os))) by ring.
        apply Rmult_le_compat_l; [apply pos_INR|exact Q]. }
    replace (N * (grid_weight l * grid_level l * t + fold_right (fun (l0 : line) (s : R) => grid_weight l0 * grid_level l0 *
      shared_total (fun o => if accepts l0 (fst o) (snd o) then INR (fst o) else 0) xs + s) 0 mix))
      with (grid_weight l * (grid_level l * (N * t)) + N * fold_right (fun (l0 : line) (s : R) => grid_weight l0 * grid_level l0 *
      shared_total (fun o => if accepts l0 (fst o) (snd o) then INR (fst o) else 0) xs + s) 0 mix) by ring.
    lra. }
  apply Rmult_le_compat_l with (r := N) in V; [|lra].
  apply Rmult_le_compat_l with (r := a) in B; auto. lra.
Qed.

Definition above (p : R) : price_rule := fun w u => if Rlt_dec (p * INR w) u then true else false.
Fixpoint grid (L e : R) (n : nat) : list line := match n with
  | O => []
  | S O => [Line e L (fun w u => if Rle_dec (L * INR w) u then true else false)]
  | S i => Line (e - 1) (L * e ^ i) (above (L * e ^ i)) :: grid L e i
  end.
Fixpoint weights (mix : list line) : R := match mix with [] => 0 | l :: rest => grid_weight l + weights rest end.

Theorem grid_covers L U e n : 0 < L -> 1 < e -> (1 <= n)%nat -> U <= L * e ^ n ->
  (forall l, In l (grid L e n) -> sound l) /\ covers (grid L e n) L U 1 /\ weights (grid L e n) = 1 + INR n * (e - 1).
Proof.
  intros HL He Hn HU.
  assert (Pe : forall i, 0 < e ^ i) by (intros i; apply pow_lt; lra).
  split; [|split].
  - clear HU. induction n as [|[|n] IH]; [lia| |].
    + intros l [<-|[]]. simpl. repeat split; simpl; try lra. intros w u. destruct (Rle_dec _ _); [auto|discriminate].
    + change (grid L e (S (S n))) with (Line (e - 1) (L * e ^ S n) (above (L * e ^ S n)) :: grid L e (S n)).
      intros l [<-|H]; [|apply IH; [lia|exact H]]. repeat split; cbn [grid_weight grid_level accepts].
      * lra.
      * assert (H := Pe (S n)). nra.
      * intros w u. unfold above. destruct (Rlt_dec _ _); [intros _; lra|discriminate].
  - (* below L e^n the lines up to n are enough *)
    assert (C : forall i, (1 <= i)%nat -> forall w u, (1 <= w)%nat -> L * INR w <= u -> u <= L * e ^ i * INR w ->
      u <= INR w * covered_by (grid L e i) w u).
    { induction i as [|[|i] IH]; [lia| |]; intros Hi w u Hw H1 H2.
      - simpl. destruct (Rle_dec _ _) as [_|N]; [|contradiction]. simpl in H2. lra.
      - change (grid L e (S (S i))) with (Line (e - 1) (L * e ^ S i) (above (L * e ^ S i)) :: grid L e (S i)).
        cbn [covered_by accepts grid_weight grid_level]. unfold above. assert (W : 0 < INR w) by (apply lt_0_INR; lia).
        destruct (Rlt_dec (L * e ^ S i * INR w) u) as [G|G].
        + assert (B := IH ltac:(lia) w (L * e ^ S i * INR w) Hw).
          assert (M : covered_by (grid L e (S i)) w (L * e ^ S i * INR w) <= covered_by (grid L e (S i)) w u).
          { assert (K : forall k v v', v <= v' -> covered_by (grid L e k) w v <= covered_by (grid L e k) w v').
            { induction k as [|[|k] IHk]; intros v v' Hv; [simpl; lra| |].
              - simpl. destruct (Rle_dec _ v), (Rle_dec _ v'); try lra; nra.
              - change (grid L e (S (S k))) with (Line (e - 1) (L * e ^ S k) (above (L * e ^ S k)) :: grid L e (S k)).
                cbn [covered_by accepts grid_weight grid_level]. specialize (IHk v v' Hv). unfold above.
                assert (P := Pe (S k)). assert (0 <= (e - 1) * (L * e ^ S k)) 
                  by (apply Rmult_le_pos; [lra|]; apply Rmult_le_pos; [lra|]; apply Rlt_le, P).
                destruct (Rlt_dec _ v), (Rlt_dec _ v'); lra. }
            apply K. lra. }
          assert (E1 : 1 <= e ^ S i) by (apply pow_R1_Rle; lra).
          assert (B1 : L * INR w <= L * e ^ S i * INR w) 
            by (apply Rmult_le_compat_r; [lra|]; rewrite <- (Rmult_1_r L) at 1; apply Rmult_le_compat_l; lra).
          specialize (B B1 (Rle_refl _)).
          assert (H3 : u <= e * (L * e ^ S i * INR w)).
          { replace (e * (L * e ^ S i * INR w)) with (L * e ^ S (S i) * INR w) by (simpl; ring). exact H2. }
          assert (M' : INR w * covered_by (grid L e (S i)) w (L * e ^ S i * INR w) <= INR w * covered_by (grid L e (S i)) w u)
            by (apply Rmult_le_compat_l; lra).
          replace (INR w * ((e - 1) * (L * e ^ S i) + covered_by (grid L e (S i)) w u)) with
            ((e - 1) * (L * e ^ S i * INR w) + INR w * covered_by (grid L e (S i)) w u) by ring. lra.
        + rewrite Rplus_0_l. apply IH; auto; [lia|lra]. }
    intros w u Hw [H1 H2]. rewrite Rmult_1_l. apply (C n Hn w u Hw H1).
    eapply Rle_trans; [exact H2|]. apply Rmult_le_compat_r; [apply pos_INR|exact HU].
  - clear HU. induction n as [|[|n] IH]; [lia| |].
    + simpl. ring.
    + change (grid L e (S (S n))) with (Line (e - 1) (L * e ^ S n) (above (L * e ^ S n)) :: grid L e (S n)).
      cbn [weights grid_weight]. rewrite IH by lia. rewrite !S_INR. ring.
Qed.
