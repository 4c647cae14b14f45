(** * Executable checker of branching trees (L2), with cuts.

    [tolls]                what the cuts of a leaf charge a job in a round
    [priced, vector]       a price vector as multiples of a unit, and whether several leaves share it; with
                         its rounds, rent and the payoffs of unconstrained jobs
    [leaf_bound]           rent + cuts + payoffs under the decisions of the leaf; None: no schedule
    [hint, hinted]         upper bounds on the payoffs of a leaf with which its bound is seen with little work;
                         where they do not prove it, the payoffs are computed
    [impossible]           answers that no schedule gives: less than nothing, or at once n and not n GPUs
    [l2, check_l2]         price vectors, cuts, trees, each below some answers (a whole tree: below none), unit
                         (every utility is a multiple of it), bound
    [bounded_under b bs]   no feasible schedule is worth more than b if it gives the answers bs (without what is
                         no use in it)
    [check_l2_sound]       so it is with the bound, and the answers of each tree
    [by_cases, bounded_always]  both answers to a question prove it without; without answers it is true of all:
                         trees that were checked apart prove the bound of what they are parts of
    [tight_l2]             the bound claims no less than it could *)
From Coq Require Import ZArith List Lia Bool Arith.
From HadarTheory Require Import SchedModel CheckerDP CheckerFill CheckerLevel CheckerCost CheckerJob CheckerLean CheckerPacking Checker.
Import ListNotations.
Open Scope Z_scope.

(* cuts at prices *)
Definition tolls (I : instance) (cuts : list priced_cut) (j t : nat) (a : gang_at) : Z :=
  toll I (cuts_in cuts t) j a.
(* the same from a table by round, of the cuts that charge the job *)
Definition touches (j : nat) (c : priced_cut) : bool :=
  existsb (fun tm => negb (nth j (snd tm) 0 =? 0)) (cut_terms (fst (snd c))).
Definition cut_table (I : instance) (cuts : list priced_cut) (j : nat) : list (list (cut * Z)) :=
  let own := filter (touches j) cuts in map (cuts_in own) (seq 0 (num_rounds I)).
Definition tolls_from (I : instance) (table : list (list (cut * Z))) (j t : nat) (a : gang_at) : Z :=
  toll I (nth t table []) j a.
Definition cuts_total (cuts : list priced_cut) : Z :=
  fold_right (fun c acc => rhs (fst (snd c)) * snd (snd c) + acc) 0 cuts.
Definition cut_priced_ok (I : instance) (c : priced_cut) : Prop :=
  cut_ok I (fst (snd c)) = true /\ 0 <= snd (snd c).

Lemma untouched_count I j c a : touches j c = false -> cut_count I (fst (snd c)) j a = 0.
Proof.
  intros H. unfold touches in H. unfold cut_count. destruct (gang_counts _ _ _); [|reflexivity].
  generalize (here_of I (cut_node (fst (snd c))) (snd a)). intros m. unfold weight, lsum.
  induction (cut_terms (fst (snd c))) as [|tm l IHl]; [reflexivity|]. cbn [existsb] in H.
  apply orb_false_iff in H. destruct H as [H1 H2]. apply negb_false_iff, Z.eqb_eq in H1.
  cbn [fold_right]. rewrite H1, (IHl H2). destruct (inside I m (fst tm)); reflexivity.
Qed.
Lemma tolls_own I cuts j t a : tolls I (filter (touches j) cuts) j t a = tolls I cuts j t a.
Proof.
  unfold tolls, cuts_in, toll, lsum. induction cuts as [|c r IH]; [reflexivity|]. cbn [filter].
  destruct (touches j c) eqn:E; cbn [filter]; destruct (fst c =? t)%nat; cbn [map fold_right]; rewrite IH; try reflexivity.
  rewrite (untouched_count I j c a E). reflexivity.
Qed.
Lemma tolls_from_table I cuts j t a : (t < num_rounds I)%nat ->
  tolls_from I (cut_table I cuts j) j t a = tolls I cuts j t a.
Proof.
  intros Ht. rewrite <- tolls_own. unfold tolls_from, tolls, cut_table. cbv zeta.
  rewrite nth_indep with (d' := cuts_in (filter (touches j) cuts) 0) by (rewrite map_length, seq_length; auto).
  rewrite map_nth, seq_nth by auto. reflexivity.
Qed.
Lemma toll_nonneg I cuts j t a : Forall (cut_priced_ok I) cuts -> 0 <= tolls I cuts j t a.
Proof.
  unfold tolls, cuts_in. induction 1 as [|[u [c k]] r [Hc Hk] _ IH]; [simpl; lia|].
  cbn [fst snd] in Hk, Hc. cbn [filter fst]. destruct (u =? t)%nat; [|exact IH].
  change (0 <= cut_count I c j a * k + toll I (map snd (filter (fun x => (fst x =? t)%nat) r)) j a).
  unfold cut_ok in Hc. rewrite !andb_true_iff in Hc. destruct Hc as [[[Hc _] _] _].
  assert (Q := cut_count_nonneg I c j a Hc). nia.
Qed.

Lemma tolls_from_nonneg I cuts j t a : Forall (cut_priced_ok I) cuts ->
  0 <= tolls_from I (cut_table I cuts j) j t a.
Proof.
  intros H. destruct (lt_dec t (num_rounds I)) as [L|L].
  - rewrite tolls_from_table by exact L. apply toll_nonneg, H.
  - unfold tolls_from, cut_table. rewrite nth_overflow by (rewrite map_length, seq_length; lia).
    apply Z.le_refl.
Qed.

Lemma sum_pick n u f : sum n (fun t => if (u =? t)%nat then f t else 0) =
  if (u <? n)%nat then f u else 0.
Proof.
  induction n as [|n IH]; [destruct u; reflexivity|]. simpl sum. rewrite IH.
  destruct (u =? n)%nat eqn:E.
  - apply Nat.eqb_eq in E. subst u. rewrite Nat.ltb_irrefl.
    replace (n <? S n)%nat with true by (symmetry; apply Nat.ltb_lt; lia). lia.
  - apply Nat.eqb_neq in E. destruct (u <? n)%nat eqn:L.
    + apply Nat.ltb_lt in L. replace (u <? S n)%nat with true by (symmetry; apply Nat.ltb_lt; lia). lia.
    + apply Nat.ltb_ge in L. replace (u <? S n)%nat with false by (symmetry; apply Nat.ltb_ge; lia). lia.
Qed.

(* what all jobs pay for the cuts is at most what the cuts add to the bound *)
Lemma tolls_bounded I s cuts : instance_ok I = true -> feasible I s -> Forall (cut_priced_ok I) cuts ->
  sum (num_jobs I) (fun j => sum (num_rounds I) (fun t =>
    toll_of I (job_at I j) (tolls I cuts j t) (s j t))) <= cuts_total cuts.
Proof.
  intros HI F. induction 1 as [|[u [c k]] r [Hc Hk] _ IH].
  { rewrite sum_zero; [simpl; lia|]. intros j _. apply sum_zero. intros t _.
    apply toll_of_zero. reflexivity. }
  cbn [fst snd] in Hc, Hk. cbn [cuts_total fold_right fst snd]. fold (cuts_total r).
  rewrite (sum_ext _ _ (fun j => sum (num_rounds I) (fun t =>
    if (u =? t)%nat then k * cut_weight I c j (s j t) else 0) +
    sum (num_rounds I) (fun t => toll_of I (job_at I j) (tolls I r j t) (s j t)))).
  2: { intros j _. rewrite <- sum_plus. apply sum_ext. intros t _.
       destruct (u =? t)%nat eqn:E.
       - rewrite (toll_of_ext _ _ _ (fun x => cut_count I c j x * k + tolls I r j t x)).
         2: { intros x. unfold tolls, cuts_in. cbn [filter fst]. rewrite E. reflexivity. }
         rewrite toll_of_sum, counted_weight; [reflexivity|].
         unfold cut_ok in Hc. rewrite !andb_true_iff in Hc. apply Hc.
       - apply toll_of_ext. intros x. unfold tolls, cuts_in. cbn [filter fst]. rewrite E. reflexivity. }
  rewrite sum_plus.
  enough (sum (num_jobs I) (fun j => sum (num_rounds I) (fun t => if (u =? t)%nat
    then k * cut_weight I c j (s j t) else 0)) <= rhs c * k) by lia.
  rewrite (sum_ext _ _ (fun j => if (u <? num_rounds I)%nat then k * cut_weight I c j (s j u) else 0))
    by (intros j _; apply (sum_pick (num_rounds I) u (fun t => k * cut_weight I c j (s j t)))).
  assert (Hrhs : 0 <= rhs c).
  { unfold cut_ok in Hc. rewrite !andb_true_iff in Hc. apply Z.leb_le, Hc. }
  destruct (u <? num_rounds I)%nat eqn:E.
  - apply Nat.ltb_lt in E. rewrite sum_scale, Z.mul_comm. apply Z.mul_le_mono_nonneg_r; [exact Hk|].
    apply cut_valid; auto.
  - rewrite sum_zero by auto. nia.
Qed.

(* leaves; payoffs of unconstrained jobs are kept only for vectors that several leaves share *)
Record priced := Priced { p_prices : prices; p_unit : Z; p_shared : bool }.
Definition priced_ok (vec : priced) : bool := prices_ok (p_prices vec) && (0 <? p_unit vec).
Record vector := Vector {
  v_rounds : list round_data; v_unit : Z; v_rent : Z; v_payoffs : list (option Z) }.
Definition evaluate (I : instance) (qs : list Z) (vec : priced) : vector :=
  let rds := rounds_of I (p_prices vec) in
  Vector rds (p_unit vec) (rent_total rds)
    (if p_shared vec
     then map (fun j => job_price I rds no_toll [] (nth j qs 0) (p_unit vec) 0 (utility (job_at I j)) (Some 0)
            (job_at I j)) (seq 0 (num_jobs I))
     else []).

Definition touched (cuts : list priced_cut) (j : nat) : bool :=
  existsb (touches j) cuts.
Definition own_payoff (I : instance) (qs : list Z) (v : vector) (cuts : list priced_cut)
  (own : list branch) (j : nat) : option Z :=
  job_price I (v_rounds v) (tolls_from I (cut_table I cuts j) j) own (nth j qs 0) (v_unit v) 0 (utility (job_at I j))
    (if existsb snd own then None else Some 0) (job_at I j).
Definition leaf_payoff (I : instance) (qs : list Z) (v : vector) (cuts : list priced_cut)
  (bs : list branch) (j : nat) : option Z :=
  match filter (about j) bs with
  | [] =>
      match nth_error (v_payoffs v) j with
      | Some p => if touched cuts j then own_payoff I qs v cuts [] j else p
      | None => own_payoff I qs v cuts [] j
      end
  | own => own_payoff I qs v cuts own j
  end.
Fixpoint osum (n : nat) (f : nat -> option Z) : option Z :=
  match n with
  | O => Some 0
  | S m => match f m, osum m f with Some a, Some b => Some (a + b) | _, _ => None end
  end.

(* answers that contradict what holds of every allocation, or each other *)
Definition in_instance (I : instance) (j t : nat) (x : option nat) (r : nat) : bool :=
  (j <? num_jobs I)%nat && (t <? num_rounds I)%nat && (r <? num_types I)%nat &&
  match x with Some h => (h <? num_nodes I)%nat | None => true end.
Definition same_held (j t : nat) (x : option nat) (r : nat) (n : Z) (b : branch) : bool :=
  match b with
  | (Holds i u y q m, true) =>
      (i =? j)%nat && (u =? t)%nat && same_place y x && (q =? r)%nat && (n <=? m)
  | _ => false
  end.
Definition impossible_in (I : instance) (bs : list branch) (b : branch) : bool :=
  match b with
  | (Progresses j _ p, false) => (j <? num_jobs I)%nat && (p <=? 0)
  | (Holds j t x r n, false) =>
      (in_instance I j t x r && (n <=? 0)) || existsb (same_held j t x r n) bs
  | _ => false
  end.
Definition impossible (I : instance) (bs : list branch) : bool := existsb (impossible_in I bs) bs.

Definition leaf_bound (I : instance) (qs : list Z) (v : vector) (cuts : list priced_cut)
  (bs : list branch) : option Z :=
  if impossible I bs then None else
  option_map (fun p => v_unit v * (v_rent v + cuts_total cuts) + p)
    (osum (num_jobs I) (leaf_payoff I qs v cuts bs)).

Lemma below_osum n f g : (forall i, (i < n)%nat -> below (g i) (f i)) -> below (sum n g) (osum n f).
Proof.
  induction n as [|n IH]; intros H; [exists 0; simpl; split; [auto|lia]|].
  destruct (H n ltac:(lia)) as (a & Ea & La). destruct IH as (b & Eb & Lb); [intros; apply H; lia|].
  exists (a + b). simpl. rewrite Ea, Eb. split; [auto|lia].
Qed.

Lemma untouched I s cuts j t : touched cuts j = false ->
  toll_of I (job_at I j) (tolls I cuts j t) (s j t) = 0.
Proof.
  intros H. apply toll_of_zero. intros a. unfold tolls, cuts_in.
  induction cuts as [|[u [c k]] r IH]; [reflexivity|]. unfold touched in H. cbn [existsb] in H. apply orb_false_iff in H.
  destruct H as [H1 H2]. specialize (IH H2). cbn [filter fst]. destruct (u =? t)%nat; [|exact IH].
  change (cut_count I c j a * k + toll I (map snd (filter (fun x => (fst x =? t)%nat) r)) j a = 0).
  rewrite IH. assert (E := untouched_count I j (u, (c, k)) a H1). cbn [fst snd] in E. rewrite E. reflexivity.
Qed.

Lemma not_impossible I s bs : instance_ok I = true -> feasible I s -> agrees I s bs ->
  impossible I bs = false.
Proof.
  intros HI F A. unfold impossible. destruct (existsb _ _) eqn:E; [exfalso|reflexivity].
  apply existsb_exists in E. destruct E as ([d answer] & Hb & H). assert (K := A _ Hb).
  destruct d as [j m|j t p|j t x r n]; destruct answer; try discriminate H; cbn in H, K.
  - apply andb_true_iff in H. destruct H as [Hj Hp]. apply Nat.ltb_lt in Hj. apply Z.leb_le in Hp.
    apply Z.leb_gt in K. assert (N := progress_nonneg I j HI Hj (s j t)). lia.
  - apply Z.leb_gt in K. apply orb_true_iff in H. destruct H as [H|H].
    + unfold in_instance in H. rewrite !andb_true_iff, !Nat.ltb_lt, Z.leb_le in H.
      destruct H as [[[[Hj Ht] Hr] Hx] Hn].
      assert (N := held_nonneg I s j F Hj t x r Ht Hr
        ltac:(destruct x; [apply Nat.ltb_lt; exact Hx|exact Logic.I])). lia.
    + apply existsb_exists in H. destruct H as ([d answer] & Hb' & H). assert (K' := A _ Hb').
      destruct d as [i m|i u p|i u y q m]; destruct answer; try discriminate H; cbn in H, K'.
      rewrite !andb_true_iff, !Nat.eqb_eq, Z.leb_le in H. destruct H as [[[[-> ->] Hy] ->] Hn].
      apply Z.leb_le in K'.
      assert (Ey : y = x).
      { destruct y as [a|], x as [b|]; cbn in Hy; try discriminate; [|reflexivity].
        apply Nat.eqb_eq in Hy. congruence. }
      subst y. lia.
Qed.

(* payoffs and what the cluster and the cuts cost bound every value *)
Lemma payoffs_total I vec cuts s p : instance_ok I = true -> priced_ok vec = true ->
  Forall (cut_priced_ok I) cuts -> feasible I s ->
  sum (num_jobs I) (fun j => job_value I s j - p_unit vec *
    sum (num_rounds I) (job_charge I (p_prices vec) (tolls I cuts j) s j)) <= p ->
  value I s <= p_unit vec * (rent_total (rounds_of I (p_prices vec)) + cuts_total cuts) + p.
Proof.
  intros HI HPU Hcuts F Hp. apply andb_true_iff in HPU. destruct HPU as [HP HU].
  apply Z.ltb_lt in HU. set (pr := p_prices vec) in *. assert (R := rent_bounded I pr s F HP).
  assert (T := tolls_bounded I s cuts HI F Hcuts). rewrite sum_minus in Hp. unfold value.
  rewrite sum_scale in Hp.
  rewrite (sum_ext _ (fun j => sum (num_rounds I) (job_charge I pr (tolls I cuts j) s j))
    (fun j => sum (num_rounds I) (fun t => rent I (price_at pr t) (s j t)) +
      sum (num_rounds I) (fun t => toll_of I (job_at I j) (tolls I cuts j t) (s j t)))) in Hp
    by (intros j _; rewrite <- sum_plus; reflexivity).
  rewrite sum_plus in Hp. nia.
Qed.
Lemma charges_from_table I pr cuts s j :
  sum (num_rounds I) (job_charge I pr (tolls_from I (cut_table I cuts j) j) s j) =
  sum (num_rounds I) (job_charge I pr (tolls I cuts j) s j).
Proof.
  apply sum_ext. intros t Ht. unfold job_charge. f_equal. apply toll_of_ext. intros x.
  apply tolls_from_table, Ht.
Qed.

Theorem leaf_bound_sound I qs vec cuts bs s : instance_ok I = true -> priced_ok vec = true ->
  (forall j, (j < num_jobs I)%nat -> 0 < nth j qs 0) -> Forall (cut_priced_ok I) cuts ->
  feasible I s -> busy I s -> agrees I s bs ->
  below (value I s) (leaf_bound I qs (evaluate I qs vec) cuts bs).
Proof.
  intros HI HPU Hq Hcuts F HB A. assert (HPU' := HPU). apply andb_true_iff in HPU. destruct HPU as [HP HU].
  apply Z.ltb_lt in HU. set (pr := p_prices vec) in *.
  assert (P : below (sum (num_jobs I) (fun j => job_value I s j -
      p_unit vec * sum (num_rounds I) (job_charge I pr (tolls I cuts j) s j)))
    (osum (num_jobs I) (leaf_payoff I qs (evaluate I qs vec) cuts bs))).
  { apply below_osum. intros j Hj. unfold leaf_payoff.
    change (job_value I s j) with (earned I (utility (job_at I j)) s j).
    assert (K : below (earned I (utility (job_at I j)) s j -
        p_unit vec * sum (num_rounds I) (job_charge I pr (tolls I cuts j) s j))
      (own_payoff I qs (evaluate I qs vec) cuts (filter (about j) bs) j)).
    { unfold own_payoff. cbn [evaluate v_rounds v_unit]. fold pr. rewrite <- charges_from_table.
      apply job_price_sound; auto; [| | |lia].
      - intros t m. apply tolls_from_nonneg. exact Hcuts.
      - intros b Hb. apply filter_In in Hb. apply A, Hb.
      - intros b Hb. apply filter_In in Hb. apply Hb. }
    destruct (filter (about j) bs) as [|b0 own] eqn:EB; [|exact K].
    destruct (nth_error _ j) as [p|] eqn:EP; [|exact K].
    destruct (touched cuts j) eqn:ET; [exact K|].
    cbn [evaluate v_payoffs] in EP. destruct (p_shared vec); [|destruct j; discriminate].
    set (free := fun j => job_price _ _ _ _ _ _ _ _ _ _) in EP.
    apply nth_error_nth with (d := free 0%nat) in EP.
    rewrite (map_nth free), seq_nth in EP by auto. subst free p.
    rewrite (sum_ext _ _ (job_charge I pr no_toll s j)).
    - cbn [Nat.add]. apply job_price_sound; auto using no_branch, no_own; [|lia].
      intros. apply Z.le_refl.
    - intros t _. rewrite plain_charge. unfold job_charge. rewrite untouched by auto. lia. }
  destruct P as (p & Ep & Hp). unfold leaf_bound.
  rewrite (not_impossible I s bs HI F A), Ep. eexists. split; [reflexivity|].
  cbn [evaluate v_unit v_rent]. apply payoffs_total; auto.
Qed.

(* hints: per job an upper bound on its payoff, and a price of progress with which that is quickly seen;
   fine ones count payoffs exactly, coarse ones in units of the prices, at utilities rounded up to them *)
Inductive hint := NoHint | Fine (h : list (Z * Z)) | Coarse (h : list (Z * Z)).
Definition rounded_up (unit : Z) (us worth : list Z) : bool :=
  (length us <=? length worth)%nat && forallb (fun w => 0 <=? w) worth && forallb (fun x => fst x <=? unit * snd x) (combine us worth).
Definition worths := (Z * list (list Z))%type.   (* a unit, and the utilities of all jobs in it *)
Definition worths_ok (I : instance) (w : worths) : bool :=
  forallb (fun j => rounded_up (fst w) (utility (job_at I j)) (nth j (snd w) [])) (seq 0 (num_jobs I)).
Definition worths_in (unit : Z) (ws : list worths) : option worths := find (fun w => fst w =? unit) ws.
Definition hints_hold (I : instance) (qs : list Z) (rds : list round_data) (cuts : list priced_cut)
  (bs : list branch) (unit : Z) (worth : nat -> list Z) (h : list (Z * Z)) : bool :=
  forallb (fun j =>
    let (m, lam) := nth j h (0, 0) in
    (0 <=? lam) &&
    match job_price I rds (tolls_from I (cut_table I cuts j) j) (filter (about j) bs) (nth j qs 0) unit lam (worth j)
      (Some m) (job_at I j) with Some p => p <=? m | None => true end) (seq 0 (num_jobs I)).
Definition hinted_total (I : instance) (h : list (Z * Z)) : Z :=
  sum (num_jobs I) (fun j => fst (nth j h (0, 0))).
(* whether the hints prove a bound of a leaf *)
Definition hinted (I : instance) (qs : list Z) (v : vector) (cuts : list priced_cut) (bs : list branch)
  (ws : list worths) (h : hint) (claim : Z) : bool :=
  match h with
  | NoHint => false
  | Fine h =>
      (v_unit v * (v_rent v + cuts_total cuts) + hinted_total I h <=? claim) &&
      hints_hold I qs (v_rounds v) cuts bs (v_unit v) (fun j => utility (job_at I j)) h
  | Coarse h =>
      match worths_in (v_unit v) ws with
      | None => false
      | Some w =>
          (v_unit v * (v_rent v + cuts_total cuts + hinted_total I h) <=? claim) &&
          hints_hold I qs (v_rounds v) cuts bs 1 (fun j => nth j (snd w) []) h
      end
  end.

Lemma rounded_up_nth unit us worth i : 0 < unit -> rounded_up unit us worth = true ->
  (i < length us)%nat -> nth i us 0 <= unit * nth i worth 0.
Proof.
  unfold rounded_up. intros HU H Hi. rewrite !andb_true_iff in H. destruct H as [[H1 _] H2]. apply Nat.leb_le in H1.
  revert worth i Hi H1 H2. induction us as [|u us IH]; intros [|w worth] i Hi H1 H2; simpl in *; try lia.
  apply andb_true_iff in H2. destruct H2 as [H2 H3]. apply Z.leb_le in H2.
  destruct i as [|i]; [exact H2|]. apply IH; auto; lia.
Qed.
Lemma earned_up I unit worth s j : 0 < unit -> rounded_up unit (utility (job_at I j)) worth = true ->
  job_value I s j <= unit * earned I worth s j.
Proof.
  intros HU H. unfold job_value, earned. destruct (completion I s j) as [f|]; [|lia]. set (i := (f - _)%nat).
  destruct (lt_dec i (length (utility (job_at I j)))) as [L|L]; [apply rounded_up_nth; auto|].
  rewrite nth_overflow by lia. unfold rounded_up in H. rewrite !andb_true_iff in H. destruct H as [[_ H] _].
  assert (Q := forallb_nth (fun w => 0 <=? w) worth 0 i H eq_refl). apply Z.leb_le in Q. nia.
Qed.

Lemma hints_sound I qs vec cuts bs s unit mult worth h : instance_ok I = true -> priced_ok vec = true ->
  (forall j, (j < num_jobs I)%nat -> 0 < nth j qs 0) -> Forall (cut_priced_ok I) cuts ->
  feasible I s -> busy I s -> agrees I s bs -> 0 < unit -> 0 < mult -> unit * mult = p_unit vec ->
  (forall j, (j < num_jobs I)%nat -> job_value I s j <= mult * earned I (worth j) s j) ->
  hints_hold I qs (rounds_of I (p_prices vec)) cuts bs unit worth h = true ->
  value I s <= p_unit vec * (rent_total (rounds_of I (p_prices vec)) + cuts_total cuts) +
    mult * hinted_total I h.
Proof.
  intros HI HPU Hq Hcuts F HB A HU HM E HW H. apply payoffs_total; auto.
  unfold hinted_total. rewrite <- sum_scale. apply sum_le. intros j Hj.
  unfold hints_hold in H. rewrite forallb_forall in H. specialize (H j ltac:(apply in_seq; lia)).
  destruct (nth j h (0, 0)) as [m lam]. apply andb_true_iff in H. destruct H as [HL H]. apply Z.leb_le in HL.
  assert (HP : prices_ok (p_prices vec) = true) by (apply andb_true_iff in HPU; apply HPU).
  assert (K : below (earned I (worth j) s j -
      unit * sum (num_rounds I) (job_charge I (p_prices vec) (tolls_from I (cut_table I cuts j) j) s j))
    (job_price I (rounds_of I (p_prices vec)) (tolls_from I (cut_table I cuts j) j) (filter (about j) bs)
      (nth j qs 0) unit lam (worth j) (Some m) (job_at I j))).
  { apply job_price_sound; auto.
    - intros t q. apply tolls_from_nonneg. exact Hcuts.
    - intros b Hb. apply filter_In in Hb. apply A, Hb.
    - intros b Hb. apply filter_In in Hb. apply Hb. }
  destruct K as (p & Ep & Hp). rewrite Ep in H. apply Z.leb_le in H. rewrite charges_from_table in Hp.
  specialize (HW j Hj). cbn [fst]. rewrite <- E. nia.
Qed.

Lemma hinted_sound I qs vec cuts bs s ws h claim : instance_ok I = true -> priced_ok vec = true ->
  (forall j, (j < num_jobs I)%nat -> 0 < nth j qs 0) -> Forall (cut_priced_ok I) cuts ->
  feasible I s -> busy I s -> agrees I s bs -> forallb (worths_ok I) ws = true ->
  hinted I qs (evaluate I qs vec) cuts bs ws h claim = true -> value I s <= claim.
Proof.
  intros HI HPU Hq Hcuts F HB A HW H. assert (HU : 0 < p_unit vec).
  { apply andb_true_iff in HPU. apply Z.ltb_lt, HPU. }
  destruct h as [|h|h]; cbn [hinted evaluate v_unit v_rent v_rounds] in H; [discriminate| |].
  - apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.leb_le in H1. eapply Z.le_trans; [|exact H1].
    rewrite <- (Z.mul_1_l (hinted_total I h)). apply (hints_sound I qs vec cuts bs s (p_unit vec) 1 (fun j => utility (job_at I j)) h); auto; [lia|lia|].
    intros j _. rewrite Z.mul_1_l. apply Z.le_refl.
  - destruct (worths_in (p_unit vec) ws) as [[unit table]|] eqn:EW; [|discriminate].
    apply find_some in EW. destruct EW as [Hin H0]. apply Z.eqb_eq in H0. cbn [fst snd] in *. subst unit.
    rewrite forallb_forall in HW. specialize (HW _ Hin). unfold worths_ok in HW. cbn [fst snd] in HW.
    apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.leb_le in H1.
    eapply Z.le_trans; [|exact H1]. rewrite Z.mul_add_distr_l.
    apply (hints_sound I qs vec cuts bs s 1 (p_unit vec) (fun j => nth j table []) h); auto; [lia|lia|].
    intros j Hj. rewrite forallb_forall in HW. specialize (HW j ltac:(apply in_seq; lia)).
    apply earned_up; [lia|exact HW].
Qed.

(* trees; a leaf names its price vector, its cuts by (round, cut, price), its bound, and hints for it *)
Inductive tree :=
| Leaf (v : Z) (cuts : list (Z * Z * Z)) (claim : option Z) (h : hint)
| Branch (d : decision) (yes no : tree).
Record l2 := L2 {
  l2_prices : list priced;
  l2_cuts : list cut;
  l2_divisors : list Z;
  l2_worths : list worths;
  l2_unit : Z;
  l2_trees : list (list branch * tree);
  l2_bound : Z }.

Fixpoint resolve (table : list cut) (refs : list (Z * Z * Z)) : option (list priced_cut) :=
  match refs with
  | [] => Some []
  | (t, i, k) :: r =>
      match nth_error table (Z.to_nat i), resolve table r with
      | Some c, Some cs => if 0 <=? k then Some ((Z.to_nat t, (c, k)) :: cs) else None
      | _, _ => None
      end
  end.

Definition closes (unit bound b : Z) : bool := lattice unit b <=? bound.
Definition leaf_ok (I : instance) (C : l2) (vectors : list vector) (bs : list branch)
  (v : Z) (refs : list (Z * Z * Z)) (claim : option Z) (h : hint) : bool :=
  match nth_error vectors (Z.to_nat v), resolve (l2_cuts C) refs with
  | Some vec, Some cuts =>
      if match claim with
         | Some c =>
             if hinted I (l2_divisors C) vec cuts bs (l2_worths C) h c
             then closes (l2_unit C) (l2_bound C) c else false
         | None => false
         end
      then true
      else
        match leaf_bound I (l2_divisors C) vec cuts bs with
        | None => true
        | Some b =>
            match claim with
            | None => false
            | Some c => (b <=? c) && closes (l2_unit C) (l2_bound C) c
            end
        end
  | _, _ => false
  end.
Fixpoint tree_ok (I : instance) (C : l2) (vectors : list vector) (bs : list branch) (n : tree) : bool :=
  match n with
  | Leaf v refs claim h => leaf_ok I C vectors bs v refs claim h
  | Branch d yes no => tree_ok I C vectors ((d, true) :: bs) yes && tree_ok I C vectors ((d, false) :: bs) no
  end.
Definition trees_ok (I : instance) (C : l2) (vectors : list vector) : bool :=
  forallb (fun a => tree_ok I C vectors (fst a) (snd a)) (l2_trees C).
Definition check_l2 (I : instance) (C : l2) : bool :=
  instance_ok I && utilities_fall I && (0 <? l2_unit C) && forallb priced_ok (l2_prices C) &&
  forallb (cut_ok I) (l2_cuts C) &&
  forallb (fun j => 0 <? nth j (l2_divisors C) 0) (seq 0 (num_jobs I)) &&
  forallb (unit_ok I (l2_unit C)) (jobs I) && forallb (worths_ok I) (l2_worths C) &&
  trees_ok I C (map (evaluate I (l2_divisors C)) (l2_prices C)).

Lemma resolve_ok I table refs cuts : forallb (cut_ok I) table = true ->
  resolve table refs = Some cuts -> Forall (cut_priced_ok I) cuts.
Proof.
  intros H. revert cuts. induction refs as [|[[t i] k] r IH]; simpl; intros cuts E.
  { injection E as <-. constructor. }
  destruct (nth_error table (Z.to_nat i)) as [c|] eqn:EC; [|discriminate].
  destruct (resolve table r) as [cs|]; [|discriminate].
  destruct (0 <=? k) eqn:EK; [|discriminate]. injection E as <-. constructor; [|auto].
  split; cbn; [|apply Z.leb_le; exact EK].
  rewrite forallb_forall in H. apply H. eapply nth_error_In. exact EC.
Qed.

(* the bound is the value of the schedule, or that of some leaf that is not empty *)
Definition unshared (vec : priced) : priced := Priced (p_prices vec) (p_unit vec) false.
Definition attains (I : instance) (C : l2) (bs : list branch)
  (v : Z) (refs : list (Z * Z * Z)) (claim : option Z) : bool :=
  match claim, nth_error (l2_prices C) (Z.to_nat v), resolve (l2_cuts C) refs with
  | Some c, Some vec, Some cuts =>
      if lattice (l2_unit C) c =? l2_bound C
      then match leaf_bound I (l2_divisors C) (evaluate I (l2_divisors C) (unshared vec)) cuts bs with Some _ => true | None => false end
      else false
  | _, _, _ => false
  end.
Fixpoint attained (I : instance) (C : l2) (bs : list branch) (n : tree) : bool :=
  match n with
  | Leaf v refs claim _ => attains I C bs v refs claim
  | Branch d yes no =>
      if attained I C ((d, true) :: bs) yes then true else attained I C ((d, false) :: bs) no
  end.
Definition tight_l2 (I : instance) (C : l2) (value : Z) : bool :=
  if value =? l2_bound C then true
  else if value <=? l2_bound C
  then existsb (fun a => attained I C (fst a) (snd a)) (l2_trees C)
  else false.

Definition bounded_under (I : instance) (b : Z) (bs : list branch) : Prop :=
  forall s, feasible I s -> agrees I (useful I s) bs -> value I s <= b.
Lemma by_cases I b d bs :
  bounded_under I b ((d, true) :: bs) -> bounded_under I b ((d, false) :: bs) -> bounded_under I b bs.
Proof.
  intros Yes No s F A. destruct (holds I (useful I s) d) eqn:D; [apply Yes|apply No]; auto;
    (intros c [<-|Hc]; [exact D|apply A, Hc]).
Qed.
Lemma bounded_always I b : bounded_under I b [] -> forall s, feasible I s -> value I s <= b.
Proof. intros H s F. apply H; [exact F|apply no_branch]. Qed.

Theorem check_l2_sound I C : check_l2 I C = true ->
  forall bs t, In (bs, t) (l2_trees C) -> bounded_under I (l2_bound C) bs.
Proof.
  unfold check_l2. rewrite !andb_true_iff. intros [[[[[[[[HI HM] HU] HP] HC] HQ] HV] HW] HT] bs0 t0 Hin s0 F0.
  destruct (useful_spec I s0 HI HM F0) as (F & B & V). intros A. eapply Z.le_trans; [exact V|].
  revert F B A. generalize (useful I s0). clear s0 F0 V. intros s F B A.
  apply Z.ltb_lt in HU. rewrite forallb_forall in HP, HQ.
  assert (M := value_multiple I s _ HI F B HU HV).
  assert (Q : forall j, (j < num_jobs I)%nat -> 0 < nth j (l2_divisors C) 0).
  { intros j Hj. apply Z.ltb_lt, HQ, in_seq. lia. }
  unfold trees_ok in HT. rewrite forallb_forall in HT. specialize (HT _ Hin). cbn [fst snd] in HT.
  clear Hin. revert bs0 HT A. induction t0 as [v refs claim h|d yes IHy no IHn]; intros bs HT A; cbn [tree_ok] in HT.
  - unfold leaf_ok in HT. destruct (nth_error _ (Z.to_nat v)) as [vec|] eqn:EV; [|discriminate].
    destruct (resolve _ refs) as [cuts|] eqn:ER; [|discriminate].
    apply nth_error_In in EV. apply in_map_iff in EV. destruct EV as (pr & <- & Hpr).
    destruct (match claim with Some _ => _ | None => _ end) eqn:EH.
    { destruct claim as [c|]; [|discriminate]. destruct (hinted _ _ _ _ _ _ _ _) eqn:H1; [|discriminate].
      apply Z.leb_le in EH. eapply Z.le_trans; [|exact EH]. apply multiple_below; auto.
      apply (hinted_sound I (l2_divisors C) pr cuts bs s (l2_worths C) h c); auto.
      exact (resolve_ok _ _ _ _ HC ER). }
    clear EH.
    destruct (leaf_bound_sound I (l2_divisors C) pr cuts bs s HI (HP pr Hpr) Q
      (resolve_ok _ _ _ _ HC ER) F B A) as (b & Eb & Hb).
    rewrite Eb in HT. destruct claim as [c|].
    + apply andb_true_iff in HT. destruct HT as [H1 H2]. apply Z.leb_le in H1, H2.
      eapply Z.le_trans; [|exact H2]. apply multiple_below; auto. lia.
    + discriminate.
  - apply andb_true_iff in HT. destruct HT as [H1 H2].
    destruct (holds I s d) eqn:D; [apply (IHy _ H1)|apply (IHn _ H2)];
      (intros b [<-|Hb]; [exact D|apply A, Hb]).
Qed.
