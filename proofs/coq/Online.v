(** * L0 the online algorithm: it is total and never exceeds a capacity.

    [rule I]          a pricing rule: [charge r g w], what w units of r cost while g are in use;
                      [room r], the units the algorithm may fill (cap r, more under resource
                      augmentation); [slack], [error]: how inexact its inner maximiser may be
    [linear k ...]    the rule that charges w * k_r(g): one price per unit, read at arrival
    [exact k]         the linear rule on the true capacities with an exact maximiser
    [payoff g s]      val s minus its charge in state g (g r = units of r in use)
    [step]            one arrival.  A schedule that fits and has payoff > 0 may be accepted when
                      no fitting schedule has payoff above slack * payoff + error; the job may be
                      rejected when no fitting schedule has payoff above error.  With slack 1 and
                      error 0: take any best schedule iff its payoff is positive, every tie-break
    [run g js ds ms g'] the algorithm on the list js from state g: decisions ds, dual values ms
                      booked at the arrivals, final state g'
    [collected ds]        the value collected

    L0 [run_exists] (slack >= 1, error >= 0), [run_capacity]. *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums Duality.
Import ListNotations.
Open Scope R_scope.

Record rule (I : problem) := Rule {
  charge : Res I -> nat -> nat -> R;
  room : Res I -> nat;
  slack : R;
  error : JobId I -> R }.
Arguments charge {I}.
Arguments room {I}.
Arguments slack {I}.
Arguments error {I}.

Definition linear {I} (k : Res I -> nat -> R) room slack error : rule I :=
  Rule I (fun r g w => k r g * INR w) room slack error.
Definition exact {I} (k : Res I -> nat -> R) : rule I := linear k (stock I) 1 (fun _ => 0).

Section Online.
  Variable I : problem.
  Variable A : rule I.

  Definition state := Res I -> nat.
  Definition empty : state := fun _ => O.
  Definition fits (g : state) (s : sched (Res I)) : Prop :=
    forall r, In r (resources I) -> (g r + use s r <= room A r)%nat.
  Definition payoff (g : state) (s : sched (Res I)) : R :=
    val s - rsum (fun r => charge A r (g r) (use s r)) (resources I).
  Definition add (g : state) (s : sched (Res I)) : state := fun r => (g r + use s r)%nat.

  Inductive step (g : state) (j : JobId I) : option (sched (Res I)) -> R -> state -> Prop :=
  | step_accept s :
      In s (scheds I j) -> fits g s -> 0 < payoff g s ->
      (forall s', In s' (scheds I j) -> fits g s' ->
         payoff g s' <= slack A * payoff g s + error A j) ->
      step g j (Some s) (slack A * payoff g s + error A j) (add g s)
  | step_reject :
      (forall s', In s' (scheds I j) -> fits g s' -> payoff g s' <= error A j) ->
      step g j None (error A j) g.

  Inductive run : state -> list (JobId I) -> list (option (sched (Res I))) -> list R -> state -> Prop :=
  | run_nil g : run g [] [] [] g
  | run_cons g j d mu g1 js ds ms g' :
      step g j d mu g1 -> run g1 js ds ms g' -> run g (j :: js) (d :: ds) (mu :: ms) g'.

  Definition gain (d : option (sched (Res I))) : R := match d with Some s => val s | None => 0 end.
  Definition collected (ds : list (option (sched (Res I)))) : R := rsum gain ds.
  Definition units (r : Res I) (d : option (sched (Res I))) : R :=
    match d with Some s => INR (use s r) | None => 0 end.

  Lemma fits_or_blocked g s :
    fits g s \/ exists r, In r (resources I) /\ (room A r < g r + use s r)%nat.
  Proof.
    unfold fits. induction (resources I) as [|r l IH]; [left; simpl; tauto|].
    destruct (le_lt_dec (g r + use s r) (room A r)) as [H|H].
    - destruct IH as [IH|(r' & Hr' & H')].
      + left. intros x [->|Hx]; auto.
      + right. exists r'. split; [right|]; auto.
    - right. exists r. split; [left|]; auto.
  Qed.

  Lemma best_exists g l :
    (forall s, In s l -> fits g s -> payoff g s <= 0) \/
    (exists s, In s l /\ fits g s /\ 0 < payoff g s /\
       forall s', In s' l -> fits g s' -> payoff g s' <= payoff g s).
  Proof.
    induction l as [|a l IH]; [left; simpl; tauto|].
    destruct (fits_or_blocked g a) as [Fa|(r & Hr & Ha)].
    - destruct IH as [IH|(s & Hs & Fs & Ps & Ms)].
      + destruct (Rle_dec (payoff g a) 0) as [Ha|Ha].
        * left. intros s [->|Hs] F; auto.
        * right. exists a. repeat split; simpl; auto; [lra|].
          intros s' [->|Hs'] F; [lra|]. specialize (IH s' Hs' F). lra.
      + destruct (Rle_dec (payoff g a) (payoff g s)) as [Ha|Ha].
        * right. exists s. repeat split; simpl; auto. intros s' [->|Hs'] F; auto.
        * right. exists a. repeat split; simpl; auto; [lra|].
          intros s' [->|Hs'] F; [lra|]. specialize (Ms s' Hs' F). lra.
    - assert (Na : ~ fits g a) by (intros F; specialize (F r Hr); lia).
      destruct IH as [IH|(s & Hs & Fs & Ps & Ms)].
      + left. intros s [->|Hs] F; [contradiction|auto].
      + right. exists s. repeat split; simpl; auto. intros s' [->|Hs'] F; [contradiction|auto].
  Qed.

  Theorem run_exists js : 1 <= slack A -> (forall j, 0 <= error A j) ->
    forall g, exists ds ms g', run g js ds ms g'.
  Proof.
    intros H1 H0. induction js as [|j js IH]; intros g.
    - exists [], [], g. constructor.
    - destruct (best_exists g (scheds I j)) as [H|(s & Hs & Fs & Ps & Ms)].
      + destruct (IH g) as (ds & ms & g' & Hr). exists (None :: ds), (error A j :: ms), g'.
        econstructor; [apply step_reject|exact Hr].
        intros s Hs F. specialize (H s Hs F). specialize (H0 j). lra.
      + destruct (IH (add g s)) as (ds & ms & g' & Hr).
        exists (Some s :: ds), (slack A * payoff g s + error A j :: ms), g'.
        econstructor; [apply step_accept; auto|exact Hr].
        intros s' Hs' F. specialize (Ms s' Hs' F). specialize (H0 j).
        assert (1 * payoff g s <= slack A * payoff g s) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma step_capacity g j d mu g1 : step g j d mu g1 ->
    (forall r, In r (resources I) -> (g r <= room A r)%nat) ->
    forall r, In r (resources I) -> (g r <= g1 r <= room A r)%nat.
  Proof.
    intros Hs Hg r Hr. specialize (Hg r Hr).
    destruct Hs as [s _ F _ _|_]; [specialize (F r Hr); unfold add|]; lia.
  Qed.

  Theorem run_capacity g js ds ms g' : run g js ds ms g' ->
    (forall r, In r (resources I) -> (g r <= room A r)%nat) ->
    (forall r, In r (resources I) -> (g r <= g' r <= room A r)%nat) /\
    (forall r, In r (resources I) -> INR (g' r) = INR (g r) + rsum (units r) ds).
  Proof.
    induction 1 as [g|g j d mu g1 js ds ms g' Hs Hr IH]; intros Hg.
    - split; intros r Hin; simpl; [specialize (Hg r Hin); lia|lra].
    - assert (C := step_capacity _ _ _ _ _ Hs Hg).
      destruct IH as [I1 I2]; [intros r Hin; apply C; auto|].
      split; intros r Hin.
      + specialize (C r Hin). specialize (I1 r Hin). lia.
      + rewrite (I2 r Hin). destruct Hs as [s _ _ _ _|_]; simpl; [|lra].
        unfold add. rewrite plus_INR. lra.
  Qed.
End Online.
