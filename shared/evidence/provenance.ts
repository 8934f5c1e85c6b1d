import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { readBody } from '#shared/bodies/bodies.ts';

import type { Services } from '#shared/http/services.ts';
import { readArtifacts } from './records/artifact-records.ts';
import type { Commit } from './rules/shared-fields.ts';

/** Where an artifact came from, as one report of it said. Reports never change, so this is true whenever it is read. */
export interface Provenance {
  /** Empty where the report was erased. */
  filename: string;
  commit: string;
  commitUrl: string | null;
  /** Null where the report brought the commit's number alone, or was erased. */
  commitInfo: Commit | null;
}

interface ReportFacts {
  filename: string;
  commit_url: string;
  git_commit_info: Commit | null;
}

/** Stands where a report is no longer to be found. */
export const NO_PROVENANCE: Provenance = { filename: '', commit: '', commitUrl: null, commitInfo: null };

/** Facts that are too long for their items are read this many at a time. */
const FACTS_AT_ONCE = 50;

/** Provenance by id of the report; reports that are not there are left out. One batch, then the bucket for long facts. */
export async function readProvenance(
  { table, objects }: Pick<Services, 'table' | 'objects'>,
  org: OrganizationId,
  reports: Iterable<Id>,
): Promise<Map<Id, Provenance>> {
  const records = await readArtifacts(table, org, [...new Set(reports)]);
  const found = new Map<Id, Provenance>();
  await inParallel(records, FACTS_AT_ONCE, async ({ id, commit, facts }) => {
    const text = await readBody(objects, org, facts);
    const said = text === null ? null : (JSON.parse(text) as ReportFacts);
    found.set(id, {
      filename: said?.filename ?? '',
      commit,
      commitUrl: said?.commit_url || null,
      commitInfo: said?.git_commit_info ?? null,
    });
  });
  return found;
}
