(** * Integer selections are points of the LP.

    [selection I c]       c takes at most one schedule per job, of those it offers, within the capacities
    [selection_value I c] what it is worth

    [selection_lp]        every selection has an LP-feasible x of the same value, so each bound on the LP
                          optimum bounds the integer one (a schedule listed several times shares x) *)
From Coq Require Import Reals Lra Lia List Arith Bool.
From HadarTheory Require Import Sums Duality.
Import ListNotations.
Open Scope R_scope.

Section Selection.
  Variable I : problem.
  Definition taken_units (c : JobId I -> option (sched (Res I))) (r : Res I) (j : JobId I) : R :=
    match c j with Some s => INR (use s r) | None => 0 end.
  Definition taken_value (c : JobId I -> option (sched (Res I))) (j : JobId I) : R :=
    match c j with Some s => val s | None => 0 end.
  Definition selection (c : JobId I -> option (sched (Res I))) : Prop :=
    (forall j s, In j (all_jobs I) -> c j = Some s -> In s (scheds I j)) /\
    (forall r, In r (resources I) -> rsum (taken_units c r) (all_jobs I) <= INR (stock I r)).
  Definition selection_value (c : JobId I -> option (sched (Res I))) : R := rsum (taken_value c) (all_jobs I).

  (* of equal value and use *)
  Definition alike (s s' : sched (Res I)) : bool :=
    (if Req_EM_T (val s) (val s') then true else false) &&
    forallb (fun r => (use s r =? use s' r)%nat) (resources I).
  Lemma alike_refl s : alike s s = true.
  Proof.
    unfold alike. destruct (Req_EM_T (val s) (val s)); [|congruence]. apply forallb_forall. intros r _. apply Nat.eqb_refl.
  Qed.
  Lemma alike_spec s s' : alike s s' = true -> val s' = val s /\ forall r, In r (resources I) -> use s' r = use s r.
  Proof.
    unfold alike. destruct (Req_EM_T (val s) (val s')) as [E|]; [|discriminate]. cbn [andb]. intros H. split; [congruence|].
    intros r Hr. rewrite forallb_forall in H. specialize (H r Hr). apply Nat.eqb_eq in H. congruence.
  Qed.

  Lemma shared_sum (f : sched (Res I) -> R) s w l : (forall s', alike s s' = true -> f s' = f s) ->
    rsum (fun s' => f s' * (if alike s s' then w else 0)) l = f s * (w * INR (length (filter (alike s) l))).
  Proof.
    intros H. induction l as [|a l IH]; [simpl; ring|]. cbn [rsum filter]. rewrite IH.
    destruct (alike s a) eqn:E; [|ring]. rewrite (H a E). cbn [length]. rewrite S_INR. ring.
  Qed.

  Definition shared (c : JobId I -> option (sched (Res I))) (j : JobId I) (s' : sched (Res I)) : R :=
    match c j with
    | Some s => if alike s s' then / INR (length (filter (alike s) (scheds I j))) else 0
    | None => 0
    end.
  Lemma selection_shared c (f : sched (Res I) -> R) j : selection c -> In j (all_jobs I) ->
    (forall s s', alike s s' = true -> f s' = f s) ->
    rsum (fun s => f s * shared c j s) (scheds I j) = match c j with Some s => f s | None => 0 end.
  Proof.
    intros [H1 _] Hj Hf. unfold shared. destruct (c j) as [s|] eqn:E.
    - rewrite shared_sum by (intros; apply Hf; auto).
      assert (Hin : In s (filter (alike s) (scheds I j))) by (apply filter_In; split; [auto|apply alike_refl]).
      assert (0 < INR (length (filter (alike s) (scheds I j)))).
      { apply lt_0_INR. destruct (filter (alike s) (scheds I j)); [contradiction|simpl; lia]. }
      field. lra.
    - rewrite (rsum_ext _ (fun _ => 0)); [apply rsum_zero|intros; ring].
  Qed.

  Theorem selection_lp c : selection c -> exists x, lp_feasible I x /\ primal I x = selection_value c.
  Proof.
    intros S. exists (shared c). split; [split; [|split]|].
    - intros j s Hj Hs. unfold shared. destruct (c j) as [s0|] eqn:E; [|lra].
      destruct (alike s0 s); [|lra].
      destruct (length (filter (alike s0) (scheds I j))) as [|k]; [simpl; rewrite Rinv_0; lra|].
      left. apply Rinv_0_lt_compat, lt_0_INR. lia.
    - intros j Hj. assert (Q := selection_shared c (fun _ => 1) j S Hj (fun _ _ _ => eq_refl)).
      rewrite (rsum_ext _ (shared c j)) in Q by (intros; ring). rewrite Q. destruct (c j); lra.
    - intros r Hr. eapply Rle_trans; [|apply (proj2 S r Hr)]. right. apply rsum_ext. intros j Hj.
      apply (selection_shared c (fun s => INR (use s r)) j S Hj).
      intros s s' A. f_equal. apply (proj2 (alike_spec s s' A) r Hr).
    - apply rsum_ext. intros j Hj. apply (selection_shared c val j S Hj).
      intros s s' A. apply (proj1 (alike_spec s s' A)).
  Qed.
End Selection.
