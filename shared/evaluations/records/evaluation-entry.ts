import { commitment } from '#shared/base/digests.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { FIRST_PREVIOUS, linkEntry } from '#shared/base/proofs/hash-chain.ts';
import { randomBytes } from '#shared/base/random.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import { detailsText, type EvaluationFacts, evaluationText } from '../rules/evaluation-text.ts';

const DOMAIN = 'delivery-evidence/evaluation';
const KIND = 'evaluation';

interface SealedEvaluation extends EvaluationFacts {
  id: string;
  ended: Micros | null;
  pledges: Record<string, Uint8Array>;
  salts: Record<string, Uint8Array>;
  erased?: Erasure | undefined;
}

/**
 * Completes an evaluation that ends with its commitments (rules/evaluations.md#entry-of-the-log).
 *
 * @param bodies commitments to the bodies that the end adds
 */
export function sealEvaluation<R extends SealedEvaluation>(
  record: R,
  ended: Micros,
  bodies: Readonly<Record<string, Uint8Array>>,
  random: (size: number) => Uint8Array = randomBytes,
): R {
  const texts = {
    evaluation: evaluationText(record),
    details: detailsText(record),
    error: record.error?.message ?? null,
  };
  const salts: Record<string, Uint8Array> = {};
  const pledges: Record<string, Uint8Array> = { ...record.pledges, ...bodies };
  for (const [name, text] of Object.entries(texts)) {
    if (text === null) continue;
    const salt = random(32);
    salts[name] = salt;
    pledges[name] = commitment(salt, text);
  }
  return { ...record, ended, salts, pledges };
}

/**
 * Returns the bytes of an evaluation that are an entry of the organization's log; null while the evaluation is pending.
 *
 * @throws Error if the evaluation is not the one that its commitment covers
 */
export function evaluationEntry(org: OrganizationId, record: SealedEvaluation): Buffer | null {
  const { id, ended, pledges } = record;
  if (ended === null) return null;
  requireSealed(record);
  return linkEntry(DOMAIN, FIRST_PREVIOUS, {
    org,
    subject: { evaluation: id },
    number: 0,
    kind: KIND,
    at: ended,
    commitments: Object.fromEntries(
      Object.entries(pledges).map(([name, pledge]) => [name, Buffer.from(pledge).toString('hex')]),
    ),
  });
}

/** Verifies what an evaluation commits to beside its bodies. @throws Error that names the evaluation */
export function requireSealed<R extends SealedEvaluation>(record: R): R {
  if (record.ended === null) return record;
  const { salts, error, erased } = record;
  requireText(record, 'evaluation', salts['evaluation'], evaluationText(record));
  if (erased) return record;
  const details = detailsText(record);
  if (details !== null) requireText(record, 'details', salts['details'], details);
  if (error) requireText(record, 'error', salts['error'], error.message);
  return record;
}

/** Verifies that a text is the one under a commitment of an evaluation. @throws Error that names the evaluation */
export function requireText(
  { id, pledges }: Pick<SealedEvaluation, 'id' | 'pledges'>,
  name: string,
  salt: Uint8Array | undefined,
  text: string,
): void {
  const pledge = pledges[name];
  if (salt && pledge && commitment(salt, text).equals(pledge)) return;
  throw new Error(`Evaluation ${id} is not the one that was stored: the commitment '${name}' covers another text`);
}
