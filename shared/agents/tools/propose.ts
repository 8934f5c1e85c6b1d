import { timeText } from '#shared/base/texts/instants.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { DraftChange, DraftServices } from '../drafts/draft-kind.ts';
import { DRAFTABLE } from '../drafts/kinds/all.ts';
import { makeDraft } from '../drafts/make-draft.ts';
import { type DraftKindName, expiryOf } from '../rules/draft.ts';
import { quote } from '../rules/quote.ts';
import type { ToolAnswer } from '../rules/tool-answer.ts';
import type { ToolContext } from '../tool.ts';

/** Longest quote of what a field says, in characters. */
const LONGEST_VALUE = 300;

/** Stores a draft, and answers where a person reads and confirms it (rules/agents.md#drafts). */
export async function propose(
  { services, org, role, caller, agent, host, now: receivedAt }: ToolContext<DraftServices>,
  kind: DraftKindName,
  asked: object,
): Promise<ToolAnswer> {
  const { draft, changes } = await makeDraft(services, { org, role, caller, agent, receivedAt }, kind, asked);
  const address = pageUrl({ host, org }, '/{org}/drafts/{draft}', { draft: draft.id });
  const until = timeText(expiryOf(draft));
  const who =
    caller.kind === 'user'
      ? `${quote(caller.name)} reads it there and`
      : 'A member of the organization reads it there and';
  return {
    verdict: `This is a draft of ${DRAFTABLE[kind].words}, ${quote(draft.subject)}, and nothing is stored as evidence. ${who} confirms or discards it until ${until}.`,
    facts: { draft: draft.id, kind, about: quote(draft.subject), confirm_until: until, confirm_at: address },
    rows: changes.map(changeRow),
    ask: 'The page of the draft shows all of it.',
    citations: [{ what: 'the draft', url: address }],
  };
}

function changeRow({ field, present, proposed }: DraftChange) {
  const [before, after] = [quoted(present), quoted(proposed)];
  return {
    sentence: `${field}: ${before ?? 'nothing'} would become ${after ?? 'nothing'}`,
    facts: { field, present: before, proposed: after },
  };
}

const quoted = (text: string | null): string | null => (text === null ? null : quote(text, LONGEST_VALUE));
