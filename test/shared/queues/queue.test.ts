import type { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { Queue } from '#shared/queues/queue.ts';

type Failed = { Id: string; SenderFault: boolean; Code: string };

/** A client whose service fails chosen messages; the emulator never does (rules/storage.md#s3-and-sqs-emulator). */
function setup(fails: (body: string, call: number) => Failed['Code'] | undefined, senderFault = false) {
  const calls: { body: string; group: string | undefined; delay: number | undefined }[][] = [];
  const send = async ({ input: { Entries = [] } }: SendMessageBatchCommand) => {
    calls.push(
      Entries.map(({ MessageBody = '', MessageGroupId, DelaySeconds }) => ({
        body: MessageBody,
        group: MessageGroupId,
        delay: DelaySeconds,
      })),
    );
    const Failed = Entries.flatMap(({ Id = '', MessageBody = '' }): Failed[] => {
      const Code = fails(MessageBody, calls.length);
      return Code === undefined ? [] : [{ Id, Code, SenderFault: senderFault }];
    });
    return { Failed };
  };
  return { calls, queue: new Queue({ send } as never, 'https://queue.example') };
}

const messages = (count: number) => Array.from({ length: count }, (_, i) => ({ body: i, group: `g${i}` }));

describe('send', () => {
  test('sends ten messages per call, each with its group and its delay', async () => {
    const { queue, calls } = setup(() => undefined);
    await queue.send([...messages(21), { body: 'late', group: 'g', delaySeconds: 5 }]);
    expect(calls.map((batch) => batch.length)).toEqual([10, 10, 2]);
    expect(calls.flat()).toContainEqual({ body: '"late"', group: 'g', delay: 5 });
    expect(calls.flat()).toContainEqual({ body: '3', group: 'g3', delay: undefined });
  });

  test('makes no call for an empty list', async () => {
    const { queue, calls } = setup(() => undefined);
    await queue.send([]);
    expect(calls).toEqual([]);
  });

  test('retries only the messages that the service did not accept', async () => {
    const { queue, calls } = setup((body, call) => (body === '1' && call < 3 ? 'InternalError' : undefined));
    await queue.send(messages(3));
    expect(calls.map((batch) => batch.map(({ body }) => body))).toEqual([['0', '1', '2'], ['1'], ['1']]);
  });

  test('throws if the service refuses a message for good', async () => {
    const { queue } = setup((body) => (body === '1' ? 'InvalidMessageContents' : undefined), true);
    await expect(queue.send(messages(2))).rejects.toThrow('InvalidMessageContents');
  });
});
