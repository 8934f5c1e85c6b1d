import { OrganizationId } from '#shared/base/ids.ts';
import { type AccessPattern, ONE, patternsOf } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

/** Access patterns of drafts. */
export const AGENT_PATTERNS: readonly AccessPattern[] = rows(
  'Drafts of agents',
  ['Which drafts can be confirmed?', 'openDraftList', [ORG], 'Query of the last hour: at most 100 small items'],
  ['Is draft x still open?', 'openDraftKey', [ORG, '{id}'], 'Put and Delete with the draft'],
  ['What would draft x write?', 'draftKey', [ORG, '{id}'], ONE],
);
