import type { Attestation } from '../../trail/operations.ts';

export type Identity = NonNullable<Attestation['identity']>;

/** What an issuer proved about a reporter, in one sentence: workflow, repository and run, as far as it named them. */
export function identitySentence({
  workflow_ref: workflow,
  repository,
  project,
  run_id: run,
  ref,
  issuer,
  subject,
}: Identity): string {
  const place = repository ?? project;
  const parts = [
    ...(workflow === undefined ? [] : [`workflow ${workflow}`]),
    ...(place === undefined ? [] : [`${workflow === undefined ? '' : 'of '}${place}`]),
    ...(run === undefined ? [] : [`in run ${run}`]),
    ...(ref === undefined || workflow?.endsWith(`@${ref}`) ? [] : [`on ${ref}`]),
  ];
  return `${parts.length === 0 ? subject : parts.join(' ')}, proved by ${issuer}`;
}
