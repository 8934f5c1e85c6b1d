import type { Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import { decisionPartition } from '#shared/controls/records/keys.ts';
import { readFlowPresences } from '#shared/evidence/records/artifact-records.ts';
import {
  buildKey,
  fingerprintPartition,
  TRAIL_STATE_RANGE,
  trailHeadKey,
  trailPartition,
} from '#shared/evidence/records/keys.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { testName } from '#test/support/ids.ts';

/** An artifact in a trail of its own. No other stored text may contain the name of the trail. */
export interface ReportedOnce {
  fingerprint: Fingerprint;
  trail: string;
}

/**
 * Returns the items of artifacts that lie in one trail each. They are copies of what the reports about one artifact and
 * its trail stored, because thousands of reports through the API take too long.
 * @param model the artifact whose items are copied; it was reported in one flow, with a decision on its trail
 * @param control the control of the decision
 */
export async function copiesOfReports(
  table: Table,
  org: OrganizationId,
  model: ReportedOnce,
  control: string,
  copies: readonly ReportedOnce[],
): Promise<Item[]> {
  const { items } = await itemsOfReports(table, org, model, control);
  return copies.flatMap((copy) => items.map(copier(org, model, copy)));
}

/**
 * Returns the items of further artifacts in the trail of a model, and the head of the trail, which adds up the numbers of
 * their slots.
 * @param model the only artifact of its trail; it was reported in one flow, with a decision on its trail
 */
export async function copiesInTrail(
  table: Table,
  org: OrganizationId,
  model: ReportedOnce,
  control: string,
  fingerprints: readonly Fingerprint[],
): Promise<Item[]> {
  const { items, flow } = await itemsOfReports(table, org, model, control);
  const copies = fingerprints.flatMap((fingerprint) => {
    const copyOf = copier(org, model, { ...model, fingerprint });
    return items.filter((item) => keyText(copyOf(item)) !== keyText(item)).map(copyOf);
  });
  const trail = trailPartition(org, flow, testName(model.trail));
  const head = await table.get(trailHeadKey(trail));
  if (!head) throw new Error('The trail of the model has no head');
  const slots = copies.filter(({ pk }) => pk === trail);
  return [...copies, { ...head, slots: slots.reduce((sum, { n }) => sum + Number(n), Number(head['slots'])) }];
}

/** Reads the items that the reports about an artifact and its trail stored. */
async function itemsOfReports(table: Table, org: OrganizationId, model: ReportedOnce, control: string) {
  const [presence] = await readFlowPresences(table, org, model.fingerprint);
  const build = await table.get(buildKey(org, model.fingerprint));
  if (!presence || !build) throw new Error('The model was not reported');
  const { flow } = presence;
  const read = await Promise.all([
    table.query({ pk: fingerprintPartition(org, model.fingerprint) }),
    table.query({ pk: trailPartition(org, flow, testName(model.trail)), ...TRAIL_STATE_RANGE }),
    table.query({ pk: decisionPartition(org, control, { flow, trail: testName(model.trail) }) }),
  ]);
  return { flow, items: [...read.flat(), build] };
}

/** Returns a function that copies an item of the model and gives it the names of the copy. */
function copier(org: OrganizationId, model: ReportedOnce, copy: ReportedOnce): (item: Item) => Item {
  const renamed = (value: unknown) =>
    typeof value === 'string'
      ? value.replaceAll(model.fingerprint, copy.fingerprint).replaceAll(model.trail, copy.trail)
      : value;
  const build = keyText(buildKey(org, model.fingerprint));
  return (item) => ({
    ...(Object.fromEntries(Object.entries(item).map(([member, value]) => [member, renamed(value)])) as Item),
    // The partition of a build has only the beginning of the fingerprint.
    ...(keyText(item) === build && buildKey(org, copy.fingerprint)),
  });
}
