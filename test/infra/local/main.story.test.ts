import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localObjects } from '#infra/local/clients.ts';
import { close, listen, portOf } from '#infra/local/ports.ts';
import { testId } from '#test/support/ids.ts';
import { nodeStart, npmStart, processesOf, run, type StackFile, temporaryDir } from '#test/support/stack-process.ts';

const operator = async (stack: StackFile, command: Record<string, unknown>) => {
  const response = await fetch(stack.operator, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
  });
  return (await response.json()) as { ok: boolean; created?: boolean };
};

const statusOf = async ({ url }: StackFile, path: string, key: string) =>
  (await fetch(`${url}/api/v2${path}`, { headers: { authorization: `Bearer ${key}` } })).status;

const seedFile = (content: unknown) => {
  const file = join(temporaryDir(), 'seed.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

describe('npm start', () => {
  it('prints a demo key, a link that signs in once and three commands that work, refuses local targets, and keeps all data over a restart', async () => {
    const dataDir = temporaryDir();
    const first = await npmStart(dataDir);
    const stack = await first.ready();
    const ready = await fetch(`${stack.url}/ready`);
    expect([ready.status, await ready.text()]).toEqual([200, 'OK']);
    const key = /API key of demo-admin in demo \(shown only now\): (\S+)/.exec(first.stdout)?.[1] ?? '';
    const commands = first.stdout.split('\n').filter((line) => line.startsWith('  curl '));
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      const status = execFileSync('sh', ['-c', `${command} -s -o /dev/null -w '%{http_code}'`], { encoding: 'utf8' });
      expect([command, status]).toEqual([command, expect.stringMatching(/^20[01]$/)]);
    }

    // Without --allow-local-targets.
    for (const webhook of ['http://127.0.0.1:9/hook', 'https://127.0.0.1/hook']) {
      const answer = await fetch(`${stack.url}/api/v2/actions/demo/flows`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'tell', targets: [{ type: 'WEBHOOK', webhook }] }),
      });
      const text = await answer.text();
      expect([answer.status, text]).toEqual([400, expect.stringContaining('targets[0].webhook')]);
    }

    const [, once = ''] = /\/-\/sign-in#once=(\S+)/.exec(first.stdout) ?? [];
    const signIn = () =>
      fetch(`${stack.url}/api/v2/user/session`, { method: 'POST', headers: { authorization: `Once ${once}` } });
    const signedIn = await signIn();
    expect([signedIn.status, signedIn.headers.getSetCookie()]).toEqual([
      201,
      [
        expect.stringMatching(/^session=des_\S+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/),
        expect.stringMatching(/^session-csrf=\S+; SameSite=Strict; Path=\/; Max-Age=43200$/),
      ],
    ]);
    expect((await signIn()).status).toBe(401);

    first.signalAll('SIGINT');
    expect(await first.exit()).toMatchObject({ stdout: expect.stringContaining('Stopping.') });
    expect(processesOf(dataDir)).toEqual([]);

    const second = await npmStart(dataDir);
    const again = await second.ready();
    expect(second.stdout).not.toContain('API key');
    expect(second.stdout).toContain('npm run operator -- issue-key --user demo-admin');
    expect(await statusOf(again, '/trails/demo/hello/release-1', key)).toBe(200);
    expect(await statusOf(again, '/trails/demo/hello/release-1', 'another')).toBe(401);
  });

  it('loads a seed file, loads it again without changes, and creates no demo organization', async () => {
    const dataDir = temporaryDir();
    const members = [
      { user: 'ann', role: 'admin', api_key: 'any text, even this' },
      { user: 'bob', role: 'reader' },
    ];
    const seed = seedFile({
      organizations: [
        { name: 'acme', features: ['controls'], members },
        { name: 'ann', personal: true, members: [{ user: 'ann', role: 'admin' }] },
      ],
    });
    const first = await npmStart(dataDir, '--seed', seed);
    const stack = await first.ready();
    expect(first.stdout.match(/API key of .*/g)).toEqual([expect.stringContaining('bob in acme')]);
    const bob = /API key of bob .*: (\S+)/.exec(first.stdout)?.[1] ?? '';
    expect(await statusOf(stack, '/flows/acme', 'any text, even this')).toBe(200);
    expect(await statusOf(stack, '/flows/ann', 'any text, even this')).toBe(200);
    expect(await statusOf(stack, '/flows/acme', bob)).toBe(200);
    expect(await statusOf(stack, '/flows/ann', bob)).toBe(403);
    expect(await operator(stack, { command: 'create-organization', name: 'demo' })).toMatchObject({ created: true });
    // npm alone gets the signal, as from a process manager.
    first.signalFirst('SIGTERM');
    expect(await first.exit()).toMatchObject({ stdout: expect.stringContaining('Stopping.') });
    await expect.poll(() => processesOf(dataDir), { timeout: 15_000 }).toEqual([]);

    const second = await npmStart(dataDir, '--seed', seed);
    const again = await second.ready();
    expect(second.stdout).not.toContain('API key');
    expect(await statusOf(again, '/flows/acme', bob)).toBe(200);
  });

  it('loses no answered write when it is killed, waits for the old database, and refuses a second stack', async () => {
    const dataDir = temporaryDir();
    const answered: number[] = [];
    for (const round of [1, 2]) {
      const process = await nodeStart(dataDir);
      const stack = await process.ready();
      const objects = localObjects(stack.endpoints.s3);
      let running = true;
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let n = round * 100_000 + writer; running; n += 4) {
          const text = Buffer.from(`file ${n}`);
          await objects.putFile(testId('org'), createHash('sha256').update(text).digest('hex'), text);
          const { ok } = await operator(stack, { command: 'create-user', name: `user-${n}` });
          if (ok) answered.push(n);
        }
      });
      await expect.poll(() => answered.length, { timeout: 90_000 }).toBeGreaterThan(round * 40);
      process.signalAll('SIGKILL');
      running = false;
      await Promise.allSettled(writers);
    }
    const last = await nodeStart(dataDir);
    const stack = await last.ready();
    const objects = localObjects(stack.endpoints.s3);
    const lost: string[] = [];
    for (const n of answered) {
      const { created } = await operator(stack, { command: 'create-user', name: `user-${n}` });
      if (created) lost.push(`user-${n}`);
      const digest = createHash('sha256').update(`file ${n}`).digest('hex');
      const { status } = await fetch(await objects.presignDownload(testId('org'), digest, null, 'file', 'text/plain'));
      if (status !== 200) lost.push(`file ${n}`);
    }
    expect(lost).toEqual([]);
    const second = await run(['--port', '0', '--data-dir', dataDir]);
    expect(second).toEqual({
      code: 1,
      stdout: '',
      stderr: `Another local stack uses ${dataDir}: stop it, or choose another --data-dir.\n`,
    });
  });
});

describe('npm start prints one sentence and exits with 1', () => {
  const refusal = (sentence: string | RegExp) => ({
    code: 1,
    stdout: '',
    stderr: typeof sentence === 'string' ? `${sentence}\n` : expect.stringMatching(sentence),
  });

  it('if the port is taken', async () => {
    const other = createServer();
    await listen(other, 0, '127.0.0.1');
    onTestFinished(() => close(other));
    const port = portOf(other);
    const sentence = `Port ${port} is taken: choose another one with --port or PORT.`;
    expect(await run(['--ephemeral', '--port', `${port}`])).toEqual(refusal(sentence));
    expect(await run(['--ephemeral'], { PORT: `${port}` })).toEqual(refusal(sentence));
  });

  it('if there is no Java', async () => {
    const empty = temporaryDir();
    expect(await run(['--ephemeral', '--port', '0'], { PATH: empty })).toEqual(
      refusal(
        'Java is needed for the local database, and there is no working "java" on the PATH: install Java 17 or later.',
      ),
    );
  });

  it.each([
    ['not JSON', '{', 'The seed is not JSON'],
    ['an unknown role', { organizations: [{ name: 'acme', members: [{ user: 'ann', role: 'owner' }] }] }, 'role'],
    ['an organization twice', { organizations: [{ name: 'acme' }, { name: 'acme' }] }, "'acme' is there twice"],
  ])('if the seed file is refused: %s', async (_, content, reason) => {
    const file = seedFile(content);
    const exit = await run(['--ephemeral', '--port', '0', '--seed', file]);
    expect(exit).toEqual(refusal(/^[^\n]*\.\n$/));
    expect(exit.stderr).toContain(`The seed file ${file} cannot be loaded: `);
    expect(exit.stderr).toContain(reason);
  });

  it('if the seed file is missing, an option is unknown, a port is no number, or two options contradict each other', async () => {
    expect(await run(['--seed', '/nowhere/seed.json'])).toEqual(
      refusal(/^The seed file \/nowhere\/seed.json cannot be read: /),
    );
    expect(await run(['--prot', '1'])).toEqual(refusal(/^Unknown option '--prot'[^\n]*\n$/));
    expect(await run(['--port', 'eighty'])).toEqual(
      refusal('--port must be a port number from 0 to 65535; it is "eighty".'),
    );
    expect(await run(['--url', 'https://evidence.example/api'])).toEqual(
      refusal(
        '--url must be a scheme and an authority such as https://evidence.example:8443; it is "https://evidence.example/api".',
      ),
    );
    expect(await run(['--database', 'localhost:8000'])).toEqual(
      refusal('--database must be an http address such as http://127.0.0.1:8000; it is "localhost:8000".'),
    );
    expect(await run(['--visibility-ms', '1500'])).toEqual(
      refusal('--visibility-ms must be a whole number of seconds, from 1000 to 43200000 milliseconds; it is "1500".'),
    );
    expect(await run(['--containers', '0'])).toEqual(refusal('--containers must be a number from 1 to 16; it is "0".'));
    expect(await run(['--latency-ms', '1.5'])).toEqual(
      refusal('--latency-ms must be a whole number of milliseconds from 0 to 5000; it is "1.5".'),
    );
    expect(await run(['--throttle', '5%'])).toEqual(
      refusal('--throttle must be a number from 0 to 1, such as 0.05; it is "5%".'),
    );
    expect(await run(['--ephemeral', '--data-dir', 'x'])).toEqual(
      refusal('--ephemeral and --data-dir contradict each other.'),
    );
  });

  it('but exits with 0 for --help', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('and npm passes the exit code on', () => {
    const { status } = spawnSync('npm', ['start', '--silent', '--', '--port', 'eighty'], { stdio: 'ignore' });
    expect(status).toBe(1);
  });
});
