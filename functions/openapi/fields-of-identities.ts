import type * as z from 'zod';
import { ProvenOrigin, VerifiedIdentity } from '#shared/callers/verified-identity.ts';

/**
 * Descriptions of the fields of identities that issuers proved, for the OpenAPI document
 * (rules/requests.md#descriptions-of-fields). The keys are as in `fields-of-evidence.ts`.
 */
const FACTS: Readonly<Record<string, string>> = {
  trust: 'Name of the trust that accepted the token',
  issuer: 'Issuer of the token, exactly as the token names it',
  subject: 'Subject of the token',
  repository: 'Path of the source repository',
  repository_id: 'Id of the source repository at its provider',
  project: 'Project or pipeline of the CI system',
  project_id: 'Id of the project or pipeline',
  workflow_ref: 'File of the workflow, with its version',
  workflow_commit: 'Commit of the file of the workflow',
  run_id: 'Id of the run',
  run_attempt: 'Number of the attempt of the run',
  commit: 'Commit that the run works on',
  ref: 'Branch or tag that the run works on',
  event: 'What started the run, in the words of the issuer',
  actor: 'Name of the user who started the run',
  environment: 'Deployment environment of the job',
  runner: 'Who runs the machine of the job, in the words of the issuer',
  claims: 'The claims that the trust binds, with the values of the token',
};

const of = (component: string, { shape }: z.ZodObject) =>
  Object.entries(FACTS)
    .filter(([name]) => name in shape)
    .map(([name, text]) => [`${component}.${name}`, text] as const);

export const IDENTITY_FIELDS: Readonly<Record<string, string>> = Object.fromEntries([
  ...of('VerifiedIdentity', VerifiedIdentity),
  ...of('ProvenOrigin', ProvenOrigin),
]);
