import { RegoObject } from '#shared/rego/values/value.ts';
import { readFolder, readValue } from './case-files.ts';
import { casesOf } from './cases.ts';
import { UsageError } from './folder-command.ts';
import { type Outcome, runCase } from './run-case.ts';

/** How one case of a run ended. `known` is an expected difference, with its reason. */
export interface Result {
  readonly id: string;
  readonly group: string;
  readonly outcome: Outcome | { readonly status: 'known'; readonly reason: string };
}

/** A finished run. */
export interface Run {
  readonly results: readonly Result[];
  /** One sentence for each file that could not be read as cases. */
  readonly unreadable: readonly string[];
  /** Expected differences that did not show: a case that passes now, or that is not in the folder. */
  readonly stale: readonly string[];
}

/**
 * Runs every case of a folder.
 * @param known expected differences: ids of cases with the reason
 * @throws UsageError when the folder holds no case
 */
export function runFolder(folder: string, known: ReadonlyMap<string, string> = new Map()): Run {
  const { records, unreadable } = readFolder(folder);
  const results = casesOf(records).map((one): Result => {
    const outcome = runCase(one);
    const reason = outcome.status === 'failed' ? known.get(one.id) : undefined;
    return { id: one.id, group: one.group, outcome: reason === undefined ? outcome : { status: 'known', reason } };
  });
  const shown = new Set(results.filter(({ outcome }) => outcome.status === 'known').map(({ id }) => id));
  return { results, unreadable, stale: [...known.keys()].filter((id) => !shown.has(id)) };
}

/**
 * Reads expected differences: a YAML or JSON object of case id → reason.
 * @throws UsageError
 */
export function readKnown(path: string): Map<string, string> {
  const value = readValue(path, path);
  if (!(value instanceof RegoObject)) throw new UsageError(`The file ${path} is no object of case ids and reasons.`);
  return new Map(value.pairs().map(([id, reason]) => [String(id), String(reason)]));
}
