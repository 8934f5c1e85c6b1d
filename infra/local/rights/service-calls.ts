import { SIGNING_KEYS } from '#shared/table/uses.ts';
import { keyArn, mailIdentityArn, queueArn } from './arns.ts';
import { CALLER, UnknownCall } from './calls.ts';
import type { Access } from './evaluate.ts';

/** The rights that calls of queues, of the key service and of the mail service need. */

/** Operations of queues, each with its right. A batch needs the right of the single operation. */
const QUEUE_RIGHTS: Readonly<Record<string, string>> = {
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
  const action = QUEUE_RIGHTS[operation];
  if (!action) throw new UnknownCall(`operation ${operation} of a queue`);
  // The SDK sent the body.
  const { QueueUrl = '' } = JSON.parse(body) as { QueueUrl?: string };
  return [{ action, resource: queueArn(QueueUrl.split('/').at(-1) ?? ''), context: CALLER }];
}

/** Operations of the key service, each with the members of the call that conditions depend on. */
const KEY_OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  GetPublicKey: [],
  Sign: ['SigningAlgorithm', 'MessageType'],
};

/**
 * Returns the right that a call of the key service needs.
 *
 * @param target value of the header `X-Amz-Target`: `TrentService.Sign`
 * @throws UnknownCall for an operation that no function makes, or a key that does not exist
 */
export function keyAccesses(target: string, body: string): Access[] {
  const operation = target.replace(/^TrentService\./, '');
  const members = KEY_OPERATIONS[operation];
  if (!members) throw new UnknownCall(`operation ${operation} of the key service`);
  // The SDK sent the body.
  const call = JSON.parse(body) as Record<string, string | undefined>;
  const name = SIGNING_KEYS.find((key) => key === call['KeyId']);
  if (name === undefined) throw new UnknownCall(`${operation} with the key ${call['KeyId']}`);
  const conditions = members.map((member) => [`kms:${member}`, () => [call[member] ?? []].flat()]);
  const context = { ...CALLER, ...Object.fromEntries(conditions) };
  return [{ action: `kms:${operation}`, resource: keyArn(name), context }];
}

/**
 * Returns the right that a mail needs. The mail service asks for it on the identity of the sender: here the address, and not
 * its domain.
 */
export const mailAccesses = (from: string): Access[] => [
  { action: 'ses:SendEmail', resource: mailIdentityArn(from), context: { ...CALLER, 'ses:FromAddress': () => [from] } },
];
