import type { Organization } from '#shared/callers/caller.ts';
import type { Reading } from '#shared/evidence/flow-verdicts.ts';
import { readProvenance } from '#shared/evidence/provenance.ts';
import type { EnvironmentEvent } from '../records/environment-events.ts';
import { codeDiffUrl } from '../rules/code-diff.ts';

export interface ComparedEvent extends EnvironmentEvent {
  /** Address of the code difference to the artifact that this one replaced; null if there is none. */
  codeDiff: string | null;
}

/** Adds the code differences. Only the reports have the addresses of their commits. */
export async function withCodeDiffs(
  reading: Reading,
  org: Organization,
  events: readonly EnvironmentEvent[],
): Promise<ComparedEvent[]> {
  const reports = events.flatMap(({ report, previous }) => (report && previous ? [report, previous] : []));
  const provenance = await readProvenance(reading, org.id, reports);
  return events.map((event) => {
    const [before, after] = [provenance.get(event.previous ?? ''), provenance.get(event.report ?? '')];
    return { ...event, codeDiff: before && after ? codeDiffUrl(before, after) : null };
  });
}
