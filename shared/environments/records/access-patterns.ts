import { EnvironmentId, FlowId, OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { type AccessPattern, BATCH, ONE, patternsOf, RANGE, WRITE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');
const FLOW = FlowId.parse('{flow id}');
const FINGERPRINT = StoredFingerprint.parse('{fingerprint}');
const ENVIRONMENT = EnvironmentId.parse('{environment id}');

const rows = patternsOf(keys);

export const ENVIRONMENT_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Environments',
    [
      'Which environment has this name, or had it?',
      'environmentNameKey',
      [ORG, AnyEnvironmentName.parse('{name}')],
      `${ONE}; none with a hint`,
    ],
    ['What is there of an environment?', 'environmentPartition', [ORG, ENVIRONMENT], RANGE],
    ['What must a report know of an environment?', 'environmentHeadKey', [ORG, ENVIRONMENT], ONE],
    [
      'What do lists show of environments beside the catalogue?',
      'environmentDetailsPartition',
      [ORG],
      'Query: 1 unit per 4 KB of all details',
    ],
    ['What is its description?', 'environmentFactsKey', [ORG, ENVIRONMENT], BATCH],
    [
      'Which policies and members does a list show of it?',
      'environmentLinksKey',
      [ORG, ENVIRONMENT],
      'Query of the details',
    ],
    ['Which tags has it?', 'environmentTagsKey', [ORG, ENVIRONMENT], BATCH],
    [
      'Which logical environments have it as a member?',
      'environmentGroupKey',
      [ORG, ENVIRONMENT, EnvironmentId.parse('{logical id}')],
      'Query of its partition: 1 unit',
    ],
  ),
  ...rows(
    'Snapshots',
    ['Which snapshots has an environment?', 'snapshotPartition', [ORG, ENVIRONMENT], RANGE],
    ['What was the verdict of snapshot n?', 'snapshotKey', [ORG, ENVIRONMENT, 3], `${ONE}; a range`],
    ['What ran in snapshot n?', 'snapshotContentKey', [ORG, ENVIRONMENT, 3], ONE],
    [
      'Which snapshot was the newest at an instant?',
      'snapshotTimeKey',
      [ORG, ENVIRONMENT, fromSeconds(1_800_000_000)],
      'Query of the one before it: 1 unit',
    ],
    [
      'Since when has an environment its state, and which states had it before?',
      'snapshotStateKey',
      [ORG, ENVIRONMENT, fromSeconds(1_800_000_000)],
      'Query of the newest 61',
    ],
    ['How far were snapshots expanded?', 'expandedKey', [ORG, ENVIRONMENT], WRITE],
    ['What happened in an environment?', 'environmentEventPartition', [ORG, ENVIRONMENT], RANGE],
    ['What is event n?', 'environmentEventKey', [ORG, ENVIRONMENT, 3], 'Query of the page'],
    [
      'What happened to artifacts of a repository?',
      'repoEventPartition',
      [ORG, ENVIRONMENT, '{repo id}'],
      'Query up to the page',
    ],
    ['Is event n about a repository?', 'repoEventKey', [ORG, ENVIRONMENT, '{repo id}', 3], 'Put with the event'],
    ['Which artifacts started in a month, by time?', 'startPartition', [ORG, '202611'], RANGE],
    ['Which start was this?', 'startKey', [ORG, '202611', '{entry id}'], 'Put with the event'],
    [
      'Where does an artifact run, and where did it?',
      'runningPartition',
      [ORG, FINGERPRINT],
      'Query: 1 unit per 4 KB, an item per environment',
    ],
    ['Does it run in this environment?', 'runningKey', [ORG, FINGERPRINT, ENVIRONMENT], WRITE],
    [
      'When did it run, and with which verdict?',
      'runningPastPartition',
      [ORG, FINGERPRINT],
      'Query of at most 200; beyond that one for each environment',
    ],
    [
      'What changed with a snapshot?',
      'runningPastKey',
      [ORG, FINGERPRINT, ENVIRONMENT, fromSeconds(1_800_000_000)],
      'Put with the event',
    ],
    ['Where did artifacts of a flow run?', 'flowRunsPartition', [ORG, FLOW], WRITE],
    ['Did any run here?', 'flowRunsKey', [ORG, FLOW, ENVIRONMENT], WRITE],
    ['How many artifacts started per day?', 'deploymentsPartition', [ORG, ENVIRONMENT], 'Query of at most 366 days'],
    ['How many on one day?', 'deploymentsKey', [ORG, ENVIRONMENT, '20261121'], WRITE],
    ['What came from a reporter on each day?', 'presencePartition', [ORG, ENVIRONMENT], 'Query of at most 100 days'],
    ['What came on one day?', 'presenceKey', [ORG, ENVIRONMENT, '2026-11-21'], 'Put when the day is closed'],
    ['What is allowed in an environment?', 'allowedPartition', [ORG, ENVIRONMENT], RANGE],
    [
      'Is this fingerprint allowed there?',
      'allowedKey',
      [ORG, ENVIRONMENT, FINGERPRINT],
      'BatchGet: 1 unit per artifact of a changed report',
    ],
    [
      'Who allowed it, when and why?',
      'allowedEntryKey',
      [ORG, ENVIRONMENT, FINGERPRINT, '{entry id}'],
      'Put with the entry in force',
    ],
  ),
];
