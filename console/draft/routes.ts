import { read } from '../client/query-client.ts';
import { route } from '../routes/route.ts';
import { draft, drafts } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

export const draftsRoute = route({
  name: 'drafts',
  search: {},
  reads: (params) => [read(drafts, params)],
});

export const readDraft = (org: string, id: string) => read(draft, { org, draft_id: id });

export const draftRoute = route({
  name: 'draft',
  search: {},
  reads: ({ org, draft: id }) => [readDraft(org, id)],
});
