import { readFileSync } from 'node:fs';
import { parseWitnessedLogs, parseWitnessPolicy } from '#shared/log/rules/witness-settings.ts';
import { TlogError } from '#shared/tlog/errors.ts';
import { StartError } from './start-error.ts';

/**
 * Returns the text of the policy file of a start.
 *
 * @throws StartError if it cannot be read or is no policy
 */
export function readPolicy(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const text = readFile(file);
  refuseWrong(`The policy ${file}`, () => parseWitnessPolicy(text));
  return text;
}

/** Returns the keys as they were given. @throws StartError if one is not the key of a log */
export function checkedLogs(keys: string | undefined): string | undefined {
  refuseWrong('--witness-log', () => parseWitnessedLogs(keys ?? ''));
  return keys;
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`The policy ${file} cannot be read.`, error);
  }
}

function refuseWrong(what: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (error instanceof TlogError) throw new StartError(`${what} is refused: ${error.message}`, error);
    throw error;
  }
}
