import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type PackageUrl, packageUrlText, readPackageUrl } from '#shared/components/rules/package-url.ts';
import { type Decided, filesOf, UsageError } from '../folder-command.ts';

const text = z.string().nullish();
const Fields = z.object({
  type: text,
  namespace: text,
  name: text,
  version: text,
  qualifiers: z.record(z.string(), z.string()).nullish(),
  subpath: text,
});
type Fields = z.infer<typeof Fields>;

const Messages = z.array(z.object({ severity: z.string() }));

/** A case of the files beside each other: one for the specification, one for each type. */
const Case = z.object({
  description: z.string(),
  test_type: z.enum(['parse', 'build', 'roundtrip', 'validation']),
  input: z.union([z.string(), Fields]),
  expected_output: z.union([z.string(), Messages, Fields]).nullish(),
  expected_failure: z.boolean().nullish(),
});
type Case = z.infer<typeof Case>;

/** A case of the older file, in which one entry asks for reading, building and the canonical text at once. */
const OldCase = Fields.extend({
  description: z.string(),
  purl: z.string(),
  canonical_purl: text,
  is_invalid: z.boolean(),
});
type OldCase = z.infer<typeof OldCase>;

const Suite = z.union([z.object({ tests: z.array(Case) }).transform(({ tests }) => tests), z.array(OldCase)]);

/**
 * Decides every case of a folder, and names it by its file and description, in the order of the paths: of files whose names end in `-test.json`, and of `test-suite-data.json`.
 * @throws UsageError if the folder has no case, or a file has another form
 */
export function runCases(folder: string): Decided[] {
  const files = filesOf(folder, '**/{*-test,test-suite-data}.json');
  const results = files.flatMap((file) => readSuite(join(folder, file), file).map((one) => decide(file, one)));
  if (results.length > 0) return results;
  throw new UsageError(`The folder ${folder} holds no case: no *-test.json and no test-suite-data.json with cases.`);
}

function readSuite(path: string, name: string): readonly (Case | OldCase)[] {
  try {
    return Suite.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    throw new UsageError(`The file ${name} holds no cases: ${error.message.split('\n').slice(0, 8).join(' ')}`);
  }
}

function decide(file: string, one: Case | OldCase): Decided {
  const mustFail = ('purl' in one ? one.is_invalid : isFailure(one)) === true;
  const got = 'purl' in one ? oldOutcome(one) : outcome(one);
  const wanted = mustFail ? 'a refusal' : wantedBy(one, got.text);
  return {
    name: `${file}: ${one.description}`,
    mustFail,
    wanted,
    got: got.text,
    isRight: mustFail ? got.isRefused : !got.isRefused && got.text === wanted,
  };
}

interface Outcome {
  readonly text: string;
  readonly isRefused: boolean;
}

/** A validation fails if one of its messages is an error. Warnings say what the canonical form has otherwise. */
function isFailure({ expected_failure: isFailing, expected_output: output }: Case): boolean {
  return isFailing === true || (Array.isArray(output) && output.some(({ severity }) => severity === 'error'));
}

function outcome({ test_type: type, input, expected_output: output }: Case): Outcome {
  const isOfFields = type === 'parse' && typeof output === 'object' && output !== null;
  return read(typeof input === 'string' ? input : composed(input), isOfFields ? fieldsText : packageUrlText);
}

/** The canonical text, the fields, and the canonical text of what is built of the fields. */
function oldOutcome(one: OldCase): Outcome {
  if (one.is_invalid) return read(one.purl, packageUrlText);
  const parts = [
    read(one.purl, packageUrlText),
    read(one.purl, fieldsText),
    read(composed(one), packageUrlText),
    read(one.canonical_purl ?? '', packageUrlText),
  ];
  return { text: parts.map((part) => part.text).join('\n          '), isRefused: parts.some((part) => part.isRefused) };
}

function wantedBy(one: Case | OldCase, got: string): string {
  if ('purl' in one) {
    const canonical = one.canonical_purl ?? '';
    return [canonical, fieldsText(one), canonical, canonical].join('\n          ');
  }
  const { expected_output: output } = one;
  if (typeof output === 'string') return output;
  // What is valid has no other output.
  if (output === null || output === undefined || Array.isArray(output)) return got;
  return fieldsText(output);
}

function read(purl: string, write: (url: PackageUrl) => string): Outcome {
  const found = readPackageUrl(purl);
  if ('problem' in found) return { text: found.problem, isRefused: true };
  return { text: write(found.url), isRefused: false };
}

/** Empty fields are missing ones, and slashes around a path mean nothing: the older file has some. */
function fieldsText({ type, namespace, name, version, qualifiers, subpath }: Fields): string {
  const pairs = Object.entries(qualifiers ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const path = (text: Fields['type']): string => (text ?? '').split('/').filter(Boolean).join('/');
  return JSON.stringify([type, path(namespace), name, version, pairs, path(subpath)].map((field) => field || null));
}

/** The text of decoded fields in which everything is encoded that can be, so that reading has to find the fields again. */
function composed({ type, namespace, name, version, qualifiers, subpath }: Fields): string {
  const path = (segments: string): string => segments.split('/').map(encodeURIComponent).join('/');
  const pairs = Object.entries(qualifiers ?? {}).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return [
    // Without a type, the name must not be read as one.
    `pkg:${type || '-'}/`,
    namespace ? `${path(namespace)}/` : '',
    encodeURIComponent(name ?? ''),
    version ? `@${encodeURIComponent(version)}` : '',
    pairs.length > 0 ? `?${pairs.join('&')}` : '',
    subpath ? `#${path(subpath)}` : '',
  ].join('');
}
