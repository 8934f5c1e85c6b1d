import type { OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readEach } from '#shared/table/read-each.ts';
import type { Table } from '#shared/table/table.ts';
import { type Case, readCase } from '#shared/watches/case/read-case.ts';
import { shownCase } from '#shared/watches/case/shown-case.ts';
import { SHOWN_MATCH } from '#shared/watches/records/matches.ts';
import { SHOWN_WATCH } from '#shared/watches/records/watches.ts';
import type { CaseSummary } from '../rules/case-statement.ts';
import { caseDiffers } from '../rules/sentences.ts';
import { entryLink, type ProvedEntry, proveCovered } from './covering-entries.ts';
import { addressOf } from './moment-links.ts';
import { type Stated, type StatementFormat, type StatementServices, stateAbout } from './statements.ts';

interface CasePlace {
  host: string;
  org: Organization;
}

/**
 * States the case of a watch (rules/log.md#statement-of-a-case). There is a new statement whenever the case has other facts.
 *
 * @throws ServiceError `not-found` if no watch has the name; as {@link proveCase}
 */
export async function stateCase(
  services: StatementServices,
  place: CasePlace,
  name: string,
  format: StatementFormat,
): Promise<Stated> {
  const read = await readCase(services, place.org, name);
  const facts = shownCase(read);
  const parts = ['watch', read.found.watch.id, sha256Hex(canonicalJson(facts))];
  return stateAbout(services, place, format, parts, async (): Promise<CaseSummary | null> => {
    const proved = await proveCase(services.table, place.org.id, read);
    return (
      proved && {
        kind: 'case',
        uri: addressOf(place, 'watches', `${name}/case`),
        name,
        asOf: read.asOf,
        facts,
        entries: proved.map((entry) => entryLink(place, entry)),
      }
    );
  });
}

/**
 * Requires that the log has the watch and each of its matches as they are stored.
 *
 * @returns the entries, that of the watch first; null if the log does not have one of them yet
 * @throws ServiceError `broken` if no entry of the audit log covers one of them, or if the log has another entry
 */
async function proveCase(
  table: Table,
  org: OrganizationId,
  { found: { watch }, matches }: Case,
): Promise<ProvedEntry[] | null> {
  const covered = [
    {
      cover: coverOf('watches/watch', undefined, lineOf(SHOWN_WATCH, watch)),
      at: watch.changedAt,
      differs: () => caseDiffers({ what: `watch ${watch.name}` }),
    },
    ...matches.map(({ match }) => ({
      cover: coverOf('watches/match', undefined, lineOf(SHOWN_MATCH, match)),
      at: match.at,
      differs: () => caseDiffers({ what: `match ${match.id}` }),
    })),
  ];
  const proved = await readEach(covered, (one) => proveCovered(table, org, one));
  const logged = proved.flatMap((entry) => entry ?? []);
  return logged.length === covered.length ? logged : null;
}
