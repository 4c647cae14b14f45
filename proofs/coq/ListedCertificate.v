(** * T2' the certificate over LISTED schedules, in integers.

    [schedZ]           a schedule: value [vz] and list of uses [uz], scaled to integers
    [dot], [vadd]      scalar product and sum of lists
    [boundZ caps k jobs]  D(k) = k . caps + sum over jobs of max(0, max of vz - k . uz)
    [wf]               shapes agree and k >= 0, as a boolean
    [sel n jobs u v]   at most one schedule per job is chosen; total use u, total value v

    T2' [listed_bound] wf: every choice within the capacities is worth at most boundZ.

    This bounds the optimum only if jobs lists EVERY schedule of every job; a sample of columns
    proves nothing.  Closed under the global context: no axiom at all. *)
From Coq Require Import ZArith List Lia Bool.
Import ListNotations.
Open Scope Z_scope.

Record schedZ := mkZ { vz : Z; uz : list Z }.

Fixpoint dot (k u : list Z) : Z :=
  match k, u with a :: k', b :: u' => a * b + dot k' u' | _, _ => 0 end.
Fixpoint vadd (u w : list Z) : list Z :=
  match u, w with a :: u', b :: w' => (a + b) :: vadd u' w' | _, _ => [] end.
Definition maxpayZ (k : list Z) (l : list schedZ) : Z :=
  fold_right (fun s m => Z.max (vz s - dot k (uz s)) m) 0 l.
Definition boundZ (caps k : list Z) (jobs : list (list schedZ)) : Z :=
  dot k caps + fold_right (fun l m => maxpayZ k l + m) 0 jobs.

Definition wf (caps k : list Z) (jobs : list (list schedZ)) : bool :=
  (length k =? length caps)%nat && forallb (fun a => 0 <=? a) k &&
  forallb (forallb (fun s => (length (uz s) =? length caps)%nat)) jobs.

Inductive sel (n : nat) : list (list schedZ) -> list Z -> Z -> Prop :=
| sel_nil : sel n [] (repeat 0 n) 0
| sel_skip l js u v : sel n js u v -> sel n (l :: js) u v
| sel_take l s js u v : In s l -> sel n js u v -> sel n (l :: js) (vadd (uz s) u) (vz s + v).

Lemma dot_zero k n : dot k (repeat 0 n) = 0.
Proof. revert n; induction k as [|a k IH]; intros [|n]; simpl; auto. rewrite IH. lia. Qed.
Lemma vadd_length u w : length u = length w -> length (vadd u w) = length w.
Proof. revert w; induction u as [|a u IH]; intros [|b w]; simpl; intros H; try lia. rewrite IH; lia. Qed.
Lemma dot_vadd k u w : length u = length w -> length k = length w ->
  dot k (vadd u w) = dot k u + dot k w.
Proof.
  revert u w; induction k as [|a k IH]; intros [|x u] [|y w]; simpl; intros H1 H2; try lia.
  rewrite IH by lia. lia.
Qed.
Lemma dot_mono k u w : Forall (fun a => 0 <= a) k -> Forall2 Z.le u w -> dot k u <= dot k w.
Proof.
  intros Hk H. revert k Hk. induction H as [|x y u w Hxy H IH]; intros [|a k] Hk; simpl; try lia.
  inversion Hk; subst. specialize (IH k ltac:(assumption)). nia.
Qed.
Lemma maxpayZ_nonneg k l : 0 <= maxpayZ k l.
Proof. induction l; simpl; lia. Qed.
Lemma maxpayZ_ub k l s : In s l -> vz s - dot k (uz s) <= maxpayZ k l.
Proof.
  unfold maxpayZ. induction l as [|a l IH]; simpl; [tauto|].
  intros [->|H]; [apply Z.le_max_l|].
  eapply Z.le_trans; [apply IH, H|apply Z.le_max_r].
Qed.

Theorem listed_bound caps k jobs u v :
  wf caps k jobs = true -> sel (length caps) jobs u v -> Forall2 Z.le u caps ->
  v <= boundZ caps k jobs.
Proof.
  unfold wf. rewrite !andb_true_iff, Nat.eqb_eq. intros [[Hl Hk] Hj] Hs Hu.
  assert (Hk' : Forall (fun a => 0 <= a) k).
  { apply Forall_forall. intros a Ha. rewrite forallb_forall in Hk. apply Z.leb_le, Hk, Ha. }
  assert (Q : length u = length caps /\ v <= dot k u + fold_right (fun l m => maxpayZ k l + m) 0 jobs).
  { clear Hu. induction Hs as [|l js u v Hs IH|l s js u v Hin Hs IH].
    - rewrite dot_zero, repeat_length. simpl. lia.
    - simpl in Hj. apply andb_true_iff in Hj. destruct Hj as [_ Hj].
      destruct (IH Hj) as [A B]. split; auto. simpl. assert (H := maxpayZ_nonneg k l). lia.
    - simpl in Hj. apply andb_true_iff in Hj. destruct Hj as [H1 Hj].
      destruct (IH Hj) as [A B].
      rewrite forallb_forall in H1. specialize (H1 s Hin). apply Nat.eqb_eq in H1.
      split; [rewrite vadd_length; lia|]. rewrite dot_vadd by lia.
      assert (H := maxpayZ_ub k l s Hin). simpl. lia. }
  destruct Q as [_ Q]. unfold boundZ. assert (H := dot_mono k u caps Hk' Hu). lia.
Qed.
