import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { change, exists, unchanged } from '#shared/table/expressions.ts';
import type { ConditionalUpdate, Write } from '#shared/table/table.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import type { EnvironmentEntry, EnvironmentHead, EnvironmentLinks } from './environment-records.ts';
import { environmentHeadKey, environmentLinksKey } from './keys.ts';

type Settings = Pick<EnvironmentHead, 'name' | 'archived' | 'policies' | 'members' | 'allowed'>;
type SnapshotState = Pick<
  EnvironmentHead,
  | 'index'
  | 'at'
  | 'digest'
  | 'hash'
  | 'state'
  | 'since'
  | 'known'
  | 'counts'
  | 'events'
  | 'evaluatedMark'
  | 'evaluatedAt'
  | 'freshUntil'
>;

/** Changes of a head. A change of settings raises `rev` by one. */
export interface HeadChanges {
  settings?: Partial<Settings>;
  snapshot?: Partial<SnapshotState>;
}

/**
 * Changes a head on condition that neither its settings nor its newest snapshot have changed since it was read. Both are
 * checked for every change, because a snapshot is evaluated under the settings. Only the relay changes `mark`. If
 * policies or members change, the copy of the links for lists changes too.
 * @param again the outcome if another writer was first
 */
export function headWrites<R>(
  org: OrganizationId,
  head: EnvironmentHead,
  changes: HeadChanges,
  again: () => R,
): Write<R>[] {
  const { policies, members } = changes.settings ?? {};
  const links = { policies: policies ?? head.policies, members: members ?? head.members };
  return [headUpdate(org, head, changes, again), ...(policies || members ? [linksWrite(org, head.id, links)] : [])];
}

function headUpdate<R>(
  org: OrganizationId,
  head: EnvironmentHead,
  { settings, snapshot }: HeadChanges,
  again: () => R,
): Write<R> {
  const set = { ...settings, ...(settings && { rev: head.rev + 1 }), ...snapshot };
  return {
    update: environmentHeadKey(org, head.id),
    ...change({ set }, unchanged(head, 'rev', 'index')),
    refused: again,
  };
}

/** The transaction must also change or create the head, whose condition keeps both alike. */
export const linksWrite = (org: OrganizationId, environment: EnvironmentId, links: EnvironmentLinks): Write => ({
  put: { ...environmentLinksKey(org, environment), v: 1, ...links },
});

/**
 * The change of the instant until which verdicts are fresh, in the head and in the catalogue entry. Environments without such an
 * instant have no field for it.
 */
export function freshnessChange(
  head: Pick<EnvironmentHead, 'freshUntil'>,
  freshUntil: Micros | null,
): { snapshot: Pick<SnapshotState, 'freshUntil'>; entry: Pick<EnvironmentEntry, 'f'> } {
  if (freshUntil === null && !head.freshUntil) return { snapshot: {}, entry: {} };
  const end = freshUntil ?? EPOCH;
  return { snapshot: { freshUntil: end }, entry: { f: end } };
}

/**
 * Changes an environment's entry in the catalogue. Reports change it by `reportWrites`, which counts them.
 * @param archived the outcome if there is no entry, because the environment was archived
 */
export function entryUpdate<R>(
  org: OrganizationId,
  environment: EnvironmentId,
  changes: Partial<Omit<EnvironmentEntry, 'r'>>,
  archived: () => R,
): ConditionalUpdate<R> {
  return {
    update: catalogueKey(org, ENVIRONMENTS.name, environment),
    ...change({ set: changes }, exists()),
    refused: archived,
  };
}
