import { S3Client } from '@aws-sdk/client-s3';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { type Environment, loadBooks, loadEnvironment } from '#shared/base/env.ts';
import { systemClock } from '#shared/base/time.ts';
import { Objects } from '#shared/bodies/objects.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { AccessTokens } from '#shared/callers/access-tokens.ts';
import { StageLimits } from '#shared/callers/request-limits.ts';
import type { Engines } from '#shared/engines/engines.ts';
import { packagedChild } from '#shared/engines/packaged-child.ts';
import type { PolicyEngine } from '#shared/engines/policy-engine.ts';
import { ENGINE_LANGUAGE, ENGINE_NAME, ENGINE_VERSION } from '#shared/evaluations/engine-version.ts';
import { packagedPolicyChild } from '#shared/evaluations/packaged-policy-child.ts';
import type { CallerServices } from '#shared/http/services.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import type { LogNames } from '#shared/log/services.ts';
import type { WitnessSettings } from '#shared/log/witness/read-witness.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import type { SignInProvider, SignInServices } from '#shared/organizations/sign-in/provider.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { NO_KEYS, type SigningKeys } from '#shared/signing/keys.ts';
import { databaseClient } from '#shared/table/database.ts';
import { meter } from '#shared/table/meter.ts';
import { Table } from '#shared/table/table.ts';

/** All services that functions of endpoints have. Each use case names those that it takes, and a function has those of its group. */
export interface Services extends CallerServices, Stores, LogNames {
  policies: PolicyEngine;
  /** The keys that sign. A function has only those that its endpoints declare to use. */
  keys: SigningKeys;
  /** Returns the end of the origins of logs. */
  logDomain: () => string;
  /** Settings about witnesses, as text: only the functions of logs read them (rules/log.md#settings-of-witnesses). */
  witness: WitnessSettings['witness'] & {
    /** The policy that says which witnesses cosign the logs of this region. */
    policy?: string | undefined;
  };
}

/**
 * Returns the services of a deployed function. They are created from its settings at the first request and kept for
 * later requests.
 *
 * @param keysOf returns the keys that sign. Functions that use none have no client of the key service in their archive
 * @param signInOf returns the identity provider. Only the function that signs people in has one
 * @param tokensOf returns what verifies access tokens. Functions that take none have no library for it in their archive
 */
export const lambdaServices = ({
  keysOf = () => NO_KEYS,
  signInOf = () => undefined,
  tokensOf = () => undefined,
}: {
  keysOf?: (settings: Environment) => SigningKeys;
  signInOf?: (settings: Environment) => SignInProvider | undefined;
  tokensOf?: (settings: Environment, services: Pick<Services, 'guard' | 'clock'>) => AccessTokens | undefined;
} = {}): (() => Services & SignInServices) =>
  once(() => {
    const settings = loadEnvironment();
    const made = makeServices(settings);
    const more = { keys: keysOf(settings), signIn: signInOf(settings), accessTokens: tokensOf(settings, made) };
    return { ...made, ...more };
  });

/** Returns a function that calls `make` once and then always returns the same value. */
export function once<T>(make: () => T): () => T {
  let made: { it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

function makeServices(settings: Environment): Omit<Services, 'keys'> {
  const { TABLE_NAME, BUCKET_NAME, ENGINES_PATH, POLICIES_PATH, ALLOWED_NETWORKS, LOG_DOMAIN, PUBLIC_URL } = settings;
  const { WITNESS_LOGS, WITNESS_POLICY, REQUEST_LIMITS } = settings;
  return {
    table: deployedTable(TABLE_NAME),
    objects: deployedObjects(BUCKET_NAME),
    engines: lazyEngines(ENGINES_PATH),
    policies: lazyPolicies(POLICIES_PATH),
    clock: systemClock(),
    address: PUBLIC_URL,
    guard: addressGuard(ALLOWED_NETWORKS),
    principals: (table) => new Directory(table),
    ...logNames(LOG_DOMAIN),
    entryIndex: indexOf,
    witness: { logs: WITNESS_LOGS, policy: WITNESS_POLICY },
    limits: REQUEST_LIMITS === undefined ? undefined : StageLimits.parse(JSON.parse(REQUEST_LIMITS)),
  };
}

/** @param domain the setting; a function without it needs no names of logs */
function logNames(domain: string | undefined): Pick<Services, 'logDomain' | 'origin'> {
  const logDomain = (): string => {
    if (domain === undefined) throw new Error('This function has no setting LOG_DOMAIN');
    return domain;
  };
  return { logDomain, origin: (org) => `${org}.${logDomain()}` };
}

/** Returns the table of a deployed function. */
export const deployedTable = (name: string): Table => new Table(databaseClient(), name);

/** Returns the services of a function whose endpoints are all public and only read the table. */
export const tableServices = (): (() => Pick<Services, 'clock' | 'table'>) =>
  once(() => ({ clock: systemClock(), table: deployedTable(loadBooks().TABLE_NAME) }));

/** Returns the evidence bucket of a deployed function. */
export const deployedObjects = (bucket: string): Objects =>
  new Objects(meter(new S3Client(CLIENT_SETTINGS), 'S3'), bucket);

/**
 * Returns engines that are loaded at their first use: they are large, and most requests need none
 * (rules/storage.md#cold-start).
 */
export function lazyEngines(path?: string): Engines {
  let loading: Promise<Engines> | undefined;
  const load = () => {
    loading ??= import('#shared/engines/child-engines.ts').then(({ childEngines }) =>
      childEngines(path === undefined ? {} : { child: packagedChild(path) }),
    );
    return loading;
  };
  return {
    checkJq: async (programs) => (await load()).checkJq(programs),
    runJq: async (programs, json) => (await load()).runJq(programs, json),
    checkSchema: async (schema) => (await load()).checkSchema(schema),
    validate: async (schema, json) => (await load()).validate(schema, json),
  };
}

/** Like {@link lazyEngines}, for policies. */
export function lazyPolicies(path?: string): PolicyEngine {
  const load = once(async () => {
    const { childPolicyEngine } = await import('#shared/evaluations/child-policy-engine.ts');
    return childPolicyEngine(path === undefined ? {} : { child: packagedPolicyChild(path) });
  });
  return {
    name: ENGINE_NAME,
    version: ENGINE_VERSION,
    language: ENGINE_LANGUAGE,
    evaluate: async (question) => (await load()).evaluate(question),
  };
}
