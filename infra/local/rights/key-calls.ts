import { SIGNING_KEYS } from '#shared/table/uses.ts';
import { keyArn } from './arns.ts';
import { CALLER, UnknownCall } from './calls.ts';
import type { Access } from './evaluate.ts';

/** The members of a call that rights depend on. */
interface KeyCall {
  KeyId?: string;
  SigningAlgorithm?: string;
  MessageType?: string;
}

/** Operations of the key service, each with its right and the conditions of the call. */
const RIGHTS: Readonly<Record<string, { action: string; context: (call: KeyCall) => Access['context'] }>> = {
  GetPublicKey: { action: 'kms:GetPublicKey', context: () => ({}) },
  Sign: {
    action: 'kms:Sign',
    context: ({ SigningAlgorithm, MessageType }) => ({
      'kms:SigningAlgorithm': () => present(SigningAlgorithm),
      'kms:MessageType': () => present(MessageType),
    }),
  },
};

const present = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

/**
 * Returns the right that a call of the key service needs.
 *
 * @param target value of the header `X-Amz-Target`: `TrentService.Sign`
 * @throws UnknownCall for an operation that no function makes, or a key that does not exist
 */
export function keyAccesses(target: string, body: string): Access[] {
  const operation = target.replace(/^TrentService\./, '');
  const right = RIGHTS[operation];
  if (!right) throw new UnknownCall(`operation ${operation} of the key service`);
  // The SDK sent the body.
  const call = JSON.parse(body) as KeyCall;
  const name = SIGNING_KEYS.find((key) => key === call.KeyId);
  if (name === undefined) throw new UnknownCall(`${operation} with the key ${call.KeyId}`);
  return [{ action: right.action, resource: keyArn(name), context: { ...CALLER, ...right.context(call) } }];
}
