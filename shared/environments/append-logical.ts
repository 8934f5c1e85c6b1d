import type { EnvironmentId, Id, OrganizationId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { appliedPolicies, readAttachedPolicies } from '#shared/environments/attached-policies.ts';
import { evaluateArtifacts } from '#shared/environments/evaluate.ts';
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
import { snapshotVerdict } from '#shared/policies/rules/verdicts.ts';
import type { EnvironmentRelay } from './effects-context.ts';

/** A snapshot that a member gained. */
export interface Gained {
  environment: EnvironmentId;
  snapshot: Snapshot;
}

/**
 * Appends the snapshot of a logical environment that follows from a member's new one, or from other members or policies
 * (semantics §5.9; design §5, «Logical environments»). What is known already is not appended again.
 * @param gained null: members or policies may differ from those of its newest snapshot
 */
export async function appendLogical(
  relay: EnvironmentRelay,
  org: OrganizationId,
  logical: EnvironmentId,
  gained: Gained | null,
): Promise<void> {
  await retrying(async (): Promise<'done' | 'again'> => {
    const { services } = relay;
    const { table, objects } = services;
    const head = await readEnvironmentHead(table, org, logical);
    // Members may leave, and groups be archived, before a member's snapshot is looked at.
    if (!head || head.archived !== null || (gained && !head.members.includes(gained.environment))) return 'done';
    const before = head.index === 0 ? null : await readContent(table, objects, org, logical, head.index);
    const known = before?.members ?? {};
    if (gained && !withMemberSnapshot(known, gained.environment, gained.snapshot.index)) return 'done';
    const members = await memberIndexes(relay, org, head, known, gained);
    if (!gained && !differs(head, before, members)) return 'done';

    const judged = await judge(relay, org, head, members, gained);
    const { clock } = services;
    const sealed = sealSnapshot<'again'>(
      // The members' events are the group's: they happened when they happened there.
      { objects, clock: gained ? { now: () => gained.snapshot.at } : clock },
      { id: org },
      head,
      { ...judged, events: gained?.snapshot.events ?? 0 },
      again,
    );
    await sealed.upload();
    return table.transact<'again'>(sealed.writes);
  });
}

/** Looks at a logical environment whose settings this container has not seen yet: other members make a snapshot. */
export async function keepGroup(
  relay: EnvironmentRelay,
  { org, environment, rev }: { org: OrganizationId; environment: EnvironmentId; rev: number },
): Promise<void> {
  const seen = `${org}#${environment}#${rev}`;
  if (relay.memory.groups.has(seen)) return;
  await appendLogical(relay, org, environment, null);
  relay.memory.groups.add(seen);
}

/**
 * The newest snapshot of each member that has any: the one that is known, or the last that was expanded, where the member
 * is new. One that is not expanded yet makes a snapshot of the group when it is.
 */
async function memberIndexes(
  { services: { table } }: EnvironmentRelay,
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

/** Whether the newest snapshot was made with other members, with older snapshots of them, or under other policies. */
function differs(
  { index, policies }: EnvironmentHead,
  before: SnapshotContent | null,
  members: MemberIndexes,
): boolean {
  if (index === 0) return Object.keys(members).length > 0;
  const applied = before?.policies.map(({ id }) => id) ?? [];
  const known = before?.members ?? {};
  const isNewer = Object.entries(members).some(([member, newest]) => newest > (known[member] ?? 0));
  return isNewer || !sameIds(Object.keys(known), Object.keys(members)) || !sameIds(applied, policies);
}

/** The content and the verdict of a logical snapshot: by its members, and by policies of its own on top of them. */
async function judge(
  { services }: EnvironmentRelay,
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
  const allowed = readAllowed(table, org, head.id, new Set(ran.map(({ fingerprint }) => fingerprint)));
  const evaluated = hasPolicies ? await evaluateArtifacts(services, { id: org }, ran, policies, allowed) : [];
  const rows = evaluated.map((row): SnapshotRow => ({ ...row, annotation: annotationOf(row, gained) }));
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
      ...{ rows, policies: appliedPolicies(policies), members },
      ...(gained && { gained: { environment: gained.environment, index: gained.snapshot.index } }),
    },
    state,
    // Unknown is no compliance (semantics §5.6.2).
    compliant: state === true,
    digest: runningSetDigest(ran),
  };
}

/** What became of an artifact with this snapshot: only those of the member that gained one can have changed. */
function annotationOf({ annotation, environment }: SnapshotRow, gained: Gained | null): SnapshotRow['annotation'] {
  if (environment === gained?.environment) return annotation;
  return { type: 'unchanged', was: annotation.now, now: annotation.now };
}
