import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arch, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '../shared-stack.ts';
import { NO_COLLECTION } from './no-collection.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import { fillWorkspace } from './workspace.ts';

/** Path of the command-line client. */
export const CLIENT_PROGRAM = fileURLToPath(new URL('../../../node_modules/.bin/kosli', import.meta.url));
const COMMAND_MILLIS = 30_000;
/** The client polls an evaluation that is pending. A repeated poll is not a retry. */
const POLL = /^GET \/api\/v2\/evaluations\/[\w-]+\/[a-f0-9-]+$/;

/** The client is an optional dependency that is published for one platform. */
export const CLIENT_RUNS_HERE = platform === 'linux' && arch === 'x64';
export const isClientInstalled = (): boolean => existsSync(CLIENT_PROGRAM);

/** The organization of the test file that runs. `clientStory()` names it, because a worker loads this module once. */
export let ORG = '';
/** An organization without beta features. Its only member is the admin `ann`. */
export let PLAIN_ORG = '';
export { KEYS };
/** A CI system sets these variables. The client sends them only if all three are set. */
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

/** The client in a workspace of the test file. It calls the shared stack, in an organization of the test file. */
export interface Client {
  /** The folder that commands run in. */
  dir: string;
  /** Address that the client sends its requests to: a proxy, which records them. */
  url: string;
  /** Address of the stack, with which it begins the addresses in its answers. */
  readonly address: string;
  run(...args: string[]): Promise<Ran>;
  /** Runs a command as `run` does. Several of these commands can run at the same time. */
  runBeside(...args: string[]): Promise<Ran>;
  /** Runs a command that must succeed without a warning. @returns what it printed */
  ok(...args: string[]): Promise<string>;
  /** @returns the JSON that a successful command printed */
  json<T>(...args: string[]): Promise<T>;
  /** Runs a command that must fail with code 1 after one request. @returns what it wrote to the error stream */
  refused(...args: string[]): Promise<string>;
  /** The requests of the last command. */
  requests: string[];
  /** The repository variables of the CI system. Commands that search for repositories use them as filters. */
  repository: Record<string, string>;
}

/**
 * Creates an organization with an admin `ann` and a reader `rob`, and a workspace, before the tests of a file. Call it
 * at the top of a test file.
 */
export function clientStory(): Client {
  let recorder: Recorder | undefined;
  ORG = newOrganizationName('acme');
  PLAIN_ORG = newOrganizationName('plain');

  beforeAll(async () => {
    client.dir = mkdtempSync(join(tmpdir(), 'story-'));
    fillWorkspace(client.dir);
    await createOrganization(ORG, ['controls', 'evaluations'], { ann: 'admin', rob: 'reader' });
    await createOrganization(PLAIN_ORG, [], { ann: 'admin' });
    recorder = await startRecorder(inject('stack').url);
    client.url = recorder.url;
  });

  afterAll(async () => {
    await recorder?.stop();
    if (client.dir !== '') rmSync(client.dir, { recursive: true, force: true });
  });

  const client: Client = {
    dir: '',
    url: '',
    get address() {
      return inject('stack').url;
    },
    requests: [],
    repository: REPO,
    async run(...args) {
      if (!recorder) throw new Error('The workspace is not ready before the first hook has ended');
      const ran = await runRecorded(client, recorder, args);
      client.requests = ran.requests;
      return ran;
    },
    async runBeside(...args) {
      const own = await startRecorder(inject('stack').url);
      try {
        return await runRecorded(client, own, args);
      } finally {
        await own.stop();
      }
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

/** Runs a command behind a recorder. Fails if the client repeated a request or crashed. */
async function runRecorded(client: Client, recorder: Recorder, args: string[]): Promise<Ran> {
  recorder.take();
  const env = {
    HOME: client.dir,
    KOSLI_HOST: recorder.url,
    KOSLI_ORG: ORG,
    KOSLI_API_TOKEN: KEYS.ann,
    ...client.repository,
  };
  const ran = await execute(args, client.dir, env);
  const requests = recorder.take();
  const sent = requests.map((request) => request.replace(/ \d+$/, '')).filter((request) => !POLL.test(request));
  expect(sent, args.join(' ')).toEqual([...new Set(sent)]);
  expect(ran.stdout + ran.stderr, args.join(' ')).not.toMatch(/panic|goroutine|giving up/);
  return { ...ran, requests };
}

export function execute(args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Omit<Ran, 'requests'>> {
  return new Promise((resolve, reject) => {
    execFile(
      CLIENT_PROGRAM,
      args,
      { cwd, env: { ...NO_COLLECTION, ...env }, timeout: COMMAND_MILLIS },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        // The code is not a number if the command was ended by a signal or could not start.
        if (typeof code === 'number') resolve({ code, stdout, stderr });
        else reject(error);
      },
    );
  });
}

/** What a table shows: its lines without the spaces that only align. */
export const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim().replace(/\s{2,}/g, '  '))
    .filter((line) => line !== '');
