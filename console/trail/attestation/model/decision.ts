import { evaluationSentence } from '../../../evaluation/model/evaluations.ts';
import { explanationSentence } from '../../../evaluation/model/explanation.ts';
import type { Evaluation } from '../../../evaluation/operations.ts';
import type { Attestation } from '../../operations.ts';
import { isFields } from './fields.ts';

/** What a decision names: its control, and the evaluation that its reporter says it comes from. */
export interface Decision {
  control: string;
  evaluation: string | null;
}

const EVALUATION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{8}$/;

/** The decision that an attestation is; null for every other attestation. */
export function decisionOf(attestation: Attestation): Decision | null {
  const { attestation_type: type, user_data: data } = attestation;
  const control = attestation['control'];
  if (type !== 'decision' || typeof control !== 'string') return null;
  const id = typeof data === 'object' && data !== null && 'evaluation_id' in data ? data.evaluation_id : undefined;
  return { control, evaluation: typeof id === 'string' && EVALUATION_ID.test(id) ? id : null };
}

/** Who says what about the control. */
export const verdictSentence = (
  control: string,
  { is_compliant: compliant, created_by: by }: Pick<Attestation, 'is_compliant' | 'created_by'>,
): string => `${control} is ${compliant ? '' : 'not '}met, as ${by} reported.`;

/** What the data of a decision say besides the verdict: its short values by their names. */
export function decisionRows(attestation: Attestation): (readonly [label: string, text: string])[] {
  const data = attestation['attestation_data'];
  if (!isFields(data)) return [];
  return Object.entries(data).flatMap(([name, value]) =>
    name === 'is_compliant' || !['string', 'number', 'boolean'].includes(typeof value)
      ? []
      : [[name.replaceAll('_', ' '), String(value)] as const],
  );
}

/** What a reporter added of its own. What an evaluation adds stands in the sentence about the evaluation. */
export function ownUserData({ user_data: data }: Attestation, decision: Decision | null): unknown {
  if (decision?.evaluation == null) return data;
  // A decision names an evaluation only where its data is an object.
  const { evaluation_id: _, violations: __, denied_at: ___, ...own } = data as Record<string, unknown>;
  return own;
}

/** Whether an evaluation recorded a decision. Anybody may report a decision that only names the evaluation. */
export const isRecordedBy = (
  { decision_attestation_id: id }: Pick<Evaluation, 'decision_attestation_id'>,
  attestation: Pick<Attestation, 'attestation_id'>,
): boolean => id === attestation.attestation_id;

/** The verdict of the evaluation, and the rule that decided if the evaluation was explained. */
export function decisionSentence(evaluation: Evaluation): string {
  const { explanation } = evaluation;
  return `${evaluationSentence(evaluation)}${explanation ? ` ${explanationSentence(explanation)}` : ''}`;
}
