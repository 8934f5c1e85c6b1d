import { AsyncLocalStorage } from 'node:async_hooks';
import { SECRET_FAMILIES } from '#infra/secret-families.ts';
import { ServiceError } from '#shared/base/errors.ts';
import type { ExportFiles } from '#shared/bodies/export-files.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';
import { type BucketUse, familyOf, type Uses, usesForCaller } from '#shared/table/uses.ts';
import { beforeCommands, readPartitions, recordWrites, writesOf } from './table/written-keys.ts';

/**
 * Holds handlers to what they declare to use, as their roles do in a region: declarations cannot drift, since every
 * request that a test makes is refused what its endpoint did not name.
 */

interface Subject {
  name: string;
  uses: Uses;
  /** Whether it may read only what it declares to read or to write. Others may read everything but secrets. */
  isForStrangers: boolean;
}

const current = new AsyncLocalStorage<Subject>();

/** What an endpoint, or a function without endpoints, was not given. */
export class UndeclaredUse extends Error {}

/** Runs work that may use what is declared and nothing else. */
export const heldTo = <T>(name: string, uses: Uses, work: () => Promise<T>): Promise<T> =>
  current.run({ name, uses, isForStrangers: false }, work);

/** Runs work of an endpoint for strangers, which may use, and also read, what is declared and nothing else. */
const heldStranger = <T>(name: string, uses: Uses, work: () => Promise<T>): Promise<T> =>
  current.run({ name, uses, isForStrangers: true }, work);

/** The same endpoint, held to its declaration, and to errors that name the wrong field if the API document has it. */
export const heldEndpoint = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  handler: async (request, services) => {
    try {
      const work = () => endpoint.handler(request, services);
      if (endpoint.access === 'public') return await heldStranger(endpoint.operation, endpoint.uses ?? {}, work);
      return await heldTo(endpoint.operation, usesForCaller(endpoint.uses), work);
    } catch (error) {
      const isNameless = error instanceof ServiceError && error.kind === 'invalid' && error.errors === undefined;
      if (!isNameless || endpoint.row === undefined) throw error;
      throw new Error(`${endpoint.operation} answers 400 without errors: ${error.message}`, { cause: error });
    }
  },
});

/** Makes a client of the table refuse what the running handler did not declare, and note what it writes. */
export function holdTable<C>(client: C): C {
  beforeCommands(client, 'declared-uses', (command, input) => {
    const subject = current.getStore();
    for (const { how, key } of subject ? writesOf(command, input) : []) refuse(subject, how, familyOf(key.pk));
    for (const pk of subject ? readPartitions(command, input) : []) refuseRead(subject, command, familyOf(pk));
  });
  return recordWrites(client);
}

function refuseRead(subject: Subject | undefined, command: string, family: string): void {
  if (!subject) return;
  const { isForStrangers, uses } = subject;
  const isSelect = isForStrangers && command === 'ExecuteStatementCommand';
  const isFree = isForStrangers
    ? !isSelect && [...(uses.selects ?? []), ...(uses.writes ?? [])].includes(family)
    : !SECRET_FAMILIES.includes(family);
  if (!isFree) refuse(subject, isSelect ? 'selects' : 'reads', family);
}

function refuse(subject: Subject | undefined, how: keyof Uses, what: string): void {
  const declared: readonly string[] = subject?.uses[how] ?? [];
  if (subject && !declared.includes(what)) throw new UndeclaredUse(`${subject.name} does not declare ${how}: ${what}`);
}

/** What each call of the bucket's adapter needs. */
const NEEDS: Record<keyof Objects, readonly BucketUse[]> = {
  // Whoever may fill in the form does it with the rights of the one who signed it.
  presignUpload: ['uploads:write'],
  headUpload: ['uploads:read'],
  getUpload: ['uploads:read'],
  keepUpload: ['uploads:read', 'evidence:write'],
  putFile: ['evidence:write'],
  putBody: ['bodies:write'],
  getBody: ['bodies:read'],
  getFile: ['evidence:read'],
  findFile: ['evidence:read'],
  presignDownload: ['evidence:read'],
  presignExport: ['exports:read'],
  versions: ['bodies:erase', 'evidence:erase'],
  removeVersion: ['bodies:erase', 'evidence:erase'],
  // Where an object exists, its bytes are compared.
  putLogObject: ['log:read', 'log:write'],
  getLogObject: ['log:read'],
  listLogObjects: ['log:read'],
};

/** What each call for exports needs. The kind of object is the first argument of `list` and `read`. */
const EXPORT_NEEDS: Record<keyof ExportFiles, (kind: string) => readonly string[]> = {
  begin: () => ['exports:write'],
  putPart: () => ['exports:write'],
  complete: () => ['exports:write', 'exports:read'],
  putNote: () => ['exports:write'],
  getNote: () => ['exports:read'],
  discard: () => ['exports:erase'],
  versions: () => ['exports:erase'],
  remove: () => ['exports:erase'],
  list: (kind) => [`${kind}:list`],
  read: (kind) => [`${kind}:read`],
};

/** The same bucket, which refuses what the running function did not declare. */
export const holdExportFiles = (files: ExportFiles): ExportFiles =>
  new Proxy(files, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const needs = EXPORT_NEEDS[name as keyof ExportFiles](String(args[0]));
        for (const use of needs) refuse(current.getStore(), 'bucket', use);
        return Reflect.apply(value, target, args);
      };
    },
  });

/** The same keys, which refuse what the running handler did not declare. The public half is no secret among keys. */
export const holdKeys = (keys: SigningKeys): SigningKeys => {
  const held = async <K extends { sign(message: Uint8Array): Promise<Buffer> }>(
    name: keyof SigningKeys,
    key: () => Promise<K>,
  ): Promise<K> => {
    refuseUnless(current.getStore(), name, ['read', 'sign']);
    const found = await key();
    return {
      ...found,
      sign: (message) => {
        refuseUnless(current.getStore(), name, ['sign']);
        return found.sign(message);
      },
    };
  };
  return {
    log: () => held('log', keys.log),
    witness: () => held('witness', keys.witness),
    statement: () => held('statement', keys.statement),
  };
};

function refuseUnless(subject: Subject | undefined, name: keyof SigningKeys, uses: readonly ('read' | 'sign')[]): void {
  if (uses.some((use) => subject?.uses.keys?.includes(`${name}:${use}`))) return;
  refuse(subject, 'keys', `${name}:${uses.at(0)}`);
}

/** The same bucket, which refuses what the running handler did not declare. */
export const holdObjects = (objects: Objects): Objects =>
  new Proxy(objects, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        for (const use of NEEDS[name as keyof Objects] ?? []) refuse(current.getStore(), 'bucket', use);
        return Reflect.apply(value, target, args);
      };
    },
  });
