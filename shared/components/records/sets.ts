import * as z from 'zod';
import { type AttestationId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { readBodyOnce, StoredBody } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { type Item, keyText, readRecord, type Table } from '#shared/table/table.ts';
import type { Component } from '../rules/component.ts';
import { componentBuildKey, componentSetKey, componentSetPartition } from './keys.ts';
import { Sbom } from './sboms.ts';

/** Sets of components, and the attestations that have them (rules/components.md#index). */

/** What is kept of a set. All attestations with the same components share it. */
export const ComponentSetRecord = z.object({
  /** Number of its components. */
  count: z.int(),
  /** The components in canonical order, as JSON. */
  body: StoredBody,
  /** When the first attestation with the set was reported. */
  at: StoredMicros,
  /** When an erasure began to forget the set. Its postings are not complete any more, unless the erasure finds a build and ends. */
  leaving: StoredMicros.optional(),
});
export type ComponentSetRecord = z.infer<typeof ComponentSetRecord>;

/** An attestation that has a set: what was reported where, and what it is about. */
export const Build = Sbom.extend({ state: z.literal('read'), set: z.string() });
export type Build = z.infer<typeof Build>;

export const componentSetItem = (org: OrganizationId, set: string, record: ComponentSetRecord): Item => ({
  ...componentSetKey(org, set),
  v: 1,
  ...record,
});

export const buildItem = (org: OrganizationId, build: Build): Item => ({
  ...componentBuildKey(org, build.set, build.id),
  v: 1,
  ...build,
});

/** Reads what is kept of a set; undefined if its postings are not complete, or were erased. */
export const readSet = (table: Table, org: OrganizationId, set: string): Promise<ComponentSetRecord | undefined> =>
  readRecord(table, componentSetKey(org, set), ComponentSetRecord);

/** Reads what is kept of several sets, by their digests. Sets that there are not are left out. */
export async function readSets(
  table: Table,
  org: OrganizationId,
  sets: readonly string[],
): Promise<Map<string, ComponentSetRecord>> {
  const items = await table.getMany(sets.map((set) => componentSetKey(org, set)));
  return new Map(
    sets.flatMap((set) => {
      const item = items.get(keyText(componentSetKey(org, set)));
      return item ? [[set, ComponentSetRecord.parse(item)] as const] : [];
    }),
  );
}

const known = memoryOf<readonly Component[]>('set of components');

/** Reads the components of a set, in canonical order; null if they were erased. */
export const readComponentsOf = (
  { objects }: Pick<Stores, 'objects'>,
  org: OrganizationId,
  { body }: Pick<ComponentSetRecord, 'body'>,
): Promise<readonly Component[] | null> =>
  // The service wrote the text from such components.
  readBodyOnce(known, objects, org, body, (text) => JSON.parse(text) as Component[]);

/** Which builds of a set are read: those behind `after`, oldest first. */
interface BuildsPage {
  after?: AttestationId | undefined;
  limit: number;
}

/** Reads builds of one set, oldest first. @returns `next` is the build that the next page follows; null on the last page */
export async function readBuilds(
  table: Table,
  org: OrganizationId,
  set: string,
  page: BuildsPage,
): Promise<{ builds: Build[]; next: AttestationId | null }> {
  const [found = { builds: [], next: null }] = await readBuildsOf(table, org, [{ set, ...page }]);
  return found;
}

/** Reads a page of the builds of each of several sets, at the same time. @returns pages in the order of the sets */
export async function readBuildsOf(
  table: Table,
  org: OrganizationId,
  pages: readonly ({ set: string } & BuildsPage)[],
): Promise<{ builds: Build[]; next: AttestationId | null }[]> {
  const found = await table.queryEach(
    pages.map(({ set, after, limit }) => ({
      pk: componentSetPartition(org, set),
      // The zero makes the smallest sort key behind `after`.
      from: after === undefined ? FIRST_BUILD : `${FIRST_BUILD}${after}\0`,
      to: LAST_BUILD,
      limit: limit + 1,
    })),
  );
  return pages.map(({ limit }, i) => {
    const builds = (found[i] ?? []).slice(0, limit).map((item) => Build.parse(item));
    const last = (found[i] ?? []).length > limit ? builds.at(-1) : undefined;
    return { builds, next: last?.id ?? null };
  });
}

const FIRST_BUILD = componentBuildKey(storedId(''), '', storedId('')).sk;
/** Ids are hexadecimal. */
const LAST_BUILD = `${FIRST_BUILD}g`;
