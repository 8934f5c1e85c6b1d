import { OrganizationId, PolicyId, StoredFingerprint } from '#shared/base/ids.ts';
import { type AccessPattern, BATCH, EACH, ONE, patternsOf, RANGE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');
const FINGERPRINT = StoredFingerprint.parse('{fingerprint}');
const CONTROL = '{identifier}';
const POLICY = PolicyId.parse('{policy id}');

const rows = patternsOf(keys);

/** Access patterns of controls and decisions. */
export const CONTROL_PATTERNS: readonly AccessPattern[] = [
  ...rows('Evidence', [
    'Which decisions about a control were there on an artifact?',
    'decisionPartition',
    [ORG, '{control}', { fingerprint: FINGERPRINT }],
    EACH,
  ]),
  ...rows(
    'Controls',
    ['What is there of a control?', 'controlPartition', [ORG, CONTROL], RANGE],
    ['What does a control say now?', 'controlHeadKey', [ORG, CONTROL], `${ONE}; ${BATCH}`],
    ['What were versions m to n of a control?', 'controlVersionKey', [ORG, CONTROL, 3], `${ONE}; ${RANGE}`],
    ['Which tags has a control?', 'controlTagsKey', [ORG, CONTROL], 'with its head'],
    [
      'Which controls have a tag of this name?',
      'controlTagPartition',
      [ORG, '{tag}'],
      'Query: 1 unit per 4 KB of those that have it',
    ],
    [
      'Has a control this tag?',
      'controlTagKey',
      { ...keys.controlTagKey(ORG, '{tag}', '', '{id}'), sk: '{sha-256}#{control id}' },
      'Put and Delete with the tags',
    ],
  ),
  ...rows(
    'Policies',
    ['Which policies name a control?', 'controlPolicyPartition', [ORG, '{control}'], RANGE],
    ['Does a policy name it?', 'controlPolicyKey', [ORG, '{control}', POLICY], 'Put and Delete with versions'],
  ),
];
