import * as z from 'zod';

/** The longest value of a claim that an identity keeps, in characters. */
export const LONGEST_CLAIM = 1024;
/** The most claims that one trust can bind. */
export const MOST_CLAIMS = 20;

const text = z.string().min(1).max(LONGEST_CLAIM);

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
    /** Name of the trust that accepted the token. */
    trust: z.string(),
    /** Claim `iss`, exactly as the token has it. */
    issuer: text,
    /** Claim `sub`. */
    subject: text,
    /** Path of the repository: `org/web`. */
    repository: text.optional(),
    repository_id: text.optional(),
    /** Project or pipeline of the CI system, for issuers that prove no repository. */
    project: text.optional(),
    project_id: text.optional(),
    /** File and version of the workflow that ran: `org/web/.github/workflows/release.yml@refs/heads/main`. */
    workflow_ref: text.optional(),
    /** Commit of the workflow's file. */
    workflow_commit: text.optional(),
    run_id: text.optional(),
    run_attempt: text.optional(),
    commit: text.optional(),
    /** Branch or tag: `refs/heads/main` where the issuer says which of the two. */
    ref: text.optional(),
    /** What started the run, in the words of the issuer: `push`, `merge_request_event`. */
    event: text.optional(),
    /** Name of the user who started the run. */
    actor: text.optional(),
    /** Deployment environment of the job. */
    environment: text.optional(),
    /** Who runs the machine of the job, in the words of the issuer: `github-hosted`, `self-hosted`. */
    runner: text.optional(),
    /** The claims that the trust binds, under the issuer's own names, with the values of the token. */
    claims: z.record(z.string(), text),
  })
  .meta({ id: 'VerifiedIdentity' });
export type VerifiedIdentity = z.infer<typeof VerifiedIdentity>;
