import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import type { Stage } from './settings.ts';
import { StageError } from './stage-error.ts';
import { DEFAULT_STAGES, type GivenStages, readStages } from './stages.ts';

/** The settings of the CDK. The key `stages` of its context has the stages, or the path of a file with them. */
export const CDK_FILE = 'cdk.json';

const CdkSettings = z.looseObject({ context: z.looseObject({ stages: z.unknown().optional() }).optional() });

/** What `cdk.json` says about stages. */
interface StagesFile {
  /** The settings of the CDK. */
  readonly cdk: z.output<typeof CdkSettings>;
  /** The file with the settings of stages. */
  readonly file: string;
  /** The value of the key `stages`. */
  readonly key: unknown;
  readonly given: GivenStages;
}

/**
 * Returns the settings of every stage, from `cdk.json` or the file that it names.
 *
 * @param folder the folder of `cdk.json`
 * @throws StageError if a file cannot be read, has a key twice, or has a wrong setting
 */
export function stagesOfFile(folder: string): Stage[] {
  const { given, file } = readStagesFile(folder);
  return readStages(given, file);
}

/**
 * Returns the settings of every stage, and refuses settings that are not in the file: the next deployment would not have them.
 *
 * @param context the whole context of the app: that of the file, of flags and of the person
 */
export function deployedStages(folder: string, context: Readonly<Record<string, unknown>>): Stage[] {
  const { file, key, given } = readStagesFile(folder);
  for (const name of Object.keys(context)) {
    if (name === 'stages' || isToolkitKey(name)) continue;
    throw new StageError(
      `'${name}' was given by a flag or as a key of the context, where the next deployment could lose it; settings of stages stand in ${file}, ` +
        `as "stages": { "<stage>": { "<setting>": … } }.`,
    );
  }
  if (!isDeepStrictEqual(context['stages'], key)) {
    throw new StageError(
      `'stages' was given by a flag or by another file, which the next deployment could lose; it must stand in the context of ${CDK_FILE} only.`,
    );
  }
  return readStages(given, file);
}

/** Whether a context key belongs to the CDK itself: a feature flag or a switch of the command line. */
const isToolkitKey = (key: string) => key.startsWith('@') || /^(?:aws|cdk|aws-cdk)[:-]/.test(key);

/** Reads `cdk.json` and the file that it names. @throws StageError if one cannot be read, or has a key twice */
export function readStagesFile(folder: string): StagesFile {
  const parsed = CdkSettings.safeParse(readJson(folder, CDK_FILE, 'run the command in the folder of the checkout'));
  if (!parsed.success) throw new StageError(`${CDK_FILE}: 'context' must be an object.`, parsed.error);
  const cdk = parsed.data;
  const key = cdk.context?.stages;
  if (key === undefined) return { cdk, file: CDK_FILE, key, given: DEFAULT_STAGES };
  if (typeof key !== 'string') return { cdk, file: CDK_FILE, key, given: asStages(CDK_FILE, key) };
  return { cdk, file: key, key, given: asStages(key, readJson(folder, key, `'stages' in ${CDK_FILE} names the file`)) };
}

const asStages = (file: string, value: unknown): GivenStages => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value));
  throw new StageError(`${file}: the stages must be an object, with the names of stages as keys.`);
};

/** Reads a file of JSON. @param remedy what to do if there is no file */
function readJson(folder: string, file: string, remedy: string): unknown {
  let text: string;
  try {
    text = readFileSync(join(folder, file), 'utf8');
  } catch (error) {
    throw new StageError(`${file} cannot be read in ${folder}; ${remedy}.`, error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new StageError(`${file} is not JSON: ${error.message.replaceAll(/\s+/g, ' ')}.`, error);
  }
  refuseSameKeys(file, text);
  return value;
}

/** JSON allows a key twice and keeps the last one, so a stage or a setting would be lost in silence. */
function refuseSameKeys(file: string, text: string): void {
  const errors = parseDocument(text, { uniqueKeys: true, prettyErrors: true }).errors;
  const twice = errors.find(({ code }) => code === 'DUPLICATE_KEY');
  if (!twice) return;
  const [key = ''] = /^"(?:[^"\\]|\\.)*"/.exec(text.slice(twice.pos[0])) ?? [];
  throw new StageError(
    `${file}: the key ${key} stands twice in one object, the second time in line ${twice.linePos?.[0].line}; give each stage a name of its own, ` +
      'and each setting once.',
  );
}
