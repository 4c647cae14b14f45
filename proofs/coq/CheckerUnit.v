(** * Executable checker of theorem T9 on posted prices: one resource, and every plan holds one GPU of it.

    [one_place]            only this place has GPUs, and there is one round
    [rising]               each price is below every value, or K: c d(n) is at most constant times the
                           revenue d(0) + .. + d(n-1)
    [unit_demand_ok]              both, with the tables of CheckerRun.v (of which (I) is not needed: any t2 will do)
    [best_values]          bounds on what each job can be worth, by the prices 0
    [check_unit]           all of it, and the run: what is added up is what payoffs exceed those at arrival by;
                           where nobody was turned away, what best values exceed those of the run by

    [unit_competitive]     every run that takes the best plan iff it is worth more: cd OPT <= cn v
    [check_unit_sound]     cd OPT <= cn P + cd additive for the schedule of the certificate *)
From Coq Require Import ZArith List Lia Bool Arith Permutation.
From HadarTheory Require Import SchedModel CheckerFill CheckerJob CheckerLean Checker CheckerSchedule
  Completion Irredundant PostedRun PlanRanges CheckerRun.
Import ListNotations.
Open Scope Z_scope.

Record unit_claims := Unit {
  unit_node : nat;
  unit_type : nat;
  unit_constant : Z * Z;
  unit_best : list Z }.

Fixpoint rising (cn m least : Z) (prices : list Z) (revenue : Z) : bool :=
  match prices with
  | [] => true
  | k :: r => ((k <? least) || (m * k <=? cn * revenue)) && rising cn m least r (revenue + k)
  end.
Definition one_place (I : instance) (pooled : bool) (x r : nat) : bool :=
  (num_rounds I =? 1)%nat && (x <? spots I pooled)%nat && (r <? num_types I)%nat &&
  all (spots I pooled) (fun x' => all (num_types I) (fun r' =>
    ((x' =? x)%nat && (r' =? r)%nat) || (gpus_at I pooled x' r' <=? 0))).
(* a price k is below every value iff q unit k < p: below the least k of which that is false *)
Definition least_price (N : posted_claims) : Z :=
  - ((- fst (run_density N)) / (snd (run_density N) * run_unit N)).
Definition unit_demand_ok (I : instance) (pooled : bool) (N : posted_claims) (U : unit_claims) : bool :=
  let acts := actors I pooled in
  let (cn, cd) := unit_constant U in
  let tab := table_at N 0 (unit_node U) (unit_type U) in
  one_place I pooled (unit_node U) (unit_type U) &&
  forallb (fun act => snd (snd act) <=? 1) acts && (0 <? cd) && (cd <=? cn) &&
  match table_charges tab with None => true | Some _ => false end &&
  match acts with
  | [] => true
  | _ => rising cn (cd * gpus_at I pooled (unit_node U) (unit_type U)) (least_price N) (table_prices tab) 0
  end.
Definition best_values (I : instance) (C : l1) (U : unit_claims) : bool :=
  let rds := rounds_of I (PerType []) in
  all (num_jobs I) (fun j => payoff_ok I rds 1 (nth j (l1_divisors C) 0) (nth j (unit_best U) 0) (job_at I j)).
Definition missed_values (I : instance) (s : schedule) (U : unit_claims) : Z :=
  sum (num_jobs I) (fun j => Z.max 0 (nth j (unit_best U) 0 - worth_of (job_at I j) (played I s j))).
Definition check_unit (I : instance) (C : l1) (rows : list (list allocation)) (N : posted_claims) (U : unit_claims) : bool :=
  let pooled := is_pooled C in
  terms_ok I pooled N && unit_demand_ok I pooled N U && payoffs_hold I C N &&
  match replay I pooled N (of_rows rows) (arrivals I) (no_sold I pooled) with
  | None => false
  | Some (missed, g) =>
      let n := sold_at g 0%nat (unit_node U) (unit_type U) in
      all (num_rounds I) (fun t => all (spots I pooled) (fun x => all (num_types I) (fun r =>
        l1_price_unit C * price_at (l1_prices C) t x r =? posted_price I pooled N t x r (sold_at g t x r)))) &&
      (if match actors I pooled with [] => false | _ => true end &&
          (price_of (table_at N 0 (unit_node U) (unit_type U)) n <? least_price N)
       then best_values I C U && (missed_values I (of_rows rows) U <=? run_additive N)
       else missed <=? run_additive N)
  end.

Section UnitDemand.
  Variables (I : instance) (pooled : bool) (N : posted_claims) (U : unit_claims).
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_fall I = true.
  Hypothesis terms : terms_ok I pooled N = true.
  Hypothesis ok : unit_demand_ok I pooled N U = true.
  Notation inside t x r := ((t < num_rounds I)%nat /\ (x < spots I pooled)%nat /\ (r < num_types I)%nat).
  Notation holds := (fun j x r => share I pooled (job_at I j) r).
  Notation d := (posted_price I pooled N).
  Notation job_charge := (posted_charge I pooled N).
  Notation own_plan := (own_plan I pooled).
  Notation x0 := (unit_node U).
  Notation r0 := (unit_type U).
  Notation cn := (fst (unit_constant U)).
  Notation cd := (snd (unit_constant U)).
  Notation tab := (table_at N 0 x0 r0).
  Notation busy := (match actors I pooled with [] => false | _ => true end).
  Let led := terms_ledger I pooled N inst utilities terms.
  Let room := gpus_at I pooled x0 r0.

  Lemma unit_parts : num_rounds I = 1%nat /\ (x0 < spots I pooled)%nat /\ (r0 < num_types I)%nat /\
    (forall x r, (x < spots I pooled)%nat -> (r < num_types I)%nat -> (x, r) <> (x0, r0) -> gpus_at I pooled x r <= 0) /\
    (forall act, In act (actors I pooled) -> snd (snd act) <= 1) /\ 0 < cd /\ cd <= cn /\ table_charges tab = None /\
    (busy = true -> rising cn (cd * room) (least_price N) (table_prices tab) 0 = true).
  Proof.
    unfold unit_demand_ok in ok. destruct (unit_constant U) as [a b] eqn:EU. cbn [fst snd] in *.
    rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le in ok. destruct ok as [[[[[O A] B1] B2] T] R].
    unfold one_place in O. rewrite !andb_true_iff, Nat.eqb_eq, !Nat.ltb_lt in O. destruct O as [[[O1 O2] O3] O4].
    repeat split; auto.
    - intros x r Hx Hr Ne. assert (Q := all_spec _ _ _ (all_spec _ _ _ O4 Hx) Hr). apply orb_true_iff in Q.
      destruct Q as [Q|Q]; [|apply Z.leb_le; exact Q]. apply andb_true_iff in Q. rewrite !Nat.eqb_eq in Q.
      destruct Q as [-> ->]. congruence.
    - rewrite forallb_forall in A. intros act Ha. apply Z.leb_le, A, Ha.
    - destruct (table_charges tab); [discriminate|reflexivity].
    - intros Bz. destruct (actors I pooled); [discriminate|exact R].
  Qed.
  Lemma cell_inside : inside 0 x0 r0.
  Proof. destruct unit_parts as (T & X & R & _). rewrite T. auto. Qed.

  Lemma unit_takes j c t x r : (j < num_jobs I)%nat -> own_plan j c -> inside t x r ->
    (t = O /\ x = x0 /\ r = r0 /\ takes I pooled (c t) x r = 1) \/
    (gpus_at I pooled x r <= 0 /\ takes I pooled (c t) x r = 0).
  Proof.
    intros Hj P H. destruct unit_parts as (T & X & R & E & A & _).
    assert (T0 : t = O) by (destruct H as [H _]; lia). subst t.
    assert (N0 : forall x r, (x < spots I pooled)%nat -> (r < num_types I)%nat -> 0 <= takes I pooled (c O) x r)
      by (intros; apply (takes_pos I pooled j c Hj P O (proj1 H)); auto).
    assert (Rm := fun x r => plan_room _ _ _ _ P O x r (proj1 H)).
    destruct (span_sound I pooled j c inst Hj utilities P) as (f & l & u & Es & _ & Sum & _).
    assert (U1 : u <= 1).
    { apply (A (job_at I j, (f, l, u))). apply in_flat_map. exists (job_at I j). split; [apply nth_In, Hj|].
      rewrite Es. left. reflexivity. }
    destruct (plan_runs I pooled j c inst Hj P) as (t1 & Ht1 & Hb).
    assert (T1 : t1 = O) by lia. subst t1.
    destruct (plan_somewhere I pooled j c inst Hj P O Ht1 Hb) as (x1 & r1 & (_ & Hx1 & Hr1) & P1).
    assert (Cell : forall x r, (x < spots I pooled)%nat -> (r < num_types I)%nat -> (x, r) <> (x0, r0) ->
      gpus_at I pooled x r <= 0 /\ takes I pooled (c O) x r = 0).
    { intros x' r' Hx Hr Ne. specialize (E x' r' Hx Hr Ne). specialize (Rm x' r' Hx Hr). specialize (N0 x' r' Hx Hr). lia. }
    destruct (Nat.eq_dec x x0) as [->|Nx]; [destruct (Nat.eq_dec r r0) as [->|Nr]|].
    - left. repeat split; auto.
      assert (E1 : x1 = x0 /\ r1 = r0).
      { destruct (Nat.eq_dec x1 x0); [destruct (Nat.eq_dec r1 r0); [auto|]|];
          (destruct (Cell x1 r1 Hx1 Hr1) as [_ Z1]; [congruence|lia]). }
      destruct E1 as [-> ->].
      assert (Q := across_term I pooled (fun t x r => takes I pooled (c t) x r) O x0 r0
        (fun t x r Q => takes_pos I pooled j c Hj P t (proj1 Q) x r (proj1 (proj2 Q)) (proj2 (proj2 Q))) H). cbv beta in Q. lia.
    - right. apply Cell; [apply H|apply H|congruence].
    - right. apply Cell; [apply H|apply H|congruence].
  Qed.

  (* prices of the one place *)
  Definition price_at_cell (g : Z) : Z := d 0 x0 r0 g.
  Definition revenue (n : nat) : Z := sum n (fun i => price_at_cell (Z.of_nat i)).

  Lemma across_cell f : (forall t x r, inside t x r -> gpus_at I pooled x r <= 0 -> f t x r = 0) ->
    (gpus_at I pooled x0 r0 <= 0 \/ 0 < gpus_at I pooled x0 r0) -> across I pooled f = f 0%nat x0 r0.
  Proof.
    intros F _. destruct unit_parts as (T & X & R & E & _). unfold across. rewrite T. cbn [sum]. rewrite Z.add_0_l.
    assert (Pick : forall n i g, (i < n)%nat -> (forall k, (k < n)%nat -> k <> i -> g k = 0) -> sum n g = g i).
    { clear. induction n as [|n IH]; intros i g Hi Z0; [lia|]. cbn [sum].
      destruct (Nat.eq_dec i n) as [->|Ne].
      - rewrite sum_zero; [lia|]. intros k Hk. apply Z0; lia.
      - rewrite (IH i g) by (try lia; intros k Hk Nk; apply Z0; lia). rewrite (Z0 n) by lia. lia. }
    rewrite (Pick _ x0 _ X).
    - apply (Pick _ r0 _ R). intros k Hk Nk. apply F; [rewrite T; auto|]. apply E; auto. congruence.
    - intros k Hk Nk. apply sum_zero. intros r Hr. apply F; [rewrite T; auto|]. apply E; auto. congruence.
  Qed.
  Lemma unit_bill g j c : (j < num_jobs I)%nat -> own_plan j c -> bill I pooled job_charge g c = price_at_cell (g 0%nat x0 r0).
  Proof.
    intros Hj P. unfold bill. rewrite across_cell.
    - destruct (unit_takes j c 0 x0 r0 Hj P cell_inside) as [(_ & _ & _ & ->)|[C ->]].
      + unfold posted_charge, price_at_cell, posted_price. destruct (_ <=? 0); [reflexivity|].
        unfold charge_of. destruct unit_parts as (_ & _ & _ & _ & _ & _ & _ & -> & _). lia.
      + unfold posted_charge, price_at_cell, posted_price. apply Z.leb_le in C. rewrite C. reflexivity.
    - intros t x r H C. unfold posted_charge. apply Z.leb_le in C. rewrite C. reflexivity.
    - lia.
  Qed.
  Lemma plan_cell j c : (j < num_jobs I)%nat -> own_plan j c -> takes I pooled (c 0%nat) x0 r0 = 1.
  Proof.
    intros Hj P. destruct (plan_runs I pooled j c inst Hj P) as (t1 & Ht1 & Hb).
    destruct (plan_somewhere I pooled j c inst Hj P t1 Ht1 Hb) as (x1 & r1 & H1 & P1).
    destruct (unit_takes j c t1 x1 r1 Hj P H1) as [(-> & -> & -> & ?)|[_ ?]]; [assumption|lia].
  Qed.

  Lemma posted_priced e g js v M g' : posted_run I pooled job_charge e g js v M g' ->
    exists l M', priced_run I pooled job_charge g js l v M' g' /\ M = M' + lsum e js.
  Proof.
    induction 1 as [g|g j a js v M g' P F Y _ _ (l & M' & R & E)|g j js v M g' _ _ (l & M' & R & E)].
    - exists [], 0. split; [constructor|reflexivity].
    - exists (Some a :: l), (plan_payoff I pooled job_charge g j a + M'). split; [constructor; auto|].
      cbn [lsum fold_right]. fold (lsum e js). lia.
    - exists (None :: l), M'. split; [constructor; auto|]. cbn [lsum fold_right]. fold (lsum e js). lia.
  Qed.
  (* payoffs are value minus revenue *)
  Lemma unit_priced g js l v M g' : priced_run I pooled job_charge g js l v M g' -> still_open I pooled holds g js ->
    forall n, g 0%nat x0 r0 = Z.of_nat n -> exists n', g' 0%nat x0 r0 = Z.of_nat n' /\
      M + revenue n' - revenue n = v /\ revenue n' - revenue n <= v.
  Proof.
    induction 1 as [g|g j a js l v M g' P F Y R IH|g j js l v M g' R IH]; intros O n En.
    - exists n. split; [exact En|lia].
    - assert (Hj := proj1 O j (or_introl eq_refl)). assert (O' := open_sold _ _ _ _ _ _ _ _ _ _ led _ _ _ _ O P F).
      destruct (IH O' (S n)) as (n' & E1 & E2 & E3).
      { unfold sell. rewrite En, (plan_cell j a Hj P). lia. }
      exists n'. split; [exact E1|]. unfold plan_payoff in *. rewrite (unit_bill g j a Hj P), En in *.
      unfold revenue in *. cbn [sum] in E2, E3. lia.
    - apply IH; [|exact En]. exact (open_next _ _ _ _ _ _ _ _ _ _ led _ _ _ O).
  Qed.

  (* values are at least p/q *)
  Lemma value_above j c k : (j < num_jobs I)%nat -> own_plan j c -> k < least_price N -> run_unit N * k < own_value I j c.
  Proof.
    intros Hj P K. assert (W := led_worth _ _ _ _ _ _ _ _ _ _ led j c Hj P).
    assert (Q := led_q _ _ _ _ _ _ _ _ _ _ led).
    destruct (terms_parts I pooled N terms) as (_ & Un & _ & _ & _ & D & _).
    unfold density_ok in D. rewrite !andb_true_iff, Z.leb_le in D. destruct D as [[D _] _].
    rewrite across_cell in W; [rewrite (plan_cell j c Hj P) in W| |lia].
    2:{ intros t x r H C. destruct (unit_takes j c t x r Hj P H) as [(-> & -> & -> & Tk)|[_ ->]]; [|reflexivity].
        assert (Rm := plan_room _ _ _ _ P O x0 r0 (proj1 H) (proj1 (proj2 H)) (proj2 (proj2 H))). lia. }
    set (p := fst (run_density N)) in *. set (q := snd (run_density N)) in *.
    assert (Z0 : 0 < q * run_unit N) by nia.
    assert (L : q * run_unit N * k < p).
    { unfold least_price in K. fold p q in K.
      assert (B := Z.mul_div_le (- p) (q * run_unit N) Z0).
      assert (K' : k + 1 <= - (- p / (q * run_unit N))) by lia.
      assert (M := Z.mod_pos_bound (- p) (q * run_unit N) Z0). assert (Dv := Z.div_mod (- p) (q * run_unit N) ltac:(lia)).
      nia. }
    assert (X : q * (run_unit N * k) < q * own_value I j c) by lia. apply Z.mul_lt_mono_pos_l in X; [exact X|lia].
  Qed.

  Lemma rising_spec cn' m least prices rev n : rising cn' m least prices rev = true -> (n < length prices)%nat ->
    nth n prices 0 < least \/ m * nth n prices 0 <= cn' * (rev + zsum (firstn n prices)).
  Proof.
    revert rev n. induction prices as [|k r IH]; intros rev n H L; simpl in L; [lia|].
    cbn [rising] in H. apply andb_true_iff in H. destruct H as [H1 H2]. destruct n as [|n].
    - cbn [nth firstn zsum fold_right]. apply orb_true_iff in H1. rewrite Z.ltb_lt, Z.leb_le in H1. rewrite Z.add_0_r. lia.
    - cbn [nth]. specialize (IH _ n H2 ltac:(lia)). change (firstn (S n) (k :: r)) with (k :: firstn n r).
      cbn [zsum fold_right]. fold (zsum (firstn n r)). rewrite Z.add_assoc. exact IH.
  Qed.
  Lemma firstn_sum l n : (n <= length l)%nat -> zsum (firstn n l) = sum n (fun i => nth i l 0).
  Proof.
    intros H. induction n as [|n IH]; [reflexivity|]. cbn [sum]. rewrite <- IH by lia. clear IH.
    revert n H. induction l as [|x l IHl]; intros n H; [simpl in H; lia|]. destruct n as [|n]; [cbn; lia|].
    change (firstn (S (S n)) (x :: l)) with (x :: firstn (S n) l). change (firstn (S n) (x :: l)) with (x :: firstn n l).
    cbn [zsum fold_right nth]. fold (zsum (firstn (S n) l)) (zsum (firstn n l)).
    rewrite IHl by (simpl in H; lia). lia.
  Qed.
  Lemma revenue_table n : 0 < room -> (n <= length (table_prices tab))%nat ->
    revenue n = run_unit N * zsum (firstn n (table_prices tab)).
  Proof.
    intros C L. rewrite firstn_sum by exact L. unfold revenue. rewrite <- sum_scale. apply sum_ext. intros i _.
    unfold price_at_cell, posted_price. apply Z.leb_gt in C. fold room. rewrite C. unfold price_of. rewrite Nat2Z.id. reflexivity.
  Qed.

  (* at the end the next price is below every value, or K holds *)
  Lemma unit_end n : busy = true -> 0 < room -> 0 <= Z.of_nat n <= Z.min room (all_hold I pooled r0) ->
    price_of tab (Z.of_nat n) < least_price N \/ cd * (room * price_at_cell (Z.of_nat n)) <= cn * revenue n.
  Proof.
    intros B C L. destruct unit_parts as (_ & _ & _ & _ & _ & _ & _ & _ & R). specialize (R B).
    destruct (place_table I pooled N terms 0 x0 r0 cell_inside C) as (_ & _ & _ & _ & Q & _). fold room in Q.
    destruct (rising_spec _ _ _ _ _ n R ltac:(lia)) as [H|H]; unfold price_of; rewrite Nat2Z.id; [left; exact H|right].
    rewrite revenue_table by (auto; lia). unfold price_at_cell, posted_price. apply Z.leb_gt in C. fold room. rewrite C.
    unfold price_of. rewrite Nat2Z.id. assert (Un := proj1 (proj2 (terms_parts I pooled N terms))).
    assert (Y := Z.mul_le_mono_nonneg_l _ _ (run_unit N) ltac:(lia) H). lia.
  Qed.

  (* nobody was turned away: each job got its best value *)
  Lemma nobody_turned_away s g js v M g' : feasible I s ->
    posted_run I pooled job_charge (fun _ => 0) g js v M g' -> still_open I pooled holds g js ->
    0 < room -> price_of tab (g' 0%nat x0 r0) < least_price N -> lsum (job_value I s) js <= v.
  Proof.
    intros Fs R O C L.
    assert (G : forall g js v M g', posted_run I pooled job_charge (fun _ => 0) g js v M g' -> still_open I pooled holds g js ->
      price_of tab (g' 0%nat x0 r0) < least_price N -> price_at_cell (g 0%nat x0 r0) <= run_unit N * price_of tab (g' 0%nat x0 r0)).
    { clear g js v M g' R O L. intros g js v M g' R O L.
      destruct (run_rises _ _ _ _ _ _ _ _ _ _ led _ _ _ _ _ _ R O 0%nat x0 r0 cell_inside) as [K1 K2].
      assert (Q := led_mono _ _ _ _ _ _ _ _ _ _ led 0%nat x0 r0 (g 0%nat x0 r0) (g' 0%nat x0 r0) cell_inside
        ltac:(apply (proj2 O 0%nat x0 r0 cell_inside)) K1 K2).
      unfold price_at_cell. eapply Z.le_trans; [exact Q|]. unfold posted_price. apply Z.leb_gt in C. fold room. rewrite C. lia. }
    induction R as [g|g j a js v M g' P F Y Best R IH|g j js v M g' Best R IH]; cbn [lsum fold_right]; [lia| |];
      fold (lsum (job_value I s) js); assert (Hj := proj1 O j (or_introl eq_refl)).
    - assert (O' := open_sold _ _ _ _ _ _ _ _ _ _ led _ _ _ _ O P F). specialize (IH O' L).
      enough (job_value I s j <= own_value I j a) by lia.
      destruct (Z_lt_le_dec 0 (job_value I s j)) as [V|V]; [|assert (W := plan_worth _ _ _ _ P); lia].
      destruct (feasible_plan I pooled inst (utilities_nat I utilities) s j Fs Hj V) as (c & Pc & Vc & _).
      assert (Fc : plan_fits I pooled g c).
      { intros t x r H. specialize (F t x r H).
        destruct (unit_takes j c t x r Hj Pc H) as [(E1 & E2 & E3 & Tk)|[_ Tk]], (unit_takes j a t x r Hj P H) as [(_ & _ & _ & Tk')|[_ Tk']];
          rewrite Tk, Tk' in *; try lia. subst. assert (Q := plan_cell j a Hj P). lia. }
      specialize (Best c Pc Fc). unfold plan_payoff in Best. rewrite (unit_bill g j c Hj Pc), (unit_bill g j a Hj P) in Best. lia.
    - assert (O' := open_next _ _ _ _ _ _ _ _ _ _ led _ _ _ O). specialize (IH O' L).
      enough (job_value I s j <= 0) by lia.
      destruct (Z_lt_le_dec 0 (job_value I s j)) as [V|V]; [exfalso|exact V].
      destruct (feasible_plan I pooled inst (utilities_nat I utilities) s j Fs Hj V) as (c & Pc & Vc & _).
      assert (A := value_above j c _ Hj Pc L). assert (K := G _ _ _ _ _ R O' L).
      destruct (fits_or_full I pooled g c) as [Fc|(t & x & r & H & Ov)].
      + specialize (Best c Pc Fc). unfold plan_payoff in Best. rewrite (unit_bill g j c Hj Pc) in Best. lia.
      + destruct (unit_takes j c t x r Hj Pc H) as [(-> & -> & -> & Tk)|[C0 Tk]].
        * assert (Q := led_full _ _ _ _ _ _ _ _ _ _ led j c 0%nat x0 r0 (g 0%nat x0 r0) Hj Pc H
            ltac:(apply (proj2 O 0%nat x0 r0 H)) ltac:(apply (proj2 O 0%nat x0 r0 H)) Ov
            ltac:(apply (open_takes _ _ _ _ _ _ _ _ _ _ led g j js c 0%nat x0 r0 O Pc H))).
          rewrite Tk in Q. unfold price_at_cell in K. lia.
        * assert (Q := proj2 O t x r H). lia.
  Qed.
  Lemma nobody_is_worth s : feasible I s -> busy = false \/ room <= 0 -> value I s <= 0.
  Proof.
    intros Fs B. unfold value. rewrite <- (sum_zero (num_jobs I) (fun _ => 0)) by auto. apply sum_le. intros j Hj.
    destruct (Z_lt_le_dec 0 (job_value I s j)) as [V|V]; [exfalso|exact V].
    destruct (feasible_plan I pooled inst (utilities_nat I utilities) s j Fs Hj V) as (c & Pc & _).
    destruct B as [B|B]; [rewrite (acts_busy I pooled inst utilities j c Hj Pc) in B; discriminate|].
    assert (Rm := plan_room _ _ _ _ Pc O x0 r0 (proj1 cell_inside) (proj1 (proj2 cell_inside)) (proj2 (proj2 cell_inside))).
    rewrite (plan_cell j c Hj Pc) in Rm. fold room in Rm. lia.
  Qed.
  Lemma run_value_nonneg e g js v M g' : posted_run I pooled job_charge e g js v M g' -> 0 <= v.
  Proof. induction 1 as [|g j a js v M g' P _ _ _ _ IH|]; try lia. assert (W := plan_worth _ _ _ _ P). lia. Qed.
  Lemma supply_cell g : cluster_worth I pooled d g = room * price_at_cell (g 0%nat x0 r0).
  Proof.
    unfold cluster_worth. rewrite across_cell; [reflexivity| |lia]. intros t x r _ C. unfold posted_price.
    apply Z.leb_le in C. rewrite C. lia.
  Qed.

  Theorem unit_competitive js v M g' : Permutation js (seq 0 (num_jobs I)) ->
    posted_run I pooled job_charge (fun _ => 0) none_sold js v M g' -> forall s, feasible I s -> cd * value I s <= cn * v.
  Proof.
    intros Pm R s Fs. destruct unit_parts as (_ & _ & _ & _ & _ & Cd & Cn & _).
    assert (V0 := run_value_nonneg _ _ _ _ _ _ R). assert (O := open_start _ _ _ _ _ _ _ _ _ _ led js Pm).
    destruct (Z_le_gt_dec room 0) as [C|C]; [assert (Q := nobody_is_worth s Fs (or_intror C)); nia|].
    destruct busy eqn:B; [|assert (Q := nobody_is_worth s Fs (or_introl B)); nia].
    destruct (posted_priced _ _ _ _ _ _ R) as (l & M' & Rp & EM).
    destruct (unit_priced _ _ _ _ _ _ Rp O 0%nat eq_refl) as (n & En & E1 & E2).
    assert (Ln : 0 <= Z.of_nat n <= Z.min room (all_hold I pooled r0)).
    { rewrite <- En. destruct (run_rises _ _ _ _ _ _ _ _ _ _ led _ _ _ _ _ _ R O 0%nat x0 r0 cell_inside) as [K1 K2].
      unfold none_sold in K1. split; [exact K1|exact K2]. }
    change (revenue 0) with 0 in E1, E2.
    destruct (unit_end n B ltac:(lia) Ln) as [K|K].
    - rewrite <- En in K. assert (Q := nobody_turned_away s _ _ _ _ _ Fs R O ltac:(lia) K).
      rewrite (lsum_permutation _ _ _ Pm), lsum_seq in Q. fold (value I s) in Q. nia.
    - assert (Q := posted_bound _ _ _ _ _ _ _ _ _ _ led inst (utilities_nat I utilities) (fun _ => 0) js v M g'
        (fun _ => Z.le_refl 0) Pm R s Fs).
      rewrite supply_cell, En in Q.
      assert (Z0 : lsum (fun _ : nat => 0) js = 0) by (clear; induction js; simpl; lia). nia.
  Qed.
End UnitDemand.

Theorem check_unit_applies I C rows N U : check_l1 I C = true -> check_unit I C rows N U = true ->
  forall js v M g', Permutation js (seq 0 (num_jobs I)) ->
    posted_run I (is_pooled C) (posted_charge I (is_pooled C) N) (fun _ => 0) none_sold js v M g' ->
    forall s, feasible I s -> snd (unit_constant U) * value I s <= fst (unit_constant U) * v.
Proof.
  intros HC HU js v M g' Pm R s F. unfold check_unit in HU. cbv zeta in HU. rewrite !andb_true_iff in HU.
  destruct HU as [[[HT HO] _] _].
  unfold check_l1 in HC. cbv zeta in HC. rewrite !andb_true_iff in HC. destruct HC as [[[[[[[HI HM] _] _] _] _] _] _].
  exact (unit_competitive I _ N U HI HM HT HO js v M g' Pm R s F).
Qed.

Lemma free_rent I : rent_total (rounds_of I (PerType [])) = 0.
Proof.
  rewrite rent_total_sum. apply sum_zero. intros t _. apply sum_zero. intros h _. apply sum_zero. intros r _.
  unfold price_at. destruct t, r; reflexivity.
Qed.

Theorem check_unit_sound I C rows v N U : check_l1 I C = true -> check_schedule I rows v = true ->
  check_unit I C rows N U = true ->
  forall s, feasible I s -> snd (unit_constant U) * value I s <=
    fst (unit_constant U) * v + snd (unit_constant U) * run_additive N.
Proof.
  intros HC HS HU s0 F0. destruct (check_schedule_sound _ _ _ HS) as [FS VS].
  unfold check_unit in HU. cbv zeta in HU. rewrite !andb_true_iff in HU. destruct HU as [[[HT HO] HP] HX].
  unfold check_l1 in HC. cbv zeta in HC. rewrite !andb_true_iff, !Z.ltb_lt in HC.
  destruct HC as [[[[[[[HI HM] HQ] HPU] _] _] _] HJ].
  set (pooled := is_pooled C) in *. set (s := of_rows rows) in *.
  assert (HB : forall j, (j < num_jobs I)%nat -> payoff_ok I (rounds_of I (l1_prices C)) (l1_price_unit C)
    (nth j (l1_divisors C) 0) (nth j (run_payoffs N) 0) (job_at I j) = true).
  { intros j Hj. assert (Q := all_spec _ _ _ HP Hj). cbv beta in Q. apply orb_true_iff in Q. destruct Q as [Q|Q]; [|exact Q].
    apply Z.eqb_eq in Q. rewrite Q. rewrite forallb_forall in HJ. apply HJ, in_seq. lia. }
  assert (B0 : forall j, (j < num_jobs I)%nat -> 0 <= nth j (run_payoffs N) 0).
  { intros j Hj. specialize (HB j Hj). unfold payoff_ok in HB. rewrite !andb_true_iff, Z.leb_le in HB. apply HB. }
  destruct (replay I pooled N s (arrivals I) (no_sold I pooled)) as [[missed g]|] eqn:ER; [|discriminate].
  apply andb_true_iff in HX. destruct HX as [HF HA].
  assert (L := terms_ledger I pooled N HI HM HT).
  assert (O := open_start _ _ _ _ _ _ _ _ _ _ L (arrivals I) (arrivals_permutation I)).
  destruct (replay_priced I pooled N s HI HM HT FS (arrivals I) _ _ _ none_sold ER
    ltac:(intros; rewrite sold_start; reflexivity) O) as (l & w & M & h & P & Sh & LM & LV).
  rewrite (lsum_permutation _ _ _ (arrivals_permutation I)), lsum_seq in LM.
  rewrite (lsum_permutation _ _ _ (arrivals_permutation I)), lsum_seq in LV.
  fold (value I s) in LV. rewrite VS in LV.
  destruct (unit_parts I pooled N U HO) as (_ & _ & _ & _ & _ & Cd & Cn & _).
  set (cn := fst (unit_constant U)) in *. set (cd := snd (unit_constant U)) in *.
  destruct (useful_spec I s0 HI HM F0) as (F & W & V).
  assert (D := payoffs_bound I (l1_prices C) (l1_price_unit C) (fun j => nth j (l1_divisors C) 0)
    (fun j => nth j (run_payoffs N) 0) (useful I s0) HI HM HQ HPU HB F W).
  assert (RS : l1_price_unit C * rent_total (rounds_of I (l1_prices C)) = cluster_worth I pooled (posted_price I pooled N) h).
  { apply rent_supply. intros t x r (Ht & Hx & Hr). fold pooled. rewrite (Sh t x r) by auto.
    apply Z.eqb_eq. exact (all_spec _ _ _ (all_spec _ _ _ (all_spec _ _ _ HF Ht) Hx) Hr). }
  rewrite RS, (supply_cell I pooled N U HO) in D.
  assert (VN : forall j, (j < num_jobs I)%nat -> 0 <= job_value I s j).
  { intros j Hj. unfold job_value. destruct (completion I s j) as [f|]; [|lia]. apply falling_nonneg.
    assert (Q := HM). unfold utilities_fall in Q. rewrite forallb_forall in Q. apply Q, nth_In, Hj. }
  assert (V0 : 0 <= v) by (rewrite <- VS; apply sum_nonneg; exact VN).
  assert (MN : 0 <= missed).
  { clear - ER B0. revert ER B0. generalize (no_sold I pooled). assert (A : forall j, In j (arrivals I) -> (j < num_jobs I)%nat).
    { intros j Hj. apply (Permutation_in _ (arrivals_permutation I)) in Hj. apply in_seq in Hj. lia. }
    revert A missed g. induction (arrivals I) as [|j js IH]; intros A missed g g0 ER B0; cbn [replay] in ER.
    - injection ER as <- _. lia.
    - specialize (B0 j (A j (or_introl eq_refl))) as B1. destruct (idle_always I (s j)).
      + destruct (replay I pooled N s js g0) as [[e g1]|] eqn:E; [|discriminate]. injection ER as <- _.
        assert (Q := IH (fun i Hi => A i (or_intror Hi)) _ _ _ E B0). lia.
      + destruct (_ && _ && _ && _); [|discriminate].
        destruct (replay I pooled N s js _) as [[e g1]|] eqn:E; [|discriminate]. injection ER as <- _.
        assert (Q := IH (fun i Hi => A i (or_intror Hi)) _ _ _ E B0). lia. }
  destruct (unit_priced I pooled N U HI HM HT HO _ _ _ _ _ _ P O 0%nat eq_refl) as (n & En & E1 & E2).
  change (revenue I pooled N U 0) with 0 in E1, E2.
  assert (Ec := Sh 0%nat (unit_node U) (unit_type U) (cell_inside I pooled N U HO)). rewrite <- Ec, En in HA.
  rewrite En in D.
  destruct (match actors I pooled with [] => false | _ => true end) eqn:B.
  2:{ cbn [andb] in HA. apply Z.leb_le in HA.
      assert (Q := nobody_is_worth I pooled N U HI HM HO s0 F0 (or_introl B)). nia. }
  cbn [andb] in HA. destruct (price_of _ (Z.of_nat n) <? least_price N) eqn:K.
  - (* few are sold *)
    apply andb_true_iff in HA. destruct HA as [HV HA]. apply Z.leb_le in HA.
    assert (D2 := payoffs_bound I (PerType []) 1 (fun j => nth j (l1_divisors C) 0)
      (fun j => nth j (unit_best U) 0) (useful I s0) HI HM eq_refl ltac:(lia)
      ltac:(intros j Hj; exact (all_spec _ _ _ HV Hj)) F W).
    rewrite free_rent in D2.
    assert (X : sum (num_jobs I) (fun j => nth j (unit_best U) 0) <= v + missed_values I s U).
    { rewrite <- VS. unfold value, missed_values. rewrite <- sum_plus. apply sum_le. intros j Hj.
      rewrite worth_of_value. lia. }
    assert (X0 : 0 <= missed_values I s U) by (apply sum_nonneg; intros; lia). nia.
  - apply Z.leb_le in HA. apply Z.ltb_ge in K.
    destruct (Z_le_gt_dec (gpus_at I pooled (unit_node U) (unit_type U)) 0) as [C0|C0].
    + assert (Q := nobody_is_worth I pooled N U HI HM HO s0 F0 (or_intror C0)). nia.
    + assert (Ln : 0 <= Z.of_nat n <= Z.min (gpus_at I pooled (unit_node U) (unit_type U)) (all_hold I pooled (unit_type U))).
      { rewrite <- En.
        assert (Ge : forall g js l v M g', priced_run I pooled (posted_charge I pooled N) g js l v M g' ->
          still_open I pooled (fun j x r => share I pooled (job_at I j) r) g js ->
          still_open I pooled (fun j x r => share I pooled (job_at I j) r) g' []).
        { clear - L. induction 1 as [g|g j a js l v M g' P F Y R IH|g j js l v M g' R IH]; intros O; [exact O| |].
          - apply IH. exact (open_sold _ _ _ _ _ _ _ _ _ _ L _ _ _ _ O P F).
          - apply IH. exact (open_next _ _ _ _ _ _ _ _ _ _ L _ _ _ O). }
        assert (Q := open_end I pooled _ h 0%nat (unit_node U) (unit_type U) (Ge _ _ _ _ _ _ P O) (cell_inside I pooled N U HO)).
        exact Q. }
      destruct (unit_end I pooled N U HT HO n B ltac:(lia) Ln) as [K'|K']; [lia|].
      fold cn cd in K'. nia.
Qed.
