import { hash } from 'node:crypto';
import { policyOf } from '#shared/tlog/policy.ts';
import { verifyFiles } from '#verify/export.ts';
import { Fault } from '#verify/fault.ts';
import { asExport, STATEMENT_KEY, sampleExport } from './sample-export.ts';
import { type Files, logKey } from './sample-log.ts';

/** The sample export, and what tests do to it. */

export const { files: sample, entries } = await sampleExport();

export const verified = (files: Files, statementKey: string | undefined = STATEMENT_KEY) =>
  verifyFiles(asExport(files), { policy: policyOf(logKey), statementKey }).then(({ counts }) => counts);

/** Returns the first fault as the command prints it. */
export async function faultOf(files: Files): Promise<string> {
  const outcome = await verified(files).catch((error: unknown) => error);
  if (!(outcome instanceof Fault)) throw new Error('No fault was found', { cause: outcome });
  return `${outcome.place}: ${outcome.message}`;
}

export const MOMENTS = 'data/records/moments-0001.ndjson';
/** The first file whose path begins like this. */
export const pathOf = (kind: string): string => [...sample.keys()].find((path) => path.startsWith(kind)) ?? kind;
export const BUNDLE = 'data/log/tile/entries/000';

/** Changes the text of a file. */
export const edited = (path: string, change: (text: string) => string): Files => {
  const text = sample.get(path)?.toString() ?? '';
  const changed = change(text);
  if (changed === text) throw new Error(`${path} was not changed`);
  return new Map([...sample, [path, Buffer.from(changed)]]);
};
/** Changes a line of the audit log. */
export const editedAudit = (index: number, change: (line: Record<string, unknown>) => unknown): Files =>
  edited('data/records/audit-0001.ndjson', (text) =>
    text
      .split('\n')
      .map((line, i) => (i === index ? JSON.stringify(change(JSON.parse(line))) : line))
      .join('\n'),
  );
export const editedStatement = (change: (line: Record<string, unknown>) => unknown): Files =>
  edited('data/records/statements-0001.ndjson', (text) => `${JSON.stringify(change(JSON.parse(text)))}\n`);
export const bodyOf = (text: string) => ({
  sha256: hash('sha256', text),
  salt: 'a'.repeat(64),
  size: text.length,
  text,
});
/** Removes the values of an audit entry as an erasure does. */
export const emptied = ({ salts, ...line }: Record<string, unknown>) => ({
  ...{ ...line, before: null, after: null, erased: { at: 1, reason: 'nobody erased it' } },
  salts: { entry: (salts as { entry: string }).entry },
});
export const without = (path: string): Files => new Map([...sample].filter(([one]) => one !== path));
export const flipped = (path: string): Files => {
  const bytes = Buffer.from(sample.get(path) ?? '');
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return new Map([...sample, [path, bytes]]);
};
