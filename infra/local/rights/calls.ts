import { LOCAL } from '../settings.ts';
import type { Access } from './evaluate.ts';

/** A call that the local stack cannot translate to rights. It is refused. */
export class UnknownCall extends Error {
  constructor(what: string) {
    super(`The local stack knows no right for this call: ${what}.`);
  }
}

/** Condition keys that every call has. The local stack speaks plain HTTP and stands for TLS 1.3 here. */
export const CALLER: Access['context'] = {
  'aws:SecureTransport': () => ['true'],
  's3:TlsVersion': () => ['1.3'],
};

/** The condition key of a use of a key by a service on behalf of the caller. */
export const viaService = (service: 'dynamodb' | 's3'): Access['context'] => ({
  'kms:ViaService': () => [`${service}.${LOCAL.region}.amazonaws.com`],
});
