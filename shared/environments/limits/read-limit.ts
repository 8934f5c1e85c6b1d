import { invalid } from '#shared/base/errors.ts';
import { withInput } from '#shared/base/validation.ts';
import type { FlowPresence } from '#shared/evidence/records/artifact-records.ts';
import type { CountReads } from '#shared/table/read-each.ts';

/**
 * The most reads of evidence in one evaluation (rules/environments.md#large-reports). More reads take longer than a
 * request may take.
 */
export const MOST_READS = 15_000;

/**
 * Returns a function that adds up the reads of one evaluation.
 * @param field the field of the request that the error names
 * @returns a function that throws ServiceError `invalid` if the sum exceeds {@link MOST_READS}; it is called before the reads begin
 */
export function readLimit(field: string): CountReads {
  let total = 0;
  return (reads) => {
    total += reads;
    if (total <= MOST_READS) return;
    const text =
      `The evaluation reads the trails of each artifact, and the decisions of each control and the components that the ` +
      `policies name, ${total} times in all. At most ${MOST_READS} reads are possible. Divide the artifacts between ` +
      `several environments, or detach policies with controls or denied components`;
    throw invalid({ [field]: withInput(text, total) });
  };
}

/**
 * How many reads the evidence of artifacts takes, without the decisions on their older trails: the flows of each reported
 * artifact, each trail, and for each control the decisions on both. An artifact that a flow reported repeatedly takes one
 * more read, of the list of its trails.
 * @param presences per artifact, its flows
 * @param controls how many controls the policies name
 */
export function evidenceReads(presences: Iterable<readonly FlowPresence[]>, controls: number): number {
  const reported = [...presences].filter((flows) => flows.length > 0);
  const trails = new Set(reported.flat().map(({ flow, trail }) => `${flow}#${trail}`)).size;
  const repeated = controls === 0 ? [] : reported.filter((flows) => flows.some(({ first, at }) => first < at));
  return (1 + controls) * (reported.length + trails) + repeated.length;
}
