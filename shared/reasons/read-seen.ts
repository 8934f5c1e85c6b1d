import * as z from 'zod';
import type { AttestationId, OrganizationId } from '#shared/base/ids.ts';
import type { Reading, Stores } from '#shared/bodies/stores.ts';
import { readFacts } from '#shared/evidence/attestation-facts.ts';
import { type AttestationRecord, readAttestations } from '#shared/evidence/records/attestation-records.ts';
import { readVersionRules } from '#shared/evidence/records/custom-types.ts';
import { readFlowNames } from '#shared/evidence/records/flows.ts';
import { decidingFact } from './rules/deciding-fact.ts';
import type { SeenAttestation, SeenAttestations, SeenEntry, SeenEvaluation, SeenTypeRule } from './rules/seen.ts';

/** A decision that says which evaluation it comes from. Anybody can report one, so the reader of the evaluation compares the ids. */
interface NamedEvaluation {
  evaluation: string;
  decision: AttestationId;
  /** What the decision says about the line at which the program stopped. */
  deniedAt: unknown;
}

/**
 * Reads the evaluations that recorded decisions, in one batch. `shared/evaluations` implements it, because reasons may not import
 * evaluations.
 *
 * @returns by id of the decision. A decision that the named evaluation did not record is left out
 */
export type ReadEvaluationsOf = (
  reading: Reading,
  org: OrganizationId,
  named: readonly NamedEvaluation[],
) => Promise<ReadonlyMap<AttestationId, SeenEvaluation>>;

/** What a resolver of reasons reads with. */
export interface ReasonReading extends Reading {
  evaluationsOf: ReadEvaluationsOf;
}

/** Most attestations that are read for one answer (rules/reasons.md#bounds). */
const MOST = 100;

/** Whether an entry says less about its verdict than the attestation does. */
const saysLess = ({
  attestation_type: type,
  is_compliant: compliant,
  overridden_attestation_id: original,
}: SeenEntry) => compliant === false || original !== null || type === 'decision' || type.startsWith('custom:');

/**
 * Reads the attestations of entries that have more to say, those that failed first: at most 100, in one batch. Then reads the
 * evaluations and the rules of custom types that they name, and the names of their flows, each in one batch and all at the same
 * time.
 *
 * @param decisions further attestations: the decisions that answered rules with a control
 */
export async function readSeen(
  { table, objects, evaluationsOf }: ReasonReading,
  org: OrganizationId,
  entries: readonly SeenEntry[],
  decisions: readonly AttestationId[] = [],
): Promise<SeenAttestations> {
  const wanted = entries.filter(saysLess).toSorted((one, other) => rankOf(one) - rankOf(other));
  const ids = new Set([...decisions, ...wanted.flatMap(({ attestation_id: id }) => id ?? [])]);
  if (ids.size === 0) return new Map();
  const records = await readAttestations(table, org, [...ids].slice(0, MOST));
  const facts = await Promise.all(records.map((record) => factsOf(objects, org, record)));
  const read = records.map((record, n) => ({ record, facts: facts[n] ?? NO_FACTS }));
  const [evaluations, rules, flows] = await Promise.all([
    evaluationsOf(
      { table, objects },
      org,
      read.flatMap(({ record, facts: { evaluation } }) => (evaluation ? [{ ...evaluation, decision: record.id }] : [])),
    ),
    readVersionRules(table, objects, org, records.flatMap(versionOf)),
    readFlowNames(table, org, [...new Set(records.map(({ flow }) => flow))]),
  ]);
  return new Map(
    read.map(({ record, facts: { saw, control, reason } }): [AttestationId, SeenAttestation] => {
      const version = versionOf(record)[0];
      return [
        record.id,
        {
          flow: flows.get(record.flow) ?? '',
          trail: record.trail,
          name: record.name,
          compliant: record.compliant,
          by: record.by,
          at: record.at,
          saw,
          control,
          override: overrideOf(record, reason),
          evaluation: evaluations.get(record.id) ?? null,
          type: version
            ? { ...version, rules: rulesOf(record, rules.get(`${version.name}#${version.version}`) ?? []) }
            : null,
        },
      ];
    }),
  );
}

const rankOf = ({ is_compliant: compliant }: SeenEntry): number => (compliant === false ? 0 : 1);

interface DecidingFacts {
  saw: string | null;
  control: string | null;
  reason: string | null;
  evaluation: Pick<NamedEvaluation, 'evaluation' | 'deniedAt'> | null;
}
const NO_FACTS: DecidingFacts = { saw: null, control: null, reason: null, evaluation: null };

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** What an evaluation puts into its decision, and what anybody else may put into one. */
const NamingData = z.object({ evaluation_id: z.string(), denied_at: z.unknown().optional() });

/** Reads what the facts say about the verdict. A custom type says it in the record, so its data are not read. */
async function factsOf(
  objects: Stores['objects'],
  org: OrganizationId,
  record: AttestationRecord,
): Promise<DecidingFacts> {
  if (record.type.startsWith('custom:')) return NO_FACTS;
  const facts = await readFacts(objects, org, record.facts);
  if (!facts) return NO_FACTS;
  const named = NamingData.safeParse(JSON.parse(facts.user_data.text));
  return {
    saw: record.compliant ? null : decidingFact(record.type, facts.evidence),
    control: textOr(facts.evidence['control']),
    reason: textOr(facts.evidence['reason']),
    evaluation:
      record.type === 'decision' && named.success
        ? { evaluation: named.data.evaluation_id, deniedAt: named.data.denied_at }
        : null,
  };
}

function overrideOf({ type, derived }: AttestationRecord, reason: string | null): SeenAttestation['override'] {
  if (type !== 'override' || derived['overridden_attestation_id'] == null) return null;
  const original = derived['original_is_compliant'];
  return { original: typeof original === 'boolean' ? original : null, reason };
}

/** The version of the custom type that judged an attestation; empty for other types. */
function versionOf({ type, derived }: AttestationRecord): { name: string; version: number }[] {
  const version = derived['type_version'];
  if (!type.startsWith('custom:') || typeof version !== 'number') return [];
  return [{ name: type.slice('custom:'.length), version }];
}

const RuleResults = z.array(z.object({ is_compliant: z.boolean(), reason: z.string().optional() }));

function rulesOf({ derived }: AttestationRecord, texts: readonly string[]): SeenTypeRule[] {
  const results = RuleResults.safeParse(derived['rule_results']);
  if (!results.success) return [];
  return results.data.map(({ is_compliant: compliant, reason = null }, n) => ({
    text: texts[n] ?? null,
    compliant,
    reason,
  }));
}
