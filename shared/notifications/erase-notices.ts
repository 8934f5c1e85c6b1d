import type { OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { ErasurePlan } from '#shared/bodies/erasure.ts';
import { monthsBetween } from '#shared/series/series-entries.ts';
import { change, equal } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { readActions } from './records/actions.ts';
import { deliveryPartition } from './records/keys.ts';
import { Delivery, type Notice } from './rules/records.ts';

/** The description of a notice whose texts were erased. */
export const ERASED_DESCRIPTION = 'The texts of this notice were erased';

/** The record whose texts deliveries copy. */
export type CopiedRecord = { fingerprint: string } | { attestation: string };

/**
 * Plans the erasure of what stored deliveries copy: of reports of an artifact file name and addresses, of an attestation the sentence
 * that says why something is not compliant (rules/erasure.md#copies). Messages that were sent cannot be recalled.
 *
 * @param since time of the report or attestation; earlier deliveries cannot contain it
 */
export async function planNotices(
  table: Table,
  org: OrganizationId,
  copied: CopiedRecord,
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
      const change = delivery && erasedNotice(delivery, copied);
      if (change) writes.push({ update: { pk, sk: item.sk }, ...change });
    }
  }
  const about = 'attestation' in copied ? `attestation ${copied.attestation}` : `artifact ${copied.fingerprint}`;
  return { what: `deliveries about the ${about}`, writes, objects: [] };
}

/** Returns the change of a delivery that copies texts of the record; undefined if there is nothing to erase. */
function erasedNotice({ notice }: Delivery, copied: CopiedRecord) {
  const changed = 'attestation' in copied ? withoutReason(notice, copied.attestation) : withoutReport(notice, copied);
  if (JSON.stringify(changed) === JSON.stringify(notice)) return undefined;
  const { description } = notice;
  return { ...change({ set: { notice: changed } }, equal({ 'notice.description': description })), refused: again };
}

function withoutReason({ reason, ...notice }: Notice, attestation: string): Notice {
  return reason && reason.attestation !== attestation ? { ...notice, reason } : notice;
}

function withoutReport(notice: Notice, { fingerprint }: { fingerprint: string }): Notice {
  const { artifact, eventType } = notice;
  if (artifact?.fingerprint !== fingerprint) return notice;
  const { provenance } = artifact;
  // The name in a notice of an environment is the one that the environment reported.
  const isReport = eventType === 'ARTIFACT_ATTESTED';
  return {
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
}
