import type { OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { ErasurePlan } from '#shared/bodies/erasure.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import { change, equal } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { readActions } from './records/actions.ts';
import { deliveryPartition } from './records/keys.ts';
import { Delivery } from './rules/records.ts';

/** The description of a notice whose texts were erased. */
export const ERASED_DESCRIPTION = 'The texts of this notice were erased';

/**
 * Plans the erasure of what stored deliveries copy from reports of an artifact: file name and addresses
 * (rules/erasure.md#erased-artifact-report). Messages that were sent cannot be recalled.
 *
 * @param since time of the report; earlier deliveries cannot contain it
 */
export async function planNotices(
  table: Table,
  org: OrganizationId,
  fingerprint: string,
  since: Micros,
  now: Micros,
): Promise<ErasurePlan> {
  const actions = await readActions(table, org);
  const partitions = actions.flatMap(({ action }) =>
    monthsBetween(since, now).map((month) => deliveryPartition(org, action.number, month)),
  );
  const writes: Write<'again'>[] = [];
  for (const pk of partitions) {
    for (const item of await table.query({ pk })) {
      const delivery = Delivery.safeParse(item).data;
      const change = delivery && erasedNotice(delivery, fingerprint);
      if (change) writes.push({ update: { pk, sk: item.sk }, ...change });
    }
  }
  return { what: `deliveries about the artifact ${fingerprint}`, writes, objects: [] };
}

/** Returns the change of a delivery that copies texts of the report; undefined if there is nothing to erase. */
function erasedNotice({ notice }: Delivery, fingerprint: string) {
  const { artifact, eventType, description } = notice;
  if (artifact?.fingerprint !== fingerprint) return undefined;
  const { provenance } = artifact;
  // The name in a notice of an environment is the one that the environment reported.
  const isReport = eventType === 'ARTIFACT_ATTESTED';
  const changed = {
    ...notice,
    ...(isReport && { description: ERASED_DESCRIPTION }),
    artifact: {
      ...artifact,
      ...(isReport && { name: '' }),
      ...(provenance && {
        provenance: {
          ...provenance,
          ...('commit_url' in provenance && { commit_url: '' }),
          ...('build_url' in provenance && { build_url: '' }),
        },
      }),
    },
  };
  if (JSON.stringify(changed) === JSON.stringify(notice)) return undefined;
  return { ...change({ set: { notice: changed } }, equal({ 'notice.description': description })), refused: again };
}
