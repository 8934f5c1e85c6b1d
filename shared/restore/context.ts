import { type PrincipalId, storedId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { ExportFiles } from '#shared/bodies/export-files.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { AuditRecord, AuditStamp } from '#shared/organizations/records/audit.ts';
import type { OrganizationRecord } from '#shared/organizations/records/directory-records.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { End, Report } from './report.ts';

/** The part of an audit entry that says what ended. Entries of the old table and of exports have it. */
export type EndEntry = Pick<AuditRecord, 'id' | 'at' | 'kind' | 'actor' | 'subject' | 'before' | 'after'>;

/** Everything that the parts of a restore need of one organization. */
export interface Restoring {
  /** `table` is the restored table. */
  stores: Stores & { files: ExportFiles };
  /** The old table; undefined if it cannot be read. */
  from: Table | undefined;
  /** The organization as the restored table has it. */
  org: OrganizationRecord;
  report: Report;
}

/** The actor and the time of the first end, which the audit log of the restored table shows too. */
export const stampOfEntry = ({ at, actor }: EndEntry): AuditStamp => ({ at, actor });

export const endOf = ({ org }: Pick<Restoring, 'org'>, { kind, subject: { name, id }, at, actor }: EndEntry): End => ({
  organization: org.name,
  kind,
  name,
  id,
  at,
  by: actor.name,
});

/** @returns the author of a change; null for the operator and the service, which are no callers */
export function authorOf(
  { org: { id, name, kind, features } }: Pick<Restoring, 'org'>,
  { actor, at }: EndEntry,
): Author<unknown> | null {
  if (actor.kind === 'operator' || actor.kind === 'unknown' || actor.kind === 'service') return null;
  const { kind: of, keyId, identity } = actor;
  return {
    org: { id, name, kind, features },
    caller: { kind: of, id: storedId<PrincipalId>(actor.id), name: actor.name, keyId, ...(identity && { identity }) },
    receivedAt: at,
    claim: () => [],
  };
}

/** Makes a transaction whose writes follow from a read. Nobody else writes during a restore, so `again` is rare. */
export const commit = (table: Table, writes: () => Promise<readonly Write<'again'>[]>): Promise<void> =>
  retrying(async () => {
    const made = await writes();
    return made.length === 0 ? 'done' : table.transact<'again'>(made);
  }).then(() => undefined);

/** The entries of one subject, in the order of their time. */
interface SubjectEntries {
  name: string;
  own: readonly EndEntry[];
  newest: EndEntry;
}

/** Returns the entries by their subjects. @param nameOf tells subjects apart; by their ids unless said */
export const bySubject = (
  entries: readonly EndEntry[],
  nameOf = ({ subject }: EndEntry): string => subject.id ?? '',
): SubjectEntries[] =>
  [...Map.groupBy(entries, nameOf)].flatMap(([name, own]) => {
    const newest = own.at(-1);
    return newest ? [{ name, own, newest }] : [];
  });
