import type { Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import { decisionPartition } from '#shared/controls/records/keys.ts';
import { readFlowPresences } from '#shared/evidence/records/artifact-records.ts';
import { buildKey, fingerprintPartition, TRAIL_STATE_RANGE, trailPartition } from '#shared/evidence/records/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';

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
  const [presence] = await readFlowPresences(table, org, model.fingerprint);
  const build = await table.get(buildKey(org, model.fingerprint));
  if (!presence || !build) throw new Error('The model was not reported');
  const place = { flow: presence.flow, trail: model.trail };
  const read = await Promise.all([
    table.query({ pk: fingerprintPartition(org, model.fingerprint) }),
    table.query({ pk: trailPartition(org, place.flow, place.trail), ...TRAIL_STATE_RANGE }),
    table.query({ pk: decisionPartition(org, control, place) }),
  ]);
  return copies.flatMap((copy) => {
    const renamed = (value: unknown) =>
      typeof value === 'string'
        ? value.replaceAll(model.fingerprint, copy.fingerprint).replaceAll(model.trail, copy.trail)
        : value;
    const copied = (item: Item) =>
      Object.fromEntries(Object.entries(item).map(([member, value]) => [member, renamed(value)])) as Item;
    return [...read.flat().map(copied), { ...copied(build), ...buildKey(org, copy.fingerprint) }];
  });
}
