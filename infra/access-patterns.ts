import { CONTROL_PATTERNS } from '../shared/controls/records/control-patterns.ts';
import { ENVIRONMENT_PATTERNS } from '../shared/environments/records/environment-patterns.ts';
import { EVALUATION_PATTERNS } from '../shared/evaluations/records/evaluation-patterns.ts';
import { REPO_PATTERNS } from '../shared/evidence/records/repo-patterns.ts';
import { ADMIN_PATTERNS } from '../shared/organizations/records/admin-patterns.ts';
import { type AccessPattern, BATCH, ONE, patternsOf, RANGE, WRITE } from '../shared/table/access-patterns.ts';
import * as keys from '../shared/table/keys.ts';

const ORG = '{org}';
const FLOW = '{flow id}';
const TRAIL = '{trail}';
const FINGERPRINT = '{fingerprint}';
/** Ids end in a random digit, which says in which of several partitions they lie. */
const ID_ENDING_IN_5 = '{id}5';

const rows = patternsOf(keys);

const trail = keys.trailPartition(ORG, FLOW, TRAIL);

/** Every access pattern of the table, by record family. A new query begins as a new row here (house style 12). */
export const ACCESS_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Directory',
    ['Whose API key is this?', 'apiKeyKey', keys.apiKeyKey('{sha-256}'), `${ONE}; trusted for 30 s`],
    ['Which keys does a principal have?', 'principalKeyList', keys.principalKeyList('{principal}'), RANGE],
    ['Which key has this id?', 'principalKeyKey', keys.principalKeyKey('{principal}', '{key id}'), ONE],
    [
      'Which organization has this name?',
      'organizationKey',
      keys.organizationKey('{name}'),
      `${ONE}; trusted for 30 s`,
    ],
    ['Which organizations are there?', 'organizationList', keys.organizationList, 'Query by sweeps: 1 unit per 4 KB'],
    [
      'Is an organization listed for sweeps?',
      'organizationListKey',
      keys.organizationListKey(ORG),
      'Put when it is made',
    ],
    ['Which user has this name?', 'userKey', keys.userKey('{name}'), ONE],
    ['Which role has a user here?', 'memberKey', keys.memberKey(ORG, '{user id}'), `${ONE}; trusted for 30 s`],
    ['Who are the members?', 'memberList', keys.memberList(ORG), RANGE],
  ),
  ...rows(
    'Flows',
    [
      'Which flow has this name, or had it?',
      'flowNameKey',
      keys.flowNameKey(ORG, '{name}'),
      `${ONE}; none with a hint`,
    ],
    ['What is there of a flow?', 'flowPartition', keys.flowPartition(ORG, FLOW), RANGE],
    ['What must a writer know of a flow?', 'flowHeadKey', keys.flowHeadKey(ORG, FLOW), ONE],
    ['What is only shown of a flow?', 'flowFactsKey', keys.flowFactsKey(ORG, FLOW), BATCH],
    ['Which tags has a flow?', 'flowTagsKey', keys.flowTagsKey(ORG, FLOW), BATCH],
    ['Which flows have this tag?', 'flowTagPartition', keys.flowTagPartition(ORG, '{key}', '{value}'), RANGE],
    [
      'Has a flow this tag?',
      'flowTagKey',
      keys.flowTagKey(ORG, '{key}', '{value}', FLOW),
      'Put and Delete with the tags',
    ],
  ),
  ...rows(
    'Trails',
    ['What is there of a trail?', 'trailPartition', trail, 'Query: 1 unit per 4 KB; writers read from the head on'],
    ['What decides the verdict of a trail?', 'trailHeadKey', keys.trailHeadKey(trail), 'with its slots, in one Query'],
    ['What are the fields of a trail?', 'trailFieldsKey', keys.trailFieldsKey(trail), `${ONE}; ${BATCH}`],
    ['What were its fields before?', 'trailPastFieldsKey', keys.trailPastFieldsKey(trail, 3), 'with the whole trail'],
    [
      'Which commit does a moment name?',
      'trailCommitKey',
      keys.trailCommitKey(trail, '{digest}'),
      'with the whole trail',
    ],
    ['Which repositories did reports name?', 'trailRepoKey', keys.trailRepoKey(trail, '{repo id}'), 'with the head'],
    [
      'What is the latest report of an artifact in the trail?',
      'artifactSlotItemKey',
      keys.artifactSlotItemKey(trail, `${FINGERPRINT}#{name}#{commit}`),
      'with the head',
    ],
    [
      'What is the latest attestation of a scope, name and type?',
      'attestationSlotItemKey',
      keys.attestationSlotItemKey(trail, 'T#{name}#{type}'),
      'with the head',
    ],
    ['What happened in a trail?', 'momentPartition', keys.momentPartition(ORG, FLOW, TRAIL), RANGE],
    ['What is moment n?', 'momentKey', keys.momentKey(ORG, FLOW, TRAIL, 3), 'Query of a range of numbers: the page'],
    [
      'What did the runtime do with what a trail made?',
      'runtimePartition',
      keys.runtimePartition(ORG, FLOW, TRAIL, '202611'),
      'Query: the newest 200',
    ],
    ['In which months did it?', 'runtimeMonthsKey', keys.runtimeMonthsKey(ORG, FLOW, TRAIL), 'with the trail: 1 unit'],
  ),
  ...rows(
    'Evidence',
    ['What says attestation x?', 'attestationKey', keys.attestationKey(ORG, '{id}'), `${ONE}; ${BATCH}`],
    ['What says report x of an artifact?', 'artifactKey', keys.artifactKey(ORG, '{id}'), `${ONE}; ${BATCH}`],
    ['Which artifacts and commits begin with these digits?', 'shaPartition', keys.shaPartition(ORG, 'abcdef'), RANGE],
    ['Where was a fingerprint first reported?', 'buildKey', keys.buildKey(ORG, 'abcdef…'), ONE],
    ['Which fingerprints ran that no flow vouched for?', 'unvouchedKey', keys.unvouchedKey(ORG, 'abcdef…'), RANGE],
    ['Which reports named a commit?', 'commitEntryKey', keys.commitEntryKey(ORG, 'abcdef…', '{report id}'), RANGE],
    [
      'Which flows hold a fingerprint?',
      'fingerprintPartition',
      keys.fingerprintPartition(ORG, FINGERPRINT),
      'Query: 1 unit per 4 KB, an item per flow',
    ],
    [
      'What is its latest report in a flow?',
      'fingerprintFlowKey',
      keys.fingerprintFlowKey(ORG, FINGERPRINT, FLOW),
      ONE,
    ],
    [
      'Which decisions about a control were there on an artifact?',
      'decisionPartition',
      keys.decisionPartition(ORG, '{control}', { fingerprint: FINGERPRINT }),
      RANGE,
    ],
  ),
  ...rows(
    'Repositories',
    ['Which repositories have this external id?', 'repoPartition', keys.repoPartition(ORG, '{external id}'), RANGE],
    ['Which one, at this provider?', 'repoKey', keys.repoKey(ORG, '{external id}', '{provider}'), 'with its partition'],
    ['Which repository has this inner id?', 'repoIdKey', keys.repoIdKey(ORG, '{repo id}'), ONE],
  ),
  ...REPO_PATTERNS,
  ...rows(
    'Custom types',
    ['What is there of a type?', 'typePartition', keys.typePartition(ORG, '{name}'), RANGE],
    ['What does attesting need of a type?', 'typeHeadKey', keys.typeHeadKey(ORG, '{name}'), ONE],
    ['What was version n of a type?', 'typeVersionKey', keys.typeVersionKey(ORG, '{name}', 3), ONE],
  ),
  ...rows(
    'Bodies',
    ['Who uses a body?', 'bodyPartition', keys.bodyPartition(ORG, '{sha-256}'), 'Query by erasures: 1 unit per 4 KB'],
    ['Where is a shared body?', 'bodyKey', keys.bodyKey(ORG, '{sha-256}'), `${ONE}; none while it is remembered`],
    ['Does x use a body?', 'bodyUseKey', keys.bodyUseKey(ORG, '{sha-256}', '{user}'), 'Put with the record'],
    ['What was announced as upload x?', 'uploadKey', keys.uploadKey(ORG, '{upload id}'), ONE],
  ),
  ...rows(
    'Lists',
    [
      'Which flows (types, repositories, …) are there?',
      'cataloguePartition',
      keys.cataloguePartition(ORG, '{kind}', 5),
      `${keys.CATALOGUE_SHARDS} Queries at once: 1 unit per 4 KB of all entries`,
    ],
    [
      'Which entry has a record in its catalogue?',
      'catalogueKey',
      keys.catalogueKey(ORG, '{kind}', ID_ENDING_IN_5),
      'Put with the record',
    ],
    [
      'When was a flow last active and last deployed, and what was its state?',
      'activityKey',
      keys.activityKey(ORG, '{kind}', ID_ENDING_IN_5),
      'with its catalogue; 1 unit for one flow',
    ],
    [
      'Which entries has a time series, from one id to another?',
      'seriesPartition',
      keys.seriesPartition(ORG, '{series}', '202611'),
      'a Query per month of the page or the tail: 1 unit per 4 KB, at most 512 entries and the page',
    ],
    [
      'Which milestones has a series?',
      'seriesDirectory',
      keys.seriesDirectory(ORG, '{series}'),
      'Query: the newest; those near a page',
    ],
    ['In which months has it entries?', 'seriesMonthsKey', keys.seriesMonthsKey(ORG, '{series}'), ONE],
    [
      'Which entry is number n × 256?',
      'seriesMilestoneKey',
      keys.seriesMilestoneKey(ORG, '{series}', 512),
      'Query of a range around a page: 1 unit',
    ],
    [
      'How many entries come before an instant?',
      'seriesMilestoneIdKey',
      keys.seriesMilestoneIdKey(ORG, '{series}', '{entry id}'),
      'Query of the one before it: 1 unit, and its stretch',
    ],
    ['Which series may have earned milestones?', 'dueSeriesList', keys.dueSeriesList(ORG), 'Query by sweeps'],
    ['Is a series listed for sweeps?', 'dueSeriesKey', keys.dueSeriesKey(ORG, '{series}'), WRITE],
    [
      'Was this request answered before?',
      'idempotencyKey',
      keys.idempotencyKey(ORG, '{principal}', '{digest}'),
      `${ONE}, with an Idempotency-Key only`,
    ],
  ),
  ...ENVIRONMENT_PATTERNS,
  ...CONTROL_PATTERNS,
  ...EVALUATION_PATTERNS,
  ...rows(
    'Notifications',
    ['Which actions are there, in all their versions?', 'actionPartition', keys.actionPartition(ORG), RANGE],
    ['Which number gets the next action?', 'actionCounterKey', keys.actionCounterKey(ORG), ONE],
    [
      'How often were notifications saved, and environments archived?',
      'notificationTurnKey',
      keys.notificationTurnKey(ORG),
      ONE,
    ],
    ['What was version v of action n?', 'actionKey', keys.actionKey(ORG, 2, 1), 'with its partition'],
    ['Which action has this name?', 'actionNameKey', keys.actionNameKey(ORG, '{kind}', '{name}'), ONE],
    ['What signs the messages of action n?', 'actionSecretKey', keys.actionSecretKey(ORG, 2), ONE],
    ['How are the targets of action n?', 'targetHealthPartition', keys.targetHealthPartition(ORG, 2), RANGE],
    ['How is one target?', 'targetHealthKey', keys.targetHealthKey(ORG, 2, '{target}'), ONE],
    [
      'What was delivered for action n in a month?',
      'deliveryPartition',
      keys.deliveryPartition(ORG, 2, '202611'),
      RANGE,
    ],
    ['What became of a delivery?', 'deliveryKey', keys.deliveryKey(ORG, 2, '202611', '{delivery}'), ONE],
    [
      'What became of attempt n of a delivery?',
      'attemptKey',
      keys.attemptKey(ORG, 2, '202611', '{delivery}', 1),
      'with its delivery',
    ],
    ['Which deliveries are due?', 'duePartition', keys.duePartition(1), `${keys.DUE_SHARDS} Queries by sweeps`],
    [
      'When is a delivery due?',
      'dueKey',
      keys.dueKey(1_800_000_000_000_000, ORG, 2, '{delivery}1'),
      'Put and Delete with the delivery',
    ],
    ['Who waits for events?', 'notifiedOrganizations', keys.notifiedOrganizations, 'Query by sweeps'],
    [
      'Does an organization wait for events?',
      'notifiedOrganizationKey',
      keys.notifiedOrganizationKey(ORG),
      'Put with its first action',
    ],
    ['How far was a series relayed?', 'relayedKey', keys.relayedKey(ORG, '{series}'), WRITE],
  ),
  ...ADMIN_PATTERNS,
];
