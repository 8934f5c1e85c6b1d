import * as z from 'zod';
import type { DraftPlace } from '#shared/agents/drafts/draft-kind.ts';
import type { ReadDraft } from '#shared/agents/drafts/read-drafts.ts';
import { DRAFT_KINDS, DRAFT_STATES, expiryOf, type MadeByDraft, type OpenDraft } from '#shared/agents/rules/draft.ts';
import { toSeconds } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';

/** Answers about drafts (rules/agents.md#drafts). */

const listed = {
  id: z.string().describe('Id of the draft'),
  kind: z.enum(DRAFT_KINDS).describe('What would be written'),
  subject: z.string().describe('Names of the records that it is about'),
  drafted_by: z.string().describe('Name of the user or service account whose agent drafted it'),
  drafted_for: z.enum(['person', 'organization']).meta({
    description: '`person`: only the person who drafted it confirms it; `organization`: a service account drafted it',
  }),
  agent: z
    .string()
    .nullable()
    .meta({ description: 'The name that the agent stated of itself; null if it stated none' }),
  drafted_at: z.number().describe('When it was drafted, in seconds since the epoch'),
  expires_at: z.number().describe('Until when it can be confirmed, in seconds since the epoch'),
  html_url: z.string().describe('Address of the page on which a person confirms it'),
};

export const OpenDraftOut = z.object(listed).meta({ id: 'OpenDraft' });

export const MadeOut = z
  .object({
    type: z.string().describe('Kind of the record'),
    name: z.string().describe('Id of the record, or its name'),
    version: z.int().nullable().describe('Number of its version; null for records without versions'),
    html_url: z.string().describe('Address of the page of the record'),
  })
  .meta({ id: 'MadeByDraft' });

export const DraftOut = z
  .object({
    ...listed,
    state: z.enum(DRAFT_STATES).describe('Only an open draft can be confirmed'),
    request: z
      .object({
        method: z.string().describe('Method of the request that a confirmation stands for'),
        path: z.string().describe('Its path below `/api/v2`'),
        body: z.record(z.string(), z.unknown()).describe('Its body, as the agent drafted it'),
      })
      .describe('What would be written, as the agent drafted it'),
    changes: z
      .array(
        z.object({
          field: z.string().describe('Name of the field'),
          present: z.string().nullable().describe('What it is now; null if there is none'),
          proposed: z.string().nullable().describe('What it would be; null if there would be none'),
        }),
      )
      .meta({
        description: 'The fields that would change, compared with the records as they are now; empty unless it is open',
      }),
    problem: z.string().nullable().meta({
      description:
        'Why an open draft cannot be confirmed: its record changed, or the write would be refused. Else null',
    }),
    ended_by: z.string().nullable().describe('Who confirmed or discarded it; null if nobody did'),
    ended_at: z.number().nullable().describe('When, in seconds since the epoch; null if nobody did'),
    made: MadeOut.nullable().describe('What the confirmation made; null without one'),
  })
  .meta({ id: 'Draft' });

export const openDraftOut = (draft: OpenDraft, at: DraftPlace): z.input<typeof OpenDraftOut> => ({
  id: draft.id,
  kind: draft.kind,
  subject: draft.subject,
  drafted_by: draft.by.name,
  drafted_for: draft.by.kind === 'user' ? 'person' : 'organization',
  agent: draft.agent,
  drafted_at: toSeconds(draft.at),
  expires_at: toSeconds(expiryOf(draft)),
  html_url: pageUrl(at, '/{org}/drafts/{draft}', { draft: draft.id }),
});

export function draftOut(read: ReadDraft, at: DraftPlace): z.input<typeof DraftOut> {
  const { draft, kind, asked, state, changes, problem } = read;
  const { ended } = draft;
  return {
    ...openDraftOut(draft, at),
    state,
    request: kind.callOf(at.org, asked),
    changes: [...changes],
    problem,
    ended_by: ended?.by ?? null,
    ended_at: ended ? toSeconds(ended.at) : null,
    made: ended?.made ? madeOut(ended.made, at) : null,
  };
}

export const madeOut = ({ type, name, version, page }: MadeByDraft, { host }: Pick<DraftPlace, 'host'>) => ({
  type,
  name,
  version,
  html_url: host + page,
});
