import * as z from 'zod';
import type { FlowId, Id } from '#shared/base/ids.ts';
import type { CommitEntry } from '#shared/environments/search/search-names.ts';

/** A report of an artifact that was found by its commit (rules/lookups.md#search-by-name). */
export const CommitReport = z.object({
  git_commit: z.string().meta({ description: 'Commit of the report' }),
  name: z.string().meta({ description: 'File name of the artifact' }),
  fingerprint: z.string().meta({ description: 'SHA-256 of the artifact' }),
  flow_name: z.string().meta({ description: 'Flow of the report' }),
  trail_name: z.string().meta({ description: 'Trail of the report' }),
  html_url: z.string().meta({ description: 'Page of the artifact' }),
  trail_html_url: z.string().meta({ description: 'Page of the trail' }),
});

interface Names {
  flows: ReadonlyMap<FlowId, string>;
  /** File names by id of the report. */
  files: ReadonlyMap<Id, string>;
}

/** @param at makes the address of a page of the organization from its path */
export function commitReportOut(
  { commit, flow, trail, fingerprint, artifact }: CommitEntry,
  names: Names,
  at: (path: string) => string,
): z.input<typeof CommitReport> {
  const flowName = names.flows.get(flow) ?? '';
  return {
    git_commit: commit,
    name: names.files.get(artifact) ?? '',
    fingerprint,
    flow_name: flowName,
    trail_name: trail,
    html_url: `${at(`/flows/${flowName}/artifacts/${fingerprint}`)}?artifact_id=${artifact}`,
    trail_html_url: at(`/flows/${flowName}/trails/${trail}`),
  };
}
