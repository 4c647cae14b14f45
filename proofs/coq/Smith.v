(** * H6 Smith's rule is optimal on related nodes (no release dates).

    [delay_cost p w t l]     the jobs of l one after another from time t: sum of w_j times completion time
    [smith p w a b]    p_a w_b <= p_b w_a: a goes before b by Smith's rule, increasing p/w
    Related nodes: job j runs at x_j s_h on node h, S = sum of s_h, p_j = Q_j / x_j.
    [follows y C]      y t j h = time node h has spent on j by time t: never decreasing, a node works
                       at most t in all by time t, and j has its work Q_j by time C_j

    H6 [smith_sorted_least]  a Smith order has the least cost among all orders
       [smith_lower]    every schedule with forking has sum w_j C_j >= cost(Smith order)/S
       [smith_attained] all nodes on one job at a time, in any order l, attain cost(l)/S *)
From Coq Require Import Reals Lra Lia List Arith Permutation Sorted.
From HadarTheory Require Import Sums Makespan.
Import ListNotations.
Open Scope R_scope.

Lemma sum_perm {A} (f : A -> R) l m : Permutation l m -> rsum f l = rsum f m.
Proof. induction 1; simpl; lra. Qed.

Lemma sum_app {A} (f : A -> R) l m : rsum f (l ++ m) = rsum f l + rsum f m.
Proof. induction l; simpl; lra. Qed.

Section Orders.
  Variable Job : Type.
  Variables p w : Job -> R.

  Fixpoint delay_cost (t : R) (l : list Job) : R :=
    match l with [] => 0 | j :: l' => w j * (t + p j) + delay_cost (t + p j) l' end.
  Definition smith (a b : Job) : Prop := p a * w b <= p b * w a.

  Lemma cost_move_front a l2 : forall l1 t, (forall b, In b l1 -> smith a b) ->
    delay_cost t (a :: l1 ++ l2) <= delay_cost t (l1 ++ a :: l2).
  Proof.
    induction l1 as [|b l1 IH]; intros t H; [simpl; lra|].
    assert (Q := IH (t + p b) (fun x Hx => H x (or_intror Hx))).
    assert (B := H b (or_introl eq_refl)). unfold smith in B. cbn [delay_cost app] in *.
    replace (t + p a + p b) with (t + p b + p a) by ring. lra.
  Qed.

  Theorem smith_sorted_least s : StronglySorted smith s ->
    forall l t, Permutation s l -> delay_cost t s <= delay_cost t l.
  Proof.
    induction 1 as [|a s Hs IH Ha]; intros l t P.
    - apply Permutation_nil in P. subst. lra.
    - assert (Hin : In a l) by (apply (Permutation_in a P); left; auto).
      destruct (in_split _ _ Hin) as (l1 & l2 & ->).
      apply Permutation_cons_app_inv in P.
      eapply Rle_trans; [|apply cost_move_front].
      + cbn [delay_cost]. specialize (IH (l1 ++ l2) (t + p a) P). lra.
      + intros b Hb. rewrite Forall_forall in Ha. apply Ha.
        apply (Permutation_in b (Permutation_sym P)), in_or_app; auto.
  Qed.

  Lemma sorted_exists (C : Job -> R) J :
    exists l, Permutation J l /\ StronglySorted (fun a b => C a <= C b) l.
  Proof.
    induction J as [|j J (l & P & S)]; [exists []; split; constructor|].
    enough (exists m, Permutation (j :: l) m /\ StronglySorted (fun a b => C a <= C b) m) as (m & Q & T)
      by (exists m; split; auto; transitivity (j :: l); auto).
    clear P. induction S as [|a l S IH F]; [exists [j]; split; repeat constructor|].
    destruct (Rle_dec (C j) (C a)) as [H|H].
    - exists (j :: a :: l). split; auto. constructor; [constructor; auto|].
      constructor; auto. eapply Forall_impl; [|exact F]. simpl. intros; lra.
    - destruct IH as (m & P & T). exists (a :: m). split.
      + transitivity (a :: j :: l); [apply perm_swap|auto].
      + constructor; auto. apply Forall_forall. intros x Hx.
        apply (Permutation_in x (Permutation_sym P)) in Hx. destruct Hx as [<-|Hx]; [lra|].
        rewrite Forall_forall in F. auto.
  Qed.
End Orders.

Section Related.
  Variables Node Job : Type.
  Variable HL : list Node.
  Variable J : list Job.
  Variables Q xs w : Job -> R.
  Variable sp : Node -> R.
  Let S := rsum sp HL.
  Let p j := Q j / xs j.
  Hypothesis xs_pos : forall j, In j J -> 0 < xs j.
  Hypothesis sp_pos : forall h, In h HL -> 0 <= sp h.
  Hypothesis S_pos : 0 < S.
  Hypothesis w_pos : forall j, In j J -> 0 <= w j.
  Hypothesis Q_pos : forall j, In j J -> 0 <= Q j.

  Definition follows (y : R -> Job -> Node -> R) (C : Job -> R) : Prop :=
    (forall t j h, 0 <= y t j h) /\
    (forall t t' j h, t <= t' -> y t j h <= y t' j h) /\
    (forall t h, 0 <= t -> In h HL -> rsum (fun j => y t j h) J <= t) /\
    (forall j, In j J -> 0 <= C j /\ Q j <= rsum (fun h => xs j * sp h * y (C j) j h) HL).

  Lemma prefix_work y C A B c : follows y C -> Permutation J (A ++ B) -> 0 <= c ->
    (forall j, In j A -> C j <= c) -> rsum p A <= c * S.
  Proof.
    intros (Y0 & Ym & Yc & Yd) P Hc HA.
    assert (HJ : forall j, In j A -> In j J).
    { intros j Hj. apply (Permutation_in j (Permutation_sym P)), in_or_app; auto. }
    apply (prefix_completion Node Job HL A Q xs sp (y c)); auto.
    - intros j Hj. eapply Rle_trans; [apply Yd; auto|]. apply rsum_le. intros h Hh.
      apply Rmult_le_compat_l; [|apply Ym; auto].
      apply Rmult_le_pos; auto. left. auto.
    - intros h Hh. assert (T := Yc c h Hc Hh).
      rewrite (sum_perm _ _ _ P), sum_app in T.
      assert (0 <= rsum (fun j => y c j h) B) by (apply rsum_nonneg; auto). lra.
  Qed.

  Theorem smith_lower y C s :
    follows y C -> Permutation J s -> StronglySorted (smith Job p w) s ->
    delay_cost Job p w 0 s / S <= rsum (fun j => w j * C j) J.
  Proof.
    intros F P Hs. destruct (sorted_exists Job C J) as (l & Pl & Sl).
    apply Rle_trans with (delay_cost Job p w 0 l / S).
    - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
      apply smith_sorted_least; auto. transitivity J; [apply Permutation_sym|]; auto.
    - rewrite (sum_perm _ _ _ Pl).
      assert (Step : forall post pre, l = pre ++ post ->
                delay_cost Job p w (rsum p pre) post <= S * rsum (fun j => w j * C j) post).
      { induction post as [|j post IH]; intros pre E; [simpl; lra|].
        assert (E' : l = (pre ++ [j]) ++ post) by (rewrite <- app_assoc; exact E).
        assert (E2 : rsum p (pre ++ [j]) = rsum p pre + p j) by (rewrite sum_app; simpl; ring).
        specialize (IH (pre ++ [j]) E'). rewrite E2 in IH.
        assert (Hj : In j J).
        { apply (Permutation_in j (Permutation_sym Pl)). rewrite E. apply in_or_app; right; left; auto. }
        assert (W : rsum p (pre ++ [j]) <= C j * S).
        { eapply prefix_work with (B := post); eauto.
          - rewrite <- E'. exact Pl.
          - apply F; auto.
          - intros i Hi. apply in_app_or in Hi. destruct Hi as [Hi|[<-|[]]]; [|lra].
            rewrite E in Sl. clear - Sl Hi. induction pre as [|a pre IH]; [destruct Hi|].
            simpl in Sl. inversion Sl as [|? ? S1 F1]; subst. destruct Hi as [<-|Hi]; [|auto].
            rewrite Forall_forall in F1. apply F1, in_or_app. right; left; auto. }
        rewrite E2 in W.
        assert (w j * (rsum p pre + p j) <= w j * (C j * S)) by (apply Rmult_le_compat_l; auto; lra).
        cbn [delay_cost rsum]. lra. }
      specialize (Step l [] eq_refl). simpl rsum at 1 in Step.
      apply Rmult_le_reg_r with S; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  Hypothesis Job_dec : forall a b : Job, {a = b} + {a <> b}.

  Fixpoint start (t : R) (l : list Job) (j : Job) : R :=
    match l with [] => t | a :: l' => if Job_dec a j then t else start (t + p a / S) l' j end.
  Definition share_done (x len : R) : R := Rmax 0 (Rmin x len).

  Lemma p_pos j : In j J -> 0 <= p j / S.
  Proof.
    intros Hj. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; auto].
    apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat; auto.
  Qed.

  Lemma clamp_total t : forall l t0, NoDup l -> (forall j, In j l -> In j J) ->
    rsum (fun j => share_done (t - start t0 l j) (p j / S)) l <= Rmax 0 (t - t0).
  Proof.
    induction l as [|a l IH]; intros t0 D H; [simpl; apply Rmax_l|].
    inversion D as [|? ? Na Dl]; subst. cbn [rsum]. simpl start at 1.
    destruct (Job_dec a a) as [_|N]; [|congruence].
    rewrite (rsum_ext _ (fun j => share_done (t - start (t0 + p a / S) l j) (p j / S))).
    - specialize (IH (t0 + p a / S) Dl (fun j Hj => H j (or_intror Hj))).
      assert (Hp := p_pos a (H a (or_introl eq_refl))).
      unfold share_done at 1. revert IH. unfold Rmax, Rmin. repeat destruct (Rle_dec _ _); lra.
    - intros j Hj. simpl. destruct (Job_dec a j) as [->|_]; [contradiction|reflexivity].
  Qed.

  Lemma start_pos l : (forall j, In j l -> In j J) -> forall t0 j, 0 <= t0 -> 0 <= start t0 l j.
  Proof.
    induction l as [|a l IH]; intros H t0 j Ht; simpl; auto. destruct (Job_dec a j); auto.
    apply IH; [intros; apply H; right; auto|]. assert (Q' := p_pos a (H a (or_introl eq_refl))). lra.
  Qed.

  Theorem smith_attained l : NoDup l -> Permutation J l ->
    exists y C, follows y C /\ rsum (fun j => w j * C j) J = delay_cost Job p w 0 l / S.
  Proof.
    intros D P.
    assert (HJ : forall j, In j l -> In j J) by (intros j; apply Permutation_in, Permutation_sym; auto).
    exists (fun t j _ => share_done (t - start 0 l j) (p j / S)), (fun j => start 0 l j + p j / S).
    split; [repeat split|].
    - intros. apply Rmax_l.
    - intros t t' j _ H. unfold share_done, Rmax, Rmin. repeat destruct (Rle_dec _ _); lra.
    - intros t h Ht _. rewrite (sum_perm _ _ _ P). eapply Rle_trans; [apply clamp_total; auto|].
      rewrite Rmax_right; lra.
    - assert (Q1 := start_pos l HJ 0 j (Rle_refl 0)). assert (Q2 := p_pos j H). lra.
    - assert (Hp := p_pos j H). assert (Hx := xs_pos j H).
      replace (start 0 l j + p j / S - start 0 l j) with (p j / S) by ring.
      unfold share_done. rewrite Rmin_left, Rmax_right by lra.
      rewrite (rsum_ext _ (fun h => xs j * (p j / S) * sp h)) by (intros; ring).
      rewrite rsum_scal. fold S. right. unfold p. field. lra.
    - rewrite (sum_perm _ _ _ P).
      assert (Step : forall m t0, NoDup m ->
                rsum (fun j => w j * (start t0 m j + p j / S)) m = delay_cost Job p w (t0 * S) m / S).
      { induction m as [|a m IH]; intros t0 Dm; [simpl; lra|].
        inversion Dm as [|? ? Na D2]; subst. cbn [rsum delay_cost].
        rewrite (rsum_ext _ (fun j => w j * (start (t0 + p a / S) m j + p j / S))).
        - rewrite IH by auto. simpl. destruct (Job_dec a a) as [_|N]; [|congruence].
          replace ((t0 + p a / S) * S) with (t0 * S + p a) by (field; lra). field. lra.
        - intros j Hj. simpl. destruct (Job_dec a j) as [->|_]; [contradiction|reflexivity]. }
      rewrite Step by auto. rewrite Rmult_0_l. reflexivity.
  Qed.
End Related.
