import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { endStack, spawnStack } from './stack-process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The stack that stories of clients share: where its API is, and its table. */
    stack: { url: string; dynamodb: string };
  }
}

/** Starts the stack that the stories of clients share. Each of them has an organization of its own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'stories-'));
  const stack = spawnStack(dataDir, '--allow-local-targets');
  const stop = async () => {
    await endStack(stack, dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const { url, endpoints } = await stack.ready();
    project.provide('stack', { url, dynamodb: endpoints.dynamodb });
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
