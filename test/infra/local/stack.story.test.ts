import { describe, expect, it, onTestFinished } from 'vitest';
import { startStack } from '#infra/local/stack.ts';
import type { StackOptions } from '#infra/local/stack-options.ts';
import { storedKey } from '#shared/table/keys.ts';
import { testId } from '#test/support/ids.ts';
import { temporaryDir } from '#test/support/stack-process.ts';

/** Starts a stack whose relay collects the sort keys of the records that it gets. */
async function startRecording(dataDir: string, options: Partial<StackOptions> = {}) {
  const seen: string[] = [];
  const stack = await startStack({
    port: 0,
    dataDir,
    relay: () => async (event) => {
      seen.push(...event.Records.flatMap((record) => record.dynamodb?.Keys?.['sk']?.S ?? []));
      return { batchItemFailures: [] };
    },
    ...options,
  });
  onTestFinished(() => stack.stop());
  const put = (sk: string) => stack.services.table.put({ ...storedKey('relayed', sk), kind: 'test' });
  return { stack, seen, put };
}

describe('a local stack', () => {
  it('keeps the table, the bucket and the position in the stream over a restart', async () => {
    const dataDir = temporaryDir();
    const digest = 'ab'.repeat(32);
    const first = await startRecording(dataDir);
    await first.put('before');
    await first.stack.services.objects.putFile(testId('org'), digest, Buffer.from('kept'));
    await expect.poll(() => first.seen, { timeout: 60_000 }).toEqual(['before']);
    await first.stack.stop();

    const second = await startRecording(dataDir);
    await second.put('after');
    await expect.poll(() => second.seen, { timeout: 60_000 }).toEqual(['after']);
    expect(await second.stack.services.table.get(storedKey('relayed', 'before'))).toBeDefined();
    const address = await second.stack.services.objects.presignDownload(
      testId('org'),
      digest,
      null,
      'name',
      'text/plain',
    );
    expect(await (await fetch(address)).text()).toBe('kept');
  });

  it('delivers after a restart the records that were written without a relay', async () => {
    const dataDir = temporaryDir();
    const silent = await startStack({ port: 0, dataDir });
    onTestFinished(() => silent.stop());
    await silent.services.table.put({ ...storedKey('relayed', 'unheard'), kind: 'test' });
    await silent.stop();
    const { seen } = await startRecording(dataDir);
    await expect.poll(() => seen, { timeout: 60_000 }).toEqual(['unheard']);
  });

  it.each([
    ['that of its gateway', undefined],
    ['the one that it was given', 'https://evidence.example'],
  ])('names one address of the service, %s, at each address of the machine', async (_, url) => {
    const stack = await startStack({ port: 0, url });
    onTestFinished(() => stack.stop());
    for (const address of [stack.url, stack.url.replace('localhost', '127.0.0.1')]) {
      const { policy_line: line } = (await (await fetch(`${address}/api/v2/witness`)).json()) as {
        policy_line: string;
      };
      expect(line).toContain(` ${url ?? stack.url}/api/v2/witness`);
    }
  });
});
