import type { AuditedChange, AuditFacts } from '#shared/organizations/records/audit.ts';
import type { ActionRecord, Target } from './rules/records.ts';

/** What a save says of an action, as far as the audit log tells of it. */
type Said = Pick<ActionRecord, 'name' | 'triggers' | 'flows' | 'environments'> & { targets: readonly Target[] };

/** Addresses of targets are left out: those of chats open their channel to whoever knows them. */
const factsOf = ({ name, triggers, flows, environments, targets }: Said): AuditFacts => ({
  ...{ name, triggers, flows, environments },
  targets: targets.map(({ type }) => type),
});

const subjectOf = ({ kind, number, name }: Pick<ActionRecord, 'kind' | 'name'> & { number?: number }) => ({
  type: kind === 'flow' ? 'action' : 'environment_notification',
  ...(number !== undefined && { id: String(number) }),
  name,
});

/** What the audit log is told of a save: of a new action, or of one that is `before`. */
export const actionSaved = (
  kind: ActionRecord['kind'],
  before: ActionRecord | null | undefined,
  given: Said & { secret?: string | undefined },
): AuditedChange => ({
  kind: before ? 'action.changed' : 'action.created',
  subject: subjectOf(before ?? { kind, name: given.name }),
  ...(before && { before: factsOf(before) }),
  after: { ...factsOf(given), ...(given.secret !== undefined && { secret_given: true }) },
});

export const actionDeleted = (before: ActionRecord): AuditedChange => ({
  kind: 'action.deleted',
  subject: subjectOf(before),
  before: factsOf(before),
});

export const secretRotated = (action: ActionRecord): AuditedChange => ({
  kind: 'action.secret_rotated',
  subject: subjectOf(action),
});
