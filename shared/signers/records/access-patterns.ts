import { OrganizationId } from '#shared/base/ids.ts';
import { type AccessPattern, ONE, patternsOf, RANGE, WRITE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

/** Access patterns of trust roots, signers and recalls. */
export const SIGNER_PATTERNS: readonly AccessPattern[] = rows(
  'Signers',
  ['Which trust roots are there, by name?', 'trustRootList', [ORG], RANGE],
  ['What does a trust root say now?', 'trustRootKey', [ORG, '{name}'], ONE],
  ['Which versions of trust roots were there?', 'trustRootVersions', [ORG], 'Query of exports, page by page'],
  ['What were versions m to n of a trust root?', 'trustRootVersionKey', [ORG, '{name}', 3], RANGE],
  ['Which public root verifies now?', 'publicRootKey', [], ONE],
  ['When was the public root refreshed?', 'publicRootStateKey', [], 'Get of the relay, once a minute'],
  ['What does the next refresh of the public root need?', 'publicRootMetadataKey', [], WRITE],
  ['What did a public root say?', 'keptRootKey', ['{sha-256}'], ONE],
  ['Which signers are there, by name?', 'signerList', [ORG], RANGE],
  ['What does a signer say now?', 'signerKey', [ORG, '{name}'], ONE],
  ['Which versions of signers were there?', 'signerVersions', [ORG], 'Query of exports, page by page'],
  ['What were versions m to n of a signer?', 'signerVersionKey', [ORG, '{name}', 3], RANGE],
  ['Which recalls are there, by name?', 'recallList', [ORG], RANGE],
  ['What does a recall say now?', 'recallKey', [ORG, '{name}'], ONE],
  ['Which versions of recalls were there?', 'recallVersions', [ORG], 'Query of exports, page by page'],
  ['What were versions m to n of a recall?', 'recallVersionKey', [ORG, '{name}', 3], RANGE],
);
