(** * H1 with caps: the largest number of busy nodes (Koenig's formula).

    Jobs are numbers below n; a node is the list of the jobs that can run on it, caps kappa.
    [busy_assignment n kappa nodes a]  a gives each node None or Some job that runs there, no job j
                       to more than kappa j nodes;  [busy_nodes a] the number of nodes not idle

    H1 [koenig_busy]   B nodes can be busy iff B + #{nodes whose jobs all lie in T} <=
                       #nodes + sum of kappa over T, for every set T of jobs.  Equivalently (T = the
                       jobs of a set S of nodes): B <= min over S of n - |S| + kappa(N(S)). *)
From Coq Require Import List Arith Lia Bool.
From HadarTheory Require Import Hall.
Import ListNotations.

Definition busy_nodes (a : list (option nat)) : nat :=
  length (filter (fun o => match o with Some _ => true | None => false end) a).
Definition copies (j : nat) (a : list (option nat)) : nat :=
  length (filter (fun o => match o with Some i => i =? j | None => false end) a).
Definition busy_assignment n (kappa : nat -> nat) (nodes : list (list nat)) a : Prop :=
  Forall2 (fun w o => match o with Some j => In j w /\ j < n | None => True end) nodes a /\
  forall j, j < n -> copies j a <= kappa j.

(* job n is idleness: every node may take it, at most d do *)
Definition with_idle n d (kappa : nat -> nat) (j : nat) : nat := if j =? n then d else kappa j.
Definition code n (o : option nat) : nat := match o with Some j => j | None => n end.
Definition decode n (j : nat) : option nat := if j =? n then None else Some j.

Lemma same_length {A B} (P : A -> B -> Prop) l m : Forall2 P l m -> length l = length m.
Proof. induction 1; simpl; auto. Qed.

Lemma into_idle S n nodes :
  into S (map (cons n) nodes) = if S n then into S nodes else 0.
Proof.
  induction nodes as [|w l IH]; [destruct (S n); reflexivity|].
  simpl map. rewrite into_cons, IH. simpl. rewrite into_cons. destruct (S n); reflexivity.
Qed.

Lemma volume_idle S n d kappa :
  volume (Datatypes.S n) (with_idle n d kappa) S = volume n kappa S + if S n then d else 0.
Proof.
  simpl. unfold with_idle at 2. rewrite Nat.eqb_refl. f_equal.
  assert (Q : forall k, k <= n -> volume k (with_idle n d kappa) S = volume k kappa S).
  { induction k as [|k IH]; intros Hk; simpl; [reflexivity|]. rewrite IH by lia.
    unfold with_idle. destruct (Nat.eqb_spec k n); [lia|reflexivity]. }
  apply Q; auto.
Qed.

Theorem koenig_busy n kappa nodes B :
  B <= length nodes -> (forall w j, In w nodes -> In j w -> j < n) ->
  (exists a, busy_assignment n kappa nodes a /\ B <= busy_nodes a) <->
  (forall T, B + into T nodes <= length nodes + volume n kappa T).
Proof.
  intros HB Hn. set (d := length nodes - B).
  assert (Step : (exists a, busy_assignment n kappa nodes a /\ B <= busy_nodes a) <->
                 exists rs, placed (Datatypes.S n) (with_idle n d kappa) (map (cons n) nodes) rs).
  { split.
    - intros (a & [F Hc] & Hb). exists (map (code n) a).
      assert (Len : length nodes = length a) by (eapply same_length; eauto).
      assert (Idle : uses_of n (map (code n) a) + busy_nodes a = length a).
      { clear - F. induction F as [|w o nodes a Ho F IH]; [reflexivity|].
        unfold uses_of, busy_nodes in *. destruct o as [j|]; simpl.
        - destruct (Nat.eq_dec j n); [lia|]. lia.
        - destruct (Nat.eq_dec n n); lia. }
      split.
      + clear - F. induction F as [|w o nodes a Ho F IH]; simpl; constructor; auto.
        destruct o as [j|]; simpl; [destruct Ho; split; [right; auto|lia]|split; [left; auto|lia]].
      + intros j Hj. unfold with_idle. destruct (Nat.eqb_spec j n) as [->|Hne]; [unfold d; lia|].
        specialize (Hc j ltac:(lia)).
        replace (uses_of j (map (code n) a)) with (copies j a); auto.
        clear - Hne. unfold uses_of, copies. induction a as [|[i|] a IH]; simpl; auto.
        * destruct (Nat.eqb_spec i j), (Nat.eq_dec i j); simpl; lia.
        * destruct (Nat.eq_dec n j); [lia|auto].
    - intros (rs & F & Hc). exists (map (decode n) rs).
      assert (Idle : uses_of n rs + busy_nodes (map (decode n) rs) = length rs).
      { clear. unfold uses_of, busy_nodes, decode. induction rs as [|j rs IH]; simpl; auto.
        destruct (Nat.eqb_spec j n), (Nat.eq_dec j n); simpl; lia. }
      assert (Len : length nodes = length rs).
      { apply same_length in F. rewrite map_length in F. auto. }
      assert (Hd := Hc n ltac:(lia)). unfold with_idle in Hd. rewrite Nat.eqb_refl in Hd.
      split; [split|unfold d in Hd; lia].
      + clear - F. remember (map (cons n) nodes) as ws eqn:E. revert nodes E.
        induction F as [|w j ws rs [Hin Hj] F IH]; intros nodes E; destruct nodes as [|v nodes];
          try discriminate; simpl; constructor; inversion E; subst; auto.
        unfold decode. destruct (Nat.eqb_spec j n); [exact I|].
        destruct Hin as [Hin|Hin]; [lia|]. split; [auto|lia].
      + intros j Hj. specialize (Hc j ltac:(lia)). unfold with_idle in Hc.
        destruct (Nat.eqb_spec j n); [lia|].
        replace (copies j (map (decode n) rs)) with (uses_of j rs); auto.
        clear - n0. unfold uses_of, copies, decode. induction rs as [|i rs IH]; [reflexivity|].
        simpl map. cbn [filter count_occ]. destruct (Nat.eqb_spec i n) as [E|E]; simpl.
        * destruct (Nat.eq_dec i j); [lia|exact IH].
        * destruct (Nat.eq_dec i j), (Nat.eqb_spec i j); simpl; lia. }
  rewrite Step, <- hall_placement. unfold hall. split.
  - intros H T. specialize (H (fun r => (r =? n) || T r)).
    rewrite into_idle, volume_idle, Nat.eqb_refl in H. simpl in H.
    replace (into (fun r => (r =? n) || T r) nodes) with (into T nodes) in H.
    + rewrite (volume_ext n kappa (fun r => (r =? n) || T r) T) in H; [unfold d in H; lia|].
      intros r Hr. destruct (Nat.eqb_spec r n); [lia|reflexivity].
    + clear - Hn. induction nodes as [|w nodes IH]; [reflexivity|].
      rewrite !into_cons, IH by (intros v j Hv Hj; apply (Hn v j); [right|]; auto).
      replace (all_within (fun r => (r =? n) || T r) w) with (all_within T w); [reflexivity|].
      assert (Hw : forall j, In j w -> j < n) by (intros j Hj; apply (Hn w); [left|]; auto).
      clear - Hw. induction w as [|j w IHw]; [reflexivity|]. simpl.
      rewrite IHw by (intros; apply Hw; right; auto). assert (j < n) by (apply Hw; left; auto).
      destruct (Nat.eqb_spec j n); [lia|reflexivity].
  - intros H S. rewrite into_idle, volume_idle. specialize (H S). destruct (S n); unfold d; lia.
Qed.
