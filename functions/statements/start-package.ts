import { recordGone } from '#shared/base/proofs/record-gone.ts';
import { unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { artifactNotInFlow, unknownFlow, unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { START_PACKAGE, type StartedPackage, startPackage as start } from '#shared/exports/packages/start-package.ts';
import { tooManyPackages, tooManyPackagesOfAll } from '#shared/exports/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { featureOff } from '#shared/http/sentences.ts';
import { answerWrite } from '#shared/http/written.ts';
import {
  noSnapshot,
  recordDiffers,
  stateDiffers,
  statementDiffers,
  textDiffers,
  textMissing,
} from '#shared/log/rules/sentences.ts';
import type { StatementServices } from '#shared/log/statements/statements.ts';
import { PackageOut, packageOut } from './package-output.ts';
import { PackageRequest, wantedEvidence } from './package-request.ts';

/** POST /packages/{org}: starts a package of evidence, or answers the one that runs (rules/exports.md#start-of-a-package). */
export const startPackage = endpoint({
  operation: 'startPackage',
  method: 'POST',
  path: '/packages/{org}',
  summary: 'Put the evidence of a record together as one archive that proves itself',
  description:
    'The record is an artifact, a trail, a snapshot, an evaluation, or what ran in an environment during a period. The answer is a running package. Get it by its id until `state` is no longer `running`. The archive is a BagIt bag as tar: records with the texts under their commitments, receipts, attachments and signed statements. `npm run verify` checks it. If a package about the same runs already, no other is started and the answer is that package.',
  access: 'reader',
  body: { kind: 'json', schema: PackageRequest },
  success: { 202: PackageOut },
  errors: [
    recordDiffers,
    recordGone,
    stateDiffers,
    statementDiffers,
    textDiffers,
    textMissing,
    unknownFlow,
    unknownTrail,
    artifactNotInFlow,
    unknownEnvironment,
    noSnapshot,
    evaluationNotFound,
    featureOff,
    tooManyPackages,
    tooManyPackagesOfAll,
  ],
  makes: { at: '/packages/{org}/{package_id}', id: 'package_id' },
  uses: START_PACKAGE,
  handler: (request, services: StatementServices) => {
    const wanted = wantedEvidence(request.body, request.receivedAt);
    // The endpoints of evaluations ask for the feature by their definition. Here only one form of the body is about them.
    if (wanted.type === 'evaluation' && !request.org.features.includes('evaluations')) throw featureOff();
    return answerWrite(
      request,
      (by) => start(services, by, wanted, request.host),
      (record: StartedPackage) => ({ status: 202, body: packageOut(record), made: { package_id: record.id } }),
    );
  },
});
