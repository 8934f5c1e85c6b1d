import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { endStack, type StackFile, spawnStack } from '#test/support/stack-process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The stack that stories share: its addresses, and the file that holds everything it prints. */
    stack: StackFile & { log: string };
  }
}

/** Keys of the two users who are members of every story's organization. */
export const KEYS = { ann: 'key-of-ann', rob: 'key-of-rob' } as const;

/**
 * Starts one stack for all story files of a run. A file creates its own organizations in the stack. Only files that
 * stop or kill a stack, or that need options of their own, start another one. The database is in memory, because one with
 * files takes a quarter more processor time.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'stories-'));
  const dataDir = join(folder, 'data');
  const log = join(folder, 'stack.log');
  writeFileSync(log, '');
  const seed = join(folder, 'seed.json');
  const members = Object.entries(KEYS).map(([user, api_key]) => ({ user, role: 'reader', api_key }));
  writeFileSync(seed, JSON.stringify({ organizations: [{ name: 'stories', members }] }));
  const database = await startDynamoDb();
  const flags = ['--seed', seed, '--allow-local-targets', '--database', database.endpoint];
  const stack = await spawnStack(dataDir, ...flags);
  const kill = () => stack.signalAll('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    try {
      await endStack(stack, dataDir);
    } finally {
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    project.provide('stack', { ...(await stack.ready()), log });
    stack.logTo(log);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns a name that no other organization of the shared stack has. */
export const newOrganizationName = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`;

/**
 * Creates an organization in the shared stack.
 *
 * @param features names of the beta features that the organization has
 * @param members role of each member
 */
export async function createOrganization(
  name: string,
  features: readonly string[],
  members: Partial<Record<keyof typeof KEYS, string>>,
): Promise<void> {
  await operate({ command: 'create-organization', name, features });
  for (const [user, role] of Object.entries(members)) {
    await operate({ command: 'add-member', organization: name, user, role });
  }
}

/** Returns everything that the shared stack has printed since its start. */
export const sharedStackLog = (): string => readFileSync(inject('stack').log, 'utf8');

/** Sends a command to the operator of the shared stack. */
export async function operate(command: Record<string, unknown>): Promise<void> {
  const response = await fetch(inject('stack').operator, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
  });
  const { ok, message } = (await response.json()) as { ok: boolean; message: string };
  if (!ok) throw new Error(`${command['command']}: ${message}`);
}
