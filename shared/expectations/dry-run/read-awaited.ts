import { type AttestationId, storedId } from '#shared/base/ids.ts';
import { type DecisionSubject, readDecisions } from '#shared/controls/records/decisions.ts';
import { type AttestationRecord, readAttestations } from '#shared/evidence/records/attestation-records.ts';
import { TYPES_OF_DECISIONS } from '#shared/evidence/rules/decisions.ts';
import { attestationsPage } from '#shared/evidence/select-attestations.ts';
import type { SeriesEntry } from '#shared/series/series.ts';
import type { Table } from '#shared/table/table.ts';
import type { Past } from './past.ts';
import type { ListOfFlow } from './read-past-entries.ts';

type Awaiting = Pick<Past, 'org' | 'now' | 'evidence'>;

/** Returns the lists in which the attestations stand that an expectation of the kind `evidence` may wait for. */
export const listsOfAttestations = (table: Table, awaiting: Awaiting): ListOfFlow[] =>
  typesOf(awaiting).map(
    (type) => (flow, query, window) =>
      attestationsPage(table, awaiting.org, { flow, type }, query, awaiting.now, window),
  );

/** Returns the types of attestations that may count; undefined = any type. An override counts for the type that it overrides. */
function typesOf({ evidence }: Awaiting): readonly (string | undefined)[] {
  if (evidence?.by === 'type') return [evidence.value, 'override'];
  return evidence?.by === 'control' ? TYPES_OF_DECISIONS : [undefined];
}

/**
 * Reads the attestations of entries, and returns those that an expectation waits for: compliant ones of its name, of its type or about its
 * control, as arrivals are recorded (rules/expectations.md#arrivals).
 */
export async function readAwaited(
  table: Table,
  { org, evidence }: Awaiting,
  entries: readonly SeriesEntry[],
): Promise<AttestationRecord[]> {
  const ids = entries.map(({ r }) => storedId<AttestationId>(String(r)));
  const records = (await readAttestations(table, org, ids)).filter(({ compliant }) => compliant);
  const value = evidence?.value ?? '';
  if (evidence?.by === 'name') return records.filter(({ name }) => name === value);
  if (evidence?.by === 'type') return records.filter((record) => typeOf(record) === value);
  // The index of decisions names the control, so the facts of the decisions need not be read from the bucket.
  const abouts = new Map(
    records.map(({ fingerprint, flow, trail }): [string, DecisionSubject] =>
      fingerprint === null ? [`${flow}#${trail}`, { flow, trail }] : [fingerprint, { fingerprint }],
    ),
  );
  const questions = [...abouts.values()].map((about) => ({ control: value, about }));
  const found = new Set((await readDecisions(table, org, questions)).flat().map(({ id }) => id));
  return records.filter(({ id }) => found.has(id));
}

const typeOf = ({ type, derived }: AttestationRecord): unknown =>
  type === 'override' ? derived['original_attestation_type'] : type;
