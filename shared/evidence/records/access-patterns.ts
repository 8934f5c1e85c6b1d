import { AttestationId, FlowId, OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import { AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { type AccessPattern, BATCH, EACH, ONE, patternsOf, RANGE, WRITE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');
const FLOW = FlowId.parse('{flow id}');
const TRAIL = AnyTrailName.parse('{trail}');
const FINGERPRINT = StoredFingerprint.parse('{fingerprint}');
/** The last digit of an id is random. It selects the partition of the item. */
const ID_ENDING_IN_5 = '{repo id}5';

const trail = keys.trailPartition(ORG, FLOW, TRAIL);

const rows = patternsOf(keys);

/** Access patterns of flows, trails, artifacts, attestations, repositories and custom types. */
export const EVIDENCE_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Flows',
    [
      'Which flow has this name, or had it?',
      'flowNameKey',
      [ORG, AnyFlowName.parse('{name}')],
      `${ONE}; none with a hint`,
    ],
    ['Which items has a flow?', 'flowPartition', [ORG, FLOW], RANGE],
    ['What does a writer need of a flow?', 'flowHeadKey', [ORG, FLOW], ONE],
    ['Which facts of a flow are only shown?', 'flowFactsKey', [ORG, FLOW], BATCH],
    ['Which tags has a flow?', 'flowTagsKey', [ORG, FLOW], BATCH],
    ['Which flows have this tag?', 'flowTagPartition', [ORG, '{key}', '{value}'], RANGE],
    ['Has a flow this tag?', 'flowTagKey', [ORG, '{key}', '{value}', FLOW], 'Put and Delete with the tags'],
  ),
  ...rows(
    'Trails',
    [
      'Which items has a trail?',
      'trailPartition',
      [ORG, FLOW, TRAIL],
      'Query: 1 unit per 4 KB; writers read from the head on',
    ],
    ['What decides the verdict of a trail?', 'trailHeadKey', [trail], `with its slots, ${EACH}`],
    ['What are the own fields of a trail?', 'trailFieldsKey', [trail], `${ONE}; ${BATCH}`],
    ['What were its own fields before?', 'trailPastFieldsKey', [trail, 3], 'with the whole trail'],
    ['Which commit does a moment name?', 'trailCommitKey', [trail, '{digest}'], 'with the whole trail'],
    ['Which repositories did reports name?', 'trailRepoKey', [trail, '{repo id}'], 'with the head'],
    [
      'What is the latest report of an artifact in the trail?',
      'artifactSlotItemKey',
      [trail, `${FINGERPRINT}#{name}#{commit}`],
      'with the head',
    ],
    [
      'What is the latest attestation of a scope, name and type?',
      'attestationSlotItemKey',
      [trail, 'T#{name}#{type}'],
      'with the head',
    ],
    ['Which moments has a trail?', 'momentPartition', [ORG, FLOW, TRAIL], RANGE],
    ['What is moment n?', 'momentKey', [ORG, FLOW, TRAIL, 3], 'Query of a range of numbers: the page'],
    ['When did artifacts of a trail start and stop?', 'runtimePartition', [ORG, FLOW, TRAIL], 'Query: the newest 200'],
  ),
  ...rows(
    'Evidence',
    ['What is attestation x?', 'attestationKey', [ORG, AttestationId.parse('{id}')], `${ONE}; ${BATCH}`],
    [
      'Which components has the SBOM of attestation x?',
      'attestationComponentsKey',
      [ORG, AttestationId.parse('{id}')],
      `${BATCH} whose files may be SBOMs`,
    ],
    ['What is report x of an artifact?', 'artifactKey', [ORG, '{id}'], `${ONE}; ${BATCH}`],
    ['Which artifacts and commits begin with these digits?', 'shaPartition', [ORG, 'abcdef'], RANGE],
    ['Where was a fingerprint first reported?', 'buildKey', [ORG, StoredFingerprint.parse('abcdef…')], ONE],
    [
      'Which fingerprints ran that no flow has reported?',
      'unreportedFingerprintKey',
      [ORG, StoredFingerprint.parse('abcdef…')],
      RANGE,
    ],
    ['Which reports named a commit?', 'commitEntryKey', [ORG, 'abcdef…', '{report id}'], RANGE],
    [
      'Which trails have evidence that somebody signed?',
      'signedPartition',
      [ORG, 'signer', '{name}', '202611'],
      'Query: 1 unit per 4 KB of a page; a partition per month',
    ],
    ['Which trail is this?', 'signedKey', [ORG, { by: 'run', name: '{run}', month: '-' }, FLOW, TRAIL], WRITE],
    ['Which flows hold a fingerprint?', 'fingerprintPartition', [ORG, FINGERPRINT], `${EACH}; an item per flow`],
    ['What is its latest report in a flow?', 'fingerprintFlowKey', [ORG, FINGERPRINT, FLOW], ONE],
  ),
  ...rows(
    'Repositories',
    ['Which repositories have this external id?', 'repoPartition', [ORG, '{external id}'], RANGE],
    ['Which one, at this provider?', 'repoKey', [ORG, '{external id}', '{provider}'], 'with its partition'],
    ['Which repository has this inner id?', 'repoIdKey', [ORG, '{repo id}'], ONE],
    ['Which tags has a repository?', 'repoTagsKey', [ORG, '{repo id}'], BATCH],
    [
      'Which repositories have a tag of this name?',
      'repoTagPartition',
      [ORG, '{tag}', 1],
      `${keys.REPO_TAG_SHARDS} Queries at once: 1 unit per 4 KB of those that have it`,
    ],
    [
      'Has a repository this tag?',
      'repoTagKey',
      [ORG, '{tag}', '{value}', ID_ENDING_IN_5],
      'Put and Delete with the tags',
    ],
  ),
  ...rows(
    'Custom types',
    ['Which items has a custom type?', 'typePartition', [ORG, '{name}'], RANGE],
    ['What does attesting need of a custom type?', 'typeHeadKey', [ORG, '{name}'], ONE],
    ['What is version n of a custom type?', 'typeVersionKey', [ORG, '{name}', 3], ONE],
  ),
];
