import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import { erasedObjects } from '#shared/bodies/erased-bodies.ts';
import { pendingWrite } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import {
  attestationComponentsItem,
  readAttestationComponents,
} from '#shared/evidence/records/attestation-components.ts';
import { readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { change, exists, onlyIf } from '#shared/table/expressions.ts';
import { ERASED_VEX, forgetVex } from './forget-vex.ts';
import { componentBuildKey, componentSetKey, trailSbomKey } from './records/keys.ts';
import { postingItems } from './records/postings.ts';
import { type ComponentSetRecord, readBuilds, readComponentsOf, readSet } from './records/sets.ts';
import { isSbomErased } from './rules/erased-sbom.ts';
import { postedComponent } from './rules/package-name.ts';

/** Postings that one transaction removes, and transactions at the same time. */
const AT_ONCE = 50;
const WIDTH = 4;

const ERASED = { state: 'erased', set: null, why: null, count: null, format: null } as const;

/**
 * Removes the SBOM and the statements of an attestation from the index if it was erased (rules/erasure.md#components). The rows of the SBOM
 * say `erased`. If no other attestation has the same components, their set, its text and its postings go. Repeating the call finishes what
 * an interrupted one began.
 */
export async function forgetSbom(stores: Stores, org: OrganizationId, id: AttestationId): Promise<void> {
  const { table } = stores;
  const [found, record] = await Promise.all([
    readAttestationComponents(table, org, [id]),
    readAttestation(table, org, id),
  ]);
  const components = found.get(id);
  if (!record || !components || !isSbomErased(record)) return;
  const { state, set, vex } = components;
  const isSbom = state === 'read' || state === 'unreadable';
  const isVex = vex !== undefined && vex.state !== 'erased';
  if (isVex) await forgetVex(table, org, record);
  if (isSbom) {
    await table.update(trailSbomKey(org, record.flow, record.trail, id), {
      ...change({ set: ERASED, remove: ['proof'] }, exists()),
    });
  }
  if (set !== null) {
    await table.write({ remove: componentBuildKey(org, set, id) });
    await forgetSet(stores, org, set);
  }
  if (!isSbom && !isVex) return;
  // Last, because it names the set: a repeated call begins here.
  await table.put(
    attestationComponentsItem(org, id, { ...(isSbom ? ERASED : components), ...(vex && { vex: ERASED_VEX }) }),
  );
}

/**
 * Removes a set without builds. It is marked before its builds are read: a worker that adds a build meanwhile sees the mark after its
 * write, and begins anew once the set is gone.
 */
async function forgetSet({ table, objects: bucket, clock }: Stores, org: OrganizationId, set: string): Promise<void> {
  const key = componentSetKey(org, set);
  const now = clock.now();
  if (!(await table.update(key, change({ set: { leaving: now } }, exists())))) return;
  const { builds } = await readBuilds(table, org, set, { limit: 1 });
  if (builds.length > 0) {
    await table.update(key, change({ remove: ['leaving'] }, exists()));
    return;
  }
  const record = await readSet(table, org, set);
  if (!record) return;
  await removePostings({ table, objects: bucket }, org, set, record);
  await table.transact([
    ...erasedObjects([record.body], set).map((object) => pendingWrite(org, object, now)),
    { remove: key, ...onlyIf(exists('leaving')), refused: () => 'done' as const },
  ]);
}

async function removePostings(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  set: string,
  record: ComponentSetRecord,
): Promise<void> {
  const components = (await readComponentsOf({ objects }, org, record)) ?? [];
  const postings = postingItems(org, { set, at: record.at }, components.map(postedComponent));
  await inParallel(batchesOf(postings, AT_ONCE), WIDTH, (some) =>
    table.transact(some.map(({ pk, sk }) => ({ remove: { pk, sk } }))),
  );
}
