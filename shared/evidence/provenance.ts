import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { readBody } from '#shared/bodies/bodies.ts';

import type { Stores } from '#shared/bodies/stores.ts';
import { type ArtifactRecord, readArtifacts } from './records/artifact-records.ts';
import type { Commit } from './rules/shared-fields.ts';

/** Where an artifact came from, according to one report of it (rules/artifacts.md#provenance). Reports never change. */
export interface Provenance {
  /** Empty if the report was erased. */
  filename: string;
  /** Name of the trail. */
  trail: string;
  commit: string;
  commitUrl: string | null;
  /** Null if the report named only the commit's SHA, or was erased. */
  commitInfo: Commit | null;
}

interface ReportFacts {
  filename: string;
  commit_url: string;
  git_commit_info: Commit | null;
}

/** Used if a report does not exist any more. */
export const NO_PROVENANCE: Provenance = { filename: '', trail: '', commit: '', commitUrl: null, commitInfo: null };

/** How many bodies are read from the bucket in parallel; facts that are too long for their items lie there. */
const FACTS_AT_ONCE = 50;

/**
 * Reads the provenance of reports: their records in one batch, then long facts from the bucket.
 *
 * @returns by id of the report; reports that do not exist are left out
 */
export async function readProvenance(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  reports: Iterable<Id>,
): Promise<Map<Id, Provenance>> {
  return provenanceOf(objects, org, await readArtifacts(table, org, [...new Set(reports)]));
}

/** Returns what records of reports say about provenance, by their ids. Reads long facts from the bucket. */
export async function provenanceOf(objects: Stores['objects'], org: OrganizationId, records: Iterable<ArtifactRecord>) {
  const found = new Map<Id, Provenance>();
  await inParallel(records, FACTS_AT_ONCE, async ({ id, trail, commit, facts }) => {
    const text = await readBody(objects, org, facts);
    const reported: ReportFacts | null = text === null ? null : JSON.parse(text);
    found.set(id, {
      filename: reported?.filename ?? '',
      trail,
      commit,
      commitUrl: reported?.commit_url || null,
      commitInfo: reported?.git_commit_info ?? null,
    });
  });
  return found;
}
