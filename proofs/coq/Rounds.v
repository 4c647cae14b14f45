(** * Feasibility of one round: the Hall rows of the compact form.

    Gangs hold one accelerator type per worker; types are numbers below n with capacities C.
    [gang]             (W, A): W workers, each on a type of the list A
    [demand S gs]      the workers of the gangs all of whose admitted types lie in S
    [round_feasible n C gs]  a list of held types per gang: W types of its A, no type r more than C r
                       times in all

    [round_hall]       a round is feasible iff demand S <= volume n C S for EVERY set S of types
    [round_prefix]     if every A is a prefix {0..a-1} of one order, the prefix rows suffice
    [prefix_rows_insufficient]  in general they do not: two gangs of 2 that admit type 1 only,
                       C = (2,2), satisfy all prefix rows *)
From Coq Require Import List Arith Lia Bool.
From HadarTheory Require Import Hall.
Import ListNotations.

Notation gang := (nat * list nat)%type.
Definition demand (S : nat -> bool) (gs : list gang) : nat :=
  fold_right (fun g d => (if all_within S (snd g) then fst g else 0) + d) 0 gs.
Definition gang_holds n (g : gang) (h : list nat) : Prop :=
  length h = fst g /\ Forall (fun r => In r (snd g) /\ r < n) h.
Definition round_feasible n C (gs : list gang) : Prop :=
  exists held, Forall2 (gang_holds n) gs held /\ forall r, r < n -> uses_of r (concat held) <= C r.

Definition workers (gs : list gang) : list (list nat) := flat_map (fun g => repeat (snd g) (fst g)) gs.

Lemma into_app S a b : into S (a ++ b) = into S a + into S b.
Proof. unfold into. rewrite filter_app, app_length. reflexivity. Qed.

Lemma into_workers S gs : into S (workers gs) = demand S gs.
Proof.
  induction gs as [|[W A] gs IH]; [reflexivity|]. simpl. rewrite into_app, IH. f_equal.
  induction W as [|W IHW]; simpl repeat; [unfold into; simpl; destruct (all_within S A); reflexivity|].
  rewrite into_cons, IHW. destruct (all_within S A); reflexivity.
Qed.

Lemma held_workers n gs held : Forall2 (gang_holds n) gs held ->
  Forall2 (fun w r => In r w /\ r < n) (workers gs) (concat held).
Proof.
  induction 1 as [|[W A] h gs held [Hl Hh] F IH]; simpl; [constructor|].
  apply Forall2_app; auto. simpl in Hl, Hh. subst W. clear - Hh.
  induction Hh; simpl; constructor; auto.
Qed.

Lemma workers_held n gs : forall rs, Forall2 (fun w r => In r w /\ r < n) (workers gs) rs ->
  exists held, Forall2 (gang_holds n) gs held /\ concat held = rs.
Proof.
  induction gs as [|[W A] gs IH]; intros rs F; simpl in F.
  - inversion F. exists []. split; [constructor|reflexivity].
  - apply Forall2_app_inv_l in F. destruct F as (h & rs' & F1 & F2 & ->).
    destruct (IH _ F2) as (held & G & <-). exists (h :: held). split; [|reflexivity].
    constructor; auto. clear - F1. revert h F1. induction W as [|W IH]; simpl; intros h F.
    + inversion F. split; [reflexivity|constructor].
    + inversion F; subst. destruct (IH _ H3) as [E Q]. simpl in E. split; simpl; [lia|].
      constructor; auto.
Qed.

Theorem round_hall n C gs : round_feasible n C gs <-> forall S, demand S gs <= volume n C S.
Proof.
  transitivity (hall n C (workers gs)).
  - rewrite hall_placement. split.
    + intros (held & F & Hc). exists (concat held). split; [apply held_workers; auto|auto].
    + intros (rs & F & Hc). destruct (workers_held _ _ _ F) as (held & G & E).
      exists held. split; [auto|rewrite E; auto].
  - unfold hall. split; intros H S; specialize (H S); rewrite into_workers in *; auto.
Qed.

(* the longest prefix of 0, 1, ... inside S, up to n *)
Fixpoint run_in (S : nat -> bool) (n : nat) : nat :=
  match n with O => O | Datatypes.S k => if (run_in S k =? k) && S k then Datatypes.S k else run_in S k end.

Lemma run_in_spec S n : run_in S n <= n /\ (forall r, r < run_in S n -> S r = true) /\
  (run_in S n < n -> S (run_in S n) = false).
Proof.
  induction n as [|n (A & B & D)]; cbn [run_in]; [split; [lia|split; intros; lia]|].
  destruct (Nat.eqb_spec (run_in S n) n) as [E|E]; cbn [andb].
  - destruct (S n) eqn:HS.
    + split; [lia|split; [|lia]]. intros r Hr.
      destruct (Nat.eq_dec r n) as [->|]; [auto|apply B; lia].
    + split; [lia|split; [auto|]]. intros _. rewrite E. exact HS.
  - split; [lia|split; [auto|]]. intros _. apply D. lia.
Qed.

Theorem round_prefix n C gs :
  (forall W A, In (W, A) gs -> exists a, 1 <= a <= n /\ A = seq 0 a) ->
  (forall p, p <= n -> demand (fun r => r <? p) gs <= volume n C (fun r => r <? p)) ->
  round_feasible n C gs.
Proof.
  intros HA Hp. apply round_hall. intros S. destruct (run_in_spec S n) as (Q1 & Q2 & Q3).
  set (p := run_in S n) in *. apply Nat.le_trans with (demand (fun r => r <? p) gs).
  - clear Hp. induction gs as [|[W A] gs IH]; simpl; [lia|].
    assert (demand S gs <= demand (fun r => r <? p) gs)
      by (apply IH; intros W' A' H; apply (HA W' A'); right; auto).
    destruct (HA W A) as (a & Ha & ->); [left; reflexivity|].
    destruct (all_within S (seq 0 a)) eqn:E; [|destruct (all_within _ (seq 0 a)); lia].
    rewrite all_within_spec in E.
    assert (a <= p).
    { destruct (le_lt_dec a p) as [|Hlt]; auto. assert (S p = true) by (apply E, in_seq; lia).
      rewrite Q3 in H0 by lia. discriminate. }
    replace (all_within (fun r => r <? p) (seq 0 a)) with true; [lia|]. symmetry.
    apply all_within_spec. intros r Hr. apply in_seq in Hr. apply Nat.ltb_lt. lia.
  - eapply Nat.le_trans; [apply Hp; auto|]. apply volume_mono.
    intros r _ Hr. apply Nat.ltb_lt in Hr. auto.
Qed.

Theorem prefix_rows_insufficient :
  let gs := [(2, [1]); (2, [1])] in let C := fun _ : nat => 2 in
  (forall p, p <= 2 -> demand (fun r => r <? p) gs <= volume 2 C (fun r => r <? p)) /\
  ~ round_feasible 2 C gs.
Proof.
  intros gs C. split.
  - intros p Hp. destruct p as [|[|[|p]]]; cbv; lia.
  - rewrite round_hall. intros H. specialize (H (fun r => r =? 1)). cbv in H. lia.
Qed.
