import { AttestationId, FlowId, OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { type AccessPattern, EACH, ONE, patternsOf, WRITE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');
const FLOW = FlowId.parse('{flow id}');
const TRAIL = AnyTrailName.parse('{trail}');
const ATTESTATION = AttestationId.parse('{attestation}');
const FINGERPRINT = StoredFingerprint.parse('{fingerprint}');

const rows = patternsOf(keys);

/** Access patterns of the index of components. */
export const COMPONENT_PATTERNS: readonly AccessPattern[] = rows(
  'Components',
  [
    'Which attestations have this set of components?',
    'componentSetPartition',
    [ORG, '{set}'],
    'Query: 1 unit per 4 KB of a page',
  ],
  ['Which components has a set, and are its postings complete?', 'componentSetKey', [ORG, '{set}'], ONE],
  ['Has an attestation this set?', 'componentBuildKey', [ORG, '{set}', ATTESTATION], WRITE],
  [
    'Which packages have names that begin so?',
    'componentPartition',
    [ORG, 'lodash'],
    'Queries of 25 items: a package is read once',
  ],
  [
    'Which sets hold a package, in which versions?',
    'postingKey',
    { pk: '{org}#COMPONENT#lo', sk: 'lodash#{digest of package}#{set}' },
    'Query: 1 unit per 4 KB of a page',
  ],
  ['Which SBOMs has a trail?', 'trailSbomPartition', [ORG, FLOW, TRAIL], EACH],
  ['Which one has an attestation?', 'trailSbomKey', [ORG, FLOW, TRAIL, ATTESTATION], WRITE],
  ['What do statements say of an artifact?', 'artifactVexPartition', [ORG, FINGERPRINT], EACH],
  ['What do statements say of the artifacts of a trail?', 'trailVexPartition', [ORG, FLOW, TRAIL], EACH],
  [
    'What does an attestation say of a package in an artifact?',
    'vexKey',
    [keys.artifactVexPartition(ORG, FINGERPRINT), 'P#{digest of package}#', ATTESTATION, 0],
    WRITE,
  ],
  [
    'Where are the statements of an attestation?',
    'vexPlacesKey',
    [keys.trailVexPartition(ORG, FLOW, TRAIL), ATTESTATION, 0],
    'Query of an erasure; no request waits for it',
  ],
);
