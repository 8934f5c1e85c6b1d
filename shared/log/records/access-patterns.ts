import { EnvironmentId, FlowId, OrganizationId, TrailId } from '#shared/base/ids.ts';
import { type AccessPattern, ONE, patternsOf, RANGE } from '#shared/table/access-patterns.ts';
import * as keys from './keys.ts';

const ORG = OrganizationId.parse('{org}');
const FLOW = FlowId.parse('{flow id}');
const TRAIL = TrailId.parse('{trail id}');
const ENVIRONMENT = EnvironmentId.parse('{environment id}');

const rows = patternsOf(keys);

export const LOG_PATTERNS: readonly AccessPattern[] = [
  ...rows(
    'Log',
    ['How large is the log, and what is published?', 'logPartition', [ORG], 'Query from CHECKPOINT to HEAD: 1 unit'],
    ['What is the newest checkpoint?', 'checkpointKey', [ORG], ONE],
    ['What is the newest cosigned checkpoint?', 'cosignedKey', [ORG], ONE],
    ['Which size did each witness cosign last?', 'cosignersKey', [ORG], ONE],
    ['What is the right edge of the tree?', 'logHeadKey', [ORG], ONE],
    ['Where does a backfill continue?', 'backfillKey', [ORG], ONE],
    ['How far did the nightly walk come?', 'walkKey', [ORG], ONE],
    ['Which entries are in a bundle that is not full?', 'logBatchKey', [ORG, 512], RANGE],
    ['Which hashes are in an upper tile that is not full?', 'tileRootKey', [ORG, 1, 3], RANGE],
    ['Which moments of a trail are in the log?', 'trailClaimPartition', [ORG, FLOW, TRAIL], RANGE],
    ['Which index has moment n of a trail?', 'trailClaimKey', [ORG, FLOW, TRAIL, 3], ONE],
    ['Which snapshots of an environment are in the log?', 'environmentClaimPartition', [ORG, ENVIRONMENT], RANGE],
    ['Which index has snapshot n of an environment?', 'environmentClaimKey', [ORG, ENVIRONMENT, 3], ONE],
    ['Which index has an entry of the audit log?', 'auditClaimKey', [ORG, '202611', '{entry id}'], ONE],
    ['Which index has an evaluation?', 'evaluationClaimKey', [ORG, '202611', '{evaluation id}'], ONE],
    ['Which index has a statement?', 'statementClaimKey', [ORG, 'abcdef…'], ONE],
    ['Which logs may be signed next?', 'signatureLineKey', [], 'Update of the integrator, once per call'],
    ['Which tree of another log did the witness cosign last?', 'witnessedKey', ['{SHA-256 of origin}'], ONE],
  ),
  ...rows(
    'Statements',
    ['Which statements does an organization have?', 'statementPartition', [ORG, '0'], RANGE],
    ['What was signed about a subject?', 'statementKey', [ORG, 'abcdef…'], ONE],
  ),
];
