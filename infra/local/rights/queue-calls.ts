import { queueArn } from './arns.ts';
import { CALLER, UnknownCall } from './calls.ts';
import type { Access } from './evaluate.ts';

/** Operations of queues, each with its right. A batch needs the right of the single operation. */
const RIGHTS: Readonly<Record<string, string>> = {
  SendMessage: 'sqs:SendMessage',
  SendMessageBatch: 'sqs:SendMessage',
};

/**
 * Returns the right that a call of a queue needs.
 *
 * @param target value of the header `X-Amz-Target`: `AmazonSQS.SendMessage`
 * @throws UnknownCall for an operation that no function makes
 */
export function queueAccesses(target: string, body: string): Access[] {
  const operation = target.replace(/^AmazonSQS\./, '');
  const action = RIGHTS[operation];
  if (!action) throw new UnknownCall(`operation ${operation} of a queue`);
  // The SDK sent the body.
  const { QueueUrl = '' } = JSON.parse(body) as { QueueUrl?: string };
  return [{ action, resource: queueArn(QueueUrl.split('/').at(-1) ?? ''), context: CALLER }];
}
