import { endpointGroup } from '#shared/http/endpoint.ts';
import { confirmDraft, discardDraft } from './end-draft.ts';
import { getDraft, listDrafts } from './read-drafts.ts';

export const draftsGroup = endpointGroup({
  name: 'drafts',
  about: 'Writes that agents propose, and a person confirms within an hour.',
  endpoints: [listDrafts, getDraft, confirmDraft, discardDraft],
});
