import { OrganizationId } from '#shared/base/ids.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { type AccessPattern, ONE, patternsOf, RANGE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');

const rows = patternsOf(keys);

/** Access patterns of actions and deliveries. */
export const NOTIFICATION_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Notifications',
    ['Which actions are there, in all their versions?', 'actionPartition', [ORG], RANGE],
    [
      'Which actions are there now?',
      'currentActionsPartition',
      [ORG],
      'Query of the sort keys that begin with `C#`: 1 unit per 4 KB',
    ],
    ['What is action n now?', 'currentActionKey', [ORG, 2], 'Put and Delete with the versions'],
    ['Which number gets the next action?', 'actionCounterKey', [ORG], ONE],
    ['How often were notifications saved, and environments archived?', 'notificationCountersKey', [ORG], ONE],
    ['What was version v of action n?', 'actionKey', [ORG, 2, 1], 'with its partition'],
    ['Which action has this name?', 'actionNameKey', [ORG, '{kind}', '{name}'], ONE],
    ['What signs the messages of action n?', 'actionSecretKey', [ORG, 2], ONE],
    ['How are the targets of all actions?', 'targetHealthPartition', [ORG], RANGE],
    ['How is one target?', 'targetHealthKey', [ORG, 2, '{target}'], ONE],
    ['What was delivered for action n in a month?', 'deliveryPartition', [ORG, 2, '202611'], RANGE],
    ['What became of a delivery?', 'deliveryKey', [ORG, 2, '202611', '{delivery}'], ONE],
    ['What became of attempt n of a delivery?', 'attemptKey', [ORG, 2, '202611', '{delivery}', 1], 'with its delivery'],
    ['Which deliveries did an organization have in a month?', 'deliveryListPartition', [ORG, '202611'], RANGE],
    ['Which action has a delivery?', 'deliveryEntryKey', [ORG, '202611', '{delivery}'], 'Put with the delivery'],
    ['Which deliveries are due?', 'duePartition', [1], `${keys.DUE_SHARDS} Queries by sweeps`],
    [
      'When is a delivery due?',
      'dueKey',
      [fromSeconds(1_800_000_000), ORG, 2, '{delivery}1'],
      'Put and Delete with the delivery',
    ],
    ['Who waits for events?', 'notifiedOrganizations', [], 'Query by sweeps'],
    ['Does an organization wait for events?', 'notifiedOrganizationKey', [ORG], 'Put with its first action'],
  ),
];
