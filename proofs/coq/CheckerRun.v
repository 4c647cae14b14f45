(** * Executable checker of the theorem of a run: that it applies to posted prices, and to this run.

    [table, kind, posted_claims]  price tables, with the charges of the GPUs of a bundle one by one; which table
                           a place of a certain capacity uses, with its largest bundle; and the claims: payoffs,
                           t1, t2, L and the additive term
    [posted_price, posted_charge]  d(g) and C(g, w) as the tables say
    [actors]               the jobs that some plan is worth something for, with their spans
    [table_ok]             (M), (C), (I) on a table
    [place_ok]             (F) at a place: its table reaches as far as any run does, no plan holds more than
                           its bundle, and where a bundle may not fit the price is above U
    [density_ok]           (V): L is at most what any plan is worth per GPU
    [nodes_free]           prices on types only where nodes do not matter (no theorem here needs it)
    [replay]               the schedule, job by job in order of release: each accepted plan is irredundant and
                           worth more than its bill; what payoffs exceed those at arrival by is added up
    [check_run]            all of it; the final prices have to be those of the certificate

    [check_run_applies]    every run of the algorithm on these prices has b OPT <= (t1 + t2) v + b (...)
    [check_run_sound]      b OPT <= (t1 + t2) P + b additive for the schedule of the certificate *)
From Coq Require Import ZArith List Lia Bool Arith Permutation.
From HadarTheory Require Import SchedModel CheckerFill CheckerLevel CheckerJob CheckerLean Checker CheckerSchedule
  Completion Irredundant PostedRun PlanRanges.
Import ListNotations.
Open Scope Z_scope.

Record table := Table { table_prices : list Z; table_charges : option (list (list Z)) }.
Record kind := Kind { kind_table : nat; kind_cap : Z; kind_bundle : Z }.
Record posted_claims := Posted {
  run_tables : list table;
  run_kinds : list kind;
  run_places : list (list (list nat));
  run_unit : Z;
  run_payoffs : list Z;
  run_t1 : Z;
  run_t2 : Z;
  run_t : Z;
  run_density : Z * Z;
  run_additive : Z }.

Definition zsum (l : list Z) : Z := fold_right Z.add 0 l.
Definition price_of (tab : table) (g : Z) : Z := nth (Z.to_nat g) (table_prices tab) 0.
Definition charge_of (tab : table) (g w : Z) : Z :=
  match table_charges tab with
  | None => w * price_of tab g
  | Some rows => zsum (firstn (Z.to_nat w) (nth (Z.to_nat g) rows []))
  end.
Definition kind_at (N : posted_claims) (t x r : nat) : kind :=
  nth (nth r (nth x (nth t (run_places N) []) []) O) (run_kinds N) (Kind O 0 0).
Definition table_at (N : posted_claims) (t x r : nat) : table :=
  nth (kind_table (kind_at N t x r)) (run_tables N) (Table [] None).
Definition posted_price (I : instance) (pooled : bool) (N : posted_claims) (t x r : nat) (g : Z) : Z :=
  if gpus_at I pooled x r <=? 0 then 0 else run_unit N * price_of (table_at N t x r) g.
Definition posted_charge (I : instance) (pooled : bool) (N : posted_claims) (t x r : nat) (g w : Z) : Z :=
  if gpus_at I pooled x r <=? 0 then 0 else run_unit N * charge_of (table_at N t x r) g w.

(* the tables: (M), (C), (I); a rise of the price times A is at most B times the charge plus E a GPU *)
Fixpoint bundles_ok (A B E d : Z) (later : list Z) (row : option (list Z)) (w paid : Z) (m : nat) : bool :=
  match m, later with
  | S m', k :: later' =>
      match row with
      | None =>
          (A * (k - d) <=? B * (paid + d) + E * (w + 1)) && bundles_ok A B E d later' None (w + 1) (paid + d) m'
      | Some [] => false
      | Some (c :: row') =>
          (paid + c <=? (w + 1) * d) && (A * (k - d) <=? B * (paid + c) + E * (w + 1)) &&
          bundles_ok A B E d later' (Some row') (w + 1) (paid + c) m'
      end
  | _, _ => true
  end.
Fixpoint table_ok (A B E : Z) (m : nat) (prices : list Z) (rows : option (list (list Z))) : bool :=
  match prices with
  | [] => true
  | d :: later =>
      match later with [] => true | k :: _ => d <=? k end &&
      bundles_ok A B E d later (option_map (fun rows => hd [] rows) rows) 0 0 m &&
      table_ok A B E m later (option_map (fun rows => tl rows) rows)
  end.

Definition actors (I : instance) (pooled : bool) : list (job * (nat * nat * Z)) :=
  flat_map (fun J => match span I pooled J with Some s => [(J, s)] | None => [] end) (jobs I).
Definition kind_ok (N : posted_claims) (busy : bool) (K : kind) : bool :=
  let tab := nth (kind_table K) (run_tables N) (Table [] None) in
  let A := run_t N * snd (run_density N) * (kind_cap K * run_unit N) in
  let B := run_t1 N * snd (run_density N) * run_unit N in
  let E := run_t2 N * fst (run_density N) in
  let m := if busy then Z.to_nat (Z.min (kind_bundle K) (Z.of_nat (length (table_prices tab)))) else O in
  (0 <=? hd (-1) (table_prices tab)) && (Z.of_nat (length (table_prices tab)) <=? kind_cap K + 1) &&
  table_ok A B E m (table_prices tab) (table_charges tab).
Definition density_ok (N : posted_claims) (acts : list (job * (nat * nat * Z))) : bool :=
  (0 <=? fst (run_density N)) && (0 <? snd (run_density N)) &&
  forallb (fun act => fst (run_density N) * snd (snd act) <=?
    snd (run_density N) * worth_at (fst act) (snd (fst (snd act)))) acts.

Definition all_hold (I : instance) (pooled : bool) (r : nat) : Z :=
  sum (num_jobs I) (fun j => share I pooled (job_at I j) r).
(* what may be bought at a place: job, first and last completion, least and most held *)
Definition buyers (I : instance) (pooled : bool) (acts : list (job * (nat * nat * Z))) (x r : nat) :
  list (job * (nat * nat) * (Z * Z)) :=
  flat_map (fun act => let J := fst act in
    if can_hold I pooled J r
    then [(J, fst (snd act), (least_held I pooled J x r, most_held I pooled J x r))] else []) acts.
Definition buyer_ok (t : nat) (bundle : Z) (late : option Z) (y : job * (nat * nat) * (Z * Z)) : bool :=
  let J := fst (fst y) in
  if ((release J <=? t) && (t <=? snd (snd (fst y))))%nat then
    (snd (snd y) <=? bundle) &&
    match late with Some p => worth_at J (Nat.max t (fst (snd (fst y)))) <=? fst (snd y) * p | None => true end
  else true.
Definition place_ok (I : instance) (pooled : bool) (N : posted_claims) (acts : list (job * (nat * nat * Z))) (x r : nat) : bool :=
  let c := gpus_at I pooled x r in
  if c <=? 0 then true else
  let who := buyers I pooled acts x r in
  let most := Z.min c (all_hold I pooled r) in
  all (num_rounds I) (fun t =>
    let K := kind_at N t x r in
    let tab := nth (kind_table K) (run_tables N) (Table [] None) in
    let top := Z.of_nat (length (table_prices tab)) - 1 in
    let late := c - kind_bundle K + 1 in
    let safe := if late <=? top then Some (run_unit N * price_of tab late) else None in
    (kind_cap K =? c) && (most <=? top) && forallb (buyer_ok t (kind_bundle K) safe) who).
Definition nodes_free (I : instance) (J : job) : bool :=
  (most_copies I J <? 2) &&
  forallb (fun l => floor_product (speed J l) (node_time I) =? floor_product (speed J l) (wide_time I J))
    (running_types I J).
Definition terms_ok (I : instance) (pooled : bool) (N : posted_claims) : bool :=
  let acts := actors I pooled in
  let busy := match acts with [] => false | _ => true end in
  all (num_nodes I) (fun h => all (num_types I) (fun r => 0 <=? cap I h r)) &&
  (0 <? run_unit N) && (0 <? run_t N) && (run_t N <=? run_t1 N) && (0 <=? run_t2 N) &&
  (negb pooled || forallb (nodes_free I) (jobs I)) &&
  density_ok N acts && forallb (kind_ok N busy) (run_kinds N) &&
  all (spots I pooled) (fun x => all (num_types I) (place_ok I pooled N acts x)).

(* the run *)
Definition sold_list := list (list (list Z)).
Definition sold_at (g : sold_list) : sold_state := fun t x r => nth r (nth x (nth t g []) []) 0.
Definition no_sold (I : instance) (pooled : bool) : sold_list :=
  repeat (repeat (repeat 0 (num_types I)) (spots I pooled)) (num_rounds I).
Definition sell_row (I : instance) (pooled : bool) (row : list (list Z)) (a : allocation) : list (list Z) :=
  match a with
  | Idle => row
  | _ => map (fun x => map (fun r => nth r (nth x row []) 0 + takes I pooled a x r) (seq 0 (num_types I)))
           (seq 0 (spots I pooled))
  end.
Definition sell_list (I : instance) (pooled : bool) (g : sold_list) (a : nat -> allocation) : sold_list :=
  map (fun t => sell_row I pooled (nth t g []) (a t)) (seq 0 (num_rounds I)).
Definition bill_of (I : instance) (pooled : bool) (N : posted_claims) (g : sold_list) (a : nat -> allocation) : Z :=
  sum (num_rounds I) (fun t => match a t with
    | Idle => 0
    | _ => sum (spots I pooled) (fun x => sum (num_types I) (fun r =>
             posted_charge I pooled N t x r (sold_at g t x r) (takes I pooled (a t) x r)))
    end).
Definition room_left (I : instance) (pooled : bool) (g : sold_list) (a : nat -> allocation) : bool :=
  all (num_rounds I) (fun t => match a t with
    | Idle => true
    | _ => all (spots I pooled) (fun x => all (num_types I) (fun r =>
             sold_at g t x r + takes I pooled (a t) x r <=? gpus_at I pooled x r))
    end).
Definition idle_always (I : instance) (a : nat -> allocation) : bool := all (num_rounds I) (fun t => idleb (a t)).
Fixpoint replay (I : instance) (pooled : bool) (N : posted_claims) (s : schedule) (js : list nat) (g : sold_list) :
  option (Z * sold_list) :=
  match js with
  | [] => Some (0, g)
  | j :: js' =>
      let best := nth j (run_payoffs N) 0 in
      if idle_always I (s j) then
        match replay I pooled N s js' g with Some (e, g') => Some (best + e, g') | None => None end
      else
        let own := worth_of (job_at I j) (played I s j) in
        let gain := own - bill_of I pooled N g (s j) in
        if irredundantb I j (s j) && (0 <? own) && (0 <? gain) && room_left I pooled g (s j) then
          match replay I pooled N s js' (sell_list I pooled g (s j)) with
          | Some (e, g') => Some (Z.max 0 (best - gain) + e, g')
          | None => None
          end
        else None
  end.
Fixpoint by_release (I : instance) (j : nat) (js : list nat) : list nat :=
  match js with
  | [] => [j]
  | i :: r => if (release (job_at I j) <=? release (job_at I i))%nat then j :: js else i :: by_release I j r
  end.
Definition arrivals (I : instance) : list nat := fold_right (by_release I) [] (seq 0 (num_jobs I)).
Definition is_pooled (C : l1) : bool := match l1_prices C with PerType _ => true | PerNode _ => false end.
Definition payoffs_hold (I : instance) (C : l1) (N : posted_claims) : bool :=
  let rds := rounds_of I (l1_prices C) in
  all (num_jobs I) (fun j =>
    (nth j (run_payoffs N) 0 =? nth j (l1_payoffs C) 0) ||
    payoff_ok I rds (l1_price_unit C) (nth j (l1_divisors C) 0) (nth j (run_payoffs N) 0) (job_at I j)).
Definition check_run (I : instance) (C : l1) (rows : list (list allocation)) (N : posted_claims) : bool :=
  let pooled := is_pooled C in
  terms_ok I pooled N && payoffs_hold I C N &&
  match replay I pooled N (of_rows rows) (arrivals I) (no_sold I pooled) with
  | None => false
  | Some (missed, g) =>
      all (num_rounds I) (fun t => all (spots I pooled) (fun x => all (num_types I) (fun r =>
        l1_price_unit C * price_at (l1_prices C) t x r =? posted_price I pooled N t x r (sold_at g t x r)))) &&
      (cluster_worth I pooled (posted_price I pooled N) none_sold + missed <=? run_additive N)
  end.

(* tables *)
Lemma bundles_plain A B E d later w paid m i : bundles_ok A B E d later None w paid m = true ->
  (i < m)%nat -> (i < length later)%nat ->
  A * (nth i later 0 - d) <= B * (paid + Z.of_nat (S i) * d) + E * (w + Z.of_nat (S i)).
Proof.
  revert later w paid i. induction m as [|m IH]; intros [|k later] w paid i H Hm Hl; simpl in Hl; try lia.
  cbn [bundles_ok] in H. apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.leb_le in H1.
  destruct i as [|i]; cbn [nth]; [lia|]. specialize (IH _ _ _ i H2 ltac:(lia) ltac:(lia)). lia.
Qed.
Lemma bundles_charged A B E d later row w paid m i : bundles_ok A B E d later (Some row) w paid m = true ->
  (i < m)%nat -> (i < length later)%nat ->
  paid + zsum (firstn (S i) row) <= (w + Z.of_nat (S i)) * d /\
  A * (nth i later 0 - d) <= B * (paid + zsum (firstn (S i) row)) + E * (w + Z.of_nat (S i)).
Proof.
  revert later row w paid i. induction m as [|m IH]; intros [|k later] row w paid i H Hm Hl; simpl in Hl; try lia.
  cbn [bundles_ok] in H. destruct row as [|c row]; [discriminate|]. rewrite !andb_true_iff, !Z.leb_le in H.
  destruct H as [[H1 H2] H3]. destruct i as [|i].
  - cbn [nth firstn zsum fold_right]. split; lia.
  - specialize (IH _ _ _ _ i H3 ltac:(lia) ltac:(lia)). cbn [nth]. change (firstn (S (S i)) (c :: row)) with (c :: firstn (S i) row).
    cbn [zsum fold_right]. fold (zsum (firstn (S i) row)). split; lia.
Qed.
Lemma table_mono A B E m prices rows : table_ok A B E m prices rows = true ->
  forall g g', (g <= g')%nat -> (g' < length prices)%nat -> nth g prices 0 <= nth g' prices 0.
Proof.
  intros H g g' G. revert prices rows H. induction G as [|g' G IH]; intros prices rows H L; [lia|].
  eapply Z.le_trans; [apply (IH prices rows H ltac:(lia))|]. clear IH G.
  revert prices rows H L. induction g' as [|g' IH]; intros [|d later] rows H L; simpl in L; try lia;
    cbn [table_ok] in H; rewrite !andb_true_iff in H; destruct H as [[H1 _] H3].
  - destruct later as [|k later]; simpl in L; [lia|]. apply Z.leb_le in H1. exact H1.
  - cbn [nth]. apply (IH later _ H3). lia.
Qed.
Lemma table_bundles A B E m prices rows g w : table_ok A B E m prices rows = true ->
  (1 <= w)%nat -> (w <= m)%nat -> (g + w < length prices)%nat ->
  let tab := Table prices rows in
  charge_of tab (Z.of_nat g) (Z.of_nat w) <= Z.of_nat w * nth g prices 0 /\
  A * (nth (g + w) prices 0 - nth g prices 0) <= B * charge_of tab (Z.of_nat g) (Z.of_nat w) + E * Z.of_nat w.
Proof.
  intros H W1 W2 L. cbv zeta. unfold charge_of, price_of. cbn [table_charges table_prices]. rewrite !Nat2Z.id.
  revert prices rows H L. induction g as [|g IH]; intros [|d later] rows H L; simpl in L; try lia;
    cbn [table_ok] in H; rewrite !andb_true_iff in H; destruct H as [[H1 H2] H3].
  - destruct w as [|i]; [lia|]. cbn [nth Nat.add]. destruct rows as [rows|]; cbn [option_map] in H2.
    + destruct (bundles_charged _ _ _ _ _ _ _ _ _ i H2 ltac:(lia) ltac:(lia)) as [Q1 Q2].
      destruct rows as [|row rows]; cbn [nth hd] in *; split; lia.
    + assert (Q := bundles_plain _ _ _ _ _ _ _ _ i H2 ltac:(lia) ltac:(lia)). split; lia.
  - cbn [Nat.add nth]. specialize (IH later _ H3 ltac:(lia)). destruct rows as [rows|]; cbn [option_map] in IH.
    + destruct rows as [|row rows]; cbn [nth tl] in *; [destruct g; exact IH|exact IH].
    + exact IH.
Qed.

Lemma insert_permutation I j js : Permutation (by_release I j js) (j :: js).
Proof.
  induction js as [|i js IH]; [reflexivity|]. cbn [by_release]. destruct (_ <=? _)%nat; [reflexivity|].
  rewrite IH. apply perm_swap.
Qed.
Lemma arrivals_permutation I : Permutation (arrivals I) (seq 0 (num_jobs I)).
Proof.
  unfold arrivals. induction (seq 0 (num_jobs I)) as [|j js IH]; [reflexivity|]. cbn [fold_right].
  rewrite insert_permutation. apply perm_skip, IH.
Qed.

Lemma utilities_nat I : utilities_fall I = true -> utilities_ok I.
Proof.
  intros H j k Hj. assert (F : falling (utility (job_at I j)) = true).
  { unfold utilities_fall in H. rewrite forallb_forall in H. apply H, nth_In, Hj. }
  split; [apply falling_nonneg, F|apply falling_nth; [exact F|lia]].
Qed.

Section Terms.
  Variables (I : instance) (pooled : bool) (N : posted_claims).
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_fall I = true.
  Hypothesis ok : terms_ok I pooled N = true.
  Notation inside t x r := ((t < num_rounds I)%nat /\ (x < spots I pooled)%nat /\ (r < num_types I)%nat).
  Let acts := actors I pooled.
  Let p := fst (run_density N).
  Let q := snd (run_density N).

  Lemma terms_parts :
    (forall h r, (h < num_nodes I)%nat -> (r < num_types I)%nat -> 0 <= cap I h r) /\
    0 < run_unit N /\ 0 < run_t N /\ run_t N <= run_t1 N /\ 0 <= run_t2 N /\ density_ok N acts = true /\
    (forall K, In K (run_kinds N) -> kind_ok N (match acts with [] => false | _ => true end) K = true) /\
    (forall x r, (x < spots I pooled)%nat -> (r < num_types I)%nat -> place_ok I pooled N acts x r = true).
  Proof.
    unfold terms_ok in ok. cbv zeta in ok. fold acts in ok. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in ok.
    destruct ok as [[[[[[[[C U] T] T1] T2] _] D] K] P].
    split; [intros h r Hh Hr; apply Z.leb_le; exact (all_spec _ _ _ (all_spec _ _ _ C Hh) Hr)|].
    do 5 (split; [assumption|]). split; [rewrite forallb_forall in K; exact K|].
    intros x r Hx Hr. exact (all_spec _ _ _ (all_spec _ _ _ P Hx) Hr).
  Qed.
  Lemma room_nonneg x r : (x < spots I pooled)%nat -> (r < num_types I)%nat -> 0 <= gpus_at I pooled x r.
  Proof.
    intros Hx Hr. assert (C := proj1 terms_parts). unfold gpus_at, spots in *. destruct pooled; [|auto].
    unfold CheckerJob.pooled. apply sum_nonneg. auto.
  Qed.

  (* the table of a place with GPUs *)
  Lemma place_table t x r : inside t x r -> 0 < gpus_at I pooled x r ->
    let K := kind_at N t x r in
    let tab := table_at N t x r in
    let top := Z.of_nat (length (table_prices tab)) - 1 in
    let late := gpus_at I pooled x r - kind_bundle K + 1 in
    kind_cap K = gpus_at I pooled x r /\ In K (run_kinds N) /\
    0 <= hd (-1) (table_prices tab) /\ top <= gpus_at I pooled x r /\
    Z.min (gpus_at I pooled x r) (all_hold I pooled r) <= top /\
    table_ok (run_t N * q * (gpus_at I pooled x r * run_unit N)) (run_t1 N * q * run_unit N) (run_t2 N * p)
      (if match acts with [] => false | _ => true end
       then Z.to_nat (Z.min (kind_bundle K) (top + 1)) else O) (table_prices tab) (table_charges tab) = true /\
    forall y, In y (buyers I pooled acts x r) ->
      buyer_ok t (kind_bundle K) (if late <=? top then Some (run_unit N * price_of tab late) else None) y = true.
  Proof.
    intros (Ht & Hx & Hr) C. cbv zeta. destruct terms_parts as (_ & _ & _ & _ & _ & _ & HK & HP).
    specialize (HP x r Hx Hr). unfold place_ok in HP.
    rewrite (proj2 (Z.leb_gt _ _) C) in HP. assert (Q := all_spec _ _ _ HP Ht). cbv beta zeta in Q. clear HP.
    rewrite !andb_true_iff, Z.eqb_eq, Z.leb_le in Q. destruct Q as [[Q1 Q2] Q3].
    assert (IK : In (kind_at N t x r) (run_kinds N)).
    { unfold kind_at in *. match goal with |- In (nth ?i ?l ?d) _ => destruct (nth_in_or_default i l d) as [|E] end; [auto|].
      rewrite E in Q1. cbn in Q1. lia. }
    assert (OK := HK _ IK). unfold kind_ok in OK. cbv zeta in OK. rewrite !andb_true_iff, !Z.leb_le in OK.
    destruct OK as [[O1 O2] O3]. fold (table_at N t x r) in *. rewrite Q1 in O2, O3.
    split; [exact Q1|]. split; [exact IK|]. split; [exact O1|]. split; [lia|]. split; [exact Q2|]. split.
    - replace (Z.of_nat (length (table_prices (table_at N t x r))) - 1 + 1) with
        (Z.of_nat (length (table_prices (table_at N t x r)))) by lia. exact O3.
    - rewrite forallb_forall in Q3. exact Q3.
  Qed.

  Lemma actor j c : (j < num_jobs I)%nat -> own_plan I pooled j c -> exists s, In (job_at I j, s) acts /\
    span I pooled (job_at I j) = Some s.
  Proof.
    intros Hj P. destruct (span_sound I pooled j c inst Hj utilities P) as (f & l & u & E & _).
    exists (f, l, u). split; [|exact E]. apply in_flat_map. exists (job_at I j). split; [apply nth_In, Hj|].
    rewrite E. left. reflexivity.
  Qed.
  Lemma acts_busy j c : (j < num_jobs I)%nat -> own_plan I pooled j c -> match acts with [] => false | _ => true end = true.
  Proof. intros Hj P. destruct (actor j c Hj P) as (s & Hs & _). destruct acts; [destruct Hs|reflexivity]. Qed.

  Lemma posted_price_mono t x r g g' : inside t x r -> 0 <= g -> g <= g' ->
    g' <= Z.min (gpus_at I pooled x r) (all_hold I pooled r) ->
    posted_price I pooled N t x r g <= posted_price I pooled N t x r g'.
  Proof.
    intros H G1 G2 G3. unfold posted_price. destruct (Z.leb_spec (gpus_at I pooled x r) 0) as [C|C]; [lia|].
    destruct (place_table t x r H C) as (_ & _ & _ & _ & Q & M & _).
    apply Z.mul_le_mono_nonneg_l; [assert (U := proj1 (proj2 terms_parts)); lia|]. unfold price_of.
    apply (table_mono _ _ _ _ _ _ M); lia.
  Qed.

  Theorem terms_ledger : ledger I pooled (posted_price I pooled N) (posted_charge I pooled N)
    (fun j x r => share I pooled (job_at I j) r) (run_t1 N) (run_t2 N) (run_t N) p q.
  Proof.
    destruct terms_parts as (_ & U & T & T1 & T2 & D & _ & _).
    unfold density_ok in D. rewrite !andb_true_iff, Z.leb_le, Z.ltb_lt in D. destruct D as [[D1 D2] D3].
    fold p q in D1, D2.
    assert (Gang : forall j, 0 < gang_size (job_at I j)).
    { intros j. assert (K := inst). unfold instance_ok in K. apply andb_true_iff in K. destruct K as [_ K].
      assert (X := forallb_nth job_ok (jobs I) no_job j K eq_refl). unfold job_ok in X.
      rewrite !andb_true_iff in X. destruct X as [[[X _] _] _]. apply Z.ltb_lt, X. }
    assert (Bundle : forall j c t x r, (j < num_jobs I)%nat -> own_plan I pooled j c -> inside t x r ->
      0 < takes I pooled (c t) x r -> 0 < gpus_at I pooled x r /\ takes I pooled (c t) x r <= kind_bundle (kind_at N t x r) /\
      forall late, late = gpus_at I pooled x r - kind_bundle (kind_at N t x r) + 1 ->
        late <= Z.of_nat (length (table_prices (table_at N t x r))) - 1 ->
        own_value I j c <= takes I pooled (c t) x r * (run_unit N * price_of (table_at N t x r) late) \/
        run_unit N * price_of (table_at N t x r) late < 0).
    { intros j c t x r Hj P H W. assert (Ht := proj1 H). assert (R := plan_room _ _ _ _ P t x r Ht (proj1 (proj2 H)) (proj2 (proj2 H))).
      assert (C : 0 < gpus_at I pooled x r) by lia. split; [exact C|].
      destruct (held_sound I pooled j c inst Hj P t x r H W) as [Can [Lo Hi]].
      destruct (span_sound I pooled j c inst Hj utilities P) as (f & l & u & E & _ & _ & Sp).
      destruct (Sp t Ht) as (S1 & S2 & S3).
      { intros E0. rewrite E0, takes_idle in W. lia. }
      destruct (place_table t x r H C) as (_ & _ & _ & _ & _ & _ & Buy).
      specialize (Buy (job_at I j, (f, l), (least_held I pooled (job_at I j) x r, most_held I pooled (job_at I j) x r))).
      assert (In (job_at I j, (f, l), (least_held I pooled (job_at I j) x r, most_held I pooled (job_at I j) x r))
        (buyers I pooled acts x r)) as Hin.
      { apply in_flat_map. exists (job_at I j, (f, l, u)). split.
        - apply in_flat_map. exists (job_at I j). split; [apply nth_In, Hj|]. rewrite E. left. reflexivity.
        - cbn [fst snd]. rewrite Can. left. reflexivity. }
      specialize (Buy Hin). unfold buyer_ok in Buy. cbn [fst snd] in Buy.
      rewrite (proj2 (Nat.leb_le _ _) S1), (proj2 (Nat.leb_le _ _) S2) in Buy. cbn [andb] in Buy.
      apply andb_true_iff in Buy. destruct Buy as [B1 B2]. apply Z.leb_le in B1. split; [lia|].
      intros late -> L. rewrite (proj2 (Z.leb_le _ _) L) in B2. apply Z.leb_le in B2.
      set (pr := run_unit N * price_of (table_at N t x r) _) in *.
      destruct (Z_lt_le_dec pr 0) as [|Pr]; [right; auto|left]. nia. }
    (* (C) and (I) of a bundle *)
    assert (Both : forall j c t x r g, (j < num_jobs I)%nat -> own_plan I pooled j c -> inside t x r -> 0 <= g ->
      g + takes I pooled (c t) x r <= Z.min (gpus_at I pooled x r) (all_hold I pooled r) ->
      posted_charge I pooled N t x r g (takes I pooled (c t) x r) <= posted_price I pooled N t x r g * takes I pooled (c t) x r /\
      run_t N * q * (gpus_at I pooled x r * (posted_price I pooled N t x r (g + takes I pooled (c t) x r) - posted_price I pooled N t x r g)) <=
        run_t1 N * q * posted_charge I pooled N t x r g (takes I pooled (c t) x r) + run_t2 N * p * takes I pooled (c t) x r).
    { intros j c t x r g Hj P H G L. set (w := takes I pooled (c t) x r) in *.
      assert (W0 : 0 <= w) by (apply (takes_pos I pooled j c Hj P t (proj1 H) x r (proj1 (proj2 H)) (proj2 (proj2 H)))).
      destruct (Z.eq_dec w 0) as [E|W1].
      { rewrite E. rewrite Z.add_0_r, Z.sub_diag, !Z.mul_0_r. unfold posted_charge.
        replace (charge_of (table_at N t x r) g 0) with 0; [destruct (_ <=? 0); lia|].
        unfold charge_of. destruct (table_charges _); reflexivity. }
      destruct (Bundle j c t x r Hj P H ltac:(lia)) as (C & Bm & _). fold w in Bm.
      destruct (place_table t x r H C) as (_ & _ & _ & _ & Q & M & _).
      rewrite (acts_busy j c Hj P) in M.
      destruct (table_bundles _ _ _ _ _ _ (Z.to_nat g) (Z.to_nat w) M ltac:(lia) ltac:(lia) ltac:(lia)) as [X1 X2].
      destruct (table_at N t x r) as [tp tc] eqn:ET. cbn [table_prices table_charges] in *.
      rewrite !Z2Nat.id in X1, X2 by lia. rewrite <- Z2Nat.inj_add in X2 by lia.
      unfold posted_price, posted_charge. rewrite (proj2 (Z.leb_gt _ _) C), ET. unfold price_of. cbn [table_prices].
      set (ch := charge_of _ _ _) in *. set (d0 := nth (Z.to_nat g) tp 0) in *. set (d1 := nth (Z.to_nat (g + w)) tp 0) in *.
      split.
      - assert (Y := Z.mul_le_mono_nonneg_l _ _ (run_unit N) ltac:(lia) X1). lia.
      - lia. }
    constructor; auto.
    - intros j x r. assert (G := Gang j). unfold share, most_copies. destruct (_ <? _); [|lia].
      destruct pooled; [|lia]. destruct (parallelism I); nia.
    - intros j c t x r Hj P H. split.
      + apply (takes_pos I pooled j c Hj P t (proj1 H) x r); apply H.
      + apply (takes_share I pooled j c inst Hj P t (proj1 H) x r); apply H.
    - exact room_nonneg.
    - intros t x r H. unfold posted_price. destruct (Z.leb_spec (gpus_at I pooled x r) 0) as [C|C]; [lia|].
      destruct (place_table t x r H C) as (_ & _ & S & _). apply Z.mul_nonneg_nonneg; [lia|].
      unfold price_of. destruct (table_prices (table_at N t x r)); simpl in *; lia.
    - intros t x r g g' H. apply posted_price_mono; auto.
    - intros j c t x r g Hj P H G L. apply Both with (j := j); auto.
    - (* (F) *)
      intros j c t x r g Hj P H G G2 L Rc.
      assert (W : 0 < takes I pooled (c t) x r) by lia.
      destruct (Bundle j c t x r Hj P H W) as (C & Bm & Late).
      destruct (place_table t x r H C) as (_ & _ & S & Tp & Q & M & _).
      change (reach I (fun j x r => share I pooled (job_at I j) r) x r) with (all_hold I pooled r) in Rc.
      set (late := gpus_at I pooled x r - kind_bundle (kind_at N t x r) + 1) in *.
      assert (Hl : late <= Z.of_nat (length (table_prices (table_at N t x r))) - 1) by lia.
      assert (Mg : price_of (table_at N t x r) late <= price_of (table_at N t x r) g /\ 0 <= price_of (table_at N t x r) late).
      { unfold price_of. split; [apply (table_mono _ _ _ _ _ _ M); lia|].
        eapply Z.le_trans with (nth 0 (table_prices (table_at N t x r)) 0).
        - destruct (table_prices (table_at N t x r)); simpl in *; lia.
        - apply (table_mono _ _ _ _ _ _ M); lia. }
      unfold posted_price. rewrite (proj2 (Z.leb_gt _ _) C).
      destruct (Late late eq_refl Hl) as [V|V]; [|nia].
      eapply Z.le_trans; [exact V|]. rewrite Z.mul_comm. apply Z.mul_le_mono_nonneg_r; [lia|].
      apply Z.mul_le_mono_nonneg_l; lia.
    - intros j c t x r g Hj P H G L. apply Both with (j := j); auto.
    - (* (V) *)
      intros j c Hj P. destruct (span_sound I pooled j c inst Hj utilities P) as (f & l & u & E & V1 & V2 & _).
      rewrite forallb_forall in D3. specialize (D3 (job_at I j, (f, l, u))). cbn [fst snd] in D3.
      assert (In (job_at I j, (f, l, u)) acts) as Hin.
      { apply in_flat_map. exists (job_at I j). split; [apply nth_In, Hj|]. rewrite E. left. reflexivity. }
      specialize (D3 Hin). apply Z.leb_le in D3. fold p q in D3.
      assert (X1 := Z.mul_le_mono_nonneg_l _ _ p D1 V2). assert (X2 := Z.mul_le_mono_nonneg_l _ _ q ltac:(lia) V1). lia.
  Qed.
End Terms.

Section Replay.
  Variables (I : instance) (pooled : bool) (N : posted_claims) (s : schedule).
  Hypothesis inst : instance_ok I = true.
  Hypothesis utilities : utilities_fall I = true.
  Hypothesis ok : terms_ok I pooled N = true.
  Hypothesis feas : feasible I s.
  Hypothesis best_nonneg : forall j, (j < num_jobs I)%nat -> 0 <= nth j (run_payoffs N) 0.
  Notation inside t x r := ((t < num_rounds I)%nat /\ (x < spots I pooled)%nat /\ (r < num_types I)%nat).
  Notation holds := (fun j x r => share I pooled (job_at I j) r).
  Notation d := (posted_price I pooled N).
  Notation job_charge := (posted_charge I pooled N).
  Notation priced_run := (priced_run I pooled job_charge).
  Let led := terms_ledger I pooled N inst utilities ok.

  Lemma nth_map_seq {A} (f : nat -> A) n i e : (i < n)%nat -> nth i (map f (seq 0 n)) e = f i.
  Proof.
    intros H. rewrite (nth_indep _ e (f O)) by (rewrite map_length, seq_length; exact H).
    rewrite map_nth, seq_nth by exact H. reflexivity.
  Qed.
  Lemma sold_start t x r : sold_at (no_sold I pooled) t x r = 0.
  Proof.
    assert (Z0 : forall n i, nth i (repeat 0 n) 0 = 0).
    { induction n as [|n IH]; intros [|i]; simpl; auto. }
    unfold sold_at, no_sold.
    assert (Y : forall n i, nth i (repeat (repeat 0 (num_types I)) n) [] = repeat 0 (num_types I) \/
      nth i (repeat (repeat 0 (num_types I)) n) [] = []).
    { induction n as [|n IH]; intros [|i]; simpl; auto. }
    assert (X : forall n i, nth i (repeat (repeat (repeat 0 (num_types I)) (spots I pooled)) n) [] =
      repeat (repeat 0 (num_types I)) (spots I pooled) \/
      nth i (repeat (repeat (repeat 0 (num_types I)) (spots I pooled)) n) [] = []).
    { induction n as [|n IH]; intros [|i]; simpl; auto. }
    destruct (X (num_rounds I) t) as [-> | ->].
    - destruct (Y (spots I pooled) x) as [-> | ->]; [apply Z0|destruct r; reflexivity].
    - destruct x; destruct r; reflexivity.
  Qed.
  Lemma sold_next g a t x r : inside t x r ->
    sold_at (sell_list I pooled g a) t x r = sold_at g t x r + takes I pooled (a t) x r.
  Proof.
    intros (Ht & Hx & Hr). unfold sold_at, sell_list. rewrite (nth_map_seq _ _ t) by exact Ht.
    unfold sell_row. destruct (a t) as [|c|c] eqn:E; [rewrite takes_idle; lia| |];
      rewrite (nth_map_seq _ _ x) by exact Hx; rewrite (nth_map_seq _ _ r) by exact Hr; reflexivity.
  Qed.

  Lemma charge_nothing t x r g : job_charge t x r g 0 = 0.
  Proof. unfold posted_charge, charge_of. destruct (_ <=? 0); [reflexivity|]. destruct (table_charges _); simpl; lia. Qed.
  Lemma bill_same g h a : (forall t x r, inside t x r -> h t x r = sold_at g t x r) ->
    bill I pooled job_charge h a = bill_of I pooled N g a.
  Proof.
    intros E. unfold bill, across, bill_of. apply sum_ext. intros t Ht. destruct (a t) as [|c|c] eqn:Ea.
    - apply sum_zero. intros x Hx. apply sum_zero. intros r Hr. rewrite takes_idle. apply charge_nothing.
    - apply sum_ext. intros x Hx. apply sum_ext. intros r Hr. rewrite E by auto. reflexivity.
    - apply sum_ext. intros x Hx. apply sum_ext. intros r Hr. rewrite E by auto. reflexivity.
  Qed.
  Lemma job_value_nonneg j : (j < num_jobs I)%nat -> 0 <= job_value I s j.
  Proof.
    intros Hj. unfold job_value. destruct (completion I s j) as [f|]; [|lia]. apply falling_nonneg.
    assert (U := utilities). unfold utilities_fall in U. rewrite forallb_forall in U. apply U, nth_In, Hj.
  Qed.

  Lemma replay_priced js : forall g e g' h, replay I pooled N s js g = Some (e, g') ->
    (forall t x r, inside t x r -> h t x r = sold_at g t x r) -> still_open I pooled holds h js ->
    exists l v M h', priced_run h js l v M h' /\ (forall t x r, inside t x r -> h' t x r = sold_at g' t x r) /\
      lsum (fun j => nth j (run_payoffs N) 0) js <= M + e /\ v <= lsum (job_value I s) js.
  Proof.
    induction js as [|j js IH]; intros g e g' h Rp Sh O; cbn [replay] in Rp.
    - injection Rp as <- <-. exists [], 0, 0, h. split; [constructor|]. split; [exact Sh|]. simpl. lia.
    - assert (Hj := proj1 O j (or_introl eq_refl)).
      destruct (idle_always I (s j)) eqn:Ei.
      + destruct (replay I pooled N s js g) as [[e0 g0]|] eqn:Er; [|discriminate]. injection Rp as <- <-.
        destruct (IH _ _ _ h Er Sh (open_next _ _ _ _ _ _ _ _ _ _ led _ _ _ O)) as (l & v & M & h' & P & S' & L & V).
        exists (None :: l), v, M, h'. split; [constructor; exact P|]. split; [exact S'|].
        assert (J := job_value_nonneg j Hj). cbn [lsum fold_right]. fold (lsum (fun j => nth j (run_payoffs N) 0) js).
        fold (lsum (job_value I s) js). lia.
      + destruct (irredundantb I j (s j) && (0 <? worth_of (job_at I j) (played I s j)) &&
          (0 <? worth_of (job_at I j) (played I s j) - bill_of I pooled N g (s j)) && room_left I pooled g (s j)) eqn:Ec;
          [|discriminate].
        rewrite !andb_true_iff, !Z.ltb_lt in Ec. destruct Ec as [[[C1 C2] C3] C4].
        destruct (replay I pooled N s js (sell_list I pooled g (s j))) as [[e0 g0]|] eqn:Er; [|discriminate].
        injection Rp as <- <-. rewrite worth_of_value in *.
        change (job_value I s j) with (own_value I j (s j)) in C2, C3 |- *.
        assert (P : own_plan I pooled j (s j)).
        { constructor; auto.
          - intros t Ht. apply (feasible_allocation _ _ feas); auto.
          - intros t Ht. apply (feasible_release _ _ feas); auto.
          - intros t x r Ht Hx Hr.
            assert (S1 := takes_feasible I pooled s t x r feas (conj Ht (conj Hx Hr))).
            eapply Z.le_trans; [|exact S1]. apply (sum_term (num_jobs I) (fun j => takes I pooled (s j t) x r) j Hj).
            intros i Hi. apply takes_nonneg; auto.
          - apply irredundantb_spec, C1. }
        assert (F : plan_fits I pooled h (s j)).
        { intros t x r H. rewrite (Sh t x r H). destruct (s j t) as [|c|c] eqn:E.
          - rewrite takes_idle. assert (Q := proj2 O t x r H). rewrite (Sh t x r H) in Q. lia.
          - assert (Q := all_spec _ _ _ C4 (proj1 H)). cbv beta in Q. rewrite E in Q.
            apply Z.leb_le. exact (all_spec _ _ _ (all_spec _ _ _ Q (proj1 (proj2 H))) (proj2 (proj2 H))).
          - assert (Q := all_spec _ _ _ C4 (proj1 H)). cbv beta in Q. rewrite E in Q.
            apply Z.leb_le. exact (all_spec _ _ _ (all_spec _ _ _ Q (proj1 (proj2 H))) (proj2 (proj2 H))). }
        assert (Sh' : forall t x r, inside t x r -> sell I pooled h (s j) t x r = sold_at (sell_list I pooled g (s j)) t x r).
        { intros t x r H. rewrite sold_next by exact H. unfold sell. rewrite (Sh t x r H). reflexivity. }
        destruct (IH _ _ _ (sell I pooled h (s j)) Er Sh' (open_sold _ _ _ _ _ _ _ _ _ _ led _ _ _ _ O P F))
          as (l & v & M & h' & Pr & S' & L & V).
        assert (B := bill_same g h (s j) Sh).
        exists (Some (s j) :: l), (own_value I j (s j) + v), (plan_payoff I pooled job_charge h j (s j) + M), h'.
        split; [constructor; auto; unfold plan_payoff; rewrite B; exact C3|]. split; [exact S'|].
        cbn [lsum fold_right]. fold (lsum (fun j => nth j (run_payoffs N) 0) js). fold (lsum (job_value I s) js).
        change (job_value I s j) with (own_value I j (s j)). unfold plan_payoff. rewrite B. lia.
  Qed.
End Replay.

(* the rent of the cluster at the final prices is what they are worth *)
Lemma rent_supply I C N h : let pooled := is_pooled C in
  (forall t x r, (t < num_rounds I)%nat /\ (x < spots I pooled)%nat /\ (r < num_types I)%nat ->
    l1_price_unit C * price_at (l1_prices C) t x r = posted_price I pooled N t x r (h t x r)) ->
  l1_price_unit C * rent_total (rounds_of I (l1_prices C)) = cluster_worth I pooled (posted_price I pooled N) h.
Proof.
  cbv zeta. intros E. rewrite rent_total_sum. unfold cluster_worth, across. rewrite <- sum_scale. apply sum_ext. intros t Ht.
  unfold is_pooled, spots, gpus_at in *. destruct (l1_prices C) as [pr|pr] eqn:EP.
  - rewrite sum_swap. cbn [sum]. rewrite Z.add_0_l, <- sum_scale. apply sum_ext. intros r Hr.
    rewrite <- E by (repeat split; auto). unfold CheckerJob.pooled. cbn [price_at]. rewrite sum_scale. lia.
  - rewrite <- sum_scale. apply sum_ext. intros x Hx. rewrite <- sum_scale. apply sum_ext. intros r Hr.
    rewrite <- E by (repeat split; auto). lia.
Qed.

Theorem check_run_applies I C rows N : check_l1 I C = true -> check_run I C rows N = true ->
  let pooled := is_pooled C in
  forall e js v M g', (forall j, 0 <= e j) -> Permutation js (seq 0 (num_jobs I)) ->
    posted_run I pooled (posted_charge I pooled N) e none_sold js v M g' ->
    forall s, feasible I s -> run_t N * value I s <=
      (run_t1 N + run_t2 N) * v +
      run_t N * (cluster_worth I pooled (posted_price I pooled N) none_sold + sum (num_jobs I) e).
Proof.
  intros HC HR. cbv zeta. intros e js v M g' He Pm R s F. unfold check_run in HR. cbv zeta in HR.
  rewrite !andb_true_iff in HR. destruct HR as [[HT _] _].
  unfold check_l1 in HC. cbv zeta in HC. rewrite !andb_true_iff in HC. destruct HC as [[[[[[[HI HM] _] _] _] _] _] _].
  exact (posted_competitive I _ _ _ _ _ _ _ _ _ (terms_ledger I _ N HI HM HT) HI (utilities_nat I HM)
    e js v M g' He Pm R s F).
Qed.

Theorem check_run_sound I C rows v N : check_l1 I C = true -> check_schedule I rows v = true ->
  check_run I C rows N = true ->
  forall s, feasible I s -> run_t N * value I s <= (run_t1 N + run_t2 N) * v + run_t N * run_additive N.
Proof.
  intros HC HS HR s0 F0. destruct (check_schedule_sound _ _ _ HS) as [FS VS].
  unfold check_run in HR. cbv zeta in HR. rewrite !andb_true_iff in HR. destruct HR as [[HT HP] HX].
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
  apply andb_true_iff in HX. destruct HX as [HF HA]. apply Z.leb_le in HA.
  assert (L := terms_ledger I pooled N HI HM HT).
  assert (O := open_start _ _ _ _ _ _ _ _ _ _ L (arrivals I) (arrivals_permutation I)).
  destruct (replay_priced I pooled N s HI HM HT FS (arrivals I) _ _ _ none_sold ER
    ltac:(intros; rewrite sold_start; reflexivity) O) as (l & w & M & h & P & Sh & LM & LV).
  assert (X := priced_increment _ _ _ _ _ _ _ _ _ _ L _ _ _ _ _ _ P O).
  rewrite (lsum_permutation _ _ _ (arrivals_permutation I)), lsum_seq in LM.
  rewrite (lsum_permutation _ _ _ (arrivals_permutation I)), lsum_seq in LV.
  fold (value I s) in LV. rewrite VS in LV.
  destruct (useful_spec I s0 HI HM F0) as (F & W & V).
  assert (D := payoffs_bound I (l1_prices C) (l1_price_unit C) (fun j => nth j (l1_divisors C) 0)
    (fun j => nth j (run_payoffs N) 0) (useful I s0) HI HM HQ HPU HB F W).
  assert (RS : l1_price_unit C * rent_total (rounds_of I (l1_prices C)) = cluster_worth I pooled (posted_price I pooled N) h).
  { apply rent_supply. intros t x r (Ht & Hx & Hr). fold pooled. rewrite (Sh t x r) by auto.
    apply Z.eqb_eq. exact (all_spec _ _ _ (all_spec _ _ _ (all_spec _ _ _ HF Ht) Hx) Hr). }
  rewrite RS in D.
  destruct (terms_parts I pooled N HT) as (_ & _ & T & T1 & T2 & _).
  assert (D' : value I s0 <= M + missed + cluster_worth I pooled (posted_price I pooled N) h) by lia.
  assert (E1 := Z.mul_le_mono_nonneg_l _ _ (run_t N) ltac:(lia) D').
  assert (E2 := Z.mul_le_mono_nonneg_l _ _ (run_t1 N + run_t2 N) ltac:(lia) LV).
  assert (E3 := Z.mul_le_mono_nonneg_l _ _ (run_t N) ltac:(lia) HA). lia.
Qed.
