import { endpointGroup } from '#shared/http/endpoint.ts';
import { getArtifactStatement } from './get-artifact-statement.ts';
import { getCaseStatement } from './get-case-statement.ts';
import { getEvaluationStatement } from './get-evaluation-statement.ts';
import { getGapStatement } from './get-gap-statement.ts';
import { getPackage } from './get-package.ts';
import { getSnapshotStatement } from './get-snapshot-statement.ts';
import { getTrailStatement } from './get-trail-statement.ts';
import { startPackage } from './start-package.ts';

export const statementsGroup = endpointGroup({
  name: 'statements',
  about: 'Signed statements of verdicts, which programs of others verify, and packages of evidence with them.',
  endpoints: [
    getTrailStatement,
    getArtifactStatement,
    getSnapshotStatement,
    getEvaluationStatement,
    getGapStatement,
    getCaseStatement,
    startPackage,
    getPackage,
  ],
});
