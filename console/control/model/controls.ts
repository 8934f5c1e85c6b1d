import { count, listed } from '../../model/words.ts';
import type { ErrorPlace } from '../../parts/form/model/forms.ts';
import type { Attestation } from '../../trail/operations.ts';
import type { Control, Coverage } from '../operations.ts';

/** What the list of controls says first. */
export function controlListSentence(total: number, isFiltered: boolean): string {
  if (isFiltered)
    return total === 0
      ? 'No control fits the filter.'
      : `${count(total, 'control')} fit${total === 1 ? 's' : ''} the filter.`;
  return total === 0 ? 'The catalogue of controls is empty.' : `${count(total, 'control')} in the catalogue.`;
}

type CoverageFacts = Pick<Coverage, 'total' | 'covered'>;

/** Where a control applies: which environments have a policy that names it. */
export function controlSentence(
  control: Pick<Control, 'archived' | 'policies_referencing'>,
  { total, covered }: CoverageFacts,
): string {
  const policies = control.policies_referencing;
  const archived = control.archived ? 'Archived. ' : '';
  if (policies.length === 0) return `${archived}No policy asks for it, so it covers no environment.`;
  const by = `${listed(policies)} ${policies.length === 1 ? 'asks' : 'ask'} for it`;
  if (covered === total && total > 0) return `${archived}Covers all of ${count(total, 'environment')}: ${by}.`;
  return `${archived}Covers ${covered} of ${count(total, 'environment')}: ${by}.`;
}

/** Which decisions count for a control; undefined if all do (rules/controls.md#requirements). */
export function requirementsText({ requires }: Pick<Control, 'requires'>): string | undefined {
  if (!requires) return undefined;
  const { flows, signed_by: signers, grade } = requires;
  const asked = [
    ...(flows ? [`of ${flows.length === 1 ? 'the flow' : 'the flows'} ${listed(flows)}`] : []),
    ...(signers ? [`signed by ${signers.join(' or ')}`] : []),
    ...(grade ? [`of the grade ${grade} or better`] : []),
  ];
  return `counts only decisions ${asked.join(', ')}`;
}

/** What the decisions about a control say, the newest first. */
export function decisionsSentence(decisions: readonly Pick<Attestation, 'is_compliant'>[], hasMore: boolean): string {
  if (decisions.length === 0) return 'Nobody recorded a decision about it.';
  const failed = decisions.filter(({ is_compliant: compliant }) => compliant === false).length;
  const many = hasMore ? `the newest ${count(decisions.length, 'decision')}` : count(decisions.length, 'decision');
  if (failed === 0) return decisions.length === 1 ? 'The only decision is compliant.' : `All of ${many} are compliant.`;
  return `${failed} of ${many} ${failed === 1 ? 'is' : 'are'} not compliant.`;
}

/** `requires.flows[1]` belongs to the second flow. */
export function requirementPlace(error: string): ErrorPlace | undefined {
  const [, field, item] = /^requires\.(\w+)(?:\[(\d+)\])?$/.exec(error) ?? [];
  return field === undefined ? undefined : { field, ...(item !== undefined && { item: Number(item) }) };
}
