(** * H3 makespan with forked jobs (a node is ONE machine; speeds of the copies add).

    [X j h]      speed of job j on node h, the whole node
    [Q j]        work of job j
    [spends Node Job HL JL X Q y C]   y j h >= 0 is the time node h spends on j; every job gets its
                 work, every node stops by C
    related      X j h = x j * s h;  S = sum of s h

    H3 [makespan_lower]     any p, q >= 0 with p_j X_jh <= q_h: sum p_j Q_j <= C sum q_h
       [makespan_one_job]   Q_j <= C sum X_jh
       [related_lower], [related_attained]   related nodes: the optimum is (sum Q_j/x_j)/S, reached
                            with every node busy all the time
    H6 [prefix_completion]  related nodes: any set A finished by C has sum_A Q_j/x_j <= C S *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums.
Import ListNotations.
Open Scope R_scope.

Section Makespan.
  Variables Node Job : Type.
  Variable HL : list Node.
  Variable JL : list Job.
  Variable X : Job -> Node -> R.
  Variable Q : Job -> R.

  Definition spends (y : Job -> Node -> R) (C : R) : Prop :=
    (forall j h, In j JL -> In h HL -> 0 <= y j h) /\
    (forall j, In j JL -> Q j <= rsum (fun h => X j h * y j h) HL) /\
    (forall h, In h HL -> rsum (fun j => y j h) JL <= C).

  Theorem makespan_lower y C (p : Job -> R) (q : Node -> R) :
    spends y C ->
    (forall j, In j JL -> 0 <= p j) -> (forall h, In h HL -> 0 <= q h) ->
    (forall j h, In j JL -> In h HL -> p j * X j h <= q h) ->
    rsum (fun j => p j * Q j) JL <= C * rsum q HL.
  Proof.
    intros (Y & D & N) Hp Hq Hpq.
    apply Rle_trans with (rsum (fun j => rsum (fun h => q h * y j h) HL) JL).
    - apply rsum_le. intros j Hj.
      apply Rle_trans with (p j * rsum (fun h => X j h * y j h) HL).
      + apply Rmult_le_compat_l; auto.
      + rewrite <- rsum_scal. apply rsum_le. intros h Hh.
        rewrite <- Rmult_assoc. apply Rmult_le_compat_r; auto.
    - rewrite rsum_swap. rewrite <- rsum_scal. apply rsum_le. intros h Hh.
      rewrite rsum_scal. rewrite (Rmult_comm C). apply Rmult_le_compat_l; auto.
  Qed.

  (* one job alone *)
  Corollary makespan_one_job y C j :
    spends y C -> In j JL -> (forall h, In h HL -> 0 <= X j h) -> 
    Q j <= C * rsum (X j) HL.
  Proof.
    intros (Y & D & N) Hj HX. eapply Rle_trans; [apply D; auto|].
    rewrite <- rsum_scal. apply rsum_le. intros h Hh. rewrite (Rmult_comm C).
    apply Rmult_le_compat_l; [auto|].
    apply Rle_trans with (rsum (fun j => y j h) JL); [|apply N; auto].
    apply (rsum_ge_one (fun j => y j h) JL j Hj). intros j' Hj'. apply Y; auto.
  Qed.

  Variable xs : Job -> R. Variable sp : Node -> R.
  Hypothesis related : forall j h, In j JL -> In h HL -> X j h = xs j * sp h.
  Hypothesis xs_pos : forall j, In j JL -> 0 < xs j.
  Hypothesis sp_pos : forall h, In h HL -> 0 <= sp h.
  Hypothesis S_pos : 0 < rsum sp HL.
  Hypothesis Q_pos : forall j, In j JL -> 0 <= Q j.

  Theorem related_lower y C : spends y C ->
    rsum (fun j => Q j / xs j) JL / rsum sp HL <= C.
  Proof.
    intros H.
    assert (A : rsum (fun j => / xs j * Q j) JL <= C * rsum sp HL).
    { apply makespan_lower with (y := y); auto.
      - intros j Hj. left. apply Rinv_0_lt_compat; auto.
      - intros j h Hj Hh. rewrite related by auto. assert (0 < xs j) by auto.
        right. field. lra. }
    rewrite (rsum_ext _ (fun j => Q j / xs j)) in A by (intros; unfold Rdiv; ring).
    apply Rmult_le_reg_r with (rsum sp HL); auto.
    unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  (* every job on every node: attains the bound, all nodes busy all the time *)
  Theorem related_attained :
    spends (fun j _ => Q j / xs j / rsum sp HL) (rsum (fun j => Q j / xs j) JL / rsum sp HL).
  Proof.
    repeat split.
    - intros j h Hj Hh. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; auto].
      apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat; auto.
    - intros j Hj. rewrite (rsum_ext _ (fun h => Q j / rsum sp HL * sp h)).
      + rewrite rsum_scal. right. field. lra.
      + intros h Hh. rewrite related by auto. assert (0 < xs j) by auto. field. split; lra.
    - intros h Hh. right.
      rewrite (rsum_ext _ (fun j => Q j / xs j * / rsum sp HL)) by reflexivity.
      rewrite rsum_scal_r. reflexivity.
  Qed.
End Makespan.

Section Prefix.
  Variables Node Job : Type.
  Variable HL : list Node.
  Variable A : list Job.
  Variables Q xs : Job -> R.
  Variable sp : Node -> R.
  Variable y : Job -> Node -> R.    
  Variable C : R.
  Hypothesis xs_pos : forall j, In j A -> 0 < xs j.
  Hypothesis sp_pos : forall h, In h HL -> 0 <= sp h.
  Hypothesis done : forall j, In j A -> Q j <= rsum (fun h => xs j * sp h * y j h) HL.
  Hypothesis capn : forall h, In h HL -> rsum (fun j => y j h) A <= C.
  Theorem prefix_completion : rsum (fun j => Q j / xs j) A <= C * rsum sp HL.
  Proof.
    apply Rle_trans with (rsum (fun j => rsum (fun h => sp h * y j h) HL) A).
    - apply rsum_le. intros j Hj. assert (0 < xs j) by auto.
      apply Rmult_le_reg_l with (xs j); auto.
      replace (xs j * (Q j / xs j)) with (Q j) by (field; lra).
      rewrite <- rsum_scal. eapply Rle_trans; [apply done; auto|]. right. apply rsum_ext. intros; ring.
    - rewrite rsum_swap, <- rsum_scal. apply rsum_le. intros h Hh. rewrite rsum_scal.
      rewrite (Rmult_comm C). apply Rmult_le_compat_l; auto.
  Qed.
End Prefix.
