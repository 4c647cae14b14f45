(** * A price for packing inside nodes: one price per gang size and slot.

    A slot is one accelerator type in one round; it has nodes, each holding that type only.  Pricing
    each node by itself makes the constants of T5 and T7 useless (a gang may fill a node), pricing the
    pooled slot breaks (F).  Instead every slot t gets one resource (t, s) per size s of a chain of
    sizes SZ (1, 2, 4, 8), with capacity s * slots s; a gang of size w uses w units of every (t, s)
    with s <= w.  By Packing.v these rows say exactly that the gangs can be packed.

    [offer]            value and, per slot, the list of gang sizes wanted there.  A gang that may be
                       spread over nodes is that many gangs of size 1
    [virtual o]        the offer as a schedule on the resources (t, s)
    [packed_instance]  the instance of the virtual schedules
    [gangs_at t os]    all gang sizes of the accepted offers at slot t

    [accepted_packs]   any rule with room = cap on that instance: what it accepts can be packed, node
                       by node, in every slot
    [packable_feasible] every packable selection is feasible there, so T5, T7, T8 bound its value
    [packing_price_competitive]  T7: every packable selection is worth at most (1+delta) theta P,
                       with theta of the POOLED capacities s * slots s *)
From Coq Require Import Reals Lra Lia List Arith Permutation.
From HadarTheory Require Import Sums Duality Online Powers Exponential ZeroStart Packing.
Import ListNotations.

Lemma big_list s ws : INR (big s ws) = rsum (fun w => INR (if s <=? w then w else 0)) ws.
Proof. induction ws as [|w ws IH]; [reflexivity|]. cbn [big fold_right rsum]. fold (big s ws).
  rewrite plus_INR, IH. reflexivity. Qed.

Section PackingPrice.
  Variable Slot JobId : Type.
  Variable TL : list Slot.
  Variable nodes : Slot -> nat.
  Variable units : Slot -> nat -> nat.          (* free units of node h of the slot *)
  Variable SZ : list nat.
  Hypothesis SZ_chain : chain SZ.

  Record offer := Offer { worth : R; wants : Slot -> list nat }.
  Variable JL : list JobId.
  Variable offers : JobId -> list offer.
  Hypothesis wants_sizes : forall j o t w, In j JL -> In o (offers j) -> In w (wants o t) -> In w SZ.

  Definition virtual (o : offer) : sched (Slot * nat) :=
    mkS (worth o) (fun r => big (snd r) (wants o (fst r))).
  Definition packed_instance : problem :=
    Problem (Slot * nat) (list_prod TL SZ)
      (fun r => (snd r * slots (nodes (fst r)) (units (fst r)) (snd r))%nat)
      JobId JL (fun j => map virtual (offers j)).
  Definition gangs_at (t : Slot) (os : list (option offer)) : list nat :=
    flat_map (fun o => match o with Some o => wants o t | None => [] end) os.

  Lemma rows_pack t ws : (forall w, In w ws -> In w SZ) ->
    (forall s, In s SZ -> (big s ws <= s * slots (nodes t) (units t) s)%nat) ->
    packs (nodes t) (units t) ws.
  Proof.
    intros Hw H. apply chain_packing; [|auto]. split.
    - intros w Hin. apply (proj1 SZ_chain); auto.
    - intros a b Ha Hb. apply (proj2 SZ_chain); auto.
  Qed.

  Lemma run_offers (A : rule packed_instance) g js ds ms g' : run packed_instance A g js ds ms g' ->
    (forall j, In j js -> In j JL) ->
    exists os, ds = map (option_map virtual) os /\
      forall t w, In w (gangs_at t os) -> In w SZ.
  Proof.
    induction 1 as [g|g j d mu g1 js ds ms g' Hs Hr IH]; intros Hin.
    - exists []. split; [reflexivity|intros t w []].
    - destruct IH as (os & -> & W); [intros; apply Hin; right; auto|].
      destruct Hs as [s Hs _ _ _|_].
      + apply in_map_iff in Hs. destruct Hs as (o & <- & Ho). exists (Some o :: os).
        split; [reflexivity|]. intros t w Hw. apply in_app_or in Hw. destruct Hw as [Hw|Hw]; eauto.
        eapply wants_sizes; eauto. apply Hin; left; auto.
      + exists (None :: os). split; [reflexivity|exact W].
  Qed.

  Theorem accepted_packs A ds ms g' :
    room A = stock packed_instance ->
    run packed_instance A (empty packed_instance) JL ds ms g' ->
    exists os, ds = map (option_map virtual) os /\
      forall t, In t TL -> packs (nodes t) (units t) (gangs_at t os).
  Proof.
    intros HA Hr. destruct (run_offers A _ _ _ _ _ Hr (fun j H => H)) as (os & -> & W).
    exists os. split; [reflexivity|]. intros t Ht. apply rows_pack; [apply W|].
    intros s Hs. assert (Hin : In (t, s) (list_prod TL SZ)) by (apply in_prod; auto).
    destruct (run_capacity _ _ _ _ _ _ _ Hr (fun r _ => Nat.le_0_l _)) as [C E].
    specialize (C (t, s) Hin). specialize (E (t, s) Hin). rewrite HA in C. simpl in C.
    enough (big s (gangs_at t os) = g' (t, s)) by lia.
    apply INR_eq. rewrite E. simpl INR at 2. clear.
    induction os as [|[o|] os IH]; simpl map; cbn [rsum gangs_at flat_map]; [simpl; ring| |].
    - fold (gangs_at t os). rewrite big_app, plus_INR, IH. simpl. ring.
    - fold (gangs_at t os). rewrite app_nil_l, IH. simpl. ring.
  Qed.

  Open Scope R_scope.
  Variable x : JobId -> sched (Slot * nat) -> R.
  (* the gangs at slot t of the schedules that x selects *)
  Definition selected (t : Slot) : list nat :=
    flat_map (fun j => flat_map (fun o => if Req_EM_T (x j (virtual o)) 1 then wants o t else [])
                                (offers j)) JL.
  Definition integral : Prop :=
    (forall j o, In j JL -> In o (offers j) -> x j (virtual o) = 0 \/ x j (virtual o) = 1) /\
    (forall j, In j JL -> rsum (fun o => x j (virtual o)) (offers j) <= 1).

  Lemma sum_map {A B} (f : B -> R) (h : A -> B) l : rsum f (map h l) = rsum (fun a => f (h a)) l.
  Proof. induction l; simpl; congruence. Qed.

  Lemma selected_use s t : integral ->
    INR (big s (selected t)) =
    rsum (fun j => rsum (fun o => INR (big s (wants o t)) * x j (virtual o)) (offers j)) JL.
  Proof.
    intros [H01 _]. unfold selected. revert H01. clear wants_sizes. induction JL as [|j js IH]; intros H01; [reflexivity|].
    cbn [flat_map rsum]. rewrite big_app, plus_INR, IH by (intros; apply H01; auto; right; auto).
    f_equal. clear IH. assert (H : forall o, In o (offers j) -> x j (virtual o) = 0 \/ x j (virtual o) = 1)
      by (intros; apply H01; auto; left; auto).
    induction (offers j) as [|o os IH]; [reflexivity|]. cbn [flat_map rsum].
    rewrite big_app, plus_INR, IH by (intros; apply H; right; auto). f_equal.
    destruct (Req_EM_T (x j (virtual o)) 1) as [->|N]; [ring|].
    destruct (H o (or_introl eq_refl)) as [->|]; [simpl; ring|contradiction].
  Qed.

  Theorem packable_feasible :
    integral -> (forall t, In t TL -> packs (nodes t) (units t) (selected t)) ->
    lp_feasible packed_instance x.
  Proof.
    intros Hi Hp. assert (Q := Hi). destruct Q as [H01 H1]. repeat split.
    - intros j s Hj Hs. apply in_map_iff in Hs. destruct Hs as (o & <- & Ho).
      destruct (H01 j o Hj Ho) as [->| ->]; lra.
    - intros j Hj. simpl. rewrite sum_map. auto.
    - intros [t s] Hin. apply in_prod_iff in Hin. destruct Hin as [Ht Hs].
      simpl. rewrite (rsum_ext _ (fun j => rsum (fun o => INR (big s (wants o t)) * x j (virtual o)) (offers j)))
        by (intros; apply sum_map).
      rewrite <- selected_use by auto. apply le_INR. apply row_necessary.
      + apply (proj1 SZ_chain); auto.
      + intros w Hw. apply (proj2 SZ_chain); auto.
        unfold selected in Hw. apply in_flat_map in Hw. destruct Hw as (j & Hj & Hw).
        apply in_flat_map in Hw. destruct Hw as (o & Ho & Hw).
        destruct (Req_EM_T _ _); [|destruct Hw]. eapply wants_sizes; eauto.
      + apply Hp; auto.
  Qed.

  Let I := packed_instance.
  Variables m : Res I -> nat.
  Variables U L : Res I -> R.
  Variables delta theta : R.
  Hypothesis m_range : forall r, In r (resources I) -> (1 <= m r <= stock I r)%nat.
  Hypothesis use_m : forall j s r, In j JL -> In s (scheds I j) -> In r (resources I) -> (use s r <= m r)%nat.
  Hypothesis L_pos : forall r, In r (resources I) -> 0 < L r.
  Hypothesis U_pos : forall r, In r (resources I) -> 0 <= U r.
  Hypothesis U_full : forall j s r, In j JL -> In s (scheds I j) -> In r (resources I) ->
    (1 <= use s r)%nat -> val s <= U r * INR (use s r).
  Hypothesis L_low : forall j s, In j JL -> In s (scheds I j) ->
    rsum (fun r => L r * INR (use s r)) (resources I) <= val s.
  Hypothesis delta_pos : 0 < delta.
  Hypothesis theta1 : 1 <= theta.
  Hypothesis theta_tau : forall r, In r (resources I) ->
    tau (INR (stock I r)) (qZ (stock I) m U L delta r) (wstar (stock I) m r) <= theta.

  Theorem packing_price_competitive ds ms g' :
    run I (exact (priceZ (stock I) m U L delta)) (empty I) JL ds ms g' ->
    integral -> (forall t, In t TL -> packs (nodes t) (units t) (selected t)) ->
    rsum (fun j => rsum (fun o => worth o * x j (virtual o)) (offers j)) JL
      <= (1 + delta) * theta * collected I ds.
  Proof.
    intros Hr Hi Hp. assert (Hx := packable_feasible Hi Hp).
    replace ((1 + delta) * theta * collected I ds)
      with ((1 + delta) * theta * collected I ds + rsum (fun _ => 0) (all_jobs I)) by (rewrite rsum_zero; ring).
    replace (rsum (fun j => rsum (fun o => worth o * x j (virtual o)) (offers j)) JL) with (primal I x)
      by (apply rsum_ext; intros; apply sum_map).
    eapply zero_competitive with (m := m) (slack := 1); eauto; try lra; intros; lra.
  Qed.
End PackingPrice.
