(** * Packing gangs of divisible sizes into single nodes of one type.

    Nodes are the numbers below n, node h with cap h free units.
    [load h P]         units that the placement P, a list of (node, size), puts on node h
    [packs n cap ws]   the gangs of sizes ws fit, each inside one node
    [slots n cap s]    sum over the nodes of floor(cap h / s)
    [big s ws]         total size of the gangs of size >= s
    [chain ws]         of any two sizes the smaller divides the larger, and all are >= 1

    [row_necessary]    if s >= 1 divides every size >= s of ws: packs -> big s ws <= s slots s
    [chain_packing]    chain ws: packs iff big s ws <= s slots s for every size s of ws
    [powers_packing]   sizes in {1,2,4,8}: packs iff the four rows s = 1, 2, 4, 8 hold
    [rows_insufficient_without_chain]  sizes 3, 3, 2 on two nodes of 4: every row holds, no packing *)
From Coq Require Import List Arith Lia Permutation Sorted.
Import ListNotations.

Definition load (h : nat) (P : list (nat * nat)) : nat :=
  fold_right (fun p a => (if fst p =? h then snd p else 0) + a) 0 P.
Definition packs n (cap : nat -> nat) (ws : list nat) : Prop :=
  exists P, Permutation (map snd P) ws /\ (forall p, In p P -> fst p < n) /\
            forall h, h < n -> load h P <= cap h.
Fixpoint over (n : nat) (f : nat -> nat) : nat := match n with O => 0 | S h => over h f + f h end.
Definition slots n (cap : nat -> nat) (s : nat) : nat := over n (fun h => cap h / s).
Definition big (s : nat) (ws : list nat) : nat :=
  fold_right (fun w a => (if s <=? w then w else 0) + a) 0 ws.
Definition chain (ws : list nat) : Prop :=
  (forall w, In w ws -> 1 <= w) /\ forall a b, In a ws -> In b ws -> a <= b -> Nat.divide a b.

Lemma big_perm s ws vs : Permutation ws vs -> big s ws = big s vs.
Proof. induction 1; simpl; lia. Qed.
Lemma big_app s ws vs : big s (ws ++ vs) = big s ws + big s vs.
Proof. induction ws; simpl; lia. Qed.

Lemma over_le n f g : (forall h, h < n -> f h <= g h) -> over n f <= over n g.
Proof.
  intros H. induction n as [|n IH]; simpl; [lia|].
  assert (f n <= g n) by (apply H; lia). assert (over n f <= over n g) by (apply IH; intros; apply H; lia).
  lia.
Qed.
Lemma over_scale n s f : over n (fun h => s * f h) = s * over n f.
Proof. induction n as [|n IH]; simpl; [lia|]. rewrite IH. lia. Qed.

(* units per node of the gangs of size >= s *)
Definition heavy (s : nat) (P : list (nat * nat)) := filter (fun p => s <=? snd p) P.

Lemma over_load n P : (forall p, In p P -> fst p < n) ->
  over n (fun h => load h P) = fold_right (fun p a => snd p + a) 0 P.
Proof.
  induction P as [|[k w] P IH]; intros H.
  - simpl. induction n; simpl; auto. rewrite IHn; [reflexivity|]. intros p [].
  - assert (Hk : k < n) by (apply (H (k, w)); left; auto).
    simpl. rewrite <- IH by (intros p Hp; apply H; right; auto). clear - Hk.
    assert (Q : forall m, over m (fun h => (if k =? h then w else 0) + load h P) =
              (if k <? m then w else 0) + over m (fun h => load h P)).
    { induction m as [|m IHm]; [reflexivity|]. cbn [over]. rewrite IHm.
      destruct (Nat.eqb_spec k m), (Nat.ltb_spec k m), (Nat.ltb_spec k (S m)); lia. }
    rewrite Q. destruct (Nat.ltb_spec k n); lia.
Qed.

Lemma heavy_load s P h : load h (heavy s P) <= load h P.
Proof. induction P as [|[k w] P IH]; simpl; [lia|]. destruct (s <=? w); simpl; lia. Qed.
Lemma heavy_total s P : fold_right (fun p a => snd p + a) 0 (heavy s P) = big s (map snd P).
Proof. induction P as [|[k w] P IH]; simpl; [lia|]. destruct (s <=? w); simpl; lia. Qed.

Lemma load_divides s P h : (forall p, In p P -> Nat.divide s (snd p)) -> Nat.divide s (load h P).
Proof.
  induction P as [|p P IH]; intros H; simpl; [apply Nat.divide_0_r|].
  apply Nat.divide_add_r; [|apply IH; intros; apply H; right; auto].
  destruct (fst p =? h); [apply H; left; auto|apply Nat.divide_0_r].
Qed.

Theorem row_necessary n cap ws s :
  1 <= s -> (forall w, In w ws -> s <= w -> Nat.divide s w) ->
  packs n cap ws -> big s ws <= s * slots n cap s.
Proof.
  intros Hs Hd (P & Pw & Pn & Pc). rewrite <- (big_perm s _ _ Pw), <- heavy_total.
  rewrite <- (over_load n) by (intros p Hp; apply filter_In in Hp; apply Pn, Hp).
  unfold slots. rewrite <- over_scale. apply over_le. intros h Hh.
  destruct (load_divides s (heavy s P) h) as (k & Hk).
  { intros p Hp. apply filter_In in Hp. destruct Hp as [Hp Hle]. apply Nat.leb_le in Hle.
    apply Hd; auto. apply (Permutation_in _ Pw), in_map; auto. }
  assert (L := heavy_load s P h). specialize (Pc h Hh).
  assert (k <= cap h / s) by (apply Nat.div_le_lower_bound; lia).
  rewrite Hk, Nat.mul_comm. apply Nat.mul_le_mono_l; auto.
Qed.

Lemma find_room n cap P w : 1 <= w -> (forall p, In p P -> fst p < n) ->
  (forall p, In p P -> Nat.divide w (snd p)) ->
  w + fold_right (fun p a => snd p + a) 0 P <= w * slots n cap w ->
  exists h, h < n /\ load h P + w <= cap h.
Proof.
  intros Hw Pn Pd H. rewrite <- (over_load n) in H by auto. unfold slots in H.
  rewrite <- over_scale in H.
  assert (Q : forall m, over m (fun h => load h P) < over m (fun h => w * (cap h / w)) ->
            exists h, h < m /\ load h P + w <= cap h).
  { clear H. induction m as [|m IH]; cbn [over]; intros H; [lia|].
    destruct (le_lt_dec (load m P + w) (cap m)) as [L|L]; [exists m; split; [lia|auto]|].
    destruct IH as (h & Hh & Q); [|exists h; split; [lia|auto]].
    destruct (load_divides w P m Pd) as (k & Hk).
    assert (cap m / w < k + 1) by (apply Nat.div_lt_upper_bound; lia).
    assert (w * (cap m / w) <= w * k) by (apply Nat.mul_le_mono_l; lia). lia. }
  apply Q. lia.
Qed.

Lemma insert_sorted a l : StronglySorted le l ->
  exists m, Permutation (a :: l) m /\ StronglySorted le m.
Proof.
  induction 1 as [|b l S (m & P & T) F]; [exists [a]; split; repeat constructor|].
  destruct (le_lt_dec a b) as [H|H].
  - exists (a :: b :: l). split; auto. constructor; [constructor; auto|].
    constructor; auto. eapply Forall_impl; [|exact F]. simpl; lia.
  - exists (b :: m). split; [transitivity (b :: a :: l); [apply perm_swap|auto]|].
    constructor; auto. apply Forall_forall. intros x Hx.
    apply (Permutation_in x (Permutation_sym P)) in Hx. destruct Hx as [<-|Hx]; [lia|].
    rewrite Forall_forall in F. auto.
Qed.

Lemma sort_exists ws : exists vs, Permutation ws vs /\ StronglySorted le vs.
Proof.
  induction ws as [|w ws (vs & P & S)]; [exists []; split; constructor|].
  destruct (insert_sorted w vs S) as (m & Q & T). exists m. split; auto.
  transitivity (w :: vs); auto.
Qed.

Theorem chain_packing n cap ws : chain ws ->
  (packs n cap ws <-> forall s, In s ws -> big s ws <= s * slots n cap s).
Proof.
  intros [H1 Hd]. split.
  - intros HP s Hs. apply row_necessary; auto.
  - intros Hrow. destruct (sort_exists ws) as (vs & P & S).
    assert (Q : packs n cap vs).
    { assert (H1' : forall w, In w vs -> 1 <= w)
        by (intros; apply H1, (Permutation_in _ (Permutation_sym P)); auto).
      assert (Hd' : forall a b, In a vs -> In b vs -> a <= b -> Nat.divide a b)
        by (intros; apply Hd; auto; apply (Permutation_in _ (Permutation_sym P)); auto).
      assert (Hrow' : forall s, In s vs -> big s vs <= s * slots n cap s).
      { intros s Hs. rewrite <- (big_perm s _ _ P). apply Hrow, (Permutation_in _ (Permutation_sym P)); auto. }
      clear P Hrow H1 Hd ws. induction S as [|w vs S IH F].
      - exists []. repeat split; auto; simpl; try lia.
      - destruct IH as (P & Pw & Pn & Pc).
        + intros; apply H1'; right; auto.
        + intros; apply Hd'; auto; right; auto.
        + intros s Hs. eapply Nat.le_trans; [|apply Hrow'; right; auto]. simpl. lia.
        + rewrite Forall_forall in F.
          destruct (find_room n cap P w) as (h & Hh & Hl); auto.
          * apply H1'; left; auto.
          * intros p Hp. assert (Hv : In (snd p) vs) by (apply (Permutation_in _ Pw), in_map; auto).
            apply Hd'; [left|right|]; auto.
          * assert (R := Hrow' w (or_introl eq_refl)). simpl in R. rewrite Nat.leb_refl in R.
            replace (fold_right (fun p a => snd p + a) 0 P) with (big w vs); [lia|].
            rewrite <- (big_perm w _ _ Pw). rewrite <- heavy_total. unfold heavy.
            f_equal. assert (A : forall p, In p P -> w <=? snd p = true).
            { intros p Hp. apply Nat.leb_le, F, (Permutation_in _ Pw), in_map; auto. }
            clear - A. induction P as [|p P IH]; simpl; auto. rewrite (A p) by (left; auto).
            rewrite IH; auto. intros q Hq. apply A; right; auto.
          * exists ((h, w) :: P). repeat split.
            -- simpl. auto.
            -- intros p [<-|Hp]; simpl; auto.
            -- intros k Hk. simpl. destruct (Nat.eqb_spec h k) as [->|]; [lia|]. simpl. auto. }
    destruct Q as (Pl & Pw & Pn & Pc). exists Pl. repeat split; auto.
    transitivity vs; [auto|apply Permutation_sym; auto].
Qed.

Theorem powers_packing n cap ws : (forall w, In w ws -> In w [1; 2; 4; 8]) ->
  (packs n cap ws <-> forall s, In s [1; 2; 4; 8] -> big s ws <= s * slots n cap s).
Proof.
  intros Hw.
  assert (D : forall a b, In a [1; 2; 4; 8] -> In b [1; 2; 4; 8] -> a <= b -> Nat.divide a b).
  { intros a b Ha Hb Hab. exists (b / a).
    repeat (destruct Ha as [<-|Ha]; [repeat (destruct Hb as [<-|Hb]; [cbv in *; lia|]); destruct Hb|]).
    destruct Ha. }
  assert (P1 : forall s, In s [1; 2; 4; 8] -> 1 <= s) by (intros s Hs; simpl in Hs; lia).
  split.
  - intros HP s Hs. apply row_necessary; auto.
  - intros H. apply chain_packing; [split; auto|auto].
Qed.

Theorem rows_insufficient_without_chain :
  let ws := [3; 3; 2] in let cap := fun _ : nat => 4 in
  (forall s, In s [1; 2; 3] -> big s ws <= s * slots 2 cap s) /\ ~ packs 2 cap ws.
Proof.
  intros ws cap. split.
  - intros s Hs. repeat (destruct Hs as [<-|Hs]; [cbv; lia|]). destruct Hs.
  - intros (P & Pw & Pn & Pc).
    assert (T : load 0 P + load 1 P = 8).
    { assert (Q := over_load 2 P Pn). simpl in Q. rewrite Q.
      assert (E := heavy_total 0 P). rewrite (big_perm 0 _ _ Pw) in E. simpl in E.
      rewrite <- E. f_equal. clear. induction P; simpl; auto. rewrite IHP at 1. reflexivity. }
    assert (C0 := Pc 0 ltac:(lia)). assert (C1 := Pc 1 ltac:(lia)). unfold cap in C0, C1.
    (* both nodes are full with 4 = sum of some of 3, 3, 2: impossible *)
    assert (L := Permutation_length Pw). rewrite map_length in L.
    destruct P as [|[a x] [|[b y] [|[c z] [|]]]]; try discriminate L. clear L.
    assert (Ba := Pn (a, x) ltac:(left; auto)). assert (Bb := Pn (b, y) ltac:(right; left; auto)).
    assert (Bc := Pn (c, z) ltac:(right; right; left; auto)). simpl in *.
    assert (Mx : In x ws) by (apply (Permutation_in x Pw); simpl; auto).
    assert (My : In y ws) by (apply (Permutation_in y Pw); simpl; auto).
    assert (Mz : In z ws) by (apply (Permutation_in z Pw); simpl; auto).
    unfold ws in *. simpl in Mx, My, Mz.
    destruct a as [|[|]], b as [|[|]], c as [|[|]]; simpl in *; lia.
Qed.
