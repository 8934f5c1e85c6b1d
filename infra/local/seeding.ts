import { readFileSync } from 'node:fs';
import type { Services } from '#functions/services.ts';
import { messageOf } from '#shared/base/error-facts.ts';
import { organizationList } from '#shared/organizations/records/keys.ts';
import { applySeed, type MadeKey, readSeed, type Seed, SeedError } from '#shared/organizations/seed.ts';
import { StartError } from './start-error.ts';

/** The content of a new stack without a seed file. */
const DEMO = {
  organizations: [
    { name: 'demo', features: ['controls', 'evaluations'], members: [{ user: 'demo-admin', role: 'admin' }] },
  ],
};

/**
 * Creates the demo organization, unless there is an organization already.
 *
 * @returns the created API keys: this is the only time that they can be shown
 */
export async function seedDemo(services: Services): Promise<MadeKey[]> {
  const existing = await services.table.query({ pk: organizationList, limit: 1 });
  return existing.length > 0 ? [] : (await applySeed(services, DEMO)).keys;
}

/**
 * Reads a seed file (rules/organizations.md#seeds). It is read before anything is started, so that a mistake in it costs
 * no time.
 *
 * @throws StartError if the file cannot be read or is not a seed
 */
export function readSeedFile(file: string): Seed {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`The seed file ${file} cannot be read: ${messageOf(error)}.`, error);
  }
  try {
    return readSeed(text);
  } catch (error) {
    throw asStartError(file, error);
  }
}

/**
 * Creates the organizations, users and keys of a seed.
 *
 * @param file name of the file, for errors
 * @returns the created API keys: this is the only time that they can be shown
 * @throws StartError if the seed contradicts what is stored
 */
export async function loadSeed(services: Services, file: string, seed: Seed): Promise<MadeKey[]> {
  try {
    return (await applySeed(services, seed)).keys;
  } catch (error) {
    throw asStartError(file, error);
  }
}

const asStartError = (file: string, error: unknown): unknown =>
  error instanceof SeedError
    ? new StartError(`The seed file ${file} cannot be loaded: ${error.problems.join('; ')}.`, error)
    : error;
