import type { EnvironmentId, Id, OrganizationId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { appliedPolicies, readAttachedPolicies } from '#shared/environments/attached-policies.ts';
import { earliestEnd, evaluateArtifacts } from '#shared/environments/evaluate.ts';
import { runningRows } from '#shared/environments/next-content.ts';
import { readAllowed } from '#shared/environments/records/allowed.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHead } from '#shared/environments/records/environments.ts';
import { readAllExpanded } from '#shared/environments/records/expanded.ts';
import { readContent, readContents, readSnapshots, type Snapshot } from '#shared/environments/records/snapshots.ts';
import type { SnapshotContent, SnapshotRow } from '#shared/environments/rules/content.ts';
import {
  logicalState,
  type MemberIndexes,
  placesOf,
  unionOfMembers,
  withMemberSnapshot,
} from '#shared/environments/rules/logical.ts';
import { runningSetDigest } from '#shared/environments/rules/running.ts';
import { sealSnapshot } from '#shared/environments/seal-snapshot.ts';
import { complianceCount, snapshotVerdict } from '#shared/policies/rules/verdicts.ts';
import type { EffectsContext } from './effects-context.ts';

interface Gained {
  environment: EnvironmentId;
  snapshot: Snapshot;
}

/**
 * Appends a snapshot to a logical environment because a member has a new snapshot, or because its members or policies
 * changed (rules/environments.md#group-snapshots). Does nothing if the newest group snapshot covers the change already.
 * @param gained the member's new snapshot; null: members or policies may differ from those of the newest group snapshot
 * @returns whether a snapshot was appended
 */
export async function appendLogical(
  context: EffectsContext,
  org: OrganizationId,
  logical: EnvironmentId,
  gained: Gained | null,
): Promise<'appended' | 'unchanged'> {
  return retrying(async (): Promise<'appended' | 'unchanged' | 'again'> => {
    const { services } = context;
    const { table, objects } = services;
    const head = await readEnvironmentHead(table, org, logical);
    // A member may leave, and a group may be archived, before the member's snapshot is expanded.
    if (!head || head.archived !== null || (gained && !head.members.includes(gained.environment))) return 'unchanged';
    const before = head.index === 0 ? null : await readContent(table, objects, org, logical, head.index);
    const known = before?.members ?? {};
    if (gained && !withMemberSnapshot(known, gained.environment, gained.snapshot.index)) return 'unchanged';
    const members = await memberIndexes(context, org, head, known, gained);
    if (!gained && !differs(head, before, members)) return 'unchanged';

    const evaluated = await evaluateGroup(context, org, head, members, gained);
    const { clock } = services;
    const sealed = sealSnapshot<'again'>(
      // The events of the member's snapshot become events of the group, so both snapshots get the same time.
      { objects, clock: gained ? { now: () => gained.snapshot.at } : clock },
      { id: org },
      head,
      { ...evaluated, events: gained?.snapshot.events ?? 0 },
      again,
    );
    await sealed.upload();
    const outcome = await table.ofRequest(gained?.snapshot.request).transact<'again'>(sealed.writes);
    return outcome === 'again' ? 'again' : 'appended';
  });
}

/** Whether the newest snapshot of a logical environment was made with other members or policies than it has now. */
export async function isGroupBehind(context: EffectsContext, org: OrganizationId, head: EnvironmentHead) {
  const { table, objects } = context.services;
  const before = head.index === 0 ? null : await readContent(table, objects, org, head.id, head.index);
  return differs(head, before, await memberIndexes(context, org, head, before?.members ?? {}, null));
}

/**
 * Number of the newest snapshot per member: the one that the group knows, or the last expanded one if that is newer.
 * Members without snapshots are left out. A member's snapshot that is not expanded yet is added when it is expanded.
 */
async function memberIndexes(
  { services: { table } }: EffectsContext,
  org: OrganizationId,
  { members }: EnvironmentHead,
  known: MemberIndexes,
  gained: Gained | null,
): Promise<MemberIndexes> {
  const expanded = await readAllExpanded(table, org, members);
  const indexOf = (member: EnvironmentId): number => {
    if (gained?.environment === member) return gained.snapshot.index;
    return Math.max(known[member] ?? 0, expanded.get(member)?.index ?? 0);
  };
  return Object.fromEntries(
    members.map((member) => [member, indexOf(member)] as const).filter(([, index]) => index > 0),
  );
}

const sameIds = (one: readonly Id[], other: readonly Id[]): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;

/** Whether the newest group snapshot has other members, older snapshots of its members, or other policies. */
function differs({ index, policies }: EnvironmentHead, before: SnapshotContent | null, members: MemberIndexes) {
  if (index === 0) return Object.keys(members).length > 0;
  const applied = before?.policies.map(({ id }) => id) ?? [];
  const known = before?.members ?? {};
  const isNewer = Object.entries(members).some(([member, newest]) => newest > (known[member] ?? 0));
  return isNewer || !sameIds(Object.keys(known), Object.keys(members)) || !sameIds(applied, policies);
}

/** Content and verdict of a group snapshot: the states of the members, and the group's own policies over all their rows. */
async function evaluateGroup(
  { services }: EffectsContext,
  org: OrganizationId,
  head: EnvironmentHead,
  members: MemberIndexes,
  gained: Gained | null,
) {
  const { table, objects } = services;
  const places = placesOf(members);
  const hasPolicies = head.policies.length > 0;
  const [snapshots, policies, contents] = await Promise.all([
    readSnapshots(table, org, places),
    readAttachedPolicies(services, { id: org }, head.policies),
    hasPolicies ? readContents(table, objects, org, places) : [],
  ]);
  const ran = unionOfMembers(
    places.map(({ environment }, i) => ({ id: environment, rows: runningRows(contents[i] ?? { rows: [] }) })),
  );
  const allowed = readAllowed(table, org, head, new Set(ran.map(({ fingerprint }) => fingerprint)));
  const evaluated = hasPolicies
    ? await evaluateArtifacts(services, { id: org }, ran, policies, allowed, services.clock.now())
    : [];
  const rows = evaluated.map(
    ({ freshUntil: _, ...row }): SnapshotRow => ({ ...row, annotation: annotationOf(row, gained) }),
  );
  const own = snapshotVerdict(
    rows.map(({ compliant }) => compliant),
    hasPolicies,
  );
  const state = logicalState(
    snapshots.map((snapshot) => snapshot?.state ?? null),
    own.state,
  );
  return {
    content: {
      rows,
      policies: appliedPolicies(policies),
      members,
      ...(gained && { gained: { environment: gained.environment, index: gained.snapshot.index } }),
    },
    state,
    // An unknown state is not compliant (rules/environments.md#verdicts).
    compliant: state === true,
    // Without policies of the group the contents of the members were not read.
    counts: hasPolicies
      ? complianceCount(ran.map(({ compliant }, i) => logicalState([compliant], rows[i]?.compliant)))
      : null,
    digest: runningSetDigest(ran),
    freshUntil: earliestEnd(evaluated),
  };
}

/** Only artifacts of the member with the new snapshot can have changed. */
function annotationOf({ annotation, environment }: SnapshotRow, gained: Gained | null): SnapshotRow['annotation'] {
  if (environment === gained?.environment) return annotation;
  return { type: 'unchanged', was: annotation.now, now: annotation.now };
}
