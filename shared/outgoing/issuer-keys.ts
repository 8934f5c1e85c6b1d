import { type CryptoKey, createLocalJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { type Duration, type Micros, micros } from '#shared/base/time.ts';
import type { AddressGuard } from './address-guard.ts';
import { getWhole } from './get-whole.ts';
import { jsonOrNothing } from './post.ts';

/** The keys of an issuer of tokens could not be read. The message is a sentence for the owner of the trust. */
export class IssuerUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'IssuerUnavailable';
  }
}

const SECOND: Duration = 1_000_000;
/** A key set of this age is read again. */
const FRESH_FOR = 600 * SECOND;
/** If the issuer does not answer, a key set is used up to this age. */
const USED_FOR = 3600 * SECOND;
/** A token with an unknown key id makes the key set be read again at most this often. */
const UNKNOWN_KEY_EVERY = 30 * SECOND;
/** An issuer whose keys could not be read is asked again after this time. */
const FAILED_FOR = 10 * SECOND;
/** Time limit for description and key set together, in milliseconds. */
const TIME_LIMIT_MILLIS = 5_000;
const MOST_ISSUERS = 200;
/** Smaller RSA keys can be broken. The library refuses them too, but as a fault of the program. */
const LEAST_RSA_BITS = 2048;

const Description = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  /** The addresses of the sign-in of people. Issuers of tokens for programs have none. */
  authorization_endpoint: z.url().optional(),
  token_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});
export type IssuerDescription = z.infer<typeof Description>;
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** What an issuer publishes: its description, and its key set in a form that finds keys. */
interface Published {
  description: IssuerDescription;
  find: ReturnType<typeof createLocalJWKSet>;
}

/** What is known of one issuer. */
interface Issuer {
  keys?: Published & { readAt: Micros };
  /** The read that runs. Everybody who needs keys meanwhile waits for this read. */
  reading?: Promise<Published> | undefined;
  /** When the last read began. */
  triedAt: Micros;
  failure?: IssuerUnavailable | undefined;
}

/**
 * The keys with which issuers sign tokens, found by OpenID Connect Discovery through the guarded way out
 * (rules/identities.md#keys-of-issuers). A process keeps key sets for some minutes.
 */
export class IssuerKeys {
  readonly #guard: AddressGuard;
  readonly #timeLimit: number;
  readonly #issuers = new LRUCache<string, Issuer>({ max: MOST_ISSUERS });

  constructor(guard: AddressGuard, timeLimitMillis = TIME_LIMIT_MILLIS) {
    this.#guard = guard;
    this.#timeLimit = timeLimitMillis;
  }

  /**
   * Finds the key that a token names. Reads the key set of the issuer if there is none in memory, if it is old, or if it
   * does not have the key.
   *
   * @throws IssuerUnavailable if no key set can be read; JWKSNoMatchingKey or JWKSMultipleMatchingKeys of the library if
   *   the key set does not have exactly one such key
   */
  async find(issuer: string, header: JWSHeaderParameters, token: FlattenedJWSInput, now: Micros): Promise<CryptoKey> {
    const known = this.#known(issuer);
    const { find } = await this.#current(issuer, known, now);
    try {
      return await keyOf(find, header, token);
    } catch (error) {
      const isUnknown = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknown || (!known.reading && now - known.triedAt < UNKNOWN_KEY_EVERY)) throw error;
      return keyOf((await this.#read(issuer, known, now)).find, header, token);
    }
  }

  /** Returns the description of an issuer. It is read and remembered together with the key set. @throws IssuerUnavailable */
  async describe(issuer: string, now: Micros): Promise<IssuerDescription> {
    return (await this.#current(issuer, this.#known(issuer), now)).description;
  }

  #known(issuer: string): Issuer {
    const known = this.#issuers.get(issuer) ?? { triedAt: micros(Number.NEGATIVE_INFINITY) };
    this.#issuers.set(issuer, known);
    return known;
  }

  async #current(issuer: string, known: Issuer, now: Micros): Promise<Published> {
    const { keys, failure } = known;
    if (keys && now - keys.readAt < FRESH_FOR) return keys;
    const usable = keys && now - keys.readAt < USED_FOR ? keys : undefined;
    if (failure && !known.reading && now - known.triedAt < FAILED_FOR) {
      if (usable) return usable;
      throw failure;
    }
    try {
      return await this.#read(issuer, known, now);
    } catch (error) {
      if (error instanceof IssuerUnavailable && usable) return usable;
      throw error;
    }
  }

  /** Reads the key set. Callers at the same time share one read. */
  #read(issuer: string, known: Issuer, now: Micros): Promise<Published> {
    if (known.reading) return known.reading;
    known.triedAt = now;
    known.reading = readKeys(issuer, this.#guard, this.#timeLimit)
      .then(
        (published) => {
          known.keys = { ...published, readAt: now };
          known.failure = undefined;
          return published;
        },
        (error: unknown) => {
          if (error instanceof IssuerUnavailable) known.failure = error;
          throw error;
        },
      )
      .finally(() => {
        known.reading = undefined;
      });
    return known.reading;
  }
}

const memories = new WeakMap<AddressGuard, IssuerKeys>();

/** Returns the key sets that this process has read through a guard. All endpoints of a function share them. */
export function issuerKeysOf(guard: AddressGuard): IssuerKeys {
  const keys = memories.get(guard) ?? new IssuerKeys(guard);
  memories.set(guard, keys);
  return keys;
}

async function keyOf(
  find: Published['find'],
  header: JWSHeaderParameters,
  token: FlattenedJWSInput,
): Promise<CryptoKey> {
  const key = await find(header, token).catch((error: unknown) => {
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
    throw new IssuerUnavailable('The key set has a key that cannot be read', error);
  });
  const bits = 'modulusLength' in key.algorithm ? Number(key.algorithm.modulusLength) : LEAST_RSA_BITS;
  if (bits < LEAST_RSA_BITS) {
    throw new IssuerUnavailable(`The key set has an RSA key of ${bits} bits; 2048 are needed`);
  }
  return key;
}

/** @throws IssuerUnavailable */
async function readKeys(issuer: string, guard: AddressGuard, timeLimit: number): Promise<Published> {
  const deadline = AbortSignal.timeout(timeLimit);
  const read = <T>(address: string, schema: z.ZodType<T>) => readDocument(address, schema, guard, deadline);
  const about = descriptionAddress(issuer);
  const description = await read(about, Description);
  if (description.issuer !== issuer) {
    throw new IssuerUnavailable(`${about} describes another issuer`);
  }
  return { description, find: createLocalJWKSet(await read(description.jwks_uri, KeySet)) };
}

/** The address of an issuer's description. An issuer may end with a slash, the description does not repeat it. */
const descriptionAddress = (issuer: string): string =>
  `${issuer.endsWith('/') ? issuer.slice(0, -1) : issuer}/.well-known/openid-configuration`;

async function readDocument<T>(
  address: string,
  schema: z.ZodType<T>,
  guard: AddressGuard,
  deadline: AbortSignal,
): Promise<T> {
  const failed = (why: string, cause?: unknown) => new IssuerUnavailable(`${address}: ${why}`, cause);
  const { status, bytes } = await getWhole(
    address,
    { headers: { accept: 'application/json' }, guard },
    deadline,
    (sentence, cause) => new IssuerUnavailable(sentence, cause),
  );
  if (status >= 300 && status < 400) throw failed(`The answer is ${status}, and redirects are not followed`);
  if (status !== 200) throw failed(`The answer is ${status}`);
  const { data, error } = schema.safeParse(jsonOrNothing(bytes));
  if (data === undefined) throw failed('The answer is no such document as OpenID Connect describes', error);
  return data;
}
