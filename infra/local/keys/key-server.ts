import { createPublicKey, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as z from 'zod';
import { SIGNING_KEYS } from '#shared/table/uses.ts';
import { close, listen, portOf } from '../ports.ts';
import { readBody } from '../request-body.ts';
import type { KeySet } from './key-files.ts';
import { sign } from './sign.ts';

/** The server of the keys that sign. It stands for the key service, whose JSON protocol it speaks. */
export interface KeyServer {
  endpoint: string;
  stop(): Promise<void>;
}

/** In bytes. The key service accepts messages of at most this size. */
const MESSAGE_LIMIT = 4_096;
const BODY_LIMIT = 16 * 1024;
/** Longer than clients keep idle connections: a busy client does not notice in time that the server closed one. */
const KEEP_ALIVE_MILLIS = 75_000;

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

/** Starts the server on this machine only. It knows the operations `GetPublicKey` and `Sign`. */
export async function startKeyServer(keys: KeySet): Promise<KeyServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MILLIS }, (request, response) => {
    answer(keys, request, response).catch((error: unknown) => {
      console.error('The key server failed', error);
      response.destroy();
    });
  });
  await listen(server, 0, '127.0.0.1');
  return { endpoint: `http://127.0.0.1:${portOf(server)}`, stop: () => close(server) };
}

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
