(** * Finite sums over lists, with values in R.

    [rsum f l]   f x1 + ... + f xn for l = [x1; ...; xn] (0 for the empty list)

    Lemmas only: comparison, linearity, one term below the sum, exchange of two sums. *)
From Coq Require Import Reals Lra Lia List Arith.
Import ListNotations.
Open Scope R_scope.

Fixpoint rsum {A : Type} (f : A -> R) (l : list A) : R :=
  match l with [] => 0 | x :: t => f x + rsum f t end.

Lemma rsum_le {A} (f g : A -> R) l :
  (forall x, In x l -> f x <= g x) -> rsum f l <= rsum g l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [lra|].
  assert (f a <= g a) by (apply H; auto).
  assert (rsum f l <= rsum g l) by (apply IH; intros; apply H; auto). lra.
Qed.

Lemma rsum_ext {A} (f g : A -> R) l :
  (forall x, In x l -> f x = g x) -> rsum f l = rsum g l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [reflexivity|].
  rewrite H by auto. rewrite IH; auto.
Qed.

Lemma rsum_zero {A} (l : list A) : rsum (fun _ => 0) l = 0.
Proof. induction l; simpl; lra. Qed.

Lemma rsum_nonneg {A} (f : A -> R) l :
  (forall x, In x l -> 0 <= f x) -> 0 <= rsum f l.
Proof.
  intros H. rewrite <- (rsum_zero l). apply rsum_le. exact H.
Qed.

Lemma rsum_plus {A} (f g : A -> R) l :
  rsum (fun x => f x + g x) l = rsum f l + rsum g l.
Proof. induction l; simpl; lra. Qed.

Lemma rsum_minus {A} (f g : A -> R) l :
  rsum (fun x => f x - g x) l = rsum f l - rsum g l.
Proof. induction l; simpl; lra. Qed.

Lemma rsum_scal {A} a (f : A -> R) l :
  rsum (fun x => a * f x) l = a * rsum f l.
Proof. induction l; simpl; [lra|]. rewrite IHl. lra. Qed.

Lemma rsum_scal_r {A} a (f : A -> R) l :
  rsum (fun x => f x * a) l = rsum f l * a.
Proof. induction l; simpl; [lra|]. rewrite IHl. lra. Qed.

Lemma rsum_ge_one {A} (f : A -> R) l y :
  In y l -> (forall x, In x l -> 0 <= f x) -> f y <= rsum f l.
Proof.
  induction l as [|a l IH]; simpl; intros Hin Hp; [contradiction|].
  assert (0 <= rsum f l) by (apply rsum_nonneg; intros; apply Hp; auto).
  destruct Hin as [->|Hin]; [lra|].
  assert (0 <= f a) by (apply Hp; auto).
  assert (f y <= rsum f l) by (apply IH; auto). lra.
Qed.

Lemma rsum_swap {A B} (f : A -> B -> R) la lb :
  rsum (fun a => rsum (f a) lb) la = rsum (fun b => rsum (fun a => f a b) la) lb.
Proof.
  induction la as [|a la IH]; simpl.
  - symmetry. apply rsum_zero.
  - rewrite IH. rewrite rsum_plus. reflexivity.
Qed.
