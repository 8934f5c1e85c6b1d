import { type Write, write } from '../parts/form/model/forms.ts';
import { stateOfDraft } from './model/drafts.ts';
import { confirmDraft, type Draft, discardDraft } from './operations.ts';

/** What a person can decide about a draft (rules/agents.md#confirm). None if it ended. */
export function decisions(org: string, draft: Draft, now: number): Write[] {
  if (stateOfDraft(draft, now) !== 'pending') return [];
  const request = () => ({ params: { org, draft_id: draft.id } });
  return [
    write({
      button: 'Confirm',
      does: `Confirm ${draft.subject}`,
      sends: 'Confirm',
      doing: 'confirm drafts',
      operation: confirmDraft,
      about: 'It is written as this page shows it, in your name, and the log says which agent drafted it.',
      fields: {},
      ...(draft.problem !== null && { refusal: draft.problem }),
      request,
      done: 'Confirmed.',
    }),
    write({
      button: 'Discard',
      does: `Discard ${draft.subject}`,
      sends: 'Discard',
      doing: 'discard drafts',
      operation: discardDraft,
      about: 'Nothing is written.',
      fields: {},
      isDanger: true,
      request,
      done: 'Discarded.',
    }),
  ];
}
