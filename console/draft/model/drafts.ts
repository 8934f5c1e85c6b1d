import type { StateName } from '../../model/states.ts';
import { count } from '../../model/words.ts';
import type { Draft, OpenDraft } from '../operations.ts';

/** What a draft would write, in sentences. */
export const KIND_WORDS: Readonly<Record<OpenDraft['kind'], string>> = {
  attestation: 'an attestation',
  override: 'an override of an attestation',
  policy: 'a version of a policy',
  expectation: 'an expectation',
};

/** The state of a draft at an instant in seconds: the hour can end while the page is open. */
export function stateOfDraft(
  { state, expires_at: expires }: Pick<Draft, 'state' | 'expires_at'>,
  now: number,
): StateName {
  if (state !== 'open') return state;
  return expires <= now ? 'expired' : 'pending';
}

/** The first sentence of the page of a draft. */
export function draftSentence(draft: Draft, now: number): string {
  const what = KIND_WORDS[draft.kind];
  const who = draft.ended_by ?? 'Somebody';
  switch (stateOfDraft(draft, now)) {
    case 'confirmed':
      return `${who} confirmed it: ${what} was written.`;
    case 'discarded':
      return `${who} discarded it, and nothing was written.`;
    case 'expired':
      return 'Nobody confirmed it within its hour, and nothing was written. Ask the agent for a new one.';
    default:
      return draft.problem === null
        ? `An agent proposes ${what}. Nothing is written until you confirm it.`
        : `It cannot be confirmed: ${draft.problem}`;
  }
}

/** The first sentence of the list. */
export const draftListSentence = (open: readonly OpenDraft[]): string =>
  open.length === 0
    ? 'No agent proposes anything now.'
    : `Agents propose ${count(open.length, 'write')}. None of it is written yet.`;

/** The name by which an agent is shown: it states the name itself, and nobody checks it. */
export const agentName = ({ agent }: Pick<OpenDraft, 'agent'>): string => agent ?? 'an agent without a name';
