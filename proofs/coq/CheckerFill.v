(** * Sums, and the least cost of GPUs at prices and capacities.

    [sum, lsum]            sums over 0 .. n-1 (of SchedModel) and over lists
    [item]                 GPUs of one type at one price: (type, price, capacity)
    [describes its H R p c]  the items are the types 0..R-1 of the nodes 0..H-1 at prices p, capacities c
    [fill m W its]         a lower bound on the cost of W GPUs of the types in m, by duality; exact if the
                         items are sorted
    [fill_sound]           that it is one *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel.
Import ListNotations.
Open Scope Z_scope.

(* sums *)
Lemma sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof. induction n; simpl; intros H; auto. rewrite IHn, H; auto. Qed.
Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; simpl; intros H; [lia|].
  assert (A := H n ltac:(lia)). assert (B := IH (fun i Hi => H i ltac:(lia))). lia.
Qed.
Lemma sum_plus n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n; simpl; lia. Qed.
Lemma sum_minus n f g : sum n (fun i => f i - g i) = sum n f - sum n g.
Proof. induction n; simpl; lia. Qed.
Lemma sum_scale n a f : sum n (fun i => a * f i) = a * sum n f.
Proof. induction n; simpl; lia. Qed.
Lemma sum_zero n f : (forall i, (i < n)%nat -> f i = 0) -> sum n f = 0.
Proof. intros H. rewrite (sum_ext n f (fun _ => 0)) by auto. clear. induction n; simpl; lia. Qed.
Lemma sum_nonneg n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof. intros H. rewrite <- (sum_zero n (fun _ => 0)); auto. apply sum_le; auto. Qed.
Lemma sum_term n f i : (i < n)%nat -> (forall k, (k < n)%nat -> 0 <= f k) -> f i <= sum n f.
Proof.
  induction n as [|n IH]; [lia|]. simpl. intros Hi H.
  assert (0 <= sum n f) by (apply sum_nonneg; intros; apply H; lia).
  assert (0 <= f n) by (apply H; lia).
  destruct (Nat.eq_dec i n) as [->|]; [lia|]. specialize (IH ltac:(lia) (fun k Hk => H k ltac:(lia))). lia.
Qed.
Lemma sum_first n f : sum (S n) f = f 0%nat + sum n (fun i => f (S i)).
Proof. induction n as [|n IH]; [simpl; lia|]. change (sum (S n) f + f (S n) = f 0%nat + (sum n (fun i => f (S i)) + f (S n))). lia. Qed.
Lemma sum_positive n f : 0 < sum n f -> exists i, (i < n)%nat /\ 0 < f i.
Proof.
  induction n as [|n IH]; simpl; [lia|]. intros H. destruct (Z_lt_dec 0 (f n)); [exists n; auto|].
  destruct IH as (i & A & B); [lia|]. exists i. auto.
Qed.
Lemma sum_swap n m f : sum n (fun i => sum m (f i)) = sum m (fun k => sum n (fun i => f i k)).
Proof.
  induction n as [|n IH]; simpl; [rewrite sum_zero; auto|].
  rewrite IH, <- sum_plus. reflexivity.
Qed.

(* sums over lists *)
Definition lsum {A} (f : A -> Z) (l : list A) : Z := fold_right (fun a acc => f a + acc) 0 l.
Lemma lsum_le {A} (f g : A -> Z) l : (forall a, In a l -> f a <= g a) -> lsum f l <= lsum g l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [lia|].
  assert (Q := H a (or_introl eq_refl)). specialize (IH (fun x Hx => H x (or_intror Hx))). lia.
Qed.
Lemma lsum_app {A} (f : A -> Z) l k : lsum f (l ++ k) = lsum f l + lsum f k.
Proof. induction l; simpl; lia. Qed.
Lemma lsum_map {A B} (f : B -> Z) (g : A -> B) l : lsum f (map g l) = lsum (fun a => f (g a)) l.
Proof. induction l; simpl; lia. Qed.
Lemma lsum_seq (f : nat -> Z) n : lsum f (seq 0 n) = sum n f.
Proof. induction n as [|n IH]; [reflexivity|]. rewrite seq_S, lsum_app, IH. simpl. lia. Qed.
Lemma lsum_filter {A} (f : A -> Z) b l : lsum f (filter b l) = lsum (fun a => if b a then f a else 0) l.
Proof. induction l as [|a l IH]; [reflexivity|]. simpl. destruct (b a); simpl; lia. Qed.
Lemma lsum_scale {A} (f : A -> Z) k l : lsum (fun a => k * f a) l = k * lsum f l.
Proof. induction l; simpl; lia. Qed.
Lemma lsum_minus {A} (f g : A -> Z) l : lsum (fun a => f a - g a) l = lsum f l - lsum g l.
Proof. induction l; simpl; lia. Qed.

(* items and the least cost of W of them *)
Definition item := (nat * Z * Z)%type.
Definition item_type (i : item) : nat := fst (fst i).
Definition item_price (i : item) : Z := snd (fst i).
Definition item_count (i : item) : Z := snd i.

Fixpoint total (F : nat -> Z -> Z) (its : list item) : Z :=
  match its with
  | [] => 0
  | i :: r => F (item_type i) (item_price i) * item_count i + total F r
  end.
Definition on (m : list bool) (r : nat) : bool := nth r m false.

(* price of the last GPU taken when the W cheapest are taken in order; any value would be sound *)
Fixpoint threshold (W : Z) (its : list item) (last : Z) : Z :=
  match its with
  | [] => last
  | i :: r => if W <=? item_count i then item_price i
              else threshold (W - item_count i) r (item_price i)
  end.
Definition fill (m : list bool) (W : Z) (its : list item) : option Z :=
  let its := filter (fun i => on m (item_type i)) its in
  if total (fun _ _ => 1) its <? W then None
  else let lam := threshold W its 0 in
       Some (lam * W - total (fun _ k => Z.max 0 (lam - k)) its).

Definition describes (its : list item) (H R : nat) (p c : nat -> nat -> Z) : Prop :=
  forall F, total F its = sum H (fun h => sum R (fun r => F r (p h r) * c h r)).

Lemma total_filter F m its :
  total F (filter (fun i => on m (item_type i)) its) =
  total (fun r k => if on m r then F r k else 0) its.
Proof.
  induction its as [|i r IH]; [reflexivity|]. simpl.
  destruct (on m (item_type i)); simpl; rewrite IH; lia.
Qed.

Lemma fill_sound its H R p c g m W : describes its H R p c ->
  (forall h r, (h < H)%nat -> (r < R)%nat ->
     0 <= g h r <= c h r /\ (0 < g h r -> on m r = true)) ->
  sum H (fun h => sum R (g h)) = W ->
  exists v, fill m W its = Some v /\ v <= sum H (fun h => sum R (fun r => p h r * g h r)).
Proof.
  intros D G HW. unfold fill. rewrite !total_filter, !D.
  set (lam := threshold _ _ _). clearbody lam.
  assert (A : W <= sum H (fun h => sum R (fun r => (if on m r then 1 else 0) * c h r))).
  { rewrite <- HW. apply sum_le. intros h Hh. apply sum_le. intros r Hr.
    destruct (G h r Hh Hr) as [G1 G2]. destruct (on m r); [lia|].
    destruct (Z_lt_dec 0 (g h r)); [specialize (G2 ltac:(auto)); discriminate|lia]. }
  replace (_ <? W) with false by (symmetry; apply Z.ltb_ge; exact A).
  eexists. split; [reflexivity|].
  rewrite <- HW, <- sum_scale, <- sum_minus. apply sum_le. intros h Hh.
  rewrite <- sum_scale, <- sum_minus. apply sum_le. intros r Hr.
  destruct (G h r Hh Hr) as [G1 G2]. destruct (on m r).
  - assert (Q := Z.le_max_l 0 (lam - p h r)). assert (Q' := Z.le_max_r 0 (lam - p h r)).
    assert (E1 := Z.mul_le_mono_nonneg_l _ _ _ Q (proj2 G1)).
    assert (E2 := Z.mul_le_mono_nonneg_r _ _ _ (proj1 G1) Q').
    lia.
  - destruct (Z_lt_dec 0 (g h r)); [specialize (G2 ltac:(auto)); discriminate|].
    replace (g h r) with 0 by lia. lia.
Qed.

(* cheapest first *)
Fixpoint insert_item (i : item) (its : list item) : list item :=
  match its with
  | [] => [i]
  | x :: r => if item_price i <=? item_price x then i :: its else x :: insert_item i r
  end.
Definition sort_items (its : list item) : list item := fold_right insert_item [] its.

(* least fill over the nodes *)
Fixpoint best_fill (m : list bool) (W : Z) (nodes : list (list item)) : option Z :=
  match nodes with
  | [] => None
  | its :: r =>
      match fill m W its, best_fill m W r with
      | None, b => b
      | a, None => a
      | Some v, Some w => Some (Z.min v w)
      end
  end.
Lemma best_fill_sound m W nodes its v : In its nodes -> fill m W its = Some v ->
  exists w, best_fill m W nodes = Some w /\ w <= v.
Proof.
  induction nodes as [|x r IH]; [intros []|]. intros [E|H] Hv; simpl.
  - subst x. rewrite Hv. destruct (best_fill m W r) as [w|]; eexists; (split; [reflexivity|lia]).
  - destruct (IH H Hv) as (w & -> & Hw). destruct (fill m W x); eexists; (split; [reflexivity|lia]).
Qed.
