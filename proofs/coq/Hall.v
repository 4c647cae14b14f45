(** * Hall's theorem with capacities.

    Types are natural numbers below n; a worker is the list of the types it admits.
    [into S ws]        the number of workers of ws all of whose types lie in the set S : nat -> bool
    [volume n C S]     the sum of C r over the types r < n in S
    [hall n C ws]      into S ws <= volume n C S for EVERY set S of types
    [placed n C ws rs] rs gives each worker one admitted type below n, no type r more than C r times
    [tight n C ws S]   the row of S holds with equality

    [hall_placement]   hall n C ws <-> a placement exists
    Used by Rounds.v (feasibility of a round) and Koenig.v (H1 with caps).
    Proof of sufficiency: some admitted type of the first worker lies in no tight set of the others
    (tight sets are closed under union); give it that type and continue. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.

Definition all_within (S : nat -> bool) (w : list nat) : bool := forallb S w.
Definition into (S : nat -> bool) (ws : list (list nat)) : nat := length (filter (all_within S) ws).
Fixpoint volume (n : nat) (C : nat -> nat) (S : nat -> bool) : nat :=
  match n with O => O | Datatypes.S r => volume r C S + if S r then C r else O end.
Definition hall n C ws := forall S, into S ws <= volume n C S.
Definition uses_of (r : nat) (rs : list nat) : nat := count_occ Nat.eq_dec rs r.
Definition placed n C (ws : list (list nat)) (rs : list nat) : Prop :=
  Forall2 (fun w r => In r w /\ r < n) ws rs /\ forall r, r < n -> uses_of r rs <= C r.

Definition union (S T : nat -> bool) r := S r || T r.
Definition meet (S T : nat -> bool) r := S r && T r.

Lemma into_cons S w ws : into S (w :: ws) = (if all_within S w then 1 else 0) + into S ws.
Proof. unfold into. simpl. destruct (all_within S w); reflexivity. Qed.

Lemma all_within_spec S w : all_within S w = true <-> forall r, In r w -> S r = true.
Proof. apply forallb_forall. Qed.

Lemma volume_modular n C S T :
  volume n C (union S T) + volume n C (meet S T) = volume n C S + volume n C T.
Proof.
  induction n as [|n IH]; simpl; [lia|].
  change (union S T n) with (S n || T n). change (meet S T n) with (S n && T n).
  destruct (S n), (T n); simpl; lia.
Qed.

Lemma into_supermodular S T ws : into S ws + into T ws <= into (union S T) ws + into (meet S T) ws.
Proof.
  induction ws as [|w ws IH]; [apply Nat.le_refl|]. rewrite !into_cons.
  assert (U1 : all_within S w = true -> all_within (union S T) w = true).
  { rewrite !all_within_spec. intros H r Hr. unfold union. rewrite H; auto. }
  assert (U2 : all_within T w = true -> all_within (union S T) w = true).
  { rewrite !all_within_spec. intros H r Hr. unfold union. rewrite (H r Hr). apply orb_true_r. }
  assert (M : all_within S w = true -> all_within T w = true -> all_within (meet S T) w = true).
  { rewrite !all_within_spec. intros H1 H2 r Hr. unfold meet. rewrite H1, H2; auto. }
  destruct (all_within S w), (all_within T w), (all_within (union S T) w), (all_within (meet S T) w);
    try (specialize (U1 eq_refl); discriminate); try (specialize (U2 eq_refl); discriminate);
    try (specialize (M eq_refl eq_refl); discriminate); lia.
Qed.

Lemma volume_ext n C S T : (forall r, r < n -> S r = T r) -> volume n C S = volume n C T.
Proof.
  induction n as [|n IH]; intros H; simpl; [reflexivity|].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma volume_mono n C S T : (forall r, r < n -> S r = true -> T r = true) -> volume n C S <= volume n C T.
Proof.
  intros H. induction n as [|n IH]; simpl; [lia|].
  assert (volume n C S <= volume n C T) by (apply IH; intros; apply H; auto; lia).
  destruct (S n) eqn:E; [rewrite (H n) by auto|]; lia.
Qed.

Lemma volume_count_cons n r rs S : r < n ->
  volume n (fun x => uses_of x (r :: rs)) S = volume n (fun x => uses_of x rs) S + if S r then 1 else 0.
Proof.
  assert (Q : forall k, volume k (fun x => uses_of x (r :: rs)) S =
            volume k (fun x => uses_of x rs) S + if (r <? k) && S r then 1 else 0).
  { unfold uses_of. induction k as [|k IH]; [reflexivity|]. cbn [volume]. rewrite IH.
    cbn [count_occ]. destruct (Nat.eq_dec r k) as [->|Hne].
    - rewrite Nat.ltb_irrefl. replace (k <? Datatypes.S k) with true by (symmetry; apply Nat.ltb_lt; lia).
      simpl. destruct (S k); lia.
    - replace (r <? Datatypes.S k) with (r <? k); [destruct (S k), ((r <? k) && S r); lia|].
      destruct (Nat.ltb_spec r k), (Nat.ltb_spec r (Datatypes.S k)); lia. }
  intros Hr. rewrite Q. replace (r <? n) with true by (symmetry; apply Nat.ltb_lt; auto). reflexivity.
Qed.

Lemma volume_le n C D S : (forall r, r < n -> C r <= D r) -> volume n C S <= volume n D S.
Proof.
  intros H. induction n as [|n IH]; simpl; [lia|].
  assert (C n <= D n) by (apply H; lia).
  assert (volume n C S <= volume n D S) by (apply IH; intros; apply H; lia). destruct (S n); lia.
Qed.

Lemma placed_hall n C ws rs : placed n C ws rs -> hall n C ws.
Proof.
  intros [F Hc] S. eapply Nat.le_trans; [|apply (volume_le n (fun r => uses_of r rs)); auto].
  clear Hc. induction F as [|w r ws rs [Hin Hr] F IH]; [apply Nat.le_0_l|].
  rewrite into_cons, volume_count_cons by auto.
  assert (all_within S w = true -> S r = true) by (rewrite all_within_spec; auto).
  destruct (all_within S w); [rewrite H by reflexivity|]; lia.
Qed.

Definition tight n C ws S : Prop := into S ws = volume n C S.

Lemma tight_union n C ws S T : hall n C ws -> tight n C ws S -> tight n C ws T ->
  tight n C ws (union S T).
Proof.
  unfold tight. intros H HS HT.
  assert (Q := into_supermodular S T ws). assert (M := volume_modular n C S T).
  assert (HU := H (union S T)). assert (HM := H (meet S T)). lia.
Qed.

(* every set of types below n, completed by all types from n on *)
Fixpoint subsets (n : nat) : list (nat -> bool) :=
  match n with
  | O => [fun _ => true]
  | Datatypes.S k => flat_map (fun S => [S; fun r => negb (r =? k) && S r]) (subsets k)
  end.

Lemma subsets_complete n S : exists T, In T (subsets n) /\
  (forall r, r < n -> T r = S r) /\ (forall r, n <= r -> T r = true).
Proof.
  induction n as [|n (T & HT & E & F)]; [exists (fun _ => true); simpl; repeat split; auto; lia|].
  destruct (S n) eqn:HS.
  - exists T. repeat split; [|intros r Hr|intros r Hr; apply F; lia].
    + simpl. apply in_flat_map. exists T; simpl; auto.
    + destruct (Nat.eq_dec r n) as [->|]; [rewrite F, HS by lia; reflexivity|apply E; lia].
  - exists (fun r => negb (r =? n) && T r). repeat split; [|intros r Hr|intros r Hr].
    + simpl. apply in_flat_map. exists T; simpl; auto.
    + destruct (Nat.eqb_spec r n) as [->|]; [rewrite HS; reflexivity|simpl; apply E; lia].
    + destruct (Nat.eqb_spec r n); [lia|simpl; apply F; lia].
Qed.

Lemma tight_or_slack n C ws r : hall n C ws -> r < n ->
  (exists S, tight n C ws S /\ S r = true) \/ (forall S, S r = true -> into S ws < volume n C S).
Proof.
  intros H Hr. destruct (existsb (fun S => (into S ws =? volume n C S) && S r) (subsets n)) eqn:E.
  - left. apply existsb_exists in E. destruct E as (S & _ & E). apply andb_true_iff in E.
    exists S. split; [apply Nat.eqb_eq|]; apply E.
  - right. intros S HS. destruct (subsets_complete n S) as (T & HT & E1 & E2).
    assert (Q : into S ws <= into T ws).
    { clear - E1 E2. induction ws as [|w ws IH]; [apply Nat.le_refl|]. rewrite !into_cons.
      assert (all_within S w = true -> all_within T w = true).
      { rewrite !all_within_spec. intros Hw x Hx. destruct (le_lt_dec n x); [auto|]. rewrite E1; auto. }
      destruct (all_within S w); [rewrite H by reflexivity; lia|]. destruct (all_within T w); lia. }
    rewrite <- (volume_ext n C T S E1). assert (HT' := H T).
    destruct (Nat.eq_dec (into T ws) (volume n C T)) as [Heq|Hne]; [|lia]. exfalso.
    assert (Bad : existsb (fun S => (into S ws =? volume n C S) && S r) (subsets n) = true).
    { apply existsb_exists. exists T. split; auto. rewrite Heq, Nat.eqb_refl, E1, HS; auto. }
    congruence.
Qed.

Lemma slack_type n C w ws : hall n C (w :: ws) ->
  exists r, In r w /\ r < n /\ forall S, S r = true -> into S ws < volume n C S.
Proof.
  intros H0.
  assert (H : hall n C ws) by (intros S; specialize (H0 S); rewrite into_cons in H0; lia).
  enough (Q : (exists S, tight n C ws S /\ all_within S w = true) \/
              exists r, In r w /\ r < n /\ forall S, S r = true -> into S ws < volume n C S).
  { destruct Q as [(S & HS & Hw)|Q]; [exfalso|exact Q].
    specialize (H0 S). rewrite into_cons, Hw in H0. unfold tight in HS. lia. }
  clear H0. induction w as [|r w IH].
  - left. exists (fun _ => false). split; [|reflexivity].
    assert (Q := H (fun _ => false)). unfold tight.
    assert (Z : volume n C (fun _ => false) = 0) by (clear; induction n; simpl; lia). lia.
  - destruct IH as [(T & HT & Hw)|(x & Hx & Q)]; [|right; exists x; split; [right|]; auto].
    assert (Q : (exists S, tight n C ws S /\ S r = true) \/
                (r < n /\ forall S, S r = true -> into S ws < volume n C S)).
    { destruct (le_lt_dec n r) as [Hr|Hr].
      - left. exists (fun x => n <=? x). split; [|apply Nat.leb_le; auto].
        assert (Q := H (fun x => n <=? x)). unfold tight.
        assert (Z : volume n C (fun x => n <=? x) = 0); [|lia].
        assert (forall k, k <= n -> volume k C (fun x => n <=? x) = 0); [|auto].
        intros k. induction k as [|k IHk]; intros Hk; simpl; [reflexivity|].
        rewrite IHk by lia. destruct (Nat.leb_spec n k); lia.
      - destruct (tight_or_slack n C ws r H Hr); auto. }
    destruct Q as [(S & HS & Hr)|[Hr Q]]; [|right; exists r; simpl; auto].
    left. exists (union S T). split; [apply tight_union; auto|].
    apply all_within_spec. intros x [<-|Hx]; unfold union; [rewrite Hr; reflexivity|].
    rewrite (proj1 (all_within_spec T w) Hw x Hx). apply orb_true_r.
Qed.

Definition less (C : nat -> nat) (r x : nat) : nat := if x =? r then C x - 1 else C x.

Lemma volume_less n C r S : r < n -> 1 <= C r ->
  volume n (less C r) S + (if S r then 1 else 0) = volume n C S.
Proof.
  intros Hr HC.
  assert (Q : forall k, volume k (less C r) S + (if (r <? k) && S r then 1 else 0) = volume k C S).
  { unfold less. induction k as [|k IH]; [reflexivity|]. cbn [volume]. rewrite <- IH.
    destruct (Nat.eqb_spec k r) as [->|Hne].
    - rewrite Nat.ltb_irrefl. replace (r <? Datatypes.S r) with true by (symmetry; apply Nat.ltb_lt; lia).
      simpl. destruct (S r); lia.
    - replace (r <? Datatypes.S k) with (r <? k); [destruct (S k), ((r <? k) && S r); lia|].
      destruct (Nat.ltb_spec r k), (Nat.ltb_spec r (Datatypes.S k)); lia. }
  specialize (Q n). replace (r <? n) with true in Q by (symmetry; apply Nat.ltb_lt; auto). exact Q.
Qed.

Theorem hall_placement n C ws : hall n C ws <-> exists rs, placed n C ws rs.
Proof.
  split; [|intros [rs H]; eapply placed_hall; eauto].
  revert C. induction ws as [|w ws IH]; intros C H.
  - exists []. split; [constructor|intros; simpl; lia].
  - destruct (slack_type n C w ws H) as (r & Hin & Hr & Q).
    assert (HC : 1 <= C r).
    { assert (Q1 := Q (fun x => x =? r) (Nat.eqb_refl r)).
      assert (Z : volume n C (fun x => x =? r) <= C r); [|lia]. clear.
      assert (Z : forall k, volume k C (fun x => x =? r) <= if r <? k then C r else 0).
      { intros k. induction k as [|k IHk]; cbn [volume]; [destruct (r <? 0); lia|].
        revert IHk.
        destruct (Nat.eqb_spec k r) as [E|], (Nat.ltb_spec r k), (Nat.ltb_spec r (Datatypes.S k));
          try rewrite E; lia. }
      specialize (Z n). destruct (r <? n); lia. }
    destruct (IH (less C r)) as (rs & F & Hc).
    { intros S. assert (V := volume_less n C r S Hr HC).
      specialize (H S). rewrite into_cons in H. specialize (Q S).
      destruct (S r); [specialize (Q eq_refl)|]; lia. }
    exists (r :: rs). split; [constructor; auto|]. intros x Hx. specialize (Hc x Hx).
    unfold less, uses_of in *. simpl. destruct (Nat.eq_dec r x) as [->|Hne].
    + rewrite Nat.eqb_refl in Hc. lia.
    + destruct (Nat.eqb_spec x r); [lia|auto].
Qed.
