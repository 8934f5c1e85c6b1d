import * as z from 'zod';
import type { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { STATEMENT_KINDS } from './predicates/kind-of.ts';

/** What the service itself saw of who made an attestation (rules/verified-evidence.md#grades). */

/** From the least to the most. `observed` is what the service made itself: it stands apart, and satisfies any least grade. */
export const GRADES = ['stated', 'identified', 'signed', 'logged', 'observed'] as const;
export type Grade = (typeof GRADES)[number];

/** The most subjects that a verification keeps. `subject_count` counts all of them. */
export const MOST_KEPT_SUBJECTS = 20;

/** Whom a certificate names, in answers about signatures. */
export const SIGNER_FIELDS = {
  issuer: z.string().nullable().describe('The issuer in the certificate; null without one'),
  subject: z.string().nullable().describe('The subject of the certificate; null without one'),
  claims: z.record(z.string(), z.string()).describe('What the issuer said of the run, by the names of claims'),
};

/** When a signature was made, in answers about signatures. */
export const ProvedTimes = z
  .array(
    z.object({
      at: z.number().describe('When the signature existed, in seconds since the epoch'),
      from: z.string().describe('Who proves it: `log` or `timestamp authority`'),
    }),
  )
  .describe('The proved times');

/** The same names stand in stored records, in texts under commitments and on the wire, so nothing translates them. */
export const Verification = z
  .object({
    grade: z
      .enum(GRADES)
      .describe(
        '`stated`: a key said so; `identified`: a pipeline whose issuer proved its identity; `signed`: a known signer; `logged`: signed, and a log or a timestamp authority proves when; `observed`: the service itself',
      ),
    signer: z
      .object({
        name: z.string().describe('Name of the signer'),
        version: z.int().describe('Number of the version of the signer'),
      })
      .nullable()
      .describe('Whose signature was verified; null if none was'),
    root: z
      .object({
        name: z.string().describe('Name of the trust root'),
        version: z.int().nullable().describe('Number of the version of the trust root; null for the public one'),
        digest: z.string().describe('SHA-256 of the text of the trust root'),
      })
      .nullable()
      .describe('The trust root that the signature was verified with'),
    ...SIGNER_FIELDS,
    logs: z
      .array(
        z.object({
          id: z.string().describe('SHA-256 of the key of the log, as hexadecimal digits'),
          index: z.string().describe('Index of the entry in the log, as a decimal text'),
        }),
      )
      .describe('The proved entries of logs'),
    times: ProvedTimes,
    predicate_type: z.string().nullable().describe('Type of the predicate; null without a statement'),
    kind: z.enum(STATEMENT_KINDS).nullable().describe('What the statement is; null without one'),
    subjects: z
      .array(
        z.object({
          name: z.string().describe('Name of the subject; may be empty'),
          sha256: z.string().nullable().describe('SHA-256 of the subject; null without one'),
        }),
      )
      .describe(`The first ${MOST_KEPT_SUBJECTS} subjects of the statement`),
    subject_count: z.int().describe('Number of subjects of the statement'),
    statement: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'What a reader of its kind found in the predicate: empty of an unknown kind; `unreadable` says why a predicate cannot be read',
      ),
    bundle_digest: z.string().nullable().describe('SHA-256 of the text of the bundle; null if there was none'),
    key_digest: z.string().nullable().describe('SHA-256 of the public key that verified; null with a certificate'),
    run: z.string().nullable().describe('Address of the run that signed, as the issuer says'),
    library: z.string().nullable().describe('Name and version of the library that verified'),
    error: z.string().nullable().describe('Why a bundle was not verified; null if it was, or if there was none'),
  })
  .meta({ id: 'Verification' });
export type Verification = z.infer<typeof Verification>;

/** A verification of nothing, with its grade. */
export const unsigned = (grade: Grade): Verification => ({
  grade,
  signer: null,
  root: null,
  issuer: null,
  subject: null,
  claims: {},
  logs: [],
  times: [],
  predicate_type: null,
  kind: null,
  subjects: [],
  subject_count: 0,
  statement: null,
  bundle_digest: null,
  key_digest: null,
  run: null,
  library: null,
  error: null,
});

/** A record of an attestation, as far as its grade depends on it. */
interface Graded {
  identity?: VerifiedIdentity | undefined;
  derived: Readonly<Record<string, unknown>>;
}

/**
 * Returns what is known of who made an attestation. Records that came as a bundle keep it under `derived.verification`. Of others it
 * follows from the author: `derived.observed` marks what the service recorded itself.
 */
export function verificationOf({ identity, derived }: Graded): Verification {
  const { verification, observed } = derived;
  const least = unsigned(observed === true ? 'observed' : identity ? 'identified' : 'stated');
  if (verification === undefined) return least;
  // An older release may have stored fewer members.
  return { ...least, ...Verification.partial().parse(verification) };
}

/** Whether evidence of one grade is enough where another one is the least. */
export function reachesGrade(found: Grade, least: Grade): boolean {
  return GRADES.indexOf(found) >= GRADES.indexOf(least);
}

/** Returns the least of some grades; `observed` without any. */
export const leastGrade = (grades: readonly Grade[]): Grade =>
  GRADES.find((grade) => grades.includes(grade)) ?? 'observed';
