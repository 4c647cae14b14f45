(** * T1 weak duality and T2 the a-posteriori certificate.

    [sched Res]       a schedule: its value [val] and the units [use r] it holds of resource r
    [problem]        resources with integer capacities; jobs, each with a finite list of schedules
    [cost I k s]      sum over r of k_r * use_r: what s costs at prices k
    [lp_feasible I x] x is a (fractional) selection: x >= 0, at most one schedule per job, capacities
    [primal I x]      the value of x;  [lp_used I x r] the units of r it holds
    [dual_feasible]   mu, k >= 0 and mu_j >= val s - cost k s for every schedule s of j
    [supply I k]      sum over r of cap_r * k_r
    [dual I mu k]     sum of mu plus supply
    [mustar I k j]    max (0, max over ALL schedules of j, fitting or not, of val s - cost k s)

    T1 [weak_duality]: primal <= dual for every feasible pair.
    T2 [certificate]: primal x <= D(k) = sum of mustar + supply k, for every k >= 0, whatever
       produced k.  [certificate_relaxed]: any upper bound of mustar may replace it.
       [certificate_ratio]: hence D(k)/P is a proved upper bound of OPT/P.

    Jobs are a list: give equal jobs distinct names, x is a function of the name. *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums.
Import ListNotations.
Open Scope R_scope.

Record sched (Res : Type) := mkS { val : R; use : Res -> nat }.
Arguments mkS {Res}.
Arguments val {Res}.
Arguments use {Res}.

Record problem := Problem {
  Res : Type;
  resources : list Res;
  stock : Res -> nat;
  JobId : Type;
  all_jobs : list JobId;
  scheds : JobId -> list (sched Res) }.

Section Duality.
  Variable I : problem.

  Definition cost (k : Res I -> R) (s : sched (Res I)) : R :=
    rsum (fun r => k r * INR (use s r)) (resources I).

  Definition lp_feasible (x : JobId I -> sched (Res I) -> R) : Prop :=
    (forall j s, In j (all_jobs I) -> In s (scheds I j) -> 0 <= x j s) /\
    (forall j, In j (all_jobs I) -> rsum (x j) (scheds I j) <= 1) /\
    (forall r, In r (resources I) ->
       rsum (fun j => rsum (fun s => INR (use s r) * x j s) (scheds I j)) (all_jobs I) <= INR (stock I r)).

  Definition primal (x : JobId I -> sched (Res I) -> R) : R :=
    rsum (fun j => rsum (fun s => val s * x j s) (scheds I j)) (all_jobs I).

  Definition dual_feasible (mu : JobId I -> R) (k : Res I -> R) : Prop :=
    (forall j, In j (all_jobs I) -> 0 <= mu j) /\
    (forall r, In r (resources I) -> 0 <= k r) /\
    (forall j s, In j (all_jobs I) -> In s (scheds I j) -> val s - cost k s <= mu j).

  Definition supply (k : Res I -> R) : R := rsum (fun r => INR (stock I r) * k r) (resources I).
  Definition dual (mu : JobId I -> R) (k : Res I -> R) : R := rsum mu (all_jobs I) + supply k.

  Definition lp_used (x : JobId I -> sched (Res I) -> R) (r : Res I) : R :=
    rsum (fun j => rsum (fun s => INR (use s r) * x j s) (scheds I j)) (all_jobs I).

  (* before the capacities are used *)
  Lemma lagrangian_bound x mu k :
    lp_feasible x -> dual_feasible mu k ->
    primal x <= rsum mu (all_jobs I) + rsum (fun r => k r * lp_used x r) (resources I).
  Proof.
    intros (Hx & H1 & _) (Hmu & Hk & Hd). unfold primal.
    apply Rle_trans with
      (rsum (fun j => mu j * rsum (x j) (scheds I j)) (all_jobs I) +
       rsum (fun j => rsum (fun s => cost k s * x j s) (scheds I j)) (all_jobs I)).
    - rewrite <- rsum_plus. apply rsum_le. intros j Hj.
      rewrite <- rsum_scal, <- rsum_plus. apply rsum_le. intros s Hs.
      rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; [apply Hx; auto|].
      specialize (Hd j s Hj Hs). lra.
    - apply Rplus_le_compat.
      + apply rsum_le. intros j Hj. rewrite <- (Rmult_1_r (mu j)) at 2.
        apply Rmult_le_compat_l; auto.
      + right.  (* exchange the sums over jobs and resources *)
        rewrite (rsum_ext _ (fun j => rsum (fun r => k r * rsum (fun s => INR (use s r) * x j s)
                   (scheds I j)) (resources I))).
        2:{ intros j Hj. unfold cost.
            rewrite (rsum_ext _ (fun s => rsum (fun r => k r * (INR (use s r) * x j s))
                      (resources I))).
            2:{ intros s Hs. rewrite <- rsum_scal_r. apply rsum_ext. intros; ring. }
            rewrite rsum_swap. apply rsum_ext. intros r Hr. rewrite rsum_scal. reflexivity. }
        rewrite rsum_swap. apply rsum_ext. intros r Hr. rewrite rsum_scal. reflexivity.
  Qed.

  Theorem weak_duality x mu k :
    lp_feasible x -> dual_feasible mu k -> primal x <= dual mu k.
  Proof.
    intros Hx Hd. eapply Rle_trans; [apply lagrangian_bound; eauto|].
    apply Rplus_le_compat_l, rsum_le. intros r Hr. rewrite (Rmult_comm (INR (stock I r))).
    apply Rmult_le_compat_l; [apply Hd; auto|apply Hx; auto].
  Qed.

  Fixpoint maxpay (k : Res I -> R) (l : list (sched (Res I))) : R :=
    match l with [] => 0 | s :: t => Rmax (val s - cost k s) (maxpay k t) end.
  Definition mustar (k : Res I -> R) (j : JobId I) : R := maxpay k (scheds I j).

  Lemma maxpay_nonneg k l : 0 <= maxpay k l.
  Proof. induction l; simpl; [lra|]. eapply Rle_trans; [exact IHl|apply Rmax_r]. Qed.
  Lemma maxpay_ub k l s : In s l -> val s - cost k s <= maxpay k l.
  Proof.
    induction l as [|a l IH]; simpl; [contradiction|]. intros [->|H].
    - apply Rmax_l.
    - eapply Rle_trans; [apply IH, H|apply Rmax_r].
  Qed.
  Lemma maxpay_lub k l m :
    0 <= m -> (forall s, In s l -> val s - cost k s <= m) -> maxpay k l <= m.
  Proof.
    induction l as [|a l IH]; simpl; intros H0 H; [lra|].
    apply Rmax_lub; [apply H; auto|]. apply IH; auto.
  Qed.

  Lemma mustar_feasible k : (forall r, In r (resources I) -> 0 <= k r) -> dual_feasible (mustar k) k.
  Proof.
    intros Hk. repeat split; auto.
    - intros; apply maxpay_nonneg.
    - intros; unfold mustar; apply maxpay_ub; auto.
  Qed.

  Theorem certificate k x :
    (forall r, In r (resources I) -> 0 <= k r) -> lp_feasible x -> primal x <= dual (mustar k) k.
  Proof.
    intros Hk Hx. apply weak_duality; auto. apply mustar_feasible; auto.
  Qed.

  Corollary certificate_relaxed k m x :
    (forall r, In r (resources I) -> 0 <= k r) ->
    (forall j, In j (all_jobs I) -> mustar k j <= m j) ->
    lp_feasible x -> primal x <= rsum m (all_jobs I) + supply k.
  Proof.
    intros Hk Hm Hx. eapply Rle_trans; [apply certificate; eauto|].
    unfold dual. apply Rplus_le_compat_r. apply rsum_le; auto.
  Qed.

  Corollary certificate_ratio k x P :
    (forall r, In r (resources I) -> 0 <= k r) -> lp_feasible x -> 0 < P ->
    primal x <= dual (mustar k) k / P * P.
  Proof.
    intros Hk Hx HP. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    rewrite Rmult_1_r. apply certificate; auto.
  Qed.
End Duality.
