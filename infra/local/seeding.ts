import { readFileSync } from 'node:fs';
import type { Services } from '#shared/http/services.ts';
import { organizationList } from '#shared/organizations/records/keys.ts';
import { applySeed, type MadeKey, readSeed, type Seed, SeedError } from '#shared/organizations/seed.ts';
import { StartError } from './start-error.ts';

/** What a stack that knows nobody yet begins with. */
const DEMO = {
  organizations: [
    { name: 'demo', features: ['controls', 'evaluations'], members: [{ user: 'demo-admin', role: 'admin' }] },
  ],
};

/** Makes the demo organization where there is no organization at all. @returns its key, which can be shown only now */
export async function seedDemo(services: Services): Promise<MadeKey[]> {
  const known = await services.table.query({ pk: organizationList, limit: 1 });
  return known.length > 0 ? [] : (await applySeed(services, DEMO)).keys;
}

/**
 * Reads a seed file before anything is started.
 *
 * @throws StartError for a file that is not there or is not a seed
 */
export function readSeedFile(file: string): Seed {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`The seed file ${file} cannot be read: ${(error as Error).message}.`, error);
  }
  return explained(file, () => readSeed(text));
}

/** @returns the keys that were made, which can be shown only now */
export async function loadSeed(services: Services, file: string, seed: Seed): Promise<MadeKey[]> {
  try {
    return (await applySeed(services, seed)).keys;
  } catch (error) {
    throw asStartError(file, error);
  }
}

function explained<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asStartError(file, error);
  }
}

const asStartError = (file: string, error: unknown): unknown =>
  error instanceof SeedError
    ? new StartError(`The seed file ${file} cannot be loaded: ${error.problems.join('; ')}.`, error)
    : error;
