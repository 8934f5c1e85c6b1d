import type { Id } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { after } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { auditWrite, stampOf } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { changedGapWrites } from '../records/gaps.ts';
import type { Gap } from '../rules/gaps/gap.ts';
import { excusedBefore, nothingToExcuse } from '../rules/sentences.ts';
import { gapFacts } from './gap-facts.ts';
import { presentGap } from './list-gaps.ts';
import { withPresentNames } from './present-names.ts';

/** What excusing a gap writes. A gap that lasts has another item, which says so too. */
export const EXCUSE_GAP: Uses = { writes: ['GAP', 'ONGOING', 'AUDIT'] };

/**
 * Stores why a gap is no reason for concern (rules/expectations.md#excuse). The interval stays as it is. The same text by the
 * same caller again changes nothing.
 *
 * @throws ServiceError `not-found` if no gap has the id, `conflict` if the gap was excused before, or if its state is `unknown`
 */
export async function excuseGap(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<Gap>,
  id: Id,
  text: string,
): Promise<Gap> {
  const { org, caller } = by;
  return retrying(async () => {
    const gap = await presentGap(table, org, id);
    if (gap.state === 'unknown') throw nothingToExcuse();
    if (gap.explanation) {
      if (gap.explanation.text !== text || gap.explanation.by !== caller.name)
        throw excusedBefore({ by: gap.explanation.by });
      const known = await named(gap);
      await storeClaim(table, by.claim(known));
      return known;
    }
    const at = after(gap.changedAt, clock.now());
    const explanation = { text, by: caller.name, at };
    const excused = { ...gap, rev: gap.rev + 1, changedAt: at, explanation };
    const { writes, covers } = changedGapWrites(org.id, gap, excused);
    const subject = { type: 'gap', id, name: gap.expectation.name };
    const change = { kind: 'gap.excused', subject, before: gapFacts(gap), after: gapFacts(excused), covers } as const;
    const outcome = await named(excused);
    // Covers follow in the order of their entries, so the entry is later than that of the change before.
    const entry = auditWrite(org.id, stampOf(caller, at), change);
    const result = await table.transact<'again'>([...by.claim(outcome), ...writes, entry]);
    return result === 'again' ? result : outcome;
  });

  async function named(gap: Gap): Promise<Gap> {
    const [shown = gap] = await withPresentNames(table, org.id, [gap]);
    return shown;
  }
}
