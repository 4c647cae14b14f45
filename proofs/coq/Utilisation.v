(** * H1 no idle node, H2 utilisation, H4 whole rounds (a node is ONE machine).

    [runs j h]        job j can run on node h
    [round]           one round of length tau: [ended], the jobs that complete in it; [is_busy h], the
                      time node h works in it; [work], the normalised work it does
    [ending l]        the number of rounds of l in which some job completes (E)
    [full tau HL r]   every node of HL is busy during the whole round r

    A non-idling policy leaves a node idle only in a round in which a job completes.
    H1 [no_idle]           if every node can run some active job, an all-busy assignment exists
                           (caps on the copies: Koenig.v)
    H2 [utilisation_bound] K rounds, n nodes: busy time / (n K tau) >= 1 - E/K
       [ending_jobs]       E is at most the number of jobs, as each job completes once
    H4 [rounds_bound]      related nodes of total speed S: K tau <= work/S + E tau
       [rounds_both]       with C* = (all normalised work)/S, the fluid optimum (related_attained):
                           C* <= K tau <= C* + E tau *)
From Coq Require Import Reals Lra Lia List Arith.
From HadarTheory Require Import Sums.
Import ListNotations.
Open Scope R_scope.

Section NoIdle.
  Variables Node Job : Type.
  Variable HL : list Node.
  Variable active : list Job.
  Variable runs : Job -> Node -> bool.
  Theorem no_idle :
    (forall h, In h HL -> exists j, In j active /\ runs j h = true) ->
    exists a : Node -> option Job, forall h, In h HL ->
      exists j, a h = Some j /\ In j active /\ runs j h = true.
  Proof.
    intros H. exists (fun h => find (fun j => runs j h) active). intros h Hh.
    destruct (H h Hh) as (j & Hj & Hr).
    destruct (find (fun j0 => runs j0 h) active) as [j'|] eqn:E.
    - exists j'. split; auto. apply find_some in E. exact E.
    - exfalso. assert (Q := find_none _ _ E j Hj). simpl in Q. congruence.
  Qed.
End NoIdle.

Section Rounds.
  Variables Node Job : Type.
  Record round := MkRound { ended : list Job; is_busy : Node -> R; work : R }.

  Definition ends (r : round) : bool := match ended r with [] => false | _ => true end.
  Definition ending (l : list round) : nat := length (filter ends l).

  Variable HL : list Node.
  Variable tau : R.
  Hypothesis tau_pos : 0 < tau.
  Definition full (r : round) : Prop := forall h, In h HL -> is_busy r h = tau.
  Let n := length HL.
  Let busy_time (r : round) := rsum (is_busy r) HL.

  Lemma full_time r : full r -> busy_time r = INR n * tau.
  Proof.
    intros F. unfold busy_time, n. rewrite (rsum_ext _ (fun _ => tau) HL F). clear.
    induction HL as [|h l IH]; [simpl; ring|]. cbn [rsum length]. rewrite S_INR, IH. ring.
  Qed.

  Theorem utilisation_bound (l : list round) :
    (1 <= n)%nat -> (1 <= length l)%nat ->
    (forall r h, In r l -> In h HL -> 0 <= is_busy r h) ->
    (forall r, In r l -> ends r = false -> full r) ->
    1 - INR (ending l) / INR (length l) <= rsum busy_time l / (INR n * INR (length l) * tau).
  Proof.
    intros Hn Hl P F. apply lt_INR in Hn. apply lt_INR in Hl.
    assert (D : (INR (length l) - INR (ending l)) * (INR n * tau) <= rsum busy_time l).
    { clear Hl. unfold ending. induction l as [|r l IH]; [simpl; lra|].
      assert (IH' := IH (fun r0 h H => P r0 h (or_intror H)) (fun r0 H => F r0 (or_intror H))).
      assert (0 <= busy_time r) by (apply rsum_nonneg; intros; apply P; [left|]; auto).
      assert (Fr := F r (or_introl eq_refl)).
      cbn [filter length rsum]. destruct (ends r); cbn [length]; rewrite !S_INR.
      - lra.
      - rewrite full_time by auto. lra. }
    simpl in Hn, Hl. apply Rmult_le_reg_r with (INR n * INR (length l) * tau).
    { repeat apply Rmult_lt_0_compat; auto. }
    unfold Rdiv. rewrite (Rmult_assoc (rsum busy_time l)), Rinv_l, Rmult_1_r.
    - replace ((1 - INR (ending l) * / INR (length l)) * (INR n * INR (length l) * tau))
        with ((INR (length l) - INR (ending l)) * (INR n * tau)) by (field; lra). exact D.
    - assert (0 < INR n * INR (length l) * tau) by (repeat apply Rmult_lt_0_compat; auto). lra.
  Qed.

  Theorem ending_jobs (l : list round) (JL : list Job) :
    NoDup (flat_map ended l) -> incl (flat_map ended l) JL -> (ending l <= length JL)%nat.
  Proof.
    intros D C. apply Nat.le_trans with (length (flat_map ended l)); [|apply NoDup_incl_length; auto].
    unfold ending. clear. induction l as [|r l IH]; simpl; [lia|].
    rewrite app_length. destruct (ends r) eqn:E; simpl; [|lia].
    unfold ends in E. destruct (ended r); [discriminate|simpl; lia].
  Qed.

  Theorem rounds_bound (S : R) (l : list round) :
    0 < S -> (forall r, In r l -> 0 <= work r) ->
    (forall r, In r l -> ends r = false -> work r = tau * S) ->
    INR (length l) * tau <= rsum work l / S + INR (ending l) * tau.
  Proof.
    intros HS P F.
    assert (Q : INR (length l) * (tau * S) <= rsum work l + INR (ending l) * (tau * S)).
    { unfold ending. induction l as [|r l IH]; [simpl; lra|].
      assert (IH' := IH (fun r H => P r (or_intror H)) (fun r H => F r (or_intror H))).
      assert (Pw := P r (or_introl eq_refl)). assert (Fw := F r (or_introl eq_refl)).
      cbn [filter length rsum]. destruct (ends r); cbn [length]; rewrite !S_INR;
        [|rewrite Fw by reflexivity]; lra. }
    apply Rmult_le_reg_r with S; auto.
    replace ((rsum work l / S + INR (ending l) * tau) * S)
      with (rsum work l + INR (ending l) * (tau * S)) by (field; lra).
    lra.
  Qed.

  (* no round does more than tau S, and all of them together do W *)
  Corollary rounds_both (S W : R) (l : list round) :
    0 < S -> (forall r, In r l -> 0 <= work r <= tau * S) ->
    (forall r, In r l -> ends r = false -> work r = tau * S) -> rsum work l = W ->
    W / S <= INR (length l) * tau <= W / S + INR (ending l) * tau.
  Proof.
    intros HS P F <-. split; [|apply rounds_bound; auto; intros r H; apply P; auto].
    apply Rmult_le_reg_r with S; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    induction l as [|r l IH]; [simpl; lra|]. cbn [length rsum]. rewrite S_INR.
    assert (IH' := IH (fun r H => P r (or_intror H)) (fun r H => F r (or_intror H))).
    assert (Pw := P r (or_introl eq_refl)). lra.
  Qed.
End Rounds.
