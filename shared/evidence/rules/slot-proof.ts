import * as z from 'zod';
import { fromSeconds } from '#shared/base/time.ts';
import { isDictionary } from '#shared/base/validation.ts';
import { keptText, type Signed } from '#shared/signers/rules/recalls.ts';
import { GRADES, type Grade, Verification } from './verification.ts';

/** What a slot keeps of the verification of its latest record: no more than policies and controls ask for. */

/** The longest text of a statement that a slot keeps, in UTF-16 units. A moment that is longer costs more to write. */
export const LONGEST_STATED = 512;

const stated = (description: string) => z.string().max(LONGEST_STATED).optional().describe(description);

/** The parts of a verified statement that conditions can read (rules/policies.md#statements). */
export const ProvenStatement = z
  .object({
    predicate_type: stated('Type of the predicate'),
    builder: z
      .object({ id: stated('Id of the builder') })
      .optional()
      .describe('What built the subject'),
    source: z
      .object({
        ref: stated('Branch or tag that was built'),
        uri: stated('Address of the source repository'),
        commit: stated('Commit that was built'),
      })
      .optional()
      .describe('What was built'),
  })
  .meta({ id: 'ProvenStatement' });
export type ProvenStatement = z.infer<typeof ProvenStatement>;

/** What recalls compare of a verified signature, beside signer and statement (rules/verified-evidence.md#what-a-recall-matches). */
const SlotSignature = z
  .object({
    root: z
      .object({
        name: z.string().describe('Name of the trust root'),
        version: z.int().nullable().describe('Version of the trust root; null for the public one'),
      })
      .describe('The trust root that the signature was verified with'),
    run: z.string().optional().describe('Address of the run that signed; a long one as `sha256:` and its digest'),
    builder: z
      .string()
      .optional()
      .describe('`sha256:` and the digest of the builder, if its id is too long for the statement'),
    key_digest: z.string().optional().describe('SHA-256 of the public key that verified; absent with a certificate'),
    bundle: z.string().optional().describe('SHA-256 of the text of the bundle'),
    times: z
      .array(z.number())
      .describe('When the signature was made, as somebody proves it, in seconds since the epoch'),
  })
  .meta({ id: 'SlotSignature' });

/** The same names stand in stored slots, in the texts of moments and on the wire, so nothing translates them. */
export const SlotProof = z
  .object({
    grade: z.enum(GRADES).describe('Grade of the evidence'),
    signer: z
      .object({ name: z.string().describe('Name of the signer'), version: z.int().describe('Version of the signer') })
      .optional()
      .describe('Whose signature was verified; absent if none was'),
    statement: ProvenStatement.optional().describe('What was signed; absent without a verified statement'),
    signature: SlotSignature.optional().describe('What else recalls compare; absent if no signature was verified'),
  })
  .meta({ id: 'SlotProof' });
export type SlotProof = z.infer<typeof SlotProof>;

/**
 * Returns what a slot keeps of a record. Evidence whose grade follows from its author keeps nothing.
 *
 * @param derived facts of the record; a bundle has its `verification` there, and `observed` marks what the service recorded itself
 */
export function slotProof({ verification, observed }: Readonly<Record<string, unknown>>): SlotProof | undefined {
  if (verification === undefined) return observed === true ? { grade: 'observed' } : undefined;
  const verified = Verification.partial().parse(verification);
  const { grade, signer, predicate_type: type, statement } = verified;
  if (grade !== 'signed' && grade !== 'logged') return { grade: grade ?? 'stated' };
  const said = provenStatement(type ?? null, statement ?? null);
  return {
    grade,
    ...(signer && { signer }),
    ...(Object.keys(said).length > 0 && { statement: said }),
    ...signatureOf(verified),
  };
}

function signatureOf({
  root,
  run,
  statement,
  key_digest: key,
  bundle_digest: bundle,
  times = [],
}: Partial<Verification>): Pick<SlotProof, 'signature'> {
  if (!root) return {};
  const { name, version } = root;
  const builder = texts(statement?.['builder'], ['id'], Number.POSITIVE_INFINITY)?.id;
  return {
    signature: {
      root: { name, version },
      ...(run != null && { run: keptText(run) }),
      // A short one stands in the statement.
      ...(builder !== undefined && keptText(builder) !== builder && { builder: keptText(builder) }),
      ...(key != null && { key_digest: key }),
      ...(bundle != null && { bundle }),
      times: times.map(({ at }) => at),
    },
  };
}

/** What recalls compare of a slot's latest record; null if no signature was verified. */
export function signedOf({ signer, statement, signature }: SlotProof): Signed | null {
  if (!signer || !signature) return null;
  const {
    root,
    run = null,
    builder = statement?.builder?.id ?? null,
    key_digest: key = null,
    bundle = null,
    times,
  } = signature;
  return { signer: signer.name, root, run, builder, key, bundle, times: times.map(fromSeconds) };
}

/** The grade of the latest record of a slot. Without a proof it follows from the author. */
export const gradeOfSlot = ({ proof, origin }: { proof?: SlotProof | undefined; origin?: object | undefined }): Grade =>
  proof?.grade ?? (origin ? 'identified' : 'stated');

function provenStatement(type: string | null, statement: Readonly<Record<string, unknown>> | null): ProvenStatement {
  const builder = texts(statement?.['builder'], ['id']);
  const source = texts(statement?.['source'], ['ref', 'uri', 'commit']);
  return {
    ...texts({ predicate_type: type }, ['predicate_type']),
    ...(builder && { builder }),
    ...(source && { source }),
  };
}

/** @returns undefined if the value has none of these members as a text that is short enough */
function texts<K extends string>(
  value: unknown,
  names: readonly K[],
  longest = LONGEST_STATED,
): Partial<Record<K, string>> | undefined {
  if (!isDictionary(value)) return undefined;
  const found: Partial<Record<K, string>> = {};
  for (const name of names) {
    const text = value[name];
    if (typeof text === 'string' && text.length <= longest) found[name] = text;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}
