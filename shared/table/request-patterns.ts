import { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { type AccessPattern, ONE, patternsOf, RANGE } from './access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

/** Access patterns of stored answers and of the state of the table. */
export const REQUEST_PATTERNS: readonly AccessPattern[] = [
  ...rows('Lists', [
    'Was this request answered before?',
    'idempotencyKey',
    [ORG, PrincipalId.parse('{principal}'), '{digest}'],
    `${ONE}, with an Idempotency-Key only`,
  ]),
  ...rows(
    'Table',
    ['Does the table take writes, and which data format has it?', 'tableStateKey', [], `${ONE}; trusted for 10 s`],
    [
      'How much did an organization or a key send lately?',
      'limitKey',
      ['{organization, key or session}'],
      'One update after 40 requests of a process; no request waits for it',
    ],
    ['How far is a migration?', 'migrationKey', [], 'Put after each page of the migration'],
    ['Which export is being imported?', 'importKey', ['{organization name}'], 'Put and removed by an import'],
    ['How far has the restore into this table come?', 'restoreKey', ['{table}'], ONE],
    ['What did this step of the restore do?', 'restoreNoteKey', ['{table}', '{step}', '{name}'], RANGE],
  ),
];
