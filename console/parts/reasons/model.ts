import { MISSING } from '#shared/base/reasons/sentence.ts';
import { type PlacedStep, placed, type ReasonStep } from '#shared/base/reasons/steps.ts';
import { findPage, type PageName } from '#shared/console/pages.ts';
import type { StateName } from '../../model/states.ts';

/** `reasons` of an answer: sentences, or the steps that the console asks for. */
type Reasons = readonly string[] | readonly ReasonStep[] | undefined;

/** The steps of an answer that was asked for with `reasons=chain`. */
export const stepsOf = (reasons: Reasons): ReasonStep[] =>
  (reasons ?? []).flatMap((reason: string | ReasonStep) => (typeof reason === 'string' ? [] : [reason]));

/** The words for the kinds of steps. */
const KINDS: Readonly<Record<ReasonStep['step'], string>> = {
  environment: 'Environment',
  policy: 'Policy',
  trail: 'Trail',
  slot: 'Asked for',
  attestation: 'Attestation',
  evaluation: 'Evaluation',
  type: 'Rule of the type',
};

export const kindOf = ({ step }: Pick<ReasonStep, 'step'>): string => KINDS[step];

/** The state of a step. What is absent looks like everything else that is missing. */
export function stateOfStep({ compliant, saw }: Pick<ReasonStep, 'compliant' | 'saw'>): StateName {
  if (compliant === null) return 'unknown';
  if (compliant) return 'compliant';
  return saw === MISSING ? 'missing' : 'non-compliant';
}

export interface StepNode extends ReasonStep {
  below: StepNode[];
}

/** The steps as a tree. */
export function treeOf(steps: readonly ReasonStep[]): StepNode[] {
  const roots: StepNode[] = [];
  const way: StepNode[] = [];
  for (const { depth, ...step } of placed(steps) satisfies PlacedStep[]) {
    const node: StepNode = { ...step, below: [] };
    way.length = depth;
    (way.at(-1)?.below ?? roots).push(node);
    way.push(node);
  }
  return roots;
}

/** A page of the console, as links name it. */
interface StepPage {
  name: PageName;
  params: Readonly<Record<string, string>>;
  search: Readonly<Record<string, string>>;
}

/** The page that the address of a step means; null if the console has no such page. */
export function pageOfStep({ html_url: url }: Pick<ReasonStep, 'html_url'>): StepPage | null {
  const at = URL.parse(url);
  if (at === null) return null;
  const found = findPage(at.pathname.split('/').map(decoded).join('/'));
  return found ? { name: found.name, params: found.params, search: Object.fromEntries(at.searchParams) } : null;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}
