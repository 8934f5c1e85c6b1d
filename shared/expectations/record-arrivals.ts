import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readFacts } from '#shared/evidence/attestation-facts.ts';
import { AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import { attestationKey } from '#shared/evidence/records/keys.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import type { Uses } from '#shared/table/uses.ts';
import { recordArrival, recordCompletion } from './records/arrivals.ts';
import { arrivalsIn, completionsIn, decisionsIn } from './rules/arrivals.ts';

/** What recording arrivals writes, and reads of the bucket: the facts of decisions. */
export const RECORD_ARRIVALS: Uses = { writes: ['ARRIVED'], bucket: ['bodies:read'] };

/** Updates at the same time. */
const WIDTH = 8;

/**
 * Stores what moments bring that expectations wait for: the beginning of trails, compliant attestations by name, type and control, and
 * the first instant at which a trail is compliant (rules/expectations.md#arrivals). An update changes nothing if a later arrival, or an
 * earlier completion, is stored, so calls may come in any order and twice.
 */
export async function recordArrivals(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  moments: readonly MomentFacts[],
): Promise<void> {
  const { table } = stores;
  const controls = await readControls(stores, org, decisionsIn(moments));
  const updates = [
    ...arrivalsIn(moments, controls).map((arrival) => () => recordArrival(table, org, arrival)),
    ...completionsIn(moments).map((completion) => () => recordCompletion(table, org, completion)),
  ];
  await inParallel(updates, WIDTH, (update) => update());
}

/** Reads the controls that decisions are about. An erased decision has none, and an override of a decision neither. */
async function readControls(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  ids: readonly AttestationId[],
): Promise<Map<AttestationId, string>> {
  const items = await table.getMany(ids.map((id) => attestationKey(org, id)));
  const controls = new Map<AttestationId, string>();
  await inParallel(items.values(), WIDTH, async (item) => {
    const { id, facts } = AttestationRecord.parse(item);
    const control = (await readFacts(objects, org, facts))?.evidence['control'];
    if (typeof control === 'string') controls.set(id, control);
  });
  return controls;
}
