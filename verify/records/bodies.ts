import { hash } from 'node:crypto';
import * as z from 'zod';
import { commitment } from '#shared/base/digests.ts';
import type { ExportFiles } from '../export-files.ts';
import { Fault } from '../fault.ts';
import { Hex32 } from './lines.ts';

/** When and why a text was erased, as the lines of erased records say it. */
export const Erased = z.strictObject({ at: z.number(), reason: z.string() });

/** The forms of a body. @param kept what stands beside its text, or beside the name of the file with the text */
const bodyWith = <T extends z.ZodRawShape>(kept: T) =>
  z.union([
    // A body that no command erased, and that is erased nevertheless, has no time and no reason.
    z.strictObject({ erased: z.union([z.literal(true), Erased]) }),
    z.strictObject({ ...kept, text: z.string() }),
    z.strictObject({ ...kept, file: z.string() }),
  ]);

/** A body that a record names by its SHA-256. It has no salt, because no commitment stands for it. */
const NAMED = { sha256: z.string(), size: z.int() };
export const NamedBody = bodyWith(NAMED);
export type NamedBody = z.infer<typeof NamedBody>;

/** A body as a line of an export has it (rules/exports.md#bodies). */
export const Body = bodyWith({ ...NAMED, salt: Hex32 });
export type Body = z.infer<typeof Body>;

export interface Opening {
  salt: string;
  text: Buffer | string;
}

interface OpenBody extends Opening {
  text: Buffer;
}

/** Reads a body and compares it with its size and digest. @returns null if it was erased. */
export async function openBody(files: ExportFiles, place: string, body: Body): Promise<OpenBody | null> {
  const text = await openNamedBody(files, place, body);
  return text === null || 'erased' in body ? null : { salt: body.salt, text };
}

/** Does the same as {@link openBody} for a body with or without a salt. */
export async function openNamedBody(files: ExportFiles, place: string, body: NamedBody): Promise<Buffer | null> {
  if ('erased' in body) return null;
  const { sha256, size } = body;
  const expected = `data/bodies/${sha256}`;
  if ('file' in body && body.file !== expected) throw new Fault(place, `the file of the body is not ${expected}`);
  if ('file' in body && !files.facts.has(expected))
    throw new Fault(expected, `the file is missing, and ${place} names it`);
  const text = 'text' in body ? Buffer.from(body.text) : await files.read(body.file);
  if (text.length !== size) throw new Fault(place, `the body has ${text.length} bytes instead of ${size}`);
  if (hash('sha256', text) !== sha256) throw new Fault(place, 'the body does not have its SHA-256');
  return text;
}

/** Verifies that a text is the one under a commitment. @param name of the commitment @throws Fault */
export function requireOpening(
  place: string,
  name: string,
  { salt, text }: Opening,
  expected: string | undefined,
): void {
  if (commitment(Buffer.from(salt, 'hex'), text).toString('hex') === expected) return;
  throw new Fault(place, `the text is not the one under the commitment '${name}' of its entry`);
}
