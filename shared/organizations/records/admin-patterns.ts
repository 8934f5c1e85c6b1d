import { type AccessPattern, ONE, patternsOf, RANGE } from '#shared/table/access-patterns.ts';
import * as keys from './admin-keys.ts';

const ORG = '{org}';

const rows = patternsOf(keys);

/** Access patterns of service accounts and the audit log. */
export const ADMIN_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Service accounts',
    ['Which service account has this name?', 'accountKey', keys.accountKey(ORG, '{name}'), ONE],
    ['Which service accounts are there?', 'accountList', keys.accountList(ORG), RANGE],
  ),
  ...rows(
    'Audit log',
    [
      'Who changed what, newest first?',
      'auditPartition',
      keys.auditPartition(ORG, '202611'),
      'Query of six months at once, five times at most',
    ],
    [
      'What was this change?',
      'auditKey',
      keys.auditKey(ORG, '202611', '{entry id}'),
      'Put in the transaction of the change',
    ],
  ),
];
