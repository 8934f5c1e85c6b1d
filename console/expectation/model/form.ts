import { pairsProblem, readPairs } from '../../parts/form/model/forms.ts';
import { instantText, NO_INSTANT, readInstant } from '../../parts/form/model/instants.ts';
import type { Expectation } from '../operations.ts';
import { isoDuration } from './durations.ts';

/** What the form of an expectation holds, and the request that comes of it. */

type Severity = 'info' | 'warning' | 'critical';
/** By what the attestations of the kind `evidence` are found. */
type Selector = 'name' | 'type' | 'control';
type Per = 'flow' | 'scope';
export type Kind = 'reports' | 'evidence' | 'activity' | 'completion' | 'decision';

interface Values {
  environments: readonly string[];
  flows: readonly string[];
  tags: string;
  evidence_by: Selector;
  evidence: string;
  per: Per;
  control: string;
  every: string;
  grace: string;
  due_soon: string;
  starts_at: string;
  owner: string;
  severity: Severity;
}

/** Whether a kind is about environments; the others are about flows. */
const isAboutEnvironments = (kind: Kind): boolean => kind === 'reports' || kind === 'decision';

/** Fields that only some kinds have. */
const ONLY: Readonly<Record<string, (kind: Kind) => boolean>> = {
  environments: isAboutEnvironments,
  flows: (kind) => !isAboutEnvironments(kind),
  evidence_by: (kind) => kind === 'evidence',
  evidence: (kind) => kind === 'evidence',
  per: (kind) => kind === 'evidence',
  control: (kind) => kind === 'decision',
  due_soon: (kind) => kind !== 'completion' && kind !== 'decision',
};

/** Whether the form of a kind has a field. */
export const hasField = (kind: Kind, field: string): boolean => ONLY[field]?.(kind) ?? true;

/** The kind of an expectation; that of a new one without it. */
export function kindOf(given: Pick<Expectation, 'kind'> | undefined): Kind {
  switch (given?.kind) {
    case 'evidence':
    case 'activity':
    case 'completion':
    case 'decision':
      return given.kind;
    default:
      return 'reports';
  }
}

/** The selector of the evidence that an expectation asks for, and its value. */
export function evidenceOf(given: Pick<Expectation, 'evidence'> | undefined): { by: Selector; value: string } {
  const { name, type, control } = given?.evidence ?? {};
  if (type !== undefined) return { by: 'type', value: type };
  return control === undefined ? { by: 'name', value: name ?? '' } : { by: 'control', value: control };
}

/** The start of an expectation as the form shows it. */
export const startText = ({ starts_at: at }: Pick<Expectation, 'starts_at'>): string => instantText(at);

/** The severity of an expectation; that of a new one without it. */
export function severityOf(given: Pick<Expectation, 'severity'> | undefined): Severity {
  const severity = given?.severity;
  return severity === 'info' || severity === 'critical' ? severity : 'warning';
}

/** What the service would refuse without naming a field of the form. */
export function checkValues(
  kind: Kind,
  { environments, flows, tags, starts_at: start }: Pick<Values, 'environments' | 'flows' | 'tags' | 'starts_at'>,
): Record<string, string> {
  const [field, names] = isAboutEnvironments(kind)
    ? (['environments', environments] as const)
    : (['flows', flows] as const);
  const pairs = pairsProblem(tags);
  const [some, tagged] = [names.length > 0, tags.trim() !== ''];
  return {
    ...(!some && !tagged && { [field]: `Name ${field}, or give tags.` }),
    ...(some && tagged && { tags: `Name ${field} or give tags, not both.` }),
    ...(pairs !== undefined && { tags: pairs }),
    ...(start.trim() !== '' && readInstant(start) === null && { starts_at: NO_INSTANT }),
  };
}

/** Finds the field for an error in the scope or in the evidence. */
export function errorPlace(error: string): { field: string; item?: number } | undefined {
  const [, names, index] = /^scope\.(environments|flows)(?:\[(\d+)\])?/.exec(error) ?? [];
  if (names !== undefined) return { field: names, ...(index !== undefined && { item: Number(index) }) };
  if (error.startsWith('evidence')) return { field: 'evidence' };
  return error.startsWith('scope') ? { field: 'tags' } : undefined;
}

/**
 * Returns the body of the request.
 *
 * @param given the expectation that the form changes. A start that nobody changed is left out: its text has only milliseconds
 */
export function bodyOf(
  { name, kind }: { name: string; kind: Kind },
  values: Values,
  given?: Pick<Expectation, 'starts_at'>,
) {
  const { tags, every, grace, due_soon: soon, starts_at: start, owner, severity } = values;
  const isChanged = start.trim() !== '' && !(given && start === startText(given));
  const { environments, flows } = values;
  const named = isAboutEnvironments(kind)
    ? environments.length > 0 && { environments: [...environments] }
    : flows.length > 0 && { flows: [...flows] };
  return {
    name,
    kind,
    scope: named || { tags: readPairs(tags) },
    ...(kind === 'evidence' && { evidence: { [values.evidence_by]: values.evidence.trim() }, per: values.per }),
    ...(kind === 'decision' && { control: values.control.trim() }),
    every: isoDuration(every),
    ...(grace.trim() !== '' && { grace: isoDuration(grace) }),
    ...(hasField(kind, 'due_soon') && soon.trim() !== '' && { due_soon: isoDuration(soon) }),
    ...(isChanged && { starts_at: readInstant(start) ?? 0 }),
    ...(owner.trim() !== '' && { owner: owner.trim() }),
    severity,
  };
}
