import { STATEMENT_KINDS } from './predicates/kind-of.ts';

/** The type of decisions that nobody signed (rules/attestations.md#decision). */
const DECISION = 'decision';

/** The types that decisions about a control can have. A signed bundle can be one, and its type is what it states. */
export const TYPES_OF_DECISIONS: readonly string[] = [DECISION, ...STATEMENT_KINDS];

/** Whether an attestation is a decision about a control (rules/controls.md#signed-decisions). */
export const isDecision = ({ type, derived }: { type: string; derived: Readonly<Record<string, unknown>> }): boolean =>
  type === DECISION || 'control_version' in derived;
