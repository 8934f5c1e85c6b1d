import { createPublicKey, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { SIGNING_KEYS } from '#shared/table/uses.ts';
import { type LocalServer, startServer } from '../http.ts';
import { readBody } from '../request-body.ts';
import type { KeySet } from './key-files.ts';
import { sign } from './sign.ts';

/** In bytes. The key service accepts messages of at most this size. */
const MESSAGE_LIMIT = 4_096;
const BODY_LIMIT = 16 * 1024;

const KeyRequest = z.object({ KeyId: z.enum(SIGNING_KEYS) });
const SignRequest = z.object({
  KeyId: z.enum(SIGNING_KEYS),
  Message: z.base64().transform((text) => Buffer.from(text, 'base64')),
  MessageType: z.string(),
  SigningAlgorithm: z.string(),
});

/** A call that the key service refuses, with the name of its error. */
class KeyServiceError extends Error {
  constructor(name: 'NotFoundException' | 'ValidationException' | 'UnknownOperationException', message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * Starts the server of the keys that sign. It stands for the key service, whose JSON protocol it speaks, and knows the
 * operations `GetPublicKey` and `Sign`.
 */
export const startKeyServer = (keys: KeySet): Promise<LocalServer> =>
  startServer(
    (request, response) => answer(keys, request, response),
    (error, response) => {
      console.error('The key server failed', error);
      response.destroy();
    },
  );

async function answer(keys: KeySet, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request, BODY_LIMIT);
  const respond = (status: number, value: object) =>
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(value));
  try {
    respond(200, run(keys, String(request.headers['x-amz-target']), body?.toString() ?? ''));
  } catch (error) {
    if (!(error instanceof KeyServiceError)) throw error;
    respond(400, { __type: error.name, message: error.message });
  }
}

function run(keys: KeySet, target: string, body: string): object {
  switch (target) {
    case 'TrentService.GetPublicKey': {
      const { KeyId } = parse(KeyRequest, body);
      return { KeyId, KeyUsage: 'SIGN_VERIFY', PublicKey: publicKeyOf(keys[KeyId]).toString('base64') };
    }
    case 'TrentService.Sign': {
      const { KeyId, Message, MessageType, SigningAlgorithm } = parse(SignRequest, body);
      if (Message.length > MESSAGE_LIMIT) throw new KeyServiceError('ValidationException', 'The message is too long');
      const signature = sign(keys[KeyId], SigningAlgorithm, MessageType, Message);
      if (!signature) {
        throw new KeyServiceError('ValidationException', `${KeyId} does not sign ${SigningAlgorithm} ${MessageType}`);
      }
      return { KeyId, SigningAlgorithm, Signature: signature.toString('base64') };
    }
    default:
      throw new KeyServiceError('UnknownOperationException', `The key server does not know ${target}`);
  }
}

const publicKeyOf = (key: KeyObject): Buffer => createPublicKey(key).export({ format: 'der', type: 'spki' });

/** @throws KeyServiceError if the request has another form, or names an unknown key */
function parse<S extends z.ZodType>(schema: S, body: string): z.output<S> {
  const parsed = schema.safeParse(JSON.parse(body));
  if (parsed.success) return parsed.data;
  const isUnknownKey = parsed.error.issues.some(({ path }) => path[0] === 'KeyId');
  throw new KeyServiceError(isUnknownKey ? 'NotFoundException' : 'ValidationException', z.prettifyError(parsed.error));
}
