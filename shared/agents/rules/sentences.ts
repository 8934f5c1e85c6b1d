import { sentence } from '#shared/base/errors.ts';

/** Sentences about drafts (rules/agents.md#drafts). */

export const draftNotFound = sentence('not-found', 'Draft not found');
export const draftExpired = sentence(
  'gone',
  'This draft could be confirmed until {at}, an hour after it was made. Ask for a new one',
);
export const draftConfirmed = sentence('conflict', '{by} confirmed this draft at {at}. It made {made}');
export const draftDiscarded = sentence('conflict', '{by} discarded this draft at {at}. Ask for a new one');
export const personConfirms = sentence(
  'refused',
  'Only a person who is signed in with a browser can confirm or discard a draft',
);
export const readerDraftsNothing = sentence(
  'refused',
  'Your role is reader, so you could not confirm a draft. Ask an administrator for the role member',
);
export const tooManyDrafts = sentence(
  'conflict',
  'You have {count} open drafts, the most there can be. Confirm or discard one of them, or wait an hour',
);
export const tooManyDraftsOfAll = sentence(
  'conflict',
  'The organization has {count} open drafts, the most there can be. Confirm or discard one of them, or wait an hour',
);
