import type { AuditKind } from '#shared/organizations/rules/audit-kinds.ts';

/** Which part of a restore applies a change again. Each part has a file in `shared/restore/ends`. */
export type Part =
  | 'organization'
  | 'members'
  | 'accounts'
  | 'trusts'
  | 'keys'
  | 'actions'
  | 'archives'
  | 'recalls'
  | 'erasures';

/** What a restore does about a change that was made after the instant (rules/restore.md#kinds-of-audit-entries). */
type Decision = { again: Part } | { nothing: string };

const GIVEN = 'it gives something, and what was given after the instant is not given again';
const NO_ACCESS = 'it changes what is described or judged, and ends no access';
const SAW = 'it reports an attempt and changes no access';
const SESSIONS = 'every session ends anyway';

const again = (part: Part): Decision => ({ again: part });
const nothing = (because: string): Decision => ({ nothing: because });

/** The decision for every kind of audit entry. A new kind does not compile until somebody decides. */
export const DECISIONS: Readonly<Record<AuditKind, Decision>> = {
  'organization.created': nothing(GIVEN),
  'organization.imported': nothing(GIVEN),
  'organization.features_changed': again('organization'),
  'organization.sign_in_rules_changed': again('organization'),
  'organization.sign_in_grants_changed': again('organization'),
  'organization.suspension_changed': again('organization'),
  'organization.limits_changed': nothing(NO_ACCESS),
  // An addition accepts an invitation, and decides whether a removal before it still counts.
  'member.added': again('members'),
  'member.role_changed': again('members'),
  'member.removed': again('members'),
  'member.invited': again('members'),
  'member.invitation_withdrawn': again('members'),
  'sign_in.first': nothing('the identity of every user is compared'),
  'sign_in.joined': again('members'),
  'sign_in.left': again('members'),
  'sign_in.refused': nothing(SAW),
  'service_account.created': nothing(GIVEN),
  'service_account.updated': nothing(NO_ACCESS),
  'service_account.role_changed': again('accounts'),
  'service_account.deleted': again('accounts'),
  'api_key.issued': nothing(GIVEN),
  'api_key.rotated': again('keys'),
  'api_key.revoked': again('keys'),
  'session.started': nothing(SESSIONS),
  'session.ended': nothing(SESSIONS),
  'trust.created': nothing(GIVEN),
  'trust.changed': again('trusts'),
  'trust.deleted': again('trusts'),
  'trust.first_used': nothing(SAW),
  'token.refused': nothing(SAW),
  'flow.created': nothing(GIVEN),
  'flow.changed': nothing(NO_ACCESS),
  'flow.renamed': nothing(NO_ACCESS),
  'flow.archived': again('archives'),
  'flow.tags_changed': nothing(NO_ACCESS),
  'environment.created': nothing(GIVEN),
  'environment.changed': nothing(NO_ACCESS),
  'environment.renamed': nothing(NO_ACCESS),
  'environment.archived': again('archives'),
  'environment.references_removed': nothing('it is a part of an archiving, which has an entry of its own'),
  'environment.joined': nothing(NO_ACCESS),
  'environment.policies_changed': nothing(NO_ACCESS),
  'environment.artifact_allowed': nothing(GIVEN),
  'environment.tags_changed': nothing(NO_ACCESS),
  'environment.day_closed': nothing('it counts what came, and changes no access'),
  'policy.created': nothing(GIVEN),
  'policy.changed': nothing(NO_ACCESS),
  'control.created': nothing(GIVEN),
  'control.updated': nothing(NO_ACCESS),
  'control.archived': again('archives'),
  'control.unarchived': again('archives'),
  'control.tags_changed': nothing(NO_ACCESS),
  'custom_type.created': nothing(GIVEN),
  'custom_type.changed': nothing(NO_ACCESS),
  'custom_type.archived': again('archives'),
  'action.created': nothing(GIVEN),
  'action.changed': again('actions'),
  'action.deleted': again('actions'),
  'action.secret_rotated': again('actions'),
  'repo.tags_changed': nothing(NO_ACCESS),
  'expectation.created': nothing(GIVEN),
  'expectation.changed': nothing(NO_ACCESS),
  'expectation.archived': nothing(NO_ACCESS),
  'gap.opened': nothing(NO_ACCESS),
  'gap.closed': nothing(NO_ACCESS),
  'gap.excused': nothing(NO_ACCESS),
  'watch.created': nothing(GIVEN),
  'watch.changed': nothing(NO_ACCESS),
  'watch.deleted': nothing(NO_ACCESS),
  'watch.matched': nothing(NO_ACCESS),
  'trust_root.created': nothing(GIVEN),
  'trust_root.changed': nothing(NO_ACCESS),
  'trust_root.deleted': nothing(NO_ACCESS),
  'signer.created': nothing(GIVEN),
  'signer.changed': nothing(NO_ACCESS),
  'signer.deleted': nothing(NO_ACCESS),
  'recall.created': again('recalls'),
  'recall.changed': again('recalls'),
  'recall.deleted': again('recalls'),
  'draft.confirmed': nothing('the entry beside it, or the evidence, says what was made'),
  'export.started': nothing(GIVEN),
  'evidence.erased': again('erasures'),
};

const isKind = (kind: string): kind is AuditKind => Object.hasOwn(DECISIONS, kind);

/** @returns the part that applies a change of this kind again; null if nothing is to do; `unknown` for a kind of another release */
export function partOf(kind: string): Part | null | 'unknown' {
  if (!isKind(kind)) return 'unknown';
  const decision = DECISIONS[kind];
  return 'again' in decision ? decision.again : null;
}
