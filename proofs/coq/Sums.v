(** * Finite sums over lists, with values in R.

    [sum f l]   f x1 + ... + f xn for l = [x1; ...; xn] (0 for the empty list)

    Lemmas only: comparison, linearity, one term below the sum, exchange of two sums. *)
From Coq Require Import Reals Lra Lia List Arith.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum {A : Type} (f : A -> R) (l : list A) : R :=
  match l with [] => 0 | x :: t => f x + sum f t end.

Lemma sum_le {A} (f g : A -> R) l :
  (forall x, In x l -> f x <= g x) -> sum f l <= sum g l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [lra|].
  assert (f a <= g a) by (apply H; auto).
  assert (sum f l <= sum g l) by (apply IH; intros; apply H; auto). lra.
Qed.

Lemma sum_ext {A} (f g : A -> R) l :
  (forall x, In x l -> f x = g x) -> sum f l = sum g l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [reflexivity|].
  rewrite H by auto. rewrite IH; auto.
Qed.

Lemma sum_zero {A} (l : list A) : sum (fun _ => 0) l = 0.
Proof. induction l; simpl; lra. Qed.

Lemma sum_nonneg {A} (f : A -> R) l :
  (forall x, In x l -> 0 <= f x) -> 0 <= sum f l.
Proof.
  intros H. rewrite <- (sum_zero l). apply sum_le. exact H.
Qed.

Lemma sum_plus {A} (f g : A -> R) l :
  sum (fun x => f x + g x) l = sum f l + sum g l.
Proof. induction l; simpl; lra. Qed.

Lemma sum_minus {A} (f g : A -> R) l :
  sum (fun x => f x - g x) l = sum f l - sum g l.
Proof. induction l; simpl; lra. Qed.

Lemma sum_scal {A} a (f : A -> R) l :
  sum (fun x => a * f x) l = a * sum f l.
Proof. induction l; simpl; [lra|]. rewrite IHl. lra. Qed.

Lemma sum_scal_r {A} a (f : A -> R) l :
  sum (fun x => f x * a) l = sum f l * a.
Proof. induction l; simpl; [lra|]. rewrite IHl. lra. Qed.

Lemma sum_ge_one {A} (f : A -> R) l y :
  In y l -> (forall x, In x l -> 0 <= f x) -> f y <= sum f l.
Proof.
  induction l as [|a l IH]; simpl; intros Hin Hp; [contradiction|].
  assert (0 <= sum f l) by (apply sum_nonneg; intros; apply Hp; auto).
  destruct Hin as [->|Hin]; [lra|].
  assert (0 <= f a) by (apply Hp; auto).
  assert (f y <= sum f l) by (apply IH; auto). lra.
Qed.

Lemma sum_swap {A B} (f : A -> B -> R) la lb :
  sum (fun a => sum (f a) lb) la = sum (fun b => sum (fun a => f a b) la) lb.
Proof.
  induction la as [|a la IH]; simpl.
  - symmetry. apply sum_zero.
  - rewrite IH. rewrite sum_plus. reflexivity.
Qed.
