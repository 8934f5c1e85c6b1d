import { isDeepStrictEqual } from 'node:util';
import { newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { after, type Micros, toSeconds } from '#shared/base/time.ts';
import { addError, noErrors, refuseIfAny, withInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { packageUrlText } from '#shared/components/rules/package-url.ts';
import { type AuditFacts, auditWrite, stampOf } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { readWatch, readWatchItems, watchWrites } from './records/watches.ts';
import { questionOf } from './rules/asked-question.ts';
import { tooManyWatches } from './rules/sentences.ts';
import { MOST_WATCHES, type Watch } from './rules/watch.ts';

/** What saving a watch writes. */
export const PUT_WATCH: Uses = { writes: ['WATCH', 'AUDIT'] };

/** A watch as a caller gives it, with a question that can be read. */
export interface GivenWatch extends Pick<Watch, 'name' | 'purl' | 'versions' | 'vulnerability' | 'description'> {
  /** Undefined = unchanged, null = nobody says it any more. */
  known: { at: Micros; note: string | null } | null | undefined;
}

/** The watch as it is now, and whether it is new. */
export interface WatchPut {
  isNew: boolean;
  watch: Watch;
}

/**
 * Creates a watch, or changes what is said beside its question (rules/watches.md#save). If nothing changes, nothing is written.
 *
 * @throws ServiceError `invalid` if the watch asks something else, if `known` is in the future, or if the watch would be one too many
 */
export async function putWatch(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: Author<WatchPut>,
  given: GivenWatch,
): Promise<WatchPut> {
  const { org, caller } = by;
  return retrying(async () => {
    const before = await readWatch(table, org.id, given.name);
    refuseChanges(before, given, by.receivedAt);
    if (!before) await refuseTooMany(table, org);
    const now = clock.now();
    const { name, purl, versions, vulnerability, description } = given;
    const known = knownOf(before, given, { by: caller.name, saidAt: now });
    if (before && isDeepStrictEqual(before, { ...before, vulnerability, description, known })) {
      const put = { isNew: false, watch: before };
      await storeClaim(table, by.claim(put));
      return put;
    }
    const changedAt = after(before?.changedAt, now);
    const base = before ?? {
      id: newId(changedAt),
      rev: 0,
      purl,
      versions,
      createdAt: changedAt,
      createdBy: caller.name,
    };
    const watch: Watch = {
      ...base,
      v: 1,
      name,
      rev: base.rev + 1,
      kind: 'package',
      vulnerability,
      description,
      known,
      changedAt,
      changedBy: caller.name,
    };
    const { write, covers } = watchWrites(org.id, before, watch);
    const outcome = { isNew: !before, watch };
    const change = {
      kind: before ? 'watch.changed' : 'watch.created',
      subject: { type: 'watch', id: watch.id, name },
      ...(before && { before: watchFacts(before) }),
      after: watchFacts(watch),
      covers,
    } as const;
    // Covers follow in the order of their entries, so the entry is later than that of the change before.
    const entry = auditWrite(org.id, stampOf(caller, changedAt), change);
    const result = await table.transact<'again'>([...by.claim(outcome), write, entry]);
    return result === 'again' ? result : outcome;
  });
}

/** What is said of the time since when the organization knows. Who said the same before, stays. */
function knownOf(before: Watch | undefined, { known }: GivenWatch, saying: { by: string; saidAt: Micros }) {
  const said = before?.known ?? null;
  if (known === undefined || known === null) return known === null ? null : said;
  return said?.at === known.at && said.note === known.note ? said : { ...known, ...saying };
}

function refuseChanges(before: Watch | undefined, given: GivenWatch, now: Micros): void {
  const errors = noErrors();
  if (before) {
    const [asks, asked] = [questionOf(before), questionOf(given)];
    const text = `Watch '${before.name}' asks something else, and a question never changes. Give another name`;
    if (packageUrlText(asks.purl) !== packageUrlText(asked.purl)) addError(errors, 'purl', withInput(text, given.purl));
    else if (!isDeepStrictEqual(asks.range, asked.range)) {
      addError(errors, 'versions', withInput(text, given.versions));
    }
  }
  if (given.known && given.known.at > now) {
    addError(errors, 'known_since', withInput('Input should not be in the future', toSeconds(given.known.at)));
  }
  refuseIfAny(errors);
}

async function refuseTooMany(table: Table, org: Organization): Promise<void> {
  const { length: count } = await readWatchItems(table, org.id, { limit: MOST_WATCHES });
  if (count >= MOST_WATCHES) throw tooManyWatches({ count });
}

/** What a watch says, for the audit log. */
export const watchFacts = ({ purl, versions, vulnerability, description, known }: Watch): AuditFacts => ({
  purl,
  versions,
  vulnerability,
  description,
  known_since: known && toSeconds(known.at),
  known_note: known?.note ?? null,
});
