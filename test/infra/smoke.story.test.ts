import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { packageVersion } from '#infra/bundles/package-version.ts';
import { close, listen, portOf } from '#infra/local/ports.ts';

/** Runs the command as `npm run smoke --` does. */
const smoke = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['infra/smoke.ts', ...args], (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });

/** Starts a service that answers each path with a status and a text, and returns its address. */
async function startService(answer: (path: string) => [number, string]): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const [status, text] = answer(url);
    response.writeHead(status).end(text);
  });
  await listen(server, 0, '127.0.0.1');
  onTestFinished(() => close(server));
  return `http://127.0.0.1:${portOf(server)}`;
}

const version = packageVersion();
const release = (running: string) => JSON.stringify({ version: running, commit: 'abc', data_format: 1 });
const answers =
  (running: string) =>
  (path: string): [number, string] => [200, path === '/ready' ? 'OK' : release(running)];

describe('npm run smoke', () => {
  it('succeeds for a service that is ready with the version of the checkout', async () => {
    const { url } = inject('stack');
    for (const address of [url, `${url}/api/v2`]) {
      const { code, stdout } = await smoke(address);
      expect([code, stdout]).toEqual([0, expect.stringContaining(`${url} is ready: version ${version}, commit `)]);
    }
  });

  it('fails with one sentence if another version answers', async () => {
    const url = await startService(answers('0.0.9'));
    const sentence = `${url}/api/v2/version answered version 0.0.9 instead of ${version}.\n`;
    expect(await smoke(url, '--wait', '0')).toEqual({ code: 1, stdout: '', stderr: sentence });
    expect(await smoke(url, '--wait', '0', '--version', '0.0.9')).toMatchObject({ code: 0 });
  });

  it('asks again while functions are updated', async () => {
    let asked = 0;
    const url = await startService((path) => {
      if (path === '/ready') asked += 1;
      return answers(asked > 1 ? version : '0.0.9')(path);
    });
    expect(await smoke(url)).toMatchObject({ code: 0 });
    expect(asked).toBe(2);
  });

  it.each<[string, (path: string) => [number, string], string]>([
    [
      'is not ready',
      () => [503, 'The table has a newer format'],
      '/ready answered 503: The table has a newer format\n',
    ],
    ['answers something else', () => [200, '<html>'], '/ready answered "<html>" instead of "OK".\n'],
    [
      'has no version',
      (path) => (path === '/ready' ? [200, 'OK'] : [200, '{}']),
      '/version did not answer a version: "{}".\n',
    ],
  ])('fails if the service %s', async (_, answer, end) => {
    const { code, stderr } = await smoke(await startService(answer), '--wait', '0');
    expect([code, stderr.endsWith(end), stderr]).toEqual([1, true, expect.any(String)]);
  });

  it('fails if nothing answers, or if an argument is wrong', async () => {
    const { stderr } = await smoke('http://127.0.0.1:9', '--wait', '0');
    expect(stderr).toBe('http://127.0.0.1:9/ready does not answer.\n');
    expect((await smoke('example.com')).stderr).toContain("'example.com' is not the address of a service");
    expect((await smoke('http://127.0.0.1:9', '--wait', 'long')).stderr).toContain("it is 'long'");
    expect(await smoke()).toMatchObject({ code: 1, stdout: expect.stringContaining('Usage') });
    expect((await smoke('--colour')).stderr).toContain('Usage');
  });
});
