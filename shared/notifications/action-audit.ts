import type { AuditedChange, AuditFacts } from '#shared/organizations/records/audit.ts';
import type { ActionRecord, Target } from './rules/records.ts';

/** The content of an action that the audit log shows. */
type AuditedContent = Pick<ActionRecord, 'name' | 'triggers' | 'flows' | 'environments'> & {
  targets: readonly Target[];
};

/** Addresses of targets are left out, because everybody who knows the address of a chat channel can write to it. */
const factsOf = ({ name, triggers, flows, environments, targets }: AuditedContent): AuditFacts => ({
  name,
  triggers,
  flows,
  environments,
  targets: targets.map(({ type }) => type),
});

const subjectOf = ({ kind, number, name }: Pick<ActionRecord, 'kind' | 'name'> & { number?: number }) => ({
  type: kind === 'flow' ? 'action' : 'environment_notification',
  ...(number !== undefined && { id: String(number) }),
  name,
});

/** The audit entry of a save. @param before the action before the save; null or undefined for a new action */
export const actionSaved = (
  kind: ActionRecord['kind'],
  before: ActionRecord | null | undefined,
  given: AuditedContent & { secret?: string | undefined },
): AuditedChange => ({
  kind: before ? 'action.changed' : 'action.created',
  subject: subjectOf(before ?? { kind, name: given.name }),
  ...(before && { before: factsOf(before) }),
  after: { ...factsOf(given), ...(given.secret !== undefined && { secret_given: true }) },
});

/** The audit entry of a deletion. */
export const actionDeleted = (before: ActionRecord): AuditedChange => ({
  kind: 'action.deleted',
  subject: subjectOf(before),
  before: factsOf(before),
});

/** The audit entry of a rotation. It never holds a secret. */
export const secretRotated = (action: ActionRecord): AuditedChange => ({
  kind: 'action.secret_rotated',
  subject: subjectOf(action),
});
