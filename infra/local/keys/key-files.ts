import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SIGNING_KEYS, type SigningKeyName } from '#shared/table/uses.ts';
import { isCode } from '../ports.ts';
import { StartError } from '../start-error.ts';

/** The private keys of a stack by name. */
export type KeySet = Readonly<Record<SigningKeyName, KeyObject>>;

const generate: Record<SigningKeyName, () => KeyObject> = {
  log: () => generateKeyPairSync('ed25519').privateKey,
  witness: () => generateKeyPairSync('ed25519').privateKey,
  statement: () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey,
};

/**
 * Returns the keys of a data directory, one file per key. The first start makes them.
 *
 * @param folder folder of the files; without it the keys are in memory only
 * @throws StartError if a file cannot be read
 */
export function loadKeys(folder?: string): KeySet {
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const load = (name: SigningKeyName) =>
    folder === undefined ? generate[name]() : readOrMake(join(folder, `${name}.pem`), generate[name]);
  // The list has every name, which `Object.fromEntries` cannot say.
  return Object.fromEntries(SIGNING_KEYS.map((name) => [name, load(name)])) as Record<SigningKeyName, KeyObject>;
}

function readOrMake(file: string, make: () => KeyObject): KeyObject {
  try {
    return createPrivateKey(readFileSync(file));
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw new StartError(`The key ${file} cannot be read.`, error);
  }
  const key = make();
  writeDurably(file, key.export({ format: 'pem', type: 'pkcs8' }).toString());
  return key;
}

/** The file is complete or absent after a crash. A key must not be lost once it has signed. */
function writeDurably(file: string, text: string): void {
  const written = `${file}.new`;
  const descriptor = openSync(written, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(written, file);
}
