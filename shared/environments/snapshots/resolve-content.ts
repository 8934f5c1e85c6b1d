import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import type { PolicyDecision } from '#shared/policies/rules/decision-schema.ts';
import { readEnvironmentNames } from '../records/environments.ts';
import { openContent, readContents } from '../records/snapshots.ts';
import {
  type AppliedPolicy,
  decisionsOf,
  type JudgedRow,
  type SnapshotContent,
  type SnapshotRow,
} from '../rules/content.ts';
import { logicalState, placesOf } from '../rules/logical.ts';
import { artifactKey, byFingerprint, compareText } from '../rules/running.ts';
import type { FoundSnapshot } from './find-snapshot.ts';

/** A row for an answer. */
export interface ShownRow extends SnapshotRow {
  /** In a group snapshot: name of the member in which it runs. */
  environmentName?: string;
  /** In a group snapshot: what the group's own policies decided, by the evidence of their evaluation. */
  ofGroup?: JudgedRow;
}

/** What was decided about a row: the results of the member's policies, then those of the group's. */
export const judgedParts = (row: ShownRow): JudgedRow[] => (row.ofGroup ? [row, row.ofGroup] : [row]);

/** The decisions of all policies about a row. */
export const shownDecisions = (row: ShownRow): PolicyDecision[] => judgedParts(row).flatMap(decisionsOf);

/** The decisions against a row. Other decisions give no reasons (rules/policies.md#reasons). */
export const failedDecisions = (row: ShownRow): PolicyDecision[] =>
  judgedParts(row).flatMap(({ flows, evaluations }) =>
    decisionsOf({ flows, evaluations: evaluations.filter(({ status }) => status === 'NON-COMPLIANT') }),
  );

export interface ShownContent {
  rows: ShownRow[];
  /** Ordered by id. A group snapshot has the policies of its members too, since the rows carry their decisions. */
  policies: AppliedPolicy[];
  /** What an issuer proved about the reporter; absent in a group snapshot. */
  identity?: VerifiedIdentity | undefined;
}

type Readers = Pick<Stores, 'table' | 'objects'>;

/**
 * Reads the rows and policies of a snapshot; empty if its content was erased. The rows of a group snapshot come from the
 * snapshots of its members (rules/environments.md#group-rows).
 */
export async function resolveContent(services: Readers, org: OrganizationId, { parts }: FoundSnapshot) {
  const content = await openContent(services.objects, org, parts.content);
  if (!content) return { rows: [], policies: [] };
  return content.members ? logicalContent(services, org, content) : { ...content, policies: inOrder(content.policies) };
}

async function logicalContent(
  { table, objects }: Readers,
  org: OrganizationId,
  { rows: judged, policies, members = {}, gained }: SnapshotContent,
): Promise<ShownContent> {
  const places = placesOf(members).filter(({ index }) => index > 0);
  const ids = places.map(({ environment }) => environment);
  const [contents, names] = await Promise.all([
    readContents(table, objects, org, places),
    readEnvironmentNames(table, org, ids),
  ]);
  const own = new Map(judged.map((row) => [artifactKey(row), row]));
  const rows = places.flatMap(({ environment }, i) =>
    (contents[i]?.rows ?? [])
      .map((row) => ({ ...row, environment, environmentName: names.get(environment) ?? '' }))
      .flatMap((row) => (environment === gained?.environment ? [row] : asUnchanged(row)))
      .map((row) => withGroupVerdict(row, own.get(artifactKey(row)))),
  );
  const applied = [...policies, ...contents.flatMap((content) => content?.policies ?? [])];
  return { rows: rows.sort(inSnapshot), policies: inOrder(applied) };
}

/**
 * A row of a member whose snapshot did not cause the group snapshot. An earlier group snapshot has shown its changes, so
 * a running row is unchanged, and an exited row is left out.
 */
function asUnchanged<R extends SnapshotRow>(row: R): R[] {
  const { now } = row.annotation;
  return now === 0 ? [] : [{ ...row, annotation: { type: 'unchanged', was: now, now } }];
}

/** Adds the decisions of the group's policies to a member's row and combines both verdicts (rules/environments.md#group-rows). */
function withGroupVerdict<R extends SnapshotRow>(row: R, own: SnapshotRow | undefined): R {
  if (!own || row.annotation.now === 0) return row;
  return {
    ...row,
    ofGroup: own,
    compliant: logicalState([row.compliant], own.compliant),
  };
}

/** Each version of a policy once, ordered by id. */
const inOrder = (policies: readonly AppliedPolicy[]): AppliedPolicy[] =>
  [...new Map(policies.map((policy) => [`${policy.id}#${policy.version}`, policy])).values()].sort(
    (a, b) => compareText(a.id, b.id) || a.version - b.version,
  );

/** Order of rows of several members (rules/environments.md#row-order): new or changed, unchanged, exited; newest first. */
const inSnapshot = (a: SnapshotRow, b: SnapshotRow): number =>
  group(a) - group(b) || (b.started[0] ?? 0) - (a.started[0] ?? 0) || byFingerprint(a, b);

function group({ annotation: { type, now } }: SnapshotRow): number {
  if (now === 0) return 2;
  return type === 'unchanged' ? 1 : 0;
}
