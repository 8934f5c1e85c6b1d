import { createPublicKey } from 'node:crypto';
import { parsePolicy, policyOf } from '#shared/tlog/policy.ts';
import { verifyFiles } from '#verify/export.ts';
import { Fault } from '#verify/fault.ts';
import type { ScopeRow, Verified } from '#verify/scope.ts';
import { asExport, type Files, sealed } from './bag.ts';
import type { Change } from './change.ts';
import { saysErased } from './erasure-changes.ts';
import type { ExportSample } from './export-sample.ts';
import { type ExportLine, linesIn, withLines } from './lines.ts';

/**
 * What the verifier says of a changed export:
 *
 * - `fault`: it names a fault
 * - `scope`: its scope says that the line is not proved
 * - `same`: the change left every line and every file as a reader of JSON reads it, so nothing was forged
 * - `hole`: none of these
 */
export type Judgement = { outcome: 'fault' | 'scope' | 'same' } | { outcome: 'hole'; why: string };

const isCovered = ({ proved, follows }: ScopeRow): number => proved + follows;
const outside = (row: ScopeRow | undefined): number => (row ? row.lines - isCovered(row) : 0);
const verdictsOf = ({ counts }: Verified): string =>
  JSON.stringify(Object.entries(counts).filter(([name]) => name.startsWith('verdicts')));

/** Judges changes of one honest export. */
export class Judge {
  readonly #sample: ExportSample;
  readonly honest: Verified;
  readonly #rows: ReadonlyMap<string, ScopeRow>;
  readonly #outside: ReadonlySet<string>;
  readonly #content: string;

  private constructor(sample: ExportSample, honest: Verified, outsideLines: ReadonlySet<string>) {
    this.#sample = sample;
    this.honest = honest;
    this.#rows = new Map(honest.scope.map((row) => [row.name, row]));
    this.#outside = outsideLines;
    this.#content = contentOf(sample.files);
  }

  /** Verifies the honest export, and finds which of its lines are outside of what is proved. */
  static async of(sample: ExportSample): Promise<Judge> {
    const honest = await verified(sample, sample.files);
    return new Judge(sample, honest, await linesOutside(sample, honest));
  }

  async judge(change: Change): Promise<Judgement> {
    const made = change.make();
    const files = change.isUnsealed ? made : sealed(made, this.#sample.files);
    let found: Verified;
    try {
      found = await verified(this.#sample, files);
    } catch (error) {
      if (error instanceof Fault) return { outcome: 'fault' };
      return { outcome: 'hole', why: `the verifier stops without a fault: ${error}` };
    }
    const isNamed = found.scope.some(
      (row) =>
        outside(row) > outside(this.#rows.get(row.name)) && found.exceptions.some((text) => text.includes(row.name)),
    );
    if (isNamed) return { outcome: 'scope' };
    const wasOutside = change.touched.length > 0 && change.touched.every((place) => this.#outside.has(place));
    if (wasOutside) {
      if (verdictsOf(found) === verdictsOf(this.honest)) return { outcome: 'scope' };
      return { outcome: 'hole', why: `a line that is not proved decides: ${verdictsOf(found)}` };
    }
    if (contentOf(made) === this.#content && !change.isUnsealed) return { outcome: 'same' };
    return { outcome: 'hole', why: 'the verifier says the same as before' };
  }
}

const verified = ({ folder, key, statementKey }: ExportSample, files: Files): Promise<Verified> =>
  verifyFiles(asExport(folder, files), { policy: policyOf(key), statementKey });

/**
 * Finds the lines and the files that the honest scope counts as outside. Where a whole kind is outside or inside, the scope says so.
 * A file can have a row under its path. In a mixed kind a line is outside if the export without the line has one line less outside.
 * Other lines can demand a line that was erased or that came later: it is outside if it says so itself, and if the scope counts as
 * many of these lines.
 */
async function linesOutside(sample: ExportSample, { scope }: Verified): Promise<Set<string>> {
  const byKind = Map.groupBy(linesIn(sample.files), ({ kind }) => kind);
  const found = new Set<string>();
  for (const row of scope) {
    const lines = byKind.get(row.name) ?? [];
    const those = outside(row) === row.lines ? lines : outside(row) === 0 ? [] : await outsideOf(sample, row, lines);
    for (const { place } of those) found.add(place);
    if (sample.files.has(row.name) && outside(row) === row.lines) found.add(row.name);
  }
  return found;
}

async function outsideOf(sample: ExportSample, row: ScopeRow, lines: readonly ExportLine[]): Promise<ExportLine[]> {
  const isOutside = async ({ path, index }: ExportLine) => {
    const files = withLines(sample.files, path, new Map([[index, []]]));
    try {
      const { scope } = await verified(sample, sealed(files, sample.files));
      return outside(scope.find(({ name }) => name === row.name)) < outside(row);
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  };
  const removable: ExportLine[] = [];
  for (const line of lines) if (await isOutside(line)) removable.push(line);
  const isIndexed = lines.some(({ record }) => 'log_index' in record);
  const saysSo = lines.filter(
    (line) => !removable.includes(line) && (saysErased(line) || (isIndexed && !('log_index' in line.record))),
  );
  return removable.length + saysSo.length === outside(row) ? [...removable, ...saysSo] : removable;
}

/** What an export says to readers of its formats. The order of members and of lines says nothing. */
const contentOf = (files: Files): string =>
  JSON.stringify(
    [...files].map(([path, bytes]) => [path, READERS.find(([fits]) => fits.test(path))?.[1](String(bytes))]),
  );

const READERS: readonly [RegExp, (text: string) => unknown][] = [
  [/\.(?:ndjson|jsonl)$/, (text) => text.split('\n').map(readJson).sort()],
  [/\.json$/, readJson],
  [/^manifest-/, (text) => text.split('\n').sort()],
  [/\/policy$/, (text) => readOr(text, () => [...parsePolicy(text).logs, ...parsePolicy(text).witnesses.values()])],
  [
    /\.pem$/,
    (text) => readOr(text, () => createPublicKey(text).export({ format: 'der', type: 'spki' }).toString('hex')),
  ],
  // The manifests follow from the other files.
  [/^(?:bag-info|tagmanifest)/, () => ''],
  [/./, (text) => text],
];

/** Reads a text; a text that its reader refuses is what it is. */
function readOr(text: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) return text;
    throw error;
  }
}

/** A document in which a member stands twice is what its text is: its readers do not agree about it. */
function readJson(text: string): string {
  const sorted = (_: string, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one;
  const read = String(readOr(text, () => JSON.stringify(JSON.parse(text), sorted)));
  return read.length === text.replaceAll(/\s/g, '').length || read.length === text.length ? read : text;
}
