import { createHash } from 'node:crypto';

/**
 * Lists what the language has in the Node that runs this: the names of its global objects and of their members.
 * `builtins-of-node-20.txt` is the list of Node 20. That Node writes it:
 * `node -e "import('./test/infra/bundles/builtins.mjs').then((m) => m.print())" > test/infra/bundles/builtins-of-node-20.txt`
 */

/** The objects whose members are listed, by their names. */
function owners() {
  const found = new Map([['globalThis', globalThis]]);
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    // A getter can be a feature that warns when somebody reads it.
    const value = Object.getOwnPropertyDescriptor(globalThis, name)?.value;
    if (!/^[A-Z]/.test(name) || (typeof value !== 'function' && typeof value !== 'object') || value === null) continue;
    found.set(name, value);
    if (typeof value.prototype === 'object' && value.prototype !== null)
      found.set(`${name}.prototype`, value.prototype);
  }
  // These prototypes have no global name in every Node.
  found.set('Iterator.prototype', Object.getPrototypeOf(Object.getPrototypeOf([].values())));
  found.set('TypedArray.prototype', Object.getPrototypeOf(Uint8Array.prototype));
  found.set('Hash.prototype', Object.getPrototypeOf(createHash('sha256')));
  return found;
}

/** The modules of Node that the verifier imports. */
const MODULES = [
  'crypto',
  'events',
  'fs',
  'fs/promises',
  'module',
  'path',
  'process',
  'stream/promises',
  'util',
  'worker_threads',
];

/** Prints the list, with the exports of modules. */
export async function print() {
  for (const name of MODULES)
    console.log(
      `node:${name}: ${Object.keys(await import(`node:${name}`))
        .sort()
        .join(' ')}`,
    );
  for (const [name, owner] of owners()) console.log(`${name}: ${Object.getOwnPropertyNames(owner).sort().join(' ')}`);
}

/**
 * Removes every member that another list does not have. The modules of Node keep what they use.
 *
 * @param {string} list from {@link print}
 * @returns {string[]} what was removed
 */
export function removeOthers(list) {
  const kept = new Map(list.split('\n').map((line) => [line.split(': ')[0], new Set(line.split(': ')[1]?.split(' '))]));
  const removed = [];
  for (const [name, owner] of owners()) {
    for (const member of Object.getOwnPropertyNames(owner)) {
      if (kept.get(name)?.has(member) ?? true) continue;
      delete owner[member];
      removed.push(`${name}.${member}`);
    }
  }
  return removed;
}
