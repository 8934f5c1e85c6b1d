import * as z from 'zod';

/** The longest value of a claim that an identity keeps, in characters. */
export const LONGEST_CLAIM = 1024;
/** The most claims that one trust can bind. */
export const MOST_CLAIMS = 20;

const fact = (description: string) => z.string().min(1).max(LONGEST_CLAIM).meta({ description });

/**
 * What an issuer proved about the caller of a request, with its signature of the token that was exchanged for the key
 * (rules/identities.md#verified-identity). The same names stand in stored records, in hashes and on the wire, so nothing
 * translates them.
 *
 * The optional fields are the facts that several issuers prove under names of their own, under one name. A fact that the
 * token does not have is absent.
 */
export const VerifiedIdentity = z
  .object({
    trust: fact('Name of the trust that accepted the token'),
    issuer: fact('Claim `iss` of the token'),
    subject: fact('Claim `sub` of the token'),
    repository: fact('Path of the source repository: `acme/web`').optional(),
    repository_id: fact('Id of the source repository, in the words of the issuer').optional(),
    project: fact('Project or pipeline of the CI system, if the issuer proves no repository').optional(),
    project_id: fact('Id of the project or the pipeline').optional(),
    workflow_ref: fact(
      'File of the workflow and its version: `acme/web/.github/workflows/release.yml@refs/heads/main`',
    ).optional(),
    workflow_commit: fact('Commit of the file of the workflow').optional(),
    run_id: fact('Id of the run').optional(),
    run_attempt: fact('Which attempt of the run').optional(),
    commit: fact('Commit that the run works on').optional(),
    ref: fact('Branch or tag that the run works on: `refs/heads/main`').optional(),
    event: fact('What started the run, in the words of the issuer: `push`').optional(),
    actor: fact('Name of the user who started the run').optional(),
    environment: fact('Deployment environment of the job').optional(),
    runner: fact('Who runs the machine of the job, in the words of the issuer: `self-hosted`').optional(),
    claims: z.record(z.string(), z.string().max(LONGEST_CLAIM)).meta({
      description: 'The claims that the trust binds, under the names of the issuer, with the values of the token',
    }),
  })
  .meta({ id: 'VerifiedIdentity' });
export type VerifiedIdentity = z.infer<typeof VerifiedIdentity>;

/** The identity of a caller in answers. */
export const CallerIdentity = VerifiedIdentity.nullable().describe(
  'What an issuer proved about the caller; null if the key was not exchanged for a token',
);

/**
 * An identity without the name of a person. Slots of trails keep this one, because verdicts need them after the person's
 * name was erased (rules/identities.md#evidence-says-who).
 */
export const ProvenOrigin = VerifiedIdentity.omit({ actor: true }).meta({ id: 'ProvenOrigin' });
export type ProvenOrigin = z.infer<typeof ProvenOrigin>;

export function originOf({ actor: _, ...origin }: VerifiedIdentity): ProvenOrigin {
  return origin;
}
