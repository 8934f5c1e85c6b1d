import * as z from 'zod';
import { isDictionary } from '#shared/base/validation.ts';
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

/** The same names stand in stored slots, in the texts of moments and on the wire, so nothing translates them. */
export const SlotProof = z
  .object({
    grade: z.enum(GRADES).describe('Grade of the evidence'),
    signer: z
      .object({ name: z.string().describe('Name of the signer'), version: z.int().describe('Version of the signer') })
      .optional()
      .describe('Whose signature was verified; absent if none was'),
    statement: ProvenStatement.optional().describe('What was signed; absent without a verified statement'),
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
  const { grade, signer, predicate_type: type, statement } = Verification.partial().parse(verification);
  if (grade !== 'signed' && grade !== 'logged') return { grade: grade ?? 'stated' };
  const said = provenStatement(type ?? null, statement ?? null);
  return {
    grade,
    ...(signer && { signer }),
    ...(Object.keys(said).length > 0 && { statement: said }),
  };
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
function texts<K extends string>(value: unknown, names: readonly K[]): Partial<Record<K, string>> | undefined {
  if (!isDictionary(value)) return undefined;
  const found: Partial<Record<K, string>> = {};
  for (const name of names) {
    const text = value[name];
    if (typeof text === 'string' && text.length <= LONGEST_STATED) found[name] = text;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}
