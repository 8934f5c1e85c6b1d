import type { Fingerprint } from '#shared/base/ids.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Reading } from '#shared/evidence/flow-verdicts.ts';
import { findPolicies } from '#shared/policies/records/policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { type AttachedPolicy, readAttachedPolicies } from '../attached-policies.ts';
import { presentEnvironment } from '../present-environment.ts';
import { readAllowed } from '../records/allowed.ts';
import { environmentAndPolicy } from '../rules/sentences.ts';

/** What decides whether an artifact is compliant: its flows, the policies of an environment, or named policies. */
export type Scope =
  | { kind: 'flow'; policies: readonly AttachedPolicy[]; allowed: false }
  /** `allowed`: whether the allow-list of the environment has the artifact. */
  | { kind: 'environment'; environment: string; policies: readonly AttachedPolicy[]; allowed: boolean }
  | { kind: 'policy'; policies: readonly AttachedPolicy[]; allowed: false };

/** Names of the environment or of the policies that decide; without any, the flows decide. */
export interface AskedScope {
  environment?: string | undefined;
  policies?: readonly string[] | undefined;
}

/**
 * Says which kind of scope a request has (rules/lookups.md#assert-scopes).
 * @throws ServiceError `invalid` if it names both an environment and policies
 */
export function scopeKind({ environment, policies = [] }: AskedScope): Scope['kind'] {
  if (environment !== undefined && policies.length > 0) throw environmentAndPolicy();
  if (environment !== undefined) return 'environment';
  return policies.length > 0 ? 'policy' : 'flow';
}

/**
 * Reads the newest versions of the policies that decide. For an environment, also reads whether the environment allows
 * the artifact.
 * @param fingerprint null if no artifact matches the request
 * @throws ServiceError `not-found` for an unknown or archived environment, and for an unknown policy
 */
export async function readScope(
  reading: Reading,
  org: Organization,
  { environment: name, policies: names = [] }: AskedScope,
  fingerprint: Promise<Fingerprint | null>,
): Promise<Scope> {
  if (name !== undefined) return environmentScope(reading, org, name, fingerprint);
  if (names.length === 0) return { kind: 'flow', policies: [], allowed: false };
  const heads = await findPolicies(reading.table, org.id, names);
  const ids = names.map((policy) => {
    const head = heads.get(policy);
    if (!head) throw unknownPolicy({ policy, org: org.name });
    return head.id;
  });
  return { kind: 'policy', policies: await readAttachedPolicies(reading, org, ids), allowed: false };
}

async function environmentScope(
  reading: Reading,
  org: Organization,
  name: string,
  fingerprint: Promise<Fingerprint | null>,
): Promise<Scope> {
  const head = await presentEnvironment(reading.table, org, name);
  const [policies, allowed] = await Promise.all([
    readAttachedPolicies(reading, org, head.policies),
    fingerprint.then(async (digest) => {
      if (digest === null) return false;
      return (await readAllowed(reading.table, org.id, head, [digest])).has(digest);
    }),
  ]);
  return { kind: 'environment', environment: head.name, policies, allowed };
}
