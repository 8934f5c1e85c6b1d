import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { readGap, SHOWN_GAP } from '#shared/expectations/records/gaps.ts';
import type { Gap } from '#shared/expectations/rules/gaps/gap.ts';
import { unknownGap } from '#shared/expectations/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';
import type { GapSummary } from '../rules/gap-statement.ts';
import { gapDiffers } from '../rules/sentences.ts';
import { entryLink, type ProvedEntry, proveCovered } from './covering-entries.ts';
import { addressOf, type StatementPlace } from './moment-links.ts';
import { type Stated, type StatementFormat, type StatementServices, stateAbout } from './statements.ts';

/**
 * States what is known of a gap (rules/log.md#statement-of-a-gap). Each change of the gap has a statement of its own.
 *
 * @throws ServiceError `not-found` if no gap has the id; as {@link proveGap}
 */
export async function stateGap(
  services: StatementServices,
  place: StatementPlace,
  id: Id,
  format: StatementFormat,
): Promise<Stated> {
  const { org } = place;
  const gap = await readGap(services.table, org.id, id);
  if (!gap) throw unknownGap({ gap: id, org: org.name });
  return stateAbout(services, place, format, ['gap', gap.id, gap.rev], () => summarizeGap(services.table, place, gap));
}

/** @returns null if the log does not have the last change of the gap yet. @throws ServiceError as {@link proveGap} */
async function summarizeGap(table: Table, place: StatementPlace, gap: Gap): Promise<GapSummary | null> {
  const proved = await proveGap(table, place.org.id, gap);
  return (
    proved && {
      kind: 'gap',
      uri: addressOf(place, 'gaps', gap.id),
      expectation: addressOf(place, 'expectations', gap.expectation.name),
      gap,
      entry: entryLink(place, proved),
    }
  );
}

/** The entry about the last change of a gap, with exactly this gap. @throws ServiceError `broken` as {@link proveCovered} */
const proveGap = (table: Table, org: OrganizationId, gap: Gap): Promise<ProvedEntry | null> =>
  proveCovered(table, org, {
    cover: coverOf('gaps/gap', undefined, lineOf(SHOWN_GAP, gap)),
    at: gap.changedAt,
    differs: () => gapDiffers({ gap: gap.id }),
  });
