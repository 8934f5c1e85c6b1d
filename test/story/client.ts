import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arch, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Recorder, startRecorder } from './recorder.ts';
import { nameOfFile, seedSharedStack } from './shared-stack.ts';
import { fillWorkspace } from './workspace.ts';

const BINARY = fileURLToPath(new URL('../../node_modules/.bin/kosli', import.meta.url));
const COMMAND_MILLIS = 30_000;
/** A look at an evaluation that may be pending still: the same request again is no retry. */
const POLL = /^GET \/api\/v2\/evaluations\/[\w-]+\/[a-f0-9-]+$/;

/** The client is an optional dependency that is published for one platform. */
export const CLIENT_RUNS_HERE = platform === 'linux' && arch === 'x64';
export const isClientInstalled = (): boolean => existsSync(BINARY);

export const ORG = nameOfFile('acme');
/** An organization of ann's without beta features. */
export const PLAIN_ORG = nameOfFile('plain');
export const KEYS = { ann: 'key-of-ann', rob: 'key-of-rob' } as const;
/** Reported with everything, as a CI system would: all three are needed, or the client warns and sends none. */
export const REPO = {
  KOSLI_REPO_ID: '17',
  KOSLI_REPO_URL: 'https://code.example/acme/client',
  KOSLI_REPOSITORY: 'acme/client',
};

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** What the command asked of the service: `GET /ready 200`. */
  requests: string[];
}

/** The client, in a workspace and an organization of its own, in front of the stack that all stories of it share. */
export interface Client {
  /** The folder that commands run in. */
  dir: string;
  /** Address of the service as the client sees it. */
  url: string;
  run(...args: string[]): Promise<Ran>;
  /** Runs a command that must succeed without a word of warning. @returns what it printed */
  ok(...args: string[]): Promise<string>;
  /** @returns the JSON that a successful command printed */
  json<T>(...args: string[]): Promise<T>;
  /** Runs a command that must fail with code 1 after one request. @returns what it wrote to the error stream */
  refused(...args: string[]): Promise<string>;
  /** The requests of the last command. */
  requests: string[];
  /** What the CI system says of the repository; commands that look for repositories take it for what they look for. */
  repository: Record<string, string>;
}

/** Makes an organization with an admin `ann` and a reader `rob`; call it once, at the top of a test file. */
export function clientStory(): Client {
  let recorder: Recorder | undefined;

  beforeAll(async () => {
    client.dir = mkdtempSync(join(tmpdir(), 'story-'));
    fillWorkspace(client.dir);
    const members = [
      { user: 'ann', role: 'admin', api_key: KEYS.ann },
      { user: 'rob', role: 'reader', api_key: KEYS.rob },
    ];
    const organizations = [
      { name: ORG, features: ['controls', 'evaluations'], members },
      { name: PLAIN_ORG, members: [{ user: 'ann', role: 'admin' }] },
    ];
    recorder = await startRecorder(await seedSharedStack({ organizations }));
    client.url = recorder.url;
  });

  afterAll(async () => {
    await recorder?.stop();
    if (client.dir !== '') rmSync(client.dir, { recursive: true, force: true });
  });

  const client: Client = {
    dir: '',
    url: '',
    requests: [],
    repository: REPO,
    async run(...args) {
      recorder?.take();
      const env = {
        HOME: client.dir,
        KOSLI_HOST: client.url,
        KOSLI_ORG: ORG,
        KOSLI_API_TOKEN: KEYS.ann,
        ...client.repository,
      };
      const ran = await execute(args, client.dir, env);
      client.requests = recorder?.take() ?? [];
      // A retry is the same request again, and what a user sees of a client that crashed is its stack.
      const asked = client.requests.map((request) => request.replace(/ \d+$/, '')).filter((one) => !POLL.test(one));
      expect(asked, args.join(' ')).toEqual([...new Set(asked)]);
      expect(ran.stdout + ran.stderr, args.join(' ')).not.toMatch(/panic|goroutine|giving up/);
      return { ...ran, requests: client.requests };
    },
    async ok(...args) {
      const { stdout, ...rest } = await client.run(...args);
      const answered = client.requests.map((request) => request.replace(/ 20[01]$/, ' fine'));
      expect({ ...rest, requests: answered }, args.join(' ')).toEqual({
        code: 0,
        stderr: '',
        requests: answered.map(() => expect.stringMatching(/ fine$/)),
      });
      return stdout;
    },
    async json<T>(...args: string[]) {
      return JSON.parse(await client.ok(...args, '--output', 'json')) as T;
    },
    async refused(...args) {
      const { code, stdout, stderr } = await client.run(...args);
      expect([code, stdout, client.requests], args.join(' ')).toEqual([1, '', [expect.stringMatching(/ 4\d\d$/)]]);
      return stderr;
    },
  };
  return client;
}

function execute(args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Omit<Ran, 'requests'>> {
  return new Promise((resolve, reject) => {
    execFile(BINARY, args, { cwd, env, timeout: COMMAND_MILLIS }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      // Anything but a number means that it did not run to its end.
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(error);
    });
  });
}

/** What a table shows: its lines without the spaces that only align. */
export const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim().replace(/\s{2,}/g, '  '))
    .filter((line) => line !== '');
