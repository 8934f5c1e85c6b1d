import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { FunctionProcess } from '#infra/local/functions/function-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'function-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SOURCE = `
  let calls = 0;
  exports.handler = async (event, context) => {
    calls += 1;
    if (event.fails) throw new Error('refused by the handler');
    if (event.crashes) process.exit(7);
    if (event.logs) {
      console.log('read', { items: 2 }, 'of\\nfour');
      console.error('refused');
      process.stdout.write('{"message":"kept"}\\n');
    }
    const { NAME, HOME } = process.env;
    return { event, calls, NAME, HOME, time: context.getRemainingTimeInMillis() > 0 };
  };`;

function startProcess(settings: Record<string, string> = { NAME: 'one' }): FunctionProcess {
  writeFileSync(join(folder, 'index.js'), SOURCE);
  const started = new FunctionProcess(folder, () => settings);
  onTestFinished(() => started.stop());
  return started;
}

describe('the process of a function', () => {
  it('gets only its own settings, and is used for several calls', async () => {
    const one = startProcess();
    expect(await one.invoke({ a: [1] }, 1000)).toEqual({ event: { a: [1] }, calls: 1, NAME: 'one', time: true });
    expect(await one.invoke({}, 1000)).toMatchObject({ calls: 2 });
  });

  it('passes on the error of a handler, and accepts further calls', async () => {
    const one = startProcess();
    await expect(one.invoke({ fails: true }, 1000)).rejects.toThrow('refused by the handler');
    expect(await one.invoke({}, 1000)).toMatchObject({ calls: 2 });
  });

  it('fails the pending calls when it crashes, and is replaced', async () => {
    const one = startProcess();
    await expect(one.invoke({ crashes: true }, 1000)).rejects.toThrow('The process of the function ended (7)');
    expect(await one.invoke({}, 1000)).toMatchObject({ calls: 1 });
  });

  it('writes its console as the runtime of a region does, and its standard output unchanged', async () => {
    writeFileSync(join(folder, 'index.js'), SOURCE);
    const child = fork('infra/local/functions/function-runner.ts', [folder], { env: {}, execArgv: [], silent: true });
    const output = text(child.stdout as Readable);
    child.once('message', () => child.disconnect());
    child.send({ id: 3, event: { logs: true }, deadline: Date.now() + 1000 });
    expect((await output).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').split('\n')).toEqual([
      'TIME\t3\tINFO\tread { items: 2 } of\rfour',
      'TIME\t3\tERROR\trefused',
      '{"message":"kept"}',
      '',
    ]);
  });
});
